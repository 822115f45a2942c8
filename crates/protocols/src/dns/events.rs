//! Events of DNS for scripts: of each message, its questions and its records.

use std::net::IpAddr;

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{EventValue, Reader, base64};

use super::message::{Header, Message, Record};
use super::rdata::{RData, Soa, types};
use super::signed::{self, Told};
use super::transaction::DnsTransaction;
use super::updates;
use super::zeek::query_text;

event_names! {
    /// Their names.
    pub(super) const NAMES;
    MESSAGE = "dns_message",
    REQUEST = "dns_request",
    QUERY_REPLY = "dns_query_reply",
    REJECTED = "dns_rejected",
    END = "dns_end",
    A = "dns_A_reply",
    AAAA = "dns_AAAA_reply",
    NS = "dns_NS_reply",
    CNAME = "dns_CNAME_reply",
    PTR = "dns_PTR_reply",
    SOA = "dns_SOA_reply",
    MX = "dns_MX_reply",
    TXT = "dns_TXT_reply",
    SPF = "dns_SPF_reply",
    SRV = "dns_SRV_reply",
    HINFO = "dns_HINFO_reply",
    WKS = "dns_WKS_reply",
    CAA = "dns_CAA_reply",
    NAPTR = "dns_NAPTR_reply",
    SSHFP = "dns_SSHFP",
    SVCB = "dns_SVCB",
    HTTPS = "dns_HTTPS",
    EDNS = "dns_EDNS_addl",
    EDNS_ECS = "dns_EDNS_ecs",
    EDNS_KEEPALIVE = "dns_EDNS_tcp_keepalive",
    EDNS_COOKIE = "dns_EDNS_cookie",
    UNKNOWN = "dns_unknown_reply",
    RRSIG = "dns_RRSIG",
    DNSKEY = "dns_DNSKEY",
    DS = "dns_DS",
    NSEC = "dns_NSEC",
    NSEC3 = "dns_NSEC3",
    NSEC3PARAM = "dns_NSEC3PARAM",
    LOC = "dns_LOC",
    BINDS = "dns_BINDS",
    TKEY = "dns_TKEY",
    TSIG = "dns_TSIG_addl",
    A6 = "dns_A6_reply",
    UPDATE = "dns_dynamic_update",
    UPDATE_CONDITION = "dns_dynamic_update_pre",
    UPDATE_DELETION = "dns_dynamic_update_del",
}

/// Sections of a message, as Zeek numbers them.
pub(super) mod section {
    pub const ANSWER: u64 = 1;
    pub const AUTHORITY: u64 = 2;
    pub const ADDITIONAL: u64 = 3;
}

/// Settings of scripts that leave sections out.
const SKIP_AUTHORITIES: &str = "dns_skip_all_auth";
const SKIP_ADDITIONALS: &str = "dns_skip_all_addl";

/// A message with more questions is not looked at.
const MAX_QUESTIONS: u16 = 25;

/// The port of the NetBIOS name service.
const NETBIOS_PORT: u16 = 137;

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/dns/main",
    bodies: None,
    names: NAMES,
    open: || Box::<DnsRaiser>::default(),
};

#[derive(Debug, Default)]
struct DnsRaiser {
    /// The next message that was not looked at.
    next: u64,
}

impl EventRaiser for DnsRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(transaction) = news.of::<DnsTransaction>() else { return };
        let meta = &transaction.meta;
        if meta.only.is_none() || meta.id < self.next {
            return;
        }
        self.next = meta.id + 1;
        if !transaction.headless {
            message(transaction, sink);
        }
    }
}

pub(super) fn message(transaction: &DnsTransaction, sink: &mut dyn EventSink) {
    let message = &transaction.message;
    let header = message.header;
    let port = sink.connection().endpoints.server_port;
    let fields = header_fields(header, port);
    let about = EventValue::Record(&fields);
    let is_orig = transaction.meta.only == Some(weir_base::Direction::ToServer);
    let length = EventValue::Count(message.length as u64);
    sink.raise(MESSAGE, &[EventValue::Connection, EventValue::Bool(is_orig), about, length]);
    if header.is_response() && header.rcode() != 0 && header.questions == 0 {
        let none = EventValue::text("<no query>");
        let zero = EventValue::Count(0);
        sink.raise(REJECTED, &[EventValue::Connection, about, none, zero, zero, none]);
    }
    if header.questions <= MAX_QUESTIONS {
        questions(message, about, port, sink);
        let sections = [
            (&message.answers, section::ANSWER, None),
            (&message.authorities, section::AUTHORITY, Some(SKIP_AUTHORITIES)),
            (&message.additionals, section::ADDITIONAL, Some(SKIP_ADDITIONALS)),
        ];
        for (records, section, skipped) in sections {
            if skipped.is_some_and(|setting| sink.is_set(setting)) {
                continue;
            }
            for record in records {
                if header.opcode() == updates::OPERATION
                    && updates::record(record, section, about, port, sink)
                {
                    continue;
                }
                raise_record(record, section, (about, is_orig), (header.rcode(), port), sink);
                if record.rrtype == WKS_TYPE {
                    // Zeek reads no further.
                    sink.raise(END, &[EventValue::Connection, about]);
                    return;
                }
            }
        }
    }
    if !sink.is_set(SKIP_ADDITIONALS) {
        cut_options(&message.cut_options, about, sink);
    }
    sink.raise(END, &[EventValue::Connection, about]);
}

fn header_fields(header: Header, port: u16) -> [EventValue<'static>; 16] {
    [
        EventValue::Count(header.id.into()),
        EventValue::Count(header.opcode().into()),
        EventValue::Count(header.rcode().into()),
        EventValue::Bool(header.is_response()),
        EventValue::Bool(header.aa()),
        EventValue::Bool(header.tc()),
        EventValue::Bool(header.rd()),
        EventValue::Bool(header.ra()),
        EventValue::Count(u64::from(header.flags >> 4 & 7)),
        EventValue::Bool(header.flags & 0x20 != 0),
        EventValue::Bool(header.flags & 0x10 != 0),
        EventValue::Count(header.questions.into()),
        EventValue::Count(header.answers.into()),
        EventValue::Count(header.authorities.into()),
        EventValue::Count(header.additionals.into()),
        EventValue::Bool(port == NETBIOS_PORT),
    ]
}

/// Returns what is told of every record.
pub(super) fn answer_fields<'a>(record: &Record, section: u64, query: &'a [u8]) -> [EventValue<'a>; 5] {
    [
        EventValue::Count(section),
        EventValue::String(query),
        EventValue::Count(record.rrtype.into()),
        EventValue::Count(record.class.into()),
        EventValue::Interval(record.ttl.into()),
    ]
}

fn questions(message: &Message, about: EventValue<'_>, port: u16, sink: &mut dyn EventSink) {
    let header = message.header;
    if header.opcode() == updates::OPERATION {
        return updates::zones(message, about, port, sink);
    }
    let has_records = header.answers > 0 || header.authorities > 0 || header.additionals > 0;
    let event = match (header.is_response(), has_records) {
        (false, _) => REQUEST,
        (true, false) => REJECTED,
        (true, true) => QUERY_REPLY,
    };
    if !sink.wants(event) {
        return;
    }
    for question in &message.questions {
        let query = query_text(&question.name.text, port);
        let arguments = [
            EventValue::Connection,
            about,
            EventValue::String(&query),
            EventValue::Count(question.rrtype.into()),
            EventValue::Count(question.class.into()),
            EventValue::String(&question.name.text),
        ];
        sink.raise(event, &arguments);
    }
}

/// Raises the event of a record.
fn raise_record(
    record: &Record,
    section: u64,
    (about, is_orig): (EventValue<'_>, bool),
    (rcode, port): (u16, u16),
    sink: &mut dyn EventSink,
) {
    if let RData::Opt(options) = &record.data {
        return edns(record, options, (about, is_orig), rcode, sink);
    }
    let query = query_text(&record.name.text, port);
    let answer = answer_fields(record, section, &query);
    if let Some(event) = signed::event_of(record.rrtype) {
        return raise_signed(event, record, &Told { about, answer: &answer, is_orig }, sink);
    }
    let mut tell = |event: usize, more: &[EventValue<'_>]| {
        if sink.wants(event) {
            let mut arguments = vec![EventValue::Connection, about, EventValue::Record(&answer)];
            arguments.extend_from_slice(more);
            sink.raise(event, &arguments);
        }
    };
    raise_data(record, &mut tell);
}

/// Raises the event of a record that signs, or of a location.
fn raise_signed(event: usize, record: &Record, told: &Told<'_>, sink: &mut dyn EventSink) {
    let (wire, name): (&[u8], _) = match &record.data {
        RData::Raw(bytes) => (bytes, None),
        RData::Rrsig { signer: name, .. } | RData::Nsec(name) => (&record.wire, Some(&name.text[..])),
        _ => (&record.wire, None),
    };
    // What does not fit its type has no event.
    let _ = signed::raise(event, wire, name, told, sink);
}

/// Raises the event of a record by its data.
fn raise_data(record: &Record, tell: &mut Tell<'_>) {
    match (&record.data, record.rrtype) {
        (RData::A(octets), _) => tell(A, &[EventValue::Addr(IpAddr::from(*octets))]),
        (RData::Aaaa(octets), _) => tell(AAAA, &[EventValue::Addr(IpAddr::from(*octets))]),
        (RData::Name(name), rrtype) => {
            let event = match rrtype {
                types::NS => NS,
                types::CNAME => CNAME,
                types::PTR => PTR,
                _ => return tell(UNKNOWN, &[]),
            };
            tell(event, &[EventValue::String(&name.text.to_ascii_lowercase())]);
        }
        (RData::Mx { preference, exchange }, _) => {
            let name = exchange.text.to_ascii_lowercase();
            tell(MX, &[EventValue::String(&name), EventValue::Count((*preference).into())]);
        }
        (RData::Text(strings), rrtype) => {
            let strings: Vec<EventValue<'_>> = strings.iter().map(EventValue::from).collect();
            tell(if rrtype == SPF_TYPE { SPF } else { TXT }, &[EventValue::List(&strings)]);
        }
        (RData::Soa(soa), _) => raise_authority(soa, tell),
        (RData::Srv(srv), _) => {
            let target = srv.target.text.to_ascii_lowercase();
            let numbers = [srv.priority, srv.weight, srv.port].map(|number| EventValue::Count(number.into()));
            let [priority, weight, port] = numbers;
            tell(SRV, &[EventValue::String(&target), priority, weight, port]);
        }
        (RData::Hinfo { cpu, os }, _) => tell(HINFO, &[EventValue::String(cpu), EventValue::String(os)]),
        (RData::Caa { flags, tag, value }, _) => {
            tell(
                CAA,
                &[EventValue::Count((*flags).into()), EventValue::String(tag), EventValue::String(value)],
            );
        }
        (RData::Naptr(naptr), _) => {
            let replacement = naptr.replacement.text.to_ascii_lowercase();
            let fields = [
                EventValue::Count(naptr.order.into()),
                EventValue::Count(naptr.preference.into()),
                EventValue::String(&naptr.flags),
                EventValue::String(&naptr.service),
                EventValue::String(&naptr.regexp),
                EventValue::String(&replacement),
            ];
            tell(NAPTR, &[EventValue::Record(&fields)]);
        }
        (RData::Sshfp { algorithm, hash, fingerprint }, _) => {
            let numbers = [EventValue::Count((*algorithm).into()), EventValue::Count((*hash).into())];
            let [algorithm, hash] = numbers;
            tell(SSHFP, &[algorithm, hash, EventValue::String(fingerprint)]);
        }
        (RData::Svcb { priority, target, parameters }, rrtype) => {
            let event = if rrtype == HTTPS_TYPE { HTTPS } else { SVCB };
            raise_binding(event, (*priority, &target.text), parameters, tell);
        }
        (_, WKS_TYPE) => tell(WKS, &[]),
        (RData::Raw(bytes), A6_TYPE) => {
            // Only whole addresses, without a prefix of another name.
            if let Some(octets) = bytes.strip_prefix(&[0]).and_then(|rest| <[u8; 16]>::try_from(rest).ok()) {
                tell(A6, &[EventValue::Addr(IpAddr::from(octets))]);
            }
        }
        (RData::Raw(bytes), _) if bytes.is_empty() => {}
        _ => tell(UNKNOWN, &[]),
    }
}

/// Raises an event of a record with what it has more than others.
type Tell<'t> = dyn FnMut(usize, &[EventValue<'_>]) + 't;

/// Raises the event of the start of a zone's authority (RFC 1035, section 3.3.13).
fn raise_authority(soa: &Soa, tell: &mut Tell<'_>) {
    let [server, mailbox] = [&soa.mname, &soa.rname].map(|name| name.text.to_ascii_lowercase());
    let time = |seconds: u32| EventValue::Interval(seconds.into());
    let fields = [
        EventValue::String(&server),
        EventValue::String(&mailbox),
        EventValue::Count(soa.serial.into()),
        time(soa.refresh),
        time(soa.retry),
        time(soa.expire),
        time(soa.minimum),
    ];
    tell(SOA, &[EventValue::Record(&fields)]);
}

/// Raises the event of a service binding (RFC 9460, section 2).
fn raise_binding(
    event: usize,
    (priority, target): (u16, &[u8]),
    parameters: &[(u16, Vec<u8>)],
    tell: &mut Tell<'_>,
) {
    let name = target.to_ascii_lowercase();
    let read: Vec<Parameter<'_>> = parameters.iter().map(|(key, value)| Parameter::of(*key, value)).collect();
    let fields: Vec<[EventValue<'_>; 7]> = read.iter().map(Parameter::fields).collect();
    let records: Vec<EventValue<'_>> = fields.iter().map(|fields| EventValue::Record(fields)).collect();
    let list = if records.is_empty() { EventValue::Unset } else { EventValue::List(&records) };
    let binding = [EventValue::Count(priority.into()), EventValue::String(&name), list];
    tell(event, &[EventValue::Record(&binding)]);
}

/// Types of records that are told apart here alone.
const WKS_TYPE: u16 = 11;
const A6_TYPE: u16 = 38;
const SPF_TYPE: u16 = 99;
const HTTPS_TYPE: u16 = 65;

/// A parameter of a service binding (RFC 9460 7).
struct Parameter<'a> {
    key: u16,
    value: &'a [u8],
    numbers: Vec<EventValue<'a>>,
    texts: Vec<EventValue<'a>>,
    addresses: Vec<EventValue<'a>>,
    /// The keys of an encrypted hello, in Base64.
    encoded: Vec<u8>,
    /// All of the value was read.
    is_whole: bool,
}

impl<'a> Parameter<'a> {
    fn of(key: u16, value: &'a [u8]) -> Self {
        let mut read = Self {
            key,
            value,
            numbers: Vec::new(),
            texts: Vec::new(),
            addresses: Vec::new(),
            encoded: Vec::new(),
            is_whole: false,
        };
        let mut reader = Reader::new(value);
        match key {
            0 => {
                while let Some(number) = reader.u16() {
                    read.numbers.push(EventValue::Count(number.into()));
                }
            }
            1 => {
                while let Some(length) = reader.u8() {
                    let Some(text) = reader.take(length.into()) else { return read };
                    read.texts.push(EventValue::String(text));
                }
            }
            3 => {
                reader.u16();
                read.is_whole = value.len() == 2;
                return read;
            }
            4 => {
                while let Some(octets) = reader.array::<4>() {
                    read.addresses.push(EventValue::Addr(IpAddr::from(octets)));
                }
            }
            5 => {
                base64::encode(value, &mut read.encoded);
                read.is_whole = true;
                return read;
            }
            6 => {
                while let Some(octets) = reader.array::<16>() {
                    read.addresses.push(EventValue::Addr(IpAddr::from(octets)));
                }
            }
            _ => return read,
        }
        read.is_whole = reader.is_empty();
        read
    }

    /// As `dns_svcb_param`.
    fn fields(&self) -> [EventValue<'_>; 7] {
        fn list<'b>(values: &'b [EventValue<'b>], is_meant: bool) -> EventValue<'b> {
            if is_meant { EventValue::List(values) } else { EventValue::Unset }
        }
        let is = |keys: &[u16]| self.is_whole && keys.contains(&self.key);
        let port = Reader::new(self.value).u16().filter(|_| is(&[3]));
        [
            EventValue::Count(self.key.into()),
            list(&self.numbers, is(&[0])),
            list(&self.texts, is(&[1])),
            EventValue::count(port),
            list(&self.addresses, is(&[4, 6])),
            if is(&[5]) { EventValue::String(&self.encoded) } else { EventValue::Unset },
            if self.is_whole { EventValue::Unset } else { EventValue::String(self.value) },
        ]
    }
}

/// Raises the events of EDNS (RFC 6891), and of its options (RFC 7871, 7828, 7873).
fn edns(
    record: &Record,
    options: &[(u16, Vec<u8>)],
    (about, is_orig): (EventValue<'_>, bool),
    rcode: u16,
    sink: &mut dyn EventSink,
) {
    let name = record.name.text.to_ascii_lowercase();
    let count = |value: u32| EventValue::Count(value.into());
    let fields = [
        EventValue::String(&name),
        EventValue::Count(section::ADDITIONAL),
        count(record.rrtype.into()),
        count(record.class.into()),
        count(record.ttl >> 24 << 4 | u32::from(rcode)),
        count(record.ttl >> 16 & 0xff),
        count(record.ttl & 0xffff),
        EventValue::Interval(record.ttl.into()),
        EventValue::Count(is_orig.into()),
    ];
    sink.raise(EDNS, &[EventValue::Connection, about, EventValue::Record(&fields)]);
    for (code, value) in options {
        option(*code, value, about, sink);
    }
}

/// Raises the event of an option.
fn option(code: u16, value: &[u8], about: EventValue<'_>, sink: &mut dyn EventSink) {
    // An option that is cut short has no event.
    let _ = match code {
        8 => subnet(value, about, sink),
        11 => keepalive(value, about, sink),
        10 => cookie(value, about, sink),
        _ => None,
    };
}

/// Raises the events of options of which the last one is cut short.
fn cut_options(bytes: &[u8], about: EventValue<'_>, sink: &mut dyn EventSink) {
    let mut reader = Reader::new(bytes);
    while let Some((code, length)) = reader.u16().zip(reader.u16()) {
        let Some(value) = reader.take(length.into()) else {
            sink.weird("EDNS_truncated_option", None, SOURCE);
            return;
        };
        option(code, value, about, sink);
    }
}

/// Source of oddities.
const SOURCE: &str = "DNS";

/// Returns the address of a subnet, of which only the octets that its prefix needs are there; tells why it is none.
fn subnet_address<const N: usize>(
    word: &str,
    prefix: u8,
    octets: &[u8],
    sink: &mut dyn EventSink,
) -> Option<[u8; N]> {
    let (has, most) = (octets.len() * 8, N * 8);
    if usize::from(prefix) > most {
        sink.weird(&format!("EDNS_ECS_invalid_addr_{word}_prefix"), Some(&format!("{prefix} bits")), SOURCE);
        return None;
    }
    if usize::from(prefix) > has {
        let about = format!("need {prefix} bits, have {has} bits");
        sink.weird(&format!("EDNS_ECS_invalid_addr_{word}"), Some(&about), SOURCE);
        return None;
    }
    padded::<N>(octets)
}

fn subnet(value: &[u8], about: EventValue<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let &[high, low, source, scope, ref rest @ ..] = value else {
        sink.weird("EDNS_ECS_invalid_option_len", None, SOURCE);
        return None;
    };
    let (word, address) = match u16::from_be_bytes([high, low]) {
        1 => ("v4", IpAddr::from(subnet_address::<4>("v4", source, rest, sink)?)),
        2 => ("v6", IpAddr::from(subnet_address::<16>("v6", source, rest, sink)?)),
        _ => return None,
    };
    let fields = [
        EventValue::text(word),
        EventValue::Count(source.into()),
        EventValue::Count(scope.into()),
        EventValue::Addr(address),
    ];
    sink.raise(EDNS_ECS, &[EventValue::Connection, about, EventValue::Record(&fields)]);
    Some(())
}

/// The octets of an address of which the last ones are left out.
fn padded<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    let mut octets = [0; N];
    octets.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(octets)
}

fn keepalive(value: &[u8], about: EventValue<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let timeout = match value {
        [] => None,
        [high, low] => Some(u16::from_be_bytes([*high, *low])),
        _ => return None,
    };
    let fields = [EventValue::Bool(timeout.is_none()), EventValue::Count(timeout.unwrap_or(0).into())];
    sink.raise(EDNS_KEEPALIVE, &[EventValue::Connection, about, EventValue::Record(&fields)]);
    Some(())
}

fn cookie(value: &[u8], about: EventValue<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let (client, server) = (value.get(..8)?, value.get(8..)?);
    let server = if server.is_empty() { EventValue::Unset } else { EventValue::String(server) };
    let fields = [EventValue::String(client), server];
    sink.raise(EDNS_COOKIE, &[EventValue::Connection, about, EventValue::Record(&fields)]);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Events;

    #[test]
    fn subnets_of_clients() {
        type Case<'a> = (&'a [u8], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (&[0, 8, 0, 7, 0, 1, 24, 0, 192, 0, 2], &["dns_EDNS_ecs c T [v4, 24, 0, 192.0.2.0]"]),
            (
                &[0, 8, 0, 6, 0, 1, 24, 0, 192, 0],
                &["weird EDNS_ECS_invalid_addr_v4 need 24 bits, have 16 bits DNS"],
            ),
            (&[0, 8, 0, 4, 0, 2, 255, 0], &["weird EDNS_ECS_invalid_addr_v6_prefix 255 bits DNS"]),
            (
                &[0, 8, 0, 1, 9, 0, 8, 0, 9],
                &["weird EDNS_ECS_invalid_option_len  DNS", "weird EDNS_truncated_option  DNS"],
            ),
            (&[0, 99, 0, 0], &[]),
        ];
        for (bytes, expected) in cases {
            let mut sink = Events::new(NAMES);
            cut_options(bytes, EventValue::Bool(true), &mut sink);
            assert_eq!(sink.raised, *expected, "{bytes:?}");
        }
    }
}
