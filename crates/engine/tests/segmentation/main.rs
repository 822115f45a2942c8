//! Any segmentation and order of TCP segments gives the same records, and two runs over a capture
//! give the same bytes.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod run;
mod traffic;

use proptest::prelude::*;
use weir_engine::ZeekChoice;
use weir_testkit::{Conversation, Disorder, Random, TimedFrame, merged};

use crate::run::{Folder, Mode, Records, capture, records};
use crate::traffic::{Turn, conversations};

/// Captures analysed by the property test; each takes about a twentieth of a second.
const CASES: u32 = 48;

/// The conversations with each turn in as few segments as there can be.
fn in_order() -> Vec<TimedFrame> {
    write(|conversation, turn| conversation.sends(turn.direction, &turn.bytes), (1000, 5000))
}

/// The conversations in disorder.
fn in_disorder(disorder: &Disorder, seed: u64) -> Vec<TimedFrame> {
    let mut random = Random::new(seed);
    let first_numbers = (random.number() as u32, u32::MAX - random.below(3000) as u32);
    write(
        |conversation, turn| {
            conversation.sends_in_disorder(turn.direction, &turn.bytes, disorder, &mut random)
        },
        first_numbers,
    )
}

fn write(
    mut send: impl FnMut(Conversation, &Turn) -> Conversation,
    first_numbers: (u32, u32),
) -> Vec<TimedFrame> {
    merged(conversations().iter().map(|talk| {
        let opened = Conversation::new(talk.client, talk.server)
            .sequence_numbers(first_numbers.0, first_numbers.1)
            .handshake();
        talk.turns.iter().fold(opened, &mut send).close().frames()
    }))
}

fn disorder() -> impl Strategy<Value = Disorder> {
    (1usize..1400, 1usize..12, 0u64..40, 0u64..=100).prop_map(
        |(segment_size, window, repeated, acknowledged)| Disorder {
            segment_size,
            window,
            repeated,
            acknowledged,
        },
    )
}

fn expected(mode: Mode) -> Records {
    records(&in_order(), mode)
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Detector), Just(Mode::Inline)]
}

#[test]
fn the_conversations_give_what_they_should() {
    let records = expected(Mode::Detector);
    let count = |name: &str| records.of(name).len();
    let found: Vec<(&str, usize)> =
        ["http", "dns", "tls", "ldap", "fileinfo", "http.log", "dns.log", "ssl.log", "ldap.log"]
            .map(|name| (name, count(name)))
            .to_vec();
    let wanted = [
        ("http", 6),
        ("dns", 6),
        ("tls", 1),
        ("ldap", 3),
        ("fileinfo", 7),
        ("http.log", 6),
        ("dns.log", 3),
        ("ssl.log", 1),
        ("ldap.log", 3),
    ];
    assert_eq!(found, wanted, "{records:?}");
    assert_eq!(records.difference(&expected(Mode::Inline)), "");
    let answered = |kind: &str, id: &str| -> Vec<serde_json::Value> {
        records.of(kind).iter().map(|record| record.pointer(id).expect("an id").clone()).collect()
    };
    assert_eq!(answered("ldap", "/ldap/request/message_id"), [3, 1, 2], "the order of the answers");
    assert_eq!(answered("ldap.log", "/message_id"), [3, 1, 2], "the order of the answers");
    let fired: Vec<u64> = records.signatures();
    assert_eq!(fired, (1..=traffic::RULES.lines().count() as u64).collect::<Vec<u64>>());
}

/// A record without the one thing that it owes to Zeek's logs.
fn without_uid(line: &str) -> serde_json::Value {
    let mut record: serde_json::Value = serde_json::from_str(line).expect("a record is JSON");
    record.as_object_mut().expect("a record is an object").remove("zeek_uid");
    record
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    })]

    #[test]
    fn segments_make_no_difference(disorder in disorder(), mode in mode(), seed in any::<u64>()) {
        let found = records(&in_disorder(&disorder, seed), mode);
        prop_assert_eq!(expected(mode).difference(&found), "");
    }

    /// Zeek makes something else of what is missing or comes late, but only its logs learn of that.
    #[test]
    fn zeeks_logs_change_nothing_of_other_records(
        disorder in disorder(),
        mode in mode(),
        seed in any::<u64>(),
        lost in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let mut frames = in_disorder(&disorder, seed);
        for index in lost {
            frames.remove(index.index(frames.len()));
        }
        let [with, without] = [Some(ZeekChoice::Json), None].map(|zeek| {
            let folder = Folder::new();
            capture(&folder, &frames, mode, zeek);
            let text = folder.read("eve.json");
            text.lines().map(without_uid).collect::<Vec<_>>()
        });
        let difference = with.iter().zip(&without).find(|(with, without)| with != without);
        prop_assert_eq!(difference, None);
        prop_assert_eq!(with.len(), without.len());
    }
}

#[test]
fn single_bytes_make_no_difference() {
    let disorder = Disorder { segment_size: 1, window: 1, repeated: 0, acknowledged: 100 };
    for mode in [Mode::Detector, Mode::Inline] {
        let found = records(&in_disorder(&disorder, 1), mode);
        assert_eq!(expected(mode).difference(&found), "", "{mode:?}");
    }
}

#[test]
fn two_runs_write_the_same() {
    let disorder = Disorder { segment_size: 300, window: 5, repeated: 20, acknowledged: 50 };
    let frames = in_disorder(&disorder, 7);
    let files =
        ["eve.json", "fast.log", "conn.log", "http.log", "dns.log", "ssl.log", "x509.log", "files.log"];
    let [first, second] = [(), ()].map(|()| {
        let folder = Folder::new();
        let summary = capture(&folder, &frames, Mode::Detector, Some(ZeekChoice::Json));
        assert_eq!(summary.tally.packets, frames.len() as u64);
        assert_eq!(summary.tally.bytes, frames.iter().map(|frame| frame.bytes.len() as u64).sum::<u64>());
        assert_eq!((summary.lost_records, summary.invalid, summary.tally.accounts.dropped), (0, 0, 0));
        files.map(|file| folder.read(file))
    });
    for (file, (first, second)) in files.iter().zip(first.iter().zip(&second)) {
        assert!(!first.is_empty(), "{file} is empty");
        assert_eq!(first, second, "{file}");
    }
}
