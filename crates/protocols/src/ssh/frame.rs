//! The frames of SSH: packets before encryption, whole and in their parts.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::record::{HEADER_LENGTH, Header};

/// Kinds of frames.
pub const NAMES: &[&str] = &["record.hdr", "record.data", "record.pdu"];

const HEADER: FrameKind = FrameKind(0);
const DATA: FrameKind = FrameKind(1);
const PDU: FrameKind = FrameKind(2);

/// Reports a packet of a transaction, which begins at `start` of the push.
pub fn report(
    cx: &mut ParseContext<'_>,
    direction: Direction,
    start: usize,
    header: Header,
    transaction: u64,
) {
    if cx.frames.is_none() {
        return;
    }
    for (kind, start, length) in [
        (HEADER, start, HEADER_LENGTH),
        (DATA, start + HEADER_LENGTH, header.length),
        (PDU, start, header.whole()),
    ] {
        let frame = cx.frame(direction, kind, start, length);
        cx.frame_transaction(direction, frame, transaction);
    }
}
