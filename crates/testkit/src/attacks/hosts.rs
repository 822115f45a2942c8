//! Datagrams of hosts and gateways: DHCP, NTP, IKE, SIP, syslog.

use weir_base::Direction;

use super::{Attack, client_datagrams, client_sends, client_sends_bytewise};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "dhcp-requests",
        what: "DHCP: requests of one flow that are never answered: transactions, and what Zeek's log puts together",
        unit: "requests",
        size: 2000,
        write: |wire, count| client_datagrams(wire, 67, count, |number| dhcp(number as u32, b"\x35\x01\x01")),
    },
    Attack {
        name: "dhcp-options",
        what: "DHCP: requests with very many options: the search for those that are written",
        unit: "options",
        size: 40_000,
        write: |wire, count| {
            client_datagrams(wire, 67, count.div_ceil(500), |number| {
                dhcp(number as u32, &[&b"\x35\x01\x01"[..], &b"\xfa\0".repeat(500)].concat())
            });
        },
    },
    Attack {
        name: "ntp-requests",
        what: "NTP: requests of one flow: transactions",
        unit: "requests",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 123, count, |_| [&[0x23][..], &[0; 47]].concat()),
    },
    Attack {
        name: "ike-messages",
        what: "IKE: messages of one flow after a long key: what each transaction keeps of the state",
        unit: "messages",
        size: 4000,
        write: |wire, count| {
            wire.udp((500, 500), Direction::ToServer, &ike(1, 1, 0, &chained(0, &association(1))));
            wire.udp((500, 500), Direction::ToClient, &ike(1, 4, 0, &chained(0, &[7; 1300])));
            (0..count)
                .for_each(|_| wire.udp((500, 500), Direction::ToServer, &ike(1, 13, 0, &chained(0, b"v"))));
        },
    },
    Attack {
        name: "ike-transforms",
        what: "IKE: offers of as many transforms as fit: what is kept of each",
        unit: "transforms",
        size: 10_000,
        write: |wire, count| {
            (0..count.div_ceil(100)).for_each(|_| {
                let offer = ike(1, 1, 0, &chained(0, &association(100)));
                wire.udp((500, 500), Direction::ToServer, &offer);
                wire.udp((500, 500), Direction::ToClient, &offer);
            });
        },
    },
    Attack {
        name: "ike-payloads",
        what: "IKE: messages of very many payloads: what is kept of each",
        unit: "payloads",
        size: 20_000,
        write: |wire, count| {
            (0..count.div_ceil(300)).for_each(|_| {
                let payloads = chained(43, b"").repeat(299);
                let message = ike(2, 43, 0x20, &[payloads, chained(0, b"")].concat());
                wire.udp((500, 500), Direction::ToServer, &message);
            });
        },
    },
    Attack {
        name: "sip-messages",
        what: "SIP: requests of one flow: transactions",
        unit: "messages",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 5060, count, |_| sip("")),
    },
    Attack {
        name: "sip-headers",
        what: "SIP: requests with very many header lines: the search for those that are read",
        unit: "lines",
        size: 20_000,
        write: |wire, count| {
            let text = sip(&"Via:a\r\n".repeat(190));
            client_datagrams(wire, 5060, count.div_ceil(190), |_| text.clone());
        },
    },
    Attack {
        name: "sip-session",
        what: "SIP: descriptions of sessions with very many lines: what is kept of each",
        unit: "lines",
        size: 20_000,
        write: |wire, count| {
            let description = format!("v=0\r\no=- 1 1 IN IP4 a\r\ns=-\r\nt=0 0\r\n{}", "a=x\r\n".repeat(250));
            let head = format!("Content-Type: application/sdp\r\nContent-Length: {}\r\n", description.len());
            let message = [sip(&head), description.into_bytes()].concat();
            client_datagrams(wire, 5060, count.div_ceil(250), |_| message.clone());
        },
    },
    Attack {
        name: "sip-bytewise",
        what: "SIP: a head in segments of one byte: how often what waits is searched",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            client_sends_bytewise(wire, 5060, &sip(&"Via:a\r\n".repeat(count.div_ceil(7) as usize)))
        },
    },
    Attack {
        name: "sip-stream",
        what: "SIP: requests over TCP, many in a segment",
        unit: "messages",
        size: 8000,
        write: |wire, count| client_sends(wire, 5060, count.div_ceil(10), |_| sip("").repeat(10)),
    },
    Attack {
        name: "syslog-messages",
        what: "syslog: messages of three bytes: rows of Zeek's log",
        unit: "messages",
        size: 8000,
        write: |wire, count| client_datagrams(wire, 514, count, |_| b"<1>".to_vec()),
    },
];

fn dhcp(number: u32, options: &[u8]) -> Vec<u8> {
    let mut bytes = vec![1, 1, 6, 0];
    bytes.extend(number.to_be_bytes());
    bytes.resize(28, 0);
    bytes.extend([2, 0, 0, 0, 0, 7]);
    bytes.resize(236, 0);
    bytes.extend([0x63, 0x82, 0x53, 0x63]);
    bytes.extend(options);
    bytes.push(0xff);
    bytes
}

/// A message of IKE of a version, whose first payload is of this kind.
fn ike(version: u8, first: u8, flags: u8, payloads: &[u8]) -> Vec<u8> {
    let length = payloads.len() as u32 + 28;
    let exchange = if version == 1 { 2 } else { 34 };
    let head =
        [&7u64.to_be_bytes()[..], &5u64.to_be_bytes(), &[first, version << 4, exchange, flags]].concat();
    [&head[..], &9u32.to_be_bytes(), &length.to_be_bytes(), payloads].concat()
}

/// A payload, and what the next one is.
fn chained(next: u8, data: &[u8]) -> Vec<u8> {
    [&[next, 0][..], &(data.len() as u16 + 4).to_be_bytes(), data].concat()
}

/// An association of version 1 with so many transforms.
fn association(transforms: u8) -> Vec<u8> {
    let each = |index| chained(if index + 1 == transforms { 0 } else { 3 }, &[index, 1, 0, 0, 0x80, 1, 0, 7]);
    let chain: Vec<u8> = (0..transforms).flat_map(each).collect();
    [&[0, 0, 0, 1, 0, 0, 0, 1][..], &chained(0, &[&[1, 1, 0, transforms][..], &chain].concat())].concat()
}

fn sip(lines: &str) -> Vec<u8> {
    let head =
        "OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP c\r\nFrom: <sip:d@e>\r\nTo: <sip:a@b>\r\nCall-ID: 1\r\n";
    format!("{head}CSeq: 1 OPTIONS\r\n{lines}\r\n").into_bytes()
}
