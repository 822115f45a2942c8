//! Connections that rules and records are told nothing of — they were under way before, or one side of them
//! is missing, and the settings leave such alone — and that Zeek's logs tell of all the same. They are read by
//! settings of their own, in memory of their own, and nothing but these logs learns of it.

use weir_applayer::expectations::Expected;
use weir_applayer::session::AppSession;
use weir_applayer::{Parser, Request};
use weir_base::Direction;
use weir_flow::{Flow, FlowCore};
use weir_output::{Outlets, ZeekFlow, ZeekWorker};
use weir_packet::Tcp;
use weir_stream::{TcpSession, TcpState};

use super::app::{AppFeed, endpoints};
use super::carried::tell;
use super::{Rest, Turn};
use crate::session::Session;

/// A connection that only Zeek's logs tell of.
pub struct Overheard {
    tcp: TcpSession,
    app: Option<Box<AppSession>>,
    /// Its client is the flow's server.
    turned: bool,
    /// Another one that only Zeek's logs tell of announced it.
    expected: bool,
}

impl Overheard {
    /// A direction of the flow as one of the connection, and the other way round.
    const fn direction(&self, direction: Direction) -> Direction {
        if self.turned { direction.opposite() } else { direction }
    }

    /// Tells of what is still under way: what follows is another connection.
    pub(super) fn end(&mut self, zeek: Option<&mut ZeekFlow>, worker: &mut ZeekWorker, out: &mut Outlets) {
        if let (Some(zeek), Some(parser)) = (zeek, self.parser()) {
            tell(zeek, parser, Direction::ToServer, true, worker, out);
        }
        self.app = None;
    }

    fn parser(&mut self) -> Option<&mut (dyn Parser + 'static)> {
        self.app.as_deref_mut()?.parser_mut()
    }
}

impl Rest {
    /// Reads a segment that its flow's session made nothing of, if Zeek's logs tell of such.
    #[inline]
    pub(super) fn overhear(&mut self, flow: &mut Flow<Session>, turn: &Turn<'_>) {
        let state = flow.session.tcp.as_deref().map_or(TcpState::None, TcpSession::state);
        let is_left = matches!(state, TcpState::None | TcpState::SynSent);
        if self.settings.overhear.is_some()
            && !self.corrupt
            && (flow.session.is_overheard() || is_left && self.may_be_overheard(flow, turn))
        {
            self.overhear_segment(flow, turn, state);
        }
    }

    /// Whether there may be something to read of a flow with this segment. It is not for most of those that were
    /// under way before.
    #[inline]
    fn may_be_overheard(&self, flow: &Flow<Session>, turn: &Turn<'_>) -> bool {
        turn.packet.tcp().is_some_and(|tcp| tcp.has(Tcp::SYN))
            || self.is_read_midway(&flow.core)
            || flow.session.zeek.as_deref().is_some_and(|zeek| !zeek.is_partial())
    }

    #[cold]
    fn overhear_segment(&mut self, flow: &mut Flow<Session>, turn: &Turn<'_>, state: TcpState) {
        let known = flow.session.take_overheard();
        let Some(mut overheard) = known.or_else(|| self.begin_overhearing(flow, turn, state)) else { return };
        if !overheard.expected && !matches!(state, TcpState::None | TcpState::SynSent) {
            // The flow has a session of its own by now.
            self.flush_overheard(flow, &mut overheard);
            return;
        }
        let Some(settings) = self.settings.overhear.as_deref() else { return };
        let partial = flow.session.zeek.as_deref().is_some_and(ZeekFlow::is_partial);
        let touched = self.app.touched;
        let direction = overheard.direction(turn.direction);
        let time = turn.packet.time.max(self.stream.now);
        self.overheard.now = self.stream.now;
        let mut feed = AppFeed::new(&self.registry, &mut self.app, &mut overheard.app, &flow.core, time)
            .of_connection(!partial)
            .aside(partial, overheard.turned);
        let outcome = overheard.tcp.packet(turn.packet, direction, settings, &mut self.overheard, &mut feed);
        overheard.turned ^= outcome.flip;
        self.tell_overheard(flow, &mut overheard);
        let direction = overheard.direction(turn.direction);
        if partial && overheard.app.as_deref().is_some_and(|app| app.is_done_in(direction)) {
            overheard.tcp.disable_app(direction);
        }
        if let Some(settings) = self.settings.overhear.as_deref() {
            overheard.tcp.prune(direction, settings, &mut self.overheard);
        }
        self.app.touched = touched;
        flow.session.note_overheard(overheard);
    }

    /// What is to be read of a flow, with this segment of it, that its session in this `state` leaves alone.
    fn begin_overhearing(
        &mut self,
        flow: &Flow<Session>,
        turn: &Turn<'_>,
        state: TcpState,
    ) -> Option<Box<Overheard>> {
        let zeek = flow.session.zeek.as_deref()?;
        let partial = zeek.is_partial();
        let flags = turn.packet.tcp()?.flags & (Tcp::SYN | Tcp::ACK);
        let begins = flags == Tcp::SYN || state == TcpState::SynSent && flags & Tcp::SYN != 0;
        if self.verdicts.dropped().is_some() || !begins && partial && !self.is_read_midway(&flow.core) {
            return None;
        }
        let app = match begins {
            // The flow's own session begins; it does not know what was announced to Zeek's logs alone.
            true => {
                let ends = endpoints(&flow.core);
                let announced = self.app.expectations_aside.take(&ends, turn.packet.time)?;
                let mut app = Box::new(AppSession::new());
                app.announce(announced);
                Some(app)
            }
            false => None,
        };
        let tcp = TcpSession::new(self.settings.overhear.as_deref()?);
        // Ports tell who is the client, where the beginning does not.
        let turned = partial && zeek.endpoints().client_port != endpoints(&flow.core).client_port;
        Some(Box::new(Overheard { tcp, app, turned, expected: begins }))
    }

    /// Tells Zeek's logs what was read, and does what the parser asks for.
    fn tell_overheard(&mut self, flow: &mut Flow<Session>, overheard: &mut Overheard) {
        let mut report = std::mem::take(&mut self.app.report);
        if report.reversed {
            overheard.turned ^= true;
            overheard.tcp.swap();
        }
        if let (Some(zeek), Some(app)) = (flow.session.zeek.as_deref_mut(), overheard.app.as_deref_mut()) {
            // What it carries in turn is not looked at.
            drop(app.parser_mut().map(|parser| parser.take_carried()));
            self.recorder.tell_zeek_alone(zeek, app, &mut report);
        }
        for request in report.requests.drain(..) {
            match request {
                Request::StopParsing(direction) => overheard.tcp.disable_app(direction),
                Request::StopInspection => {
                    Direction::BOTH.into_iter().for_each(|direction| overheard.tcp.disable_app(direction));
                }
                // Rules are not to learn of it.
                request => self.expect_aside(flow, overheard.turned, request),
            }
        }
        if report.failed.is_some() {
            Direction::BOTH.into_iter().for_each(|direction| overheard.tcp.disable_app(direction));
        }
        self.app.report = report;
    }

    /// Remembers which flow a parser announces to Zeek's logs alone; `turned`: its client is the flow's server.
    pub(super) fn expect_aside(&mut self, flow: &Flow<Session>, turned: bool, request: Request) {
        let Request::Expect { protocol, opened_by, port, tag, patience } = request else { return };
        let mut ends = endpoints(&flow.core);
        if turned {
            ends.turn();
        }
        let expected = Expected { protocol, tag, patience };
        self.app.expectations_aside.announce(&ends, opened_by, port, expected, flow.core.last);
    }

    /// The flow is over: reads what is left.
    pub(super) fn end_overheard(&mut self, flow: &mut Flow<Session>) {
        if let Some(mut overheard) = flow.session.take_overheard() {
            self.flush_overheard(flow, &mut overheard);
        }
    }

    fn flush_overheard(&mut self, flow: &mut Flow<Session>, overheard: &mut Overheard) {
        let now = flow.core.last;
        let partial = flow.session.zeek.as_deref().is_some_and(ZeekFlow::is_partial);
        for direction in Direction::BOTH {
            let mut feed = AppFeed::new(&self.registry, &mut self.app, &mut overheard.app, &flow.core, now)
                .of_connection(!partial)
                .aside(partial, overheard.turned);
            overheard.tcp.flush(direction, now, &mut self.overheard, &mut feed);
            self.tell_overheard(flow, overheard);
        }
        if let Some(worker) = &mut self.recorder.zeek {
            overheard.end(flow.session.zeek.as_deref_mut(), worker, &mut self.recorder.outlets);
        }
        overheard.tcp.release(&mut self.overheard);
    }

    /// Whether a connection may speak a protocol of which Zeek's logs tell without its beginning.
    fn is_read_midway(&self, core: &FlowCore) -> bool {
        let ports = [core.key.source_port, core.key.destination_port];
        ports.iter().any(|port| self.read_midway.binary_search(port).is_ok())
    }
}
