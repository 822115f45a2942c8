//! Messages built here, through the parser, to the keyword, EVE records and Zeek's log.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{Access, NoOptions, Outcome, Request, Transport};
use weir_base::Direction;

use super::MODBUS;
use super::parser::{MAX_ALIKE, MAX_WAITING};
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

/// A message of transaction `id` to unit 9.
fn message(id: u8, function: u8, body: &[u8]) -> Vec<u8> {
    [&[0, id, 0, 0, 0, body.len() as u8 + 2, 9, function], body].concat()
}

fn talk(pieces: &[(Direction, Vec<u8>)]) -> Conversation {
    Conversation::of(&MODBUS, &NoOptions, pieces)
}

fn matches(conversation: &Conversation, id: u64, option: &str) -> bool {
    let Access::Check(parse) = MODBUS.fields[0].access else { panic!("no check") };
    parse(Some(option)).unwrap().matches(conversation.transaction(id), UP)
}

/// Request, response, both in records, and anomalies.
type Exchange<'a> = (u8, &'a [u8], (u8, &'a [u8]), Value, &'a [&'a str]);

#[test]
fn exchanges() {
    let cases: &[Exchange<'_>] = &[
        (
            1,
            b"\0\x10\0\x09",
            (1, b"\x02\x7f\x01"),
            json!([
                {"function_code": "RdCoils", "access_type": "READ | COILS", "category": "PUBLIC_ASSIGNED",
                 "error_flags": "NONE", "read": {"address": 16, "quantity": 9}},
                {"read": {"data": "\u{7f}\u{1}"}, "error_flags": "NONE"},
            ]),
            &[],
        ),
        (
            3,
            b"\0\0\0\x02",
            (3, b"\x03\0\x01\x02"),
            json!([{"access_type": "READ | HOLDING"}, {"error_flags": "DATA_VALUE"}]),
            &["value_mismatch"],
        ),
        // Two registers, which are counted as if they were bits.
        (
            4,
            b"\0\0\0\x02",
            (4, b"\x04\0\x01\0\x02"),
            json!([{"access_type": "READ | INPUT"}, {"error_flags": "DATA_VALUE"}]),
            &["value_mismatch"],
        ),
        (
            4,
            b"\0\0\0\x02\0",
            (0x84, b"\x02"),
            json!([
                {"error_flags": "DATA_LENGTH"},
                {"function_raw": 132, "function_code": "RdInputRegs", "exception": {"raw": 2, "code": "IllegalDataAddr"}},
            ]),
            &["invalid_length"],
        ),
        (
            5,
            b"\0\x07\xff\x01",
            (5, b"\0\x07\xff\0"),
            json!([
                {"access_type": "WRITE | COILS | SINGLE | WRITE_SINGLE", "write": {"address": 7, "data": 0xff01}},
                {"write": {"address": 7, "data": 0xff00}},
            ]),
            &["invalid_value", "value_mismatch"],
        ),
        (
            15,
            b"\0\x01\0\x0a\x02\xff\x03",
            (15, b"\0\x01\0\x0a"),
            json!([
                {"write": {"address": 1, "quantity": 10, "data": "\\xff\u{3}"}},
                {"write": {"address": 1, "data": 10}, "error_flags": "NONE"},
            ]),
            &[],
        ),
        (
            22,
            b"\0\x04\0\xf2\0\x25",
            (22, b"\0\x04\0\xf2\0\x25"),
            json!([{"write": {"address": 4, "and_mask": 242, "or_mask": 37}}, {"error_flags": "NONE"}]),
            &[],
        ),
        (
            23,
            b"\0\x03\0\x01\0\x0e\0\x01\x02\0\xff",
            (23, b"\x02\0\xfe"),
            json!([
                {"read": {"address": 3, "quantity": 1}, "write": {"address": 14, "quantity": 1, "data": "\0\\xff"}},
                {"read": {"data": "\0\\xfe"}},
            ]),
            &[],
        ),
        (
            8,
            b"\0\x04\0\0",
            (8, b"\0\x04\0\0"),
            json!([{"diagnostic": {"raw": 4, "code": "ForceListenOnlyMode", "data": "\0\0"}}, {"category": "PUBLIC_ASSIGNED"}]),
            &[],
        ),
        (
            8,
            b"\0\x0a\0\x01",
            (0x88, b"\x08"),
            json!([{"error_flags": "DATA_VALUE"}, {"category": "NONE", "error_flags": "EXC_CODE"}]),
            &["invalid_value", "invalid_exception_code"],
        ),
        (
            43,
            b"\x0e\x01\0",
            (43, b"\x0e\x01\x01"),
            json!([{"function_code": "MEI", "mei": {"raw": 14, "code": "RdDevId", "data": "\u{1}\0"}}, {}]),
            &[],
        ),
        (
            100,
            b"some",
            (100, b"thing"),
            json!([{"function_code": "Unknown", "category": "USER_DEFINED", "data": "some"}, {"data": "thing"}]),
            &[],
        ),
        (
            0,
            b"",
            (0, b""),
            json!([{"error_flags": "FUNC_CODE", "category": "NONE"}, {}]),
            &["invalid_function_code"],
        ),
        (7, b"x", (7, b""), json!([{"data": "x"}, {"data": ""}]), &["invalid_length"]),
    ];
    for (asked, request, (answered, response), expected, anomalies) in cases {
        let found = talk(&[(UP, message(1, *asked, request)), (DOWN, message(1, *answered, response))]);
        let record = found.eve(0, &NoOptions).unwrap();
        for (which, part) in ["request", "response"].into_iter().zip(expected.as_array().unwrap()) {
            for (key, value) in part.as_object().unwrap() {
                assert_eq!(&record[which][key], value, "{asked} {which} {key}");
            }
        }
        assert_eq!(found.anomalies(0), *anomalies, "{asked}");
        assert!(found.is_complete(0), "{asked}");
    }
}

#[test]
fn responses_that_nobody_asked_for() {
    let found = talk(&[
        (UP, message(1, 1, b"\0\0\0\x01")),
        (DOWN, message(2, 1, b"\x01\x01")),
        (DOWN, message(1, 2, b"\x01\x01")),
        (DOWN, message(1, 1, b"\x01\x01")),
        (DOWN, message(1, 1, b"\x01\x01")),
    ]);
    let unsolicited = ["unsolicited_response"];
    let anomalies: Vec<_> = (0..4).map(|id| found.anomalies(id)).collect();
    assert_eq!(anomalies, [&[][..], &unsolicited, &unsolicited, &unsolicited]);
    assert_eq!(found.eve(1, &NoOptions).unwrap()["request"], Value::Null);
    assert!(matches(&found, 1, "function 1") && found.is_complete(0));
}

#[test]
fn what_rules_ask_for() {
    let found = talk(&[
        (UP, message(1, 15, b"\0\x63\0\x0a\x02\xff\x01")),
        (UP, message(2, 16, b"\0\x01\0\x02\x04\x12\x34\x56\x78")),
        (UP, message(3, 6, b"\0\x01\0\x05")),
        (UP, message(4, 3, b"\xff\xff\0\x05")),
        (UP, message(5, 90, b"")),
    ]);
    let cases: &[(u64, &str, bool)] = &[
        (0, "unit 9, access write coils, address 100", true),
        (0, "access write coils, address 99", false),
        (0, "access write, address 108, value 1", true),
        (0, "access write, address 109, value 1", false),
        (1, "access write holding, address 3, value 22136", true),
        (1, "access write holding, address 2, value <4660", false),
        (2, "access write holding, address 2, value 5", true),
        (2, "access read", false),
        // No number is that of the last address.
        (3, "access read holding, address >0", false),
        (3, "access read holding", true),
        (4, "function 90", true),
        (4, "function 91", false),
        (4, "function reserved", true),
        (4, "function !reserved", false),
        (4, "unit <9", false),
    ];
    for (id, option, expected) in cases {
        assert_eq!(matches(&found, *id, option), *expected, "{id} {option}");
    }
}

#[test]
fn floods() {
    let settings = Settings(&[("request-flood", "2"), ("stream-depth", "1mb")]);
    let mut found = Conversation::new(&MODBUS, &settings);
    for id in 0..4 {
        found.push(UP, &message(id, 1, b"\0\0\0\x01"));
    }
    assert!(matches!(found.requests[0], Request::StreamDepth(0x10_0000)));
    let flooded: Vec<_> = (0..4).filter(|id| found.anomalies(*id) == ["flooded"]).collect();
    assert_eq!(flooded, [2]);
    for _ in 0..MAX_WAITING {
        found.push(UP, &message(9, 1, b"\0\0\0\x01"));
    }
    assert!(found.is_complete(3) && !found.is_complete(4));
    found.push(DOWN, &message(9, 1, b"\x01\x01"));
    assert!(found.is_complete(4) && !found.is_complete(5));
}

#[test]
fn responses_are_compared_with_requests_alike() {
    for (alike, is_found) in [(MAX_ALIKE - 1, true), (MAX_ALIKE, false)] {
        let mut found = Conversation::new(&MODBUS, &NoOptions);
        // Others do not count.
        for id in 0..MAX_ALIKE as u8 * 2 {
            found.push(UP, &message(id, 8, b"\0\x04\0\0"));
        }
        for _ in 0..alike {
            found.push(UP, &message(200, 8, b"\0\x04\0\0"));
        }
        found.push(UP, &message(200, 8, b"\0\x0a\0\0"));
        let last = found.ids().len() as u64 - 1;
        found.push(DOWN, &message(200, 8, b"\0\x0a\0\0"));
        assert_eq!(found.is_complete(last), is_found);
        assert_eq!(found.ids().len() as u64 - 1, if is_found { last } else { last + 1 });
    }
}

#[test]
fn wrong_lengths_and_gaps() {
    let mut found = talk(&[(UP, [&b"\0\x01\0\x07\x01\xff\x09\x01\0\0\0\x01"[..], b"more"].concat())]);
    assert_eq!(found.anomalies(0), ["invalid_length", "invalid_protocol_id"]);
    assert_eq!(
        found.push(UP, &message(2, 1, b"\0\0\0\x01")[..7]),
        Outcome::Incomplete { consumed: 0, needed: 12 }
    );
    assert_eq!(found.gap(UP, 5), Outcome::Ok);
    assert_eq!(found.push(UP, &message(3, 1, b"\0\0\0\x01")), Outcome::Ok);
    assert_eq!(found.eve(1, &NoOptions).unwrap()["request"]["transaction_id"], 3);
    assert_eq!(found.gap(UP, 5), Outcome::Ok);
    assert_eq!(found.push(UP, b"something else"), Outcome::Error);
}

#[test]
fn zeek() {
    let mut found = Conversation::new(&MODBUS, &NoOptions);
    found.as_zeek = true;
    let long = [&b"\0\x05\0\0\x01\x04\x09\x5a"[..], &[1; 0x102]].concat();
    found.talk(&[
        (UP, message(1, 3, b"\0\0\0\x01")),
        (UP, message(2, 100, b"")),
        (DOWN, message(1, 0x83, b"\x02")),
        (DOWN, message(2, 0xe4, b"\x63")),
        (UP, message(3, 0x83, b"\x02")),
        (UP, b"\0\x04\0\x01\0\x02\x09\x01".to_vec()),
        (UP, long[..20].to_vec()),
        (UP, long[20..].to_vec()),
        (UP, message(6, 1, b"\0\0\0\x01")),
        // Too short: what came with it is not read.
        (UP, [&b"\0\x07\0\0\0\x01"[..], &message(7, 1, b"\0\0\0\x01")].concat()),
        (UP, message(8, 1, b"\0\0\0\x01")),
    ]);
    let rows = found.zeek();
    assert_eq!(
        rows.of("modbus"),
        [
            "1: tid=1 unit=9 func=READ_HOLDING_REGISTERS pdu_type=REQ",
            "2: tid=2 unit=9 func=unknown-100 pdu_type=REQ",
            "3: tid=1 unit=9 func=READ_HOLDING_REGISTERS_EXCEPTION pdu_type=RESP exception=ILLEGAL_DATA_ADDRESS",
            "4: tid=2 unit=9 func=unknown-228 pdu_type=RESP exception=unknown-99",
            "7: tid=5 unit=9 func=PROGRAM_UNITY pdu_type=REQ",
            "9: tid=6 unit=9 func=READ_COILS pdu_type=REQ",
            "11: tid=8 unit=9 func=READ_COILS pdu_type=REQ",
        ]
    );
    assert_eq!(rows.of("service"), ["modbus"]);
}

#[test]
fn pieces() {
    let pieces = [
        (UP, [message(1, 1, b"\0\0\0\x01"), message(2, 16, b"\0\x01\0\x01\x02\x12\x34")].concat()),
        (DOWN, [message(1, 1, b"\x01\x01"), message(2, 16, b"\0\x01\0\x01")].concat()),
    ];
    let found = same_in_any_pieces(|| Conversation::new(&MODBUS, &NoOptions), &pieces);
    assert_eq!((found.ids(), found.endpoints.transport), (vec![0, 1], Transport::Tcp));
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..40)), 0..20)) {
        let mut found = Conversation::new(&MODBUS, &NoOptions);
        for (up, bytes) in &pieces {
            // Headers that are ones, of short messages.
            let bytes = [&[0, 1, 0, 0, 0, bytes.len() as u8][..], bytes].concat();
            found.push(if *up { UP } else { DOWN }, &bytes);
        }
        found.summary();
    }
}
