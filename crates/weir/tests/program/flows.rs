//! What becomes of flows: how they end, what they are let off, and what their records tell.

use serde_json::{Value, json};
use weir_base::{Direction, Duration};
use weir_testkit::conversation::START;
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder};

const CONFIGURATION: &str = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      ethernet: yes\n      \
    types:\n        - alert\n        - flow\n        - netflow\n        - stats\n";

/// Runs frames with rules and settings.
fn run(name: &str, frames: &[TimedFrame], rules: &str, settings: &[&str]) -> (Folder, String) {
    let folder = Folder::new(&format!("flows_{name}"));
    let capture = folder.write("input.pcap", pcap(ETHERNET, frames));
    let rules = folder.write("test.rules", rules);
    let configuration = folder.write("flows.yaml", CONFIGURATION);
    let set: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let run = folder.weir(&[&["-c", &configuration, "-r", &capture, "-S", &rules][..], &set].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    (folder, run.stderr)
}

/// The last counters.
fn counters(folder: &Folder) -> Value {
    folder.records("stats").pop().expect("counters at the end")["stats"].take()
}

/// A frame so many seconds after the start.
fn at(seconds: u64, frame: &Frame) -> TimedFrame {
    TimedFrame { time: START.plus(Duration::from_secs(seconds)), bytes: frame.build() }
}

fn datagram(from: &str, from_port: u16, to: &str, to_port: u16) -> Frame {
    Frame::ethernet().ipv4(from, to).udp(from_port, to_port).payload("x")
}

#[test]
fn why_flows_end() {
    let web = |seconds| {
        Conversation::new("10.0.0.1:4000", "10.0.0.2:80").at(START.plus(Duration::from_secs(seconds)))
    };
    let mut frames = web(0).handshake().close().frames();
    // The same ports again, then a silence, then the end of the capture.
    frames.extend(web(5).sequence_numbers(90_000, 80_000).handshake().frames());
    frames.push(at(1000, &datagram("10.0.0.3", 1, "10.0.0.4", 2)));
    let (folder, _) = run("ends", &frames, "", &[]);
    let ends: Vec<String> = folder
        .records("flow")
        .iter()
        .map(|flow| {
            let parts = ["/proto", "/flow/state", "/flow/reason", "/flow/age", "/tcp/state"];
            parts
                .map(|part| flow.pointer(part).map_or("-".into(), |value| value.to_string().replace('"', "")))
                .join(" ")
        })
        .collect();
    assert_eq!(
        ends,
        ["TCP closed tcp_reuse 0 closed", "TCP established timeout 0 established", "UDP new shutdown 0 -"]
    );
    let flow = &counters(&folder)["flow"];
    assert_eq!(
        (&flow["tcp_reuse"], &flow["total"], &flow["recycler"]["recycled"]),
        (&json!(1), &json!(3), &json!(3))
    );
    let states = &flow["end"]["state"];
    assert_eq!(
        [&states["new"], &states["established"], &states["closed"]],
        [&json!(1), &json!(1), &json!(1)]
    );
}

#[test]
fn memory_for_flows_is_short_and_suffices_again() {
    // Many flows at once, then one when all of those are over.
    let mut frames: Vec<TimedFrame> =
        (0..3000).map(|port| at(0, &datagram("10.0.0.1", 1000 + port, "10.0.0.2", 53))).collect();
    frames.push(at(500, &datagram("10.0.0.3", 1, "10.0.0.4", 2)));
    let (folder, said) = run("memcap", &frames, "", &["flow.memcap=256kb"]);
    let flow = &counters(&folder)["flow"];
    assert_eq!((&flow["emerg_mode_entered"], &flow["emerg_mode_over"]), (&json!(1), &json!(1)));
    let forced = flow["get_used"].as_u64().unwrap_or(0);
    assert!(forced > 1000 && flow["memuse"].as_u64().is_some_and(|used| used < 256 << 10), "{flow}");
    assert!(said.contains("Flow emergency mode entered"), "{said}");
    let flows = folder.records("flow");
    assert_eq!(flows.len(), 3001);
    let reasons = |reason: &str| {
        flows.iter().filter(|f| f["flow"]["reason"] == reason && f["flow"]["emergency"] == true).count()
            as u64
    };
    assert_eq!((reasons("forced"), reasons("timeout")), (forced, 3000 - forced));
}

#[test]
fn flows_that_nobody_looks_at_any_more() {
    let says = |seconds, what: &str| {
        at(seconds, &Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(4000, 9999).payload(what))
    };
    let talk = [says(0, "let me go"), says(1, "by"), says(80, "by"), says(300, "by")];
    let rules = "alert udp any any -> any 9999 (content:\"let me go\"; bypass; sid:1;)\n\
                 alert udp any any -> any 9999 (content:\"by\"; sid:2;)\n";
    let (folder, _) = run("bypass", &talk, rules, &[]);
    let alerts = folder.records("alert");
    let sids: Vec<_> = alerts.iter().map(|alert| &alert["alert"]["signature_id"]).collect();
    // A bypassed flow may be silent for 100 seconds; after 200 it is another.
    assert_eq!(sids, [1, 2]);
    let flows = folder.records("flow");
    let found: Vec<_> = flows
        .iter()
        .map(|f| [&f["flow"]["state"], &f["flow"]["bypass"], &f["flow"]["pkts_toserver"]])
        .collect();
    assert_eq!(
        found,
        [[&json!("bypassed"), &json!("local"), &json!(3)], [&json!("new"), &Value::Null, &json!(1)]]
    );
    let counted = counters(&folder);
    assert_eq!(counted["flow_bypassed"]["local_pkts"], 2);
    assert_eq!(counted["flow"]["end"]["state"]["local_bypassed"], 1);

    // Of a stream past its depth nothing more is wanted.
    let long = Conversation::new("10.0.0.1:4000", "10.0.0.2:9999")
        .handshake()
        .client_sends(vec![b'x'; 4000])
        .server_sends(vec![b'x'; 4000])
        .client_sends(vec![b'x'; 4000]);
    for (bypass, state) in [("true", "bypassed"), ("false", "established")] {
        let settings = ["stream.reassembly.depth=1kb", &format!("stream.bypass={bypass}")];
        let (folder, _) = run("bypass", &long.clone().frames(), "", &settings);
        assert_eq!(folder.records("flow")[0]["flow"]["state"], state);
    }
}

#[test]
fn elephants() {
    let sends = |bytes: usize| {
        Conversation::new("10.0.0.1:4000", "10.0.0.2:9999")
            .handshake()
            .client_sends(vec![b'x'; bytes])
            .frames()
    };
    let settings = ["flow.rate-tracking.bytes=10kb", "flow.rate-tracking.interval=10"];
    for (bytes, settings, expected) in
        [(20_000, &settings[..], true), (5000, &settings, false), (20_000, &[], false)]
    {
        let rules = "alert tcp any any -> any any (flow.elephant:toserver; threshold:type limit,track by_flow,count 1,\
                     seconds 900; sid:1;)\n";
        let (folder, _) = run("elephants", &sends(bytes), rules, settings);
        let flow = &folder.records("flow")[0]["flow"];
        assert_eq!(flow["elephant"], if expected { json!(true) } else { Value::Null }, "{bytes}");
        assert_eq!(counters(&folder)["flow"]["elephant"], u64::from(expected));
        assert_eq!(folder.records("alert").len(), usize::from(expected));
    }
}

#[test]
fn elephants_are_let_off_where_that_is_asked_for() {
    let part = |letter: u8| vec![letter; 4000];
    let talk = Conversation::new("10.0.0.1:4000", "10.0.0.2:9999")
        .handshake()
        .client_sends("begins")
        .server_sends(part(b'a'))
        .server_sends(part(b'b'))
        .client_sends("goes on")
        .server_sends(part(b'c'));
    let datagrams: Vec<TimedFrame> = ["begins", "a", "goes on"]
        .into_iter()
        .map(|what| {
            let payload = if what == "a" { part(b'a') } else { what.as_bytes().to_vec() };
            at(0, &Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(4000, 9999).payload(payload))
        })
        .collect();
    let rules = "alert ip any any -> any any (content:\"begins\"; sid:1;)\n\
                 alert ip any any -> any any (content:\"goes on\"; sid:2;)\n";
    let by_rule =
        format!("{rules}alert ip any any -> any any (flow.elephant:either; bypass; noalert; sid:3;)\n");
    let tracking = ["flow.rate-tracking.bytes=3kb", "flow.rate-tracking.bypass=no"];
    let bypass = [tracking[0], "flow.rate-tracking.bypass=yes"];
    let (both, first): (&[u64], &[u64]) = (&[1, 2], &[1]);
    for (name, frames) in [("tcp", talk.frames()), ("udp", datagrams)] {
        for (settings, rules, sids, state) in [
            (&tracking, rules, both, "established"),
            (&bypass, rules, first, "bypassed"),
            (&tracking, &by_rule, first, "bypassed"),
        ] {
            let (folder, _) = run("elephants-bypass", &frames, rules, settings);
            let alerts = folder.records("alert");
            let found: Vec<_> = alerts.iter().map(|alert| alert["alert"]["signature_id"].as_u64()).collect();
            assert_eq!(found, sids.iter().copied().map(Some).collect::<Vec<_>>(), "{name} {settings:?}");
            let flow = &folder.records("flow")[0]["flow"];
            let state = if name == "udp" && state == "established" { "new" } else { state };
            assert_eq!((&flow["state"], &flow["elephant"]), (&json!(state), &json!(true)), "{name}");
            let packets =
                [&flow["pkts_toserver"], &flow["pkts_toclient"]].map(|count| count.as_u64().unwrap_or(0));
            assert_eq!(packets.iter().sum::<u64>(), frames.len() as u64, "all of them count");
        }
    }
}

#[test]
fn what_tells_flows_apart() {
    let tagged = |vlan: u16| Frame::ethernet().vlan(vlan).ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload("x");
    let inner = |outer: Frame| outer.ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload("x");
    let frames = [
        at(0, &tagged(1)),
        at(1, &tagged(2)),
        at(2, &inner(Frame::ethernet().vlan(1).ipv4("10.9.0.1", "10.9.0.2"))),
    ];
    for (settings, expected) in [
        (&[][..], 3),
        (&["vlan.use-for-tracking=false"], 2),
        (&["vlan.use-for-tracking=false", "decoder.recursion-level.use-for-tracking=false"], 1),
        (&["livedev.use-for-tracking=false"], 3),
    ] {
        let (folder, _) = run("apart", &frames, "", settings);
        let flows = folder.records("flow");
        let count = flows.iter().filter(|flow| flow["proto"] == "UDP").count();
        assert_eq!(count, expected, "{settings:?}");
    }
}

#[test]
fn errors_belong_to_the_flow_they_quote() {
    let query = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(4000, 53).payload("query");
    let quoted = query.build()[14..42].to_vec();
    let error = Frame::ethernet().ipv4("10.0.0.9", "10.0.0.1").icmpv4(3, 3, [0; 4]).payload(quoted);
    let (folder, _) = run(
        "errors",
        &[at(0, &query), at(1, &error)],
        "alert icmp any any -> any any (itype:3; sid:1;)\n",
        &[],
    );
    let flows = folder.records("flow");
    assert_eq!(flows.len(), 1, "{flows:?}");
    let flow = &flows[0];
    assert_eq!((&flow["proto"], &flow["flow"]["pkts_toclient"]), (&json!("UDP"), &json!(1)));
    let alert = &folder.records("alert")[0];
    assert_eq!((&alert["flow_id"], &alert["icmp_code"]), (&flow["flow_id"], &json!(3)));
}

#[test]
fn sctp_has_flows() {
    let chunk = [3, 0, 0, 4];
    let frames = [
        at(0, &Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").sctp(5000, 38412, 7).payload(chunk)),
        at(1, &Frame::ethernet().ipv4("10.0.0.2", "10.0.0.1").sctp(38412, 5000, 9).payload(chunk)),
        at(400, &datagram("10.0.0.3", 1, "10.0.0.4", 2)),
    ];
    let (folder, _) = run("sctp", &frames, "", &[]);
    let flow = &folder.records("flow")[0];
    let found = [
        &flow["proto"],
        &flow["dest_port"],
        &flow["flow"]["pkts_toserver"],
        &flow["flow"]["pkts_toclient"],
        &flow["flow"]["state"],
        &flow["flow"]["reason"],
    ];
    let expected = [json!("SCTP"), json!(38412), json!(1), json!(1), json!("established"), json!("timeout")];
    assert_eq!(found.map(Clone::clone), expected);
}

#[test]
fn records_of_each_direction() {
    let talk = Conversation::new("10.0.0.1:4000", "10.0.0.2:9999")
        .handshake()
        .client_sends("abc")
        .reset(Direction::ToClient);
    let (folder, _) = run("netflow", &talk.frames(), "", &[]);
    let records = folder.records("netflow");
    let found: Vec<Value> = records
        .iter()
        .map(|r| {
            json!([
                r["src_port"],
                r["netflow"]["pkts"],
                r["netflow"]["bytes"],
                r["netflow"]["min_ttl"],
                r["tcp"]["tcp_flags"]
            ])
        })
        .collect();
    // Each frame is 54 bytes long, without its three bytes of data.
    assert_eq!(found, [json!([4000, 3, 3 * 54 + 3, 64, "1a"]), json!([9999, 3, 3 * 54, 64, "16"])]);
    let flow = &folder.records("flow")[0]["flow"];
    assert_eq!((&flow["bytes_toserver"], &flow["bytes_toclient"]), (&json!(165), &json!(162)));

    // What was not seen has none.
    let (folder, _) = run("netflow", &[at(0, &datagram("10.0.0.1", 1, "10.0.0.2", 2))], "", &[]);
    assert_eq!(folder.records("netflow").len(), 1);
}

#[test]
fn addresses_below_ip() {
    let mac = |last: u8| [2, 0, 0, 0, 0, last];
    let there = |from: u8| {
        Frame::ethernet().macs(mac(from), mac(9)).ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload("x")
    };
    let back = Frame::ethernet().macs(mac(9), mac(1)).ipv4("10.0.0.2", "10.0.0.1").udp(2, 1).payload("y");
    let frames = [at(0, &there(1)), at(1, &back), at(2, &there(7)), at(3, &there(1))];
    let (folder, _) = run("macs", &frames, "alert udp any any -> any 1 (content:\"y\"; sid:1;)\n", &[]);
    let ether = &folder.records("flow")[0]["ether"];
    assert_eq!(ether["src_macs"], json!(["02:00:00:00:00:01", "02:00:00:00:00:07"]));
    assert_eq!(ether["dest_macs"], json!(["02:00:00:00:00:09"]));
    let alert = &folder.records("alert")[0]["ether"];
    assert_eq!(
        alert,
        &json!({"ether_type": 0x0800, "src_mac": "02:00:00:00:00:09", "dest_mac": "02:00:00:00:00:01"})
    );
    let decoder = &counters(&folder)["decoder"];
    assert_eq!((&decoder["max_mac_addrs_src"], &decoder["max_mac_addrs_dst"]), (&json!(2), &json!(1)));
}

#[test]
fn alerts_inside_of_tunnels_show_the_outermost_packet() {
    let frame = Frame::ethernet()
        .ipv4("10.0.0.1", "10.0.0.2")
        .vxlan(7)
        .ipv4("10.1.0.1", "10.1.0.2")
        .gre()
        .ipv4("10.2.0.1", "10.2.0.2")
        .udp(1, 2)
        .payload("deep");
    let (folder, _) =
        run("tunnel", &[at(0, &frame)], "alert udp any any -> any 2 (content:\"deep\"; sid:1;)\n", &[]);
    let alert = &folder.records("alert")[0];
    let tunnel = &alert["tunnel"];
    let found = [
        &alert["src_ip"],
        &alert["pkt_src"],
        &tunnel["src_ip"],
        &tunnel["dest_port"],
        &tunnel["proto"],
        &tunnel["depth"],
        &tunnel["pkt_src"],
    ];
    let expected = [
        json!("10.2.0.1"),
        json!("gre tunnel"),
        json!("10.0.0.1"),
        json!(4789),
        json!("UDP"),
        json!(2),
        json!("wire/pcap"),
    ];
    assert_eq!(found.map(Clone::clone), expected);
    assert!(alert.get("pcap_cnt").is_none() && tunnel["pcap_cnt"] == 1, "{alert}");
    let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").gre().ipv4("10.2.0.1", "10.2.0.2").udp(1, 2);
    let (folder, _) = run("gre", &[at(0, &frame)], "alert udp any any -> any 2 (sid:1;)\n", &[]);
    let tunnel = &folder.records("alert")[0]["tunnel"];
    assert_eq!((&tunnel["src_port"], &tunnel["dest_port"]), (&json!(0), &json!(0)), "GRE has no ports");
}

#[test]
fn which_tunnels_are_looked_into() {
    let inner = || Frame::bare().ipv4("10.2.0.1", "10.2.0.2").udp(1, 2).payload("deep");
    let over = |port: u16, head: &[u8]| {
        Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(7, port).payload(head).payload(inner().build())
    };
    let length = inner().build().len() as u8;
    let gpe = || over(4790, &[0x0c, 0, 0, 1, 0, 0, 7, 0]);
    let gtp = || over(2152, &[0x30, 0xff, 0, length, 0, 0, 0, 1]);
    let l2tp = || over(1701, &[0, 2, 0, 1, 0, 1, 0xff, 3, 0, 0x21]);
    let nested = || {
        (0..4)
            .fold(Frame::ethernet(), |frame, _| frame.ipv4("10.0.0.1", "10.0.0.2"))
            .udp(1, 2)
            .payload("deep")
    };
    // The frame, settings, how many alerts there are, and a counter that is one then.
    let cases: [(Frame, &[&str], usize, &str); 9] = [
        (gpe(), &[], 1, "/decoder/vxlan_gpe"),
        (gpe(), &["decoder.vxlan-gpe.enabled=false"], 0, "/decoder/udp"),
        (gpe(), &["decoder.vxlan-gpe.ports=4791"], 0, "/decoder/udp"),
        (gtp(), &[], 0, "/decoder/udp"),
        (gtp(), &["decoder.gtp.enabled=true"], 1, "/decoder/gtp"),
        (l2tp(), &[], 0, "/decoder/udp"),
        (l2tp(), &["decoder.l2tp.enabled=true"], 1, "/decoder/l2tp"),
        (nested(), &[], 1, "/decoder/tunnel/depth_3"),
        (nested(), &["decoder.max-layers=5"], 0, "/decoder/too_many_layers"),
    ];
    let rules = "alert udp any any -> any 2 (content:\"deep\"; sid:1;)\n";
    for (frame, settings, alerts, counter) in cases {
        let (folder, _) = run("tunnels", &[at(0, &frame)], rules, settings);
        assert_eq!(folder.records("alert").len(), alerts, "{settings:?} {counter}");
        let counters = counters(&folder);
        assert_eq!(counters.pointer(counter), Some(&json!(1)), "{settings:?} {counter}");
    }
}

#[test]
fn rules_on_counts_and_age() {
    let talk = Conversation::new("10.0.0.1:4000", "10.0.0.2:9999")
        .handshake()
        .client_sends("one")
        .wait(Duration::from_secs(20))
        .server_sends("last word")
        .frames();
    // Seen with the server's data: three packets to the server, three to the client.
    let rows = [
        ("flow.age:>15", true),
        ("flow.age:<15", false),
        ("flow.pkts:both,3", true),
        ("flow.pkts:either,>3", false),
        ("flow.pkts_toclient:=3", true),
        ("flow.pkts_toserver:3", true),
        ("flow.pkts:toserver,3", true),
        ("flow.bytes_toserver:165", true),
        ("flow.bytes_toclient:171", true),
        ("flow.bytes:toclient,171", true),
        ("flow.bytes_toclient:170", false),
    ];
    let rules: String = (1..)
        .zip(rows)
        .map(|(sid, (option, _))| format!("alert tcp any any -> any any (dsize:9; {option}; sid:{sid};)\n"))
        .collect();
    let (folder, _) = run("counts", &talk, &rules, &[]);
    let fired: Vec<u64> =
        folder.records("alert").iter().filter_map(|a| a["alert"]["signature_id"].as_u64()).collect();
    let expected: Vec<u64> = (1..).zip(rows).filter(|(_, (_, fires))| *fires).map(|(sid, _)| sid).collect();
    assert_eq!(fired, expected, "{:?}", folder.records("flow"));
}

/// Picks values of a record by JSON pointers; null for keys that are not there.
fn picked(record: &Value, pointers: &[&str]) -> Vec<Value> {
    pointers.iter().map(|pointer| record.pointer(pointer).cloned().unwrap_or_default()).collect()
}

#[test]
fn keys_of_flows_by_protocol() {
    let echo =
        |kind, from, to| Frame::ethernet().ipv4(from, to).icmpv4(kind, 0, [0, 1, 0, 1]).payload("ping");
    let frames = [
        at(0, &echo(8, "10.0.0.1", "10.0.0.2")),
        at(1, &echo(0, "10.0.0.2", "10.0.0.1")),
        // The middle of a connection, which is not followed.
        at(2, &Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").tcp(4000, 9999).flags(0x10).payload("x")),
    ];
    let (folder, _) = run("keys", &frames, "", &[]);
    let one_way = ["/src_ip", "/ip_v", "/app_proto", "/icmp_type", "/icmp_code", "/response_icmp_type"];
    let found: Vec<_> = folder.records("netflow").iter().map(|r| picked(r, &one_way)).collect();
    let none = Value::Null;
    assert_eq!(
        found,
        [
            [json!("10.0.0.1"), none.clone(), json!("unknown"), json!(8), json!(0), none.clone()],
            [json!("10.0.0.2"), none.clone(), json!("unknown"), json!(0), json!(0), none.clone()],
            [json!("10.0.0.1"), none.clone(), json!("unknown"), none.clone(), none.clone(), none.clone()],
        ]
    );
    let whole =
        ["/ip_v", "/icmp_type", "/response_icmp_type", "/flow/tx_cnt", "/tcp/tcp_flags", "/tcp/state"];
    let found: Vec<_> = folder.records("flow").iter().map(|r| picked(r, &whole)).collect();
    assert_eq!(
        found,
        [
            [json!(4), json!(8), json!(0), none.clone(), none.clone(), none.clone()],
            [json!(4), none.clone(), none.clone(), none.clone(), json!("00"), none.clone()],
        ]
    );
}

#[test]
fn payloads_of_alerts() {
    const ALERTS: &str = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - alert:\n            \
        payload: yes\n            payload-printable: yes\n            payload-length: yes\n";
    let ip = || Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2");
    let cases = [
        ("a datagram", ip().udp(1, 2).payload("abc"), json!(["YWJj", "abc", 3, 0])),
        ("a segment without data", ip().tcp(1, 2).flags(2), json!([null, null, 0, 0])),
        ("a protocol that is not read", ip().protocol(103).payload("abc"), json!([null, null, 0, 0])),
    ];
    for (what, frame, expected) in cases {
        let folder = Folder::new("flows_payloads");
        let capture = folder.write("input.pcap", pcap(ETHERNET, &[at(0, &frame)]));
        let rules = folder.write("test.rules", "alert ip any any -> any any (sid:1;)");
        let configuration = folder.write("flows.yaml", ALERTS);
        let run = folder.weir(&["-c", &configuration, "-r", &capture, "-S", &rules]);
        assert_eq!(run.code, 0, "{}", run.said());
        let alert = folder.records("alert").pop().expect(what);
        let pointers = ["/payload", "/payload_printable", "/payload_length", "/stream"];
        assert_eq!(json!(picked(&alert, &pointers)), expected, "{what}");
    }
}

#[test]
fn progress_of_transactions_in_alerts() {
    let talk = Conversation::new("10.0.0.1:4000", "10.0.0.2:80")
        .handshake()
        .client_sends("GET /a HTTP/1.1\r\nHost: b\r\n\r\n")
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .close();
    let rules = "alert http any any -> any any (http.uri; content:\"/a\"; sid:1;)";
    let (folder, _) = run("progress", &talk.frames(), rules, &[]);
    let found = picked(&folder.records("alert")[0], &["/ts_progress", "/tc_progress"]);
    assert_eq!(found, [json!("request_complete"), json!("response_complete")]);
}

/// A request that nobody answered has its record with the last packet of the connection, not behind it.
#[test]
fn what_waits_for_an_answer_is_told_when_both_sides_are_done() {
    let folder = Folder::new("unanswered");
    let talk = Conversation::new("10.0.0.1:40000", "10.0.0.2:80").handshake();
    let frames = talk.client_sends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").close().frames();
    let last = frames.len();
    let capture = folder.write("web.pcap", pcap(ETHERNET, &frames));
    let configuration = folder.write(
        "weir.yaml",
        "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [http]\n",
    );
    let run = folder.weir(&["-r", &capture, "-c", &configuration]);
    assert_eq!(run.code, 0, "{}", run.said());
    let records = folder.records("http");
    let places: Vec<_> = records.iter().map(|record| record["pcap_cnt"].as_u64()).collect();
    assert_eq!(places, [Some(last as u64)]);
}
