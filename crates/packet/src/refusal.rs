//! Messages that a packet is refused: a TCP segment that resets, or an ICMP error.

use std::net::IpAddr;

use crate::checksum;
use crate::header::{Ip, Tcp, Transport};
use crate::ip_protocol;
use crate::packet::Packet;
use crate::raw::LinkType;

/// Longest message, in bytes.
pub const LONGEST_REFUSAL: usize = 22 + 40 + 8 + LONGEST_QUOTE;

/// Bytes of a packet that an ICMP error quotes, at most.
const LONGEST_QUOTE: usize = 256;

/// Bytes of ports before the rest of a header.
const PORTS: usize = 4;

const TTL: u8 = 64;
const ETHERNET: usize = 14;
const ADDRESS: usize = 6;
const DONT_FRAGMENT: [u8; 2] = [0x40, 0];

/// ICMP: the destination cannot be reached, as that is prohibited.
const PROHIBITED_V4: [u8; 2] = [3, 13];
const PROHIBITED_V6: [u8; 2] = [1, 1];

/// Types of ICMP that are errors.
const ERRORS_V4: [u8; 5] = [3, 4, 5, 11, 12];

/// The first type of ICMPv6 that is no error.
const FIRST_QUERY_V6: u8 = 128;

/// The one that a message is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipient {
    /// The packet's sender.
    Sender,
    /// Its receiver, which does not get the packet.
    Receiver,
}

impl Packet<'_> {
    /// Appends the frame that tells somebody that this packet is refused; nothing where there is no such message: it came
    /// by layers that cannot be imitated, or is for a group.
    pub fn refuse(&self, to: Recipient, out: &mut Vec<u8>) -> Option<()> {
        let start = out.len();
        let refused = self.append_refusal(to, out);
        if refused.is_none() {
            out.truncate(start);
        }
        refused
    }

    fn append_refusal(&self, to: Recipient, out: &mut Vec<u8>) -> Option<()> {
        let ip = self.ip.as_ref()?;
        if self.is_pseudo() || is_for_group(self.source()?) || is_for_group(self.destination()?) {
            return None;
        }
        append_link(self, to, out)?;
        let protocol = match (&self.transport, ip) {
            (Transport::Tcp(_), _) => ip_protocol::TCP,
            (_, Ip::V4(_)) => ip_protocol::ICMPV4,
            (_, Ip::V6(_)) => ip_protocol::ICMPV6,
        };
        let start = out.len();
        append_ip(ip, to, protocol, out);
        let message = out.len();
        match &self.transport {
            Transport::Tcp(tcp) => out.extend_from_slice(&reset(tcp, self.payload.len(), to)?),
            _ => self.append_prohibited(ip, to, out)?,
        }
        complete(ip, protocol, out.get_mut(start..)?, message - start)
    }

    /// Appends an ICMP error that quotes the packet, as if the recipient had sent it.
    fn append_prohibited(&self, ip: &Ip<'_>, to: Recipient, out: &mut Vec<u8>) -> Option<()> {
        // There is no error about an error.
        match &self.transport {
            Transport::Icmpv4(icmp) if ERRORS_V4.contains(&icmp.kind) => return None,
            Transport::Icmpv6(icmp) if icmp.kind < FIRST_QUERY_V6 => return None,
            _ => {}
        }
        let [kind, code] = if ip.is_v4() { PROHIBITED_V4 } else { PROHIBITED_V6 };
        out.extend_from_slice(&[kind, code, 0, 0, 0, 0, 0, 0]);
        let start = out.len();
        let (header, payload) = match ip {
            Ip::V4(ip) => (ip.header, ip.payload),
            Ip::V6(ip) => (ip.header, ip.payload),
        };
        out.extend_from_slice(header);
        let left = LONGEST_QUOTE.saturating_sub(header.len()).min(payload.len());
        out.extend_from_slice(payload.get(..left)?);
        if to == Recipient::Receiver {
            let (at, length) = addresses_of(ip);
            swap(out.get_mut(start + at..)?, length);
            if matches!(self.transport, Transport::Udp(_)) {
                swap(out.get_mut(start + header.len()..)?, PORTS / 2);
            }
        }
        Some(())
    }
}

/// Where the addresses begin in a header, and the length of one.
const fn addresses_of(ip: &Ip<'_>) -> (usize, usize) {
    match ip {
        Ip::V4(_) => (12, 4),
        Ip::V6(_) => (8, 16),
    }
}

/// Exchanges two neighbours of so many bytes.
fn swap(bytes: &mut [u8], length: usize) {
    if let Some((one, rest)) = bytes.split_at_mut_checked(length)
        && let Some(other) = rest.get_mut(..length)
    {
        one.swap_with_slice(other);
    }
}

fn is_for_group(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_multicast() || address.is_broadcast() || address.is_unspecified(),
        IpAddr::V6(address) => address.is_multicast() || address.is_unspecified(),
    }
}

/// Appends the layers below IP, towards the recipient: Ethernet and tags, or nothing where packets begin with IP.
fn append_link(packet: &Packet<'_>, to: Recipient, out: &mut Vec<u8>) -> Option<()> {
    let header = match packet.ip.as_ref()? {
        Ip::V4(ip) => ip.header,
        Ip::V6(ip) => ip.header,
    };
    let below = packet.bytes.get(..packet.place(header)?)?;
    if packet.link == LinkType::RAW && below.is_empty() {
        return Some(());
    }
    let tags = packet.vlan.as_slice().len();
    if packet.link != LinkType::ETHERNET || below.len() != ETHERNET + 4 * tags || below.first()? & 1 != 0 {
        return None;
    }
    let start = out.len();
    out.extend_from_slice(below);
    if to == Recipient::Sender {
        swap(out.get_mut(start..)?, ADDRESS);
    }
    Some(())
}

/// The segment that resets a connection. There is none in answer to one.
fn reset(tcp: &Tcp<'_>, payload: usize, to: Recipient) -> Option<[u8; 20]> {
    if tcp.has(Tcp::RST) {
        return None;
    }
    let end = [Tcp::SYN, Tcp::FIN].into_iter().filter(|flag| tcp.has(*flag)).count() + payload;
    let (ports, seq, ack) = match to {
        Recipient::Sender => {
            let seq = if tcp.has(Tcp::ACK) { tcp.ack } else { 0 };
            ((tcp.destination_port, tcp.source_port), seq, tcp.seq.wrapping_add(end as u32))
        }
        Recipient::Receiver => ((tcp.source_port, tcp.destination_port), tcp.seq, tcp.ack),
    };
    let acknowledges = to == Recipient::Sender || tcp.has(Tcp::ACK);
    let mut segment = [0; 20];
    let fields: [&[u8]; 5] = [
        &ports.0.to_be_bytes(),
        &ports.1.to_be_bytes(),
        &seq.to_be_bytes(),
        &(if acknowledges { ack } else { 0 }).to_be_bytes(),
        &[5 << 4, Tcp::RST | if acknowledges { Tcp::ACK } else { 0 }],
    ];
    let values = fields.into_iter().flatten();
    segment.iter_mut().zip(values).for_each(|(byte, value)| *byte = *value);
    Some(segment)
}

/// Appends the header of a message, without length and checksum.
fn append_ip(ip: &Ip<'_>, to: Recipient, protocol: u8, out: &mut Vec<u8>) {
    let start = out.len();
    match ip {
        Ip::V4(ip) => {
            out.extend_from_slice(&[0x45, 0, 0, 0, 0, 0]);
            out.extend_from_slice(&DONT_FRAGMENT);
            out.extend_from_slice(&[TTL, protocol, 0, 0]);
            out.extend_from_slice(&ip.source.octets());
            out.extend_from_slice(&ip.destination.octets());
        }
        Ip::V6(ip) => {
            out.extend_from_slice(&[6 << 4, 0, 0, 0, 0, 0, protocol, TTL]);
            out.extend_from_slice(&ip.source.octets());
            out.extend_from_slice(&ip.destination.octets());
        }
    }
    let (at, length) = addresses_of(ip);
    if to == Recipient::Sender
        && let Some(addresses) = out.get_mut(start + at..)
    {
        swap(addresses, length);
    }
}

/// Fills in the lengths and checksums of a packet whose message begins at a place.
fn complete(ip: &Ip<'_>, protocol: u8, packet: &mut [u8], message: usize) -> Option<()> {
    let total = packet.len() as u16;
    let (at, length) = addresses_of(ip);
    let sum = match protocol {
        ip_protocol::ICMPV4 => checksum::internet(packet.get(message..)?),
        _ => checksum::between(packet.get(at..at + 2 * length)?, protocol, packet.get(message..)?),
    };
    let field = message + if protocol == ip_protocol::TCP { 16 } else { 2 };
    packet.get_mut(field..field + 2)?.copy_from_slice(&sum.to_be_bytes());
    match ip {
        Ip::V4(_) => {
            packet.get_mut(2..4)?.copy_from_slice(&total.to_be_bytes());
            let sum = checksum::internet(packet.get(..message)?);
            packet.get_mut(10..12)?.copy_from_slice(&sum.to_be_bytes());
        }
        Ip::V6(_) => {
            let length = total.checked_sub(message as u16)?;
            packet.get_mut(4..6)?.copy_from_slice(&length.to_be_bytes());
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_testkit::Frame;

    use super::*;
    use crate::decode::{Decoder, DecoderSettings, PacketList};
    use crate::raw::RawPacket;

    fn with_packet<T>(link: LinkType, bytes: &[u8], act: impl FnOnce(&Packet<'_>) -> T) -> T {
        let raw = RawPacket {
            number: 1,
            time: Timestamp::default(),
            link,
            wire_length: bytes.len() as u32,
            interface: 0,
            bytes,
        };
        let mut list = PacketList::new();
        Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
        act(list.outer().expect("a packet"))
    }

    fn refusal(bytes: &[u8], to: Recipient) -> Option<Vec<u8>> {
        with_packet(LinkType::ETHERNET, bytes, |packet| {
            let mut out = vec![9];
            packet.refuse(to, &mut out).map(|()| out.split_off(1)).or_else(|| {
                assert_eq!(out, [9]);
                None
            })
        })
    }

    #[test]
    fn a_segment_is_refused_by_a_reset() {
        for (frame, seq, ack) in [
            (Frame::ethernet().vlan(6).ipv4("10.0.0.1", "10.0.0.2").tcp(1000, 80).seq(7).flags(2), 0, 8),
            (
                Frame::ethernet().ipv6("2001:db8::1", "2001:db8::2").tcp(1000, 80).seq(7).ack(50).flags(0x18),
                50,
                10,
            ),
        ] {
            let payload = if seq == 0 { "" } else { "abc" };
            let bytes = frame.payload(payload).build();
            let back = refusal(&bytes, Recipient::Sender).expect("a message");
            assert!(back.len() <= LONGEST_REFUSAL);
            assert_eq!((&back[..6], &back[6..12]), (&bytes[6..12], &bytes[..6]));
            with_packet(LinkType::ETHERNET, &back, |packet| {
                assert!(checksum::transport_valid(packet) == Some(true) && !packet.invalid);
                assert_ne!(checksum::ipv4_valid(packet), Some(false));
                let tcp = packet.tcp().expect("TCP");
                assert_eq!((tcp.source_port, tcp.destination_port), (80, 1000));
                assert_eq!((tcp.seq, tcp.ack, tcp.flags), (seq, ack, 0x14));
                assert_eq!(packet.vlan.as_slice().len(), usize::from(seq == 0));
                // Nobody answers a reset.
                assert_eq!(refusal(&back, Recipient::Sender), None);
            });
            let on = refusal(&bytes, Recipient::Receiver).expect("a message");
            assert_eq!(on[..12], bytes[..12]);
            with_packet(LinkType::ETHERNET, &on, |packet| {
                assert_eq!(checksum::transport_valid(packet), Some(true));
                let tcp = packet.tcp().expect("TCP");
                assert_eq!((tcp.source_port, tcp.seq, tcp.has(Tcp::RST)), (1000, 7, true));
            });
        }
    }

    #[test]
    fn a_datagram_is_refused_by_an_error_that_quotes_it() {
        for (frame, kind) in [
            (Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(5, 6).payload([1; 600]), (3, 13)),
            (Frame::ethernet().ipv6("2001:db8::1", "2001:db8::2").udp(5, 6).payload("x"), (1, 1)),
        ] {
            let bytes = frame.build();
            for (to, ports) in [(Recipient::Sender, (5, 6)), (Recipient::Receiver, (6, 5))] {
                let message = refusal(&bytes, to).expect("a message");
                assert!(message.len() <= LONGEST_REFUSAL);
                with_packet(LinkType::ETHERNET, &message, |packet| {
                    assert_eq!(checksum::transport_valid(packet), Some(true), "{to:?}");
                    let (Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp)) = &packet.transport else {
                        panic!("no ICMP")
                    };
                    assert_eq!((icmp.kind, icmp.code), kind);
                    let at =
                        message.windows(4).rposition(|four| four == [0, ports.0 as u8, 0, ports.1 as u8]);
                    assert!(at.is_some(), "{to:?}");
                    assert_eq!(refusal(&message, Recipient::Sender), None);
                });
            }
        }
    }

    #[test]
    fn what_has_no_message() {
        for frame in [
            Frame::ethernet().ipv4("10.0.0.1", "224.0.0.5").udp(5, 6).payload("x").build(),
            Frame::ethernet().ipv4("10.0.0.1", "255.255.255.255").udp(5, 6).payload("x").build(),
            vec![0; 60],
        ] {
            assert_eq!(refusal(&frame, Recipient::Sender), None);
        }
        let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(5, 6).payload("x").build();
        let message = with_packet(LinkType::RAW, &frame[14..], |packet| {
            let mut out = Vec::new();
            packet.refuse(Recipient::Sender, &mut out).map(|()| out)
        });
        assert_eq!(message.expect("a message")[..2], [0x45, 0]);
    }
}
