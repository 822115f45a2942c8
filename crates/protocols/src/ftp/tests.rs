//! Control connections and their data, through the parsers, to fields and records.

use std::sync::Arc;

use serde_json::Value;
use weir_applayer::zeek::{FileFate, Script};
use weir_applayer::{FileState, NoOptions, Outcome, Request};
use weir_base::Direction;

use super::data::DataTransaction;
use super::transaction::FtpTransaction;
use super::zeek::WATCH;
use super::{FTP, FTP_DATA};
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces, watched};

fn open() -> Conversation {
    Conversation::new(&FTP, &NoOptions)
}

fn tx(conversation: &Conversation, id: u64) -> &FtpTransaction {
    conversation.tx(id)
}

/// A connection of data that this command announced.
fn data(command: &str) -> Conversation {
    let mut conversation = Conversation::new(&FTP_DATA, &NoOptions);
    conversation.parser.announced(&Arc::from(command.as_bytes()));
    conversation
}

const TALK: &[(Direction, &str)] = &[
    (DOWN, "220-hello\r\n220 ready\r\n"),
    (UP, "USER bob\r\n"),
    (DOWN, "331 who\r\n"),
    (UP, "PORT 10,0,0,9,4,1\r\n"),
    (DOWN, "200 there\r\n"),
    (UP, "RETR a.txt\r\n"),
    (DOWN, "150 wait\r\n226 done\r\n"),
    (UP, "EPSV\r\n"),
    (DOWN, "229 go (|||4000|)\r\n"),
    (UP, "STOR b.txt\r\n"),
    (DOWN, "226 done\r\n"),
    (UP, "LIST\r\n"),
    (DOWN, "425 where\r\n"),
];

#[test]
fn commands_and_replies() {
    let engine = Conversation::of(&FTP, &NoOptions, TALK);
    let expected = [
        r#"{"completion_code":["220"],"reply":["220-hello","ready"],"reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"USER","command_data":"bob","command_truncated":false,"completion_code":["331"],"reply":["who"],"reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"PORT","command_data":"10,0,0,9,4,1","command_truncated":false,"completion_code":["200"],"reply":["there"],"dynamic_port":1025,"mode":"active","reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"RETR","command_data":"a.txt","command_truncated":false,"completion_code":["150","226"],"reply":["wait","done"],"reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"EPSV","completion_code":["229"],"reply":["go (|||4000|)"],"dynamic_port":4000,"mode":"passive","reply_received":"yes","reply_truncated":false}"#,
    ];
    for (id, expected) in expected.iter().enumerate() {
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(engine.eve(id as u64, &NoOptions), Some(expected));
    }
    let announced: Vec<_> = engine
        .requests
        .iter()
        .map(|request| match request {
            Request::Expect { opened_by, port, tag, .. } => (*opened_by, *port, String::from_utf8_lossy(tag)),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(announced, [(DOWN, 1025, "RETR a.txt".into()), (UP, 4000, "STOR b.txt".into())]);
    let transactions = |line: &str| Conversation::of(&FTP, &NoOptions, &[(UP, line)]).ids().len();
    assert_eq!(["OPTS utf8 on\r\n", "SYST\r\n"].map(transactions), [0, 1]);
    assert!(tx(&engine, 2).bounces && !tx(&engine, 1).bounces);
    assert_eq!(engine.anomalies(6), ["file_before_port"]);
}

#[test]
fn data_that_cannot_be_found() {
    for (command, expected) in [
        ("RETR a\r\n", vec!["file_before_port"]),
        ("RETR\r\n", vec!["file_without_name"]),
        ("STOR \r\n", vec!["file_without_name"]),
        ("PORT 10,0,0,1,4,1\r\n", vec![]),
    ] {
        let conversation =
            Conversation::of(&FTP, &NoOptions, &[(DOWN, "220 hi\r\n"), (UP, "USER a\r\n"), (UP, command)]);
        assert_eq!(conversation.anomalies(*conversation.ids().last().unwrap()), expected, "{command:?}");
    }
    let mut conversation = Conversation::new(&FTP, &Settings(&[("max-tx", "2")]));
    conversation.talk(&[(UP, "USER a\r\n"), (UP, "PASS b\r\n")]);
    assert_eq!(conversation.push(UP, b"SYST\r\n"), Outcome::Error);
    assert_eq!(conversation.anomalies(1), ["too_many_transactions"]);
}

#[test]
fn any_segmentation_gives_the_same_transactions() {
    let mut pieces = TALK.to_vec();
    pieces[0] = (DOWN, "220 ready\r\n");
    same_in_any_pieces(open, &pieces);
    let as_zeek = || {
        let mut conversation = open();
        conversation.as_zeek = true;
        conversation
    };
    same_in_any_pieces(as_zeek, TALK);
}

#[test]
fn data_goes_where_a_reply_says_that_came_behind_pieces_of_another() {
    let parts: &[(Direction, &str)] = &[
        (DOWN, "220 ready\r\n"),
        (UP, "PASS b\r\nPASV\r\n"),
        (DOWN, "230-hi\r\n"),
        (DOWN, "230 ok\r\n"),
        (DOWN, "227 here (10,0,0,1,4,1)\r\n"),
        (UP, "RETR a\r\n"),
    ];
    let conversation = Conversation::of(&FTP, &NoOptions, parts);
    let expects = |request: &&Request| matches!(request, Request::Expect { port: 1025, .. });
    assert_eq!(conversation.requests.iter().filter(expects).count(), 1);
}

#[test]
fn records_tell_of_replies_as_they_come() {
    let parts: &[(Direction, &str)] = &[
        (UP, "PASS x\r\n"),
        (DOWN, "230-hello\r\n230-more\r\n"),
        (DOWN, "  text\r\n"),
        (DOWN, "230 end\r\n"),
        (UP, "RETR a\r\n"),
        (DOWN, "150 wait\r\n"),
        (DOWN, "226 done\r\n221 bye\r\n"),
    ];
    let conversation = Conversation::of(&FTP, &NoOptions, parts);
    let replies = conversation.ids().into_iter().map(|id| {
        let record = conversation.eve(id, &NoOptions).unwrap();
        (record.get("command").is_some(), record["reply"].to_string())
    });
    let expected = [
        (true, r#"["230-hello","230-more"]"#),
        (false, r#"["  text"]"#),
        (false, r#"["end"]"#),
        (true, r#"["wait","done","bye"]"#),
    ];
    assert!(replies.eq(expected.map(|(command, reply)| (command, reply.to_owned()))));
}

#[test]
fn records_know_few_commands() {
    let parts: &[(Direction, &str)] = &[
        (UP, "USER a\r\nNICK b\r\n"),
        (DOWN, "one\r\n"),
        (UP, "FEAT\r\n"),
        (DOWN, "211-\u{c3}\r\n211 end\r\n"),
        (UP, "  QUIT now\r\n"),
        (DOWN, "221 bye\r\n"),
    ];
    let conversation = Conversation::of(&FTP, &NoOptions, parts);
    let told = conversation.ids().into_iter().map(|id| {
        let record = conversation.eve(id, &NoOptions).unwrap();
        (record["command"].clone(), record["command_data"].clone(), record["reply"].to_string())
    });
    let expected = [
        (Value::Null, Value::Null, r#"["one"]"#),
        (Value::Null, Value::Null, "[\"211-\u{c3}\",\"end\"]"),
        ("QUIT".into(), "T now".into(), r#"["bye"]"#),
    ];
    assert!(told.eq(expected.map(|(command, data, reply)| (command, data, reply.to_owned()))));
}

#[test]
fn bytes_of_replies_that_are_no_text() {
    let mut engine = open();
    engine.push(UP, b"SYST\r\n");
    engine.push(DOWN, b"215 a\xffb\r\n");
    assert_eq!(engine.eve(0, &NoOptions).unwrap()["reply"][0], "a\u{fffd}b");
}

#[test]
fn states_by_command() {
    let mut engine = open();
    engine.push(UP, b"USER bob\r\nPASV\r\n");
    let complete = |engine: &Conversation, id| {
        let (up, down) = engine.progress(id);
        [up == FTP.complete(UP), down == FTP.complete(DOWN)]
    };
    assert_eq!([complete(&engine, 0), complete(&engine, 1)], [[true, false], [false, false]]);
    engine.push(DOWN, b"331 who\r\n227 (10,0,0,2,4,1)\r\n");
    assert_eq!([complete(&engine, 0), complete(&engine, 1)], [[true, true]; 2]);
    assert_eq!(tx(&engine, 1).port, Some(1025));
    engine.push(UP, b"NOOP\r\n");
    engine.close();
    assert_eq!((complete(&engine, 2), tx(&engine, 2).replied), ([true, true], false));
}

#[test]
fn encryption_follows() {
    let mut engine = open();
    engine.as_zeek = true;
    engine.push(UP, b"AUTH TLS\r\n");
    assert_eq!(engine.push(DOWN, b"234 go\r\n\x16\x03"), Outcome::Incomplete { consumed: 8, needed: 0 });
    assert!(matches!(engine.requests[..], [Request::Upgrade(Some("tls"))]));
    // Rules and records read lines, whatever they are.
    let mut engine = open();
    engine.push(UP, b"AUTH TLS\r\n");
    assert_eq!(engine.push(DOWN, b"234 go\r\n\x16\x03\n"), Outcome::Ok);
    assert!(engine.requests.is_empty());
    let record = engine.eve(0, &NoOptions).unwrap();
    assert_eq!((record.get("command"), &record["completion_code"][0]), (None, &"234".into()));
}

#[test]
fn limits() {
    let mut engine = Conversation::new(&FTP, &Settings(&[("max-tx", "10"), ("max-line-length", "10")]));
    engine.push(UP, b"RETR abcdefgh\r\nUSER b\r\n");
    engine.push(DOWN, b"220 abcdefgh");
    engine.push(DOWN, b"ijk\r\n331 who\r\n");
    assert_eq!(
        engine.anomalies(0),
        ["request_command_too_long", "file_before_port", "response_command_too_long"]
    );
    assert_eq!((&tx(&engine, 0).argument[..], tx(&engine, 0).command_truncated), (&b"abcde"[..], true));
    assert!(tx(&engine, 0).reply_truncated && tx(&engine, 1).replied);
    assert_eq!(engine.push(UP, &b"NOOP\r\n".repeat(8)), Outcome::Ok);
    assert_eq!(engine.push(UP, b"NOOP\r\n"), Outcome::Error);
}

#[test]
fn data_by_command() {
    let cases: &[(&str, Option<&str>, &str)] = &[
        ("RETR a.txt", Some("a.txt"), r#"{"filename":"a.txt","command":"RETR"}"#),
        ("STOU", Some("<stou>"), r#"{"filename":"<stou>","command":"STOU"}"#),
        ("NLST", None, r#"{"command":"NLST"}"#),
    ];
    for (tag, name, expected) in cases {
        let mut engine = same_in_any_pieces(|| data(tag), &[(DOWN, "one "), (DOWN, "two")]);
        engine.close();
        let tx: &DataTransaction = engine.tx(0);
        let files: Vec<_> =
            tx.meta.files.iter().map(|file| (&file.name[..], file.size, file.state)).collect();
        let file = name.map(|name| (name.as_bytes(), 7, FileState::Closed));
        assert_eq!(files, file.into_iter().collect::<Vec<_>>(), "{tag}");
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(engine.eve(0, &NoOptions), Some(expected), "{tag}");
    }
}

#[test]
fn a_gap_in_data() {
    let mut engine = data("RETR a");
    engine.push(UP, b"one");
    assert_eq!(engine.gap(UP, 5), Outcome::Ok);
    engine.close();
    let tx: &DataTransaction = engine.tx(0);
    assert_eq!((tx.meta.files[0].state, tx.meta.files[0].missing), (FileState::Truncated, 5));
}

#[test]
fn fields_of_both_directions() {
    let engine = Conversation::of(&FTP, &NoOptions, TALK);
    let cases: &[(&str, u64, Direction, &[&str])] = &[
        ("ftp.command", 0, UP, &[]),
        ("ftp.command", 3, UP, &["RETR"]),
        ("ftp.command_data", 3, UP, &["a.txt"]),
        ("ftp.command_data", 4, UP, &[]),
        ("ftp.reply", 3, DOWN, &["wait", "done"]),
        ("ftp.completion_code", 3, DOWN, &["150", "226"]),
    ];
    for (name, id, direction, expected) in cases {
        assert_eq!(engine.values(*id, name, *direction), *expected, "{name}");
    }
}

fn zeek_rows(talk: &[(Direction, &str)]) -> Vec<String> {
    Conversation::of(&FTP, &NoOptions, talk).zeek().lines.clone()
}

#[test]
fn zeek_of_commands() {
    assert_eq!(
        zeek_rows(TALK),
        [
            "announce ftp-data 10.0.0.9:1025",
            "ftp 4: user=bob command=PORT arg=10,0,0,9,4,1 reply_code=200 reply_msg=there data_channel.passive=F \
             data_channel.orig_h=10.0.0.2 data_channel.resp_h=10.0.0.9 data_channel.resp_p=1025",
            "ftp 6: user=bob command=RETR arg=ftp://10.0.0.2/./a.txt mime_type=text/plain reply_code=226 \
             reply_msg=done fuid=F1025",
            "announce ftp-data 10.0.0.2:4000",
            "ftp 8: user=bob command=EPSV reply_code=229 reply_msg=go (|||4000|) data_channel.passive=T \
             data_channel.orig_h=10.0.0.1 data_channel.resp_h=10.0.0.2 data_channel.resp_p=4000",
            "ftp 10: user=bob command=STOR arg=ftp://10.0.0.2/./b.txt mime_type=text/plain reply_code=226 \
             reply_msg=done fuid=F4000",
        ]
    );
    let guest: &[(Direction, &str)] = &[
        (UP, "USER ftp\r\n"),
        (DOWN, "331 who\r\n"),
        (UP, "PASS me@here\r\n"),
        (DOWN, "230 in\r\n"),
        (UP, "CWD /pub\r\n"),
        (DOWN, "250 there\r\n"),
        (UP, "DELE a\r\n"),
        (DOWN, "550 no\r\n"),
        (UP, "USER bob\r\n"),
        (DOWN, "no code\r\n"),
        (UP, "PASV\r\n"),
    ];
    assert_eq!(
        zeek_rows(guest),
        [
            "ftp 7: user=ftp password=me@here command=DELE arg=ftp://10.0.0.2/pub/a reply_code=550 reply_msg=no",
            "violation non-numeric reply code: no code"
        ]
    );
}

#[test]
fn zeek_of_software_and_programs() {
    let talk: &[(Direction, &str)] = &[
        (UP, "clnt Tool 1.2\r\n"),
        (DOWN, "200 noted\r\n"),
        (UP, "SITE EXEC ls\r\n"),
        (DOWN, "200-out\r\n200 done\r\n"),
        (UP, "SITE exec rm\r\n"),
        (DOWN, "500 no\r\n"),
        (UP, "SITE CHMOD 700 a\r\n"),
        (DOWN, "200 done\r\n"),
    ];
    let told = |scripts| {
        let mut engine = open();
        engine.as_zeek = true;
        engine.rows.scripts = scripts;
        engine.talk(talk);
        engine.zeek().lines.clone()
    };
    assert_eq!(told(&[]), Vec::<String>::new());
    assert_eq!(told(&[Script::FtpSoftware]), ["software FTP::CLIENT Tool 1.2"]);
    assert_eq!(told(&[Script::FtpDetection]), ["notice FTP::Site_Exec_Success: FTP command: SITE EXEC ls"]);
}

#[test]
fn zeek_of_commands_that_nobody_answers() {
    let mut engine = open();
    engine.push(UP, "DELE a\r\n".repeat(30).as_bytes());
    assert_eq!(engine.rows.lines, ["weird FTP_too_many_pending_commands: 20"]);
    assert_eq!(engine.zeek().lines.len(), 21);
}

#[test]
fn zeek_of_what_is_odd_or_too_long() {
    let long = "x".repeat(4090);
    let longer = "x".repeat(5000);
    let cases: [(String, &[&str]); 8] = [
        (format!("USER {}\r\n", "u".repeat(129)), &["weird FTP_user_too_long: 129"]),
        (format!("PASS {}\r\n", "p".repeat(130)), &["weird FTP_password_too_long: 130"]),
        // Nothing is odd about what comes before a command.
        ("NOOP\r\nab\r\n\x01\x02\x03\r\n".to_owned(), &["weird FTP_invalid_command"]),
        (
            format!("ab\r\nNOOP\r\n{} a\r\n", "C".repeat(101)),
            &["weird FTP_max_command_length_exceeded: 101 > 100"],
        ),
        (format!("DELE {long}\r\nNOOP\r\n"), &["weird FTP_arg_too_long: 4107"]),
        // Lines count to their ends, which that of the connection is, too, and files by their addresses.
        (format!("LIST {longer}\r\nNOOP\r\n"), &["weird FTP_arg_too_long: 5000"]),
        (format!("size\t{longer}"), &["weird FTP_arg_too_long: 5017"]),
        (format!("HASH {longer}\n"), &["weird FTP_arg_too_long: 5000"]),
    ];
    for (said, expected) in cases {
        let mut engine = open();
        engine.as_zeek = true;
        engine.push(UP, said.as_bytes());
        engine.close();
        let lines = &engine.zeek().lines;
        let weirds: Vec<_> = lines.iter().filter(|line| line.starts_with("weird")).collect();
        assert_eq!(weirds, expected, "{said}");
        assert!(lines.iter().all(|line| line.len() < 4300), "{said}");
    }
}

#[test]
fn zeek_of_lengths_in_pieces() {
    // Commands of Telnet are no part of a line.
    for (length, expected) in [(4093, &[][..]), (4094, &["FTP_arg_too_long: 4097"])] {
        let line = [b"SITE ", &b"x".repeat(length)[..], b"\xff\xff\xff\xf1\xff\xfb\x01yy\r\n"].concat();
        for at in 4090..line.len() {
            let mut engine = open();
            engine.as_zeek = true;
            let (before, behind) = line.split_at(at);
            engine.talk(&[(UP, before), (UP, behind)]);
            assert_eq!(engine.zeek().of("weird"), expected, "{at}");
        }
    }
}

#[test]
fn zeek_of_data() {
    for command in ["RETR a", "LIST"] {
        let mut engine = data(command);
        engine.talk(&[(DOWN, "one"), (DOWN, "two")]);
        engine.close();
        assert_eq!(engine.zeek().lines, ["service ftp-data", "sent F0", "sent F0"], "{command}");
        assert_eq!(engine.rows.files, [(0, 3, FileFate::Open), (0, 6, FileFate::Over)], "{command}");
    }
}

#[test]
fn zeek_of_lines() {
    for (payload, expected) in [
        (&b"USER a\r\nPASS b\nQUIT\r\0"[..], &[][..]),
        (b"USER a\rb\r\n", &["line_terminated_with_single_CR"]),
        (b"USER \0\r\n", &["NUL_in_line"]),
        // Each once of a payload.
        (b"\0\0\0\ra\rb\0", &["NUL_in_line", "line_terminated_with_single_CR"]),
    ] {
        assert_eq!(watched(&WATCH, 21, &[(true, payload)]), expected, "{payload:?}");
    }
}
