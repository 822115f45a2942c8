//! Feeding of protocol sessions: pieces of a connection go to its session, and to the fork that Zeek's logs are told
//! of.

use std::sync::Arc;

use weir_applayer::audience::{Audience, Beginning, ZeekOnly};
use weir_applayer::counters::AppLayerCounters;
use weir_applayer::expectations::Expectations;
use weir_applayer::file::FileSettings;
use weir_applayer::registry::Registry;
use weir_applayer::session::{AppSession, SessionContext, SessionMemory, SessionReport, SessionScratch};
use weir_applayer::{Endpoints, FrameWants, Memory, Transport};
use weir_base::profile::{Stage, enter};
use weir_base::{CounterVisitor, Counters, Delivery, Direction, Piece, Recipients, Timestamp};
use weir_flow::FlowCore;
use weir_stream::StreamSink;

use super::data::{MatchedPieces, Said};
use crate::settings::EngineSettings;

/// State that all sessions of a worker share.
pub(crate) struct AppShared {
    /// Counters.
    pub(crate) counters: AppLayerCounters,
    /// Counters of readings for Zeek's logs alone, which nobody asks for.
    zeek_only_counters: AppLayerCounters,
    /// Settings of files.
    pub(crate) files: FileSettings,
    /// Frames that rules or outputs ask for.
    pub(crate) frames: FrameWants,
    /// Audience of the reading of a flow.
    audience: Audience,
    /// The worker's part in the order of workers.
    order: weir_base::Turn,
    scratch: SessionScratch,
    /// Memory of sessions.
    memory: SessionMemory,
    /// Memory of what parsers of HTTP read twice.
    bodies: Arc<Memory>,
    /// Flows that others announced.
    pub(super) expectations: Expectations,
    /// Flows that others announced of which only Zeek's logs tell.
    pub(super) zeek_only_expectations: Expectations,
    /// Pieces that streams handed out, where an output wants them.
    pub(super) said: Option<Vec<Said>>,
    /// Pieces of streams that signatures of scripts are to be matched against, where there are any.
    pub(super) matched: Option<MatchedPieces>,
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
            zeek_only_counters: AppLayerCounters::new(registry),
            files,
            frames,
            audience: if settings.zeek { Audience::Everyone } else { Audience::Records },
            order,
            scratch: SessionScratch::with_memory(memory.clone(), Arc::clone(&bodies)),
            memory,
            bodies,
            expectations: Expectations::default(),
            zeek_only_expectations: Expectations::default(),
            said: None,
            matched: None,
        }
    }

    /// Exchanges what rules want of files, and of frames, from sessions that begin from now on.
    pub(super) fn exchange_wishes(&mut self, files: &mut FileSettings, frames: Option<&mut FrameWants>) {
        std::mem::swap(&mut self.files, files);
        frames.into_iter().for_each(|frames| std::mem::swap(&mut self.frames, frames));
    }

    /// Whether sessions have so little memory left that flows are to end for others; `was` says whether they had
    /// before.
    pub(super) fn is_short(&self, was: bool) -> bool {
        self.memory.main.is_short(was)
    }

    /// Forgets announced flows that did not come.
    pub(super) fn expire(&mut self, clock: Timestamp) {
        self.expectations.expire(clock);
        self.zeek_only_expectations.expire(clock);
    }
}

impl Counters for AppShared {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        self.counters.visit(visitor);
        visitor.counter("app_layer.expectations", self.expectations.len() as u64);
        visitor.counter("app_layer.expectations_pushed_out", self.expectations.pushed_out());
        visitor.counter("app_layer.memcap", self.memory.main.refused());
        visitor.counter("app_layer.memuse", self.memory.main.used());
        visitor.counter("http.memcap", self.bodies.refused());
        visitor.counter("http.memuse", self.bodies.used());
    }
}

/// Reports of the sessions of a flow on the pieces of one packet.
#[derive(Default)]
pub(crate) struct AppReports {
    /// Report of the session.
    pub(super) main: SessionReport,
    /// Report of its fork.
    pub(super) fork: SessionReport,
    /// The session was given something.
    pub(super) fed: bool,
}

impl AppReports {
    /// Forgets all, for the next packet.
    pub(super) fn clear(&mut self) {
        // A session that is given nothing reports nothing.
        if std::mem::take(&mut self.fed) {
            self.main.clear();
            self.fork.clear();
        }
    }
}

/// Feeds the session of a flow's protocol, which is made with the first bytes.
pub(crate) struct AppFeed<'a> {
    pub(super) registry: &'a Registry,
    pub(super) shared: &'a mut AppShared,
    pub(super) session: &'a mut Option<Box<AppSession>>,
    pub(super) reports: &'a mut AppReports,
    pub(super) endpoints: Endpoints,
    pub(super) time: Timestamp,
    pub(super) beginning: Beginning,
    /// The reading for Zeek's logs alone; none where the feed is the flow's own.
    pub(super) zeek_only: Option<ZeekOnly>,
}

impl<'a> AppFeed<'a> {
    /// Feeds the session of a flow of which all was seen.
    pub(super) fn new(
        registry: &'a Registry,
        shared: &'a mut AppShared,
        session: &'a mut Option<Box<AppSession>>,
        reports: &'a mut AppReports,
        core: &FlowCore,
        time: Timestamp,
    ) -> Self {
        reports.clear();
        let (endpoints, beginning, zeek_only) = (endpoints(core), Beginning::Seen, None);
        Self { registry, shared, session, reports, endpoints, time, beginning, zeek_only }
    }

    /// Gives a piece to the session, and to its fork.
    fn give(&mut self, delivery: Delivery<'_>) {
        let shared = &mut *self.shared;
        self.reports.fed = true;
        let (zeek_only, endpoints, time) = (self.zeek_only, &self.endpoints, self.time);
        let expectations = &mut shared.expectations;
        let session = self.session.get_or_insert_with(|| {
            let mut session = Box::new(match delivery.to {
                Recipients::ZeekEarly => AppSession::unheard(),
                _ => AppSession::new(),
            });
            let expected = match zeek_only {
                None => expectations.take(endpoints, time),
                // It is no flow of its own.
                Some(ZeekOnly::Carried) => None,
                // Rules wait on.
                Some(_) => expectations.find(endpoints, time).cloned(),
            };
            if let Some(expected) = expected {
                session.announce(expected);
            }
            session
        });
        let audience = match zeek_only {
            Some(kind) => Audience::Zeek(kind),
            None if session.is_forked() => Audience::Records,
            None => shared.audience,
        };
        let was_reversed = self.reports.main.reversed;
        let mut cx = SessionContext {
            registry: self.registry,
            endpoints: self.endpoints,
            time,
            files: &shared.files,
            order: &shared.order,
            frames: (zeek_only.is_none() && shared.frames.any()).then_some(&shared.frames),
            beginning: self.beginning,
            audience,
            counters: if zeek_only.is_some() { &mut shared.zeek_only_counters } else { &mut shared.counters },
            scratch: &mut shared.scratch,
            report: &mut self.reports.main,
        };
        session.take(&mut cx, delivery);
        let reversed = self.reports.main.reversed != was_reversed;
        if reversed {
            self.endpoints.turn();
        }
        if !session.is_forked() {
            return;
        }
        let mut cx = SessionContext {
            registry: self.registry,
            endpoints: self.endpoints,
            time,
            files: &shared.files,
            order: &shared.order,
            frames: None,
            beginning: self.beginning,
            audience: Audience::Zeek(ZeekOnly::Fork),
            counters: &mut shared.zeek_only_counters,
            scratch: &mut shared.scratch,
            report: &mut self.reports.fork,
        };
        session.follow_fork(&mut cx, if reversed { delivery.reversed() } else { delivery });
    }

    /// The payload of a datagram.
    pub(crate) fn datagram(&mut self, direction: Direction, bytes: &[u8]) {
        if !bytes.is_empty() {
            let _layer = enter(Stage::Session);
            self.give(Delivery::to_all(direction, Piece::Datagram(bytes)));
        }
    }

    /// Bytes of a stream inside of the flow's protocol, which came at once.
    pub(super) fn carried(&mut self, direction: Direction, offset: u64, bytes: &[u8]) {
        let arrivals = &[(offset, self.time)];
        self.give(Delivery::to_all(direction, Piece::Data { offset, bytes, arrivals }));
    }

    /// The flow is over: nothing more will come in `direction`.
    pub(crate) fn finish(&mut self, direction: Direction) {
        if self.session.is_some() {
            self.give(Delivery::to_all(direction, Piece::End));
        }
    }

    /// Whether the session is to get a piece of a stream: bytes and gaps make one, an end does not, and neither does
    /// what only Zeek gets beyond the depth. Where Zeek's logs alone are told, nothing comes early: all does.
    fn wants(&self, delivery: &Delivery<'_>) -> bool {
        let is_open = self.session.is_some();
        let is_end = matches!(delivery.piece, Piece::End);
        match delivery.to {
            Recipients::All => is_open || !is_end,
            Recipients::ZeekEarly => self.zeek_only.is_none() && (is_open || !is_end),
            Recipients::ZeekBeyondDepth => is_open,
        }
    }
}

impl StreamSink for AppFeed<'_> {
    fn take(&mut self, delivery: Delivery<'_>) {
        let is_wanted = self.wants(&delivery);
        // Roles may have changed with an earlier piece of this packet.
        let delivery = if self.reports.main.reversed { delivery.reversed() } else { delivery };
        if delivery.to == Recipients::All
            && self.zeek_only.is_none()
            && let Some(said) = &mut self.shared.said
        {
            said.extend(Said::of(&delivery));
        }
        if is_wanted {
            let _layer = enter(Stage::Session);
            if self.zeek_only.is_none()
                && let Some(matched) = &mut self.shared.matched
            {
                // The session is given it too, so that whoever looks at its report finds the piece.
                matched.add(&delivery);
            }
            self.give(delivery);
        }
    }
}

/// The two ends of a flow.
pub(crate) fn endpoints(core: &FlowCore) -> Endpoints {
    Endpoints {
        client: core.key.source,
        client_port: core.key.source_port,
        server: core.key.destination,
        server_port: core.key.destination_port,
        transport: if core.key.protocol == weir_packet::ip_protocol::UDP {
            Transport::Udp
        } else {
            Transport::Tcp
        },
    }
}
