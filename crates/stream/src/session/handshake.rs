//! From the first SYN to the last ACK of the handshake (RFC 9293, 3.5; fast open: RFC 7413).

use weir_base::Direction;
use weir_packet::Tcp;

use super::checks::is_signed;
use super::midstream::note_timestamp;
use super::{Invalid, SessionFlags, TcpSession, Turn};
use crate::event::StreamEvent;
use crate::handshake_queue::{Opening, Openings, echoes};
use crate::sequence::Seq;
use crate::shared::StreamShared;
use crate::state::TcpState;

impl TcpSession {
    /// A SYN without a session before it.
    pub(super) fn begin_with_syn(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if !self.account(turn) {
            return Ok(());
        }
        if turn.direction == Direction::ToClient {
            self.swap();
            turn.outcome.flip = true;
            turn.direction = Direction::ToServer;
        }
        if turn.settings.async_oneside {
            self.flags.insert(SessionFlags::ASYNC);
        }
        if is_signed(&turn.tcp) {
            self.flags.insert(SessionFlags::SIGNED);
        }
        let opening = Opening::of(turn.packet, &turn.tcp);
        self.open_client(&opening, turn.shared);
        self.enter(TcpState::SynSent);
        if opening.fast_open && opening.payload > 0 {
            self.segment(turn);
        }
        Ok(())
    }

    /// The client's half begins with `syn`.
    fn open_client(&mut self, syn: &Opening, shared: &mut StreamShared) {
        let client = &mut self.halves.to_server;
        client.begin(syn.seq, shared);
        if syn.fast_open {
            client.next_seq = client.next_seq.plus(syn.payload);
        }
        note_timestamp(client, syn);
        // What the client offers limits the server. A SYN's window is never scaled.
        let server = &mut self.halves.to_client;
        server.window = syn.window;
        server.window_scale = syn.window_scale.unwrap_or(0);
        for (flag, offered) in [
            (SessionFlags::CLIENT_TIMESTAMP, syn.timestamp.is_some()),
            (SessionFlags::CLIENT_SCALE, syn.window_scale.is_some()),
            (SessionFlags::CLIENT_SACK, syn.sack),
            (SessionFlags::FAST_OPEN, syn.fast_open),
        ] {
            if offered {
                self.flags.insert(flag);
            } else {
                self.flags.remove(flag);
            }
        }
    }

    /// After a SYN.
    pub(super) fn syn_sent(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        self.require_echo(turn)?;
        if turn.has(Tcp::RST) {
            return self.reset_syn_sent(turn);
        }
        if turn.has(Tcp::FIN) {
            return Ok(());
        }
        if turn.has(Tcp::SYN | Tcp::ACK) {
            return if turn.to_server() { self.four_way_synack(turn) } else { self.synack(turn) };
        }
        if turn.has(Tcp::SYN) {
            return if turn.to_server() { self.syn_again(turn) } else { self.syn_from_server(turn) };
        }
        if turn.has(Tcp::ACK) {
            return self.async_ack(turn);
        }
        Ok(())
    }

    /// The server refuses (its sequence number is zero and it acknowledges the SYN), or the client
    /// takes its SYN back.
    fn reset_syn_sent(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        let client = &self.halves.to_server;
        let meant = if turn.to_server() {
            let seq = Seq(turn.tcp.seq);
            seq == client.isn || seq == client.next_seq
        } else {
            let ack = Seq(turn.tcp.ack);
            !turn.has(Tcp::ACK) || ack.after(client.isn) && ack.up_to(client.next_seq)
        };
        if !meant {
            return Err(Invalid);
        }
        // The client is heeded no more, whoever says so: a refused one may try again, but begins nothing by that.
        self.reset(Direction::ToServer, turn);
        Ok(())
    }

    /// A SYN once more; a different one is remembered until the answer tells which was meant.
    fn syn_again(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        let opening = Opening::of(turn.packet, &turn.tcp);
        if opening.seq == self.halves.to_server.isn && opening.timestamp == self.client_timestamp() {
            return Ok(());
        }
        let syns = &mut self.halves.to_server.openings_mut().syns;
        if !syns.add_for_oldest(opening, turn.settings.max_syn_queued) {
            turn.event(StreamEvent::HandshakeSynFlood);
        }
        Ok(())
    }

    /// Timestamp of the SYN that is taken to be meant.
    fn client_timestamp(&self) -> Option<u32> {
        self.flags.contains(SessionFlags::CLIENT_TIMESTAMP).then_some(self.halves.to_server.last_ts)
    }

    /// Whether the server echoes a timestamp of a SYN, as it must.
    fn require_echo(&self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        let Some((_, echo)) = turn.tcp.options.timestamp.filter(|_| !turn.to_server()) else {
            return Ok(());
        };
        let queued = || {
            let found = |openings: &Openings| openings.syns.find(|syn| echoes(syn.timestamp, echo));
            self.halves.to_server.openings().and_then(found)
        };
        // A host that offered no timestamps gets none echoed; what refuses it must not pretend to.
        let right = match self.client_timestamp() {
            None => echo == 0 || turn.has(Tcp::SYN),
            offered => echoes(offered, echo),
        };
        let right = right || queued().is_some();
        turn.require(right, StreamEvent::PacketInvalidTimestamp)
    }

    /// Both sides send a SYN: a simultaneous open, or a handshake split in four.
    fn syn_from_server(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        self.flags.insert(SessionFlags::FOUR_WAY);
        let opening = Opening::of(turn.packet, &turn.tcp);
        self.halves.to_client.begin(opening.seq, turn.shared);
        self.open_server(&opening);
        Ok(())
    }

    /// Takes over the server's SYN or SYN/ACK.
    fn open_server(&mut self, opening: &Opening) {
        let scaled = self.flags.contains(SessionFlags::CLIENT_SCALE) && opening.window_scale.is_some();
        if self.flags.contains(SessionFlags::CLIENT_TIMESTAMP) && opening.timestamp.is_some() {
            self.flags.insert(SessionFlags::TIMESTAMP);
        } else {
            self.flags.remove(SessionFlags::TIMESTAMP);
        }
        if self.flags.contains(SessionFlags::CLIENT_SACK) && opening.sack {
            self.flags.insert(SessionFlags::SACK);
        }
        let (client, server) = self.both(Direction::ToServer);
        client.window = opening.window;
        client.window_scale = if scaled { opening.window_scale.unwrap_or(0) } else { 0 };
        if !scaled {
            server.window_scale = 0;
        }
        note_timestamp(server, opening);
        client.widen();
        server.widen();
    }

    /// The client answers the server's SYN.
    fn four_way_synack(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if !self.flags.contains(SessionFlags::FOUR_WAY) {
            return turn.reject(StreamEvent::HandshakeSynAckInWrongDirection);
        }
        let (client, server) = (&self.halves.to_server, &self.halves.to_client);
        let (right_ack, right_syn) =
            (Seq(turn.tcp.ack) == server.isn.plus(1), Seq(turn.tcp.seq) == client.isn);
        turn.require(right_ack, StreamEvent::FourWaySynAckWithWrongAck)?;
        turn.require(right_syn, StreamEvent::FourWaySynAckWithWrongSyn)?;
        self.update(turn);
        self.enter(TcpState::SynRecv);
        Ok(())
    }

    /// The server answers.
    fn synack(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        let ack = Seq(turn.tcp.ack);
        let echo = turn.tcp.options.timestamp.map(|(_, echo)| echo);
        let right_echo = echo.is_none_or(|echo| echoes(self.client_timestamp(), echo));
        let first = ack == self.halves.to_server.next_seq && right_echo;
        if !first && !self.choose_syn(ack, echo, turn.shared) {
            let client = &mut self.halves.to_server;
            let refused = self.flags.contains(SessionFlags::FAST_OPEN) && ack == client.isn.plus(1);
            turn.require(refused, StreamEvent::HandshakeSynAckWithWrongAck)?;
            // The server took the SYN but not its data, which comes again.
            client.next_seq = ack;
            client.segments.clear(turn.shared);
            self.flags.insert(SessionFlags::FAST_OPEN_IGNORED);
            turn.event(StreamEvent::HandshakeSynAckFastOpenDataIgnored);
        }
        let opening = Opening::of(turn.packet, &turn.tcp);
        self.halves.to_client.begin(opening.seq, turn.shared);
        let with_data = self.flags.contains(SessionFlags::FAST_OPEN) && opening.payload > 0;
        if with_data {
            self.halves.to_client.next_seq = opening.seq.plus(1).plus(opening.payload);
        }
        self.open_server(&opening);
        self.halves.to_server.acknowledge(ack);
        self.halves.to_server.widen();
        self.enter(TcpState::SynRecv);
        if with_data {
            self.segment(turn);
        }
        Ok(())
    }

    /// One of several SYNs is the one that a SYN/ACK with this acknowledgement answers.
    fn choose_syn(&mut self, ack: Seq, echo: Option<u32>, shared: &mut StreamShared) -> bool {
        let find = |openings: &Openings| openings.syns.find(|syn| syn.is_answered_by(ack, echo));
        let chosen = self.halves.to_server.openings().and_then(find);
        if let Some(syn) = chosen {
            self.open_client(&syn, shared);
            self.halves.to_server.next_seq = ack;
        }
        chosen.is_some()
    }

    /// After the SYN the client goes on without an answer: only its side is seen.
    fn async_ack(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if !turn.settings.async_oneside {
            return Ok(());
        }
        let right = turn.to_server() && Seq(turn.tcp.seq) == self.halves.to_server.next_seq;
        turn.require(right, StreamEvent::HandshakeAsyncWrongSeq)?;
        self.flags.insert(SessionFlags::ASYNC);
        self.halves.to_client.begin(Seq(turn.tcp.ack).minus(1), turn.shared);
        let window = self.scaled_window(turn);
        let (client, server) = self.both(Direction::ToServer);
        // What the server offers is never seen; the client's own window, unscaled, must do.
        client.window = u32::from(turn.tcp.window);
        client.widen();
        server.window = window;
        server.widen();
        self.enter(TcpState::Established);
        self.presume_acknowledged(turn);
        self.advance(turn);
        self.segment(turn);
        Ok(())
    }

    /// After the SYN/ACK.
    pub(super) fn syn_recv(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if turn.has(Tcp::RST) {
            return self.reset_syn_recv(turn);
        }
        if turn.has(Tcp::SYN | Tcp::FIN) {
            return Err(Invalid);
        }
        if turn.has(Tcp::FIN) {
            self.require_timestamp(turn)?;
            return self.fin(turn);
        }
        if turn.has(Tcp::SYN | Tcp::ACK) {
            return self.synack_again(turn);
        }
        if turn.has(Tcp::SYN) {
            turn.require(turn.to_server(), StreamEvent::HandshakeSynToClientOnSynRecv)?;
            let same = Seq(turn.tcp.seq) == self.halves.to_server.isn;
            return turn.require(same, StreamEvent::HandshakeSynResendDifferentSeqOnSynRecv);
        }
        if turn.has(Tcp::ACK) {
            return self.last_handshake_ack(turn);
        }
        Ok(())
    }

    /// After an evasion attempt some hosts take a RST for a stray packet.
    fn reset_syn_recv(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if !self.valid_reset(turn) {
            return Err(Invalid);
        }
        let stray = self.flags.contains(SessionFlags::EVASION)
            && self.halves[turn.direction].policy.ignores_stray_ack();
        if !stray {
            self.reset(turn.direction, turn);
        }
        Ok(())
    }

    /// A SYN/ACK once more; a different one is remembered until the client tells which it took.
    fn synack_again(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        turn.require(!turn.to_server(), StreamEvent::HandshakeSynAckToServerOnSynRecv)?;
        let (seq, ack) = (Seq(turn.tcp.seq), Seq(turn.tcp.ack));
        if ack == self.halves.to_server.last_ack && seq == self.halves.to_client.isn {
            return Ok(());
        }
        turn.event(if ack == self.halves.to_server.last_ack {
            StreamEvent::HandshakeSynAckResendWithDifferentSeq
        } else {
            StreamEvent::HandshakeSynAckResendWithDifferentAck
        });
        let opening = Opening::of(turn.packet, &turn.tcp);
        let kept = self.halves.to_server.openings_mut().synacks.add(opening, turn.settings.max_synack_queued);
        turn.require(kept, StreamEvent::HandshakeSynAckFlood)
    }

    /// One of several SYN/ACKs is the one that the client acknowledges.
    fn choose_synack(&mut self, ack: Seq, shared: &mut StreamShared) {
        let chosen =
            self.halves.to_server.openings().and_then(|o| o.synacks.find(|synack| synack.seq.plus(1) == ack));
        if let Some(synack) = chosen {
            self.halves.to_client.begin(synack.seq, shared);
            self.open_server(&synack);
            self.halves.to_server.acknowledge(synack.ack);
        }
    }

    fn last_handshake_ack(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        if turn.to_server() && Seq(turn.tcp.ack) != self.halves.to_client.next_seq {
            self.choose_synack(Seq(turn.tcp.ack), turn.shared);
        }
        self.require_timestamp(turn)?;
        let (seq, ack) = (Seq(turn.tcp.seq), Seq(turn.tcp.ack));
        if self.flags.contains(SessionFlags::FOUR_WAY) && !turn.to_server() {
            let right = seq == self.halves.to_client.next_seq;
            turn.require(right, StreamEvent::FourWayWrongSeq)?;
            self.require_ack(turn, StreamEvent::FourWayInvalidAck)?;
            return self.complete(turn);
        }
        if !turn.to_server() && !self.flags.contains(SessionFlags::MIDSTREAM_SYNACK) {
            return self.ack_from_server(turn);
        }
        let (sender, receiver) = self.both(turn.direction);
        let right_seq = seq == sender.next_seq;
        let right_ack = ack.from_on(receiver.isn.plus(1)) && ack.up_to(receiver.next_seq);
        let ahead = seq.after(sender.next_seq) && seq.up_to(sender.next_win) && ack == receiver.next_seq;
        // A server picked up at its SYN/ACK goes on with a client that is not seen.
        let unseen = !turn.to_server() && ack.after(receiver.next_seq) && ack.up_to(receiver.next_win);
        if right_seq && (right_ack || unseen || self.flags.contains(SessionFlags::ASYNC)) || ahead {
            return self.complete(turn);
        }
        if turn.settings.async_oneside && right_seq {
            self.flags.insert(SessionFlags::ASYNC);
            return self.complete(turn);
        }
        if right_seq {
            self.flags.insert(SessionFlags::EVASION);
            return turn.reject(StreamEvent::HandshakeRightSeqWrongAckEvasion);
        }
        turn.reject(StreamEvent::HandshakeWrongSeqWrongAck)
    }

    /// The server goes on before the client's ACK was seen: with more acknowledged than the SYN
    /// that ACK was lost; with data and nothing acknowledged someone may be in between.
    fn ack_from_server(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        let (seq, ack) = (Seq(turn.tcp.seq), Seq(turn.tcp.ack));
        let (server, client) = self.both(Direction::ToClient);
        let in_order = seq == server.next_seq;
        let more_acked = ack.after(client.last_ack) && ack.up_to(client.next_win);
        let nothing_new = ack == client.last_ack;
        if more_acked || self.flags.contains(SessionFlags::FAST_OPEN) && in_order && nothing_new {
            return self.complete(turn);
        }
        if in_order && nothing_new && turn.payload_len() > 0 {
            return turn.reject(StreamEvent::HandshakeAckDataInject);
        }
        turn.reject(StreamEvent::HandshakeAckInWrongDirection)
    }

    /// The handshake is complete.
    fn complete(&mut self, turn: &mut Turn<'_, '_>) -> Result<(), Invalid> {
        self.enter(TcpState::Established);
        self.presume_acknowledged(turn);
        self.update(turn);
        self.advance(turn);
        self.segment(turn);
        Ok(())
    }
}
