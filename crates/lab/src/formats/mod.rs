//! Formats of others for profiles, and a picture.

pub mod firefox;
pub mod folded;
pub mod pprof;
pub mod svg;
