//! The contract between a source of packets and the worker that reads them.

use std::path::Path;
use std::time::Duration;

use weir_base::{CounterVisitor, Timestamp};
use weir_packet::{LinkType, RawPacket};

use crate::SourceError;
use crate::fate::Fates;
use crate::sources::Stance;
use crate::sources::recording::Event;

/// Something that lends packets.
pub trait Source: Send {
    /// Returns its name in messages: of a capture, the path.
    fn name(&self) -> String;

    /// Returns the file that it is all of, which can be deleted once it is read.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// Numbers its packets on from `earlier` packets of the sources before it.
    fn number_after(&mut self, earlier: u64);

    /// Lends up to `max` packets, at least one unless nothing arrived within `wait` or the source
    /// has finished, which [`Batch::at_end`] tells apart.
    ///
    /// Packets before damage are delivered first; the call after them answers the error, and each
    /// call after that an empty batch at its end. A source that reads a file does not keep to
    /// `wait`, and one that reads a pipe waits 50 ms at most.
    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError>;

    /// Does with the packets of the last batch what was decided of them; those of which nothing was are forwarded.
    fn conclude(&mut self, _fates: &Fates) {}

    /// Names of its interfaces, by their numbers.
    fn interfaces(&self) -> Vec<String> {
        vec![self.name()]
    }

    /// Where it is in the network.
    fn stance(&self) -> Stance {
        Stance::Beside
    }

    /// Returns the source's counters until now.
    fn stats(&self) -> SourceStats;

    /// Has `visitor` see the counters of the capture itself, as records of the counters show them.
    fn count(&mut self, _visitor: &mut dyn CounterVisitor) {}

    /// Takes in no more packets; those that it has are still lent.
    fn stop(&mut self) {}

    /// Whether it repeats what another source lent, with all that befell its thread.
    fn is_recorded(&self) -> bool {
        false
    }

    /// Takes what befell the thread instead of packets, where the last batch is an empty one of a recording.
    fn event(&mut self) -> Option<Event> {
        None
    }

    /// Takes what is worth telling that happened since the last time, as sentences.
    fn news(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Totals of one source since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SourceStats {
    /// Packets lent.
    pub packets: u64,
    /// Captured bytes of the packets lent.
    pub bytes: u64,
    /// Packets that the kernel or the interface lost for want of room.
    pub dropped: u64,
    /// Packets that the filter kept back.
    pub filtered: u64,
    /// Packets of whose comments a part was left out, for their length.
    pub comments_cut: u64,
    /// Bytes of the source read so far (of the uncompressed data).
    pub position: u64,
    /// Bytes in all, where that can be known.
    pub size: Option<u64>,
}

/// Where one packet lies among the bytes of its batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketSlot {
    /// Index of the first byte.
    pub start: usize,
    /// Captured bytes.
    pub length: u32,
    /// Length on the wire in bytes.
    pub wire_length: u32,
    /// When the packet was captured.
    pub time: Timestamp,
    /// Interface of the source, from 0.
    pub interface: u32,
    /// Link type, by which the first layer is read.
    pub link: LinkType,
    /// Whether its checksums are there.
    pub checksums: Checksums,
}

/// Whether the checksums of a packet are there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Checksums {
    /// They are, right or wrong.
    #[default]
    Filled,
    /// They are left to the network card, and the packet was captured before.
    Unfilled,
}

/// Whether comments on packets are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommentReading {
    /// They are lent with the packets.
    Keep,
    /// They are not looked at.
    Skip,
}

/// Comment on a packet by whoever recorded or edited the capture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PacketComment {
    /// The place of the packet in its batch.
    pub index: usize,
    /// The text, which should be UTF-8.
    pub text: Vec<u8>,
}

/// Packets on loan from a source.
///
/// A batch holds one run of bytes and the places of the packets in it rather than a list of
/// [`RawPacket`]s: the source can so keep the list between calls without a lifetime in it.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    bytes: &'a [u8],
    slots: &'a [PacketSlot],
    comments: &'a [PacketComment],
    first_number: u64,
    at_end: bool,
}

impl<'a> Batch<'a> {
    /// Packets at `slots` of `bytes`, numbered upwards from `first_number`. A slot that points
    /// outside of `bytes` is an empty packet.
    pub const fn new(bytes: &'a [u8], slots: &'a [PacketSlot], first_number: u64) -> Self {
        Self { bytes, slots, comments: &[], first_number, at_end: false }
    }

    /// Adds comments on packets, in their order.
    #[must_use]
    pub const fn with_comments(self, comments: &'a [PacketComment]) -> Self {
        Self { comments, ..self }
    }

    /// Comments on packets, in the order of the packets.
    pub const fn comments(&self) -> &'a [PacketComment] {
        self.comments
    }

    /// No packet for now.
    pub const fn empty() -> Self {
        Self::new(&[], &[], 0)
    }

    /// No packet any more.
    pub const fn end() -> Self {
        Self { at_end: true, ..Self::empty() }
    }

    /// Whether the source has finished. The batch is then empty.
    pub const fn at_end(&self) -> bool {
        self.at_end
    }

    /// Returns the number of packets.
    pub const fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no packet.
    pub const fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The packet at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<RawPacket<'a>> {
        self.slots.get(index).map(|slot| self.packet(index, slot))
    }

    /// Whether the checksums of the packet at `index` are there.
    #[inline]
    pub fn checksums(&self, index: usize) -> Checksums {
        self.slots.get(index).map(|slot| slot.checksums).unwrap_or_default()
    }

    /// The packets in the order of capture.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = RawPacket<'a>> + use<'a> {
        let batch = *self;
        batch.slots.iter().enumerate().map(move |(index, slot)| batch.packet(index, slot))
    }

    #[inline]
    fn packet(&self, index: usize, slot: &PacketSlot) -> RawPacket<'a> {
        let end = slot.start.saturating_add(slot.length as usize);
        RawPacket {
            number: self.first_number.saturating_add(index as u64),
            time: slot.time,
            link: slot.link,
            wire_length: slot.wire_length,
            interface: slot.interface,
            bytes: self.bytes.get(slot.start..end).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(start: usize, length: u32) -> PacketSlot {
        PacketSlot {
            start,
            length,
            wire_length: length,
            time: Timestamp::default(),
            interface: 0,
            link: LinkType::ETHERNET,
            checksums: Checksums::Filled,
        }
    }

    #[test]
    fn lends_numbered_slices() {
        let slots = [slot(0, 2), slot(3, 3), slot(5, 9), slot(usize::MAX, 1)];
        let batch = Batch::new(b"ab-cde", &slots, 7);
        let seen: Vec<_> = batch.iter().map(|packet| (packet.number, packet.bytes)).collect();
        assert_eq!(seen, [(7, &b"ab"[..]), (8, b"cde"), (9, b""), (10, b"")]);
        assert_eq!(batch.get(1).map(|packet| packet.bytes), Some(&b"cde"[..]));
        assert!(batch.get(4).is_none());
        assert!(!batch.at_end() && Batch::end().at_end() && Batch::end().is_empty());
    }
}
