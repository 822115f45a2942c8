//! A packet with other payload: what an inline engine sends on in place of the one it got.

use crate::checksum;
use crate::header::{Ip, Tcp, Transport};
use crate::ip_protocol;
use crate::packet::Packet;

/// Where the checksum stands in a TCP header.
const TCP_CHECKSUM: usize = 16;

/// Where it stands in a UDP header.
const UDP_CHECKSUM: usize = 6;

impl<'a> Packet<'a> {
    /// This TCP packet with `payload`, which is as long as its own, in its place, and the checksum
    /// that goes with it; `room` holds its bytes. `None` for any other packet.
    pub fn with_payload<'b>(&self, payload: &[u8], room: &'b mut Vec<u8>) -> Option<Packet<'b>>
    where
        'a: 'b,
    {
        let (Some(ip), Some(tcp)) = (&self.ip, self.tcp()) else { return None };
        if payload.len() != self.payload.len() {
            return None;
        }
        let header_at = self.place(tcp.header)?;
        let payload_at = self.place(self.payload)?;
        room.clear();
        room.extend_from_slice(self.bytes);
        room.get_mut(payload_at..)?.get_mut(..payload.len())?.copy_from_slice(payload);
        let checksum_at = header_at + TCP_CHECKSUM;
        room.get_mut(checksum_at..checksum_at + 2)?.fill(0);
        let segment = match ip {
            Ip::V4(ip) => self.place(ip.payload)?..self.place(ip.payload)? + ip.payload.len(),
            Ip::V6(ip) => self.place(ip.payload)?..self.place(ip.payload)? + ip.payload.len(),
        };
        let checksum = checksum::tcp(ip, room.get(segment)?);
        room.get_mut(checksum_at..checksum_at + 2)?.copy_from_slice(&checksum.to_be_bytes());
        let bytes: &'b [u8] = room;
        let header = bytes.get(header_at..header_at + tcp.header.len())?;
        let mut packet: Packet<'b> = self.clone();
        packet.payload = bytes.get(payload_at..payload_at + payload.len())?;
        packet.transport = Transport::Tcp(Tcp { header, checksum, ..*tcp });
        packet.bytes = bytes;
        Some(packet)
    }

    /// Puts `bytes` at a place of the payload into `frame`, which has the bytes of this packet or as many others, and
    /// makes the checksum of TCP or UDP agree. Whether it could be done.
    pub fn patch(&self, frame: &mut [u8], at: usize, bytes: &[u8]) -> Option<()> {
        let ip = self.ip.as_ref()?;
        let (protocol, checksum_at) = match &self.transport {
            Transport::Tcp(_) => (ip_protocol::TCP, TCP_CHECKSUM),
            Transport::Udp(_) => (ip_protocol::UDP, UDP_CHECKSUM),
            _ => return None,
        };
        if frame.len() != self.bytes.len() || at + bytes.len() > self.payload.len() {
            return None;
        }
        let at = self.place(self.payload)? + at;
        let (header, payload, addresses) = match ip {
            Ip::V4(ip) => (ip.header, ip.payload, 12..20),
            Ip::V6(ip) => (ip.header, ip.payload, 8..40),
        };
        let (header_at, segment_at) = (self.place(header)?, self.place(payload)?);
        frame.get_mut(at..at + bytes.len())?.copy_from_slice(bytes);
        let field = segment_at + checksum_at..segment_at + checksum_at + 2;
        if protocol == ip_protocol::UDP && frame.get(field.clone())? == [0, 0] {
            return Some(());
        }
        frame.get_mut(field.clone())?.fill(0);
        let addresses = frame.get(header_at + addresses.start..header_at + addresses.end)?;
        let segment = frame.get(segment_at..segment_at + payload.len())?;
        let sum = match checksum::between(addresses, protocol, segment) {
            // None is zero.
            0 if protocol == ip_protocol::UDP => u16::MAX,
            sum => sum,
        };
        frame.get_mut(field)?.copy_from_slice(&sum.to_be_bytes());
        Some(())
    }

    /// Where a part of the packet's bytes begins in them.
    pub(crate) fn place(&self, part: &[u8]) -> Option<usize> {
        let place = part.as_ptr().addr().checked_sub(self.bytes.as_ptr().addr())?;
        (place + part.len() <= self.bytes.len()).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use crate::decode::{Decoder, DecoderSettings, PacketList};
    use crate::raw::{LinkType, RawPacket};
    use weir_base::Timestamp;
    use weir_testkit::Frame;

    #[test]
    fn another_payload_is_as_if_it_had_been_sent() {
        let v4 = Frame::ethernet().vlan(6).ipv4("10.0.0.1", "10.0.0.2").tcp(1, 2);
        let v6 = Frame::ethernet()
            .ipv6("2001:db8::1", "2001:db8::2")
            .extension(0, &[0, 1, 4, 0, 0, 0, 0])
            .tcp(1, 2);
        for frame in [v4, v6] {
            let [before, after] = ["EVIL", "GOOD"].map(|text| frame.clone().payload(text).build());
            let raw = RawPacket {
                number: 1,
                time: Timestamp(0),
                link: LinkType::ETHERNET,
                wire_length: before.len() as u32,
                interface: 0,
                bytes: &before,
            };
            let mut list = PacketList::new();
            Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
            let (packet, mut room) = (list.outer().unwrap(), vec![1, 2, 3]);
            assert!(packet.with_payload(b"BAD", &mut room).is_none());
            let rewritten = packet.with_payload(b"GOOD", &mut room).unwrap();
            assert_eq!(rewritten.bytes, after);
            assert_eq!(rewritten.payload, b"GOOD");
            let header = rewritten.tcp().unwrap();
            assert_eq!(header.header[16..18], header.checksum.to_be_bytes());
        }
    }

    #[test]
    fn a_patched_payload_has_its_checksum() {
        for (frame, is_tcp) in [
            (Frame::ethernet().vlan(6).ipv4("10.0.0.1", "10.0.0.2").tcp(1, 2), true),
            (Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2), false),
            (Frame::ethernet().ipv6("2001:db8::1", "2001:db8::2").udp(1, 2), false),
        ] {
            let original = frame.clone().payload("a secret word").build();
            let raw = RawPacket {
                number: 1,
                time: Timestamp::default(),
                link: LinkType::ETHERNET,
                wire_length: original.len() as u32,
                interface: 0,
                bytes: &original,
            };
            let mut list = PacketList::new();
            Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
            let packet = list.outer().expect("a packet");
            let mut patched = original.clone();
            assert_eq!(packet.patch(&mut patched, 2, b"public"), Some(()));
            assert_eq!(patched, frame.payload("a public word").build(), "TCP: {is_tcp}");
            assert_eq!(packet.patch(&mut patched, 10, b"long"), None);
            assert_eq!(packet.patch(&mut patched[1..], 2, b"x"), None);
        }
    }
}
