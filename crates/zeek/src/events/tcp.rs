//! Events of TCP connections, by what a segment changed.
//!
//! Zeek's manual says what each stands for; it tells of a segment's events in this order.

use weir_base::EventValue;
use weir_packet::{Packet, Tcp};

use super::Own;
use crate::connection::{Connection, TcpState, TcpStates};
use crate::rows::Rows;

/// Flags of segments as letters, in Zeek's order.
const LETTERS: [(u8, u8); 8] = [
    (Tcp::SYN, b'S'),
    (Tcp::FIN, b'F'),
    (Tcp::RST, b'R'),
    (Tcp::ACK, b'A'),
    (Tcp::PSH, b'P'),
    (Tcp::URG, b'U'),
    (Tcp::ECE, b'E'),
    (Tcp::CWR, b'C'),
];

/// A connection before a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    states: TcpStates,
    letters: usize,
}

impl Before {
    /// Of a connection, where it is one of TCP.
    pub(crate) fn of(connection: &Connection) -> Option<Self> {
        Some(Self { states: connection.tcp_states()?, letters: connection.history().len() })
    }

    /// Raises the events of what a segment of the originator, or of the responder, changed.
    pub(crate) fn raise(
        self,
        connection: &mut Connection,
        originator: bool,
        packet: &Packet<'_>,
        rows: &mut Rows<'_>,
    ) {
        let (Some(tcp), Some(now)) = (packet.tcp(), connection.tcp_states()) else { return };
        let of = |event: Own, connection: &Connection, rows: &mut Rows<'_>| {
            rows.raise(event, Some(connection), &[EventValue::Connection]);
        };
        if tcp.has(Tcp::SYN) {
            syn_packet(connection, originator, packet, tcp, rows);
        }
        let (old, new) = (self.states.end(originator), now.end(originator));
        let (old_peer, peer) = (self.states.end(!originator), now.end(!originator));
        if tcp.has(Tcp::SYN)
            && !originator
            && old != TcpState::Established
            && new == TcpState::Established
            && peer != TcpState::Partial
        {
            of(Own::Established, connection, rows);
        }
        if tcp.has(Tcp::ACK)
            && originator
            && matches!(new, TcpState::Established | TcpState::SynSent)
            && connection.is_first_ack()
        {
            of(Own::FirstAck, connection, rows);
        }
        if old == TcpState::Inactive && new == TcpState::Partial && peer == TcpState::Partial {
            of(Own::Partial, connection, rows);
        }
        if old != TcpState::Reset && new == TcpState::Reset {
            let is_answer = matches!(old_peer, TcpState::SynSent | TcpState::SynAckSent);
            if old == TcpState::Inactive && is_answer {
                of(Own::Rejected, connection, rows);
            } else if old_peer != TcpState::Inactive && old != TcpState::Inactive {
                of(Own::Reset, connection, rows);
            }
        }
        let [orig, resp] = [0, 1].map(|side| self.states.closed.get(side) != now.closed.get(side));
        for (has_ended, is_orig) in [(orig, true), (resp, false)] {
            if has_ended {
                let arguments = [EventValue::Connection, EventValue::Bool(is_orig)];
                rows.raise(Own::Eof, Some(connection), &arguments);
            }
        }
        if self.states.closed != now.closed && new != TcpState::Reset && peer != TcpState::Reset {
            if now.closed == [true; 2] {
                of(Own::Finished, connection, rows);
            } else if peer == TcpState::Inactive {
                of(Own::HalfFinished, connection, rows);
            }
        }
        repeated(connection, self.letters, rows);
    }
}

/// Raises the events of letters that are counted, behind the first `known` ones of the history.
pub(crate) fn repeated(connection: &Connection, known: usize, rows: &mut Rows<'_>) {
    let history = connection.history();
    for (place, &letter) in history.iter().enumerate().skip(known) {
        let event = match letter.to_ascii_uppercase() {
            b'T' => Own::MultipleRetransmissions,
            b'W' => Own::MultipleZeroWindows,
            b'G' => Own::MultipleGaps,
            b'C' if connection.is_tcp() => Own::MultipleChecksums,
            b'C' => Own::UdpMultipleChecksums,
            _ => continue,
        };
        // The first of them is no news; each further one stands for ten times as many.
        let before = history.get(..place).unwrap_or_default();
        let many = before.iter().filter(|known| **known == letter).count();
        if many > 0 {
            let threshold = 10_u64.saturating_pow(u32::try_from(many).unwrap_or(u32::MAX));
            let is_orig = letter.is_ascii_uppercase();
            let arguments = [EventValue::Connection, EventValue::Bool(is_orig), EventValue::Count(threshold)];
            rows.raise(event, Some(connection), &arguments);
        }
    }
}

/// Raises `connection_SYN_packet`.
fn syn_packet(
    connection: &Connection,
    originator: bool,
    packet: &Packet<'_>,
    tcp: &Tcp<'_>,
    rows: &mut Rows<'_>,
) {
    if !rows.handles(Own::SynPacket) {
        return;
    }
    let Some(ip) = packet.ip.as_ref() else { return };
    let (fragments, size) = match ip {
        weir_packet::Ip::V4(v4) => (v4.dont_fragment, u64::from(v4.total_length)),
        weir_packet::Ip::V6(v6) => (false, u64::from(v6.payload_length) + 40),
    };
    let options = &tcp.options;
    let stamp = options.timestamp;
    let fields = [
        EventValue::Bool(originator),
        EventValue::Bool(fragments),
        EventValue::Count(u64::from(ip.ttl())),
        EventValue::Count(size),
        EventValue::Count(u64::from(tcp.window)),
        EventValue::Int(options.window_scale.map_or(-1, i64::from)),
        EventValue::Count(options.mss.map_or(0, u64::from)),
        EventValue::Bool(options.sack_permitted),
        EventValue::count(stamp.map(|(value, _)| value)),
        EventValue::count(stamp.map(|(_, echo)| echo)),
    ];
    rows.raise(Own::SynPacket, Some(connection), &[EventValue::Connection, EventValue::Record(&fields)]);
}

/// Raises `tcp_packet` and `tcp_option`.
pub(super) fn packet(connection: &Connection, originator: bool, packet: &Packet<'_>, rows: &mut Rows<'_>) {
    let Some(tcp) = packet.tcp() else { return };
    let relative = connection.relative(originator, tcp.seq, tcp.ack);
    if rows.handles(Own::TcpPacket) {
        let letters: Vec<u8> =
            LETTERS.iter().filter(|(flag, _)| tcp.has(*flag)).map(|(_, letter)| *letter).collect();
        let arguments = [
            EventValue::Connection,
            EventValue::Bool(originator),
            EventValue::String(&letters),
            EventValue::Count(relative.0),
            EventValue::Count(relative.1),
            EventValue::Count(packet.payload.len() as u64),
            EventValue::String(packet.payload),
        ];
        rows.raise(Own::TcpPacket, Some(connection), &arguments);
    }
    if rows.handles(Own::TcpOption) {
        super::packet::each_option(tcp.header, |kind, length| {
            let arguments = [
                EventValue::Connection,
                EventValue::Bool(originator),
                EventValue::Count(u64::from(kind)),
                EventValue::Count(u64::from(length)),
            ];
            rows.raise(Own::TcpOption, Some(connection), &arguments);
        });
    }
}
