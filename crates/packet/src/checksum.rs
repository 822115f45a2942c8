//! Checksums: the Internet checksum (RFC 1071) of IPv4, TCP, UDP and ICMP, and SCTP's CRC-32C.
//!
//! The answer is `None` where there is nothing to check: no such header, a fragment, or UDP over
//! IPv4 without a checksum.

use crate::header::{Ip, Transport};
use crate::ip_protocol;
use crate::packet::Packet;

/// Whether the checksum of the innermost IPv4 header is right.
pub fn ipv4_valid(packet: &Packet<'_>) -> Option<bool> {
    match &packet.ip {
        Some(Ip::V4(ip)) => Some(fold(sum(ip.header)) == u16::MAX),
        _ => None,
    }
}

/// Whether the checksum of TCP, UDP, ICMP, ICMPv6 or SCTP is right.
pub fn transport_valid(packet: &Packet<'_>) -> Option<bool> {
    let ip = packet.ip.as_ref()?;
    if ip.is_fragment() {
        return None;
    }
    let segment = match ip {
        Ip::V4(ip) => ip.payload,
        Ip::V6(ip) => ip.payload,
    };
    let (protocol, segment) = match &packet.transport {
        Transport::Tcp(_) => (ip_protocol::TCP, segment),
        Transport::Udp(udp) if udp.checksum == 0 && ip.is_v4() => return None,
        Transport::Udp(udp) => (ip_protocol::UDP, segment.get(..usize::from(udp.length))?),
        Transport::Icmpv6(_) => (ip_protocol::ICMPV6, segment),
        Transport::Icmpv4(_) => return Some(fold(sum(segment)) == u16::MAX),
        Transport::Sctp(_) => return sctp_valid(segment),
        Transport::None | Transport::Igmp(_) | Transport::Esp { .. } => return None,
    };
    Some(fold(with_pseudo_header(ip, protocol, segment)) == u16::MAX)
}

/// The sum of a segment and its pseudo header (RFC 9293, 3.1; RFC 8200, 8.1).
fn with_pseudo_header(ip: &Ip<'_>, protocol: u8, segment: &[u8]) -> u64 {
    let length_and_protocol = segment.len() as u64 + u64::from(protocol);
    // The pseudo header's numbers are big endian, the sums are in this machine's order.
    addresses(ip) + u64::from(fold(length_and_protocol).to_be()) + sum(segment)
}

/// The checksum that a TCP segment in `ip` should carry where the field itself is zero.
pub fn tcp(ip: &Ip<'_>, segment: &[u8]) -> u16 {
    !u16::from_be(fold(with_pseudo_header(ip, ip_protocol::TCP, segment)))
}

/// The checksum that a message of `protocol` between two addresses should carry where the field itself is zero.
pub fn between(addresses: &[u8], protocol: u8, message: &[u8]) -> u16 {
    let length_and_protocol = message.len() as u64 + u64::from(protocol);
    let pseudo = sum(addresses) + u64::from(fold(length_and_protocol).to_be());
    !u16::from_be(fold(pseudo + sum(message)))
}

/// The checksum that a header or message should carry where the field itself is zero.
pub fn internet(bytes: &[u8]) -> u16 {
    !u16::from_be(fold(sum(bytes)))
}

/// The sum of the addresses.
fn addresses(ip: &Ip<'_>) -> u64 {
    match ip {
        Ip::V4(ip) => sum(&ip.source.octets()) + sum(&ip.destination.octets()),
        Ip::V6(ip) => sum(&ip.source.octets()) + sum(&ip.destination.octets()),
    }
}

/// Adds 32-bit words in this machine's byte order: a ones' complement sum comes out the same in any
/// order, but for the order of the bytes of the result. Sixteen bits of headroom are left for every
/// length an IP packet can have.
#[inline]
fn sum(bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    let mut total = 0u64;
    for chunk in &mut chunks {
        if let Ok(chunk) = <[u8; 8]>::try_from(chunk) {
            let word = u64::from_ne_bytes(chunk);
            total += (word >> 32) + (word & 0xffff_ffff);
        }
    }
    let rest = chunks.remainder();
    let mut last = [0u8; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let word = u64::from_ne_bytes(last);
    total + (word >> 32) + (word & 0xffff_ffff)
}

/// A sum as sixteen bits with the carries added in.
#[inline]
const fn fold(mut total: u64) -> u16 {
    while total > 0xffff {
        total = (total >> 16) + (total & 0xffff);
    }
    total as u16
}

/// CRC-32C over the packet with the checksum field taken as zero (RFC 9260, 6.8).
fn sctp_valid(segment: &[u8]) -> Option<bool> {
    let (before, rest) = segment.split_at_checked(8)?;
    let (field, after) = rest.split_first_chunk::<4>()?;
    let crc = crc32c(crc32c(crc32c(u32::MAX, before), &[0; 4]), after);
    Some(!crc == u32::from_le_bytes(*field))
}

fn crc32c(mut crc: u32, bytes: &[u8]) -> u32 {
    for &byte in bytes {
        let entry = CRC32C.get(usize::from(crc as u8 ^ byte)).copied().unwrap_or(0);
        crc = (crc >> 8) ^ entry;
    }
    crc
}

/// The remainder of every byte by Castagnoli's polynomial, reflected.
const CRC32C: [u32; 256] = {
    let mut table = [0u32; 256];
    let mut index = 0;
    while index < 256 {
        let mut remainder = index as u32;
        let mut bit = 0;
        while bit < 8 {
            remainder = if remainder & 1 == 1 { (remainder >> 1) ^ 0x82f6_3b78 } else { remainder >> 1 };
            bit += 1;
        }
        // Below 256 by the loop's condition; evaluated when compiled.
        #[allow(clippy::indexing_slicing)]
        {
            table[index] = remainder;
        }
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{Decoder, DecoderSettings, PacketList};
    use crate::raw::{LinkType, RawPacket};
    use proptest::prelude::*;
    use weir_base::Timestamp;
    use weir_testkit::{Frame, checksum as plain};

    fn verdicts(bytes: &[u8]) -> (Option<bool>, Option<bool>) {
        let wire_length = bytes.len() as u32;
        let raw = RawPacket {
            number: 1,
            time: Timestamp(0),
            link: LinkType::RAW,
            wire_length,
            interface: 0,
            bytes,
        };
        let mut list = PacketList::new();
        Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
        let packet = list.outer().unwrap();
        (ipv4_valid(packet), transport_valid(packet))
    }

    fn transports(frame: &Frame, payload: &[u8]) -> Vec<Frame> {
        let frames = [frame.clone().tcp(1, 2), frame.clone().udp(1, 2), frame.clone().sctp(1, 2, 3)];
        frames.into_iter().map(|frame| frame.payload(payload)).collect()
    }

    #[test]
    fn right_and_wrong_checksums() {
        for payload in [&b""[..], b"x", b"some payload of some length", &[0xff; 1400]] {
            let v4 = Frame::bare().ipv4("10.0.0.1", "255.255.255.255");
            let v6 = Frame::bare().ipv6("2001:db8::1", "fe80::ffff:ffff:ffff:ffff");
            let mut frames = transports(&v4, payload);
            frames.extend(transports(&v6, payload));
            frames.push(v4.icmpv4(8, 0, [0, 1, 0, 2]).payload(payload));
            frames.push(v6.icmpv6(128, 0, [0, 1, 0, 2]).payload(payload));
            for frame in frames {
                let mut bytes = frame.build();
                let (header, transport) = verdicts(&bytes);
                assert_ne!(header, Some(false));
                assert_eq!(transport, Some(true), "{frame:?}");
                let last = bytes.len() - 1;
                bytes[last] ^= 1;
                assert_eq!(verdicts(&bytes).1, Some(false), "{frame:?}");
            }
        }
    }

    #[test]
    fn nothing_to_check() {
        let v4 = || Frame::bare().ipv4("10.0.0.1", "10.0.0.2");
        let none = [
            v4().udp(1, 2).transport_checksum(0).payload(b"x"),
            v4().fragment(8, true).payload([0; 40]),
            v4().protocol(89).payload(b"x"),
        ];
        for frame in none {
            assert_eq!(verdicts(&frame.build()), (Some(true), None), "{frame:?}");
        }
        assert_eq!(verdicts(&v4().ip_checksum(1).udp(1, 2).build()), (Some(false), Some(true)));
        assert_eq!(verdicts(b"junk"), (None, None));
    }

    proptest! {
        #[test]
        fn as_the_plain_way(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(internet(&bytes), plain::internet(&[&bytes]));
            prop_assert_eq!(!crc32c(u32::MAX, &bytes), plain::crc32c(&bytes));
        }
    }
}
