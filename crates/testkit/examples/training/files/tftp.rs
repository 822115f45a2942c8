//! TFTP (RFC 1350): a file is asked for or sent at one port, and goes in blocks from another one.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::{DOWN, Ends, UP, some_port};
use crate::words::{content, spoken};

const READ: u8 = 1;
const WRITE: u8 = 2;
const BLOCK: usize = 512;

/// A file, or that there is none.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let is_read = random.below(4) > 0;
    let kind = if is_read { READ } else { WRITE };
    let name = format!("{}.{}", spoken(random), ["cfg", "bin", "img"][random.below(3) as usize]);
    let mode = if random.below(4) == 0 { "netascii" } else { "octet" };
    let asked = [&[0, kind][..], name.as_bytes(), b"\0", mode.as_bytes(), b"\0"].concat();
    let mut talk = ends.datagrams(random, begin, 69).asks(asked).server_port(some_port(random));
    if random.below(6) == 0 {
        return talk.answers(b"\0\x05\0\x01File not found\0").frames();
    }
    let acknowledged = |number: u16| [&[0, 4][..], &number.to_be_bytes()].concat();
    if !is_read {
        talk = talk.answers(acknowledged(0));
    }
    let (from, to) = if is_read { (DOWN, UP) } else { (UP, DOWN) };
    for (number, block) in (1..).zip(content(random, 8000).chunks(BLOCK)) {
        let block = [&[0, 3][..], &u16::to_be_bytes(number), block].concat();
        talk = talk.sends(from, &block).sends(to, &acknowledged(number));
    }
    talk.frames()
}
