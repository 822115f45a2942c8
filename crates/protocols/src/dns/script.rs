//! Answers to what scripts ask of a DNS message (`suricata.dns`).

use std::net::{Ipv4Addr, Ipv6Addr};

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};

use super::message::Record;
use super::names::{eve_rcode, eve_type};
use super::rdata::RData;
use super::transaction::DnsTransaction;

/// The library.
pub static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "dns", methods: METHODS, enable: None, earlier: EARLIER }];

/// The conditions that scripts can ask to be run on.
pub static NEEDS: &[ScriptNeed] = &[
    ScriptNeed::new("dns.rrname", NeededPlace::Field("dns.queries.rrname", None)),
    ScriptNeed::new("dns.request", NeededPlace::State("request_complete")),
    ScriptNeed::new("dns.response", NeededPlace::State("response_complete")),
];

/// Functions of earlier releases, with the methods that answer them.
const EARLIER: &[(&str, &str)] = &[
    ("DnsGetDnsRrname", "rrname"),
    ("DnsGetTxid", "txid"),
    ("DnsGetRcode", "rcode_string"),
    ("DnsGetRecursionDesired", "recursion_desired"),
    ("DnsGetQueries", "queries"),
    ("DnsGetAnswers", "answers"),
    ("DnsGetAuthorities", "authorities"),
];

const METHODS: &[ScriptMethod] = &[
    script_method!("txid", "Id of the message.", DnsTransaction, |tx| vec![ScriptValue::Integer(i64::from(
        tx.message.header.id
    ))]),
    script_method!("rrname", "Name in the first question.", DnsTransaction, |tx| {
        vec![ScriptValue::bytes(tx.message.questions.first().map(|question| &question.name.text))]
    }),
    script_method!("rcode", "Code of the response.", DnsTransaction, |tx| vec![ScriptValue::Integer(
        i64::from(rcode(tx))
    )]),
    script_method!("rcode_string", "Code of the response by its name.", DnsTransaction, |tx| {
        vec![ScriptValue::bytes(Some(eve_rcode(rcode(tx)).into_owned()))]
    }),
    script_method!("recursion_desired", "Whether recursion is desired.", DnsTransaction, |tx| {
        vec![ScriptValue::Boolean(tx.message.header.rd())]
    }),
    script_method!("queries", "Questions, tables of `rrname` and `type`, from 0.", DnsTransaction, |tx| {
        let questions = tx.message.questions.iter();
        list(
            questions.map(|question| {
                row([("rrname", text(&question.name.text)), ("type", kind(question.rrtype))])
            }),
        )
    }),
    script_method!(
        "answers",
        "Answers, tables of `rrname`, `type`, `ttl` and `addr`, from 0.",
        DnsTransaction,
        |tx| list(tx.message.answers.iter().map(record))
    ),
    script_method!("authorities", "Authority section, tables as of answers, from 0.", DnsTransaction, |tx| {
        list(tx.message.authorities.iter().map(record))
    }),
];

/// The response's code; a request has none, which scripts know as 0.
fn rcode(tx: &DnsTransaction) -> u16 {
    if tx.message.header.is_response() { tx.message.header.rcode() } else { 0 }
}

fn text(bytes: &[u8]) -> ScriptValue {
    ScriptValue::Bytes(bytes.to_vec())
}

fn kind(rrtype: u16) -> ScriptValue {
    ScriptValue::Bytes(eve_type(rrtype).into_owned().into_bytes())
}

fn row<const N: usize>(fields: [(&str, ScriptValue); N]) -> ScriptValue {
    ScriptValue::Map(fields.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect())
}

fn list(values: impl Iterator<Item = ScriptValue>) -> Vec<ScriptValue> {
    vec![ScriptValue::Numbered(values.collect())]
}

fn record(record: &Record) -> ScriptValue {
    let data = match &record.data {
        RData::A(address) => ScriptValue::bytes(Some(Ipv4Addr::from(*address).to_string())),
        RData::Aaaa(address) => ScriptValue::bytes(Some(Ipv6Addr::from(*address).to_string())),
        RData::Name(name) | RData::Mx { exchange: name, .. } => text(&name.text),
        RData::Soa(soa) => text(&soa.mname.text),
        RData::Srv(srv) => text(&srv.target.text),
        RData::Sshfp { fingerprint, .. } => text(fingerprint),
        RData::Text(strings) => ScriptValue::Bytes(strings.concat()),
        RData::Raw(bytes) => text(bytes),
        _ => ScriptValue::Nil,
    };
    row([
        ("rrname", text(&record.name.text)),
        ("type", kind(record.rrtype)),
        ("ttl", ScriptValue::Integer(i64::from(record.ttl))),
        ("addr", data),
    ])
}
