//! Handshakes led here, through the parser, to fields, EVE records and Zeek's log.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{NoOptions, Outcome};
use weir_base::Direction;

use super::RFB;
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

type Said<'a> = (Direction, &'a [u8]);

const V33: [Said<'_>; 2] = [(DOWN, b"RFB 003.003\n"), (UP, b"RFB 003.003\n")];
const V37: [Said<'_>; 2] = [(DOWN, b"RFB 003.008\n"), (UP, b"RFB 003.007\n")];
const V38: [Said<'_>; 2] = [(DOWN, b"RFB 003.008\n"), (UP, b"RFB 003.008\n")];
const CHALLENGE: [Said<'_>; 2] = [(DOWN, &[0x11; 16]), (UP, &[0x22; 16])];
const OK: Said<'_> = (DOWN, &[0; 4]);
const INIT: [Said<'_>; 2] = [
    (UP, b"\x01"),
    (DOWN, b"\x03\x20\x02\x58\x20\x18\0\x01\0\xff\0\xff\0\xff\x10\x08\0\0\0\0\0\0\0\x04mine"),
];

fn led(pieces: &[&[Said<'_>]]) -> Conversation {
    same_in_any_pieces(|| Conversation::new(&RFB, &NoOptions), &pieces.concat())
}

fn record(conversation: &Conversation) -> Value {
    conversation.eve(0, &Settings(&[])).unwrap()
}

#[test]
fn handshakes_and_their_records() {
    let desktop = json!({"screen_shared": true, "framebuffer": {"width": 800, "height": 600, "name": "mine",
        "pixel_format": {"bits_per_pixel": 32, "depth": 24, "big_endian": false, "true_color": true,
            "red_max": 255, "green_max": 255, "blue_max": 255,
            "red_shift": 16, "green_shift": 8, "blue_shift": 0}}});
    let vnc = json!({"challenge": "11".repeat(16), "response": "22".repeat(16)});
    type Case<'a> = (Vec<&'a [Said<'a>]>, [&'a str; 2], Value, bool, &'a [&'a str]);
    // What is said, the versions, the authentication or the reason, whether there is a desktop, what is odd.
    let cases: Vec<Case<'_>> = vec![
        (
            vec![&V33, &[(DOWN, b"\0\0\0\x02")], &CHALLENGE, &[OK], &INIT],
            ["003", "003"],
            json!({"authentication": {"security_type": 2, "vnc": vnc, "security_result": "OK"}}),
            true,
            &[],
        ),
        (
            vec![&V33, &[(DOWN, b"\0\0\0\x01")], &INIT],
            ["003", "003"],
            json!({"authentication": {"security_type": 1}}),
            true,
            &[],
        ),
        (
            vec![&V33, &[(DOWN, b"\0\0\0\0\0\0\0\x02no")]],
            ["003", "003"],
            json!({"authentication": {"security_type": 0}, "server_security_failure_reason": "no"}),
            false,
            &[],
        ),
        (
            vec![&V37, &[(DOWN, b"\x02\x01\x02"), (UP, b"\x01")], &INIT],
            ["008", "007"],
            json!({"authentication": {"security_type": 1}}),
            true,
            &[],
        ),
        (
            vec![&V38, &[(DOWN, b"\x01\x01"), (UP, b"\x01"), OK], &INIT],
            ["008", "008"],
            json!({"authentication": {"security_type": 1}}),
            false,
            &["confused_state"],
        ),
        (
            vec![
                &V38,
                &[(DOWN, b"\x02\x02\x10"), (UP, b"\x02")],
                &CHALLENGE,
                &[(DOWN, b"\0\0\0\x01\0\0\0\x02no")],
            ],
            ["008", "008"],
            json!({"authentication": {"security_type": 2, "vnc": vnc},
                "server_security_failure_reason": "no"}),
            false,
            &[],
        ),
        (
            vec![&V37, &[(DOWN, b"\x01\x02"), (UP, b"\x02")], &CHALLENGE, &[(DOWN, b"\0\0\0\x02")]],
            ["008", "007"],
            json!({"authentication": {"security_type": 2, "vnc": vnc}}),
            false,
            &["unknown_security_result"],
        ),
        (
            vec![&V38, &[(DOWN, b"\x01\x02"), (UP, b"\x02")], &CHALLENGE, &[(DOWN, b"\0\0\0\x09")]],
            ["008", "008"],
            json!({"authentication": {"security_type": 2, "vnc": vnc}}),
            false,
            &["unknown_security_result"],
        ),
        (
            vec![&V38, &[(DOWN, b"\0\0\0\0\x02no")]],
            ["008", "008"],
            json!({"server_security_failure_reason": "no"}),
            false,
            &[],
        ),
        (
            vec![&V38, &[(DOWN, b"\x01\x1e"), (UP, b"\x1e"), (DOWN, b"anything"), (UP, b"else")]],
            ["008", "008"],
            json!({"authentication": {"security_type": 30}}),
            false,
            &["unimplemented_security_type"],
        ),
    ];
    for (pieces, [server, client], said, has_desktop, odd) in cases {
        let conversation = led(&pieces);
        let mut expected = versions(server, client);
        let parts = [Some(said), Some(desktop.clone()).filter(|_| has_desktop)];
        for part in parts.into_iter().flatten() {
            expected.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        }
        assert_eq!(record(&conversation), expected);
        assert_eq!(conversation.anomalies(0), odd);
        // What is refused, and what a client chose that nobody knows, ends with the connection.
        let is_open = expected.get("server_security_failure_reason").is_some()
            || odd == ["unimplemented_security_type"];
        assert_eq!(conversation.is_complete(0), !is_open);
    }
}

#[test]
fn a_server_that_decides_on_what_nobody_knows() {
    let conversation = led(&[&V33, &[(DOWN, b"\0\0\0\x1e")]]);
    assert_eq!(record(&conversation), versions("003", "003"));
    assert_eq!(conversation.anomalies(0), ["unimplemented_security_type"]);
    assert!(conversation.is_complete(0));
}

fn versions(server: &str, client: &str) -> Value {
    json!({"server_protocol_version": {"major": "003", "minor": server},
        "client_protocol_version": {"major": "003", "minor": client}})
}

#[test]
fn fields_of_rules() {
    let vnc: &[Said<'_>] = &[(DOWN, b"\x01\x02"), (UP, b"\x02")];
    let unknown: &[Said<'_>] = &[(DOWN, b"\0\0\0\x09")];
    let cases: &[(&[Said<'_>], &str, Direction, &[&str])] = &[
        (&[OK], "rfb.sectype", UP, &["2"]),
        (&[OK], "rfb.secresult", DOWN, &["0"]),
        (unknown, "rfb.secresult", DOWN, &[]),
        (unknown, "rfb.name", DOWN, &[]),
        (&[OK, INIT[0], INIT[1]], "rfb.name", DOWN, &["mine"]),
    ];
    for (rest, name, direction, expected) in cases {
        let conversation = led(&[&V38, vnc, &CHALLENGE, rest]);
        assert_eq!(conversation.values(0, name, *direction), *expected, "{name}");
    }
}

#[test]
fn what_is_wrong() {
    use Outcome::{Error, Ok};
    let types: &[Said<'_>] = &[V38[0], V38[1], (DOWN, b"\x01\x02")];
    let cases: &[(&[Said<'_>], Outcome, &[&str])] = &[
        (&[(DOWN, b"RFB 003;008\n")], Error, &[]),
        (&[V38[0], (UP, b"RFB is nice\n")], Error, &[]),
        (&[V38[0], V38[0]], Ok, &["confused_state"]),
        (&[types[0], types[1], types[2], (DOWN, b"\0")], Ok, &["confused_state"]),
        (&[(UP, b"RFB 003.008\n")], Ok, &[]),
    ];
    for (pieces, outcome, expected) in cases {
        let mut conversation = Conversation::new(&RFB, &NoOptions);
        for (direction, bytes) in *pieces {
            conversation.push(*direction, bytes);
        }
        assert_eq!(conversation.outcome, *outcome);
        let transaction = pieces[0].0 == DOWN && pieces.len() > 1;
        assert_eq!(conversation.ids().len(), usize::from(transaction));
        if transaction {
            assert_eq!(conversation.anomalies(0), *expected);
        }
    }
}

fn as_zeek(pieces: &[&[Said<'_>]]) -> Conversation {
    let mut conversation = Conversation::new(&RFB, &NoOptions);
    conversation.as_zeek = true;
    conversation.talk(&pieces.concat());
    conversation
}

#[test]
fn zeek_rows() {
    let versions =
        "client_major_version=003 client_minor_version=008 server_major_version=003 server_minor_version=008";
    let refused: &[Said<'_>] =
        &[(DOWN, b"\x01\x02"), (UP, b"\x02"), CHALLENGE[0], CHALLENGE[1], (DOWN, b"\0\0\0\x01\0\0\0\0")];
    let open: &[Said<'_>] = &[(DOWN, b"\x01\x01"), (UP, b"\x01"), OK, INIT[0], INIT[1]];
    let cases: &[(&[Said<'_>], &str)] = &[
        (refused, "authentication_method=VNC auth=F"),
        (open, "authentication_method=None auth=T share_flag=T desktop_name=mine width=800 height=600"),
        (&[(DOWN, b"\x01\x05"), (UP, b"\x05")], "authentication_method=RealVNC"),
    ];
    for (rest, expected) in cases {
        let mut conversation = as_zeek(&[&V38, rest]);
        let rows = conversation.zeek();
        assert_eq!(rows.of("rfb"), [format!("2: {versions} {expected}")]);
        assert_eq!(rows.of("service"), ["rfb"]);
    }
    // Apple's way of authentication is nothing to rules and records.
    let apple: &[Said<'_>] = &[
        (DOWN, b"\x02\x1e\x1f"),
        (UP, b"\x1e"),
        (DOWN, b"\0\x02\0\x02ppkk"),
        (UP, b"kkcc"),
        OK,
        INIT[0],
        INIT[1],
    ];
    let expected = "authentication_method=Apple Remote Desktop auth=T share_flag=T desktop_name=mine width=800 height=600";
    assert_eq!(as_zeek(&[&V38, apple]).zeek().of("rfb"), [format!("2: {versions} {expected}")]);
    let mut alone = as_zeek(&[&V38[..1]]);
    alone.close();
    assert!(alone.zeek().lines.is_empty());
}

proptest! {
    #[test]
    fn any_bytes_are_taken(pieces in proptest::collection::vec((any::<bool>(), any::<Vec<u8>>()), 0..20)) {
        let mut conversation = Conversation::new(&RFB, &NoOptions);
        conversation.talk(&V38);
        for (from_client, bytes) in pieces {
            conversation.push(if from_client { UP } else { DOWN }, &bytes);
        }
        conversation.close();
        prop_assert!(conversation.is_complete(0));
    }
}
