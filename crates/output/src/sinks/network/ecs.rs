//! Records by the names of the Elastic Common Schema (version 8.11, https://www.elastic.co/guide/en/ecs/8.11/ecs-field-reference.html).
//!
//! Fields of the tables get their name there; all others are below `suricata.eve`, or `zeek` and the name of the log, as they
//! stand in EVE and in Zeek's logs.

use serde_json::{Map, Value, json};
use weir_config::Records;

use super::lines::{time_of, zoned};

const VERSION: &str = "8.11.0";

/// How a value is written.
#[derive(Clone, Copy)]
enum As {
    /// As it is.
    Is,
    /// In small letters.
    Lower,
    /// As text.
    Text,
    /// As a time of RFC 3339.
    Time,
    /// In a list.
    List,
}

/// Fields of EVE, their names in the schema, and how values are written.
const FIELDS: &[(&str, &str, As)] = &[
    ("timestamp", "@timestamp", As::Time),
    ("host", "observer.hostname", As::Is),
    ("in_iface", "observer.ingress.interface.name", As::Is),
    ("src_ip", "source.ip", As::Is),
    ("src_port", "source.port", As::Is),
    ("dest_ip", "destination.ip", As::Is),
    ("dest_port", "destination.port", As::Is),
    ("ether.src_mac", "source.mac", As::Is),
    ("ether.dest_mac", "destination.mac", As::Is),
    ("proto", "network.transport", As::Lower),
    ("app_proto", "network.protocol", As::Lower),
    ("community_id", "network.community_id", As::Is),
    ("vlan", "network.vlan.id", As::Text),
    ("flow.bytes_toserver", "source.bytes", As::Is),
    ("flow.pkts_toserver", "source.packets", As::Is),
    ("flow.bytes_toclient", "destination.bytes", As::Is),
    ("flow.pkts_toclient", "destination.packets", As::Is),
    ("flow.start", "event.start", As::Time),
    ("flow.end", "event.end", As::Time),
    ("alert.signature", "rule.name", As::Is),
    ("alert.signature_id", "rule.id", As::Text),
    ("alert.rev", "rule.version", As::Text),
    ("alert.category", "rule.category", As::Is),
    ("alert.severity", "event.severity", As::Is),
    ("http.hostname", "url.domain", As::Is),
    ("http.url", "url.original", As::Is),
    ("http.http_port", "url.port", As::Is),
    ("http.http_user_agent", "user_agent.original", As::Is),
    ("http.http_method", "http.request.method", As::Is),
    ("http.http_refer", "http.request.referrer", As::Is),
    ("http.protocol", "http.version", As::Text),
    ("http.status", "http.response.status_code", As::Is),
    ("http.length", "http.response.body.bytes", As::Is),
    ("http.http_content_type", "http.response.mime_type", As::Is),
    ("dns.id", "dns.id", As::Text),
    ("dns.rcode", "dns.response_code", As::Is),
    ("tls.sni", "tls.client.server_name", As::Is),
    ("tls.version", "tls.version", As::Text),
    ("tls.subject", "tls.server.subject", As::Is),
    ("tls.issuerdn", "tls.server.issuer", As::Is),
    ("tls.fingerprint", "tls.server.hash.sha1", As::Is),
    ("tls.ja3.hash", "tls.client.ja3", As::Is),
    ("tls.ja3s.hash", "tls.server.ja3s", As::Is),
    ("fileinfo.filename", "file.path", As::Is),
    ("fileinfo.size", "file.size", As::Is),
    ("fileinfo.md5", "file.hash.md5", As::Is),
    ("fileinfo.sha1", "file.hash.sha1", As::Is),
    ("fileinfo.sha256", "file.hash.sha256", As::Is),
    ("smtp.helo", "source.domain", As::Is),
    ("email.from", "email.from.address", As::List),
    ("email.to", "email.to.address", As::Is),
    ("email.cc", "email.cc.address", As::Is),
    ("email.subject", "email.subject", As::Is),
    ("email.message_id", "email.message_id", As::Is),
];

/// Fields of all of Zeek's logs, their names in the schema, and how values are written.
const ZEEK_FIELDS: &[(&str, &str, As)] = &[
    ("uid", "event.id", As::Is),
    ("id.orig_h", "source.ip", As::Is),
    ("id.orig_p", "source.port", As::Is),
    ("id.resp_h", "destination.ip", As::Is),
    ("id.resp_p", "destination.port", As::Is),
    ("proto", "network.transport", As::Lower),
    ("community_id", "network.community_id", As::Is),
];

/// Fields of one of Zeek's logs.
const ZEEK_LOG_FIELDS: &[(&str, &str, &str, As)] = &[
    ("conn", "service", "network.protocol", As::Is),
    ("conn", "orig_bytes", "source.bytes", As::Is),
    ("conn", "orig_pkts", "source.packets", As::Is),
    ("conn", "orig_l2_addr", "source.mac", As::Is),
    ("conn", "resp_bytes", "destination.bytes", As::Is),
    ("conn", "resp_pkts", "destination.packets", As::Is),
    ("conn", "resp_l2_addr", "destination.mac", As::Is),
    ("dns", "query", "dns.question.name", As::Is),
    ("dns", "qtype_name", "dns.question.type", As::Is),
    ("dns", "rcode_name", "dns.response_code", As::Is),
    ("dns", "trans_id", "dns.id", As::Text),
    ("files", "filename", "file.name", As::Is),
    ("files", "mime_type", "file.mime_type", As::Is),
    ("files", "total_bytes", "file.size", As::Is),
    ("files", "md5", "file.hash.md5", As::Is),
    ("files", "sha1", "file.hash.sha1", As::Is),
    ("files", "sha256", "file.hash.sha256", As::Is),
    ("http", "host", "url.domain", As::Is),
    ("http", "uri", "url.original", As::Is),
    ("http", "user_agent", "user_agent.original", As::Is),
    ("http", "method", "http.request.method", As::Is),
    ("http", "referrer", "http.request.referrer", As::Is),
    ("http", "request_body_len", "http.request.body.bytes", As::Is),
    ("http", "status_code", "http.response.status_code", As::Is),
    ("http", "response_body_len", "http.response.body.bytes", As::Is),
    ("http", "version", "http.version", As::Is),
    ("smtp", "mailfrom", "email.from.address", As::List),
    ("smtp", "rcptto", "email.to.address", As::Is),
    ("smtp", "subject", "email.subject", As::Is),
    ("smtp", "msg_id", "email.message_id", As::Is),
    ("ssl", "server_name", "tls.client.server_name", As::Is),
    ("ssl", "version", "tls.version", As::Is),
    ("ssl", "cipher", "tls.cipher", As::Is),
];

/// The record by the names of the schema; `None` where it is no object of JSON.
pub(super) fn convert(records: Records, line: &[u8]) -> Option<Vec<u8>> {
    let Value::Object(record) = serde_json::from_slice(line).ok()? else { return None };
    let converted = match records {
        Records::Eve => eve(record),
        Records::Zeek => zeek(record, line)?,
    };
    serde_json::to_vec(&Value::Object(converted)).ok()
}

fn eve(mut eve: Map<String, Value>) -> Map<String, Value> {
    let is_alert = eve.get("event_type").and_then(Value::as_str) == Some("alert");
    let mut out = Map::new();
    for (from, to, form) in FIELDS {
        if let Some(value) = take(&mut eve, from) {
            put(&mut out, to, written(value, *form));
        }
    }
    put(&mut out, "ecs.version", json!(VERSION));
    put(&mut out, "event.kind", json!(if is_alert { "alert" } else { "event" }));
    put(&mut out, "event.module", json!("suricata"));
    put(&mut out, "event.dataset", json!("suricata.eve"));
    put(&mut out, "suricata.eve", Value::Object(eve));
    out
}

/// A row of Zeek's logs, whose columns have dots in their names; `None` without a log.
fn zeek(mut row: Map<String, Value>, line: &[u8]) -> Option<Map<String, Value>> {
    let Some(Value::String(log)) = row.remove("_path") else { return None };
    let mut out = Map::new();
    if let Some(time) = time_of(Records::Zeek, line) {
        row.remove("ts");
        put(&mut out, "@timestamp", json!(time));
    }
    let of_log = ZEEK_LOG_FIELDS.iter().filter(|field| field.0 == log);
    let fields = ZEEK_FIELDS.iter().copied().chain(of_log.map(|(_, from, to, form)| (*from, *to, *form)));
    for (from, to, form) in fields {
        if let Some(value) = row.remove(from) {
            put(&mut out, to, written(value, form));
        }
    }
    put(&mut out, "ecs.version", json!(VERSION));
    put(&mut out, "event.kind", json!(if log == "signatures_alert" { "alert" } else { "event" }));
    put(&mut out, "event.module", json!("zeek"));
    put(&mut out, "event.dataset", json!(format!("zeek.{log}")));
    put(&mut out, &format!("zeek.{log}"), Value::Object(row));
    Some(out)
}

fn written(value: Value, form: As) -> Value {
    match (form, value) {
        (As::Lower, Value::String(text)) => Value::String(text.to_ascii_lowercase()),
        (As::Time, Value::String(text)) => Value::String(zoned(&text).unwrap_or(text)),
        (As::Text, Value::Number(number)) => Value::String(number.to_string()),
        (As::Text, Value::Array(values)) => {
            Value::Array(values.into_iter().map(|value| written(value, As::Text)).collect())
        }
        (As::List, value) => Value::Array(vec![value]),
        (_, value) => value,
    }
}

/// Takes a value out; what it was in goes with the last one of it.
fn take(object: &mut Map<String, Value>, path: &str) -> Option<Value> {
    let Some((first, rest)) = path.split_once('.') else { return object.remove(path) };
    let inner = object.get_mut(first)?.as_object_mut()?;
    let value = take(inner, rest);
    if inner.is_empty() {
        object.remove(first);
    }
    value
}

fn put(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(object.insert(path.to_owned(), value)),
        Some((first, rest)) => {
            let inner = object.entry(first).or_insert_with(|| Value::Object(Map::new()));
            if let Some(inner) = inner.as_object_mut() {
                put(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_by_the_names_of_the_schema() {
        let line = br#"{"timestamp":"2026-11-29T20:00:01.123456+0000","flow_id":7,"event_type":"alert","src_ip":"10.0.0.1","src_port":1,"proto":"TCP","vlan":[5],"alert":{"signature_id":1,"signature":"S","gid":1},"tls":{"ja3":{"hash":"h"}},"email":{"from":"a@b"}}"#;
        let expected = json!({
            "@timestamp": "2026-11-29T20:00:01.123456+00:00",
            "ecs": {"version": "8.11.0"},
            "event": {"kind": "alert", "module": "suricata", "dataset": "suricata.eve"},
            "source": {"ip": "10.0.0.1", "port": 1},
            "network": {"transport": "tcp", "vlan": {"id": ["5"]}},
            "rule": {"id": "1", "name": "S"},
            "tls": {"client": {"ja3": "h"}},
            "email": {"from": {"address": ["a@b"]}},
            "suricata": {"eve": {"flow_id": 7, "event_type": "alert", "alert": {"gid": 1}}},
        });
        let found: Value = serde_json::from_slice(&convert(Records::Eve, line).unwrap()).unwrap();
        assert_eq!(found, expected);
        for none in [&b"[1]"[..], b"text", b""] {
            assert_eq!(convert(Records::Eve, none), None);
        }
    }

    #[test]
    fn rows_by_the_names_of_the_schema() {
        for time in ["1700000000.000005", r#""2023-11-14T22:13:20.000005Z""#] {
            let line = format!(
                r#"{{"_path":"http","ts":{time},"uid":"C1","id.orig_h":"10.0.0.1","id.orig_p":1,"id.resp_h":"10.0.0.2","id.resp_p":80,"host":"h","status_code":200,"tags":[]}}"#
            );
            let expected = json!({
                "@timestamp": "2023-11-14T22:13:20.000005Z",
                "ecs": {"version": "8.11.0"},
                "event": {"kind": "event", "module": "zeek", "dataset": "zeek.http", "id": "C1"},
                "source": {"ip": "10.0.0.1", "port": 1},
                "destination": {"ip": "10.0.0.2", "port": 80},
                "url": {"domain": "h"},
                "http": {"response": {"status_code": 200}},
                "zeek": {"http": {"tags": []}},
            });
            let found = convert(Records::Zeek, line.as_bytes()).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&found).unwrap(), expected);
        }
        let other = br#"{"_path":"known_hosts","ts":1.000000,"host":"10.0.0.1"}"#;
        let found: Value = serde_json::from_slice(&convert(Records::Zeek, other).unwrap()).unwrap();
        assert_eq!(found["zeek"]["known_hosts"], json!({"host": "10.0.0.1"}));
        for none in [&b"[1]"[..], b"{}", b""] {
            assert_eq!(convert(Records::Zeek, none), None);
        }
    }

    /// No name of the schema is a part of another one, and none is twice there.
    #[test]
    fn names_have_places_of_their_own() {
        let mut tables: Vec<Vec<&str>> = vec![FIELDS.iter().map(|field| field.1).collect()];
        for log in ["conn", "dns", "files", "http", "smtp", "ssl"] {
            let own = ZEEK_LOG_FIELDS.iter().filter(|field| field.0 == log).map(|field| field.2);
            tables.push(ZEEK_FIELDS.iter().map(|field| field.1).chain(own).collect());
        }
        for names in tables {
            for (place, name) in names.iter().enumerate() {
                for other in names.iter().skip(place + 1) {
                    let longer =
                        |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('.'));
                    assert!(name != other && !longer(name, other) && !longer(other, name), "{name} {other}");
                }
            }
        }
    }
}
