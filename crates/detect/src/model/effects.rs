//! The effects of a rule: what its match does.

use super::post::PostAction;
use crate::state::threshold::Threshold;

/// All that a match does, and its thresholds.
#[derive(Default)]
pub struct Effects {
    /// Actions of options: bits, numbers, tags, requests to the engine.
    pub post: Vec<Box<dyn PostAction>>,
    /// `threshold`, `detection_filter`.
    pub threshold: Option<Threshold>,
    /// `noalert`
    pub no_alert: bool,
    /// The state that rules share with those before and behind them.
    pub state_use: StateUse,
}

/// Kinds of flow state that a rule sets and reads. Rules that set a state run before those that
/// read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StateUse {
    /// Flowbits: set, read.
    pub bits: (bool, bool),
    /// Flow integers: set, read.
    pub integers: (bool, bool),
    /// Variables, host and extended bits: set, read.
    pub others: (bool, bool),
}

impl StateUse {
    /// Ranks for sorting, the earliest first.
    pub fn rank(self) -> [u8; 3] {
        let rank = |(sets, reads)| match (sets, reads) {
            (true, false) => 0,
            (true, true) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        [rank(self.bits), rank(self.integers), rank(self.others)]
    }
}
