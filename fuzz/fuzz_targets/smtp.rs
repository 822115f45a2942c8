//! Any bytes in any pieces from both sides of an SMTP connection: everything is read,
//! and everything that rules and records ask for can be had.
//!
//! A piece is a byte that tells direction (lowest bit) and length (the rest, plus one), then its
//! bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_applayer::file::FileSettings;
use weir_applayer::{Access, Endpoints, NoOptions, Outcome, ParseContext, Transport};
use weir_base::{Direction, JsonWriter, Timestamp, Turn};
use weir_protocols::smtp::SMTP;

fuzz_target!(|bytes: &[u8]| {
    let endpoints = Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 1024,
        server: [10, 0, 0, 2].into(),
        server_port: 25,
        transport: Transport::Tcp,
    };
    let mut parser = (SMTP.configure)(&NoOptions).open(&endpoints);
    // Both ways of reading what is one-sided get half of the inputs.
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
        outcome = if piece.is_empty() { Outcome::Ok } else { parser.data(&mut cx, direction, piece) };
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
    let eve = SMTP.eve.map(|eve| (eve.configure)(&NoOptions));
    let mut next = 0;
    let mut out = Vec::new();
    while let Some(transaction) = parser.next_from(next) {
        next = transaction.meta().id + 1;
        for field in SMTP.fields {
            for direction in Direction::BOTH {
                out.clear();
                match field.access.value() {
                    Access::Bytes(read) => drop(read(transaction, direction)),
                    Access::Build(build) => drop(build(transaction, direction, &mut out)),
                    Access::List(read) => {
                        (0..64).map_while(|index| read(transaction, direction, index)).for_each(drop);
                    }
                    _ => {}
                }
            }
        }
        if let Some(eve) = &eve {
            out.clear();
            let mut json = JsonWriter::new(&mut out);
            eve.write(transaction, &endpoints, &mut json);
            eve.write_beside(transaction, &mut json);
        }
    }
});
