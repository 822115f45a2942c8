//! Multicast DNS, RFC 6762: what rules can look at, and EVE records of type `mdns`.
//!
//! Each message stands for itself, whichever way it goes: questions and responses are sent to the same group.

use std::net::Ipv4Addr;

use weir_applayer::{
    Endpoints, EveLog, EveWriter, Field, LogDirection, Options, Transaction, downcast, list,
};
use weir_base::JsonWriter;

use super::eve::{named, opt, structure, whole_address};
use super::fields::{question_name, record_name, response_name};
use super::message::{Header, Message, Record};
use super::names::eve_type;
use super::rdata::RData;
use super::transaction::{COMPLETE, DnsTransaction};

const fn field(name: &'static str, access: weir_applayer::Access, doc: &'static str) -> Field {
    Field::both(name, COMPLETE, access).doc(doc)
}

/// The rows.
pub const FIELDS: &[Field] = &[
    field(
        "mdns.queries.rrname",
        list!(DnsTransaction, |tx, _, index| question_name(tx.sound()?, index)),
        "Names in the question section of a message.",
    ),
    field(
        "mdns.answers.rrname",
        list!(DnsTransaction, |tx, _, index| record_name(&tx.sound()?.answers, index)),
        "Owner names of a message's answers.",
    ),
    field(
        "mdns.authorities.rrname",
        list!(DnsTransaction, |tx, _, index| record_name(&tx.sound()?.authorities, index)),
        "Owner names of a message's authority records.",
    ),
    field(
        "mdns.additionals.rrname",
        list!(DnsTransaction, |tx, _, index| record_name(&tx.sound()?.additionals, index)),
        "Owner names of a message's additional records.",
    ),
    field(
        "mdns.response.rrname",
        list!(DnsTransaction, |tx, _, index| {
            let message = tx.sound().filter(|message| message.header.is_response())?;
            response_name(message, index)
        }),
        "All names of a response: those asked for, those of its records, and those that its CNAME, MX, NS, PTR and \
         SOA records lead to.",
    ),
];

/// The record type.
pub static EVE: EveLog = EveLog::new("mdns", LogDirection::Packet, configure);

#[derive(Debug)]
struct MdnsWriter {
    requests: bool,
    responses: bool,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    Box::new(MdnsWriter {
        requests: options.flag("requests", true),
        responses: options.flag("responses", true),
    })
}

impl EveWriter for MdnsWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let sound = downcast::<DnsTransaction>(transaction).and_then(DnsTransaction::sound);
        let Some(message) = sound else { return false };
        write(message, json);
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        let sound = downcast::<DnsTransaction>(transaction).and_then(DnsTransaction::sound);
        sound.is_some_and(|message| if message.header.is_response() { self.responses } else { self.requests })
    }
}

fn write(message: &Message, json: &mut JsonWriter<'_>) {
    let header = message.header;
    json.string("type", if header.is_response() { "response" } else { "request" });
    json.unsigned("id", header.id);
    flags(header, json);
    json.unsigned("opcode", header.opcode());
    json.unsigned("rcode", header.rcode());
    if !message.questions.is_empty() {
        json.objects("queries", &message.questions, |json, question| {
            json.string("rrname", &question.name.text);
            json.string("rrtype", kind(question.rrtype));
            if question.name.flaws.truncated {
                json.boolean("rrname_truncated", true);
            }
        });
    }
    for (key, records) in [
        ("answers", &message.answers),
        ("authorities", &message.authorities),
        ("additionals", &message.additionals),
    ] {
        section(key, records, json);
    }
}

/// Types in small letters.
fn kind(rrtype: u16) -> String {
    eve_type(rrtype).to_ascii_lowercase()
}

/// The names of the bits that are set.
fn flags(header: Header, json: &mut JsonWriter<'_>) {
    let bits = [
        ("aa", 0x0400),
        ("tc", 0x0200),
        ("rd", 0x0100),
        ("ra", 0x0080),
        ("z", 0x0040),
        ("ad", 0x0020),
        ("cd", 0x0010),
    ];
    let mut set = bits.into_iter().filter(|(_, bit)| header.flags & bit != 0).peekable();
    if set.peek().is_none() {
        return;
    }
    json.array("flags");
    for (name, _) in set {
        json.push_string(name);
    }
    json.close_array();
}

/// A section's records. An empty OPT record says nothing and is left out.
fn section(key: &str, records: &[Record], json: &mut JsonWriter<'_>) {
    let says = |record: &&Record| !matches!(&record.data, RData::Opt(options) if options.is_empty());
    let mut records = records.iter().filter(says).peekable();
    if records.peek().is_none() {
        return;
    }
    json.objects(key, records, |json, record| {
        named("rrname", "rrname_truncated", &record.name, json);
        data(record, json);
    });
}

/// Writes the data of a record, under the name of its type.
fn data(record: &Record, json: &mut JsonWriter<'_>) {
    let key = kind(record.rrtype);
    match &record.data {
        RData::A(address) => json.string(&key, Ipv4Addr::from(*address).to_string()),
        RData::Aaaa(address) => json.string(&key, whole_address(*address)),
        RData::Name(name) | RData::Mx { exchange: name, .. } => named(&key, "rdata_truncated", name, json),
        RData::Text(strings) => {
            json.strings(&key, strings);
        }
        RData::Raw(bytes) => json.string(&key, bytes),
        RData::Opt(options) => opt(&key, options, json),
        RData::Soa(_) | RData::Srv(_) | RData::Sshfp { .. } => {
            json.nested(&key, |json| structure(&record.data, json));
        }
        _ => json.string(&key, &record.wire),
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::{build, record};
    use super::*;

    fn shown(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        write(&Message::read(bytes).unwrap(), &mut json);
        json.close_object();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn records() {
        let question = build(0, 0, b"\x04_ipp\x04_tcp\x05local\0", 12, [&[], &[], &[]]);
        let answer = build(
            7,
            0x8400,
            b"\x01a\x05local\0",
            16,
            [
                &[record(1, 120, &[192, 0, 2, 1]), record(16, 120, b"\x03k=v\x01w")],
                &[],
                &[record(41, 0, b"")],
            ],
        );
        let cases = [
            (
                question,
                r#"{"type":"request","id":0,"opcode":0,"rcode":0,"queries":[{"rrname":"_ipp._tcp.local","rrtype":"ptr"}]}"#,
            ),
            (
                build(
                    7,
                    0x8400,
                    b"\x01a\x05local\0",
                    255,
                    [
                        &[
                            record(13, 120, b"\x01x\x02yz"),
                            record(28, 120, &[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
                        ],
                        &[],
                        &[record(47, 120, b"\xc0\x0c\0\x01\x40")],
                    ],
                ),
                concat!(
                    r#"{"type":"response","id":7,"flags":["aa"],"opcode":0,"rcode":0,"queries":[{"rrname":"a.local","rrtype":"any"}],"#,
                    r#""answers":[{"rrname":"a.local","hinfo":"\u0001x\u0002yz"},"#,
                    r#"{"rrname":"a.local","aaaa":"fe80:0000:0000:0000:0000:0000:0000:0001"}],"#,
                    r#""additionals":[{"rrname":"a.local","nsec":"\\xc0\f\u0000\u0001@"}]}"#,
                ),
            ),
            (
                answer,
                r#"{"type":"response","id":7,"flags":["aa"],"opcode":0,"rcode":0,"queries":[{"rrname":"a.local","rrtype":"txt"}],"answers":[{"rrname":"a.local","a":"192.0.2.1"},{"rrname":"a.local","txt":["k=v","w"]}]}"#,
            ),
        ];
        for (bytes, expected) in cases {
            assert_eq!(shown(&bytes), expected);
        }
    }
}
