//! Tunnels that Zeek's logs look into and nobody else: rules and EVE are told the same with these logs and without, by
//! any number of workers.

use std::fs;

use serde_json::Value;
use weir_testkit::{Conversation, Frame, TimedFrame, capture_file, fragment_ipv4};

use crate::run::Folder;

const RULES: &str = "alert http any any -> any any (msg:\"a\"; http.uri; content:\"/b\"; sid:1;)\n\
    alert udp any any -> any any (msg:\"b\"; content:\"/b\"; sid:2;)\n\
    alert ip any any -> any any (msg:\"c\"; decode-event:ethernet.unknown_ethertype; sid:3;)\n\
    alert ip any any -> any any (msg:\"d\"; decode-event:ipv4.iplen_smaller_than_hlen; sid:4;)\n";

/// All that a run wrote: EVE without counters, `fast.log`, and rows of Zeek's logs.
#[derive(PartialEq, Debug)]
struct Told {
    eve: Vec<Value>,
    fast: String,
    conn: Vec<String>,
    http: Vec<String>,
    tunnel: Vec<String>,
}

fn told(test: &str, frames: &[TimedFrame], options: &[&str]) -> Told {
    let folder = Folder::new(test);
    let capture = folder.write("a.pcap", capture_file::pcap(1, frames));
    let rules = folder.write("a.rules", RULES);
    let run = folder.weir(&[&["-r", &capture, "-k", "none", "-S", &rules], options].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    let mut eve = folder.records_but_statistics();
    for record in &mut eve {
        record.as_object_mut().expect("a record is an object").remove("zeek_uid");
    }
    let lines = |log: &str| {
        let text = fs::read_to_string(folder.path(log)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let fast = fs::read_to_string(folder.path("fast.log")).unwrap_or_default();
    Told { eve, fast, conn: lines("conn.log"), http: lines("http.log"), tunnel: lines("tunnel.log") }
}

/// The IP packets of a request and its answer, with other ends for each `number`.
fn request(number: u8, version: u8) -> Vec<TimedFrame> {
    let (client, server) = match version {
        4 => (format!("10.9.{number}.1:40000"), format!("10.8.{number}.2:80")),
        _ => (format!("[2001:db8:{number}::1]:40000"), format!("[2001:db8:{number}::2]:80")),
    };
    Conversation::new(&client, &server)
        .handshake()
        .client_sends("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .close()
        .frames()
}

/// What carries an IP packet.
type Wrap = fn(&[u8]) -> Vec<u8>;

fn datagram(port: u16, payload: Vec<u8>) -> Vec<u8> {
    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(9, port).payload(payload).build()
}

fn gtp(packet: &[u8]) -> Vec<u8> {
    let length = u16::try_from(packet.len()).expect("a packet is short").to_be_bytes();
    datagram(2152, [&[0x30, 0xff][..], &length, &[0, 0, 0, 1], packet].concat())
}

const TUNNELS: [(&str, u8, Wrap); 6] = [
    ("gtp", 4, gtp),
    ("teredo", 6, |packet| datagram(40_001, packet.to_vec())),
    ("ayiya", 6, |packet| {
        let header = b"\x01\x10\x01\x29\0\0\0\0\x07\x01\x02\x03\x04";
        datagram(5072, [&header[..], packet].concat())
    }),
    ("vxlan_with_reserved_bits", 4, |packet| {
        let header = b"\x08\x01\0\0\0\0\x07\0\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\0";
        datagram(4789, [&header[..], packet].concat())
    }),
    ("snap", 4, |packet| {
        let length = u16::try_from(packet.len() + 8).expect("a packet is short").to_be_bytes();
        let ends = b"\x02\0\0\0\0\x01\x02\0\0\0\0\x02";
        [&ends[..], &length, b"\xaa\xaa\x03\0\0\0\x08\0", packet].concat()
    }),
    ("gtp_in_ip", 4, |packet| {
        let inner = &gtp(packet)[14..];
        Frame::ethernet().ipv4("10.0.0.3", "10.0.0.4").protocol(4).payload(inner).build()
    }),
];

#[test]
fn tunnels_for_zeek_alone() {
    const CONNECTIONS: u8 = 5;
    for (name, version, wrap) in TUNNELS {
        let mut frames: Vec<_> = (0..CONNECTIONS).flat_map(|number| request(number, version)).collect();
        frames.sort_by_key(|frame| frame.time);
        for frame in &mut frames {
            frame.bytes = wrap(&frame.bytes[14..]);
        }
        let run = |form: &str, options: &[&str]| told(&format!("tunnel_{name}_{form}"), &frames, options);
        let plain = run("plain", &[]);
        let beside = run("logs", &["--zeek-logs=json"]);
        assert_eq!((&plain.eve, &plain.fast), (&beside.eve, &beside.fast), "{name}");
        assert_eq!(beside.http.len(), usize::from(CONNECTIONS), "{name}");
        let several = run("several", &["--zeek-logs=json", "-t", "3"]);
        assert_eq!(several, beside, "{name}");
        let alone = run("alone", &["--zeek-logs=json", "--disable-detection"]);
        assert_eq!((alone.conn, alone.http), (beside.conn, beside.http), "{name}");
    }
}

#[test]
fn fragments_of_them() {
    let mut frames = Vec::new();
    for frame in (0..3).flat_map(|number| request(number, 4)) {
        // Fragments inside of the tunnel, and of what carries it.
        let inside = fragment_ipv4(&frame.bytes[14..], 24).into_iter().map(|packet| gtp(&packet));
        let (time, ethernet) = (frame.time, &frame.bytes[..14]);
        let outer: Vec<_> = inside.flat_map(|frame| fragment_ipv4(&frame[14..], 40)).collect();
        frames.extend(outer.into_iter().map(|p| TimedFrame { time, bytes: [ethernet, &p[..]].concat() }));
    }
    let run = |form: &str, options: &[&str]| told(&format!("tunnel_fragments_{form}"), &frames, options);
    let plain = run("plain", &[]);
    let beside = run("logs", &["--zeek-logs=json"]);
    assert_eq!((&plain.eve, &plain.fast), (&beside.eve, &beside.fast));
    assert_eq!(beside.http.len(), 3);
    let several = run("several", &["--zeek-logs=json", "-t", "3"]);
    assert_eq!(several, beside);
}
