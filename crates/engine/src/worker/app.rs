//! The application layer of a worker: stream bytes and datagrams go to a flow's protocol session,
//! and what its parser asks for is done.

use std::sync::Arc;

use weir_applayer::counters::AppLayerCounters;
use weir_applayer::expectations::{Expectations, Expected};
use weir_applayer::file::FileSettings;
use weir_applayer::protocol::NO_EVE_NAME;
use weir_applayer::registry::Registry;
use weir_applayer::session::{
    AppSession, ParserFailure, SessionContext, SessionMemory, SessionReport, SessionScratch, StreamEvent,
};
use weir_applayer::{Endpoints, FrameWants, Memory, Request, Transport};
use weir_base::{CounterVisitor, Counters, Direction, Timestamp};
use weir_detect::FlowProtocol;
use weir_flow::{Flow, FlowCore, FlowFlags};
use weir_output::AppProtocols;
use weir_packet::Origin;
use weir_stream::{ArrivalTimes, StreamSink};

use super::data::Said;
use super::exception::Target;
use super::inspect::Seen;
use super::{Rest, Turn};
use crate::session::Session;
use crate::settings::EngineSettings;

/// What all sessions of a worker share.
pub(crate) struct AppShared {
    /// What was counted.
    pub(crate) counters: AppLayerCounters,
    /// The same of what only Zeek's logs tell of, which nobody asks for.
    counters_aside: AppLayerCounters,
    /// What to do with files.
    pub(crate) files: FileSettings,
    /// Frames that rules or outputs ask for.
    pub(crate) frames: FrameWants,
    /// Zeek's logs are told of all, and of more than rules and records are.
    zeek: bool,
    /// The worker's part in the order of workers.
    order: weir_base::Turn,
    scratch: SessionScratch,
    /// Memory of sessions.
    memory: SessionMemory,
    /// Memory of what parsers of HTTP read twice.
    bodies: Arc<Memory>,
    pub(super) report: SessionReport,
    /// The same of a session that only Zeek's logs tell of, as their reading parted.
    pub(super) report_parted: SessionReport,
    /// The latest packet had something for its flow's session.
    pub(super) touched: bool,
    expectations: Expectations,
    /// What connections announced that only Zeek's logs tell of.
    pub(super) expectations_aside: Expectations,
    /// What streams handed out, where an output wants it.
    pub(super) said: Option<Vec<Said>>,
}

impl AppShared {
    /// Nothing was seen yet.
    pub(crate) fn new(
        registry: &Registry,
        files: FileSettings,
        frames: FrameWants,
        settings: &EngineSettings,
        order: weir_base::Turn,
    ) -> Self {
        let memory = SessionMemory::new(settings.app_memcap);
        let bodies = Arc::new(Memory::new(settings.http_memcap));
        Self {
            counters: AppLayerCounters::new(registry),
            counters_aside: AppLayerCounters::new(registry),
            files,
            frames,
            zeek: settings.zeek,
            order,
            scratch: SessionScratch::with_memory(memory.clone(), Arc::clone(&bodies)),
            memory,
            bodies,
            report: SessionReport::default(),
            report_parted: SessionReport::default(),
            touched: false,
            expectations: Expectations::default(),
            expectations_aside: Expectations::default(),
            said: None,
        }
    }
}

impl AppShared {
    /// Whether sessions have so little memory left that flows are to end for others; `was` says whether they had
    /// before.
    pub(super) fn is_short(&self, was: bool) -> bool {
        self.memory.own.is_short(was)
    }

    /// Forgets announced flows that did not come.
    pub(super) fn expire(&mut self, clock: Timestamp) {
        self.expectations.expire(clock);
        self.expectations_aside.expire(clock);
    }
}

impl Counters for AppShared {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        self.counters.visit(visitor);
        visitor.counter("app_layer.expectations", self.expectations.len() as u64);
        visitor.counter("app_layer.expectations_pushed_out", self.expectations.pushed_out());
        visitor.counter("app_layer.memcap", self.memory.own.refused());
        visitor.counter("app_layer.memuse", self.memory.own.used());
        visitor.counter("http.memcap", self.bodies.refused());
        visitor.counter("http.memuse", self.bodies.used());
    }
}

/// Feeds a flow's protocol session.
pub(crate) struct AppFeed<'a> {
    registry: &'a Registry,
    shared: &'a mut AppShared,
    session: &'a mut Option<Box<AppSession>>,
    endpoints: Endpoints,
    time: Timestamp,
    midstream: bool,
    partial: bool,
    /// Zeek's logs alone tell of it.
    aside: bool,
    /// It is inside of the flow's protocol.
    inside: bool,
}

impl<'a> AppFeed<'a> {
    /// Feeds `session`, which is made with the first bytes.
    pub(crate) fn new(
        registry: &'a Registry,
        shared: &'a mut AppShared,
        session: &'a mut Option<Box<AppSession>>,
        core: &FlowCore,
        time: Timestamp,
    ) -> Self {
        shared.report.clear();
        shared.report_parted.clear();
        shared.touched = false;
        let endpoints = endpoints(core);
        let (midstream, partial, aside, inside) = (false, false, false, false);
        Self { registry, shared, session, endpoints, time, midstream, partial, aside, inside }
    }

    /// Feeds what goes over a TCP connection. `midstream`: its handshake was not seen.
    pub(crate) const fn of_connection(self, midstream: bool) -> Self {
        Self { midstream, ..self }
    }

    /// The same for what Zeek's logs alone tell of. `partial`: what needs the beginning of the connection is
    /// not read; `turned`: its client is the flow's server.
    pub(super) const fn aside(mut self, partial: bool, turned: bool) -> Self {
        if turned {
            self.endpoints.turn();
        }
        Self { partial, aside: true, ..self }
    }

    /// The same for what the flow's protocol carries.
    pub(super) const fn inside(self) -> Self {
        Self { midstream: false, partial: false, aside: true, inside: true, ..self }
    }

    /// Gives an event to the session, and to the one that Zeek's logs tell of where it parted.
    fn take(&mut self, event: StreamEvent<'_>) {
        let AppShared {
            counters,
            counters_aside,
            files,
            frames,
            zeek,
            order,
            scratch,
            report,
            report_parted,
            touched,
            expectations,
            expectations_aside: _,
            said: _,
            memory: _,
            bodies: _,
        } = &mut *self.shared;
        *touched = true;
        let session = self.session.get_or_insert_with(|| {
            let mut session = Box::new(match event {
                StreamEvent::Lack { .. } => AppSession::unheard(),
                _ => AppSession::new(),
            });
            let expected = match (self.aside, self.inside) {
                (false, _) => expectations.take(&self.endpoints, self.time),
                // Rules wait on.
                (true, false) => expectations.find(&self.endpoints, self.time).cloned(),
                // It is no flow of its own.
                (true, true) => None,
            };
            if let Some(expected) = expected {
                session.announce(expected);
            }
            session
        });
        let parts = *zeek && !self.aside && !session.is_parted();
        let was_reversed = report.reversed;
        let mut cx = SessionContext {
            registry: self.registry,
            endpoints: self.endpoints,
            time: self.time,
            files,
            order,
            frames: (!self.aside && frames.any()).then_some(&*frames),
            midstream: self.midstream,
            starttls: parts || self.aside && !self.inside,
            as_zeek: self.aside,
            parts,
            carries: parts,
            partial: self.partial,
            counters: if self.aside { &mut *counters_aside } else { counters },
            scratch: &mut *scratch,
            report: &mut *report,
        };
        session.take(&mut cx, event);
        if report.reversed != was_reversed {
            self.endpoints.turn();
        }
        if !session.is_parted() {
            return;
        }
        let event = if report.reversed == was_reversed { event } else { event.turned() };
        let mut cx = SessionContext {
            registry: self.registry,
            endpoints: self.endpoints,
            time: self.time,
            files,
            order,
            frames: None,
            midstream: self.midstream,
            starttls: true,
            as_zeek: true,
            parts: false,
            carries: true,
            partial: false,
            counters: counters_aside,
            scratch,
            report: report_parted,
        };
        session.follow_parted(&mut cx, event);
    }

    /// The payload of a datagram.
    pub(crate) fn datagram(&mut self, direction: Direction, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.take(StreamEvent::Datagram { direction, bytes });
        }
    }

    /// Bytes of a stream inside of the flow's protocol, which came at once.
    pub(super) fn carried(&mut self, direction: Direction, offset: u64, bytes: &[u8]) {
        let arrivals = [(offset, self.time)];
        self.take(StreamEvent::Data { direction, offset, bytes, arrivals: &arrivals });
    }

    /// The flow is over: nothing more will come in `direction`.
    pub(crate) fn finish(&mut self, direction: Direction) {
        if self.session.is_some() {
            self.take(StreamEvent::Close(direction));
        }
    }
}

impl StreamSink for AppFeed<'_> {
    fn data(&mut self, direction: Direction, offset: u64, bytes: &[u8], arrivals: ArrivalTimes<'_>) {
        let direction = self.turned(direction);
        if let Some(said) = self.shared.said.as_mut().filter(|_| !self.aside) {
            said.push(Said { direction, offset, bytes: bytes.to_vec() });
        }
        self.take(StreamEvent::Data { direction, offset, bytes, arrivals });
    }

    fn gap(&mut self, direction: Direction, offset: u64, length: u64) {
        let direction = self.turned(direction);
        self.take(StreamEvent::Gap { direction, offset, length });
    }

    fn close(&mut self, direction: Direction) {
        if self.session.is_some() {
            let direction = self.turned(direction);
            self.take(StreamEvent::Close(direction));
        }
    }

    fn beyond(&mut self, direction: Direction, offset: u64, bytes: &[u8], arrivals: ArrivalTimes<'_>) {
        let direction = self.turned(direction);
        self.take_beyond(StreamEvent::Beyond { direction, offset, bytes, arrivals });
    }

    fn gap_beyond(&mut self, direction: Direction, offset: u64, length: u64) {
        let direction = self.turned(direction);
        self.take_beyond(StreamEvent::GapBeyond { direction, offset, length });
    }

    fn lacks(&mut self, direction: Direction, offset: u64, length: u64) {
        let direction = self.turned(direction);
        self.early(StreamEvent::Lack { direction, offset, length });
    }

    fn ends(&mut self, direction: Direction) {
        let direction = self.turned(direction);
        self.early(StreamEvent::End(direction));
    }
}

impl AppFeed<'_> {
    /// What Zeek makes something of before rules and records do.
    fn early(&mut self, event: StreamEvent<'_>) {
        let is_end = matches!(event, StreamEvent::End(_));
        if !self.aside && (self.session.is_some() || !is_end) {
            self.take(event);
        }
    }

    /// What Zeek makes something of and rules and records do not.
    fn take_beyond(&mut self, event: StreamEvent<'_>) {
        if self.session.is_some() {
            self.take(event);
        }
    }

    /// The direction by the session's roles, which may have changed during this packet.
    fn turned(&self, direction: Direction) -> Direction {
        if self.shared.report.reversed { direction.opposite() } else { direction }
    }
}

/// The two ends of a flow.
pub(crate) fn endpoints(core: &FlowCore) -> Endpoints {
    Endpoints {
        client: core.key.source,
        client_port: core.key.source_port,
        server: core.key.destination,
        server_port: core.key.destination_port,
        transport: if core.key.protocol == 17 { Transport::Udp } else { Transport::Tcp },
    }
}

/// What rules know of a flow's protocol.
pub(crate) fn flow_protocol(app: &AppSession) -> FlowProtocol {
    FlowProtocol {
        protocol: app.protocol(),
        to_server: app.protocol_of(Direction::ToServer),
        to_client: app.protocol_of(Direction::ToClient),
        original: app.original(),
        failed: (app.failed_in(Direction::ToServer), app.failed_in(Direction::ToClient)),
    }
}

/// What records say of a flow's protocol.
pub(crate) fn names(app: &AppSession) -> AppProtocols {
    let of = |direction| match app.protocol_of(direction) {
        Some(protocol) => Some(protocol.eve_name),
        None if app.failed_in(direction) => Some(NO_EVE_NAME),
        None => None,
    };
    let failed = app.failed().then_some(NO_EVE_NAME);
    AppProtocols {
        protocol: app.protocol().map(|p| p.eve_name).or(failed),
        to_server: of(Direction::ToServer),
        to_client: of(Direction::ToClient),
        original: app.original().map(|p| p.eve_name),
        expected: app.expected().map(|p| p.eve_name),
    }
}

impl Rest {
    /// Does what the session reported of the last packet: turns the flow around, ends replaced
    /// parsers, passes events on, and grants the parser's requests.
    pub(crate) fn obey_parser(&mut self, flow: &mut Flow<Session>, turn: &mut Turn<'_>, seen: &mut Seen) {
        self.record_data(flow, turn);
        self.tell_parted(flow);
        if !self.app.report.is_quiet() {
            self.obey(flow, turn, seen);
        }
        for direction in Direction::BOTH {
            flow.session.parsed[direction] |= self.app.report.parsed[direction];
            let is_own = direction == turn.direction;
            let settled = if is_own { &mut seen.recognised } else { &mut flow.session.recognised[direction] };
            *settled |= self.app.report.recognised[direction];
        }
        if self.app.touched {
            self.note_changed(flow);
            self.record_bodies(flow, turn);
            self.describe_files(flow);
        }
        if self.settings.zeek && self.app.touched {
            self.follow_carried(flow);
            flow.session.leave_beyond();
        }
    }

    fn obey(&mut self, flow: &mut Flow<Session>, turn: &mut Turn<'_>, seen: &mut Seen) {
        let mut report = std::mem::take(&mut self.app.report);
        if report.reversed {
            flow.core.swap();
            turn.direction = turn.direction.opposite();
            flow.session.swap_ends();
            if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                tcp.swap();
            }
        }
        if report.renamed {
            flow.session.detect.look_again();
        }
        for parser in report.retired.drain(..) {
            flow.session.retiring = Some(Box::new(parser));
            self.note_changed(flow);
            self.record_bodies(flow, turn);
            self.end_retired(flow, turn);
            flow.session.retiring = None;
        }
        seen.app_events.extend(report.events.iter().map(|event| event.name()));
        seen.app_anomalies.extend(report.anomalies.iter().map(|anomaly| anomaly.name()));
        for request in report.requests.drain(..) {
            self.grant(flow, turn, request);
        }
        if let Some(failure) = report.failed {
            self.parser_failed(flow, failure);
        }
        self.app.report = report;
    }

    /// Inspects and logs what a replaced parser left.
    fn end_retired(&mut self, flow: &mut Flow<Session>, turn: &Turn<'_>) {
        for direction in [turn.direction, turn.direction.opposite()] {
            let packet = crate::pseudo::packet(
                &flow.core,
                direction,
                turn.packet.time,
                self.number,
                self.link,
                Origin::StreamFlush,
            );
            let turn = Turn::pseudo(&packet, direction);
            let mut seen = Seen::default();
            self.inspect_flow(flow, &turn, &mut seen, true);
            self.record_flow_packet(flow, &turn, &seen);
        }
        self.record_transactions(flow, turn, true);
        self.recorder.change_zeek(flow);
        flow.session.forget_transactions();
    }

    fn grant(&mut self, flow: &mut Flow<Session>, turn: &Turn<'_>, request: Request) {
        match request {
            // The session sees to it.
            Request::Upgrade(_) => {}
            Request::StopParsing(direction) => {
                self.stop_feeding(flow, &[direction]);
            }
            Request::StopStreamInspection => {
                flow.core.flags.set(FlowFlags::NO_PAYLOAD_INSPECTION);
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    Direction::BOTH.into_iter().for_each(|direction| tcp.disable_raw(direction));
                }
            }
            Request::StopInspection => {
                flow.core.flags.set(FlowFlags::NO_PAYLOAD_INSPECTION);
                self.stop_feeding(flow, &Direction::BOTH);
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    Direction::BOTH.into_iter().for_each(|direction| tcp.disable_raw(direction));
                }
            }
            Request::Encrypted => flow.core.flags.set(FlowFlags::LOCAL_BYPASS),
            Request::StreamDepth(depth) => {
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    Direction::BOTH.into_iter().for_each(|direction| tcp.set_depth(direction, depth));
                }
            }
            Request::InspectStream(direction) => {
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    tcp.trigger_raw(direction);
                }
            }
            Request::Expect { protocol, opened_by, port, tag, patience } => {
                let ends = endpoints(&flow.core);
                let expected = Expected { protocol, tag, patience };
                self.app.expectations.announce(&ends, opened_by, port, expected, turn.packet.time);
            }
        }
    }

    /// The parser wants no more of these directions; an output of streams, or Zeek's reading, still does.
    pub(super) fn stop_feeding(&self, flow: &mut Flow<Session>, directions: &[Direction]) {
        let parted = flow.session.is_parted();
        let Some(tcp) = flow.session.tcp.as_deref_mut().filter(|_| self.app.said.is_none()) else { return };
        for &direction in directions {
            match parted {
                true => tcp.leave_app_aside(direction),
                false => tcp.disable_app(direction),
            }
        }
    }

    fn parser_failed(&mut self, flow: &mut Flow<Session>, failure: ParserFailure) {
        if failure != ParserFailure::Datagram {
            self.stop_feeding(flow, &Direction::BOTH);
        }
        if failure == ParserFailure::Parser {
            self.recorder.zeek_violation(flow);
        }
        if failure != ParserFailure::Gap {
            self.exception(Target::AppLayerError, Some(flow));
        }
    }
}
