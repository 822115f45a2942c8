//! Packets whose headers of TCP or UDP contradict the packet: the decoder reads nothing of them, and Zeek has
//! connections of them all the same.

use weir_base::Reader;
use weir_packet::{Ip, Packet, Transport, ip_protocol};

use super::view::Payload;

const TCP_HEADER: usize = 20;
const UDP_HEADER: u32 = 8;

/// The payload of a packet whose header above IP was not read, and its ports, if there is a header.
pub(super) fn payload(packet: &Packet<'_>) -> Option<(Payload, (u16, u16))> {
    let ip = packet.ip.as_ref().filter(|_| matches!(packet.transport, Transport::None))?;
    let mut reader = Reader::new(above(ip));
    let whole = reader.len();
    let ports = (reader.u16()?, reader.u16()?);
    match ip.protocol() {
        ip_protocol::UDP => {
            let stated = u32::from(reader.u16()?);
            reader.skip(2)?;
            Some((Payload::Udp(stated.saturating_sub(UDP_HEADER)), ports))
        }
        ip_protocol::TCP if whole >= TCP_HEADER => {
            reader.skip(9)?;
            Some((Payload::Headless(reader.u8()?), ports))
        }
        _ => None,
    }
}

/// Bytes above IP and its extension headers.
const fn above<'a>(ip: &Ip<'a>) -> &'a [u8] {
    match ip {
        Ip::V4(v4) => v4.payload,
        Ip::V6(v6) => v6.payload,
    }
}
