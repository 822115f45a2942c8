//! Frames of the link layer (IEEE 1815 9.2): a header, and blocks of data, each with a checksum.

use weir_base::Reader;

/// Start bytes of a frame.
pub const START: [u8; 2] = [0x05, 0x64];

/// Bytes of a header.
pub const HEADER: usize = 10;

/// Bytes of a header that its length counts.
const COUNTED: usize = 5;

/// Bytes of a block, without its checksum.
const BLOCK: usize = 16;

/// Bytes of a checksum.
const CHECKSUM: usize = 2;

/// A frame's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Bytes that follow the length, without checksums.
    pub length: u8,
    /// Flags, and what the frame is for.
    pub control: u8,
    /// Address of the destination.
    pub destination: u16,
    /// Address of the source.
    pub source: u16,
}

impl Header {
    /// Reads a header, and whether its checksum is right.
    pub fn read(bytes: &[u8]) -> Option<(Self, bool)> {
        let mut reader = Reader::new(bytes.strip_prefix(&START)?);
        let header = Self {
            length: reader.u8()?,
            control: reader.u8()?,
            destination: reader.u16_le()?,
            source: reader.u16_le()?,
        };
        let right = reader.u16_le()? == checksum(bytes.get(..HEADER - CHECKSUM)?);
        Some((header, right))
    }

    /// Bytes of the frame; none where the length does not even count the header.
    pub fn whole(&self) -> Option<usize> {
        let data = usize::from(self.length).checked_sub(COUNTED)?;
        Some(HEADER + data + data.div_ceil(BLOCK) * CHECKSUM)
    }

    /// Returns the function code of the frame.
    pub const fn function(&self) -> u8 {
        self.control & 0x0f
    }

    /// The sender is the master.
    pub const fn is_from_master(&self) -> bool {
        self.control & 0x80 != 0
    }

    /// Whether the frame carries data of its sender, who began the exchange: confirmed, or not.
    pub const fn carries_data(&self) -> bool {
        self.control & 0x40 != 0 && matches!(self.function(), 3 | 4)
    }
}

/// Returns the data of a frame's blocks; nothing where a checksum is wrong.
pub fn data(blocks: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::with_capacity(blocks.len());
    for content in contents(blocks) {
        data.extend_from_slice(content?);
    }
    Some(data)
}

/// Whether all checksums of a frame's blocks are right.
pub fn is_sound(blocks: &[u8]) -> bool {
    contents(blocks).all(|content| content.is_some())
}

/// Returns the data of each block; none where its checksum is wrong.
fn contents(blocks: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    blocks.chunks(BLOCK + CHECKSUM).map(|block| {
        let (content, sum) = block.split_at_checked(block.len().checked_sub(CHECKSUM)?)?;
        (Reader::new(sum).u16_le() == Some(checksum(content))).then_some(content)
    })
}

/// CRC-16/DNP.
pub fn checksum(bytes: &[u8]) -> u16 {
    let sum = bytes.iter().fold(0u16, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte), |sum, _| if sum & 1 == 0 { sum >> 1 } else { sum >> 1 ^ 0xa6bc })
    });
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums() {
        assert_eq!(checksum(b"123456789"), 0xea82);
        assert_eq!(checksum(b""), 0xffff);
    }

    #[test]
    fn frames() {
        let mut bytes = b"\x05\x64\x16\xc4\x01\0\x02\0".to_vec();
        bytes.extend(checksum(&bytes).to_le_bytes());
        let (header, right) = Header::read(&bytes).unwrap();
        assert_eq!((header.destination, header.source, header.function(), right), (1, 2, 4, true));
        assert!(header.is_from_master() && header.carries_data());
        assert_eq!(header.whole(), Some(HEADER + 17 + 4));
        assert_eq!(Header { length: 4, ..header }.whole(), None);
        bytes[3] = 0;
        assert!(!Header::read(&bytes).unwrap().1);
        assert_eq!(Header::read(b"\x05\x65\x05"), None);

        let content = *b"sixteen bytes...";
        let mut blocks = content.to_vec();
        blocks.extend(checksum(&content).to_le_bytes());
        blocks.push(b'!');
        blocks.extend(checksum(b"!").to_le_bytes());
        assert_eq!(data(&blocks).as_deref(), Some(&b"sixteen bytes...!"[..]));
        blocks[0] = b'S';
        assert_eq!((data(&blocks), data(b""), data(b"x")), (None, Some(Vec::new()), None));
    }
}
