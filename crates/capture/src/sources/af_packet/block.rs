//! The packets of a block of a ring (`struct tpacket_block_desc`, `struct tpacket3_hdr`).
//!
//! A VLAN tag that the kernel took off a frame is put back in place: the kernel leaves room for it.

use weir_base::Timestamp;
use weir_config::af_packet::ChecksumChecks;
use weir_packet::LinkType;

use crate::source::{Checksums, PacketSlot};

/// Where things stand in a block.
const PACKET_COUNT: usize = 12;
const FIRST_PACKET: usize = 16;

/// Where things stand in the header of a packet.
const NEXT: usize = 0;
const SECONDS: usize = 4;
const NANOSECONDS: usize = 8;
const CAPTURED_LENGTH: usize = 12;
const WIRE_LENGTH: usize = 16;
const STATUS: usize = 20;
const FRAME: usize = 24;
const TAG: usize = 32;
const TAG_TYPE: usize = 36;
const HEADER_LENGTH: usize = 48;

/// Bits of a packet's status: its checksum is not filled in, it had a tag, whose type is told.
const CHECKSUM_NOT_READY: u32 = 1 << 3;
const HAD_TAG: u32 = 1 << 4;
const TAG_TYPE_TOLD: u32 = 1 << 6;
/// Bit of the status: its time is the card's.
const CARD_TIME: u32 = 1 << 31;

/// Bytes of a frame before a tag.
pub const ADDRESSES_LENGTH: usize = 12;
/// Bytes of a tag.
pub const TAG_LENGTH: usize = 4;

/// The way through a block.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cursor {
    /// Where the next packet's header begins.
    next: usize,
    /// Packets that are left.
    left: u32,
    /// The time of the last packet is the card's.
    card_time: bool,
}

impl Cursor {
    /// Begins with a block's first packet.
    pub fn new(block: &[u8]) -> Self {
        let left = number(block, PACKET_COUNT).unwrap_or(0);
        Self { next: number(block, FIRST_PACKET).unwrap_or(0) as usize, left, card_time: false }
    }

    /// Whether no packet is left.
    pub const fn is_at_end(&self) -> bool {
        self.left == 0
    }

    /// Whether the time of the last packet is that of the card.
    pub const fn has_card_time(&self) -> bool {
        self.card_time
    }

    /// Returns where the next packet is, which came in by `link`; none where the block is through.
    pub fn packet(&mut self, block: &mut [u8], link: LinkType, checks: ChecksumChecks) -> Option<PacketSlot> {
        self.left = self.left.checked_sub(1)?;
        let at = self.next;
        // Headers follow each other; one that does not ends the block.
        let Some(header) = block.get(at..at + HEADER_LENGTH) else {
            self.left = 0;
            return None;
        };
        let field = |offset| number(header, offset).unwrap_or(0);
        let (status, frame) = (field(STATUS), field(FRAME) as u16);
        self.card_time = status & CARD_TIME != 0;
        let slot = PacketSlot {
            start: at + usize::from(frame),
            length: field(CAPTURED_LENGTH),
            wire_length: field(WIRE_LENGTH),
            time: Timestamp::new(field(SECONDS).into(), field(NANOSECONDS)),
            interface: 0,
            link,
            checksums: match checks {
                ChecksumChecks::Kernel if status & CHECKSUM_NOT_READY == 0 => Checksums::Filled,
                ChecksumChecks::Yes => Checksums::Filled,
                ChecksumChecks::Kernel | ChecksumChecks::No => Checksums::Unfilled,
            },
        };
        let tag = (status & HAD_TAG != 0).then(|| {
            let kind = if status & TAG_TYPE_TOLD != 0 { field(TAG_TYPE) as u16 } else { Tag::VLAN };
            Tag { kind, value: field(TAG) as u16 }
        });
        match field(NEXT) as usize {
            0 => self.left = 0,
            step => self.next = at + step,
        }
        Some(match tag {
            Some(tag) if link == LinkType::ETHERNET => {
                tag.put_back(block, &slot, at + HEADER_LENGTH).unwrap_or(slot)
            }
            _ => slot,
        })
    }
}

/// A tag that the kernel took off a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag {
    /// Its type.
    pub kind: u16,
    /// Priority and number.
    pub value: u16,
}

impl Tag {
    /// The type where none is told.
    pub const VLAN: u16 = 0x8100;

    /// Puts it between the addresses of a frame and what follows; there is room for it behind `room`.
    pub fn put_back(self, bytes: &mut [u8], slot: &PacketSlot, room: usize) -> Option<PacketSlot> {
        let start = slot.start.checked_sub(TAG_LENGTH).filter(|start| *start >= room)?;
        let addresses = slot.start..slot.start + ADDRESSES_LENGTH;
        if (slot.length as usize) < ADDRESSES_LENGTH || addresses.end > bytes.len() {
            return None;
        }
        bytes.copy_within(addresses, start);
        let written = bytes.get_mut(start + ADDRESSES_LENGTH..start + ADDRESSES_LENGTH + TAG_LENGTH)?;
        let [kind_high, kind_low] = self.kind.to_be_bytes();
        let [high, low] = self.value.to_be_bytes();
        written.copy_from_slice(&[kind_high, kind_low, high, low]);
        let longer = TAG_LENGTH as u32;
        Some(PacketSlot {
            start,
            length: slot.length + longer,
            wire_length: slot.wire_length.saturating_add(longer),
            ..*slot
        })
    }
}

/// A word in this machine's order.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with packets as the kernel writes them: status, tag and frame of each.
    fn block(packets: &[(u32, (u16, u16), &[u8])]) -> Vec<u8> {
        let mut block = vec![0u8; 48];
        block[PACKET_COUNT..PACKET_COUNT + 4].copy_from_slice(&(packets.len() as u32).to_ne_bytes());
        block[FIRST_PACKET..FIRST_PACKET + 4].copy_from_slice(&48u32.to_ne_bytes());
        for (index, (status, (kind, tag), frame)) in packets.iter().enumerate() {
            let offset = 90u32;
            let step = (offset as usize + frame.len()).next_multiple_of(16);
            let mut packet = vec![0u8; step];
            let mut put = |at: usize, word: u32| packet[at..at + 4].copy_from_slice(&word.to_ne_bytes());
            put(NEXT, if index + 1 < packets.len() { step as u32 } else { 0 });
            put(SECONDS, 1_700_000_000);
            put(NANOSECONDS, 5 + index as u32);
            put(CAPTURED_LENGTH, frame.len() as u32);
            put(WIRE_LENGTH, 1500);
            put(STATUS, *status | 1);
            put(FRAME, offset);
            put(TAG, (*tag).into());
            put(TAG_TYPE, (*kind).into());
            packet[90..90 + frame.len()].copy_from_slice(frame);
            block.extend(packet);
        }
        block
    }

    fn walk(mut block: Vec<u8>, checks: ChecksumChecks) -> Vec<(Vec<u8>, PacketSlot)> {
        let mut cursor = Cursor::new(&block);
        let mut found = Vec::new();
        while let Some(slot) = cursor.packet(&mut block, LinkType::ETHERNET, checks) {
            found.push((block[slot.start..slot.start + slot.length as usize].to_vec(), slot));
        }
        assert!(cursor.is_at_end());
        found
    }

    #[test]
    fn tags_are_put_back() {
        let frame = [&[1u8; 6][..], &[2; 6], &[8, 0, 0x45]].concat();
        let found = walk(
            block(&[
                (0, (0, 0), &frame),
                (HAD_TAG, (0, 5), &frame),
                (HAD_TAG | TAG_TYPE_TOLD, (0x88a8, 0x2007), &frame),
                (HAD_TAG, (0, 5), &frame[..9]),
            ]),
            ChecksumChecks::Kernel,
        );
        let tagged = |tag: [u8; 4]| [&frame[..12], &tag, &frame[12..]].concat();
        let frames: Vec<Vec<u8>> = found.iter().map(|(frame, _)| frame.clone()).collect();
        assert_eq!(
            frames,
            [frame.clone(), tagged([0x81, 0, 0, 5]), tagged([0x88, 0xa8, 0x20, 7]), frame[..9].to_vec()]
        );
        let lengths: Vec<u32> = found.iter().map(|(_, slot)| slot.wire_length).collect();
        assert_eq!(lengths, [1500, 1504, 1504, 1500]);
        assert_eq!(found[1].1.time, Timestamp::new(1_700_000_000, 6));
    }

    #[test]
    fn checksums_that_are_not_filled_in_are_told() {
        for (status, wanted, expected) in [
            (0, ChecksumChecks::Kernel, Checksums::Filled),
            (CHECKSUM_NOT_READY, ChecksumChecks::Kernel, Checksums::Unfilled),
            (CHECKSUM_NOT_READY, ChecksumChecks::Yes, Checksums::Filled),
            (0, ChecksumChecks::No, Checksums::Unfilled),
        ] {
            let found = walk(block(&[(status, (0, 0), &[0; 60])]), wanted);
            assert_eq!(found[0].1.checksums, expected, "{status} {wanted:?}");
        }
    }

    #[test]
    fn any_bytes_are_walked_through() {
        let whole = block(&[(HAD_TAG, (0, 5), &[1; 60]), (0, (0, 0), &[2; 60])]);
        for end in 0..whole.len() {
            let mut cut = whole[..end].to_vec();
            let mut cursor = Cursor::new(&cut);
            let packets =
                std::iter::from_fn(|| cursor.packet(&mut cut, LinkType::ETHERNET, ChecksumChecks::Kernel));
            assert!(packets.count() <= 2);
        }
    }
}
