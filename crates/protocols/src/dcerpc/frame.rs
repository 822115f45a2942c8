//! The frames of DCE/RPC: messages over TCP, whole and in their parts.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::pdu::HEADER_LENGTH;

/// Kinds of frames.
pub const NAMES: &[&str] = &["pdu", "hdr", "data"];

const PDU: FrameKind = FrameKind(0);
const HEADER: FrameKind = FrameKind(1);
const DATA: FrameKind = FrameKind(2);

/// Reports a message of `length` bytes that begins at `start` of the push.
pub fn report(cx: &mut ParseContext<'_>, direction: Direction, start: usize, length: usize) {
    cx.frame(direction, PDU, start, length);
    cx.frame(direction, HEADER, start, HEADER_LENGTH);
    cx.frame(direction, DATA, start + HEADER_LENGTH, length.saturating_sub(HEADER_LENGTH));
}
