//! The recorder that keeps the steps of inspection for the rules it follows.

use std::collections::BTreeMap;

use weir_base::Direction;

use super::attempt::{Attempt, Conclusion, Excerpt, Outcome, Step};
use super::describe::Subject;
use crate::model::buffer::{Buffer, BufferScratch, Check, Content};
use crate::model::signature::{HeaderPart, Signature, SignatureIndex};
use crate::model::view::{PacketFacts, PacketView};

/// Most attempts that matched and are kept.
const MAX_MATCHES: usize = 1000;

/// Most packets, flows or transactions of which the closest miss is kept.
const MAX_MISSES: usize = 2000;

/// Most steps of one attempt.
const MAX_STEPS: usize = 256;

/// Attempts that are recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection {
    /// Those with this packet.
    pub packet: Option<u64>,
    /// Those in this flow.
    pub flow: Option<u64>,
}

/// One run of a list of checks over a buffer.
#[derive(Debug)]
struct Run {
    /// Number of checks in the list.
    total: usize,
    /// The steps to where the run is now.
    path: Vec<Step>,
    /// The steps that came farthest.
    farthest: Vec<Step>,
}

/// The attempts that differ only in the packet: of these the closest is kept.
type Unit = (SignatureIndex, Option<u64>, Option<u64>, u64, bool);

/// Recorder of some rules.
#[derive(Debug)]
pub struct Recording {
    subjects: Vec<Subject>,
    selection: Selection,
    open: Option<Attempt>,
    runs: Vec<Run>,
    /// Steps of a run inside a check that has not ended yet.
    inside: Vec<Step>,
    matches: Vec<Attempt>,
    misses: BTreeMap<Unit, Attempt>,
    /// Number of attempts.
    pub attempts: u64,
    /// Number of those that matched.
    pub matched: u64,
    /// Where the others ended, by the step that did not pass.
    pub ended_at: BTreeMap<String, u64>,
}

impl Recording {
    /// A recorder that follows `subjects`.
    pub fn new(subjects: Vec<Subject>, selection: Selection) -> Self {
        Self {
            subjects,
            selection,
            open: None,
            runs: Vec::new(),
            inside: Vec::new(),
            matches: Vec::new(),
            misses: BTreeMap::new(),
            attempts: 0,
            matched: 0,
            ended_at: BTreeMap::new(),
        }
    }

    /// The rules that are followed.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// The first `count` attempts that matched; those that raised an alert come before the others.
    pub fn matches(&self, count: usize) -> Vec<&Attempt> {
        let mut matches: Vec<&Attempt> = self.matches.iter().collect();
        matches.sort_by_key(|attempt| attempt.conclusion != Conclusion::Fired);
        matches.truncate(count);
        matches
    }

    /// The closest `count` misses, the closest first.
    pub fn closest(&self, count: usize) -> Vec<&Attempt> {
        let mut misses: Vec<&Attempt> = self.misses.values().collect();
        misses.sort_by_key(|miss| (std::cmp::Reverse(miss.passed()), miss.time, miss.packet));
        misses.truncate(count);
        misses
    }

    /// The rules followed that are not among `candidates`.
    pub(crate) fn left_out(&self, candidates: &[SignatureIndex]) -> Vec<SignatureIndex> {
        self.subjects.iter().map(|s| s.signature).filter(|index| !candidates.contains(index)).collect()
    }

    fn subject(&self, signature: SignatureIndex) -> Option<&Subject> {
        self.subjects.iter().find(|subject| subject.signature == signature)
    }

    /// A rule is looked at.
    pub(crate) fn begin(&mut self, signature: &Signature, facts: &PacketFacts<'_>, transaction: Option<u64>) {
        self.open = None;
        self.runs.clear();
        self.inside.clear();
        let packet = facts.packet;
        let flow = facts.flow.map(|flow| flow.id.0);
        let wanted = self.subject(signature.index).is_some()
            && self.selection.packet.is_none_or(|number| number == packet.number)
            && self.selection.flow.is_none_or(|id| Some(id) == flow);
        if !wanted {
            return;
        }
        self.open = Some(Attempt {
            signature: signature.index,
            packet: packet.number,
            time: packet.time,
            ends: super::describe::ends(packet),
            direction: facts.direction,
            flow,
            transaction,
            steps: Vec::new(),
            conclusion: Conclusion::Missed,
        });
    }

    /// Adds a step to the attempt.
    pub(crate) fn step(&mut self, step: Step) {
        if let Some(open) = &mut self.open
            && open.steps.len() < MAX_STEPS
        {
            open.steps.push(step);
        }
    }

    /// The attempt is not worth keeping: it goes on elsewhere.
    pub(crate) fn forget(&mut self) {
        self.open = None;
    }

    /// The attempt is over.
    pub(crate) fn end(&mut self, conclusion: Conclusion) {
        let Some(mut attempt) = self.open.take() else { return };
        attempt.conclusion = conclusion;
        self.attempts += 1;
        if attempt.conclusion.is_match() {
            self.matched += 1;
            if self.matches.len() < MAX_MATCHES {
                self.matches.push(attempt);
            }
            return;
        }
        if let Some(step) = attempt.miss() {
            *self.ended_at.entry(step.name.clone()).or_default() += 1;
        }
        let packet =
            if attempt.flow.is_some() && self.selection.packet.is_none() { 0 } else { attempt.packet };
        let unit = (
            attempt.signature,
            attempt.flow,
            attempt.transaction,
            packet,
            attempt.direction == Direction::ToServer,
        );
        match self.misses.get_mut(&unit) {
            Some(kept) if kept.passed() >= attempt.passed() => {}
            Some(kept) => *kept = attempt,
            None => {
                self.misses.insert(unit, attempt);
            }
        }
        if self.misses.len() > MAX_MISSES {
            self.thin();
        }
    }

    /// Keeps the closer half of the misses.
    fn thin(&mut self) {
        let mut passed: Vec<usize> = self.misses.values().map(Attempt::passed).collect();
        passed.sort_unstable();
        let middle = passed.get(passed.len() / 2).copied().unwrap_or_default();
        let mut room = MAX_MISSES / 2;
        self.misses.retain(|_, miss| {
            let kept = miss.passed() > middle || (miss.passed() == middle && room > 0);
            room = room.saturating_sub(usize::from(kept));
            kept
        });
    }

    /// The alert of a rule that matched with this packet is held back.
    pub(crate) fn held_back(&mut self, signature: SignatureIndex, reason: &str) {
        if let Some(attempt) = self.matches.iter_mut().rev().find(|a| a.signature == signature)
            && attempt.conclusion == Conclusion::Fired
        {
            attempt.conclusion = Conclusion::HeldBack(reason.to_owned());
        }
    }

    /// The header was compared up to `miss`, or as a whole.
    pub(crate) fn header(
        &mut self,
        signature: &Signature,
        facts: &PacketFacts<'_>,
        miss: Option<HeaderPart>,
    ) {
        let Some(subject) = self.subject(signature.index) else { return };
        let mut steps = Vec::new();
        for part in HeaderPart::ALL {
            let failed = miss == Some(part);
            if let Some((name, found)) = subject.header_part(part, signature, facts) {
                steps.push(Step::new(name, Outcome::of(!failed), found));
            }
            if failed {
                break;
            }
        }
        for step in steps {
            self.step(step);
        }
    }

    /// The checks on packet and flow were made, the one at `failed` without success.
    pub(crate) fn packet_checks(
        &mut self,
        signature: &Signature,
        view: &PacketView<'_>,
        failed: Option<usize>,
    ) {
        let Some(subject) = self.subject(signature.index) else { return };
        let count = failed.map_or(signature.checks.packet.len(), |failed| failed + 1);
        let steps: Vec<Step> = signature
            .checks
            .packet
            .iter()
            .take(count)
            .enumerate()
            .map(|(index, check)| {
                let found = check.observed(view).unwrap_or_default();
                Step::new(subject.packet_check(index), Outcome::of(failed != Some(index)), found)
            })
            .collect();
        for step in steps {
            self.step(step);
        }
    }

    /// The literal of the prefilter is not in `place`; `None`: there was nothing to look at.
    pub(crate) fn prefilter(&mut self, signature: &Signature, place: &str, bytes: Option<&[u8]>) {
        let Some(content) = signature.prefilter_content() else { return };
        let literal = Excerpt::of(content.prefilter_bytes(), 0, usize::MAX).text();
        let (outcome, said) = match bytes {
            Some(bytes) => {
                (Outcome::Failed, format!("the literal is not in the {} bytes of {place}", bytes.len()))
            }
            None => (Outcome::Waiting, format!("there is nothing of {place} to look at")),
        };
        let mut step = Step::new(format!("prefilter \"{literal}\""), outcome, said);
        step.bytes = bytes.map(|bytes| Excerpt::of(bytes, 0, usize::MAX));
        self.step(step);
    }

    /// A list of checks is run over a buffer.
    pub(crate) fn enter(&mut self, checks: &[Check]) {
        if self.open.is_some() {
            self.runs.push(Run { total: checks.len(), path: Vec::new(), farthest: Vec::new() });
        }
    }

    /// A check was made; `remaining` checks of its list come with and after it.
    pub(crate) fn check(
        &mut self,
        check: &Check,
        remaining: usize,
        look: &Look<'_>,
        scratch: &BufferScratch,
        end: Option<usize>,
    ) {
        let Some(open) = &self.open else { return };
        let name = self.subject(open.signature).map_or("a check", |s| s.check(check)).to_owned();
        let mut step = look.step(name, check, scratch, end);
        step.steps = std::mem::take(&mut self.inside);
        let Some(run) = self.runs.last_mut() else { return };
        run.path.truncate(run.total.saturating_sub(remaining));
        if run.path.len() < MAX_STEPS {
            run.path.push(step);
        }
        if run.path.len() > run.farthest.len() {
            run.farthest.clone_from(&run.path);
        }
    }

    /// The list of checks is done with.
    pub(crate) fn leave(&mut self, holds: bool) {
        let Some(run) = self.runs.pop() else { return };
        let steps = if holds { run.path } else { run.farthest };
        // Of several values, the one that came farthest is reported.
        if holds || steps.len() > self.inside.len() || self.inside.is_empty() {
            self.inside = steps;
        }
    }

    /// The checks of a buffer, run over all of its values, are done with.
    pub(crate) fn buffer(&mut self, name: &str, outcome: Outcome, found: String) {
        let mut step = Step::new(name, outcome, found);
        step.steps = std::mem::take(&mut self.inside);
        self.step(step);
    }

    /// The option that names a rule's buffer, with its transforms.
    pub(crate) fn buffer_name(&self, signature: &Signature, index: usize) -> String {
        let option = self.subject(signature.index).and_then(|s| s.buffers.get(index));
        let mut name = option.cloned().unwrap_or_default();
        let Some(buffer) = signature.checks.buffers.get(index) else { return name };
        // An old modifier, or a regular expression's flag, names the buffer by another word.
        if buffer.value.is_none() && !name.starts_with(buffer.name) {
            buffer.name.clone_into(&mut name);
        }
        for transform in &buffer.transforms {
            name.push_str("; ");
            name.push_str(&transform.name);
        }
        name
    }
}

/// Where a check looks.
pub(crate) struct Look<'a> {
    /// The buffer.
    pub(crate) buffer: &'a Buffer<'a>,
    /// Where the check before ended.
    pub(crate) previous: usize,
    /// Where the check's own search goes on.
    pub(crate) resume: usize,
}

impl Look<'_> {
    /// Returns the step of a check: the end of its match, or none.
    fn step(&self, name: String, check: &Check, scratch: &BufferScratch, end: Option<usize>) -> Step {
        let bytes = self.buffer.bytes;
        let from = if check.is_relative() { self.previous } else { 0 };
        let mut step = Step::new(name, Outcome::of(end.is_some()), String::new());
        step.bytes = Some(Excerpt::of(bytes, from, usize::MAX));
        step.found = match (check, end) {
            (Check::Content(content), end) => return self.content_step(step, content, scratch, end),
            (Check::Regex(regex), Some(end)) if !regex.negated => {
                step.bytes = Some(Excerpt::before(bytes, from, end));
                format!("matches up to byte {end}")
            }
            (Check::Regex(regex), None) if regex.negated => "matches, and must not".to_owned(),
            (Check::Regex(_), _) => format!("does not match from byte {from} on"),
            (Check::ByteTest(test), _) => read_value(&test.read, self, scratch),
            (Check::ByteJump(jump), Some(end)) => {
                format!("{}, jumps to byte {end}", read_value(&jump.read, self, scratch))
            }
            (Check::ByteJump(jump), None) => {
                format!("{}, leads out of the buffer", read_value(&jump.read, self, scratch))
            }
            (Check::ByteExtract(extract), _) => read_value(&extract.read, self, scratch),
            (Check::ByteMath(math), _) => read_value(&math.read, self, scratch),
            (Check::IsDataAt(_), _) => {
                format!("{} bytes follow byte {from}", bytes.len().saturating_sub(from))
            }
            (Check::Whole(_), _) => format!("of a buffer of {} bytes", bytes.len()),
            (Check::Base64Decode(_), _) => String::new(),
        };
        step
    }

    fn content_step(
        &self,
        mut step: Step,
        content: &Content,
        scratch: &BufferScratch,
        end: Option<usize>,
    ) -> Step {
        let bytes = self.buffer.bytes;
        let window =
            content.window(bytes.len(), self.buffer.offset, self.previous, self.resume, &scratch.variables);
        step.bytes = window.map(|(start, end)| Excerpt::of(bytes, start, end));
        step.found = match (end, window) {
            (Some(end), _) if !content.negated => {
                let start = end.saturating_sub(content.bytes.len());
                step.bytes = Some(Excerpt::of(bytes, start, end));
                format!("is at byte {start}")
            }
            (Some(_), _) => "is absent, as asked".to_owned(),
            (None, _) if content.negated => "is there, and must not be".to_owned(),
            (None, Some((start, end))) => format!("is not in bytes {start} to {end} of {}", bytes.len()),
            (None, None) => format!("can lie nowhere in the buffer's {} bytes", bytes.len()),
        };
        step
    }
}

fn read_value(read: &crate::model::buffer::bytes::Read, look: &Look<'_>, scratch: &BufferScratch) -> String {
    match read.value(look.buffer, look.previous, scratch) {
        Some((value, _)) => format!("the number is {value}"),
        None => "there is no such number in the buffer".to_owned(),
    }
}
