//! Any bytes under any link type: decoding gives an outer packet, and every layer lies inside it.
//! The first two bytes choose the link type.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_base::Timestamp;
use weir_packet::{Decoder, DecoderSettings, FlowKey, LinkType, PacketList, RawPacket, checksum};

fuzz_target!(|input: &[u8]| {
    let Some((link, bytes)) = input.split_first_chunk::<2>() else {
        return;
    };
    let settings =
        DecoderSettings { gtp_ports: vec![2152], l2tp_ports: vec![1701], ..DecoderSettings::default() };
    let mut decoder = Decoder::new(settings);
    let mut list = PacketList::new();
    let raw = RawPacket {
        number: 1,
        time: Timestamp(0),
        link: LinkType(u16::from_be_bytes(*link)),
        wire_length: bytes.len() as u32,
        interface: 0,
        bytes,
    };
    decoder.decode(&raw, &mut list);
    assert!(list.outer().is_some());
    for packet in &list {
        for layer in packet.layers.as_slice() {
            assert!(layer.offset as usize + layer.length as usize <= packet.bytes.len());
        }
        let _ = FlowKey::of(packet);
        let _ = checksum::ipv4_valid(packet);
        let _ = checksum::transport_valid(packet);
    }
});
