//! Traffic written as it comes, for captures too large to hold: a clock, datagrams, and TCP connections of which many
//! are open at once.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use weir_base::{Direction, Duration, PerDirection, Timestamp};

use crate::conversation::{SEGMENT_SIZE, START};
use crate::frame::{Frame, tcp_flags};

/// Packets in a second of capture time.
pub const PACKETS_PER_SECOND: u64 = 600_000;
/// The one who attacks.
pub const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));
/// The one who is attacked.
pub const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 80));
/// Bytes of one side after which the other one acknowledges.
const ACKNOWLEDGE_AFTER: u32 = 8 * SEGMENT_SIZE as u32;

/// Where frames go, and the time of the next one.
pub struct Wire<'a> {
    out: &'a mut dyn FnMut(Timestamp, &[u8]),
    packets: u64,
    /// Pause since the last packet, in nanoseconds.
    waited: u64,
}

impl<'a> Wire<'a> {
    /// Sends to `out`, from [`START`] on.
    pub fn new(out: &'a mut dyn FnMut(Timestamp, &[u8])) -> Self {
        Self { out, packets: 0, waited: 0 }
    }

    /// One frame.
    pub fn send(&mut self, frame: &Frame) {
        let nanos = self.packets * (1_000_000_000 / PACKETS_PER_SECOND) + self.waited;
        self.packets += 1;
        (self.out)(Timestamp(START.0 + nanos), &frame.build());
    }

    /// Sends nothing for so long.
    pub fn wait(&mut self, time: Duration) {
        self.waited += time.as_nanos() as u64;
    }

    /// A datagram of one side, [`CLIENT`]'s or [`SERVER`]'s, whose ports these are.
    pub fn udp(&mut self, ports: (u16, u16), direction: Direction, data: &[u8]) {
        let frame = match direction {
            Direction::ToServer => Frame::ethernet().ip(CLIENT, SERVER).udp(ports.0, ports.1),
            Direction::ToClient => Frame::ethernet().ip(SERVER, CLIENT).udp(ports.1, ports.0),
        };
        self.send(&frame.payload(data));
    }

    /// A connection of [`CLIENT`] and [`SERVER`] between these ports.
    pub fn connect(&mut self, ports: (u16, u16)) -> Connection {
        self.connect_between((CLIENT, ports.0).into(), (SERVER, ports.1).into())
    }

    /// A connection, whose handshake is sent.
    pub fn connect_between(&mut self, client: SocketAddr, server: SocketAddr) -> Connection {
        let mut connection = Connection {
            ends: PerDirection { to_server: client, to_client: server },
            next: PerDirection { to_server: 1000, to_client: 5000 },
            open: PerDirection { to_server: 0, to_client: 0 },
        };
        for (direction, flags) in [
            (Direction::ToServer, tcp_flags::SYN),
            (Direction::ToClient, tcp_flags::SYN | tcp_flags::ACK),
            (Direction::ToServer, tcp_flags::ACK),
        ] {
            connection.segment(self, direction, flags, b"");
        }
        connection
    }
}

/// An open TCP connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// By what they send.
    ends: PerDirection<SocketAddr>,
    /// Sequence numbers of what they send next.
    next: PerDirection<u32>,
    /// Bytes that the other side did not acknowledge.
    open: PerDirection<u32>,
}

impl Connection {
    /// The client sends.
    pub fn client(&mut self, wire: &mut Wire<'_>, data: &[u8]) {
        self.sends(wire, Direction::ToServer, data);
    }

    /// The server sends.
    pub fn server(&mut self, wire: &mut Wire<'_>, data: &[u8]) {
        self.sends(wire, Direction::ToClient, data);
    }

    /// One side sends, in as few segments as it takes; the other one acknowledges now and then.
    pub fn sends(&mut self, wire: &mut Wire<'_>, direction: Direction, data: &[u8]) {
        for piece in data.chunks(SEGMENT_SIZE) {
            self.segment(wire, direction, tcp_flags::PSH | tcp_flags::ACK, piece);
            if self.open[direction] >= ACKNOWLEDGE_AFTER {
                self.segment(wire, direction.opposite(), tcp_flags::ACK, b"");
            }
        }
    }

    /// One side sends in segments of one byte.
    pub fn sends_bytewise(&mut self, wire: &mut Wire<'_>, direction: Direction, data: &[u8]) {
        for byte in data.chunks(1) {
            self.sends(wire, direction, byte);
        }
    }

    /// One side acknowledges what the other one sent.
    pub fn acknowledges(&mut self, wire: &mut Wire<'_>, direction: Direction) {
        self.segment(wire, direction, tcp_flags::ACK, b"");
    }

    /// One side counts bytes as sent that the capture does not have.
    pub fn loses(&mut self, direction: Direction, count: u32) {
        self.next[direction] = self.next[direction].wrapping_add(count);
    }

    /// Both ends close.
    pub fn close(&mut self, wire: &mut Wire<'_>) {
        for direction in Direction::BOTH {
            self.segment(wire, direction, tcp_flags::FIN | tcp_flags::ACK, b"");
            self.segment(wire, direction.opposite(), tcp_flags::ACK, b"");
        }
    }

    /// One segment with the flags given.
    pub fn segment(&mut self, wire: &mut Wire<'_>, direction: Direction, flags: u8, data: &[u8]) {
        let other = direction.opposite();
        let (from, to) = (self.ends[direction], self.ends[other]);
        let ack = if flags & tcp_flags::ACK == 0 { 0 } else { self.next[other] };
        let frame = Frame::ethernet().ip(from.ip(), to.ip()).tcp(from.port(), to.port()).flags(flags);
        wire.send(&frame.seq(self.next[direction]).ack(ack).payload(data));
        let taken = data.len() as u32 + u32::from(flags & (tcp_flags::SYN | tcp_flags::FIN) != 0);
        self.next[direction] = self.next[direction].wrapping_add(taken);
        self.open[direction] += data.len() as u32;
        self.open[other] = 0;
    }
}
