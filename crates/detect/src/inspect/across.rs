//! Patterns across the windows of a stream.
//!
//! A stream is inspected window by window. With each window come the last bytes before it, as many
//! as [`Inspector::stream_lookback`] asked for: enough for the longest literal to lie across, or
//! [`WAITING_BYTES`] while rules wait of which the prefilter's literal was there and the rest was
//! not. What lies on one side of the border alone is left to that side's own inspection, so that
//! nothing matches twice. A rule whose earlier literals lie farther back than the one that the
//! prefilter looks for does not match across.

use weir_base::Direction;

use super::checks::inspect;
use super::measure::{PAYLOAD, STREAM};
use super::{Inspection, Inspector, StreamWindow};
use crate::explain::{Outcome, Recorder};
use crate::model::buffer::Buffer;
use crate::model::signature::{Signature, Subjects};
use crate::model::view::PacketFacts;
use crate::ruleset::{PacketClass, PayloadScans};
use crate::state::FlowDetect;

/// Bytes past a window that a rule waits for the rest of its match.
const WAITING_BYTES: usize = 2560;

/// Most rules that wait in one direction of a flow; further ones do not.
const MAX_WAITING: usize = 16;

impl<R: Recorder> Inspector<R> {
    /// Returns how many bytes before the next window are to be shown with it.
    pub fn stream_lookback(&self, direction: Direction, state: Option<&FlowDetect>) -> usize {
        if state.is_some_and(|state| !state.stream_waiting(direction).is_empty()) {
            return WAITING_BYTES;
        }
        let group = self.ruleset.packets(PacketClass::Tcp, direction);
        group.map_or(0, |group| group.stream.reach)
    }

    /// Finds the literals in a window of the stream, and those across its front border.
    pub(super) fn find_in_window(
        &mut self,
        scans: &PayloadScans,
        facts: &PacketFacts<'_>,
        window: &StreamWindow<'_>,
    ) {
        self.find(STREAM, scans, facts, (window.bytes, window.offset));
        if window.before.is_empty() {
            return;
        }
        let skipped = window.before.len().saturating_sub(scans.reach);
        let before = window.before.get(skipped..).unwrap_or_default();
        self.scan.joined.clear();
        self.scan.joined.extend_from_slice(before);
        self.scan.joined.extend_from_slice(window.bytes.get(..scans.reach).unwrap_or(window.bytes));
        let offset = window.offset.saturating_sub(before.len() as u64);
        scans.find(facts, (&self.scan.joined, offset), &mut self.scan.matches, &mut self.scan.found);
    }

    /// Those that wait for the rest of their match are candidates again.
    pub(super) fn wake_waiting(&mut self, inspection: &mut Inspection<'_>) {
        let (Some(window), Some(state)) = (&inspection.stream, inspection.state.as_deref_mut()) else {
            return;
        };
        if state.stream_waiting(inspection.facts.direction).is_empty() {
            return;
        }
        state.stream_waiting_mut(inspection.facts.direction).retain(|&(signature, until)| {
            self.scan.found.insert(signature.0);
            until > window.offset
        });
    }

    /// A rule whose literal was found may match with what comes next.
    pub(super) fn let_wait(&mut self, signature: &Signature, inspection: &mut Inspection<'_>) {
        let (Some(window), Some(state)) = (&inspection.stream, inspection.state.as_deref_mut()) else {
            return;
        };
        let literal_only = signature.checks.payload.len() < 2;
        if literal_only
            || !signature.is_narrowed_in_payload()
            || !signature.checks.payload_in.contains(Subjects::STREAM)
            || window.ends
        {
            return;
        }
        let waiting = state.stream_waiting_mut(inspection.facts.direction);
        if waiting.len() < MAX_WAITING && waiting.iter().all(|(known, _)| *known != signature.index) {
            let end = window.offset.saturating_add(window.bytes.len() as u64);
            waiting.push((signature.index, end.saturating_add(WAITING_BYTES as u64)));
        }
    }

    /// Whether a rule holds across the window's front border, and on neither side of it alone: that
    /// it does not in the window is known.
    pub(super) fn holds_across(&mut self, signature: &Signature, window: &StreamWindow<'_>) -> bool {
        if window.before.is_empty() {
            return false;
        }
        let offset = window.offset.saturating_sub(window.before.len() as u64);
        let before = Buffer { bytes: window.before, offset, ends: true, little_endian: false };
        self.checker.scratch.begin();
        self.checker.scratch.steps = self.checker.steps;
        if inspect(&signature.checks.payload, &before, &mut self.checker.scratch) {
            return false;
        }
        let mut joined = std::mem::take(&mut self.scan.joined);
        joined.clear();
        joined.extend_from_slice(window.before);
        joined.extend_from_slice(window.bytes);
        self.checker.scratch.begin();
        let both = Buffer { bytes: &joined, offset, ends: true, little_endian: false };
        let holds = self.checker.hold(PAYLOAD, &signature.checks.payload, &both);
        self.checker.recorder.note(|recording| {
            let found = format!("bytes {offset} to {}", offset + joined.len() as u64);
            recording.buffer("the stream, with what came before", Outcome::of(holds), found);
        });
        self.scan.joined = joined;
        holds
    }
}
