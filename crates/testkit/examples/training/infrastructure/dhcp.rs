//! DHCP (RFC 2131): a client gets an address, or keeps the one that it has.

use std::net::Ipv4Addr;

use weir_base::{Duration, Timestamp};
use weir_testkit::{Frame, Random, TimedFrame};

use crate::ends::Ends;
use crate::words::spoken;

/// Messages.
const DISCOVER: u8 = 1;
const OFFER: u8 = 2;
const REQUEST: u8 = 3;
const ACKNOWLEDGE: u8 = 5;
const REFUSE: u8 = 6;
const INFORM: u8 = 8;

const SERVER: Ipv4Addr = Ipv4Addr::new(10, 1, 0, 1);
const NOBODY: Ipv4Addr = Ipv4Addr::UNSPECIFIED;
const ALL: Ipv4Addr = Ipv4Addr::BROADCAST;

/// What a client and the server say.
pub fn exchange(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let client = Ends::inside(random).client;
    let lease = Lease { id: random.number() as u32, client, hardware: random.bytes(6), host: spoken(random) };
    let said = match random.below(8) {
        0..3 => vec![
            lease.asks(DISCOVER, NOBODY, ALL),
            lease.answers(OFFER, ALL),
            lease.asks(REQUEST, NOBODY, ALL),
            lease.answers(ACKNOWLEDGE, ALL),
        ],
        3 => vec![lease.asks(REQUEST, NOBODY, ALL), lease.answers(REFUSE, ALL)],
        4 => vec![lease.asks(INFORM, client, SERVER), lease.answers(ACKNOWLEDGE, client)],
        _ => vec![lease.asks(REQUEST, client, SERVER), lease.answers(ACKNOWLEDGE, client)],
    };
    let pace = 2 + random.below(30);
    let timed = (0..)
        .zip(said)
        .map(|(number, bytes)| TimedFrame { time: begin.plus(Duration::from_millis(number * pace)), bytes });
    timed.collect()
}

/// A client with its address.
struct Lease {
    id: u32,
    client: Ipv4Addr,
    hardware: Vec<u8>,
    host: String,
}

impl Lease {
    fn asks(&self, kind: u8, from: Ipv4Addr, to: Ipv4Addr) -> Vec<u8> {
        let mut options = vec![
            (53, vec![kind]),
            (61, [&[1][..], &self.hardware].concat()),
            (12, self.host.clone().into_bytes()),
            (60, b"MSFT 5.0".to_vec()),
            (55, vec![1, 3, 6, 15, 31, 33, 43, 44, 46, 47, 119, 121, 249, 252]),
        ];
        if kind == REQUEST {
            options.push((81, [&[0; 3][..], self.host.as_bytes(), b".corp.example"].concat()));
        }
        if from == NOBODY {
            options.push((50, self.client.octets().to_vec()));
        }
        let message = self.message(1, [from, NOBODY, NOBODY, NOBODY], &options);
        Frame::ethernet().ip(from.into(), to.into()).udp(68, 67).payload(message).build()
    }

    fn answers(&self, kind: u8, to: Ipv4Addr) -> Vec<u8> {
        let mut options = vec![(53, vec![kind]), (54, SERVER.octets().to_vec())];
        let mut assigned = NOBODY;
        if kind != REFUSE {
            assigned = self.client;
            options.extend([
                (51, 86_400u32.to_be_bytes().to_vec()),
                (58, 43_200u32.to_be_bytes().to_vec()),
                (59, 75_600u32.to_be_bytes().to_vec()),
                (1, vec![255, 255, 0, 0]),
                (3, vec![10, 0, 0, 1]),
                (6, vec![10, 1, 0, 2, 10, 1, 0, 3]),
                (15, b"corp.example\0".to_vec()),
            ]);
        }
        let message = self.message(2, [NOBODY, assigned, SERVER, NOBODY], &options);
        Frame::ethernet().ip(SERVER.into(), to.into()).udp(67, 68).payload(message).build()
    }

    /// A message with the client's address, the one that it is given, the next server and the relay.
    fn message(&self, operation: u8, addresses: [Ipv4Addr; 4], options: &[(u8, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = vec![operation, 1, 6, 0];
        bytes.extend(self.id.to_be_bytes());
        bytes.extend([0; 4]);
        bytes.extend(addresses.map(|address| address.octets()).concat());
        bytes.extend(&self.hardware);
        bytes.resize(236, 0);
        bytes.extend([0x63, 0x82, 0x53, 0x63]);
        for (code, value) in options {
            bytes.extend([*code, value.len() as u8]);
            bytes.extend(value);
        }
        bytes.push(255);
        bytes.resize(bytes.len().max(300), 0);
        bytes
    }
}
