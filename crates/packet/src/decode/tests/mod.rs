//! What bytes become.

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
use weir_base::Timestamp;

pub(super) fn raw(link: LinkType, bytes: &[u8]) -> RawPacket<'_> {
    let wire_length = bytes.len() as u32;
    RawPacket { number: 7, time: Timestamp(5), link, wire_length, interface: 2, bytes }
}

/// Every setting on.
pub(super) fn settings() -> DecoderSettings {
    DecoderSettings { gtp_ports: vec![2152], l2tp_ports: vec![1701], ..DecoderSettings::default() }
}

/// Decodes with every setting on.
pub(super) fn decoded(link: LinkType, bytes: &[u8]) -> (PacketList<'_>, Decoder) {
    let mut decoder = Decoder::new(settings());
    let mut list = PacketList::new();
    decoder.decode(&raw(link, bytes), &mut list);
    (list, decoder)
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
