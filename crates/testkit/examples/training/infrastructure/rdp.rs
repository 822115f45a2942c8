//! The start of a remote desktop (MS-RDPBCGR 1.3.1.1): who asks, what protects the rest, and then TLS.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::{DOWN, Ends, UP};
use crate::tls;
use crate::words::spoken;

/// What protects the connection: TLS, or TLS with a login before it.
const TLS: u8 = 1;
const CREDENTIALS: u8 = 2;

/// A connection.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let cookie = format!("Cookie: mstshash={}\r\n", spoken(random));
    let offer = [1, 0, 8, 0, TLS | CREDENTIALS, 0, 0, 0];
    let mut said = vec![(UP, packet(0xe0, &[cookie.as_bytes(), &offer].concat()))];
    if random.below(8) == 0 {
        // A login is wanted that was not offered.
        said.push((DOWN, packet(0xd0, &[3, 0, 8, 0, 5, 0, 0, 0])));
    } else {
        said.push((DOWN, packet(0xd0, &[2, 0x1f, 8, 0, CREDENTIALS, 0, 0, 0])));
        said.extend(tls::said(random));
    }
    ends.talk(random, begin, 3389, &said)
}

/// A packet of TPKT that opens a connection of X.224, or confirms it.
fn packet(kind: u8, said: &[u8]) -> Vec<u8> {
    let length = 11 + said.len() as u8;
    [&[3, 0, 0, length, said.len() as u8 + 6, kind, 0, 0, 0x12, 0x34, 0][..], said].concat()
}
