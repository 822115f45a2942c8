//! A row of IP packets, each behind two bytes of length and one of seconds that pass before it:
//! whatever is put together decodes, and the caps hold.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_base::{Duration, Reader, Timestamp};
use weir_packet::{
    Decoder, DecoderSettings, DefragSettings, Defragmenter, LinkType, OverlapPolicy, PacketList, RawPacket,
};

const MEMCAP: usize = 1 << 18;

fuzz_target!(|input: &[u8]| {
    let mut reader = Reader::new(input);
    let Some(choice) = reader.u8() else { return };
    let policy = OverlapPolicy::ALL[usize::from(choice) % OverlapPolicy::ALL.len()];
    let settings = DefragSettings { policy, memcap: MEMCAP, max_trackers: 16, ..DefragSettings::default() };
    let mut defragmenter = Defragmenter::new(settings);
    let mut decoder = Decoder::new(DecoderSettings::default());
    let mut list = PacketList::new();
    let mut time = Timestamp::new(1, 0);
    while let (Some(length), Some(seconds)) = (reader.u16(), reader.u8()) {
        time = time.plus(Duration::from_secs(seconds.into()));
        let Some(bytes) = reader.take(usize::from(length).min(reader.len())) else { return };
        let raw = RawPacket {
            number: 1,
            time,
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: 0,
            bytes,
        };
        decoder.decode(&raw, &mut list);
        for packet in &mut list {
            if let Some(whole) = defragmenter.push(packet, decoder.event_counters()) {
                let mut inner = PacketList::new();
                decoder.decode_ip(&whole.bytes, packet, &mut inner);
                assert!(inner.outer().is_some());
                drop(inner);
                defragmenter.recycle(whole.bytes);
            }
        }
        assert!(defragmenter.counters().memuse <= MEMCAP as u64);
    }
});
