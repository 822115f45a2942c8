//! A ruleset: signatures in their order of evaluation, grouped by what must be looked at, with the
//! literal matchers that narrow each group to candidates.

use std::collections::HashMap;
use std::sync::Arc;

use weir_applayer::{Access, Field, Protocol};
use weir_base::{Direction, PerDirection};
use weir_mpm::{BuildError, Literal, MatchScratch, MultiMatcher};
use weir_rules::Resolver;

use crate::address_index::AddressIndex;
use crate::compile::Environment;
use crate::dataset::Datasets;
use crate::firewall::{Firewall, Policies, notices};
use crate::frame_group::FrameGroups;
use crate::matchers::{Matchers, build_each};
use crate::names::NameList;
use crate::payload_scan::{PayloadScan, payload_literal};
use crate::port_index::PortIndex;
use crate::script::ScriptLanguage;
use crate::signature::{
    BufferMatch, FieldRow, Kind, LinkProtocol, Prefilter, PrefilterPlace, Signature, SignatureIndex, Target,
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
                let [first, others @ ..] = protocols.numbers;
                let of_other_classes = 1 << 1 | 1 << 6 | 1 << 17 | 1 << 58;
                protocols.all_numbers() || first & !of_other_classes != 0 || others != [0; 3]
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
    /// Rules that the flow's protocol alone decides: looked at once it is settled what the direction speaks.
    pub on_protocol: PortIndex,
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

impl Ruleset {
    /// Groups compiled rules, those of the firewall first, each in their order of evaluation; `policies`
    /// where there is to be a firewall.
    pub(crate) fn new(
        mut signatures: Vec<Signature>,
        policies: Option<&Policies>,
        environment: &Environment,
        resolver: &mut Resolver<'_>,
    ) -> Result<Self, BuildError> {
        let loaded = signatures.len();
        if policies.is_some() {
            signatures.extend(notices(environment, resolver));
        }
        let scripts =
            environment.scripts.as_ref().ok().filter(|_| signatures.iter().any(Signature::has_scripts));
        let scripts_change_sets = scripts.is_some_and(|language| language.changes_sets());
        for (position, signature) in signatures.iter_mut().enumerate() {
            signature.index = SignatureIndex(position as u32);
            signature.shares |= signature.sets.iter().any(|set| scripts_change_sets || set.may_change());
        }
        let firewall = policies.map(|policies| {
            let protocols = environment.fields.protocols();
            Firewall::new(&signatures, SignatureIndex(loaded as u32), protocols, policies)
        });
        let matchers = Matchers::new(environment.matcher_cache.as_ref());
        let detection: Vec<&Signature> = signatures.iter().filter(|s| s.firewall.is_none()).collect();
        Ok(Self {
            ip_only: AddressIndex::new(detection.iter().copied().filter(|s| s.kind.is_address_only())),
            packets: packet_groups(&detection, matchers)?,
            transactions: transaction_groups(&signatures, matchers)?,
            frames: FrameGroups::new(&signatures, matchers)?,
            signatures,
            loaded,
            firewall,
            names: environment.names.list(),
            datasets: Arc::clone(&environment.datasets),
            scripts: scripts.map(Arc::clone),
            host_tags: Arc::clone(&environment.host_tags),
            thresholds: ThresholdTable::default(),
            rates: HashMap::new(),
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

/// What goes into a [`PacketGroup`].
#[derive(Default)]
struct PacketParts<'s> {
    always: Vec<&'s Signature>,
    on_protocol: Vec<&'s Signature>,
    looks_at_stream: bool,
    payload: Vec<Literal>,
    stream: Vec<Literal>,
}

impl<'s> PacketParts<'s> {
    /// Adds a rule, which `literal` narrows, or else another buffer's literal.
    fn add(&mut self, signature: &'s Signature, class: PacketClass, literal: Option<&Literal>) {
        let on_stream = class == PacketClass::Tcp && signature.wants_stream;
        self.looks_at_stream |= on_stream && signature.looks_at_payload();
        let Some(literal) = literal else {
            let narrowed = signature.prefilter.as_ref().is_some_and(|p| p.place != PrefilterPlace::Payload);
            match signature.kind {
                Kind::Transaction | Kind::Frame => {}
                Kind::ProtocolOnly => self.on_protocol.push(signature),
                _ if narrowed => {}
                _ => self.always.push(signature),
            }
            return;
        };
        if class != PacketClass::Tcp || signature.wants_packet {
            self.payload.push(literal.clone());
        }
        if on_stream {
            self.stream.push(literal.clone());
        }
    }
}

/// The groups of rules on packets, by class.
fn packet_groups(
    signatures: &[&Signature],
    matchers: Matchers<'_>,
) -> Result<Vec<PerDirection<PacketGroup>>, BuildError> {
    let mut classes = PacketClass::ALL.map(|class| (class, PerDirection::<PacketParts<'_>>::default()));
    for &signature in signatures.iter().filter(|signature| !signature.kind.is_address_only()) {
        let on_payload = |prefilter: &Prefilter| prefilter.place == PrefilterPlace::Payload;
        let literal =
            signature.prefilter.as_ref().filter(|p| on_payload(p)).and_then(|_| payload_literal(signature));
        let directions = signature.directions();
        for (class, parts) in &mut classes {
            if class.admits(signature) {
                for direction in Direction::BOTH {
                    if directions[direction] || *class == PacketClass::NoIp {
                        parts[direction].add(signature, *class, literal.as_ref());
                    }
                }
            }
        }
    }
    let mut literals = Vec::new();
    for (_, PerDirection { to_server, to_client }) in &mut classes {
        for parts in [to_server, to_client] {
            literals.extend([std::mem::take(&mut parts.payload), std::mem::take(&mut parts.stream)]);
        }
    }
    let mut scans = build_each(literals, |literals| PayloadScan::new(literals, matchers)).into_iter();
    let mut group = |parts: PacketParts<'_>| {
        Ok(PacketGroup {
            always: PortIndex::new(parts.always.into_iter()),
            on_protocol: PortIndex::new(parts.on_protocol.into_iter()),
            looks_at_stream: parts.looks_at_stream,
            payload: scans.next().transpose()?.flatten(),
            stream: scans.next().transpose()?.flatten(),
        })
    };
    let pair = |(_, PerDirection { to_server, to_client })| {
        Ok(PerDirection { to_server: group(to_server)?, to_client: group(to_client)? })
    };
    classes.into_iter().map(pair).collect()
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
    let part = |key: PrefilterKey| literals.remove(&key).map(|part| ((key.0, key.1), part));
    let parts = order.into_iter().filter_map(part).collect();
    let built = build_each(parts, |(place, (row, transforms, literals))| {
        let is_long =
            matches!(row.field.access, Access::Body(_) | Access::BodyAndFiles(_) | Access::FileData);
        let built = if is_long { matchers.long(literals) } else { matchers.short(literals) };
        built.map(|matcher| (place, matcher.map(|matcher| FieldPrefilter { row, transforms, matcher })))
    });
    for built in built {
        let ((protocol, direction), prefilter) = built?;
        groups.entry(protocol).or_default()[direction].prefilters.extend(prefilter);
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
