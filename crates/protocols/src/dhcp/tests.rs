//! Messages built here, through the parser, to fields, EVE records and a log of Zeek.

use std::net::Ipv4Addr;

use proptest::prelude::*;
use serde_json::json;
use weir_applayer::{NoOptions, Outcome};
use weir_base::Direction;

use super::DHCP;
use crate::testing::{Conversation, DOWN, Settings, UP};

/// Parts of a message; unnamed addresses are unspecified.
struct Built<'a> {
    operation: u8,
    client: [u8; 4],
    assigned: [u8; 4],
    options: &'a [(u8, &'a [u8])],
}

const NO_OPTIONS: Built<'static> = Built { operation: 1, client: [0; 4], assigned: [0; 4], options: &[] };

impl Built<'_> {
    fn head(&self) -> Vec<u8> {
        let mut bytes = vec![self.operation, 1, 6, 0, 0, 0, 0x30, 0x39, 0, 0, 0, 0];
        for address in [self.client, self.assigned, [10, 0, 0, 9], [10, 0, 0, 8]] {
            bytes.extend(address);
        }
        bytes.extend([2, 0, 0, 0, 0, 7]);
        bytes.resize(236, 0);
        bytes.extend([0x63, 0x82, 0x53, 0x63]);
        bytes
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        for (code, value) in self.options {
            bytes.extend([*code, value.len() as u8]);
            bytes.extend(*value);
        }
        bytes.extend([0, 0, 255, 0, 0]);
        bytes
    }
}

const DISCOVER: Built<'static> =
    Built { options: &[(53, &[1]), (12, b"host\0"), (55, &[1, 3, 77, 6])], ..NO_OPTIONS };
const OFFER: Built<'static> = Built {
    operation: 2,
    assigned: [10, 0, 0, 1],
    options: &[(53, &[2]), (51, &[0, 0, 1, 0])],
    ..NO_OPTIONS
};
const REQUEST: Built<'static> = Built {
    options: &[
        (53, &[3]),
        (50, &[10, 0, 0, 1]),
        (61, &[1, 2, 0, 0, 0, 0, 7]),
        (60, b"MSFT"),
        (81, b"\0\0\0full.name"),
    ],
    ..NO_OPTIONS
};
const ACK: Built<'static> = Built {
    operation: 2,
    assigned: [10, 0, 0, 1],
    options: &[
        (53, &[5]),
        (51, &[0, 0, 2, 0]),
        (58, &[0, 0, 1, 0]),
        (59, &[0, 0, 1, 0x80]),
        (1, &[255, 0, 0, 0]),
        (3, &[10, 0, 0, 2, 10, 0, 0, 3, 1]),
        (6, &[10, 0, 0, 4]),
        (15, b"example\0"),
        (58, &[0, 0, 9, 9]),
    ],
    ..NO_OPTIONS
};

#[test]
fn records() {
    let extended = [("extended", "yes")];
    let head = |kind: &str, name: &str, assigned: Ipv4Addr| {
        json!({"type": kind, "id": 12345, "client_mac": "02:00:00:00:00:07", "assigned_ip": assigned.to_string(),
            "client_ip": "0.0.0.0", "dhcp_type": name})
    };
    let with = |mut record: serde_json::Value, more: serde_json::Value| {
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record
    };
    let none = Ipv4Addr::UNSPECIFIED;
    let servers = json!({"relay_ip": "10.0.0.8", "next_server_ip": "10.0.0.9"});
    let cases = [
        (
            DISCOVER,
            with(
                head("request", "discover", none),
                json!({"hostname": "host\0", "params": ["subnet_mask", "router", "dns_server"]}),
            ),
        ),
        (
            REQUEST,
            with(
                head("request", "request", none),
                json!({"requested_ip": "10.0.0.1", "client_id": "02:00:00:00:00:07",
                    "vendor_class_identifier": "MSFT"}),
            ),
        ),
        (
            ACK,
            with(
                with(head("reply", "ack", [10, 0, 0, 1].into()), servers),
                json!({"lease_time": 512, "renewal_time": 256, "rebinding_time": 384, "subnet_mask": "255.0.0.0",
                    "routers": ["10.0.0.2", "10.0.0.3"], "dns_servers": ["10.0.0.4"]}),
            ),
        ),
    ];
    for (built, expected) in cases {
        let conversation = Conversation::of(&DHCP, &NoOptions, &[(UP, built.bytes())]);
        assert_eq!(conversation.eve(0, &Settings(&extended)), Some(expected));
    }
}

#[test]
fn only_what_gives_an_address_is_recorded() {
    let conversation = Conversation::of(&DHCP, &NoOptions, &[(UP, REQUEST.bytes()), (DOWN, ACK.bytes())]);
    assert_eq!(conversation.eve(0, &NoOptions), None);
    let expected = json!({"type": "reply", "id": 12345, "client_mac": "02:00:00:00:00:07",
        "assigned_ip": "10.0.0.1", "dhcp_type": "ack", "renewal_time": 256});
    assert_eq!(conversation.eve(1, &NoOptions), Some(expected));
}

#[test]
fn fields() {
    let conversation = Conversation::of(&DHCP, &NoOptions, &[(UP, REQUEST.bytes()), (DOWN, ACK.bytes())]);
    let cases: &[(&str, &[&str])] =
        &[("dhcp.leasetime", &["512"]), ("dhcp.renewal_time", &["256"]), ("dhcp.rebinding_time", &["384"])];
    for (name, expected) in cases {
        assert_eq!(conversation.values(0, name, UP), [""; 0], "{name}");
        assert_eq!(conversation.values(1, name, DOWN), *expected, "{name}");
    }
}

#[test]
fn what_is_odd() {
    let head = NO_OPTIONS.head();
    let cases: &[(&[u8], &[&str])] = &[
        (&[255], &[]),
        (&[53, 1, 1, 0, 0, 255], &[]),
        (&[], &["truncated_options"]),
        (&[53, 1, 1], &["truncated_options"]),
        (&[53], &["truncated_options"]),
        (&[12, 9, b'a'], &["truncated_options"]),
        (&[51, 2, 1, 1, 255], &["malformed_options"]),
        (&[61, 1, 1, 255], &["malformed_options"]),
    ];
    for (options, expected) in cases {
        let conversation = Conversation::of(&DHCP, &NoOptions, &[(UP, [&head[..], options].concat())]);
        assert_eq!(conversation.anomalies(0), *expected, "{options:02x?}");
    }
    let mut conversation = Conversation::new(&DHCP, &NoOptions);
    for short in [&head[..239], b"", &[1; 300]] {
        assert_eq!(conversation.push(UP, short), Outcome::Refused);
    }
    assert!(conversation.ids().is_empty());
}

#[test]
fn exchanges_in_zeeks_log() {
    let client = |built: &Built<'_>| (UP, built.bytes());
    let server = |built: &Built<'_>| (DOWN, built.bytes());
    let named = Built { options: &[(53, &[3]), (81, b"\x04\0\0\x04full\x04name\0")], ..NO_OPTIONS };
    let refused = Built { operation: 2, options: &[(53, &[6]), (56, b"no")], ..NO_OPTIONS };
    let old = Built { options: &[(56, b"why")], ..NO_OPTIONS };
    type Case = (Vec<(Direction, Vec<u8>)>, Vec<&'static str>);
    let cases: Vec<Case> = vec![
        (
            vec![client(&DISCOVER), server(&OFFER), client(&REQUEST), server(&ACK)],
            vec![
                "dhcp 1: uids=C1 client_addr=10.0.0.1 server_addr=10.0.0.2 mac=02:00:00:00:00:07 host_name=host\0 \
                 client_fqdn=full.name domain=example requested_addr=10.0.0.1 assigned_addr=10.0.0.1 lease_time=512 \
                 msg_types=DISCOVER,OFFER,REQUEST,ACK duration=3",
            ],
        ),
        (
            vec![client(&named), server(&refused)],
            vec![
                "dhcp 1: uids=C1 client_addr=10.0.0.1 mac=02:00:00:00:00:07 client_fqdn=full.name \
                 server_message=no msg_types=REQUEST,NAK duration=1",
            ],
        ),
        (
            vec![client(&old)],
            vec![
                "dhcp 1: uids=C1 client_addr=10.0.0.1 mac=02:00:00:00:00:07 client_message=why \
                 msg_types=UNKNOWN-0 duration=0",
            ],
        ),
        (vec![server(&ACK); 51], vec!["dhcp 1: ", "dhcp 51: "]),
    ];
    for (datagrams, expected) in cases {
        let mut conversation = Conversation::of(&DHCP, &NoOptions, &datagrams);
        let rows = conversation.zeek();
        let found: Vec<_> = rows
            .lines
            .iter()
            .zip(&expected)
            .map(|(line, expected)| if expected.ends_with(' ') { &line[..expected.len()] } else { line })
            .collect();
        assert_eq!((found, rows.lines.len()), (expected.clone(), expected.len()));
    }
}

proptest! {
    #[test]
    fn any_options_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 0usize..240) {
        let whole = [NO_OPTIONS.head(), bytes].concat();
        let mut conversation = Conversation::of(&DHCP, &NoOptions, &[(UP, &whole[..]), (DOWN, &whole[cut..])]);
        prop_assert!(!conversation.summary().is_empty());
    }
}
