//! Formats of lines.

pub mod eve;
pub mod fast;
pub mod stats_log;
pub mod stream_data;
pub mod zeek;
