//! Walks the records of a capture through a window of its bytes.

use weir_packet::RawPacket;

use super::pcapng::Comments;
use super::record::{Format, MAGIC_LENGTH, Step};
use crate::Damage;
use crate::source::{Checksums, PacketSlot};

/// Damage and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where the damaged record begins, in bytes from the start.
    pub offset: u64,
    /// Damage of the capture.
    pub damage: Damage,
}

/// The bytes of a capture that are at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window<'a> {
    /// The bytes.
    pub(super) bytes: &'a [u8],
    /// Where in the capture the first of them lies.
    pub(super) base: u64,
    /// Whether the capture ends with the last of them.
    pub(super) ended: bool,
}

/// Result of a step.
#[derive(Debug)]
pub(super) enum Advance {
    /// A packet; its place is counted from the start of the window. So many bytes of options lie behind it.
    Packet(PacketSlot, u32),
    /// The window has to hold this many bytes from [`Walker::position`] on.
    Need(usize),
    /// The capture has ended where it may.
    End,
}

/// A position between two records.
#[derive(Debug)]
pub(super) struct Walker {
    format: Format,
    position: u64,
    /// Start and length of what was skipped last.
    skipped: (u64, u64),
}

impl Walker {
    /// Starts at the beginning of a capture.
    pub(super) fn new(format: Format) -> Self {
        Self { format, position: 0, skipped: (0, 0) }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Goes on to the next packet in `window`.
    #[inline]
    pub(super) fn advance(&mut self, window: Window<'_>) -> Result<Advance, Fault> {
        loop {
            let at = usize::try_from(self.position.saturating_sub(window.base)).unwrap_or(usize::MAX);
            let Some(rest) = window.bytes.get(at..) else { return self.past_the_window(window) };
            match self.format.step(rest) {
                Step::Packet { size, found } => {
                    self.position += size as u64;
                    let slot = PacketSlot {
                        start: at + found.start,
                        length: found.length,
                        wire_length: found.wire_length,
                        time: found.time,
                        interface: found.interface,
                        link: found.link,
                        checksums: Checksums::Filled,
                    };
                    return Ok(Advance::Packet(slot, found.options));
                }
                Step::Skip { size } => {
                    self.skipped = (self.position, size);
                    self.position = self.position.saturating_add(size);
                }
                Step::Need { size } if window.ended => return self.at_the_end(size, rest.len()),
                Step::Need { size } => return Ok(Advance::Need(size)),
                Step::Damaged(damage) => return Err(Fault { offset: self.position, damage }),
            }
        }
    }

    /// The comments among the options of the packet at `slot`.
    pub(super) fn comments(&self, window: Window<'_>, slot: &PacketSlot, options: u32) -> Option<Comments> {
        let start = slot.start.saturating_add(slot.length.next_multiple_of(4) as usize);
        self.format.comments(window.bytes.get(start..start.saturating_add(options as usize))?)
    }

    fn at_the_end(&self, wanted: usize, left: usize) -> Result<Advance, Fault> {
        let (what, may_end) = self.format.expects();
        if left == 0 && may_end {
            return Ok(Advance::End);
        }
        let damage = Damage::Truncated { what, wanted: wanted as u64, left: left as u64 };
        Err(Fault { offset: self.position, damage })
    }

    fn past_the_window(&self, window: Window<'_>) -> Result<Advance, Fault> {
        if !window.ended {
            return Ok(Advance::Need(1));
        }
        let (offset, wanted) = self.skipped;
        let left = (window.base + window.bytes.len() as u64).saturating_sub(offset);
        let (what, _) = self.format.expects();
        Err(Fault { offset, damage: Damage::Truncated { what, wanted, left } })
    }
}

/// Reads the packets of a capture that lies in memory, uncompressed.
#[derive(Debug)]
pub struct CaptureReader<'a> {
    bytes: &'a [u8],
    walker: Walker,
    number: u64,
    finished: bool,
}

impl<'a> CaptureReader<'a> {
    /// A reader of `bytes`, unless they begin like no capture format.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let magic: &[u8; MAGIC_LENGTH] = bytes.first_chunk()?;
        Some(Self { bytes, walker: Walker::new(Format::detect(*magic)?), number: 0, finished: false })
    }
}

impl<'a> Iterator for CaptureReader<'a> {
    type Item = Result<RawPacket<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        match self.walker.advance(Window { bytes: self.bytes, base: 0, ended: true }) {
            Ok(Advance::Packet(slot, _)) => {
                self.number += 1;
                let end = slot.start + slot.length as usize;
                Some(Ok(RawPacket {
                    number: self.number,
                    time: slot.time,
                    link: slot.link,
                    wire_length: slot.wire_length,
                    interface: slot.interface,
                    bytes: self.bytes.get(slot.start..end).unwrap_or_default(),
                }))
            }
            Ok(Advance::Need(_) | Advance::End) => {
                self.finished = true;
                None
            }
            Err(fault) => {
                self.finished = true;
                Some(Err(fault))
            }
        }
    }
}
