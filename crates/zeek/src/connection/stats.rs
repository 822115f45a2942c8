//! Statistics of the ends of a TCP connection (`endpoint_stats`): packets that came again or out of order, by the
//! identification of IP and by sequence numbers.

use weir_packet::{Ip, Packet, Tcp};

use super::tcp::Endpoint;
use super::{Carrier, Connection};

/// Steps back of the identification that are a packet out of order; others begin anew.
const FARTHEST: i16 = -256;

/// Order of the bytes of an end's identifications, as Zeek numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Order {
    #[default]
    Unknown = 0,
    Little = 1,
    Big = 2,
    /// Sometimes one, sometimes the other.
    Confused = 3,
}

/// Counts of one end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndStats {
    packets: u64,
    retransmissions: u64,
    retransmitted_bytes: u64,
    in_order: u64,
    out_of_order: u64,
    replicated: u64,
    order: Order,
    farthest: u64,
    identification: u16,
}

/// A segment that came again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Retransmission {
    /// Place of its first byte, from 1.
    pub(crate) seq: u64,
    /// Its length in bytes.
    pub(crate) length: u64,
    /// Bytes that the end has sent and nobody has acknowledged.
    pub(crate) in_flight: u64,
    /// The window that the other end offers.
    pub(crate) window: u64,
}

impl EndStats {
    /// Returns them as fields of `endpoint_stats`.
    pub(crate) const fn fields(&self) -> [u64; 7] {
        [
            self.packets,
            self.retransmissions,
            self.retransmitted_bytes,
            self.in_order,
            self.out_of_order,
            self.replicated,
            self.order as u64,
        ]
    }

    /// Counts a segment in; whether it came before.
    fn count(&mut self, identification: u16, (seq, length): (u64, u64), in_flight: u64) -> bool {
        self.packets += 1;
        let before = self.identification;
        if self.packets == 1 {
            self.identification = identification;
            return false;
        }
        if identification == before {
            self.replicated += 1;
            return false;
        }
        let step = identification.wrapping_sub(before) as i16;
        let swapped = identification.swap_bytes().wrapping_sub(before.swap_bytes()) as i16;
        let is_big = step.unsigned_abs() < swapped.unsigned_abs();
        let order = if is_big { Order::Big } else { Order::Little };
        self.order =
            if matches!(self.order, Order::Unknown) || self.order == order { order } else { Order::Confused };
        let step = if is_big { step } else { swapped };
        if step < 0 && step > FARTHEST {
            self.out_of_order += 1;
            return false;
        }
        self.identification = identification;
        self.in_order += 1;
        let end = seq + length;
        if end > self.farthest {
            self.farthest = end;
            return false;
        }
        // A probe of whether the other end is still there is none.
        if length > 1 || in_flight > 0 {
            self.retransmissions += 1;
            self.retransmitted_bytes += length;
        }
        true
    }
}

/// Bytes on the way from an end.
fn in_flight(end: &Endpoint) -> u64 {
    let difference = end.last.value.wrapping_sub(end.acknowledged.value) as i32;
    u64::try_from(difference).unwrap_or(0)
}

impl Connection {
    /// Counts a segment of TCP into the statistics of its end; the segment, where it came before.
    pub(crate) fn count_stats(&mut self, originator: bool, packet: &Packet<'_>) -> Option<Retransmission> {
        let (tcp, Carrier::Tcp(state)) = (packet.tcp()?, &self.carrier) else { return None };
        let (end, peer) = if originator {
            (&state.originator, &state.responder)
        } else {
            (&state.responder, &state.originator)
        };
        let (in_flight, window) = (in_flight(end), peer.window.size().into());
        let (relative, _) = self.relative(originator, tcp.seq, tcp.ack);
        let seq = relative + u64::from(tcp.has(Tcp::SYN));
        let length = packet.payload.len() as u64;
        let identification = match &packet.ip {
            Some(Ip::V4(ip)) => ip.id,
            _ => 0,
        };
        let [orig, resp] = &mut **self.rare().stats.get_or_insert_default();
        let stats = if originator { orig } else { resp };
        let again = stats.count(identification, (seq, length), in_flight);
        again.then_some(Retransmission { seq, length, in_flight, window })
    }

    /// Returns the holes in what the other end has sent that a segment acknowledges: where each begins, from 1, and its length.
    /// The segment was not counted in yet.
    pub(crate) fn holes(&self, originator: bool, packet: &Packet<'_>) -> Vec<(u64, u64)> {
        let (Some(tcp), Carrier::Tcp(state)) = (packet.tcp(), &self.carrier) else { return Vec::new() };
        let (end, peer) = if originator {
            (&state.originator, &state.responder)
        } else {
            (&state.responder, &state.originator)
        };
        let is_told =
            tcp.flags & (Tcp::ACK | Tcp::RST) == Tcp::ACK && end.was_established() && peer.was_established();
        let Some(acknowledged) = peer.acknowledged.relative(tcp.ack, peer.start).filter(|_| is_told) else {
            return Vec::new();
        };
        let limit = peer.fin_position.map_or(acknowledged, |fin| acknowledged.min(fin.get()));
        let mut seen = peer.seen.clone();
        let mut place = seen.contiguous();
        let mut all = Vec::new();
        while let Some(length) = seen.next_hole(limit) {
            all.push((place, length));
            place = seen.contiguous();
        }
        all
    }

    /// Returns the statistics of both ends of a connection of TCP.
    pub(crate) fn stats(&self) -> Option<[EndStats; 2]> {
        let kept = self.rare.as_ref().and_then(|rare| rare.stats.as_deref().copied());
        self.is_tcp().then(|| kept.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_told_apart() {
        let mut stats = EndStats::default();
        for (identification, place, in_flight, is_again) in [
            (10, (1, 0), 0, false),
            (11, (1, 100), 0, false),
            // Sent twice by the network.
            (11, (1, 100), 0, false),
            (12, (1, 100), 100, true),
            (9, (101, 5), 100, false),
            // A probe.
            (13, (100, 1), 0, true),
        ] {
            assert_eq!(stats.count(identification, place, in_flight), is_again, "{identification}");
        }
        assert_eq!(stats.fields(), [6, 1, 100, 3, 1, 1, 2]);
    }
}
