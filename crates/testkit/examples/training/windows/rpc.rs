//! Calls of DCE/RPC (C706, MS-RPCE): their messages, which pipes carry too, and connections of their own: one asks
//! where an interface is served, the next calls it there.

use weir_base::{Duration, Timestamp};
use weir_testkit::{Random, TimedFrame};

use crate::ends::{DOWN, Ends, Said, UP};

/// Types of messages.
const REQUEST: u8 = 0;
const RESPONSE: u8 = 2;
const FAULT: u8 = 3;
const BIND: u8 = 11;
const BOUND: u8 = 12;

/// The first fragment, and the last one.
const FIRST: u8 = 1;
const LAST: u8 = 2;
/// Most data of a fragment.
const FRAGMENT: usize = 4256;

/// Something to be called.
pub struct Interface {
    uuid: u128,
    version: u32,
    /// The pipe that carries its calls.
    pub pipe: &'static str,
    /// Numbers of operations that are called.
    operations: &'static [u16],
}

/// What pipes serve.
pub const IN_PIPES: [Interface; 6] = [
    interface(0x4b324fc8_1670_01d3_1278_5a47bf6ee188, 3, "srvsvc", &[15, 16, 21, 12]),
    interface(0x6bffd098_a112_3610_9833_46c3f87e345a, 1, "wkssvc", &[0, 2]),
    interface(0x12345778_1234_abcd_ef00_0123456789ac, 1, "samr", &[64, 6, 5, 7, 17, 34, 16, 1]),
    interface(0x12345778_1234_abcd_ef00_0123456789ab, 0, "lsarpc", &[44, 46, 57, 58, 0]),
    interface(0x367abb81_9844_35f1_ad32_98f038001003, 2, "svcctl", &[15, 14, 16, 6, 0]),
    interface(0x338cd001_2244_31f1_aaaa_900038001003, 1, "winreg", &[2, 15, 17, 5]),
];

/// Where others are served.
const MAPPER: Interface = interface(0xe1af8308_5d1f_11c9_91a4_08002b14a0fa, 3, "epmapper", &[3]);

/// What is served over TCP.
const OVER_TCP: [Interface; 4] = [
    interface(0x12345678_1234_abcd_ef00_01234567cffb, 1, "netlogon", &[4, 26, 29, 39, 34]),
    interface(0xe3514235_4b06_11d1_ab04_00c04fc2dcd2, 4, "drsuapi", &[0, 12, 1]),
    interface(0x12345778_1234_abcd_ef00_0123456789ab, 0, "lsarpc", &[76, 77]),
    interface(0x99fcfec4_5260_101b_bbcb_00aa0021347a, 0, "IObjectExporter", &[5, 3]),
];

const fn interface(uuid: u128, version: u32, pipe: &'static str, operations: &'static [u16]) -> Interface {
    Interface { uuid, version, pipe, operations }
}

/// How numbers are written: NDR; and what a client asks of the connection by a syntax that is none.
const NDR: (u128, u32) = (0x8a885d04_1ceb_11c9_9fe8_08002b104860, 2);
const FEATURES: (u128, u32) = (0x6cb71c2c_9812_4540_0300_000000000000, 1);

/// Two connections.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let said = calls(random, &MAPPER, "135", 1);
    let mut frames = ends.talk(random, begin, 135, &said);
    let called = &OVER_TCP[random.below(4) as usize];
    let port = 49_152 + random.below(64) as u16;
    let count = 1 + random.below(6);
    let said = calls(random, called, &port.to_string(), count);
    let later = begin.plus(Duration::from_millis(40));
    frames.extend(ends.talk(random, later, port, &said));
    frames
}

fn calls(random: &mut Random, called: &Interface, address: &str, count: u64) -> Vec<Said> {
    let mut said = vec![(UP, bind(called)), (DOWN, bound(random, address))];
    for number in 2..2 + count as u32 {
        let (asked, answered) = (50 + random.below(400) as usize, 20 + random.below(9000) as usize);
        said.extend([(UP, call(random, called, number, asked)), (DOWN, answer(random, number, answered))]);
    }
    said
}

/// A client wants to call an interface.
pub fn bind(called: &Interface) -> Vec<u8> {
    let mut body = [4280u16, 4280, 0, 0].map(u16::to_le_bytes).concat();
    body.extend([2, 0, 0, 0]);
    for (context, way) in [(0u16, NDR), (1, FEATURES)] {
        body.extend(context.to_le_bytes());
        body.extend([1, 0]);
        body.extend(syntax((called.uuid, called.version)));
        body.extend(syntax(way));
    }
    message(BIND, FIRST | LAST, 1, &body)
}

/// The server lets it.
pub fn bound(random: &mut Random, address: &str) -> Vec<u8> {
    let mut body = [4280u16, 4280].map(u16::to_le_bytes).concat();
    body.extend(random.bytes(4));
    body.extend((address.len() as u16 + 1).to_le_bytes());
    body.extend([address.as_bytes(), b"\0"].concat());
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend([2, 0, 0, 0]);
    body.extend([0; 4]);
    body.extend(syntax(NDR));
    // The features are acknowledged.
    body.extend([3, 0, 3, 0]);
    body.extend([0; 20]);
    message(BOUND, FIRST | LAST, 1, &body)
}

/// A call of some operation with so much data.
pub fn call(random: &mut Random, called: &Interface, number: u32, length: usize) -> Vec<u8> {
    let operation = called.operations[random.below(called.operations.len() as u64) as usize];
    let data = random.bytes(length);
    let head = [&(length as u32).to_le_bytes()[..], &[0, 0], &operation.to_le_bytes()].concat();
    message(REQUEST, FIRST | LAST, number, &[head, data].concat())
}

/// What came of it: so much data in fragments, or seldom, that it failed.
pub fn answer(random: &mut Random, number: u32, length: usize) -> Vec<u8> {
    if random.below(16) == 0 {
        // Access is denied.
        return message(FAULT, FIRST | LAST, number, &[32, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
    }
    let data = random.bytes(length);
    let pieces: Vec<_> = data.chunks(FRAGMENT).collect();
    let mut fragments = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        let first = if place == 0 { FIRST } else { 0 };
        let last = if place + 1 == pieces.len() { LAST } else { 0 };
        let head = [&(piece.len() as u32).to_le_bytes()[..], &[0; 4]].concat();
        fragments.extend(message(RESPONSE, first | last, number, &[&head, *piece].concat()));
    }
    fragments
}

fn message(kind: u8, flags: u8, number: u32, body: &[u8]) -> Vec<u8> {
    let head = [5, 0, kind, flags, 0x10, 0, 0, 0];
    let length = (16 + body.len() as u16).to_le_bytes();
    [&head[..], &length, &[0, 0], &number.to_le_bytes(), body].concat()
}

/// An interface or a syntax with its version: the first fields of its number are in the order of bytes of the message.
fn syntax((uuid, version): (u128, u32)) -> Vec<u8> {
    let mut bytes = uuid.to_be_bytes();
    bytes[..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    [&bytes[..], &version.to_le_bytes()].concat()
}
