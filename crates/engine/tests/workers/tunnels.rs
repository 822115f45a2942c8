//! What tunnels carry is the same for any number of workers, whoever follows the tunnels.

use std::fs;

use weir_base::{Duration, Timestamp};
use weir_testkit::{Conversation, Frame, Random, TimedFrame, fragment_ipv4, pcap};

use super::{ETHERNET, Setup, folder, run, text, the_same_for_any_number};

const RULES: &str = r#"
alert http any any -> any any (msg:"inside"; http.uri; content:"/1"; sid:1;)
alert icmp any any -> any any (msg:"error"; itype:3; sid:2;)
alert udp any any -> any any (msg:"seldom"; threshold:type threshold, track by_dst, count 3, seconds 60; sid:3;)
alert tcp any any -> any any (msg:"several"; flags:S; detection_filter:track by_rule, count 4, seconds 60, unique_on src_ip; sid:4;)
drop udp any any -> any 4444 (msg:"unwanted"; sid:5;)
"#;

/// How an IP packet gets on its way.
#[derive(Clone, Copy)]
enum Way {
    Bare,
    Gre,
    IpInIp,
    Vxlan,
}

const WAYS: [Way; 4] = [Way::Bare, Way::Gre, Way::IpInIp, Way::Vxlan];

/// An IP packet with another one in it, by way of a tunnel between two of few gateways.
fn sent(packet: &[u8], way: Way, random: &mut Random) -> Vec<u8> {
    let (one, other) = (random.below(3), random.below(3));
    let outer = Frame::bare().ipv4(&format!("203.0.113.{one}"), &format!("198.51.100.{other}"));
    let port = 50_000 + random.below(4) as u16;
    match way {
        Way::Bare => packet.to_vec(),
        Way::Gre => outer.protocol(47).payload([&[0, 0, 8, 0], packet].concat()).build(),
        Way::IpInIp => outer.protocol(4).payload(packet).build(),
        Way::Vxlan => {
            let frame = [&[8, 0, 0, 0, 0, 0, 1, 0][..], &[2; 12], &[8, 0], packet].concat();
            outer.ip_id(port).udp(port, 4789).payload(frame).build()
        }
    }
}

/// The fragments of a packet, of which the first says that it must not be cut.
fn fragments(packet: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut pieces = fragment_ipv4(packet, size);
    if let Some(first) = pieces.first_mut() {
        first[6] |= 0x40;
        // The checksum goes with it (RFC 1624).
        let (sum, carried) = u16::from_be_bytes([first[10], first[11]]).overflowing_sub(0x4000);
        first[10..12].copy_from_slice(&(sum - u16::from(carried)).to_be_bytes());
    }
    pieces
}

/// Packets of conversations, each of which takes any way, now and then one through several tunnels or in
/// fragments; with errors about some of them that take any way, too.
fn traffic() -> Vec<TimedFrame> {
    let mut random = Random::new(5);
    let mut packets: Vec<(Timestamp, Vec<u8>)> = Vec::new();
    for number in 0..40 {
        let start = Timestamp::new(1_700_000_000 + random.below(3) * 100 + random.below(20), number * 1000);
        let (client, server) = (random.below(5), random.below(3));
        let request = format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", random.below(4));
        let frames = Conversation::new(
            &format!("10.0.0.{client}:{}", 20_000 + number),
            &format!("192.0.2.{server}:80"),
        )
        .at(start)
        .handshake()
        .client_sends(request.as_bytes())
        .wait(Duration::from_millis(random.below(900)))
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        .close()
        .frames();
        packets.extend(frames.into_iter().map(|frame| (frame.time, frame.bytes[14..].to_vec())));
        let port = if random.below(4) == 0 { 4444 } else { 5555 };
        let datagram = Frame::bare().ipv4(&format!("10.0.0.{client}"), &format!("192.0.2.{server}"));
        packets.push((start, datagram.udp(7, port).payload([b'x'; 100]).build()));
    }
    packets.sort_by_key(|(time, _)| *time);
    let mut frames = Vec::new();
    for (number, (time, packet)) in packets.into_iter().enumerate() {
        let mut bytes = sent(&packet, WAYS[random.below(4) as usize], &mut random);
        if number % 11 == 0 {
            let quoted = &packet[..28];
            let source =
                std::net::Ipv4Addr::from([quoted[12], quoted[13], quoted[14], quoted[15]]).to_string();
            bytes = Frame::bare().ipv4("203.0.113.9", &source).icmpv4(3, 1, [0; 4]).payload(quoted).build();
            bytes = sent(&bytes, WAYS[random.below(4) as usize], &mut random);
        }
        let mut pieces = vec![bytes];
        // Each tunnel around another one may cut what the one inside of it made in pieces.
        for _ in 0..random.below(3) {
            let cut = random.below(4) == 0;
            pieces = pieces
                .into_iter()
                .flat_map(|packet| match cut {
                    true => fragments(&packet, 64),
                    false => vec![packet],
                })
                .map(|packet| sent(&packet, WAYS[random.below(4) as usize], &mut random))
                .collect();
        }
        if random.below(5) == 0 {
            pieces = pieces.iter().flat_map(|packet| fragments(packet, 48)).collect();
            pieces.reverse();
        }
        frames.extend(pieces.into_iter().map(|packet| {
            let bytes = [&[2; 12][..], &[8, 0], &packet].concat();
            TimedFrame { time, bytes }
        }));
    }
    frames
}

#[test]
fn what_tunnels_carry_is_the_same_for_any_number_of_workers() {
    let folder = folder("tunnels");
    fs::write(folder.join("input.pcap"), pcap(ETHERNET, &traffic())).expect("a capture");
    fs::write(folder.join("test.rules"), RULES).expect("rules");
    let only_alerts = &["outputs.91.pcap-log.enabled=yes", "outputs.91.pcap-log.conditional=alerts"];
    let drops = &[
        "outputs.91.eve-log.enabled=yes",
        "outputs.91.eve-log.filename=drops.json",
        "outputs.91.eve-log.types.0.drop.flows=all",
    ];
    let setups = [
        ("passive", Setup::default()),
        ("inline", Setup { inline: true, overrides: drops, ..Setup::default() }),
        ("packets with alerts", Setup { overrides: only_alerts, ..Setup::default() }),
        (
            "depth untracked",
            Setup { overrides: &["decoder.recursion-level.use-for-tracking=no"], ..Setup::default() },
        ),
    ];
    for (name, setup) in setups {
        let alone = the_same_for_any_number(&folder, name, setup, &[2, 3, 8]);
        let (eve, conn, tunnel) =
            (text(&alone, "eve.json"), text(&alone, "conn.log"), text(&alone, "tunnel.log"));
        for sid in 1..=5 {
            assert!(eve.contains(&format!("\"signature_id\":{sid},")), "{name}: rule {sid} has no alert");
        }
        assert_eq!(text(&alone, "drops.json").contains("tunnel packet drop"), setup.inline, "{name}");
        assert!(
            eve.contains("\"pkt_src\":\"defrag\"") && eve.contains("\"pkt_src\":\"gre tunnel\""),
            "{name}"
        );
        assert!(text(&alone, "weird.log").contains("fragment_with_DF"), "{name}");
        assert!(tunnel.contains("Tunnel::VXLAN") && conn.contains("tunnel_parents"), "{name}");
        assert_eq!(alone.keys().any(|file| file.contains("log.pcap")), name == "packets with alerts");
    }
}

#[test]
fn a_tunnel_that_comes_again_is_another_parent() {
    let folder = folder("parents");
    let mut frames = Vec::new();
    // What is inside goes on, while the tunnels are silent for longer and longer; many pairs of gateways,
    // so that some are followed elsewhere than what they carry.
    for (round, second) in [0, 30, 100, 130, 200].into_iter().enumerate() {
        for gateway in 0..12 {
            let inner = Frame::ethernet().ipv4(&format!("203.0.113.{gateway}"), "198.51.100.1").vxlan(1);
            let inner = inner.ipv4("10.0.0.1", "10.0.0.2").udp(1000 + gateway, 2000 + round as u16);
            let time = Timestamp::new(1_700_000_000 + second, 0);
            frames.push(TimedFrame { time, bytes: inner.payload("x").build() });
        }
    }
    fs::write(folder.join("input.pcap"), pcap(ETHERNET, &frames)).expect("a capture");
    fs::write(folder.join("test.rules"), RULES).expect("rules");
    let alone = the_same_for_any_number(&folder, "parents", Setup::default(), &[2, 4, 8]);
    let parents: std::collections::BTreeSet<String> = text(&alone, "conn.log")
        .lines()
        .filter_map(|line| Some(line.split_once("\"tunnel_parents\":[")?.1.split(']').next()?.to_owned()))
        .collect();
    assert_eq!(parents.len(), 12 * 3);
    assert!(run(&folder, "again", Setup::default(), 1) == alone);
}
