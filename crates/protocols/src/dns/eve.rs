//! EVE records of type `dns`, in version 3 (`request` and `response`, the default) and version 2
//! (`query` and `answer`).

use std::net::{Ipv4Addr, Ipv6Addr};

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::{JsonWriter, hex};

use super::message::{Message, Question, Record};
use super::name::Name;
use super::names;
use super::rdata::{RData, types};
use super::transaction::DnsTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("dns", LogDirection::Transaction, configure);

/// Version of the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    V2,
    V3,
}

/// Writes the object as the configuration says.
#[derive(Debug)]
pub(crate) struct DnsWriter {
    layout: Layout,
    requests: bool,
    responses: bool,
    /// Record types that are logged; empty for all.
    types: Vec<u16>,
    /// Answers one by one.
    detailed: bool,
    /// Answers' data by type.
    grouped: bool,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    let layout = match options.text("version").as_deref() {
        Some("2") => Layout::V2,
        None | Some("3") => Layout::V3,
        Some(_) => {
            options.complain("version", "it should be 2 or 3; version 3 is written");
            Layout::V3
        }
    };
    Box::new(DnsWriter { layout, ..DnsWriter::read(options) })
}

fn type_number(options: &dyn Options, name: &str) -> Option<u16> {
    let found = names::TYPE_VALUES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    if found.is_none() {
        options.complain("types", &format!("there is no record type {name}; it is left out"));
    }
    found.and_then(|&(_, number)| u16::try_from(number).ok())
}

impl EveWriter for DnsWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(transaction) = downcast::<DnsTransaction>(transaction) else { return false };
        let Some(message) = transaction.sound() else { return false };
        match (self.layout, message.header.is_response()) {
            (Layout::V3, _) => self.message(message, transaction.meta.id, json),
            (Layout::V2, false) => self.query(message, transaction.meta.id, json),
            (Layout::V2, true) => self.answer(message, json),
        }
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        let Some(message) = downcast::<DnsTransaction>(transaction).and_then(DnsTransaction::sound) else {
            return false;
        };
        let wanted = if message.header.is_response() { self.responses } else { self.requests };
        wanted && (self.types.is_empty() || message.questions.iter().any(|question| self.shows(question)))
    }

    fn direction(&self) -> Option<LogDirection> {
        // In the older layout a response shows the client as source, too.
        (self.layout == Layout::V2).then_some(LogDirection::Flow)
    }
}

impl DnsWriter {
    /// Reads the formats of messages in version 3.
    pub(crate) fn read(options: &dyn Options) -> Self {
        let formats = options.list("formats");
        let has = |name: &str| formats.is_empty() || formats.iter().any(|format| format == name);
        Self {
            layout: Layout::V3,
            requests: options.flag("requests", true),
            responses: options.flag("responses", true),
            types: options.list("types").iter().filter_map(|name| type_number(options, name)).collect(),
            detailed: has("detailed"),
            grouped: has("grouped"),
        }
    }

    /// Writes the object of a message that another protocol carries, where it is one that is logged.
    pub(crate) fn write_carried(&self, transaction: &DnsTransaction, json: &mut JsonWriter<'_>) {
        if let Some(message) = transaction.sound().filter(|_| self.logs(transaction)) {
            json.nested("dns", |json| self.message(message, transaction.meta.id, json));
        }
    }

    fn shows(&self, question: &Question) -> bool {
        self.types.is_empty() || self.types.contains(&question.rrtype)
    }

    /// Version 3, either direction.
    fn message(&self, message: &Message, id: u64, json: &mut JsonWriter<'_>) {
        json.unsigned("version", 3u8);
        json.string("type", if message.header.is_response() { "response" } else { "request" });
        json.unsigned("tx_id", id);
        json.unsigned("id", message.header.id);
        flags(message, json);
        json.unsigned("opcode", message.header.opcode());
        json.string("rcode", names::eve_rcode(message.header.rcode()).as_bytes());
        if !message.questions.is_empty() {
            json.objects(
                "queries",
                message.questions.iter().filter(|question| self.shows(question)),
                |json, question| {
                    asked(question, json);
                },
            );
        }
        self.sections(message, json);
    }

    /// Version 2, to the server. There the first question speaks for all.
    fn query(&self, message: &Message, id: u64, json: &mut JsonWriter<'_>) {
        json.unsigned("version", 2u8);
        json.string("type", "query");
        json.unsigned("id", message.header.id);
        if let Some(question) = message.questions.iter().find(|question| self.shows(question)) {
            asked(question, json);
        }
        json.unsigned("tx_id", id);
        if message.header.z() {
            json.boolean("z", true);
        }
        json.unsigned("opcode", message.header.opcode());
    }

    /// Version 2, to the client.
    fn answer(&self, message: &Message, json: &mut JsonWriter<'_>) {
        json.unsigned("version", 2u8);
        json.string("type", "answer");
        json.unsigned("id", message.header.id);
        flags(message, json);
        json.unsigned("opcode", message.header.opcode());
        if let Some(question) = message.questions.first() {
            asked(question, json);
        }
        json.string("rcode", names::eve_rcode(message.header.rcode()).as_bytes());
        self.sections(message, json);
    }

    fn sections(&self, message: &Message, json: &mut JsonWriter<'_>) {
        if self.detailed {
            section("answers", &message.answers, json);
        }
        if self.grouped {
            grouped(&message.answers, json);
        }
        section("authorities", &message.authorities, json);
        section("additionals", &message.additionals, json);
    }
}

fn flags(message: &Message, json: &mut JsonWriter<'_>) {
    let header = message.header;
    json.string("flags", format!("{:x}", header.flags));
    let bits = [
        ("qr", header.is_response()),
        ("aa", header.aa()),
        ("tc", header.tc()),
        ("rd", header.rd()),
        ("ra", header.ra()),
        ("z", header.z()),
    ];
    for (key, _) in bits.into_iter().filter(|&(_, set)| set) {
        json.boolean(key, true);
    }
}

pub(super) fn named(key: &str, truncated_key: &str, name: &Name, json: &mut JsonWriter<'_>) {
    json.string(key, &name.text);
    if name.flaws.truncated {
        json.boolean(truncated_key, true);
    }
}

fn asked(question: &Question, json: &mut JsonWriter<'_>) {
    named("rrname", "rrname_truncated", &question.name, json);
    json.string("rrtype", names::eve_type(question.rrtype).as_bytes());
}

/// A section's records. An empty OPT record says nothing and is left out.
fn section(key: &str, records: &[Record], json: &mut JsonWriter<'_>) {
    let before = json.position();
    json.array(key);
    let mut any = false;
    for record in records {
        match &record.data {
            RData::Opt(options) if options.is_empty() => {}
            // Each string of a text is shown as a record.
            RData::Text(strings) if record.rrtype == types::TXT => {
                for text in strings {
                    entry(record, Some(text), json);
                    any = true;
                }
            }
            _ => {
                entry(record, None, json);
                any = true;
            }
        }
    }
    json.close_array();
    if !any {
        json.rewind(before);
    }
}

fn entry(record: &Record, text: Option<&[u8]>, json: &mut JsonWriter<'_>) {
    json.open_object();
    named("rrname", "rrname_truncated", &record.name, json);
    json.string("rrtype", names::eve_type(record.rrtype).as_bytes());
    json.unsigned("ttl", record.ttl);
    match &record.data {
        RData::A(address) => json.string("rdata", Ipv4Addr::from(*address).to_string()),
        RData::Aaaa(address) => json.string("rdata", whole_address(*address)),
        RData::Name(name) if has_plain_name(record.rrtype) => named("rdata", "rdata_truncated", name, json),
        RData::Mx { exchange, .. } => named("rdata", "rdata_truncated", exchange, json),
        RData::Text(_) if record.rrtype == types::TXT => json.string("rdata", text.unwrap_or_default()),
        RData::Raw(bytes) if record.rrtype == types::NULL => json.string("rdata", bytes),
        RData::Raw(bytes) if is_void(record.rrtype, bytes) => json.string("rdata", ""),
        RData::Opt(options) => opt("opt", options, json),
        data => {
            if let Some(key) = structured_key(data) {
                json.nested(key, |json| structure(data, json));
            }
        }
    }
    json.close_object();
}

/// An IPv6 address with all its digits, as in a record's `src_ip`.
pub(super) fn whole_address(address: [u8; 16]) -> String {
    let groups = Ipv6Addr::from(address).segments();
    groups.map(|group| format!("{group:04x}")).join(":")
}

/// Whether data of a type that has an address or a name is of no use: of another length than that of addresses, or
/// nothing at all, as in updates that delete records (RFC 2136, 2.5).
fn is_void(rrtype: u16, data: &[u8]) -> bool {
    matches!(rrtype, types::A | types::AAAA) || has_plain_name(rrtype) && data.is_empty()
}

/// Options of EDNS, by code.
pub(super) fn opt(key: &str, options: &[(u16, Vec<u8>)], json: &mut JsonWriter<'_>) {
    json.objects(key, options, |json, (code, data)| {
        json.unsigned("code", *code);
        json.hex("data", data);
    });
}

/// Types of which the target is shown.
fn has_plain_name(rrtype: u16) -> bool {
    matches!(rrtype, types::CNAME | types::NS | types::PTR)
}

/// The key of data that is shown as an object.
fn structured_key(data: &RData) -> Option<&'static str> {
    match data {
        RData::Soa(_) => Some("soa"),
        RData::Srv(_) => Some("srv"),
        RData::Sshfp { .. } => Some("sshfp"),
        _ => None,
    }
}

pub(super) fn structure(data: &RData, json: &mut JsonWriter<'_>) {
    match data {
        RData::Soa(soa) => {
            named("mname", "mname_truncated", &soa.mname, json);
            named("rname", "rname_truncated", &soa.rname, json);
            json.unsigned("serial", soa.serial);
            json.unsigned("refresh", soa.refresh);
            json.unsigned("retry", soa.retry);
            json.unsigned("expire", soa.expire);
            json.unsigned("minimum", soa.minimum);
        }
        RData::Srv(srv) => {
            json.unsigned("priority", srv.priority);
            json.unsigned("weight", srv.weight);
            json.unsigned("port", srv.port);
            named("name", "name_truncated", &srv.target, json);
        }
        RData::Sshfp { algorithm, hash, fingerprint } => {
            json.text("fingerprint", |out| hex::append_separated(out, fingerprint, b':'));
            json.unsigned("algo", *algorithm);
            json.unsigned("type", *hash);
        }
        _ => {}
    }
}

/// The answers' data by type, types in the order they first come; empty where none has data that is shown.
fn grouped(answers: &[Record], json: &mut JsonWriter<'_>) {
    let mut order: Vec<u16> = Vec::new();
    for record in answers {
        if groups(record) && !order.contains(&record.rrtype) {
            order.push(record.rrtype);
        }
    }
    if answers.is_empty() {
        return;
    }
    json.object("grouped");
    for rrtype in order {
        json.array(&names::eve_type(rrtype));
        for record in answers.iter().filter(|record| record.rrtype == rrtype && groups(record)) {
            group_entry(record, json);
        }
        json.close_array();
    }
    json.close_object();
}

fn groups(record: &Record) -> bool {
    match &record.data {
        RData::A(_) | RData::Aaaa(_) | RData::Mx { .. } => true,
        RData::Name(_) => has_plain_name(record.rrtype),
        RData::Raw(bytes) => record.rrtype == types::NULL || is_void(record.rrtype, bytes),
        RData::Text(strings) => record.rrtype == types::TXT && !strings.is_empty(),
        data => structured_key(data).is_some(),
    }
}

fn group_entry(record: &Record, json: &mut JsonWriter<'_>) {
    match &record.data {
        RData::A(address) => json.push_string(Ipv4Addr::from(*address).to_string()),
        RData::Aaaa(address) => json.push_string(whole_address(*address)),
        RData::Name(name) | RData::Mx { exchange: name, .. } => json.push_string(&name.text),
        RData::Raw(bytes) if record.rrtype == types::NULL => json.push_string(bytes),
        RData::Raw(_) => json.push_string(""),
        RData::Text(strings) => strings.iter().for_each(|text| json.push_string(text)),
        data => {
            json.open_object();
            structure(data, json);
            json.close_object();
        }
    }
}
