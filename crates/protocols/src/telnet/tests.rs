//! Bytes built here, through the parser, to frames.

use proptest::prelude::*;
use weir_applayer::file::FileSettings;
use weir_applayer::frame::{FrameKinds, FrameList, FrameSink};
use weir_applayer::{NoOptions, Outcome, ParseContext, Probe, Transport};
use weir_base::{Direction, PerDirection, Turn};

use super::{TELNET, parser, probe};
use crate::testing::{DOWN, UP, endpoints};

/// Bytes in pieces; nothing is a gap of three bytes.
type Said<'a> = &'a [(Direction, &'a [u8])];

/// The frames of both sides but the whole ones: kind, offset and length.
fn frames(said: Said<'_>, length: usize) -> Vec<String> {
    let endpoints = endpoints(&TELNET, Transport::Tcp);
    let mut lists = PerDirection::<FrameList>::default();
    let mut offsets = PerDirection::<u64>::default();
    let mut parser = parser::configure(&NoOptions).open(&endpoints);
    let (files, order) = (FileSettings::default(), Turn::alone());
    for &(direction, bytes) in said {
        let mut pieces = bytes.chunks(length).collect::<Vec<_>>();
        if bytes.is_empty() {
            pieces.push(b"");
        }
        for piece in pieces {
            let (requests, anomalies) = (&mut Vec::new(), &mut Vec::new());
            let kinds = FrameKinds::ALL;
            let sink = FrameSink { protocol: &TELNET, kinds, lists: &mut lists, refused: &mut 0 };
            let bare = ParseContext::bare(&endpoints, &files, &order, requests, anomalies);
            let mut cx = ParseContext { offset: offsets[direction], frames: Some(sink), ..bare };
            let outcome = match piece {
                b"" => parser.gap(&mut cx, direction, 3),
                _ => parser.data(&mut cx, direction, piece),
            };
            assert_eq!(outcome, Outcome::Ok);
            offsets[direction] += piece.len().max(3 * usize::from(piece.is_empty())) as u64;
        }
    }
    let mut told = Vec::new();
    for direction in [DOWN, UP] {
        let (whole, parts): (Vec<_>, Vec<_>) =
            lists[direction].as_slice().iter().partition(|frame| frame.name() == "pdu");
        assert_eq!(whole.len(), parts.len());
        for (whole, part) in whole.iter().zip(&parts) {
            assert_eq!((whole.offset, whole.length), (part.offset, part.length));
            let length = part.length.map_or("?".to_owned(), |length| length.to_string());
            told.push(format!("{} {}+{length}", part.name(), part.offset));
        }
    }
    told
}

#[test]
fn commands_and_text() {
    let cases: &[(Said<'_>, &[&str])] = &[
        (&[(DOWN, b"\xff\xfb\x01\xff\xf1\xff\xfd\x18")], &["ctl 0+3", "ctl 3+2", "ctl 5+3"]),
        (&[(UP, b"\xff\xfa\x18\x00xterm\xff\xf0ls\r\n")], &["ctl 0+9", "ctl 9+2", "data 11+4"]),
        (&[(UP, b"\xff\xfa\xff\xff\xff\x01\xff\xf0")], &["ctl 0+6", "ctl 6+2"]),
        (&[(UP, b"a\nb\nc")], &["data 0+2", "data 2+2", "data 4+?"]),
        (&[(UP, b"\xff")], &["ctl 0+?"]),
        // What a server says ends with a prompt, until somebody is logged in.
        (
            &[
                (DOWN, b"Hello\r\nlogin: "),
                (UP, b"me\r\n"),
                (DOWN, b"me\r\nPassword: "),
                (UP, b"x\r\n"),
                (DOWN, b"\r\nWelcome: to\r\n$ "),
            ],
            &["data 0+14", "data 14+14", "data 28+2", "data 30+13", "data 43+?", "data 0+4", "data 4+3"],
        ),
        (
            &[
                (DOWN, b"a: "),
                (UP, b"me\n"),
                (DOWN, b"b: "),
                (UP, b"x\n"),
                (DOWN, b"Login incorrect\nc\n: d"),
            ],
            &["data 0+3", "data 3+3", "data 6+16", "data 22+4", "data 26+?", "data 0+3", "data 3+2"],
        ),
        (&[(UP, b"abc"), (UP, b""), (UP, b"de\n")], &["data 0+3", "data 6+3"]),
    ];
    for (said, expected) in cases {
        for length in [1, 2, 3, 100] {
            assert_eq!(frames(said, length), *expected, "{said:?} in pieces of {length}");
        }
    }
}

#[test]
fn detection() {
    for (bytes, expected) in [(&b"\xff\xfb"[..], Probe::Yes), (b"lo", Probe::Yes), (b"\xff", Probe::More)] {
        assert_eq!(probe::probe(Transport::Tcp, DOWN, bytes), expected);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_taken(said in prop::collection::vec((any::<bool>(), prop::collection::vec(prop_oneof![Just(0xff), Just(0xfa), Just(0xf0), Just(b':'), Just(b' '), any::<u8>()], 1..40)), 0..6)) {
        let said: Vec<_> = said.iter().map(|(up, bytes)| (if *up { UP } else { DOWN }, &bytes[..])).collect();
        prop_assert_eq!(frames(&said, 1), frames(&said, 100));
    }
}
