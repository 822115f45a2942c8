//! TCP conversations: both ends' sequence numbers are kept, so that a test only says who sends what.

use std::net::{IpAddr, SocketAddr};

use weir_base::{Direction, Duration, PerDirection, Timestamp};

use crate::TimedFrame;
use crate::frame::{Frame, tcp_flags};

/// When conversations begin unless a test says otherwise: 2023-11-14 22:13:20 UTC.
pub const START: Timestamp = Timestamp::new(1_700_000_000, 0);
/// Time from one segment to the next.
pub const STEP: Duration = Duration::from_millis(1);
/// Most payload bytes of one segment.
pub const SEGMENT_SIZE: usize = 1460;

/// A segment as it was sent, for tests that reorder, drop or repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sender.
    pub direction: Direction,
    /// Its sequence number.
    pub seq: u32,
    /// Its frame.
    pub frame: TimedFrame,
}

/// A TCP conversation being written.
///
/// ```
/// let frames = weir_testkit::Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
///     .handshake()
///     .client_sends(b"GET / HTTP/1.0\r\n\r\n")
///     .server_sends(b"HTTP/1.0 200 OK\r\n\r\n")
///     .close()
///     .frames();
/// assert_eq!(frames.len(), 3 + 2 + 2 + 4);
/// ```
#[derive(Clone, Debug)]
pub struct Conversation {
    endpoints: PerDirection<SocketAddr>,
    next_seq: PerDirection<u32>,
    time: Timestamp,
    step: Duration,
    segment_size: usize,
    vlan: Option<u16>,
    acknowledges: bool,
    segments: Vec<Segment>,
}

impl Conversation {
    /// Between two `address:port`s; both ends start at sequence numbers of their own.
    pub fn new(client: &str, server: &str) -> Self {
        let parse = |text: &str| -> SocketAddr {
            text.parse().unwrap_or_else(|_| panic!("not an address and port: {text}"))
        };
        Self {
            // The sender of what goes to the server is the client.
            endpoints: PerDirection { to_server: parse(client), to_client: parse(server) },
            next_seq: PerDirection { to_server: 1000, to_client: 5000 },
            time: START,
            step: STEP,
            segment_size: SEGMENT_SIZE,
            vlan: None,
            acknowledges: true,
            segments: Vec::new(),
        }
    }

    /// Sets the time of the next segment.
    pub fn at(mut self, time: Timestamp) -> Self {
        self.time = time;
        self
    }

    /// The time of the next segment.
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// Lets time pass.
    pub fn wait(mut self, span: Duration) -> Self {
        self.time = self.time.plus(span);
        self
    }

    /// Sets the initial sequence numbers of client and server.
    pub fn sequence_numbers(mut self, client: u32, server: u32) -> Self {
        self.next_seq = PerDirection { to_server: client, to_client: server };
        self
    }

    /// Cuts what is sent from now on into segments of at most so many bytes.
    pub fn segment_size(mut self, size: usize) -> Self {
        assert!(size > 0, "a segment carries something");
        self.segment_size = size;
        self
    }

    /// Puts every frame from now on into a VLAN.
    pub fn vlan(mut self, id: u16) -> Self {
        self.vlan = Some(id);
        self
    }

    /// Leaves out the acknowledgements that carry no data.
    pub fn without_acknowledgements(mut self) -> Self {
        self.acknowledges = false;
        self
    }

    /// SYN, SYN-ACK, ACK.
    pub fn handshake(self) -> Self {
        self.segment(Direction::ToServer, tcp_flags::SYN, b"")
            .segment(Direction::ToClient, tcp_flags::SYN | tcp_flags::ACK, b"")
            .segment(Direction::ToServer, tcp_flags::ACK, b"")
    }

    /// The client sends data, the server acknowledges.
    pub fn client_sends(self, data: impl AsRef<[u8]>) -> Self {
        self.sends(Direction::ToServer, data.as_ref())
    }

    /// The server sends data, the client acknowledges.
    pub fn server_sends(self, data: impl AsRef<[u8]>) -> Self {
        self.sends(Direction::ToClient, data.as_ref())
    }

    /// One side sends data, the other acknowledges.
    pub fn sends(mut self, direction: Direction, data: &[u8]) -> Self {
        for piece in data.chunks(self.segment_size) {
            self = self.segment(direction, tcp_flags::PSH | tcp_flags::ACK, piece);
        }
        if self.acknowledges { self.segment(direction.opposite(), tcp_flags::ACK, b"") } else { self }
    }

    /// One side counts bytes as sent that the capture does not have.
    pub fn loses(mut self, direction: Direction, count: u32) -> Self {
        self.next_seq[direction] = self.next_seq[direction].wrapping_add(count);
        self
    }

    /// The sequence number of the next byte that one side sends.
    pub fn next_seq(&self, direction: Direction) -> u32 {
        self.next_seq[direction]
    }

    /// One side sends next what has this sequence number.
    pub fn continue_at(mut self, direction: Direction, seq: u32) -> Self {
        self.next_seq[direction] = seq;
        self
    }

    /// FIN of the client, ACK, FIN of the server, ACK.
    pub fn close(self) -> Self {
        self.segment(Direction::ToServer, tcp_flags::FIN | tcp_flags::ACK, b"")
            .segment(Direction::ToClient, tcp_flags::ACK, b"")
            .segment(Direction::ToClient, tcp_flags::FIN | tcp_flags::ACK, b"")
            .segment(Direction::ToServer, tcp_flags::ACK, b"")
    }

    /// One side resets.
    pub fn reset(self, direction: Direction) -> Self {
        self.segment(direction, tcp_flags::RST | tcp_flags::ACK, b"")
    }

    /// One segment with the flags given.
    pub fn segment(mut self, direction: Direction, flags: u8, data: &[u8]) -> Self {
        let seq = self.next_seq[direction];
        let ack = if flags & tcp_flags::ACK != 0 { self.next_seq[direction.opposite()] } else { 0 };
        let from = self.endpoints[direction];
        let to = self.endpoints[direction.opposite()];
        let frame = Frame::ethernet();
        let frame = match self.vlan {
            Some(id) => frame.vlan(id),
            None => frame,
        };
        let (from_address, to_address): (IpAddr, IpAddr) = (from.ip(), to.ip());
        let bytes = frame
            .ip(from_address, to_address)
            .tcp(from.port(), to.port())
            .flags(flags)
            .seq(seq)
            .ack(ack)
            .payload(data)
            .build();
        let taken = data.len() as u32 + u32::from(flags & (tcp_flags::SYN | tcp_flags::FIN) != 0);
        self.next_seq[direction] = seq.wrapping_add(taken);
        self.segments.push(Segment { direction, seq, frame: TimedFrame { time: self.time, bytes } });
        self.time = self.time.plus(self.step);
        self
    }

    /// The segments in the order sent.
    pub fn segments(self) -> Vec<Segment> {
        self.segments
    }

    /// The frames in the order sent.
    pub fn frames(self) -> Vec<TimedFrame> {
        self.segments.into_iter().map(|segment| segment.frame).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_go_on() {
        let segments = Conversation::new("[::1]:1", "[::2]:2")
            .handshake()
            .segment_size(3)
            .client_sends(b"abcd")
            .loses(Direction::ToServer, 10)
            .close()
            .segments();
        let seqs: Vec<(Direction, u32)> = segments.iter().map(|s| (s.direction, s.seq)).collect();
        use Direction::{ToClient, ToServer};
        assert_eq!(
            seqs,
            [
                (ToServer, 1000),
                (ToClient, 5000),
                (ToServer, 1001),
                (ToServer, 1001),
                (ToServer, 1004),
                (ToClient, 5001),
                (ToServer, 1015),
                (ToClient, 5001),
                (ToClient, 5001),
                (ToServer, 1016),
            ]
        );
        assert!(segments.is_sorted_by_key(|s| s.frame.time));
    }
}
