//! Conversations built here, through the parser, to rows of Zeek's log.

use std::sync::Arc;

use proptest::prelude::*;
use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::zeek::FileFate;
use weir_applayer::{FileState, NoOptions, Outcome, Probe, Request, Transport};
use weir_base::Direction;

use super::data::{DataTransaction, IRC_DATA};
use super::message::{self, Message, Offer};
use super::parser::{MAX_INVALID, MAX_LINE, TOO_MANY_LINES};
use super::zeek::{MAX_OFFERS, TOO_MANY_FILES};
use super::{IRC, probe};
use crate::testing::{Conversation, DOWN, NEVER, UP, same_in_any_pieces};

fn rows(pieces: &[(Direction, &[u8])]) -> Vec<String> {
    let mut conversation = same_in_any_pieces(|| Conversation::new(&IRC, &NoOptions), pieces);
    conversation.close();
    conversation.zeek().without_times("irc")
}

#[test]
fn names_and_channels() {
    let found = rows(&[
        (DOWN, b":server NOTICE * :*** Looking up your hostname\r\n"),
        (UP, b"NICK :bob\r\n  user b * * :Bob B Bob\nnick bob2\r"),
        (DOWN, b":server 001 bob :Welcome\r\nNICK other\r\n"),
        (UP, b"JOIN #a,#b key\r\nPRIVMSG #a :hello\r\nJOIN #c"),
    ]);
    assert_eq!(
        found,
        [
            "service irc",
            "command=NICK value=bob",
            "nick=bob command=USER value=b addl=* * BobB Bob ",
            "nick=bob user=b command=NICK value=bob2 addl=* * BobB Bob ",
            "nick=bob2 user=b command=JOIN value=#a addl= with channel key: 'key'",
            "nick=bob2 user=b command=JOIN value=#b addl=",
            "nick=bob2 user=b command=JOIN value=#c addl=",
        ]
    );
}

#[test]
fn what_lines_say() {
    let odd = |name| Some(Message::Odd(name, None));
    let file = |size| {
        let (name, host) = (b"f".to_vec(), [10, 0, 0, 1].into());
        Some(Message::File(Offer { name, size, host, port: 5555 }))
    };
    let cases: &[(&[u8], Option<Message>)] = &[
        (b"", odd("irc_line_too_short")),
        (b"   ab", odd("irc_line_too_short")),
        (b":prefix", odd("irc_invalid_line")),
        (b":prefix ab", Some(Message::Failure("irc_invalid_line", "line too short"))),
        (b"12", odd("irc_line_too_short")),
        (b"123", Some(Message::Failure("irc_invalid_reply_number", "invalid reply number"))),
        (b"353 ", None),
        (b"@time=2026-01-01T00:00:00.000Z :server 001 bob :Welcome", None),
        (b"@time=2026-01-01T00:00:00.000Z PING :1", Some(Message::Known)),
        (b"@time=2026-01-01T00:00:00.000Z", odd("irc_invalid_command")),
        (b":s 670 :go", Some(Message::Tls)),
        (b"GET / HTTP/1.1", None),
        (b"ping", Some(Message::Known)),
        (b"JOIN :", odd("irc_invalid_join_line")),
        (b"NJOIN #a", odd("irc_invalid_njoin_line")),
        (b"ABCDEFGHIJKLMNOPQRSTU", odd("irc_invalid_command")),
        (b"USER", Some(Message::User(Vec::new(), b"  ".to_vec()))),
        (b"PRIVMSG bob", odd("irc_invalid_privmsg_message_format")),
        (b"PRIVMSG bob :DCC SEND", odd("irc_invalid_dcc_message_format")),
        (b"PRIVMSG bob :\x01DCC SEND f 167772161 5555\x01", file(0)),
        (b"PRIVMSG bob :\x01DCC SEND f 167772161 5555 12\x01", file(12)),
        (b"PRIVMSG bob :\x01DCC SEND f 167772161 5555 99999999999 T\x01", file(99_999_999_999)),
        (b"PRIVMSG bob :\x01DCC CHAT chat 167772161 5555\x01", Some(Message::Known)),
        (b"PRIVMSG bob :DCC SEND f 1 abc 12", Some(Message::Odd("irc_invalid_dcc_port", Some("0".into())))),
        (
            b"PRIVMSG bob :DCC SEND f 1 70000",
            Some(Message::Odd("irc_invalid_dcc_port", Some("70000".into()))),
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(message::read(line), *expected, "{}", String::from_utf8_lossy(line));
    }
}

/// Any file comes at once ([`crate::testing::Rows`]).
#[test]
fn files_are_announced() {
    let found = rows(&[
        (UP, b"NICK bob\r\nJOIN #a\r\n"),
        (UP, b"PRIVMSG #a :\x01DCC SEND f.txt 167772161 5555 12\x01\r\n"),
        (DOWN, b":al PRIVMSG bob :\x01DCC SEND g 167772169 5556\x01\r\n"),
        (UP, b"JOIN #b\r\n"),
    ]);
    let file = "nick=bob command=DCC value=#a addl= dcc_file_name";
    assert_eq!(
        found,
        [
            "service irc",
            "command=NICK value=bob",
            "nick=bob command=JOIN value=#a addl=",
            "announce irc-dcc-data 10.0.0.1:5555",
            &format!("{file}=f.txt dcc_file_size=12 dcc_mime_type=text/plain fuid=F5555"),
            "announce irc-dcc-data 10.0.0.9:5556",
            &format!("{file}=g dcc_file_size=0 dcc_mime_type=text/plain fuid=F5556"),
            "nick=bob command=JOIN value=#b addl=",
        ]
    );
}

#[test]
fn files_that_are_waited_for_are_bounded_which_is_told() {
    for (count, told) in [(MAX_OFFERS, &[][..]), (MAX_OFFERS + 1, &[TOO_MANY_FILES])] {
        let mut conversation = Conversation::new(&IRC, &NoOptions);
        for port in (NEVER..).take(count) {
            let line = format!("PRIVMSG bob :\x01DCC SEND f 167772161 {port}\x01\r\n");
            conversation.push(UP, line.as_bytes());
        }
        assert_eq!(conversation.zeek().of("weird"), told);
    }
}

#[test]
fn files_are_expected_between_the_same_hosts() {
    for (host, opened_by) in [("167772161", Some(DOWN)), ("167772162", Some(UP)), ("167772169", None)] {
        let line = format!("PRIVMSG bob :\x01DCC SEND f.txt {host} 5555 12\x01\r\n");
        let conversation = Conversation::of(&IRC, &NoOptions, &[(UP, line)]);
        let expected: Vec<_> = conversation
            .requests
            .iter()
            .map(|request| match request {
                Request::Expect { protocol, opened_by, port, tag, .. } => {
                    (*protocol, *opened_by, *port, &tag[..])
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let wanted = opened_by.map(|way| (IRC_DATA.name, way, 5555, &b"f.txt"[..]));
        assert_eq!(expected, wanted.into_iter().collect::<Vec<_>>(), "{host}");
    }
}

#[test]
fn what_the_responder_sends_is_the_file() {
    let open = || {
        let mut conversation = Conversation::new(&IRC_DATA, &NoOptions);
        conversation.parser.announced(&Arc::from(&b"f.txt"[..]));
        conversation
    };
    let pieces = [(DOWN, &b"hello "[..]), (UP, b"\0\0\0\x06"), (DOWN, b"world\n")];
    let mut conversation = same_in_any_pieces(open, &pieces);
    conversation.close();
    let file = conversation.tx::<DataTransaction>(0).file.as_ref().unwrap();
    assert_eq!((&file.name[..], file.size, file.mime_type()), (&b"f.txt"[..], 12, Some("text/plain")));
    let rows = conversation.zeek();
    assert_eq!(rows.files.last(), Some(&(0, 12, FileFate::Over)));
    assert!(rows.lines.contains(&"sent F0".to_owned()) && rows.of("service").is_empty());
}

#[test]
fn what_is_missing_of_a_file() {
    let mut conversation = Conversation::of(&IRC_DATA, &NoOptions, &[(DOWN, b"hello")]);
    conversation.gap(DOWN, 7);
    conversation.close();
    let file = conversation.tx::<DataTransaction>(0).file.as_ref().unwrap();
    assert_eq!((file.state, file.size, file.missing), (FileState::Truncated, 5, 7));
}

#[test]
fn long_lines() {
    let line = [&[b'a'; MAX_LINE + 100][..], b"\n"].concat();
    assert_eq!(
        rows(&[(UP, &line)]),
        ["weird contentline_size_exceeded", "weird irc_line_size_exceeded", "weird irc_invalid_command"]
    );
    let many = b"abcdefghijklmnopqrstuvwxyz\n".repeat(MAX_INVALID as usize + 9);
    let found = rows(&[(UP, &many), (UP, b"NICK bob\n")]);
    assert_eq!(
        found[MAX_INVALID as usize + 1..],
        ["weird irc_too_many_invalid", "violation too many long lines"]
    );
}

#[test]
fn tls_follows() {
    let mut conversation = Conversation::new(&IRC, &NoOptions);
    conversation.push(UP, b"STARTTLS\r\n");
    let reply = b":server 670  :go ahead\r\n\x16\x03";
    let outcome = conversation.push(DOWN, reply);
    assert_eq!(outcome, Outcome::Incomplete { consumed: reply.len() - 2, needed: 0 });
    assert!(conversation.requests.iter().any(|request| matches!(request, Request::Upgrade(Some("tls")))));
}

#[test]
fn what_is_missing() {
    let mut conversation = Conversation::of(&IRC, &NoOptions, &[(UP, b"NICK a")]);
    conversation.gap(UP, 9);
    conversation.push(UP, b"USER lost\r\nNICK b\r\n");
    assert_eq!(conversation.zeek().of("irc"), ["2: command=NICK value=b"]);
}

#[test]
fn probes() {
    for (direction, bytes, expected) in [
        (UP, &b"NICK bob\r\n"[..], Probe::Yes),
        (UP, b"  NICK bob\r\n", Probe::Yes),
        (UP, b"NIC", Probe::More),
        (UP, b"GET / HTTP/1.1", Probe::No),
        (UP, b":server", Probe::No),
        (DOWN, b":server", Probe::Yes),
        (DOWN, b"220 ready", Probe::No),
    ] {
        assert_eq!(probe::probe(Transport::Tcp, direction, bytes), expected, "{bytes:?}");
    }
}

#[test]
fn tls_follows_a_line_end_in_two_pieces() {
    for (rest, taken) in [(&b"\n\x16\x03"[..], 1), (b"\x16\x03", 0)] {
        let mut conversation = Conversation::of(&IRC, &NoOptions, &[(UP, b"STARTTLS\r\n")]);
        assert_eq!(conversation.push(DOWN, b":server 670 :go ahead\r"), Outcome::Ok);
        assert!(conversation.wishes().is_empty());
        let outcome = conversation.push(DOWN, rest);
        assert_eq!(outcome, Outcome::Incomplete { consumed: taken, needed: 0 });
        assert!(matches!(conversation.wishes()[..], [Request::Upgrade(Some("tls"))]));
    }
}

#[test]
fn lines_that_come_at_once_are_bounded_which_is_told() {
    let many = [b"PING\n".repeat(MAX_LIVE), b"JOIN #a\n".repeat(MAX_LIVE)].concat();
    let mut conversation = Conversation::new(&IRC, &NoOptions);
    let outcome = conversation.call(|parser, cx| parser.data(cx, UP, &many));
    assert_eq!((outcome, conversation.ids().len()), (Outcome::Ok, MAX_LIVE));
    // Messages that only show that it is IRC are logged once.
    assert_eq!(conversation.zeek().of("irc").len(), MAX_LIVE - 2);
    assert_eq!(conversation.zeek().of("weird"), [TOO_MANY_LINES]);
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), "[ -~\r\n\u{1}]{0,60}"), 0..20)) {
        let mut conversation = Conversation::new(&IRC, &NoOptions);
        for (up, text) in &pieces {
            conversation.push(if *up { UP } else { DOWN }, text.as_bytes());
        }
        let rows = conversation.zeek();
        prop_assert!(rows.of("irc").len() <= pieces.len() * 30);
    }
}
