//! Conversations built here, through the parser, to rows of Zeek's log.

use proptest::prelude::*;
use weir_applayer::{NoOptions, Probe, Said, Transport};
use weir_base::Direction;

use super::message::Message;
use super::value::{MAX_DEPTH, MAX_LENGTH, MAX_TEXT};
use super::zeek::{MAX_HELD, MAX_PENDING};
use super::{REDIS, probe};
use crate::testing::{Conversation, DOWN, UP, same_in_any_pieces};

fn rows(pieces: &[(Direction, &[u8])]) -> Vec<String> {
    let mut conversation = same_in_any_pieces(|| Conversation::new(&REDIS, &NoOptions), pieces);
    conversation.zeek().without_times("redis")
}

/// Returns the messages of a reply.
fn reply(bytes: &[u8]) -> Vec<Message> {
    let conversation = Conversation::of(&REDIS, &NoOptions, &[(DOWN, bytes)]);
    conversation.ids().into_iter().map(|id| conversation.tx::<Said<Message>>(id).message.clone()).collect()
}

#[test]
fn commands_and_replies() {
    let found = rows(&[
        (UP, b"*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n*2\r\n$3\r\nget\r\n$3\r\nkey\r\n"),
        (DOWN, b"+OK\r\n$5\r\nvalue\r\n"),
        (UP, b"AUTH bob secret\r\n*4\r\n$5\r\nBITOP\r\n$3\r\nAND\r\n$4\r\ndest\r\n$1\r\na\r\nPING\r\n"),
        (DOWN, b"-WRONGPASS no\r\n"),
    ]);
    assert_eq!(
        found,
        [
            "service redis",
            "cmd.name=SET cmd.key=key cmd.value=value success=T reply.value=OK",
            "cmd.name=get cmd.key=key success=T reply.value=value",
            "cmd.name=AUTH success=F reply.value=WRONGPASS no",
            "cmd.name=BITOP cmd.key=dest",
            "cmd.name=PING",
        ]
    );
}

#[test]
fn commands_without_replies() {
    let found = rows(&[
        (UP, b"ONE\r\nCLIENT REPLY OFF\r\nTWO\r\nCLIENT REPLY ON\r\nCLIENT REPLY SKIP\r\nTHREE\r\nFOUR\r\n"),
        (DOWN, b"+1\r\n+on\r\n+4\r\n"),
    ]);
    assert_eq!(
        found,
        [
            "service redis",
            "cmd.name=ONE success=T reply.value=1",
            "cmd.name=CLIENT",
            "cmd.name=TWO",
            "cmd.name=CLIENT success=T reply.value=on",
            "cmd.name=CLIENT",
            "cmd.name=THREE",
            "cmd.name=FOUR success=T reply.value=4",
        ]
    );
}

#[test]
fn subscriptions() {
    let message = b"*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n";
    let found = rows(&[
        (UP, b"SUBSCRIBE a\r\n"),
        (DOWN, message),
        (DOWN, message),
        (UP, b"RESET\r\n"),
        (DOWN, b"+RESET\r\n"),
    ]);
    assert_eq!(found, ["service redis", "cmd.name=SUBSCRIBE", "cmd.name=RESET success=T reply.value=RESET"]);
    let found = rows(&[
        (UP, b"HELLO 3\r\n"),
        (DOWN, b"%1\r\n+proto\r\n:3\r\n"),
        (UP, b"SUBSCRIBE a\r\nPING\r\n"),
        (DOWN, b">3\r\n+subscribe\r\n+a\r\n:1\r\n+PONG\r\n"),
    ]);
    assert_eq!(
        found,
        [
            "service redis",
            "cmd.name=HELLO success=T reply.value={proto: 3}",
            "cmd.name=SUBSCRIBE",
            "cmd.name=PING success=T reply.value=PONG",
        ]
    );
}

#[test]
fn replies() {
    let cases: &[(&[u8], &str, bool)] = &[
        (b"*3\r\n:1\r\n*2\r\n$1\r\na\r\n$-1\r\n*0\r\n", "[1, [a, null], []]", false),
        (b"%2\r\n+a\r\n:1\r\n+b\r\n~2\r\n#t\r\n#f\r\n", "{a: 1, b: (T, F)}", true),
        (b"*3\r\n:1\r\n:2\r\n|1\r\n+ttl\r\n:3600\r\n:3\r\n", "[1, 2, 3]", true),
        (b"|1\r\n+k\r\n%1\r\n$1\r\na\r\n,0.19\r\n*1\r\n:+5\r\n", "[5]", true),
        (b"=7\r\ntxt:abc\r\n", "txt:abc", true),
        (b"_\r\n", "null", true),
        (b"*-1\r\n", "null", false),
    ];
    for (bytes, expected, is_version_3) in cases {
        let text = expected.as_bytes().to_vec();
        let expected = Message::Reply { text, is_error: false, is_version_3: *is_version_3 };
        assert_eq!(reply(bytes), [expected], "{}", bytes.escape_ascii());
    }
    assert_eq!(reply(b">1\r\n-no\r\n"), [Message::Push(b"[no]".to_vec())]);
    assert!(matches!(reply(b"!2\r\nno\r\n")[..], [Message::Reply { is_error: true, .. }]));
}

#[test]
fn what_is_no_message_ends_a_side() {
    let mut conversation = Conversation::of(
        &REDIS,
        &NoOptions,
        &[(UP, &b"ONE\r\nTWO\r\n"[..]), (DOWN, b"+1\r\nnot RESP\r\n+2\r\n"), (UP, b"THREE\r\n")],
    );
    conversation.close();
    let rows = conversation.zeek().lines.clone();
    assert_eq!(
        rows,
        ["service redis", "redis 1: cmd.name=ONE success=T reply.value=1", "violation no value of RESP",]
    );
    let deep = b"*1\r\n".repeat(MAX_DEPTH + 1);
    let long = format!("${}\r\n", MAX_LENGTH + 1).into_bytes();
    let line = vec![b'+'; MAX_LENGTH + 2];
    for bytes in [&b"$x\r\n"[..], b"$1\r\nabc", b"*9999999999\r\n", b":x\r\n", &deep, &long, &line] {
        let mut conversation = Conversation::of(&REDIS, &NoOptions, &[(DOWN, bytes), (DOWN, b"+OK\r\n")]);
        assert!(conversation.ids().is_empty(), "{}", bytes[..5].escape_ascii());
        conversation.close();
        assert_eq!(conversation.tx::<Said<Message>>(0).message, Message::Failure);
    }
    for bytes in [&b"*1\r\nPING\r\n"[..], b"*x\r\n", b"*0\r\n", b"*1\r\n$1\r\nabc", b"\r\n"] {
        let conversation = Conversation::of(&REDIS, &NoOptions, &[(UP, bytes), (UP, b"PING\r\n")]);
        assert!(conversation.ids().is_empty(), "{}", bytes.escape_ascii());
    }
}

#[test]
fn long_texts_are_cut() {
    let long = format!("${}\r\n{}\r\n", MAX_TEXT + 5, "a".repeat(MAX_TEXT + 5)).into_bytes();
    let found = rows(&[(UP, b"GET a\r\n"), (DOWN, &long)]);
    let row = format!("cmd.name=GET cmd.key=a success=T reply.value={}", "a".repeat(MAX_TEXT));
    assert_eq!(found, ["service redis", "weird of none log_string_field_truncated: Redis::LOG", &row]);
}

#[test]
fn commands_that_wait_are_limited() {
    let mut conversation = Conversation::new(&REDIS, &NoOptions);
    conversation.push(UP, &b"PING\r\n".repeat(MAX_PENDING + 2));
    assert_eq!(conversation.zeek().lines, ["weird Redis_excessive_pipelining"]);

    let text = "a".repeat(MAX_TEXT);
    let long = format!("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${MAX_TEXT}\r\n{text}\r\n").into_bytes();
    for (more, expected) in [(0, &[][..]), (22, &["weird Redis_excessive_pipelining"])] {
        let mut conversation = Conversation::new(&REDIS, &NoOptions);
        conversation.push(UP, &long.repeat(MAX_HELD / MAX_TEXT - 20 + more));
        assert_eq!(conversation.zeek().lines, *expected);
    }
}

#[test]
fn replies_that_nobody_asked_for_are_limited() {
    let mut conversation = Conversation::new(&REDIS, &NoOptions);
    conversation.push(DOWN, &b"+watched\r\n".repeat(3 * MAX_PENDING));
    conversation.push(UP, b"PING\r\n");
    assert_eq!(conversation.zeek().lines, ["service redis", "weird Redis_excessive_pipelining"]);
}

#[test]
fn detection() {
    let cases: &[(Direction, &[u8], Probe)] = &[
        (UP, b"*1\r\n", Probe::Yes),
        (UP, b"PING\r\n", Probe::Yes),
        (UP, b"\x16\x03\x01", Probe::No),
        (DOWN, b"+OK\r\n", Probe::Yes),
        (DOWN, b"HTTP/1.1", Probe::No),
        (DOWN, b"", Probe::More),
    ];
    for (direction, bytes, expected) in cases {
        assert_eq!(probe::probe(Transport::Tcp, *direction, bytes), *expected);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_taken(
        pieces in proptest::collection::vec((any::<bool>(), "[*$:%|+>-][0-9-]{0,2}(\r\n)?[a-z]{0,3}(\r\n)?"), 0..40),
    ) {
        let mut conversation = Conversation::new(&REDIS, &NoOptions);
        for (from_client, bytes) in pieces {
            conversation.push(if from_client { UP } else { DOWN }, bytes.as_bytes());
        }
        let _ = conversation.zeek();
    }
}
