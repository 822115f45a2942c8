//! Rules on packets and on the stream.

use super::explain::outcome_of;
use super::measure::{PACKET, PAYLOAD, STREAM};
use super::script::Scene;
use super::subject::Subject;
use super::{Inspection, Inspector};
use crate::explain::Recorder;
use crate::model::buffer::Buffer;
use crate::model::script::ScriptPlace;
use crate::model::signature::{Signature, SignatureIndex, Subjects};
use crate::ruleset::{PacketClass, Ruleset};

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
        self.scan.candidates.clear();
        ruleset.ip_only().find(source, destination, &mut self.scan.candidates);
        self.look_at_candidates(ruleset, Subject::Addresses, inspection);
    }

    /// Rules on the packet and on what of the stream is ready.
    pub(super) fn inspect_packet(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>) {
        let class = PacketClass::of(inspection.facts.packet.ip_protocol());
        let Some(group) = ruleset.packets(class, inspection.facts.direction) else { return };
        self.scan.found.clear();
        self.scan.candidates.clear();
        let payload = inspection.facts.packet.payload;
        let facts = &inspection.facts;
        if !payload.is_empty() && !inspection.reach.no_payload {
            let scans = if inspection.reach.in_stream { &group.payload } else { &group.alone };
            self.find(PACKET, scans, facts, (payload, 0));
        }
        if let Some(window) = &inspection.stream {
            self.find_in_window(&group.stream, facts, window);
        }
        self.wake_waiting(inspection);
        self.scan.candidates.extend(self.scan.found.as_slice().iter().map(|&id| SignatureIndex(id)));
        let packet = inspection.facts.packet;
        group.always.find(packet, &mut self.scan.candidates);
        if inspection.reach.recognised {
            group.on_protocol.find(packet, &mut self.scan.candidates);
        }
        self.note_group(class.name(), inspection);
        self.look_at_candidates(ruleset, Subject::Packet, inspection);
    }

    /// Rules on the stream alone, for what of it is ready.
    pub(super) fn inspect_stream(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>) {
        let class = PacketClass::of(inspection.facts.packet.ip_protocol());
        let Some(group) = ruleset.packets(class, inspection.facts.direction) else { return };
        let Some(window) = &inspection.stream else { return };
        self.scan.found.clear();
        self.find_in_window(&group.stream, &inspection.facts, window);
        self.scan.candidates.clear();
        let packet = inspection.facts.packet;
        group.always.find(packet, &mut self.scan.candidates);
        self.wake_waiting(inspection);
        self.scan.candidates.extend(self.scan.found.as_slice().iter().map(|&id| SignatureIndex(id)));
        self.note_group(STREAM, inspection);
        self.look_at_candidates(ruleset, Subject::Stream, inspection);
    }

    /// Whether the rule's scripts agree that look at the payload or the stream.
    #[inline]
    fn payload_scripts_agree(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        buffer: &Buffer<'_>,
    ) -> bool {
        let mut scene = Scene { signature, inspection, transaction: None };
        self.checker.agree(ScriptPlace::Payload, &mut scene, buffer, &mut self.counters)
    }

    /// Whether a rule's payload checks hold in the window of the stream.
    pub(super) fn stream_holds(&mut self, signature: &Signature, inspection: &mut Inspection<'_>) -> bool {
        let Some(window) =
            inspection.stream.filter(|_| signature.checks.payload_in.contains(Subjects::STREAM))
        else {
            return false;
        };
        // What stands last of what came so far ends it.
        let buffer = Buffer { bytes: window.bytes, offset: window.offset, ends: true, little_endian: false };
        let holds = self.checker.hold(PAYLOAD, &signature.checks.payload, &buffer);
        self.checker.recorder.note(|recording| {
            let found = format!("bytes {} to {}", window.offset, window.offset + window.bytes.len() as u64);
            recording.buffer("the stream", outcome_of(holds, false), found);
        });
        // Places of the stream are none of the packet.
        self.checker.scratch.replaced.clear();
        (holds || self.holds_across(signature, &window))
            && self.payload_scripts_agree(signature, inspection, &buffer)
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
                let text = Buffer::whole(self.text.of(&buffer.transforms, bytes));
                let mut scene = Scene { signature, inspection: &mut *inspection, transaction: None };
                let place = ScriptPlace::Buffer(position);
                let holds = self.checker.hold(buffer.name, &buffer.checks, &text)
                    && self.checker.agree(place, &mut scene, &text, &mut self.counters);
                self.checker.recorder.note(|recording| {
                    recording.buffer(
                        buffer.name,
                        outcome_of(holds, false),
                        format!("{} bytes", text.bytes.len()),
                    );
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
            && !signature.checks.payload_in.contains(Subjects::PACKET)
            && (inspection.reach.in_stream || signature.head.protocols.stream_only)
        {
            self.checker.recorder.note(|recording| {
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
        let buffer = Buffer::whole(inspection.facts.packet.payload);
        let holds = self.checker.hold(PAYLOAD, &signature.checks.payload, &buffer)
            && self.payload_scripts_agree(signature, inspection, &buffer);
        self.checker.recorder.note(|recording| {
            let found = format!("{} bytes", buffer.bytes.len());
            recording.buffer("the packet's payload", outcome_of(holds, false), found);
        });
        holds.then_some(false)
    }
}
