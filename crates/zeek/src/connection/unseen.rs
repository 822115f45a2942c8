//! Packets of a connection that were counted, and dropped, before anybody saw them.

use std::net::IpAddr;
use std::num::NonZeroU64;

use weir_base::Timestamp;
use weir_packet::Tcp;

use super::segment::Segment;
use super::sequence::{Position, distance};
use super::tcp::{Endpoint, TcpConnection};
use super::view::in_micros;
use super::{Carrier, Connection};

/// Packets of one side that nobody saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unseen {
    /// Packets.
    pub packets: u64,
    /// Lengths that their IP headers state.
    pub ip_bytes: u64,
    /// Bytes behind the headers of TCP and UDP.
    pub payload: u64,
}

impl Connection {
    /// Counts in what a side sent until `time` and nobody saw.
    pub(crate) fn unseen(&mut self, source: (IpAddr, u16), unseen: &Unseen, time: Timestamp) {
        let (originator, time) = (source == self.originator(), in_micros(time));
        let [sent, received] = &mut self.sides;
        let side = if originator { sent } else { received };
        side.packets += unseen.packets;
        side.ip_bytes += unseen.ip_bytes;
        self.touched = self.touched.max(time);
        match &mut self.carrier {
            Carrier::Tcp(tcp) => {
                if tcp.counts_time() {
                    self.last = self.last.max(time);
                }
                tcp.ends(originator).0.pass_over(unseen.payload);
            }
            Carrier::Udp | Carrier::Icmp | Carrier::Unknown => {
                side.payload += unseen.payload;
                self.last = self.last.max(time);
            }
        }
    }
}

impl Endpoint {
    /// Its sequence space goes on by so many bytes that are not missing.
    fn pass_over(&mut self, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let before = self.last.full().saturating_sub(self.start.into());
        self.passed_from = self.passed_from.or(NonZeroU64::new(before));
        self.move_to(before + bytes);
    }

    /// All before a position, counted from the start, was sent, delivered and acknowledged.
    fn move_to(&mut self, position: u64) {
        self.last = Position::of_full(position + u64::from(self.start));
        self.acknowledged = self.last;
        self.seen.jump(position);
        self.trimmed = position;
    }
}

impl TcpConnection {
    /// A segment that begins or ends something says exactly how far its sender had come: what was counted twice on the way
    /// there, as it was sent twice, is taken back.
    pub(super) fn settle(&mut self, segment: &Segment) {
        let (end, _) = self.ends(segment.originator);
        let Some(from) = end.passed_from else { return };
        if segment.flags & (Tcp::SYN | Tcp::FIN | Tcp::RST) == 0 {
            return;
        }
        end.passed_from = None;
        let now = end.last.full().saturating_sub(end.start.into());
        let exact = now.checked_add_signed(distance(segment.seq, end.last.value).into());
        if let Some(exact) = exact.filter(|exact| (from.get()..now).contains(exact)) {
            end.move_to(exact);
        }
    }
}
