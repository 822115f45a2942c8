//! The protocol of a flow, as it is found and as it changes.

use serde_json::{Value, json};
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder};

const CONFIGURATION: &str = "%YAML 1.1
---
outputs:
  - eve-log:
      enabled: yes
      types:
        - alert
        - files
        - http2
        - http: {custom: [Content-Range, accept_encoding]}
app-layer:
  protocols:
    http2: {enabled: yes}
";

const GET: &str = "GET / HTTP/1.1\r\nHost: e.example\r\n\r\n";
const EMPTY: &str = "HTTP/1.1 204 none\r\n\r\n";

fn run(name: &str, frames: &[TimedFrame], rules: &str, arguments: &[&str]) -> Folder {
    let folder = Folder::new(&format!("protocols_{name}"));
    let capture = folder.write("input.pcap", pcap(ETHERNET, frames));
    let rules = folder.write("test.rules", rules);
    let configuration = folder.write("weir.yaml", CONFIGURATION);
    let run = folder.weir(&[&["-c", &configuration, "-r", &capture, "-S", &rules][..], arguments].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    folder
}

/// Packet and direction of each alert of a rule.
fn places(folder: &Folder, sid: u64) -> Vec<(u64, String)> {
    let of_rule = |alert: &Value| alert["alert"]["signature_id"] == sid;
    let place = |alert: &Value| {
        (alert["pcap_cnt"].as_u64().unwrap(), alert["direction"].as_str().unwrap_or_default().to_owned())
    };
    folder.records("alert").iter().filter(|alert| of_rule(alert)).map(place).collect()
}

fn to(direction: &str, packet: u64) -> (u64, String) {
    (packet, direction.to_owned())
}

#[test]
fn rules_on_the_protocol_alone_are_looked_at_when_it_is_found() {
    let web = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(GET)
        .server_sends(EMPTY)
        .client_sends(GET)
        .server_sends(EMPTY)
        .close()
        .frames();
    let rules = "\
        alert tcp any any -> any any (app-layer-protocol:http; sid:1;)\n\
        alert tcp any any -> any any (app-layer-protocol:!tls; flow:to_client; sid:2;)\n\
        alert tcp any any -> any any (app-layer-protocol:tls; sid:3;)\n\
        alert tcp any any -> any any (app-layer-protocol:http; flow:established; sid:4;)\n\
        alert tcp any any -> any any (app-layer-protocol:unknown; flow:to_server; sid:5;)\n";
    // What a side said is read with its acknowledgement: 5 is the server's of the request, 7 the client's of the
    // response. The next packet of the side that spoke is the first one behind it. Inline it is read as it comes.
    let cases = [
        (&[][..], vec![to("to_server", 7), to("to_client", 9)]),
        (&["--simulate-ips"], vec![to("to_server", 4), to("to_client", 6)]),
    ];
    for (arguments, found) in cases {
        let folder = run(&format!("once_{}", arguments.len()), &web, rules, arguments);
        assert_eq!(places(&folder, 1), found, "{arguments:?}");
        assert_eq!(places(&folder, 2), found[1..], "{arguments:?}");
        assert_eq!(places(&folder, 3), []);
        assert!(places(&folder, 4).len() > 4, "other conditions are looked at with each packet");
        assert_eq!(places(&folder, 5).first(), Some(&to("to_server", 1)), "it is not found yet");
    }

    let query = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\x07example\0\0\x01\0\x01";
    let datagram = |second| TimedFrame {
        time: weir_base::Timestamp::new(second, 0),
        bytes: Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(4000, 53).payload(query).build(),
    };
    let rule = "alert udp any any -> any any (app-layer-protocol:dns; sid:1;)\n";
    let folder = run("datagrams", &[datagram(1), datagram(2)], rule, &[]);
    assert_eq!(places(&folder, 1), [to("to_server", 1)]);
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: u8 = 4;
const HEADERS: u8 = 1;
const DATA: u8 = 0;

/// A frame of HTTP/2 (RFC 9113, 4.1) that ends its headers or its stream.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    [&[0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream][..], payload].concat()
}

/// Literal fields (RFC 7541, 6.2.2).
fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8][..], text.as_bytes()].concat();
    fields.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

#[test]
fn an_upgraded_connection_goes_on_with_the_request_that_asked_for_it() {
    let request = "GET /file HTTP/1.1\r\nHost: e.example\r\nAccept-Encoding: gzip\r\nConnection: Upgrade, HTTP2-Settings\r\n\
                   Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nRange: bytes=0-3\r\n\r\n";
    let fields = [(":status", "206"), ("content-range", "bytes 0-3/8")];
    let upgraded = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(request)
        .server_sends("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
        .client_sends([PREFACE, &frame(SETTINGS, 0, 0, b"")].concat())
        .server_sends([frame(SETTINGS, 0, 0, b""), frame(HEADERS, 4, 1, &block(&fields))].concat())
        .server_sends(frame(DATA, 1, 1, b"the "))
        .client_sends(frame(SETTINGS, 1, 0, b""))
        .close();
    let plain = Conversation::new("10.0.0.1:40001", "10.0.0.2:80")
        .at(upgraded.time())
        .handshake()
        .client_sends("GET /file HTTP/1.1\r\nHost: e.example\r\nRange: bytes=4-7\r\n\r\n")
        .server_sends("HTTP/1.1 206 Partial\r\nContent-Range: bytes 4-7/8\r\nContent-Length: 4\r\n\r\nrest")
        .close();
    let rules = "\
        alert tcp any any -> any any (app-layer-protocol:http1,original; app-layer-protocol:http2,final; sid:1;)\n\
        alert http2 any any -> any any (http.uri; content:\"/file\"; http.stat_code; content:\"206\"; sid:2;)\n";
    let frames = [upgraded.frames(), plain.frames()].concat();
    let folder = run("upgraded", &frames, rules, &[]);
    let directions: Vec<String> = places(&folder, 1).into_iter().map(|(_, direction)| direction).collect();
    assert_eq!(directions.iter().filter(|direction| *direction == "to_server").count(), 1, "{directions:?}");

    let records = folder.records("http");
    let stream = records.iter().find(|record| record.pointer("/http/http2/stream_id") == Some(&json!(1)));
    let http = &stream.unwrap_or_else(|| panic!("{records:?}"))["http"];
    let told = ["http_method", "url", "hostname", "status"].map(|key| &http[key]);
    assert_eq!(told, [&json!("GET"), &json!("/file"), &json!("e.example"), &json!(206)]);
    let asked = http["request_headers"].as_array().unwrap();
    assert_eq!(asked[0], json!({"name": ":method", "value": "GET"}));
    assert!(asked.contains(&json!({"name": "Range", "value": "bytes=0-3"})), "{asked:?}");

    // Fields that the configuration names, as the messages spell them.
    let named = |status: u64| {
        let of_status =
            |record: &&Value| record["http"]["status"] == status && record["http"]["version"].is_null();
        let http = &records.iter().find(of_status).unwrap()["http"];
        ["request_headers", "response_headers"].map(|key| http.get(key).cloned())
    };
    assert_eq!(named(101), [Some(json!([{"name": "Accept-Encoding", "value": "gzip"}])), None]);
    assert_eq!(named(206), [None, Some(json!([{"name": "Content-Range", "value": "bytes 4-7/8"}]))]);

    let files = folder.records("fileinfo");
    let sizes: Vec<Option<u64>> = files.iter().map(|file| file["fileinfo"]["size"].as_u64()).collect();
    assert_eq!(
        sizes.iter().filter(|size| **size == Some(8)).count(),
        1,
        "of ranges in both versions: {sizes:?}"
    );
}

#[test]
fn alerts_show_as_much_of_the_stream_as_may_come_again() {
    let web = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(GET)
        .server_sends(EMPTY)
        .client_sends(GET)
        .server_sends(EMPTY)
        .close()
        .frames();
    let get = "alert http any any -> any any (http.method; content:\"GET\"; sid:1;)\n";
    let overlap = "alert tcp any any -> any any (stream-event:reassembly_overlap_different_data; sid:2;)\n";
    let payload = ["--set", "outputs.eve-log.types.alert.payload-length=yes"];
    let once = GET.len() as u64;
    for (name, rules, expected) in
        [("kept", format!("{get}{overlap}"), [once, 2 * once]), ("pruned", get.to_owned(), [once, once])]
    {
        let folder = run(&format!("payload_{name}"), &web, &rules, &payload);
        let lengths: Vec<_> =
            folder.records("alert").iter().filter_map(|alert| alert["payload_length"].as_u64()).collect();
        assert_eq!(lengths, expected, "{name}");
    }
}

#[test]
fn what_a_replaced_protocol_left_is_logged_on_a_packet_of_its_own() {
    let tunnel = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends("CONNECT a.example:1 HTTP/1.1\r\nHost: a.example\r\n\r\n")
        .server_sends("HTTP/1.1 200 ok\r\n\r\n")
        .client_sends("\x01\x02\x03\x04")
        .close()
        .frames();
    let folder = run("tunnel", &tunnel, "", &[]);
    let [record] = &folder.records("http")[..] else { panic!("one record") };
    assert_eq!((&record["pkt_src"], record.get("pcap_cnt")), (&json!("stream (detect/log)"), None));
}

#[test]
fn what_came_before_a_change_of_protocol_is_inspected_as_that() {
    let web = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(
            "GET / HTTP/1.1\r\nHost: e.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        )
        .server_sends("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        .client_sends(&b"\x89\x80\0\0\0\0"[..])
        .server_sends(&b"\x8a\0"[..])
        .close()
        .frames();
    let rules = "\
        alert http any any -> any any (http.method; content:\"GET\"; sid:1;)\n\
        alert http any any -> any any (flow:established,to_server; http.header.raw; content:\"host|3a|\"; nocase; sid:2;)\n\
        alert http any any -> any any (flow:established,to_client; http.stat_code; content:\"101\"; sid:3;)\n\
        alert http any any -> any any (sid:4;)\n\
        alert websocket any any -> any any (sid:5;)\n";
    let folder = run("before_a_change", &web, rules, &[]);
    let alerts = folder.records("alert");
    let of = |sid: u64| alerts.iter().filter(move |alert| alert["alert"]["signature_id"] == sid);
    for (sid, direction) in [(1, "to_server"), (2, "to_server"), (3, "to_client")] {
        let found: Vec<_> = of(sid).map(|alert| (&alert["direction"], &alert["app_proto"])).collect();
        assert_eq!(found, [(&json!(direction), &json!("http"))], "{sid}");
    }
    assert!(of(4).count() > 0 && of(4).all(|alert| alert["app_proto"] == "http"));
    assert!(of(5).count() > 0 && of(5).all(|alert| alert["app_proto"] == "websocket"));
}
