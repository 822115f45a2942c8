//! Connections that the settings leave alone, in Zeek's logs: rules and records learn nothing of them.

use serde_json::Value;
use weir_base::Direction::{self, ToServer};
use weir_base::Duration;
use weir_testkit::conversation::START;
use weir_testkit::{Conversation, TimedFrame, capture_file, merged};

use crate::run::Folder;

const RULES: &str = r#"alert tcp any any -> any any (msg:"stream"; content:"USER"; sid:1;)
alert http any any -> any any (msg:"http"; http.uri; content:"/"; sid:2;)
alert ftp any any -> any any (msg:"ftp"; content:"USER"; sid:3;)
alert ftp-data any any -> any any (msg:"ftp-data"; content:"file"; sid:4;)
alert ssh any any -> any any (msg:"ssh"; ssh.software; content:"Open"; sid:5;)
"#;

fn talk(client: &str, server: &str) -> Conversation {
    Conversation::new(client, server)
}

/// What one side sent.
fn one_side(conversation: Conversation, direction: Direction) -> Vec<TimedFrame> {
    let sent = conversation.segments().into_iter().filter(|segment| segment.direction == direction);
    sent.map(|segment| segment.frame).collect()
}

/// The records of EVE but ids, times and statistics, and the rows of a log, by columns.
fn told(
    frames: &[TimedFrame],
    (name, settings): (&str, &[&str]),
    (log, columns): (&str, &[&str]),
) -> (Vec<Value>, Vec<String>) {
    let folder = Folder::new(name);
    let capture = folder.write("input.pcap", capture_file::pcap(1, frames));
    let rules = folder.write("test.rules", RULES);
    let run = folder.weir(&[&["-r", &capture, "-S", &rules], settings].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    let mut records = folder.records_but_statistics();
    for record in &mut records {
        record.as_object_mut().expect("an object").remove("zeek_uid");
    }
    let text = std::fs::read_to_string(folder.path(&format!("{log}.log"))).unwrap_or_default();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        let words = columns.iter().map(|column| row[*column].to_string().replace('"', ""));
        words.collect::<Vec<_>>().join(" ")
    };
    (records, text.lines().map(row).collect())
}

#[test]
fn zeeks_logs_tell_of_what_rules_are_not_shown() {
    let ftp = |conversation: Conversation| {
        conversation
            .client_sends("USER me\r\n")
            .server_sends("331 Password\r\n")
            .client_sends("PASS x\r\n")
            .server_sends("230 In\r\n")
            .client_sends("PASV\r\n")
            .server_sends("227 Entering Passive Mode (192,0,2,1,4,1)\r\n")
            .client_sends("RETR a.txt\r\n")
            .server_sends("150 Here\r\n")
    };
    let later = START.plus(Duration::from_secs(5));
    let data =
        talk("10.0.0.1:40001", "192.0.2.1:1025").at(later).handshake().server_sends("the file").close();
    let web = talk("10.0.0.2:40000", "192.0.2.1:80").handshake().client_sends("GET /a HTTP/1.1\r\n\r\n");
    let ssh = talk("10.0.0.3:40000", "192.0.2.1:22")
        .handshake()
        .client_sends("SSH-2.0-Open\r\n")
        .server_sends("SSH-2.0-Sesame\r\n");
    // What comes late of an old connection, and then a new one.
    let anew = ftp(talk("10.0.0.4:40000", "192.0.2.1:21").server_sends("226 Late\r\n").handshake());
    let midway = merged([ftp(talk("10.0.0.1:40000", "192.0.2.1:21")).frames(), data.frames()]);
    // The end of the connection ends its last line, and that of the capture the connection. The first line is none.
    let line = format!("\x01\nSIZE {}", "x".repeat(5000));
    let long = one_side(talk("10.0.0.7:40000", "192.0.2.1:21").client_sends(&line).close(), ToServer);
    let last = talk("10.0.0.8:40000", "192.0.2.1:9").at(START.plus(Duration::from_secs(2))).client_sends("x");
    let long = merged([long, last.frames()]);
    type Case<'a> = (&'a str, Vec<TimedFrame>, (&'a str, &'a [&'a str]), &'a [&'a str]);
    let cases: [Case<'_>; 8] = [
        (
            "overheard_ftp",
            midway.clone(),
            ("ftp", &["user", "command", "arg"]),
            &["me PASV null", "me RETR ftp://192.0.2.1/./a.txt"],
        ),
        ("overheard_file", midway, ("files", &["source", "seen_bytes"]), &["FTP_DATA 8"]),
        ("overheard_client", one_side(web, ToServer), ("http", &["method", "uri"]), &["GET /a"]),
        ("overheard_ssh", one_side(ssh, ToServer), ("ssh", &["client", "server"]), &["SSH-2.0-Open null"]),
        (
            "overheard_anew",
            anew.frames(),
            ("ftp", &["user", "command", "reply_code"]),
            &["me PASV 227", "me RETR 227"],
        ),
        // Ports tell who is the server where it is heard first.
        (
            "overheard_server",
            talk("10.0.0.6:40000", "192.0.2.1:502")
                .server_sends(b"\0\x01\0\0\0\x04\x01\x01\x01\x01")
                .client_sends(b"\0\x02\0\0\0\x06\x01\x02\0\0\0\x01")
                .server_sends(b"\0\x02\0\0\0\x04\x01\x02\x01\x01")
                .frames(),
            ("modbus", &["tid", "func", "pdu_type"]),
            &["1 READ_COILS RESP", "2 READ_DISCRETE_INPUTS REQ", "2 READ_DISCRETE_INPUTS RESP"],
        ),
        (
            "overheard_length",
            long,
            ("weird", &["ts", "name", "addl"]),
            &["1700000002.001 FTP_arg_too_long 5018"],
        ),
        // HTTP is logged from its beginning only.
        (
            "overheard_middle",
            talk("10.0.0.5:40000", "192.0.2.1:80").client_sends("GET /b HTTP/1.1\r\n\r\n").frames(),
            ("http", &["uri"]),
            &[],
        ),
    ];
    for (name, frames, log, expected) in cases {
        let (plain, _) = told(&frames, (name, &[]), log);
        for workers in ["1", "2"] {
            let (records, rows) = told(&frames, (name, &["--zeek-logs=json", "-t", workers]), log);
            assert_eq!(rows, expected, "{name}");
            assert_eq!(records, plain, "{name}: the logs change nothing for rules and records");
        }
    }
}

/// A flow that was announced is not taken for one that rules are not shown.
#[test]
fn announced_flows_are_left_to_rules() {
    let control = talk("10.0.0.1:40000", "192.0.2.1:21")
        .handshake()
        .client_sends("PASV\r\n")
        .server_sends("227 Entering Passive Mode (192,0,2,1,4,1)\r\n")
        .client_sends("RETR a.txt\r\n");
    let at = |seconds| START.plus(Duration::from_secs(seconds));
    let half = talk("10.0.0.1:40001", "192.0.2.1:1025").at(at(2)).handshake().client_sends("?");
    let data =
        talk("10.0.0.1:40002", "192.0.2.1:1025").at(at(5)).handshake().server_sends("the file").close();
    let frames = merged([control.frames(), one_side(half, ToServer), data.frames()]);
    let log = ("files", &["source", "seen_bytes"][..]);
    let (plain, _) = told(&frames, ("announced_plain", &[]), log);
    assert!(plain.iter().any(|record| record["alert"]["signature"] == "ftp-data"));
    let (records, rows) = told(&frames, ("announced_logs", &["--zeek-logs=json"]), log);
    assert_eq!(records, plain);
    assert_eq!(rows, ["FTP_DATA 8", "FTP_DATA 1"]);
}
