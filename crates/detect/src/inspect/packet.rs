//! Rules on packets and on the stream.

use weir_applayer::{Frame, Transaction};

use super::checks::inspect_with;
use super::explain::outcome_of;
use super::script::Scene;
use super::{Inspection, Inspector};
use crate::explain::{Conclusion, Recorder};
use crate::model::alert::Alert;
use crate::model::buffer::Buffer;
use crate::model::post::PostView;
use crate::model::script::ScriptPlace;
use crate::model::signature::{Kind, Signature, SignatureIndex};
use crate::model::transform::applied;
use crate::ruleset::{PacketClass, Ruleset};
use crate::state::NameId;
use crate::state::names::NameKind;

impl<R: Recorder> Inspector<R> {
    /// Rules that addresses alone decide: once per flow and direction, or for each packet without a
    /// flow.
    pub(super) fn inspect_ip_only(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>) {
        let ends = inspection.facts.packet.source().zip(inspection.facts.packet.destination());
        let Some((source, destination)) = ends.filter(|_| !ruleset.ip_only().is_empty()) else { return };
        if let Some(state) = inspection.state.as_deref_mut()
            && std::mem::replace(&mut state.ip_only_done[inspection.facts.direction], true)
        {
            return;
        }
        self.candidates.clear();
        ruleset.ip_only().find(source, destination, &mut self.candidates);
        self.candidates.sort_unstable();
        let candidates = std::mem::take(&mut self.candidates);
        for &index in &candidates {
            let Some(signature) = ruleset.signature(index) else { continue };
            self.note_begin(signature, inspection, None);
            if signature.head.admits(&inspection.facts)
                && self.packet_checks_hold(signature, inspection, None)
            {
                self.matched(signature, inspection, None, false);
            }
            self.note_end(Conclusion::Missed);
        }
        self.candidates = candidates;
    }

    /// Rules on the packet and on what of the stream is ready.
    pub(super) fn inspect_packet(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>) {
        let class = PacketClass::of(inspection.facts.packet.ip_protocol());
        let Some(group) = ruleset.packets(class, inspection.facts.direction) else { return };
        self.found.clear();
        self.candidates.clear();
        let payload = inspection.facts.packet.payload;
        if let Some(scan) = &group.payload
            && !payload.is_empty()
            && !inspection.reach.no_payload
        {
            scan.find(payload, 0, &mut self.matches, &mut self.found);
        }
        if let Some(scan) = &group.stream {
            if let Some(window) = &inspection.stream {
                scan.find(window.bytes, window.offset, &mut self.matches, &mut self.found);
                self.find_across(scan, window);
            }
            // A payload that is no part of the stream is looked at by itself.
            if !inspection.reach.in_stream && !inspection.reach.no_payload && !payload.is_empty() {
                scan.find(payload, 0, &mut self.matches, &mut self.found);
            }
        }
        self.wake_waiting(inspection);
        self.candidates.extend(self.found.as_slice().iter().map(|&id| SignatureIndex(id)));
        let packet = inspection.facts.packet;
        group.always.find(packet.source_port(), packet.destination_port(), &mut self.candidates);
        if inspection.reach.recognised {
            group.on_protocol.find(packet.source_port(), packet.destination_port(), &mut self.candidates);
        }
        self.candidates.sort_unstable();
        let candidates = std::mem::take(&mut self.candidates);
        self.explain_left_out(ruleset, inspection, &candidates);
        for &index in &candidates {
            let Some(signature) = ruleset.signature(index) else { continue };
            if signature.kind == Kind::Transaction {
                self.transaction_candidates.push(index);
                continue;
            }
            self.inspect_packet_rule(signature, inspection);
        }
        self.candidates = candidates;
    }

    /// Rules on the stream alone, for what of it is ready.
    pub(super) fn inspect_stream(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>) {
        let class = PacketClass::of(inspection.facts.packet.ip_protocol());
        let Some(group) = ruleset.packets(class, inspection.facts.direction) else { return };
        let Some(window) = &inspection.stream else { return };
        self.found.clear();
        if let Some(scan) = &group.stream {
            scan.find(window.bytes, window.offset, &mut self.matches, &mut self.found);
            self.find_across(scan, window);
        }
        self.candidates.clear();
        let packet = inspection.facts.packet;
        group.always.find(packet.source_port(), packet.destination_port(), &mut self.candidates);
        self.wake_waiting(inspection);
        self.candidates.extend(self.found.as_slice().iter().map(|&id| SignatureIndex(id)));
        self.candidates.sort_unstable();
        let candidates = std::mem::take(&mut self.candidates);
        for &index in &candidates {
            let Some(signature) = ruleset.signature(index) else { continue };
            self.buffers.begin();
            self.note_begin(signature, inspection, None);
            if signature.kind != Kind::Transaction
                && signature.checks.look_at_payload()
                && signature.head.admits(&inspection.facts)
                && self.packet_checks_hold(signature, inspection, None)
            {
                if self.stream_holds(signature, inspection) && self.scripts_agree(signature, inspection, None)
                {
                    self.matched(signature, inspection, None, true);
                } else {
                    self.let_wait(signature, inspection);
                }
            }
            self.note_end(Conclusion::Missed);
        }
        self.candidates = candidates;
    }

    /// Whether the rule's checks on the packet and the flow hold. A rule that looks at what workers share
    /// waits for its turn first.
    pub(super) fn packet_checks_hold(
        &self,
        signature: &Signature,
        inspection: &Inspection<'_>,
        transaction: Option<u64>,
    ) -> bool {
        if signature.checks.shares {
            self.turn.wait();
        }
        if signature.checks.packet.is_empty() {
            return true;
        }
        let view = inspection.view(transaction, &self.packet_variables);
        signature.checks.packet.iter().all(|check| check.matches(&view))
    }

    /// Whether the rule's scripts agree that are asked once all else holds.
    #[inline]
    pub(super) fn scripts_agree(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        transaction: Option<&dyn Transaction>,
    ) -> bool {
        signature.checks.scripts.is_empty() || {
            let mut scene = Scene { signature, inspection, transaction };
            self.scripts.hold_last(&mut scene, &self.buffers.variables, &mut self.counters)
        }
    }

    /// Whether the rule's scripts agree that look at the payload or the stream.
    #[inline]
    fn payload_scripts_agree(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        buffer: &Buffer<'_>,
    ) -> bool {
        signature.checks.scripts.is_empty() || {
            let mut scene = Scene { signature, inspection, transaction: None };
            let variables = &self.buffers.variables;
            self.scripts.hold(ScriptPlace::Payload, &mut scene, buffer, variables, &mut self.counters)
        }
    }

    /// Whether a rule's payload checks hold in the window of the stream.
    fn stream_holds(&mut self, signature: &Signature, inspection: &mut Inspection<'_>) -> bool {
        let Some(window) = inspection.stream.filter(|_| signature.checks.wants_stream) else { return false };
        self.buffers.steps = self.settings.steps;
        // What stands last of what came so far ends it.
        let buffer = Buffer { bytes: window.bytes, offset: window.offset, ends: true, little_endian: false };
        let holds = inspect_with(&signature.checks.payload, &buffer, &mut self.buffers, &mut self.recorder);
        self.recorder.note(|recording| {
            let found = format!("bytes {} to {}", window.offset, window.offset + window.bytes.len() as u64);
            recording.buffer("the stream", outcome_of(holds, false), found);
        });
        (holds || self.holds_across(signature, &window))
            && self.payload_scripts_agree(signature, inspection, &buffer)
    }

    fn inspect_packet_rule(&mut self, signature: &Signature, inspection: &mut Inspection<'_>) {
        self.buffers.begin();
        self.note_begin(signature, inspection, None);
        self.inspect_begun(signature, inspection);
        self.note_end(Conclusion::Missed);
    }

    fn inspect_begun(&mut self, signature: &Signature, inspection: &mut Inspection<'_>) {
        if signature.checks.wire_only && inspection.facts.packet.is_pseudo() {
            return;
        }
        if !signature.head.admits(&inspection.facts) || !self.packet_checks_hold(signature, inspection, None)
        {
            return;
        }
        if !self.packet_buffers_hold(signature, inspection) {
            return;
        }
        let Some(stream_match) = self.payload_holds(signature, inspection) else {
            return self.let_wait(signature, inspection);
        };
        if !self.scripts_agree(signature, inspection, None) {
            return;
        }
        self.matched(signature, inspection, None, stream_match);
    }

    /// Whether a rule's packet buffers hold.
    pub(super) fn packet_buffers_hold(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
    ) -> bool {
        let packet = inspection.facts.packet;
        for (position, field, buffer) in signature.checks.packet_buffers() {
            let holds = (0..).map_while(|index| field.read.read(packet, index)).any(|bytes| {
                self.buffers.steps = self.settings.steps;
                let text = applied(&buffer.transforms, bytes, &mut self.transformed, &mut self.transforms);
                let whole = Buffer::whole(text);
                let mut scene = Scene { signature, inspection: &mut *inspection, transaction: None };
                let place = ScriptPlace::Buffer(position);
                let holds = inspect_with(&buffer.checks, &whole, &mut self.buffers, &mut self.recorder)
                    && self.scripts.hold(
                        place,
                        &mut scene,
                        &whole,
                        &self.buffers.variables,
                        &mut self.counters,
                    );
                self.recorder.note(|recording| {
                    recording.buffer(buffer.name, outcome_of(holds, false), format!("{} bytes", text.len()));
                });
                holds
            });
            if !holds {
                return false;
            }
        }
        true
    }

    /// Whether a rule's payload checks hold: in the stream (true) or in the packet (false).
    pub(super) fn payload_holds(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
    ) -> Option<bool> {
        if !signature.checks.look_at_payload() {
            return Some(false);
        }
        if self.stream_holds(signature, inspection) {
            return Some(true);
        }
        // What was added to the stream is looked at there, unless the rule wants packets.
        let is_tcp = inspection.facts.packet.tcp().is_some();
        if is_tcp
            && !signature.checks.wants_packet
            && (inspection.reach.in_stream || signature.head.protocols.stream_only)
        {
            self.recorder.note(|recording| {
                let found = "the payload is looked at with the stream, of which nothing is ready";
                recording.buffer(
                    "the stream",
                    outcome_of(false, inspection.stream.is_none()),
                    found.to_owned(),
                );
            });
            return None;
        }
        if inspection.reach.no_payload {
            return None;
        }
        self.buffers.steps = self.settings.steps;
        let buffer = Buffer::whole(inspection.facts.packet.payload);
        let holds = inspect_with(&signature.checks.payload, &buffer, &mut self.buffers, &mut self.recorder)
            && self.payload_scripts_agree(signature, inspection, &buffer);
        self.recorder.note(|recording| {
            let found = format!("{} bytes", buffer.bytes.len());
            recording.buffer("the packet's payload", outcome_of(holds, false), found);
        });
        holds.then_some(false)
    }

    /// What the rule's expressions captured for variables of the flow becomes their value.
    fn keep_captures(&mut self, inspection: &mut Inspection<'_>) {
        let names = &self.ruleset.names;
        for (variable, value) in self.buffers.captured.drain(..) {
            let name = NameId(variable);
            let room = match (names.kind(name), inspection.state.as_deref_mut()) {
                (Some(NameKind::FlowVariable), Some(state)) => state.set_variable(name, value),
                (Some(NameKind::PacketVariable), _) => {
                    crate::state::set(&mut self.packet_variables, name, value)
                }
                _ => true,
            };
            self.counters.state_full += u64::from(!room);
        }
    }

    /// A rule matched: its actions run at once, and its alert is queued.
    pub(super) fn matched(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        transaction: Option<u64>,
        stream_match: bool,
    ) {
        self.act(signature, inspection, transaction);
        let contexts = self.alerts.keep_contexts(&mut self.buffers.contexts);
        self.alerts.push(Alert {
            contexts,
            stream_match,
            state_match: transaction.is_some(),
            ..Alert::new(signature, transaction)
        });
    }

    /// A rule matched in a frame.
    pub(super) fn matched_in_frame(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        frame: &Frame,
    ) {
        self.act(signature, inspection, frame.transaction);
        let contexts = self.alerts.keep_contexts(&mut self.buffers.contexts);
        self.alerts.push(Alert {
            contexts,
            frame: Some(frame.id),
            state_match: true,
            ..Alert::new(signature, frame.transaction)
        });
    }

    /// Does what a rule that matched does besides raising its alert.
    pub(super) fn act(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        transaction: Option<u64>,
    ) {
        self.keep_captures(inspection);
        let mut post = PostView {
            facts: &inspection.facts,
            transaction,
            state: inspection.state.as_deref_mut(),
            requests: &mut self.requests,
            no_room: &mut self.counters.state_full,
        };
        for action in &signature.effects.post {
            action.apply(&mut post);
        }
        self.note_end(match signature.effects.no_alert {
            false => Conclusion::Fired,
            true => Conclusion::HeldBack("the rule raises no alert".to_owned()),
        });
    }
}
