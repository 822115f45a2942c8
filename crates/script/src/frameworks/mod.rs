//! Frameworks of Zeek that are not written in its language here.

pub mod absent;
mod analyzer_ids;
mod analyzer_tags;
pub mod discarding;
pub mod expectations;
pub mod files;
pub mod filters;
pub mod frames;
pub mod geography;
pub mod input;
pub mod log;
pub mod metadata;
pub mod packets;
pub mod reporter;
pub mod skipping;
pub mod steering;
pub mod suspension;
pub mod thresholds;
pub mod unknown_protocols;

use std::collections::HashMap;
use std::rc::Rc;

use crate::values::FunctionValue;
use crate::vm::Engine;

/// State of frameworks.
#[derive(Default)]
pub struct Frameworks {
    /// Variables of the environment that scripts have set.
    pub environment: HashMap<String, String>,
    /// Functions that hear of changes of options, with their priorities.
    pub options: HashMap<u32, Vec<(i64, Rc<FunctionValue>)>>,
    /// Only what is needed everywhere was loaded.
    pub bare: bool,
    /// Logs.
    pub log: log::Manager,
    /// Files that are followed.
    pub files: files::Manager,
    /// Input streams.
    pub input: input::Manager,
    /// Databases of places.
    pub geography: geography::Geography,
    /// How often weirds are told.
    pub sampling: reporter::Sampling,
    /// Connections that reached limits, as scripts say.
    pub limits: reporter::Limits,
    /// Metadata of events.
    pub metadata: metadata::Metadata,
    /// Packets.
    pub packets: packets::Packets,
    /// Connections that scripts expect.
    pub expectations: expectations::Expectations,
    /// Filters of packets.
    pub filters: filters::Filters,
    /// How often scripts are told of protocols that nothing knows.
    pub unknown_protocols: unknown_protocols::Sampling,
    /// Content that scripts want to hear no more of.
    pub skipping: skipping::Skipping,
    /// What scripts say about connections.
    pub steering: steering::Steering,
    /// What is remembered of addresses that are hidden.
    pub anonymizer: crate::builtins::anonymization::Anonymizer,
    /// How often scripts have asked to wait for no packets.
    pub suspended: u64,
}

impl Frameworks {
    /// Returns whether something may still come, so that a run without packets goes on.
    pub fn keeps_running(&self) -> bool {
        false
    }
}

/// Prepares frameworks for a run.
pub fn begin(engine: &mut Engine) {
    log::begin(engine);
}

/// Lets frameworks do what is due when time has passed.
pub fn advance(engine: &mut Engine) {
    log::advance(engine);
}

/// Lets frameworks do what they do between events.
pub fn poll(engine: &mut Engine) {
    input::poll(engine);
}

/// Ends what frameworks have open.
pub fn finish(engine: &mut Engine) {
    log::finish(engine);
}
