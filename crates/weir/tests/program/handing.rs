//! Packets that threads hand over to each other, in networks of the tests' own: the same records as from a file.

use rustix::process::Signal;
use serde_json::Value;
use weir_testkit::{Conversation, Frame, TimedFrame, fragment_ipv4, pcap};

use super::live::comparable;
use super::namespaces::Cable;
use super::run::{ETHERNET, Folder, WEB_RULE};

/// Wraps the packet of this number, which the client or the server sends in a conversation, for the wire.
pub type Wrap = fn(packet: &[u8], number: u16, conversation: u8, from_client: bool) -> Vec<Vec<u8>>;

/// Kinds of tunnels of which the kernel's program does not see all.
pub const KINDS: &[(&str, Wrap)] = &[
    ("gre in gre", |packet, _, host, from_client| {
        // Each way in a tunnel of its own.
        let way = if from_client { 1 } else { 2 };
        let middle = Frame::bare().ipv4(&format!("10.3.{way}.{host}"), "10.4.0.1");
        let middle = middle.protocol(47).payload([&[0, 0, 8, 0], packet].concat()).build();
        let outer = Frame::ethernet().ipv4("10.5.0.1", "10.6.0.1").protocol(47);
        vec![outer.payload([&[0, 0, 8, 0], middle.as_slice()].concat()).build()]
    }),
    ("teredo", |packet, _, host, from_client| {
        let relay = format!("192.0.2.{}", if from_client { 1 } else { 2 });
        let outer = Frame::ethernet().ipv4(&format!("10.7.0.{host}"), &relay);
        vec![outer.udp(4000 + u16::from(host), 3544).payload(packet).build()]
    }),
    ("vxlan in fragments", |packet, id, host, from_client| {
        let frame = [&[8, 0, 0, 0, 0, 0, 7, 0][..], &[2; 12], &[8, 0], packet].concat();
        let outer = between(8, host, from_client).ip_id(id).udp(5000 + u16::from(host), 4789);
        in_fragments(&outer.payload(frame).build())
    }),
    ("gre in fragments", |packet, id, host, from_client| {
        let outer = between(9, host, from_client).ip_id(id).protocol(47);
        in_fragments(&outer.payload([&[0, 0, 8, 0], packet].concat()).build())
    }),
    ("ip in ip in fragments", |packet, id, host, from_client| {
        in_fragments(&between(10, host, from_client).ip_id(id).protocol(4).payload(packet).build())
    }),
    ("fragments in gre", |packet, id, host, from_client| {
        let [from, to] = if from_client { [1, 2] } else { [2, 1] };
        let outer = || Frame::ethernet().ipv4(&format!("10.11.{from}.{host}"), &format!("10.11.{to}.{host}"));
        let mut inner = packet.to_vec();
        // Its number, and the checksum that goes with it.
        inner[4..6].copy_from_slice(&id.to_be_bytes());
        inner[10..12].fill(0);
        let sum = weir_testkit::checksum::internet(&[&inner[..20]]);
        inner[10..12].copy_from_slice(&sum.to_be_bytes());
        let fragments = fragment_ipv4(&inner, 400).into_iter();
        fragments.map(|part| outer().protocol(47).payload([&[0, 0, 8, 0], &*part].concat()).build()).collect()
    }),
];

/// A frame between the ends of a conversation's tunnel.
fn between(network: u8, host: u8, from_client: bool) -> Frame {
    let [from, to] = if from_client { [1, 2] } else { [2, 1] };
    Frame::ethernet().ipv4(&format!("10.{network}.{from}.{host}"), &format!("10.{network}.{to}.{host}"))
}

/// A long frame as fragments of its datagram, a short one as it is.
fn in_fragments(frame: &[u8]) -> Vec<Vec<u8>> {
    if frame.len() < 500 {
        return vec![frame.to_vec()];
    }
    fragment_ipv4(&frame[14..], 400).iter().map(|part| [&frame[..14], part].concat()).collect()
}

/// Requests in tunnels of a kind, with answers of several segments.
pub fn traffic(network: u8, (name, wrap): (&str, Wrap)) -> Vec<Vec<u8>> {
    let body = "tunnel".repeat(500);
    let mut frames = Vec::new();
    for host in 1..=8u8 {
        let ends = match name {
            "teredo" => [format!("[2001:db8::{host}]:4000"), "[2001:db8:1::1]:80".to_owned()],
            _ => [format!("10.{network}.0.{host}:4000"), format!("10.{network}.9.1:80")],
        };
        let conversation = Conversation::new(&ends[0], &ends[1])
            .segment_size(900)
            .handshake()
            .client_sends(format!("GET /index.html?{host} HTTP/1.1\r\nHost: example.com\r\n\r\n"))
            .server_sends(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
            .client_sends(format!("GET /second HTTP/1.1\r\nHost: example.com\r\nX: {}\r\n\r\n", &body[..900]))
            .server_sends("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            .close();
        for (number, frame) in conversation.frames().into_iter().enumerate() {
            let packet = &frame.bytes[14..];
            let port = if packet[0] >> 4 == 6 { 40 } else { 20 };
            let from_client = packet[port..port + 2] == 4000u16.to_be_bytes();
            let id = u16::from(host) << 8 | number as u16 + 1;
            frames.extend(wrap(packet, id, host, from_client));
        }
    }
    frames
}

#[test]
fn what_the_kernel_does_not_see_is_recorded_as_from_a_file() {
    let Some(cable) = Cable::lay("hand") else { return };
    for (network, kind) in (20..).zip(KINDS) {
        let frames = traffic(network, *kind);
        let timed = |(index, bytes): (usize, &Vec<u8>)| {
            let time = weir_base::Timestamp::new(1_700_000_000, index as u32 * 10_000);
            TimedFrame { time, bytes: bytes.clone() }
        };
        let timed: Vec<TimedFrame> = frames.iter().enumerate().map(timed).collect();
        let file = Folder::new(&format!("handing-file-{network}"));
        let rules = file.write("test.rules", WEB_RULE);
        let capture = file.write("tunnels.pcap", pcap(ETHERNET, &timed));
        assert_eq!(file.weir(&["-r", &capture, "-S", &rules]).code, 0);
        let expected = comparable(&file);
        assert_eq!(file.records("http").len(), 16, "{}", kind.0);
        for threads in ["2", "4"] {
            let folder = Folder::new(&format!("handing-{network}-{threads}"));
            let run = cable.listen(&folder, &["-S", &rules, "-t", threads, "--summary=json"]);
            cable.send(frames.iter().map(Vec::as_slice));
            let (code, said) = run.end(Signal::INT);
            assert_eq!(code, Some(0), "{said}");
            let heard = comparable(&folder);
            let only = |these: &[String], others: &[String]| {
                these.iter().filter(|record| !others.contains(record)).take(3).cloned().collect::<Vec<_>>()
            };
            let differ = [only(&heard, &expected), only(&expected, &heard)];
            assert_eq!(
                (differ, heard.len()),
                ([vec![], vec![]], expected.len()),
                "{} {threads} threads",
                kind.0
            );
            let summary: Value = serde_json::from_str(&said).expect("a summary");
            assert_eq!(summary["accounts"]["unbalanced"], Value::Array(Vec::new()), "{}", kind.0);
            let capture = folder.records("stats").pop().expect("counters")["stats"]["capture"].take();
            assert_eq!(
                (&capture["kernel_packets"], &capture["handed_lost"]),
                (&frames.len().into(), &0.into())
            );
            let handed = capture["handed"].as_u64().expect("a count");
            // Fragments in a tunnel are the only ones that the kernel sees right.
            assert_eq!(handed > 0, kind.0 != "fragments in gre", "{} {threads} threads: {handed}", kind.0);
        }
    }
}
