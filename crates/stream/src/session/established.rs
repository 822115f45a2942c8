//! While data flows, and the packet that ends that: FIN or RST.

use weir_base::Direction;
use weir_packet::Tcp;

use super::{Invalid, SessionFlags, TcpSession, Turn};
use crate::event::StreamEvent;
use crate::half::HalfFlags;
use crate::sequence::Seq;
use crate::state::TcpState;

impl TcpSession {
    pub(super) fn established(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if turn.has(Tcp::RST) {
            return self.valid_reset_closes(turn);
        }
        if turn.has(Tcp::FIN) {
            self.require_timestamp(turn)?;
            return self.fin(turn);
        }
        if turn.has(Tcp::SYN | Tcp::ACK) {
            return self.synack_after_handshake(turn);
        }
        if turn.has(Tcp::SYN) {
            turn.require(turn.to_server(), StreamEvent::EstablishedSynToClient)?;
            let same = Seq(turn.tcp.seq) == self.halves.to_server.isn;
            turn.require(same, StreamEvent::EstablishedSynResendDifferentSeq)?;
            return turn.reject(StreamEvent::EstablishedSynResend);
        }
        if turn.has(Tcp::ACK) || turn.settings.lenient {
            self.require_timestamp(turn)?;
            return self.data(turn);
        }
        Ok(())
    }

    /// A SYN/ACK again is in order while the client's last ACK may have been lost.
    fn synack_after_handshake(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        turn.require(!turn.to_server(), StreamEvent::EstablishedSynAckToServer)?;
        let (client, server) = (&self.halves.to_server, &self.halves.to_client);
        let same_ack = Seq(turn.tcp.ack) == client.last_ack;
        let same_seq = Seq(turn.tcp.seq) == server.isn;
        turn.require(same_ack, StreamEvent::EstablishedSynAckResendWithDifferentAck)?;
        turn.require(same_seq, StreamEvent::EstablishedSynAckResendWithDifferentSeq)?;
        turn.require(!self.flags.contains(SessionFlags::CONFIRMED), StreamEvent::EstablishedSynAckResend)
    }

    fn data(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        self.require_ack(turn, StreamEvent::EstablishedInvalidAck)?;
        let seq = Seq(turn.tcp.seq);
        let end = seq.plus(turn.payload_len());
        let loose = self.flags.contains(SessionFlags::ASYNC) || self.flags.contains(SessionFlags::MIDSTREAM);
        let (sender, receiver) = self.both(turn.direction);
        // A keep-alive that changes the window, too, is not distinguished before.
        let alive = turn.payload_len() <= 1 && seq == sender.next_seq.minus(1);
        if end.before(sender.last_ack) && !loose && !alive {
            return turn.reject(StreamEvent::EstablishedPacketBeforeLastAck);
        }
        let in_window = end.up_to(sender.next_win) || loose;
        let probe = sender.window == 0 && turn.payload_len() == 1 && seq == sender.next_seq;
        if !in_window && !probe {
            return turn.reject(StreamEvent::EstablishedPacketOutOfWindow);
        }
        if probe {
            sender.flags.insert(HalfFlags::WINDOW_PROBE);
            turn.outcome.window_probe = true;
        } else if turn.payload_len() > 0 {
            sender.flags.remove(HalfFlags::WINDOW_PROBE);
        }
        let probe_acked = receiver.flags.contains(HalfFlags::WINDOW_PROBE)
            && Seq(turn.tcp.ack) == receiver.next_seq.plus(1);
        if probe_acked {
            receiver.flags.remove(HalfFlags::WINDOW_PROBE);
            receiver.next_seq = receiver.next_seq.plus(1);
            turn.event(StreamEvent::EstablishedAckOfZeroWindowProbe);
        }
        if !turn.to_server() {
            self.flags.insert(SessionFlags::CONFIRMED);
        }
        self.presume_acknowledged(turn);
        self.update(turn);
        if !probe {
            self.advance(turn);
        }
        self.segment(turn);
        Ok(())
    }

    /// The first FIN.
    pub(super) fn fin(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        self.require_ack(turn, StreamEvent::FinInvalidAck)?;
        let seq = Seq(turn.tcp.seq);
        let sender = &self.halves[turn.direction];
        let limit = sender.last_ack.plus(sender.window).later(sender.next_win);
        let fits = seq.plus(turn.payload_len()).from_on(sender.next_seq) && seq.up_to(limit);
        turn.require(fits, StreamEvent::FinOutOfWindow)?;
        turn.require(!turn.has(Tcp::SYN), StreamEvent::FinSyn)?;
        self.enter(match turn.direction {
            Direction::ToServer => TcpState::CloseWait,
            Direction::ToClient => TcpState::FinWait1,
        });
        self.finish_side(turn);
        Ok(())
    }

    /// Takes in a FIN that fits, with its data.
    pub(super) fn finish_side(&mut self, turn: &mut Turn<'_, '_>) {
        self.presume_acknowledged(turn);
        self.update(turn);
        self.advance(turn);
        self.segment(turn);
    }

    /// A RST in any state past the handshake.
    pub(super) fn valid_reset_closes(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if !self.valid_reset(turn) {
            return Err(Invalid);
        }
        self.reset(turn.direction, turn);
        Ok(())
    }

    /// The connection ends here and now; `reset` is the half of the host that is heeded no more.
    pub(super) fn reset(&mut self, reset: Direction, turn: &mut Turn<'_, '_>) {
        self.halves[reset].flags.insert(HalfFlags::RESET);
        if turn.payload_len() > 0 {
            turn.event(StreamEvent::RstWithData);
        }
        self.enter(TcpState::Closed);
        if turn.has(Tcp::ACK) && self.valid_ack_of_reset(turn) {
            self.halves[turn.direction.opposite()].acknowledge(Seq(turn.tcp.ack));
        }
        self.segment(turn);
    }

    /// A RST's acknowledgement counts only where it is of something that was sent.
    fn valid_ack_of_reset(&self, turn: &Turn<'_, '_>) -> bool {
        let receiver = &self.halves[turn.direction.opposite()];
        let ack = Seq(turn.tcp.ack);
        ack.after(receiver.last_ack) && ack.up_to(receiver.next_seq)
    }
}
