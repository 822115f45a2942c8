//! Reasons that a rule fired or did not: the inspection with a recorder switched in.
//!
//! Inspection is generic over a [`Recorder`]. [`Silent`] is nothing at all once compiled; [`Recording`]
//! notes each step of the rules it follows: header, packet checks, prefilter, each option in the order
//! of its check, and what came of it.

mod attempt;
mod describe;
mod recording;
mod report;

pub use attempt::{Attempt, Conclusion, Excerpt, Outcome, Step};
pub use describe::Subject;
pub(crate) use recording::Look;
pub use recording::{Recording, Selection};
pub use report::{write_json, write_text};

use crate::model::buffer::Check;

/// Told what inspection does.
pub trait Recorder: Send {
    /// Runs `what` on the recording, where there is one.
    fn note(&mut self, what: impl FnOnce(&mut Recording));

    /// Makes a check; the answer is what it gives.
    #[inline(always)]
    fn make<T>(&mut self, check: &Check, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let _ = check;
        work(self)
    }
}

/// Records nothing, and costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Recorder for Silent {
    #[inline(always)]
    fn note(&mut self, _: impl FnOnce(&mut Recording)) {}
}

impl Recorder for Recording {
    fn note(&mut self, what: impl FnOnce(&mut Recording)) {
        what(self);
    }
}
