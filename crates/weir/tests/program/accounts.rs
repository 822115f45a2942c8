//! Whatever the traffic, every packet, flow and byte is accounted for.

use serde_json::{Value, json};
use weir_base::{Direction, Timestamp};
use weir_testkit::{Conversation, Frame, TimedFrame, fragment_ipv4};

use crate::run::{ETHERNET, Folder, web_request};

fn conversation() -> Conversation {
    Conversation::new("10.0.0.1:40000", "10.0.0.2:8080").handshake()
}

fn frames(bytes: Vec<Vec<u8>>) -> Vec<TimedFrame> {
    bytes.into_iter().zip(1..).map(|(bytes, at)| TimedFrame { time: Timestamp::new(at, 0), bytes }).collect()
}

fn datagrams() -> Frame {
    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(7, 9).payload([7; 100])
}

/// Traffic by name.
fn traffic() -> Vec<(&'static str, Vec<TimedFrame>)> {
    let long = [b'x'; 5000];
    let odd = vec![
        datagrams().build(),
        b"short".to_vec(),
        Frame::ethernet().ether_type(0x1234).payload("?").build(),
        Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").gre().ipv4("10.1.0.1", "10.1.0.2").udp(1, 2).build(),
        Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").icmpv4(8, 0, [0; 4]).build(),
    ];
    let pieces =
        fragment_ipv4(&Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(7, 9).payload([7; 100]).build(), 40);
    let ethernet = datagrams().build()[..14].to_vec();
    let pieces = pieces.into_iter().map(|piece| [ethernet.clone(), piece].concat()).collect();
    vec![
        ("web", web_request()),
        ("long", conversation().client_sends(long).server_sends(long).close().frames()),
        (
            "lost",
            conversation()
                .client_sends("a")
                .loses(Direction::ToServer, 700)
                .client_sends("b")
                .close()
                .frames(),
        ),
        (
            "lost at the end",
            conversation().client_sends("a").loses(Direction::ToClient, 7).server_sends("b").frames(),
        ),
        ("unacknowledged", conversation().without_acknowledgements().client_sends(long).frames()),
        ("midstream", conversation().client_sends("a").server_sends("b").close().frames().split_off(3)),
        ("reset", conversation().client_sends("a").reset(Direction::ToClient).frames()),
        ("again", [web_request(), web_request()].concat()),
        ("odd", frames(odd)),
        ("fragments", frames(pieces)),
    ]
}

#[test]
fn accounts_balance() {
    let folder = Folder::new("accounts_balance");
    let rules = folder.write(
        "drop.rules",
        "drop udp any any -> any 2 (sid:1;)\ndrop tcp any any -> any any (content:\"b\"; sid:2;)\n",
    );
    let ways: [&[&str]; 7] = [
        &[],
        &["--simulate-ips", "-S", &rules],
        &["--set", "stream.reassembly.depth=1000"],
        &["--set", "stream.midstream=true", "--set", "stream.async-oneside=true"],
        &["--set", "stream.reassembly.memcap=64"],
        &["--set", "flow.memcap=1000"],
        &["--set", "stream.bypass=true", "--set", "stream.reassembly.depth=1000", "-S", &rules],
    ];
    for (name, frames) in traffic() {
        let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
        for way in ways {
            let run = folder.weir(&[&["-r", &capture, "--summary=json"], way].concat());
            let accounts = &run.summary()["accounts"];
            assert_eq!(accounts["unbalanced"], json!([]), "{name} {way:?}: {accounts}");
            assert_eq!(accounts["packets_read"], frames.len(), "{name} {way:?}");
        }
    }
}

#[test]
fn where_the_bytes_of_streams_go() {
    let folder = Folder::new("where_the_bytes_go");
    let long = conversation().client_sends([b'x'; 5000]).close().frames();
    let lost =
        conversation().client_sends("ab").loses(Direction::ToServer, 700).client_sends("c").close().frames();
    // Traffic, depth; bytes inspected, skipped, missing.
    let cases = [(&long, "0", [5000, 0, 0]), (&long, "1000", [1000, 4000, 0]), (&lost, "0", [3, 0, 700])];
    for (frames, depth, expected) in cases {
        let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, frames));
        let depth = format!("stream.reassembly.depth={depth}");
        let summary = folder.weir(&["-r", &capture, "--summary=json", "--set", &depth]).summary();
        let found = ["inspected", "skipped", "missing"]
            .map(|part| summary["accounts"][format!("stream_bytes_{part}")].as_u64().unwrap_or(u64::MAX));
        assert_eq!(found, expected, "{depth}: {}", summary["accounts"]);
        let whole: &Value = &summary["accounts"]["stream_bytes"];
        assert_eq!(*whole, expected.iter().sum::<u64>());
    }
}
