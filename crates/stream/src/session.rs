//! A TCP connection.
//!
//! The public face, and the way of one packet through it: is it another connection, is it one of
//! the odd but harmless kinds, and what does the state make of it. The states are in
//! `session/handshake.rs`, `established.rs` and `closing.rs`; the checks they share in `checks.rs`;
//! what becomes of the bytes in `reassembly.rs` and `raw.rs`.

mod checks;
mod closing;
mod established;
mod handshake;
mod midstream;
mod raw;
mod reassembly;
mod view;

use weir_base::{Direction, PerDirection, Timestamp};
use weir_packet::{Packet, Tcp};

use crate::event::StreamEvent;
use crate::half::{Half, HalfFlags};
use crate::outcome::{DropReason, StreamException, StreamOutcome};
use crate::policy::OverlapPolicy;
use crate::settings::StreamSettings;
use crate::shared::StreamShared;
use crate::sink::StreamSink;
use crate::state::{Phase, TcpState};
use crate::store::Kept;

pub use raw::RawWindow;
pub use view::SideView;

bitflags::bitflags! {
    /// Facts of a session.
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct SessionFlags: u32 {
        /// Picked up after the SYN.
        const MIDSTREAM = 1;
        /// Picked up after the handshake.
        const MIDSTREAM_ESTABLISHED = 1 << 1;
        /// Picked up at the SYN/ACK.
        const MIDSTREAM_SYNACK = 1 << 2;
        /// One side only.
        const ASYNC = 1 << 3;
        /// Both sides sent a SYN.
        const FOUR_WAY = 1 << 4;
        /// Both sides use timestamps.
        const TIMESTAMP = 1 << 5;
        /// The client offers timestamps.
        const CLIENT_TIMESTAMP = 1 << 6;
        /// The client offers window scaling.
        const CLIENT_SCALE = 1 << 7;
        /// The client offers selective acknowledgements.
        const CLIENT_SACK = 1 << 8;
        /// Both sides use selective acknowledgements.
        const SACK = 1 << 9;
        /// A last ACK with a wrong acknowledgement came.
        const EVASION = 1 << 10;
        /// The server is seen to have got the client's last ACK of the handshake.
        const CONFIRMED = 1 << 11;
        /// The SYN asks for fast open.
        const FAST_OPEN = 1 << 12;
        /// In the accounts of sessions.
        const COUNTED = 1 << 13;
        /// The engine was asked to bypass.
        const BYPASS_TOLD = 1 << 14;
        /// The SYN carries a signature.
        const SIGNED = 1 << 15;
        /// The server did not take the data of the fast open.
        const FAST_OPEN_IGNORED = 1 << 16;
    }
}

/// The packet does not fit the session; the events say why.
#[derive(Clone, Copy, Debug)]
struct Invalid;

/// A packet on its way through a session.
struct Turn<'t, 'p> {
    packet: &'t Packet<'p>,
    tcp: Tcp<'p>,
    direction: Direction,
    settings: &'t StreamSettings,
    shared: &'t mut StreamShared,
    sink: &'t mut dyn StreamSink,
    outcome: StreamOutcome,
}

impl Turn<'_, '_> {
    /// Takes note of an event.
    fn event(&mut self, event: StreamEvent) {
        if self.outcome.events.push(event) {
            self.shared.events.count(event);
        }
    }

    /// Takes note of an event that makes the packet invalid, where that matters.
    fn reject(&mut self, event: StreamEvent) -> Result<(), Invalid> {
        self.event(event);
        if self.settings.lenient { Ok(()) } else { Err(Invalid) }
    }

    /// Rejects the packet with `event` unless `holds`.
    fn require(&mut self, holds: bool, event: StreamEvent) -> Result<(), Invalid> {
        if holds { Ok(()) } else { self.reject(event) }
    }

    const fn to_server(&self) -> bool {
        matches!(self.direction, Direction::ToServer)
    }

    const fn has(&self, flags: u8) -> bool {
        self.tcp.has(flags)
    }

    const fn payload_len(&self) -> u32 {
        self.packet.payload.len() as u32
    }
}

/// Bytes taken for a window that is closed.
const SOME_WINDOW: u64 = 4096;

/// A TCP connection; see the module.
///
/// Memory is accounted for in [`StreamShared`]: [`TcpSession::release`] must be called before a
/// session is dropped. A stream that nobody inspects through [`TcpSession::raw`] must be told so
/// ([`TcpSession::disable_raw`], [`StreamSettings::raw`]), or its bytes are kept up to the depth.
#[derive(Debug, Default)]
pub struct TcpSession {
    state: TcpState,
    /// The state before the current one.
    previous: TcpState,
    flags: SessionFlags,
    /// By direction of the bytes: `to_server` is what the client sends.
    halves: PerDirection<Half>,
}

impl TcpSession {
    /// A session of which no packet was seen. `settings` give its depth and whether the raw
    /// stream is kept.
    pub fn new(settings: &StreamSettings) -> Self {
        let mut session = Self::default();
        for direction in Direction::BOTH {
            let half = &mut session.halves[direction];
            half.set_depth(settings.depth);
            if !settings.raw {
                half.flags.insert(HalfFlags::RAW_OFF);
            }
        }
        session
    }

    /// Sets the overlap policy of the host that receives `direction`; to be called before the first packet.
    pub fn set_policy(&mut self, direction: Direction, policy: OverlapPolicy) {
        self.halves[direction].policy = policy;
    }

    /// Handles one packet that travels in `direction`.
    ///
    /// The packet's checksum is the caller's affair. Where the outcome says `reused` nothing was
    /// done; where it says `flip` the session has exchanged client and server, and the flow must.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        direction: Direction,
        settings: &StreamSettings,
        shared: &mut StreamShared,
        sink: &mut dyn StreamSink,
    ) -> StreamOutcome {
        let mut outcome = StreamOutcome::default();
        let Some(&tcp) = packet.tcp() else {
            return outcome;
        };
        if self.reused_by(packet, direction) {
            outcome.reused = true;
            return outcome;
        }
        let before = self.state;
        let mut turn = Turn { packet, tcp, direction, settings, shared, sink, outcome };
        self.count(&mut turn);
        let result = self.dispatch(&mut turn);
        if result.is_err() {
            turn.outcome.invalid = true;
            if settings.inline && settings.drop_invalid && turn.outcome.drop.is_none() {
                turn.outcome.drop = Some(DropReason::StreamError);
            }
        }
        if before != TcpState::Closed && self.state == TcpState::Closed {
            self.end(&mut turn);
        }
        self.settle(&mut turn);
        if self.state == TcpState::None {
            // What begins no session leaves nothing of itself.
            self.halves.to_server.tcp_flags = 0;
            self.halves.to_client.tcp_flags = 0;
        }
        turn.outcome.state_changed = before != self.state;
        turn.outcome.established = self.is_established();
        turn.outcome
    }

    /// Flags and counters that do not depend on the state.
    fn count(&mut self, turn: &mut Turn<'_, '_>) {
        self.halves[turn.direction].tcp_flags |= turn.tcp.flags;
        let counters = &mut turn.shared.counters;
        if turn.tcp.has(Tcp::SYN | Tcp::ACK) {
            counters.synack += 1;
        } else if turn.tcp.has(Tcp::SYN) {
            counters.syn += 1;
        }
        if turn.tcp.has(Tcp::RST) {
            counters.rst += 1;
        }
        if turn.tcp.has(Tcp::URG) {
            counters.urg += 1;
        }
        if !turn.tcp.has(Tcp::ACK) && turn.tcp.ack != 0 {
            turn.event(StreamEvent::PacketBrokenAck);
        }
    }

    /// Handles the packet by the connection's state.
    fn dispatch(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if self.state == TcpState::None {
            return self.begin(turn);
        }
        if self.halves[turn.direction.opposite()].tcp_flags != 0 {
            self.flags.remove(SessionFlags::ASYNC);
        }
        if self.is_harmless(turn)? {
            return Ok(());
        }
        self.by_state(self.state, turn)
    }

    fn by_state(&mut self, state: TcpState, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        match state {
            TcpState::None => self.begin(turn),
            TcpState::SynSent => self.syn_sent(turn),
            TcpState::SynRecv => self.syn_recv(turn),
            TcpState::Established => self.established(turn),
            TcpState::FinWait1 => self.fin_wait1(turn),
            TcpState::FinWait2 => self.fin_wait2(turn),
            TcpState::CloseWait => self.close_wait(turn),
            TcpState::Closing => self.closing(turn),
            TcpState::LastAck => self.last_ack(turn),
            TcpState::TimeWait => self.time_wait(turn),
            TcpState::Closed => self.closed(turn),
        }
    }

    fn enter(&mut self, state: TcpState) {
        if state != self.state {
            self.previous = self.state;
            self.state = state;
        }
        if state >= TcpState::Established {
            self.halves.to_server.forget_openings();
        }
    }

    /// The sending and the receiving side's halves.
    fn both(&mut self, direction: Direction) -> (&mut Half, &mut Half) {
        let PerDirection { to_server, to_client } = &mut self.halves;
        match direction {
            Direction::ToServer => (to_server, to_client),
            Direction::ToClient => (to_client, to_server),
        }
    }

    /// Begins to account for the session; false where there is no memory for it.
    fn account(&mut self, turn: &mut Turn<'_, '_>) -> bool {
        if self.flags.contains(SessionFlags::COUNTED) {
            return true;
        }
        let size = size_of::<Self>() as u64;
        let counters = &mut turn.shared.counters;
        if turn.settings.memcap > 0 && counters.memuse.saturating_add(size) > turn.settings.memcap {
            counters.session_memcap_drop += 1;
            turn.outcome.exception = Some(StreamException::SessionMemcap);
            return false;
        }
        counters.memuse += size;
        counters.sessions += 1;
        counters.active_sessions += 1;
        self.flags.insert(SessionFlags::COUNTED);
        true
    }

    /// Gives back all memory and counts the session's end. The session must not be used after.
    pub fn release(&mut self, shared: &mut StreamShared) {
        for direction in Direction::BOTH {
            let half = &mut self.halves[direction];
            half.settle(&mut shared.account);
            half.clear(shared);
            half.forget_tail();
            shared.charge(&mut half.charged, 0);
        }
        shared.counters.count_end(self.state);
        if self.flags.contains(SessionFlags::COUNTED) {
            self.flags.remove(SessionFlags::COUNTED);
            let counters = &mut shared.counters;
            counters.memuse = counters.memuse.saturating_sub(size_of::<Self>() as u64);
            counters.active_sessions = counters.active_sessions.saturating_sub(1);
        }
    }

    /// Whether `packet` begins another connection: a SYN unlike this session's, once the session
    /// is over or nearly so, or any after a fast open that failed.
    pub fn reused_by(&self, packet: &Packet<'_>, direction: Direction) -> bool {
        let Some(tcp) = packet.tcp().filter(|tcp| is_first(tcp)) else {
            return false;
        };
        let to_server = direction == Direction::ToServer;
        if self.state == TcpState::SynRecv && self.flags.contains(SessionFlags::FAST_OPEN_IGNORED) {
            // The client tries again without the data that was handed out already.
            return to_server;
        }
        let over = matches!(self.state, TcpState::LastAck | TcpState::TimeWait | TcpState::Closed);
        let same = to_server && tcp.seq == self.halves.to_server.isn.0;
        over && !same
    }

    /// Whether `packet` is a SYN of the client unlike this session's.
    pub fn differs_in_syn(&self, packet: &Packet<'_>, direction: Direction) -> bool {
        direction == Direction::ToServer
            && packet.tcp().is_some_and(|tcp| is_first(tcp) && tcp.seq != self.halves.to_server.isn.0)
    }

    /// The state.
    pub const fn state(&self) -> TcpState {
        self.state
    }

    /// The coarse state, that flow timeouts go by.
    pub const fn phase(&self) -> Phase {
        self.state.phase()
    }

    /// Whether the handshake is complete or the session was picked up after it; stays true until
    /// the session is gone.
    pub fn is_established(&self) -> bool {
        self.state >= TcpState::Established
    }

    /// Whether the session was picked up after its SYN.
    pub const fn is_midstream(&self) -> bool {
        self.flags.contains(SessionFlags::MIDSTREAM)
    }

    /// Whether only one side is seen.
    pub const fn is_async(&self) -> bool {
        self.flags.contains(SessionFlags::ASYNC)
    }

    /// All TCP flags seen in one direction.
    pub fn tcp_flags(&self, direction: Direction) -> u8 {
        self.halves[direction].tcp_flags
    }

    /// Missing pieces of one direction.
    pub fn gaps(&self, direction: Direction) -> u32 {
        self.halves[direction].gaps().0
    }

    /// Bytes of the missing pieces of one direction.
    pub fn gap_bytes(&self, direction: Direction) -> u64 {
        self.halves[direction].gaps().1
    }

    /// Most regions that one direction's bytes ever lay in; at least one.
    pub fn max_regions(&self, direction: Direction) -> u16 {
        self.halves[direction].segments.most_regions().max(1)
    }

    /// Returns the value of the `stream_size` keyword: from the initial to the next sequence number.
    pub fn stream_size(&self, direction: Direction) -> u32 {
        let half = &self.halves[direction];
        half.next_seq.0.wrapping_sub(half.isn.0)
    }

    /// Returns the bytes of one direction delivered to the sink.
    pub fn app_progress(&self, direction: Direction) -> u64 {
        self.halves[direction].app
    }

    /// Returns the bytes of one direction acknowledged.
    pub fn acknowledged(&self, direction: Direction) -> u64 {
        self.halves[direction].acked()
    }

    /// Whether one direction is longer than its depth.
    pub fn depth_reached(&self, direction: Direction) -> bool {
        self.halves[direction].flags.contains(HalfFlags::DEPTH_REACHED)
    }

    /// Whether one direction is longer than its depth, and all before that was handed out: nothing more
    /// of it will be.
    pub fn is_cut(&self, direction: Direction) -> bool {
        let half = &self.halves[direction];
        half.flags.contains(HalfFlags::DEPTH_REACHED) && half.beyond_depth(half.app)
    }

    /// Whether the other direction alone is seen, which is why nothing of this one is handed out.
    pub fn is_unseen(&self, direction: Direction) -> bool {
        self.is_async() && self.halves[direction].tcp_flags == 0
    }

    /// Returns the bytes of one direction to reassemble, zero for no limit.
    pub fn depth(&self, direction: Direction) -> u64 {
        self.halves[direction].depth()
    }

    /// Changes how far one direction is reassembled, zero for no limit. A direction that reached
    /// its depth stays as it is.
    pub fn set_depth(&mut self, direction: Direction, depth: u64) {
        self.halves[direction].set_depth(depth);
    }

    /// The protocol parser wants no more of one direction.
    pub fn disable_app(&mut self, direction: Direction) {
        self.halves[direction].flags.insert(HalfFlags::APP_OFF);
    }

    /// Nobody but Zeek's logs wants more of one direction: what is missing there is not counted.
    pub fn leave_app_aside(&mut self, direction: Direction) {
        self.halves[direction].flags.insert(HalfFlags::APP_ASIDE);
    }

    /// Nobody wants to know what lies beyond the depth of one direction.
    pub fn leave_beyond(&mut self, direction: Direction) {
        let flags = &mut self.halves[direction].flags;
        flags.remove(HalfFlags::BEYOND);
        flags.insert(HalfFlags::BEYOND_OFF);
    }

    /// Whether something beyond the depth of one direction was handed out, and more will be.
    pub fn is_told_beyond(&self, direction: Direction) -> bool {
        let half = &self.halves[direction];
        half.flags.contains(HalfFlags::BEYOND) && half.app > half.depth()
    }

    /// Inspection wants no more of one direction's raw stream.
    pub fn disable_raw(&mut self, direction: Direction) {
        self.halves[direction].flags.insert(HalfFlags::RAW_OFF);
    }

    /// Keeps the bytes of one direction from the offset `from` on, for [`TcpSession::kept_from`], also
    /// when the parser and the inspection of the stream are done with them; none: no more than those.
    pub fn retain(&mut self, direction: Direction, from: Option<u64>) {
        self.halves[direction].retain(from);
    }

    /// Whether anyone but Zeek's logs still wants bytes of one direction.
    pub fn wanted(&self, direction: Direction) -> bool {
        let half = &self.halves[direction];
        let app_wanted = half.app_wanted() && !half.flags.contains(HalfFlags::APP_ASIDE);
        (app_wanted || half.raw_wanted()) && !half.flags.contains(HalfFlags::DEPTH_REACHED)
    }

    /// Exchanges client and server: protocol detection found the first packet to be the server's.
    pub fn swap(&mut self) {
        let PerDirection { to_server, to_client } = &mut self.halves;
        std::mem::swap(to_server, to_client);
        // What inspection wants goes by the direction, not by the host.
        HalfFlags::RAW_OFF.exchange(&mut to_server.flags, &mut to_client.flags);
        self.state = match self.state {
            TcpState::FinWait1 => TcpState::CloseWait,
            TcpState::CloseWait => TcpState::FinWait1,
            other => other,
        };
    }

    /// The connection is over without its packets saying so (a timeout, the end of the capture):
    /// hands out all that came in one direction, and its end. Bytes past a hole that nobody
    /// acknowledged stay out and are counted as missing.
    pub fn flush(
        &mut self,
        direction: Direction,
        now: Timestamp,
        shared: &mut StreamShared,
        sink: &mut dyn StreamSink,
    ) {
        let half = &mut self.halves[direction];
        half.flags.insert(HalfFlags::ENDED);
        if self.flags.contains(SessionFlags::ASYNC) {
            half.presume(half.farthest());
        }
        reassembly::deliver(half, direction, now, reassembly::Wait::Sent, shared, sink);
        reassembly::finish(half, direction, sink);
    }

    /// Forgets the bytes of one direction that nobody waits for. To be called once a packet that
    /// travels in this direction was inspected and logged, as both look at [`TcpSession::kept`].
    pub fn prune(&mut self, direction: Direction, settings: &StreamSettings, shared: &mut StreamShared) {
        let keep = match (settings.inline, direction) {
            (false, _) => 0,
            (true, Direction::ToServer) => settings.chunk_to_server,
            (true, Direction::ToClient) => settings.chunk_to_client,
        };
        // Without the other side nothing is ever acknowledged.
        let unacknowledged = settings.inline && !self.flags.contains(SessionFlags::ASYNC);
        let half = &mut self.halves[direction];
        let repeatable = match (settings.keeps_window, half.window) {
            (false, _) => 0,
            (true, 0) => SOME_WINDOW,
            (true, window) => window.into(),
        };
        half.prune(u64::from(keep), repeatable, unacknowledged, shared);
    }

    /// Shows the bytes of one direction that are kept and may be inspected, segment by segment with the
    /// holes between them, until `visit` answers false.
    pub fn kept(
        &self,
        direction: Direction,
        settings: &StreamSettings,
        visit: &mut dyn FnMut(Kept<'_>) -> bool,
    ) {
        let limit = if settings.inline { u64::MAX } else { self.raw_limit(direction) };
        self.halves[direction].segments.kept(limit, visit);
    }

    /// Shows the bytes of one direction that are kept from the offset `from` on: contiguous ones with
    /// where they begin, until `visit` answers false.
    pub fn kept_from(&self, direction: Direction, from: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) {
        self.halves[direction].segments.kept_from(from, visit);
    }

    /// Makes the bytes of one direction from the offset `from` on contiguous, as far as no byte is
    /// missing.
    pub fn join(&mut self, direction: Direction, from: u64, shared: &mut StreamShared) {
        self.halves[direction].segments.bring_to_front(from, shared);
    }

    /// After the packet: perhaps the session is of no more interest.
    fn settle(&mut self, turn: &mut Turn<'_, '_>) {
        if turn.settings.bypass
            && !self.flags.contains(SessionFlags::BYPASS_TOLD)
            && self.is_established()
            && !self.wanted(Direction::ToServer)
            && !self.wanted(Direction::ToClient)
        {
            self.flags.insert(SessionFlags::BYPASS_TOLD);
            turn.outcome.bypass = true;
        }
    }
}

/// Whether a segment begins a connection: a SYN and nothing that contradicts it.
fn is_first(tcp: &Tcp<'_>) -> bool {
    tcp.has(Tcp::SYN) && !tcp.has(Tcp::ACK) && tcp.flags & (Tcp::RST | Tcp::FIN) == 0
}

#[cfg(test)]
mod tests;
