//! Protocols that only scripts ask for: Gnutella, BitTorrent, Ident, Rlogin, Rsh, NCP, NetBIOS sessions, XMPP.

use weir_base::Direction;

use super::{Attack, client_sends, client_sends_bytewise, connection};

/// Ports that the script of the attacks registers.
const FINGER: u16 = 79;
const IDENT: u16 = 113;
const NETBIOS: u16 = 139;
const RLOGIN: u16 = 513;
const RSH: u16 = 514;
const NCP: u16 = 524;
const XMPP: u16 = 5222;
const GNUTELLA: u16 = 6346;
const PEERS: u16 = 6881;
const TRACKER: u16 = 6969;

/// Bytes of a segment.
const ROOM: usize = 1400;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "bittorrent-messages",
        what: "BitTorrent: messages of four bytes, many in a segment: an event for each",
        unit: "messages",
        size: 40_000,
        write: |wire, count| {
            connection(wire, PEERS, |connection, wire| {
                connection.client(wire, &[b"\x13BitTorrent protocol".as_slice(), &[b'a'; 48]].concat());
                let messages = [0; 4].repeat(ROOM / 4);
                (0..count.div_ceil(350)).for_each(|_| connection.client(wire, &messages));
            });
        },
    },
    Attack {
        name: "bittorrent-bytewise",
        what: "BitTorrent: a long field of bits, byte by byte: bytes that wait",
        unit: "bytes",
        size: 20_000,
        write: |wire, count| {
            let length = u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes();
            let field = [&length[..], &[5], &vec![0xff; count as usize]].concat();
            let message = [b"\x13BitTorrent protocol".as_slice(), &[b'a'; 48], &field].concat();
            client_sends_bytewise(wire, PEERS, &message);
        },
    },
    Attack {
        name: "bittorrent-held",
        what: "BitTorrent: connections whose message never ends: bytes that wait, of each",
        unit: "connections",
        size: 1000,
        write: |wire, count| {
            for number in 0..count {
                let port = 1024 + (number % 60_000) as u16;
                let mut connection = wire.connect((port, PEERS));
                connection.client(wire, &[b"\x13BitTorrent protocol".as_slice(), &[b'a'; 48]].concat());
                connection.client(wire, &[b"\0\x0f\xff\xff\x05".as_slice(), &[0; ROOM]].concat());
            }
        },
    },
    Attack {
        name: "tracker-lines",
        what: "BitTorrent's trackers: empty lines in front of answers, many in a segment",
        unit: "lines",
        size: 100_000,
        write: |wire, count| {
            connection(wire, TRACKER, |connection, wire| {
                let lines = [&b"\n".repeat(ROOM)[..], b"HTTP/1.0 200 OK\r\n\r\nde"].concat();
                (0..count.div_ceil(ROOM as u64)).for_each(|_| connection.server(wire, &lines));
            });
        },
    },
    Attack {
        name: "tracker-bytewise",
        what: "BitTorrent's trackers: long answers, byte by byte, read again with each",
        unit: "answers",
        size: 10,
        write: |wire, count| {
            let entries = b"1:ali1ee".repeat(200);
            let answer = [b"HTTP/1.0 200 OK\r\n\r\nd".as_slice(), &entries, b"e"].concat();
            connection(wire, TRACKER, |connection, wire| {
                (0..count).for_each(|_| connection.sends_bytewise(wire, Direction::ToClient, &answer));
            });
        },
    },
    Attack {
        name: "gnutella-messages",
        what: "Gnutella: messages without a payload, many in a segment: an event for each",
        unit: "messages",
        size: 20_000,
        write: |wire, count| {
            connection(wire, GNUTELLA, |connection, wire| {
                connection.client(wire, b"GNUTELLA CONNECT/0.6\r\n\r\n");
                connection.server(wire, b"GNUTELLA/0.6 200 OK\r\n\r\n");
                connection.client(wire, b"GNUTELLA/0.6 200 OK\r\n\r\n");
                let messages = [0; 23].repeat(60);
                (0..count.div_ceil(60)).for_each(|_| connection.client(wire, &messages));
            });
        },
    },
    Attack {
        name: "gnutella-headers",
        what: "Gnutella: messages of as many short lines as one may have: what is kept of them",
        unit: "lines",
        size: 40_000,
        write: |wire, count| {
            connection(wire, GNUTELLA, |connection, wire| {
                for number in 0..count.div_ceil(466) {
                    connection.client(wire, &b"a\r\n".repeat(466));
                    if number % 20 == 19 {
                        connection.client(wire, b"\r\n");
                    }
                }
            });
        },
    },
    Attack {
        name: "finger-lines",
        what: "Finger: short lines of the server: an event for each",
        unit: "lines",
        size: 40_000,
        write: |wire, count| {
            connection(wire, FINGER, |connection, wire| {
                connection.client(wire, b"/W a@b\r\n");
                (0..count.div_ceil(466)).for_each(|_| connection.server(wire, &b"a\r\n".repeat(466)));
            });
        },
    },
    Attack {
        name: "ident-lines",
        what: "Ident: requests that make no sense, many in a segment: anomalies",
        unit: "requests",
        size: 20_000,
        write: |wire, count| client_sends(wire, IDENT, count.div_ceil(466), |_| b"a\r\n".repeat(466)),
    },
    Attack {
        name: "rlogin-lines",
        what: "Rlogin: lines that are typed ahead without end: lines that wait, and expressions that are tried",
        unit: "lines",
        size: 20_000,
        write: |wire, count| {
            connection(wire, RLOGIN, |connection, wire| {
                connection.client(wire, b"\0a\0b\0xterm/38400\0");
                connection.server(wire, b"\0login: ");
                (0..count.div_ceil(466)).for_each(|_| connection.client(wire, &b"a\r\n".repeat(466)));
            });
        },
    },
    Attack {
        name: "rsh-prompts",
        what: "Rsh: prompts without end in one line: prompts that are looked for again behind each",
        unit: "prompts",
        size: 20_000,
        write: |wire, count| {
            connection(wire, RSH, |connection, wire| {
                connection.client(wire, b"1022\0a\0b\0cat\0");
                for _ in 0..count.div_ceil(200) {
                    connection.client(wire, &b"x\n".repeat(12));
                    connection.server(wire, &[&b"login: ".repeat(199)[..], b"\r\n"].concat());
                }
            });
        },
    },
    Attack {
        name: "ncp-frames",
        what: "NCP: frames of a header alone, many in a segment: an event for each",
        unit: "frames",
        size: 20_000,
        write: |wire, count| {
            let frame = b"DmdT\0\0\0\x1e\0\0\0\0\0\0\0\0\x22\x22\0\0\0\0\x57\0\0\0\0\0\0\0".repeat(46);
            client_sends(wire, NCP, count.div_ceil(46), move |_| frame.clone());
        },
    },
    Attack {
        name: "netbios-messages",
        what: "NetBIOS: messages of a header alone, many in a segment: events for each",
        unit: "messages",
        size: 40_000,
        write: |wire, count| client_sends(wire, NETBIOS, count.div_ceil(350), |_| b"\x85\0\0\0".repeat(350)),
    },
    Attack {
        name: "netbios-bytewise",
        what: "NetBIOS: longest messages, byte by byte: bytes that wait",
        unit: "bytes",
        size: 65_536,
        write: |wire, count| {
            let message = [b"\0\0\xff\xff".as_slice(), &[0; 0xffff]].concat();
            let stream: Vec<u8> = message.into_iter().cycle().take(count as usize).collect();
            client_sends_bytewise(wire, NETBIOS, &stream);
        },
    },
    Attack {
        name: "xmpp-bytewise",
        what: "XMPP: beginnings of the element that asks for TLS, byte by byte",
        unit: "beginnings",
        size: 4000,
        write: |wire, count| client_sends_bytewise(wire, XMPP, &b"<starttl".repeat(count as usize)),
    },
];
