//! Packets of which less was captured than sent: their headers are read as far as they are there, so
//! that the connection counts what the IP header says.
//!
//! The decoder gives such a packet up, since there is nothing in it to inspect.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_base::Reader;
use weir_packet::{Packet, ip_protocol};

use super::key::Vlans;
use super::view::{PacketView, Payload};

const TCP_HEADER: u32 = 20;
const UDP_HEADER: u32 = 8;
const IPV6_HEADER: u32 = 40;
/// More fragments, or an offset.
const FRAGMENT: u16 = 0x3fff;

/// The view of a packet that was cut off above its IP header.
pub(super) fn view(packet: &Packet<'_>) -> Option<PacketView> {
    let bytes = packet.cut_off()?;
    let mut reader = Reader::new(bytes);
    let ip = match reader.peek()? >> 4 {
        4 => v4(&mut reader)?,
        6 => v6(&mut reader)?,
        _ => return None,
    };
    let start = packet.bytes.len() - bytes.len();
    if start as u64 + u64::from(ip.length) > u64::from(packet.wire_length) {
        // It was never as long as it says.
        return None;
    }
    let source_port = reader.u16()?;
    let destination_port = reader.u16()?;
    let payload = match ip.protocol {
        ip_protocol::TCP => tcp(&mut reader, ip.above)?,
        ip_protocol::UDP => Payload::Udp(u32::from(reader.u16()?).saturating_sub(UDP_HEADER)),
        _ => return None,
    };
    Some(PacketView {
        vlans: Vlans::default(),
        time: packet.time,
        source: (ip.source, source_port),
        destination: (ip.destination, destination_port),
        protocol: ip.protocol,
        one_way: false,
        ip_length: ip.length,
        payload,
        belongs_to_flow: false,
        answer: false,
    })
}

struct Header {
    source: IpAddr,
    destination: IpAddr,
    protocol: u8,
    length: u32,
    /// Bytes above the header, as it states them.
    above: u32,
}

fn v4(reader: &mut Reader<'_>) -> Option<Header> {
    let header_length = u32::from(reader.u8()? & 0x0f) * 4;
    reader.skip(1)?;
    let length = u32::from(reader.u16()?);
    reader.skip(2)?;
    if reader.u16()? & FRAGMENT != 0 {
        return None;
    }
    reader.skip(1)?;
    let protocol = reader.u8()?;
    reader.skip(2)?;
    let source = Ipv4Addr::from(reader.u32()?);
    let destination = Ipv4Addr::from(reader.u32()?);
    reader.skip(header_length.checked_sub(20)? as usize)?;
    let above = length.saturating_sub(header_length);
    Some(Header { source: source.into(), destination: destination.into(), protocol, length, above })
}

fn v6(reader: &mut Reader<'_>) -> Option<Header> {
    reader.skip(4)?;
    let above = u32::from(reader.u16()?);
    let protocol = reader.u8()?;
    reader.skip(1)?;
    let source = Ipv6Addr::from(reader.array::<16>()?);
    let destination = Ipv6Addr::from(reader.array::<16>()?);
    let length = above + IPV6_HEADER;
    Some(Header { source: source.into(), destination: destination.into(), protocol, length, above })
}

fn tcp(reader: &mut Reader<'_>, above: u32) -> Option<Payload> {
    let seq = reader.u32()?;
    let ack = reader.u32()?;
    let header_length = u32::from(reader.u8()? >> 4) * 4;
    let flags = reader.u8()?;
    let window = reader.u16()?;
    reader.skip(4)?;
    if header_length < TCP_HEADER {
        return None;
    }
    let length = above.saturating_sub(header_length);
    let captured = (reader.len() as u32).saturating_sub(header_length - TCP_HEADER).min(length);
    Some(Payload::Tcp { seq, ack, flags, window, scale: None, length, captured })
}
