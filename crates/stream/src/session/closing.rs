//! From the first FIN to the end.
//!
//! A FIN of the server leads through FIN_WAIT1 and FIN_WAIT2 or CLOSING to TIME_WAIT; one of the
//! client through CLOSE_WAIT to LAST_ACK. A packet that fits is handled as in the state before.

use weir_base::Direction;
use weir_packet::Tcp;

use super::{Invalid, SessionFlags, TcpSession, Turn};
use crate::event::StreamEvent;
use crate::half::HalfFlags;
use crate::sequence::Seq;
use crate::state::TcpState;

/// Kind of a packet in a state after the first FIN.
enum Kind {
    Fin,
    Ack,
    /// Nothing that matters here, or handled already.
    Other,
}

impl TcpSession {
    /// Common checks of all states past the first FIN: RST ends, SYN is out of place.
    fn kind(&mut self, turn: &mut Turn<'_, '_>) -> Result<Kind, Invalid> {
        if turn.has(Tcp::RST) {
            self.valid_reset_closes(turn)?;
            return Ok(Kind::Other);
        }
        if turn.has(Tcp::SYN) && !turn.has(Tcp::FIN) {
            turn.reject(StreamEvent::ShutdownSynResend)?;
        }
        if turn.tcp.flags & (Tcp::FIN | Tcp::ACK) != 0 {
            self.require_timestamp(turn)?;
        }
        Ok(match (turn.has(Tcp::FIN), turn.has(Tcp::ACK)) {
            (true, _) => Kind::Fin,
            (false, true) => Kind::Ack,
            _ => Kind::Other,
        })
    }

    /// Whether the sender's FIN, or data before it, acknowledged or not, is sent again.
    fn is_repeated(&self, turn: &mut Turn<'_, '_>) -> bool {
        let sender = &self.halves[turn.direction];
        let seq = Seq(turn.tcp.seq);
        let end = seq.plus(turn.payload_len());
        let data = turn.payload_len() > 0 && (seq.before(sender.last_ack) || end.up_to(sender.next_seq));
        if data {
            turn.outcome.retransmission = true;
            turn.event(StreamEvent::PacketRetransmission);
        }
        data || turn.has(Tcp::FIN) && sender.fin().is_some() && end.up_to(sender.next_seq)
    }

    /// Whether the packet begins where the sender's FIN or last byte left off.
    fn at_end(&self, turn: &Turn<'_, '_>) -> bool {
        let (seq, next) = (Seq(turn.tcp.seq), self.halves[turn.direction].next_seq);
        self.is_loose() || seq == next || seq == next.plus(1)
    }

    const fn is_loose(&self) -> bool {
        self.flags.contains(SessionFlags::ASYNC) || self.flags.contains(SessionFlags::MIDSTREAM)
    }

    /// Whether a FIN lies between what was sent and the window's edge.
    fn fin_fits(&self, turn: &Turn<'_, '_>) -> bool {
        let sender = &self.halves[turn.direction];
        let seq = Seq(turn.tcp.seq);
        let limit = sender.last_ack.plus(sender.window).later(sender.next_win);
        self.is_loose() || seq.from_on(sender.next_seq) && seq.up_to(limit)
    }

    /// Whether the packet ends within the window.
    fn in_window(&self, turn: &Turn<'_, '_>) -> bool {
        let sender = &self.halves[turn.direction];
        let end = Seq(turn.tcp.seq).plus(turn.payload_len());
        self.is_loose() || end.up_to(sender.next_win) || end.up_to(sender.next_seq.plus(1))
    }

    /// Whether the packet acknowledges the other side's FIN.
    fn acknowledges_fin(&self, turn: &Turn<'_, '_>) -> bool {
        let receiver = &self.halves[turn.direction.opposite()];
        turn.has(Tcp::ACK) && receiver.fin().is_some() && Seq(turn.tcp.ack).from_on(receiver.next_seq.plus(1))
    }

    /// Takes in a packet that fits. One that is ahead of what was sent, as behind a FIN that is late, moves nothing on;
    /// data that comes in place of a FIN does.
    fn go_on(&mut self, turn: &mut Turn<'_, '_>) {
        self.presume_acknowledged(turn);
        self.update(turn);
        let sender = &mut self.halves[turn.direction];
        if Seq(turn.tcp.seq) == sender.next_seq {
            sender.next_seq = sender.next_seq.plus(turn.payload_len());
        } else if self.is_loose() {
            self.advance(turn);
        }
        self.segment(turn);
    }

    /// The server is done.
    pub(super) fn fin_wait1(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        match self.kind(turn)? {
            Kind::Other => {}
            Kind::Fin if self.is_repeated(turn) || turn.direction == Direction::ToClient => {
                self.require_ack(turn, StreamEvent::Fin1InvalidAck)?;
                self.go_on(turn);
            }
            Kind::Fin => {
                turn.require(self.fin_fits(turn), StreamEvent::Fin1FinWrongSeq)?;
                self.require_ack(turn, StreamEvent::Fin1InvalidAck)?;
                let acked = self.acknowledges_fin(turn);
                self.go_on(turn);
                self.enter(if acked { TcpState::TimeWait } else { TcpState::Closing });
            }
            Kind::Ack => {
                let repeated = self.is_repeated(turn);
                self.require_ack(turn, StreamEvent::Fin1InvalidAck)?;
                turn.require(repeated || self.in_window(turn), StreamEvent::Fin1AckWrongSeq)?;
                let acked = turn.to_server() && self.acknowledges_fin(turn);
                self.go_on(turn);
                if acked {
                    self.enter(TcpState::FinWait2);
                }
            }
        }
        Ok(())
    }

    /// The server is done, and the client knows.
    pub(super) fn fin_wait2(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        match self.kind(turn)? {
            Kind::Other => {}
            Kind::Fin => {
                let repeated = self.is_repeated(turn) || turn.direction == Direction::ToClient;
                turn.require(repeated || self.fin_fits(turn), StreamEvent::Fin2FinWrongSeq)?;
                self.require_ack(turn, StreamEvent::Fin2InvalidAck)?;
                self.go_on(turn);
                if !repeated {
                    self.enter(TcpState::TimeWait);
                }
            }
            Kind::Ack => {
                let repeated = self.is_repeated(turn);
                self.require_ack(turn, StreamEvent::Fin2InvalidAck)?;
                turn.require(repeated || self.in_window(turn), StreamEvent::Fin2AckWrongSeq)?;
                self.go_on(turn);
            }
        }
        Ok(())
    }

    /// The client is done.
    pub(super) fn close_wait(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        match self.kind(turn)? {
            Kind::Other => {}
            Kind::Fin => {
                let repeated = self.is_repeated(turn) || turn.direction == Direction::ToServer;
                turn.require(repeated || self.fin_fits(turn), StreamEvent::CloseWaitFinOutOfWindow)?;
                self.require_ack(turn, StreamEvent::CloseWaitInvalidAck)?;
                self.go_on(turn);
                if !repeated {
                    self.enter(TcpState::LastAck);
                }
            }
            Kind::Ack => {
                let repeated = self.is_repeated(turn);
                self.require_ack(turn, StreamEvent::CloseWaitInvalidAck)?;
                let end = Seq(turn.tcp.seq).plus(turn.payload_len());
                let acknowledged = end.up_to(self.halves[turn.direction].last_ack);
                if turn.payload_len() > 0 && acknowledged && !self.is_loose() {
                    return turn.reject(StreamEvent::CloseWaitPacketBeforeLastAck);
                }
                turn.require(repeated || self.in_window(turn), StreamEvent::CloseWaitAckOutOfWindow)?;
                self.go_on(turn);
            }
        }
        Ok(())
    }

    /// Both are done at once.
    pub(super) fn closing(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        match self.kind(turn)? {
            Kind::Other | Kind::Fin => {}
            Kind::Ack => {
                let repeated = self.is_repeated(turn);
                turn.require(repeated || self.at_end(turn), StreamEvent::ClosingAckWrongSeq)?;
                self.require_ack(turn, StreamEvent::ClosingInvalidAck)?;
                let acked = self.acknowledges_fin(turn);
                self.go_on(turn);
                if !repeated && acked {
                    self.enter(TcpState::TimeWait);
                }
            }
        }
        Ok(())
    }

    /// The client is done, then the server.
    pub(super) fn last_ack(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        match self.kind(turn)? {
            Kind::Other | Kind::Fin => {}
            Kind::Ack => {
                let repeated = self.is_repeated(turn);
                self.require_ack(turn, StreamEvent::LastAckInvalidAck)?;
                let earlier = Seq(turn.tcp.seq).before(self.halves[turn.direction].next_seq);
                turn.require(repeated || earlier || self.at_end(turn), StreamEvent::LastAckAckWrongSeq)?;
                let last = turn.to_server() && !repeated && !earlier && self.acknowledges_fin(turn);
                self.go_on(turn);
                if last {
                    self.enter(TcpState::Closed);
                }
            }
        }
        Ok(())
    }

    /// Both are done; the last acknowledgement may come again.
    pub(super) fn time_wait(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        match self.kind(turn)? {
            Kind::Other | Kind::Fin => {}
            Kind::Ack => {
                let repeated = self.is_repeated(turn);
                turn.require(repeated || self.at_end(turn), StreamEvent::TimeWaitAckWrongSeq)?;
                self.require_ack(turn, StreamEvent::TimeWaitInvalidAck)?;
                self.go_on(turn);
                if !repeated {
                    self.enter(TcpState::Closed);
                }
            }
        }
        Ok(())
    }

    /// Over. Where a RST ended the handshake and its receiver goes on as if nothing was, the RST may not
    /// have been its supposed sender's; the session then goes on too.
    pub(super) fn closed(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if turn.has(Tcp::RST) {
            self.halves[turn.direction].flags.insert(HalfFlags::RESET);
            return Ok(());
        }
        let (sender, receiver) = self.both(turn.direction);
        let (own, other) =
            (sender.flags.contains(HalfFlags::RESET), receiver.flags.contains(HalfFlags::RESET));
        if own || !other || self.previous > TcpState::SynRecv {
            return Ok(());
        }
        let resumed = self.previous;
        self.by_state(resumed, turn)?;
        if self.state == TcpState::Closed {
            self.state = resumed;
        }
        Ok(())
    }
}
