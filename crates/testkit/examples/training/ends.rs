//! Who talks with whom: the two ends of a session, between which connections and datagrams go.

use std::net::Ipv4Addr;

use weir_base::{Direction, Duration, Timestamp};
use weir_testkit::{Conversation, Frame, Random, TimedFrame};

/// The client says something.
pub const UP: Direction = Direction::ToServer;
/// The server says something.
pub const DOWN: Direction = Direction::ToClient;

/// What is said, and by whom.
pub type Said = (Direction, Vec<u8>);

/// A client and a server.
#[derive(Clone, Copy)]
pub struct Ends {
    pub client: Ipv4Addr,
    pub server: Ipv4Addr,
}

impl Ends {
    /// A client of the network that the rules protect, and a server, most of which are elsewhere.
    pub fn anywhere(random: &mut Random) -> Self {
        let host = random.below(2048) as u32 | 1;
        let server = if random.below(4) == 0 { 0x0a01_0000 | host } else { 0xcb00_7100 ^ (host << 8) };
        Self { client: client(random), server: server.into() }
    }

    /// A client and one of the few servers of its own network.
    pub fn inside(random: &mut Random) -> Self {
        let server = 0x0a01_0000 | (random.below(24) as u32 + 1);
        Self { client: client(random), server: server.into() }
    }

    /// A connection to a server's port, not begun yet.
    pub fn connection(self, random: &mut Random, begin: Timestamp, port: u16) -> Conversation {
        let from = format!("{}:{}", self.client, some_port(random));
        Conversation::new(&from, &format!("{}:{port}", self.server))
            .at(begin)
            .sequence_numbers(random.number() as u32, random.number() as u32)
    }

    /// A whole connection.
    pub fn talk(self, random: &mut Random, begin: Timestamp, port: u16, said: &[Said]) -> Vec<TimedFrame> {
        spoken(self.connection(random, begin, port).handshake(), said).close().frames()
    }

    /// Datagrams to a server's port and back, none sent yet.
    pub fn datagrams(self, random: &mut Random, begin: Timestamp, port: u16) -> Datagrams {
        let pace = Duration::from_millis(1 + random.below(40));
        Datagrams { ends: self, ports: (some_port(random), port), time: begin, pace, frames: Vec::new() }
    }
}

fn client(random: &mut Random) -> Ipv4Addr {
    Ipv4Addr::from(0x0a00_0000 | random.below(4096) as u32 | 1)
}

/// A port that nothing is known for.
pub fn some_port(random: &mut Random) -> u16 {
    32_768 + random.below(28_000) as u16
}

/// A connection goes on with what is said.
pub fn spoken(talk: Conversation, said: &[Said]) -> Conversation {
    said.iter().fold(talk, |talk, (direction, bytes)| talk.sends(*direction, bytes))
}

/// Datagrams between two ports.
pub struct Datagrams {
    ends: Ends,
    /// The client's and the server's.
    ports: (u16, u16),
    time: Timestamp,
    pace: Duration,
    frames: Vec<TimedFrame>,
}

impl Datagrams {
    /// The client's port is this one.
    pub fn client_port(mut self, port: u16) -> Self {
        self.ports.0 = port;
        self
    }

    /// The server goes on at another port.
    pub fn server_port(mut self, port: u16) -> Self {
        self.ports.1 = port;
        self
    }

    /// The client sends one.
    pub fn asks(self, bytes: impl AsRef<[u8]>) -> Self {
        self.sends(UP, bytes.as_ref())
    }

    /// The server sends one.
    pub fn answers(self, bytes: impl AsRef<[u8]>) -> Self {
        self.sends(DOWN, bytes.as_ref())
    }

    /// One side sends one.
    pub fn sends(mut self, direction: Direction, bytes: &[u8]) -> Self {
        let Ends { client, server } = self.ends;
        let ports = self.ports;
        let frame = match direction {
            Direction::ToServer => Frame::ethernet().ip(client.into(), server.into()).udp(ports.0, ports.1),
            Direction::ToClient => Frame::ethernet().ip(server.into(), client.into()).udp(ports.1, ports.0),
        };
        self.frames.push(TimedFrame { time: self.time, bytes: frame.payload(bytes).build() });
        self.time = self.time.plus(self.pace);
        self
    }

    /// All that were sent.
    pub fn frames(self) -> Vec<TimedFrame> {
        self.frames
    }
}
