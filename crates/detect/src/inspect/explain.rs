//! Inspection that is only done where a recorder asks: rules are explained that the prefilter
//! left out.

use std::sync::Arc;

use weir_applayer::{Progress, Transaction};
use weir_base::Direction;

use super::fields::{FieldView, FieldViews};
use super::transaction::TransactionSide;
use super::values::each_value;
use super::{Inspection, Inspector};
use crate::explain::{Conclusion, Outcome, Recorder, Recording};
use crate::model::buffer::Check;
use crate::model::signature::{Kind, PrefilterPlace, Signature, SignatureIndex, Subjects, Target};
use crate::ruleset::Ruleset;

impl Inspector {
    /// From now on inspection is recorded in `recording`.
    pub fn explain(&mut self, recording: Recording) {
        let inspector =
            Inspector::with_recorder(Arc::clone(&self.ruleset), self.settings, self.turn.clone(), recording);
        self.explaining = Some(Box::new(inspector));
    }

    /// Takes the recording.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.explaining.take().map(|explaining| explaining.checker.recorder)
    }

    /// Has the inspector that records do the work, and takes over its counters.
    pub(super) fn explained<T>(&mut self, work: impl FnOnce(&mut Inspector<Recording>) -> T) -> Option<T> {
        let explaining = self.explaining.as_mut()?;
        let answer = work(explaining);
        self.counters = explaining.counters.clone();
        Some(answer)
    }
}

/// A rule comes up for a packet: what its header and its checks on the packet say.
pub(super) fn begin(
    recording: &mut Recording,
    signature: &Signature,
    inspection: &Inspection<'_>,
    transaction: Option<u64>,
) -> bool {
    recording.begin(signature, &inspection.facts, transaction);
    let miss = signature.head.miss(&inspection.facts);
    recording.header(signature, &inspection.facts, miss);
    if miss.is_some() {
        return false;
    }
    let view = inspection.view(transaction);
    let failed = signature.checks.packet.iter().position(|check| !check.matches(&view));
    recording.packet_checks(signature, &view, failed);
    failed.is_none()
}

/// The word for what came of a buffer.
pub(super) const fn outcome_of(holds: bool, waits: bool) -> Outcome {
    match (holds, waits) {
        (true, _) => Outcome::Passed,
        (false, true) => Outcome::Waiting,
        (false, false) => Outcome::Failed,
    }
}

/// Whether a look at a rule's checks leaves no trace: members are not added to datasets, and no script is
/// asked.
fn leaves_no_trace(signature: &Signature) -> bool {
    let lists = signature.checks.lists();
    !signature.checks.has_scripts()
        && !lists.flatten().any(|check| matches!(check, Check::Whole(check) if check.name() == "dataset"))
}

impl<R: Recorder> Inspector<R> {
    /// Tells of the rules followed that are no candidates for this packet. The engine does not look at
    /// them any further, but what else holds or does not is recorded too.
    pub(super) fn explain_left_out(
        &mut self,
        ruleset: &Ruleset,
        inspection: &mut Inspection<'_>,
        candidates: &[SignatureIndex],
    ) {
        let mut left = Vec::new();
        self.checker.recorder.note(|recording| left = recording.left_out(candidates));
        for index in left {
            let Some(signature) = ruleset.signature(index) else { continue };
            let by_itself = signature.kind.is_address_only() || signature.head.firewall.is_some();
            if by_itself || signature.kind == Kind::Frame {
                continue;
            }
            let mut admitted = false;
            self.checker.recorder.note(|recording| {
                admitted = begin(recording, signature, inspection, None);
            });
            let place = signature.prefilter.as_ref().map(|prefilter| &prefilter.place);
            match place {
                Some(PrefilterPlace::Payload) if admitted => self.payload_missed(signature, inspection),
                // Checks of transactions are recorded with each of them.
                _ if admitted && (signature.kind != Kind::Transaction || inspection.parser.is_some()) => {
                    self.checker.recorder.note(Recording::forget);
                }
                _ => {}
            }
            self.note_end(Conclusion::Missed);
        }
    }

    /// The literal of a rule is not in the payload.
    fn payload_missed(&mut self, signature: &Signature, inspection: &mut Inspection<'_>) {
        let packet = inspection.facts.packet;
        let by_packet = packet.tcp().is_none()
            || signature.checks.payload_in.contains(Subjects::PACKET)
            || !inspection.reach.in_stream;
        let payload =
            Some(packet.payload).filter(|p| by_packet && !inspection.reach.no_payload && !p.is_empty());
        let window = inspection.stream.map(|window| window.bytes);
        let place = if window.is_some() { "the stream" } else { "the payload" };
        self.checker.recorder.note(|recording| {
            recording.prefilter(signature, place, window.or(payload));
        });
        if leaves_no_trace(signature) && self.packet_buffers_hold(signature, inspection) {
            self.payload_holds(signature, inspection);
        }
    }

    /// Tells of the rules followed that are no candidates in a transaction.
    pub(super) fn explain_left_out_of_transaction(
        &mut self,
        ruleset: &Ruleset,
        side: &TransactionSide<'_>,
        inspection: &mut Inspection<'_>,
        candidates: &[SignatureIndex],
    ) {
        let TransactionSide { transaction, progress, mine } = side;
        let (transaction, progress, direction) = (*transaction, *progress, inspection.facts.direction);
        let mut left = Vec::new();
        self.checker.recorder.note(|recording| left = recording.left_out(candidates));
        for index in left {
            let Some(signature) = ruleset.signature(index) else { continue };
            let Some(PrefilterPlace::Buffer(position)) = signature.prefilter.as_ref().map(|p| &p.place)
            else {
                continue;
            };
            let begun = mine.waiting.get(index).is_some();
            if signature.kind != Kind::Transaction || signature.head.firewall.is_some() || begun {
                continue;
            }
            let mut admitted = false;
            let id = Some(transaction.meta().id);
            self.checker.recorder.note(|recording| {
                admitted = begin(recording, signature, inspection, id);
            });
            if admitted {
                self.field_missed(signature, *position, transaction, progress, direction);
                if leaves_no_trace(signature) {
                    let mine = FieldView { transaction, progress, bodies: &mine.bodies, direction };
                    self.inspect_buffers(signature, FieldViews { mine, theirs: None }, inspection, &mut 0);
                }
            }
            self.note_end(Conclusion::Missed);
        }
    }

    /// The literal of a rule is not in the field at `position`.
    fn field_missed(
        &mut self,
        signature: &Signature,
        position: usize,
        transaction: &dyn Transaction,
        progress: Progress,
        direction: Direction,
    ) {
        let Some(buffer) = signature.checks.buffers.get(position) else { return };
        let Target::Transaction(rows) = &buffer.target else { return };
        let row = rows.iter().find(|row| row.field.direction.covers(direction));
        let mut value = None;
        if let Some(row) = row.filter(|row| progress >= row.field.ready_at) {
            each_value(row, transaction, direction, &[], &buffer.transforms, &mut self.text, |found| {
                value = Some(found.bytes.to_vec());
                true
            });
        }
        self.checker.recorder.note(|recording| {
            let name = recording.buffer_name(signature, position);
            recording.prefilter(signature, &name, value.as_deref());
        });
    }

    /// A rule that is a candidate comes up.
    pub(super) fn note_begin(
        &mut self,
        signature: &Signature,
        inspection: &Inspection<'_>,
        transaction: Option<u64>,
    ) {
        self.checker.recorder.note(|recording| {
            begin(recording, signature, inspection, transaction);
        });
    }

    /// The attempt is over without a match, or waits.
    pub(super) fn note_end(&mut self, conclusion: Conclusion) {
        self.checker.recorder.note(|recording| recording.end(conclusion));
    }
}
