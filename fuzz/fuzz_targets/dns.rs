//! Any bytes as a DNS message or stream: everything is read, and everything that rules and records
//! ask for can be had.
//!
//! The first byte tells transport (lowest bit) and direction (the next).

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_applayer::file::FileSettings;
use weir_applayer::{Access, Endpoints, NoOptions, ParseContext, Transport};
use weir_base::{Direction, JsonWriter, Timestamp, Turn};
use weir_protocols::dns::{DNS, probe};

fuzz_target!(|bytes: &[u8]| {
    let Some((&head, bytes)) = bytes.split_first() else { return };
    let transport = if head & 1 == 0 { Transport::Udp } else { Transport::Tcp };
    let direction = if head & 2 == 0 { Direction::ToServer } else { Direction::ToClient };
    let endpoints = Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 1024,
        server: [10, 0, 0, 2].into(),
        server_port: 53,
        transport,
    };
    let _ = probe::probe(transport, direction, bytes);
    let mut parser = (DNS.configure)(&NoOptions).open(&endpoints);
    let mut cx = ParseContext {
        offset: 0,
        frames: None,
        endpoints: &endpoints,
        time: Timestamp(1),
        arrivals: &[(0, Timestamp(1))],
        files: &FileSettings::default(),
        as_zeek: false,
        order: &Turn::alone(),
        requests: &mut Vec::new(),
        anomalies: &mut Vec::new(),
    };
    let _ = parser.data(&mut cx, direction, bytes);
    parser.close(&mut cx, direction);
    let eve = DNS.eve.map(|eve| (eve.configure)(&NoOptions));
    let mut out = Vec::new();
    for id in 0..parser.created() {
        let Some(transaction) = parser.transaction(id) else { continue };
        for field in DNS.fields {
            match field.access {
                Access::List(read) => {
                    let _ = (0..64).map_while(|index| read(transaction, direction, index)).count();
                }
                Access::Integer { read, .. } => {
                    let _ = read(transaction, direction, 0);
                }
                _ => {}
            }
        }
        if let Some(eve) = &eve {
            out.clear();
            eve.write(transaction, &endpoints, &mut JsonWriter::new(&mut out));
        }
    }
});
