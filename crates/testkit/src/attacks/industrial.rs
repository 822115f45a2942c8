//! Modbus, EtherNet/IP and DNP3: requests that nobody answers, answers that nobody asked for, long lists.

use weir_base::Direction;

use super::{Attack, client_datagrams, client_sends, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "modbus-requests",
        what: "Modbus: requests that are never answered: transactions that wait",
        unit: "requests",
        size: 4000,
        write: |wire, count| client_sends(wire, 502, count, |number| modbus(number as u16, 1, &[0, 0, 0, 1])),
    },
    Attack {
        name: "modbus-alike",
        what: "Modbus: a thousand requests with one number, and answers that fit none: the search among them",
        unit: "answers",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 502, |connection, wire| {
                (0..10).for_each(|_| connection.client(wire, &modbus(7, 1, &[0, 0, 0, 1]).repeat(100)));
                for _ in 0..count.div_ceil(100) {
                    connection.server(wire, &modbus(7, 3, &[2, 0, 0]).repeat(100));
                }
            });
        },
    },
    Attack {
        name: "enip-requests",
        what: "EtherNet/IP: requests that are never answered: transactions that wait",
        unit: "requests",
        size: 4000,
        write: |wire, count| client_sends(wire, 44_818, count, |_| enip(0x63, b"")),
    },
    Attack {
        name: "enip-datagrams",
        what: "EtherNet/IP: the same in datagrams of one flow",
        unit: "requests",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 44_818, count, |_| enip(0x63, b"")),
    },
    Attack {
        name: "enip-items",
        what: "EtherNet/IP: messages of very many items: what is kept and written of each",
        unit: "items",
        size: 20_000,
        write: |wire, count| {
            client_sends(wire, 44_818, count.div_ceil(300), |_| {
                let items = [&300u16.to_le_bytes()[..], &[0; 1200]].concat();
                enip(0x6f, &[&[0; 6][..], &items].concat())
            });
        },
    },
    Attack {
        name: "enip-services",
        what: "EtherNet/IP: messages of services in services: how deep they are read",
        unit: "messages",
        size: 1000,
        write: |wire, count| {
            client_sends(wire, 44_818, count, |_| {
                let services = (0..20).fold(vec![1, 1, 0x20, 1], |inner, _| {
                    // A packet of several services, of which there is one.
                    [&[0x0a, 2, 0x20, 2, 0x24, 1, 1, 0, 4, 0][..], &inner].concat()
                });
                let length = (services.len() as u16).to_le_bytes();
                let items = [&[2, 0, 0, 0, 0, 0, 0xb2, 0][..], &length, &services].concat();
                enip(0x6f, &[&[0; 6][..], &items].concat())
            });
        },
    },
    Attack {
        name: "enip-gaps",
        what: "EtherNet/IP: a hole before each request: the search for where messages begin",
        unit: "requests",
        size: 2000,
        write: |wire, count| {
            connection(wire, 44_818, |connection, wire| {
                for _ in 0..count {
                    connection.client(wire, &enip(0x63, b""));
                    connection.loses(Direction::ToServer, 1);
                    connection.client(wire, &[1; 900]);
                    connection.acknowledges(wire, Direction::ToClient);
                }
            });
        },
    },
    Attack {
        name: "dnp3-requests",
        what: "DNP3: requests of many stations: transactions, and messages that are open",
        unit: "requests",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 20_000, count, |number| dnp3(number as u16, &[0xc0, 0xc1, 1, 60, 2, 6]));
        },
    },
    Attack {
        name: "dnp3-fragments",
        what: "DNP3: first segments of messages that never end, of ever new stations",
        unit: "segments",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 20_000, count, |number| dnp3(number as u16, &[0x40, 0xc1, 1, 60, 2, 6]));
        },
    },
    Attack {
        name: "dnp3-objects",
        what: "DNP3: messages of very many points of a bit: what is kept and written of each",
        unit: "messages",
        size: 200,
        write: |wire, count| {
            client_sends(wire, 20_000, count, |_| {
                let points = [&[0xc0, 0xc1, 2, 1, 1, 1, 0, 0, 0x77, 7][..], &[0xff; 239]].concat();
                dnp3(4, &points)
            });
        },
    },
    Attack {
        name: "dnp3-junk",
        what: "DNP3: beginnings of frames whose checksum is wrong: the search for the next one",
        unit: "frames",
        size: 40_000,
        write: |wire, count| {
            connection(wire, 20_000, |connection, wire| {
                connection.client(wire, &dnp3(4, &[0xc0, 0xc1, 1, 60, 2, 6]));
                (0..count.div_ceil(700)).for_each(|_| connection.client(wire, &b"\x05\x64".repeat(700)));
            });
        },
    },
];

/// A message of Modbus to unit 9.
fn modbus(number: u16, function: u8, body: &[u8]) -> Vec<u8> {
    [&number.to_be_bytes()[..], &[0, 0, 0, body.len() as u8 + 2, 9, function], body].concat()
}

/// A message of EtherNet/IP of session 7.
fn enip(command: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![command, 0];
    bytes.extend((data.len() as u16).to_le_bytes());
    bytes.extend([7, 0, 0, 0]);
    bytes.extend([0; 16]);
    bytes.extend(data);
    bytes
}

/// A frame of DNP3 from a master to a station, with the checksums that it has to have.
fn dnp3(station: u16, data: &[u8]) -> Vec<u8> {
    let checksum = |bytes: &[u8]| {
        let shifted = |sum: u16| if sum & 1 == 0 { sum >> 1 } else { sum >> 1 ^ 0xa6bc };
        let sum =
            bytes.iter().fold(0u16, |sum, byte| (0..8).fold(sum ^ u16::from(*byte), |sum, _| shifted(sum)));
        (!sum).to_le_bytes()
    };
    let [low, high] = station.to_le_bytes();
    let mut bytes = vec![5, 0x64, data.len() as u8 + 5, 0xc4, low, high, 3, 0];
    bytes.extend(checksum(&bytes));
    for block in data.chunks(16) {
        bytes.extend(block);
        bytes.extend(checksum(block));
    }
    bytes
}
