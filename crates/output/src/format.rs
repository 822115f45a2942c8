//! Formats, which make lines of records.

use crate::outlet::Outlets;
use crate::record::{Record, RecordContext};

/// Kinds of records, so that nothing is prepared that no format wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum RecordKind {
    /// A rule matched.
    Alert,
    /// A packet was dropped.
    Drop,
    /// A transaction is to be logged.
    Transaction,
    /// A file ended.
    File,
    /// A packet breaks its format.
    DecodeAnomaly,
    /// A segment breaks TCP.
    StreamAnomaly,
    /// A message breaks its protocol.
    ApplicationAnomaly,
    /// A flow ended.
    FlowEnd,
    /// Counters are to be written.
    Stats,
    /// A packet that `tag` asked for.
    TaggedPacket,
    /// An ARP packet.
    Arp,
    /// A packet of a TCP connection.
    Stream,
    /// A frame of a protocol.
    Frame,
    /// A piece of a stream.
    StreamData,
    /// A piece of a body.
    BodyData,
    /// A packet of IP goes by.
    Packet,
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RecordKinds(u16);

impl RecordKinds {
    /// The set of these kinds.
    pub fn of(kinds: &[RecordKind]) -> Self {
        Self(kinds.iter().fold(0, |set, kind| set | 1 << *kind as u16))
    }

    /// Adds a kind.
    pub const fn add(&mut self, kind: RecordKind) {
        self.0 |= 1 << kind as u16;
    }

    /// Whether a kind is in the set.
    #[inline]
    pub const fn has(self, kind: RecordKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// Whether there is a kind that `other` has not.
    pub const fn exceeds(self, other: Self) -> bool {
        self.0 & !other.0 != 0
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Makes lines of records. Each worker owns its formats.
pub trait Format: Send {
    /// Returns the kinds of records it takes, which never change.
    fn wants(&self) -> RecordKinds;

    /// Whether a transaction of this protocol becomes a line.
    fn wants_protocol(&self, protocol: &'static weir_applayer::Protocol) -> bool {
        let _ = protocol;
        false
    }

    /// Whether its alerts show bytes of streams.
    fn shows_streams(&self) -> bool {
        false
    }

    /// Returns the name by which its cost is told, of records of the type `record`.
    fn part(&self, record: &'static str) -> &'static str {
        record
    }

    /// Appends what the record becomes, if anything.
    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>, out: &mut Outlets);
}
