//! Reassembly against a map of single bytes, over random sequences of segments that overlap, come
//! late, come again with other bytes, and run over the end of the sequence numbers.
//!
//! `WEIR_SEQUENCES=1000000 cargo test --release -p weir-stream --test model -- --nocapture` says how
//! many sequences there are for each policy, and prints how fast they went.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

use std::net::Ipv4Addr;
use std::time::Instant;

use weir_base::{Delivery, Direction, Piece, Timestamp};
use weir_packet::{Ip, Ipv4, LinkType, Packet, RawPacket, Tcp, Transport};
use weir_stream::{OverlapPolicy, StreamSettings, StreamShared, StreamSink, TcpSession};
use weir_testkit::Random;

/// Sequences for each policy where nothing else is asked for.
const SEQUENCES: u64 = 1500;
/// Places of a stream that segments cover.
const PLACES: usize = 96;
/// Most segments of a sequence.
const MOST_SEGMENTS: u64 = 14;
/// Most bytes of a segment.
const MOST_BYTES: u64 = 20;
const SERVER_FIRST: u32 = 5000;

/// Who wins where a new segment lies over an old one: it begins before, at or after its begin, and
/// ends before, at or after its end in each. `n` is for the new one.
const WINNERS: [(&str, &str); 13] = [
    ("bsd", "nnn ooo ooo"),
    ("hpux10", "nnn ooo ooo"),
    ("irix", "nnn ooo ooo"),
    ("macos", "nnn ooo ooo"),
    ("windows", "nnn ooo ooo"),
    ("windows2k3", "nnn ooo ooo"),
    ("linux", "nnn oon ooo"),
    ("old-linux", "nnn onn ooo"),
    ("solaris", "onn onn oon"),
    ("hpux11", "onn onn oon"),
    ("vista", "ooo ooo ooo"),
    ("first", "ooo ooo ooo"),
    ("last", "nnn nnn nnn"),
];

/// A byte of the model: its value, and where its segment begins and ends.
type Byte = Option<(u8, usize, usize)>;

/// What a host does, byte by byte.
struct Model<'a> {
    winners: &'a [u8],
    bytes: [Byte; PLACES],
    /// All before this was read.
    front: usize,
    read: Vec<u8>,
}

impl Model<'_> {
    fn segment(&mut self, start: usize, data: &[u8]) {
        let end = start + data.len();
        for (place, &byte) in (start..end).zip(data) {
            let new_wins = self.bytes[place].is_none_or(|(_, old_start, old_end)| {
                let row = start.cmp(&old_start) as i8 + 1;
                let column = end.cmp(&old_end) as i8 + 1;
                self.winners[row as usize * 4 + column as usize] == b'n'
            });
            if place >= self.front && new_wins {
                self.bytes[place] = Some((byte, start, end));
            }
        }
    }

    /// All before `end` is read; what is missing is skipped.
    fn read_up_to(&mut self, end: usize) {
        let ready = self.bytes.get(self.front..end).unwrap_or_default();
        self.read.extend(ready.iter().flatten().map(|(byte, ..)| *byte));
        self.front = self.front.max(end);
    }

    /// All up to the first hole is read.
    fn read_what_is_there(&mut self) {
        let whole = self.bytes[self.front..].iter().take_while(|byte| byte.is_some()).count();
        self.read_up_to(self.front + whole);
    }
}

#[derive(Default)]
struct Reader(Vec<u8>);

impl StreamSink for Reader {
    fn take(&mut self, delivery: Delivery<'_>) {
        if let Piece::Data { bytes, .. } = delivery.piece {
            assert_eq!(delivery.direction, Direction::ToServer);
            self.0.extend_from_slice(bytes);
        }
    }
}

/// A session with its surroundings, used for one sequence after the other.
struct Bench {
    settings: StreamSettings,
    shared: StreamShared,
    session: TcpSession,
    reader: Reader,
    client_first: u32,
}

impl Bench {
    fn new(inline: bool) -> Self {
        let settings = StreamSettings { inline, raw: false, ..StreamSettings::default() };
        let session = TcpSession::new(&settings);
        Self { settings, shared: StreamShared::new(), session, reader: Reader::default(), client_first: 0 }
    }

    fn begin(&mut self, policy: OverlapPolicy, client_first: u32) {
        self.session = TcpSession::new(&self.settings);
        self.session.set_policy(Direction::ToServer, policy);
        self.reader.0.clear();
        self.client_first = client_first;
        self.send(Direction::ToServer, Tcp::SYN, client_first.wrapping_sub(1), 0, b"");
        self.send(Direction::ToClient, Tcp::SYN | Tcp::ACK, SERVER_FIRST - 1, client_first, b"");
        self.send(Direction::ToServer, Tcp::ACK, client_first, SERVER_FIRST, b"");
    }

    fn data(&mut self, place: usize, data: &[u8]) {
        let seq = self.client_first.wrapping_add(place as u32);
        self.send(Direction::ToServer, Tcp::ACK, seq, SERVER_FIRST, data);
    }

    fn acknowledge(&mut self, place: usize) {
        let ack = self.client_first.wrapping_add(place as u32);
        self.send(Direction::ToClient, Tcp::ACK, SERVER_FIRST, ack, b"");
    }

    fn send(&mut self, direction: Direction, flags: u8, seq: u32, ack: u32, payload: &[u8]) {
        let raw = RawPacket {
            number: 1,
            time: Timestamp::new(1, 0),
            link: LinkType::RAW,
            wire_length: 0,
            interface: 0,
            bytes: &[],
        };
        let ip = Ipv4 {
            header: &[],
            payload: &[],
            source: Ipv4Addr::LOCALHOST,
            destination: Ipv4Addr::LOCALHOST,
            protocol: 6,
            ttl: 64,
            tos: 0,
            id: 0,
            total_length: 0,
            reserved_flag: false,
            dont_fragment: false,
            more_fragments: false,
            fragment_offset: 0,
            options: Default::default(),
        };
        let tcp = Tcp { seq, ack, flags, window: u16::MAX, ..Tcp::default() };
        let packet =
            Packet { ip: Some(Ip::V4(ip)), transport: Transport::Tcp(tcp), payload, ..Packet::empty(&raw) };
        self.session.packet(&packet, direction, &self.settings, &mut self.shared, &mut self.reader);
        self.session.prune(direction, &self.settings, &mut self.shared);
    }
}

/// One random sequence; what went wrong, if anything did.
fn sequence(bench: &mut Bench, policy: OverlapPolicy, winners: &[u8], seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    // Half of them run over the end of the sequence numbers.
    let first = match random.below(4) {
        0 => random.number() as u32,
        1 => 0x8000_0000_u32.wrapping_sub(random.below(PLACES as u64) as u32),
        _ => 0_u32.wrapping_sub(random.below(PLACES as u64) as u32),
    };
    bench.begin(policy, first);
    let inline = bench.settings.inline;
    let mut model = Model { winners, bytes: [None; PLACES], front: 0, read: Vec::with_capacity(PLACES) };
    let (mut farthest, mut steps) = (0, Vec::with_capacity(16));
    for _ in 0..2 + random.below(MOST_SEGMENTS) {
        let start = random.below((PLACES as u64) - MOST_BYTES) as usize;
        let length = 1 + random.below(MOST_BYTES) as usize;
        let number = random.number();
        let mut data = [0; MOST_BYTES as usize];
        for (index, byte) in data.iter_mut().enumerate() {
            *byte = b'a' + ((number >> (index % 8 * 8)) as u8).wrapping_add(index as u8) % 26;
        }
        let data = &data[..length];
        bench.data(start, data);
        model.segment(start, data);
        farthest = farthest.max(start + length);
        steps.push((start, length));
        if inline {
            model.read_what_is_there();
        } else if random.below(4) == 0 {
            let end = random.below(farthest as u64 + 1) as usize;
            bench.acknowledge(end);
            model.read_up_to(end);
            steps.push((end, 0));
        }
    }
    bench.acknowledge(farthest);
    model.read_up_to(farthest);
    let agrees = bench.reader.0 == model.read;
    bench.session.release(&mut bench.shared);
    if !agrees || bench.shared.counters.reassembly_memuse != 0 {
        let (found, expected) =
            (String::from_utf8_lossy(&bench.reader.0), String::from_utf8_lossy(&model.read));
        return Err(format!("seed {seed}, first {first}, {steps:?}:\n{found}\n{expected}"));
    }
    Ok(())
}

/// How many sequences are asked for.
fn asked_for() -> Option<u64> {
    std::env::var("WEIR_SEQUENCES").ok()?.parse().ok()
}

/// Runs the sequences of a policy.
fn run(name: &str, winners: &str, inline: bool) {
    let policy = OverlapPolicy::by_name(name).unwrap();
    let mut bench = Bench::new(inline);
    let count = asked_for().unwrap_or(SEQUENCES);
    let start = Instant::now();
    for seed in 0..count {
        if let Err(wrong) = sequence(&mut bench, policy, winners.as_bytes(), seed) {
            panic!("{name}, inline {inline}: {wrong}");
        }
    }
    if asked_for().is_some() {
        let speed = count as f64 / start.elapsed().as_secs_f64();
        println!("{name}, inline {inline}: {count} sequences, {speed:.0} a second");
    }
}

#[test]
fn each_policy_reads_what_its_model_reads() {
    for (name, winners) in WINNERS {
        run(name, winners, false);
    }
}

/// What was let through stays as it was, whatever the host's policy.
#[test]
fn inline_the_first_bytes_are_read() {
    for (name, _) in WINNERS {
        run(name, "ooo ooo ooo", true);
    }
}
