//! `alert` records.

use weir_applayer::{Protocol, Transaction};
use weir_base::{Direction, JsonWriter};
use weir_config::eve::XffSettings;
use weir_config::value;
use weir_detect::firewall::FirewallMatch;
use weir_detect::{Alert, AlertContext};
use weir_packet::{Packet, Transport, ip_protocol};
use weir_rules::info::Target;
use weir_rules::{Action, RuleInfo};

use super::super::header::{self, Addresses, Head, Source};
use super::super::transaction::Inside;
use super::super::{EveEnvironment, Log, RecordWriter, packet, xff};
use super::{Entry, RecordType, TypeWriter, files, payload_buffer_size};
use crate::format::RecordKind;
use crate::record::{
    AlertRecord, PayloadPiece, Record, RecordContext, StreamPayload, Verdict, VerdictAction,
};
use crate::{address, protocol_number};

/// Rules that matched, and packets that `tag` asked for.
pub(super) static TYPE: RecordType = RecordType {
    name: "alert",
    records: &[(RecordKind::Alert, "alert"), (RecordKind::TaggedPacket, "packet")],
    open: |entry| Ok(Box::new(Alerts::read(entry))),
};

/// The options of `alert` that are for all protocols.
struct Alerts {
    /// Payload in Base64.
    payload: bool,
    /// Payload as text.
    payload_printable: bool,
    /// Payload's length.
    payload_length: bool,
    /// Bytes of payload.
    payload_buffer_size: u32,
    /// The packet in Base64.
    packet: bool,
    /// Packets that follow an alert with `tag`.
    tagged_packets: bool,
    /// Fate of the packet.
    verdict: bool,
    /// Facts beside the rule.
    metadata: AlertMetadata,
    /// Proxy's client address.
    xff: Option<XffSettings>,
}

/// Facts that an alert carries beside the rule.
#[derive(Clone, Copy)]
pub(super) struct AlertMetadata {
    /// The application's transaction.
    app_layer: bool,
    /// The flow's counters and time.
    flow: bool,
    /// The rule's `metadata`.
    rule_metadata: bool,
    /// The rule's text.
    rule_raw: bool,
    /// The rule's references.
    rule_reference: bool,
}

impl Alerts {
    fn read(entry: &Entry<'_>) -> Self {
        let section = &entry.section;
        let metadata = section.section("metadata");
        let off = section.text("metadata").is_some_and(value::is_false);
        Self {
            payload: section.flag("payload", false),
            payload_printable: section.flag("payload-printable", false),
            payload_length: section.flag("payload-length", false),
            payload_buffer_size: payload_buffer_size(section),
            packet: section.flag("packet", false),
            tagged_packets: section.flag("tagged-packets", false),
            verdict: section.flag("verdict", false),
            metadata: AlertMetadata {
                app_layer: !off && metadata.flag("app-layer", true),
                flow: !off && metadata.flag("flow", true),
                rule_metadata: !off && metadata.flag("rule.metadata", true),
                rule_raw: !off && metadata.flag("rule.raw", false),
                rule_reference: !off && metadata.flag("rule.reference", false),
            },
            xff: entry.xff.clone(),
        }
    }
}

/// Fields of an `alert` object.
pub(super) struct RuleFacts<'a> {
    /// `engine`
    pub(super) engine: Option<&'static str>,
    pub(super) rule: &'a RuleInfo,
    /// The tenant that has it; zero where none has.
    pub(super) tenant: u32,
    pub(super) action: &'static str,
    pub(super) addresses: Option<Addresses>,
    pub(super) xff: Option<std::net::IpAddr>,
    pub(super) metadata: Option<AlertMetadata>,
    pub(super) contexts: &'a [AlertContext],
}

/// `alert.action`
pub(in crate::formats::eve) fn action_name(alert: &Alert, dropped: bool, inline: bool) -> &'static str {
    let blocked = if alert.rate_filtered {
        dropped
    } else {
        match alert.action {
            Action::Reject | Action::RejectSrc | Action::RejectDst | Action::RejectBoth => true,
            Action::Drop => inline,
            _ => false,
        }
    };
    if blocked { "blocked" } else { "allowed" }
}

impl TypeWriter for Alerts {
    fn wants(&self, kind: RecordKind) -> bool {
        kind != RecordKind::TaggedPacket || self.tagged_packets
    }

    fn shows_streams(&self) -> bool {
        self.payload || self.payload_printable || self.payload_length
    }

    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        match record {
            Record::Alert(alert) => self.alert(log, cx, alert),
            Record::TaggedPacket => tagged_packet(log, cx),
            _ => {}
        }
    }
}

fn tagged_packet(log: &mut Log<'_>, cx: &RecordContext<'_>) {
    let Some(packet) = cx.packet else { return };
    log.line(cx, &Head::new("packet", Source::Sender), |_, json| {
        packet::write(packet, usize::MAX, json);
        true
    });
}

impl Alerts {
    fn alert(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &AlertRecord<'_>) {
        let transaction = record.alert.transaction.and_then(|id| cx.transaction(id));
        let protocol = cx.flow.and_then(|flow| flow.protocol());
        let client = self
            .xff
            .as_ref()
            .and_then(|settings| Some((settings, xff::client(settings, protocol?, transaction?)?)));
        let mut head = Head::new("alert", Source::Sender);
        head.addresses = match client {
            Some((settings, client)) if settings.overwrite => xff::overwritten(cx, Source::Sender, client),
            _ => None,
        };
        let addresses = head.addresses.or_else(|| Addresses::of(cx, Source::Sender));
        log.line(cx, &head, |eve, json| {
            if let Some(id) = record.alert.transaction {
                if record.tx_guessed {
                    json.boolean("tx_guessed", true);
                }
                json.unsigned("tx_id", id);
            }
            let facts = RuleFacts {
                rule: record.rule,
                tenant: cx.tenant,
                engine: engine(record.alert, &eve.plan.environment),
                action: action_name(record.alert, record.dropped, eve.plan.environment.inline),
                addresses,
                xff: client.filter(|(settings, _)| !settings.overwrite).map(|(_, client)| client),
                metadata: Some(self.metadata),
                contexts: record.contexts,
            };
            object(&facts, json);
            if let Some(matched) = &record.alert.firewall {
                firewall(matched, json);
            }
            if let Some(root) = cx.root {
                tunnel(root, cx.packet.map_or(0, |p| p.recursion), json);
            }
            if let Some(transaction) = transaction {
                if let Some(protocol) = protocol.filter(|_| self.metadata.app_layer) {
                    eve.detail(cx, Inside::Alert, protocol, transaction, json);
                    progress(protocol, transaction, json);
                }
                if self.metadata.rule_metadata {
                    files::of_transaction(cx, transaction, json);
                }
            }
            self.flow(eve, cx, addresses, json);
            self.payload(eve, cx, record, json);
            if let Some(frame) = &record.frame {
                eve.frame_object(cx, frame, self.payload_buffer_size, json);
            }
            if self.packet
                && let Some(packet) = cx.packet
            {
                packet::write(packet, usize::MAX, json);
            }
            if self.verdict
                && let Some(packet) = cx.packet
            {
                verdict(packet, &record.verdict, eve.plan.environment.inline, json);
            }
            true
        });
    }

    fn flow(
        &self,
        eve: &mut RecordWriter<'_>,
        cx: &RecordContext<'_>,
        addresses: Option<Addresses>,
        json: &mut JsonWriter<'_>,
    ) {
        let Some(flow) = &cx.flow else { return };
        header::app_protocols(&flow.app, json);
        json.string("direction", cx.direction.name());
        if !self.metadata.flow {
            return;
        }
        json.object("flow");
        eve.flow_counts(flow.core, json);
        if let Some(packet) = addresses {
            let (client, server, client_port, server_port) = match cx.direction {
                Direction::ToServer => {
                    (packet.source, packet.destination, packet.source_port, packet.destination_port)
                }
                Direction::ToClient => {
                    (packet.destination, packet.source, packet.destination_port, packet.source_port)
                }
            };
            json.text("src_ip", |out| address::append_full(out, client));
            json.text("dest_ip", |out| address::append_full(out, server));
            if header::has_ports(packet.protocol) {
                json.unsigned("src_port", client_port);
                json.unsigned("dest_port", server_port);
            }
        }
        json.close_object();
    }

    fn payload(
        &self,
        eve: &mut RecordWriter<'_>,
        cx: &RecordContext<'_>,
        record: &AlertRecord<'_>,
        json: &mut JsonWriter<'_>,
    ) {
        if !self.shows_streams() {
            return;
        }
        let Some(packet) = cx.packet.filter(|packet| packet.ip.is_some()) else { return };
        let tcp = packet.ip_protocol().or(cx.flow.map(|f| f.core.key.protocol)) == Some(ip_protocol::TCP);
        let stream = tcp && (record.alert.stream_match || record.alert.state_match);
        eve.pen.payload.clear();
        if stream && let Some(pieces) = record.stream {
            // One byte of the configured buffer stays unused.
            let limit = (self.payload_buffer_size as usize).saturating_sub(1);
            gather(pieces, cx.direction, limit, &mut eve.pen.payload);
        }
        if eve.pen.payload.is_empty() && packet.transport.carries_payload() {
            eve.pen.payload.extend_from_slice(packet.payload);
        }
        let empty = eve.pen.payload.is_empty();
        if self.payload && !empty {
            packet::base64(json, "payload", &eve.pen.payload);
        }
        if self.payload_length && !(stream && empty) {
            json.unsigned("payload_length", eve.pen.payload.len() as u64);
        }
        if self.payload_printable && !empty {
            json.printable("payload_printable", &eve.pen.payload);
        }
        json.unsigned("stream", u8::from(stream));
    }
}

/// `ts_progress` and `tc_progress`: how far the transaction is, of protocols that have states of their own.
fn progress(protocol: &Protocol, transaction: &dyn Transaction, json: &mut JsonWriter<'_>) {
    if !protocol.has_own_states() {
        return;
    }
    for (key, direction) in [("ts_progress", Direction::ToServer), ("tc_progress", Direction::ToClient)] {
        let place = usize::from(protocol.shown_progress(transaction.meta(), direction).0);
        if let Some(state) = protocol.states[direction].get(place) {
            json.string(key, *state);
        }
    }
}

/// The stream's bytes with a note in place of what is missing.
fn gather(pieces: &dyn StreamPayload, direction: Direction, limit: usize, out: &mut Vec<u8>) {
    pieces.pieces(direction, &mut |piece| {
        let room = limit.saturating_sub(out.len());
        match piece {
            PayloadPiece::Data(bytes) => out.extend_from_slice(bytes.get(..room).unwrap_or(bytes)),
            PayloadPiece::Gap(length) => {
                let note = format!("[{length} bytes missing]");
                out.extend_from_slice(note.as_bytes().get(..room).unwrap_or(note.as_bytes()));
            }
        }
        out.len() < limit
    });
}

/// `alert`
pub(super) fn object(facts: &RuleFacts<'_>, json: &mut JsonWriter<'_>) {
    let rule = facts.rule;
    json.object("alert");
    json.string("action", facts.action);
    json.unsigned("gid", rule.gid);
    json.unsigned("signature_id", rule.sid);
    json.unsigned("rev", rule.rev);
    json.string("signature", &*rule.msg);
    json.optional_string("engine", facts.engine);
    json.string("category", rule.classtype.as_ref().map_or("", |class| &class.description));
    json.unsigned("severity", rule.priority);
    if facts.tenant != 0 {
        json.unsigned("tenant_id", facts.tenant);
    }
    if let Some(addresses) = &facts.addresses {
        target(rule.target, addresses, json);
    }
    if let Some(wanted) = &facts.metadata {
        if wanted.rule_reference && !rule.references.is_empty() {
            json.strings("references", rule.references.iter().map(|reference| &*reference.url));
        }
        if wanted.rule_metadata {
            metadata(rule, json);
        }
        if wanted.rule_raw {
            json.string("rule", &*rule.text);
        }
    }
    if !facts.contexts.is_empty() {
        json.object("context");
        for context in facts.contexts {
            json.raw(&context.key, |out| out.extend_from_slice(context.json.as_bytes()));
        }
        json.close_object();
    }
    if let Some(client) = facts.xff {
        xff::write(client, json);
    }
    json.close_object();
}

/// `firewall`: where in the firewall a rule or a policy held.
pub(super) fn firewall(matched: &FirewallMatch, json: &mut JsonWriter<'_>) {
    json.object("firewall");
    json.text("hook", |out| match matched.state {
        Some((protocol, state)) => {
            out.extend_from_slice(protocol.as_bytes());
            out.push(b':');
            out.extend_from_slice(state.as_bytes());
        }
        None => out.extend_from_slice(matched.table.name().as_bytes()),
    });
    json.close_object();
}

/// Returns the engine of an alert, where there is a firewall beside the rules of detection.
pub(super) fn engine(alert: &Alert, environment: &EveEnvironment) -> Option<&'static str> {
    environment.firewall.then_some(if alert.firewall.is_some() { "fw" } else { "td" })
}

/// `source` and `target`, where the rule says which end is attacked.
fn target(target: Target, addresses: &Addresses, json: &mut JsonWriter<'_>) {
    let (source, destination) = match target {
        Target::None => return,
        Target::DestIp => ("source", "target"),
        Target::SrcIp => ("target", "source"),
    };
    let mut ends = [
        (source, addresses.source, addresses.source_port),
        (destination, addresses.destination, addresses.destination_port),
    ];
    ends.sort_by_key(|(key, _, _)| *key);
    for (key, ip, port) in ends {
        json.object(key);
        json.text("ip", |out| address::append_full(out, ip));
        if header::has_ports(addresses.protocol) {
            json.unsigned("port", port);
        }
        json.close_object();
    }
}

/// Values by key, in the order in which keys first come.
fn metadata(rule: &RuleInfo, json: &mut JsonWriter<'_>) {
    if rule.metadata().next().is_none() {
        return;
    }
    json.object("metadata");
    for (index, (key, _)) in rule.metadata().enumerate() {
        if rule.metadata().take(index).any(|(earlier, _)| earlier == key) {
            continue;
        }
        json.array(key);
        for (_, value) in rule.metadata().filter(|(other, _)| *other == key) {
            json.push_string(value.as_bytes());
        }
        json.close_array();
    }
    json.close_object();
}

/// `tunnel`: the outermost packet.
fn tunnel(root: &Packet<'_>, depth: u8, json: &mut JsonWriter<'_>) {
    let Some(addresses) = Addresses::of_packet(root) else { return };
    json.object("tunnel");
    addresses.write_all(json);
    json.text("proto", |out| protocol_number::append(out, addresses.protocol));
    json.unsigned("depth", depth);
    json.unsigned("pcap_cnt", root.number);
    json.string("pkt_src", root.origin.name());
    json.close_object();
}

/// `verdict`
pub(super) fn verdict(packet: &Packet<'_>, verdict: &Verdict, inline: bool, json: &mut JsonWriter<'_>) {
    json.object("verdict");
    let action = match (verdict.reject, verdict.action) {
        (Some(_), _) if inline => VerdictAction::Drop,
        (Some(_), _) | (None, VerdictAction::Drop) if !inline => VerdictAction::Alert,
        (_, action) => action,
    };
    json.string("action", action.name());
    if let Some(reject) = verdict.reject {
        json.string("reject-target", reject.name());
        json.array("reject");
        json.push_string(match packet.transport {
            Transport::Tcp(_) => "tcp-reset",
            _ => "icmp-prohib",
        });
        json.close_array();
    }
    json.close_object();
}
