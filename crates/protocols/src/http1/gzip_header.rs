//! The header of a gzip member (RFC 1952 section 2.3), byte by byte, without its checksum: browsers
//! do not look at it either.

const HAS_CHECKSUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// Of the ten bytes that are always there, how many were seen.
    Fixed(u8),
    ExtraLow,
    ExtraHigh(u8),
    Extra(u16),
    Name,
    Comment,
    ChecksumLow,
    ChecksumHigh,
    Done,
}

/// Progress of the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GzipHeader {
    part: Part,
    flags: u8,
}

/// It does not start like gzip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NotGzip;

impl GzipHeader {
    /// Before the first byte.
    pub(super) const fn new() -> Self {
        Self { part: Part::Fixed(0), flags: 0 }
    }

    /// Whether compressed data follows.
    pub(super) fn is_done(&self) -> bool {
        self.part == Part::Done
    }

    /// Reads on; answers how many bytes belong to the header.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<usize, NotGzip> {
        for (index, &byte) in bytes.iter().enumerate() {
            if self.is_done() {
                return Ok(index);
            }
            self.part = match self.part {
                Part::Fixed(0) if byte != 0x1f => return Err(NotGzip),
                Part::Fixed(1) if byte != 0x8b => return Err(NotGzip),
                Part::Fixed(2) if byte != 8 => return Err(NotGzip),
                Part::Fixed(3) => {
                    self.flags = byte;
                    Part::Fixed(4)
                }
                Part::Fixed(9) => self.after(0),
                Part::Fixed(seen) => Part::Fixed(seen + 1),
                Part::ExtraLow => Part::ExtraHigh(byte),
                Part::ExtraHigh(low) => match u16::from_le_bytes([low, byte]) {
                    0 => self.after(HAS_EXTRA),
                    length => Part::Extra(length),
                },
                Part::Extra(1) => self.after(HAS_EXTRA),
                Part::Extra(left) => Part::Extra(left - 1),
                Part::Name if byte == 0 => self.after(HAS_NAME),
                Part::Comment if byte == 0 => self.after(HAS_COMMENT),
                Part::ChecksumLow => Part::ChecksumHigh,
                Part::ChecksumHigh => Part::Done,
                part => part,
            };
        }
        Ok(bytes.len())
    }

    /// The part that follows the one of `flag`.
    fn after(&self, flag: u8) -> Part {
        let parts = [
            (HAS_EXTRA, Part::ExtraLow),
            (HAS_NAME, Part::Name),
            (HAS_COMMENT, Part::Comment),
            (HAS_CHECKSUM, Part::ChecksumLow),
        ];
        // In the order of the header; the checksum's flag comes last although it is the smallest.
        let passed = parts.iter().position(|&(known, _)| known == flag).map_or(0, |index| index + 1);
        parts
            .iter()
            .skip(passed)
            .find(|&&(known, _)| self.flags & known != 0)
            .map_or(Part::Done, |&(_, part)| part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_in_any_pieces() {
        let fixed = |flags: u8, rest: &[u8]| [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3][..], rest].concat();
        let cases = [
            fixed(0, b""),
            fixed(HAS_CHECKSUM, b"ab"),
            fixed(HAS_EXTRA, b"\x03\0abc"),
            fixed(HAS_EXTRA | HAS_NAME, b"\0\0name\0"),
            fixed(HAS_NAME | HAS_COMMENT | HAS_CHECKSUM, b"n\0comment\0ab"),
        ];
        for header in cases {
            let bytes = [&header[..], b"data"].concat();
            let mut whole = GzipHeader::new();
            assert_eq!(whole.read(&bytes), Ok(header.len()), "{header:?}");
            let mut single = GzipHeader::new();
            let taken: usize = bytes.chunks(1).map(|byte| single.read(byte).unwrap()).sum();
            assert_eq!((taken, single.is_done()), (header.len(), true), "{header:?}");
        }
        assert_eq!(GzipHeader::new().read(b"\x1f\x8b\x09"), Err(NotGzip));
        assert_eq!(GzipHeader::new().read(b"x"), Err(NotGzip));
    }
}
