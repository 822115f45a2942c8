//! Events of TCP connections, by what a segment changed.
//!
//! Zeek's manual says what each stands for; it tells of a segment's events in this order.

use weir_base::event::Nested;
use weir_base::{EventValue, Reader};
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
#[derive(Clone, Debug)]
pub(crate) struct Before {
    states: TcpStates,
    letters: usize,
    /// Holes that the segment acknowledges, where scripts ask for them.
    holes: Vec<(u64, u64)>,
}

impl Before {
    /// Of a connection, where it is one of TCP.
    pub(crate) fn of(
        connection: &Connection,
        originator: bool,
        packet: &Packet<'_>,
        rows: &Rows<'_>,
    ) -> Option<Self> {
        let states = connection.tcp_states()?;
        let asks = rows.handles(Own::ContentGap);
        let holes = if asks { connection.holes(originator, packet) } else { Vec::new() };
        Some(Self { states, letters: connection.history().len(), holes })
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
        for (place, length) in &self.holes {
            let numbers = [*place, *length].map(EventValue::Count);
            let [place, length] = numbers;
            let arguments = [EventValue::Connection, EventValue::Bool(!originator), place, length];
            rows.raise(Own::ContentGap, Some(connection), &arguments);
        }
    }
}

/// Kinds of options (RFC 9293 3.2, RFC 7323, RFC 2018, RFC 4782).
mod option {
    pub(super) const SEGMENT_SIZE: u8 = 2;
    pub(super) const WINDOW_SCALE: u8 = 3;
    pub(super) const MAY_ACKNOWLEDGE: u8 = 4;
    pub(super) const ACKNOWLEDGED: u8 = 5;
    pub(super) const TIMESTAMPS: u8 = 8;
    pub(super) const QUICK_START: u8 = 27;
}

/// Returns an option as `TCP::Option`: kind, length, its bytes where nothing is known of them, and what else it says.
fn option_fields<'a>(kind: u8, whole: &'a [u8]) -> Nested<'a> {
    let data = whole.get(2..).unwrap_or_default();
    let mut reader = Reader::new(data);
    let (mut size, mut scale, mut blocks) = (None, None, None);
    let (mut stamps, mut quick) = (None, None);
    match (kind, data.len()) {
        (option::SEGMENT_SIZE, 2) => size = reader.u16(),
        (option::WINDOW_SCALE, 1) => scale = reader.u8(),
        (option::ACKNOWLEDGED, _) => {
            blocks = Some(std::iter::from_fn(|| reader.u32()).map(Nested::from).collect());
        }
        (option::TIMESTAMPS, 8) => stamps = reader.u32().zip(reader.u32()),
        (option::QUICK_START, 6) => quick = reader.u8().zip(reader.u8()).zip(reader.u32()),
        _ => {}
    }
    let is_known =
        size.is_some() || scale.is_some() || blocks.is_some() || stamps.is_some() || quick.is_some();
    let is_plain = !is_known && kind != option::MAY_ACKNOWLEDGE && !data.is_empty();
    let ((rate, ttl), nonce) = match quick {
        Some(((rate, ttl), nonce)) => ((Some(rate), Some(ttl)), Some(nonce)),
        None => ((None, None), None),
    };
    Nested::Record(vec![
        kind.into(),
        whole.len().into(),
        EventValue::bytes(is_plain.then_some(data)).into(),
        EventValue::count(size).into(),
        EventValue::count(scale).into(),
        blocks.map_or(Nested::Value(EventValue::Unset), Nested::List),
        EventValue::count(stamps.map(|(sent, _)| sent)).into(),
        EventValue::count(stamps.map(|(_, echo)| echo)).into(),
        EventValue::count(rate).into(),
        EventValue::count(ttl).into(),
        EventValue::count(nonce).into(),
    ])
}

/// Counts a segment into the statistics of its end, where scripts ask for them; raises the event of one that came before.
pub(super) fn count(connection: &mut Connection, originator: bool, packet: &Packet<'_>, rows: &mut Rows<'_>) {
    if !(rows.handles(Own::ConnStats) || rows.handles(Own::Retransmission)) {
        return;
    }
    if let Some(again) = connection.count_stats(originator, packet) {
        let numbers = [again.seq, again.length, again.in_flight, again.window].map(EventValue::Count);
        let [seq, length, in_flight, window] = numbers;
        let is_orig = EventValue::Bool(originator);
        let arguments = [EventValue::Connection, is_orig, seq, length, in_flight, window];
        rows.raise(Own::Retransmission, Some(connection), &arguments);
    }
}

/// Raises the statistics of a connection that is over.
pub(super) fn stats(connection: &Connection, rows: &mut Rows<'_>) {
    if let Some(stats) = connection.stats().filter(|_| rows.handles(Own::ConnStats)) {
        let [orig, resp] = stats.map(|stats| stats.fields().map(EventValue::Count));
        let arguments = [EventValue::Connection, EventValue::Record(&orig), EventValue::Record(&resp)];
        rows.raise(Own::ConnStats, Some(connection), &arguments);
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

/// Raises `tcp_packet`, `tcp_option` and `tcp_options`.
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
        super::packet::each_option(tcp.header, |kind, option| {
            let arguments = [
                EventValue::Connection,
                EventValue::Bool(originator),
                EventValue::Count(u64::from(kind)),
                EventValue::Count(option.len() as u64),
            ];
            rows.raise(Own::TcpOption, Some(connection), &arguments);
        });
    }
    if rows.handles(Own::TcpOptions) {
        let mut options = Vec::new();
        super::packet::each_option(tcp.header, |kind, option| options.push(option_fields(kind, option)));
        if !options.is_empty() {
            let options = Nested::List(options);
            let is_orig = EventValue::Bool(originator);
            let arguments = [EventValue::Connection, is_orig, EventValue::Nested(&options)];
            rows.raise(Own::TcpOptions, Some(connection), &arguments);
        }
    }
}
