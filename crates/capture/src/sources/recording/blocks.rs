//! The blocks of a recording, as pcapng has them (draft-ietf-opsawg-pcapng, sections 3 and 4), in little-endian order.

use weir_base::Timestamp;
use weir_packet::decode::dispatch::FragmentFacts;
use weir_packet::{LinkType, VlanTags};

use super::{Event, Group};
use crate::batch::Origin;
use crate::source::{Checksums, PacketSlot};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Types from `0x80000000` on are free for local use (section 10.1).
const EVENT: u32 = 0x8000_5701;
/// A packet that another thread handed over: as an enhanced packet, which other readers are to skip, for it is among those
/// of the other thread.
const HANDED: u32 = 0x8000_5702;

const OPTION_END: u16 = 0;
const OPTION_NAME: u16 = 2;
const OPTION_RESOLUTION: u16 = 9;
/// Options from `0x8000` on are free for local use. In a section header: about the thread.
const OPTION_THREAD: u16 = 0x8001;
/// In a section header: the name of an interface, in their order.
const OPTION_INTERFACE: u16 = 0x8002;
/// In an interface description: the number of the interface.
const OPTION_NUMBER: u16 = 0x8003;
/// In a packet: its checksums are not filled in.
const OPTION_UNFILLED: u16 = 0x8004;
/// In a packet that was handed over: it was put together from fragments, with facts about the last of them.
const OPTION_FRAGMENT: u16 = 0x8005;
/// In a section header: the group of threads that hand packets over to each other.
const OPTION_GROUP: u16 = 0x8006;

/// Times are nanoseconds: ten to the power of minus nine.
const NANOSECONDS: u8 = 9;

/// Bytes of a block around its body.
const AROUND: usize = 12;

/// Bytes of a packet's block before its data.
const PACKET_HEAD: usize = 20;

/// A thread and its interfaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thread {
    /// Number of threads of the recording.
    pub(super) workers: u16,
    /// Whether packets went on only if they were accepted.
    pub(super) is_between: bool,
    /// Names of its interfaces.
    pub(super) interfaces: Vec<String>,
    /// The group of threads that it handed packets over to.
    pub(super) group: Option<Group>,
}

/// A block that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Thread(Thread),
    /// An interface of this number, with packets of this type.
    Interface(u32, LinkType),
    /// A packet; its interface is counted by the descriptions so far.
    Packet(PacketSlot),
    /// A packet that another thread handed over.
    Handed(PacketSlot, Origin),
    Event(Event),
    /// One of another kind.
    Other,
}

/// Appends a block with this body, and what `options` appends.
fn append(out: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    body(out);
    out.resize(out.len().next_multiple_of(4), 0);
    let length = (out.len() - start + 4) as u32;
    out.extend(length.to_le_bytes());
    if let Some(field) = out.get_mut(start + 4..start + 8) {
        field.copy_from_slice(&length.to_le_bytes());
    }
}

fn append_option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = value.get(..value.len().min(u16::MAX.into())).unwrap_or_default();
    out.extend(code.to_le_bytes());
    out.extend((value.len() as u16).to_le_bytes());
    out.extend(value);
    out.resize(out.len() + value.len().next_multiple_of(4) - value.len(), 0);
}

fn end_options(out: &mut Vec<u8>) {
    append_option(out, OPTION_END, &[]);
}

/// Appends the head of a thread's file.
pub(super) fn append_thread(out: &mut Vec<u8>, thread: &Thread) {
    append(out, SECTION_HEADER, |out| {
        out.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        out.extend(1u16.to_le_bytes());
        out.extend(0u16.to_le_bytes());
        out.extend(u64::MAX.to_le_bytes());
        let [low, high] = thread.workers.to_le_bytes();
        append_option(out, OPTION_THREAD, &[low, high, thread.is_between.into()]);
        thread.interfaces.iter().for_each(|name| append_option(out, OPTION_INTERFACE, name.as_bytes()));
        if let Some(Group { threads, seat }) = thread.group {
            append_option(out, OPTION_GROUP, &[threads.to_le_bytes(), seat.to_le_bytes()].concat());
        }
        end_options(out);
    });
}

/// Appends the description of an interface whose packets are of a type.
pub(super) fn append_interface(out: &mut Vec<u8>, number: u32, link: LinkType, name: &str) {
    append(out, INTERFACE_DESCRIPTION, |out| {
        out.extend(u32::from(link.0).to_le_bytes());
        out.extend(0u32.to_le_bytes());
        append_option(out, OPTION_NAME, name.as_bytes());
        append_option(out, OPTION_RESOLUTION, &[NANOSECONDS]);
        append_option(out, OPTION_NUMBER, &number.to_le_bytes());
        end_options(out);
    });
}

/// Appends a packet of the interface that was described as this one, counted from 0.
pub(super) fn append_packet(
    out: &mut Vec<u8>,
    described: u32,
    (slot, origin): (&PacketSlot, Origin),
    bytes: &[u8],
) {
    let kind = if origin == Origin::Source { ENHANCED_PACKET } else { HANDED };
    append(out, kind, |out| {
        out.extend(described.to_le_bytes());
        out.extend(((slot.time.0 >> 32) as u32).to_le_bytes());
        out.extend((slot.time.0 as u32).to_le_bytes());
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(slot.wire_length.to_le_bytes());
        out.extend(bytes);
        out.resize(out.len() + bytes.len().next_multiple_of(4) - bytes.len(), 0);
        let is_unfilled = slot.checksums == Checksums::Unfilled;
        if is_unfilled {
            append_option(out, OPTION_UNFILLED, &[]);
        }
        if let Origin::Datagram(facts) = origin {
            append_fragment(out, &facts);
        }
        if is_unfilled || matches!(origin, Origin::Datagram(_)) {
            end_options(out);
        }
    });
}

fn append_fragment(out: &mut Vec<u8>, facts: &FragmentFacts) {
    let mut value = vec![facts.recursion, facts.decoded_layers];
    value.extend(facts.below.to_le_bytes());
    value.extend(facts.vlan.as_slice().iter().flat_map(|tag| tag.to_le_bytes()));
    append_option(out, OPTION_FRAGMENT, &value);
}

/// Appends an event.
pub(super) fn append_event(out: &mut Vec<u8>, event: Event) {
    let (kind, number, value) = match event {
        Event::Idle(time) => (0u8, 0, time.0),
        Event::Rules(number) => (1, 0, number.into()),
        Event::Bound(memory, bytes) => (2, memory, bytes),
        Event::Seat(seat) => (3, 0, seat.into()),
    };
    append(out, EVENT, |out| {
        out.extend([kind, number, 0, 0]);
        out.extend(value.to_le_bytes());
    });
}

/// A reader of a block's fields; none where they are not there.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.first_chunk().copied()
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn option(&mut self) -> Option<(u16, &'a [u8])> {
        let (code, length) = (self.u16()?, usize::from(self.u16()?));
        let value = self.take(length)?;
        self.take(length.next_multiple_of(4) - length)?;
        (code != OPTION_END).then_some((code, value))
    }

    fn options(mut self) -> impl Iterator<Item = (u16, &'a [u8])> {
        std::iter::from_fn(move || self.option())
    }
}

/// Reads the block of `bytes` that begins at `start`, and its length; none where it is not whole, or is no block.
pub(super) fn read(bytes: &[u8], start: usize) -> Option<(Block, usize)> {
    let mut head = Fields(bytes.get(start..)?);
    let (kind, length) = (head.u32()?, head.u32()? as usize);
    let body = head.take(length.checked_sub(AROUND)?)?;
    if head.u32()? as usize != length || !length.is_multiple_of(4) {
        return None;
    }
    let mut fields = Fields(body);
    let block = match kind {
        SECTION_HEADER => {
            (fields.u32()? == BYTE_ORDER_MAGIC).then_some(())?;
            fields.take(12)?;
            Block::Thread(read_thread(fields))
        }
        INTERFACE_DESCRIPTION => {
            let link = LinkType(fields.u16()?);
            fields.take(6)?;
            let number = fields.options().find(|(code, _)| *code == OPTION_NUMBER);
            let number = number.and_then(|(_, value)| value.first_chunk().copied());
            Block::Interface(number.map_or(0, u32::from_le_bytes), link)
        }
        ENHANCED_PACKET => Block::Packet(read_packet(fields, start)?.0),
        HANDED => {
            let (slot, origin) = read_packet(fields, start)?;
            Block::Handed(slot, origin)
        }
        EVENT => {
            let [kind, number, ..] = fields.array::<4>()?;
            let value = fields.u64()?;
            match kind {
                0 => Block::Event(Event::Idle(Timestamp(value))),
                1 => Block::Event(Event::Rules(u32::try_from(value).ok()?)),
                2 => Block::Event(Event::Bound(number, value)),
                3 => Block::Event(Event::Seat(u16::try_from(value).ok()?)),
                _ => Block::Other,
            }
        }
        _ => Block::Other,
    };
    Some((block, length))
}

fn read_thread(fields: Fields<'_>) -> Thread {
    let mut thread = Thread::default();
    for (code, value) in fields.options() {
        match (code, value) {
            (OPTION_THREAD, [low, high, between]) => {
                thread.workers = u16::from_le_bytes([*low, *high]);
                thread.is_between = *between != 0;
            }
            (OPTION_GROUP, [a, b, c, d]) => {
                let [threads, seat] = [[*a, *b], [*c, *d]].map(u16::from_le_bytes);
                thread.group = Some(Group { threads, seat });
            }
            (OPTION_INTERFACE, name) => {
                thread.interfaces.push(String::from_utf8_lossy(name).into_owned());
            }
            _ => {}
        }
    }
    thread
}

/// Reads a packet, and where it came from if it was handed over.
fn read_packet(mut fields: Fields<'_>, start: usize) -> Option<(PacketSlot, Origin)> {
    let (interface, high, low) = (fields.u32()?, fields.u32()?, fields.u32()?);
    let (length, wire_length) = (fields.u32()?, fields.u32()?);
    let padded = (length as usize).checked_next_multiple_of(4)?;
    fields.take(padded)?;
    let mut slot = PacketSlot {
        start: start + 8 + PACKET_HEAD,
        length,
        wire_length,
        time: Timestamp(u64::from(high) << 32 | u64::from(low)),
        interface,
        link: LinkType::ETHERNET,
        checksums: Checksums::Filled,
    };
    let mut origin = Origin::Frame;
    for (code, value) in fields.options() {
        match code {
            OPTION_UNFILLED => slot.checksums = Checksums::Unfilled,
            OPTION_FRAGMENT => origin = Origin::Datagram(read_fragment(Fields(value), &slot)?),
            _ => {}
        }
    }
    Some((slot, origin))
}

fn read_fragment(mut fields: Fields<'_>, slot: &PacketSlot) -> Option<FragmentFacts> {
    let [recursion, decoded_layers] = fields.array()?;
    let below = fields.u32()?;
    let mut vlan = VlanTags::default();
    while let Some(tag) = fields.u16() {
        vlan.push(tag);
    }
    let (time, interface) = (slot.time, slot.interface);
    Some(FragmentFacts { number: 0, time, interface, vlan, recursion, decoded_layers, below })
}
