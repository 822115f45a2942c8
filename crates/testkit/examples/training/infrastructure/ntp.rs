//! NTP (RFC 5905): a client asks for the time.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::Ends;

const CLIENT: u8 = 3;
const SERVER: u8 = 4;
/// From 1900, where NTP begins, to 1970.
const EPOCH: u64 = 2_208_988_800;

/// A question with its answer, or a few.
pub fn exchange(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::anywhere(random);
    let mut talk = ends.datagrams(random, begin, 123);
    if random.below(2) == 0 {
        talk = talk.client_port(123);
    }
    let version = 3 + random.below(2) as u8;
    let second = EPOCH + begin.seconds();
    for _ in 0..=random.below(4) {
        let moments: Vec<u64> = (0..4).map(|_| second << 32 | random.below(1 << 32)).collect();
        let asked = message(version << 3 | CLIENT, 0, &[0; 4], [0, 0, 0, moments[0]]);
        let stratum = 1 + random.below(3) as u8;
        let reference = if stratum == 1 { b"GPS\0".to_vec() } else { random.bytes(4) };
        let told = message(
            version << 3 | SERVER,
            stratum,
            &reference,
            [moments[1], moments[0], moments[2], moments[3]],
        );
        talk = talk.asks(asked).answers(told);
    }
    talk.frames()
}

fn message(first: u8, stratum: u8, reference: &[u8], moments: [u64; 4]) -> Vec<u8> {
    let head = [first, stratum, 6, 0xe9, 0, 0, 2, 0x1a, 0, 0, 4, 0x31];
    [&head[..], reference, &moments.map(u64::to_be_bytes).concat()].concat()
}
