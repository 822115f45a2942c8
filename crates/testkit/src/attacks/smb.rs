//! SMB 2 (MS-SMB2) and 1 (MS-CIFS): files that stay open, requests that nobody answers, pipes, holes.

use weir_base::Direction;

use super::bytes::framed;
use super::{Attack, client_sends, connection};
use crate::wire::{Connection, Wire};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "smb2-creates",
        what: "a thousand requests that are never answered, then others that are: transactions that wait",
        unit: "requests",
        size: 4000,
        write: |wire, count| while_open(wire, count, |number| two(CREATE, 0, number, &create(number))),
    },
    Attack {
        name: "smb2-writes",
        what: "a thousand files that stay open, then writes to one: open transfers",
        unit: "writes",
        size: 4000,
        write: |wire, count| while_open(wire, count, |number| two(WRITE, 0, number, &write(number, 0))),
    },
    Attack {
        name: "smb2-parts",
        what: "parts of one file, the last one first: what waits for the parts before it",
        unit: "parts",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 445, count, |number| {
                framed(&two(WRITE, 0, number, &write(7, 8 * (count - number))))
            });
        },
    },
    Attack {
        name: "smb2-gaps",
        what: "a thousand files that stay open, then writes with a hole before each: what a hole ends",
        unit: "writes",
        size: 4000,
        write: |wire, count| {
            connection(wire, 445, |connection, wire| {
                open(connection, wire, |number| two(WRITE, 0, number, &write(number, 0)));
                for number in 0..count {
                    connection.loses(Direction::ToServer, 1);
                    connection.client(wire, &framed(&two(WRITE, 0, 1000 + number, &write(number % 900, 8))));
                    connection.acknowledges(wire, Direction::ToClient);
                }
            });
        },
    },
    Attack {
        name: "smb2-chains",
        what: "chains of requests that are answered at once: what each message of a packet costs",
        unit: "requests",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 445, |connection, wire| {
                for link in 0..count.div_ceil(18) {
                    let requests =
                        (0..18).map(|number| framed(&two(ECHO, 0, 18 * link + number, &[4, 0, 0, 0])));
                    connection.client(wire, &requests.collect::<Vec<_>>().concat());
                    let answers =
                        (0..18).map(|number| framed(&two(ECHO, 1, 18 * link + number, &[4, 0, 0, 0])));
                    connection.server(wire, &answers.collect::<Vec<_>>().concat());
                }
            });
        },
    },
    Attack {
        name: "smb2-pipe-bytewise",
        what: "a call through a pipe, one byte in each write: how often what waits is read",
        unit: "writes",
        size: 4000,
        write: |wire, count| {
            connection(wire, 445, |connection, wire| {
                let call = b"\x05\0\0\x03\x10\0\0\0\xff\xff\0\0\x01\0\0\0";
                connection.client(wire, &framed(&two(WRITE, 0, 0, &write_of(7, 0, call))));
                for number in 0..count {
                    connection.client(wire, &framed(&two(WRITE, 0, number + 1, &write_of(7, 0, b"x"))));
                }
            });
        },
    },
    Attack {
        name: "smb2-pipe-calls",
        what: "calls through one pipe that are never answered, 40 in each write: the search for a call",
        unit: "calls",
        size: 16_000,
        write: |wire, count| {
            connection(wire, 445, |connection, wire| {
                for number in 0..count.min(900).div_ceil(40) {
                    let calls = (0..40).flat_map(|call| pipe_call(call + 40 * number as u32, 3));
                    connection.client(
                        wire,
                        &framed(&two(WRITE, 0, number, &write_of(7, 0, &calls.collect::<Vec<_>>()))),
                    );
                }
                for number in 0..count.div_ceil(40) {
                    // Later fragments of a call that is not there.
                    let calls = pipe_call(7_000_000, 0).repeat(40);
                    connection.client(wire, &framed(&two(WRITE, 0, 1000 + number, &write_of(7, 0, &calls))));
                }
            });
        },
    },
    Attack {
        name: "smb1-requests",
        what: "a thousand requests of SMB 1 that are never answered, then others that are: transactions that wait",
        unit: "requests",
        size: 4000,
        write: |wire, count| {
            connection(wire, 445, |connection, wire| {
                (0..900).for_each(|number| connection.client(wire, &framed(&one(0x10, 0, number))));
                for number in 0..count {
                    connection.client(wire, &framed(&one(0x2b, 0, 1000 + number as u16)));
                    connection.server(wire, &framed(&one(0x2b, 0x80, 1000 + number as u16)));
                }
            });
        },
    },
];

const CREATE: u16 = 5;
const WRITE: u16 = 9;
const ECHO: u16 = 13;

/// As many transactions as stay open.
fn open(connection: &mut Connection, wire: &mut Wire<'_>, message: impl Fn(u64) -> Vec<u8>) {
    (0..900).for_each(|number| connection.client(wire, &framed(&message(number))));
}

/// While they do, requests and answers.
fn while_open(wire: &mut Wire<'_>, count: u64, message: impl Fn(u64) -> Vec<u8>) {
    connection(wire, 445, |connection, wire| {
        open(connection, wire, message);
        for number in 0..count {
            connection.client(wire, &framed(&two(ECHO, 0, 1000 + number, &[4, 0, 0, 0])));
            connection.server(wire, &framed(&two(ECHO, 1, 1000 + number, &[4, 0, 0, 0])));
        }
    });
}

/// A message of SMB 2.
fn two(command: u16, flags: u32, message: u64, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xfeSMB\x40\0\x01\0\0\0\0\0".to_vec();
    bytes.extend(command.to_le_bytes());
    bytes.extend([31, 0]);
    bytes.extend(flags.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(message.to_le_bytes());
    bytes.extend([0xff, 0xfe, 0, 0, 1, 0, 0, 0]);
    bytes.extend([0; 24]);
    [&bytes, body].concat()
}

fn create(number: u64) -> Vec<u8> {
    let mut body = vec![57, 0, 0, 0xff, 2, 0, 0, 0];
    body.extend([0; 36]);
    body.extend([120, 0, 4, 0]);
    body.extend([0; 8]);
    body.extend((number as u32).to_le_bytes());
    body
}

/// A write of eight bytes to a file.
fn write(file: u64, offset: u64) -> Vec<u8> {
    write_of(file, offset, b"8 bytes.")
}

fn write_of(file: u64, offset: u64, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_le_bytes();
    let file = [file.to_le_bytes(), [0; 8]].concat();
    [&[49, 0, 112, 0][..], &length, &offset.to_le_bytes(), &file, &[0; 16], data].concat()
}

/// A request without data that goes through a pipe.
fn pipe_call(number: u32, flags: u8) -> Vec<u8> {
    [&[5, 0, 0, flags, 0x10, 0, 0, 0, 24, 0, 0, 0][..], &number.to_le_bytes(), &[0; 8]].concat()
}

/// A message of SMB 1 without parameters.
fn one(command: u8, flags: u8, message: u16) -> Vec<u8> {
    let mut bytes = b"\xffSMB".to_vec();
    bytes.extend([command, 0, 0, 0, 0, flags | 0x18, 1, 0]);
    bytes.extend([0; 12]);
    bytes.extend([1, 0, 0xff, 0xfe, 1, 0]);
    bytes.extend(message.to_le_bytes());
    bytes.extend([0, 0, 0]);
    bytes
}
