//! WebSocket in Zeek's logs, and what goes through it.

use weir_base::Timestamp;
use weir_testkit::Conversation;

use crate::zeek_http::rows;

const REQUEST: &str = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
const ANSWER: &str = "HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";

/// Key and proof of RFC 6455 1.3.
const KEY: &str = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const PROOF: &str = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";

/// A connection that changes to WebSocket.
fn socket(client: &str, server: &str) -> Conversation {
    socket_at(Timestamp::new(1_700_000_000, 0), client, server)
}

/// The same, beginning at a time.
fn socket_at(time: Timestamp, client: &str, server: &str) -> Conversation {
    Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .at(time)
        .handshake()
        .client_sends(format!("{REQUEST}{client}\r\n"))
        .server_sends(format!("{ANSWER}{server}\r\n"))
}

/// A frame without a mask.
fn frame(first: u8, payload: &str) -> Vec<u8> {
    let length = u16::try_from(payload.len()).expect("a short payload");
    [&[first, 126][..], &length.to_be_bytes(), payload.as_bytes()].concat()
}

/// A message of bytes, masked.
fn masked(payload: &str) -> Vec<u8> {
    const KEY: &[u8] = b"mask";
    let length = u8::try_from(payload.len()).expect("a payload that one byte can count");
    let payload = payload.bytes().zip(KEY.iter().cycle()).map(|(byte, key)| byte ^ key);
    [0x82, 0x80 | length].into_iter().chain(KEY.iter().copied()).chain(payload).collect()
}

#[test]
fn handshakes() {
    const COLUMNS: &[&str] = &[
        "host",
        "uri",
        "user_agent",
        "subprotocol",
        "client_protocols",
        "server_extensions",
        "client_extensions",
    ];
    let protocols =
        "Sec-WebSocket-Protocol: v1 , v2\r\nUser-Agent: me\r\nSec-WebSocket-Extensions: a; b=1\r\n";
    let cases: [(&str, Conversation, &str, &[&str]); 5] = [
        ("zeek_websocket_plain", socket(KEY, PROOF), "a /chat - - - - -", &[]),
        (
            "zeek_websocket_lists",
            socket(&format!("{KEY}{protocols}"), &format!("{PROOF}Sec-WebSocket-Protocol: v2\r\n")),
            "a /chat me v2 [\"v1\",\"v2\"] - [\"a; b=1\"]",
            &[],
        ),
        (
            "zeek_websocket_no_key",
            socket("", PROOF),
            "a /chat - - - - -",
            &["websocket_missing_key_header - WebSocket"],
        ),
        (
            "zeek_websocket_unexpected",
            socket("", ""),
            "a /chat - - - - -",
            &[
                "websocket_established_unexpected - WebSocket",
                "websocket_missing_key_header - WebSocket",
                "websocket_missing_accept_header - WebSocket",
            ],
        ),
        (
            "zeek_websocket_wrong",
            socket(KEY, "Sec-WebSocket-Accept: x\r\nSec-WebSocket-Accept: y\r\n"),
            "a /chat - - - - -",
            &[
                "websocket_multiple_accept_headers - WebSocket",
                "websocket_wrong_accept_header expected=s3pPLMBiTxaQ9kYGzzhZRbK+xOo=, found=y WebSocket",
            ],
        ),
    ];
    for (test, conversation, row, odd) in cases {
        let conversation = conversation.close();
        assert_eq!(rows(test, conversation.clone(), "websocket", COLUMNS), [row], "{test}");
        let found = rows(test, conversation, "weird", &["name", "addl", "source"]);
        assert_eq!(found, *odd, "{test}");
    }
    let refused = socket(KEY, PROOF).close();
    assert_eq!(rows("zeek_websocket_silent", refused, "conn", &["service"]), ["http"]);
    let oversized = socket(KEY, PROOF).server_sends(frame(0x88, &"x".repeat(126))).close();
    assert_eq!(
        rows("zeek_websocket_oversized", oversized, "weird", &["name", "addl", "source"]),
        ["websocket_control_frame_size_exceeded 126 > 125 WEBSOCKET"]
    );
}

#[test]
fn what_goes_through() {
    const COLUMNS: &[&str] = &["trans_depth", "uri", "status_code", "info_code", "response_body_len"];
    let get = |uri: &str| masked(&format!("GET {uri} HTTP/1.1\r\nHost: b\r\n\r\n"));
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    let (start, end) = answer.split_at(5);
    let inside = || {
        socket(KEY, PROOF)
            .client_sends(get("/one"))
            .server_sends([frame(0x02, start), frame(0x89, "ping"), frame(0x80, end)].concat())
            .client_sends(get("/two"))
    };
    // An answer belongs to the request before, as that which led here had none but an interim one.
    assert_eq!(
        rows("zeek_websocket_http", inside().close(), "http", COLUMNS),
        ["1 /chat 200 101 2", "2 /one - - 0", "3 /two - - 0"]
    );
    assert_eq!(rows("zeek_websocket_conn", inside().close(), "conn", &["service"]), ["http,websocket"]);
    let files = rows("zeek_websocket_files", inside().close(), "files", &["source", "seen_bytes"]);
    assert_eq!(files, ["HTTP 2"]);
    let refused = inside().server_sends(frame(0x82, "\x07 no answer\r\n")).close();
    assert_eq!(rows("zeek_websocket_refused", refused, "conn", &["service"]), ["websocket"]);
    let mail = socket(KEY, PROOF)
        .server_sends(frame(0x81, "220 mx.b.example ESMTP\r\n"))
        .client_sends(masked("EHLO a.example\r\n"))
        .server_sends(frame(0x81, "250 mx.b.example\r\n"))
        .close();
    assert_eq!(rows("zeek_websocket_mail", mail.clone(), "conn", &["service"]), ["http,websocket,smtp"]);
    assert_eq!(rows("zeek_websocket_http_before", mail, "http", COLUMNS), ["1 /chat 101 101 0"]);
}

#[test]
fn the_clock_begins_with_a_second() {
    let early = socket_at(Timestamp::new(0, 5_000), KEY, PROOF).close();
    for (log, expected) in [("conn", "5e-6"), ("http", "1.0"), ("websocket", "1.0")] {
        assert_eq!(rows("zeek_early", early.clone(), log, &["ts"]), [expected], "{log}");
    }
}
