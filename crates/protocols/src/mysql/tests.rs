//! Conversations built here, through the parser, to rows of Zeek's log.

use proptest::prelude::*;
use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{NoOptions, Outcome, Probe, Transport};
use weir_base::Direction;

use super::parser::MAX_READ;
use super::{MYSQL, probe};
use crate::testing::{Conversation, DOWN, UP, same_in_any_pieces};

const TLS: u32 = 0x800;
const METHODS: u32 = 0x8_0000;
const NO_ENDS: u32 = 0x100_0000;
const ATTRIBUTES: u32 = 0x800_0000;

fn packet(number: u8, body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes()[..3], &[number], body].concat()
}

fn greeting() -> Vec<u8> {
    let end = ((METHODS | ATTRIBUTES) >> 16) as u16;
    let parts: [&[u8]; 6] = [
        b"\x0a8.0\0\x01\0\0\0challeng\0\xff\xff\x21\x02\0",
        &end.to_le_bytes(),
        &[21],
        &[0; 10],
        &[1; 13],
        b"m\0",
    ];
    packet(0, &parts.concat())
}

fn login(capabilities: u32) -> Vec<u8> {
    let tail: &[u8] = if capabilities & TLS == 0 { b"root\0\x02ab" } else { b"" };
    packet(1, &[&capabilities.to_le_bytes()[..], &[0; 28], tail].concat())
}

fn done(number: u8, rows: u8) -> Vec<u8> {
    packet(number, &[0, rows, 0, 2, 0, 0, 0])
}

fn end(number: u8) -> Vec<u8> {
    packet(number, b"\xfe\0\0\x02\0")
}

fn command(number: u8, text: &[u8]) -> Vec<u8> {
    packet(0, &[&[number], text].concat())
}

/// A client that is let in, and what follows.
fn after_login(capabilities: u32, rest: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let mut pieces = vec![(DOWN, greeting()), (UP, login(capabilities)), (DOWN, done(2, 0))];
    pieces.extend_from_slice(rest);
    let mut found = rows(&pieces);
    assert_eq!(
        found.drain(..2).collect::<Vec<_>>(),
        ["service mysql", "cmd=login arg=root success=T rows=0"]
    );
    found
}

fn rows(pieces: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let pieces: Vec<_> = pieces.iter().map(|(direction, bytes)| (*direction, &bytes[..])).collect();
    let mut conversation = same_in_any_pieces(|| Conversation::new(&MYSQL, &NoOptions), &pieces);
    conversation.zeek().without_times("mysql")
}

#[test]
fn results() {
    let columns = |first: u8| [packet(first, b"\x03def"), packet(first + 1, b"\x03def")].concat();
    let answer = [packet(1, &[2]), columns(2), end(4), packet(5, b"\x01a\x01b"), end(6)].concat();
    let queries = [
        (UP, command(3, b"select 1")),
        (DOWN, answer),
        (UP, command(3, b"delete")),
        (DOWN, done(1, 7)),
        (UP, command(3, b"oops")),
        (DOWN, packet(1, b"\xff\x28\x04#42000bad syntax")),
        (UP, command(4, b"table\0")),
        (DOWN, [columns(1), end(3)].concat()),
        (UP, command(9, b"")),
        (DOWN, packet(1, b"Uptime: 7")),
        (UP, command(99, b"x")),
        (UP, command(1, b"")),
    ];
    let expected = [
        "cmd=query arg=select 1 success=T rows=0",
        "cmd=query arg=delete success=T rows=7",
        "cmd=query arg=oops success=F response=bad syntax",
        "cmd=field_list arg=table success=T rows=0",
        "cmd=statistics arg=",
        "cmd=unknown-99 arg=x",
        "cmd=quit arg=",
    ];
    assert_eq!(after_login(0, &queries), expected);
}

#[test]
fn results_without_ends_and_queries_with_attributes() {
    let answer =
        [packet(1, &[1]), packet(2, b"\x03def"), packet(3, b"\x01a"), packet(4, b"\xfe\0\0\x02\0\0\0")];
    let queries = [
        (UP, command(3, b"\x01\x01\0\x01\xfe\0\x01a\x02bcselect 1")),
        (DOWN, answer.concat()),
        (UP, command(3, &[&[0xfd, 0, 0x40, 0, 1], &vec![0; MAX_READ][..]].concat())),
        (UP, command(14, b"")),
    ];
    assert_eq!(
        after_login(NO_ENDS | ATTRIBUTES, &queries),
        ["cmd=query arg=select 1 success=T rows=0", "cmd=query arg=", "cmd=ping arg="]
    );
}

#[test]
fn logins() {
    let refused = packet(2, b"\xff\x15\x04#28000Access denied");
    let switch = packet(2, b"\xfenative\0data");
    type Case<'a> = (Vec<(Direction, Vec<u8>)>, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (vec![(UP, login(0)), (DOWN, refused)], &["cmd=login arg=root success=F response=Access denied"]),
        (
            vec![
                (UP, login(METHODS)),
                (DOWN, switch),
                (UP, packet(3, b"proof")),
                (DOWN, packet(4, b"\x01\x04")),
                (DOWN, done(5, 0)),
            ],
            &["cmd=login arg=root success=T rows=0"],
        ),
        (vec![(UP, login(TLS))], &[]),
        (vec![(UP, login(0))], &["cmd=login arg=root"]),
        (
            vec![
                (UP, login(0)),
                (DOWN, done(2, 0)),
                (UP, command(17, b"other\0\x02abdb\0\x08\0")),
                (DOWN, done(1, 0)),
            ],
            &["cmd=login arg=root success=T rows=0", "cmd=change_user arg=other success=T rows=0"],
        ),
    ];
    for (pieces, expected) in cases {
        let pieces = [&[(DOWN, greeting())][..], pieces].concat();
        let mut found = rows(&pieces);
        assert_eq!(found.remove(0), "service mysql");
        assert_eq!(found, *expected);
    }
    // Version 9, and what is too early to be one.
    let old = [(DOWN, packet(0, b"\x093.2\0\x01\0\0\0salt\0")), (UP, packet(1, b"\0\0\0\0\0me\0pass\0"))];
    assert_eq!(rows(&old), ["service mysql", "cmd=login arg=me"]);
    assert!(rows(&[(DOWN, packet(0, b"\xff\x10\x04#08004Too many"))]).is_empty());
}

#[test]
fn long_texts_are_cut() {
    let long = vec![b'a'; MAX_READ * 2];
    let found = after_login(0, &[(UP, command(3, &long)), (UP, command(14, b"")), (DOWN, done(1, 0))]);
    assert_eq!(found[0], "weird of none log_string_field_truncated: mysql::LOG");
    assert_eq!(found[1], format!("cmd=query arg={}", "a".repeat(4096)));
    assert_eq!(found[2], "cmd=ping arg= success=T rows=0");
}

#[test]
fn what_is_no_packet() {
    let cases: &[&[(Direction, Vec<u8>)]] = &[
        &[(UP, login(0))],
        &[(DOWN, packet(0, b"\x0a8.0\0"))],
        &[(DOWN, greeting()), (UP, packet(1, b"\0\0"))],
        &[(DOWN, greeting()), (UP, login(0)), (DOWN, packet(2, b"\x07"))],
        &[(DOWN, greeting()), (UP, login(0)), (DOWN, done(2, 0)), (UP, packet(0, b""))],
    ];
    for pieces in cases {
        let found = rows(pieces);
        assert_eq!(found.iter().filter(|row| row.starts_with("violation")).count(), 1, "{found:?}");
        let more = [pieces, &[(UP, command(3, b"more"))][..]].concat();
        assert_eq!(rows(&more), found, "nothing is read behind it");
    }
}

#[test]
fn probes() {
    for (direction, bytes, expected) in [
        (DOWN, &b"\x4a\0\0\0\x0a8.0"[..], Probe::Yes),
        (DOWN, b"\x4a\0\0\0", Probe::More),
        (DOWN, b"SSH-2.0", Probe::No),
        (UP, b"\x20\0\0\x01\x85", Probe::Yes),
        (UP, b"GET / HTTP", Probe::No),
    ] {
        assert_eq!(probe::probe(Transport::Tcp, direction, bytes), expected, "{bytes:?}");
    }
}

#[test]
fn messages_that_come_at_once_are_bounded_which_is_told() {
    let mut conversation =
        Conversation::of(&MYSQL, &NoOptions, &[(DOWN, greeting()), (UP, login(0)), (DOWN, done(2, 0))]);
    let many = command(14, b"").repeat(MAX_LIVE);
    let outcome = conversation.call(|parser, cx| parser.data(cx, UP, &many));
    assert_eq!((outcome, conversation.ids().len()), (Outcome::Ok, MAX_LIVE));
    assert_eq!(conversation.zeek().of("weird"), ["mysql_too_many_packets"]);
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), 0u8..6, prop::collection::vec(any::<u8>(), 0..60)), 0..20)) {
        let mut conversation = Conversation::of(&MYSQL, &NoOptions, &[(DOWN, greeting()), (UP, login(ATTRIBUTES))]);
        for (up, number, bytes) in &pieces {
            conversation.push(if *up { UP } else { DOWN }, &packet(*number, bytes));
        }
        let rows = conversation.zeek();
        prop_assert!(rows.of("mysql").len() <= pieces.len() + 1);
    }
}
