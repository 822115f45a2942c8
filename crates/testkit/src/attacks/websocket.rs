//! WebSocket (RFC 6455) with compressed messages (RFC 7692).

use weir_base::Direction;

use super::{Attack, connection};
use crate::wire::{Connection, Wire};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "websocket-frames",
        what: "frames of two bytes, many in a segment: transactions",
        unit: "frames",
        size: 20_000,
        write: |wire, count| {
            upgraded(wire, |connection, wire| {
                (0..count.div_ceil(700)).for_each(|_| connection.server(wire, &b"\x81\0".repeat(700)));
            });
        },
    },
    Attack {
        name: "websocket-pieces",
        what: "messages in frames of one byte: how they are put together",
        unit: "frames",
        size: 20_000,
        write: |wire, count| {
            upgraded(wire, |connection, wire| {
                connection.server(wire, b"\x01\x01x");
                (0..count.div_ceil(400)).for_each(|_| connection.server(wire, &b"\0\x01x".repeat(400)));
            });
        },
    },
    Attack {
        name: "websocket-deflate",
        what: "compressed messages of some bytes: what beginning and ending each costs",
        unit: "messages",
        size: 10_000,
        write: |wire, count| {
            upgraded(wire, |connection, wire| {
                // A block with the literal "a", and one without anything that is cut off.
                (0..count.div_ceil(200))
                    .for_each(|_| connection.server(wire, &b"\xc1\x03\x4a\x04\0".repeat(200)));
            });
        },
    },
    Attack {
        name: "websocket-bombs",
        what: "compressed messages that hold a thousand times their length: what is undone of them",
        unit: "messages",
        size: 100,
        write: |wire, count| {
            upgraded(wire, |connection, wire| {
                let frame = [&[0xc1, 126][..], &(BOMB_LENGTH as u16).to_be_bytes(), &bomb()].concat();
                (0..count).for_each(|_| connection.server(wire, &frame));
            });
        },
    },
    Attack {
        name: "websocket-bytewise",
        what: "a long frame in segments of one byte: how often what waits is read",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            upgraded(wire, |connection, wire| {
                for _ in 0..count.div_ceil(60_000) {
                    let length = count.min(60_000) as u16;
                    let frame =
                        [&[0x81, 126][..], &length.to_be_bytes(), &vec![b'x'; length.into()]].concat();
                    connection.sends_bytewise(wire, Direction::ToClient, &frame);
                }
            });
        },
    },
];

/// A connection that changed from HTTP.
fn upgraded(wire: &mut Wire<'_>, talk: impl FnOnce(&mut Connection, &mut Wire<'_>)) {
    connection(wire, 80, |connection, wire| {
        connection.client(
            wire,
            b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
              Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\
              Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        );
        connection.server(
            wire,
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
              Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\
              Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        );
        talk(connection, wire);
    });
}

/// Bytes of [`bomb`].
const BOMB_LENGTH: usize = 1024;

/// A block of DEFLATE (RFC 1951) that says a zero byte as often as can be said in so many bytes: with codes of its
/// own, by which a run of 258 takes two bits.
fn bomb() -> Vec<u8> {
    let mut bytes = BOMB_HEAD.to_vec();
    bytes.resize(BOMB_LENGTH, 0);
    bytes
}

/// Its codes, and the first zero.
const BOMB_HEAD: &[u8] = &[0xec, 0xc1, 1, 1, 0, 0, 0, 0x82, 0x20, 0xff, 0xaf, 0x6e, 0x48, 0x40, 1, 0];
