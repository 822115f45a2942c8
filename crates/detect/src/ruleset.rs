//! A ruleset: signatures in their order of evaluation, grouped by what must be looked at, with the
//! literal matchers that narrow each group to candidates.

use std::collections::HashMap;
use std::sync::Arc;

use weir_applayer::{Access, Field, Protocol};
use weir_base::{Direction, PerDirection};
use weir_mpm::{BuildError, Literal, MatchScratch, MultiMatcher};
use weir_rules::{Action, Resolver, Rule};

use crate::address_index::AddressIndex;
use crate::compile::{Compiled, Environment, Failure, Reason, compile, compile_firewall};
use crate::dataset::Datasets;
use crate::firewall::{Firewall, Policies, notices};
use crate::frame_group::FrameGroups;
use crate::matchers::Matchers;
use crate::names::NameList;
use crate::payload_scan::{PayloadScan, payload_literal};
use crate::port_index::PortIndex;
use crate::script::ScriptLanguage;
use crate::signature::{
    BufferMatch, FieldRow, Kind, LinkProtocol, PrefilterPlace, Signature, SignatureIndex, Target,
};
use crate::tag::HostTags;
use crate::threshold::{RateFilter, ThresholdTable};
use crate::transform::Transform;

/// The kinds of packets that rules are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketClass {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP of either version.
    Icmp,
    /// Another IP protocol.
    OtherIp,
    /// No IP header that could be read.
    NoIp,
}

impl PacketClass {
    /// All of them.
    pub const ALL: [PacketClass; 5] =
        [PacketClass::Tcp, PacketClass::Udp, PacketClass::Icmp, PacketClass::OtherIp, PacketClass::NoIp];

    /// The class of an IP protocol number.
    pub const fn of(protocol: Option<u8>) -> Self {
        match protocol {
            Some(6) => PacketClass::Tcp,
            Some(17) => PacketClass::Udp,
            Some(1 | 58) => PacketClass::Icmp,
            Some(_) => PacketClass::OtherIp,
            None => PacketClass::NoIp,
        }
    }

    /// Whether a signature can match packets of this class.
    pub(crate) fn admits(self, signature: &Signature) -> bool {
        let protocols = &signature.protocols;
        match protocols.link {
            LinkProtocol::PacketHeader | LinkProtocol::Ethernet => return true,
            LinkProtocol::Arp => return self == PacketClass::NoIp,
            LinkProtocol::None => {}
        }
        match self {
            PacketClass::Tcp => protocols.has(6),
            PacketClass::Udp => protocols.has(17),
            PacketClass::Icmp => protocols.has(1) || protocols.has(58),
            PacketClass::OtherIp => {
                protocols.all_numbers()
                    || (0..=255u8).any(|n| !matches!(n, 1 | 6 | 17 | 58) && protocols.has(n))
            }
            PacketClass::NoIp => false,
        }
    }
}

/// Rules on packets of one class and direction.
#[derive(Debug, Default)]
pub struct PacketGroup {
    /// Rules that no literal narrows: looked at for each packet with their ports.
    pub always: PortIndex,
    /// Some rule looks at the reassembled stream, narrowed by a literal in it or not.
    pub looks_at_stream: bool,
    /// Literals in packets' payloads.
    pub payload: Option<PayloadScan>,
    /// Literals in the reassembled stream.
    pub stream: Option<PayloadScan>,
}

/// A field scanned for the literals of all rules that chose it.
#[derive(Debug)]
pub struct FieldPrefilter {
    /// The field.
    pub row: FieldRow,
    /// What is done to its bytes first.
    pub transforms: Vec<Transform>,
    /// The literals.
    pub matcher: MultiMatcher,
}

/// Rules on the transactions of one protocol and direction.
#[derive(Debug, Default)]
pub struct TransactionGroup {
    /// Fields to scan, the earliest ready first.
    pub prefilters: Vec<FieldPrefilter>,
    /// Rules that no literal narrows.
    pub always: Vec<SignatureIndex>,
    /// Growing bodies that some rule looks at.
    pub bodies: Vec<&'static Field>,
    /// Some rule looks at the content of files.
    pub files: bool,
    /// Whether there is any rule at all.
    pub any: bool,
}

/// Suppression and rates of threshold.config for a rule, or for all.
#[derive(Clone, Debug, Default)]
pub struct RateControl {
    /// Addresses whose alerts are suppressed.
    pub suppress: Vec<Suppression>,
    /// A rate that replaces the rule's own.
    pub threshold: Option<crate::threshold::Threshold>,
    /// Another action at a rate.
    pub rate_filter: Option<RateFilter>,
}

/// One `suppress` line.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// Which address, and in which set; none: always.
    pub addresses: Option<(weir_rules::side::SuppressTrack, Arc<weir_rules::AddressSet>)>,
}

/// A set of rules, shared by all workers.
#[derive(Debug)]
pub struct Ruleset {
    /// In order of evaluation; [`SignatureIndex`] counts here. Behind those of rule files stand the
    /// engine's own.
    signatures: Vec<Signature>,
    /// How many are of rule files.
    loaded: usize,
    /// Names of flowbits and the like.
    pub names: NameList,
    /// Datasets that rules share.
    pub datasets: Arc<Datasets>,
    /// What runs the scripts of rules, where one has any.
    pub scripts: Option<Arc<dyn ScriptLanguage>>,
    /// Tags of hosts.
    pub host_tags: Arc<HostTags>,
    /// Counts of rates that flows share.
    pub thresholds: ThresholdTable,
    /// The firewall, where there is to be one.
    pub firewall: Option<Firewall>,
    /// Rates of threshold.config, by position of the signature.
    rates: HashMap<SignatureIndex, RateControl>,
    ip_only: AddressIndex,
    packets: Vec<PerDirection<PacketGroup>>,
    transactions: HashMap<&'static str, PerDirection<TransactionGroup>>,
    frames: FrameGroups,
}

/// What came of loading rules.
#[derive(Debug)]
pub struct Loaded {
    /// The rules that can be used.
    pub ruleset: Ruleset,
    /// Those that cannot.
    pub failures: Vec<Failure>,
    /// Warnings about those that can.
    pub warnings: Vec<weir_rules::Diagnostic>,
}

/// The order of actions (`action-order`), the first to be applied first.
pub type ActionOrder = [Action; 4];

/// The documented order.
pub const DEFAULT_ACTION_ORDER: ActionOrder = [Action::Pass, Action::Drop, Action::Reject, Action::Alert];

/// The rules of the firewall, and what holds where none of them matches.
#[derive(Clone, Copy, Debug)]
pub struct FirewallSource<'a> {
    /// The rules, in order.
    pub rules: &'a [Rule],
    /// Where no rule matches.
    pub policies: &'a Policies,
}

/// Compiles rules one after the other and keeps what cannot be.
struct Compilation<'a, 'r> {
    environment: &'a Environment,
    resolver: &'a mut Resolver<'r>,
    failures: Vec<Failure>,
    warnings: Vec<weir_rules::Diagnostic>,
}

type Compiler = fn(&Rule, &Environment, &mut Resolver<'_>) -> Result<Compiled, Failure>;

impl Compilation<'_, '_> {
    fn run(&mut self, rules: &[Rule], compiler: Compiler) -> Vec<Compiled> {
        let mut compiled: Vec<Compiled> = Vec::with_capacity(rules.len());
        let mut known: HashMap<(u32, u32), usize> = HashMap::new();
        for rule in rules {
            let done = match compiler(rule, self.environment, self.resolver) {
                Ok(done) => done,
                Err(failure) => {
                    self.failures.push(failure);
                    continue;
                }
            };
            let info = Arc::clone(&done.signature.info);
            match known.get(&(info.gid, info.sid)) {
                Some(&earlier) => {
                    // The higher revision stays, as rule managers expect.
                    let kept = compiled.get_mut(earlier);
                    let newer = kept.as_ref().is_some_and(|k| k.signature.info.rev < info.rev);
                    self.failures.push(duplicate(rule, &info, done.signature.firewall.is_some()));
                    if let (true, Some(slot)) = (newer, kept) {
                        *slot = done;
                    }
                }
                None => {
                    known.insert((info.gid, info.sid), compiled.len());
                    compiled.push(done);
                }
            }
        }
        for done in &mut compiled {
            self.warnings.append(&mut done.warnings);
        }
        compiled
    }
}

impl Ruleset {
    /// Compiles and groups rules. Those of the firewall come first, in the order they are written.
    pub fn build(
        rules: &[Rule],
        firewall: Option<FirewallSource<'_>>,
        environment: &Environment,
        resolver: &mut Resolver<'_>,
        order: &ActionOrder,
    ) -> Result<Loaded, BuildError> {
        let (failures, warnings) = (Vec::new(), Vec::new());
        let mut compilation = Compilation { environment, resolver, failures, warnings };
        let mut compiled = match firewall {
            Some(source) => compilation.run(source.rules, compile_firewall),
            None => Vec::new(),
        };
        let mut detection = compilation.run(rules, compile);
        sort(&mut detection, order);
        compiled.append(&mut detection);
        let mut signatures: Vec<Signature> = compiled.into_iter().map(|done| done.signature).collect();
        let loaded = signatures.len();
        if firewall.is_some() {
            signatures.extend(notices(environment, compilation.resolver));
        }
        let Compilation { failures, warnings, .. } = compilation;
        let scripts =
            environment.scripts.as_ref().ok().filter(|_| signatures.iter().any(Signature::has_scripts));
        let scripts_change_sets = scripts.is_some_and(|language| language.changes_sets());
        for (position, signature) in signatures.iter_mut().enumerate() {
            signature.index = SignatureIndex(position as u32);
            signature.shares |= signature.sets.iter().any(|set| scripts_change_sets || set.may_change());
        }
        let firewall = firewall.map(|source| {
            let protocols = environment.fields.protocols();
            Firewall::new(&signatures, SignatureIndex(loaded as u32), protocols, source.policies)
        });
        let matchers = Matchers::new(environment.matcher_cache.as_ref());
        let mut ruleset = Self::group(signatures, environment.names.list(), matchers)?;
        ruleset.loaded = loaded;
        ruleset.firewall = firewall;
        ruleset.datasets = Arc::clone(&environment.datasets);
        ruleset.host_tags = Arc::clone(&environment.host_tags);
        ruleset.scripts = scripts.map(Arc::clone);
        Ok(Loaded { ruleset, failures, warnings })
    }

    fn group(
        signatures: Vec<Signature>,
        names: NameList,
        matchers: Matchers<'_>,
    ) -> Result<Self, BuildError> {
        let detection: Vec<&Signature> = signatures.iter().filter(|s| s.firewall.is_none()).collect();
        let ip_only = AddressIndex::new(detection.iter().copied().filter(|s| s.kind.is_address_only()));
        let mut packets = Vec::new();
        for class in PacketClass::ALL {
            packets.push(PerDirection {
                to_server: packet_group(&detection, class, Direction::ToServer, matchers)?,
                to_client: packet_group(&detection, class, Direction::ToClient, matchers)?,
            });
        }
        let transactions = transaction_groups(&signatures, matchers)?;
        let loaded = signatures.len();
        let frames = FrameGroups::new(&signatures, matchers)?;
        Ok(Self {
            signatures,
            loaded,
            firewall: None,
            names,
            datasets: Arc::default(),
            scripts: None,
            host_tags: Arc::default(),
            thresholds: ThresholdTable::default(),
            rates: HashMap::new(),
            ip_only,
            packets,
            transactions,
            frames,
        })
    }

    /// A ruleset without rules.
    pub fn empty() -> Self {
        Self {
            signatures: Vec::new(),
            loaded: 0,
            firewall: None,
            names: NameList::default(),
            datasets: Arc::default(),
            scripts: None,
            host_tags: Arc::default(),
            thresholds: ThresholdTable::default(),
            rates: HashMap::new(),
            ip_only: AddressIndex::default(),
            packets: (0..PacketClass::ALL.len()).map(|_| PerDirection::default()).collect(),
            transactions: HashMap::new(),
            frames: FrameGroups::default(),
        }
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
                    && !(general && (slot.threshold.is_some() || signature.threshold.is_some()))
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

    /// Rates of threshold.config for a signature.
    pub fn rate(&self, index: SignatureIndex) -> Option<&RateControl> {
        if self.rates.is_empty() { None } else { self.rates.get(&index) }
    }

    /// Whether a rule looks at the buffer or value of this name.
    pub fn uses(&self, name: &str) -> bool {
        self.signatures.iter().any(|signature| signature.buffers.iter().any(|buffer| buffer.name == name))
    }

    /// Whether any rule is about a state of a protocol.
    pub fn follows_states(&self, protocol: &Protocol) -> bool {
        let about_state = |signature: &Signature| {
            let compares = |buffer: &BufferMatch| buffer.name == crate::keywords::app_layer_state::NAME;
            signature.state_hook().is_some() || signature.buffers.iter().any(compares)
        };
        self.signatures.iter().any(|s| about_state(s) && s.admits_protocol(Some(protocol)))
    }

    /// Rules that addresses alone decide.
    pub fn ip_only(&self) -> &AddressIndex {
        &self.ip_only
    }

    /// The rules on packets of a class and direction.
    pub fn packets(&self, class: PacketClass, direction: Direction) -> Option<&PacketGroup> {
        self.packets.get(class as usize).map(|group| &group[direction])
    }

    /// The rules on transactions of a protocol and direction.
    pub fn transactions(&self, protocol: &Protocol, direction: Direction) -> Option<&TransactionGroup> {
        self.transactions.get(protocol.name).map(|group| &group[direction])
    }

    /// The rules on frames.
    pub fn frames(&self) -> &FrameGroups {
        &self.frames
    }

    /// Whether some rule looks at the reassembled stream in `direction`.
    pub fn wants_stream(&self, direction: Direction) -> bool {
        self.packets(PacketClass::Tcp, direction).is_some_and(|group| group.looks_at_stream)
            || self.firewall.as_ref().is_some_and(|firewall| firewall.wants_stream)
    }

    /// Scratch large enough for every matcher.
    pub fn match_scratch(&self) -> MatchScratch {
        let packets = self.packets.iter().flat_map(|group| [&group.to_server, &group.to_client]);
        let scans = packets.flat_map(|group| group.payload.iter().chain(&group.stream));
        let packet_matchers = scans.flat_map(PayloadScan::matchers);
        let transactions = self.transactions.values().flat_map(|group| [&group.to_server, &group.to_client]);
        let field_matchers = transactions.flat_map(|group| group.prefilters.iter().map(|p| &p.matcher));
        MatchScratch::for_matchers(packet_matchers.chain(field_matchers).chain(self.frames.matchers()))
    }
}

fn duplicate(rule: &Rule, info: &weir_rules::RuleInfo, firewall: bool) -> Failure {
    let span = rule.option("sid").map_or(rule.protocol.name.span(), |option| option.span);
    let message = format!("The signature id {} is already in use by another rule.", info.sid);
    let error = weir_rules::SyntaxError::new(span, message).with_help("give the rule an id of its own");
    Failure { reason: Reason::Duplicate, diagnostic: Box::new(rule.error(error)), firewall }
}

/// Orders by action, then by shared state (what sets before what reads), then by priority, then as
/// loaded.
fn sort(compiled: &mut [Compiled], order: &ActionOrder) {
    let rank = |action: Action| {
        let plain = match action {
            Action::RejectSrc | Action::RejectDst | Action::RejectBoth => Action::Reject,
            Action::Config => Action::Pass,
            Action::Accept => Action::Pass,
            other => other,
        };
        order.iter().position(|a| *a == plain).unwrap_or(order.len())
    };
    compiled.sort_by_key(|done| (rank(done.signature.action), done.state_rank, done.signature.info.priority));
}

fn packet_group(
    signatures: &[&Signature],
    class: PacketClass,
    direction: Direction,
    matchers: Matchers<'_>,
) -> Result<PacketGroup, BuildError> {
    let (mut payload, mut stream, mut always) = (Vec::new(), Vec::new(), Vec::new());
    let mut looks_at_stream = false;
    for &signature in signatures {
        let in_group =
            class.admits(signature) && (signature.directions()[direction] || class == PacketClass::NoIp);
        if !in_group || signature.kind.is_address_only() {
            continue;
        }
        looks_at_stream |=
            class == PacketClass::Tcp && signature.wants_stream && signature.looks_at_payload();
        let literal = match &signature.prefilter {
            Some(prefilter) if prefilter.place == PrefilterPlace::Payload => payload_literal(signature),
            // Another buffer's literal narrows it.
            Some(_) => continue,
            None => None,
        };
        let Some(literal) = literal else {
            if !matches!(signature.kind, Kind::Transaction | Kind::Frame) {
                always.push(signature);
            }
            continue;
        };
        if class != PacketClass::Tcp || signature.wants_packet {
            payload.push(literal.clone());
        }
        if class == PacketClass::Tcp && signature.wants_stream {
            stream.push(literal);
        }
    }
    Ok(PacketGroup {
        always: PortIndex::new(always.into_iter()),
        looks_at_stream,
        payload: PayloadScan::new(payload, matchers)?,
        stream: PayloadScan::new(stream, matchers)?,
    })
}

/// The literal that the prefilter looks for on behalf of a signature.
pub(crate) fn literal_of(signature: &Signature) -> Option<Literal> {
    let content = signature.prefilter_content()?;
    Some(Literal::new(content.prefilter_bytes(), content.nocase, signature.index.0))
}

type PrefilterKey = (&'static str, Direction, *const Field, Vec<Arc<str>>);

fn transaction_groups(
    signatures: &[Signature],
    matchers: Matchers<'_>,
) -> Result<HashMap<&'static str, PerDirection<TransactionGroup>>, BuildError> {
    let mut groups: HashMap<&'static str, PerDirection<TransactionGroup>> = HashMap::new();
    let mut literals: HashMap<PrefilterKey, (FieldRow, Vec<Transform>, Vec<Literal>)> = HashMap::new();
    let mut order: Vec<PrefilterKey> = Vec::new();
    for signature in signatures.iter().filter(|s| s.kind == Kind::Transaction) {
        note_bodies(signature, &mut groups);
        // The firewall looks at its rules itself; only where bodies stand is noted here.
        if signature.firewall.is_some() {
            continue;
        }
        let chosen = signature.prefilter.as_ref().and_then(|prefilter| match prefilter.place {
            PrefilterPlace::Buffer(index) => signature.buffers.get(index),
            PrefilterPlace::Payload => None,
        });
        match (chosen, literal_of(signature)) {
            (Some(buffer), Some(literal)) => {
                let Target::Transaction(rows) = &buffer.target else { continue };
                for row in rows {
                    for direction in directions(signature, row) {
                        let transforms = buffer.transforms.iter().map(|t| Arc::clone(&t.name)).collect();
                        let key = (row.protocol.name, direction, std::ptr::from_ref(row.field), transforms);
                        let slot = literals.entry(key.clone()).or_insert_with(|| {
                            order.push(key);
                            (*row, buffer.transforms.clone(), Vec::new())
                        });
                        slot.2.push(literal.clone());
                    }
                }
            }
            // A literal in the payload narrows it in the packet's group.
            (None, Some(_)) => {}
            _ => {
                for (protocol, direction) in places(signature) {
                    groups.entry(protocol).or_default()[direction].always.push(signature.index);
                }
            }
        }
    }
    for key in order {
        let Some((row, transforms, literals)) = literals.remove(&key) else { continue };
        let is_long =
            matches!(row.field.access, Access::Body(_) | Access::BodyAndFiles(_) | Access::FileData);
        let built = if is_long { matchers.long(literals)? } else { matchers.short(literals)? };
        let Some(matcher) = built else { continue };
        let group = &mut groups.entry(key.0).or_default()[key.1];
        group.prefilters.push(FieldPrefilter { row, transforms, matcher });
    }
    for group in groups.values_mut() {
        for direction in Direction::BOTH {
            group[direction].prefilters.sort_by_key(|p| p.row.field.ready_at);
        }
    }
    Ok(groups)
}

fn directions(signature: &Signature, row: &FieldRow) -> impl Iterator<Item = Direction> {
    let allowed = signature.directions();
    let field = row.field.direction;
    Direction::BOTH.into_iter().filter(move |d| allowed[*d] && field.covers(*d))
}

/// Protocols and directions in which a signature that nothing narrows is looked at: where its first
/// buffer is.
fn places(signature: &Signature) -> Vec<(&'static str, Direction)> {
    let mut places = Vec::new();
    if let Some(hook) = signature.state_hook() {
        places.extend(signature.app_protocols.iter().map(|protocol| (protocol.name, hook.direction)));
    }
    for buffer in &signature.buffers {
        let Target::Transaction(rows) = &buffer.target else { continue };
        for row in rows {
            for direction in directions(signature, row) {
                if !places.contains(&(row.protocol.name, direction)) {
                    places.push((row.protocol.name, direction));
                }
            }
        }
    }
    places
}

fn note_bodies(signature: &Signature, groups: &mut HashMap<&'static str, PerDirection<TransactionGroup>>) {
    for buffer in &signature.buffers {
        let Target::Transaction(rows) = &buffer.target else { continue };
        for row in rows {
            for direction in directions(signature, row) {
                let group = &mut groups.entry(row.protocol.name).or_default()[direction];
                group.any = true;
                let access = row.field.access;
                group.files |= matches!(access, Access::FileData | Access::BodyAndFiles(_));
                if matches!(access, Access::Body(_) | Access::BodyAndFiles(_))
                    && !group.bodies.iter().any(|f| std::ptr::eq(*f, row.field))
                {
                    group.bodies.push(row.field);
                }
            }
        }
    }
}

fn rate_control(
    entry: &weir_rules::side::ThresholdEntry,
    resolver: &mut Resolver<'_>,
) -> Result<RateControl, Box<weir_rules::Diagnostic>> {
    use weir_base::Duration;
    use weir_rules::side::{ThresholdRule, ThresholdType};

    use crate::threshold::{Rate, Threshold};
    let seconds = |s: &u32| Duration::from_secs(u64::from(*s));
    let mut control = RateControl::default();
    match &entry.rule {
        ThresholdRule::Suppress { addresses: None } => control.suppress.push(Suppression { addresses: None }),
        ThresholdRule::Suppress { addresses: Some((track, text)) } => {
            let set = resolver.addresses(text).map_err(|e| Box::new(entry.origin.error(text.locate(e))))?;
            control.suppress.push(Suppression { addresses: Some((*track, set)) });
        }
        ThresholdRule::Threshold { kind, track, count, seconds: time } => {
            let rate = match kind {
                ThresholdType::Limit => Rate::Limit,
                ThresholdType::Threshold => Rate::Threshold,
                ThresholdType::Both => Rate::Both,
            };
            let span = seconds(time);
            control.threshold = Some(Threshold { rate, track: *track, count: *count, span, unique_on: None });
        }
        ThresholdRule::RateFilter { track, count, seconds: time, new_action, timeout } => {
            control.rate_filter = Some(RateFilter {
                track: *track,
                count: *count,
                span: seconds(time),
                action: *new_action,
                timeout: seconds(timeout),
            });
        }
    }
    Ok(control)
}
