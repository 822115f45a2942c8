//! ONC RPC and NFS (RFC 1813): calls that nobody answers, files that stay open, holes.

use weir_base::Direction;

use super::bytes::framed;
use super::{Attack, client_datagrams, client_sends, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "nfs-udp-calls",
        what: "calls on one UDP flow that are never answered: transactions that wait",
        unit: "calls",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 2049, count, |number| getattr(number as u32)),
    },
    Attack {
        name: "nfs-calls",
        what: "calls on one connection that are never answered: transactions that wait",
        unit: "calls",
        size: 4000,
        write: |wire, count| client_sends(wire, 2049, count, |number| record(&getattr(number as u32))),
    },
    Attack {
        name: "nfs-writes",
        what: "writes to ever new files that are never committed: open files, and the list of their handles",
        unit: "writes",
        size: 4000,
        write: |wire, count| client_sends(wire, 2049, count, |number| record(&write(number as u32, 0))),
    },
    Attack {
        name: "nfs-parts",
        what: "parts of one file, the last one first: what waits for the parts before it",
        unit: "parts",
        size: 2000,
        write: |wire, count| {
            client_sends(wire, 2049, count, |number| record(&write(7, 8 * (count - number))));
        },
    },
    Attack {
        name: "nfs-gaps",
        what: "a thousand open files, then replies with a hole before each: what a hole ends",
        unit: "replies",
        size: 4000,
        write: |wire, count| {
            connection(wire, 2049, |connection, wire| {
                for number in 0..1000 {
                    connection.client(wire, &record(&write(number, 0)));
                }
                for _ in 0..count {
                    connection.loses(Direction::ToClient, 1);
                    connection.server(wire, &record(&reply(7)));
                    connection.client(wire, &record(&getattr(7)));
                }
            });
        },
    },
    Attack {
        name: "nfs-bytewise",
        what: "a call of a megabyte in segments of one byte: how often what waits is read",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 2049, |connection, wire| {
                let call = record(&[&getattr(7)[..], &vec![0; count as usize]].concat());
                connection.sends_bytewise(wire, Direction::ToServer, &call);
            });
        },
    },
    Attack {
        name: "nfs-fragments",
        what: "a record in fragments of one byte: how they are put together",
        unit: "fragments",
        size: 20_000,
        write: |wire, count| {
            client_sends(wire, 2049, count.div_ceil(100), |number| match number {
                0 => record(&getattr(7)),
                _ => b"\0\0\0\x01x".repeat(100),
            });
        },
    },
];

/// The program of NFS.
const NFS: u32 = 100_003;

/// A record of one fragment.
pub(super) fn record(message: &[u8]) -> Vec<u8> {
    let mut bytes = framed(message);
    bytes[0] |= 0x80;
    bytes
}

pub(super) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A call of `procedure` of NFSv3 without credentials.
fn call(number: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    [&words(&[number, 0, 2, NFS, 3, procedure, 0, 0, 0, 0]), arguments].concat()
}

/// The handle of a file.
fn handle(number: u32) -> Vec<u8> {
    words(&[8, 0, number])
}

fn getattr(number: u32) -> Vec<u8> {
    call(number, 1, &handle(number))
}

/// WRITE of eight bytes, to be committed later.
fn write(number: u32, offset: u64) -> Vec<u8> {
    let place = words(&[(offset >> 32) as u32, offset as u32, 8, 0, 8]);
    call(number, 7, &[&handle(number)[..], &place, b"8 bytes."].concat())
}

/// A reply that was accepted and says that all went well.
fn reply(number: u32) -> Vec<u8> {
    words(&[number, 1, 0, 0, 0, 0, 0])
}
