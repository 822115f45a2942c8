//! Weirds of the headers below IP: those that are cut off, and types that are none.

use weir_base::Reader;
use weir_packet::{LayerKind, LinkType, Packet};

use super::{Oddity, snap};

const ETHERNET_LENGTH: usize = 14;
/// A frame is to be longer than an Ethernet header and a tag's type.
const LEAST_ETHERNET: usize = 16;
/// Header of FabricPath in front of the frame that it carries.
const FABRIC_PATH_LENGTH: usize = 16;
const SLL_LENGTH: usize = 16;
const SLL2_LENGTH: usize = 20;
const NULL_LENGTH: usize = 4;
const TAG_LENGTH: usize = 4;
const LABEL_LENGTH: usize = 4;
/// With the protocol field of PPP.
const PPPOE_LENGTH: usize = 8;
const BACKBONE_TAG_LENGTH: usize = 18;
/// Type, length and other fixed fields of ARP (RFC 826).
const ARP_LENGTH: usize = 8;
/// A data frame's header without its optional fields, and those (IEEE 802.11 9.2.4).
const DATA_FRAME_LENGTH: usize = 24;
const FOURTH_ADDRESS_LENGTH: usize = 6;
const QOS_LENGTH: usize = 2;
const LLC_SNAP_LENGTH: usize = 8;

/// Values of a type field that are lengths, and those that are nothing.
const LARGEST_LENGTH: u16 = 1500;
const UNDEFINED: u16 = 1501;
const LEAST_TYPE: u16 = 1536;

/// EtherTypes whose headers may be cut off.
const ARP: u16 = 0x0806;
const VLAN: u16 = 0x8100;
const MPLS_UNICAST: u16 = 0x8847;
const MPLS_MULTICAST: u16 = 0x8848;
const PPPOE_SESSION: u16 = 0x8864;
const PROVIDER_BRIDGE: u16 = 0x88a8;
const BACKBONE_BRIDGE: u16 = 0x88e7;
const FABRIC_PATH: u16 = 0x8903;
const QINQ: u16 = 0x9100;

/// Returns the weird of a captured frame in which no packet was found, as a header in front of it is no whole one.
pub(super) fn look(packet: &Packet<'_>) -> Option<Oddity> {
    let bytes = packet.bytes;
    match packet.link {
        LinkType::ETHERNET => cut(bytes, LEAST_ETHERNET, "truncated_ethernet_frame", "ETHERNET")
            .or_else(|| fabric_path(bytes))
            .or_else(|| behind_last_layer(packet)),
        LinkType::LINUX_SLL => cut(bytes, SLL_LENGTH, "truncated_Linux_SLL_header", "LINUXSLL")
            .or_else(|| behind_last_layer(packet)),
        LinkType::LINUX_SLL2 => cut(bytes, SLL2_LENGTH, "truncated_Linux_SLL2_header", "LINUXSLL2")
            .or_else(|| behind_last_layer(packet)),
        LinkType::NULL => cut(bytes, NULL_LENGTH, "null_analyzer_failed", "NULL"),
        LinkType::PPP_HDLC => cut(bytes, 4, "truncated_ppp_serial_header", "PPPSERIAL"),
        LinkType::PPP if bytes.starts_with(&[0xff, 0x03]) && bytes.len() > 2 => {
            cut(bytes, 4, "truncated_ppp_hdlc_header", "PPP")
        }
        LinkType::PPP => cut(bytes, 2, "truncated_ppp_header", "PPP"),
        LinkType::NFLOG => nflog(bytes),
        LinkType::IEEE802_11 => wireless(bytes),
        LinkType::IEEE802_11_RADIOTAP => radiotap(bytes),
        _ => None,
    }
}

/// Returns the weird `name`, unless more than a header of so many bytes is there.
fn cut(bytes: &[u8], length: usize, name: &'static str, source: &'static str) -> Option<Oddity> {
    (bytes.len() <= length).then(|| Oddity::of(name, source))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Reader::new(bytes.get(at..)?).u16()
}

/// Cisco's header in front of a frame.
fn fabric_path(bytes: &[u8]) -> Option<Oddity> {
    let carries = u16_at(bytes, ETHERNET_LENGTH - 2)? == FABRIC_PATH;
    carries
        .then(|| cut(bytes, FABRIC_PATH_LENGTH + ETHERNET_LENGTH, "truncated_link_header_cfp", "ETHERNET"))?
}

/// Returns the weird of what follows the last header that was read.
fn behind_last_layer(packet: &Packet<'_>) -> Option<Oddity> {
    let last = packet.layers.as_slice().last()?;
    let rest = packet.behind_layers();
    let header = packet.bytes.get(last.offset as usize..)?.get(..last.length as usize)?;
    let kind = u16_at(header, header.len().checked_sub(2)?)?;
    match last.kind {
        LayerKind::Ethernet => match kind {
            ..=LARGEST_LENGTH if rest.len() < usize::from(kind) => {
                Some(Oddity::of("truncated_ethernet_frame", "ETHERNET"))
            }
            ..=LARGEST_LENGTH => snap::look(rest),
            UNDEFINED..LEAST_TYPE => Some(Oddity::of("undefined_ether_type", "ETHERNET")),
            _ => behind_type(kind, rest),
        },
        LayerKind::Vlan if rest.is_empty() => Some(Oddity::of("truncated_VLAN_header", "VLAN")),
        LayerKind::Vlan => match kind {
            ..=LARGEST_LENGTH if rest.len() < 2 => Some(Oddity::of("truncated_VLAN_header", "VLAN")),
            // Bytes beyond the length are padding.
            ..=LARGEST_LENGTH => snap::look(rest.get(..usize::from(kind)).unwrap_or(rest)),
            UNDEFINED..LEAST_TYPE => Some(Oddity::of("undefined_vlan_protocol", "VLAN")),
            _ => behind_type(kind, rest),
        },
        LayerKind::Mpls if rest.is_empty() => Some(Oddity::of("truncated_link_header", "MPLS")),
        LayerKind::Pppoe if rest.is_empty() && header.len() >= PPPOE_LENGTH => {
            Some(Oddity::of("truncated_pppoe_header", "PPPOE"))
        }
        LayerKind::Pbb if rest.is_empty() => Some(Oddity::of("truncated_PBB_header", "PBB")),
        LayerKind::Pbb => behind_type(kind, rest),
        LayerKind::Sll => behind_type(kind, rest),
        LayerKind::Sll2 => behind_type(u16_at(header, 0)?, rest),
        _ => None,
    }
}

/// Returns the weird of the header that a type announces.
fn behind_type(kind: u16, rest: &[u8]) -> Option<Oddity> {
    match kind {
        ARP => arp(rest),
        VLAN | PROVIDER_BRIDGE | QINQ => cut(rest, TAG_LENGTH, "truncated_VLAN_header", "VLAN"),
        MPLS_UNICAST | MPLS_MULTICAST => labels(rest),
        PPPOE_SESSION => cut(rest, PPPOE_LENGTH, "truncated_pppoe_header", "PPPOE"),
        BACKBONE_BRIDGE => cut(rest, BACKBONE_TAG_LENGTH, "truncated_PBB_header", "PBB"),
        _ => None,
    }
}

/// ARP, with addresses of the lengths that it states.
fn arp(bytes: &[u8]) -> Option<Oddity> {
    let length = match bytes {
        [_, _, _, _, hardware, protocol, _, _, ..] => {
            ARP_LENGTH + 2 * (usize::from(*hardware) + usize::from(*protocol))
        }
        _ => ARP_LENGTH,
    };
    (bytes.len() < length).then(|| Oddity::of("truncated_ARP", "ARP"))
}

/// A stack of labels (RFC 3032), the last of which is marked.
fn labels(bytes: &[u8]) -> Option<Oddity> {
    let mut rest = bytes;
    loop {
        let is_last = match rest.split_at_checked(LABEL_LENGTH) {
            Some((label, behind)) if !behind.is_empty() => {
                rest = behind;
                label.get(2).is_some_and(|byte| byte & 1 == 1)
            }
            _ => return Some(Oddity::of("truncated_link_header", "MPLS")),
        };
        if is_last {
            return None;
        }
    }
}

/// A netfilter log: a header, then attributes, the last of which is the packet.
fn nflog(bytes: &[u8]) -> Option<Oddity> {
    const HEADER: usize = 4;
    const PAYLOAD: u16 = 9;
    if let Some(oddity) = cut(bytes, HEADER, "truncated_nflog_header", "NFLOG") {
        return Some(oddity);
    }
    if bytes.get(1) != Some(&0) {
        return Some(Oddity::of("unknown_nflog_version", "NFLOG"));
    }
    let mut rest = bytes.get(HEADER..)?;
    // Each attribute takes its header at least: the loop ends with the bytes.
    while let [length_low, length_high, kind_low, kind_high, _, ..] = *rest {
        if u16::from_le_bytes([kind_low, kind_high]) == PAYLOAD {
            return None;
        }
        let length = usize::from(u16::from_le_bytes([length_low, length_high]));
        if length < HEADER {
            return Some(Oddity::of("nflog_bad_tlv_len", "NFLOG"));
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some(Oddity::of("nflog_no_pcap_payload", "NFLOG"))
}

fn radiotap(bytes: &[u8]) -> Option<Oddity> {
    let length = match bytes {
        [_, _, low, high, ..] => usize::from(u16::from_le_bytes([*low, *high])),
        _ => usize::MAX,
    };
    match bytes.get(length..) {
        Some(frame) if !frame.is_empty() => wireless(frame),
        _ => Some(Oddity::of("truncated_radiotap_header", "IEEE802_11_RADIO")),
    }
}

/// A frame of 802.11: of control and management, too, a data frame's header is expected.
fn wireless(frame: &[u8]) -> Option<Oddity> {
    let is_cut = |length| cut(frame, length, "truncated_802_11_header", "IEEE802_11");
    let mut length = DATA_FRAME_LENGTH;
    if let Some(oddity) = is_cut(length) {
        return Some(oddity);
    }
    let (control, flags) = (*frame.first()?, *frame.get(1)?);
    let (is_data, has_body) = (control & 0x08 != 0, control & 0x40 == 0);
    if !is_data || !has_body {
        return None;
    }
    if flags & 0x03 == 0x03 {
        length += FOURTH_ADDRESS_LENGTH;
        if let Some(oddity) = is_cut(length) {
            return Some(oddity);
        }
    }
    let mut is_aggregated = false;
    if control & 0x80 != 0 {
        is_aggregated = frame.get(length)? & 0x80 != 0;
        if flags & 0x40 != 0 {
            return None;
        }
        length += QOS_LENGTH;
    }
    is_cut(length).or_else(|| {
        let body = frame.get(length..).filter(|_| !is_aggregated)?;
        (body.len() < LLC_SNAP_LENGTH).then(|| Oddity::of("truncated_802_11_llc_header", "IEEE802_11"))
    })
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::{Decoder, DecoderSettings, PacketList, RawPacket};

    use super::*;

    /// Ethernet of such a type around the bytes.
    fn ethernet(kind: u16, bytes: &[u8]) -> Vec<u8> {
        [&[2; 12][..], &kind.to_be_bytes(), bytes].concat()
    }

    #[test]
    fn oddities_of_headers_below_ip() {
        let arp = |length: usize| {
            let mut bytes = b"\0\x01\x08\0\x06\x04\0\x01".to_vec();
            bytes.resize(length, 1);
            bytes
        };
        let zeros = [0; 64];
        let ether = LinkType::ETHERNET;
        type Case<'a> = (&'a str, LinkType, Vec<u8>, &'a [&'a str]);
        let cases: Vec<Case<'_>> = vec![
            ("no room for a tag", ether, ethernet(0x0800, b"\x45\0"), &["truncated_ethernet_frame"]),
            ("less than its length", ether, ethernet(100, &zeros), &["truncated_ethernet_frame"]),
            ("LLC", ether, ethernet(60, &zeros), &[]),
            ("neither length nor type", ether, ethernet(1501, &zeros), &["undefined_ether_type"]),
            ("SNAP, cut", ether, ethernet(5, b"\xaa\xaa\x03\0\0"), &["truncated_snap_header"]),
            ("FabricPath, cut", ether, ethernet(0x8903, &[0; 16]), &["truncated_link_header_cfp"]),
            ("a tag, cut", ether, ethernet(0x8100, b"\0\x01\x08"), &["truncated_VLAN_header"]),
            ("a tag alone", ether, ethernet(0x8100, b"\0\x01\x08\0"), &["truncated_VLAN_header"]),
            ("a tag, no type", ether, ethernet(0x8100, b"\0\x01\x05\xdd____"), &["undefined_vlan_protocol"]),
            ("labels, cut", ether, ethernet(0x8847, b"\0\0\0\0\0\0"), &["truncated_link_header"]),
            ("a label alone", ether, ethernet(0x8847, b"\0\0\x11\x40"), &["truncated_link_header"]),
            ("PPPoE, cut", ether, ethernet(0x8864, b"\x11\0\0\x01\0\x02"), &["truncated_pppoe_header"]),
            ("802.1ah, cut", ether, ethernet(0x88e7, &[0; 18]), &["truncated_PBB_header"]),
            ("ARP", ether, ethernet(0x0806, &arp(28)), &[]),
            ("ARP, cut", ether, ethernet(0x0806, &arp(27)), &["truncated_ARP"]),
            ("ARP, its fixed part cut", ether, ethernet(0x0806, &arp(7)), &["truncated_ARP"]),
            ("cooked, cut", LinkType::LINUX_SLL, vec![0; 16], &["truncated_Linux_SLL_header"]),
            ("cooked, cut", LinkType::LINUX_SLL2, vec![0; 20], &["truncated_Linux_SLL2_header"]),
            ("loopback, cut", LinkType::NULL, vec![2, 0, 0, 0], &["null_analyzer_failed"]),
            ("PPP, cut", LinkType::PPP_HDLC, vec![0xff, 3, 0, 0x21], &["truncated_ppp_serial_header"]),
            ("PPP, cut", LinkType::PPP, vec![0xff, 3, 0, 0x21], &["truncated_ppp_hdlc_header"]),
            ("PPP, cut", LinkType::PPP, vec![0, 0x21], &["truncated_ppp_header"]),
            ("a log, cut", LinkType::NFLOG, vec![2, 0, 0, 0], &["truncated_nflog_header"]),
            ("a log of another kind", LinkType::NFLOG, vec![2, 1, 0, 0, 0], &["unknown_nflog_version"]),
            (
                "a log without packet",
                LinkType::NFLOG,
                b"\x02\0\0\0\x05\0\x0a\0a\0\0\0".to_vec(),
                &["nflog_no_pcap_payload"],
            ),
            (
                "an attribute that is none",
                LinkType::NFLOG,
                b"\x02\0\0\0\x03\0\x0a\0a".to_vec(),
                &["nflog_bad_tlv_len"],
            ),
            ("an acknowledgement", LinkType::IEEE802_11, vec![0xd4; 14], &["truncated_802_11_header"]),
            ("a beacon", LinkType::IEEE802_11, vec![0x80; 60], &[]),
            (
                "data, its LLC cut",
                LinkType::IEEE802_11,
                [&[8, 0][..], &[0; 24]].concat(),
                &["truncated_802_11_llc_header"],
            ),
            (
                "radiotap, cut",
                LinkType::IEEE802_11_RADIOTAP,
                b"\0\0\x18\0".to_vec(),
                &["truncated_radiotap_header"],
            ),
        ];
        for (what, link, bytes, expected) in cases {
            let raw = RawPacket {
                number: 1,
                time: Timestamp(1),
                link,
                wire_length: bytes.len() as u32,
                interface: 0,
                bytes: &bytes,
            };
            let mut list = PacketList::new();
            Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
            let packet = list.outer().unwrap();
            let mut found = Vec::new();
            super::super::look(packet, &mut |oddity| found.push(oddity.name));
            assert_eq!(found, expected, "{what}");
            assert_eq!(super::super::is_plain(packet), expected.is_empty() && packet.arp.is_some(), "{what}");
        }
    }
}
