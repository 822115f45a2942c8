//! Zeek's `http` log over exchanges that peers read in more than one way.

use std::fs;

use serde_json::Value;
use weir_base::Direction::{ToClient, ToServer};
use weir_base::Duration;
use weir_testkit::tcp_flags::{ACK, FIN, SYN};
use weir_testkit::{Conversation, capture_file};

use crate::run::Folder;

/// The rows of a log for a conversation, by the columns asked for, a word for each.
pub fn rows(test: &str, conversation: Conversation, log: &str, columns: &[&str]) -> Vec<String> {
    let folder = Folder::new(test);
    let capture = folder.write("http.pcap", capture_file::pcap(1, &conversation.frames()));
    let run = folder.weir(&["-r", &capture, "--disable-detection", "--zeek-logs=json"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let text = fs::read_to_string(folder.path(&format!("{log}.log"))).unwrap_or_default();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        let words = columns.iter().map(|name| match &row[*name] {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(row).collect()
}

fn conversation() -> Conversation {
    Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
}

const EXCHANGE: &[&str] = &["trans_depth", "uri", "status_code", "request_body_len", "response_body_len"];

#[test]
fn requests_stay_with_the_connection_that_sent_them() {
    // The answers are not seen: the attempt is over after five seconds, what follows is another connection.
    let request = |uri: &str| format!("GET {uri} HTTP/1.1\r\nHost: a\r\n\r\n");
    let conversation = conversation()
        .without_acknowledgements()
        .segment(ToServer, SYN, b"")
        .segment(ToServer, ACK, b"")
        .client_sends(request("/first"))
        .wait(Duration::from_secs(6))
        .client_sends(request("/second"))
        .wait(Duration::from_secs(6))
        .client_sends(request("/third"));
    assert_eq!(rows("zeek_http_moves", conversation, "http", EXCHANGE), ["1 /first - 0 0"]);
}

#[test]
fn malformed_messages_are_read_as_zeek_does() {
    let client = |sent: &str| conversation().handshake().client_sends(sent);
    let smuggled = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
    let post = |field: &str, body: &str| {
        client(&format!("POST /post HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n{body}{smuggled}")).close()
    };
    let both = ["1 /post - 0 0", "2 /next - 0 0"];
    let chunked = "Transfer-Encoding: chunked";
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let cases: Vec<(&str, Conversation, Vec<&str>)> = vec![
        ("zeek_http_length_negative", post("Content-Length: -1", ""), both.to_vec()),
        ("zeek_http_length_huge", post("Content-Length: 18446744073709551615", ""), both.to_vec()),
        ("zeek_http_chunk_huge", post(chunked, "10000000000000000\r\n\r\n"), both.to_vec()),
        ("zeek_http_coding_unknown", post("Transfer-Encoding: identity", ""), both.to_vec()),
        (
            "zeek_http_crud",
            client(smuggled)
                .server_sends(answer)
                .client_sends("{\"no\": 1}\r\n")
                .server_sends(answer)
                .close(),
            vec!["1 /next 200 0 0"],
        ),
        (
            "zeek_http_no_status",
            client(smuggled).server_sends("220 ready\r\n").close(),
            vec!["1 /next - 0 0"],
        ),
        (
            "zeek_http_bodiless",
            client(smuggled)
                .server_sends("HTTP/1.1 304 Not\r\nContent-Length: 3\r\n\r\n")
                .client_sends(smuggled)
                .server_sends(answer)
                .close(),
            vec!["1 /next 304 0 0", "2 /next 200 0 0"],
        ),
    ];
    for (test, conversation, expected) in cases {
        assert_eq!(rows(test, conversation, "http", EXCHANGE), expected, "{test}");
    }
}

#[test]
fn returns_that_stand_alone_end_lines_for_zeek_alone() {
    let next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
    let chunked = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let asked = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    let cases = [
        (
            "zeek_http_return_line",
            format!("GET /a HTTP/1.1\rHost: a\r\n\r\n{next}"),
            "",
            ["1 /a - 0 0", "2 /next - 0 0"],
        ),
        (
            "zeek_http_return_field",
            format!("GET /a HTTP/1.1\r\nHost: a\r\r{next}"),
            "",
            ["1 /a - 0 0", "2 /next - 0 0"],
        ),
        (
            "zeek_http_return_before",
            format!("\r\rGET /a HTTP/1.1\r\nHost: a\r\n\r\n{next}"),
            "",
            ["1 /a - 0 0", "2 /next - 0 0"],
        ),
        (
            "zeek_http_return_size",
            format!("{chunked}3\rabc\r\n0\r\n\r\n{next}"),
            "",
            ["1 /a - 3 0", "2 /next - 0 0"],
        ),
        (
            "zeek_http_return_chunk",
            format!("{chunked}3\r\nabc\r0\r\n\r\n{next}"),
            "",
            ["1 /a - 3 0", "2 /next - 0 0"],
        ),
        (
            "zeek_http_return_answer",
            format!("{asked}{next}"),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r zHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
            ["1 /a 200 0 2", "2 /next 404 0 0"],
        ),
    ];
    for (test, request, response, expected) in cases {
        for piece in [usize::MAX, 1] {
            let talk =
                request.as_bytes().chunks(piece).fold(conversation().handshake(), Conversation::client_sends);
            let talk =
                || response.as_bytes().chunks(piece).fold(talk.clone(), Conversation::server_sends).close();
            assert_eq!(rows(test, talk(), "http", EXCHANGE), expected, "{test} {piece}");
            assert_eq!(exchanges(test, talk(), true), exchanges(test, talk(), false), "{test} {piece}");
        }
    }
}

/// The records of EVE for a conversation, with Zeek's logs or without.
fn exchanges(test: &str, conversation: Conversation, with_zeek: bool) -> Vec<Value> {
    let folder = Folder::new(&format!("{test}_eve"));
    let capture = folder.write("http.pcap", capture_file::pcap(1, &conversation.frames()));
    let zeek: &[&str] = if with_zeek { &["--zeek-logs=json"] } else { &[] };
    let run = folder.weir(&[&["-r", &capture, "--set", "outputs.eve-log.enabled=yes"], zeek].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    let text = fs::read_to_string(folder.path("eve.json")).unwrap_or_default();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record is JSON"));
    records.filter(|record| record["event_type"] == "http").map(|record| record["http"].clone()).collect()
}

#[test]
fn what_was_under_way_before_is_not_read_for_the_logs() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    let whole = || {
        conversation()
            .handshake()
            .client_sends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            .server_sends(answer)
            .close()
            .frames()
    };
    let later = whole().split_off(3);
    let cases: [(&str, Vec<_>, &[&str], usize); 3] = [
        ("zeek_http_whole", whole(), &[], 1),
        ("zeek_http_later", later.clone(), &[], 0),
        ("zeek_http_wanted", later, &["--set", "stream.midstream=true"], 1),
    ];
    for (test, frames, options, exchanges) in cases {
        let folder = Folder::new(test);
        let capture = folder.write("http.pcap", capture_file::pcap(1, &frames));
        let run = folder.weir(
            &[&["-r", &capture, "--zeek-logs=json", "--set", "outputs.eve-log.enabled=yes"], options]
                .concat(),
        );
        assert_eq!(run.code, 0, "{}", run.said());
        let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap_or_default();
        assert_eq!(read("eve.json").matches("\"event_type\":\"http\"").count(), exchanges, "{test}");
        assert_eq!(read("conn.log").lines().count(), 1, "{test}");
        let from_start = usize::from(test == "zeek_http_whole");
        assert_eq!(read("http.log").lines().count(), from_start, "{test}");
    }
}

#[test]
fn gaps_outside_of_bodies_end_a_side() {
    let request = |uri: &str| format!("GET {uri} HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer =
        |length: usize, body: &str| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
    let start = || conversation().handshake().client_sends(request("/a"));
    let within = start()
        .server_sends(answer(10, "12"))
        .loses(ToClient, 4)
        .server_sends("7890")
        .client_sends(request("/b"))
        .server_sends(answer(1, "1"))
        .close();
    assert_eq!(rows("zeek_http_gap_within", within, "http", EXCHANGE), ["1 /a 200 0 10", "2 /b 200 0 1"]);
    let beyond = start()
        .server_sends(answer(10, "12"))
        .loses(ToClient, 100)
        .client_sends(request("/b"))
        .server_sends(answer(1, "1"))
        .close();
    assert_eq!(rows("zeek_http_gap_beyond", beyond, "http", EXCHANGE), ["1 /a 200 0 2", "2 /b - 0 0"]);
}

#[test]
fn requests_whose_answers_are_missing_have_rows() {
    let missing = |rest: &str| {
        let asked = conversation().handshake().client_sends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        asked.loses(ToClient, 2000).server_sends(rest).close()
    };
    for (test, rest) in [("zeek_http_missing", ""), ("zeek_http_missing_begin", "<p>the rest</p>")] {
        assert_eq!(rows(test, missing(rest), "http", EXCHANGE), ["1 /a - 0 0"], "{rest}");
    }
}

#[test]
fn what_only_one_side_said_is_logged() {
    let ok = |length: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let early = || {
        conversation()
            .handshake()
            .client_sends("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345")
            .server_sends(ok(0))
            .segment(ToClient, FIN | ACK, b"")
    };
    assert_eq!(rows("zeek_http_early", early(), "http", EXCHANGE), ["1 /a 200 0 0", "2 - - 5 0"]);
    let answer =
        || conversation().handshake().loses(ToServer, 50).server_sends(ok(2)).server_sends("ok").close();
    assert_eq!(rows("zeek_http_answer", answer(), "http", EXCHANGE), ["1 - 200 0 2"]);
    assert_eq!(rows("zeek_http_unasked", answer(), "conn", &["service", "missed_bytes"]), ["- 50"]);
}

#[test]
fn gaps_behind_a_body_are_a_file() {
    let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let lossy = conversation()
        .handshake()
        .client_sends(request)
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .client_sends(request)
        .loses(ToClient, 30)
        .segment(ToServer, ACK, b"")
        .loses(ToClient, 12)
        .segment(ToServer, ACK, b"");
    let columns = ["seen_bytes", "missing_bytes", "timedout"];
    assert_eq!(rows("zeek_http_lost", lossy, "files", &columns), ["2 0 false", "0 42 true"]);
}

#[test]
fn reasons_may_be_empty_or_missing() {
    for (test, line, expected) in [
        ("zeek_http_reason", "HTTP/1.1 200 Fine", "200 Fine"),
        ("zeek_http_reason_empty", "HTTP/1.1 200 ", "200 "),
        ("zeek_http_reason_missing", "HTTP/1.1 200", "200 <empty>"),
    ] {
        let exchange = conversation()
            .handshake()
            .client_sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .server_sends(format!("{line}\r\nContent-Length: 0\r\n\r\n"))
            .close();
        assert_eq!(rows(test, exchange, "http", &["status_code", "status_msg"]), [expected]);
    }
}
