//! Captures in, packets and errors out, through every way of reading.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use weir_base::Timestamp;
use weir_packet::LinkType;

use super::build::{Bytes, block, enhanced, interface, pcap, pcap_header, section};
use super::record::ByteOrder;
use super::*;
use crate::{Folders, Request};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
const SECOND: u64 = 1_000_000_000;

/// A packet as tests compare it: number, nanoseconds, link, wire length, interface, bytes.
type Seen = (u64, u64, u16, u32, u32, Vec<u8>);

fn seen(packet: weir_packet::RawPacket<'_>) -> Seen {
    let Timestamp(nanoseconds) = packet.time;
    (packet.number, nanoseconds, packet.link.0, packet.wire_length, packet.interface, packet.bytes.to_vec())
}

/// Reads a capture from memory.
fn read(bytes: &[u8]) -> (Vec<Seen>, Option<Fault>) {
    let mut packets = Vec::new();
    for item in CaptureReader::new(bytes).expect("a capture") {
        match item {
            Ok(packet) => packets.push(seen(packet)),
            Err(fault) => return (packets, Some(fault)),
        }
    }
    (packets, None)
}

/// Reads a source to its end.
fn drain(source: &mut dyn Source, max: usize) -> (Vec<Seen>, Option<SourceError>) {
    let mut packets = Vec::new();
    let mut error = None;
    loop {
        match source.next_batch(max, Duration::ZERO) {
            Ok(batch) if batch.at_end() => return (packets, error),
            Ok(batch) => {
                assert!(batch.len() <= max);
                packets.extend(batch.iter().map(seen));
            }
            Err(reason) => assert!(error.replace(reason).is_none(), "an error is told once"),
        }
    }
}

/// Hands out a few bytes at a time.
struct Dribble(io::Cursor<Vec<u8>>, usize);

impl Read for Dribble {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

fn stream(bytes: &[u8], at_once: usize) -> Result<PcapFile, SourceError> {
    let reader = Dribble(io::Cursor::new(bytes.to_vec()), at_once);
    PcapFile::from_reader(Path::new("stream"), Box::new(reader), None)
}

/// A directory of its own that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("weir-capture-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Two sections of different byte order, with all kinds of blocks; packets are marked.
fn mixed_blocks() -> Vec<(bool, Vec<u8>)> {
    let [big, little] = ORDERS;
    let simple = Bytes::new(little).u32(5).raw(b"hello");
    let old = Bytes::new(little).u16(1).u16(9).u32(0).u32(3).u32(2).u32(8).raw(b"pb");
    let nanoseconds = Bytes::new(little).u16(9).u16(1).raw(&[9, 0, 0, 0]).u32(0).bytes;
    let offset = Bytes::new(big).u16(14).u16(8).u64(100).u32(0).bytes;
    vec![
        (false, section(little)),
        (false, interface(little, 1, 0, &nanoseconds)),
        (false, interface(little, 101, 96, &[])),
        (true, enhanced(little, 0, 5 * SECOND + 1, b"one")),
        (false, block(little, 0xbad, Bytes::new(little).raw(&[0xff; 40]))),
        (true, block(little, 3, simple)),
        (true, block(little, 2, old)),
        (false, section(big)),
        (false, block(big, 5, Bytes::new(big).raw(&[0; 8]))),
        (false, interface(big, 113, 0, &offset)),
        (true, enhanced(big, 0, 2, b"four")),
    ]
}

fn mixed_pcapng() -> Vec<u8> {
    mixed_blocks().into_iter().flat_map(|(_, block)| block).collect()
}

fn mixed_packets() -> Vec<Seen> {
    vec![
        (1, 5 * SECOND + 1, 1, 4, 0, b"one".to_vec()),
        (2, 0, 1, 5, 0, b"hello".to_vec()),
        (3, 3_000, 101, 8, 1, b"pb".to_vec()),
        (4, 100 * SECOND + 2_000, 113, 5, 2, b"four".to_vec()),
    ]
}

#[test]
fn classic_captures() {
    for order in ORDERS {
        let (packets, fault) = read(&pcap(order, &[b"one", b"", b"three"]));
        let expected = [
            (1, 7_000, 1, 4, 0, b"one".to_vec()),
            (2, SECOND + 7_000, 1, 1, 0, vec![]),
            (3, 2 * SECOND + 7_000, 1, 6, 0, b"three".to_vec()),
        ];
        assert_eq!((packets.as_slice(), fault), (&expected[..], None), "{order:?}");
    }
}

#[test]
fn classic_variants() {
    let modified: &[u8] = &[9, 0, 0, 0, 8, 0, 0, 0];
    // Magic, version, snapshot length, link, the two lengths, what follows the record header;
    // nanoseconds, link, wire length and captured bytes.
    type Variant<'a> = (u32, (u16, u16), u32, u32, (u32, u32), &'a [u8], (u64, u16, u32, &'a [u8]));
    let variants: &[Variant] = &[
        (0xa1b2_3c4d, (2, 4), 0, 1, (4, 9), b"", (SECOND + 7, 1, 9, b"abcd")),
        (0xa1b2_c3d4, (2, 4), 0, 0x1000_0065, (4, 9), b"", (SECOND + 7_000, 101, 9, b"abcd")),
        (0xa1b2_c3d4, (2, 4), 3, 1, (4, 9), b"", (SECOND + 7_000, 1, 9, b"abc")),
        (0xa1b2_c3d4, (2, 4), u32::MAX, 1, (4, 3), b"", (SECOND + 7_000, 1, 3, b"abcd")),
        (0xa1b2_cd34, (2, 4), 0, 1, (4, 9), modified, (SECOND + 7_000, 1, 9, b"abcd")),
        (0xa1b2_c3d4, (2, 2), 0, 1, (9, 4), b"", (SECOND + 7_000, 1, 9, b"abcd")),
        (0xa1b2_c3d4, (2, 3), 0, 1, (9, 4), b"", (SECOND + 7_000, 1, 9, b"abcd")),
        (0xa1b2_c3d4, (2, 3), 0, 1, (4, 9), b"", (SECOND + 7_000, 1, 9, b"abcd")),
        (0xa1b2_c3d4, (543, 0), 0, 1, (9, 4), b"", (SECOND + 7_000, 1, 9, b"abcd")),
    ];
    for order in ORDERS {
        for &(magic, version, snapshot, link, lengths, extra, expected) in variants {
            let header = pcap_header(order, magic, version, snapshot, link);
            let file = header.u32(1).u32(7).u32(lengths.0).u32(lengths.1).raw(extra).raw(b"abcd");
            let (time, link, wire_length, bytes) = expected;
            let packet = (1, time, link, wire_length, 0, bytes.to_vec());
            assert_eq!(
                read(&file.bytes),
                (vec![packet], None),
                "{magic:#x} {version:?} {snapshot} {lengths:?}"
            );
        }
    }
}

#[test]
fn absurd_times_are_kept() {
    let file = pcap_header(ByteOrder::Big, 0xa1b2_c3d4, (2, 4), 0, 1);
    let file = file.u32(u32::MAX).u32(u32::MAX).u32(0).u32(0);
    let (packets, fault) = read(&file.bytes);
    let expected = u64::from(u32::MAX) * SECOND + u64::from(u32::MAX) * 1000;
    assert_eq!((packets[0].1, fault), (expected, None));
}

#[test]
fn pcapng_sections_interfaces_and_blocks() {
    assert_eq!(read(&mixed_pcapng()), (mixed_packets(), None));
}

#[test]
fn damage_in_classic_captures() {
    let start = pcap(ByteOrder::Little, &[b"one"]);
    let record = |length| Bytes::new(ByteOrder::Little).u32(1).u32(1).u32(length).u32(length).bytes;
    let (packets, fault) = read(&[start.clone(), record(262_145), vec![0; 64]].concat());
    assert_eq!(packets.len(), 1);
    assert_eq!(
        fault,
        Some(Fault {
            offset: start.len() as u64,
            damage: Damage::PacketLength { length: 262_145, limit: MAX_PACKET_LENGTH }
        })
    );
    let longest = [start, record(262_144), vec![7; 262_144]].concat();
    let (packets, fault) = read(&longest);
    assert_eq!((packets[1].5.len(), fault), (65_535, None), "cut to the snapshot length");
    let version = pcap_header(ByteOrder::Big, 0xa1b2_c3d4, (3, 0), 0, 1).bytes;
    let damage = Damage::Version { major: 3, minor: 0 };
    assert_eq!(read(&version), (vec![], Some(Fault { offset: 0, damage })));
}

#[test]
fn damage_in_pcapng() {
    let order = ByteOrder::Little;
    let head = [section(order), interface(order, 1, 0, &[]), enhanced(order, 0, 1, b"one")].concat();
    let packet = |interface: u32, length: u32, body: &[u8]| {
        block(order, 6, Bytes::new(order).u32(interface).u64(0).u32(length).u32(length).raw(body))
    };
    let mut tail = packet(0, 4, b"tail");
    *tail.last_mut().unwrap() = 1;
    let tail_length = tail.len() as u32;
    let mut skipped_tail = block(order, 99, Bytes::new(order));
    *skipped_tail.last_mut().unwrap() = 1;
    let cases: Vec<(Vec<u8>, u64, Damage)> = vec![
        (packet(1, 0, b""), 0, Damage::Interface { interface: 1, known: 1 }),
        (packet(0, 5, b"four"), 0, Damage::PacketOverrun { length: 5 }),
        (packet(0, 1 << 20, b"four"), 0, Damage::PacketLength { length: 1 << 20, limit: MAX_PACKET_LENGTH }),
        (tail, 0, Damage::BlockTail { head: tail_length, tail: tail_length + (1 << 24) }),
        (skipped_tail, 8, Damage::BlockTail { head: 12, tail: 12 + (1 << 24) }),
        (Bytes::new(order).u32(6).u32(8).bytes, 0, Damage::BlockLength { kind: 6, length: 8 }),
        (Bytes::new(order).u32(99).u32(13).bytes, 0, Damage::BlockLength { kind: 99, length: 13 }),
        (Bytes::new(order).u32(6).u32(2 << 20).bytes, 0, Damage::BlockLength { kind: 6, length: 2 << 20 }),
        (block(order, 6, Bytes::new(order)), 0, Damage::BlockLength { kind: 6, length: 12 }),
        (block(order, 1, Bytes::new(order)), 0, Damage::BlockLength { kind: 1, length: 12 }),
        (
            block(order, 0x0a0d_0d0a, Bytes::new(order).u32(7).raw(&[0; 12])),
            0,
            Damage::ByteOrder { found: 0x0700_0000 },
        ),
        (
            Bytes::new(order).u32(99).u32(4000).bytes,
            0,
            Damage::Truncated { what: "a block", wanted: 3996, left: 8 },
        ),
    ];
    for (block, offset, damage) in cases {
        let file = [head.clone(), block].concat();
        let fault = Fault { offset: head.len() as u64 + offset, damage };
        let (packets, found) = read(&file);
        assert_eq!((packets.len(), found), (1, Some(fault)));
    }
}

#[test]
fn interfaces_are_limited() {
    let mut file = section(ByteOrder::Big);
    for _ in 0..4097 {
        file.extend(interface(ByteOrder::Big, 1, 0, &[]));
    }
    let (_, fault) = read(&file);
    assert_eq!(fault.unwrap().damage, Damage::Interfaces { limit: 4096 });
}

#[test]
fn every_truncation_keeps_what_came_before() {
    let classic = pcap(ByteOrder::Big, &[b"one", b"", b"three"]);
    let records = [(24, 0), (43, 1), (59, 2), (80, 3)];
    for end in 4..=classic.len() {
        let (packets, fault) = read(&classic[..end]);
        let (start, count) = records.into_iter().rfind(|(start, _)| *start <= end).unwrap_or((0, 0));
        assert_eq!(packets.len(), count, "cut at {end}");
        let complete = end == start && end > 0;
        assert_eq!(fault.map(|fault| fault.offset), (!complete).then_some(start as u64), "cut at {end}");
    }
    let pcapng = mixed_pcapng();
    let whole = mixed_packets();
    // Where each block begins, with the packets until there.
    let mut blocks = vec![(0, 0)];
    for (is_packet, block) in mixed_blocks() {
        let &(start, count) = blocks.last().unwrap();
        blocks.push((start + block.len(), count + usize::from(is_packet)));
    }
    for end in 4..=pcapng.len() {
        let (packets, fault) = read(&pcapng[..end]);
        let &(start, count) = blocks.iter().rfind(|(start, _)| *start <= end).unwrap();
        assert_eq!(packets, whole[..count], "cut at {end}");
        assert_eq!(fault.is_none(), end == start && end > 0, "cut at {end}");
        if let Some(fault) = fault {
            // A block that is skipped is missed at its tail when only the tail is cut.
            let near = fault.offset == start as u64 || end - (fault.offset as usize) < 4;
            assert!(near && fault.offset <= end as u64, "cut at {end}: {fault:?}");
        }
    }
}

#[test]
fn all_ways_of_reading_agree() {
    let scratch = Scratch::new();
    let large = vec![0x55; 200_000];
    let captures = [
        pcap(ByteOrder::Little, &[b"one", &large[..60_000], b"", &large[..65_000], b"five"]),
        [mixed_pcapng(), block(ByteOrder::Big, 77, Bytes::new(ByteOrder::Big).raw(&[1; 700_000]))].concat(),
        [
            section(ByteOrder::Big),
            interface(ByteOrder::Big, 1, 0, &[]),
            enhanced(ByteOrder::Big, 0, 1, &large),
            enhanced(ByteOrder::Big, 0, 2, b"end"),
        ]
        .concat(),
    ];
    for capture in captures {
        let (expected, fault) = read(&capture);
        assert_eq!(fault, None);
        let path = scratch.file("plain", &capture);
        for max in [1, 2, 100] {
            let (packets, error) = drain(&mut PcapFile::open(&path, None).unwrap(), max);
            assert!(error.is_none());
            assert_eq!(packets, expected);
            let (packets, error) = drain(&mut stream(&capture, 1000).unwrap(), max);
            assert!(error.is_none());
            assert_eq!(packets, expected);
        }
        for (name, compressed) in compressions(&capture) {
            let path = scratch.file(name, &compressed);
            let (packets, error) = drain(&mut PcapFile::open(&path, None).unwrap(), 10);
            assert!(error.is_none(), "{name}: {error:?}");
            assert_eq!(packets, expected, "{name}");
        }
    }
}

/// The bytes in each compression, cut into two members or frames.
fn compressions(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let gzip = |part: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |part: &[u8]| zstd::stream::encode_all(part, 1).unwrap();
    let lz4 = |part: &[u8]| {
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    let xz = |part: &[u8]| {
        let options = lzma_rust2::XzOptions::with_preset(0);
        let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    let bzip2 = |part: &[u8]| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    vec![
        ("xz", [xz(first), xz(second)].concat()),
        ("bzip2", [bzip2(first), bzip2(second)].concat()),
        ("gzip", [gzip(first), gzip(second)].concat()),
        ("zstd", [zstd(first), zstd(second)].concat()),
        ("lz4", [lz4(first), lz4(second)].concat()),
    ]
}

#[test]
fn damaged_compression_delivers_what_can_be_read() {
    let packets: Vec<Vec<u8>> =
        (0..2000u32).map(|seed| seed.wrapping_mul(0x9e37_79b9).to_be_bytes().repeat(50)).collect();
    let packets: Vec<&[u8]> = packets.iter().map(Vec::as_slice).collect();
    let capture = pcap(ByteOrder::Little, &packets);
    let whole = read(&capture).0;
    for (name, compressed) in compressions(&capture) {
        let mut file = stream(&compressed[..compressed.len() - 5], 4096).unwrap();
        let (packets, error) = drain(&mut file, 100);
        assert!(packets.len() >= whole.len() / 2 - 1, "{name}: {} packets", packets.len());
        assert_eq!(packets, whole[..packets.len()]);
        let text = error.expect(name).to_string();
        assert!(text.contains(&format!("the {name} data cannot be decompressed (")), "{text}");
        assert!(text.contains(&format!("packets read before it: {}", packets.len())), "{text}");
    }
}

/// A tiny file may ask for gigabytes.
#[test]
fn a_dictionary_beyond_the_limit_is_refused() {
    let (_, mut file) = compressions(&pcap(ByteOrder::Big, &[b"one", b"two"])).swap_remove(0);
    // Behind the header of the stream: size, flags, filter, length of its properties, dictionary.
    let (block, dictionary) = (12, 16);
    assert_eq!(file[block + 2..dictionary], [0x21, 1]);
    file[dictionary] = 40;
    let end = block + (usize::from(file[block]) + 1) * 4 - 4;
    let mut crc = flate2::Crc::new();
    crc.update(&file[block..end]);
    file[end..end + 4].copy_from_slice(&crc.sum().to_le_bytes());
    let error = stream(&file, 1000).expect_err("an error").to_string();
    assert!(error.contains("the xz data cannot be decompressed (needed memory too big"), "{error}");
}

#[test]
fn memory_stays_bounded() {
    let order = ByteOrder::Big;
    let mut file = [section(order), interface(order, 1, 0, &[])].concat();
    for _ in 0..40 {
        file.extend(block(order, 77, Bytes::new(order).raw(&vec![1; 300_000])));
        file.extend(enhanced(order, 0, 1, &[2; 200_000]));
    }
    let mut source = stream(&file, usize::MAX).unwrap();
    let (packets, error) = drain(&mut source, 1000);
    assert_eq!((packets.len(), error.is_none()), (40, true));
    let Input::Streamed(stream) = &source.input else { panic!("not streamed") };
    assert!(stream.buffer_length() <= 512 * 1024, "{}", stream.buffer_length());
}

#[test]
fn each_mistake_has_its_sentence() {
    let scratch = Scratch::new();
    let cut = pcap(ByteOrder::Big, &[b"one", b"two"]);
    let cut = &cut[..cut.len() - 1];
    let cases = [
        (
            scratch.file("empty.pcap", b""),
            "empty.pcap is empty: not even the header of a capture file is there",
        ),
        (
            scratch.file("notes.txt", b"hello\n"),
            "notes.txt is not a capture file: it begins with text. Name a capture: pcap",
        ),
        (scratch.file("two", &[1, 2]), "two is not a capture file: it begins with the bytes 01 02. "),
        (scratch.0.clone(), " is a directory, not a capture file"),
        (scratch.0.join("none.pcap"), "none.pcap: there is no such file. Check the path."),
        (
            scratch.file("cut.pcap", cut),
            "cut.pcap is damaged at byte 43: the file ends inside of a packet record, \
             18 of 19 bytes are there; packets read before it: 1",
        ),
        (
            scratch.file("header.pcap", &cut[..10]),
            "header.pcap is damaged at byte 0: the file ends inside of the file header, 10 of 24 bytes",
        ),
    ];
    for (path, expected) in cases {
        let error = match PcapFile::open(&path, None) {
            Ok(mut source) => drain(&mut source, 10).1.expect("an error"),
            Err(error) => error,
        };
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert!(text.contains(path.to_str().unwrap()), "{text}");
    }
}

#[test]
fn numbers_and_statistics_count_what_passes_the_filter() {
    let frame = |kind: u8| [&[2; 12][..], &[8, kind], &[0; 20]].concat();
    let frames: Vec<Vec<u8>> = [0, 6, 6, 0, 6].into_iter().map(frame).collect();
    let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    let scratch = Scratch::new();
    let path = scratch.file("arp.pcap", &pcap(ByteOrder::Little, &frames));
    let mut source = PcapFile::open(&path, Some(PacketFilter::new("arp"))).unwrap();
    source.number_after(10);
    let (packets, error) = drain(&mut source, 2);
    assert!(error.is_none());
    let numbers: Vec<_> = packets.iter().map(|packet| (packet.0, packet.1 / SECOND)).collect();
    assert_eq!(numbers, [(11, 1), (12, 2), (13, 4)]);
    let size = 24 + 5 * (16 + 34);
    assert_eq!(
        source.stats(),
        SourceStats {
            packets: 3,
            bytes: 102,
            dropped: 0,
            comments_cut: 0,
            filtered: 2,
            position: size,
            size: Some(size)
        }
    );

    let mut source = PcapFile::open(&path, Some(PacketFilter::new("no such word"))).unwrap();
    let error = drain(&mut source, 2).1.expect("an error").to_string();
    assert!(
        error.contains("arp.pcap: the filter \"no such word\" does not compile for link type 1: "),
        "{error}"
    );
}

#[test]
fn a_filter_that_lets_nothing_pass_gives_the_caller_its_turn() {
    let frame: &[u8] = &[2; 60];
    let bytes = pcap(ByteOrder::Little, &vec![frame; 1000]);
    let reader = Box::new(io::Cursor::new(bytes));
    let mut source = PcapFile::from_reader(Path::new("x"), reader, Some(PacketFilter::new("tcp"))).unwrap();
    let batch = source.next_batch(1, Duration::ZERO).unwrap();
    assert!(batch.is_empty() && !batch.at_end());
    assert_eq!(source.stats().filtered, 64);
    assert_eq!(drain(&mut source, 1).0, []);
    assert_eq!(source.stats().filtered, 1000);
}

/// Is interrupted before each piece.
struct Interrupted(Dribble, bool);

impl Read for Interrupted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.read(buffer) }
    }
}

#[test]
fn a_signal_gives_the_caller_its_turn() {
    let capture = pcap(ByteOrder::Little, &[b"one", b"two"]);
    let reader = Interrupted(Dribble(io::Cursor::new(capture.clone()), 19), false);
    let mut source = PcapFile::from_reader(Path::new("pipe"), Box::new(reader), None).unwrap();
    let batch = source.next_batch(5, Duration::ZERO).unwrap();
    assert!(batch.is_empty() && !batch.at_end());
    let (packets, error) = drain(&mut source, 5);
    assert_eq!((packets, error.is_none()), (read(&capture).0, true));
}

#[test]
fn a_system_error_is_told_with_its_place() {
    struct Broken(Dribble);
    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::from_raw_os_error(5)),
                count => Ok(count),
            }
        }
    }
    let reader = Broken(Dribble(io::Cursor::new(pcap(ByteOrder::Little, &[b"one"])), 100));
    let mut source = PcapFile::from_reader(Path::new("tape"), Box::new(reader), None).unwrap();
    let (packets, error) = drain(&mut source, 5);
    assert_eq!(packets.len(), 1);
    let text = error.expect("an error").to_string();
    assert!(text.starts_with("cannot read tape past byte 43: "), "{text}");
}

#[test]
fn directories_stand_for_their_captures() {
    let scratch = Scratch::new();
    let capture = pcap(ByteOrder::Big, &[b"x"]);
    scratch.file("b.pcap", &capture);
    scratch.file("a.pcapng", &mixed_pcapng());
    scratch.file("c.zst", &zstd::stream::encode_all(&capture[..], 1).unwrap());
    scratch.file("d.gz", &compressions(b"no capture")[2].1);
    scratch.file("readme", b"text");
    scratch.file("empty", b"");
    scratch.file("below/e.pcap", &capture);
    scratch.file("nothing/readme", b"text");
    let names = |folders| {
        let paths =
            [scratch.0.clone(), PathBuf::from("-"), scratch.0.join("missing"), scratch.0.join("nothing")];
        super::paths::list_paths(&paths, folders)
            .into_iter()
            .map(|path| match path {
                Ok(path) => path.file_name().unwrap().to_str().unwrap().to_string(),
                Err(error) => format!("{error}").replace(scratch.0.to_str().unwrap(), ""),
            })
            .collect::<Vec<_>>()
    };
    let nothing = "the directory /nothing has no capture file in it. Name another one, or read those below it, \
                   too, with --pcap-file-recursive.";
    let changed = |name: &str, second| {
        let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        fs::File::options().append(true).open(scratch.0.join(name)).unwrap().set_modified(time).unwrap();
    };
    ["a.pcapng", "b.pcap", "c.zst"].into_iter().for_each(|name| changed(name, 9));
    assert_eq!(names(Folders::Themselves), ["a.pcapng", "b.pcap", "c.zst", "-", "missing", nothing]);
    assert_eq!(names(Folders::Below), ["a.pcapng", "b.pcap", "c.zst", "e.pcap", "-", "missing", nothing]);
    changed("c.zst", 5);
    assert_eq!(names(Folders::Themselves)[0], "c.zst");

    let mut counts = Vec::new();
    let request = Request { folders: Folders::Below, ..Request::of(vec![scratch.0.clone()]) };
    for source in KIND.open_in_turn(&request) {
        counts.push(drain(&mut *source.unwrap(), 10).0.len());
    }
    assert_eq!(counts, [1, 4, 1, 1]);
}

/// A capture with a few bytes changed.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let classic = pcap(ByteOrder::Little, &[b"one", b"", b"three", b"seventeen bytes.."]);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    (prop::sample::select(vec![classic, mixed_pcapng()]), changes).prop_map(|(mut bytes, changes)| {
        for (index, value) in changes {
            let index = index.index(bytes.len() - 4) + 4;
            bytes[index] = value;
        }
        bytes
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_alike_mapped_and_streamed(bytes in mutated(), at_once in 1..64usize, max in 1..5usize) {
        let (expected, fault) = read(&bytes);
        let mut source = stream(&bytes, at_once).unwrap();
        let (packets, error) = drain(&mut source, max);
        prop_assert_eq!(packets, expected);
        let found = error.map(|error| match error {
            SourceError::Damaged { offset, damage, .. } => Fault { offset, damage },
            other => panic!("{other}"),
        });
        prop_assert_eq!(found, fault);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        magic in prop::sample::select(vec![
            &[][..], b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\x0a\x0d\x0d\x0a", b"\x1f\x8b\x08",
            b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18",
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let bytes = [magic, &rest].concat();
        let total: usize = CaptureReader::new(&bytes).into_iter().flatten().flatten().map(|packet| packet.bytes.len()).sum();
        prop_assert!(total <= bytes.len());
        if let Ok(mut source) = stream(&bytes, 7) {
            let (packets, _) = drain(&mut source, 3);
            prop_assert_eq!(packets.len() as u64, source.stats().packets);
        }
    }
}

#[test]
fn the_link_type_is_kept_as_it_is() {
    let file = pcap_header(ByteOrder::Big, 0xa1b2_c3d4, (2, 4), 0, 276).u32(0).u32(0).u32(0).u32(0);
    let mut reader = CaptureReader::new(&file.bytes).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().link, LinkType::LINUX_SLL2);
    assert!(reader.next().is_none());
}
