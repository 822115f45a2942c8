//! Lines built here, through the parser, to EVE records.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{NoOptions, Options, Outcome, Probe, Request, Transport};
use weir_base::Direction;

use super::command::MAX_ARGUMENTS;
use super::parser::MAX_LINE;
use super::transaction::MAX_DATA;
use super::{POP3, probe};
use crate::testing::{Conversation, DOWN, Settings, UP, led_in_any_pieces, same_in_any_pieces};

/// Conversations as Zeek's logs read them, by lines.
fn open(options: &dyn Options) -> Conversation {
    let mut conversation = Conversation::new(&POP3, options);
    conversation.as_zeek = true;
    conversation
}

fn of<B: AsRef<[u8]>>(options: &dyn Options, pieces: &[(Direction, B)]) -> Conversation {
    let mut conversation = open(options);
    conversation.talk(pieces);
    conversation
}

type Said<'a> = &'a [(Direction, &'a [u8])];

fn records(conversation: &Conversation) -> Vec<Value> {
    let ids = conversation.ids().into_iter().filter(|&id| conversation.is_complete(id));
    ids.filter_map(|id| conversation.eve(id, &NoOptions)).collect()
}

fn answer(success: bool, header: &str, data: &[&str]) -> Value {
    let status = if success { "OK" } else { "ERR" };
    json!({"success": success, "status": status, "header": header, "data": data})
}

fn asked(command: &str, args: &[&str], response: Value) -> Value {
    json!({"request": {"command": command, "args": args}, "response": response})
}

#[test]
fn a_session() {
    let said: Said<'_> = &[
        (DOWN, b"+OK ready <1.2@a>\r\n"),
        (UP, b"USER bob\r\n"),
        (DOWN, b"+OK\r\n"),
        (UP, b"pass a b\r\n"),
        (DOWN, b"-ERR no\r\n"),
        (UP, b"STAT\r\nLIST\r\nLIST 2\r\nCAPA\r\n"),
        (DOWN, b"+OK 2 320\r\n+OK 2 messages\r\n1 120\r\n2 200\r\n.\r\n+OK 2 200\r\n-ERR what\r\n"),
        (UP, b"RETR 1\r\n"),
        (DOWN, b"+OK 30 octets\r\nFrom: a\r\n\r\n+OK\r\n..\r\n.\r\n"),
        (UP, b"TOP 1 1\r\nQUIT\r\n"),
        (DOWN, b"+OK\r\nFrom: a\r\n\r\n..x\r\n.\r\n+OK bye\r\n"),
    ];
    let conversation = same_in_any_pieces(|| open(&NoOptions), said);
    let expected = [
        json!({"response": answer(true, "ready <1.2@a>", &[])}),
        asked("USER", &["bob"], answer(true, "", &[])),
        asked("PASS", &["a b"], answer(false, "no", &[])),
        asked("STAT", &[], answer(true, "2 320", &[])),
        asked("LIST", &[], answer(true, "2 messages", &["1 120", "2 200"])),
        asked("LIST", &["2"], answer(true, "2 200", &[])),
        asked("CAPA", &[], answer(false, "what", &[])),
        asked("RETR", &["1"], answer(true, "30 octets", &[])),
        asked("TOP", &["1", "1"], answer(true, "", &["From: a", "", ".x"])),
        asked("QUIT", &[], answer(true, "bye", &[])),
    ];
    assert_eq!(records(&conversation), expected);
    assert!(conversation.ids().into_iter().all(|id| conversation.anomalies(id).is_empty()));
}

#[test]
fn authentication_by_steps() {
    let said: Said<'_> = &[
        (UP, b"AUTH LOGIN\r\n"),
        (DOWN, b"+ \r\n"),
        (UP, b"Ym9i\r\n"),
        (DOWN, b"+ cGFzcw==\r\n"),
        (UP, b"STAT\r\n"),
        (DOWN, b"+ok\r\n"),
        (UP, b"STAT\r\n"),
        (DOWN, b"+OK 0 0\r\n"),
    ];
    let conversation = same_in_any_pieces(|| open(&NoOptions), said);
    let commands: Vec<_> =
        records(&conversation).iter().map(|record| record["request"]["command"].clone()).collect();
    assert_eq!(commands, ["AUTH", "<SASL DATA>", "<SASL DATA>", "STAT"]);
}

#[test]
fn what_is_wrong() {
    let long = |length: usize| "x".repeat(length);
    let cases: &[(Direction, String, &[&str])] = &[
        (UP, "AUTH\r\n".into(), &["incorrect_argument_count"]),
        (UP, "USER\r\n".into(), &["incorrect_argument_count"]),
        (UP, "STAT now\r\n".into(), &["incorrect_argument_count"]),
        (UP, "HELO a\r\n".into(), &["unknown_command"]),
        (UP, format!("USER {}\r\n", long(248)), &[]),
        (UP, format!("USER {}\r\n", long(249)), &["request_too_long"]),
        (UP, format!("{}\r\n", long(MAX_LINE + 5)), &["request_too_long", "unknown_command"]),
        (UP, format!("{}\rx\n", long(MAX_LINE - 1)), &["request_too_long", "unknown_command"]),
        (UP, "DELE 1 2".to_owned() + &" 3".repeat(MAX_ARGUMENTS) + "\r\n", &["incorrect_argument_count"]),
        (DOWN, format!("+OK {}\r\n", long(506)), &[]),
        (DOWN, format!("+OK {}\r\n", long(507)), &["response_too_long"]),
    ];
    for (direction, line, expected) in cases {
        let said = [(*direction, line.as_bytes())];
        let conversation = same_in_any_pieces(|| open(&NoOptions), &said);
        assert_eq!(conversation.anomalies(0), *expected, "{line}");
    }
}

#[test]
fn tls_follows_where_the_server_agrees() {
    for (answer, expected) in [("+OK go\r\n", true), ("-ERR no\r\n", false)] {
        let said = [(UP, "STLS\r\n"), (DOWN, answer)];
        let conversation = of(&NoOptions, &said);
        let wished = conversation.wishes().iter().any(|wish| matches!(wish, Request::Upgrade(Some("tls"))));
        assert_eq!(wished, expected, "{answer}");
    }
}

#[test]
fn limits() {
    let settings = Settings(&[("max-tx", "2")]);
    let said = [(UP, "STAT\r\n".repeat(5)), (DOWN, "+OK\r\n".to_owned())];
    let conversation = of(&settings, &said);
    let complete: Vec<_> = (0..5).filter(|&id| conversation.is_complete(id)).collect();
    assert_eq!(complete, [0, 1, 2], "two are given up, one is answered");
    assert_eq!(conversation.anomalies(0), ["too_many_transactions"]);
    assert!(conversation.transaction(2).meta().anomalies.is_empty());

    let said = [(UP, "NOOP\r\n".repeat(MAX_LIVE + 2))];
    let conversation = of(&NoOptions, &said);
    assert_eq!(conversation.ids().len(), MAX_LIVE);

    let lines = "1 120\r\n".repeat(MAX_DATA / 30);
    let said = [(UP, "LIST\r\n".to_owned()), (DOWN, format!("+OK\r\n{lines}.\r\n"))];
    let conversation = of(&NoOptions, &said);
    let kept = records(&conversation)[0]["response"]["data"].as_array().unwrap().len();
    assert!(kept > 1000 && kept < MAX_DATA / 30, "{kept}");

    let mut conversation = open(&Settings(&[("max-tx", "many"), ("may-complain", "")]));
    assert_eq!(conversation.push(UP, b"STAT\r\n"), Outcome::Ok);
}

#[test]
fn gaps() {
    // What was asked, the first part of an answer, what follows the gap, and what is told.
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("STAT\r\n", "", "x\r\n+OK ready\r\n", &["", "ready"]),
        ("STAT\r\n", "", "+OK ready\r\n", &["", "ready"]),
        ("RETR 1\r\nSTAT\r\n", "+OK mail\r\nabc", "x\r\n.\r\n+OK 2\r\n", &["mail", "", "2"]),
    ];
    for ((asked, first, second, expected), length) in
        cases.iter().flat_map(|case| [1, 4, 99].map(|length| (case, length)))
    {
        let mut conversation = of(&NoOptions, &[(UP, asked), (DOWN, first)]);
        assert_eq!(conversation.gap(DOWN, 10), Outcome::Ok);
        conversation.push_in(DOWN, second.as_bytes(), length);
        let headers: Vec<_> = records(&conversation)
            .iter()
            .map(|record| record["response"]["header"].as_str().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(headers, *expected, "{asked} {second} in pieces of {length}");
    }
    // The end of a mail is missing: what is asked behind it is answered.
    let mut conversation = of(&NoOptions, &[(UP, "RETR 1\r\n"), (DOWN, "+OK\r\nabc")]);
    conversation.gap(DOWN, 10);
    conversation.talk(&[(UP, "STAT\r\n"), (DOWN, "lost\r\n+OK 2 320\r\n")]);
    assert_eq!(records(&conversation)[1], asked("STAT", &[], answer(true, "2 320", &[])));
    // The client's side of a gap is read as well in any pieces, and is no step of an authentication.
    for length in [1, 3, 99] {
        let mut conversation = of(&NoOptions, &[(UP, "AUTH LOGIN\r\n"), (DOWN, "+ \r\n")]);
        conversation.gap(UP, 10);
        conversation.push_in(UP, b"STAT\r\nQUIT\r\n", length);
        let asked = conversation.ids().into_iter().filter_map(|id| conversation.eve(id, &NoOptions));
        let commands: Vec<_> = asked.map(|record| record["request"]["command"].clone()).collect();
        assert_eq!(commands, ["AUTH", "STAT", "QUIT"]);
    }
}

#[test]
fn detection() {
    let cases: &[(Direction, &[u8], Probe)] = &[
        (UP, b"USER bob\r\n", Probe::Yes),
        (UP, b"quit\r\n", Probe::Yes),
        (UP, b"CAP", Probe::More),
        (UP, b"HELO a\r\n", Probe::No),
        (DOWN, b"+OK ready\r\n", Probe::Yes),
        (DOWN, b"-ERR\r\n", Probe::Yes),
        (DOWN, b"+OKAY\r\n", Probe::No),
        (DOWN, b"220 ready\r\n", Probe::No),
        (DOWN, b"+OK", Probe::More),
    ];
    for (direction, bytes, expected) in cases {
        assert_eq!(probe::probe(Transport::Tcp, *direction, bytes), *expected, "{}", bytes.escape_ascii());
    }
}

proptest! {
    #[test]
    fn any_lines_are_taken(lines in prop::collection::vec((any::<bool>(), prop_oneof![
        Just("RETR 1"), Just("LIST"), Just("AUTH"), Just("+OK"), Just("+ "), Just("-ERR"), Just("."), Just("..x"), Just("")
    ], any::<bool>()), 0..20)) {
        let said: Vec<_> = lines.iter().map(|(up, line, ends)| {
            (if *up { UP } else { DOWN }, format!("{line}{}", if *ends { "\r\n" } else { "" }))
        }).collect();
        led_in_any_pieces(|| open(&NoOptions), &said)?;
    }
}

#[test]
fn zeek_of_commands() {
    let cases: [(Said<'_>, &[&str]); 5] = [
        (
            &[
                (DOWN, b"+OK ready\r\n"),
                (UP, b"AUTH PLAIN\r\n"),
                (DOWN, b"+\r\n"),
                (UP, b"AGEAYg==\r\n"),
                (DOWN, b"+OK\r\n"),
                (UP, b"UTF8\r\nhello there\r\n-ERR\r\nLAST\r\nSTAT\r\n"),
            ],
            &["weird pop3_client_command_unknown: UTF8", "weird pop3_client_sending_server_commands"],
        ),
        (&[(DOWN, b"+OK\r\n"), (UP, b"USER a\r\n"), (DOWN, b"+OK\r\n")], &["service pop3"]),
        (&[(DOWN, b"+OK\r\n"), (UP, b"USER a\r\n"), (DOWN, b"-ERR\r\n")], &[]),
        (
            &[(DOWN, b"+OK\r\n"), (UP, b"USER a\r\n"), (DOWN, b"+OK\r\nSTAT\r\n")],
            &["service pop3", "weird pop3_server_sending_client_commands"],
        ),
        (
            &[(DOWN, b"+OK\r\n"), (UP, b"CAPA\r\n"), (DOWN, b"+OK\r\n.\r\nno thing\r\n"), (UP, b"no\r\n")],
            &[
                "service pop3",
                "weird pop3_server_command_unknown: no",
                "violation unknown server command: no",
            ],
        ),
    ];
    for (said, expected) in cases {
        let mut conversation = open(&NoOptions);
        conversation.as_zeek = true;
        conversation.talk(said);
        assert_eq!(conversation.zeek().lines, expected, "{said:?}");
    }
}
