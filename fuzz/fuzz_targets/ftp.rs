//! Any bytes in any pieces from both sides of a control connection of FTP: everything is read, and everything
//! that rules and records ask for can be had.
//!
//! A piece is two bytes, direction (highest bit) and length, then its bytes. What the parser does
//! not take is pushed again with what follows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_applayer::file::FileSettings;
use weir_applayer::{Access, Endpoints, NoOptions, Outcome, ParseContext, Request, Transport};
use weir_base::{Direction, JsonWriter, PerDirection, Timestamp, Turn};
use weir_protocols::ftp::{FTP, probe};

fuzz_target!(|bytes: &[u8]| {
    let endpoints = Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 1024,
        server: [10, 0, 0, 2].into(),
        server_port: 21,
        transport: Transport::Tcp,
    };
    let mut parser = (FTP.configure)(&NoOptions).open(&endpoints);
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
        let _ = probe::probe(Transport::Tcp, direction, buffer);
        let outcome = parser.data(&mut cx, direction, buffer);
        // What follows is another parser's.
        if cx.requests.iter().any(|request| matches!(request, Request::Upgrade(_))) {
            break;
        }
        match outcome {
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
    let Some(transaction) = parser.transaction(0) else { return };
    for field in FTP.fields {
        for direction in Direction::BOTH {
            if let Access::Bytes(read) = field.access {
                let _ = read(transaction, direction);
            }
        }
    }
    let mut out = Vec::new();
    if let Some(eve) = FTP.eve {
        (eve.configure)(&NoOptions).write(transaction, &endpoints, &mut JsonWriter::new(&mut out));
    }
});
