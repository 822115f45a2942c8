//! Remote procedure calls and RDP over UDP that only scripts ask for: calls that wait, long lists, holes.

use weir_base::Direction;

use super::nfs::{record, words};
use super::{Attack, client_datagrams, client_sends, connection};

/// Ports that the script of the attacks registers.
const PORTMAPPER: u16 = 111;
const MOUNT: u16 = 635;
const NFS: u16 = 2049;
const RDP: u16 = 3389;

/// Programs.
const PORTMAP_PROGRAM: u32 = 100_000;
const MOUNT_PROGRAM: u32 = 100_005;
const NFS_PROGRAM: u32 = 100_003;

/// Entries of a directory, and mappings, of a reply that is as long as one may be.
const ENTRIES: usize = 2700;
const MAPPINGS: usize = 3000;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "rpc-calls",
        what: "calls of one conversation that are never answered: those that wait, and are forgotten together",
        unit: "calls",
        size: 10_000,
        write: |wire, count| {
            client_datagrams(wire, PORTMAPPER, count, |number| {
                call(number as u32, PORTMAP_PROGRAM, 3, &words(&[NFS_PROGRAM, 3, 17, 0]))
            });
        },
    },
    Attack {
        name: "rpc-long-calls",
        what: "calls with the longest paths that are never answered: bytes that are kept of them",
        unit: "calls",
        size: 100,
        write: |wire, count| {
            client_sends(wire, MOUNT, count, |number| {
                let path = [&words(&[60_000])[..], &[b'a'; 60_000]].concat();
                record(&call(number as u32, MOUNT_PROGRAM, 1, &path))
            });
        },
    },
    Attack {
        name: "rpc-again",
        what: "one long call again and again: how often it is compared with itself",
        unit: "calls",
        size: 100,
        write: |wire, count| {
            let path = [&words(&[60_000])[..], &[b'a'; 60_000]].concat();
            let message = record(&call(1, MOUNT_PROGRAM, 1, &path));
            client_sends(wire, MOUNT, count, |_| message.clone());
        },
    },
    Attack {
        name: "rpc-mappings",
        what: "replies with as many mappings as fit, each to a port that is none: an event for each",
        unit: "replies",
        size: 20,
        write: |wire, count| {
            let mapping = words(&[1, NFS_PROGRAM, 3, 17, 70_000]);
            let results = [mapping.repeat(MAPPINGS), words(&[0])].concat();
            asked_and_answered(wire, (PORTMAPPER, PORTMAP_PROGRAM, 4), &[], &results, count);
        },
    },
    Attack {
        name: "rpc-directories",
        what: "replies with as many entries of a directory as fit: records for each",
        unit: "replies",
        size: 20,
        write: |wire, count| {
            let entry = words(&[1, 0, 7, 0, 0, 9]);
            let results = [words(&[0, 0, 0, 0]), entry.repeat(ENTRIES), words(&[0, 1])].concat();
            let arguments = words(&[4, 7, 0, 0, 0, 0, 4096]);
            asked_and_answered(wire, (NFS, NFS_PROGRAM, 16), &arguments, &results, count);
        },
    },
    Attack {
        name: "rpc-gaps",
        what: "calls with a hole before each: the place of the next that is looked for",
        unit: "calls",
        size: 4000,
        write: |wire, count| {
            connection(wire, PORTMAPPER, |connection, wire| {
                for number in 0..count {
                    connection.loses(Direction::ToServer, 1);
                    connection.client(wire, &record(&call(number as u32, PORTMAP_PROGRAM, 0, &[])));
                }
            });
        },
    },
    Attack {
        name: "rpc-marks",
        what: "marks of fragments without a byte, many in a segment: what is told of each",
        unit: "marks",
        size: 40_000,
        write: |wire, count| {
            let marks = b"\x80\0\0\0".repeat(350);
            client_sends(wire, PORTMAPPER, count.div_ceil(350), |_| marks.clone());
        },
    },
    Attack {
        name: "rpc-bytewise",
        what: "the longest calls, byte by byte: bytes that wait",
        unit: "bytes",
        size: 20_000,
        write: |wire, count| {
            connection(wire, NFS, |connection, wire| {
                let message = record(&vec![0; count as usize]);
                connection.sends_bytewise(wire, Direction::ToServer, &message);
            });
        },
    },
    Attack {
        name: "rdp-datagrams",
        what: "RDP over UDP: datagrams without data, an event for each",
        unit: "datagrams",
        size: 10_000,
        write: |wire, count| {
            let beginning = [&[0xff; 4][..], &[0, 64, 0, 1], &[0; 8]].concat();
            wire.udp((40_000, RDP), Direction::ToServer, &beginning);
            wire.udp((40_000, RDP), Direction::ToClient, &[&[0, 0, 0, 1, 0, 64, 0, 5][..], &[0; 8]].concat());
            client_datagrams(wire, RDP, count, |_| [&[0, 0, 0, 1, 0, 64, 0, 4][..], &[0; 4]].concat());
        },
    },
];

/// A call without credentials.
fn call(number: u32, program: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    [&words(&[number, 0, 2, program, 3, procedure, 0, 0, 0, 0])[..], arguments].concat()
}

/// Calls of a procedure of a program at a port, each with its reply.
fn asked_and_answered(
    wire: &mut crate::wire::Wire<'_>,
    (port, program, procedure): (u16, u32, u32),
    arguments: &[u8],
    results: &[u8],
    count: u64,
) {
    connection(wire, port, |connection, wire| {
        for number in 0..count {
            connection.client(wire, &record(&call(number as u32, program, procedure, arguments)));
            let head = words(&[number as u32, 1, 0, 0, 0, 0]);
            connection.server(wire, &record(&[&head[..], results].concat()));
        }
    });
}
