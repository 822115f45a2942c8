//! Conversations built here, through the parser, to rows of Zeek's log.

use proptest::prelude::*;
use weir_applayer::{NoOptions, Outcome, Probe, Request, Transport};
use weir_base::Direction;

use super::message::MAX_TEXT;
use super::{SOCKS, probe};
use crate::testing::{Conversation, DOWN, UP, same_in_any_pieces};

/// A request of version 5 for `10.0.0.9:80`, and that all is well.
const REQUEST: &[u8] = b"\x05\x01\x00\x01\x0a\x00\x00\x09\x00\x50";
const REPLY: &[u8] = b"\x05\x00\x00\x01\xc0\xa8\x00\x01\x10\x00";

type Pieces<'a> = &'a [(Direction, &'a [u8])];

#[test]
fn handshakes() {
    let long = [&b"\x05\x01\x00\x03\xff"[..], &[b'n'; 255], b"\x01\xbb"].concat();
    let name = "n".repeat(255);
    let cases: &[(Pieces<'_>, &str)] = &[
        (
            &[(UP, b"\x05\x02\x00\x02"), (DOWN, b"\x05\x00"), (UP, REQUEST), (DOWN, REPLY)],
            "3: version=5 status=succeeded request.host=10.0.0.9 request_p=80 bound.host=192.168.0.1 bound_p=4096",
        ),
        (
            &[
                (UP, b"\x05\x01\x02"),
                (DOWN, b"\x05\x02"),
                (UP, b"\x01\x03bob\x06secret"),
                (DOWN, b"\x01\x00"),
                (UP, REQUEST),
                (DOWN, b"\x05\x05\x00\x03\x03own\x00\x00"),
            ],
            "3: version=5 user=bob status=Connection refused request.host=10.0.0.9 request_p=80 bound.name=own bound_p=0",
        ),
        (
            &[
                (UP, b"\x05\x01\x00"),
                (DOWN, b"\x05\x00"),
                (UP, &long),
                (DOWN, b"\x05\x4d\x00\x01\0\0\0\0\0\0"),
            ],
            &format!(
                "3: version=5 status=unknown-77 request.name={name} request_p=443 bound.host=0.0.0.0 bound_p=0"
            ),
        ),
        (
            &[
                (UP, b"\x05\x01\x00"),
                (DOWN, b"\x05\x00"),
                (UP, b"\x05\x03\x00\x04\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x00\x35"),
                (DOWN, REPLY),
            ],
            "3: version=5 status=succeeded request.host=2001:db8::1 request_p=53 bound.host=192.168.0.1 bound_p=4096",
        ),
        // A client that does not wait.
        (
            &[(UP, &[b"\x05\x01\x00", REQUEST].concat()), (DOWN, b"\x05\x00"), (DOWN, REPLY)],
            "1: version=5 status=succeeded request.host=10.0.0.9 request_p=80 bound.host=192.168.0.1 bound_p=4096",
        ),
        (
            &[
                (UP, &[b"\x05\x01\x02\x01\x03bob\x01x", REQUEST].concat()),
                (DOWN, &[b"\x05\x02\x01\x00", REPLY].concat()),
            ],
            "1: version=5 user=bob status=succeeded request.host=10.0.0.9 request_p=80 bound.host=192.168.0.1 bound_p=4096",
        ),
        (
            &[(UP, b"\x04\x01\x00\x50\x0a\x00\x00\x09fred\x00"), (DOWN, b"\x00\x5a\x00\x00\x00\x00\x00\x00")],
            "1: version=4 user=fred status=succeeded request.host=10.0.0.9 request_p=80 bound.host=0.0.0.0 bound_p=0",
        ),
        (
            &[
                (UP, b"\x04\x01\x00\x50\x00\x00\x00\x01\x00example.com\x00"),
                (DOWN, b"\x00\x5b\x00\x50\x0a\x00\x00\x01"),
            ],
            "1: version=4 status=general SOCKS server failure request.host=0.0.0.1 request.name=example.com request_p=80 \
             bound.host=10.0.0.1 bound_p=80",
        ),
    ];
    for (pieces, expected) in cases {
        let mut conversation = same_in_any_pieces(|| Conversation::new(&SOCKS, &NoOptions), pieces);
        assert!(matches!(conversation.requests[..], [Request::Upgrade(None)]), "{expected}");
        let rows = conversation.zeek();
        assert_eq!(rows.of("socks"), [*expected]);
        assert_eq!(rows.of("service"), ["socks"]);
    }
}

#[test]
fn what_is_no_answer_has_no_row() {
    let cases: &[(Pieces<'_>, &[&str])] = &[
        (&[(UP, b"\x05\x01\x00"), (DOWN, b"\x05\xff")], &[]),
        (&[(UP, b"\x05\x01\x00"), (DOWN, b"\x05\x00"), (UP, REQUEST)], &[]),
        (
            &[
                (UP, b"\x05\x01\x01"),
                (DOWN, b"\x05\x01"),
                (UP, b"\x01\x01\x00\x02ab"),
                (DOWN, b"\x01\x01\x00\x02ab"),
            ],
            &[
                "weird socks5_unsupported_authentication_method: 1",
                "weird socks5_unsupported_authentication_method: 1",
            ],
        ),
        (
            &[(UP, b"\x05\x01\x02"), (DOWN, b"\x05\x02"), (UP, b"\x02\x03bob\x01x")],
            &["weird socks5_unsupported_authentication: method 2, version 2"],
        ),
    ];
    for (pieces, expected) in cases {
        let mut conversation = same_in_any_pieces(|| Conversation::new(&SOCKS, &NoOptions), pieces);
        assert!(conversation.requests.is_empty());
        assert_eq!(conversation.zeek().lines, *expected);
    }
}

#[test]
fn what_is_malformed() {
    let no_name = [&b"\x04\x01\x00\x50\x0a\x00\x00\x09"[..], &[b'a'; MAX_TEXT + 1]].concat();
    let cases: &[Pieces<'_>] = &[
        &[(UP, b"\x05\x00")],
        &[(UP, b"\x04\x03")],
        &[(UP, &no_name)],
        &[(UP, b"GET")],
        &[(DOWN, b"\x00\x59")],
        &[(UP, b"\x05\x01\x00"), (DOWN, b"\x05\x00"), (UP, b"\x05\x04\x00")],
        &[(UP, b"\x05\x01\x00"), (DOWN, b"\x05\x00"), (UP, b"\x05\x01\x01")],
        &[(UP, b"\x05\x01\x00"), (DOWN, b"\x05\x00"), (UP, b"\x05\x01\x00\x02")],
        &[(UP, b"\x05\x01\x00"), (DOWN, b"\x05\x00"), (UP, REQUEST), (DOWN, b"\x05\x00\x00\x07")],
        &[(UP, b"\x05\x01\x00\x07")],
    ];
    for pieces in cases {
        let mut conversation = Conversation::new(&SOCKS, &NoOptions);
        let outcomes: Vec<_> = pieces.iter().map(|(way, bytes)| conversation.push(*way, bytes)).collect();
        assert_eq!(outcomes.last(), Some(&Outcome::Error), "{pieces:02x?}");
        assert!(conversation.zeek().of("socks").is_empty());
    }
}

#[test]
fn what_follows_belongs_to_another_protocol() {
    let greeting: Pieces<'_> = &[(UP, b"\x05\x01\x00"), (DOWN, b"\x05\x00")];
    // The client's own bytes wait for the answer.
    let mut early = Conversation::of(&SOCKS, &NoOptions, greeting);
    let sent = [REQUEST, b"GET / HTTP/1.1\r\n"].concat();
    let waits = Outcome::Incomplete { consumed: REQUEST.len(), needed: sent.len() - REQUEST.len() + 1 };
    assert_eq!(early.push(UP, &sent), waits);
    let reply = [REPLY, b"220 ready\r\n"].concat();
    assert_eq!(early.push(DOWN, &reply), Outcome::Incomplete { consumed: REPLY.len(), needed: 0 });
    assert!(matches!(early.requests[..], [Request::Upgrade(None)]));
    // A visitor has an answer of its own, a refused one none.
    for (code, answers) in [(0, 2), (1, 1)] {
        let mut conversation = Conversation::of(&SOCKS, &NoOptions, greeting);
        conversation.push(UP, b"\x05\x02\x00\x01\x0a\x00\x00\x09\x00\x50");
        let reply = [b"\x05", &[code][..], &REPLY[2..]].concat();
        let upgraded: Vec<bool> = (0..answers)
            .map(|_| {
                conversation.push(DOWN, &reply);
                !conversation.requests.is_empty()
            })
            .collect();
        assert_eq!(upgraded.iter().position(|done| *done), Some(answers - 1), "{code}");
        assert_eq!(conversation.zeek().of("socks").len(), 1);
    }
}

#[test]
fn probes() {
    for (direction, bytes, expected) in [
        (UP, &b"\x05\x01\x00"[..], Probe::Yes),
        (UP, b"\x05\x02\x00\x80\x05\x01", Probe::Yes),
        (UP, b"\x05\x01\x02\x01\x03bob", Probe::Yes),
        (UP, b"\x05\x02\x00", Probe::More),
        (UP, b"\x05\x01\x0a", Probe::No),
        (UP, b"\x05\x01\x00\x03", Probe::No),
        (UP, b"\x05\x00\x0b\x03\x10\x00", Probe::No),
        (UP, b"\x04\x01\x00\x50\x0a\x00\x00\x09\x00", Probe::Yes),
        (UP, b"\x04\x01\x00\x50\x0a\x00\x00\x09", Probe::More),
        (UP, b"\x04\x07", Probe::No),
        (UP, b"GET ", Probe::No),
        (UP, b"", Probe::More),
        (DOWN, b"\x05\x00", Probe::Yes),
        (DOWN, b"\x05\xff", Probe::Yes),
        (DOWN, b"\x05\x00\x05\x00", Probe::Yes),
        (DOWN, b"\x05\x00\x0c\x03", Probe::No),
        (DOWN, b"\x05", Probe::More),
        (DOWN, b"\x00\x5a\x00\x00\x00\x00\x00\x00", Probe::Yes),
        (DOWN, b"\x00\x5a\x00", Probe::More),
        (DOWN, b"\x00\x00\x00\x85", Probe::No),
        (DOWN, b"SSH-2.0", Probe::No),
    ] {
        assert_eq!(probe::probe(Transport::Tcp, direction, bytes), expected, "{bytes:02x?}");
    }
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), prop::collection::vec(0_u8..6, 0..40)), 0..12)) {
        let mut conversation = Conversation::new(&SOCKS, &NoOptions);
        for (up, bytes) in &pieces {
            conversation.push(if *up { UP } else { DOWN }, bytes);
        }
        prop_assert!(conversation.ids().len() <= 1 && conversation.zeek().of("socks").len() <= 1);
    }
}
