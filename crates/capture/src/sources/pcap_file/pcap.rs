//! The classic capture format (draft-ietf-opsawg-pcap): a file header, then records.
//!
//! Both byte orders, microseconds and nanoseconds, and the "modified" format of old Linux
//! captures, whose records carry eight bytes more. As libpcap does, records longer than the
//! snapshot length of the file are cut to it, and the lengths of files older than version 2.4 are
//! put in order.

use weir_base::Timestamp;
use weir_packet::LinkType;

use super::record::{ByteOrder, Found, MAGIC_LENGTH, MAX_PACKET_LENGTH, OrderedReader, Step};
use crate::Damage;

const FILE_HEADER_LENGTH: usize = 24;
const RECORD_HEADER_LENGTH: usize = 16;
const MODIFIED_RECORD_HEADER_LENGTH: usize = 24;

const MAGIC_MICROSECONDS: u32 = 0xa1b2_c3d4;
const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const MAGIC_MODIFIED: u32 = 0xa1b2_cd34;

const MAJOR_VERSION: u16 = 2;
/// The version that DG/UX writes, with the lengths of its records exchanged.
const DGUX_VERSION: (u16, u16) = (543, 0);

/// Order of the two lengths of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lengths {
    /// Captured, then on the wire.
    Straight,
    /// On the wire, then captured.
    Swapped,
    /// Either way: the smaller one is the captured length.
    Either,
}

/// The state of reading a classic capture.
#[derive(Debug)]
pub(super) struct Pcap {
    order: ByteOrder,
    /// Nanoseconds in one unit of the fraction of a second.
    unit: u64,
    record_header: usize,
    lengths: Lengths,
    /// Longest packet handed on; more of a record is left out.
    snapshot: u32,
    link: Option<LinkType>,
}

impl Pcap {
    pub(super) fn detect(magic: [u8; MAGIC_LENGTH]) -> Option<Self> {
        [ByteOrder::Big, ByteOrder::Little].into_iter().find_map(|order| {
            let (unit, record_header) = match order.u32(magic) {
                MAGIC_MICROSECONDS => (1000, RECORD_HEADER_LENGTH),
                MAGIC_NANOSECONDS => (1, RECORD_HEADER_LENGTH),
                MAGIC_MODIFIED => (1000, MODIFIED_RECORD_HEADER_LENGTH),
                _ => return None,
            };
            let lengths = Lengths::Straight;
            Some(Self { order, unit, record_header, lengths, snapshot: MAX_PACKET_LENGTH, link: None })
        })
    }

    pub(super) fn expects(&self) -> (&'static str, bool) {
        match self.link {
            None => ("the file header", false),
            Some(_) => ("a packet record", true),
        }
    }

    #[inline]
    pub(super) fn step(&mut self, window: &[u8]) -> Step {
        match self.link {
            Some(link) => self.record(window, link).unwrap_or(Step::Need { size: self.record_header }),
            None => self.file_header(window).unwrap_or(Step::Need { size: FILE_HEADER_LENGTH }),
        }
    }

    fn file_header(&mut self, window: &[u8]) -> Option<Step> {
        let mut reader = OrderedReader::new(window.get(..FILE_HEADER_LENGTH)?, self.order);
        let _magic = reader.u32()?;
        let (major, minor) = (reader.u16()?, reader.u16()?);
        let _zone_and_accuracy = reader.take(8)?;
        let snapshot = reader.u32()?;
        // The upper half describes frame check sequences.
        let link = reader.u32()? as u16;
        self.lengths = match (major, minor) {
            DGUX_VERSION | (MAJOR_VERSION, 0..=2) => Lengths::Swapped,
            (MAJOR_VERSION, 3) => Lengths::Either,
            (MAJOR_VERSION, _) => Lengths::Straight,
            _ => return Some(Step::Damaged(Damage::Version { major, minor })),
        };
        // No snapshot length, or one that cannot be, means that there was no limit.
        self.snapshot = if snapshot == 0 { MAX_PACKET_LENGTH } else { snapshot.min(MAX_PACKET_LENGTH) };
        self.link = Some(LinkType(link));
        Some(Step::Skip { size: FILE_HEADER_LENGTH as u64 })
    }

    #[inline]
    fn record(&self, window: &[u8], link: LinkType) -> Option<Step> {
        let mut reader = OrderedReader::new(window.get(..self.record_header)?, self.order);
        let (seconds, fraction) = (reader.u32()?, reader.u32()?);
        let (first, second) = (reader.u32()?, reader.u32()?);
        let (captured, wire_length) = match self.lengths {
            Lengths::Straight => (first, second),
            Lengths::Swapped => (second, first),
            Lengths::Either => (first.min(second), first.max(second)),
        };
        if captured > MAX_PACKET_LENGTH {
            let limit = MAX_PACKET_LENGTH;
            return Some(Step::Damaged(Damage::PacketLength { length: captured, limit }));
        }
        let size = self.record_header + captured as usize;
        if window.len() < size {
            return Some(Step::Need { size });
        }
        // A fraction of more than a second is odd but no damage; it counts as what it says.
        let time = Timestamp(u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.unit);
        let length = captured.min(self.snapshot);
        let found =
            Found { start: self.record_header, length, wire_length, time, interface: 0, link, options: 0 };
        Some(Step::Packet { size, found })
    }
}
