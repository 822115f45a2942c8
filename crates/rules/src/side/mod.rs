//! The files beside the rules: classification.config, reference.config and threshold.config.
//!
//! Each is read line by line; a line that is wrong gives a diagnostic and the rest count.

pub mod classification;
mod line;
pub mod reference;
pub mod threshold;

pub use classification::{Classification, Classifications};
pub use reference::References;
pub use threshold::{
    NewAction, SuppressTrack, ThresholdEntry, ThresholdFile, ThresholdRule, ThresholdType, Track,
};
