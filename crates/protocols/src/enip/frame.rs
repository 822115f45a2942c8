//! Frames: a message, its header and what follows, its items, and the services in them.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::item;
use super::message::{HEADER, Message};

/// Kinds of frames, as rules and records call them.
pub const NAMES: &[&str] = &["hdr", "data", "pdu", "cip", "enip.item"];

const HDR: FrameKind = FrameKind(0);
const DATA: FrameKind = FrameKind(1);
const PDU: FrameKind = FrameKind(2);
const CIP: FrameKind = FrameKind(3);
const ITEM: FrameKind = FrameKind(4);

/// Reports a message of a transaction that begins at `start` of the push.
pub fn report(
    cx: &mut ParseContext<'_>,
    direction: Direction,
    message: &Message,
    start: usize,
    transaction: u64,
) {
    if cx.frames.is_none() {
        return;
    }
    let mut frame = |kind, at: usize, length: usize| {
        let id = cx.frame(direction, kind, start + at, length);
        cx.frame_transaction(direction, id, transaction);
    };
    let whole = message.header.whole();
    frame(HDR, 0, HEADER);
    frame(DATA, HEADER, whole - HEADER);
    frame(PDU, 0, whole);
    for item in message.items() {
        frame(ITEM, item.start, item::HEADER + usize::from(item.length));
    }
    for (cip, at, length) in message.services() {
        frame(CIP, at, length);
        for part in &cip.parts {
            frame(CIP, at + part.start, part.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::file::FileSettings;
    use weir_applayer::frame::{FrameKinds, FrameList, FrameSink};
    use weir_applayer::{NoOptions, Transport};
    use weir_base::{PerDirection, Turn};

    use super::super::{ENIP, parser};
    use super::*;
    use crate::testing::{UP, endpoints};

    #[test]
    fn a_packet_of_services() {
        let endpoints = endpoints(&ENIP, Transport::Tcp);
        let mut lists = PerDirection::<FrameList>::default();
        let sink = FrameSink { protocol: &ENIP, kinds: FrameKinds::ALL, lists: &mut lists, refused: &mut 0 };
        let (files, order, requests, anomalies) =
            (FileSettings::default(), Turn::alone(), &mut Vec::new(), &mut Vec::new());
        let bare = ParseContext::bare(&endpoints, &files, &order, requests, anomalies);
        let mut cx = ParseContext { frames: Some(sink), ..bare };
        let mut bytes = b"\x70\0\x26\0".to_vec();
        bytes.extend([0; 20 + 6]);
        bytes.extend(b"\x02\0\xa1\0\x04\0abcd\xb1\0\x12\0\x01\0");
        bytes.extend(b"\x0a\x02\x20\x02\x24\x01\x01\0\x04\0\x0e\x02\x20\x01\x24\x01");
        parser::configure(&NoOptions).open(&endpoints).data(&mut cx, UP, &bytes);
        let frames = lists[UP].as_slice().iter();
        let found: Vec<_> = frames.map(|frame| (frame.name(), frame.offset, frame.length)).collect();
        let expected = [
            ("hdr", 0, 24),
            ("data", 24, 38),
            ("pdu", 0, 62),
            ("enip.item", 32, 8),
            ("enip.item", 40, 22),
            ("cip", 46, 16),
            ("cip", 56, 6),
        ];
        assert_eq!(found, expected.map(|(name, offset, length)| (name, offset, Some(length))));
    }
}
