//! A ruleset: signatures in their order of evaluation, grouped by what must be looked at, with the
//! literal matchers that narrow each group to candidates.

pub(crate) mod address_index;
mod firewall;
mod frame_group;
mod head_index;
mod matchers;
mod packet_group;
mod payload_scan;
mod payload_scans;
mod rates;
mod transaction_group;

use std::collections::HashMap;
use std::sync::Arc;

use weir_applayer::Protocol;
use weir_applayer::file::FileSettings;
use weir_base::{Direction, PerDirection};
use weir_mpm::{BuildError, Literal, MatchScratch};
use weir_rules::Resolver;

use crate::model::firewall::Policies;
use crate::model::hook::STATE_KEYWORD;
use crate::model::script::ScriptLanguage;
use crate::model::signature::{BufferMatch, Conditions, KnownRules, Signature, SignatureIndex};
use crate::state::dataset::Datasets;
use crate::state::lineage::{Lineage, Predecessor};
use crate::state::names::{NameList, NameTable};
use crate::state::reputation::Reputations;
use crate::state::tag::HostTags;
use crate::state::threshold::ThresholdTable;
use address_index::AddressIndex;
pub use firewall::Firewall;
pub(crate) use firewall::HookTable;
pub use frame_group::{FrameGroup, FrameGroups};
use matchers::Matchers;
use packet_group::packet_groups;
pub use packet_group::{PacketClass, PacketGroup};
pub use payload_scans::PayloadScans;
use rates::rate_control;
pub use rates::{RateControl, Suppression};
use transaction_group::transaction_groups;
pub use transaction_group::{FieldPrefilter, TransactionGroup};

/// Tables and names that rules share once all are compiled, and what their groups are built with.
pub(crate) struct Surroundings<'a> {
    pub(crate) names: &'a Arc<NameTable>,
    pub(crate) thresholds: &'a Arc<ThresholdTable>,
    /// The rules before.
    pub(crate) predecessor: Option<&'a Predecessor>,
    pub(crate) datasets: &'a Arc<Datasets>,
    pub(crate) reputations: &'a Arc<Reputations>,
    pub(crate) host_tags: &'a Arc<HostTags>,
    /// Language of scripts, where some may be used.
    pub(crate) scripts: Option<&'a Arc<dyn ScriptLanguage>>,
    pub(crate) protocols: &'a [&'static Protocol],
    /// Compiled matchers of earlier starts.
    pub(crate) matcher_cache: Option<&'a weir_mpm::Cache>,
    /// Stands for the settings and lists that all rules depend on.
    pub(crate) conditions: Conditions,
}

/// A set of rules, shared by all workers.
#[derive(Debug, Default)]
pub struct Ruleset {
    /// In order of evaluation; [`SignatureIndex`] counts here. Behind those of rule files stand the
    /// engine's own.
    signatures: Vec<Signature>,
    /// Number of those of rule files.
    loaded: usize,
    /// Names of flowbits and the like.
    pub names: NameList,
    /// The table that they are from.
    pub name_table: Arc<NameTable>,
    /// Stands for the settings and lists that all rules depend on.
    conditions: Conditions,
    /// Which of the rules are the same as those before them.
    pub lineage: Lineage,
    /// Datasets that rules share.
    pub datasets: Arc<Datasets>,
    /// Reputations of addresses.
    pub reputations: Arc<Reputations>,
    /// Language of the scripts of rules, where one has any.
    pub scripts: Option<Arc<dyn ScriptLanguage>>,
    /// Tags of hosts.
    pub host_tags: Arc<HostTags>,
    /// Counts of rates that flows share.
    pub thresholds: Arc<ThresholdTable>,
    /// The firewall, where there is to be one.
    pub firewall: Option<Firewall>,
    /// Rates of threshold.config, by position of the signature.
    rates: HashMap<SignatureIndex, RateControl>,
    groups: Groups,
}

/// Rules grouped by what they are looked at in.
#[derive(Debug, Default)]
struct Groups {
    ip_only: AddressIndex,
    /// By class.
    packets: Vec<PerDirection<PacketGroup>>,
    /// By protocol.
    transactions: HashMap<&'static str, PerDirection<TransactionGroup>>,
    frames: FrameGroups,
}

impl Ruleset {
    /// Groups compiled rules, those of the firewall first, each in their order of evaluation. Where there is to be
    /// a firewall, it has these policies, and their alerts bear the signatures beside them.
    pub(crate) fn new(
        mut signatures: Vec<Signature>,
        firewall: Option<(&Policies, Vec<Signature>)>,
        surroundings: Surroundings<'_>,
    ) -> Result<Self, BuildError> {
        let loaded = signatures.len();
        let policies = firewall.map(|(policies, notices)| {
            signatures.extend(notices);
            policies
        });
        let scripts = surroundings
            .scripts
            .filter(|_| signatures.iter().any(|signature| signature.checks.has_scripts()));
        let scripts_change_sets = scripts.is_some_and(|language| language.changes_sets());
        for (position, signature) in signatures.iter_mut().enumerate() {
            signature.index = SignatureIndex(position as u32);
            let changes = signature.checks.sets.iter().any(|set| scripts_change_sets || set.may_change());
            signature.shares = signature.checks.shares || changes;
        }
        let firewall = policies.map(|policies| {
            Firewall::new(&signatures, SignatureIndex(loaded as u32), surroundings.protocols, policies)
        });
        let matchers = Matchers::new(surroundings.matcher_cache);
        let detection: Vec<&Signature> = signatures.iter().filter(|s| s.head.firewall.is_none()).collect();
        let groups = Groups {
            ip_only: AddressIndex::new(detection.iter().copied().filter(|s| s.kind.is_address_only())),
            packets: packet_groups(&detection, matchers)?,
            transactions: transaction_groups(&signatures, matchers)?,
            frames: FrameGroups::new(&signatures, matchers)?,
        };
        let lineage = surroundings.predecessor.map_or_else(Lineage::default, |predecessor| {
            Lineage::after(predecessor, signatures.iter().map(|signature| &signature.info.text))
        });
        Ok(Self {
            groups,
            lineage,
            signatures,
            loaded,
            firewall,
            names: surroundings.names.list(),
            name_table: Arc::clone(surroundings.names),
            datasets: Arc::clone(surroundings.datasets),
            reputations: Arc::clone(surroundings.reputations),
            scripts: scripts.map(Arc::clone),
            host_tags: Arc::clone(surroundings.host_tags),
            thresholds: Arc::clone(surroundings.thresholds),
            conditions: surroundings.conditions,
            rates: HashMap::new(),
        })
    }

    /// A ruleset without rules.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Forgets what rules kept of traffic: bits of addresses, tags of hosts, counts of rates. Datasets stay.
    pub fn forget_traffic(&self) {
        self.name_table.shared_bits().forget();
        self.host_tags.forget();
        self.thresholds.forget();
    }

    /// Applies the lines of threshold.config; gives those that cannot be.
    pub fn set_rates(
        &mut self,
        file: &weir_rules::side::ThresholdFile,
        resolver: &mut Resolver<'_>,
    ) -> Vec<weir_rules::Diagnostic> {
        let mut diagnostics = Vec::new();
        for entry in &file.entries {
            let control = match rate_control(entry, resolver) {
                Ok(control) => control,
                Err(diagnostic) => {
                    diagnostics.push(*diagnostic);
                    continue;
                }
            };
            for signature in &self.signatures {
                let info = &signature.info;
                let meant =
                    (entry.gid == 0 || entry.gid == info.gid) && (entry.sid == 0 || entry.sid == info.sid);
                if !meant {
                    continue;
                }
                // What names one rule outweighs what names all, and a rule's own rate what names all.
                let general = entry.sid == 0;
                let slot = self.rates.entry(signature.index).or_default();
                slot.suppress.extend(control.suppress.iter().cloned());
                if let Some(threshold) = control.threshold
                    && !(general && (slot.threshold.is_some() || signature.effects.threshold.is_some()))
                {
                    slot.threshold = Some(threshold);
                }
                if let Some(filter) = control.rate_filter
                    && !(general && slot.rate_filter.is_some())
                {
                    slot.rate_filter = Some(filter);
                }
            }
        }
        diagnostics
    }

    /// The signature at `index`.
    #[inline]
    pub fn signature(&self, index: SignatureIndex) -> Option<&Signature> {
        self.signatures.get(index.0 as usize)
    }

    /// All signatures of rule files, in order of evaluation, those of the firewall first.
    pub fn signatures(&self) -> &[Signature] {
        self.signatures.get(..self.loaded).unwrap_or_default()
    }

    /// Returns the number of all signatures, with the engine's own.
    pub fn all_signatures(&self) -> usize {
        self.signatures.len()
    }

    /// Whether there is no rule of which anything could come.
    pub fn is_empty(&self) -> bool {
        self.signatures.is_empty()
    }

    /// Rates of threshold.config for a signature.
    pub fn rate(&self, index: SignatureIndex) -> Option<&RateControl> {
        if self.rates.is_empty() { None } else { self.rates.get(&index) }
    }

    /// Whether a rule looks at the buffer or value of this name.
    pub fn uses(&self, name: &str) -> bool {
        self.signatures
            .iter()
            .any(|signature| signature.checks.buffers.iter().any(|buffer| buffer.name == name))
    }

    /// The rules as those that take their place know them.
    pub fn predecessor(&self) -> Predecessor {
        let texts = self.signatures.iter().map(|signature| Arc::clone(&signature.info.text)).collect();
        Predecessor { lineage: self.lineage.clone(), texts }
    }

    /// The rules that need not be compiled again.
    pub fn known_rules(&self) -> KnownRules {
        KnownRules::of(&self.signatures, self.conditions)
    }

    /// Adds what rules want done with files to what others want.
    pub fn wishes_for_files(&self, others: FileSettings) -> FileSettings {
        FileSettings {
            content: others.content || self.uses("file.data"),
            md5: others.md5 || self.uses("filemd5"),
            sha1: others.sha1 || self.uses("filesha1"),
            sha256: others.sha256 || self.uses("filesha256"),
            describe: others.describe || self.uses("file.magic"),
            ..others
        }
    }

    /// Whether any rule looks for the decoder's or the stream engine's event of this name.
    pub fn uses_event(&self, name: &str) -> bool {
        let looks = |signature: &Signature| signature.checks.packet.iter().any(|c| c.event() == Some(name));
        self.signatures.iter().any(looks)
    }

    /// Whether any rule is about a state of a protocol.
    pub fn follows_states(&self, protocol: &Protocol) -> bool {
        let about_state = |signature: &Signature| {
            let compares = |buffer: &BufferMatch| buffer.name == STATE_KEYWORD;
            signature.head.state_hook().is_some() || signature.checks.buffers.iter().any(compares)
        };
        self.signatures.iter().any(|s| about_state(s) && s.head.admits_protocol(Some(protocol)))
    }

    /// Rules that addresses alone decide.
    pub fn ip_only(&self) -> &AddressIndex {
        &self.groups.ip_only
    }

    /// The rules on packets of a class and direction.
    pub fn packets(&self, class: PacketClass, direction: Direction) -> Option<&PacketGroup> {
        self.groups.packets.get(class as usize).map(|group| &group[direction])
    }

    /// The rules on transactions of a protocol and direction.
    pub fn transactions(&self, protocol: &Protocol, direction: Direction) -> Option<&TransactionGroup> {
        self.groups.transactions.get(protocol.name).map(|group| &group[direction])
    }

    /// The rules on frames.
    pub fn frames(&self) -> &FrameGroups {
        &self.groups.frames
    }

    /// Whether some rule looks at the reassembled stream in `direction`.
    pub fn wants_stream(&self, direction: Direction) -> bool {
        self.packets(PacketClass::Tcp, direction).is_some_and(|group| group.looks_at_stream)
            || self.firewall.as_ref().is_some_and(|firewall| firewall.wants_stream)
    }

    /// Scratch large enough for every matcher.
    pub fn match_scratch(&self) -> MatchScratch {
        let packets = self.groups.packets.iter().flat_map(|group| [&group.to_server, &group.to_client]);
        let scans = packets.flat_map(|group| [&group.payload, &group.stream, &group.alone]);
        let packet_matchers = scans.flat_map(PayloadScans::matchers);
        let transactions =
            self.groups.transactions.values().flat_map(|group| [&group.to_server, &group.to_client]);
        let field_matchers = transactions.flat_map(|group| group.prefilters.iter().map(|p| &p.matcher));
        MatchScratch::for_matchers(packet_matchers.chain(field_matchers).chain(self.groups.frames.matchers()))
    }
}

/// The literal that the prefilter looks for on behalf of a signature.
pub(crate) fn literal_of(signature: &Signature) -> Option<Literal> {
    let content = signature.prefilter_content()?;
    Some(Literal::new(content.prefilter_bytes(), content.nocase, signature.index.0))
}
