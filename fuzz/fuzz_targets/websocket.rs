//! Any bytes in any pieces from both sides of a WebSocket connection: everything is read, and everything
//! that rules and records ask for can be had.
//!
//! A piece is two bytes, direction (highest bit) and length, then its bytes. What the parser does
//! not take is pushed again with what follows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_applayer::file::FileSettings;
use weir_applayer::{Access, Endpoints, NoOptions, Outcome, ParseContext, Transport};
use weir_base::{Direction, JsonWriter, PerDirection, Timestamp, Turn};
use weir_protocols::websocket::WEBSOCKET;

fuzz_target!(|bytes: &[u8]| {
    let endpoints = Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 1024,
        server: [10, 0, 0, 2].into(),
        server_port: 80,
        transport: Transport::Tcp,
    };
    let mut parser = (WEBSOCKET.configure)(&NoOptions).open(&endpoints);
    let (mut requests, mut anomalies) = (Vec::new(), Vec::new());
    let mut cx = ParseContext {
        offset: 0,
        frames: None,
        endpoints: &endpoints,
        time: Timestamp(1),
        arrivals: &[(0, Timestamp(1))],
        files: &FileSettings::default(),
        as_zeek: false,
        order: &Turn::alone(),
        requests: &mut requests,
        anomalies: &mut anomalies,
    };
    let mut kept: PerDirection<Vec<u8>> = PerDirection::default();
    let mut rest = bytes;
    while let [high, low, after @ ..] = rest {
        let direction = if high & 0x80 == 0 { Direction::ToServer } else { Direction::ToClient };
        let length = usize::from(high & 0x7f) << 8 | usize::from(*low);
        let (piece, after) = after.split_at(length.min(after.len()));
        rest = after;
        let buffer = &mut kept[direction];
        buffer.extend_from_slice(piece);
        match parser.data(&mut cx, direction, buffer) {
            Outcome::Ok => buffer.clear(),
            Outcome::Incomplete { consumed, needed } => {
                assert!(consumed <= buffer.len() && needed > buffer.len() - consumed);
                buffer.drain(..consumed);
            }
            Outcome::Error => break,
        }
    }
    for direction in Direction::BOTH {
        parser.close(&mut cx, direction);
    }
    let mut out = Vec::new();
    for transaction in (0..parser.created()).filter_map(|id| parser.transaction(id)) {
        for field in WEBSOCKET.fields {
            match field.access {
                Access::Bytes(read) => drop(read(transaction, Direction::ToServer)),
                Access::Integer { read, .. } | Access::Flags { read, .. } => {
                    let _ = read(transaction, Direction::ToServer, 0);
                }
                _ => {}
            }
        }
        if let Some(eve) = WEBSOCKET.eve {
            out.clear();
            (eve.configure)(&NoOptions).write(transaction, &endpoints, &mut JsonWriter::new(&mut out));
        }
    }
});
