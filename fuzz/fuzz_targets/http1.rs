//! Any bytes in any pieces from both sides of an HTTP/1 connection, with gaps: everything is read,
//! and everything that rules and records ask for can be had.
//!
//! A piece is a byte that tells direction (lowest bit) and length (the rest, plus one), then its
//! bytes; one of the greatest length and without bytes behind it is a gap.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_applayer::file::FileSettings;
use weir_applayer::{Access, Endpoints, NoOptions, Outcome, ParseContext, Transport};
use weir_base::{Direction, JsonWriter, Timestamp, Turn};
use weir_protocols::http1::HTTP1;

const LONGEST: usize = 128;

fuzz_target!(|bytes: &[u8]| {
    let endpoints = Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 1024,
        server: [10, 0, 0, 2].into(),
        server_port: 80,
        transport: Transport::Tcp,
    };
    let mut parser = (HTTP1.configure)(&NoOptions).open(&endpoints);
    // Both ways of reading what is malformed get half of the inputs.
    let as_zeek = bytes.len() % 2 == 1;
    let files = FileSettings { magic: true, ..FileSettings::default() };
    let (mut requests, mut anomalies) = (Vec::new(), Vec::new());
    let mut rest = bytes;
    let mut time = 0;
    let mut outcome = Outcome::Ok;
    while let Some((&head, after)) = rest.split_first() {
        time += 1;
        let direction = if head & 1 == 0 { Direction::ToServer } else { Direction::ToClient };
        let length = usize::from(head >> 1) + 1;
        let (piece, after) = after.split_at(length.min(after.len()));
        rest = after;
        requests.clear();
        let mut cx = ParseContext {
            offset: 0,
            frames: None,
            endpoints: &endpoints,
            time: Timestamp(time),
            arrivals: &[(0, Timestamp(time))],
            files: &files,
            as_zeek,
            order: &Turn::alone(),
            requests: &mut requests,
            anomalies: &mut anomalies,
        };
        outcome = match (length, piece) {
            (LONGEST, []) => parser.gap(&mut cx, direction, time),
            (_, []) => Outcome::Ok,
            _ => parser.data(&mut cx, direction, piece),
        };
        if outcome != Outcome::Ok {
            break;
        }
    }
    if outcome != Outcome::Error {
        for direction in Direction::BOTH {
            parser.close(
                &mut ParseContext {
                    offset: 0,
                    frames: None,
                    endpoints: &endpoints,
                    time: Timestamp(time + 1),
                    arrivals: &[],
                    files: &files,
                    as_zeek,
                    order: &Turn::alone(),
                    requests: &mut requests,
                    anomalies: &mut anomalies,
                },
                direction,
            );
        }
    }
    let eve = HTTP1.eve.map(|eve| (eve.configure)(&NoOptions));
    let mut next = 0;
    let mut out = Vec::new();
    while let Some(transaction) = parser.next_from(next) {
        next = transaction.meta().id + 1;
        for field in HTTP1.fields {
            for direction in Direction::BOTH {
                out.clear();
                match field.access {
                    Access::Bytes(read) => drop(read(transaction, direction)),
                    Access::Build(build) => drop(build(transaction, direction, &mut out)),
                    Access::BuildList(build) => drop(build(transaction, direction, 0, &mut out)),
                    Access::Body(read) => drop(read(transaction, direction)),
                    _ => {}
                }
            }
        }
        if let Some(eve) = &eve {
            out.clear();
            eve.write(transaction, &endpoints, &mut JsonWriter::new(&mut out));
        }
    }
});
