//! One flow's protocol: recognises it, feeds its parser, and changes it when the two ends do.
//!
//! Bytes that come before the protocol is known are kept, within [`HELD_MAX`], and given to the
//! parser once it is, the side that spoke first going first. What a parser leaves because it wants
//! more is kept within [`PENDING_MAX`] and given again with what follows. Everything else passes
//! through uncopied.
//!
//! Results of a call are left in a [`SessionReport`] that the worker reuses for all its flows.

mod event;
mod fork;
mod parse;
mod pending;
mod recognise;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use weir_base::{ArrivalTimes, Delivery, Direction, PerDirection, Piece, Recipients, Timestamp, Turn};

use crate::audience::{Audience, Beginning};
use crate::counters::AppLayerCounters;
use crate::detection::{Cursor, RecognitionScratch};
use crate::expectations::Expected;
use crate::file::FileSettings;
use crate::frame::{FrameList, FrameWants};
use crate::memory::{Memory, TakenMemory};
use crate::parser::{Early, Endpoints, Fork, Legacy, Parser, Request};
use crate::protocol::{Protocol, Transport};
use crate::registry::{ProtocolId, Registry};
use crate::transaction::Anomaly;

pub use event::{FlowEvent, ParserAnomaly};
use fork::ForkedSession;
use pending::Pending;

/// Most bytes kept of a direction before the flow's protocol is known. Suricata gives up at as many.
pub const HELD_MAX: usize = 100_000;

/// Most bytes a parser may leave to be given again.
pub const PENDING_MAX: usize = 1 << 20;

/// Bytes that rules and outputs keep of a flow whose protocol is read, whatever it has to say; a test of the engine
/// holds it against what they take.
pub const BESIDE_SESSION: usize = 544;

/// Limit on a flow's changes of its protocol.
pub const UPGRADES_MAX: u8 = 8;

/// Most requests and anomalies reported at a time, of each.
pub const REPORTED_MAX: usize = 64;

/// Working memory of sessions, one per worker.
#[derive(Default)]
pub struct SessionScratch {
    recognition: RecognitionScratch,
    arrivals: Vec<(usize, Timestamp)>,
    requests: Vec<Request>,
    anomalies: Vec<Anomaly>,
    fork: Option<Fork>,
    memory: Option<SessionMemory>,
    bodies: Option<Arc<Memory>>,
}

/// Memory that a worker's sessions take together.
#[derive(Clone, Debug)]
pub struct SessionMemory {
    /// Memory of those that rules and records learn of.
    pub main: Arc<Memory>,
    /// Memory of those for Zeek's logs alone, which take nothing from the others.
    pub zeek_only: Arc<Memory>,
}

impl SessionMemory {
    /// So many bytes, and as many again for Zeek's logs alone.
    pub fn new(most: u64) -> Self {
        Self { main: Arc::new(Memory::shared(most)), zeek_only: Arc::new(Memory::shared(most)) }
    }
}

impl SessionScratch {
    /// Of a worker whose sessions take `memory` together, and whose parsers take `bodies` for what they read twice.
    pub fn with_memory(memory: SessionMemory, bodies: Arc<Memory>) -> Self {
        Self { memory: Some(memory), bodies: Some(bodies), ..Self::default() }
    }
}

/// Results of calls since the report was last cleared.
#[derive(Default)]
pub struct SessionReport {
    /// Requests of the parser to the engine; upgrades, which the session sees to, are not among them.
    pub requests: Vec<Request>,
    /// Events of the flow's protocols.
    pub events: Vec<FlowEvent>,
    /// Anomalies outside of any transaction.
    pub anomalies: Vec<ParserAnomaly>,
    /// Parsers that the flow's later protocol replaced, oldest first. Their transactions are final;
    /// ids of the new parser start again at 0.
    pub retired: Vec<Box<dyn Parser>>,
    /// Client and server are to be swapped: the session has done so, and expects the directions
    /// and ends of later calls by the new roles.
    pub reversed: bool,
    /// The parser reads on as another protocol, with the same transactions.
    pub renamed: bool,
    /// The parser was closed before the flow's end, or refused a datagram.
    pub failed: Option<ParserFailure>,
    /// The parser was shown bytes of this direction, or a gap in them.
    pub parsed: PerDirection<bool>,
    /// It was settled what this direction speaks, or that it is nothing known: once for each protocol
    /// that the flow changes to. A direction that goes along with what the other one turned out to speak
    /// settles nothing.
    pub recognised: PerDirection<bool>,
}

impl SessionReport {
    /// Forgets everything reported.
    pub fn clear(&mut self) {
        self.requests.clear();
        self.events.clear();
        self.anomalies.clear();
        self.retired.clear();
        self.reversed = false;
        self.renamed = false;
        self.failed = None;
        self.parsed = PerDirection::default();
        self.recognised = PerDirection::default();
    }

    /// Whether nothing is to be done but to remember what was parsed and recognised.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        !self.reversed
            && !self.renamed
            && self.failed.is_none()
            && self.requests.is_empty()
            && self.events.is_empty()
            && self.anomalies.is_empty()
            && self.retired.is_empty()
    }

    fn event(&mut self, event: FlowEvent) {
        if !self.events.contains(&event) {
            self.events.push(event);
        }
    }
}

/// Reasons that a parser was closed before the flow's end, or is as good as that for a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParserFailure {
    /// Bytes are missing and the protocol cannot do without.
    Gap,
    /// The bytes make no sense to it.
    Parser,
    /// A datagram makes no sense to it. It is not closed: it takes later ones.
    Datagram,
    /// A limit was reached.
    Internal,
    /// There is no memory for what it keeps.
    Memory,
}

/// Surroundings of a call.
pub struct SessionContext<'a> {
    /// The protocols.
    pub registry: &'a Registry,
    /// The flow's two ends.
    pub endpoints: Endpoints,
    /// Time of the packet that caused the call.
    pub time: Timestamp,
    /// Treatment of files.
    pub files: &'a FileSettings,
    /// The worker's part in the order of workers.
    pub order: &'a Turn,
    /// Frames that somebody asks for; none where nobody asks for any.
    pub frames: Option<&'a FrameWants>,
    /// Part of the flow's beginning that was seen.
    pub beginning: Beginning,
    /// Audience of the reading.
    pub audience: Audience,
    /// The worker's counters.
    pub counters: &'a mut AppLayerCounters,
    /// The worker's working memory.
    pub scratch: &'a mut SessionScratch,
    /// Receives what the call leads to.
    pub report: &'a mut SessionReport,
}

/// Knowledge of the protocol that a side speaks.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
enum Known {
    /// Nothing yet.
    #[default]
    Undecided,
    /// This.
    Found(&'static Protocol),
    /// That it is nothing known here.
    Failed,
    /// It ended, or has a hole, before it said enough to tell: it speaks what the other one does, if that is known.
    Ended,
}

impl Known {
    /// Whether nothing more will be known.
    const fn is_nothing(self) -> bool {
        matches!(self, Known::Failed | Known::Ended)
    }
}

/// Treatment of a side's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Feed {
    /// They are kept until the protocol is known.
    #[default]
    Held,
    /// They go to the parser.
    Parsing,
    /// They are dropped.
    Stopped,
}

/// One direction.
#[derive(Clone, Debug, Default)]
struct Side {
    known: Known,
    feed: Feed,
    cursor: Cursor,
    /// Bytes held before recognition, or left by the parser.
    pending: Pending,
    /// Bytes that the parser wants in its next push, at least.
    needed: u32,
    /// Number of pending bytes that the parser has seen.
    presented: u32,
    /// The frame of all that this side says was begun.
    framed: bool,
    /// When the last of its bytes could be read: what comes before them had come too.
    reached: Timestamp,
    closed: bool,
}

impl Side {
    /// Drops what comes from now on.
    fn stop(&mut self) {
        self.feed = Feed::Stopped;
        self.pending = Pending::default();
        self.needed = 0;
        self.presented = 0;
    }
}

/// The protocol state of one flow.
///
/// Its fields are facts of the session as a whole; what each direction has is kept by direction.
pub struct AppSession {
    sides: PerDirection<Side>,
    parser: Option<Box<dyn Parser>>,
    /// Frames that the parser reported; made with the first push of a protocol whose frames are
    /// asked for.
    frames: Option<Box<PerDirection<FrameList>>>,
    protocol: Option<&'static Protocol>,
    id: Option<ProtocolId>,
    /// Protocol before the change.
    before: Option<Box<Before>>,
    /// Protocol that a parser announced to follow.
    expected: Option<&'static Protocol>,
    /// Announcement of this flow by another one.
    announced: Option<Box<Expected>>,
    /// Side that spoke first, since the flow's start or the last change of protocol.
    first_seen: Option<Direction>,
    /// Transactions of the parser that were counted.
    counted: u64,
    upgrades: u8,
    /// Nothing was seen yet but holes, which rules and records learn of once they stay.
    unheard: bool,
    failed: bool,
    failure: Option<ParserFailure>,
    /// Memory of the worker that it takes, as of the event before.
    taken: TakenMemory,
    /// The reading for Zeek's logs in place of this one.
    forked: Option<Box<ForkedSession>>,
}

impl Default for AppSession {
    fn default() -> Self {
        Self::new()
    }
}

/// The protocol that a flow changed from.
#[derive(Clone)]
struct Before {
    protocol: &'static Protocol,
    /// Legacy of its parser for the next one.
    legacy: Option<Legacy>,
}

impl AppSession {
    /// A flow of which nothing was seen.
    pub fn new() -> Self {
        Self {
            sides: PerDirection::default(),
            parser: None,
            frames: None,
            protocol: None,
            id: None,
            before: None,
            expected: None,
            announced: None,
            first_seen: None,
            counted: 0,
            upgrades: 0,
            unheard: false,
            failed: false,
            failure: None,
            taken: TakenMemory::default(),
            forked: None,
        }
    }

    /// A flow of which nothing was seen but a hole that may yet be filled.
    pub fn unheard() -> Self {
        Self { unheard: true, ..Self::new() }
    }

    /// Creates the session of bytes inside another protocol.
    pub fn inside() -> Self {
        Self { upgrades: 1, ..Self::new() }
    }

    /// Another flow announced this one: unless it is recognised as something else, it is that.
    pub fn announce(&mut self, expected: Expected) {
        self.announced = Some(Box::new(expected));
    }

    /// Takes a piece of the flow.
    pub fn take(&mut self, cx: &mut SessionContext<'_>, delivery: Delivery<'_>) {
        let Delivery { direction, to, piece } = delivery;
        self.unheard &= to == Recipients::ZeekEarly || matches!(piece, Piece::End);
        match (to, piece) {
            (Recipients::All, Piece::Data { offset, bytes, arrivals }) => {
                self.data(cx, direction, offset, bytes, arrivals);
            }
            (Recipients::All, Piece::Gap { offset, length }) => self.gap(cx, direction, offset, length),
            // Without Zeek's logs there is no session yet.
            (Recipients::All, Piece::End) if self.unheard => {}
            (Recipients::All, Piece::End) => self.close(cx, direction),
            (Recipients::All, Piece::Datagram(bytes)) => self.datagram(cx, direction, bytes),
            (Recipients::ZeekEarly, Piece::Gap { length, .. }) => {
                self.fork_early(cx, direction, Early::Hole(length));
            }
            (Recipients::ZeekEarly, _) => self.fork_early(cx, direction, Early::End),
            (Recipients::ZeekBeyondDepth, _) => self.fork_early(cx, direction, Early::Depth),
        }
        self.account(cx);
    }

    /// Accounts for what the session keeps; where there is no memory for it, the flow's protocol is read no further,
    /// and its transactions end here.
    fn account(&mut self, cx: &mut SessionContext<'_>) {
        let Some(memory) = cx.scratch.memory.as_ref().filter(|_| self.failure != Some(ParserFailure::Memory))
        else {
            return;
        };
        self.taken.begin(if cx.audience.reads_as_zeek() { &memory.zeek_only } else { &memory.main });
        if self.taken.change_to(self.memory()) {
            return;
        }
        self.retire(cx);
        cx.report.event(FlowEvent::MemcapReached);
        self.fail(cx, ParserFailure::Memory);
        self.taken.shrink_to(self.memory());
    }

    /// Bytes of memory that it takes.
    fn memory(&self) -> u64 {
        let parser = self.parser.as_ref().map_or(0, |parser| parser.memory());
        let pending: usize =
            Direction::BOTH.iter().map(|&direction| self.sides[direction].pending.memory()).sum();
        let frames = self.frames.as_ref().map_or(0, |frames| {
            Direction::BOTH.iter().map(|&direction| frames[direction].memory()).sum::<usize>()
        });
        let beside = if self.parser.is_some() { BESIDE_SESSION } else { 0 };
        (size_of::<Self>() + beside + parser + pending + frames) as u64
    }

    /// Bytes of a TCP stream, in order; `offset` is the position of the first one in the stream and
    /// `arrivals` tell when they were captured, by stream offset.
    pub fn data(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        offset: u64,
        bytes: &[u8],
        arrivals: ArrivalTimes<'_>,
    ) {
        if bytes.is_empty() {
            return;
        }
        if cx.audience.reads_anew()
            && self.sides[direction].feed != Feed::Parsing
            && let Some(name) = self.begins_anew(cx.registry, direction, bytes)
            && !self.fork_here(cx)
        {
            self.failed = false;
            for direction in Direction::BOTH {
                self.sides[direction].pending.clear();
            }
            self.upgrade(cx, direction, Some(name));
        }
        match self.sides[direction].feed {
            Feed::Stopped => {}
            Feed::Parsing => self.parse(cx, direction, offset, bytes, arrivals),
            Feed::Held => {
                self.fork_for_zeek_alone(cx, direction, bytes);
                self.first_seen.get_or_insert(direction);
                self.sides[direction].pending.push(offset, bytes, arrivals, cx.time);
                self.recognise(cx, direction, false);
            }
        }
    }

    /// `length` bytes of a TCP stream, from `offset` on, were never seen.
    pub fn gap(&mut self, cx: &mut SessionContext<'_>, direction: Direction, offset: u64, length: u64) {
        let mut direction = direction;
        if self.sides[direction].feed == Feed::Held {
            self.first_seen.get_or_insert(direction);
            direction = self.recognise(cx, direction, true);
            if self.sides[direction].feed == Feed::Held
                && !(cx.audience.reads_as_zeek() && self.leaves_it_to_the_other(direction))
            {
                if self.leaves_it_to_the_other(direction) {
                    self.fork_at_beginning(cx, direction, length);
                }
                self.end_recognition(cx);
            }
        }
        if self.sides[direction].feed == Feed::Parsing {
            self.parse_gap(cx, direction, offset, length);
        }
    }

    /// Where the beginning of a side is missing, Zeek goes by what the other one says.
    fn leaves_it_to_the_other(&self, direction: Direction) -> bool {
        self.sides[direction].pending.is_empty() && self.sides[direction.opposite()].known != Known::Failed
    }

    /// No more bytes will come in this direction of a TCP stream.
    pub fn close(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        let side = &mut self.sides[direction];
        if side.closed {
            return;
        }
        side.closed = true;
        match side.feed {
            Feed::Held => {
                self.recognise(cx, direction, true);
            }
            Feed::Parsing | Feed::Stopped => self.close_parser(cx, direction),
        }
    }

    /// The payload of a datagram.
    pub fn datagram(&mut self, cx: &mut SessionContext<'_>, direction: Direction, bytes: &[u8]) {
        let is_hopeless = Direction::BOTH.iter().all(|&direction| self.failed_in(direction));
        if is_hopeless {
            return;
        }
        if bytes.is_empty() {
            return self.empty_datagram(cx, direction);
        }
        let direction = self.recognise_datagram(cx, direction, bytes);
        if self.sides[direction].feed == Feed::Parsing {
            self.parse_datagram(cx, direction, bytes);
        }
    }

    /// Returns the protocol of the flow.
    pub fn protocol(&self) -> Option<&'static Protocol> {
        self.protocol
    }

    /// Where that stands in the registry.
    pub fn protocol_id(&self) -> Option<ProtocolId> {
        self.id
    }

    /// Returns the protocol that one side was recognised to speak.
    pub fn protocol_of(&self, direction: Direction) -> Option<&'static Protocol> {
        match self.sides[direction].known {
            Known::Found(protocol) => Some(protocol),
            Known::Ended => self.protocol,
            Known::Undecided | Known::Failed => None,
        }
    }

    /// Returns the protocol before the change to [`AppSession::protocol`].
    pub fn original(&self) -> Option<&'static Protocol> {
        self.before.as_deref().map(|before| before.protocol)
    }

    /// Returns the protocol that was announced when the flow changed its own.
    pub fn expected(&self) -> Option<&'static Protocol> {
        self.expected
    }

    /// Whether nothing was recognised and recognition was given up.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Whether nothing was recognised in what one side said.
    pub fn failed_in(&self, direction: Direction) -> bool {
        self.sides[direction].known == Known::Failed
    }

    /// Returns the reason that the parser was closed before the flow's end, if it was.
    pub fn failure(&self) -> Option<ParserFailure> {
        self.failure
    }

    /// The parser, also after it failed.
    pub fn parser(&self) -> Option<&dyn Parser> {
        self.parser.as_deref()
    }

    /// The parser, to free transactions or change their meta data.
    pub fn parser_mut(&mut self) -> Option<&mut (dyn Parser + 'static)> {
        self.parser.as_deref_mut()
    }

    /// The frames that are not done with, where somebody asks for any.
    pub fn frames(&self) -> Option<&PerDirection<FrameList>> {
        self.frames.as_deref()
    }

    /// Returns the frames, to note what was done with them.
    pub fn frames_mut(&mut self) -> Option<&mut PerDirection<FrameList>> {
        self.frames.as_deref_mut()
    }

    /// From where on bytes of `direction` are of use to frames, where all before `progress` came; none
    /// where nobody asks for frames of what the flow speaks.
    pub fn frames_edge(&self, direction: Direction, progress: u64) -> Option<u64> {
        let side = &self.sides[direction];
        if self.failed || (self.frames.is_none() && side.framed) {
            return None;
        }
        // What waits may be a frame's beginning.
        let waiting = if side.pending.is_empty() { progress } else { side.pending.offset().min(progress) };
        Some(
            self.frames.as_ref().map_or(waiting, |frames| frames[direction].left_edge(progress).min(waiting)),
        )
    }

    /// Returns the number of changes of protocol; transaction ids start again with each.
    pub fn upgrades(&self) -> u8 {
        self.upgrades
    }

    /// Whether `direction` is not looked at any more, whether or not it ended.
    pub fn is_stopped(&self, direction: Direction) -> bool {
        self.sides[direction].feed == Feed::Stopped
    }

    /// Whether no bytes can change a transaction any more.
    pub fn is_done(&self) -> bool {
        Direction::BOTH.iter().all(|&direction| self.is_done_in(direction))
    }

    /// Whether `direction` ended or is not looked at any more: its transactions will not move on.
    pub fn is_done_in(&self, direction: Direction) -> bool {
        self.sides[direction].closed || self.is_stopped(direction)
    }

    fn transport(cx: &SessionContext<'_>) -> Transport {
        cx.endpoints.transport
    }
}

impl std::fmt::Debug for AppSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppSession")
            .field("protocol", &self.protocol)
            .field("original", &self.original())
            .field("sides", &self.sides)
            .finish_non_exhaustive()
    }
}
