//! The firewall: what its rules and policies let through of a web request, and what is told of it.

use std::collections::BTreeMap;

use serde_json::Value;
use weir_base::Timestamp;
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder, web_request};

const CONFIGURATION: &str = "%YAML 1.1
---
stats:
  enabled: yes
outputs:
  - eve-log:
      enabled: yes
      filename: eve.json
      types:
        - stats
        - flow
        - http
        - alert:
            verdict: yes
        - drop:
            alerts: yes
            flows: all
";

/// What a run leaves, in short: packets accepted and dropped by the firewall and by the rules of
/// detection; sids of alerts with their engine, and reasons of drops, each with their number.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    firewall: (u64, u64),
    detection: (u64, u64),
    told: BTreeMap<String, usize>,
}

fn run(test: &str, firewall: &str, detection: &str, policies: &str) -> (Folder, Outcome) {
    run_on(test, &web_request(), firewall, detection, policies)
}

fn run_on(
    test: &str,
    frames: &[TimedFrame],
    firewall: &str,
    detection: &str,
    policies: &str,
) -> (Folder, Outcome) {
    let folder = Folder::new(test);
    let capture = folder.write("a.pcap", pcap(ETHERNET, frames));
    let rules = folder.write("fw.rules", firewall);
    let others = folder.write("td.rules", detection);
    let configuration = folder.write("weir.yaml", format!("{CONFIGURATION}{policies}"));
    let run = folder.weir(&[
        "-r",
        &capture,
        "-S",
        &others,
        "--firewall-rules-exclusive",
        &rules,
        "-c",
        &configuration,
    ]);
    assert_eq!(run.code, 0, "{}", run.said());
    let stats = folder.records("stats").pop().expect("counters");
    let number = |path: &str| stats["stats"].pointer(path).and_then(Value::as_u64).expect("a counter");
    let mut told = BTreeMap::new();
    for alert in folder.records("alert") {
        let facts = &alert["alert"];
        *told
            .entry(format!("{} {}", facts["engine"].as_str().expect("an engine"), facts["signature_id"]))
            .or_default() += 1;
    }
    for drop in folder.records("drop") {
        *told.entry(drop["drop"]["reason"].as_str().expect("a reason").to_owned()).or_default() += 1;
    }
    let outcome = Outcome {
        firewall: (number("/firewall/accepted"), number("/firewall/blocked")),
        detection: (number("/ips/accepted"), number("/ips/blocked")),
        told,
    };
    (folder, outcome)
}

/// The packets before the request.
const HANDSHAKE: usize = 3;

/// Everything of TCP up to the application layer.
const PACKETS: &str = "accept:hook tcp:all any any <> any 80 (sid:1;)\n";

/// A firewall, and what comes of it.
struct Case {
    name: &'static str,
    firewall: String,
    detection: &'static str,
    policies: &'static str,
    /// Packets that the firewall lets through.
    accepted: u64,
    told: Vec<(&'static str, usize)>,
}

#[test]
fn rules_and_policies() {
    let packets = web_request().len();
    let after_request = packets - HANDSHAKE - 1;
    let index = "alert http any any -> any any (http.uri; content:\"index\"; sid:9;)\n";
    let cases = [
        Case {
            name: "nothing",
            firewall: String::new(),
            detection: "",
            policies: "",
            accepted: 0,
            told: vec![("firewall default packet policy", packets)],
        },
        Case {
            name: "each-packet",
            firewall: "accept:packet tcp:all any any <> any 80 (sid:1;)\n".to_owned(),
            detection: index,
            policies: "",
            accepted: packets as u64,
            told: vec![("td 9", 1)],
        },
        Case {
            name: "no-rules-on-states",
            firewall: PACKETS.to_owned(),
            detection: "",
            policies: "",
            accepted: HANDSHAKE as u64,
            told: vec![("firewall default app policy", 1), ("firewall flow drop", after_request)],
        },
        Case {
            name: "each-state",
            firewall: format!(
                "{PACKETS}accept:hook http1:<request_complete any any -> any any (sid:2;)\n\
                 accept:hook,alert http1:<response_complete any any -> any any (http.response_body; content:\"hello\"; \
                 sid:3;)\n"
            ),
            detection: "",
            policies: "",
            accepted: packets as u64,
            told: vec![("fw 3", 1)],
        },
        Case {
            name: "the-first-rule-decides",
            firewall: format!(
                "{PACKETS}accept:hook http1:request_started any any -> any any (sid:2;)\n\
                 drop:flow,alert http1:request_line any any -> any any (http.uri; content:\"index\"; sid:3;)\n\
                 accept:flow http1:request_line any any -> any any (sid:4;)\n"
            ),
            detection: index,
            policies: "",
            accepted: HANDSHAKE as u64,
            told: vec![("firewall rules", 1), ("firewall flow drop", after_request), ("fw 3", 1)],
        },
        Case {
            name: "accept-and-pass",
            firewall: format!("{PACKETS}accept:flow,pass:flow http1:<request_line any any -> any any (sid:2;)\n"),
            detection: index,
            policies: "",
            accepted: packets as u64,
            told: vec![],
        },
        Case {
            name: "bits-of-a-transaction",
            firewall: format!(
                "{PACKETS}accept:hook http1:<request_line any any -> any any (http.method; content:\"GET\"; \
                 xbits:set,get,track tx; sid:2;)\n\
                 accept:tx,alert http1:request_headers any any -> any any (xbits:isset,get,track tx; sid:3;)\n"
            ),
            detection: "",
            policies: "",
            accepted: packets as u64,
            told: vec![("fw 3", 1)],
        },
        Case {
            name: "policies",
            firewall: String::new(),
            detection: "",
            policies: "firewall:\n  policies:\n    packet:\n      filter: [\"accept:hook\"]\n    app:\n      http1:\n        \
                       request-started: [\"accept:tx\", \"alert\"]\n",
            accepted: packets as u64,
            told: vec![("fw 2201001", 1)],
        },
        Case {
            name: "before-the-flow",
            firewall: "drop:packet tcp:pre_flow any any <> any 80 (sid:2;)\n".to_owned(),
            detection: "",
            policies: "",
            accepted: 0,
            told: vec![("firewall pre_flow hook", packets)],
        },
        Case {
            name: "outside-of-flows",
            firewall: "config:packet ip:pre_flow any any <> any 80 (config:tracking disable, type flow, scope packet; \
                       sid:2;)\naccept:packet tcp:all any any <> any 80 (sid:1;)\n"
                .to_owned(),
            detection: index,
            policies: "",
            accepted: packets as u64,
            told: vec![],
        },
    ];
    for case in cases {
        let test = format!("firewall-{}", case.name);
        let (_folder, outcome) = run(&test, &case.firewall, case.detection, case.policies);
        let told = case.told.iter().map(|(what, count)| ((*what).to_owned(), *count)).collect();
        let firewall = (case.accepted, packets as u64 - case.accepted);
        let expected = Outcome { firewall, detection: (case.accepted, 0), told };
        assert_eq!(outcome, expected, "{}", case.name);
    }
}

#[test]
fn detection_drops_what_the_firewall_accepted() {
    let (folder, outcome) = run(
        "firewall-then-detection",
        "accept:packet tcp:all any any <> any 80 (sid:1;)\n",
        "drop http any any -> any any (http.uri; content:\"index\"; sid:9;)\n",
        "",
    );
    let packets = web_request().len() as u64;
    assert_eq!(outcome.firewall, (packets, 0));
    assert_eq!(outcome.detection, (3, packets - 3));
    assert_eq!(folder.records("flow")[0]["flow"]["action"], "drop");
}

#[test]
fn alerts_say_where_they_were_raised() {
    let rules = format!("{PACKETS}accept:tx,alert http1:<request_headers any any -> any any (sid:2;)\n");
    let (folder, _) = run("firewall-hooks", &rules, "", "");
    let alerts = folder.records("alert");
    assert_eq!(alerts[0]["firewall"]["hook"], "http:request_headers");
    assert_eq!(alerts[0]["verdict"]["action"], "accept");
    assert_eq!(alerts[0]["alert"]["action"], "allowed");
}

#[test]
fn a_firewall_with_holes_does_not_start() {
    let folder = Folder::new("firewall-holes");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    for (rules, sentence) in [
        ("accept:hook http1:request any any -> any any (sid:1;)", "request_started, request_line"),
        ("accept tcp:all any any -> any any (sid:1;)", "accept:packet"),
        ("accept:hook tcp any any -> any any (sid:1;)", "in which hook"),
    ] {
        let file = folder.write("fw.rules", rules);
        let run = folder.weir(&["-r", &capture, "--firewall-rules-exclusive", &file]);
        assert_eq!(run.code, 1, "{rules}: {}", run.said());
        assert!(run.said().contains(sentence), "{rules}: {}", run.said());
    }
    let file = folder.write("td.rules", "accept:flow tcp any any -> any any (sid:1;)");
    let run = folder.weir(&["-T", "-S", &file]);
    assert!(run.said().contains("for rules of the firewall"), "{}", run.said());
}

#[test]
fn hooks_in_rules_of_detection() {
    let folder = Folder::new("hooks");
    let body = vec![b'x'; 4000];
    let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n".to_vec();
    answer.extend_from_slice(&body);
    let frames = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .segment_size(1000)
        .handshake()
        .client_sends(b"GET /index.html HTTP/1.1\r\nHost: example.com\r\n\r\n")
        .server_sends(&answer)
        .close()
        .frames();
    let capture = folder.write("a.pcap", pcap(ETHERNET, &frames));
    let rules = folder.write(
        "a.rules",
        "alert tcp:flow_start any any -> any any (sid:1;)\n\
         alert ip:flow_start any any -> any any (flow:to_server; sid:2;)\n\
         alert http1:request_line any any -> any any (sid:3;)\n\
         alert http1:request_line any any -> any any (http.uri; content:\"index\"; sid:4;)\n\
         alert http1:response_headers any any -> any any (sid:5;)\n\
         alert http1:response_body any any -> any any (sid:6;)\n\
         alert http1:response_complete any any -> any any (sid:7;)\n",
    );
    let run = folder.weir(&["-r", &capture, "-S", &rules, "--simulate-ips"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let mut counts = BTreeMap::new();
    for alert in folder.records("alert") {
        *counts.entry(alert["alert"]["signature_id"].as_u64().unwrap()).or_insert(0) += 1;
    }
    // The body comes in five segments, and each is looked at when it comes.
    let expected = [(1, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 5), (7, 1)];
    assert_eq!(counts, expected.into_iter().collect());
}

#[test]
fn what_a_dropped_datagram_had_is_not_looked_at_again() {
    let folder = Folder::new("fw-datagrams");
    let ask = |name: &[u8; 3]| [b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x03", &name[..], b"\0\0\x01\0\x01"].concat();
    let frames = [b"bad", b"one", b"bad", b"two"].map(|name| {
        let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(4000, 53).payload(ask(name));
        TimedFrame { time: Timestamp::new(1_700_000_000, 0), bytes: frame.build() }
    });
    let capture = folder.write("a.pcap", pcap(ETHERNET, &frames));
    let rules = folder.write(
        "fw.rules",
        "accept:hook udp:all any any <> any 53 (sid:1;)\n\
         accept:hook dns:request_started any any -> any any (sid:2;)\n\
         drop:packet dns:request_complete any any -> any any (dns.query; content:\"bad\"; sid:3;)\n\
         accept:hook,alert dns:request_complete any any -> any any (sid:4;)\n",
    );
    let run = folder.weir(&["-r", &capture, "--firewall-rules-exclusive", &rules]);
    assert_eq!(run.code, 0, "{}", run.said());
    let packets: Vec<_> = folder.records("alert").iter().map(|alert| alert["pcap_cnt"].as_u64()).collect();
    assert_eq!(packets, [Some(2), Some(4)]);
}

#[test]
fn rules_see_the_end_of_a_connection_that_goes_on() {
    let rules = "accept:hook tcp:all any any <> any any (alert; sid:1;)\n";
    let frames = Conversation::new("10.0.0.1:40000", "10.0.0.2:22").handshake().frames();
    let (_, outcome) = run_on("rules_see_the_end_of_a_connection", &frames, rules, "", "");
    let told = BTreeMap::from([("fw 1".to_owned(), frames.len() + 2)]);
    let packets = frames.len() as u64;
    assert_eq!(outcome, Outcome { firewall: (packets, 0), detection: (packets, 0), told });
}
