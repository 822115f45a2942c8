//! Events of traffic on their way from workers to scripts: their arguments, and the form of bytes in between.
//!
//! A message is its length, the capture's clock, the number of the packet, the number of the event's function and its
//! arguments, all integers little-endian. Whoever reads it knows the types that the event is declared with.

mod nested;
mod reading;
mod settings;
mod streams;

use std::net::IpAddr;

pub use nested::Nested;
pub use reading::*;
pub use settings::ScriptSettings;
pub use streams::{ReadStreams, StreamFindings, StreamReader};

use crate::Timestamp;

/// Transports of ports, as scripts number them.
pub mod transport {
    /// None known.
    pub const UNKNOWN: u8 = 0;
    /// TCP.
    pub const TCP: u8 = 1;
    /// UDP.
    pub const UDP: u8 = 2;
    /// ICMP.
    pub const ICMP: u8 = 3;

    /// Returns the number of the IP protocol that a transport is, where there is one.
    pub const fn protocol(transport: u8) -> Option<u64> {
        match transport {
            TCP => Some(6),
            UDP => Some(17),
            ICMP => Some(1),
            _ => None,
        }
    }

    /// Returns the transport of an IP protocol's number.
    pub const fn of_protocol(number: u8) -> u8 {
        match number {
            6 => TCP,
            17 => UDP,
            1 | 58 => ICMP,
            _ => UNKNOWN,
        }
    }
}

/// The number of the pseudo event that only moves the clock.
pub const CLOCK: u32 = u32::MAX;

/// The number of the pseudo event that says that a connection is over: its argument is the id.
pub const FORGET: u32 = u32::MAX - 1;

/// The number of the pseudo event that is a row of a log: its arguments are the log's name and a table of columns.
pub const ROW: u32 = u32::MAX - 2;

/// The number of the pseudo event of an end's first packet, for signatures: connection, whether it is the originator's, the
/// header of IP, the header above it, and the length of the payload where that is a datagram.
pub const FIRST_PACKET: u32 = u32::MAX - 3;

/// The number of the pseudo event of payload, for signatures: connection, whether the originator sent it, whether it is a
/// datagram, the bytes, and of a stream their place in it.
pub const PAYLOAD: u32 = u32::MAX - 4;

/// The number of the pseudo event of a captured packet: when it was captured, its length on the wire, the type of its link,
/// its bytes, and its headers as a record.
pub const PACKET: u32 = u32::MAX - 5;

/// The number of the pseudo event of a piece of a file, for scripts that follow files. Its arguments are: connection, id of
/// the file, source, whether the originator sends it, name, depth, length where that is known, type where the protocol
/// tells it, whether parts of it come by themselves, offset and bytes of the piece, at its end the length that was reached,
/// and when it was captured.
pub const FILE: u32 = u32::MAX - 6;

/// Takes the events of a file: the name of each, and its arguments behind the file.
pub type RaiseOfFile<'a> = dyn FnMut(&'static str, &[EventValue<'_>]) + 'a;

/// A reader of files of a kind for events of scripts.
#[derive(Clone, Copy, Debug)]
pub struct FileReader {
    /// The name of the analyzer that scripts attach (`X509`).
    pub analyzer: &'static str,
    /// Tells of a whole file.
    pub events: fn(&[u8], &mut RaiseOfFile<'_>),
}

/// The payload of each connection that signatures are matched against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PayloadExtent {
    /// Until both ends have sent so many bytes together.
    Beginning(u64),
    /// All of it.
    All,
}

impl PayloadExtent {
    /// Returns whether a piece is matched, when the ends have sent so many bytes before.
    pub const fn has(self, sent: u64) -> bool {
        match self {
            Self::Beginning(most) => sent <= most,
            Self::All => true,
        }
    }
}

/// Deepest nesting of an argument.
const MAX_DEPTH: u8 = 16;

/// An argument of an event.
#[derive(Clone, Copy, Debug)]
pub enum EventValue<'a> {
    /// A field that is absent.
    Unset,
    /// `bool`
    Bool(bool),
    /// `count`
    Count(u64),
    /// `int`
    Int(i64),
    /// `double`
    Double(f64),
    /// `time`
    Time(Timestamp),
    /// `time` in seconds since 1970, where that may be before.
    Moment(f64),
    /// `interval`, in seconds
    Interval(f64),
    /// `string`, any bytes
    String(&'a [u8]),
    /// `addr`
    Addr(IpAddr),
    /// `port`, with its transport
    Port(u16, u8),
    /// `subnet`
    Subnet(IpAddr, u8),
    /// A value of an enumeration, by its full name.
    Enum(&'a str),
    /// A record: its fields in the order of their declaration.
    Record(&'a [EventValue<'a>]),
    /// A vector or set.
    List(&'a [EventValue<'a>]),
    /// A table: indices, each followed by its value.
    Table(&'a [EventValue<'a>]),
    /// An index of several parts.
    Index(&'a [EventValue<'a>]),
    /// An opaque value of these bytes, as a certificate.
    Opaque(&'a [u8]),
    /// The connection of the event.
    Connection,
    /// The file of the event.
    File(&'a FileState<'a>),
    /// A value that owns its parts.
    Nested(&'a Nested<'a>),
}

impl<'a> EventValue<'a> {
    /// Returns text.
    pub const fn text(text: &'a str) -> Self {
        Self::String(text.as_bytes())
    }

    /// Returns bytes where there are some.
    pub fn bytes(bytes: Option<&'a [u8]>) -> Self {
        bytes.map_or(Self::Unset, Self::String)
    }

    /// Returns a number where there is one.
    pub fn count(count: Option<impl Into<u64>>) -> Self {
        count.map_or(Self::Unset, |count| Self::Count(count.into()))
    }
}

impl From<bool> for EventValue<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

macro_rules! counts {
    ($($from:ty)*) => {$(
        impl From<$from> for EventValue<'_> {
            fn from(value: $from) -> Self {
                Self::Count(value as u64)
            }
        }
    )*};
}

counts!(u8 u16 u32 u64 usize);

impl<'a> From<&'a [u8]> for EventValue<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::String(value)
    }
}

impl<'a> From<&'a str> for EventValue<'a> {
    fn from(value: &'a str) -> Self {
        Self::text(value)
    }
}

impl<'a> From<&'a Vec<u8>> for EventValue<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Self::String(value)
    }
}

impl<'a> From<&'a String> for EventValue<'a> {
    fn from(value: &'a String) -> Self {
        Self::text(value)
    }
}

impl From<IpAddr> for EventValue<'_> {
    fn from(value: IpAddr) -> Self {
        Self::Addr(value)
    }
}

impl From<Timestamp> for EventValue<'_> {
    fn from(value: Timestamp) -> Self {
        Self::Time(value)
    }
}

/// One end of a connection as scripts see it.
#[derive(Clone, Copy, Debug)]
pub struct EndState {
    /// Its address.
    pub address: IpAddr,
    /// Its port, or the type or code of ICMP.
    pub port: u16,
    /// Bytes of payload that it sent.
    pub size: u64,
    /// Its state by Zeek's numbers.
    pub state: u8,
    /// Packets that it sent.
    pub packets: u64,
    /// Bytes of its packets from IP on.
    pub ip_bytes: u64,
    /// Flow label of its last packet.
    pub flow_label: u32,
    /// Its link-layer address, where that is known.
    pub link: Option<[u8; 6]>,
}

/// A tunnel around a connection.
#[derive(Clone, Debug)]
pub struct TunnelState {
    /// The outer connection's id.
    pub uid: Box<[u8]>,
    /// Its kind, as `Tunnel::GRE`.
    pub kind: &'static str,
    /// Addresses and ports of its ends; ports are 0 where it lies directly over IP.
    pub ends: [(IpAddr, u16); 2],
    /// The number of what carries it.
    pub protocol: u8,
}

/// A connection as scripts see it when an event is raised.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionState<'a> {
    /// Its id.
    pub uid: &'a [u8],
    /// The originator and the responder.
    pub ends: [EndState; 2],
    /// The number of what carries it.
    pub protocol: u8,
    /// When its first packet was captured.
    pub start: Timestamp,
    /// Nanoseconds from the first packet to the last.
    pub duration: u64,
    /// History of it, a letter for each step.
    pub history: &'a [u8],
    /// Its protocols by the names of rows.
    pub services: &'a [&'static str],
    /// The tags of its VLANs.
    pub vlans: [Option<u16>; 2],
    /// The tunnels that it was met in, from the outermost on.
    pub tunnels: &'a [TunnelState],
    /// Whether all that is said here is known; else only ends, protocol and beginning.
    pub is_whole: bool,
}

/// A file as scripts see it when an event is raised.
#[derive(Clone, Copy, Debug)]
pub struct FileState<'a> {
    /// Its id.
    pub id: &'a [u8],
    /// The name of the analyzer that it is from.
    pub source: &'a [u8],
    /// Whether the originator sent it.
    pub is_orig: Option<bool>,
    /// When its first byte was captured.
    pub first_seen: Timestamp,
    /// When its last byte was captured.
    pub last_active: Timestamp,
    /// Bytes that were seen.
    pub seen: u64,
    /// Bytes that it has, where that is known.
    pub total: Option<u64>,
    /// Bytes that were missed.
    pub missing: u64,
    /// Its first bytes.
    pub head: &'a [u8],
    /// Its type, where it is known.
    pub mime_type: Option<&'a str>,
    /// Its name; empty where there is none.
    pub filename: &'a [u8],
    /// Its place among the files of its source and direction.
    pub depth: u64,
}

/// Tags of arguments.
mod tag {
    pub const UNSET: u8 = 0;
    pub const BOOL: u8 = 1;
    pub const COUNT: u8 = 2;
    pub const INT: u8 = 3;
    pub const DOUBLE: u8 = 4;
    pub const TIME: u8 = 5;
    pub const MOMENT: u8 = 6;
    pub const INTERVAL: u8 = 7;
    pub const STRING: u8 = 8;
    pub const ADDR: u8 = 9;
    pub const PORT: u8 = 10;
    pub const SUBNET: u8 = 11;
    pub const ENUM: u8 = 12;
    pub const RECORD: u8 = 13;
    pub const LIST: u8 = 14;
    pub const TABLE: u8 = 15;
    pub const INDEX: u8 = 16;
    pub const OPAQUE: u8 = 17;
    pub const CONNECTION: u8 = 18;
    pub const FILE: u8 = 19;
}

/// Appends a message.
pub fn write(
    out: &mut Vec<u8>,
    (clock, packet): (Timestamp, u64),
    function: u32,
    arguments: &[EventValue<'_>],
    connection: Option<&ConnectionState<'_>>,
) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&clock.0.to_le_bytes());
    out.extend_from_slice(&packet.to_le_bytes());
    out.extend_from_slice(&function.to_le_bytes());
    append_count(out, arguments.len());
    for argument in arguments {
        append(out, argument, connection);
    }
    let length = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
    if let Some(place) = out.get_mut(start..start + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}

fn append_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn append_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    append_count(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn append_address(out: &mut Vec<u8>, address: IpAddr) {
    let octets = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    };
    out.extend_from_slice(&octets);
}

fn append(out: &mut Vec<u8>, value: &EventValue<'_>, connection: Option<&ConnectionState<'_>>) {
    let mut fixed = |tag: u8, bytes: &[u8]| {
        out.push(tag);
        out.extend_from_slice(bytes);
    };
    match value {
        EventValue::Unset => fixed(tag::UNSET, &[]),
        EventValue::Bool(value) => fixed(tag::BOOL, &[u8::from(*value)]),
        EventValue::Count(value) => fixed(tag::COUNT, &value.to_le_bytes()),
        EventValue::Int(value) => fixed(tag::INT, &value.to_le_bytes()),
        EventValue::Double(value) => fixed(tag::DOUBLE, &value.to_bits().to_le_bytes()),
        EventValue::Time(value) => fixed(tag::TIME, &value.0.to_le_bytes()),
        EventValue::Moment(value) => fixed(tag::MOMENT, &value.to_bits().to_le_bytes()),
        EventValue::Interval(value) => fixed(tag::INTERVAL, &value.to_bits().to_le_bytes()),
        EventValue::Port(number, transport) => {
            fixed(tag::PORT, &number.to_le_bytes());
            out.push(*transport);
        }
        EventValue::String(bytes) => {
            out.push(tag::STRING);
            append_bytes(out, bytes);
        }
        EventValue::Opaque(bytes) => {
            out.push(tag::OPAQUE);
            append_bytes(out, bytes);
        }
        EventValue::Enum(name) => {
            out.push(tag::ENUM);
            append_bytes(out, name.as_bytes());
        }
        EventValue::Addr(address) => {
            out.push(tag::ADDR);
            append_address(out, *address);
        }
        EventValue::Subnet(address, length) => {
            out.push(tag::SUBNET);
            append_address(out, *address);
            out.push(*length);
        }
        EventValue::Record(parts) => append_parts(out, tag::RECORD, parts, connection),
        EventValue::List(parts) => append_parts(out, tag::LIST, parts, connection),
        EventValue::Table(parts) => append_parts(out, tag::TABLE, parts, connection),
        EventValue::Index(parts) => append_parts(out, tag::INDEX, parts, connection),
        EventValue::Connection => match connection {
            Some(connection) => append_connection(out, connection),
            None => out.push(tag::UNSET),
        },
        EventValue::File(file) => append_file(out, file, connection),
        EventValue::Nested(nested) => nested.append(out, connection),
    }
}

fn append_parts(
    out: &mut Vec<u8>,
    tag: u8,
    parts: &[EventValue<'_>],
    connection: Option<&ConnectionState<'_>>,
) {
    out.push(tag);
    append_count(out, parts.len());
    for part in parts {
        append(out, part, connection);
    }
}

fn append_connection(out: &mut Vec<u8>, connection: &ConnectionState<'_>) {
    out.push(tag::CONNECTION);
    append_bytes(out, connection.uid);
    for end in &connection.ends {
        append_address(out, end.address);
        out.extend_from_slice(&end.port.to_le_bytes());
        out.extend_from_slice(&end.size.to_le_bytes());
        out.push(end.state);
        out.extend_from_slice(&end.packets.to_le_bytes());
        out.extend_from_slice(&end.ip_bytes.to_le_bytes());
        out.extend_from_slice(&end.flow_label.to_le_bytes());
        append_bytes(out, end.link.as_ref().map_or(&[], |link| link));
    }
    out.push(connection.protocol);
    out.extend_from_slice(&connection.start.0.to_le_bytes());
    out.extend_from_slice(&connection.duration.to_le_bytes());
    append_bytes(out, connection.history);
    append_count(out, connection.services.len());
    for service in connection.services {
        append_bytes(out, service.as_bytes());
    }
    for vlan in connection.vlans {
        out.extend_from_slice(&vlan.map_or(-1, i32::from).to_le_bytes());
    }
    append_count(out, connection.tunnels.len());
    for tunnel in connection.tunnels {
        append_bytes(out, &tunnel.uid);
        append_bytes(out, tunnel.kind.as_bytes());
        for (address, port) in tunnel.ends {
            append_address(out, address);
            out.extend_from_slice(&port.to_le_bytes());
        }
        out.push(tunnel.protocol);
    }
    out.push(u8::from(connection.is_whole));
}

fn append_file(out: &mut Vec<u8>, file: &FileState<'_>, connection: Option<&ConnectionState<'_>>) {
    out.push(tag::FILE);
    append_bytes(out, file.id);
    append_bytes(out, file.source);
    out.push(file.is_orig.map_or(2, u8::from));
    out.extend_from_slice(&file.first_seen.0.to_le_bytes());
    out.extend_from_slice(&file.last_active.0.to_le_bytes());
    out.extend_from_slice(&file.seen.to_le_bytes());
    out.push(u8::from(file.total.is_some()));
    out.extend_from_slice(&file.total.unwrap_or(0).to_le_bytes());
    out.extend_from_slice(&file.missing.to_le_bytes());
    append_bytes(out, file.head);
    append_bytes(out, file.mime_type.unwrap_or("").as_bytes());
    append_bytes(out, file.filename);
    out.extend_from_slice(&file.depth.to_le_bytes());
    match connection {
        Some(connection) => append_connection(out, connection),
        None => out.push(tag::UNSET),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_state(port: u16) -> EndState {
        let address = IpAddr::from([10, 0, 0, 1]);
        EndState {
            address,
            port,
            size: 7,
            state: 4,
            packets: 2,
            ip_bytes: 90,
            flow_label: 0,
            link: Some([1; 6]),
        }
    }

    fn state() -> ConnectionState<'static> {
        ConnectionState {
            uid: b"C1",
            ends: [end_state(1024), end_state(80)],
            protocol: 6,
            start: Timestamp::new(1, 500_000_000),
            duration: 250_000_000,
            history: b"ShA",
            services: &["http"],
            vlans: [Some(7), None],
            tunnels: &[],
            is_whole: true,
        }
    }

    #[test]
    fn messages_come_back() {
        let inner = [EventValue::Count(1), EventValue::Unset, EventValue::text("x")];
        let cases = [
            (EventValue::Bool(true), "Bool(true)"),
            (EventValue::Int(-3), "Int(-3)"),
            (EventValue::Time(Timestamp::new(2, 0)), "Time(2.0)"),
            (EventValue::Interval(-0.5), "Interval(-0.5)"),
            (EventValue::Port(53, transport::UDP), "Port(53, 2)"),
            (EventValue::Enum("Tunnel::IP"), "Enum(\"Tunnel::IP\")"),
            (EventValue::Record(&inner), "Record([Count(1), Unset, String([120])])"),
            (EventValue::Connection, "uid: [67, 49]"),
        ];
        for (argument, expected) in cases {
            let mut out = Vec::new();
            write(&mut out, (Timestamp(5), 9), 3, &[argument], Some(&state()));
            let (message, length) = read(&out).unwrap();
            assert_eq!(
                (length, message.clock, message.packet, message.function),
                (out.len(), Timestamp(5), 9, 3)
            );
            let shown = format!("{:?}", message.arguments);
            assert!(shown.contains(expected), "{shown}");
            // No part of a message is one.
            assert!((0..out.len()).all(|end| read(out.get(..end).unwrap()).is_none()), "{expected}");
        }
    }

    #[test]
    fn a_file_has_its_connection() {
        let file = FileState {
            id: b"F1",
            source: b"HTTP",
            is_orig: Some(false),
            first_seen: Timestamp::new(2, 0),
            last_active: Timestamp::new(3, 0),
            seen: 4,
            total: None,
            missing: 0,
            head: b"GIF8",
            mime_type: Some("image/gif"),
            filename: b"",
            depth: 0,
        };
        let mut out = Vec::new();
        write(&mut out, (Timestamp(5), 9), 3, &[EventValue::File(&file)], Some(&state()));
        let (message, _) = read(&out).unwrap();
        let [ReadValue::File(found)] = message.arguments.as_slice() else { panic!("{message:?}") };
        assert_eq!((found.id, found.is_orig, found.seen, found.total), (&b"F1"[..], Some(false), 4, None));
        let ReadValue::Connection(connection) = &found.connection else { panic!("{found:?}") };
        assert_eq!((connection.start, connection.duration, connection.services.len()), (1.5, 0.25, 1));
    }
}
