//! The packet itself, in Base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_base::JsonWriter;
use weir_packet::{LinkType, Packet};

/// Link types by the numbers and names that capture libraries give them on Linux.
const LINK_TYPES: &[(LinkType, u16, &str)] = &[
    (LinkType::NULL, 0, "NULL"),
    (LinkType::ETHERNET, 1, "EN10MB"),
    (LinkType::PPP, 9, "PPP"),
    (LinkType::RAW_BSD, 12, "RAW"),
    (LinkType::RAW_OPENBSD, 14, "RAW"),
    (LinkType::RAW, 12, "RAW"),
    (LinkType::PPP_HDLC, 50, "PPP_SERIAL"),
    (LinkType::CISCO_HDLC, 104, "C_HDLC"),
    (LinkType::IEEE802_11, 105, "IEEE802_11"),
    (LinkType::LOOP, 108, "LOOP"),
    (LinkType::LINUX_SLL, 113, "LINUX_SLL"),
    (LinkType::IEEE802_11_RADIOTAP, 127, "IEEE802_11_RADIO"),
    (LinkType::IPV4, 228, "IPv4"),
    (LinkType::IPV6, 229, "IPv6"),
    (LinkType::NFLOG, 239, "NFLOG"),
    (LinkType::LINUX_SLL2, 276, "LINUX_SLL2"),
];

/// `"key": "<base64>"`
pub(super) fn base64(json: &mut JsonWriter<'_>, key: &str, bytes: &[u8]) {
    json.text(key, |out| {
        let start = out.len();
        let room = bytes.len().div_ceil(3) * 4;
        out.resize(start + room, 0);
        let written = out.get_mut(start..).map_or(0, |slot| STANDARD.encode_slice(bytes, slot).unwrap_or(0));
        out.truncate(start + written);
    });
}

/// `packet` and `packet_info`; at most `limit` bytes.
pub(super) fn write(packet: &Packet<'_>, limit: usize, json: &mut JsonWriter<'_>) {
    let bytes = packet.bytes.get(..limit).unwrap_or(packet.bytes);
    base64(json, "packet", bytes);
    json.object("packet_info");
    match LINK_TYPES.iter().find(|(link, _, _)| *link == packet.link) {
        Some((_, number, name)) => {
            json.unsigned("linktype", *number);
            json.string("linktype_name", *name);
        }
        None => json.unsigned("linktype", packet.link.0),
    }
    json.close_object();
}
