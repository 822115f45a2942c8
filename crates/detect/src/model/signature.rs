//! A rule compiled: what must hold, ordered by cost, and what happens then.

use std::sync::Arc;

use weir_applayer::{Access, Field, FrameKind, Protocol};
use weir_base::{Direction, PerDirection};
use weir_packet::Packet;
use weir_rules::{Action, ActionScope, RuleInfo};

pub use super::head::{FlowRequirement, HeaderPart, LinkProtocol, PacketProtocols, Side};
use crate::model::buffer::{Check, Content};
use crate::model::firewall::FirewallRule;
use crate::model::hook::{Hook, StateHook};
use crate::model::post::PostAction;
use crate::model::script::{ScriptPlace, ScriptUse};
use crate::model::transform::{Transform, TransformFn};
use crate::model::view::PacketView;
pub use crate::state::SignatureIndex;
use crate::state::dataset::Dataset;
use crate::state::threshold::Threshold;

/// A check on a packet's headers or on the flow's state.
pub trait PacketCheck: Send + Sync {
    /// Whether it holds.
    fn matches(&self, view: &PacketView<'_>) -> bool;

    /// Whether a rule with this check may still be decided by addresses alone, once per flow and
    /// direction.
    fn ip_only(&self) -> bool {
        false
    }

    /// What the check finds in the packet or flow, for those who explain rules.
    fn observed(&self, _view: &PacketView<'_>) -> Option<String> {
        None
    }

    /// Whether the check looks at decoder, stream or engine events.
    fn event(&self) -> bool {
        false
    }
}

/// How a packet's buffer is had.
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

/// What a list of buffer checks looks at.
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
    /// Which buffer.
    pub target: Target,
    /// The only direction in which it is looked at (`file.data:to_client`, in rules on both).
    pub direction: Option<Direction>,
    /// What is done to the bytes first.
    pub transforms: Vec<Transform>,
    /// The checks, in order.
    pub checks: Vec<Check>,
    /// A field that is no buffer: an integer or a check of the protocol's own.
    pub value: Option<ValueMatch>,
    /// `absent`: the buffer must not be there at all, or (`absent:or_else`) may be absent.
    pub absent: Option<Absent>,
}

/// What `absent` says.
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

/// What a rule is, which decides when it is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// Addresses alone decide: once per flow and direction.
    IpOnly,
    /// Like it, but with an option that needs the packet path (a negated address).
    LikeIpOnly,
    /// Only the protocol of the flow: once per direction, when it is settled what that speaks.
    ProtocolOnly,
    /// Decoder events alone.
    DecoderEvent,
    /// Packets.
    Packet,
    /// Packets and the stream.
    PacketStream,
    /// The stream.
    Stream,
    /// A flow of an application protocol, without a transaction's fields.
    Application,
    /// Transactions.
    Transaction,
    /// Frames.
    Frame,
}

impl Kind {
    /// Whether addresses alone decide, so that a rule is looked at once per flow and direction.
    pub const fn is_address_only(self) -> bool {
        matches!(self, Kind::IpOnly | Kind::LikeIpOnly)
    }

    /// The documented name (`--engine-analysis`).
    pub const fn name(self) -> &'static str {
        match self {
            Kind::IpOnly => "ip_only",
            Kind::LikeIpOnly => "like_ip_only",
            Kind::ProtocolOnly => "pd_only",
            Kind::DecoderEvent => "de_only",
            Kind::Packet => "pkt",
            Kind::PacketStream => "pkt_stream",
            Kind::Stream => "stream",
            Kind::Application => "app_layer",
            Kind::Transaction | Kind::Frame => "app_tx",
        }
    }
}

/// The literal that a prefilter looks for on behalf of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrefilterPlace {
    /// In the payload of packets or streams.
    Payload,
    /// In the buffer with this position in [`Signature::buffers`].
    Buffer(usize),
}

/// The chosen literal.
#[derive(Clone, Debug)]
pub struct Prefilter {
    /// Where it is looked for.
    pub place: PrefilterPlace,
    /// Position of the content in its list.
    pub content: usize,
}

/// What became of a rule's options, for `--engine-analysis`; inspection does not look at it.
#[derive(Clone, Debug, Default)]
pub struct OptionTrace {
    /// Positions of the options that added checks on packets or flows.
    pub packet: Vec<u16>,
    /// Positions of the options that act on a match.
    pub post: Vec<u16>,
    /// An option looks at single packets.
    pub wants_packet: bool,
    /// An option looks at the stream.
    pub wants_stream: bool,
}

/// A compiled rule.
pub struct Signature {
    /// Order of evaluation.
    pub index: SignatureIndex,
    /// What alerts say.
    pub info: Arc<RuleInfo>,
    /// Rank among rules of the same action: rules that set state come before those that read it.
    pub state_rank: [u8; 3],
    /// What it does.
    pub action: Action,
    /// To what it does it.
    pub scope: Option<ActionScope>,
    /// When it is looked at.
    pub kind: Kind,
    /// Where its protocol field says that it is looked at.
    pub hook: Option<Hook>,
    /// What it decides, as a rule of the firewall.
    pub firewall: Option<Box<FirewallRule>>,
    /// Packets admitted.
    pub protocols: PacketProtocols,
    /// Application protocols admitted; empty for all.
    pub app_protocols: Vec<&'static Protocol>,
    /// Source side.
    pub source: Side,
    /// Destination side.
    pub destination: Side,
    /// `<>`: either way.
    pub both_ways: bool,
    /// `=>`: looks at both directions of a transaction.
    pub transactional: bool,
    /// What `flow` asks for.
    pub flow: FlowRequirement,
    /// Packet and flow checks, cheapest first.
    pub packet_checks: Vec<Box<dyn PacketCheck>>,
    /// Checks on the payload.
    pub payload: Vec<Check>,
    /// The payload checks look at packets.
    pub wants_packet: bool,
    /// The payload checks look at the stream.
    pub wants_stream: bool,
    /// A packet's own headers are looked at: packets that the engine makes itself have none.
    pub wire_only: bool,
    /// Checks on other buffers.
    pub buffers: Vec<BufferMatch>,
    /// Scripts that are asked.
    pub scripts: Vec<ScriptUse>,
    /// What happens on a match.
    pub post: Vec<Box<dyn PostAction>>,
    /// `threshold`, `detection_filter`.
    pub threshold: Option<Threshold>,
    /// `noalert`
    pub no_alert: bool,
    /// It looks at or changes what flows of all workers share, and waits for its turn.
    pub shares: bool,
    /// Sets that it looks at; [`Signature::shares`] follows from them once all rules are known.
    pub sets: Vec<Arc<Dataset>>,
    /// The literal looked for first.
    pub prefilter: Option<Prefilter>,
    /// Highest byte variable slot in use, plus one.
    pub variables: u8,
    /// What the analysis of rules tells besides.
    pub trace: OptionTrace,
}

impl Signature {
    /// The directions in which the rule can match.
    pub fn directions(&self) -> PerDirection<bool> {
        PerDirection::from_fn(|d| self.flow.direction.is_none_or(|wanted| wanted == d) || self.transactional)
    }

    /// Its buffers that look at files, as bits.
    pub fn file_buffers(&self) -> u64 {
        let of_files = |buffer: &BufferMatch| match &buffer.target {
            Target::Transaction(rows) => rows.iter().any(FieldRow::is_of_files),
            _ => false,
        };
        self.buffers.iter().enumerate().filter(|(_, b)| of_files(b)).fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// The content that the prefilter looks for.
    pub fn prefilter_content(&self) -> Option<&Content> {
        let prefilter = self.prefilter.as_ref()?;
        let checks = match prefilter.place {
            PrefilterPlace::Payload => &self.payload,
            PrefilterPlace::Buffer(index) => &self.buffers.get(index)?.checks,
        };
        match checks.get(prefilter.content)? {
            Check::Content(content) => Some(content),
            _ => None,
        }
    }

    /// Whether something of the rule looks at the payload or the stream.
    #[inline]
    pub fn looks_at_payload(&self) -> bool {
        !self.payload.is_empty() || self.scripts.iter().any(|script| script.place == ScriptPlace::Payload)
    }

    /// The state of transactions in which alone the rule is looked at.
    #[inline]
    pub fn state_hook(&self) -> Option<StateHook> {
        self.hook?.state()
    }

    /// Whether a flow of `protocol` can match.
    pub fn admits_protocol(&self, protocol: Option<&Protocol>) -> bool {
        self.app_protocols.is_empty()
            || protocol.is_some_and(|found| self.app_protocols.iter().any(|p| **p == *found))
    }

    /// Buffers of packets, with their positions among the buffers.
    pub fn packet_buffers(&self) -> impl Iterator<Item = (usize, &'static PacketField, &BufferMatch)> {
        self.buffers.iter().enumerate().filter_map(|(position, buffer)| match buffer.target {
            Target::Packet(field) => Some((position, field, buffer)),
            Target::Transaction(_) | Target::Frame(_) => None,
        })
    }

    /// Whether a script is asked, or makes a buffer.
    pub fn has_scripts(&self) -> bool {
        let mut transforms = self.buffers.iter().flat_map(|buffer| &buffer.transforms);
        !self.scripts.is_empty() || transforms.any(|t| matches!(t.apply, TransformFn::Script(_)))
    }

    /// Whether the rule looks at frames.
    pub fn has_frame_buffers(&self) -> bool {
        self.frame_buffers().next().is_some()
    }

    /// Buffers of frames, with the kinds they are of and their positions among the buffers.
    pub fn frame_buffers(&self) -> impl Iterator<Item = (usize, &[FrameRow], &BufferMatch)> {
        self.buffers.iter().enumerate().filter_map(|(position, buffer)| match &buffer.target {
            Target::Frame(rows) => Some((position, rows.as_slice(), buffer)),
            Target::Packet(_) | Target::Transaction(_) => None,
        })
    }

    /// Whether the rule looks at transactions.
    pub fn has_transaction_buffers(&self) -> bool {
        self.buffers.iter().any(|b| matches!(b.target, Target::Transaction(_)))
    }
}

impl std::fmt::Debug for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signature").field("sid", &self.info.sid).field("kind", &self.kind).finish()
    }
}
