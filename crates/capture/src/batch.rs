//! Packets on loan: a run of bytes, and where each packet lies in it.
//!
//! The bytes are borrowed, or memory of a source into which the kernel goes on writing: there only the packets themselves
//! are slices.

use std::ptr::NonNull;

use weir_packet::RawPacket;
use weir_packet::decode::dispatch::FragmentFacts;

use crate::source::{Checksums, PacketComment, PacketSlot};

/// Ways by which packets come to a thread.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Origin {
    /// From the source.
    #[default]
    Source,
    /// From another thread, as a frame.
    Frame,
    /// From another thread, as a datagram that was put together from fragments, with facts about the last of them.
    Datagram(FragmentFacts),
}

/// Packets on loan from a source.
///
/// A batch holds one run of bytes and the places of the packets in it rather than a list of
/// [`RawPacket`]s: the source can so keep the list between calls without a lifetime in it.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Where the run begins.
    bytes: NonNull<u8>,
    /// Its length.
    length: usize,
    slots: &'a [PacketSlot],
    comments: &'a [PacketComment],
    first_number: u64,
    at_end: bool,
    origin: Origin,
}

impl<'a> Batch<'a> {
    /// Packets at `slots` of `bytes`, numbered upwards from `first_number`. A slot that points
    /// outside of `bytes` is an empty packet.
    #[allow(unsafe_code, reason = "a borrowed run is memory that nobody writes to")]
    pub const fn new(bytes: &'a [u8], slots: &'a [PacketSlot], first_number: u64) -> Self {
        // SAFETY: what is borrowed is not written to.
        unsafe { Self::of_memory(NonNull::from_ref(bytes), slots, first_number) }
    }

    /// Packets at `slots` of memory that somebody else writes to between them.
    ///
    /// # Safety
    ///
    /// While `'a` lasts, the memory stays, and the bytes of each packet that lies within it are initialised and not written to.
    #[allow(unsafe_code, reason = "the kernel goes on writing beside the packets that it lent")]
    pub const unsafe fn of_memory(memory: NonNull<[u8]>, slots: &'a [PacketSlot], first_number: u64) -> Self {
        Self {
            bytes: memory.cast(),
            length: memory.len(),
            slots,
            comments: &[],
            first_number,
            at_end: false,
            origin: Origin::Source,
        }
    }

    /// Says that the packets came from another thread.
    #[must_use]
    pub const fn of_origin(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    /// Returns how the packets came; those that did not come from the source are alone in a batch.
    pub const fn origin(&self) -> Origin {
        self.origin
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

    /// The bytes at a slot.
    #[inline]
    #[allow(unsafe_code, reason = "a slice of all memory would cover what somebody else writes")]
    fn bytes(&self, slot: &PacketSlot) -> &'a [u8] {
        let length = slot.length as usize;
        if slot.start.checked_add(length).is_none_or(|end| end > self.length) {
            return &[];
        }
        // SAFETY: the packet lies within the memory, which `of_memory` was promised about.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().add(slot.start), length) }
    }

    #[inline]
    fn packet(&self, index: usize, slot: &PacketSlot) -> RawPacket<'a> {
        RawPacket {
            number: self.first_number.saturating_add(index as u64),
            time: slot.time,
            link: slot.link,
            wire_length: slot.wire_length,
            interface: slot.interface,
            bytes: self.bytes(slot),
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::LinkType;

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
