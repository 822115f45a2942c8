//! What no parser knows: bytes over TCP and UDP, tunnels, connections that nobody takes.

use weir_base::{Direction, Timestamp};
use weir_testkit::{Frame, Random, TimedFrame, tcp_flags};

use crate::conversation;
use crate::ends::Ends;

/// Bytes both ways, some lost or out of order.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let port = 2000 + random.below(30_000) as u16;
    let mut talk = conversation(random, begin, port).handshake();
    for _ in 0..random.below(8) {
        let (asked, answered) = (random.below(900) as usize, random.below(20_000) as usize);
        talk = talk.client_sends(random.bytes(asked)).server_sends(random.bytes(answered));
        if random.below(40) == 0 {
            talk = talk.loses(Direction::ToClient, 1460);
        }
    }
    let mut frames = talk.close().frames();
    if random.below(4) == 0 && frames.len() > 12 {
        frames.swap(8, 9);
        let times = (frames[8].time, frames[9].time);
        (frames[9].time, frames[8].time) = times;
    }
    frames
}

/// Datagrams between two ports.
pub fn datagrams(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let mut talk = Ends::anywhere(random).datagrams(random, begin, 4500);
    for _ in 0..random.below(30) {
        let (asked, answered) = (random.below(1200) as usize, random.below(1200) as usize);
        talk = talk.asks(random.bytes(asked)).answers(random.bytes(answered));
    }
    talk.frames()
}

/// A session inside of GRE or VXLAN: its frames, each behind the header that leads to its addresses.
pub fn tunnel(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let inner = crate::web::session(random, begin);
    let ends = Ends::anywhere(random);
    let is_vxlan = random.below(2) == 0;
    inner
        .into_iter()
        .map(|frame| {
            let outer = Frame::ethernet().ip(ends.client.into(), ends.server.into());
            let outer = match is_vxlan {
                true => {
                    outer.udp(40_000, 4789).payload([&[8, 0, 0, 0, 0, 0, 9, 0][..], &frame.bytes].concat())
                }
                // Without the Ethernet header: GRE says that IPv4 follows.
                false => outer.protocol(47).payload([&[0, 0, 8, 0][..], &frame.bytes[14..]].concat()),
            };
            TimedFrame { time: frame.time, bytes: outer.build() }
        })
        .collect()
}

/// A SYN and its RST, or nothing.
pub fn refused(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let port = random.below(65_000) as u16 + 1;
    let talk = conversation(random, begin, port).segment(Direction::ToServer, tcp_flags::SYN, b"");
    if random.below(3) == 0 { talk.frames() } else { talk.reset(Direction::ToClient).frames() }
}
