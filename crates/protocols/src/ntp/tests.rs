//! Messages built here, through the parser, to fields, EVE records, scripts and a log of Zeek.

use proptest::prelude::*;
use serde_json::json;
use weir_applayer::{NoOptions, Outcome, ScriptValue};
use weir_base::Direction;

use super::NTP;
use super::zeek::DATAGRAMS;
use crate::testing::{Conversation, DOWN, UP, logged};

/// A message of a version and mode, with what follows its head.
fn message(version: u8, mode: u8, stratum: u8, reference: &[u8; 4], rest: &[u8]) -> Vec<u8> {
    let mut bytes = vec![version << 3 | mode, stratum, 6, 0xfe, 0, 1, 0x80, 0, 0, 0, 0x40, 0];
    bytes.extend(reference);
    // 1970, a second later and a half, nothing, and a second before it.
    for moment in [0x83aa_7e80_0000_0000u64, 0x83aa_7e81_8000_0000, 0, 0x83aa_7e7f_0000_0000] {
        bytes.extend(moment.to_be_bytes());
    }
    bytes.extend(rest);
    bytes
}

#[test]
fn records_and_fields() {
    let asks = message(4, 3, 0, &[0; 4], &[]);
    let told = message(3, 4, 2, b"LOCL", &[0; 20]);
    let conversation = Conversation::of(&NTP, &NoOptions, &[(UP, asks), (DOWN, told)]);
    let expected = [
        json!({"version": 4, "mode": 3, "stratum": 0, "reference_id": "00:00:00:00"}),
        json!({"version": 3, "mode": 4, "stratum": 2, "reference_id": "4c:4f:43:4c"}),
    ];
    for (id, expected) in (0..).zip(expected) {
        assert_eq!(conversation.eve(id, &NoOptions), Some(expected));
    }
    let cases = [("ntp.version", "3"), ("ntp.mode", "4"), ("ntp.stratum", "2"), ("ntp.reference_id", "LOCL")];
    for (name, expected) in cases {
        assert_eq!(conversation.values(1, name, DOWN), [expected], "{name}");
    }
}

#[test]
fn what_scripts_are_told() {
    let conversation = Conversation::of(&NTP, &NoOptions, &[(DOWN, message(3, 4, 2, b"LOCL", &[]))]);
    let told: Vec<_> = NTP.scripts[0]
        .methods
        .iter()
        .map(|method| (method.name, (method.call)(conversation.transaction(0), None)))
        .collect();
    let number = |number| vec![ScriptValue::Integer(number)];
    let expected = [
        ("version", number(3)),
        ("mode", number(4)),
        ("stratum", number(2)),
        ("reference_id", vec![ScriptValue::Bytes(b"LOCL".to_vec())]),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_is_no_message() {
    let whole = message(4, 3, 0, &[0; 4], &[]);
    for datagram in [&whole[..47], b"", &message(2, 3, 0, &[0; 4], &[])] {
        let mut conversation = Conversation::new(&NTP, &NoOptions);
        let found = conversation.call(|parser, cx| {
            assert_eq!(parser.data(cx, UP, datagram), Outcome::Refused);
            cx.anomalies.iter().map(|anomaly| NTP.anomalies[usize::from(anomaly.0)]).collect::<Vec<_>>()
        });
        assert_eq!((found, conversation.ids().len()), (vec!["malformed_data"], 0), "{datagram:02x?}");
    }
}

/// Returns the rows of Zeek's logs for datagrams.
fn zeek(datagrams: &[(Direction, Vec<u8>)]) -> Vec<String> {
    logged(&DATAGRAMS, datagrams).lines
}

#[test]
fn zeek_rows() {
    let rest = "ref_time=0 org_time=1.5 rec_time=0 xmt_time=-1";
    let clock = "poll=64 precision=0.25 root_delay=1.5 root_disp=0.25";
    let extension = [&[0, 1, 0, 16][..], &[0; 12]].concat();
    let cases: Vec<(Vec<u8>, Vec<String>)> = vec![
        (
            message(4, 3, 0, b"INIT", &[]),
            vec![format!("ntp 1: version=4 mode=3 stratum=0 {clock} ref_id=INIT {rest} num_exts=0")],
        ),
        (
            message(1, 4, 2, &[10, 0, 0, 1], &[7; 20]),
            vec![format!("ntp 1: version=1 mode=4 stratum=2 {clock} ref_id=10.0.0.1 {rest} num_exts=0")],
        ),
        (
            message(4, 4, 1, b"GPS\0", &[extension.clone(), extension.clone(), vec![9; 24]].concat()),
            vec![format!("ntp 1: version=4 mode=4 stratum=1 {clock} ref_id=GPS\0 {rest} num_exts=2")],
        ),
        (vec![0x16; 12], vec![]),
        (vec![0x17; 8], vec![]),
    ];
    for (datagram, mut expected) in cases {
        expected.insert(0, "service ntp".to_owned());
        assert!((DATAGRAMS.fits)(&datagram));
        assert_eq!(zeek(&[(UP, datagram)]), expected);
    }
    let none = [
        Vec::new(),
        vec![0x16; 11],
        vec![0x17; 7],
        vec![0x20; 60],
        message(0, 3, 0, &[0; 4], &[]),
        message(5, 3, 0, &[0; 4], &[]),
        message(4, 3, 0, &[0; 4], &[])[..47].to_vec(),
        // An extension that is too short, or longer than what is there.
        message(4, 3, 0, &[0; 4], &[0, 1, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        message(2, 4, 0, &[0; 4], &[0x20; 25]),
    ];
    for datagram in none {
        assert!(!(DATAGRAMS.fits)(&datagram) && zeek(&[(UP, datagram)]).is_empty());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let whole = message(4, 3, 2, &[1; 4], &bytes);
        let mut conversation = Conversation::of(&NTP, &NoOptions, &[(UP, &bytes), (DOWN, &whole)]);
        prop_assert!(!conversation.summary().is_empty());
        prop_assert!(zeek(&[(UP, bytes), (DOWN, whole)]).len() <= 3);
    }
}
