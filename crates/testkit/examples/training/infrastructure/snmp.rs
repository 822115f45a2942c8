//! SNMP (RFC 1157, 3416, 3412): a station asks devices how they are, and they tell what happens.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ber::{element, identifier, integer, octets, sequence, unsigned};
use crate::ends::Ends;
use crate::words::{spoken, text};

/// What is asked and told.
const GET: u8 = 0xa0;
const GET_NEXT: u8 = 0xa1;
const RESPONSE: u8 = 0xa2;
const GET_BULK: u8 = 0xa5;
const TRAP: u8 = 0xa7;

/// Below which most of what is asked for stands: the system's part of the standard, and an interface's.
const SYSTEM: &[u8] = &[0x2b, 6, 1, 2, 1, 1];
const INTERFACES: &[u8] = &[0x2b, 6, 1, 2, 1, 2, 2, 1];

/// Some questions with their answers, or a device that tells something.
pub fn exchange(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let community = if random.below(3) == 0 { spoken(random) } else { "public".to_owned() };
    if random.below(8) == 0 {
        let told = plain(random, (1, &community), (TRAP, 0, 0), 3);
        return ends.datagrams(random, begin, 162).asks(told).frames();
    }
    let mut talk = ends.datagrams(random, begin, 161);
    let (is_secured, version) = (random.below(4) == 0, random.below(2) as u32);
    for _ in 0..1 + random.below(5) {
        let (asked, answered) = if is_secured {
            (secured(random, 7, 60), secured(random, 3, 140))
        } else {
            let from = (version, &*community);
            let count = 1 + random.below(5) as usize;
            // Only version 2 asks for many at once.
            let kind = [GET, GET_NEXT, GET_BULK][random.below(2 + u64::from(version)) as usize];
            let repeated = if kind == GET_BULK { 10 } else { 0 };
            // No such name, now and then.
            let error = if random.below(10) == 0 { 2 } else { 0 };
            (
                plain(random, from, (kind, 0, repeated), count),
                plain(random, from, (RESPONSE, error, error / 2), count),
            )
        };
        talk = talk.asks(asked).answers(answered);
    }
    talk.frames()
}

/// A message of a version and community: its kind with two numbers that belong to it, and so many variables.
fn plain(
    random: &mut Random,
    (version, community): (u32, &str),
    (kind, first, second): (u8, u32, u32),
    count: usize,
) -> Vec<u8> {
    let has_values = matches!(kind, RESPONSE | TRAP);
    let listed: Vec<_> = (0..count).map(|_| variable(random, has_values)).collect();
    let number = integer(random.number() as u32 >> 1);
    let parts = [number, integer(first), integer(second), sequence(&listed)];
    sequence(&[integer(version), octets(community), element(kind, &parts.concat())])
}

fn variable(random: &mut Random, has_value: bool) -> Vec<u8> {
    let mut name = if random.below(2) == 0 { SYSTEM } else { INTERFACES }.to_vec();
    name.extend([1 + random.below(9) as u8, random.below(32) as u8]);
    let value = match random.below(4) {
        _ if !has_value => vec![5, 0],
        0 => octets(text(random, 40)),
        1 => integer(random.below(1 << 31) as u32),
        // A counter, a time.
        kind => unsigned(0x3f + kind as u8, random.number() as u32),
    };
    sequence(&[identifier(&name), value])
}

/// A message of version 3, whose content is encrypted.
fn secured(random: &mut Random, flags: u8, length: usize) -> Vec<u8> {
    let head = [integer(random.number() as u32 >> 1), integer(65_507), octets([flags]), integer(3)];
    let engine = [&b"\x80\0\x1f\x88\x80"[..], &random.bytes(8)].concat();
    let who = [
        octets(engine),
        integer(random.below(40) as u32),
        integer(random.below(1 << 24) as u32),
        octets("monitor"),
        octets(random.bytes(12)),
        octets(random.bytes(8)),
    ];
    let content = octets(random.bytes(length));
    sequence(&[integer(3), sequence(&head), octets(sequence(&who)), content])
}
