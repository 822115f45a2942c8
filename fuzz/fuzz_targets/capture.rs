//! Any bytes as a capture file, plain, compressed or in an archive: read from memory and streamed in small pieces,
//! with the same packets and the same fault.

#![no_main]

use std::io::{Cursor, Read};
use std::path::Path;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use weir_capture::{ArchivedCaptures, CaptureReader, PcapFile, Source, SourceError};

/// More packets than plain input can hold: what decompresses to more is left at that.
const MAX_PACKETS: usize = 1 << 17;

/// Bytes handed out at once: coprime to all alignments.
const PIECE: usize = 61;

struct Pieces(Cursor<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = PIECE.min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut lengths = Vec::new();
    let mut fault = None;
    let reader = CaptureReader::new(bytes);
    let is_plain = reader.is_some();
    for item in reader.into_iter().flatten() {
        match item {
            Ok(packet) => lengths.push((packet.number, packet.time, packet.bytes.len())),
            Err(found) => fault = Some(found.offset),
        }
    }

    if bytes.starts_with(b"PK\x03\x04") {
        let pieces = Box::new(Pieces(Cursor::new(bytes.to_vec())));
        let captures = ArchivedCaptures::new("fuzz".into(), pieces, None).filter_map(Result::ok);
        for mut capture in captures {
            let mut packets = 0;
            while packets < MAX_PACKETS {
                match capture.next_batch(7, Duration::ZERO) {
                    Ok(batch) if !batch.at_end() => packets += batch.len(),
                    _ => break,
                }
            }
        }
        return;
    }
    let pieces = Box::new(Pieces(Cursor::new(bytes.to_vec())));
    let Ok(mut source) = PcapFile::from_reader(Path::new("fuzz"), pieces, None) else {
        assert!(!is_plain);
        return;
    };
    let mut streamed = Vec::new();
    let mut stream_fault = None;
    while streamed.len() < MAX_PACKETS {
        match source.next_batch(7, Duration::ZERO) {
            Ok(batch) if batch.at_end() => break,
            Ok(batch) => {
                streamed.extend(batch.iter().map(|packet| (packet.number, packet.time, packet.bytes.len())));
            }
            Err(SourceError::Damaged { offset, .. }) => stream_fault = Some(offset),
            Err(error) => panic!("{error}"),
        }
    }
    if is_plain && lengths.len() < MAX_PACKETS {
        assert_eq!((streamed, stream_fault), (lengths, fault));
    }
});
