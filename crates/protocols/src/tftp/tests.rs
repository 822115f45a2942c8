//! Datagrams built here, through the parser, to EVE records.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{NoOptions, Outcome, Probe, Transport};

use super::parser::MAX_TRANSACTIONS;
use super::request::{MAX_NAME, TftpTransaction};
use super::{TFTP, probe};
use crate::testing::{Conversation, DOWN, UP};

fn record(datagram: &[u8]) -> Option<Value> {
    let conversation = Conversation::of(&TFTP, &NoOptions, &[(UP, datagram)]);
    let id = *conversation.ids().first()?;
    assert!(conversation.is_complete(id));
    conversation.eve(id, &NoOptions)
}

#[test]
fn requests() {
    let shown =
        |packet: &str, file: &str, mode: &str| Some(json!({"packet": packet, "file": file, "mode": mode}));
    let cases: &[(&[u8], Option<Value>)] = &[
        (b"\0\x01boot.cfg\0octet\0", shown("read", "boot.cfg", "octet")),
        (b"\0\x02a/b\0NetASCII\0blksize\x001428\0", shown("write", "a/b", "netascii")),
        (b"\0\x02\0mail", shown("write", "", "mail")),
        (b"\0\x01boot.cfg\0", None),
        (b"\0\x01boot.cfg", None),
        (b"\0\x01boot.cfg\0binary\0", None),
        (b"\0\x03\0\x01data", None),
        (b"\0\x04\0\x01", None),
        (b"\0\x05\0\x01File not found\0", None),
        (b"\x01\x01boot.cfg\0octet\0", None),
        (b"", None),
    ];
    for (datagram, expected) in cases {
        assert_eq!(record(datagram), *expected, "{}", datagram.escape_ascii());
    }
}

#[test]
fn answers_ask_for_nothing() {
    let conversation = Conversation::of(&TFTP, &NoOptions, &[(DOWN, b"\0\x01boot.cfg\0octet\0")]);
    assert!(conversation.ids().is_empty());
}

#[test]
fn long_names_are_cut() {
    let datagram = [&b"\0\x01"[..], &[b'a'; MAX_NAME + 1], b"\0octet\0"].concat();
    assert_eq!(TftpTransaction::read(&datagram).unwrap().file.len(), MAX_NAME);
}

#[test]
fn requests_that_wait_are_limited() {
    let mut conversation = Conversation::new(&TFTP, &NoOptions);
    for _ in 0..MAX_TRANSACTIONS + 1 {
        assert_eq!(conversation.push(UP, b"\0\x01a\0octet\0"), Outcome::Ok);
    }
    assert_eq!(conversation.ids().len(), MAX_TRANSACTIONS);
}

#[test]
fn detection() {
    let cases: &[(&[u8], Probe)] = &[
        (b"\0\x01a\0octet\0", Probe::Yes),
        (b"\0\x04\0\x01", Probe::Yes),
        (b"\0\x04\0", Probe::No),
        (b"\x01\x04\0\x01", Probe::No),
        (b"", Probe::No),
    ];
    for (bytes, expected) in cases {
        for direction in [UP, DOWN] {
            assert_eq!(probe::probe(Transport::Udp, direction, bytes), *expected, "{bytes:02x?}");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..64), operation in 0u8..6) {
        let datagram = [&[0, operation][..], &bytes].concat();
        let _ = record(&datagram);
    }
}
