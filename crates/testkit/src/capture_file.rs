//! Capture files: classic pcap and pcapng, as bytes. Little endian, one interface.

use std::io::{self, Write};

use weir_base::Timestamp;

use crate::TimedFrame;

const PCAP_MAGIC_MICROSECONDS: u32 = 0xa1b2_c3d4;
const SNAPLEN: u32 = 262_144;
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const OPTION_COMMENT: u16 = 1;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

/// A pcap file with times in microseconds, written as its frames come: for captures too large to hold.
pub struct PcapWriter<W: Write>(W);

impl<W: Write> PcapWriter<W> {
    /// Begins the file.
    pub fn new(mut out: W, link_type: u16) -> io::Result<Self> {
        out.write_all(&PCAP_MAGIC_MICROSECONDS.to_le_bytes())?;
        out.write_all(&2u16.to_le_bytes())?;
        out.write_all(&4u16.to_le_bytes())?;
        out.write_all(&[0; 8])?;
        out.write_all(&SNAPLEN.to_le_bytes())?;
        out.write_all(&u32::from(link_type).to_le_bytes())?;
        Ok(Self(out))
    }

    /// Adds a frame.
    pub fn frame(&mut self, time: Timestamp, bytes: &[u8]) -> io::Result<()> {
        let length = (bytes.len() as u32).to_le_bytes();
        self.0.write_all(&(time.seconds() as u32).to_le_bytes())?;
        self.0.write_all(&time.micros().to_le_bytes())?;
        self.0.write_all(&length)?;
        self.0.write_all(&length)?;
        self.0.write_all(bytes)
    }

    /// Writes what waits in a buffer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A pcap file with times in microseconds.
pub fn pcap(link_type: u16, frames: &[TimedFrame]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = PcapWriter::new(&mut out, link_type).expect("memory takes every byte");
    for frame in frames {
        writer.frame(frame.time, &frame.bytes).expect("memory takes every byte");
    }
    out
}

/// A pcapng file with one interface and times in microseconds.
pub fn pcapng(link_type: u16, frames: &[TimedFrame]) -> Vec<u8> {
    commented_pcapng(link_type, frames, &[])
}

/// Makes a pcapng file with comments on frames: the place of the frame, from zero, and the text.
pub fn commented_pcapng(link_type: u16, frames: &[TimedFrame], comments: &[(usize, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut section = Vec::new();
    section.extend(BYTE_ORDER_MAGIC.to_le_bytes());
    section.extend(1u16.to_le_bytes());
    section.extend(0u16.to_le_bytes());
    section.extend(u64::MAX.to_le_bytes());
    block(&mut out, SECTION_HEADER, &section);
    let mut interface = Vec::new();
    interface.extend(link_type.to_le_bytes());
    interface.extend(0u16.to_le_bytes());
    interface.extend(SNAPLEN.to_le_bytes());
    block(&mut out, INTERFACE_DESCRIPTION, &interface);
    for (place, frame) in frames.iter().enumerate() {
        let micros = frame.time.0 / 1000;
        let mut body = Vec::new();
        body.extend(0u32.to_le_bytes());
        body.extend(((micros >> 32) as u32).to_le_bytes());
        body.extend((micros as u32).to_le_bytes());
        let length = (frame.bytes.len() as u32).to_le_bytes();
        body.extend(length);
        body.extend(length);
        body.extend(&frame.bytes);
        body.resize(body.len().next_multiple_of(4), 0);
        for (_, text) in comments.iter().filter(|(of, _)| *of == place) {
            body.extend(OPTION_COMMENT.to_le_bytes());
            body.extend((text.len() as u16).to_le_bytes());
            body.extend(*text);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        block(&mut out, ENHANCED_PACKET, &body);
    }
    out
}

/// One block: type, length, padded body, length.
fn block(out: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let padded = body.len().next_multiple_of(4);
    let length = ((padded + 12) as u32).to_le_bytes();
    out.extend(kind.to_le_bytes());
    out.extend(length);
    out.extend(body);
    out.resize(out.len() + padded - body.len(), 0);
    out.extend(length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up() {
        let frames = [TimedFrame { time: Timestamp::new(5, 6000), bytes: vec![1, 2, 3] }];
        assert_eq!(pcap(1, &frames).len(), 24 + 16 + 3);
        let bytes = pcapng(1, &frames);
        assert_eq!(bytes.len(), 28 + 20 + 36);
        assert!(bytes.len().is_multiple_of(4));
    }
}
