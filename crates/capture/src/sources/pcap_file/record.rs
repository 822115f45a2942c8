//! One step through the bytes of a capture, whatever its format.
//!
//! A format reads the record at the start of a window of bytes and says what it found, or how many
//! bytes it has to see. It never keeps bytes, so the same code walks a mapped file and a chunk
//! buffer.

use weir_base::Timestamp;
use weir_packet::LinkType;

use super::pcap::Pcap;
use super::pcapng::{Comments, PcapNg};
use crate::Damage;

/// The longest packet read, the maximum snapshot length of libpcap. A longer one is damage.
pub const MAX_PACKET_LENGTH: u32 = 262_144;

/// Bytes needed to tell the format.
pub(super) const MAGIC_LENGTH: usize = 4;

/// Content of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A packet in a record of `size` bytes.
    Packet { size: usize, found: Found },
    /// `size` bytes without a packet. They may reach past the window.
    Skip { size: u64 },
    /// The window has to be `size` bytes long for the next step.
    Need { size: usize },
    /// Nothing can be read from here on.
    Damaged(Damage),
}

/// A packet within the window.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Index of the first byte.
    pub(super) start: usize,
    /// Captured bytes.
    pub(super) length: u32,
    /// Length on the wire.
    pub(super) wire_length: u32,
    /// When it was captured.
    pub(super) time: Timestamp,
    /// The interface, from 0 over the whole file.
    pub(super) interface: u32,
    /// The link type of the interface.
    pub(super) link: LinkType,
    /// Bytes of options behind the captured ones, which are padded to a multiple of four.
    pub(super) options: u32,
}

/// The format of a capture and what its headers have said so far.
#[derive(Debug)]
pub(super) enum Format {
    /// The classic format.
    Pcap(Pcap),
    /// Its successor.
    PcapNg(PcapNg),
}

impl Format {
    /// Tells the format by the first bytes of a capture.
    pub(super) fn detect(magic: [u8; MAGIC_LENGTH]) -> Option<Self> {
        if let Some(pcap) = Pcap::detect(magic) {
            return Some(Format::Pcap(pcap));
        }
        PcapNg::detect(magic).then(|| Format::PcapNg(PcapNg::default()))
    }

    /// Reads the record at the start of `window`.
    #[inline]
    pub(super) fn step(&mut self, window: &[u8]) -> Step {
        match self {
            Format::Pcap(pcap) => pcap.step(window),
            Format::PcapNg(pcapng) => pcapng.step(window),
        }
    }

    /// Returns the comments among options, one on each line: none where there are none.
    #[cold]
    pub(super) fn comments(&self, options: &[u8]) -> Option<Comments> {
        match self {
            Format::Pcap(_) => None,
            Format::PcapNg(pcapng) => pcapng.comments(options),
        }
    }

    /// Returns the name of the next part of the file, and whether the file may end before it.
    pub(super) fn expects(&self) -> (&'static str, bool) {
        match self {
            Format::Pcap(pcap) => pcap.expects(),
            Format::PcapNg(pcapng) => pcapng.expects(),
        }
    }
}

/// In which order the bytes of an integer lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum ByteOrder {
    /// Most significant first.
    Big,
    /// Least significant first.
    #[default]
    Little,
}

impl ByteOrder {
    #[inline]
    pub(super) fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Little => u16::from_le_bytes(bytes),
        }
    }

    #[inline]
    pub(super) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            ByteOrder::Big => u32::from_be_bytes(bytes),
            ByteOrder::Little => u32::from_le_bytes(bytes),
        }
    }
}

/// Reads integers of one byte order from the front of `bytes`.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderedReader<'a> {
    reader: weir_base::Reader<'a>,
    order: ByteOrder,
}

impl<'a> OrderedReader<'a> {
    #[inline]
    pub(super) fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { reader: weir_base::Reader::new(bytes), order }
    }

    #[inline]
    pub(super) fn u16(&mut self) -> Option<u16> {
        self.reader.array().map(|bytes| self.order.u16(bytes))
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Option<u32> {
        self.reader.array().map(|bytes| self.order.u32(bytes))
    }

    #[inline]
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.reader.take(count)
    }

    pub(super) fn len(&self) -> usize {
        self.reader.len()
    }
}
