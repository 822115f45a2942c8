//! The cases of insertion and evasion: whoever looks on reads what the host reads.

#![allow(clippy::panic, clippy::unwrap_used)]

use weir_base::{Delivery, Direction, Piece, Timestamp};
use weir_packet::decode::{Decoder, DecoderSettings, PacketList};
use weir_packet::{LinkType, RawPacket, checksum};
use weir_stream::{OverlapPolicy, StreamEvent, StreamSettings, StreamShared, StreamSink, TcpSession};
use weir_testkit::evasion::{OVERLAPS, STREAM_POLICIES, STREAMS, StreamCase};

/// Initial sequence numbers: some in the middle, and some after which the numbers wrap.
const FIRST_NUMBERS: [(u32, u32); 4] =
    [(1000, 5000), (u32::MAX - 4, 77), (u32::MAX, u32::MAX), (0x7fff_fffd, 0x8000_0000)];

/// What the server reads.
#[derive(Default)]
struct Reader {
    bytes: Vec<u8>,
    next: u64,
    closed: bool,
}

impl StreamSink for Reader {
    fn take(&mut self, delivery: Delivery<'_>) {
        if delivery.direction == Direction::ToClient {
            return;
        }
        match delivery.piece {
            Piece::Data { offset, bytes, .. } => {
                assert!(!self.closed, "nothing comes after the end");
                assert_eq!(offset, self.next, "bytes come in order");
                self.next += bytes.len() as u64;
                self.bytes.extend_from_slice(bytes);
            }
            Piece::Gap { offset, length } => {
                assert_eq!(offset, self.next);
                self.next += length;
            }
            Piece::End => self.closed = true,
            Piece::Datagram(_) => panic!("a stream has no datagrams"),
        }
    }
}

/// What is read of a case and told of it.
fn run(case: &StreamCase, policy: &str, (client, server): (u32, u32)) -> (String, Vec<&'static str>) {
    let settings = StreamSettings { liberal_timestamps: false, ..StreamSettings::default() };
    let mut shared = StreamShared::new();
    let mut session = TcpSession::new(&settings);
    session.set_policy(Direction::ToServer, OverlapPolicy::by_name(policy).unwrap());
    let mut decoder = Decoder::new(DecoderSettings::default());
    let (mut reader, mut events) = (Reader::default(), Vec::new());
    for (number, frame) in (1..).zip(case.frames(client, server)) {
        let raw = RawPacket {
            number,
            time: frame.time,
            link: LinkType::ETHERNET,
            wire_length: frame.bytes.len() as u32,
            interface: 0,
            bytes: &frame.bytes,
        };
        let mut list = PacketList::new();
        decoder.decode(&raw, &mut list);
        let packet = list.outer().unwrap();
        if checksum::transport_valid(packet) == Some(false) {
            continue;
        }
        let to_server = packet.destination_port() == Some(9999);
        let direction = if to_server { Direction::ToServer } else { Direction::ToClient };
        let outcome = session.packet(packet, direction, &settings, &mut shared, &mut reader);
        events.extend(outcome.events.iter().map(StreamEvent::name));
        session.prune(direction, &settings, &mut shared);
    }
    for direction in Direction::BOTH {
        session.flush(direction, Timestamp::default(), &mut shared, &mut reader);
    }
    session.release(&mut shared);
    assert_eq!(shared.counters.reassembly_memuse, 0, "{}", case.name);
    (String::from_utf8(reader.bytes).unwrap(), events)
}

#[test]
fn the_server_and_who_looks_on_read_the_same() {
    let mut wrong = Vec::new();
    for case in OVERLAPS.iter().chain(STREAMS) {
        for policy in STREAM_POLICIES {
            for numbers in FIRST_NUMBERS {
                let (read, events) = run(case, policy, numbers);
                if read != case.reads(policy) {
                    wrong.push(format!(
                        "{}, {policy}, {numbers:?}: read {read}, not {}",
                        case.name,
                        case.reads(policy)
                    ));
                }
                for event in case.events.iter().filter(|event| !events.contains(event)) {
                    wrong.push(format!("{}, {policy}, {numbers:?}: {event} is not in {events:?}", case.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
