//! Messages built here, through the parser, to fields and EVE records.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{NoOptions, Outcome, Probe, Transport};
use weir_base::Direction;

use super::parser::MAX_TRANSACTIONS;
use super::{IKE, checks, probe};
use crate::testing::{Conversation, DOWN, Settings, UP};

/// A payload, and what the next one is.
fn payload(next: u8, data: &[u8]) -> Vec<u8> {
    [&[next, 0][..], &(data.len() as u16 + 4).to_be_bytes(), data].concat()
}

fn message(version: u8, exchange: u8, flags: u8, responder: u64, first: u8, payloads: &[Vec<u8>]) -> Vec<u8> {
    let payloads = payloads.concat();
    let head = [&7u64.to_be_bytes()[..], &responder.to_be_bytes(), &[first, version << 4, exchange, flags]];
    let length = payloads.len() as u32 + 28;
    [&head.concat()[..], &9u32.to_be_bytes(), &length.to_be_bytes(), &payloads].concat()
}

/// An association of version 1 with these transforms, each of its attributes.
fn association(transforms: &[&[u8]]) -> Vec<u8> {
    let last = transforms.len() - 1;
    let chain = transforms.iter().enumerate().map(|(index, attributes)| {
        payload(if index == last { 0 } else { 3 }, &[&[index as u8, 1, 0, 0][..], attributes].concat())
    });
    let proposal = [&[1, 1, 0, transforms.len() as u8][..], &chain.collect::<Vec<_>>().concat()].concat();
    [&[0, 0, 0, 1, 0, 0, 0, 1][..], &payload(0, &proposal)].concat()
}

const AES: &[u8] = b"\x80\x01\0\x07\x80\x0e\0\x80\x80\x02\0\x02\0\x0c\0\x04\0\x01\x51\x80";
const DES: &[u8] = b"\x80\x01\0\x01";

/// A main mode of version 1.
fn main_mode() -> Vec<(Direction, Vec<u8>)> {
    let offer = message(1, 2, 0, 0, 1, &[payload(13, &association(&[DES, AES])), payload(0, b"\xde\xad")]);
    let choice = message(1, 2, 0, 5, 1, &[payload(0, &association(&[AES]))]);
    let keys = message(1, 2, 0, 5, 4, &[payload(10, b"public"), payload(0, b"nonce")]);
    let secret = message(1, 2, 1, 5, 5, &[b"secret".to_vec()]);
    vec![(UP, offer), (DOWN, choice), (UP, keys), (DOWN, secret)]
}

fn eve(conversation: &Conversation, id: u64) -> Value {
    conversation.eve(id, &NoOptions).unwrap()
}

#[test]
fn version_1() {
    let conversation = Conversation::of(&IKE, &NoOptions, &main_mode());
    let aes = json!({
        "alg_enc": "EncAesCbc", "alg_enc_raw": 7, "sa_key_length": "Unknown", "sa_key_length_raw": 128,
        "alg_hash": "HashSha", "alg_hash_raw": 2, "sa_life_duration": "Unknown", "sa_life_duration_raw": 86400,
    });
    let offer = json!({
        "version_major": 1, "version_minor": 0, "init_spi": "0000000000000007", "resp_spi": "0000000000000000",
        "message_id": 9, "exchange_type": 2,
        "payload": ["SecurityAssociation", "Proposal", "Transform", "VendorID"],
        "ikev1": {
            "doi": 1, "encrypted_payloads": false,
            "client": {"proposals": [{"alg_enc": "EncDesCbc", "alg_enc_raw": 1}, aes.clone()]},
            "server": {}, "vendor_ids": ["dead"],
        },
    });
    assert_eq!(eve(&conversation, 0), offer);
    let keys = eve(&conversation, 2);
    for (key, value) in aes.as_object().unwrap() {
        assert_eq!(&keys[key], value, "what the server chose stays");
    }
    assert_eq!(
        keys["ikev1"]["client"],
        json!({
            "key_exchange_payload": "7075626c6963", "key_exchange_payload_length": 6,
            "nonce_payload": "6e6f6e6365", "nonce_payload_length": 5,
        })
    );
    let secret = eve(&conversation, 3);
    assert_eq!(secret["payload"], json!(["Identification"]));
    assert_eq!(secret["ikev1"], json!({"doi": 1, "encrypted_payloads": true}));
    assert_eq!(conversation.values(2, "ike.nonce_payload", UP), ["nonce"]);
    assert_eq!(conversation.values(0, "ike.vendor", UP), ["dead"]);
    assert_eq!(conversation.values(1, "ike.resp_spi", DOWN), ["0000000000000005"]);
    assert!(conversation.values(3, "ike.key_exchange_payload", DOWN).is_empty());
}

#[test]
fn exchanges_have_names_where_that_is_wanted() {
    let conversation = Conversation::of(&IKE, &NoOptions, &main_mode());
    let named = conversation.eve(0, &Settings(&[("extended", "yes")])).unwrap();
    assert_eq!(named["exchange_type_verbose"], "Identity Protection");
}

#[test]
fn a_server_that_chooses_twice() {
    let choice = message(1, 2, 0, 5, 1, &[payload(0, &association(&[AES, DES]))]);
    let conversation = Conversation::of(&IKE, &NoOptions, &[(DOWN, choice)]);
    assert_eq!(conversation.anomalies(0), ["multiple_server_proposal"]);
    assert_eq!(eve(&conversation, 0)["server_proposals"].as_array().unwrap().len(), 2);
    assert_eq!(eve(&conversation, 0)["alg_enc"], "EncAesCbc");
}

/// A proposal of version 2, of transforms by type and number.
fn proposal(protocol: u8, transforms: &[Transform]) -> Vec<u8> {
    let chain = transforms.iter().map(|(kind, number)| {
        let [high, low] = number.to_be_bytes();
        payload(3, &[*kind, 0, high, low])
    });
    payload(0, &[&[1, protocol, 0, transforms.len() as u8][..], &chain.collect::<Vec<_>>().concat()].concat())
}

/// A type and a number.
type Transform = (u8, u16);

const STRONG: &[Transform] = &[(1, 20), (2, 5), (4, 19), (5, 0)];

#[test]
fn version_2() {
    let notify = |kind: u16| [&[0, 0][..], &kind.to_be_bytes()].concat();
    let offer = message(
        2,
        34,
        0x08,
        0,
        33,
        &[
            payload(34, &proposal(1, STRONG)),
            payload(40, b"\0\x13\0\0key"),
            payload(41, b"nonce"),
            payload(41, &notify(16388)),
            payload(0, &notify(999)),
        ],
    );
    let choice = message(2, 34, 0x20, 5, 33, &[payload(0, &proposal(1, STRONG))]);
    let secret = message(2, 35, 0x08, 5, 46, &[payload(35, b"secret")]);
    let conversation = Conversation::of(&IKE, &NoOptions, &[(UP, offer), (DOWN, choice), (UP, secret)]);
    let shown = eve(&conversation, 0);
    assert_eq!(
        shown["payload"],
        json!(["SecurityAssociation", "KeyExchange", "Nonce", "Notify", "Notify", "NoNextPayload"])
    );
    assert_eq!(
        shown["ikev2"],
        json!({"errors": 1, "notify": ["NAT_DETECTION_SOURCE_IP", "NotifyType(999 / 0x3e7)"]})
    );
    assert_eq!((&shown["role"], shown.get("alg_enc")), (&json!("initiator"), None));
    let shown = eve(&conversation, 1);
    let names = ["role", "alg_enc", "alg_auth", "alg_prf", "alg_dh", "alg_esn"];
    assert_eq!(
        names.map(|name| shown[name].as_str().unwrap()),
        ["responder", "ENCR_AES_GCM_16", "NONE", "PRF_HMAC_SHA2_256", "Ecp256", "NoESN"]
    );
    assert_eq!(eve(&conversation, 2)["payload"], json!(["EncryptedAndAuthenticated", "IdentInitiator"]));
    assert!((0..3).all(|id| conversation.anomalies(id).is_empty() && conversation.is_complete(id)));
}

#[test]
fn what_is_weak() {
    let cases: &[(u8, &[Transform], &[&str])] = &[
        (1, STRONG, &[]),
        (1, &[(1, 12), (2, 5), (3, 12), (4, 2)], &["weak_crypto_dh"]),
        (1, &[(1, 3), (2, 1), (3, 2), (4, 14)], &["weak_crypto_enc", "weak_crypto_prf", "weak_crypto_auth"]),
        (1, &[(1, 12), (2, 0), (3, 12), (4, 0)], &["invalid_proposal"]),
        (1, &[(1, 12), (2, 5), (3, 0), (4, 14)], &["weak_crypto_no_auth"]),
        (2, &[(1, 20)], &["weak_crypto_no_dh", "no_encryption"]),
        (1, &[(1, 20), (4, 14), (9, 1)], &["unknown_proposal"]),
    ];
    for (protocol, transforms, expected) in cases {
        let offer = message(2, 34, 8, 0, 33, &[payload(0, &proposal(*protocol, transforms))]);
        let conversation = Conversation::of(&IKE, &NoOptions, &[(UP, offer)]);
        assert_eq!(conversation.anomalies(0), *expected, "{transforms:?}");
    }
}

#[test]
fn what_is_wrong() {
    let short = message(1, 2, 0, 0, 1, &[payload(0, b"\0\0")]);
    let extra = message(1, 2, 0, 0, 10, &[payload(0, b"nonce"), vec![1, 2, 3]]);
    let notification = message(2, 37, 0, 0, 41, &[payload(0, b"\0")]);
    let cases = [(short, "malformed_data"), (extra, "payload_extra_data"), (notification, "malformed_data")];
    for (bytes, expected) in cases {
        let conversation = Conversation::of(&IKE, &NoOptions, &[(UP, bytes)]);
        assert_eq!(conversation.anomalies(0), [expected]);
    }
    for bytes in [&message(3, 2, 0, 0, 0, &[])[..], b"too short"] {
        let mut conversation = Conversation::new(&IKE, &NoOptions);
        assert_eq!(conversation.push(UP, bytes), Outcome::Refused);
    }
}

#[test]
fn what_the_server_chose() {
    let version1 = Conversation::of(&IKE, &NoOptions, &main_mode());
    let choice = message(2, 34, 0x20, 5, 33, &[payload(0, &proposal(1, STRONG))]);
    let version2 = Conversation::of(&IKE, &NoOptions, &[(DOWN, choice)]);
    let cases = [
        ("alg_enc=7", true, false),
        (" sa_life_duration = 86400", true, false),
        ("alg_hash=3", false, false),
        ("alg_enc=20", false, true),
        ("alg_dh=19", false, true),
        ("alg_prf=6", false, false),
    ];
    for (option, first, second) in cases {
        let check = checks::chosen(Some(option)).unwrap();
        let found = [version1.transaction(1), version2.transaction(0)].map(|tx| check.matches(tx, DOWN));
        assert_eq!(found, [first, second], "{option}");
    }
    for option in ["alg_enc", "enc=1", "alg_enc=x", "alg_enc=4294967296", ""] {
        assert!(checks::chosen(Some(option)).is_err(), "{option}");
    }
}

#[test]
fn messages_that_wait_are_limited() {
    let mut conversation = Conversation::new(&IKE, &NoOptions);
    let (_, secret) = &main_mode()[3];
    for _ in 0..MAX_TRANSACTIONS + 1 {
        conversation.push(UP, secret);
    }
    assert_eq!(conversation.ids().len(), MAX_TRANSACTIONS);
}

#[test]
fn detection() {
    let first = message(1, 2, 0, 0, 1, &[]);
    let second = message(2, 34, 8, 5, 33, &[]);
    let longer = [&second[..], b"\0"].concat();
    let cases: &[(Direction, &[u8], Probe)] = &[
        (UP, &first, Probe::Yes),
        (DOWN, &first, Probe::Reversed),
        (DOWN, &second, Probe::Yes),
        (UP, &longer, Probe::No),
        (UP, &message(2, 38, 8, 5, 33, &[]), Probe::No),
        (UP, &message(3, 34, 8, 5, 33, &[]), Probe::No),
        (UP, &first[..27], Probe::No),
        (UP, b"", Probe::No),
    ];
    for (direction, bytes, expected) in cases {
        assert_eq!(probe::probe(Transport::Udp, *direction, bytes), *expected, "{bytes:02x?}");
    }
}

proptest! {
    #[test]
    fn any_payloads_are_taken(
        version in 1u8..3,
        first in 0u8..50,
        bytes in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(8), any::<u8>()], 0..120),
    ) {
        let datagram = message(version, 2, 0, 0, first, &[bytes]);
        let mut conversation = Conversation::new(&IKE, &NoOptions);
        conversation.push(UP, &datagram);
        conversation.push(DOWN, &datagram);
        let _ = conversation.summary();
    }
}
