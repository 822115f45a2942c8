//! What records say, in a line, and where they lead.

use serde_json::{Map, Value};

use super::question::Question;
use super::text;
use crate::pages::search::Row;
use crate::pages::{connection, record};

/// A record by its fields.
pub type Record = Map<String, Value>;

/// A part of the line that tells of a record.
enum Word {
    /// A field as it is.
    Field(&'static str),
    /// Fields, one right behind the other.
    Joined(&'static [&'static str]),
    /// A field, unless it has this value.
    Unless(&'static str, &'static str),
    /// The sum of fields that count bytes.
    Bytes(&'static [&'static str]),
    /// A field that counts seconds.
    Lasting(&'static str),
    /// A field that answers what was before.
    Answer(&'static str),
}

use Word::{Answer, Bytes, Field, Joined, Lasting, Unless};

/// How records of a table are told.
const TOLD: &[(&str, &[Word])] = &[
    ("alert", &[Field("alert.signature"), Unless("alert.action", "allowed")]),
    (
        "eve.http",
        &[
            Field("http.http_method"),
            Joined(&["http.hostname", "http.url"]),
            Field("http.status"),
            Field("http.http_content_type"),
            Bytes(&["http.length"]),
        ],
    ),
    (
        "zeek.http",
        &[
            Field("method"),
            Joined(&["host", "uri"]),
            Field("status_code"),
            Field("resp_mime_types"),
            Bytes(&["response_body_len"]),
        ],
    ),
    (
        "eve.dns",
        &[
            Field("dns.type"),
            Field("dns.queries"),
            Field("dns.query"),
            Field("dns.rrtype"),
            Field("dns.rrname"),
            Unless("dns.rcode", "NOERROR"),
            Answer("dns.answers"),
        ],
    ),
    ("zeek.dns", &[Field("qtype_name"), Field("query"), Unless("rcode_name", "NOERROR"), Answer("answers")]),
    ("tls", &[Field("tls.version"), Field("tls.sni"), Field("tls.subject")]),
    ("ssl", &[Field("version"), Field("server_name"), Field("cipher")]),
    (
        "flow",
        &[
            Unless("app_proto", "failed"),
            Field("flow.state"),
            Bytes(&["flow.bytes_toserver", "flow.bytes_toclient"]),
            Field("flow.reason"),
        ],
    ),
    (
        "conn",
        &[
            Field("service"),
            Field("conn_state"),
            Bytes(&["orig_bytes", "resp_bytes"]),
            Lasting("duration"),
            Field("history"),
        ],
    ),
    (
        "fileinfo",
        &[
            Field("fileinfo.filename"),
            Bytes(&["fileinfo.size"]),
            Field("fileinfo.magic"),
            Field("fileinfo.state"),
        ],
    ),
    ("files", &[Field("filename"), Field("mime_type"), Bytes(&["seen_bytes"]), Field("source")]),
    ("x509", &[Field("certificate.subject"), Answer("certificate.issuer")]),
    ("eve.ssh", &[Field("ssh.client.software_version"), Answer("ssh.server.software_version")]),
    ("zeek.ssh", &[Field("client"), Answer("server")]),
    ("eve.smtp", &[Field("smtp.mail_from"), Answer("smtp.rcpt_to"), Field("email.subject")]),
    ("zeek.smtp", &[Field("mailfrom"), Answer("rcptto"), Field("subject")]),
    ("anomaly", &[Field("anomaly.type"), Field("anomaly.event"), Field("anomaly.layer")]),
    ("notice", &[Field("note"), Field("msg"), Field("sub")]),
    ("weird", &[Field("name"), Field("addl")]),
];

/// Fields that most records have, and that say little of each.
const COMMON: &[&str] = &[
    "timestamp",
    "ts",
    "flow_id",
    "uid",
    "event_type",
    "pcap_cnt",
    "src_ip",
    "src_port",
    "dest_ip",
    "dest_port",
    "proto",
    "ip_v",
    "pkt_src",
    "tx_id",
    "zeek_uid",
    "community_id",
    "id.orig_h",
    "id.orig_p",
    "id.resp_h",
    "id.resp_p",
    "in_iface",
];

/// Fields of a record that is told by them.
const FEW: usize = 6;

/// The fields of a record.
pub fn fields(row: &Row) -> Record {
    serde_json::from_str(row.record.get()).unwrap_or_default()
}

/// The name of a table without its schema.
pub fn kind(table: &str) -> &str {
    table.split_once('.').map_or(table, |(_, kind)| kind)
}

/// A value as a text; a list as its items.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields.values().map(shown).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// A field as a text.
pub fn field(record: &Record, name: &str) -> String {
    record.get(name).map(shown).unwrap_or_default()
}

/// The first of these fields that says something.
pub fn first(record: &Record, names: &[&str]) -> String {
    names.iter().map(|name| field(record, name)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// A record in a line.
pub fn summary(table: &str, record: &Record) -> String {
    let told = |name: &str| TOLD.iter().find(|(told, _)| *told == name).map(|(_, words)| *words);
    let words = told(table).or_else(|| told(kind(table))).unwrap_or_default();
    let words = words.iter().map(|word| word.told(record)).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join("  ");
    if !line.is_empty() {
        return line;
    }
    let rest = record.iter().filter(|(name, _)| !COMMON.contains(&name.as_str())).take(FEW);
    let rest = rest.map(|(name, value)| {
        format!("{}={}", name.rsplit('.').next().unwrap_or_default(), text::cut(&shown(value), 80))
    });
    rest.collect::<Vec<_>>().join("  ")
}

impl Word {
    fn told(&self, record: &Record) -> String {
        match self {
            Field(name) => field(record, name),
            Joined(names) => names.iter().map(|name| field(record, name)).collect(),
            Unless(name, value) => Some(field(record, name)).filter(|text| text != value).unwrap_or_default(),
            Bytes(names) => sum(record, names).map(text::bytes).unwrap_or_default(),
            Lasting(name) => {
                let seconds = record.get(*name).and_then(Value::as_f64);
                seconds.map(|seconds| text::lasting((seconds * 1e6) as i64)).unwrap_or_default()
            }
            Answer(name) => {
                let answer = match record.get(*name) {
                    // Of DNS, what names stand for is enough.
                    Some(Value::Array(items)) => items
                        .iter()
                        .map(|item| shown(item.get("rdata").unwrap_or(item)))
                        .collect::<Vec<_>>()
                        .join(", "),
                    _ => field(record, name),
                };
                if answer.is_empty() { answer } else { format!("→ {answer}") }
            }
        }
    }
}

/// The sum of those fields that there are.
pub fn sum(record: &Record, names: &[&str]) -> Option<i64> {
    let numbers = names.iter().filter_map(|name| record.get(*name).and_then(Value::as_i64));
    numbers.reduce(i64::saturating_add)
}

/// Both ends as people write them.
pub fn ends(record: &Record) -> Option<(String, String)> {
    let end = |addresses: &[&str], ports: &[&str]| {
        let (address, port) = (first(record, addresses), first(record, ports));
        if address.is_empty() { None } else { Some(host(&address, &port)) }
    };
    Some((
        end(&["src_ip", "id.orig_h"], &["src_port", "id.orig_p"])?,
        end(&["dest_ip", "id.resp_h"], &["dest_port", "id.resp_p"])?,
    ))
}

/// An address with its port.
pub fn host(address: &str, port: &str) -> String {
    match (port.is_empty(), address.contains(':')) {
        (true, _) => address.to_owned(),
        (false, true) => format!("[{address}]:{port}"),
        (false, false) => format!("{address}:{port}"),
    }
}

/// When what a record tells of began.
pub fn begin(row: &Row, record: &Record) -> Option<i64> {
    let start = record.get("flow.start").and_then(Value::as_str).filter(|_| kind(&row.table) == "flow");
    start.and_then(text::micros).or(row.time)
}

/// The question for all of a record.
pub fn page(row: &Row, record: &Record) -> Question {
    let flow = field(record, "flow_id");
    let uid = if flow.is_empty() { field(record, "uid") } else { String::new() };
    let sid = record.get("alert.signature_id").and_then(Value::as_i64);
    Question::Record(record::Which { table: row.table.clone(), time: row.time, flow, uid, sid })
}

/// The question for a record's connection.
pub fn connection(row: &Row, record: &Record) -> Option<Question> {
    let id = first(record, &["flow_id", "uid", "zeek_uid"]);
    if id.is_empty() { None } else { Some(Question::Connection(connection::Which { id, time: row.time })) }
}

/// A value as a search writes it.
pub fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_in_a_line() {
        let cases = [
            (
                "eve.http",
                r#"{"http.http_method":"GET","http.hostname":"a.example","http.url":"/x","http.length":5}"#,
                "GET  a.example/x  5 B",
            ),
            (
                "eve.dns",
                r#"{"dns.type":"answer","dns.queries":[{"rrname":"a.example","rrtype":"A"}],"dns.rcode":"NOERROR","dns.answers":[{"rdata":"10.0.0.1"}]}"#,
                "answer  a.example A  → 10.0.0.1",
            ),
            ("eve.alert", r#"{"alert.signature":"TEST","alert.action":"blocked"}"#, "TEST  blocked"),
            (
                "zeek.conn",
                r#"{"service":"http","orig_bytes":1000,"resp_bytes":24,"duration":3.0}"#,
                "http  1.0 KiB  3.00 s",
            ),
            ("eve.new", r#"{"flow_id":1,"new.a":true,"new.b":[1,2]}"#, "a=true  b=1, 2"),
            ("eve.http", "{}", ""),
        ];
        for (table, record, expected) in cases {
            assert_eq!(summary(table, &serde_json::from_str(record).unwrap()), expected, "{record}");
        }
    }

    #[test]
    fn values_in_searches() {
        let hostile = "a\" or \\x:\u{1b}";
        let search = weir_query::Search::parse(&format!("f:{}", quoted(hostile))).unwrap();
        assert_eq!(search.fields(), ["f"]);
        assert_eq!([host("::1", "80"), host("10.0.0.1", "")], ["[::1]:80", "10.0.0.1"]);
    }
}
