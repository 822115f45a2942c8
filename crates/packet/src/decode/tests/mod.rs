//! Decoding of bytes, by protocol.

mod damage;
mod events;
mod layers;
mod options;
mod total;
mod tunnels;

use crate::decode::{Decoder, DecoderSettings, PacketList};
use crate::event::DecodeEvent;
use crate::packet::{LayerKind, Packet};
use crate::raw::{LinkType, RawPacket};
use weir_base::{Counters, Timestamp};

pub(super) fn raw(link: LinkType, bytes: &[u8]) -> RawPacket<'_> {
    let wire_length = bytes.len() as u32;
    RawPacket { number: 7, time: Timestamp(5), link, wire_length, interface: 2, bytes }
}

/// Every setting on.
pub(super) fn settings() -> DecoderSettings {
    DecoderSettings { gtp_ports: vec![2152], l2tp_ports: vec![1701], ..DecoderSettings::default() }
}

/// Decodes with every setting on, and sees to it that each layer is counted.
pub(super) fn decoded(link: LinkType, bytes: &[u8]) -> (PacketList<'_>, Decoder) {
    decoded_by(settings(), link, bytes)
}

/// Decodes with other settings.
pub(super) fn decoded_by(
    settings: DecoderSettings,
    link: LinkType,
    bytes: &[u8],
) -> (PacketList<'_>, Decoder) {
    let mut decoder = Decoder::new(settings);
    let mut list = PacketList::new();
    decoder.decode(&raw(link, bytes), &mut list);
    for kind in list.iter().flat_map(kinds) {
        let name = counter_of(kind);
        let counted = counts(&decoder).into_iter().any(|(counter, count)| counter == name && count > 0);
        assert!(counted, "{name}");
    }
    (list, decoder)
}

/// All counters of a decoder.
pub(super) fn counts(decoder: &Decoder) -> Vec<(String, u64)> {
    let mut counts = Vec::new();
    decoder.counters().visit(&mut |name: &str, count: u64| counts.push((name.to_owned(), count)));
    counts
}

/// The counter of a layer.
fn counter_of(kind: LayerKind) -> &'static str {
    match kind {
        LayerKind::Ethernet => "decoder.ethernet",
        LayerKind::Vlan => "decoder.vlan",
        LayerKind::VnTag => "decoder.vntag",
        LayerKind::ETag => "decoder.etag",
        LayerKind::Pbb => "decoder.ieee8021ah",
        LayerKind::Mpls => "decoder.mpls",
        LayerKind::Ppp => "decoder.ppp",
        LayerKind::Pppoe => "decoder.pppoe",
        LayerKind::Sll => "decoder.sll",
        LayerKind::Sll2 => "decoder.sll2",
        LayerKind::Null => "decoder.null",
        LayerKind::Raw => "decoder.raw",
        LayerKind::Chdlc => "decoder.chdlc",
        LayerKind::Ieee80211 => "decoder.ieee80211",
        LayerKind::Snap => "decoder.snap",
        LayerKind::Arp => "decoder.arp",
        LayerKind::Ipv4 => "decoder.ipv4",
        LayerKind::Ipv6 => "decoder.ipv6",
        LayerKind::Gre => "decoder.gre",
        LayerKind::Erspan => "decoder.erspan",
        LayerKind::Nsh => "decoder.nsh",
        LayerKind::Vxlan => "decoder.vxlan",
        LayerKind::VxlanGpe => "decoder.vxlan_gpe",
        LayerKind::Geneve => "decoder.geneve",
        LayerKind::Teredo => "decoder.teredo",
        LayerKind::Gtp => "decoder.gtp",
        LayerKind::Ayiya => "decoder.ayiya",
        LayerKind::L2tp => "decoder.l2tp",
        LayerKind::Esp => "decoder.esp",
        LayerKind::Ah => "decoder.ah",
        LayerKind::Tcp => "decoder.tcp",
        LayerKind::Udp => "decoder.udp",
        LayerKind::Sctp => "decoder.sctp",
        LayerKind::Icmpv4 => "decoder.icmpv4",
        LayerKind::Icmpv6 => "decoder.icmpv6",
        LayerKind::Igmp => "decoder.igmp",
        LayerKind::Unknown => "no layer is of this kind",
    }
}

/// The events of a packet by name.
pub(super) fn events(packet: &Packet<'_>) -> Vec<&'static str> {
    packet.events.iter().map(DecodeEvent::name).collect()
}

/// The layers of a packet.
pub(super) fn kinds(packet: &Packet<'_>) -> Vec<LayerKind> {
    packet.layers.as_slice().iter().map(|layer| layer.kind).collect()
}

/// Bytes of a text of hexadecimal digits and spaces.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter_map(weir_base::hex::value).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte in {text}");
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
