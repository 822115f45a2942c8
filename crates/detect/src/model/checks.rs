//! The checks of a rule: on packets and flows, on the payload, on buffers.

use std::sync::Arc;

use weir_applayer::{Access, Field, FrameKind, Protocol};
use weir_base::Direction;
use weir_packet::Packet;

use super::buffer::Check;
use super::script::{ScriptPlace, ScriptUse};
use super::transform::{Transform, TransformFn};
use super::view::PacketView;
use crate::state::dataset::Dataset;

bitflags::bitflags! {
    /// Subjects that a rule, or an option of it, looks at.
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Subjects: u8 {
        /// Packets: their headers, or the payload of each.
        const PACKET = 1;
        /// The stream.
        const STREAM = 1 << 1;
        /// Packets beside the stream, which does not show where they end (`stream_size`).
        const PACKET_TOO = 1 << 2;
        /// Anything that cannot be decided by addresses alone.
        const MORE_THAN_ADDRESSES = 1 << 3;
        /// Events of transactions (`app-layer-event`).
        const TRANSACTION_EVENT = 1 << 4;
    }
}

/// All that must hold beside the head.
#[derive(Default)]
pub struct Checks {
    /// Packet and flow checks, the cheapest first.
    pub packet: Vec<Box<dyn PacketCheck>>,
    /// Checks on the payload.
    pub payload: Vec<Check>,
    /// Where the payload checks look: at packets, at the stream.
    pub payload_in: Subjects,
    /// A packet's own headers are looked at: packets that the engine makes itself have none.
    pub wire_only: bool,
    /// Checks on other buffers.
    pub buffers: Vec<BufferMatch>,
    /// Scripts that are asked.
    pub scripts: Vec<ScriptUse>,
    /// Highest byte variable slot in use, plus one.
    pub variables: u8,
    /// Sets that it looks at; [`Checks::shares`] follows from them once all rules are known.
    pub sets: Vec<Arc<Dataset>>,
    /// It looks at or changes what flows of all workers share, and waits for its turn.
    pub shares: bool,
}

impl Checks {
    /// The lists of checks on bytes: the payload's, then those of the buffers.
    pub fn lists(&self) -> impl Iterator<Item = &Vec<Check>> {
        std::iter::once(&self.payload).chain(self.buffers.iter().map(|buffer| &buffer.checks))
    }

    /// Whether something of the rule looks at the payload or the stream.
    #[inline]
    pub fn look_at_payload(&self) -> bool {
        !self.payload.is_empty() || self.scripts.iter().any(|script| script.place == ScriptPlace::Payload)
    }

    /// Whether a script is asked, or makes a buffer.
    pub fn has_scripts(&self) -> bool {
        let mut transforms = self.buffers.iter().flat_map(|buffer| &buffer.transforms);
        !self.scripts.is_empty() || transforms.any(|t| matches!(t.apply, TransformFn::Script(_)))
    }

    /// The buffers that look at files, as bits.
    pub fn file_buffers(&self) -> u64 {
        let of_files = |buffer: &BufferMatch| match &buffer.target {
            Target::Transaction(rows) => rows.iter().any(FieldRow::is_of_files),
            _ => false,
        };
        self.buffers.iter().enumerate().filter(|(_, b)| of_files(b)).fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// Buffers of packets, with their positions among the buffers.
    pub fn packet_buffers(&self) -> impl Iterator<Item = (usize, &'static PacketField, &BufferMatch)> {
        self.buffers.iter().enumerate().filter_map(|(position, buffer)| match buffer.target {
            Target::Packet(field) => Some((position, field, buffer)),
            Target::Transaction(_) | Target::Frame(_) => None,
        })
    }

    /// Buffers of frames, with the kinds they are of and their positions among the buffers.
    pub fn frame_buffers(&self) -> impl Iterator<Item = (usize, &[FrameRow], &BufferMatch)> {
        self.buffers.iter().enumerate().filter_map(|(position, buffer)| match &buffer.target {
            Target::Frame(rows) => Some((position, rows.as_slice(), buffer)),
            Target::Packet(_) | Target::Transaction(_) => None,
        })
    }

    /// Whether the rule looks at frames.
    pub fn has_frame_buffers(&self) -> bool {
        self.frame_buffers().next().is_some()
    }

    /// Whether the rule looks at transactions.
    pub fn has_transaction_buffers(&self) -> bool {
        self.buffers.iter().any(|b| matches!(b.target, Target::Transaction(_)))
    }
}

/// Costs of checks on packets and flows, the cheapest first: checks of a rule are made in this order. Beside each
/// are the instructions that one check of the kind took in a release build, counted by callgrind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cost {
    /// A word of a header, a length, an event: `ipopts` 7, `dsize` 13, `flags` 15, `fragbits` 19, `ttl` 28, `vlan.id` 35;
    /// `flow.elephant` 12, `stream_size` 25.
    Header,
    /// A value that the flow keeps, among as many as rules set: `flowint` 20, `flowvar` 22, `flowbits` 32;
    /// `flow.pkts` 47.
    Flow,
    /// Protocols of the flow, by name: `app-layer-protocol` 126.
    Protocol,
    /// All bytes of the packet: checksums, 161 where it is short.
    Packet,
    /// A table that workers share, with its lock: `hostbits`, `xbits` 167.
    Shared,
    /// A search for both addresses in a large table: `iprep` 1,676 among 22,000 entries, `geoip`.
    Search,
}

/// A check on a packet's headers or on the flow's state.
pub trait PacketCheck: Send + Sync {
    /// Whether it holds.
    fn matches(&self, view: &PacketView<'_>) -> bool;

    /// Whether a rule with this check may still be decided by addresses alone, once per flow and
    /// direction.
    fn ip_only(&self) -> bool {
        false
    }

    /// Words for what the check finds in the packet or flow, for those who explain rules.
    fn observed(&self, _view: &PacketView<'_>) -> Option<String> {
        None
    }

    /// The cost of making it.
    fn cost(&self) -> Cost {
        Cost::Header
    }

    /// The name of the decoder's or the stream engine's event that the check looks for.
    fn event(&self) -> Option<&str> {
        None
    }
}

/// Access to a packet's buffer.
#[derive(Clone, Copy)]
pub enum PacketAccess {
    /// There is one, or none.
    One(for<'a> fn(&'a Packet<'_>) -> Option<&'a [u8]>),
    /// There can be several, each looked at by itself, by index from 0 until none.
    Several(for<'a> fn(&'a Packet<'_>, usize) -> Option<&'a [u8]>),
}

impl PacketAccess {
    /// The buffer with this index.
    pub fn read<'a>(self, packet: &'a Packet<'_>, index: usize) -> Option<&'a [u8]> {
        match self {
            PacketAccess::One(read) if index == 0 => read(packet),
            PacketAccess::One(_) => None,
            PacketAccess::Several(read) => read(packet, index),
        }
    }
}

/// A buffer that a packet, not a transaction, has (`tcp.hdr`).
#[derive(Clone, Copy)]
pub struct PacketField {
    /// The sticky buffer's name.
    pub name: &'static str,
    /// The bytes.
    pub read: PacketAccess,
    /// One sentence for the keyword reference.
    pub doc: &'static str,
}

/// Target of a list of buffer checks.
#[derive(Clone)]
pub enum Target {
    /// A packet's own buffer.
    Packet(&'static PacketField),
    /// A transaction's field, one row for each protocol and direction that has it.
    Transaction(Vec<FieldRow>),
    /// Frames of a kind, one row for each protocol that has it.
    Frame(Vec<FrameRow>),
}

/// A kind of frame of a protocol.
#[derive(Clone, Copy, Debug)]
pub struct FrameRow {
    /// The protocol.
    pub protocol: &'static Protocol,
    /// Its kind of frame.
    pub kind: FrameKind,
}

/// A field of a protocol.
#[derive(Clone, Copy, Debug)]
pub struct FieldRow {
    /// The protocol.
    pub protocol: &'static Protocol,
    /// Its field.
    pub field: &'static Field,
}

impl FieldRow {
    /// Whether the field looks at files as such, of which a transaction may have several.
    fn is_of_files(&self) -> bool {
        matches!(self.field.access, Access::FileData | Access::FileName | Access::FileDescription)
            || matches!(self.field.name, "filesize" | "filestore" | "filemd5" | "filesha1" | "filesha256")
    }
}

/// Checks on one buffer.
pub struct BufferMatch {
    /// Its name as rules write it.
    pub name: &'static str,
    /// Buffer.
    pub target: Target,
    /// The only direction in which it is looked at (`file.data:to_client`, in rules on both).
    pub direction: Option<Direction>,
    /// Transforms that are applied to the bytes first.
    pub transforms: Vec<Transform>,
    /// The checks, in order.
    pub checks: Vec<Check>,
    /// A field that is no buffer: an integer or a check of the protocol's own.
    pub value: Option<ValueMatch>,
    /// `absent`: the buffer must not be there at all, or (`absent:or_else`) may be absent.
    pub absent: Option<Absent>,
}

/// Meaning of `absent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// The buffer must not be there.
    Only,
    /// The buffer is absent, or its checks hold.
    OrElse,
}

/// A test of a field that is no buffer.
pub enum ValueMatch {
    /// One of the integers fits.
    Integer(Arc<dyn Fn(u64) -> bool + Send + Sync>),
    /// The integers taken together fit.
    IntegerList(weir_rules::value::IntegerListMatch<u64>),
    /// The protocol's own check holds.
    Check(Arc<dyn weir_applayer::TransactionCheck>),
}
