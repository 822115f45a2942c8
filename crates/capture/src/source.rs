//! The contract between a source of packets and the worker that reads them.

use std::path::Path;
use std::time::Duration;

use weir_base::{CounterVisitor, Timestamp};
use weir_packet::LinkType;

use crate::SourceError;
use crate::batch::Batch;
use crate::fate::Fates;
use crate::shunt::Shunt;
use crate::sources::Stance;
use crate::sources::recording::{Event, Group};

/// Something that lends packets.
pub trait Source: Send {
    /// Returns its name in messages: of a capture, the path.
    fn name(&self) -> String;

    /// Returns the file that it is all of, which can be deleted once it is read.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// Numbers its packets on from `earlier` packets of the sources before it.
    fn number_after(&mut self, earlier: u64);

    /// Lends up to `max` packets, at least one unless nothing arrived within `wait` or the source
    /// has finished, which [`Batch::at_end`] tells apart.
    ///
    /// Packets before damage are delivered first; the call after them answers the error, and each
    /// call after that an empty batch at its end. A source that reads a file does not keep to
    /// `wait`, and one that reads a pipe waits 50 ms at most.
    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError>;

    /// Does with the packets of the last batch what was decided of them; those of which nothing was are forwarded.
    fn conclude(&mut self, _fates: &Fates) {}

    /// Names of its interfaces, by their numbers.
    fn interfaces(&self) -> Vec<String> {
        vec![self.name()]
    }

    /// Where it is in the network.
    fn stance(&self) -> Stance {
        Stance::Beside
    }

    /// Whether the sources of its interface, in their order, share packets out by the hash of hosts
    /// (`weir_packet::decode::dispatch`), as far as the kernel sees these.
    fn deals_by_hosts(&self) -> bool {
        false
    }

    /// Flows of which the kernel drops all further packets, where it can.
    fn shunt(&self) -> Option<Shunt> {
        None
    }

    /// Returns the source's counters until now.
    fn stats(&self) -> SourceStats;

    /// Has `visitor` see the counters of the capture itself, as records of the counters show them.
    fn count(&mut self, _visitor: &mut dyn CounterVisitor) {}

    /// Takes in no more packets; those that it has are still lent.
    fn stop(&mut self) {}

    /// Whether it repeats what another source lent, with all that befell its thread.
    fn is_recorded(&self) -> bool {
        false
    }

    /// Returns the group of threads of which it is one, as a recording has it.
    fn group(&self) -> Option<Group> {
        None
    }

    /// Takes what befell the thread instead of packets, where the last batch is an empty one of a recording.
    fn event(&mut self) -> Option<Event> {
        None
    }

    /// Takes what is worth telling that happened since the last time, as sentences.
    fn news(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Totals of one source since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SourceStats {
    /// Packets lent.
    pub packets: u64,
    /// Captured bytes of the packets lent.
    pub bytes: u64,
    /// Packets that the kernel or the interface lost for want of room.
    pub dropped: u64,
    /// Packets that the filter kept back.
    pub filtered: u64,
    /// Packets of whose comments a part was left out, for their length.
    pub comments_cut: u64,
    /// Bytes of the source read so far (of the uncompressed data).
    pub position: u64,
    /// Bytes in all, where that can be known.
    pub size: Option<u64>,
}

/// Where one packet lies among the bytes of its batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketSlot {
    /// Index of the first byte.
    pub start: usize,
    /// Captured bytes.
    pub length: u32,
    /// Length on the wire in bytes.
    pub wire_length: u32,
    /// When the packet was captured.
    pub time: Timestamp,
    /// Interface of the source, from 0.
    pub interface: u32,
    /// Link type, by which the first layer is read.
    pub link: LinkType,
    /// Whether its checksums are there.
    pub checksums: Checksums,
}

/// Whether the checksums of a packet are there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Checksums {
    /// They are, right or wrong.
    #[default]
    Filled,
    /// They are left to the network card, and the packet was captured before.
    Unfilled,
}

/// Whether comments on packets are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommentReading {
    /// They are lent with the packets.
    Keep,
    /// They are not looked at.
    Skip,
}

/// Comment on a packet by whoever recorded or edited the capture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PacketComment {
    /// The place of the packet in its batch.
    pub index: usize,
    /// The text, which should be UTF-8.
    pub text: Vec<u8>,
}
