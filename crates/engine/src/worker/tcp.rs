//! A packet in its flow: stream, parser, rules, records.

use weir_applayer::audience::Beginning;
use weir_base::Direction;
use weir_base::profile::{Stage, enter};
use weir_detect::Ruleset;
use weir_flow::{Flow, FlowCore, FlowFlags, FlowState};
use weir_packet::{Tcp, Transport};
use weir_stream::{Phase, StreamException, StreamOutcome, TcpSession, TcpState};

use super::feed::AppFeed;
use super::findings::Findings;
use super::verdict::DropReason;
use super::{FlowStep, PacketContext, Rest, after_drop};
use crate::session::Session;
use crate::settings::EngineSettings;

impl Rest {
    /// Processes a packet that has a flow.
    pub(crate) fn flow_packet(
        &mut self,
        flow: &mut Flow<Session>,
        context: &mut PacketContext<'_>,
        found: &mut Findings,
    ) -> FlowStep {
        self.enter(&mut flow.session);
        let step = self.through_flow(flow, context, found);
        if self.packet_log.is_some() && matches!(step, FlowStep::Done(_)) {
            self.consider_for_log(flow, context, &found.matches);
        }
        step
    }

    fn through_flow(
        &mut self,
        flow: &mut Flow<Session>,
        context: &mut PacketContext<'_>,
        found: &mut Findings,
    ) -> FlowStep {
        // A connection that is over stays established for rules.
        context.established |= flow.session.tcp.as_deref().is_some_and(|tcp| tcp.is_established());
        if flow.core.flags.contains(FlowFlags::ACTION_DROP) && self.settings.inline {
            if after_drop::begins_anew(flow, context) {
                return FlowStep::Reused;
            }
            let flags = flow.core.flags;
            found.verdict.drop(
                match (flags.contains(FlowFlags::FIREWALL_DROP), flags.contains(FlowFlags::EXCEPTION_DROP)) {
                    (true, _) => DropReason::FirewallFlowDrop,
                    (false, true) => DropReason::PolicyFlowDrop,
                    (false, false) => DropReason::FlowDrop,
                },
            );
            self.record_drop(flow, context, &found.verdict);
            return FlowStep::Done(None);
        }
        if flow.core.flags.contains(FlowFlags::AFTER_DROP) && after_drop::belongs_to_former(flow, context) {
            if !context.packet.payload.is_empty() {
                found.verdict.drop(DropReason::FlowDrop);
                self.record_drop(flow, context, &found.verdict);
            }
            return FlowStep::Done(None);
        }
        if flow.core.state() == FlowState::Bypassed {
            let bytes = context.packet.bytes.len() as u64;
            let (packets, counted) = match flow.core.flags.contains(FlowFlags::CAPTURE_BYPASS) {
                false => (&mut self.bypassed.packets, &mut self.bypassed.bytes),
                true => (&mut self.bypassed.capture_packets, &mut self.bypassed.capture_bytes),
            };
            *packets += 1;
            *counted += bytes;
            self.bypass_fate(context.packet);
            return FlowStep::Done(None);
        }
        if self.firewalled && context.packet.tcp().is_some() && self.before_stream(flow, context, found) {
            return FlowStep::Done(None);
        }
        self.recorder.packet_seen(flow, context);
        self.through_stages(flow, context, found)
    }

    /// Takes a packet through stream, protocol, rules and records.
    fn through_stages(
        &mut self,
        flow: &mut Flow<Session>,
        context: &mut PacketContext<'_>,
        found: &mut Findings,
    ) -> FlowStep {
        let mut state = None;
        let mut differs = false;
        match &context.packet.transport {
            Transport::Tcp(_) => {
                let Some(outcome) = self.stream_packet(flow, context, found) else {
                    return FlowStep::Reused;
                };
                state = self.after_stream(flow, &outcome, found);
                differs = outcome.differs;
            }
            Transport::Udp(_) => self.datagram(flow, context, found),
            _ => {}
        }
        if differs && self.settings.stream.inline {
            self.normalised(flow, context, found);
        } else {
            self.inspect_and_record(flow, context, found);
        }
        self.finish_frames(flow, context);
        if let Some(tcp) = flow.session.tcp.as_deref_mut() {
            tcp.prune(context.direction, &self.settings.stream, &mut self.stream);
            if tcp.state() == TcpState::None {
                self.spare_tcp = flow.session.tcp.take();
            }
        }
        let bypassed = super::inspect::bypass_state(flow);
        if bypassed.is_some() {
            self.bypass_fate(context.packet);
        }
        FlowStep::Done(bypassed.or(state))
    }

    /// Goes on with the packet as the receiver is to get it: with the bytes of the stream in place
    /// of those that differ from them.
    #[cold]
    fn normalised(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>, found: &mut Findings) {
        let mut payload = context.packet.payload.to_vec();
        if let (Some(session), Some(tcp)) = (flow.session.tcp.as_deref(), context.packet.tcp()) {
            session.normalise(context.direction, tcp, &mut payload);
        }
        let changed = payload != context.packet.payload;
        let mut room = Vec::new();
        match context.packet.with_payload(&payload, &mut room).filter(|_| changed) {
            Some(packet) => {
                found.verdict.replaced();
                self.go_on_as(&packet);
                let context = PacketContext { packet: &packet, root: context.root, ..*context };
                self.inspect_and_record(flow, &context, found);
            }
            None => self.inspect_and_record(flow, context, found),
        }
    }

    /// Rules on the packet, and its records.
    fn inspect_and_record(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        found: &mut Findings,
    ) {
        if found.verdict.inspected() {
            self.inspect_flow(flow, context, found);
        }
        self.record_flow_packet(flow, context, found);
    }

    /// Hands a TCP packet to its session; none where the packet begins another connection.
    fn stream_packet(
        &mut self,
        flow: &mut Flow<Session>,
        context: &mut PacketContext<'_>,
        found: &mut Findings,
    ) -> Option<StreamOutcome> {
        let _layer = enter(Stage::Stream);
        if context.corrupt {
            self.stream.counters.invalid_checksum += 1;
            flow.core.flags.insert(FlowFlags::left_out(context.direction));
            return Some(StreamOutcome::default());
        }
        let syn = context.packet.tcp().is_some_and(|tcp| tcp.has(Tcp::SYN));
        let session = &mut flow.session;
        let (settings, ruleset) = (&self.settings, self.inspector.ruleset());
        let frames = self.app.frames.any();
        let tcp = session.tcp.get_or_insert_with(|| {
            let mut tcp = self.spare_tcp.take().unwrap_or_default();
            *tcp = open_session(settings, ruleset, frames, &flow.core);
            tcp
        });
        let time = context.packet.time.max(self.stream.now);
        // A session that does not begin with a SYN is one that was under way.
        let midstream = tcp.is_midstream() || tcp.state() == TcpState::None && !syn;
        let (registry, reports) = (&self.registry, &mut found.reports);
        let mut feed = AppFeed::new(registry, &mut self.app, &mut session.app, reports, &flow.core, time);
        if midstream {
            feed.beginning = Beginning::Midstream;
        }
        let outcome =
            tcp.packet(context.packet, context.direction, &settings.stream, &mut self.stream, &mut feed);
        if outcome.reused {
            return None;
        }
        found.in_stream = outcome.payload_added;
        found.outcome = Some(outcome);
        found.stream_events.extend(outcome.events.iter().map(|event| event.name()));
        if outcome.flip {
            flow.core.swap();
            context.direction = context.direction.opposite();
            flow.session.swap_ends();
        }
        self.obey_parser(flow, context, found);
        self.read_for_zeek(flow, context, &found.verdict);
        // What comes when a parser has seen enough belongs to its transactions still, and with the end of
        // the session comes the end of what the packet's sender has to say.
        let direction = context.direction;
        flow.session.parsed[direction] |= outcome.payload_added && flow.session.has_parsed_enough(direction);
        found.closing = outcome.end_of_stream;
        Some(outcome)
    }

    /// Applies the stream's outcome to the flow and the packet; returns the flow's new state.
    fn after_stream(
        &mut self,
        flow: &mut Flow<Session>,
        outcome: &StreamOutcome,
        found: &mut Findings,
    ) -> Option<FlowState> {
        if let Some(reason) = outcome.drop
            && self.settings.inline
        {
            found.verdict.drop(reason.into());
        }
        if let Some(exception) = outcome.exception {
            if exception == StreamException::SessionMemcap {
                self.spare_tcp = flow.session.tcp.take();
            }
            self.exception(exception.into(), Some(flow), &mut found.verdict);
        }
        if outcome.bypass {
            return Some(FlowState::Bypassed);
        }
        if !outcome.state_changed {
            return None;
        }
        match flow.session.tcp.as_deref()?.phase() {
            Phase::New => None,
            Phase::Established => Some(FlowState::Established),
            Phase::Closed => Some(FlowState::Closed),
        }
    }

    /// A UDP packet's payload goes to the parser whole, be its checksum right or not: captures of
    /// sending hosts are full of checksums that the network card would have filled in.
    fn datagram(&mut self, flow: &mut Flow<Session>, context: &mut PacketContext<'_>, found: &mut Findings) {
        let time = context.packet.time.max(self.stream.now);
        let (session, reports) = (&mut flow.session.app, &mut found.reports);
        let mut feed = AppFeed::new(&self.registry, &mut self.app, session, reports, &flow.core, time);
        if self.settings.stream.midstream {
            feed.beginning = Beginning::Midstream;
        }
        feed.datagram(context.direction, context.packet.payload);
        self.obey_parser(flow, context, found);
    }
}

/// The session of a TCP flow, before its first packet. `frames`: bytes are to be kept for frames.
fn open_session(settings: &EngineSettings, ruleset: &Ruleset, frames: bool, core: &FlowCore) -> TcpSession {
    let mut tcp = TcpSession::new(&settings.stream);
    for direction in Direction::BOTH {
        let receiver = match direction {
            Direction::ToServer => core.key.destination,
            Direction::ToClient => core.key.source,
        };
        tcp.set_policy(direction, crate::settings::overlap_policy(&settings.host_os, receiver));
        if !ruleset.wants_stream(direction) {
            tcp.disable_raw(direction);
        }
        tcp.retain(direction, frames.then_some(0));
    }
    tcp
}
