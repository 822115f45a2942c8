//! Conversations, from bytes to records.

mod build;
mod events;
mod files;
mod pipes;
mod sessions;

use weir_applayer::{NoOptions, Outcome, Request};

use super::*;
use crate::testing::{Conversation, DOWN, Settings as Texts, UP, same_in_any_pieces};
use build::*;

fn open() -> Conversation {
    Conversation::new(&SMB, &NoOptions)
}

#[test]
fn what_is_no_message() {
    let malformed: [&[u8]; 4] = [
        b"\0\0\0\x08\xfbSMB\0\0\0\0",
        b"\0\0\0\x08\xfeSMB\0\0\0\0",
        b"\0\0\0\x08\xffSMB\0\0\0\0",
        b"\0\0\0\x08\xfdSMB\0\0\0\0",
    ];
    for bytes in malformed {
        let mut talk = open();
        talk.push(UP, &two(5, 0, IDS, &create("a", 1, 0)));
        assert_eq!(talk.push(UP, bytes), Outcome::Error, "{bytes:02x?}");
        assert_eq!(talk.anomalies(0), ["malformed_data"], "{bytes:02x?}");
    }
    let passed: [&[u8]; 4] =
        [b"\x81\0\0\x02ab", b"\x85\0\0\0", b"\0\0\0\x02ab", b"\0\0\0\x0a\xfcSMB\0\0\0\0\0\0"];
    for bytes in passed {
        let pieces = [(UP, bytes.to_vec()), (UP, two(5, 0, IDS, &create("a", 1, 0)))];
        assert_eq!(same_in_any_pieces(open, &pieces).ids(), [0], "{bytes:02x?}");
    }
}

#[test]
fn files_are_followed_to_their_end() {
    let cases: [(&[(&str, &str)], u64); 2] = [(&[], 0), (&[("stream-depth", "2mb")], 2 << 20)];
    for (settings, expected) in cases {
        let mut talk = Conversation::new(&SMB, &Texts(settings));
        talk.push(UP, &two(5, 0, IDS, &create("a", 1, 0)));
        talk.push(DOWN, &two_answer(5, 0, IDS, &created(7, 0)));
        assert!(
            matches!(talk.requests[..], [Request::StreamDepth(depth)] if depth == expected),
            "{settings:?}: {:?}",
            talk.requests
        );
    }
}

#[test]
fn what_is_encrypted_is_passed_over() {
    let sealed = [&b"\xfdSMB"[..], &[7; 32], &5u32.to_le_bytes(), &[0; 12], b"abcde"].concat();
    let twice = session(&[&sealed[..], &sealed].concat());
    let talk = same_in_any_pieces(open, &[(UP, twice), (DOWN, session(&sealed))]);
    assert!(talk.ids().is_empty());
}

#[test]
fn who_may_say_what() {
    let mut talk = open();
    let anomalies = std::cell::RefCell::new(Vec::new());
    let mut push = |direction, bytes: Vec<u8>| {
        talk.call(|parser, cx| {
            assert_eq!(parser.data(cx, direction, &bytes), Outcome::Ok);
            anomalies.borrow_mut().extend(cx.anomalies.drain(..).map(|anomaly| anomaly.0));
        });
    };
    push(UP, two_answer(5, 0, IDS, &[0; 88]));
    push(DOWN, two(5, 0, IDS, &create("a", 1, 0)));
    push(DOWN, one(0x72, 0, b"\0\0\0"));
    let names: Vec<_> =
        anomalies.borrow().iter().map(|number| anomaly::SmbAnomaly::NAMES[usize::from(*number)]).collect();
    assert_eq!(names, ["response_to_server", "request_to_client", "request_to_client"]);
    assert!(talk.ids().is_empty());
}

#[test]
fn streams_that_are_met_in_their_midst() {
    let rest = [&[0x55; 700][..], b"xSMB"].concat();
    let pieces = [
        (UP, [&rest[..], &two(5, 0, IDS, &create("a", 1, 0))].concat()),
        (DOWN, [&rest[..], &two_answer(5, 0, IDS, &created(7, 0))].concat()),
    ];
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0]);
    assert!(talk.is_complete(0));
}

#[test]
fn transactions_are_bounded() {
    let settings = [("max-tx", "3")];
    let mut talk = Conversation::new(&SMB, &Texts(&settings));
    let outcomes =
        [0, 1, 2, 3, 4].map(|message| talk.push(UP, &two(5, 0, (1, 1, message), &create("a", 1, 0))));
    assert_eq!(outcomes[..4], [Outcome::Ok; 4]);
    assert_eq!(outcomes[4], Outcome::Error, "nothing more is read");
    assert_eq!(talk.anomalies(0), ["too_many_transactions"]);
    assert_eq!(talk.ids(), [0, 1, 2, 3, 4]);

    let mut talk = Conversation::new(&SMB, &Texts(&settings));
    for message in 0..6 {
        talk.push(UP, &two(5, 0, (1, 1, message), &create("a", 1, 0)));
        talk.push(DOWN, &two_answer(5, 0, (1, 1, message), &created(7, 0)));
    }
    assert_eq!(
        (talk.outcome, talk.anomalies(0)),
        (Outcome::Ok, vec![]),
        "those that are answered do not count"
    );
}

#[test]
fn gaps_end_what_waits_but_files() {
    let mut talk = open();
    talk.talk(&[
        (UP, two(5, 0, (1, 1, 1), &create("a", 1, 0))),
        (DOWN, two_answer(5, 0, (1, 1, 1), &created(7, 10))),
        (UP, two(16, 0, (1, 1, 2), &[0; 40])),
        (UP, two(14, 0, (1, 1, 3), &[0; 40])),
        (UP, two(8, 0, (1, 1, 4), &read(7, 0, 10))),
        (DOWN, two_answer(8, 0, (1, 1, 4), &read_answer(b"01234"))),
    ]);
    assert_eq!(talk.gap(DOWN, 100), Outcome::Ok);
    talk.talk(&[(UP, two(14, 0, (1, 1, 5), &[0; 40]))]);
    assert!(!talk.is_complete(1) && !talk.is_complete(2));
    talk.talk(&[(DOWN, two_answer(14, 0, (1, 1, 5), &[0; 8]))]);
    let complete: Vec<bool> = talk.ids().iter().map(|id| talk.is_complete(*id)).collect();
    assert_eq!(complete, [true, true, false, true], "the file goes on");
    talk.clock += 100;
    talk.talk(&[(UP, two(13, 0, (1, 1, 6), &[4, 0, 0, 0]))]);
    assert!(talk.is_complete(2), "but not for ever");
}

#[test]
fn any_bytes_are_taken() {
    let all = [sessions::session(), files::reads(), pipes::calls()].concat();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    for _ in 0..2000 {
        let mut talk = open();
        for (direction, bytes) in &all {
            let mut bytes = bytes.clone();
            for _ in 0..random(3) {
                let place = random(bytes.len());
                bytes[place] = [0, 1, 0x7f, 0x80, 0xff, random(256) as u8][random(6)];
            }
            if random(20) == 0 {
                talk.gap(*direction, random(500) as u64);
            }
            talk.push(*direction, &bytes);
        }
        talk.close();
        assert!(!talk.summary().is_empty());
    }
}
