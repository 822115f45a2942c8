//! Frames: a message, its header and what follows that.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::header::Header;

/// Kinds of frames, as rules and records call them.
pub const NAMES: &[&str] = &["pdu", "header", "data"];

const PDU: FrameKind = FrameKind(0);
const HEADER: FrameKind = FrameKind(1);
const DATA: FrameKind = FrameKind(2);

/// Bytes of a header as frames know it.
const HEADER_LENGTH: usize = 2;

/// Reports a message that begins at `start` of the push. Rules know the frames of its header and of its data as
/// beginning with the push: where several messages come at once, with the first one.
pub fn report(cx: &mut ParseContext<'_>, direction: Direction, header: &Header, start: usize) {
    if cx.frames.is_none() {
        return;
    }
    cx.frame(direction, PDU, start, header.length());
    cx.frame(direction, HEADER, 0, HEADER_LENGTH);
    cx.frame(direction, DATA, HEADER_LENGTH, header.remaining as usize);
}

/// Reports a message that is passed over.
pub fn report_skipped(cx: &mut ParseContext<'_>, direction: Direction, header: &Header, start: usize) {
    cx.frame(direction, PDU, start, header.length());
}
