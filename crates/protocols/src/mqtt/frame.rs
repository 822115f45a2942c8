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

#[cfg(test)]
mod tests {
    use weir_applayer::file::FileSettings;
    use weir_applayer::frame::{FrameKinds, FrameList, FrameSink};
    use weir_applayer::{NoOptions, Transport};
    use weir_base::{PerDirection, Turn};

    use super::super::{MQTT, parser};
    use super::*;
    use crate::testing::{UP, endpoints};

    #[test]
    fn messages_that_come_at_once() {
        let endpoints = endpoints(&MQTT, Transport::Tcp);
        let mut lists = PerDirection::<FrameList>::default();
        let (files, order) = (FileSettings::default(), Turn::alone());
        let (requests, anomalies) = (&mut Vec::new(), &mut Vec::new());
        let sink = FrameSink { protocol: &MQTT, kinds: FrameKinds::ALL, lists: &mut lists, refused: &mut 0 };
        let bare = ParseContext::bare(&endpoints, &files, &order, requests, anomalies);
        let mut cx = ParseContext { offset: 100, frames: Some(sink), ..bare };
        // The last one is longer than any that is read.
        let bytes = b"\xc0\x00\x40\x02\x00\x01\x30\xff\xff\xff\x7f";
        parser::configure(&NoOptions).open(&endpoints).data(&mut cx, UP, bytes);
        let frames = lists[UP].as_slice().iter();
        let found: Vec<_> = frames.map(|frame| (frame.name(), frame.offset, frame.length)).collect();
        let expected = [
            ("pdu", 100, 2),
            ("header", 100, 2),
            ("data", 102, 0),
            ("pdu", 102, 4),
            ("header", 100, 2),
            ("data", 102, 2),
            ("pdu", 106, 268_435_460),
        ];
        assert_eq!(found, expected.map(|(name, offset, length)| (name, offset, Some(length))));
    }
}
