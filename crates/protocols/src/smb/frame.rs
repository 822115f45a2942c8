//! The frames of SMB: messages as the session service carries them and messages of each version, whole and in their
//! parts.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::nbss;

/// Kinds of frames.
pub(super) const NAMES: &[&str] = &[
    "nbss.pdu",
    "nbss.hdr",
    "nbss.data",
    "smb1.pdu",
    "smb1.hdr",
    "smb1.data",
    "smb2.pdu",
    "smb2.hdr",
    "smb2.data",
    "smb3.pdu",
    "smb3.hdr",
    "smb3.data",
];

/// Family of frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Session = 0,
    One = 3,
    Two = 6,
    Three = 9,
}

/// Reports a message of `length` bytes that begins at `start` of the push, of which `header` are its header.
pub(super) fn report(
    cx: &mut ParseContext<'_>,
    direction: Direction,
    family: Family,
    start: usize,
    (header, length): (usize, usize),
) {
    let kind = |part| FrameKind(family as u8 + part);
    cx.frame(direction, kind(0), start, length);
    cx.frame(direction, kind(1), start, header);
    if length > header || family == Family::Session {
        cx.frame(direction, kind(2), start + header, length.saturating_sub(header));
    }
}

/// Reports what the session service carries from `start` on.
pub(super) fn report_session(
    cx: &mut ParseContext<'_>,
    direction: Direction,
    start: usize,
    header: nbss::Header,
) {
    let length = nbss::HEADER_LENGTH.saturating_add(header.length);
    report(cx, direction, Family::Session, start, (nbss::HEADER_LENGTH, length));
}
