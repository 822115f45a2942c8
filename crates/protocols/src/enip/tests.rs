//! Messages built here, through the parser, to keywords, frames and EVE records.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{Access, NoOptions, Outcome, Transport};
use weir_base::Direction;

use super::ENIP;
use super::message::MAX_ITEMS;
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

/// A message of session 7.
fn message(command: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![command, 0];
    bytes.extend((data.len() as u16).to_le_bytes());
    bytes.extend([7, 0, 0, 0]);
    bytes.extend([0; 16]);
    bytes.extend(data);
    bytes
}

fn item(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
}

fn items(items: &[Vec<u8>]) -> Vec<u8> {
    [&(items.len() as u16).to_le_bytes()[..], &items.concat()].concat()
}

/// A service over a connection.
fn unit_data(sequence: u8, service: &[u8]) -> Vec<u8> {
    let data = [&[sequence, 0][..], service].concat();
    let items = items(&[item(0xa1, b"\x01\0\0\0"), item(0xb1, &data)]);
    message(0x70, &[&[0; 6][..], &items].concat())
}

fn identity() -> Vec<u8> {
    let mut data = b"\x01\0".to_vec();
    data.extend([0; 16]);
    data.extend(b"\x2f\0\x0c\0\x3a\0\x04\x03\x30\0\x8e\x4d\x52\0\x04NX-1\x03");
    message(0x63, &items(&[item(0x0c, &data)]))
}

#[test]
fn identities() {
    let found = Conversation::of(&ENIP, &NoOptions, &[(UP, message(0x63, b"")), (DOWN, identity())]);
    assert_eq!(
        found.eve(0, &NoOptions).unwrap(),
        json!({
            "request": {"command": "list_identity", "status": "success"},
            "response": {
                "command": "list_identity", "status": "success",
                "identity": {
                    "protocol_version": 1, "revision": "4.3", "vendor_id": "Omron Corporation",
                    "device_type": "Communications Adapter", "product_code": 58, "status": 48,
                    "serial": 0x524d8e, "product_name": "NX-1", "state": 3,
                },
            },
        })
    );
    for (field, direction, expected) in [
        ("enip.command", UP, "99"),
        ("enip_command", DOWN, "99"),
        ("enip.status", DOWN, "0"),
        ("enip.protocol_version", DOWN, "1"),
        ("enip.revision", DOWN, "1027"),
        ("enip.identity_status", DOWN, "48"),
        ("enip.state", DOWN, "3"),
        ("enip.serial", DOWN, "5393806"),
        ("enip.product_code", DOWN, "58"),
        ("enip.device_type", DOWN, "12"),
        ("enip.vendor_id", DOWN, "47"),
        ("enip.product_name", DOWN, "NX-1"),
    ] {
        assert_eq!(found.values(0, field, direction), [expected], "{field}");
    }
    assert!(found.is_complete(0));
}

#[test]
fn sessions_and_services() {
    let mut offered = b"\x01\0\x20\x01Communications\0\0".to_vec();
    let list = items(&[item(0x100, &offered)]);
    let found = Conversation::of(
        &ENIP,
        &NoOptions,
        &[
            (UP, [&[0x65, 0, 4, 0][..], &[0; 20], b"\x01\0\0\0"].concat()),
            (DOWN, message(0x65, b"\x01\0\0\0")),
            (UP, message(4, b"")),
            (DOWN, message(4, &list)),
            (UP, message(0x62, b"any")),
        ],
    );
    assert_eq!(found.ids(), [0, 1, 2]);
    let record = |id| found.eve(id, &NoOptions).unwrap();
    assert_eq!(record(0)["response"]["register_session"], json!({"protocol_version": 1, "options": 0}));
    offered.drain(..4);
    let name = String::from_utf8(offered).unwrap();
    let expected = json!({"protocol_version": 1, "capabilities": 0x120, "service_name": name});
    assert_eq!(record(1)["response"]["list_services"], expected);
    assert_eq!(found.values(1, "enip.capabilities", DOWN), ["288"]);
    assert_eq!(found.values(1, "enip.service_name", DOWN), [name]);
    assert_eq!(record(2)["request"]["command"], "unknown-98");
}

fn matches(found: &Conversation, id: u64, direction: Direction, option: &str) -> bool {
    let field = ENIP.fields.iter().find(|field| field.name == "cip_service").unwrap();
    let Access::Check(parse) = field.access else { panic!("no check") };
    parse(Some(option)).unwrap().matches(found.transaction(id), direction)
}

#[test]
fn services_of_objects() {
    let request = b"\x0a\x02\x20\x02\x24\x01\x02\0\x06\0\x10\0\x03\x02\x20\x8b\x24\x01\x01\0\x05\0\x0e\x03\x20\x01\x24\x01\x30\x07";
    let response = b"\x8a\0\x1e\0\x02\0\x06\0\x0c\0\x83\0\0\0ab\x8e\0\x01\x01\x07\x01";
    let found =
        Conversation::of(&ENIP, &NoOptions, &[(UP, unit_data(1, request)), (DOWN, unit_data(1, response))]);
    assert_eq!(found.ids(), [0]);
    let record = found.eve(0, &NoOptions).unwrap();
    assert_eq!(
        record["request"]["cip"],
        json!({
            "service": "Multiple Service Packet",
            "path": [{"segment_type": "class", "value": 2}, {"segment_type": "instance", "value": 1}],
            "class_name": "Message Router",
            "multiple": [
                {"service": "Get Attribute List", "class_name": "unknown-139",
                 "path": [{"segment_type": "class", "value": 139}, {"segment_type": "instance", "value": 1}]},
                {"service": "Get Attributes Single", "class_name": "Identity",
                 "path": [{"segment_type": "class", "value": 1}, {"segment_type": "instance", "value": 1},
                          {"segment_type": "attribute", "value": 7}]},
            ],
        })
    );
    assert_eq!(
        record["response"]["cip"]["multiple"],
        json!([
            {"service": "Get Attribute List", "status": "Success"},
            {"service": "Get Attributes Single", "status": "Connection Failure", "status_extended": "0701",
             "status_extended_meaning": "Target connection not found"},
        ])
    );
    for (field, direction, expected) in [
        ("enip.cip_class", UP, &["2", "139", "1"][..]),
        ("enip.cip_instance", UP, &["1", "1", "1"]),
        ("enip.cip_attribute", UP, &["5", "7"]),
        ("enip.cip_status", DOWN, &["30", "0", "1"]),
        ("enip.cip_extendedstatus", DOWN, &["263"]),
    ] {
        assert_eq!(found.values(0, field, direction), expected, "{field}");
    }
    for (option, up, down) in [
        ("10", true, true),
        ("3", true, true),
        ("3,139", true, false),
        ("3,139,5", true, false),
        ("3,139,7", false, false),
        ("14,1,!9", true, false),
        ("16", false, false),
    ] {
        assert_eq!(
            (matches(&found, 0, UP, option), matches(&found, 0, DOWN, option)),
            (up, down),
            "{option}"
        );
    }
}

#[test]
fn what_belongs_together() {
    let get = b"\x0e\x02\x20\x01\x24\x01";
    let done = b"\x8e\0\0\0";
    let found = Conversation::of(
        &ENIP,
        &NoOptions,
        &[
            (UP, unit_data(1, get)),
            (UP, unit_data(2, get)),
            (UP, unit_data(3, get)),
            // The second one: the first one waits no more.
            (DOWN, unit_data(2, done)),
            // To nothing that was asked: the third one waits no more, either.
            (DOWN, identity()),
            (DOWN, unit_data(3, done)),
        ],
    );
    let answered: Vec<_> = found
        .ids()
        .iter()
        .map(|id| found.tx::<super::transaction::EnipTransaction>(*id))
        .map(|tx| (tx.request.is_some(), tx.response.is_some()))
        .collect();
    assert_eq!(answered, [(true, false), (true, true), (true, false), (false, true), (false, true)]);
    assert!(found.ids().iter().all(|id| found.is_complete(*id)));
}

#[test]
fn wrong_messages_and_limits() {
    let path_short = unit_data(1, b"\x0e\x09\x20\x01");
    let many = message(0x6f, &[&[0; 6][..], &items(&vec![item(0, b""); MAX_ITEMS + 1])].concat());
    let mut found = Conversation::new(&ENIP, &Settings(&[("max-tx", "2")]));
    found.talk(&[(UP, path_short), (UP, many), (UP, message(0x65, b"\x01"))]);
    assert_eq!(found.anomalies(0), ["invalid_pdu", "too_many_transactions"]);
    assert_eq!((found.anomalies(1), found.anomalies(2)), (vec!["invalid_pdu"], vec!["invalid_pdu"]));
    assert!(found.is_complete(0) && !found.is_complete(1));
    assert_eq!(found.eve(0, &NoOptions).unwrap()["request"]["cip"], Value::Null);

    assert_eq!(found.gap(UP, 9), Outcome::Ok);
    found.push_in(UP, &[b"the end of a message", &message(0x63, b"")[..]].concat(), 7);
    assert_eq!(found.ids().len(), 4, "the header is found in pieces, too");

    let mut datagrams = Conversation::over(Transport::Udp, &ENIP, &NoOptions);
    assert_eq!(datagrams.push(UP, &message(0x63, b"")[..20]), Outcome::Refused);
    assert_eq!(datagrams.push(UP, &message(0x63, b"")), Outcome::Ok);
    assert_eq!(datagrams.push(DOWN, &identity()), Outcome::Ok);
    assert!(datagrams.is_complete(0));
}

#[test]
fn pieces() {
    let get = b"\x0e\x02\x20\x01\x24\x01";
    let said = [
        (UP, [message(0x63, b""), unit_data(1, get)].concat()),
        (DOWN, [identity(), unit_data(1, b"\x8e\0\0\0")].concat()),
    ];
    let found = same_in_any_pieces(|| Conversation::new(&ENIP, &NoOptions), &said);
    assert_eq!(found.ids(), [0, 1]);
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), 0u8..0x75, prop::collection::vec(any::<u8>(), 0..60)), 0..20)) {
        let mut found = Conversation::new(&ENIP, &NoOptions);
        for (up, command, bytes) in &pieces {
            let bytes = match command % 3 {
                0 => message(*command, bytes),
                1 => unit_data(1, bytes),
                _ => message(0x63, &items(&[item(0x0c, bytes)])),
            };
            found.push(if *up { UP } else { DOWN }, &bytes);
        }
        found.summary();
    }
}
