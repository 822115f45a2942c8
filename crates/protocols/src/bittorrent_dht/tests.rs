//! Messages of BEP 5 through the parser to EVE records.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{NoOptions, Outcome};

use super::BITTORRENT_DHT;
use super::parser::MAX_TRANSACTIONS;
use crate::testing::{Conversation, DOWN, UP};

const ID: &str = "6162636465666768696a30313233343536373839";

fn record(datagram: &[u8]) -> Value {
    let conversation = Conversation::of(&BITTORRENT_DHT, &NoOptions, &[(UP, datagram)]);
    assert!(conversation.anomalies(0).is_empty(), "{}", datagram.escape_ascii());
    conversation.eve(0, &NoOptions).unwrap()
}

#[test]
fn queries() {
    let ping = b"d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:v4:LT\x01\x261:y1:qe";
    assert_eq!(
        record(ping),
        json!({"transaction_id": "6161", "client_version": "4c540126", "request_type": "ping", "request": {"id": ID}})
    );
    let find = b"d1:ad2:id20:abcdefghij01234567896:target2:mne1:q9:find_node1:t2:aa1:y1:qe";
    assert_eq!(record(find)["request"], json!({"id": ID, "target": "6d6e"}));
    let announce =
        b"d1:ad2:id20:abcdefghij012345678912:implied_porti1e9:info_hash2:mn4:porti6881e5:token8:aoeusnthe1:q13:announce_peer1:t2:aa1:y1:qe";
    assert_eq!(
        record(announce)["request"],
        json!({"id": ID, "info_hash": "6d6e", "token": "616f6575736e7468", "implied_port": 1, "port": 6881})
    );
}

#[test]
fn responses_and_errors() {
    let node = [&b"abcdefghij0123456789"[..], &[10, 0, 0, 1, 0x1a, 0xe1]].concat();
    let node6 = [&b"abcdefghij0123456789"[..], &[0xfe, 0x80], &[0; 13], &[1, 0x1a, 0xe1]].concat();
    let told = [
        b"d1:rd2:id20:abcdefghij01234567895:nodes27:",
        &node[..],
        b"x6:nodes638:",
        &node6,
        b"5:token1:t6:valuesl6:\x0a\x00\x00\x02\x00\x5018:",
        &node6[20..],
        b"ee1:t2:aa1:y1:re",
    ]
    .concat();
    let v6 = "fe80:0000:0000:0000:0000:0000:0000:0001";
    assert_eq!(
        record(&told),
        json!({"transaction_id": "6161", "response": {
            "id": ID,
            "nodes": [{"id": ID, "ip": "10.0.0.1", "port": 6881}],
            "nodes6": [{"id": ID, "ip": v6, "port": 6881}],
            "values": [{"ip": "10.0.0.2", "port": 80}, {"ip": v6, "port": 6881}],
            "token": "74",
        }})
    );
    // Nothing is said of lists that are empty, or of values that are no list.
    let empty = b"d1:rd2:id1:a5:nodes3:abc6:valueslee1:t1:a1:y1:re";
    assert_eq!(record(empty), json!({"transaction_id": "61", "response": {"id": "61"}}));
    let text = b"d1:rd2:id1:a6:values1:xe1:t1:a1:y1:re";
    assert_eq!(record(text), json!({"transaction_id": "61", "response": {"id": "61"}}));
    let error = b"d1:eli201e23:A Generic Error Ocurrede1:t2:aa1:y1:ee";
    assert_eq!(
        record(error),
        json!({"transaction_id": "6161", "error": {"num": 201, "msg": "A Generic Error Ocurred"}})
    );
}

#[test]
fn malformed_messages() {
    let cases: &[&[u8]] = &[
        b"d1:ad2:id20:abcdefg",
        b"d1:ade1:q4:ping1:t2:aa1:y1:qe",
        b"d1:ad2:id1:ae1:t2:aa1:y1:qe",
        b"d1:ad2:id1:ae1:q4:ping1:t2:aa1:y1:xe",
        b"d1:ad2:id1:ae1:q4:ping1:t2:aae",
        b"d1:ad2:id1:a4:porti65536ee1:q4:ping1:t2:aa1:y1:qe",
        b"d1:rd2:id1:a6:valuesl3:abcee1:t1:a1:y1:re",
        b"d1:eli201ee1:t2:aa1:y1:ee",
        b"d1:rd2:id1:a1:xllleeee1:t1:a1:y1:re",
    ];
    for datagram in cases {
        let mut conversation = Conversation::new(&BITTORRENT_DHT, &NoOptions);
        assert_eq!(conversation.push(UP, datagram), Outcome::Refused, "{}", datagram.escape_ascii());
        assert_eq!(conversation.anomalies(0), ["malformed_packet"]);
        assert_eq!(conversation.eve(0, &NoOptions), Some(json!({"transaction_id": ""})));
    }
    // Without a number the rest is told.
    let numberless = b"d1:ad2:id1:ae1:q4:ping1:v1:x1:y1:qe";
    let mut conversation = Conversation::new(&BITTORRENT_DHT, &NoOptions);
    assert_eq!(conversation.push(DOWN, numberless), Outcome::Refused);
    let expected = json!({"transaction_id": "", "request_type": "ping", "request": {"id": "61"}});
    assert_eq!(conversation.eve(0, &NoOptions), Some(expected));
}

#[test]
fn other_datagrams_are_passed_over() {
    for datagram in [&b"d1:a"[..], b"d1:ad", b"A\x02\0\0\0\0\0\0", b"d1:q4:ping1:t2:aa1:y1:qe", b""] {
        let mut conversation = Conversation::new(&BITTORRENT_DHT, &NoOptions);
        assert_eq!((conversation.push(UP, datagram), conversation.ids().len()), (Outcome::Ok, 0));
    }
}

#[test]
fn messages_that_wait_are_limited() {
    let mut conversation = Conversation::new(&BITTORRENT_DHT, &NoOptions);
    for _ in 0..MAX_TRANSACTIONS + 1 {
        assert_eq!(conversation.push(UP, b"d1:ad2:id1:ae1:q4:ping1:t1:a1:y1:qe"), Outcome::Ok);
    }
    assert_eq!(conversation.ids().len(), MAX_TRANSACTIONS);
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..64), start in 0usize..4) {
        let start: &[u8] = [&b"d1:ad2:id20:"[..], b"d1:rd5:nodes", b"d1:el", b"d2:ip"][start];
        let datagram = [start, &bytes].concat();
        let mut conversation = Conversation::of(&BITTORRENT_DHT, &NoOptions, &[(UP, datagram)]);
        prop_assert!(!conversation.summary().is_empty());
    }
}
