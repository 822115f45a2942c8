//! Whether who reads Zeek's logs by their own word can read all of these: a reader that takes nothing but
//! what the header lines announce, over every stream.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::IpAddr;
use std::path::Path;

use serde_json::Value;
use weir_base::{Direction, Timestamp};
use weir_testkit::tcp_flags::{ACK, SYN};
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder};

/// Every log there is.
const STREAMS: [&str; 28] = [
    "analyzer",
    "capture_loss",
    "conn",
    "dce_rpc",
    "dns",
    "files",
    "http",
    "known_certs",
    "known_hosts",
    "known_services",
    "mqtt_connect",
    "mqtt_publish",
    "mqtt_subscribe",
    "notice",
    "ocsp",
    "packet_filter",
    "reporter",
    "signatures_alert",
    "smtp",
    "software",
    "ssh",
    "ssl",
    "stats-2",
    "traceroute",
    "tunnel",
    "websocket",
    "weird",
    "x509",
];

/// A text that every escape has a part in.
const ODD: &[u8] = b"a\tb\\x41,\xff\x00\xc3\xa9 - (empty)";

fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = u8::try_from(content.len()).expect("a short element");
    let head = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
    [head, content].concat()
}

/// An answer of OCSP: that a certificate is good, twice.
fn ocsp() -> Vec<u8> {
    const SEQUENCE: u8 = 0x30;
    let algorithm = der(SEQUENCE, &[&der(6, &[&[0x2b, 0x0e, 0x03, 0x02, 0x1a]])]);
    let id = der(SEQUENCE, &[&algorithm, &der(4, &[&[1; 20]]), &der(4, &[&[2; 20]]), &der(2, &[&[3]])]);
    let moment = der(0x18, &[b"20150131000001Z"]);
    let single = der(SEQUENCE, &[&id, &[0x80, 0], &moment]);
    let responder = der(0xa2, &[&der(4, &[&[0]])]);
    let data = der(SEQUENCE, &[&responder, &moment, &der(SEQUENCE, &[&single, &single])]);
    let basic = der(SEQUENCE, &[&data]);
    let kind = der(6, &[&[0x2b, 6, 1, 5, 5, 7, 0x30, 1, 1]]);
    let bytes = der(SEQUENCE, &[&kind, &der(4, &[&basic])]);
    der(SEQUENCE, &[&der(0x0a, &[&[0]]), &der(0xa0, &[&bytes])])
}

/// A bind and a call of DCE/RPC, answered.
fn remote_call() -> Conversation {
    let message = |kind: u8, body: &[u8]| {
        [&[5, 0, kind, 3, 0x10, 0, 0, 0, 16 + body.len() as u8, 0, 0, 0, 1, 0, 0, 0], body].concat()
    };
    let offer = [&[0; 8][..], &[1, 0, 0, 0, 0, 0, 0, 0], &[7; 20]].concat();
    let mut answer = [&[0; 8][..], &[ODD.len() as u8, 0], ODD].concat();
    answer.resize(answer.len().next_multiple_of(4), 0);
    answer.extend([0; 4]);
    Conversation::new("10.0.0.1:40005", "10.0.0.2:135")
        .handshake()
        .client_sends(message(11, &offer))
        .server_sends(message(12, &answer))
        .client_sends(message(0, &[0; 8]))
        .server_sends(message(2, &[0; 8]))
        .close()
}

/// Traffic that the recorded sample does not have.
fn traffic() -> Vec<TimedFrame> {
    let answer = ocsp();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/ocsp-response\r\nContent-Length: {}\r\n\r\n",
        answer.len()
    );
    let request = [b"GET /", ODD, b" HTTP/1.1\r\nHost: -\r\nUser-Agent: ", ODD, b"/1.0\r\n\r\n"].concat();
    let web = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(request)
        .server_sends([head.as_bytes(), &answer].concat())
        .close();
    let no_web = Conversation::new("10.0.0.1:40001", "10.0.0.2:80")
        .handshake()
        .client_sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        .server_sends("this is no answer\r\n")
        .client_sends("\x01\x02\x03 nothing\r\n\r\n")
        .close();
    let socket =
        [b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: ", ODD, b"\r\n\r\n"].concat();
    let socket = Conversation::new("10.0.0.1:40003", "10.0.0.2:80")
        .handshake()
        .client_sends([b"GET / HTTP/1.1\r\nHost: a\r\n", &socket[..]].concat())
        .server_sends([b"HTTP/1.1 101 go\r\n", &socket[..]].concat())
        .close();
    let named = |before: &[u8], after: &[u8]| [before, &[0, ODD.len() as u8], ODD, after].concat();
    let broker = |before: &[u8], after: &[u8]| {
        let body = named(before, after);
        move |first: u8| [&[first, body.len() as u8][..], &body].concat()
    };
    let sensor = Conversation::new("10.0.0.1:40004", "10.0.0.2:1883")
        .handshake()
        .client_sends(broker(b"\0\x04MQTT\x04\x02\0\x3c", b"")(0x10))
        .server_sends(b"\x20\x02\0\0")
        .client_sends(broker(b"", ODD)(0x30))
        .client_sends(broker(b"\0\x01", b"\x01")(0x82))
        .close();
    let odd = Conversation::new("10.0.0.1:40002", "10.0.0.2:81")
        .segment(Direction::ToServer, ACK, b"")
        .segment(Direction::ToServer, SYN, b"");
    let tunnel = Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2").gre().ipv4("10.0.0.3", "10.0.0.4");
    let probe = |frame: Frame| frame.ipv4("10.0.0.1", "192.0.2.9").ttl(2).udp(40000, 33434).payload(b"x");
    let mut single = vec![tunnel.udp(5000, 6000).payload(b"x"), probe(Frame::ethernet())];
    for router in ["198.51.100.1", "198.51.100.2", "198.51.100.3"] {
        let died = Frame::ethernet().ipv4(router, "10.0.0.1").icmpv4(11, 0, [0; 4]);
        single.push(died.payload(probe(Frame::bare()).build()));
    }
    // The file ends within this one.
    single.push(Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload(b"cut short"));
    let single = single.iter().enumerate().map(|(number, frame)| TimedFrame {
        time: Timestamp::new(1_700_000_100, number as u32 * 1000),
        bytes: frame.build(),
    });
    [web, no_web, socket, sensor, remote_call(), odd]
        .into_iter()
        .flat_map(Conversation::frames)
        .chain(single)
        .collect()
}

/// Runs over a capture, with every script, and answers the logs.
fn logs(folder: &Folder, capture: &str, rules: &str, form: &str) -> BTreeMap<String, String> {
    let scripts =
        ["local", "misc/detect-traceroute", "protocols/ssl/expiring-certs", "protocols/ssl/weak-keys"];
    let mut arguments: Vec<String> =
        ["-r", capture, "-S", rules, "-k", "none", form, "--set", "outputs.90.zeek.enabled=yes"]
            .map(str::to_owned)
            .to_vec();
    for (number, script) in scripts.iter().enumerate() {
        arguments.extend(["--set".to_owned(), format!("outputs.90.zeek.scripts.{number}={script}")]);
    }
    let run = folder.weir(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert!([0, 2].contains(&run.code), "{}", run.said());
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder.path(".")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "log") {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            fs::remove_file(&path).expect("a log that can be removed");
            if !["fast", "stats", "weir"].contains(&name.as_str()) {
                found.insert(name, text);
            }
        }
    }
    found
}

/// A value of tab-separated values as its type has it; an error is a sentence.
fn cell(kind: &str, text: &str) -> Result<(), String> {
    let wrong = || format!("{text:?} is no {kind}");
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((outer, inner)) = kind.split_once('[') {
        let inner = inner.strip_suffix(']').ok_or("a type without an end")?;
        if !["set", "vector"].contains(&outer) {
            return Err(format!("no such type: {kind}"));
        }
        return match text {
            "(empty)" => Ok(()),
            _ => text.split(',').try_for_each(|item| cell(inner, item)),
        };
    }
    let fits = match kind {
        "time" | "interval" => {
            let number = if kind == "interval" { text.strip_prefix('-').unwrap_or(text) } else { text };
            number
                .split_once('.')
                .is_some_and(|(whole, fraction)| digits(whole) && digits(fraction) && fraction.len() == 6)
        }
        "count" => digits(text) && text.parse::<u64>().is_ok(),
        "int" => text.parse::<i64>().is_ok(),
        "double" => text.parse::<f64>().is_ok_and(f64::is_finite),
        "bool" => ["T", "F"].contains(&text),
        "addr" => text.parse::<IpAddr>().is_ok(),
        "port" => digits(text) && text.parse::<u16>().is_ok(),
        "enum" => {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte))
        }
        "string" => is_string(text),
        _ => return Err(format!("no such type: {kind}")),
    };
    if fits { Ok(()) } else { Err(wrong()) }
}

/// Text without control characters, each backslash of which begins an escape.
fn is_string(text: &str) -> bool {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        if before.contains(char::is_control) {
            return false;
        }
        rest = match (after.strip_prefix('\\'), after.strip_prefix('x')) {
            (Some(after), _) => after,
            (None, Some(after)) if after.get(..2).is_some_and(|hex| u8::from_str_radix(hex, 16).is_ok()) => {
                &after[2..]
            }
            _ => return false,
        };
    }
    !text.is_empty() && !rest.contains(char::is_control)
}

/// Reads a whole file of tab-separated values; answers its columns with their types, and its rows.
fn read_tsv(name: &str, text: &str) -> (Vec<(String, String)>, usize) {
    let mut lines =
        text.strip_suffix('\n').unwrap_or_else(|| panic!("{name} ends within a line")).split('\n');
    let mut header = |key: &str| -> String {
        let line = lines.next().unwrap_or_default();
        line.strip_prefix(key).unwrap_or_else(|| panic!("{name}: {key} expected, not {line}")).to_owned()
    };
    assert_eq!(header("#separator "), "\\x09");
    assert_eq!(header("#set_separator\t"), ",");
    assert_eq!(header("#empty_field\t"), "(empty)");
    assert_eq!(header("#unset_field\t"), "-");
    assert_eq!(header("#path\t"), name.trim_end_matches("-2"));
    let is_moment = |text: &str| text.len() == 19 && text.split('-').count() == 6;
    assert!(is_moment(&header("#open\t")), "{name}");
    let names: Vec<String> = header("#fields\t").split('\t').map(str::to_owned).collect();
    let kinds: Vec<String> = header("#types\t").split('\t').map(str::to_owned).collect();
    assert_eq!(names.len(), kinds.len(), "{name}");
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{name}: a column twice");
    let columns: Vec<(String, String)> = names.into_iter().zip(kinds).collect();
    let mut rows = 0;
    for line in lines.by_ref() {
        if let Some(moment) = line.strip_prefix("#close\t") {
            assert!(is_moment(moment), "{name}");
            break;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), columns.len(), "{name}: {line}");
        for ((column, kind), text) in columns.iter().zip(cells) {
            if text != "-" {
                cell(kind, text).unwrap_or_else(|problem| panic!("{name}, {column}: {problem}"));
            }
        }
        rows += 1;
    }
    assert_eq!(lines.next(), None, "{name} goes on behind its end");
    (columns, rows)
}

/// Whether a value of JSON is what the column's type says.
fn is_typed(kind: &str, value: &Value) -> bool {
    if let Some((_, inner)) = kind.split_once('[') {
        let inner = inner.trim_end_matches(']');
        return value.as_array().is_some_and(|items| items.iter().all(|item| is_typed(inner, item)));
    }
    match kind {
        "time" | "interval" | "double" => value.is_f64(),
        "count" | "port" => value.is_u64(),
        "int" => value.is_i64(),
        "bool" => value.is_boolean(),
        "addr" => value.as_str().is_some_and(|text| text.parse::<IpAddr>().is_ok()),
        _ => value.is_string(),
    }
}

/// Reads a whole file of JSON, whose columns are those of the other form.
fn read_json(name: &str, text: &str, columns: &[(String, String)]) -> usize {
    assert!(text.ends_with('\n'), "{name} ends within a line");
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
        let row = row.as_object().unwrap_or_else(|| panic!("{name}: no object: {line}"));
        let mut from = 0;
        for (column, kind) in columns {
            let Some(value) = row.get(column) else { continue };
            assert!(is_typed(kind, value), "{name}: {column} is no {kind}: {value}");
            // Columns come in their order.
            let key = format!("\"{column}\":");
            let at =
                line[from..].find(&key).unwrap_or_else(|| panic!("{name}: {column} out of order: {line}"));
            from += at + key.len();
        }
        let known: BTreeSet<&str> = columns.iter().map(|(column, _)| column.as_str()).collect();
        assert!(row.keys().all(|key| known.contains(key.as_str())), "{name}: {line}");
        assert!(row.contains_key("ts"), "{name}: {line}");
    }
    text.lines().count()
}

#[test]
fn every_row_of_every_stream_is_what_its_header_says() {
    let folder = Folder::new("zeek_readers");
    let rules = folder.write("all.rules", "alert ip any any -> any any (msg:\"a,\\\"b\\\"\"; sid:1;)\n");
    let mut own = pcap(ETHERNET, &traffic());
    own.truncate(own.len() - 3);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample/sample.pcap");
    let captures = [folder.write("own.pcap", own), sample.to_string_lossy().into_owned()];
    let mut seen = BTreeSet::new();
    for capture in &captures {
        let tsv = logs(&folder, capture, &rules, "--zeek-logs=tsv");
        let json = logs(&folder, capture, &rules, "--zeek-logs=json");
        assert!(tsv.keys().eq(json.keys()), "{:?} {:?}", tsv.keys(), json.keys());
        for (name, text) in &tsv {
            let (columns, rows) = read_tsv(name, text);
            assert!(rows > 0, "{name} has no row");
            assert_eq!(read_json(name, &json[name], &columns), rows, "{name}");
            seen.insert(name.clone());
        }
    }
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), STREAMS);
}

#[test]
fn the_reader_is_strict() {
    for (kind, text, fits) in [
        ("time", "1.000000", true),
        ("time", "1.0", false),
        ("time", "-1.000000", false),
        ("interval", "-1.000000", true),
        ("count", "-1", false),
        ("bool", "true", false),
        ("port", "65536", false),
        ("addr", "10.0.0.256", false),
        ("enum", "Notice::ACTION_LOG", true),
        ("enum", "a b", false),
        ("string", "", false),
        ("string", "a\\x09\\\\b", true),
        ("string", "a\\b", false),
        ("string", "a\u{7}", false),
        ("set[string]", "a,b", true),
        ("set[string]", "a,,b", false),
        ("vector[count]", "1,x", false),
        ("vector[count]", "(empty)", true),
        ("list[count]", "1", false),
        ("word", "1", false),
    ] {
        assert_eq!(cell(kind, text).is_ok(), fits, "{kind} {text}");
    }
}
