//! The pcapng format (draft-ietf-opsawg-pcapng): sections of blocks.
//!
//! Any number of sections of either byte order, each with its own interfaces, link types and clock
//! resolutions. Packets come from enhanced, simple and obsolete packet blocks; all other blocks are
//! skipped, however long. Of the options only those of the clock are read, and packets' comments where they are wanted.
//!
//! Interfaces of one section and of the next are not distinguished: the
//! interfaces of a file are numbered through.

use weir_base::Timestamp;
use weir_packet::LinkType;

use super::record::{ByteOrder, Found, MAGIC_LENGTH, MAX_PACKET_LENGTH, OrderedReader, Step};
use crate::Damage;

/// Longest block read whole: a packet of the greatest length and plenty of options. Blocks that are
/// skipped may be longer.
const MAX_BLOCK_LENGTH: u32 = 1 << 20;

/// Most interfaces of one section.
const MAX_INTERFACES: usize = 4096;

const BLOCK_HEAD_LENGTH: usize = 8;
const BLOCK_TAIL_LENGTH: usize = 4;
const MIN_BLOCK_LENGTH: u32 = 12;
/// A section header: head, byte-order magic, version, section length, tail.
const MIN_SECTION_LENGTH: u32 = 28;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;

const OPTION_END: u16 = 0;
const OPTION_COMMENT: u16 = 1;
const OPTION_CLOCK_RESOLUTION: u16 = 9;
const OPTION_CLOCK_OFFSET: u16 = 14;

/// Most bytes of a packet's comments.
pub const MAX_COMMENT_LENGTH: usize = 4096;

/// The comments of a packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Comments {
    /// One on each line.
    pub(super) text: Vec<u8>,
    /// Text past [`MAX_COMMENT_LENGTH`] is left out.
    pub(super) is_cut: bool,
}

/// Interface as a section describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Interface {
    link: LinkType,
    snapshot: u32,
    clock: Clock,
}

/// The state of reading a pcapng capture.
#[derive(Debug, Default)]
pub(super) struct PcapNg {
    order: ByteOrder,
    interfaces: Vec<Interface>,
    /// Interfaces of the sections before.
    earlier_interfaces: u32,
    in_section: bool,
    /// The length of a block whose body was skipped and whose tail is next.
    tail: Option<u32>,
}

impl PcapNg {
    pub(super) fn detect(magic: [u8; MAGIC_LENGTH]) -> bool {
        u32::from_be_bytes(magic) == SECTION_HEADER
    }

    pub(super) fn expects(&self) -> (&'static str, bool) {
        match (self.tail, self.in_section) {
            (Some(_), _) => ("a block", false),
            (None, true) => ("a block", true),
            (None, false) => ("the section header", false),
        }
    }

    #[inline]
    pub(super) fn step(&mut self, window: &[u8]) -> Step {
        let outcome = match self.tail {
            Some(length) => self.skipped_tail(window, length),
            None => self.block(window),
        };
        outcome.unwrap_or_else(Step::Damaged)
    }

    /// The tail of a block whose body was skipped.
    fn skipped_tail(&mut self, window: &[u8], head: u32) -> Result<Step, Damage> {
        let Some(tail) = OrderedReader::new(window, self.order).u32() else {
            return Ok(Step::Need { size: BLOCK_TAIL_LENGTH });
        };
        self.tail = None;
        same_length(head, tail)?;
        Ok(Step::Skip { size: BLOCK_TAIL_LENGTH as u64 })
    }

    fn block(&mut self, window: &[u8]) -> Result<Step, Damage> {
        let mut reader = OrderedReader::new(window, self.order);
        let Some(kind) = reader.u32() else { return Ok(Step::Need { size: BLOCK_HEAD_LENGTH }) };
        if kind == SECTION_HEADER {
            return self.section(window);
        }
        let Some(length) = reader.u32() else { return Ok(Step::Need { size: BLOCK_HEAD_LENGTH }) };
        if length < MIN_BLOCK_LENGTH || !length.is_multiple_of(4) {
            return Err(Damage::BlockLength { kind, length });
        }
        if !matches!(kind, INTERFACE_DESCRIPTION | OBSOLETE_PACKET | SIMPLE_PACKET | ENHANCED_PACKET) {
            self.tail = Some(length);
            return Ok(Step::Skip { size: u64::from(length) - BLOCK_TAIL_LENGTH as u64 });
        }
        let size = readable(kind, length)?;
        let Some(body) = whole_block(window, size, self.order)? else { return Ok(Step::Need { size }) };
        let impossible = Damage::BlockLength { kind, length };
        let body = OrderedReader::new(body, self.order);
        let found = match kind {
            INTERFACE_DESCRIPTION => {
                self.interface(body, impossible)?;
                return Ok(Step::Skip { size: size as u64 });
            }
            SIMPLE_PACKET => self.simple_packet(body, impossible)?,
            OBSOLETE_PACKET => self.obsolete_packet(body, impossible)?,
            _ => self.enhanced_packet(body, impossible)?,
        };
        Ok(Step::Packet { size, found })
    }

    /// A section header, which says in which order its own length is written.
    fn section(&mut self, window: &[u8]) -> Result<Step, Damage> {
        let order_end = BLOCK_HEAD_LENGTH + 4;
        let mut reader = OrderedReader::new(window, ByteOrder::Big);
        let Some((length, magic)) = reader.take(4).and_then(|_| Some((reader.u32()?, reader.u32()?))) else {
            return Ok(Step::Need { size: order_end });
        };
        let (order, length) = match magic {
            BYTE_ORDER_MAGIC => (ByteOrder::Big, length),
            _ if magic.swap_bytes() == BYTE_ORDER_MAGIC => (ByteOrder::Little, length.swap_bytes()),
            found => return Err(Damage::ByteOrder { found }),
        };
        if length < MIN_SECTION_LENGTH || !length.is_multiple_of(4) {
            return Err(Damage::BlockLength { kind: SECTION_HEADER, length });
        }
        let size = readable(SECTION_HEADER, length)?;
        if whole_block(window, size, order)?.is_none() {
            return Ok(Step::Need { size });
        }
        self.order = order;
        self.earlier_interfaces = self.earlier_interfaces.saturating_add(self.interfaces.len() as u32);
        self.interfaces.clear();
        self.in_section = true;
        Ok(Step::Skip { size: size as u64 })
    }

    fn interface(&mut self, mut body: OrderedReader<'_>, impossible: Damage) -> Result<(), Damage> {
        if self.interfaces.len() >= MAX_INTERFACES {
            return Err(Damage::Interfaces { limit: MAX_INTERFACES });
        }
        let (link, snapshot) = (|| {
            let link = body.u16()?;
            let _reserved = body.u16()?;
            Some((LinkType(link), body.u32()?))
        })()
        .ok_or(impossible)?;
        let clock = Clock::from_options(body, self.order);
        self.interfaces.push(Interface { link, snapshot, clock });
        Ok(())
    }

    fn enhanced_packet(&self, mut body: OrderedReader<'_>, impossible: Damage) -> Result<Found, Damage> {
        let (interface, ticks, lengths) =
            (|| Some((body.u32()?, ticks(&mut body)?, lengths(&mut body)?)))().ok_or(impossible)?;
        self.timed_packet(interface, ticks, lengths, body)
    }

    fn obsolete_packet(&self, mut body: OrderedReader<'_>, impossible: Damage) -> Result<Found, Damage> {
        let (interface, ticks, lengths) = (|| {
            let interface = u32::from(body.u16()?);
            let _drops = body.u16()?;
            Some((interface, ticks(&mut body)?, lengths(&mut body)?))
        })()
        .ok_or(impossible)?;
        self.timed_packet(interface, ticks, lengths, body)
    }

    fn timed_packet(
        &self,
        interface: u32,
        ticks: u64,
        (length, wire_length): (u32, u32),
        body: OrderedReader<'_>,
    ) -> Result<Found, Damage> {
        const START: usize = BLOCK_HEAD_LENGTH + 20;
        let of = self.described(interface)?;
        fits(length, &body)?;
        Ok(Found {
            start: START,
            length,
            wire_length,
            time: of.clock.time(ticks),
            interface: self.earlier_interfaces.saturating_add(interface),
            link: of.link,
            options: (body.len() as u32).saturating_sub(length.next_multiple_of(4)),
        })
    }

    /// A packet without a time, of the first interface; its captured length is not stated.
    fn simple_packet(&self, mut body: OrderedReader<'_>, impossible: Damage) -> Result<Found, Damage> {
        const START: usize = BLOCK_HEAD_LENGTH + 4;
        let wire_length = body.u32().ok_or(impossible)?;
        let of = self.described(0)?;
        let length = if of.snapshot == 0 { wire_length } else { wire_length.min(of.snapshot) };
        fits(length, &body)?;
        Ok(Found {
            start: START,
            length,
            wire_length,
            time: Timestamp(0),
            interface: self.earlier_interfaces,
            link: of.link,
            options: 0,
        })
    }

    pub(super) fn comments(&self, options: &[u8]) -> Option<Comments> {
        let mut found: Option<Comments> = None;
        for (code, value) in Options(OrderedReader::new(options, self.order)) {
            if code != OPTION_COMMENT {
                continue;
            }
            let comments = match &mut found {
                Some(comments) => {
                    comments.text.push(b'\n');
                    comments
                }
                None => found.insert(Comments { text: Vec::new(), is_cut: false }),
            };
            comments.text.extend_from_slice(value);
            if comments.text.len() > MAX_COMMENT_LENGTH {
                comments.text.truncate(MAX_COMMENT_LENGTH);
                // No character is cut in two.
                if let Some(last) = comments.text.utf8_chunks().last()
                    && !last.invalid().is_empty()
                {
                    comments.text.truncate(MAX_COMMENT_LENGTH - last.invalid().len());
                }
                comments.is_cut = true;
                break;
            }
        }
        found
    }

    #[inline]
    fn described(&self, interface: u32) -> Result<&Interface, Damage> {
        let known = self.interfaces.len() as u32;
        self.interfaces.get(interface as usize).ok_or(Damage::Interface { interface, known })
    }
}

/// The length of a block that is to be read whole.
fn readable(kind: u32, length: u32) -> Result<usize, Damage> {
    if length > MAX_BLOCK_LENGTH {
        return Err(Damage::BlockLength { kind, length });
    }
    Ok(length as usize)
}

/// The body of the block of `size` bytes at the start of `window`, if it is all there.
#[inline]
fn whole_block(window: &[u8], size: usize, order: ByteOrder) -> Result<Option<&[u8]>, Damage> {
    let Some((body, tail)) = window.get(BLOCK_HEAD_LENGTH..size).and_then(|rest| rest.split_last_chunk())
    else {
        return Ok(None);
    };
    same_length(size as u32, order.u32(*tail))?;
    Ok(Some(body))
}

fn same_length(head: u32, tail: u32) -> Result<(), Damage> {
    if head == tail { Ok(()) } else { Err(Damage::BlockTail { head, tail }) }
}

fn fits(length: u32, body: &OrderedReader<'_>) -> Result<(), Damage> {
    if length > MAX_PACKET_LENGTH {
        return Err(Damage::PacketLength { length, limit: MAX_PACKET_LENGTH });
    }
    if length as usize > body.len() { Err(Damage::PacketOverrun { length }) } else { Ok(()) }
}

fn ticks(body: &mut OrderedReader<'_>) -> Option<u64> {
    let high = body.u32()?;
    Some(u64::from(high) << 32 | u64::from(body.u32()?))
}

fn lengths(body: &mut OrderedReader<'_>) -> Option<(u32, u32)> {
    Some((body.u32()?, body.u32()?))
}

/// Options as far as they are well-formed: code and value.
struct Options<'a>(OrderedReader<'a>);

impl<'a> Iterator for Options<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (code, length) = (self.0.u16()?, usize::from(self.0.u16()?));
        let value = self.0.take(length.next_multiple_of(4))?.get(..length)?;
        (code != OPTION_END).then_some((code, value))
    }
}

/// The clock of an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Clock {
    /// Ticks in a second: a power of ten, or of two where the highest bit is set.
    resolution: u8,
    /// Seconds to add.
    offset: i64,
}

impl Clock {
    const MICROSECONDS: u8 = 6;

    /// Reads the options of an interface as far as they are well-formed.
    fn from_options(options: OrderedReader<'_>, order: ByteOrder) -> Self {
        let mut clock = Self { resolution: Self::MICROSECONDS, offset: 0 };
        for option in Options(options) {
            match option {
                (OPTION_CLOCK_RESOLUTION, &[resolution]) => clock.resolution = resolution,
                (OPTION_CLOCK_OFFSET, value) => {
                    if let Ok(offset) = <[u8; 8]>::try_from(value) {
                        clock.offset = match order {
                            ByteOrder::Big => i64::from_be_bytes(offset),
                            ByteOrder::Little => i64::from_le_bytes(offset),
                        };
                    }
                }
                _ => {}
            }
        }
        clock
    }

    /// The time at `ticks`; what lies before 1970 or past [`Timestamp::LATEST`] ends at these bounds.
    #[inline]
    fn time(self, ticks: u64) -> Timestamp {
        let time = match (self.resolution, self.offset) {
            (Self::MICROSECONDS, 0) => Timestamp(ticks.saturating_mul(1000)),
            (9, 0) => Timestamp(ticks),
            _ => self.odd_time(ticks),
        };
        time.min(Timestamp::LATEST)
    }

    fn odd_time(self, ticks: u64) -> Timestamp {
        const SECOND: u128 = 1_000_000_000;
        let exponent = u32::from(self.resolution & 0x7f);
        let nanoseconds = if self.resolution & 0x80 != 0 {
            (u128::from(ticks) * SECOND) >> exponent
        } else {
            match 10u128.checked_pow(exponent) {
                Some(unit) => u128::from(ticks) * SECOND / unit,
                None => 0,
            }
        };
        let shifted = nanoseconds as i128 + i128::from(self.offset) * SECOND as i128;
        Timestamp(shifted.clamp(0, i128::from(u64::MAX)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks() {
        let second = 1_000_000_000;
        let cases: &[(u8, i64, u64, u64)] = &[
            (6, 0, 1_700_000_000_123_456, 1_700_000_000 * second + 123_456_000),
            (9, 0, 1_700_000_000_123_456_789, 1_700_000_000_123_456_789),
            (3, 0, 1_500, second + second / 2),
            (0, 0, 5, 5 * second),
            (12, 0, 1_999, 1),
            (0x80 | 10, 0, 1_536, second + second / 2),
            (6, 100, 1, 100 * second + 1000),
            (6, -100, 200_000_000, 100 * second),
            (6, -100, 1, 0),
            (0, 0, u64::MAX, Timestamp::LATEST.0),
            (9, 0, u64::MAX, Timestamp::LATEST.0),
            (6, i64::MAX, u64::MAX, Timestamp::LATEST.0),
            (127, 0, u64::MAX, 0),
            (0xff, 0, u64::MAX, 0),
        ];
        for &(resolution, offset, ticks, expected) in cases {
            let clock = Clock { resolution, offset };
            assert_eq!(clock.time(ticks), Timestamp(expected), "{clock:?} at {ticks}");
        }
    }
}
