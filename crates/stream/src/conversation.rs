//! Conversations for the tests of this crate: packets made from their fields, and a sink that
//! writes down what it gets.

use std::net::Ipv4Addr;

use weir_base::{Delivery, Direction, PerDirection, Piece, Recipients, Timestamp};
use weir_packet::{Ip, Ipv4, LinkType, Packet, RawPacket, Tcp, Transport};

use crate::outcome::StreamOutcome;
use crate::session::TcpSession;
use crate::settings::StreamSettings;
use crate::shared::StreamShared;
use crate::sink::StreamSink;

pub(crate) use weir_base::Direction::{ToClient, ToServer};

pub(crate) const CLIENT_ISN: u32 = 3_138_218_736;
pub(crate) const SERVER_ISN: u32 = u32::MAX - 5;

pub(crate) const SYN: u8 = Tcp::SYN;
pub(crate) const ACK: u8 = Tcp::ACK;
pub(crate) const FIN: u8 = Tcp::FIN;
pub(crate) const RST: u8 = Tcp::RST;

/// A delivery to a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Data(Direction, u64, Vec<u8>),
    Gap(Direction, u64, u64),
    Close(Direction),
    Beyond(u64, Vec<u8>),
    GapBeyond(u64, u64),
}

/// Writes down what it is given.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) given: Vec<Given>,
    pub(crate) bytes: PerDirection<Vec<u8>>,
    pub(crate) arrivals: Vec<(u64, Timestamp)>,
}

impl StreamSink for Log {
    fn take(&mut self, delivery: Delivery<'_>) {
        let Delivery { direction, to, piece } = delivery;
        if let Piece::Data { offset, bytes, arrivals } = piece {
            assert!(!bytes.is_empty());
            assert_eq!(arrivals.first().map(|a| a.0), Some(offset));
            if to == Recipients::All {
                self.bytes[direction].extend_from_slice(bytes);
                self.arrivals.extend_from_slice(arrivals);
            }
        }
        self.given.push(match (to, piece) {
            (Recipients::All, Piece::Data { offset, bytes, .. }) => {
                Given::Data(direction, offset, bytes.to_vec())
            }
            (Recipients::All, Piece::Gap { offset, length }) => {
                assert!(length > 0);
                Given::Gap(direction, offset, length)
            }
            (Recipients::All, Piece::End) => Given::Close(direction),
            (Recipients::ZeekBeyondDepth, Piece::Data { offset, bytes, .. }) => {
                Given::Beyond(offset, bytes.to_vec())
            }
            (Recipients::ZeekBeyondDepth, Piece::Gap { offset, length }) => Given::GapBeyond(offset, length),
            (Recipients::ZeekEarly, _) => return,
            (_, Piece::End | Piece::Datagram(_)) => panic!("a stream has no such piece"),
        });
    }
}

/// One packet: `seq` and `ack` count from the sides' first bytes (zero is the first byte, -1 the
/// SYN).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) direction: Direction,
    pub(crate) flags: u8,
    pub(crate) seq: i64,
    pub(crate) ack: i64,
    pub(crate) payload: &'a [u8],
    pub(crate) tcp: Tcp<'a>,
}

pub(crate) fn step(direction: Direction, flags: u8, seq: i64, ack: i64, payload: &[u8]) -> Step<'_> {
    let tcp = Tcp { window: 65535, ..Tcp::default() };
    Step { direction, flags, seq, ack, payload, tcp }
}

/// A session with its surroundings.
pub(crate) struct Conversation {
    pub(crate) session: TcpSession,
    pub(crate) settings: StreamSettings,
    pub(crate) shared: StreamShared,
    pub(crate) log: Log,
    number: u64,
}

impl Conversation {
    pub(crate) fn new(change: impl FnOnce(&mut StreamSettings)) -> Self {
        let mut settings = StreamSettings::default();
        change(&mut settings);
        Self {
            session: TcpSession::new(&settings),
            settings,
            shared: StreamShared::new(),
            log: Log::default(),
            number: 0,
        }
    }

    /// After its handshake.
    pub(crate) fn established(change: impl FnOnce(&mut StreamSettings)) -> Self {
        let mut made = Self::new(change);
        made.handshake();
        made
    }

    pub(crate) fn handshake(&mut self) {
        self.send(ToServer, SYN, -1, 0, b"");
        self.send(ToClient, SYN | ACK, -1, 0, b"");
        let outcome = self.send(ToServer, ACK, 0, 0, b"");
        assert!(outcome.established && outcome.events.is_empty(), "{outcome:?}");
    }

    pub(crate) fn send(
        &mut self,
        direction: Direction,
        flags: u8,
        seq: i64,
        ack: i64,
        payload: &[u8],
    ) -> StreamOutcome {
        self.take(step(direction, flags, seq, ack, payload))
    }

    pub(crate) fn take(&mut self, step: Step<'_>) -> StreamOutcome {
        self.number += 1;
        let (own, other) = match step.direction {
            ToServer => (CLIENT_ISN, SERVER_ISN),
            ToClient => (SERVER_ISN, CLIENT_ISN),
        };
        let number = |isn: u32, offset: i64| isn.wrapping_add(1).wrapping_add(offset as u32);
        let tcp = Tcp {
            seq: number(own, step.seq),
            ack: if step.flags & ACK == 0 { step.tcp.ack } else { number(other, step.ack) },
            flags: step.flags,
            ..step.tcp
        };
        let raw = RawPacket {
            number: self.number,
            time: Timestamp::new(100 + self.number, 0),
            link: LinkType::RAW,
            wire_length: 0,
            interface: 0,
            bytes: &[],
        };
        let ip = Ipv4 {
            header: &[],
            payload: &[],
            source: Ipv4Addr::new(10, 0, 0, 1),
            destination: Ipv4Addr::new(10, 0, 0, 2),
            protocol: 6,
            ttl: 64,
            tos: 0,
            id: 0,
            total_length: 0,
            reserved_flag: false,
            dont_fragment: false,
            more_fragments: false,
            fragment_offset: 0,
            options: Default::default(),
        };
        let packet = Packet {
            ip: Some(Ip::V4(ip)),
            transport: Transport::Tcp(tcp),
            payload: step.payload,
            ..Packet::empty(&raw)
        };
        let (settings, shared) = (&self.settings, &mut self.shared);
        let outcome = self.session.packet(&packet, step.direction, settings, shared, &mut self.log);
        self.session.prune(step.direction, settings, shared);
        outcome
    }

    /// Ends both directions.
    pub(crate) fn flush(&mut self) {
        for direction in Direction::BOTH {
            self.session.flush(direction, Timestamp::default(), &mut self.shared, &mut self.log);
            self.session.prune(direction, &self.settings, &mut self.shared);
        }
    }

    /// Takes the deliveries since the last call.
    pub(crate) fn given(&mut self) -> Vec<Given> {
        std::mem::take(&mut self.log.given)
    }
}
