//! Sessions of which the beginning was not seen.

use weir_base::Direction;
use weir_packet::Tcp;

use super::{Invalid, SessionFlags, TcpSession, Turn};
use crate::event::StreamEvent;
use crate::half::{Half, HalfFlags};
use crate::handshake_queue::{MAX_WINDOW_SCALE, Opening};
use crate::outcome::StreamException;
use crate::sequence::Seq;
use crate::state::TcpState;

/// Bytes that a lone side must be past a hole for that to be given up.
const ASYNC_REORDER_BYTES: i64 = 64 << 10;

impl TcpSession {
    /// The first packet: a SYN begins a session; others may be picked up.
    pub(super) fn begin(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if turn.has(Tcp::RST) {
            turn.event(StreamEvent::RstButNoSession);
            return Ok(());
        }
        if turn.has(Tcp::FIN) {
            turn.outcome.exception = Some(StreamException::Midstream);
        }
        if turn.has(Tcp::FIN) && (!turn.settings.midstream || turn.payload_len() == 0 || turn.has(Tcp::SYN)) {
            turn.event(StreamEvent::FinButNoSession);
            return Ok(());
        }
        if turn.has(Tcp::SYN | Tcp::ACK) {
            return self.pick_up_at_synack(turn);
        }
        if turn.has(Tcp::SYN) {
            return self.begin_with_syn(turn);
        }
        if turn.has(Tcp::ACK) {
            return self.pick_up(turn);
        }
        Ok(())
    }

    /// Begins to account for a session met after its SYN.
    fn account_midstream(&mut self, turn: &mut Turn<'_, '_>) -> bool {
        if !self.account(turn) {
            return false;
        }
        turn.shared.counters.midstream_pickups += 1;
        self.flags.insert(SessionFlags::MIDSTREAM);
        if turn.settings.async_oneside {
            self.flags.insert(SessionFlags::ASYNC);
        }
        true
    }

    /// A SYN/ACK comes first: its sender is the server, whichever way the flow has it.
    fn pick_up_at_synack(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        turn.outcome.exception = Some(StreamException::Midstream);
        if !(turn.settings.midstream || turn.settings.async_oneside) || !self.account_midstream(turn) {
            return Ok(());
        }
        self.flags.insert(SessionFlags::MIDSTREAM_SYNACK);
        if turn.direction == Direction::ToServer {
            self.swap();
            turn.outcome.flip = true;
            turn.direction = Direction::ToClient;
        }
        let opening = Opening::of(turn.packet, &turn.tcp);
        let (server, client) = self.both(Direction::ToClient);
        server.begin(opening.seq, turn.shared);
        client.begin(opening.ack.minus(1), turn.shared);
        client.window_scale = opening.window_scale.unwrap_or(0);
        client.window = opening.window;
        client.widen();
        // What the client offers is unknown; be generous.
        server.window_scale = opening.window_scale.map_or(0, |_| MAX_WINDOW_SCALE);
        server.window = opening.window << server.window_scale;
        server.widen();
        note_timestamp(server, &opening);
        if opening.timestamp.is_some() {
            self.flags.insert(SessionFlags::TIMESTAMP);
        }
        if opening.sack {
            self.flags.insert(SessionFlags::SACK);
        }
        self.enter(TcpState::SynRecv);
        Ok(())
    }

    /// Any other packet comes first: both sides are taken to be in the midst of it.
    fn pick_up(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        turn.outcome.exception = Some(StreamException::Midstream);
        if !turn.settings.midstream || !self.account_midstream(turn) {
            return Ok(());
        }
        self.flags.insert(SessionFlags::MIDSTREAM_ESTABLISHED);
        self.flags.insert(SessionFlags::SACK);
        self.flags.insert(SessionFlags::CONFIRMED);
        let window = u32::from(turn.tcp.window) << MAX_WINDOW_SCALE;
        let (seq, ack) = (Seq(turn.tcp.seq), Seq(turn.tcp.ack));
        let timestamp = turn.tcp.options.timestamp;
        let (sender, receiver) = self.both(turn.direction);
        sender.begin(seq.minus(1), turn.shared);
        receiver.begin(ack.minus(1), turn.shared);
        for half in [&mut *sender, &mut *receiver] {
            half.window_scale = MAX_WINDOW_SCALE;
            half.window = window;
            half.widen();
        }
        if let Some((value, _)) = timestamp {
            sender.note_timestamp(value, turn.packet.time);
            self.flags.insert(SessionFlags::TIMESTAMP);
        }
        self.enter(TcpState::Established);
        self.advance(turn);
        self.presume_acknowledged(turn);
        self.segment(turn);
        if turn.has(Tcp::FIN) {
            self.enter(match turn.direction {
                Direction::ToServer => TcpState::CloseWait,
                Direction::ToClient => TcpState::FinWait1,
            });
        }
        Ok(())
    }

    /// Where only one side is seen nobody acknowledges. Bytes are handed out as they come,
    /// and a hole is given up once the sender is far past it.
    pub(super) fn presume_acknowledged(&mut self, turn: &Turn<'_, '_>) {
        if self.flags.contains(SessionFlags::ASYNC) {
            let sender = &mut self.halves[turn.direction];
            let far = sender.offset(Seq(turn.tcp.seq)).saturating_sub(ASYNC_REORDER_BYTES);
            sender.presume(far.max(0) as u64);
        }
    }
}

/// Takes note of an opening's timestamp.
pub(super) fn note_timestamp(half: &mut Half, opening: &Opening) {
    if let Some(value) = opening.timestamp {
        half.note_timestamp(value, opening.time);
        if value == 0 {
            half.flags.insert(HalfFlags::ZERO_TIMESTAMP);
        } else {
            half.flags.remove(HalfFlags::ZERO_TIMESTAMP);
        }
    }
}
