//! Messages built here, through the parser, to fields, EVE records and a log of Zeek.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{NoOptions, Outcome};
use weir_base::Direction;

use super::SNMP;
use crate::ber::tag;
use crate::testing::{Conversation, DOWN, UP};

const UP_TIME: &[u8] = &[0x2b, 6, 1, 2, 1, 1, 3, 0];
const DESCRIPTION: &[u8] = &[0x2b, 6, 1, 2, 1, 1, 1, 0];
const NULL: &[u8] = &[5, 0];

/// An element.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = if length < 0x80 {
        vec![tag, length as u8]
    } else {
        vec![tag, 0x82, (length >> 8) as u8, length as u8]
    };
    [&head, content].concat()
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(tag::SEQUENCE, &parts.concat())
}

fn octets(text: &[u8]) -> Vec<u8> {
    tlv(tag::OCTET_STRING, text)
}

fn number(value: u8) -> Vec<u8> {
    tlv(tag::INTEGER, &[value])
}

fn variables(variables: &[(&[u8], &[u8])]) -> Vec<u8> {
    let pair = |(name, value): &(&[u8], &[u8])| sequence(&[&tlv(tag::OBJECT_IDENTIFIER, name), value]);
    tlv(tag::SEQUENCE, &variables.iter().flat_map(pair).collect::<Vec<_>>())
}

fn pdu(kind: u8, error: u8, list: &[(&[u8], &[u8])]) -> Vec<u8> {
    tlv(0xa0 | kind, &[number(7), number(error), number(0), variables(list)].concat())
}

/// A message of version 1 or 2c.
fn plain(version: u8, community: &str, pdu: &[u8]) -> Vec<u8> {
    sequence(&[&number(version), &octets(community.as_bytes()), pdu])
}

/// A message of version 3, in which the model of security and the flags are told.
fn secured(model: u8, flags: u8, user: &str, data: &[u8]) -> Vec<u8> {
    let header = sequence(&[&number(1), &number(9), &octets(&[flags]), &number(model)]);
    let parameters = sequence(&[
        &octets(b"engine"),
        &number(1),
        &number(2),
        &octets(user.as_bytes()),
        &octets(b""),
        &octets(b""),
    ]);
    sequence(&[&number(3), &header, &octets(&parameters), data])
}

fn scoped(pdu: &[u8]) -> Vec<u8> {
    sequence(&[&octets(b"engine"), &octets(b""), pdu])
}

fn trap() -> Vec<u8> {
    let parts = [
        tlv(tag::OBJECT_IDENTIFIER, &[0x2b, 6, 1, 4, 1, 9]),
        tlv(0x40, &[192, 0, 2, 1]),
        number(3),
        number(0),
        tlv(0x43, &[0]),
        variables(&[(&[0x2b, 6], &number(5))]),
    ];
    tlv(0xa4, &parts.concat())
}

fn eve(datagram: &[u8]) -> Option<Value> {
    let conversation = Conversation::of(&SNMP, &NoOptions, &[(UP, datagram)]);
    conversation.ids().first().and_then(|&id| conversation.eve(id, &NoOptions))
}

#[test]
fn records() {
    let get = pdu(0, 0, &[(UP_TIME, NULL)]);
    let cases = [
        (
            plain(0, "public", &get),
            json!({"version": 1, "pdu_type": "get_request", "vars": ["1.3.6.1.2.1.1.3.0"], "community": "public"}),
        ),
        (
            plain(1, "x", &pdu(2, 2, &[(&[1], NULL), (UP_TIME, NULL)])),
            json!({"version": 2, "pdu_type": "response", "error": "NoSuchName",
                "vars": ["0.1", "1.3.6.1.2.1.1.3.0"], "community": "x"}),
        ),
        (
            plain(1, "x", &pdu(5, 2, &[])),
            json!({"version": 2, "pdu_type": "get_bulk_request", "community": "x"}),
        ),
        (
            plain(0, "x", &trap()),
            json!({"version": 1, "pdu_type": "trap_v1", "trap_type": "linkUp", "trap_oid": "1.3.6.1.4.1.9",
                "trap_address": "192.0.2.1", "vars": ["1.3.6"], "community": "x"}),
        ),
        (
            secured(3, 0, "admin", &scoped(&pdu(8, 0, &[]))),
            json!({"version": 3, "pdu_type": "report", "usm": "admin"}),
        ),
        (
            secured(3, 3, "admin", &octets(b"secret")),
            json!({"version": 3, "pdu_type": "encrypted", "usm": "admin"}),
        ),
    ];
    for (datagram, expected) in cases {
        assert_eq!(eve(&datagram), Some(expected));
    }
}

#[test]
fn numbers_below_zero_are_for_zeek_alone() {
    let get = pdu(0, 0, &[(UP_TIME, NULL)]);
    let negative = tlv(0xa0, &[number(0xfe), number(0), number(0), variables(&[])].concat());
    let cases = [
        (plain(1, "x", &get), true),
        (plain(1, "x", &negative), false),
        (secured(3, 0, "admin", &scoped(&get)), true),
        (secured(0x83, 0, "admin", &scoped(&get)), false),
    ];
    for (datagram, read) in cases {
        let mut conversation = Conversation::of(&SNMP, &NoOptions, &[(UP, &datagram)]);
        let (record, version) = (conversation.eve(0, &NoOptions), conversation.values(0, "snmp.version", UP));
        assert_eq!((record.is_some(), version.len()), (read, usize::from(read)), "{datagram:02x?}");
        assert!(conversation.anomalies(0).is_empty() && !conversation.zeek().lines.is_empty());
    }
}

#[test]
fn what_is_no_message() {
    let get = pdu(0, 0, &[(UP_TIME, NULL)]);
    let whole = plain(0, "public", &get);
    let cases = [
        whole[..whole.len() - 1].to_vec(),
        plain(2, "public", &get),
        plain(0, "public", &pdu(9, 0, &[])),
        plain(0, "public", &tlv(0x30, &get[2..])),
        secured(3, 2, "admin", &scoped(&get)),
        secured(3, 0, "admin", &octets(b"secret")),
        Vec::new(),
    ];
    for datagram in cases {
        let mut conversation = Conversation::new(&SNMP, &NoOptions);
        let found = conversation.call(|parser, cx| {
            assert_eq!(parser.data(cx, UP, &datagram), Outcome::Refused);
            cx.anomalies.iter().map(|anomaly| SNMP.anomalies[usize::from(anomaly.0)]).collect::<Vec<_>>()
        });
        assert_eq!((found, conversation.ids().len()), (vec!["malformed_data"], 0), "{datagram:02x?}");
    }
}

#[test]
fn what_is_odd() {
    let get = pdu(0, 0, &[(UP_TIME, NULL)]);
    let conversation = Conversation::of(
        &SNMP,
        &NoOptions,
        &[(UP, plain(0, "a", &get)), (UP, plain(1, "a", &get)), (DOWN, secured(4, 0, "", &scoped(&get)))],
    );
    let odd: Vec<_> = conversation.ids().into_iter().map(|id| conversation.anomalies(id)).collect();
    assert_eq!(odd, [vec![], vec!["version_mismatch"], vec!["unknown_security_model", "version_mismatch"]]);
}

#[test]
fn fields() {
    let get = pdu(1, 0, &[(UP_TIME, NULL)]);
    let conversation = Conversation::of(
        &SNMP,
        &NoOptions,
        &[(UP, plain(0, "public", &trap())), (UP, secured(3, 0, "admin", &scoped(&get)))],
    );
    let cases: &[(u64, &str, &[&str])] = &[
        (0, "snmp.version", &["1"]),
        (0, "snmp.community", &["public"]),
        (0, "snmp.usm", &[]),
        (0, "snmp.pdu_type", &["4"]),
        (0, "snmp.trap_type", &["3"]),
        (0, "snmp.trap_oid", &["1.3.6.1.4.1.9"]),
        (0, "snmp.trap_address", &["192.0.2.1"]),
        (1, "snmp.version", &["3"]),
        (1, "snmp.community", &[]),
        (1, "snmp.usm", &["admin"]),
        (1, "snmp.pdu_type", &["1"]),
        (1, "snmp.trap_type", &[]),
        (1, "snmp.trap_oid", &[]),
    ];
    for (id, name, expected) in cases {
        assert_eq!(conversation.values(*id, name, UP), *expected, "{id} {name}");
    }
}

#[test]
fn zeek_rows() {
    let ask = |kind, names: &[&[u8]]| {
        let list: Vec<_> = names.iter().map(|&name| (name, NULL)).collect();
        plain(1, "public", &pdu(kind, 0, &list))
    };
    let (ticks, text) = (tlv(0x43, &[100]), octets(b"router"));
    let long = [&[0x2b][..], &[0x80; 10], &[0]].concat();
    type Case<'a> = (Vec<(Direction, Vec<u8>)>, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            vec![
                (UP, ask(0, &[UP_TIME, DESCRIPTION])),
                (DOWN, plain(1, "", &pdu(2, 0, &[(UP_TIME, &ticks), (DESCRIPTION, &text)]))),
                (UP, ask(1, &[UP_TIME])),
                (UP, ask(5, &[UP_TIME])),
                (UP, ask(3, &[UP_TIME])),
            ],
            &[
                "service snmp",
                "snmp 1: duration=4 version=2c community=public get_requests=3 get_bulk_requests=1 get_responses=2 \
                 set_requests=1 display_string=router up_since=1",
            ],
        ),
        (
            vec![
                (UP, secured(3, 0, "", &scoped(&pdu(0, 0, &[])))),
                (UP, secured(3, 0, "admin", &scoped(&pdu(0, 0, &[(UP_TIME, NULL)])))),
            ],
            &[
                "snmp 1: duration=1 version=3 community=admin get_requests=1 get_bulk_requests=0 get_responses=0 \
               set_requests=0",
            ],
        ),
        (
            vec![(UP, plain(0, "", &pdu(0, 0, &[(&long, NULL)])))],
            &[
                "weird of none asn_oid_subidentifier_too_long: 11",
                "snmp 1: duration=0 version=1 community= get_requests=1 get_bulk_requests=0 get_responses=0 \
                 set_requests=0",
            ],
        ),
        (vec![(UP, b"no message".to_vec())], &[]),
    ];
    for (datagrams, expected) in cases {
        let mut conversation = Conversation::of(&SNMP, &NoOptions, datagrams);
        assert_eq!(conversation.zeek().lines, *expected);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), version in 0u8..4) {
        let inner = tlv(0xa0, &bytes);
        let datagrams = [(UP, bytes.clone()), (UP, plain(version, "", &inner)), (DOWN, secured(3, 0, "", &scoped(&inner)))];
        let mut conversation = Conversation::of(&SNMP, &NoOptions, &datagrams);
        prop_assert!(!conversation.summary().is_empty());
    }
}
