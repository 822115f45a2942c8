//! The checks of buffers, with the scripts that stand beside them.

use super::DetectCounters;
use super::checks::inspect_with;
use super::script::{Scene, Scripts};
use crate::explain::Recorder;
use crate::model::buffer::{Buffer, BufferScratch, Check};
use crate::model::script::ScriptPlace;

/// Makes the checks of buffers and tells a recorder of them.
pub(super) struct Checker<R> {
    /// Steps that the checks of one buffer may take.
    pub(super) steps: u32,
    pub(super) scratch: BufferScratch,
    pub(super) scripts: Scripts,
    pub(super) recorder: R,
}

impl<R: Recorder> Checker<R> {
    /// Whether checks hold in a buffer.
    pub(super) fn hold(&mut self, checks: &[Check], buffer: &Buffer<'_>) -> bool {
        self.scratch.steps = self.steps;
        inspect_with(checks, buffer, &mut self.scratch, &mut self.recorder)
    }

    /// Whether the scripts at a place of the rule agree.
    pub(super) fn agree(
        &mut self,
        place: ScriptPlace,
        scene: &mut Scene<'_, '_>,
        buffer: &Buffer<'_>,
        counters: &mut DetectCounters,
    ) -> bool {
        scene.signature.checks.scripts.is_empty()
            || self.scripts.hold(place, scene, buffer, &self.scratch.variables, counters)
    }
}
