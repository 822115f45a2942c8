//! Packets are decoded a few at a time, and only then go on one after the other. The code of the decoder, and of what
//! comes after it, so stays in the processor's cache, which does not hold both; and what packets need of the flow
//! table is fetched together where there are many flows.

use weir_base::{Position, Timestamp};
use weir_capture::Checksums;
use weir_flow::table::PacketKey;
use weir_packet::decode::PacketList;
use weir_packet::{Packet, RawPacket};

use super::Worker;
use super::measuring::timed;
use super::slow::TOGETHER;

#[cfg(test)]
mod tests;

/// Most packets that are decoded before the first of them goes on.
pub const AHEAD: usize = 32;

/// So many flows are near enough as it is.
pub const FEW_FLOWS: usize = 2048;

/// A packet of the capture that comes to a worker.
#[derive(Clone, Copy, Debug)]
pub struct Coming<'a> {
    /// The packet.
    pub raw: RawPacket<'a>,
    /// Capture's clock when it comes.
    pub clock: Timestamp,
    /// Whether the clock enters another second with it.
    pub ticks: bool,
    /// State of its checksums.
    pub checksums: Checksums,
}

/// A packet that was decoded and goes on soon.
pub(super) struct Decoded<'a> {
    /// The outermost packet.
    pub(super) outer: Packet<'a>,
    /// Its key in the flow table.
    pub(super) key: Option<PacketKey>,
    /// Capture's clock when it comes.
    pub(super) clock: Timestamp,
    /// State of its checksums.
    pub(super) checksums: Checksums,
    /// Ticks that decoding it took, where the packet is measured; else zero.
    pub(super) decode_ticks: u64,
}

/// Contents of a packet that carries others.
#[derive(Default)]
pub(super) struct Inside<'a> {
    /// Packets, inner ones first.
    pub(super) list: PacketList<'a>,
    /// Zeek's logs may read more of them.
    pub(super) may_be_more: bool,
}

/// Packets that are decoded and go on together.
#[derive(Default)]
struct Chunk<'a> {
    /// Packets, and behind them room for others.
    room: Vec<Decoded<'a>>,
    count: usize,
    /// Contents of the last one, which alone may carry others.
    inside: Inside<'a>,
    /// The first packet after them.
    next: Option<Coming<'a>>,
}

impl<'a> Chunk<'a> {
    /// Adds a packet, of which nothing is decoded yet.
    fn add(&mut self, coming: &Coming<'a>) -> Option<(&mut Decoded<'a>, &mut Inside<'a>)> {
        let &Coming { ref raw, clock, checksums, .. } = coming;
        match self.room.get_mut(self.count) {
            Some(packet) => {
                packet.outer.begin(raw);
                (packet.clock, packet.checksums) = (clock, checksums);
            }
            None => {
                let outer = Packet::empty(raw);
                self.room.push(Decoded { outer, key: None, clock, checksums, decode_ticks: 0 });
            }
        }
        let packet = self.room.get_mut(self.count)?;
        self.count += 1;
        Some((packet, &mut self.inside))
    }

    fn packets(&mut self) -> &mut [Decoded<'a>] {
        self.room.get_mut(..self.count).unwrap_or_default()
    }
}

impl Worker {
    /// Takes packets of the capture, with all that they carry.
    pub fn packets<'a>(&mut self, mut coming: impl Iterator<Item = Coming<'a>>) {
        self.begin_work();
        let inside = Inside { list: self.room.take().unwrap_or_default(), may_be_more: false };
        let mut chunk = Chunk { room: std::mem::take(&mut self.ahead), inside, ..Chunk::default() };
        while self.decode_ahead(&mut coming, &mut chunk) {
            if self.flows.len() >= self.few_flows {
                self.fetch(chunk.packets());
            }
            let Chunk { room, count, inside, .. } = &mut chunk;
            let carrier = if inside.may_be_more || !inside.list.is_empty() { *count } else { 0 };
            let mut number = 0;
            self.rest.slow.iter_mut().for_each(|slow| slow.begin());
            for group in room.get_mut(..*count).unwrap_or_default().chunks_mut(TOGETHER) {
                for packet in &mut *group {
                    number += 1;
                    let inside = (number == carrier).then_some(&mut *inside);
                    match packet.decode_ticks {
                        0 => self.packet(packet, inside),
                        _ => self.measured_packet(packet, inside),
                    }
                    if self.rest.recorder.is_full() {
                        self.hand_on(Position::new(packet.clock, packet.outer.number));
                    }
                }
                if let Some(slow) = self.rest.slow.as_deref_mut() {
                    slow.end(group);
                }
            }
        }
        chunk.room.clear();
        // Nothing is left to convert: the collection takes over the allocation.
        self.ahead = chunk.room.into_iter().map_while(|_| None).collect();
        self.room = Some(chunk.inside.list.recycle());
    }

    /// Decodes packets up to one that carries others or may do so for Zeek's logs, or the one before another second; false
    /// where there is none.
    fn decode_ahead<'a>(
        &mut self,
        coming: &mut impl Iterator<Item = Coming<'a>>,
        chunk: &mut Chunk<'a>,
    ) -> bool {
        chunk.count = 0;
        while chunk.count < AHEAD {
            let Some(coming) = chunk.next.take().or_else(|| coming.next()) else { break };
            if coming.ticks {
                if chunk.count > 0 {
                    chunk.next = Some(coming);
                    break;
                }
                self.tick(coming.clock, coming.raw.number);
            }
            let Some((packet, inside)) = chunk.add(&coming) else { break };
            let mut decode = || self.decoder.decode_apart(&coming.raw, &mut packet.outer, &mut inside.list);
            packet.decode_ticks = match self.rest.measuring.is_due() {
                true => timed(decode),
                false => {
                    decode();
                    0
                }
            };
            packet.key = self.flows.key(&packet.outer);
            inside.may_be_more = self.decoder.may_hold_more();
            if inside.may_be_more || !inside.list.is_empty() {
                break;
            }
        }
        chunk.count > 0
    }

    /// Hands records on amid a batch: few packets may have made many of them.
    #[cold]
    fn hand_on(&mut self, position: Position) {
        self.reached(position);
        self.rest.recorder.progress(position);
    }

    /// Asks the processor for what these packets need: their flows first, then what those refer to.
    #[inline(never)]
    fn fetch(&self, decoded: &[Decoded<'_>]) {
        let keys = || decoded.iter().filter_map(|packet| packet.key.as_ref());
        keys().for_each(|key| self.flows.fetch(key));
        for flow in keys().filter_map(|key| self.flows.fetched(key)) {
            flow.session.fetch();
            self.rest.recorder.fetch(flow.session.connection);
        }
    }
}
