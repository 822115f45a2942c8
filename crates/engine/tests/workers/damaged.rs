//! Folders of damaged captures of several link types, with tunnels in them: any number of workers writes the same, and
//! EVE and `fast.log` are the same with Zeek's logs and without.

use std::fs;

use weir_base::Timestamp;
use weir_testkit::{Frame, Random, TimedFrame};

use super::{
    ETHERNET, FILL, KNOWN, RULES, Setup, Written, folder, run, text, the_same_for_any_number, traffic,
};

/// Folders that are read, with and without VLANs in what tells flows apart, in turn.
const FOLDERS: u64 = 2;

/// Packets out of a hundred that are damaged.
const DAMAGED: u64 = 10;

/// Link types, and what stands before an IP packet there: Ethernet without and with a VLAN, BSD's loopback, none, Linux's
/// cooked form.
const LINKS: [(u16, &[u8]); 5] = [
    (ETHERNET, b"\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\0"),
    (ETHERNET, b"\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x81\0\0\x07\x08\0"),
    (0, b"\x02\0\0\0"),
    (101, b""),
    (113, b"\0\0\0\x01\0\x06\x02\0\0\0\0\x01\0\0\x08\0"),
];

/// The IP packet as it is, or in a tunnel of two hosts: of the kinds that rules look into, too, and of one that only
/// Zeek's logs look into.
fn carried(packet: &[u8]) -> Vec<u8> {
    let ports = packet.get(20..24).map_or(0, |ports| ports.iter().map(|byte| usize::from(*byte)).sum());
    let outer = || Frame::ethernet().ipv4("198.51.100.1", "198.51.100.2");
    let frame = match ports % 5 {
        0 => outer().protocol(4).payload(packet),
        1 => outer().udp(9, 4789).vxlan(7).inner_ethernet().ether_type(0x0800).payload(packet),
        2 => {
            let length = (packet.len() as u16).to_be_bytes();
            outer().udp(9, 2152).payload([&b"\x30\xff"[..], &length, b"\0\0\0\x01", packet].concat())
        }
        _ => return packet.to_vec(),
    };
    frame.build()[14..].to_vec()
}

/// Damages some packets of a capture, all in the same way.
fn damage(frames: Vec<TimedFrame>, link: usize, random: &mut Random) -> Vec<TimedFrame> {
    let way = random.below(5);
    let (mut left, mut late) = (Vec::new(), Vec::new());
    for TimedFrame { time, mut bytes } in frames {
        if random.below(100) >= DAMAGED {
            left.push(TimedFrame { time, bytes });
            left.extend(late.drain(..).map(|bytes| TimedFrame { time, bytes }));
            continue;
        }
        match way {
            0 => {
                for _ in 0..=random.below(8) {
                    let place = link as u64 + random.below((bytes.len() - link) as u64);
                    bytes[place as usize] = random.number() as u8;
                }
            }
            1 => bytes.truncate(random.below(bytes.len() as u64 + 1) as usize),
            2 => continue,
            3 => left.push(TimedFrame { time, bytes: bytes.clone() }),
            _ => {
                late.push(bytes);
                continue;
            }
        }
        left.push(TimedFrame { time, bytes });
    }
    left
}

/// Captures of one stretch of traffic, each of another link type; the first one comes again at the end.
fn captures(seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let frames = traffic();
    let mut parts: Vec<&[TimedFrame]> = frames.chunks(frames.len().div_ceil(LINKS.len())).collect();
    parts.push(parts[0]);
    let number = random.below(LINKS.len() as u64) as usize;
    let written = parts.iter().enumerate().map(|(part, frames)| {
        let (link_type, header) = LINKS[(part + number) % LINKS.len()];
        let framed = frames.iter().map(|frame| TimedFrame {
            time: Timestamp(frame.time.0),
            bytes: [header, &carried(&frame.bytes[14..])].concat(),
        });
        weir_testkit::pcap(link_type, &damage(framed.collect(), header.len(), &mut random))
    });
    written.collect()
}

/// Output that Zeek's logs leave as it is: EVE, but for the ids of their rows, and `fast.log`.
fn beside_zeek(written: &Written) -> [Vec<String>; 2] {
    ["eve.json", "fast.log"].map(|name| {
        let without_id = |line: &str| match line.split_once(",\"zeek_uid\":\"") {
            Some((front, back)) => format!("{front}{}", back.split_once('"').map_or("", |(_, rest)| rest)),
            None => line.to_owned(),
        };
        text(written, name).lines().map(without_id).collect()
    })
}

#[test]
fn damaged_captures_are_the_same_for_any_number_of_workers_and_with_zeeks_logs() {
    for number in 0..FOLDERS {
        let name = format!("damaged {number}");
        let folder = folder(&name);
        for (file, content) in [("test.rules", RULES), ("fill.lua", FILL), ("known.ndjson", KNOWN)] {
            fs::write(folder.join(file), content).expect("a file");
        }
        fs::create_dir(folder.join("captures")).expect("a folder");
        for (place, capture) in captures(number).into_iter().enumerate() {
            fs::write(folder.join(format!("captures/{place}.pcap")), capture).expect("a capture");
        }
        let overrides: &[&str] = if number % 2 == 0 { &[] } else { &["vlan.use-for-tracking=no"] };
        let beside = Setup { input: "captures", checksums: Some(false), overrides, ..Setup::default() };
        let alone = the_same_for_any_number(&folder, &name, beside, &[2, 4, 8]);
        for file in ["eve.json", "fast.log", "conn.log", "tunnel.log", "http.log"] {
            assert!(!text(&alone, file).is_empty(), "{name}: {file}");
        }
        let plain = run(&folder, &format!("{name} without"), Setup { zeek: None, ..beside }, 4);
        assert!(!plain.contains_key("conn.log"));
        let [with, without] = [&alone, &plain].map(beside_zeek);
        for (with, without) in with.iter().zip(&without) {
            let difference = with.iter().zip(without).find(|(with, without)| with != without);
            assert_eq!(difference, None, "{name}");
            assert_eq!(with.len(), without.len(), "{name}");
        }
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }
}
