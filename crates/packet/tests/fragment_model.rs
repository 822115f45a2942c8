//! Defragmentation against a map of single bytes, over random sequences of fragments that overlap and
//! come in any order, some of them more than once or with more than one end.
//!
//! `WEIR_SEQUENCES=1000000 cargo test --release -p weir-packet --test fragment_model -- --nocapture`
//! says how many sequences there are for each policy, and prints how fast they went.

#![allow(clippy::indexing_slicing)]

use std::net::Ipv4Addr;
use std::time::Instant;

use weir_base::Timestamp;
use weir_packet::defrag::{DefragSettings, Defragmenter, OverlapPolicy};
use weir_packet::event::EventCounters;
use weir_packet::{Ip, Ipv4, LinkType, Packet, RawPacket};
use weir_testkit::Random;

/// Sequences for each policy where nothing else is asked for.
const SEQUENCES: u64 = 3000;
/// Blocks of eight bytes that fragments cover.
const BLOCKS: u64 = 12;
const BLOCK: usize = 8;
const BYTES: usize = BLOCKS as usize * BLOCK;
/// Most fragments of a sequence.
const MOST_FRAGMENTS: u64 = 16;
/// Most blocks of a fragment.
const MOST_BLOCKS: u64 = 5;

/// Who wins where a new fragment lies over an old one: it begins before, at or after its begin, and
/// ends before, at or after its end in each. `n` is for the new one.
const WINNERS: [(&str, &str); 7] = [
    ("bsd", "nnn ooo ooo"),
    ("bsd-right", "ooo nnn nnn"),
    ("linux", "nnn nnn ooo"),
    ("first", "ooo ooo ooo"),
    ("last", "nnn nnn nnn"),
    ("solaris", "onn ooo ooo"),
    ("windows", "oon ooo ooo"),
];

/// A byte of the model: its value, and where its fragment begins and ends.
type Byte = Option<(u8, usize, usize)>;

/// What a host does, byte by byte.
struct Model<'a> {
    winners: &'a [u8],
    bytes: [Byte; BYTES],
    end: Option<usize>,
}

impl<'a> Model<'a> {
    fn new(winners: &'a str) -> Self {
        Self { winners: winners.as_bytes(), bytes: [None; BYTES], end: None }
    }

    /// Takes a fragment; the payload where it is whole now.
    fn fragment(&mut self, start: usize, data: &[u8], more: bool) -> Option<Vec<u8>> {
        // What lies past the end counts for nothing.
        let end = self.end.map_or(start + data.len(), |end| end.min(start + data.len()));
        for (place, &byte) in (start..end).zip(data) {
            let new_wins = self.bytes[place].is_none_or(|(_, old_start, old_end)| {
                let row = start.cmp(&old_start) as i8 + 1;
                let column = end.cmp(&old_end) as i8 + 1;
                self.winners[row as usize * 4 + column as usize] == b'n'
            });
            if new_wins {
                self.bytes[place] = Some((byte, start, end));
            }
        }
        if !more {
            self.end = Some(self.end.map_or(start + data.len(), |end| end.min(start + data.len())));
        }
        let payload = self.bytes.get(..self.end?)?;
        if payload.iter().any(Option::is_none) {
            return None;
        }
        let payload = payload.iter().flatten().map(|(byte, ..)| *byte).collect();
        *self = Self { winners: self.winners, bytes: [None; BYTES], end: None };
        Some(payload)
    }
}

/// Hands a fragment to the defragmenter; the payload where it is whole now.
fn push(
    defrag: &mut Defragmenter,
    events: &mut EventCounters,
    start: usize,
    data: &[u8],
    more: bool,
) -> Option<Vec<u8>> {
    let raw = RawPacket {
        number: 1,
        time: Timestamp::new(1, 0),
        link: LinkType::RAW,
        wire_length: 0,
        interface: 0,
        bytes: &[],
    };
    let ip = Ipv4 {
        header: &[0x45, 0, 0, 20, 0, 7, 0, 0, 64, 253, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1],
        payload: data,
        source: Ipv4Addr::LOCALHOST,
        destination: Ipv4Addr::LOCALHOST,
        protocol: 253,
        ttl: 64,
        tos: 0,
        id: 7,
        total_length: 20 + data.len() as u16,
        reserved_flag: false,
        dont_fragment: false,
        more_fragments: more,
        fragment_offset: start as u16,
        options: Default::default(),
    };
    let mut packet = Packet { ip: Some(Ip::V4(ip)), ..Packet::empty(&raw) };
    let whole = defrag.push(&mut packet, events)?;
    let payload = whole.bytes[20..].to_vec();
    defrag.recycle(whole.bytes);
    Some(payload)
}

/// One random sequence; what went wrong, if anything did.
fn sequence(policy: OverlapPolicy, winners: &str, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let mut defrag = Defragmenter::new(DefragSettings { policy, ..DefragSettings::default() });
    let mut events = EventCounters::default();
    let mut model = Model::new(winners);
    let mut steps = Vec::with_capacity(16);
    for _ in 0..2 + random.below(MOST_FRAGMENTS) {
        let first = random.below(BLOCKS - MOST_BLOCKS + 1) as usize * BLOCK;
        // What begins the packet and ends it is no fragment.
        let more = first == 0 || random.below(5) > 0;
        let mut length = (1 + random.below(MOST_BLOCKS) as usize) * BLOCK;
        if !more {
            length -= random.below(BLOCK as u64) as usize;
        }
        let number = random.number();
        let mut data = [0; MOST_BLOCKS as usize * BLOCK];
        for (index, byte) in data.iter_mut().enumerate() {
            *byte = b'a' + ((number >> (index % 8 * 8)) as u8).wrapping_add(index as u8) % 26;
        }
        let data = &data[..length];
        steps.push((first, length, more));
        let (found, expected) =
            (push(&mut defrag, &mut events, first, data, more), model.fragment(first, data, more));
        if found != expected {
            let text =
                |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            return Err(format!("seed {seed}, {steps:?}:\n{:?}\n{:?}", text(found), text(expected)));
        }
    }
    Ok(())
}

/// How many sequences are asked for.
fn asked_for() -> Option<u64> {
    std::env::var("WEIR_SEQUENCES").ok()?.parse().ok()
}

#[test]
fn each_policy_reads_what_its_model_reads() {
    for (name, winners) in WINNERS {
        let policy = OverlapPolicy::of_system(name).unwrap();
        let count = asked_for().unwrap_or(SEQUENCES);
        let start = Instant::now();
        for seed in 0..count {
            if let Err(wrong) = sequence(policy, winners, seed) {
                panic!("{name}: {wrong}");
            }
        }
        if asked_for().is_some() {
            let speed = count as f64 / start.elapsed().as_secs_f64();
            println!("{name}: {count} sequences, {speed:.0} a second");
        }
    }
}
