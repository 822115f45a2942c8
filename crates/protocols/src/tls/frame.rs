//! The frames of TLS: records, whole and in their parts.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::record::{self, Header};
use super::sslv2;

/// Kinds of frames.
pub const NAMES: &[&str] = &["pdu", "hdr", "data", "alert", "heartbeat", "ssl2.hdr", "ssl2.pdu"];

const PDU: FrameKind = FrameKind(0);
const HEADER: FrameKind = FrameKind(1);
const DATA: FrameKind = FrameKind(2);
const ALERT: FrameKind = FrameKind(3);
const HEARTBEAT: FrameKind = FrameKind(4);
const SSLV2_HEADER: FrameKind = FrameKind(5);
const SSLV2_PDU: FrameKind = FrameKind(6);

/// Reports a record of TLS that begins at `start` of the push.
pub fn report(cx: &mut ParseContext<'_>, direction: Direction, start: usize, header: Header) {
    if cx.frames.is_none() {
        return;
    }
    let content = start + record::HEADER_LENGTH;
    cx.frame(direction, HEADER, start, record::HEADER_LENGTH);
    cx.frame(direction, DATA, content, header.length);
    cx.frame(direction, PDU, start, record::HEADER_LENGTH + header.length);
    match header.kind {
        record::ALERT => cx.frame(direction, ALERT, content, header.length),
        record::HEARTBEAT => cx.frame(direction, HEARTBEAT, content, header.length),
        _ => None,
    };
}

/// Reports a record of SSLv2 that begins at `start` of the push.
pub fn report_sslv2(cx: &mut ParseContext<'_>, direction: Direction, start: usize, length: usize) {
    cx.frame(direction, SSLV2_HEADER, start, sslv2::HEADER_LENGTH);
    cx.frame(direction, SSLV2_PDU, start, sslv2::HEADER_LENGTH + length);
}
