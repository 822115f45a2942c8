//! TLS, DTLS and QUIC: records, messages and hellos in as many pieces as can be.

use weir_base::Direction;

use super::bytes::sized;
use super::{Attack, client_datagrams, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "tls-records",
        what: "a long message in records of one byte: how it is put together",
        unit: "records",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 443, |connection, wire| {
                let records = record(22, b"\0").repeat(200);
                for number in 0..count.div_ceil(200) {
                    // As long as messages are kept.
                    if number % 1000 == 0 {
                        connection.client(wire, &record(22, b"\x04\x03\x0d\x40"));
                    }
                    connection.client(wire, &records);
                }
            });
        },
    },
    Attack {
        name: "tls-messages",
        what: "messages of four bytes, as many as fit into records: what is told of each",
        unit: "messages",
        size: 40_000,
        write: |wire, count| {
            connection(wire, 443, |connection, wire| {
                let messages = record(22, &b"\x10\0\0\0".repeat(350));
                (0..count.div_ceil(350)).for_each(|_| connection.client(wire, &messages));
            });
        },
    },
    Attack {
        name: "tls-certificates",
        what: "chains of very many certificates of no bytes, again and again",
        unit: "certificates",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 443, |connection, wire| {
                connection.client(wire, &record(22, &client_hello()));
                let chain = [&[0, 3, 0][..], &[0; 768]].concat();
                let message = [&[11, 0, 3, 3][..], &chain].concat();
                (0..count.div_ceil(256)).for_each(|_| connection.server(wire, &record(22, &message)));
            });
        },
    },
    Attack {
        name: "tls-hellos",
        what: "connections with a hello of very many extensions: fingerprints",
        unit: "connections",
        size: 200,
        write: |wire, count| {
            for number in 0..count {
                let mut connection = wire.connect((20_000 + number as u16, 443));
                connection.client(wire, &record(22, &client_hello()));
            }
        },
    },
    Attack {
        name: "tls-data",
        what: "records of no bytes, as many as fit into segments",
        unit: "records",
        size: 40_000,
        write: |wire, count| {
            connection(wire, 443, |connection, wire| {
                connection.client(wire, &record(22, &client_hello()));
                let records = record(23, b"").repeat(290);
                (0..count.div_ceil(290)).for_each(|_| connection.client(wire, &records));
            });
        },
    },
    Attack {
        name: "tls-bytewise",
        what: "records in segments of one byte: how often what waits is read",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 443, |connection, wire| {
                let records = record(22, &[0; 10_000]);
                let bytes: Vec<u8> = records.into_iter().cycle().take(count as usize).collect();
                connection.sends_bytewise(wire, Direction::ToServer, &bytes);
            });
        },
    },
    Attack {
        name: "dtls-fragments",
        what: "DTLS: fragments of one byte of a long message: how they are put together",
        unit: "fragments",
        size: 4000,
        write: |wire, count| {
            client_datagrams(wire, 4433, count, |number| {
                let offset = (number as u32 % 60_000).to_be_bytes();
                let body = [&b"\x01\0\xea\x60\0\0"[..], &offset[1..], &[0, 0, 1, 0]].concat();
                [&b"\x16\xfe\xfd\0\0\0\0"[..], &(number as u32).to_be_bytes(), &sized(&body)].concat()
            });
        },
    },
    Attack {
        name: "dtls-hellos",
        what: "DTLS: hellos of very many extensions in one flow, each of another sequence: what scripts are told",
        unit: "hellos",
        size: 400,
        write: |wire, count| {
            let hello = client_hello();
            client_datagrams(wire, 4433, count, |number| {
                let (length, content) = (&hello[1..4], &hello[4..]);
                // A cookie of no bytes stands behind the session id (RFC 6347 4.2.1).
                let content = [&content[..35], &[0], &content[35..]].concat();
                let length = (u32::from_be_bytes([0, length[0], length[1], length[2]]) + 1).to_be_bytes();
                let sequence = (number as u16).to_be_bytes();
                let body = [&[1][..], &length[1..], &sequence, &[0, 0, 0], &length[1..], &content].concat();
                [&b"\x16\xfe\xfd\0\0\0\0"[..], &(number as u32).to_be_bytes(), &sized(&body)].concat()
            });
        },
    },
    Attack {
        name: "quic-flows",
        what: "QUIC: first packets of ever new connections, which nobody can open: keys",
        unit: "packets",
        size: 4000,
        write: |wire, count| {
            for number in 0..count {
                let id = number.to_be_bytes();
                let packet = [&[0xc3, 0, 0, 0, 1, 8][..], &id, &[0, 0, 0x40, 40], &[9; 40]].concat();
                wire.udp((1024 + (number % 60_000) as u16, 443), Direction::ToServer, &packet);
            }
        },
    },
    Attack {
        name: "quic-packets",
        what: "QUIC: short handshake packets, as many as fit into datagrams: transactions",
        unit: "packets",
        size: 20_000,
        write: |wire, count| {
            client_datagrams(wire, 443, count.div_ceil(60), |_| {
                [&[0xe3, 0, 0, 0, 1, 0, 0, 0x40, 4][..], &[9; 4]].concat().repeat(60)
            });
        },
    },
];

fn record(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3][..], &sized(content)].concat()
}

/// A ClientHello with as many ciphers and extensions as fit into a segment.
fn client_hello() -> Vec<u8> {
    let extensions: Vec<u8> =
        (0..180u16).flat_map(|number| [(number >> 8) as u8 | 0x40, number as u8, 0, 0]).collect();
    let ciphers: Vec<u8> = (0..250u16).flat_map(u16::to_be_bytes).collect();
    let body = [&[3, 3][..], &[7; 32], &[0], &sized(&ciphers), &[1, 0], &sized(&extensions)].concat();
    [&[1, 0][..], &sized(&body)].concat()
}
