//! NFS version 3 (RFC 1813) over TCP: names are looked up, files read and written.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::{DOWN, Ends, Said, UP};
use crate::words::{content, spoken};

const PROGRAM: u32 = 100_003;

/// Procedures.
const LOOKUP: u32 = 3;
const ACCESS: u32 = 4;
const READ: u32 = 6;
const WRITE: u32 = 7;
const CREATE: u32 = 8;
const REMOVE: u32 = 12;
const RENAME: u32 = 14;
const COMMIT: u32 = 21;

/// Results.
const OK: u32 = 0;
const NO_ENTRY: u32 = 2;
const NOT_ALLOWED: u32 = 13;

/// What is read or written at once.
const CHUNK: usize = 8192;

/// A connection.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let machine = spoken(random);
    let user = 1000 + random.below(50) as u32;
    let mut session = Session { said: Vec::new(), xid: random.number() as u32 >> 1, machine, user };
    let directory = random.bytes(28);
    for _ in 0..1 + random.below(5) {
        session.step(random, &directory);
    }
    ends.talk(random, begin, 2049, &session.said)
}

/// What was said, who says it, and the number of the next call.
struct Session {
    said: Vec<Said>,
    xid: u32,
    machine: String,
    user: u32,
}

impl Session {
    fn exchange(&mut self, procedure: u32, arguments: &[Vec<u8>], results: &[Vec<u8>]) {
        let who = [word(7), opaque(self.machine.as_bytes()), word(self.user), word(100), word(0)].concat();
        let head = [self.xid, 0, 2, PROGRAM, 3, procedure, 1].map(u32::to_be_bytes).concat();
        let call = [head, opaque(&who), vec![0; 8], arguments.concat()].concat();
        let head = [self.xid, 1, 0, 0, 0, 0].map(u32::to_be_bytes).concat();
        let reply = [head, results.concat()].concat();
        self.said.extend([(UP, marked(&call)), (DOWN, marked(&reply))]);
        self.xid += 1;
    }

    fn step(&mut self, random: &mut Random, directory: &[u8]) {
        let name = format!("{}.{}", spoken(random), ["txt", "o", "tar"][random.below(3) as usize]);
        let named = [opaque(directory), opaque(name.as_bytes())];
        if random.below(6) == 0 {
            return self.exchange(LOOKUP, &named, &[word(NO_ENTRY), word(0)]);
        }
        // Neither directory nor file is told about further, or both are.
        let about = [word(1), random.bytes(84)].concat();
        let changed = [word(0), about.clone()].concat();
        match random.below(6) {
            0 => self.exchange(REMOVE, &named, &[word(OK), changed]),
            1 => {
                let to = [opaque(directory), opaque(spoken(random).as_bytes())];
                let status = if random.below(3) == 0 { NOT_ALLOWED } else { OK };
                let results = [word(status), changed.clone(), changed];
                self.exchange(RENAME, &[named, to].concat(), &results);
            }
            2 => {
                let handle = opaque(&random.bytes(32));
                let arguments = [&named[..], &[word(0), vec![0; 24]]].concat();
                let results = [word(OK), word(1), handle.clone(), about, changed];
                self.exchange(CREATE, &arguments, &results);
                self.write(random, &handle);
            }
            _ => {
                let handle = opaque(&random.bytes(32));
                let results = [word(OK), handle.clone(), about.clone(), about.clone()];
                self.exchange(LOOKUP, &named, &results);
                self.exchange(ACCESS, &[handle.clone(), word(31)], &[word(OK), about, word(31)]);
                self.read(random, &handle);
            }
        }
    }

    fn read(&mut self, random: &mut Random, handle: &[u8]) {
        let data = content(random, 40_000);
        let count = data.len().div_ceil(CHUNK);
        for (place, piece) in data.chunks(CHUNK).enumerate() {
            let arguments = [handle.to_vec(), offset(place), word(CHUNK as u32)];
            let about = [word(1), random.bytes(84)].concat();
            let is_end = word((place + 1 == count).into());
            let results = [word(OK), about, word(piece.len() as u32), is_end, opaque(piece)];
            self.exchange(READ, &arguments, &results);
        }
    }

    fn write(&mut self, random: &mut Random, handle: &[u8]) {
        let data = content(random, 30_000);
        for (place, piece) in data.chunks(CHUNK).enumerate() {
            let count = word(piece.len() as u32);
            let arguments = [handle.to_vec(), offset(place), count.clone(), word(0), opaque(piece)];
            let results = [word(OK), word(0), word(0), count, word(0), vec![7; 8]];
            self.exchange(WRITE, &arguments, &results);
        }
        let arguments = [handle.to_vec(), offset(0), word(0)];
        self.exchange(COMMIT, &arguments, &[word(OK), word(0), word(0), vec![7; 8]]);
    }
}

/// Where a piece begins.
fn offset(place: usize) -> Vec<u8> {
    ((place * CHUNK) as u64).to_be_bytes().to_vec()
}

fn word(number: u32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

/// Bytes with their length before them, up to a multiple of four.
fn opaque(bytes: &[u8]) -> Vec<u8> {
    let mut out = [&(bytes.len() as u32).to_be_bytes(), bytes].concat();
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

/// A record that is whole.
fn marked(message: &[u8]) -> Vec<u8> {
    [&(0x8000_0000 | message.len() as u32).to_be_bytes(), message].concat()
}
