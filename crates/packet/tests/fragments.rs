//! The cases of fragments that overlap: what is put together is what the host reads.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use weir_packet::decode::{Decoder, DecoderSettings, PacketList};
use weir_packet::defrag::{DefragSettings, Defragmenter, OverlapPolicy};
use weir_packet::{LinkType, RawPacket};
use weir_testkit::evasion::{FRAGMENT_POLICIES, FragmentCase, Piece, fragment_cases};

/// The payload put together, a letter for each block; empty where nothing was.
fn run(
    case: &FragmentCase,
    policy: OverlapPolicy,
    packet_of: fn(&Piece) -> Vec<u8>,
    header: usize,
) -> String {
    let mut decoder = Decoder::new(DecoderSettings::default());
    let mut defrag = Defragmenter::new(DefragSettings { policy, ..DefragSettings::default() });
    let mut whole = None;
    for (number, piece) in (1..).zip(&case.pieces) {
        let bytes = packet_of(piece);
        let raw = RawPacket {
            number,
            time: weir_base::Timestamp::new(number, 0),
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: 0,
            bytes: &bytes,
        };
        let mut list = PacketList::new();
        decoder.decode(&raw, &mut list);
        let packet = list.iter_mut().next_back().unwrap();
        let found = defrag.push(packet, decoder.event_counters());
        whole = whole.or(found);
    }
    whole.map(|whole| FragmentCase::letters(&whole.bytes[header..])).unwrap_or_default()
}

#[test]
fn the_host_and_who_looks_on_read_the_same() {
    let mut wrong = Vec::new();
    for case in fragment_cases() {
        for name in FRAGMENT_POLICIES {
            let policy = OverlapPolicy::of_system(name).unwrap();
            for (packet_of, header) in [(Piece::ipv4 as fn(&Piece) -> Vec<u8>, 20), (Piece::ipv6, 40)] {
                let read = run(&case, policy, packet_of, header);
                if read != case.reads(name) {
                    wrong.push(format!(
                        "{}, {name}, {header}: read {read}, not {}",
                        case.name,
                        case.reads(name)
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
