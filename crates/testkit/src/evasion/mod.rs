//! Traffic that means one thing to the host it is sent to and another to who only looks on
//! (Ptacek and Newsham, "Insertion, Evasion, and Denial of Service", 1998): segments and fragments
//! that overlap, lie outside of the window, die on their way, or end what goes on.
//!
//! Each case says what the receiving host reads, by the policy of its system: the tables of Novak
//! and Sturges ("Target-Based TCP Stream Reassembly", 2007) and Novak ("Target-Based Fragmentation
//! Reassembly", 2005), and the RFCs where hosts agree.

mod fragments;
mod overlaps;
mod streams;

pub use fragments::{FRAGMENT_POLICIES, FragmentCase, Piece, fragment_cases};
pub use overlaps::OVERLAPS;
pub use streams::STREAMS;

use weir_base::{Direction, Timestamp};

use crate::TimedFrame;
use crate::conversation::{START, STEP};
use crate::frame::{Frame, tcp_flags};

/// The policies of streams, by the names that configurations use.
pub const STREAM_POLICIES: [&str; 13] = [
    "bsd",
    "old-linux",
    "linux",
    "solaris",
    "hpux10",
    "hpux11",
    "irix",
    "macos",
    "windows",
    "vista",
    "windows2k3",
    "first",
    "last",
];

/// Oddity of a segment beside its numbers and flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trick {
    /// Nothing.
    None,
    /// The checksum is wrong: the host does not take it.
    BadChecksum,
    /// It has so many hops to live.
    TimeToLive(u8),
    /// It has this window.
    Window(u16),
    /// It has this timestamp; those of the handshake are [`HANDSHAKE_TIMESTAMP`].
    Timestamp(u32),
}

/// The timestamps of a handshake that has them.
pub const HANDSHAKE_TIMESTAMP: u32 = 1000;

/// A segment. Places count from the sender's first byte after its SYN, which itself is at -1.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Sender.
    pub from: Direction,
    /// TCP flags.
    pub flags: u8,
    /// Place of its first byte.
    pub at: i64,
    /// So many bytes of the other side are acknowledged.
    pub acks: i64,
    /// Payload.
    pub data: &'static str,
    /// Oddity.
    pub trick: Trick,
}

impl Step {
    const fn new(from: Direction, flags: u8, at: i64, data: &'static str) -> Self {
        Self { from, flags, at, acks: 0, data, trick: Trick::None }
    }

    const fn with(self, trick: Trick) -> Self {
        Self { trick, ..self }
    }

    const fn acks(self, acks: i64) -> Self {
        Self { acks, ..self }
    }
}

/// The client sends.
const fn data(at: i64, data: &'static str) -> Step {
    Step::new(Direction::ToServer, tcp_flags::ACK | tcp_flags::PSH, at, data)
}

/// The client sends with other flags.
const fn flagged(flags: u8, at: i64, data: &'static str) -> Step {
    Step::new(Direction::ToServer, flags, at, data)
}

/// The server acknowledges.
const fn ack(acks: i64) -> Step {
    Step::new(Direction::ToClient, tcp_flags::ACK, 0, "").acks(acks)
}

/// A case of a client's stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamCase {
    /// Case in a few words.
    pub name: &'static str,
    /// The segments, after a handshake unless they bring their own.
    pub steps: &'static [Step],
    /// Reading of the server, by its policy; an empty list of policies stands for all others.
    pub reads: &'static [(&'static [&'static str], &'static str)],
    /// Names of its events.
    pub events: &'static [&'static str],
    /// Both sides use timestamps.
    pub timestamps: bool,
}

impl StreamCase {
    const fn new(
        name: &'static str,
        steps: &'static [Step],
        reads: &'static [(&'static [&'static str], &'static str)],
    ) -> Self {
        Self { name, steps, reads, events: &[], timestamps: false }
    }

    const fn tells(self, events: &'static [&'static str]) -> Self {
        Self { events, ..self }
    }

    const fn with_timestamps(self) -> Self {
        Self { timestamps: true, ..self }
    }

    /// Returns the reading of a server of this policy.
    pub fn reads(&self, policy: &str) -> &'static str {
        let listed = self.reads.iter().find(|(policies, _)| policies.contains(&policy));
        let others = || self.reads.iter().find(|(policies, _)| policies.is_empty());
        listed.or_else(others).map(|(_, bytes)| *bytes).unwrap_or_else(|| panic!("{}: {policy}", self.name))
    }

    /// The frames, with these initial sequence numbers of client and server.
    pub fn frames(&self, client: u32, server: u32) -> Vec<TimedFrame> {
        let opens = self.steps.first().is_some_and(|step| step.flags == tcp_flags::SYN && step.at == -1);
        let handshake: &[Step] = if opens { &[] } else { &HANDSHAKE };
        let mut time = START;
        let steps = handshake.iter().chain(self.steps);
        steps.map(|step| next(&mut time, self.frame(step, client, server))).collect()
    }

    fn frame(&self, step: &Step, client: u32, server: u32) -> Vec<u8> {
        let (own, other, from, to) = match step.from {
            Direction::ToServer => (client, server, "10.0.0.1", "10.0.0.2"),
            Direction::ToClient => (server, client, "10.0.0.2", "10.0.0.1"),
        };
        let number = |first: u32, place: i64| first.wrapping_add(1).wrapping_add(place as u32);
        let (from_port, to_port) = if step.from == Direction::ToServer { (1024, 9999) } else { (9999, 1024) };
        let acknowledges = step.flags & tcp_flags::ACK != 0;
        let mut frame = Frame::ethernet()
            .ipv4(from, to)
            .tcp(from_port, to_port)
            .flags(step.flags)
            .seq(number(own, step.at))
            .ack(if acknowledges { number(other, step.acks) } else { 0 })
            .window(u16::MAX)
            .payload(step.data);
        let mut timestamp = HANDSHAKE_TIMESTAMP;
        match step.trick {
            Trick::None => {}
            Trick::TimeToLive(hops) => frame = frame.ttl(hops),
            Trick::Window(window) => frame = frame.window(window),
            Trick::Timestamp(value) => timestamp = value,
            Trick::BadChecksum => frame = frame.transport_checksum(0xbad),
        }
        if self.timestamps {
            let [a, b, c, d] = timestamp.to_be_bytes();
            let echo = if step.flags == tcp_flags::SYN { [0; 4] } else { HANDSHAKE_TIMESTAMP.to_be_bytes() };
            frame = frame.tcp_options(&[&[1, 1, 8, 10, a, b, c, d], &echo[..]].concat());
        }
        frame.build()
    }
}

const HANDSHAKE: [Step; 3] = [
    Step::new(Direction::ToServer, tcp_flags::SYN, -1, ""),
    Step::new(Direction::ToClient, tcp_flags::SYN | tcp_flags::ACK, -1, ""),
    Step::new(Direction::ToServer, tcp_flags::ACK, 0, ""),
];

fn next(time: &mut Timestamp, bytes: Vec<u8>) -> TimedFrame {
    let frame = TimedFrame { time: *time, bytes };
    *time = time.plus(STEP);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_speaks_for_every_policy() {
        for case in OVERLAPS.iter().chain(STREAMS) {
            for (policies, _) in case.reads {
                assert!(policies.iter().all(|policy| STREAM_POLICIES.contains(policy)), "{}", case.name);
            }
            for policy in STREAM_POLICIES {
                case.reads(policy);
            }
            assert!(case.frames(0, 0).len() >= case.steps.len());
        }
    }

    #[test]
    fn a_bad_checksum_is_bad() {
        let case = StreamCase::new("", &[], &[]);
        let good = case.frame(&data(0, "x"), 1, 2);
        let bad = case.frame(&data(0, "x").with(Trick::BadChecksum), 1, 2);
        assert_ne!(good, bad);
        assert_eq!(bad[50..52], 0xbad_u16.to_be_bytes());
    }
}
