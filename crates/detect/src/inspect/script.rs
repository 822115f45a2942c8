//! Scripts of rules during inspection.

use weir_applayer::Transaction;
use weir_base::profile::{Stage, enter_part};

use super::{DetectCounters, Inspection};
use crate::model::buffer::{Buffer, MAX_VARIABLES};
use crate::model::script::{
    PacketPart, ScriptArgument, ScriptFailure, ScriptPlace, ScriptRunner, ScriptSurroundings, ScriptUse,
    ScriptView,
};
use crate::model::signature::Signature;
use crate::ruleset::Ruleset;

/// Runner of the scripts of rules; nothing where no rule has one.
#[derive(Default)]
pub(super) struct Scripts(Option<Box<dyn ScriptRunner>>);

/// Scene that the scripts of one rule are asked about.
pub(super) struct Scene<'s, 'i> {
    pub(super) signature: &'s Signature,
    pub(super) inspection: &'s mut Inspection<'i>,
    pub(super) transaction: Option<&'s dyn Transaction>,
}

impl Scripts {
    /// Makes the runner of the scripts of a ruleset, if it has any.
    pub(super) fn of(ruleset: &Ruleset, turn: &weir_base::Turn) -> Self {
        let surroundings = ScriptSurroundings { names: &ruleset.names, datasets: &ruleset.datasets, turn };
        Self(ruleset.scripts.as_ref().map(|language| language.runner(&surroundings)))
    }

    /// The runner, for transforms.
    pub(super) fn into_runner(self) -> Option<Box<dyn ScriptRunner>> {
        self.0
    }

    /// Whether all scripts at `place` say that the buffer shown there matches.
    pub(super) fn hold(
        &mut self,
        place: ScriptPlace,
        scene: &mut Scene<'_, '_>,
        buffer: &Buffer<'_>,
        variables: &[u64; MAX_VARIABLES],
        counters: &mut DetectCounters,
    ) -> bool {
        let signature = scene.signature;
        signature.checks.scripts.iter().filter(|script| script.place == place).all(|script| {
            !buffer.bytes.is_empty() && {
                let argument =
                    ScriptArgument { name: &script.argument, bytes: buffer.bytes, offset: buffer.offset };
                self.ask(script, scene, &[argument], variables, counters)
            }
        })
    }

    /// Whether the scripts say so that are asked once all else holds.
    pub(super) fn hold_last(
        &mut self,
        scene: &mut Scene<'_, '_>,
        variables: &[u64; MAX_VARIABLES],
        counters: &mut DetectCounters,
    ) -> bool {
        let (signature, packet) = (scene.signature, scene.inspection.facts.packet);
        signature.checks.scripts.iter().filter(|script| script.place == ScriptPlace::Last).all(|script| {
            let argument = |part: &PacketPart| {
                let (name, bytes) = match part {
                    PacketPart::Payload => ("payload", packet.payload),
                    PacketPart::Packet => ("packet", packet.bytes),
                };
                ScriptArgument { name, bytes, offset: 0 }
            };
            let mut ask = |given: &[ScriptArgument<'_>]| {
                given.iter().all(|argument| !argument.bytes.is_empty())
                    && self.ask(script, scene, given, variables, counters)
            };
            match script.given.as_slice() {
                [] => ask(&[]),
                [one] => ask(&[argument(one)]),
                [one, other, ..] => ask(&[argument(one), argument(other)]),
            }
        })
    }

    fn ask(
        &mut self,
        script: &ScriptUse,
        scene: &mut Scene<'_, '_>,
        arguments: &[ScriptArgument<'_>],
        variables: &[u64; MAX_VARIABLES],
        counters: &mut DetectCounters,
    ) -> bool {
        let Some(runner) = &mut self.0 else { return false };
        let _layer = enter_part(Stage::Lua, "rules");
        let inspection = &mut *scene.inspection;
        let protocol = inspection.facts.protocol.protocol;
        let transaction = match scene.transaction {
            Some(transaction) => Some(transaction),
            None => inspection.parser.as_deref().and_then(|parser| parser.next_from(0)),
        };
        let view = ScriptView {
            rule: &scene.signature.info,
            arguments,
            packet: inspection.facts.packet,
            direction: inspection.facts.direction,
            flow: inspection.facts.flow,
            protocol: inspection.facts.protocol,
            state: inspection.state.as_deref_mut(),
            transaction: protocol.zip(transaction),
            byte_variables: variables,
        };
        match runner.matches(script.script, view) {
            Ok(matches) => matches != script.negated,
            Err(failure) => {
                counters.script_errors += 1;
                match failure {
                    ScriptFailure::Error => {}
                    ScriptFailure::Blocked => counters.script_blocked += 1,
                    ScriptFailure::Instructions => counters.script_instructions += 1,
                    ScriptFailure::Memory => counters.script_memory += 1,
                }
                false
            }
        }
    }
}
