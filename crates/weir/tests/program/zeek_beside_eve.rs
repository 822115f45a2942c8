//! Zeek's logs and EVE tell of the same traffic, each in its own reading: neither depends on the other, nor Zeek's
//! logs on rules.

use std::fs;

use serde_json::Value;
use weir_base::Direction::{ToClient, ToServer};
use weir_base::Duration;
use weir_testkit::tcp_flags::{ACK, FIN};
use weir_testkit::{Conversation, capture_file, merged};

use crate::run::Folder;

const RULES: &str = "alert http any any -> any any (msg:\"a\"; http.uri; content:\"/b\"; sid:1;)\n\
    alert http any any -> any any (msg:\"b\"; http.response_body; content:\"more\"; sid:2;)\n\
    alert tcp any any -> any any (msg:\"c\"; content:\"220 ready\"; sid:3;)\n\
    alert http any any -> any any (msg:\"d\"; app-layer-event:http.request_body_unexpected; sid:4;)\n";

/// Listens to all that is said in mail.
const SCRIPT: &str = "event smtp_request(c: connection, is_orig: bool, command: string, arg: string) {}\n\
    event smtp_reply(c: connection, is_orig: bool, code: count, cmd: string, msg: string, cont_resp: bool) {}\n\
    event smtp_data(c: connection, is_orig: bool, data: string) {}\n";

/// Messages of LDAP: a client leaves, a search is over.
const UNBIND: &[u8] = b"\x30\x05\x02\x01\x01\x42\x00";
const DONE: &[u8] = b"\x30\x0c\x02\x01\x01\x65\x07\x0a\x01\x00\x04\x00\x04\x00";

/// The logs that are looked at.
const LOGS: [&str; 10] =
    ["http", "files", "conn", "ssl", "weird", "analyzer", "ldap", "dce_rpc", "ftp", "irc"];

const REQUEST: &str = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
const NEXT: &str = "GET /b HTTP/1.1\r\nHost: a\r\n\r\n";

fn to(port: u16) -> Conversation {
    Conversation::new("10.0.0.1:40000", &format!("10.0.0.2:{port}")).handshake()
}

fn asked() -> Conversation {
    to(80).client_sends(REQUEST)
}

fn ok(fields: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{body}")
}

fn post(fields: &str, body: &str) -> Conversation {
    let request = format!("POST /a HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\n{body}");
    to(80).client_sends(request).client_sends(NEXT).server_sends(ok("Content-Length: 0", "")).close()
}

/// A gzip file (RFC 1952) of one block that is stored as it is (RFC 1951 3.2.4).
fn gzip(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).expect("a block is short");
    let [head, block] = [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], b"\x01"];
    [head, block, &length.to_le_bytes(), &(!length).to_le_bytes(), text.as_bytes(), &[0; 8]].concat()
}

/// A message of DCE/RPC over TCP, whole, in little-endian order (C706 12.6.3.1).
fn rpc(kind: u8, call: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(16 + body.len()).expect("it is short").to_le_bytes();
    [&[5, 0, kind, 3, 0x10, 0, 0, 0][..], &length, &[0, 0, call, 0, 0, 0], body].concat()
}

/// NDR, the form in which data goes (C706 14).
const NDR: &[u8] = b"\x04\x5d\x88\x8a\xeb\x1c\xc9\x11\x9f\xe8\x08\0\x2b\x10\x48\x60\x02\0\0\0";

/// What a bind says: the endpoint mapper (C706 appendix O) is asked for as context 0.
fn offer() -> Vec<u8> {
    let mapper = b"\x08\x83\xaf\xe1\x1f\x5d\xc9\x11\x91\xa4\x08\0\x2b\x14\xa0\xfa\x03\0\0\0";
    [&b"\xd0\x16\xd0\x16\0\0\0\0\x01\0\0\0\0\0\x01\0"[..], mapper, NDR].concat()
}

/// What answers it.
fn accepted() -> Vec<u8> {
    [&b"\xd0\x16\xd0\x16\0\0\0\0\x04\x00\x31\x33\x35\0\0\0\x01\0\0\0\0\0\0\0"[..], NDR].concat()
}

/// Conversations that the two read differently.
fn conversations() -> Vec<(&'static str, Conversation)> {
    let text = "some text, and more of it; ".repeat(400);
    let packed = gzip(&text);
    let (front, back) = packed.split_at(4000);
    let head = ok(&format!("Content-Encoding: gzip\r\nContent-Length: {}", packed.len()), "");
    let hidden = 100;
    let lossy = |lost: u32| asked().server_sends(ok("Content-Length: 10", "12")).loses(ToClient, lost);
    let chunked = "Transfer-Encoding: chunked";
    vec![
        (
            "hole_within",
            lossy(4).server_sends("7890").client_sends(NEXT).server_sends(ok("A: b", "1")).close(),
        ),
        ("hole_to_the_end", lossy(8).client_sends(NEXT).server_sends(ok("Content-Length: 1", "1")).close()),
        ("hole_beyond", lossy(100).client_sends(NEXT).server_sends(ok("Content-Length: 1", "1")).close()),
        (
            "hole_of_client",
            to(80).loses(ToServer, 30).client_sends(NEXT).server_sends(ok("A: b", "1")).close(),
        ),
        ("hole_filled", {
            let start = asked().server_sends(ok("Content-Length: 14", "12"));
            let missing = start.next_seq(ToClient);
            let ahead = start.loses(ToClient, 4).segment(ToServer, ACK, b"");
            let filled = ahead.continue_at(ToClient, missing).server_sends("3456").server_sends("78901234");
            filled.client_sends(NEXT).server_sends(ok("Content-Length: 0", "")).close()
        }),
        (
            "hole_in_gzip",
            asked()
                .server_sends([head.as_bytes(), front].concat())
                .loses(ToClient, hidden)
                .server_sends(&back[hidden as usize..])
                .client_sends(NEXT)
                .server_sends(ok("Content-Length: 0", ""))
                .close(),
        ),
        ("broken_gzip", {
            let damaged = [head.as_bytes(), front, &[0xff; 64], &back[64..]].concat();
            asked().server_sends(damaged).client_sends(NEXT).server_sends(ok("A: b", "1")).close()
        }),
        ("length_negative", post("Content-Length: -1", "")),
        ("chunk_huge", post(chunked, "10000000000000000\r\n\r\n")),
        ("chunk_none", asked().server_sends(ok(chunked, "zz\r\nmore\r\n0\r\n\r\n")).close()),
        ("coding_unknown", post("Transfer-Encoding: identity", "")),
        ("lines_between", post("Content-Length: 2", "ok\r\n")),
        ("body_unexpected", post("Content-Length: 2", "ok{\"no\": 1}\r\n")),
        (
            "line_in_two",
            to(80).client_sends("GET /b ").client_sends(&REQUEST[4..]).server_sends(ok("A: b", "1")).close(),
        ),
        ("line_unfinished", to(80).client_sends("GET /b HTTP").server_sends(ok("A: b", "1")).close()),
        ("no_status", asked().server_sends("220 ready\r\n").close()),
        (
            "no_request",
            to(80).client_sends(REQUEST).client_sends("{\"no\": 1}\r\n").client_sends(NEXT).close(),
        ),
        (
            "bodiless",
            asked()
                .server_sends("HTTP/1.1 304 Not\r\nContent-Length: 3\r\n\r\n")
                .client_sends(NEXT)
                .server_sends(ok("Content-Length: 0", ""))
                .close(),
        ),
        (
            "behind_the_body",
            asked().server_sends(ok("Content-Length: 2", "okmore\r\n")).client_sends(NEXT).close(),
        ),
        (
            "server_ends_first",
            to(80)
                .client_sends("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345")
                .server_sends(ok("Content-Length: 0", ""))
                .segment(ToClient, FIN | ACK, b"")
                .segment(ToServer, ACK, b"")
                .client_sends("67890"),
        ),
        (
            "tls_behind_rdp",
            to(3389)
                .client_sends(b"\x03\x00\x00\x13\x0e\xe0\x00\x00\x00\x00\x00\x01\x00\x08\x00\x01\x00\x00\x00")
                .server_sends(b"\x03\x00\x00\x13\x0e\xd0\x00\x00\x12\x34\x00\x02\x00\x08\x00\x01\x00\x00\x00")
                .client_sends(b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00")
                .close(),
        ),
        ("ldap_elsewhere", to(40_389).client_sends(UNBIND).server_sends(DONE).client_sends(UNBIND).close()),
        (
            "http_behind_a_proxy",
            to(1080)
                .client_sends(b"\x04\x01\x00\x50\x0a\x00\x00\x03x\x00")
                .server_sends(b"\x00\x5a\x00\x50\x0a\x00\x00\x03")
                .client_sends(REQUEST)
                .server_sends(ok("Content-Length: 0", ""))
                .close(),
        ),
    ]
}

/// EVE's records and Zeek's rows, without what names a connection in one of them.
fn told(test: &str, capture: &[u8], options: &[&str]) -> (Vec<Value>, Vec<String>) {
    let folder = Folder::new(test);
    let (capture, rules) = (folder.write("a.pcap", capture), folder.write("a.rules", RULES));
    let script = folder.write("a.zeek", SCRIPT);
    let files = [("RULES", &*rules), ("SCRIPT", &script)];
    let file = |word: &&str| files.into_iter().find(|(name, _)| name == word).map(|(_, file)| file);
    let options: Vec<&str> = options.iter().map(|word| file(word).unwrap_or(word)).collect();
    let run =
        folder.weir(&[&["-r", &capture, "--set", "outputs.eve-log.enabled=yes"], &options[..]].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    let mut records = folder.records_but_statistics();
    for record in &mut records {
        record.as_object_mut().expect("a record is an object").remove("zeek_uid");
    }
    let rows = LOGS.map(|log| fs::read_to_string(folder.path(&format!("{log}.log"))).unwrap_or_default());
    (records, rows.to_vec())
}

/// What is found at any port for Zeek's logs is read with all that was said, in any segmentation, and EVE knows nothing
/// of it.
#[test]
fn protocols_at_other_ports() {
    type Said = &'static [u8];
    /// A protocol, its port, what the two say in turn, the server first where the client begins with nothing, and the
    /// log and the columns that tell of it.
    struct Case {
        name: &'static str,
        port: u16,
        said: &'static [(Said, Said)],
        log: &'static str,
        told: &'static [(&'static str, &'static str)],
        /// What EVE takes it for at another port.
        elsewhere: Option<&'static str>,
    }
    let cases = [
        Case {
            name: "ldap",
            port: 389,
            said: &[(
                b"\x30\x0c\x02\x01\x01\x60\x07\x02\x01\x03\x04\x00\x80\x00",
                b"\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00",
            )],
            log: "ldap",
            told: &[("opcode", "bind simple"), ("result", "success")],
            elsewhere: None,
        },
        Case {
            name: "pop3",
            port: 110,
            said: &[
                (b"", b"+OK ready\r\n"),
                (b"USER a\r\n", b"+OK\r\n"),
                (b"PASS b\r\n", b"+OK\r\n"),
                (b"QUIT\r\n", b"+OK bye\r\n"),
            ],
            log: "conn",
            told: &[("service", "pop3")],
            // A command that FTP has, too.
            elsewhere: Some("ftp"),
        },
        Case {
            name: "ftp",
            port: 21,
            said: &[
                (b"", b"220 ready\r\n"),
                (b"USER a\r\n", b"331 who\r\n"),
                (b"PASS b\r\n", b"230 in\r\n"),
                (b"DELE c\r\n", b"250 gone\r\n"),
            ],
            log: "ftp",
            told: &[("user", "a"), ("command", "DELE"), ("reply_msg", "gone")],
            elsewhere: Some("ftp"),
        },
        Case {
            name: "irc",
            port: 6667,
            said: &[(b"NICK a\r\nUSER b c d :e\r\n", b":f 001 a :hi\r\n"), (b"JOIN #g\r\n", b"")],
            log: "irc",
            told: &[("nick", "a"), ("user", "b"), ("command", "JOIN")],
            elsewhere: None,
        },
    ];
    let options = ["--disable-detection", "--set", "app-layer.protocols.irc.enabled=yes"];
    for Case { name, port, said, log, told: columns, elsewhere } in cases {
        for (place, segment) in [(port, 1460), (40_000 + port, 1460), (40_000 + port, 1)] {
            let test = format!("{name} at {place} by {segment}");
            let talk = |talk: Conversation, (asked, answered): &(Said, Said)| {
                let asking = if asked.is_empty() { talk } else { talk.client_sends(asked) };
                if answered.is_empty() { asking } else { asking.server_sends(answered) }
            };
            let conversation = said.iter().fold(to(place).segment_size(segment), talk).close();
            let capture = capture_file::pcap(1, &conversation.frames());
            let told = |form: &str, more: &[&str]| {
                told(&format!("elsewhere_{name}_{place}_{segment}_{form}"), &capture, more)
            };
            let (plain, _) = told("plain", &options);
            let (beside, rows) = told("logs", &[&options[..], &["--zeek-logs=json"]].concat());
            assert_eq!(beside, plain, "{test}");
            let flow = plain.iter().find(|record| record["event_type"] == "flow").expect("there is a flow");
            // What is too short to tell is not even nothing known.
            let known = flow["app_proto"].as_str().filter(|known| *known != "failed");
            let expected = if place == port { Some(name) } else { elsewhere };
            assert_eq!(known, expected, "{test}: {flow}");
            let is_told = plain.iter().any(|record| record["event_type"] == name);
            assert!(!is_told || expected == Some(name), "{test}");
            let index = LOGS.iter().position(|known| *known == log).expect("it is among those that are read");
            let row: Value = serde_json::from_str(rows[index].lines().last().expect("there is a row"))
                .expect("it is JSON");
            for (column, value) in columns {
                assert_eq!(row[column], *value, "{test}: {row}");
            }
        }
    }
}

/// What is found by both sides is told when it is said, as at ports of its own.
#[test]
fn rows_of_other_ports_come_in_time() {
    let bind = b"\x30\x0c\x02\x01\x01\x60\x07\x02\x01\x03\x04\x00\x80\x00";
    let bound = b"\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00";
    let twice = |talk: Conversation| {
        let once = talk.client_sends(bind).server_sends(bound).wait(Duration::from_secs(1));
        once.client_sends(bind).server_sends(bound).wait(Duration::from_secs(1))
    };
    let first = twice(to(40_389));
    let second = Conversation::new("10.0.0.1:40001", "10.0.0.2:389").at(first.time()).handshake();
    let frames =
        [twice(second).close(), first.wait(Duration::from_secs(9)).close()].map(Conversation::frames);
    let capture = capture_file::pcap(1, &merged(frames));
    let (_, rows) = told("in_time", &capture, &["--disable-detection", "--zeek-logs=json"]);
    let port = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        row["id.resp_p"].as_u64().expect("a port is a number")
    };
    assert_eq!(rows[6].lines().map(port).collect::<Vec<_>>(), [40_389, 40_389, 389, 389]);
}

/// What is odd about messages of DNS in a stream is told once for a connection, in any segmentation, also behind what is
/// none.
#[test]
fn oddities_of_dns_over_tcp() {
    const NAME: &[u8] = b"\x01a\0";
    let framed = |parts: &[&[u8]]| {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        [&u16::try_from(length).expect("it is short").to_be_bytes()[..], &parts.concat()].concat()
    };
    let question = [NAME, b"\0\x01\0\x01"].concat();
    let query = framed(&[b"\0\x07\x01\0\0\x01\0\0\0\0\0\0", &question]);
    let reply = |record: &[u8]| {
        let head = b"\0\x07\x81\x80\0\x01\0\x01\0\0\0\0";
        framed(&[head, &question, b"\xc0\x0c", record, b"\0"])
    };
    let unknown = reply(b"\0\x27\0\x01\0\0\0\0\0\x01a");
    let address = reply(b"\0\x01\0\x01\0\0\0\0\0\x01a");
    let short = framed(&[b"\0\x07\x81"]);
    let empty = framed(&[]);
    const UNKNOWN: &str = "DNS_RR_unknown_type 39";
    const LENGTH: &str = "DNS_RR_bad_length null";
    const SHORT: &str = "DNS_truncated_len_lt_hdr_len null";
    type Case<'a> = (&'a str, Vec<&'a [u8]>, &'a [&'a str]);
    let cases: [Case<'_>; 5] = [
        ("one", vec![&unknown], &[UNKNOWN]),
        ("each_once", vec![&unknown, &address, &unknown, &address], &[UNKNOWN, LENGTH]),
        ("behind_short", vec![&unknown, &short, &address, &short], &[UNKNOWN, SHORT, LENGTH]),
        ("behind_empty", vec![&empty, &address, &empty], &[SHORT, LENGTH]),
        ("short_alone", vec![&short], &[SHORT]),
    ];
    for (name, replies, expected) in cases {
        for segment in [1460, 7, 1] {
            let asked = to(53).segment_size(segment).client_sends(&query);
            let conversation = asked.server_sends(replies.concat()).close();
            let capture = capture_file::pcap(1, &conversation.frames());
            let told = |form: &str, options: &[&str]| {
                told(&format!("odd_dns_{name}_{segment}_{form}"), &capture, options)
            };
            let (plain, _) = told("plain", &["--disable-detection"]);
            let (beside, rows) = told("logs", &["--disable-detection", "--zeek-logs=json"]);
            assert_eq!(beside, plain, "{name} by {segment}");
            let row = |line: &str| -> Value { serde_json::from_str(line).expect("a row is JSON") };
            let connection = row(&rows[2]);
            assert_eq!(connection["service"], "dns", "{name} by {segment}");
            let odd = rows[4].lines().map(row).map(|row| {
                assert_eq!((&row["uid"], &row["source"]), (&connection["uid"], &"DNS".into()), "{name}");
                format!("{} {}", row["name"], row["addl"]).replace('"', "")
            });
            assert_eq!(odd.collect::<Vec<_>>(), expected, "{name} by {segment}");
        }
    }
}

/// What is said between two mails is no transaction, whoever listens.
#[test]
fn scripts_that_listen_to_mail() {
    let mail = |talk: Conversation, from: &str| {
        talk.client_sends(format!("MAIL FROM:<{from}>\r\n"))
            .server_sends("250 ok\r\n")
            .client_sends("RCPT TO:<b@y>\r\n")
            .server_sends("250 ok\r\n")
            .client_sends("DATA\r\n")
            .server_sends("354 go\r\n")
            .client_sends(format!("From: {from}\r\n\r\nbody\r\n.\r\n"))
            .server_sends("250 ok\r\n")
    };
    let between = |talk: Conversation| talk.client_sends("RSET\r\n").server_sends("250 ok\r\n");
    let greeted = to(25).server_sends("220 hi\r\n").client_sends("EHLO a\r\n").server_sends("250 hi\r\n");
    let talk = between(mail(between(mail(greeted, "a@x")), "c@x"));
    let talk = mail(talk, "d@x").client_sends("QUIT\r\n").server_sends("221 bye\r\n").close();
    let capture = capture_file::pcap(1, &talk.frames());
    let told = |form: &str, options: &[&str]| told(&format!("mail_{form}"), &capture, options);
    let (plain, _) = told("plain", &["-S", "RULES"]);
    let (beside, _) = told("heard", &["-S", "RULES", "--zeek-script", "SCRIPT"]);
    let mails: Vec<&Value> =
        plain.iter().filter(|record| record["event_type"] == "smtp").map(|mail| &mail["tx_id"]).collect();
    assert_eq!(mails, [0, 1, 2]);
    assert_eq!(beside, plain);
}

/// Rules and records follow a stream to its depth, Zeek's logs to its end.
#[test]
fn streams_beyond_their_depth() {
    const DEPTH: &str = "stream.reassembly.depth=3000";
    let text = "some text, and more of it; ".repeat(1000);
    let packed = gzip(&text);
    let length = |bytes: &[u8]| format!("Content-Length: {}", bytes.len());
    let plain = || asked().server_sends(ok(&length(text.as_bytes()), ""));
    let coded = ok(&format!("Content-Encoding: gzip\r\n{}", length(&packed)), "");
    let next = ok("Content-Length: 3", "end");
    let (front, back) = text.split_at(9000);
    let two = |conversation: Conversation| conversation.client_sends(NEXT).server_sends(&next).close();
    let upload = format!("POST /a HTTP/1.1\r\nHost: a\r\n{}\r\n\r\n{text}", length(text.as_bytes()));
    // Bodies that were sent and those that were answered with.
    let cases = [
        ("whole", two(plain().server_sends(&text)), &[(0, 27_000), (0, 3)]),
        (
            "hole",
            two(plain().server_sends(front).loses(ToClient, 1000).server_sends(&back[1000..])),
            &[(0, 27_000), (0, 3)],
        ),
        ("packed", two(asked().server_sends(coded).server_sends(packed)), &[(0, 27_000), (0, 3)]),
        ("sent", two(to(80).client_sends(upload).server_sends(&next)), &[(27_000, 3), (0, 3)]),
    ];
    for (name, conversation, bodies) in cases {
        let capture = capture_file::pcap(1, &conversation.frames());
        let told = |form: &str, options: &[&str]| told(&format!("beyond_{name}_{form}"), &capture, options);
        let (plain, _) = told("plain", &["--set", DEPTH, "-S", "RULES"]);
        let (beside, rows) = told("logs", &["--set", DEPTH, "-S", "RULES", "--zeek-logs=json"]);
        assert_eq!(beside, plain, "{name}");
        let lengths = rows[0].lines().map(|line| {
            let row: Value = serde_json::from_str(line).expect("a row is JSON");
            (row["request_body_len"].as_i64().unwrap(), row["response_body_len"].as_i64().unwrap())
        });
        assert_eq!(lengths.collect::<Vec<_>>(), bodies, "{name}");
    }
    let mail = format!("Subject: long\r\n\r\n{}\r\n.\r\n", text.replace("; ", "\r\n"));
    let mail = to(25)
        .server_sends("220 hi\r\n")
        .client_sends("MAIL FROM:<a@b>\r\n")
        .server_sends("250 ok\r\n")
        .client_sends("RCPT TO:<c@d>\r\n")
        .server_sends("250 ok\r\n")
        .client_sends("DATA\r\n")
        .server_sends("354 go\r\n")
        .client_sends(mail)
        .server_sends("250 taken\r\n")
        .close();
    let capture = capture_file::pcap(1, &mail.frames());
    let (plain, _) = told("beyond_mail_plain", &capture, &["--set", DEPTH, "--disable-detection"]);
    let logs = ["--set", DEPTH, "--disable-detection", "--zeek-logs=json"];
    let (beside, rows) = told("beyond_mail_logs", &capture, &logs);
    assert_eq!(beside, plain);
    let row: Value = serde_json::from_str(&rows[1]).expect("there is one row");
    assert_eq!((&row["source"], &row["seen_bytes"]), (&"SMTP".into(), &27_002.into()));

    // A message that the depth divides, of a side whose protocol is not recognised before.
    let part = |tag: u8, content: &[u8]| {
        let length = u16::try_from(content.len()).expect("it is short");
        [&[tag, 0x82][..], &length.to_be_bytes(), content].concat()
    };
    let bind = b"\x30\x0c\x02\x01\x01\x60\x07\x02\x01\x03\x04\x00\x80\x00";
    let result = part(0x61, &[&b"\x0a\x01\x00\x04\x00"[..], &part(4, text.as_bytes())].concat());
    let bound = part(0x30, &[&b"\x02\x01\x01"[..], &result].concat());
    let conversation = to(389).client_sends(bind).server_sends(bound).close();
    let capture = capture_file::pcap(1, &conversation.frames());
    let (plain, _) = told("beyond_ldap_plain", &capture, &["--set", DEPTH, "--disable-detection"]);
    let logs = ["--set", DEPTH, "--disable-detection", "--zeek-logs=json"];
    let (beside, rows) = told("beyond_ldap_logs", &capture, &logs);
    assert_eq!(beside, plain);
    let row: Value = serde_json::from_str(&rows[6]).expect("there is one row");
    assert_eq!((&row["opcode"], &row["result"]), (&"bind simple".into(), &"success".into()));

    // Calls before the depth, across it, and beyond.
    let calls = (2..10).fold(
        to(135).client_sends(rpc(11, 1, &offer())).server_sends(rpc(12, 1, &accepted())),
        |talk, call| {
            let stub = [7; 600];
            talk.client_sends(rpc(0, call, &[&[0; 6][..], b"\x03\0", &stub].concat())).server_sends(rpc(
                2,
                call,
                &[&[0; 8][..], &stub].concat(),
            ))
        },
    );
    let capture = capture_file::pcap(1, &calls.close().frames());
    let (plain, _) = told("beyond_rpc_plain", &capture, &["--set", DEPTH, "--disable-detection"]);
    let logs = ["--set", DEPTH, "--disable-detection", "--zeek-logs=json"];
    let (beside, rows) = told("beyond_rpc_logs", &capture, &logs);
    assert_eq!(beside, plain);
    let operations = rows[7].lines().map(|line| {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        (row["endpoint"].clone(), row["operation"].clone())
    });
    assert_eq!(operations.collect::<Vec<_>>(), vec![("epmapper".into(), "ept_map".into()); 8]);

    let agreed = "227 Passive (10,0,0,2,4,1)\r\n";
    let control = to(21).client_sends("PASV\r\n").server_sends(agreed).client_sends("RETR a\r\n");
    let later = control.time().plus(Duration::from_secs(1));
    let file = Conversation::new("10.0.0.1:40001", "10.0.0.2:1025").at(later).handshake();
    let frames = [control.frames(), file.server_sends(&text).close().frames()].concat();
    let capture = capture_file::pcap(1, &frames);
    let (plain, _) = told("beyond_ftp_plain", &capture, &["--set", DEPTH, "--disable-detection"]);
    let logs = ["--set", DEPTH, "--disable-detection", "--zeek-logs=json"];
    let (beside, rows) = told("beyond_ftp_logs", &capture, &logs);
    assert_eq!(beside, plain);
    let row: Value = serde_json::from_str(&rows[1]).expect("there is one row");
    assert_eq!((&row["source"], &row["seen_bytes"]), (&"FTP_DATA".into(), &27_000.into()));
}

/// Protocols that nobody asked for but Zeek's logs are told to nobody else.
#[test]
fn protocols_for_zeek_alone() {
    type Case<'a> = (&'a str, u16, &'a [u8], &'a [u8]);
    let opening = b"\0\0\0\x12\0\x03\0\0user\0bob\0\0";
    let cases: [Case<'_>; 5] = [
        ("postgresql", 5432, opening, b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"),
        ("postgresql", 15432, opening, b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"),
        ("redis", 6379, b"PING\r\n", b"+PONG\r\n"),
        ("modbus", 502, b"\0\x02\0\0\0\x06\x01\x02\0\0\0\x01", b"\0\x02\0\0\0\x04\x01\x02\x01\x01"),
        ("irc", 6667, b"NICK a\r\nUSER b c d :e\r\n", b":f 001 a :hi\r\n"),
    ];
    for (name, port, asked, answered) in cases {
        let conversation = to(port).client_sends(asked).server_sends(answered).close();
        let capture = capture_file::pcap(1, &conversation.frames());
        let told = |form: &str, options: &[&str]| told(&format!("alone_{name}_{form}"), &capture, options);
        let (plain, _) = told("plain", &["-S", "RULES"]);
        let (beside, rows) = told("logs", &["-S", "RULES", "--zeek-logs=json"]);
        assert_eq!(beside, plain, "{name}");
        let row: Value = serde_json::from_str(&rows[2]).expect("there is one row");
        assert_eq!(row["service"], name);
    }
}

#[test]
fn neither_depends_on_the_other() {
    const LOGS: &str = "--zeek-logs=json";
    for (name, conversation) in conversations() {
        let capture = capture_file::pcap(1, &conversation.frames());
        let told = |form: &str, options: &[&str]| told(&format!("beside_{name}_{form}"), &capture, options);
        let (plain, none) = told("plain", &["--disable-detection"]);
        let (beside, alone) = told("logs", &["--disable-detection", LOGS]);
        assert_eq!(beside, plain, "{name}");
        assert!(none.iter().all(String::is_empty) && !alone[2].is_empty(), "{name}");
        let (ruled, _) = told("rules", &["-S", "RULES"]);
        let (both, with_rules) = told("both", &["-S", "RULES", LOGS]);
        assert_eq!(both, ruled, "{name}");
        assert_eq!(with_rules, alone, "{name}");
    }
}
