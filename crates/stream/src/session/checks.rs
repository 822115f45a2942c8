//! Checks and updates that several states share.

use weir_packet::Tcp;

use super::{Invalid, SessionFlags, TcpSession, Turn};
use crate::event::StreamEvent;
use crate::half::HalfFlags;
use crate::handshake_queue::MAX_WINDOW_SCALE;
use crate::policy::OverlapPolicy;
use crate::sequence::Seq;
use crate::state::TcpState;

/// After so many seconds a timestamp may have wrapped (RFC 7323, 5.5).
const TIMESTAMP_LIFE: u64 = 24 * 24 * 3600;

/// Most blocks of a selective acknowledgement that fit the options.
const MAX_SACK_BLOCKS: usize = 4;

impl TcpSession {
    /// Packets that are odd but harmless, and that no state need look at: keep-alives and their
    /// answers. Notes retransmissions, and rejects windows that shrink beyond reason.
    pub(super) fn is_harmless(&mut self, turn: &mut Turn<'_, '_>) -> Result<bool, Invalid> {
        if self.is_keepalive(turn) {
            self.halves[turn.direction].flags.insert(HalfFlags::KEEPALIVE);
            turn.outcome.keepalive = true;
            return Ok(true);
        }
        if self.is_keepalive_answer(turn) {
            self.halves[turn.direction.opposite()].flags.remove(HalfFlags::KEEPALIVE);
            turn.outcome.keepalive_answer = true;
            return Ok(true);
        }
        self.halves[turn.direction].flags.remove(HalfFlags::KEEPALIVE);
        self.note_retransmission(turn);
        if self.is_bad_window_update(turn) {
            turn.reject(StreamEvent::PacketBadWindowUpdate)?;
        }
        Ok(false)
    }

    /// One byte or none, just before the next expected one, to see whether the other side lives
    /// (RFC 9293, 3.8.4). A byte that was not acknowledged yet may be meant as data.
    fn is_keepalive(&self, turn: &Turn<'_, '_>) -> bool {
        let (sender, receiver) = (&self.halves[turn.direction], &self.halves[turn.direction.opposite()]);
        self.state >= TcpState::Established
            && turn.tcp.flags == Tcp::ACK
            && (turn.payload_len() == 0
                || turn.payload_len() == 1 && sender.last_ack.from_on(sender.next_seq))
            && Seq(turn.tcp.seq) == sender.next_seq.minus(1)
            && sender.fin().is_none()
            && Seq(turn.tcp.ack) == receiver.last_ack
            && self.scaled_window(turn) == receiver.window
    }

    fn is_keepalive_answer(&self, turn: &Turn<'_, '_>) -> bool {
        let (sender, receiver) = (&self.halves[turn.direction], &self.halves[turn.direction.opposite()]);
        receiver.flags.contains(HalfFlags::KEEPALIVE)
            && turn.tcp.flags == Tcp::ACK
            && turn.payload_len() == 0
            && Seq(turn.tcp.seq) == sender.next_seq
            && Seq(turn.tcp.ack) == receiver.next_seq
            && Seq(turn.tcp.ack) == receiver.last_ack
    }

    /// Data that was acknowledged before comes again. Before the first answer zero counts as acknowledged, so that the
    /// event tells of half of the numbers that data may begin with there, as Suricata's does.
    fn note_retransmission(&mut self, turn: &mut Turn<'_, '_>) {
        let acknowledged = match self.state {
            TcpState::SynSent => Some(Seq(0)),
            TcpState::None | TcpState::SynRecv => None,
            _ => Some(self.halves[turn.direction].last_ack),
        };
        let end = Seq(turn.tcp.seq).plus(turn.payload_len());
        let again = !self.flags.contains(SessionFlags::ASYNC)
            && turn.payload_len() > 0
            && turn.tcp.flags & (Tcp::SYN | Tcp::RST) == 0
            && acknowledged.is_some_and(|acknowledged| end.up_to(acknowledged));
        if again {
            turn.outcome.retransmission = true;
            turn.event(StreamEvent::PacketSpuriousRetransmission);
        }
    }

    /// The window shrinks by more than the packet explains, in a packet that lies ahead of all
    /// that was seen.
    fn is_bad_window_update(&self, turn: &Turn<'_, '_>) -> bool {
        let (sender, receiver) = (&self.halves[turn.direction], &self.halves[turn.direction.opposite()]);
        let shrinks_by = receiver.window.saturating_sub(self.scaled_window(turn));
        (TcpState::Established..TcpState::Closed).contains(&self.state)
            && turn.tcp.flags & (Tcp::SYN | Tcp::RST | Tcp::FIN) == 0
            && !self.flags.contains(SessionFlags::MIDSTREAM)
            && shrinks_by > turn.payload_len()
            && Seq(turn.tcp.ack).after(receiver.end_seq())
            && Seq(turn.tcp.seq).after(sender.end_seq())
    }

    /// The window that the packet offers.
    pub(super) fn scaled_window(&self, turn: &Turn<'_, '_>) -> u32 {
        let receiver = &self.halves[turn.direction.opposite()];
        u32::from(turn.tcp.window) << receiver.window_scale.min(MAX_WINDOW_SCALE)
    }

    /// Whether the acknowledgement is of something that can have been sent, and not long past.
    pub(super) fn valid_ack(&self, turn: &mut Turn<'_, '_>) -> bool {
        if !turn.has(Tcp::ACK) {
            return true;
        }
        let receiver = &self.halves[turn.direction.opposite()];
        let ack = Seq(turn.tcp.ack);
        let valid = if ack.before(receiver.last_ack) {
            receiver.window == 0 || ack.from_on(receiver.last_ack.minus(receiver.window))
        } else if self.flags.contains(SessionFlags::ASYNC) || ack == receiver.last_ack {
            true
        } else {
            // A FIN takes a sequence number but no window.
            ack.up_to(receiver.next_win) || (receiver.fin().is_some() && ack == receiver.next_seq.plus(1))
        };
        if !valid {
            turn.event(StreamEvent::PacketInvalidAck);
        }
        valid
    }

    /// Rejects the packet with `event` where its acknowledgement is impossible.
    pub(super) fn require_ack(&self, turn: &mut Turn<'_, '_>, event: StreamEvent) -> Result<(), Invalid> {
        let valid = self.valid_ack(turn);
        turn.require(valid, event)
    }

    /// PAWS (RFC 7323, 5): rejects a packet whose timestamp runs backwards.
    pub(super) fn require_timestamp(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        let Some((value, _)) = turn.tcp.options.timestamp else {
            return Ok(());
        };
        if !self.flags.contains(SessionFlags::TIMESTAMP) {
            return Ok(());
        }
        let midstream = self.flags.contains(SessionFlags::MIDSTREAM);
        let sender = &mut self.halves[turn.direction];
        if sender.flags.contains(HalfFlags::ZERO_TIMESTAMP) {
            // The handshake said zero; what counts starts here.
            sender.flags.remove(HalfFlags::ZERO_TIMESTAMP);
            sender.note_timestamp(value, turn.packet.time);
            return Ok(());
        }
        if sender.last_ts == 0 && midstream {
            return Ok(());
        }
        let in_order = Seq(turn.tcp.seq) == sender.next_seq;
        if sender.policy == OverlapPolicy::Hpux11 && !in_order {
            return Ok(());
        }
        // Linux takes a timestamp that is one behind.
        let lenient = turn.settings.liberal_timestamps || sender.policy == OverlapPolicy::Linux;
        let tolerance = i32::from(lenient);
        let runs_on = (value.wrapping_sub(sender.last_ts) as i32) + tolerance >= 0;
        let stale = sender.timestamp_age(turn.packet.time) > TIMESTAMP_LIFE;
        if runs_on && !stale {
            return Ok(());
        }
        if in_order && stale {
            sender.note_timestamp(value, turn.packet.time);
            return Ok(());
        }
        turn.reject(StreamEvent::PacketInvalidTimestamp)
    }

    /// Whether a RST is one that the host it is meant for takes. One that is signed in a
    /// connection whose SYN was not is ignored by its receiver (RFC 2385, RFC 5925).
    pub(super) fn valid_reset(&mut self, turn: &mut Turn<'_, '_>) -> bool {
        if is_signed(&turn.tcp) && !self.flags.contains(SessionFlags::SIGNED) {
            turn.event(StreamEvent::SuspectedRstInject);
            return false;
        }
        if self.require_timestamp(turn).is_err() {
            return false;
        }
        let seq = Seq(turn.tcp.seq);
        let (asynchronous, state) = (self.flags.contains(SessionFlags::ASYNC), self.state);
        let sender = &self.halves[turn.direction];
        let end = seq.plus(turn.payload_len());
        let expected = seq == sender.next_seq || (sender.fin().is_some() && seq == sender.next_seq.plus(1));
        let taken = if asynchronous {
            seq.from_on(sender.next_seq)
        } else if state <= TcpState::SynRecv {
            expected || seq == sender.last_ack
        } else if sender.policy == OverlapPolicy::Hpux11 {
            seq.from_on(sender.next_seq)
        } else if sender.policy.reset_in_window() {
            end.from_on(sender.last_ack) && seq.up_to(sender.next_seq.plus(sender.window))
        } else {
            expected || seq == sender.last_ack
        };
        if !taken {
            return false;
        }
        // Some hosts reset with an acknowledgement of zero.
        if turn.has(Tcp::ACK) && turn.tcp.ack != 0 && !self.valid_ack(turn) {
            turn.event(StreamEvent::RstInvalidAck);
            return false;
        }
        true
    }

    /// Takes note of window, acknowledgement and timestamp of a packet that fits.
    pub(super) fn update(&mut self, turn: &mut Turn<'_, '_>) {
        let window = self.scaled_window(turn);
        let sack = self.flags.contains(SessionFlags::SACK);
        let (sender, receiver) = self.both(turn.direction);
        receiver.window = window;
        if turn.has(Tcp::ACK) {
            let ack = Seq(turn.tcp.ack);
            if ack.after(receiver.last_ack) && ack.after(receiver.end_seq()) {
                turn.shared.counters.ack_unseen_data += 1;
                turn.outcome.acks_unseen = true;
            }
            receiver.acknowledge(ack);
            if sack {
                note_sack(receiver, turn.tcp.options.sack);
            }
        }
        receiver.widen();
        if let Some((value, _)) = turn.tcp.options.timestamp {
            let newer = value.wrapping_sub(sender.last_ts) as i32 >= 0;
            if newer && Seq(turn.tcp.seq).up_to(sender.next_seq) {
                sender.note_timestamp(value, turn.packet.time);
            }
        }
    }

    /// Moves the sender's next sequence number past the packet. A FIN is not counted in, and
    /// nothing comes after it.
    pub(super) fn advance(&mut self, turn: &Turn<'_, '_>) {
        let sender = &mut self.halves[turn.direction];
        let end = Seq(turn.tcp.seq).plus(turn.payload_len());
        if sender.fin().is_none() && end.after(sender.next_seq) {
            sender.next_seq = end;
        }
    }
}

/// Whether a packet has the MD5 signature or the authentication option.
pub(super) fn is_signed(tcp: &Tcp<'_>) -> bool {
    const FIXED_HEADER: usize = 20;
    const END: u8 = 0;
    const NO_OPERATION: u8 = 1;
    const MD5: u8 = 19;
    const AUTHENTICATION: u8 = 29;
    let mut options = weir_base::Reader::new(tcp.header.get(FIXED_HEADER..).unwrap_or_default());
    while let Some(kind) = options.u8() {
        match kind {
            END => return false,
            NO_OPERATION => {}
            MD5 | AUTHENTICATION => return true,
            _ => {
                let length = options.u8().map_or(0, usize::from);
                if length < 2 || options.skip(length - 2).is_none() {
                    return false;
                }
            }
        }
    }
    false
}

/// Adds the blocks of a selective acknowledgement.
fn note_sack(receiver: &mut crate::half::Half, option: &[u8]) {
    let mut reader = weir_base::Reader::new(option);
    for _ in 0..MAX_SACK_BLOCKS {
        let (Some(left), Some(right)) = (reader.u32(), reader.u32()) else {
            return;
        };
        receiver.note_sack(Seq(left), Seq(right));
    }
}
