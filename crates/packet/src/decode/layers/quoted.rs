//! The start of a packet that an ICMP error message quotes (RFC 792, RFC 4443).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_base::Reader;

use super::super::walk::Walk;
use super::ipv6::LENGTH as IPV6_LENGTH;
use crate::event::DecodeEvent;
use crate::header::Embedded;
use crate::ip_protocol;

const IPV4_LEAST: usize = 20;

impl<'a> Walk<'_, 'a> {
    /// Reads a quoted IPv4 packet.
    pub(super) fn quoted_ipv4(&mut self, bytes: &'a [u8]) -> Option<Embedded> {
        let (header, _) = self.header(bytes, IPV4_LEAST, DecodeEvent::ICMPV4_IPV4_TRUNC_PKT)?;
        let first = *header.first()?;
        if first >> 4 != 4 {
            self.raise(DecodeEvent::ICMPV4_IPV4_UNKNOWN_VER);
            return None;
        }
        let mut reader = Reader::new(header);
        reader.skip(9)?;
        let protocol = reader.u8()?;
        reader.skip(2)?;
        let source = IpAddr::V4(Ipv4Addr::from(reader.array::<4>()?));
        let destination = IpAddr::V4(Ipv4Addr::from(reader.array::<4>()?));
        let transport = bytes.get(usize::from(first & 0x0f) * 4..).unwrap_or_default();
        let (source_port, destination_port) = ports(protocol, transport);
        Some(Embedded { source, destination, protocol, source_port, destination_port })
    }

    /// Reads a quoted IPv6 packet; extension headers are not followed.
    pub(super) fn quoted_ipv6(&mut self, bytes: &'a [u8]) -> Option<Embedded> {
        let (header, transport) = self.header(bytes, IPV6_LENGTH, DecodeEvent::ICMPV6_IPV6_TRUNC_PKT)?;
        if header.first()? >> 4 != 6 {
            self.raise(DecodeEvent::ICMPV6_IPV6_UNKNOWN_VERSION);
            return None;
        }
        let mut reader = Reader::new(header);
        reader.skip(6)?;
        let protocol = reader.u8()?;
        reader.skip(1)?;
        let source = IpAddr::V6(Ipv6Addr::from(reader.array::<16>()?));
        let destination = IpAddr::V6(Ipv6Addr::from(reader.array::<16>()?));
        let (source_port, destination_port) = ports(protocol, transport);
        Some(Embedded { source, destination, protocol, source_port, destination_port })
    }
}

/// The ports with which a quoted transport header starts, zero where it has none.
fn ports(protocol: u8, transport: &[u8]) -> (u16, u16) {
    match (protocol, transport) {
        (ip_protocol::TCP | ip_protocol::UDP | ip_protocol::SCTP, &[sh, sl, dh, dl, ..]) => {
            (u16::from_be_bytes([sh, sl]), u16::from_be_bytes([dh, dl]))
        }
        _ => (0, 0),
    }
}
