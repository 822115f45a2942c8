//! Connections that rules and records do not read — they were under way before, or one side of them is missing, and
//! the settings leave such alone — and that Zeek's logs have all the same. They are read by settings of their own,
//! in memory of their own.

use weir_applayer::Request;
use weir_applayer::audience::{Beginning, ZeekOnly};
use weir_applayer::registry::Registry;
use weir_applayer::session::AppSession;
use weir_base::{Direction, Position, Timestamp};
use weir_flow::{Flow, FlowCore};
use weir_packet::Tcp;
use weir_stream::{TcpSession, TcpState};
use weir_zeek::ObservedFlow;

use crate::session::Session;
use crate::worker::feed::{AppFeed, AppReports, AppShared, endpoints};
use crate::worker::verdict::PacketVerdict;
use crate::worker::{PacketContext, Rest};

/// A connection that rules and records do not read.
pub struct UnreadConnection {
    tcp: TcpSession,
    pub(in crate::worker) app: Option<Box<AppSession>>,
    /// Its client is the flow's server.
    reversed: bool,
    /// Another one, for Zeek's logs alone, announced it.
    announced: bool,
}

impl UnreadConnection {
    /// A direction of the flow as one of the connection, and the other way round.
    const fn direction(&self, direction: Direction) -> Direction {
        if self.reversed { direction.opposite() } else { direction }
    }

    /// Stops reading these directions.
    fn stop(&mut self, directions: impl IntoIterator<Item = Direction>) {
        directions.into_iter().for_each(|direction| self.tcp.disable_app(direction));
    }
}

/// Ports of the protocols whose logs do not need the beginning of a connection, in ascending order.
pub(in crate::worker) fn read_midway(registry: &Registry) -> Vec<u16> {
    let protocols = registry.entries().iter().map(|entry| entry.protocol);
    let read = protocols
        .filter(|protocol| protocol.transports.contains(&weir_applayer::Transport::Tcp))
        .filter(|protocol| protocol.zeek.is_some_and(|logs| !logs.from_start));
    let mut ports: Vec<u16> = read.flat_map(|protocol| protocol.ports.iter().copied()).collect();
    ports.sort_unstable();
    ports
}

impl Rest {
    /// Reads a segment that its flow's session made nothing of, if Zeek's logs have such.
    #[inline]
    pub(in crate::worker) fn read_for_zeek(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        verdict: &PacketVerdict,
    ) {
        let state = flow.session.tcp.as_deref().map_or(TcpState::None, TcpSession::state);
        let is_left = matches!(state, TcpState::None | TcpState::SynSent);
        if self.settings.unread_stream.is_some()
            && !context.corrupt
            && (flow.session.is_unread() || is_left && self.may_be_unread(flow, context))
        {
            self.read_segment_for_zeek(flow, context, state, verdict);
        }
    }

    /// Whether there may be something to read of a flow with this segment. It is not for most of those that were
    /// under way before.
    #[inline]
    fn may_be_unread(&self, flow: &Flow<Session>, context: &PacketContext<'_>) -> bool {
        context.packet.tcp().is_some_and(|tcp| tcp.has(Tcp::SYN))
            || self.is_read_midway(&flow.core)
            || flow.session.zeek.as_deref().is_some_and(|zeek| !zeek.is_partial())
    }

    #[cold]
    fn read_segment_for_zeek(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        state: TcpState,
        verdict: &PacketVerdict,
    ) {
        let known = flow.session.take_unread();
        let Some(mut unread) = known.or_else(|| self.begin_unread(flow, context, state, verdict)) else {
            return;
        };
        if !unread.announced && !matches!(state, TcpState::None | TcpState::SynSent) {
            // The flow has a session of its own by now.
            self.flush_unread(flow, &mut unread, context.moment.position);
            return;
        }
        let Some(settings) = self.settings.unread_stream.as_deref() else { return };
        let mut reports = self.spare_reports.take().unwrap_or_default();
        let direction = unread.direction(context.direction);
        let time = context.packet.time.max(self.stream.now);
        let shared = &mut self.unread_stream;
        shared.now = self.stream.now;
        let UnreadConnection { tcp, app, reversed, .. } = &mut *unread;
        let mut feed = feed(&self.registry, &mut self.app, app, &mut reports, (flow, *reversed), time);
        let outcome = tcp.packet(context.packet, direction, settings, shared, &mut feed);
        *reversed ^= outcome.flip;
        self.tell_unread(flow, &mut unread, &mut reports, context.moment.position);
        self.spare_reports = Some(reports);
        let direction = unread.direction(context.direction);
        let is_done = unread.app.as_deref().is_some_and(|app| app.is_done_in(direction));
        if is_done && beginning(flow) == Beginning::Missed {
            unread.stop([direction]);
        }
        if let Some(settings) = self.settings.unread_stream.as_deref() {
            unread.tcp.prune(direction, settings, &mut self.unread_stream);
        }
        flow.session.note_unread(unread);
    }

    /// Begins to read a flow, with this segment of it, that its session in this `state` leaves alone, if it is to be
    /// read.
    fn begin_unread(
        &mut self,
        flow: &Flow<Session>,
        context: &PacketContext<'_>,
        state: TcpState,
        verdict: &PacketVerdict,
    ) -> Option<Box<UnreadConnection>> {
        let zeek = flow.session.zeek.as_deref()?;
        let partial = zeek.is_partial();
        let flags = context.packet.tcp()?.flags & (Tcp::SYN | Tcp::ACK);
        let begins = flags == Tcp::SYN || state == TcpState::SynSent && flags & Tcp::SYN != 0;
        if verdict.dropped().is_some() || !begins && partial && !self.is_read_midway(&flow.core) {
            return None;
        }
        let app = match begins {
            // The flow's own session begins; it does not know what was announced to Zeek's logs alone.
            true => {
                let ends = endpoints(&flow.core);
                let announced = self.app.zeek_only_expectations.take(&ends, context.packet.time)?;
                let mut app = Box::new(AppSession::new());
                app.announce(announced);
                Some(app)
            }
            false => None,
        };
        let tcp = TcpSession::new(self.settings.unread_stream.as_deref()?);
        // Ports tell who is the client, where the beginning does not.
        let reversed = partial && zeek.endpoints().client_port != endpoints(&flow.core).client_port;
        Some(Box::new(UnreadConnection { tcp, app, reversed, announced: begins }))
    }

    /// Tells Zeek's logs what was read, and does what the parser asks for.
    fn tell_unread(
        &mut self,
        flow: &mut Flow<Session>,
        unread: &mut UnreadConnection,
        reports: &mut AppReports,
        position: Position,
    ) {
        let report = &mut reports.main;
        if report.reversed {
            unread.reversed ^= true;
            unread.tcp.swap();
        }
        if let (Some(zeek), Some(app)) = (flow.session.zeek.as_deref_mut(), unread.app.as_deref_mut()) {
            self.recorder.tell_zeek_only(zeek, Some(app), report, position);
        }
        for request in report.requests.drain(..) {
            match request {
                Request::StopParsing(direction) => unread.stop([direction]),
                Request::StopInspection => unread.stop(Direction::BOTH),
                // Rules are not to learn of it.
                request => self.expect_zeek_only(flow, unread.reversed, request),
            }
        }
        if report.failed.is_some() {
            unread.stop(Direction::BOTH);
        }
    }

    /// The flow is over: reads what is left.
    pub(in crate::worker) fn end_unread(&mut self, flow: &mut Flow<Session>, position: Position) {
        if let Some(mut unread) = flow.session.take_unread() {
            self.flush_unread(flow, &mut unread, position);
        }
    }

    fn flush_unread(&mut self, flow: &mut Flow<Session>, unread: &mut UnreadConnection, position: Position) {
        let now = flow.core.last;
        for direction in Direction::BOTH {
            let mut reports = self.spare_reports.take().unwrap_or_default();
            let UnreadConnection { tcp, app, reversed, .. } = &mut *unread;
            let mut feed = feed(&self.registry, &mut self.app, app, &mut reports, (flow, *reversed), now);
            tcp.flush(direction, now, &mut self.unread_stream, &mut feed);
            self.tell_unread(flow, unread, &mut reports, position);
            self.spare_reports = Some(reports);
        }
        let (log, app) = (flow.session.zeek.as_deref_mut(), unread.app.as_deref_mut());
        self.recorder.end_zeek_only(log, app, position);
        unread.tcp.release(&mut self.unread_stream);
    }

    /// Whether a connection may speak a protocol of which Zeek's logs tell without its beginning.
    fn is_read_midway(&self, core: &FlowCore) -> bool {
        let ports = [core.key.source_port, core.key.destination_port];
        ports.iter().any(|port| self.read_midway.binary_search(port).is_ok())
    }
}

/// Returns whether the beginning was seen of a connection that rules and records do not read.
fn beginning(flow: &Flow<Session>) -> Beginning {
    match flow.session.zeek.as_deref().is_some_and(ObservedFlow::is_partial) {
        true => Beginning::Missed,
        false => Beginning::Midstream,
    }
}

/// Feeds the session of a connection that rules and records do not read: of this flow, whose server may be its client.
fn feed<'a>(
    registry: &'a Registry,
    shared: &'a mut AppShared,
    session: &'a mut Option<Box<AppSession>>,
    reports: &'a mut AppReports,
    (flow, reversed): (&Flow<Session>, bool),
    time: Timestamp,
) -> AppFeed<'a> {
    let feed = AppFeed::new(registry, shared, session, reports, &flow.core, time);
    let mut endpoints = feed.endpoints;
    if reversed {
        endpoints.turn();
    }
    AppFeed { endpoints, beginning: beginning(flow), zeek_only: Some(ZeekOnly::Unread), ..feed }
}
