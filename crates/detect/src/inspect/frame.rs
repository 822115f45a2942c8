//! Rules on frames. A frame is looked at once it is complete; a long one piece by piece, and inline as
//! its bytes arrive, with what lies before them, so that a match across packets is seen in time. Where the
//! end of one becomes known when all its bytes were looked at, it is looked at once more.

use weir_applayer::frame::FRAME_WINDOW;
use weir_applayer::{Frame, FrameBytes, FrameList};
use weir_base::profile::{Stage, enter_part};

use super::measure::{FRAME, search};
use super::script::Scene;
use super::subject::Subject;
use super::{Inspection, Inspector};
use crate::explain::{Outcome, Recorder};
use crate::model::buffer::Buffer;
use crate::model::script::ScriptPlace;
use crate::model::signature::{Signature, SignatureIndex};
use crate::ruleset::{FrameGroup, Ruleset};

/// The frames of a packet's direction.
pub struct FrameInspection<'a> {
    /// The frames.
    pub frames: &'a mut FrameList,
    /// The bytes they lie in.
    pub bytes: &'a dyn FrameBytes,
    /// All bytes before this came, or were given up.
    pub progress: u64,
    /// Packets can be held back, so that there is no waiting for more.
    pub inline: bool,
}

/// Part of a frame that is to be looked at.
pub(super) struct FrameWindow<'a> {
    pub(super) frame: &'a Frame,
    window: Window,
    bytes: &'a dyn FrameBytes,
}

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    from: u64,
    to: u64,
    /// Where the frame begins and, if that is known, ends.
    frame: (u64, Option<u64>),
}

impl Window {
    /// Returns what of `frame` is to be looked at; `ended`: no more comes.
    fn of(frame: &Frame, progress: u64, inline: bool, ended: bool) -> Option<Self> {
        let end = frame.end().or(ended.then_some(progress));
        let to = end.map_or(progress, |end| end.min(progress));
        let inspected = frame.offset.saturating_add(frame.inspected);
        let fresh = to.checked_sub(inspected)?;
        if fresh == 0 && (frame.ended || end != Some(to)) {
            return None;
        }
        if !(inline || ended || frame.is_complete(progress)) && fresh < FRAME_WINDOW {
            return None;
        }
        let before = if inline { FRAME_WINDOW } else { 0 };
        let from = inspected.saturating_sub(before).max(frame.offset);
        if from >= to {
            return None;
        }
        Some(Self { from, to, frame: (frame.offset, end) })
    }

    /// Calls `take` with each piece in the window, as a buffer, until it answers false.
    fn each(&self, bytes: &dyn FrameBytes, take: &mut dyn FnMut(&Buffer<'_>) -> bool) {
        let (start, end) = self.frame;
        bytes.pieces(self.from, &mut |offset, bytes| {
            let Some(room) = self.to.checked_sub(offset).filter(|room| *room > 0) else { return false };
            let bytes = usize::try_from(room).ok().and_then(|room| bytes.get(..room)).unwrap_or(bytes);
            let ends = end == Some(offset + bytes.len() as u64);
            let offset = offset.saturating_sub(start);
            take(&Buffer { bytes, offset, ends, little_endian: false })
        });
    }
}

impl<R: Recorder> Inspector<R> {
    pub(super) fn look_at_frames(&mut self, mut inspection: Inspection<'_>, shown: FrameInspection<'_>) {
        let _layer = enter_part(Stage::Detect, "frames");
        let ruleset = self.ruleset_for(&mut inspection);
        let from = inspection.matches.alerts.as_slice().len();
        let direction = inspection.facts.direction;
        for frame in shown.frames.as_mut_slice() {
            let Some(group) = ruleset.frames().of(frame.protocol, direction) else { continue };
            let Some(window) = Window::of(frame, shown.progress, shown.inline, inspection.reach.ended) else {
                continue;
            };
            let part = FrameWindow { frame, window, bytes: shown.bytes };
            self.inspect_frame(&ruleset, group, part, &mut inspection);
            frame.inspected = window.to.saturating_sub(frame.offset);
            frame.ended = window.frame.1 == Some(window.to);
        }
        self.finalize(&ruleset, &mut inspection, from);
    }

    fn inspect_frame(
        &mut self,
        ruleset: &Ruleset,
        group: &FrameGroup,
        shown: FrameWindow<'_>,
        inspection: &mut Inspection<'_>,
    ) {
        let FrameWindow { frame, window, bytes } = &shown;
        self.scan.found.clear();
        for prefilter in group.prefilters.iter().filter(|prefilter| prefilter.kind == frame.kind) {
            window.each(*bytes, &mut |piece| {
                let text = self.text.of(&prefilter.transforms, piece.bytes);
                let (matches, found) = (&mut self.scan.matches, &mut self.scan.found);
                search(&mut self.checker.profile, FRAME, text.len(), found, |found| {
                    prefilter.matcher.find_set(text, matches, found);
                });
                true
            });
        }
        self.scan.candidates.clear();
        self.scan.candidates.extend(self.scan.found.as_slice().iter().map(|&id| SignatureIndex(id)));
        let always = group.always.iter().filter(|(kind, _)| *kind == frame.kind);
        self.scan.candidates.extend(always.map(|(_, index)| *index));
        self.note_group(FRAME, inspection);
        self.look_at_candidates(ruleset, Subject::Frame(shown), inspection);
    }

    /// Whether all of a rule's buffers of the frame's kind hold, each in one piece of the window.
    pub(super) fn frame_holds(
        &mut self,
        signature: &Signature,
        shown: &FrameWindow<'_>,
        inspection: &mut Inspection<'_>,
    ) -> bool {
        let FrameWindow { frame, window, bytes } = shown;
        let of_kind = signature.checks.frame_buffers().filter(|(_, rows, _)| {
            rows.iter().any(|r| r.kind == frame.kind && *r.protocol == *frame.protocol)
        });
        for (position, _, buffer) in of_kind {
            let mut holds = false;
            window.each(*bytes, &mut |piece| {
                let offset = if buffer.transforms.is_empty() { piece.offset } else { 0 };
                let text = Buffer { bytes: self.text.of(&buffer.transforms, piece.bytes), offset, ..*piece };
                let mut scene = Scene { signature, inspection: &mut *inspection, transaction: None };
                let place = ScriptPlace::Buffer(position);
                holds = self.checker.hold(buffer.name, &buffer.checks, &text)
                    && self.checker.agree(place, &mut scene, &text, &mut self.counters);
                !holds
            });
            self.checker.recorder.note(|recording| {
                recording.buffer(buffer.name, Outcome::of(holds), String::new());
            });
            if !holds {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::{FrameId, FrameKind};

    use super::*;
    use crate::keywords::tests::HTTP;

    fn frame(offset: u64, length: Option<u64>, inspected: u64) -> Frame {
        Frame {
            id: FrameId(1),
            protocol: &HTTP,
            kind: FrameKind(0),
            offset,
            length,
            transaction: None,
            inspected,
            ended: length.is_some_and(|length| inspected >= length),
            logged: false,
        }
    }

    #[test]
    fn what_of_a_frame_is_looked_at() {
        // Offset, length, inspected; progress, inline, ended; the window.
        let cases = [
            ((10, Some(5), 0), (14, false, false), None),
            ((10, Some(5), 0), (15, false, false), Some((10, 15))),
            ((10, Some(5), 5), (99, false, false), None),
            ((10, Some(5), 0), (14, true, false), Some((10, 14))),
            ((10, Some(5), 0), (14, false, true), Some((10, 14))),
            ((0, None, 0), (2499, false, false), None),
            ((0, None, 0), (2500, false, false), Some((0, 2500))),
            ((0, None, 2500), (5000, false, false), Some((2500, 5000))),
            ((0, None, 5000), (6000, true, false), Some((2500, 6000))),
            ((0, None, 5000), (5000, true, true), Some((2500, 5000))),
            ((0, None, 5000), (5000, true, false), None),
            ((0, None, 5000), (5000, false, true), None),
            ((10, Some(0), 0), (20, false, true), None),
        ];
        for ((offset, length, inspected), (progress, inline, ended), expected) in cases {
            let frame = frame(offset, length, inspected);
            let window = Window::of(&frame, progress, inline, ended).map(|w| (w.from, w.to));
            assert_eq!(window, expected, "{frame:?} {progress} {inline} {ended}");
        }
    }

    #[test]
    fn pieces_know_where_they_stand() {
        let window = Window { from: 4, to: 8, frame: (2, Some(8)) };
        let mut seen = Vec::new();
        window.each(&&b"0123456789"[..], &mut |piece| {
            seen.push((piece.bytes.to_vec(), piece.offset, piece.ends));
            true
        });
        assert_eq!(seen, [(b"4567".to_vec(), 2, true)]);
    }
}
