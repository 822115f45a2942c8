//! Where reassembled bytes go.

use weir_base::{Direction, Timestamp};

/// When the bytes of a chunk were captured: each entry is the stream offset of a segment's first
/// byte within the chunk and the time of the packet that brought it, in order of offset. Never
/// empty; the first entry speaks for the chunk's first byte.
pub type ArrivalTimes<'a> = &'a [(u64, Timestamp)];

/// Receives a stream in order: bytes, gaps, and the end, by direction.
///
/// In IDS mode bytes are handed out while the packet that acknowledges them is processed, later
/// than they were captured: `arrivals` tells when that was (Zeek's records need it).
pub trait StreamSink {
    /// Contiguous bytes; `offset` counts from the first byte after the SYN.
    fn data(&mut self, direction: Direction, offset: u64, bytes: &[u8], arrivals: ArrivalTimes<'_>);
    /// `length` bytes at `offset` were never seen.
    fn gap(&mut self, direction: Direction, offset: u64, length: u64);
    /// No more bytes will come.
    fn close(&mut self, direction: Direction);
    /// The same of bytes beyond the depth. Told of where the settings say so
    /// ([`crate::StreamSettings::tells_beyond`]).
    fn beyond(&mut self, direction: Direction, offset: u64, bytes: &[u8], arrivals: ArrivalTimes<'_>) {
        let _ = (direction, offset, bytes, arrivals);
    }
    /// The same of a gap beyond the depth.
    fn gap_beyond(&mut self, direction: Direction, offset: u64, length: u64) {
        let _ = (direction, offset, length);
    }
    /// `length` bytes at `offset` were acknowledged and not seen so far; they may yet come. Told of, perhaps more
    /// than once, where the settings say so ([`crate::StreamSettings::tells_early`]).
    fn lacks(&mut self, direction: Direction, offset: u64, length: u64) {
        let _ = (direction, offset, length);
    }
    /// One side said all and the other one knows, although the connection is not over. Told of as the holes are.
    fn ends(&mut self, direction: Direction) {
        let _ = direction;
    }
}
