//! Conversations built here, through the parser, to Zeek's logs.

use proptest::prelude::*;
use weir_applayer::{NoOptions, Probe, Transport};
use weir_base::Direction;

use super::parser::MAX_LINE;
use super::{FINGER, probe};
use crate::testing::{Conversation, DOWN, UP, same_in_any_pieces};

#[test]
fn what_is_finger() {
    let long = [b'B'; MAX_LINE];
    let violation = format!("violation the line is too long: {}", "B".repeat(MAX_LINE));
    let most = [&long[..MAX_LINE - 1], b"\n"].concat();
    type Case<'a> = (&'a [(Direction, &'a [u8])], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (&[(UP, b"user\r\n")], &["service finger"]),
        (&[(UP, b"user")], &["service finger"]),
        (&[(UP, b"  /W user@host\r\n")], &["service finger"]),
        (&[(UP, b"/W\n")], &["service finger"]),
        (&[(UP, b"\r\n")], &[]),
        (&[(UP, b"@host\r\n")], &[]),
        (&[(UP, b"\r\n"), (DOWN, b"0123456789\r\n")], &[]),
        (&[(UP, b"\r\n"), (DOWN, b"none\r\n01234567890\r\n01234567890\r\n")], &["service finger"]),
        (&[(UP, b"user\r\n"), (DOWN, &most)], &["service finger"]),
        (&[(UP, b"user\r\n"), (DOWN, &long), (DOWN, b"more\r\n")], &["service finger", &violation]),
        (&[(UP, &long), (UP, b"\r\n")], &[]),
    ];
    for (pieces, expected) in cases {
        let mut conversation = same_in_any_pieces(|| Conversation::new(&FINGER, &NoOptions), pieces);
        conversation.close();
        assert_eq!(conversation.zeek().lines, *expected, "{pieces:?}");
    }
}

#[test]
fn probes() {
    for (bytes, expected) in [
        (&b""[..], Probe::More),
        (b"user", Probe::Yes),
        (b"\r\n", Probe::Yes),
        (b"\x16\x03\x01", Probe::No),
        (b"\0", Probe::No),
    ] {
        assert_eq!(probe(Transport::Tcp, UP, bytes), expected, "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), "[ -~\r\n]{0,300}"), 0..20)) {
        let mut conversation = Conversation::new(&FINGER, &NoOptions);
        for (up, text) in &pieces {
            conversation.push(if *up { UP } else { DOWN }, text.as_bytes());
        }
        conversation.close();
        prop_assert!(conversation.zeek().lines.len() <= 2);
    }
}
