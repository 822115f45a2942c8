//! The checks of buffers, with the scripts that stand beside them, and what they cost.

use weir_base::profile::{Aspect, is_measured};

use super::DetectCounters;
use super::checks::inspect_with;
use super::measure::KeywordClock;
use super::script::{Scene, Scripts};
use crate::explain::Recorder;
use crate::model::buffer::{Buffer, BufferScratch, Check};
use crate::model::script::ScriptPlace;
use crate::profile::DetectProfile;

/// Makes the checks of buffers and tells a recorder of them.
pub(super) struct Checker<R> {
    /// Steps that the checks of one buffer may take.
    pub(super) steps: u32,
    pub(super) scratch: BufferScratch,
    pub(super) scripts: Scripts,
    /// What rules cost, where that is measured.
    pub(super) profile: Option<Box<DetectProfile>>,
    pub(super) recorder: R,
}

impl<R: Recorder> Checker<R> {
    /// Whether checks hold in the buffer of this name.
    pub(super) fn hold(&mut self, name: &'static str, checks: &[Check], buffer: &Buffer<'_>) -> bool {
        self.scratch.steps = self.steps;
        if is_measured(Aspect::Keywords)
            && let Some(profile) = &mut self.profile
        {
            let mut clock = KeywordClock { buffer: name, costs: &mut profile.keywords };
            return inspect_with(checks, buffer, &mut self.scratch, &mut clock);
        }
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
