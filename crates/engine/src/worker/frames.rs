//! Frames of a flow: where their bytes are, their records, and their end.

use std::sync::Arc;

use weir_applayer::frame::FRAME_WINDOW;
use weir_applayer::{Frame, FrameBytes, FrameId, FrameList};
use weir_base::Direction;
use weir_flow::Flow;
use weir_output::{FrameRecord, Record, RecordContext, RecordKind};
use weir_stream::TcpSession;

use super::records::view;
use super::{PacketContext, Rest};
use crate::session::Session;

/// Where the frames of a packet's direction lie.
pub(super) enum Source<'a> {
    /// In the packet.
    Datagram(&'a [u8]),
    /// In the stream.
    Stream(&'a TcpSession, Direction),
}

impl<'a> Source<'a> {
    pub(super) fn of(context: &PacketContext<'a>, tcp: Option<&'a TcpSession>) -> Self {
        match tcp {
            Some(tcp) => Source::Stream(tcp, context.direction),
            None => Source::Datagram(context.packet.payload),
        }
    }

    /// All bytes before this came, or were given up.
    pub(super) fn progress(&self) -> u64 {
        match self {
            Source::Datagram(payload) => payload.len() as u64,
            Source::Stream(tcp, direction) => tcp.app_progress(*direction),
        }
    }
}

impl FrameBytes for Source<'_> {
    fn pieces(&self, from: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) {
        match self {
            Source::Datagram(payload) => payload.pieces(from, visit),
            Source::Stream(tcp, direction) => tcp.kept_from(*direction, from, visit),
        }
    }
}

/// The frames of a packet's direction, for records.
pub(super) struct Shown<'a> {
    source: Source<'a>,
    frames: &'a FrameList,
}

impl<'a> Shown<'a> {
    /// Those of the flow's direction that the packet travels in.
    pub(super) fn of(session: &'a Session, context: &PacketContext<'a>) -> Option<Self> {
        let frames = &session.app.as_deref()?.frames()?[context.direction];
        Some(Self { source: Source::of(context, session.tcp.as_deref()), frames })
    }

    /// The frame with this number.
    pub(super) fn record(&self, id: FrameId) -> Option<FrameRecord<'_>> {
        self.frames.by_id(id).map(|frame| self.record_of(frame))
    }

    fn record_of<'s>(&'s self, frame: &'s Frame) -> FrameRecord<'s> {
        FrameRecord {
            frame,
            in_stream: matches!(self.source, Source::Stream(..)),
            progress: self.source.progress(),
            bytes: &self.source,
        }
    }
}

impl Rest {
    /// Records of the frames that are far enough.
    pub(super) fn record_frames(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>) {
        if !self.recorder.wants(RecordKind::Frame) {
            return;
        }
        let names = Arc::clone(&self.recorder.names);
        let file = self.recorder.capture.clone();
        if let Some(shown) = Shown::of(&flow.session, context) {
            let ended = context.packet.is_pseudo()
                || flow.session.app.as_deref().is_some_and(|app| app.is_done_in(context.direction));
            let cx = RecordContext {
                flow: Some(view(flow)),
                names: Some(&names),
                capture: file.as_deref(),
                ..context.record()
            };
            let progress = shown.source.progress();
            for frame in shown.frames.as_slice().iter().filter(|frame| is_due(frame, progress, ended)) {
                self.recorder.record(&cx, &Record::Frame(shown.record_of(frame)));
            }
            let due = |frame: &Frame| is_due(frame, progress, ended);
            if let Some(frames) = flow.session.app.as_deref_mut().and_then(|app| app.frames_mut()) {
                for frame in frames[context.direction].as_mut_slice() {
                    frame.logged |= due(frame);
                }
            }
        }
    }

    /// Forgets the frames of a packet's direction that are done with, and says which bytes others
    /// still need.
    pub(super) fn finish_frames(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>) {
        if !self.app.frames.any() {
            return;
        }
        let session = &mut flow.session;
        let Some(app) = session.app.as_deref_mut() else { return };
        let Some(tcp) = session.tcp.as_deref_mut() else {
            if let Some(frames) = app.frames_mut() {
                frames[context.direction].clear();
            }
            return;
        };
        let progress = tcp.app_progress(context.direction);
        if let Some(frames) = app.frames_mut() {
            frames[context.direction].prune(progress);
        }
        tcp.retain(context.direction, app.frames_edge(context.direction, progress));
    }
}

/// Whether a frame is to have its record now: it is complete, no more comes, or what came is enough.
fn is_due(frame: &Frame, progress: u64, ended: bool) -> bool {
    let enough = || progress.saturating_sub(frame.offset) >= FRAME_WINDOW;
    !frame.logged && (ended || frame.length.is_none() || frame.is_complete(progress) || enough())
}

#[cfg(test)]
mod tests {
    use weir_applayer::FrameKind;

    use super::*;

    #[test]
    fn when_frames_have_their_record() {
        // Offset, length; progress, the end was reached; due.
        let cases = [
            ((10, Some(5)), (14, false), false),
            ((10, Some(5)), (15, false), true),
            ((10, Some(5)), (12, true), true),
            ((10, None), (11, false), true),
            ((10, Some(9000)), (2509, false), false),
            ((10, Some(9000)), (2510, false), true),
        ];
        for ((offset, length), (progress, ended), expected) in cases {
            let mut frame = Frame {
                id: FrameId(1),
                protocol: &weir_protocols::dns::DNS,
                kind: FrameKind(0),
                offset,
                length,
                transaction: None,
                inspected: 0,
                ended: false,
                logged: false,
            };
            assert_eq!(is_due(&frame, progress, ended), expected, "{frame:?} {progress} {ended}");
            frame.logged = true;
            assert!(!is_due(&frame, progress, ended));
        }
    }
}
