//! Exchanges of DHCP, of which clients broadcast one half and servers send the other half to single hosts.

use std::fs;

use weir_base::{Duration, Timestamp};
use weir_testkit::{Frame, TimedFrame};

use super::{ETHERNET, Setup, folder, text, the_same_for_any_number};

/// A message of a kind, with the number of its exchange.
fn message(operation: u8, exchange: u8, kind: u8, assigned: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![operation, 1, 6, 0, 0, 0, 0, exchange];
    bytes.resize(16, 0);
    bytes.extend(assigned);
    bytes.resize(28, 0);
    bytes.extend([2, 0, 0, 0, 0, exchange]);
    bytes.resize(236, 0);
    bytes.extend([0x63, 0x82, 0x53, 0x63, 53, 1, kind, 255]);
    bytes
}

/// Four messages, of which the first one is sent at `start`.
fn exchange(number: u8, start: Timestamp) -> [TimedFrame; 4] {
    let (assigned, host) = ([10, 0, number, 1], format!("10.0.{number}.1"));
    let server = format!("10.0.{number}.254");
    let up = |kind| {
        let frame = Frame::ethernet().ipv4("0.0.0.0", "255.255.255.255").udp(68, 67);
        frame.payload(message(1, number, kind, [0; 4])).build()
    };
    let down = |kind| {
        let frame = Frame::ethernet().ipv4(&server, &host).udp(67, 68);
        frame.payload(message(2, number, kind, assigned)).build()
    };
    let mut later = 0;
    [up(1), down(2), up(3), down(5)].map(|bytes| {
        later += 7;
        TimedFrame { time: start.plus(Duration::from_millis(later)), bytes }
    })
}

#[test]
fn exchanges_are_put_together_by_any_number_of_workers() {
    let folder = folder("exchanges");
    let at = |seconds: u64| Timestamp::new(1_700_000_000 + seconds, 0);
    // The first one begins again, under the same number, while it is watched, and after that.
    let starts = [(1, 0), (2, 0), (3, 1), (1, 10), (4, 29), (5, 35), (1, 40), (6, 90)];
    let mut frames: Vec<_> =
        starts.into_iter().flat_map(|(number, second)| exchange(number, at(second))).collect();
    frames.sort_by_key(|frame| frame.time);
    fs::write(folder.join("input.pcap"), weir_testkit::pcap(ETHERNET, &frames)).expect("a capture");
    fs::write(folder.join("test.rules"), "").expect("rules");
    let alone = the_same_for_any_number(&folder, "exchanges", Setup::default(), &[2, 3, 8]);
    let log = text(&alone, "dhcp.log");
    let once = r#""msg_types":["DISCOVER","OFFER","REQUEST","ACK"]"#;
    let twice = once.replace("]", r#","DISCOVER","OFFER","REQUEST","ACK"]"#);
    let rows: Vec<_> = log.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(rows.len(), 7, "{log}");
    assert_eq!(rows.iter().filter(|row| row.contains(once)).count(), 6, "{log}");
    assert_eq!(rows.iter().filter(|row| row.contains(&twice)).count(), 1, "{log}");
    assert!(rows.iter().all(|row| row.contains(r#""server_addr":"10.0."#)), "{log}");
}
