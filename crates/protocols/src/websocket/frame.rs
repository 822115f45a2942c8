//! Frames (RFC 6455 5.2): their headers, and the mask over their payload.

use weir_applayer::{FrameId, FrameKind, ParseContext};
use weir_base::{Direction, Reader};

/// Kinds of frames, as rules and records call them.
pub const NAMES: &[&str] = &["header", "pdu", "data"];

const HEADER: FrameKind = FrameKind(0);
const PDU: FrameKind = FrameKind(1);
const DATA: FrameKind = FrameKind(2);

/// The last frame of a message.
pub const FIN: u8 = 0x80;
/// The message is compressed (RFC 7692 6).
pub const COMPRESSED: u8 = 0x40;
/// Bits that nothing uses.
pub const RESERVED: u8 = 0x30;

const FLAGS: u8 = 0xf0;
const MASKED: u8 = 0x80;

/// Bytes of the longest header.
pub const MAX_HEADER: usize = 14;

/// Opcodes (RFC 6455 11.8).
pub mod opcode {
    /// More of the message before.
    pub const CONTINUATION: u8 = 0;
    /// A message of text.
    pub const TEXT: u8 = 1;
    /// A message of bytes.
    pub const BINARY: u8 = 2;
    /// The sender says no more.
    pub const CLOSE: u8 = 8;
    /// The other side is to answer.
    pub const PING: u8 = 9;
    /// The answer.
    pub const PONG: u8 = 10;

    /// Names.
    pub const NAMES: &[(&str, u64)] = &[
        ("continuation", CONTINUATION as u64),
        ("text", TEXT as u64),
        ("binary", BINARY as u64),
        ("close", CLOSE as u64),
        ("ping", PING as u64),
        ("pong", PONG as u64),
    ];

    /// Whether a frame stands for itself, perhaps between those of a message.
    pub const fn is_control(opcode: u8) -> bool {
        opcode & 8 != 0
    }
}

/// The header of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The upper bits of the first byte.
    pub flags: u8,
    /// Opcode.
    pub opcode: u8,
    /// Masking key of the payload.
    pub mask: Option<u32>,
    /// Bytes of the payload.
    pub length: u64,
    /// Bytes of the header itself.
    pub size: usize,
}

impl Header {
    /// Reads a header; where bytes are missing, how many are needed at least.
    pub fn read(bytes: &[u8]) -> Result<Self, usize> {
        let mut reader = Reader::new(bytes);
        let Some([first, second]) = reader.array() else { return Err(2) };
        let is_masked = second & MASKED != 0;
        let extended = match second & !MASKED {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let size = 2 + extended + if is_masked { 4 } else { 0 };
        let length = match extended {
            2 => reader.u16().map(u64::from),
            8 => reader.u64(),
            _ => Some(u64::from(second & !MASKED)),
        };
        let mask = is_masked.then(|| reader.u32());
        match (length, mask) {
            (None, _) | (_, Some(None)) => Err(size),
            (Some(length), mask) => {
                let (flags, opcode) = (first & FLAGS, first & !FLAGS);
                Ok(Self { flags, opcode, mask: mask.flatten(), length, size })
            }
        }
    }

    /// Whether it is the last frame of a message.
    pub const fn is_last(&self) -> bool {
        self.flags & FIN != 0
    }

    /// Adds `payload`, which begins at `position` of the frame's, without its mask.
    pub fn unmask(&self, payload: &[u8], position: u64, out: &mut Vec<u8>) {
        let Some(mask) = self.mask.filter(|mask| *mask != 0) else { return out.extend_from_slice(payload) };
        let key = mask.rotate_left((position % 4) as u32 * 8).to_be_bytes();
        out.extend(payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    }

    /// Reports the frame, which begins at `start` of the push and belongs to a transaction.
    pub fn report(&self, cx: &mut ParseContext<'_>, direction: Direction, start: usize, transaction: u64) {
        if cx.frames.is_none() {
            return;
        }
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        let kinds = [
            (HEADER, start, self.size),
            (PDU, start, self.size.saturating_add(length)),
            (DATA, start.saturating_add(self.size), length),
        ];
        for (kind, start, length) in kinds {
            let frame: Option<FrameId> = cx.frame(direction, kind, start, length);
            cx.frame_transaction(direction, frame, transaction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        type Case<'a> = (&'a [u8], Result<Header, usize>);
        let header = |flags, opcode, mask, length, size| Ok(Header { flags, opcode, mask, length, size });
        let cases: &[Case<'_>] = &[
            (b"", Err(2)),
            (b"\x81", Err(2)),
            (b"\x81\x05hello", header(0x80, 1, None, 5, 2)),
            (b"\x02\x85\x01\x02\x03\x04", header(0, 2, Some(0x0102_0304), 5, 6)),
            (b"\x81\x85\x01\x02\x03", Err(6)),
            (b"\xc2\x7e\x01\x00", header(0xc0, 2, None, 256, 4)),
            (b"\xc2\x7e\x01", Err(4)),
            (b"\x89\xfe\x00\x05", Err(8)),
            (b"\x82\x7f\0\0\0\x01\0\0\0\0", header(0x80, 2, None, 1 << 32, 10)),
            (
                b"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",
                header(0x80, 2, Some(0), u64::MAX, MAX_HEADER),
            ),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Header::read(bytes), *expected, "{bytes:02x?}");
        }
    }

    #[test]
    fn masks() {
        let masked = Header { mask: Some(0x0102_0304), ..Header::default() };
        for (position, expected) in [(0, b"\x01\x02\x03\x04\x01"), (1, b"\x02\x03\x04\x01\x02")] {
            let mut out = Vec::new();
            masked.unmask(&[0; 5], position, &mut out);
            assert_eq!(out, expected, "{position}");
        }
        let mut out = Vec::new();
        Header::default().unmask(b"plain", 3, &mut out);
        assert_eq!(out, b"plain");
    }
}
