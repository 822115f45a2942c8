//! Events of ICMP messages (RFC 792, 4443, 4861).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_base::event::transport;
use weir_base::{EventValue, Reader};
use weir_packet::{Ip, Packet, Transport};

use super::{Own, mld};
use crate::connection::Connection;
use crate::rows::Rows;

/// Bytes of the header that every message has.
const HEADER: usize = 8;

/// Most options of a message.
const MAX_OPTIONS: usize = 256;

/// A message.
struct Message<'a> {
    is_v6: bool,
    kind: u8,
    code: u8,
    ttl: u8,
    /// Length behind the header, as IP states it.
    length: u64,
    /// The four bytes behind the checksum.
    word: [u8; 4],
    /// What is behind the header.
    body: &'a [u8],
}

impl<'a> Message<'a> {
    fn of(packet: &Packet<'a>) -> Option<Self> {
        let is_v6 = match &packet.transport {
            Transport::Icmpv4(_) => false,
            Transport::Icmpv6(_) => true,
            _ => return None,
        };
        let (bytes, stated, ttl) = match packet.ip.as_ref()? {
            Ip::V4(ip) => {
                (ip.payload, u64::from(ip.total_length).saturating_sub(ip.header.len() as u64), ip.ttl)
            }
            Ip::V6(ip) => {
                let stated = u64::from(ip.payload_length).saturating_sub(ip.extensions.len() as u64);
                (ip.payload, stated, ip.hop_limit)
            }
        };
        let mut reader = Reader::new(bytes);
        let (kind, code) = (reader.u8()?, reader.u8()?);
        reader.skip(2)?;
        let word = reader.array()?;
        let length = stated.saturating_sub(HEADER as u64);
        Some(Self { is_v6, kind, code, ttl, length, word, body: reader.rest() })
    }

    fn info(&self) -> [EventValue<'static>; 5] {
        [
            EventValue::Bool(self.is_v6),
            EventValue::Count(self.kind.into()),
            EventValue::Count(self.code.into()),
            EventValue::Count(self.length),
            EventValue::Count(self.ttl.into()),
        ]
    }
}

/// Raises the events of a message of a connection.
pub(crate) fn message(connection: &Connection, packet: &Packet<'_>, rows: &mut Rows<'_>) {
    let Some(message) = Message::of(packet) else { return };
    match (message.is_v6, message.kind) {
        (false, 8) | (true, 128) => echo(Own::IcmpEchoRequest, connection, &message, rows),
        (false, 0) | (true, 129) => echo(Own::IcmpEchoReply, connection, &message, rows),
        (false, 3) | (true, 1) => context(Own::IcmpUnreachable, connection, &message, rows),
        (false, 11) | (true, 3) => context(Own::IcmpTimeExceeded, connection, &message, rows),
        (true, 2) => context(Own::IcmpPacketTooBig, connection, &message, rows),
        (true, 4) => context(Own::IcmpParameterProblem, connection, &message, rows),
        (true, 133) => neighbours(Own::IcmpRouterSolicitation, connection, &message, rows),
        (true, 134) => neighbours(Own::IcmpRouterAdvertisement, connection, &message, rows),
        (true, 135) => neighbours(Own::IcmpNeighborSolicitation, connection, &message, rows),
        (true, 136) => neighbours(Own::IcmpNeighborAdvertisement, connection, &message, rows),
        (true, 137) => neighbours(Own::IcmpRedirect, connection, &message, rows),
        (true, 131) => mld::first(Own::MldReportV1, connection, message.body, rows),
        (true, 132) => mld::first(Own::MldDoneV1, connection, message.body, rows),
        (true, 143) => {
            let [_, _, high, low] = message.word;
            mld::second(connection, u16::from_be_bytes([high, low]), message.body, rows);
        }
        (true, kind) if kind < 128 => context(Own::IcmpErrorMessage, connection, &message, rows),
        _ => {
            let info = message.info();
            let arguments = [EventValue::Connection, EventValue::Record(&info)];
            rows.raise(Own::IcmpSent, Some(connection), &arguments);
            let [first, second] = arguments;
            let arguments = [first, second, EventValue::String(message.body)];
            rows.raise(Own::IcmpSentPayload, Some(connection), &arguments);
        }
    }
}

fn echo(event: Own, connection: &Connection, message: &Message<'_>, rows: &mut Rows<'_>) {
    let [id_high, id_low, seq_high, seq_low] = message.word;
    let info = message.info();
    let arguments = [
        EventValue::Connection,
        EventValue::Record(&info),
        EventValue::Count(u16::from_be_bytes([id_high, id_low]).into()),
        EventValue::Count(u16::from_be_bytes([seq_high, seq_low]).into()),
        EventValue::String(message.body),
    ];
    rows.raise(event, Some(connection), &arguments);
}

/// The packet that an error quotes.
struct Quoted {
    ends: [IpAddr; 2],
    ports: [u16; 2],
    transport: u8,
    length: u64,
    offset: u64,
    is_short: bool,
    is_corrupt: bool,
    more: bool,
    whole: bool,
}

impl Quoted {
    const fn nothing(address: IpAddr) -> Self {
        Self {
            ends: [address; 2],
            ports: [0; 2],
            transport: transport::UNKNOWN,
            length: 0,
            offset: 0,
            is_short: true,
            is_corrupt: false,
            more: false,
            whole: false,
        }
    }

    fn v4(bytes: &[u8]) -> Self {
        Self::read_v4(bytes).unwrap_or(Self::nothing(IpAddr::V6(Ipv6Addr::UNSPECIFIED)))
    }

    fn read_v4(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let header = usize::from(reader.u8()? & 0x0f) * 4;
        reader.skip(1)?;
        let length = u64::from(reader.u16()?);
        reader.skip(2)?;
        let flags = reader.u16()?;
        reader.skip(1)?;
        let protocol = reader.u8()?;
        reader.skip(2)?;
        let ends =
            [reader.array::<4>()?, reader.array::<4>()?].map(|octets| IpAddr::V4(Ipv4Addr::from(octets)));
        let whole = bytes.get(..header)?;
        let mut quoted = Self {
            ends,
            length,
            offset: u64::from(flags & 0x1fff) * 8,
            more: flags & 0x2000 != 0,
            whole: flags & 0x4000 != 0,
            is_corrupt: sum(whole) != 0xffff,
            ..Self::nothing(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
        };
        quoted.above(protocol, bytes.get(header..).unwrap_or_default());
        Some(quoted)
    }

    fn v6(bytes: &[u8]) -> Self {
        Self::read_v6(bytes).unwrap_or(Self::nothing(IpAddr::V6(Ipv6Addr::UNSPECIFIED)))
    }

    fn read_v6(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        reader.skip(4)?;
        let length = u64::from(reader.u16()?) + 40;
        let protocol = reader.u8()?;
        reader.skip(1)?;
        let ends =
            [reader.array::<16>()?, reader.array::<16>()?].map(|octets| IpAddr::V6(Ipv6Addr::from(octets)));
        let mut quoted = Self { ends, length, ..Self::nothing(IpAddr::V6(Ipv6Addr::UNSPECIFIED)) };
        quoted.above(protocol, reader.rest());
        Some(quoted)
    }

    /// Takes in what is above IP.
    fn above(&mut self, protocol: u8, bytes: &[u8]) {
        let [a, b, c, d, ..] = bytes else { return };
        self.is_short = false;
        self.transport = transport::of_protocol(protocol);
        self.ports = match self.transport {
            transport::UNKNOWN => [0; 2],
            transport::ICMP => [u16::from(*a), counterpart(protocol, *a).unwrap_or(*b).into()],
            _ => [u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d])],
        };
    }
}

/// Returns the type that answers a type, where one does.
const fn counterpart(protocol: u8, kind: u8) -> Option<u8> {
    Some(match (protocol, kind) {
        (1, 0) => 8,
        (1, 8) => 0,
        (1, 9) => 10,
        (1, 10) => 9,
        (1, 13) => 14,
        (1, 14) => 13,
        (1, 15) => 16,
        (1, 16) => 15,
        (1, 17) => 18,
        (1, 18) => 17,
        (58, 128) => 129,
        (58, 129) => 128,
        (58, 130) => 131,
        (58, 131) => 130,
        (58, 133) => 134,
        (58, 134) => 133,
        (58, 135) => 136,
        (58, 136) => 135,
        _ => return None,
    })
}

/// The sum of a header in ones' complement (RFC 1071).
fn sum(header: &[u8]) -> u32 {
    let mut total: u32 = 0;
    for pair in header.chunks(2) {
        let high = pair.first().copied().unwrap_or(0);
        total += u32::from(u16::from_be_bytes([high, pair.get(1).copied().unwrap_or(0)]));
    }
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total
}

fn context(event: Own, connection: &Connection, message: &Message<'_>, rows: &mut Rows<'_>) {
    if !rows.handles(event) {
        return;
    }
    let quoted = if message.is_v6 { Quoted::v6(message.body) } else { Quoted::v4(message.body) };
    let [source, destination] = quoted.ends;
    let [source_port, destination_port] = quoted.ports;
    let id = [
        EventValue::Addr(source),
        EventValue::Port(source_port, quoted.transport),
        EventValue::Addr(destination),
        EventValue::Port(destination_port, quoted.transport),
        EventValue::Count(if message.is_v6 { 58 } else { 1 }),
        EventValue::Record(&[]),
    ];
    let fields = [
        EventValue::Record(&id),
        EventValue::Count(quoted.length),
        EventValue::Count(quoted.transport.into()),
        EventValue::Count(quoted.offset),
        EventValue::Bool(quoted.is_short),
        EventValue::Bool(quoted.is_corrupt),
        EventValue::Bool(quoted.more),
        EventValue::Bool(quoted.whole),
    ];
    let info = message.info();
    let arguments = [
        EventValue::Connection,
        EventValue::Record(&info),
        EventValue::Count(message.code.into()),
        EventValue::Record(&fields),
    ];
    rows.raise(event, Some(connection), &arguments);
}

/// Raises an event of neighbour discovery.
fn neighbours(event: Own, connection: &Connection, message: &Message<'_>, rows: &mut Rows<'_>) {
    if rows.handles(event) {
        // A message that is cut short has no event.
        let _ = raise_neighbours(event, connection, message, rows);
    }
}

fn raise_neighbours(
    event: Own,
    connection: &Connection,
    message: &Message<'_>,
    rows: &mut Rows<'_>,
) -> Option<()> {
    let info = message.info();
    let mut reader = Reader::new(message.body);
    let mut arguments = vec![EventValue::Connection, EventValue::Record(&info)];
    let [first, second, high, low] = message.word;
    let address =
        |reader: &mut Reader<'_>| Some(EventValue::Addr(IpAddr::V6(Ipv6Addr::from(reader.array::<16>()?))));
    let milliseconds = |value: u32| EventValue::Interval(f64::from(value) / 1000.0);
    match event {
        Own::IcmpRouterAdvertisement => {
            let flag = |bit: u8| EventValue::Bool(second & bit != 0);
            let (reachable, again) = (reader.u32()?, reader.u32()?);
            arguments.extend([
                EventValue::Count(first.into()),
                flag(0x80),
                flag(0x40),
                flag(0x20),
                EventValue::Count(u64::from((second >> 3) & 3)),
                flag(0x04),
                EventValue::Count(u64::from(second & 3)),
                EventValue::Interval(f64::from(u16::from_be_bytes([high, low]))),
                milliseconds(reachable),
                milliseconds(again),
            ]);
        }
        Own::IcmpNeighborAdvertisement => {
            let flag = |bit: u8| EventValue::Bool(first & bit != 0);
            arguments.extend([flag(0x80), flag(0x40), flag(0x20), address(&mut reader)?]);
        }
        Own::IcmpNeighborSolicitation => arguments.push(address(&mut reader)?),
        Own::IcmpRedirect => arguments.extend([address(&mut reader)?, address(&mut reader)?]),
        _ => {}
    }
    let options: Vec<NeighbourOption<'_>> = options(reader.rest());
    let fields: Vec<[EventValue<'_>; 7]> = options.iter().map(NeighbourOption::fields).collect();
    let records: Vec<EventValue<'_>> = fields.iter().map(|fields| EventValue::Record(fields)).collect();
    arguments.push(EventValue::List(&records));
    rows.raise(event, Some(connection), &arguments);
    Some(())
}

/// An option of neighbour discovery (RFC 4861 4.6).
struct NeighbourOption<'a> {
    kind: u8,
    /// In units of eight bytes.
    length: u8,
    body: &'a [u8],
    /// All of it is in the message.
    is_there: bool,
    prefix: Option<[EventValue<'static>; 6]>,
    mtu: Option<u32>,
}

fn options(bytes: &[u8]) -> Vec<NeighbourOption<'_>> {
    let mut found = Vec::new();
    let mut reader = Reader::new(bytes);
    while let (Some(kind), Some(length)) = (reader.u8(), reader.u8()) {
        let size = usize::from(length) * 8;
        let Some(size) = size.checked_sub(2) else { break };
        // The last one may say that it is longer than the message.
        let body = reader.take(size.min(reader.rest().len())).unwrap_or_default();
        let is_there = body.len() == size;
        let prefix = (is_there && kind == 3).then(|| prefix(body)).flatten();
        let mtu = (is_there && kind == 5).then(|| Reader::new(body.get(2..)?).u32()).flatten();
        found.push(NeighbourOption { kind, length, body, is_there, prefix, mtu });
        if found.len() >= MAX_OPTIONS {
            break;
        }
    }
    found
}

fn prefix(body: &[u8]) -> Option<[EventValue<'static>; 6]> {
    let mut reader = Reader::new(body);
    let (length, flags) = (reader.u8()?, reader.u8()?);
    let (valid, preferred) = (reader.u32()?, reader.u32()?);
    reader.skip(4)?;
    let prefix = Ipv6Addr::from(reader.array::<16>()?);
    Some([
        EventValue::Count(length.into()),
        EventValue::Bool(flags & 0x80 != 0),
        EventValue::Bool(flags & 0x40 != 0),
        EventValue::Interval(f64::from(valid)),
        EventValue::Interval(f64::from(preferred)),
        EventValue::Addr(IpAddr::V6(prefix)),
    ])
}

impl NeighbourOption<'_> {
    fn fields(&self) -> [EventValue<'_>; 7] {
        let is_read = self.prefix.is_some() || self.mtu.is_some();
        let is_link = self.is_there && matches!(self.kind, 1 | 2);
        [
            EventValue::Count(self.kind.into()),
            EventValue::Count(self.length.into()),
            if is_link { EventValue::String(self.body) } else { EventValue::Unset },
            self.prefix.as_ref().map_or(EventValue::Unset, |prefix| EventValue::Record(prefix)),
            EventValue::Unset,
            EventValue::count(self.mtu),
            if is_link || is_read { EventValue::Unset } else { EventValue::String(self.body) },
        ]
    }
}
