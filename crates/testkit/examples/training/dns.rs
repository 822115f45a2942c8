//! DNS over UDP: a question and its answer.

use weir_base::{Duration, Timestamp};
use weir_testkit::{Random, TimedFrame};

use crate::ends::Ends;
use crate::words::{host, text};

const A: u16 = 1;
const CNAME: u16 = 5;
const MX: u16 = 15;
const TXT: u16 = 16;
const AAAA: u16 = 28;

/// One exchange, or a few of the same client.
pub fn exchange(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::anywhere(random);
    let mut frames = Vec::new();
    let mut time = begin;
    for _ in 0..=random.below(3) {
        let (id, name) = (random.number() as u16, host(random));
        let kind = [A, A, AAAA, AAAA, TXT, MX][random.below(6) as usize];
        let answers = answers(random, kind);
        let talk = ends.datagrams(random, time, 53).asks(message(id, false, &name, kind, &[]));
        frames.extend(talk.answers(message(id, true, &name, kind, &answers)).frames());
        time = time.plus(Duration::from_millis(1 + random.below(40)));
    }
    frames
}

/// Records for the name that was asked for: type and data. None where there is no such name.
fn answers(random: &mut Random, kind: u16) -> Vec<(u16, Vec<u8>)> {
    let mut records = Vec::new();
    if random.below(10) == 0 {
        return records;
    }
    if random.below(3) == 0 {
        records.push((CNAME, encoded(&host(random))));
    }
    for _ in 0..=random.below(4) {
        let data = match kind {
            A => random.bytes(4),
            AAAA => random.bytes(16),
            MX => [&[0, 10][..], &encoded(&host(random))].concat(),
            _ => {
                let said = text(random, 60);
                [&[said.len() as u8][..], said.as_bytes()].concat()
            }
        };
        records.push((kind, data));
    }
    records
}

fn encoded(name: &str) -> Vec<u8> {
    let mut out: Vec<u8> =
        name.split('.').flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat()).collect();
    out.push(0);
    out
}

fn message(id: u16, is_answer: bool, name: &str, kind: u16, records: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let flags: u16 = match (is_answer, records.is_empty()) {
        (false, _) => 0x0100,
        (true, false) => 0x8180,
        (true, true) => 0x8183,
    };
    let counts = [id, flags, 1, records.len() as u16, 0, 0];
    let mut out = counts.map(u16::to_be_bytes).concat();
    out.extend(encoded(name));
    out.extend([kind, 1].map(u16::to_be_bytes).concat());
    for (kind, data) in records {
        // The name is the question's, at byte 12.
        out.extend([0xc00c, *kind, 1, 0, 300, data.len() as u16].map(u16::to_be_bytes).concat());
        out.extend(data);
    }
    out
}
