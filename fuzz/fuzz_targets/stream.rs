//! A row of TCP segments, each ten bytes: direction and options, flags, sequence and
//! acknowledgement relative to what is usual, window, and length. Whatever comes, each direction is
//! handed out without a hole that is not reported, memory stays within its cap and is given back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_base::{Delivery, Direction, PerDirection, Piece, Reader, Timestamp};
use weir_packet::{LinkType, Packet, RawPacket, Tcp, TcpOptions, Transport};
use weir_stream::{OverlapPolicy, StreamSettings, StreamShared, StreamSink, TcpSession, UrgentPolicy};

const MEMCAP: u64 = 64 << 10;

const POLICIES: [OverlapPolicy; 8] = [
    OverlapPolicy::Bsd,
    OverlapPolicy::Linux,
    OverlapPolicy::OldLinux,
    OverlapPolicy::Solaris,
    OverlapPolicy::Hpux11,
    OverlapPolicy::Vista,
    OverlapPolicy::First,
    OverlapPolicy::Last,
];

const URGENT: [UrgentPolicy; 4] =
    [UrgentPolicy::OutOfBand, UrgentPolicy::Inline, UrgentPolicy::Drop, UrgentPolicy::Gap];

/// Holds that bytes and gaps follow one another.
#[derive(Default)]
struct Contiguous {
    next: PerDirection<u64>,
    closed: PerDirection<bool>,
}

impl StreamSink for Contiguous {
    fn take(&mut self, delivery: Delivery<'_>) {
        let next = &mut self.next[delivery.direction];
        match delivery.piece {
            Piece::Data { offset, bytes, arrivals } => {
                assert!(!bytes.is_empty());
                assert_eq!(offset, *next);
                assert_eq!(arrivals[0].0, offset);
                *next += bytes.len() as u64;
            }
            Piece::Gap { offset, length } => {
                assert!(length > 0);
                assert_eq!(offset, *next);
                *next += length;
            }
            Piece::End => assert!(!std::mem::replace(&mut self.closed[delivery.direction], true)),
            Piece::Datagram(_) => panic!("a stream has no datagrams"),
        }
    }
}

fn settings(choice: u8) -> StreamSettings {
    StreamSettings {
        reassembly_memcap: MEMCAP,
        depth: if choice & 1 == 0 { 0 } else { 5000 },
        inline: choice & 2 != 0,
        midstream: choice & 4 != 0,
        async_oneside: choice & 8 != 0,
        raw: choice & 16 != 0,
        urgent: URGENT[usize::from(choice >> 6)],
        ..StreamSettings::default()
    }
}

fuzz_target!(|input: &[u8]| {
    let mut reader = Reader::new(input);
    let (Some(choice), Some(policy)) = (reader.u8(), reader.u8()) else { return };
    let settings = settings(choice);
    let mut session = TcpSession::new(&settings);
    let mut shared = StreamShared::new();
    let mut sink = Contiguous::default();
    for direction in Direction::BOTH {
        session.set_policy(direction, POLICIES[usize::from(policy) % POLICIES.len()]);
    }
    let payload = input;
    let mut number = 0;
    while let (Some(control), Some(flags), Some(seq), Some(ack), Some(window), Some(length)) =
        (reader.u8(), reader.u8(), reader.u16(), reader.u16(), reader.u16(), reader.u16())
    {
        number += 1;
        let direction = if control & 1 == 0 { Direction::ToServer } else { Direction::ToClient };
        let isn = u32::MAX - 100;
        let options = TcpOptions {
            timestamp: (control & 2 != 0).then_some((number, u32::from(control >> 4))),
            window_scale: (control & 4 != 0).then_some(control >> 4),
            sack_permitted: control & 8 != 0,
            fast_open: (control & 16 != 0).then_some(&[]),
            sack: payload.get(..8).unwrap_or_default(),
            mss: None,
        };
        let tcp = Tcp {
            seq: isn.wrapping_add(seq.into()),
            ack: isn.wrapping_add(ack.into()),
            flags,
            window,
            urgent: window,
            options,
            ..Tcp::default()
        };
        let raw = RawPacket {
            number: number.into(),
            time: Timestamp::new(number.into(), 0),
            link: LinkType::RAW,
            wire_length: 0,
            interface: 0,
            bytes: &[],
        };
        let payload = &payload[..usize::from(length).min(payload.len())];
        let packet = Packet { transport: Transport::Tcp(tcp), payload, ..Packet::empty(&raw) };
        let outcome = session.packet(&packet, direction, &settings, &mut shared, &mut sink);
        assert!(!outcome.reused || outcome.events.is_empty());
        assert!(shared.counters.reassembly_memuse <= MEMCAP);
        if control & 32 != 0 {
            while let Some(window) = session.raw(direction, &settings, &mut shared) {
                let end = window.end();
                if end <= session.raw_progress(direction) {
                    break;
                }
                session.raw_inspected(direction, end, (end % 64) as usize);
            }
        }
        if control & 0xc0 == 0xc0 {
            session.disable_app(direction);
        }
        session.prune(direction, &settings, &mut shared);
    }
    for direction in Direction::BOTH {
        session.flush(direction, Timestamp::default(), &mut shared, &mut sink);
    }
    session.release(&mut shared);
    assert_eq!(shared.counters.reassembly_memuse, 0);
    assert_eq!(shared.counters.memuse, 0);
});
