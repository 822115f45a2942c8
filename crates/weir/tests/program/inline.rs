//! What an inline engine would do with packets: verdicts, and packets made to agree with the stream.

use serde_json::{Value, json};
use weir_base::{Direction, Timestamp};
use weir_testkit::{Conversation, Frame, TimedFrame, tcp_flags};

use crate::run::{ETHERNET, Folder};

const CONFIGURATION: &str = "%YAML 1.1
---
outputs:
  - eve-log:
      enabled: yes
      types:
        - alert: {payload: yes, packet: yes, verdict: yes}
        - drop: {alerts: yes, flows: all, verdict: yes}
        - stats: {totals: yes}
        - dns
";

/// Runs an inline engine over the frames.
fn inline(folder: &Folder, frames: &[TimedFrame], rules: &str) -> Value {
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, frames));
    let rules = folder.write("test.rules", rules);
    let configuration = folder.write("inline.yaml", CONFIGURATION);
    let run = folder.weir(&[
        "-c",
        &configuration,
        "-r",
        &capture,
        "-S",
        &rules,
        "--simulate-ips",
        "-k",
        "none",
        "--summary=json",
    ]);
    assert_eq!(run.code, 0, "{}", run.said());
    run.summary()
}

fn texts(records: &[Value], pointer: &str) -> Vec<String> {
    records.iter().map(|r| r.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned()).collect()
}

#[test]
fn with_an_inner_packet_goes_the_outer_one() {
    let folder = Folder::new("inline_tunnel");
    let outer = || Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").gre();
    let dropped = outer().ipv4("192.168.0.1", "192.168.0.2").udp(7, 9).payload("no").build();
    let passed = outer().ipv4("192.168.0.1", "192.168.0.2").udp(7, 10).payload("yes").build();
    let frames: Vec<TimedFrame> = [dropped, passed]
        .into_iter()
        .zip(1..)
        .map(|(bytes, second)| TimedFrame { time: Timestamp::new(second, 0), bytes })
        .collect();
    let summary = inline(&folder, &frames, "drop udp any any -> any 9 (msg:\"no\"; sid:1;)");
    assert_eq!((&summary["packets"], &summary["dropped"]), (&json!(2), &json!(1)));
    let drops = folder.records("drop");
    assert_eq!(texts(&drops, "/drop/reason"), ["rules", "tunnel packet drop"]);
    assert_eq!(texts(&drops, "/src_ip"), ["192.168.0.1", "10.0.0.1"]);
    let stats = folder.records("stats");
    let ips = &stats[0]["stats"]["ips"];
    assert_eq!((&ips["blocked"], &ips["accepted"]), (&json!(2), &json!(2)), "{ips}");
    assert_eq!(ips["drop_reason"]["tunnel_packet_drop"], 1);
}

#[test]
fn what_was_whole_with_the_packet_that_is_dropped_is_told() {
    let folder = Folder::new("inline_records");
    let frames: Vec<TimedFrame> = [*b"one", *b"two"]
        .into_iter()
        .zip(1..)
        .map(|(name, second)| {
            let query = [b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x03", &name[..], b"\0\0\x01\0\x01"].concat();
            let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(4000, 53).payload(query);
            TimedFrame { time: Timestamp::new(second, 0), bytes: frame.build() }
        })
        .collect();
    inline(&folder, &frames, "drop dns any any -> any any (sid:1;)");
    assert_eq!(texts(&folder.records("dns"), "/dns/queries/0/rrname"), ["one"]);
    assert_eq!(texts(&folder.records("drop"), "/drop/reason"), ["rules", "flow drop"]);
}

/// Ends of connections, and the tag of their network.
type Ends = (&'static str, &'static str, Option<u16>);

/// A connection between the same ends, a while after the start; sides acknowledge with data alone.
fn between((client, server, tag): Ends, seconds: u64) -> Conversation {
    let conversation = Conversation::new(client, server);
    let conversation = match tag {
        Some(tag) => conversation.vlan(tag),
        None => conversation,
    };
    conversation.at(Timestamp::new(1 + seconds, 0)).without_acknowledgements()
}

#[test]
fn a_connection_may_begin_between_the_ports_of_a_dropped_one() {
    for (ends, action) in [
        (("10.0.0.1:40000", "10.0.0.2:80", None), "drop"),
        (("10.0.0.1:40000", "10.0.0.2:80", Some(7)), "drop"),
        (("[2001:db8::1]:40000", "[2001:db8::2]:80", None), "drop"),
        (("10.0.0.1:40000", "10.0.0.2:80", None), "reject"),
    ] {
        begins_between_the_ports_of_a_dropped_one(ends, action);
    }
}

fn begins_between_the_ports_of_a_dropped_one(ends: Ends, action: &str) {
    const NO: &str = "GET /no HTTP/1.1\r\nHost: a\r\n\r\n";
    const YES: &str = "GET /yes HTTP/1.1\r\nHost: a\r\n\r\n";
    let dropped = || between(ends, 0).handshake().client_sends(NO);
    let (former, next) = (dropped().next_seq(Direction::ToServer), dropped().next_seq(Direction::ToClient));
    let again = || between(ends, 5).sequence_numbers(7_000_000, 9_000_000).handshake();
    // A SYN, while the server knows the former connection.
    let unexpected = || {
        let conversation = between(ends, 3).sequence_numbers(7_000_000, next);
        let begun = conversation.segment(Direction::ToServer, tcp_flags::SYN, b"");
        begun.continue_at(Direction::ToServer, former)
    };
    let told = unexpected().segment(Direction::ToClient, tcp_flags::ACK, b"").segment(
        Direction::ToServer,
        tcp_flags::RST,
        b"",
    );
    let opening = between(ends, 5).sequence_numbers(7_000_000, 9_000_000);
    for (what, frames, drops) in [
        ("another connection", vec![again().client_sends(YES)], &["rules"][..]),
        (
            "one that the server takes for the former at first",
            vec![told, again().client_sends(YES)],
            &["rules"],
        ),
        ("one that is dropped, too", vec![again().client_sends(NO)], &["rules", "rules"]),
        ("data of the former", vec![unexpected().client_sends(YES)], &["rules", "flow drop"]),
        (
            "data with a SYN, again without an answer",
            vec![
                opening.segment(Direction::ToServer, tcp_flags::SYN, b"GET /"),
                unexpected().client_sends(YES),
            ],
            &["rules", "flow drop"],
        ),
        (
            "a SYN sent again",
            vec![between(ends, 3).handshake()],
            &["rules", "flow drop", "flow drop", "flow drop"],
        ),
    ] {
        let folder = Folder::new("inline_again");
        let all = std::iter::once(dropped()).chain(frames).flat_map(Conversation::frames);
        let all: Vec<TimedFrame> = all.collect();
        let rule = format!("{action} http any any -> any any (http.uri; content:\"/no\"; sid:1;)");
        let summary = inline(&folder, &all, &rule);
        assert_eq!(texts(&folder.records("drop"), "/drop/reason"), drops, "{ends:?} {action} {what}");
        assert_eq!(summary["dropped"], drops.len(), "{ends:?} {action} {what}");
    }
}

#[test]
fn a_packet_that_differs_is_made_to_agree() {
    let folder = Folder::new("inline_overlap");
    let conversation = Conversation::new("10.0.0.1:40000", "10.0.0.2:8080").handshake();
    let seq = conversation.next_seq(Direction::ToServer);
    let frames = conversation
        .without_acknowledgements()
        .client_sends("GOOD")
        .continue_at(Direction::ToServer, seq)
        .client_sends("EVIL")
        .frames();
    let rules = [
        "alert tcp-pkt any any -> any any (content:\"EVIL\"; sid:1;)",
        "alert tcp-pkt any any -> any any (content:\"GOOD\"; sid:2;)",
        "alert tcp-stream any any -> any any (content:\"GOOD\"; sid:3;)",
    ];
    inline(&folder, &frames, &rules.join("\n"));
    let alerts = folder.records("alert");
    let ids: Vec<u64> = alerts.iter().filter_map(|a| a["alert"]["signature_id"].as_u64()).collect();
    assert_eq!(ids.len(), 4, "{ids:?}");
    assert!(!ids.contains(&1), "{ids:?}");
    assert!(texts(&alerts, "/payload").iter().all(|payload| payload == "R09PRA=="));
    let packets = texts(&alerts, "/packet");
    assert!(packets.iter().all(|packet| packet.ends_with("R09PRA==") || packet.ends_with("dPT0Q=")));
    assert_eq!(folder.records("stats")[0]["stats"]["ips"]["replaced"], 1);
}

#[test]
fn who_is_told_of_a_refusal() {
    for (action, target) in [
        ("reject", "to_client"),
        ("rejectsrc", "to_client"),
        ("rejectdst", "to_server"),
        ("rejectboth", "both"),
    ] {
        let folder = Folder::new(&format!("inline_{action}"));
        let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(7, 9).payload("x").build();
        let frames = [TimedFrame { time: Timestamp::new(1, 0), bytes: frame }];
        inline(&folder, &frames, &format!("{action} udp any any -> any 9 (sid:1;)"));
        let verdict = &folder.records("drop")[0]["verdict"];
        let expected = json!({"action": "drop", "reject-target": target, "reject": ["icmp-prohib"]});
        assert_eq!(*verdict, expected, "{action}");
        let ips = &folder.records("stats")[0]["stats"]["ips"];
        assert_eq!((&ips["rejected"], &ips["blocked"]), (&json!(1), &json!(0)), "{action}");
    }
}
