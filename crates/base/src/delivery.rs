//! Deliveries: what a connection's transport hands to those who read its protocol, in order.

use crate::{Direction, Timestamp};

/// Times at which the bytes of a piece were captured: the place in the stream of the first byte of each segment within
/// the piece, and the time of the packet that brought it, in order of place. Never empty; the first entry speaks for
/// the piece's first byte.
pub type ArrivalTimes<'a> = &'a [(u64, Timestamp)];

/// A piece of one direction of a connection, and who gets it.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// Direction.
    pub direction: Direction,
    /// Recipients.
    pub to: Recipients,
    /// The piece.
    pub piece: Piece<'a>,
}

/// Recipients of a piece of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipients {
    /// All who read the connection.
    All,
    /// Zeek's logs, which do not wait for what may yet come: the others get the same piece, or what was missing,
    /// later. May be delivered more than once.
    ZeekEarly,
    /// Zeek's logs, which know no depth: the others read no further.
    ZeekBeyondDepth,
}

/// A piece of one direction of a connection.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// Contiguous bytes of a stream.
    Data {
        /// Where the first one stands, counted from the first byte after the SYN.
        offset: u64,
        /// The bytes.
        bytes: &'a [u8],
        /// When they were captured. Bytes are delivered while the packet is processed that acknowledges them, later
        /// than they came.
        arrivals: ArrivalTimes<'a>,
    },
    /// Bytes of a stream that were not seen.
    Gap {
        /// Where the first one stands.
        offset: u64,
        /// Number of bytes.
        length: u64,
    },
    /// The end: no more comes of a stream.
    End,
    /// The payload of a datagram.
    Datagram(&'a [u8]),
}

impl<'a> Delivery<'a> {
    /// A piece for all who read the connection.
    pub const fn to_all(direction: Direction, piece: Piece<'a>) -> Self {
        Self { direction, to: Recipients::All, piece }
    }

    /// The delivery with client and server exchanged.
    pub const fn reversed(self) -> Self {
        Self { direction: self.direction.opposite(), ..self }
    }
}
