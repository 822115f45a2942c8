//! The frames of SIP: messages, whole and in their parts.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::message::Head;

/// Kinds of frames.
pub const NAMES: &[&str] = &[
    "pdu",
    "request.line",
    "request.headers",
    "request.body",
    "response.line",
    "response.headers",
    "response.body",
];

const PDU: FrameKind = FrameKind(0);

/// The kinds of a message's line, header fields and body.
const REQUEST: [FrameKind; 3] = [FrameKind(1), FrameKind(2), FrameKind(3)];
const RESPONSE: [FrameKind; 3] = [FrameKind(4), FrameKind(5), FrameKind(6)];

/// Reports what is, or should be, a message.
pub fn message(
    cx: &mut ParseContext<'_>,
    direction: Direction,
    start: usize,
    length: usize,
    transaction: Option<u64>,
) {
    let frame = cx.frame(direction, PDU, start, length);
    if let Some(transaction) = transaction {
        cx.frame_transaction(direction, frame, transaction);
    }
}

/// Reports the parts of a message, which begins at `start` of the push.
pub fn parts(
    cx: &mut ParseContext<'_>,
    direction: Direction,
    start: usize,
    (head, body): (&Head, usize),
    transaction: u64,
) {
    if cx.frames.is_none() {
        return;
    }
    let kinds = if direction == Direction::ToServer { REQUEST } else { RESPONSE };
    let parts = [
        (start, head.line_length),
        (start + head.line_length, head.headers_length),
        (start + head.length(), body),
    ];
    for (kind, (start, length)) in kinds.into_iter().zip(parts).filter(|(_, (_, length))| *length > 0) {
        let frame = cx.frame(direction, kind, start, length);
        cx.frame_transaction(direction, frame, transaction);
    }
}
