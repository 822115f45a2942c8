//! Whole conversations: what both sides say, what is seen of it.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::zeek::Script;
use weir_applayer::{File, NoOptions, Options, Outcome, Request};
use weir_base::Direction::{self, ToClient, ToServer};

use super::SMTP;
use crate::testing::{Conversation, Settings, led_in_any_pieces, same_in_any_pieces};

/// Messages are files as they are.
const RAW: Settings<'_> = Settings(&[("raw-extraction", "yes"), ("mime.decode-mime", "no")]);

fn open(options: &dyn Options) -> Conversation {
    Conversation::new(&SMTP, options)
}

/// Lines and who says them: those with `S: ` are the server's, others the client's.
fn lines(text: &str) -> Vec<(Direction, Vec<u8>)> {
    let line = |line: &str| {
        let (direction, line) = line.strip_prefix("S: ").map_or((ToServer, line), |line| (ToClient, line));
        (direction, line.replace('\n', "\r\n").into_bytes())
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Says lines in turn, in pieces of this length.
fn talk(flow: &mut Conversation, text: &str, piece: usize) {
    for (direction, line) in lines(text) {
        flow.push_in(direction, &line, piece);
    }
}

/// The records, whether both sides are done, and the oddities.
fn seen(flow: &Conversation) -> Vec<(Value, bool, Vec<&'static str>)> {
    let seen = |id: u64| {
        let record = serde_json::from_str(&flow.record(id, &NoOptions).unwrap()).unwrap();
        (record, flow.is_complete(id), flow.anomalies(id))
    };
    flow.ids().into_iter().map(seen).collect()
}

const OPENING: &str =
    "S: 220 mx.example ESMTP\nEHLO a.example\nS: 250-mx.example\nS: 250-PIPELINING\nS: 250 CHUNKING\n";
const ENVELOPE: &str = "MAIL FROM:<a@x> SIZE=9\nS: 250 ok\nRCPT TO:<b@y>\nS: 250 ok\n";

fn envelope(email: Option<Value>) -> Value {
    let smtp = json!({"helo": "a.example", "mail_from": "<a@x>", "rcpt_to": ["<b@y>"]});
    match email {
        Some(email) => json!({"smtp": smtp, "email": email}),
        None => json!({"smtp": smtp}),
    }
}

fn done(from: &str) -> Option<Value> {
    Some(json!({"status": "PARSE_DONE", "from": from}))
}

#[test]
fn conversations_in_any_pieces() {
    let hello = |rest: Value| {
        let mut smtp = json!({"helo": "a.example"});
        smtp.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        json!({"smtp": smtp})
    };
    type Case = (&'static str, String, Vec<(Value, bool, Vec<&'static str>)>);
    let cases: Vec<Case> = vec![
        (
            "a message is over with its reply",
            format!("{OPENING}{ENVELOPE}DATA\nS: 354 go\nFrom: a\n\n..x\n.\n"),
            vec![(envelope(done("a")), false, vec![])],
        ),
        (
            "QUIT makes nothing of its own",
            format!("{OPENING}{ENVELOPE}DATA\nS: 354 go\nFrom: a\n\nx\n.\nS: 250 ok\nQUIT\nS: 221 bye\n"),
            vec![(envelope(done("a")), true, vec![])],
        ),
        (
            "the name goes on to the next one",
            format!("{OPENING}{0}DATA\nS: 354 go\n\n.\nS: 250 ok\nRSET\nS: 250 ok\n{0}", ENVELOPE),
            vec![
                (envelope(Some(json!({"status": "PARSE_DONE"}))), true, vec![]),
                (envelope(None), false, vec![]),
            ],
        ),
        (
            "a reset takes the envelope back",
            format!("{OPENING}{ENVELOPE}RSET\n{ENVELOPE}"),
            vec![(envelope(None), true, vec![]), (envelope(None), false, vec![])],
        ),
        (
            "another greeting does, too",
            format!("{OPENING}{ENVELOPE}HELO b\nS: 250 mx\n{ENVELOPE}"),
            vec![(envelope(None), true, vec!["DUPLICATE_FIELDS"]), (envelope(None), false, vec![])],
        ),
        (
            "DATA refused",
            format!("{OPENING}DATA\nS: 503 no\nEHLO b\nS: 250 mx\nQUIT\n"),
            vec![(
                json!({"smtp": {"helo": "a.example"}, "email": {"status": "PARSE_DONE"}}),
                true,
                vec!["DATA_COMMAND_REJECTED", "DUPLICATE_FIELDS"],
            )],
        ),
        (
            "pipelined before a reply",
            format!("{OPENING}RSET\nDATA\n.\nS: 250 reset\nS: 354 go\nS: 250 ok\n"),
            vec![(
                json!({"smtp": {"helo": "a.example"}, "email": {"status": "PARSE_DONE"}}),
                true,
                vec!["INVALID_PIPELINED_SEQUENCE"],
            )],
        ),
        (
            "chunks",
            format!(
                "{OPENING}{ENVELOPE}BDAT 9\nFrom: a\nS: 250 ok\nBDAT 5 LAST\n\nx\nS: 250 ok\nMAIL FROM:c\n"
            ),
            vec![
                (envelope(None), true, vec![]),
                (json!({"smtp": {"helo": "a.example", "mail_from": "c"}}), false, vec![]),
            ],
        ),
        (
            "an empty last chunk, and one that is none",
            format!("{OPENING}{ENVELOPE}BDAT 5 X\nS: 521 no\nBDAT 0 LAST\nS: 250 ok\n"),
            vec![(envelope(None), true, vec!["INVALID_BDAT"])],
        ),
        (
            "no welcome, no reply",
            "HELO a\nS: hello\nS: 250 ok\n".to_owned(),
            vec![(json!({"smtp": {"helo": "a"}}), false, vec!["NO_SERVER_WELCOME_MESSAGE", "INVALID_REPLY"])],
        ),
        (
            "each line before a welcome",
            "HELO a\nNOOP\nNOOP\nS: 220 mx\n".to_owned(),
            vec![(json!({"smtp": {"helo": "a"}}), false, vec!["NO_SERVER_WELCOME_MESSAGE"; 3])],
        ),
        (
            "TLS refused",
            format!("{OPENING}STARTTLS\nS: 454 no\n"),
            vec![(hello(json!({})), false, vec!["TLS_REJECTED"])],
        ),
        (
            "a line that is cut",
            format!("S: 220 mx\nEHLO {}\nS: 250 mx\n", "x".repeat(5000)),
            vec![(json!({"smtp": {"helo": "x".repeat(4091)}}), false, vec!["TRUNCATED_LINE"])],
        ),
    ];
    for (what, text, expected) in &cases {
        for piece in [1, 3, 7, 10_000] {
            let mut flow = open(&NoOptions);
            talk(&mut flow, text, piece);
            assert_eq!(flow.outcome, Outcome::Ok);
            assert_eq!(&seen(&flow), expected, "{what}, {piece}");
        }
    }
}

#[test]
fn files_of_a_message() {
    let message =
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: x/y; name=f\n\n..dot\n--b--\n";
    let text = format!("{OPENING}{ENVELOPE}DATA\nS: 354 go\n{message}.\nS: 250 ok\n");
    let files = |options: &dyn Options, text: &str| {
        let mut flow = open(options);
        talk(&mut flow, text, 5);
        flow.close();
        let file = |file: &File| {
            let name = String::from_utf8(file.name.clone()).unwrap();
            (name, file.state.name(), String::from_utf8(file.content.bytes().1.to_vec()).unwrap())
        };
        flow.ids()
            .iter()
            .flat_map(|&id| flow.transaction(id).meta().files.iter().map(file))
            .collect::<Vec<_>>()
    };
    let file = |name: &str, state, content: &str| (name.to_owned(), state, content.to_owned());
    assert_eq!(files(&NoOptions, &text), [file("f", "CLOSED", ".dot")]);
    assert_eq!(files(&RAW, &text), [file("rawmsg", "CLOSED", &message.replace('\n', "\r\n"))]);
    let cut = text.split("--b--").next().unwrap();
    assert_eq!(files(&NoOptions, cut), [file("f", "TRUNCATED", ".dot")]);
}

#[test]
fn software_of_mails() {
    let web = "User-Agent: SquirrelMail/1.4.2\n";
    let visitor = "Received: from [10.0.0.7] by web (10.0.0.8) via HTTP; now\n";
    let cases: [(String, &str, Option<&str>); 5] = [
        ("Subject: a\n".to_owned(), "+F", None),
        ("X-Mailer: Tool 1.0\n".to_owned(), "+F", Some("SMTP::MAIL_CLIENT Tool 1.0 at 10.0.0.1")),
        (
            "X-Mailer: SquirrelMail/1.4.2\n".to_owned(),
            "+F",
            Some("SMTP::MAIL_CLIENT SquirrelMail/1.4.2 at 10.0.0.1"),
        ),
        (web.to_owned(), "+T", Some("SMTP::WEBMAIL_SERVER SquirrelMail/1.4.2 at 10.0.0.1")),
        (format!("{visitor}{web}"), "+T", Some("SMTP::WEBMAIL_SERVER SquirrelMail/1.4.2 at 10.0.0.1")),
    ];
    for (fields, shown, software) in cases {
        let mut flow = open(&NoOptions);
        flow.rows.scripts = &[Script::SmtpSoftware];
        talk(&mut flow, &format!("{OPENING}{ENVELOPE}DATA\nS: 354 go\n{fields}\ntext\n.\nS: 250 ok\n"), 50);
        flow.close();
        let lines = flow.zeek().lines.clone();
        let row = lines.iter().find(|line| line.starts_with("smtp ")).expect("there is a row");
        assert!(row.ends_with(shown), "{row}");
        let told: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("software ")).collect();
        assert_eq!(told, software.into_iter().collect::<Vec<_>>(), "{fields}");
    }
}

#[test]
fn starttls_hands_the_flow_over() {
    let mut flow = open(&NoOptions);
    talk(&mut flow, &format!("{OPENING}STARTTLS\nS: 220 go\n"), 100);
    assert!(matches!(flow.requests[..], [Request::Upgrade(Some("tls"))]));
    assert!(seen(&flow)[0].1);
    let bytes = [22, 3, 3];
    assert_eq!(flow.call(|parser, cx| parser.data(cx, ToServer, &bytes)), Outcome::Ok);
}

#[test]
fn scripts_are_told() {
    let mut flow = open(&NoOptions);
    talk(&mut flow, &format!("{OPENING}{ENVELOPE}DATA\nS: 354 go\nFrom: a\nX: y\n\n.\n"), 100);
    let tx = flow.transaction(0);
    let ask = |name: &str, argument: Option<&[u8]>| {
        let method = SMTP.scripts[0].methods.iter().find(|method| method.name == name).unwrap();
        format!("{:?}", (method.call)(tx, argument))
    };
    assert_eq!(ask("get_mime_field", Some(b"x")), "[Bytes([121])]");
    assert_eq!(ask("get_mime_list", None), "[List([Bytes([70, 114, 111, 109]), Bytes([88])])]");
    assert_eq!(ask("get_mail_from", None), "[Bytes([60, 97, 64, 120, 62])]");
    assert_eq!(ask("get_rcpt_list", None), "[List([Bytes([60, 98, 64, 121, 62])])]");
}

/// A mail is logged with the reply that ended it, not with what the server says after that.
#[test]
fn replies_after_the_end_change_nothing() {
    let text = "MAIL FROM:<a>\nRSET\nS: 354 go\nS: 354 go\nS: 220 a\n";
    let mut flow = same_in_any_pieces(|| open(&NoOptions), &lines(text));
    assert!(flow.zeek().of("smtp")[0].contains("last_reply=354 go"), "{:?}", flow.zeek().lines);
}

#[test]
fn commands_out_of_order_are_odd() {
    for (said, expected) in [
        ("MAIL FROM:<a>\nS: 250 ok\nRCPT TO:<b>\nS: 250 ok\nDATA\nS: 354 go\nx\n.\nS: 250 ok\n", vec![]),
        ("RCPT TO:<b>\nS: 250 ok\n", vec!["rcpt to missing mail from"]),
        ("MAIL FROM:<a>\nS: 250 ok\nDATA\nS: 354 go\nx\n.\nS: 250 ok\n", vec!["data missing rcpt to"]),
    ] {
        let mut flow = open(&NoOptions);
        talk(&mut flow, &format!("{OPENING}{said}QUIT\nS: 221 bye\n"), 100);
        flow.close();
        let lines = flow.zeek().lines.clone();
        let weirds: Vec<_> = lines
            .iter()
            .filter_map(|line| line.strip_prefix("weird smtp_mail_transaction_invalid: "))
            .collect();
        assert_eq!(weirds, expected, "{lines:?}");
    }
}

proptest! {
    #[test]
    fn any_lines_in_any_pieces(
        said in proptest::collection::vec(
            prop_oneof![
                Just("EHLO a"), Just("MAIL FROM:<a>"), Just("RCPT TO:<b>"), Just("DATA"), Just("."), Just("RSET"),
                Just("QUIT"), Just("BDAT 3"), Just("BDAT 4 LAST"), Just("STARTTLS"), Just("S: 220 a"), Just("S: 250 ok"),
                Just("S: 250-PIPELINING"), Just("S: 354 go"), Just("S: 500 no"), Just("From: x"), Just(""), Just("x"),
            ],
            0..60,
        ),
    ) {
        let text: String = said.iter().flat_map(|line| [line, "\n"]).collect();
        let mut whole = led_in_any_pieces(|| open(&NoOptions), &lines(&text))?;
        whole.close();
        prop_assert!(seen(&whole).iter().all(|(_, done, _)| *done));
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec((any::<bool>(), proptest::collection::vec(any::<u8>(), 0..200)), 0..20)) {
        let mut flow = open(&RAW);
        for (client, bytes) in bytes {
            let direction = if client { ToServer } else { ToClient };
            flow.push(direction, &bytes);
        }
        flow.close();
        flow.summary();
    }
}
