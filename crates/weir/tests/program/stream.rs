//! Rules on the stream.

use weir_base::{Direction, Timestamp};
use weir_testkit::{Conversation, Frame, TimedFrame, fragment_ipv4, pcap, tcp_flags};

use crate::run::Folder;

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;
/// Bare IP packets.
const RAW_IP: u16 = 101;

/// Puts `text` into `bytes` at `place`.
fn put(bytes: &mut [u8], place: usize, text: &str) {
    bytes[place..place + text.len()].copy_from_slice(text.as_bytes());
}

#[test]
fn patterns_across_the_chunks_of_a_stream_match_once() {
    // Segments of a thousand bytes make chunks of three thousand.
    let mut bytes = vec![b'.'; 9000];
    for (place, text) in [
        (2994, "needle-across"),
        (2900, "first"),
        (3100, "second"),
        (2950, "whole"),
        (5999, "ends"),
        (6500, "!"),
    ] {
        put(&mut bytes, place, text);
    }
    let frames = Conversation::new("10.0.0.1:1000", "10.0.0.2:9999").handshake();
    let frames = bytes.chunks(1000).fold(frames, |frames, chunk| frames.client_sends(chunk)).close().frames();
    let folder = Folder::new("chunks");
    let capture = folder.write("input.pcap", pcap(ETHERNET, &frames));
    let rules = [
        r#"content:"needle-across"; sid:1;"#,
        r#"content:"first"; content:"second"; distance:0; sid:2;"#,
        r#"content:"whole"; sid:3;"#,
        r#"content:"whole"; content:"second"; distance:0; within:200; sid:4;"#,
        r#"content:"whole"; content:"second"; distance:0; within:20; sid:5;"#,
        r#"content:"ends"; content:"!"; distance:0; sid:6;"#,
        r#"content:"first"; content:"!"; distance:0; sid:7;"#,
    ]
    .map(|options| format!("alert tcp any any -> any any (msg:\"m\"; {options})\n"));
    let rules = folder.write("test.rules", rules.concat());
    folder.weir(&["-r", &capture, "-S", &rules]);
    let mut fired: Vec<u64> =
        folder.records("alert").iter().filter_map(|alert| alert["alert"]["signature_id"].as_u64()).collect();
    fired.sort_unstable();
    // The first and the last of sid 7 are farther apart than a rule waits.
    assert_eq!(fired, [1, 2, 3, 4, 6]);
}

#[test]
fn a_connection_met_at_its_servers_greeting_is_turned_around() {
    const HANDSHAKE: usize = 3;
    let frames = Conversation::new("10.0.0.1:1000", "10.0.0.2:9999")
        .handshake()
        .server_sends("220 (ready)\r\n")
        .client_sends("USER bob\r\n")
        .server_sends("331 and?\r\n")
        .close()
        .frames()
        .split_off(HANDSHAKE);
    let folder = Folder::new("turned_around");
    let capture = folder.write("input.pcap", pcap(ETHERNET, &frames));
    folder.weir(&["-r", &capture, "--set", "stream.midstream=true"]);
    let flows = folder.records("flow");
    assert_eq!(flows.len(), 1);
    assert_eq!(
        (&flows[0]["src_ip"], &flows[0]["app_proto"]),
        (&"10.0.0.1".into(), &"ftp".into()),
        "{flows:?}"
    );
    let records = folder.records("ftp");
    let commands: Vec<_> = records.iter().map(|record| record["ftp"]["command"].as_str()).collect();
    assert!(commands.contains(&Some("USER")), "{records:?}");
}

#[test]
fn fragments_without_memory_meet_their_policy() {
    let datagram = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload([b'x'; 64]).build();
    let frames: Vec<TimedFrame> = fragment_ipv4(&datagram, 32)
        .into_iter()
        .map(|bytes| TimedFrame { time: weir_testkit::conversation::START, bytes })
        .collect();
    for (memcap, policy, dropped) in
        [("10", "drop-packet", 3), ("10", "ignore", 0), ("1mb", "drop-packet", 0)]
    {
        let folder = Folder::new("fragments");
        let capture = folder.write("input.pcap", pcap(RAW_IP, &frames));
        let rules = folder.write("test.rules", "alert ip any any -> any any (msg:\"m\"; sid:1;)\n");
        let (memcap, policy) = (format!("defrag.memcap={memcap}"), format!("defrag.memcap-policy={policy}"));
        let arguments = ["-r", &capture, "-S", &rules, "--simulate-ips", "--set", &memcap, "--set", &policy];
        let run = folder.weir(&[&arguments[..], &["--summary=json"]].concat());
        assert_eq!(run.summary()["dropped"], dropped, "{memcap} {policy}");
        assert_eq!(folder.records("alert").is_empty(), dropped > 0, "{memcap} {policy}");
    }
}

#[test]
fn packets_of_connections_have_records() {
    let frames = Conversation::new("10.0.0.1:1000", "10.0.0.2:9999")
        .handshake()
        .client_sends(b"hello")
        .loses(Direction::ToServer, 5)
        .client_sends(b"again")
        .close()
        .frames();
    // Number of the packet, direction and state.
    type Packet = (u64, &'static str, &'static str);
    let cases: [(&str, &[Packet]); 3] = [
        (
            "state-update: yes",
            &[
                (1, "to_server", "syn_sent"),
                (2, "to_client", "syn_recv"),
                (3, "to_server", "established"),
                (8, "to_server", "close_wait"),
                (10, "to_client", "last_ack"),
                (11, "to_server", "closed"),
            ],
        ),
        ("event-set: yes", &[(7, "to_client", "established")]),
        ("spurious-retransmission: yes", &[]),
    ];
    for (option, expected) in cases {
        let folder = Folder::new("stream_records");
        let capture = folder.write("input.pcap", pcap(ETHERNET, &frames));
        let text = format!(
            "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filename: eve.json\n      \
             types:\n        - stream:\n            {option}\n"
        );
        let configuration = folder.write("weir.yaml", text);
        folder.weir(&["-c", &configuration, "-r", &capture]);
        let records = folder.records("stream_tcp");
        let found: Vec<_> = records
            .iter()
            .map(|record| {
                let state = record["stream_tcp"]["session"]["state"].as_str().unwrap_or_default();
                let direction = record["direction"].as_str().unwrap_or_default();
                (record["pcap_cnt"].as_u64().unwrap_or_default(), direction, state)
            })
            .collect();
        assert_eq!(found, expected, "{option}");
        for record in &records {
            let stream = &record["stream_tcp"];
            assert_eq!(stream["session"]["client"]["isn"], 1000, "{record}");
            let events = (option == "event-set: yes").then_some("stream.reassembly_seq_gap");
            assert_eq!(stream["events"][0].as_str(), events, "{record}");
        }
    }
}

#[test]
fn connections_in_tunnels_are_followed() {
    let inner = |number: u64, from_client: bool, flags: u8, seq: u32, ack: u32, payload: &str| {
        let ends = [("192.168.0.1", 1000), ("192.168.0.2", 9999)];
        let ((from, from_port), (to, to_port)) =
            if from_client { (ends[0], ends[1]) } else { (ends[1], ends[0]) };
        let bytes = Frame::ethernet()
            .ipv4("10.0.0.1", "10.0.0.2")
            .ipv4(from, to)
            .tcp(from_port, to_port)
            .flags(flags)
            .seq(seq)
            .ack(ack)
            .payload(payload)
            .build();
        TimedFrame { time: Timestamp::new(1_700_000_000 + number, 0), bytes }
    };
    let frames = [
        inner(1, true, tcp_flags::SYN, 99, 0, ""),
        inner(2, false, tcp_flags::SYN | tcp_flags::ACK, 499, 100, ""),
        inner(3, true, tcp_flags::ACK, 100, 500, "across se"),
        inner(4, true, tcp_flags::ACK, 109, 500, "gments"),
        inner(5, false, tcp_flags::ACK, 500, 115, ""),
    ];
    let folder = Folder::new("tunnels");
    let capture = folder.write("input.pcap", pcap(ETHERNET, &frames));
    let rules = "alert tcp any any -> any 9999 (msg:\"m\"; content:\"across segments\"; sid:1;)\n";
    let rules = folder.write("test.rules", rules);
    folder.weir(&["-r", &capture, "-S", &rules]);
    assert_eq!(folder.records("alert").len(), 1);
    let stats = folder.records("stats").pop().unwrap();
    let tunnel = &stats["stats"]["decoder"]["tunnel"];
    assert_eq!((&tunnel["depth_1"], &tunnel["depth_2"]), (&5.into(), &0.into()));
    // The tunnel is a flow, and so is what it carries.
    let mut flows: Vec<_> = folder
        .records("flow")
        .iter()
        .map(|flow| format!("{} {} {}", flow["proto"], flow["src_ip"], flow["tcp"]["state"]))
        .collect();
    flows.sort();
    assert_eq!(flows, [r#""IP-in-IP" "10.0.0.1" null"#, r#""TCP" "192.168.0.1" "established""#]);
}

#[test]
fn flows_tell_their_vlan_also_where_it_is_not_part_of_them() {
    let frames = Conversation::new("10.0.0.1:1000", "10.0.0.2:9999")
        .vlan(7)
        .handshake()
        .client_sends(b"x")
        .close()
        .frames();
    for tracking in ["true", "false"] {
        let folder = Folder::new("vlan");
        let capture = folder.write("input.pcap", pcap(ETHERNET, &frames));
        folder.weir(&["-r", &capture, "--set", &format!("vlan.use-for-tracking={tracking}")]);
        let flows = folder.records("flow");
        assert_eq!(flows.iter().map(|flow| &flow["vlan"][0]).collect::<Vec<_>>(), [7], "{tracking}");
    }
}

const WEB: &str = "%YAML 1.1\n---\noutputs:\n  - eve-log: {enabled: yes, types: [http]}\n";

/// Path and packet of the records of HTTP.
fn recorded(name: &str, frames: &[TimedFrame], settings: &[&str], rules: &str) -> Vec<(String, u64)> {
    let folder = Folder::new(&format!("recorded_{name}_{}", rules.len()));
    let capture = folder.write("input.pcap", pcap(ETHERNET, frames));
    let rules = folder.write("test.rules", rules);
    let configuration = folder.write("weir.yaml", WEB);
    let set: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let run = folder.weir(&[&["-c", &configuration, "-r", &capture, "-S", &rules][..], &set].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    let record = |record: &serde_json::Value| {
        let url = record["http"]["url"].as_str().unwrap_or_default().to_owned();
        (url, record["pcap_cnt"].as_u64().unwrap_or_default())
    };
    folder.records("http").iter().map(record).collect()
}

#[test]
fn what_will_not_be_read_is_not_waited_for() {
    let rule = "alert http any any -> any any (http.uri; content:\"/none\"; sid:1;)\n";
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n");
    let long = [b"HTTP/1.1 200 ok\r\nContent-Length: 9000\r\n\r\n", &[b'.'; 9000][..]].concat();
    // Packets 4 and 5 are the first request, 6 to 12 the response.
    let deep = Conversation::new("10.0.0.1:1000", "10.0.0.2:80")
        .handshake()
        .client_sends(get("/a"))
        .server_sends(&long)
        .client_sends(get("/b"))
        .client_sends(get("/c"))
        .frames();
    let alone: Vec<TimedFrame> = Conversation::new("10.0.0.1:1000", "10.0.0.2:80")
        .without_acknowledgements()
        .segment(Direction::ToServer, tcp_flags::SYN, b"")
        .segment(Direction::ToServer, tcp_flags::ACK, b"")
        .client_sends(get("/a"))
        .client_sends(get("/b"))
        .frames();
    let whole = |path: &str| (path.to_owned(), 0);
    for rules in ["", rule] {
        let found = recorded("deep", &deep, &["stream.reassembly.depth=1mb"], rules);
        assert!(
            found[0].1 > 0 && found[1..] == [whole("/b"), whole("/c")],
            "their responses may come: {found:?}"
        );
        let found = recorded("cut", &deep, &["stream.reassembly.depth=4kb"], rules);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|(_, packet)| *packet > 0), "beyond the depth: {found:?}");

        let found = recorded("alone", &alone, &["stream.async-oneside=true"], rules);
        assert_eq!(found, [("/a".to_owned(), 3), ("/b".to_owned(), 4)], "of one side");
    }
}
