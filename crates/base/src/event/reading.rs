//! Reading of messages that [`super::write`] made: total, whatever the bytes.

use std::net::{IpAddr, Ipv6Addr};

use super::{MAX_DEPTH, tag};
use crate::{Reader, Timestamp};

/// A message that is read.
#[derive(Clone, Debug)]
pub struct EventMessage<'a> {
    /// The capture's clock.
    pub clock: Timestamp,
    /// The number of the packet.
    pub packet: u64,
    /// The number of the event's function, or [`CLOCK`].
    pub function: u32,
    /// Its arguments.
    pub arguments: Vec<ReadValue<'a>>,
}

/// An argument that is read.
#[derive(Clone, Debug)]
pub enum ReadValue<'a> {
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
    /// `time` in seconds
    Time(f64),
    /// `interval` in seconds
    Interval(f64),
    /// `string`
    String(&'a [u8]),
    /// `addr`, as one of version 6
    Addr([u8; 16]),
    /// `port`, with its transport
    Port(u16, u8),
    /// `subnet`, the length in bits of the address's version
    Subnet([u8; 16], u8),
    /// A value of an enumeration, by its full name.
    Enum(&'a str),
    /// A record's fields.
    Record(Vec<ReadValue<'a>>),
    /// A vector or set.
    List(Vec<ReadValue<'a>>),
    /// A table: indices, each followed by its value.
    Table(Vec<ReadValue<'a>>),
    /// An index of several parts.
    Index(Vec<ReadValue<'a>>),
    /// An opaque value of these bytes.
    Opaque(&'a [u8]),
    /// A connection.
    Connection(Box<ReadConnection<'a>>),
    /// A file, and its connection.
    File(Box<ReadFile<'a>>),
}

/// An end of a connection that is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadEnd<'a> {
    /// Its address, as one of version 6.
    pub address: [u8; 16],
    /// Its port.
    pub port: u16,
    /// Bytes of payload.
    pub size: u64,
    /// Its state.
    pub state: u8,
    /// Packets.
    pub packets: u64,
    /// Bytes from IP on.
    pub ip_bytes: u64,
    /// Flow label.
    pub flow_label: u32,
    /// Link-layer address; empty where it is not known.
    pub link: &'a [u8],
}

/// A tunnel around a connection that is read.
#[derive(Clone, Debug)]
pub struct ReadTunnel<'a> {
    /// The outer connection's id.
    pub uid: &'a [u8],
    /// Its kind, as `Tunnel::GRE`.
    pub kind: &'a [u8],
    /// Addresses and ports of its ends.
    pub ends: [([u8; 16], u16); 2],
    /// The number of what carries it.
    pub protocol: u8,
}

/// A connection that is read.
#[derive(Clone, Debug)]
pub struct ReadConnection<'a> {
    /// Its id.
    pub uid: &'a [u8],
    /// The originator and the responder.
    pub ends: [ReadEnd<'a>; 2],
    /// The number of what carries it.
    pub protocol: u8,
    /// Its beginning, in seconds.
    pub start: f64,
    /// Its duration, in seconds.
    pub duration: f64,
    /// History of it, a letter for each step.
    pub history: &'a [u8],
    /// Its protocols.
    pub services: Vec<&'a [u8]>,
    /// The tags of its VLANs; negative where there is none.
    pub vlans: [i32; 2],
    /// The tunnels that it was met in, from the outermost on.
    pub tunnels: Vec<ReadTunnel<'a>>,
    /// Whether all is known; else only ends, protocol and beginning.
    pub is_whole: bool,
}

/// A file that is read.
#[derive(Clone, Debug)]
pub struct ReadFile<'a> {
    /// Its id.
    pub id: &'a [u8],
    /// The name of the analyzer that it is from.
    pub source: &'a [u8],
    /// Whether the originator sent it.
    pub is_orig: Option<bool>,
    /// When its first byte was captured, in seconds.
    pub first_seen: f64,
    /// When its last byte was captured, in seconds.
    pub last_active: f64,
    /// Bytes that were seen.
    pub seen: u64,
    /// Bytes that it has.
    pub total: Option<u64>,
    /// Bytes that were missed.
    pub missing: u64,
    /// Its first bytes.
    pub head: &'a [u8],
    /// Its type; empty where it is not known.
    pub mime_type: &'a [u8],
    /// Its name; empty where there is none.
    pub filename: &'a [u8],
    /// Its place among the files of its source and direction.
    pub depth: u64,
    /// Its connection.
    pub connection: ReadValue<'a>,
}

/// Seconds of a moment in nanoseconds, as exact as a `double` is.
fn seconds(nanoseconds: u64) -> f64 {
    // Whole seconds and the rest apart: a quotient of the whole would be rounded twice.
    let (whole, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    whole as f64 + rest as f64 / 1e9
}

/// Reads the message at the beginning of bytes; the answer is the message and its length.
pub fn read(bytes: &[u8]) -> Option<(EventMessage<'_>, usize)> {
    let length = Reader::new(bytes).u32_le()? as usize;
    let mut reader = Reader::new(bytes.get(4..length)?);
    let clock = Timestamp(reader.u64_le()?);
    let packet = reader.u64_le()?;
    let function = reader.u32_le()?;
    let arguments = parts(&mut reader, 0)?;
    Some((EventMessage { clock, packet, function, arguments }, length))
}

fn parts<'a>(reader: &mut Reader<'a>, depth: u8) -> Option<Vec<ReadValue<'a>>> {
    let count = reader.u32_le()? as usize;
    if depth > MAX_DEPTH || count > reader.rest().len() {
        return None;
    }
    (0..count).map(|_| value(reader, depth + 1)).collect()
}

fn bytes<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u32_le()? as usize;
    reader.take(length)
}

fn value<'a>(reader: &mut Reader<'a>, depth: u8) -> Option<ReadValue<'a>> {
    Some(match reader.u8()? {
        tag::UNSET => ReadValue::Unset,
        tag::BOOL => ReadValue::Bool(reader.u8()? != 0),
        tag::COUNT => ReadValue::Count(reader.u64_le()?),
        tag::INT => ReadValue::Int(reader.u64_le()? as i64),
        tag::DOUBLE => ReadValue::Double(f64::from_bits(reader.u64_le()?)),
        tag::TIME => ReadValue::Time(seconds(reader.u64_le()?)),
        tag::MOMENT => ReadValue::Time(f64::from_bits(reader.u64_le()?)),
        tag::INTERVAL => ReadValue::Interval(f64::from_bits(reader.u64_le()?)),
        tag::STRING => ReadValue::String(bytes(reader)?),
        tag::ADDR => ReadValue::Addr(reader.array()?),
        tag::PORT => ReadValue::Port(reader.u16_le()?, reader.u8()?),
        tag::SUBNET => ReadValue::Subnet(reader.array()?, reader.u8()?),
        tag::ENUM => ReadValue::Enum(std::str::from_utf8(bytes(reader)?).ok()?),
        tag::RECORD => ReadValue::Record(parts(reader, depth)?),
        tag::LIST => ReadValue::List(parts(reader, depth)?),
        tag::TABLE => ReadValue::Table(parts(reader, depth)?),
        tag::INDEX => ReadValue::Index(parts(reader, depth)?),
        tag::OPAQUE => ReadValue::Opaque(bytes(reader)?),
        tag::CONNECTION => ReadValue::Connection(Box::new(connection(reader)?)),
        tag::FILE => ReadValue::File(Box::new(file(reader, depth)?)),
        _ => return None,
    })
}

fn end<'a>(reader: &mut Reader<'a>) -> Option<ReadEnd<'a>> {
    Some(ReadEnd {
        address: reader.array()?,
        port: reader.u16_le()?,
        size: reader.u64_le()?,
        state: reader.u8()?,
        packets: reader.u64_le()?,
        ip_bytes: reader.u64_le()?,
        flow_label: reader.u32_le()?,
        link: bytes(reader)?,
    })
}

fn tunnel<'a>(reader: &mut Reader<'a>) -> Option<ReadTunnel<'a>> {
    let (uid, kind) = (bytes(reader)?, bytes(reader)?);
    let ends = [(reader.array()?, reader.u16_le()?), (reader.array()?, reader.u16_le()?)];
    Some(ReadTunnel { uid, kind, ends, protocol: reader.u8()? })
}

fn connection<'a>(reader: &mut Reader<'a>) -> Option<ReadConnection<'a>> {
    let uid = bytes(reader)?;
    let ends = [end(reader)?, end(reader)?];
    let protocol = reader.u8()?;
    let (start, duration) = (seconds(reader.u64_le()?), seconds(reader.u64_le()?));
    let history = bytes(reader)?;
    let count = reader.u32_le()? as usize;
    if count > reader.rest().len() {
        return None;
    }
    let services = (0..count).map(|_| bytes(reader)).collect::<Option<Vec<_>>>()?;
    let vlans = [reader.u32_le()? as i32, reader.u32_le()? as i32];
    let count = reader.u32_le()? as usize;
    if count > reader.rest().len() {
        return None;
    }
    let tunnels = (0..count).map(|_| tunnel(reader)).collect::<Option<Vec<_>>>()?;
    let is_whole = reader.u8()? != 0;
    Some(ReadConnection { uid, ends, protocol, start, duration, history, services, vlans, tunnels, is_whole })
}

fn file<'a>(reader: &mut Reader<'a>, depth: u8) -> Option<ReadFile<'a>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let (id, source) = (bytes(reader)?, bytes(reader)?);
    let is_orig = match reader.u8()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
    let first_seen = seconds(reader.u64_le()?);
    let (last_active, seen) = (seconds(reader.u64_le()?), reader.u64_le()?);
    let has_total = reader.u8()? != 0;
    let total = Some(reader.u64_le()?).filter(|_| has_total);
    let missing = reader.u64_le()?;
    let (head, mime_type, filename) = (bytes(reader)?, bytes(reader)?, bytes(reader)?);
    let place = reader.u64_le()?;
    let connection = value(reader, depth + 1)?;
    Some(ReadFile {
        id,
        source,
        is_orig,
        first_seen,
        last_active,
        seen,
        total,
        missing,
        head,
        mime_type,
        filename,
        depth: place,
        connection,
    })
}

/// Returns an address as text of messages has it.
pub fn address(octets: [u8; 16]) -> IpAddr {
    let address = Ipv6Addr::from(octets);
    address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4)
}
