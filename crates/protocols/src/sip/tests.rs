//! Messages built here, through the parser, to fields, EVE records, frames and a log of Zeek.

use proptest::prelude::*;
use serde_json::json;
use weir_applayer::zeek::DatagramLogs;
use weir_applayer::{NoOptions, Outcome, Transport};
use weir_base::Direction;

use super::SIP;
use super::message::MAX_HEAD;
use super::parser::MAX_BODY;
use super::transaction::SipTransaction;
use super::zeek::{AT_PORT, ELSEWHERE};
use crate::testing::{Conversation, DOWN, UP, logged, same_in_any_pieces};

const INVITE: &str = "INVITE sip:bob@b.example SIP/2.0\r\nv: SIP/2.0/UDP a.example;branch=z9hG4bK1\r\n\
    Via: SIP/2.0/UDP c.example; branch=2\r\nf: \"Al\" <sip:al@a.example>;tag=1\r\nt: <sip:bob@b.example>\r\n\
    Call-ID: 7@a\r\nCSeq: 1 INVITE\r\nUser-Agent: phone/1\r\nSubject: lunch\r\nc: application/sdp\r\nl: 79\r\n\r\n\
    v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=talk\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\na=sendrecv\r\n";

const TRYING: &str =
    "SIP/2.0 100 Trying\r\nVia: SIP/2.0/UDP a.example;branch=z9hG4bK1\r\nContent-Length: 0\r\n\r\n";
const RINGING: &str = "SIP/2.0 180 Ringing\r\nFrom: <sip:al@a.example>;tag=1\r\nl: 0\r\n\r\n";
const OK: &str =
    "SIP/2.0 200 OK\r\nTo: <sip:bob@b.example>;tag=2\r\nContent-Length: 4\r\nc: text/plain\r\n\r\nbody";

fn over(transport: Transport) -> Conversation {
    Conversation::over(transport, &SIP, &NoOptions)
}

/// The first lines of what was read.
fn lines(conversation: &Conversation) -> Vec<String> {
    let line =
        |id| String::from_utf8_lossy(conversation.tx::<SipTransaction>(id).head.start_line()).into_owned();
    conversation.ids().into_iter().map(line).collect()
}

#[test]
fn datagrams() {
    let cases: &[(Direction, &str, &[&str])] = &[
        (UP, INVITE, &["INVITE sip:bob@b.example SIP/2.0"]),
        (DOWN, OK, &["SIP/2.0 200 OK"]),
        (UP, "\r\nBYE sip:b SIP/2.0\r\n\r\n", &["BYE sip:b SIP/2.0"]),
        (UP, "\r\n\r\n", &[]),
        (UP, "BYE sip:b SIP/2.0\r\nVia: x\r\n", &[]),
        (UP, OK, &[]),
        (DOWN, INVITE, &[]),
        (UP, "\0\0\0\0", &[]),
    ];
    for (direction, datagram, expected) in cases {
        let mut conversation = over(Transport::Udp);
        let is_refused = conversation.push(*direction, datagram.as_bytes()) == Outcome::Refused;
        assert_eq!(is_refused, expected.is_empty() && !datagram.trim().is_empty(), "{datagram:?}");
        assert_eq!(lines(&conversation), *expected, "{datagram:?}");
    }
}

#[test]
fn what_is_wrong_with_datagrams() {
    let cases: &[(Direction, &str, &[u8])] = &[
        (UP, INVITE, &[]),
        (UP, "\r\n", &[]),
        (UP, "BYE sip:b SIP/2.0\r\nVia: x\r\n", &[0]),
        (UP, "BYE sip:b", &[0]),
        (UP, "BYE sip:b SIP/2.0\r\nno field\r\n\r\n", &[1]),
        (UP, "\0\0\0\0", &[1]),
        (DOWN, INVITE, &[1]),
    ];
    for (direction, datagram, expected) in cases {
        let mut conversation = over(Transport::Udp);
        let found = conversation.call(|parser, cx| {
            parser.data(cx, *direction, datagram.as_bytes());
            cx.anomalies.iter().map(|anomaly| anomaly.0).collect::<Vec<_>>()
        });
        assert_eq!(found, *expected, "{datagram:?}");
    }
}

#[test]
fn streams() {
    let (all, down) =
        (format!("\r\n\r\n{INVITE}\r\nBYE sip:b SIP/2.0\r\n\r\n"), format!("{TRYING}{OK}{RINGING}"));
    let pieces = [(UP, all.as_bytes()), (DOWN, down.as_bytes())];
    let conversation = same_in_any_pieces(|| over(Transport::Tcp), &pieces);
    assert_eq!(
        lines(&conversation),
        [
            "INVITE sip:bob@b.example SIP/2.0",
            "BYE sip:b SIP/2.0",
            "SIP/2.0 100 Trying",
            "SIP/2.0 200 OK",
            "SIP/2.0 180 Ringing"
        ]
    );
    for nonsense in ["GET / HTTP/1.1\r\n\r\n".to_owned(), "a".repeat(MAX_HEAD + 1)] {
        assert_eq!(over(Transport::Tcp).push(UP, nonsense.as_bytes()), Outcome::Error);
    }
}

#[test]
fn bodies_that_are_long() {
    let body = "x".repeat(MAX_BODY as usize + 1000);
    let text = format!("BYE sip:b SIP/2.0\r\nl: {}\r\n\r\n{body}BYE sip:c SIP/2.0\r\n\r\n", body.len());
    let mut conversation = over(Transport::Tcp);
    conversation.push_in(UP, text.as_bytes(), 1400);
    assert_eq!(lines(&conversation), ["BYE sip:b SIP/2.0", "BYE sip:c SIP/2.0"]);
}

#[test]
fn gaps() {
    let mut conversation = over(Transport::Tcp);
    conversation.push(UP, &INVITE.as_bytes()[..100]);
    assert_eq!(conversation.gap(UP, 300), Outcome::Ok);
    conversation.push(UP, b"the end of something\r\n\r\n");
    conversation.push(UP, b"ACK sip:b SIP/2.0\r\n\r\n");
    let long = format!("BYE sip:b SIP/2.0\r\nl: {}\r\n\r\n{}", MAX_BODY + 500, "x".repeat(MAX_BODY as usize));
    conversation.push(UP, long.as_bytes());
    conversation.gap(UP, 500);
    conversation.push(UP, b"BYE sip:c SIP/2.0\r\n\r\n");
    assert_eq!(lines(&conversation), ["ACK sip:b SIP/2.0", "BYE sip:b SIP/2.0", "BYE sip:c SIP/2.0"]);
}

#[test]
fn fields() {
    let conversation = Conversation::of(&SIP, &NoOptions, &[(UP, INVITE), (DOWN, OK)]);
    let cases: &[(u64, &str, &[&str])] = &[
        (0, "sip.method", &["INVITE"]),
        (0, "sip.uri", &["sip:bob@b.example"]),
        (0, "sip.request_line", &["INVITE sip:bob@b.example SIP/2.0"]),
        (0, "sip.protocol", &["SIP/2.0"]),
        (0, "sip.via", &["SIP/2.0/UDP a.example;branch=z9hG4bK1", "SIP/2.0/UDP c.example; branch=2"]),
        (0, "sip.from", &["\"Al\" <sip:al@a.example>;tag=1"]),
        (0, "sip.user_agent", &["phone/1"]),
        (0, "sip.content_length", &["79"]),
        (0, "sdp.session_name", &["talk"]),
        (0, "sdp.uri", &[]),
        (0, "sdp.attribute", &[]),
        (0, "sdp.media.media", &["audio 9 RTP/AVP 0"]),
        (0, "sdp.media.attribute", &["sendrecv"]),
        (0, "sdp.media.session_info", &[]),
        (1, "sip.stat_code", &["200"]),
        (1, "sip.stat_msg", &["OK"]),
        (1, "sip.response_line", &["SIP/2.0 200 OK"]),
        (1, "sip.protocol", &["SIP/2.0"]),
        (1, "sip.to", &["<sip:bob@b.example>;tag=2"]),
        (1, "sip.content_type", &["text/plain"]),
        (1, "sip.method", &[]),
        (1, "sdp.origin", &[]),
    ];
    for (id, name, expected) in cases {
        let direction = if *id == 0 { UP } else { DOWN };
        assert_eq!(conversation.values(*id, name, direction), *expected, "{id} {name}");
    }
}

#[test]
fn records() {
    let conversation = Conversation::of(&SIP, &NoOptions, &[(UP, INVITE), (DOWN, TRYING)]);
    let expected = [
        json!({
            "method": "INVITE", "uri": "sip:bob@b.example", "version": "SIP/2.0",
            "request_line": "INVITE sip:bob@b.example SIP/2.0",
            "sdp": {
                "origin": "- 1 1 IN IP4 192.0.2.1", "session_name": "talk", "time_descriptions": [{"time": "0 0"}],
                "media_descriptions": [{"media": "audio 9 RTP/AVP 0", "attributes": ["sendrecv"]}],
            },
        }),
        json!({
            "version": "SIP/2.0", "code": "100", "reason": "Trying", "response_line": "SIP/2.0 100 Trying",
        }),
    ];
    for (id, expected) in expected.into_iter().enumerate() {
        assert_eq!(conversation.eve(id as u64, &NoOptions), Some(expected));
    }
}

/// Returns the rows that a logger of Zeek's writes for datagrams, and at the end.
fn rows(logs: &DatagramLogs, datagrams: &[(Direction, &str)]) -> Vec<String> {
    logged(logs, datagrams).lines
}

#[test]
fn zeek_rows() {
    let asked = "sip 1: trans_depth=0 method=INVITE uri=sip:bob@b.example request_from=\"Al\" <sip:al@a.example> \
        request_to=<sip:bob@b.example>";
    let named =
        "call_id=7@a seq=1 INVITE subject=lunch request_path=SIP/2.0/UDP a.example,SIP/2.0/UDP c.example";
    let rows_of_call = [
        "service sip".to_owned(),
        format!(
            "{asked} {named} response_path=SIP/2.0/UDP a.example user_agent=phone/1 status_code=100 \
             status_msg=Trying request_body_len=79 response_body_len=0"
        ),
        format!(
            "{asked} response_to=<sip:bob@b.example>;tag=2 {named} response_path=SIP/2.0/UDP a.example \
             user_agent=phone/1 status_code=200 status_msg=OK request_body_len=79 response_body_len=4 \
             content_type=text/plain"
        ),
    ];
    assert_eq!(rows(&AT_PORT, &[(UP, INVITE), (DOWN, TRYING), (DOWN, OK)]), rows_of_call);
    let (head, tail) = INVITE.split_at(80);
    assert_eq!(
        rows(&AT_PORT, &[(UP, head), (UP, tail)])[0].split(" request_from").next(),
        Some("sip 1: trans_depth=0 method=INVITE uri=sip:bob@b.example")
    );
    type Case<'a> = (&'a [(Direction, &'a str)], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            &[(UP, "\0\0"), (UP, "OWN sip:b SIP/2.0\r\n\r\n")],
            &[
                "weird sip_junk_before_request: \\x00\\x00",
                "weird unknown_SIP_method: OWN",
                "sip 2: trans_depth=0 method=OWN uri=sip:b request_path= response_path=",
            ],
        ),
        (&[(UP, "this is none\r\n"), (UP, INVITE)], &["violation no message of SIP: this is none"]),
        (
            &[(DOWN, "SIP/2.0 200 OK\r\n\r\n")],
            &[
                "service sip",
                "sip 1: trans_depth=0 request_path= response_path= status_code=200 status_msg=OK",
            ],
        ),
        (&[(UP, "\r\n\r\n")], &[]),
    ];
    for (datagrams, expected) in cases {
        assert_eq!(rows(&AT_PORT, datagrams), *expected, "{datagrams:?}");
    }
}

#[test]
fn sip_at_any_port() {
    let cases: &[(&[u8], bool)] = &[
        (INVITE.as_bytes(), true),
        (OK.as_bytes(), true),
        (b"NOTIFY * HTTP/1.1\r\n", false),
        (b"INVITE sip:b SIP/2.0", false),
        (b"\0\0", false),
        (b"", false),
    ];
    for (payload, expected) in cases {
        assert_eq!((ELSEWHERE.fits)(payload), *expected, "{payload:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), tcp in any::<bool>()) {
        let mut conversation = over(if tcp { Transport::Tcp } else { Transport::Udp });
        conversation.push(UP, &[b"BYE sip:b SIP/2.0\r\nc: application/sdp\r\nl: 50\r\n", &bytes[..]].concat());
        conversation.push(DOWN, &bytes);
        prop_assert!(conversation.summary().len() > 1);
        let text = String::from_utf8_lossy(&bytes);
        rows(&AT_PORT, &[(UP, &text), (DOWN, "SIP/2.0 "), (DOWN, &text)]);
    }
}
