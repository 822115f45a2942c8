//! A rule compiled: when it is looked at, and its parts.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use weir_base::PerDirection;
use weir_rules::{Rule, RuleHash, RuleInfo};

use super::buffer::{Check, Content};
pub use super::checks::{
    Absent, BufferMatch, Checks, Cost, FieldRow, FrameRow, PacketAccess, PacketCheck, PacketField, Subjects,
    Target, ValueMatch,
};
pub use super::effects::{Effects, StateUse};
pub use super::head::{FlowRequirement, Head, HeaderPart, LinkProtocol, PacketProtocols, Side};
pub use crate::state::SignatureIndex;

/// Kinds of rules, which decide when they are looked at.
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

/// Trace of a rule's options, for `--engine-analysis`; inspection does not look at it.
#[derive(Clone, Debug, Default)]
pub struct OptionTrace {
    /// Positions of the options that added checks on packets or flows.
    pub packet: Vec<u16>,
    /// Positions of the options that act on a match.
    pub post: Vec<u16>,
    /// Subjects that options look at.
    pub subjects: Subjects,
}

/// A rule of a ruleset: its place there, its head, and the compiled rule.
pub struct Signature {
    /// Order of evaluation.
    pub index: SignatureIndex,
    /// Line of its file.
    pub line: u32,
    /// It looks at or changes what flows of all workers share, and waits for its turn.
    pub shares: bool,
    /// When it is looked at.
    pub kind: Kind,
    /// Packets and flows that it is on, and its action.
    pub head: Arc<Head>,
    compiled: Arc<CompiledRule>,
}

impl Deref for Signature {
    type Target = CompiledRule;

    #[inline]
    fn deref(&self) -> &CompiledRule {
        &self.compiled
    }
}

/// A compiled rule but for its head: its checks and its effects. Rulesets that come after one another share those that have
/// not changed, with their heads; those of tenants, to which the addresses in heads mean others, share the rest.
pub struct CompiledRule {
    /// Words of its alerts.
    pub info: Arc<RuleInfo>,
    /// Checks that must hold.
    pub checks: Checks,
    /// Effects of a match.
    pub effects: Effects,
    /// The literal looked for first.
    pub prefilter: Option<Prefilter>,
    /// Places of options, for the analysis of rules.
    pub trace: OptionTrace,
    /// Rulesets that may have it as it is.
    pub reuse: Reuse,
}

/// Settings and lists that compiled rules depend on, each as a number that stands for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Conditions {
    /// The meanings of names in heads.
    pub variables: u64,
    /// All others.
    pub rest: u64,
}

/// Rulesets that may have a compiled rule of another one as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reuse {
    /// None: it depends on more than its text and its [`Conditions`].
    Never,
    /// Those that take the place of its own, for it holds a table of what addresses did.
    Successors,
    /// Those of other tenants as well.
    Tenants,
}

impl Signature {
    /// The signature of a rule at a line of its file, which is given its place later.
    pub fn new(kind: Kind, head: Arc<Head>, compiled: Arc<CompiledRule>, line: u32) -> Self {
        Self { index: SignatureIndex(0), line, shares: compiled.checks.shares, kind, head, compiled }
    }

    /// The same rule at another line, in a ruleset that gives it a place of its own.
    pub(crate) fn at_line(&self, line: u32) -> Self {
        Self::new(self.kind, Arc::clone(&self.head), Arc::clone(&self.compiled), line)
    }

    /// The compiled rule.
    pub const fn compiled(&self) -> &Arc<CompiledRule> {
        &self.compiled
    }

    /// The directions in which the rule can match.
    pub fn directions(&self) -> PerDirection<bool> {
        let wanted = self.head.flow.direction.filter(|_| !self.head.is_transactional());
        PerDirection::from_fn(|direction| wanted.is_none_or(|wanted| wanted == direction))
    }
}

/// Compiled rules of a ruleset, for the one that takes its place.
#[derive(Default)]
pub struct KnownRules {
    /// Stands for the settings and lists that all of them depend on.
    pub conditions: Conditions,
    by_text: HashMap<Arc<str>, Signature, RuleHash>,
}

impl KnownRules {
    /// Those of these signatures that can be used again.
    pub fn of(signatures: &[Signature], conditions: Conditions) -> Self {
        let reusable = signatures.iter().filter(|signature| signature.reuse != Reuse::Never);
        let by_text = reusable.map(|signature| (Arc::clone(&signature.info.text), signature.at_line(0)));
        Self { conditions, by_text: by_text.collect() }
    }

    /// Returns what a rule of the same text and file was compiled to.
    pub fn find(&self, rule: &Rule) -> Option<Signature> {
        let known = self.by_text.get(&**rule.text()).filter(|known| *known.info.file == **rule.file())?;
        Some(known.at_line(rule.line()))
    }
}

impl std::fmt::Debug for KnownRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownRules").field("rules", &self.by_text.len()).finish()
    }
}

impl CompiledRule {
    /// The buffer in which the prefilter looks for a literal.
    pub fn prefilter_buffer(&self) -> Option<&BufferMatch> {
        match self.prefilter.as_ref()?.place {
            PrefilterPlace::Payload => None,
            PrefilterPlace::Buffer(index) => self.checks.buffers.get(index),
        }
    }

    /// The content that the prefilter looks for.
    pub fn prefilter_content(&self) -> Option<&Content> {
        let prefilter = self.prefilter.as_ref()?;
        let checks = match prefilter.place {
            PrefilterPlace::Payload => &self.checks.payload,
            PrefilterPlace::Buffer(_) => &self.prefilter_buffer()?.checks,
        };
        match checks.get(prefilter.content)? {
            Check::Content(content) => Some(content),
            _ => None,
        }
    }

    /// Whether the prefilter looks for a literal in the payload.
    pub fn is_narrowed_in_payload(&self) -> bool {
        self.prefilter.as_ref().is_some_and(|prefilter| prefilter.place == PrefilterPlace::Payload)
    }
}

impl std::fmt::Debug for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signature").field("sid", &self.info.sid).field("kind", &self.kind).finish()
    }
}
