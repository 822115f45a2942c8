//! Packets that took long: what a worker keeps of those that it met last, so that they can be looked at and repeated.
//!
//! The cycle counter is read every [`TOGETHER`] packets; what of them took long is not known, so that all are kept.
//!
//! Limits: [`MAX_KEPT`] times, and [`MAX_BYTES`] of each packet.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use weir_base::{Timestamp, cycles};
use weir_output::protocol_number;
use weir_packet::{LinkType, Packet};

use super::ahead::Decoded;

/// Packets between two readings of the counter.
pub(crate) const TOGETHER: usize = 4;

/// Most times that are kept; older ones go.
const MAX_KEPT: usize = 64;

/// Most bytes that are kept of a packet.
const MAX_BYTES: usize = 65_535;

/// A packet among some that took long.
#[derive(Clone, Debug)]
pub(crate) struct SlowPacket {
    pub(crate) number: u64,
    pub(crate) time: Timestamp,
    pub(crate) link: LinkType,
    pub(crate) wire_length: u32,
    /// Its protocol and both ends in words, if it has IP.
    pub(crate) ends: Option<String>,
    pub(crate) bytes: Box<[u8]>,
}

/// Packets that took long together.
#[derive(Clone, Debug)]
pub(crate) struct Slow {
    pub(crate) ticks: u64,
    pub(crate) packets: Vec<SlowPacket>,
}

/// Watches a worker's packets.
#[derive(Debug)]
pub(crate) struct SlowPackets {
    /// Ticks from which on packets took long.
    least: u64,
    since: u64,
    kept: VecDeque<Slow>,
}

impl SlowPackets {
    /// Keeps packets that take so many ticks.
    pub(crate) fn new(least: u64) -> Self {
        Self { least, since: 0, kept: VecDeque::new() }
    }

    /// What comes now is timed.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.since = cycles::now();
    }

    /// These packets are done.
    #[inline]
    pub(super) fn end(&mut self, packets: &[Decoded<'_>]) {
        let now = cycles::now();
        let ticks = now.saturating_sub(std::mem::replace(&mut self.since, now));
        if ticks >= self.least {
            self.keep(cycles::between(now - ticks, now), packets);
        }
    }

    #[cold]
    fn keep(&mut self, ticks: u64, packets: &[Decoded<'_>]) {
        if ticks < self.least {
            // The system had the thread wait.
            return;
        }
        if self.kept.len() >= MAX_KEPT {
            self.kept.pop_front();
        }
        let packets = packets.iter().map(|packet| copy(&packet.outer)).collect();
        self.kept.push_back(Slow { ticks, packets });
        // To keep them is not their work.
        self.since = cycles::now();
    }

    /// Returns what is kept, the oldest first.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Slow> {
        self.kept.iter()
    }
}

fn copy(packet: &Packet<'_>) -> SlowPacket {
    let raw = packet.captured();
    let bytes = raw.bytes.get(..MAX_BYTES).unwrap_or(raw.bytes);
    SlowPacket {
        number: raw.number,
        time: raw.time,
        link: raw.link,
        wire_length: raw.wire_length,
        ends: ends(packet),
        bytes: bytes.into(),
    }
}

/// Returns the protocol and both ends of a packet in words, as in "TCP 10.0.0.1:1024 > 10.0.0.2:80".
fn ends(packet: &Packet<'_>) -> Option<String> {
    let end = |address: IpAddr, port: Option<u16>| match port {
        Some(port) => SocketAddr::new(address, port).to_string(),
        None => address.to_string(),
    };
    let source = end(packet.source()?, packet.source_port());
    let destination = end(packet.destination()?, packet.destination_port());
    let number = packet.ip_protocol()?;
    let protocol = protocol_number::name(number).map_or_else(|| number.to_string(), str::to_owned);
    Some(format!("{protocol} {source} > {destination}"))
}
