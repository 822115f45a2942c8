//! PostgreSQL, which is off by default.

use weir_testkit::{Conversation, pcap};

use crate::run::{ETHERNET, Folder};

/// Rows of an answer, and bytes of each one's value.
const ROWS: usize = 100;
const VALUE: usize = 1000;

fn message(letter: u8, body: &[u8]) -> Vec<u8> {
    [&[letter][..], &(body.len() as u32 + 4).to_be_bytes(), body].concat()
}

/// A session with a query that is answered with more than the stream's depth.
fn session() -> Vec<u8> {
    let row = message(b'D', &[&b"\0\x01"[..], &(VALUE as u32).to_be_bytes(), &[b'x'; VALUE]].concat());
    let mut conversation = Conversation::new("10.0.0.1:40000", "10.0.0.2:5432")
        .handshake()
        .client_sends(b"\0\0\0\x12\0\x03\0\0user\0bob\0\0")
        .server_sends([message(b'R', &[0; 4]), message(b'Z', b"I")].concat())
        .client_sends(message(b'Q', b"select x\0"));
    for _ in 0..ROWS {
        conversation = conversation.server_sends(&row);
    }
    let end = [message(b'C', b"SELECT 100\0"), message(b'Z', b"I")].concat();
    pcap(ETHERNET, &conversation.server_sends(end).client_sends(message(b'X', b"")).close().frames())
}

#[test]
fn it_is_read_where_it_is_asked_for() {
    const ON: [&str; 2] = ["--set", "app-layer.protocols.pgsql.enabled=yes"];
    const OFF: [&str; 2] = ["--set", "app-layer.protocols.pgsql.enabled=no"];
    const ZEEK: [&str; 3] = ["--zeek-logs=json", "--set", "outputs.eve-log.enabled=yes"];
    // What is asked for, and whether rules and records know the flow.
    let cases: [(&str, &[&[&str]], bool); 5] = [
        ("by_default", &[], false),
        ("on", &[&ON], true),
        ("off", &[&OFF, &ZEEK], false),
        ("for_zeek", &[&ZEEK], false),
        (
            "for_zeek_by_settings",
            &[&["--set", "outputs.0.zeek.enabled=yes", "--set", "outputs.0.zeek.format=json"]],
            false,
        ),
    ];
    for (name, asked, known) in cases {
        let folder = Folder::new(&format!("database_{name}"));
        let capture = folder.write("a.pcap", session());
        let run = folder.weir(&[&["-r", &capture][..], &asked.concat()].concat());
        assert_eq!(run.code, 0, "{name}: {}", run.said());
        let flows = folder.records("flow");
        assert_eq!(flows[0]["app_proto"] == "pgsql", known, "{name}: {flows:?}");
        let rows = std::fs::read_to_string(folder.path("postgresql.log")).unwrap_or_default();
        let is_zeek = name.starts_with("for_zeek");
        assert_eq!(rows.lines().count(), if is_zeek { 3 } else { 0 }, "{name}: {rows}");
    }
}

#[test]
fn its_streams_have_a_depth_of_their_own() {
    // The depth, and the rows that are counted.
    for (depth, rows) in [(None, Some(ROWS)), (Some("20kb"), None)] {
        let folder = Folder::new(&format!("database_depth_{}", depth.unwrap_or("none")));
        let capture = folder.write("a.pcap", session());
        let depth = depth.map(|depth| format!("app-layer.protocols.pgsql.stream-depth={depth}"));
        let yaml = folder.write(
            "a.yaml",
            "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filename: eve.json\n      types:\n        - pgsql\n\
             app-layer:\n  protocols:\n    pgsql:\n      enabled: yes\nstream:\n  reassembly:\n    depth: 10kb\n",
        );
        let mut words = vec!["-r", &capture, "-c", &yaml];
        words.extend(depth.iter().flat_map(|depth| ["--set", depth]));
        let run = folder.weir(&words);
        assert_eq!(run.code, 0, "{}", run.said());
        let found = folder.records("pgsql").iter().find_map(|record| {
            let response = &record["pgsql"]["response"];
            response["command_completed"].is_string().then(|| response["data_rows"].as_u64())
        });
        assert_eq!(found, rows.map(|rows| Some(rows as u64)), "{depth:?}");
    }
}

#[test]
fn what_follows_a_wish_for_tls_is_tls() {
    let hello = |kind: u8, body: &[u8]| {
        let message = [&[kind, 0, 0, body.len() as u8][..], body].concat();
        [&[22, 3, 3, 0, message.len() as u8][..], &message].concat()
    };
    let client = hello(1, &[&[3, 3][..], &[7; 32], &[0, 0, 2, 0xc0, 0x30, 1, 0]].concat());
    let server = hello(2, &[&[3, 3][..], &[8; 32], &[0, 0xc0, 0x30, 0]].concat());
    for port in [5432, 15432] {
        let folder = Folder::new(&format!("database_tls_{port}"));
        let conversation = Conversation::new("10.0.0.1:40000", &format!("10.0.0.2:{port}"))
            .handshake()
            .client_sends(b"\0\0\0\x08\x04\xd2\x16\x2f")
            .server_sends("S")
            .client_sends(&client)
            .server_sends(&server)
            .close();
        let capture = folder.write("a.pcap", pcap(ETHERNET, &conversation.frames()));
        let run = folder.weir(&["-r", &capture, "--zeek-logs=json"]);
        assert_eq!(run.code, 0, "{}", run.said());
        let rows = std::fs::read_to_string(folder.path("ssl.log")).unwrap_or_default();
        assert!(rows.contains("\"ssl_history\":\"Cs\""), "{port}: {rows}");
        let events: Vec<_> =
            folder.records("anomaly").iter().map(|r| r["anomaly"]["event"].clone()).collect();
        assert!(!events.contains(&"malformed_request".into()), "{port}: {events:?}");
    }
}
