//! Frames (RFC 9113 4.1, 6): their headers, and what stands before the content of some.

use weir_applayer::{FrameId, FrameKind, ParseContext};
use weir_base::{Direction, Reader};

/// Kinds of frames, as rules and records call them.
pub const NAMES: &[&str] = &["http2.hdr", "http2.data", "http2.pdu"];

const HDR: FrameKind = FrameKind(0);
const DATA: FrameKind = FrameKind(1);
const PDU: FrameKind = FrameKind(2);

/// Types of frames.
pub mod kind {
    /// A part of a body.
    pub const DATA: u8 = 0;
    /// Header or trailer fields.
    pub const HEADERS: u8 = 1;
    /// The priority of a stream.
    pub const PRIORITY: u8 = 2;
    /// The stream is over.
    pub const RST_STREAM: u8 = 3;
    /// Settings of the connection.
    pub const SETTINGS: u8 = 4;
    /// A request that the server answers before it is made.
    pub const PUSH_PROMISE: u8 = 5;
    /// Whether the other side is there.
    pub const PING: u8 = 6;
    /// No more streams are taken.
    pub const GOAWAY: u8 = 7;
    /// Window update.
    pub const WINDOW_UPDATE: u8 = 8;
    /// More of a header block.
    pub const CONTINUATION: u8 = 9;

    /// Names.
    pub const NAMES: &[(&str, u64)] = &[
        ("DATA", DATA as u64),
        ("HEADERS", HEADERS as u64),
        ("PRIORITY", PRIORITY as u64),
        ("RSTSTREAM", RST_STREAM as u64),
        ("SETTINGS", SETTINGS as u64),
        ("PUSHPROMISE", PUSH_PROMISE as u64),
        ("PING", PING as u64),
        ("GOAWAY", GOAWAY as u64),
        ("WINDOWUPDATE", WINDOW_UPDATE as u64),
        ("CONTINUATION", CONTINUATION as u64),
    ];
}

/// Reason that a stream or the connection ends (RFC 9113 7).
pub const ERRORS: &[(&str, u64)] = &[
    ("NO_ERROR", 0),
    ("PROTOCOL_ERROR", 1),
    ("INTERNAL_ERROR", 2),
    ("FLOW_CONTROL_ERROR", 3),
    ("SETTINGS_TIMEOUT", 4),
    ("STREAM_CLOSED", 5),
    ("FRAME_SIZE_ERROR", 6),
    ("REFUSED_STREAM", 7),
    ("CANCEL", 8),
    ("COMPRESSION_ERROR", 9),
    ("CONNECT_ERROR", 10),
    ("ENHANCE_YOUR_CALM", 11),
    ("INADEQUATE_SECURITY", 12),
    ("HTTP_1_1_REQUIRED", 13),
];

/// The side says no more in this stream.
pub const END_STREAM: u8 = 0x01;
/// The header block ends here.
pub const END_HEADERS: u8 = 0x04;
/// The content has padding behind it.
pub const PADDED: u8 = 0x08;
/// A priority stands before the header block.
pub const WITH_PRIORITY: u8 = 0x20;

/// The header of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Bytes of the payload.
    pub length: u32,
    /// Type.
    pub kind: u8,
    /// Flags, which mean something else for each kind.
    pub flags: u8,
    /// The bit before the stream's number, which nothing uses, is set.
    pub reserved: bool,
    /// The stream.
    pub stream: u32,
}

impl Header {
    /// Bytes of a header.
    pub const SIZE: usize = 9;

    /// Reads a header, where all of it is there.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (length, kind, flags, stream) = (reader.u24()?, reader.u8()?, reader.u8()?, reader.u32()?);
        Some(Self { length, kind, flags, reserved: stream >> 31 != 0, stream: stream & 0x7fff_ffff })
    }

    /// Whether a flag is set.
    pub const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The payload without its padding; none where that is longer than all of it.
    pub fn unpadded<'a>(&self, payload: &'a [u8]) -> Option<&'a [u8]> {
        if !self.has(PADDED) {
            return Some(payload);
        }
        let (&padding, content) = payload.split_first()?;
        content.get(..content.len().checked_sub(usize::from(padding))?)
    }

    /// Reports the frame, which begins at `start` of the push and belongs to a transaction.
    pub fn report(&self, cx: &mut ParseContext<'_>, direction: Direction, start: usize, transaction: u64) {
        if cx.frames.is_none() {
            return;
        }
        let length = self.length as usize;
        for (kind, start, length) in [
            (HDR, start, Self::SIZE),
            (PDU, start, Self::SIZE.saturating_add(length)),
            (DATA, start.saturating_add(Self::SIZE), length),
        ] {
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
        let header = Header { length: 0x01_0203, kind: 4, flags: 5, reserved: true, stream: 0x0607_0809 };
        assert_eq!(Header::read(b"\x01\x02\x03\x04\x05\x86\x07\x08\x09more"), Some(header));
        assert_eq!(Header::read(b"\x01\x02\x03\x04\x05\x86\x07\x08"), None);
    }

    #[test]
    fn padding() {
        type Case<'a> = (u8, &'a [u8], Option<&'a [u8]>);
        let cases: &[Case<'_>] = &[
            (0, b"\x02abc", Some(b"\x02abc")),
            (PADDED, b"\x02abc\0\0", Some(b"abc")),
            (PADDED, b"\x02\0\0", Some(b"")),
            (PADDED, b"\x03\0\0", None),
            (PADDED, b"", None),
        ];
        for (flags, payload, expected) in cases {
            let header = Header { flags: *flags, ..Header::default() };
            assert_eq!(header.unpadded(payload), *expected, "{payload:02x?}");
        }
    }
}
