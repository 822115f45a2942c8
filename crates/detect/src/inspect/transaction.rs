//! Rules on transactions, with progress saved from packet to packet.

use weir_applayer::{Access, File, Parser, Progress, Transaction, TxMeta};
use weir_base::{Direction, IdSet};

use super::checks::inspect_with;
use super::script::Scene;
use super::values::{Built, Seen, advance_bodies, each_value, grows};
use super::{Inspection, Inspector};
use crate::explain::{Conclusion, Outcome, Recorder};
use crate::model::script::ScriptPlace;
use crate::model::signature::{Absent, BufferMatch, FieldRow, Signature, SignatureIndex, Target, ValueMatch};
use crate::ruleset::{FieldPrefilter, Ruleset, TransactionGroup};
use crate::state::{DirectionDetect, FlowDetect, MAX_WAITING_RULES, WaitingRule};

/// Most integers of a field that are looked at together.
const MAX_INTEGERS: usize = 4096;

/// What came of one buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It holds.
    Holds,
    /// It is not there yet, or may still hold.
    Waits,
    /// It never will.
    Never,
}

impl Answer {
    /// The same for a recording.
    const fn outcome(self) -> Outcome {
        match self {
            Answer::Holds => Outcome::Passed,
            Answer::Waits => Outcome::Waiting,
            Answer::Never => Outcome::Failed,
        }
    }

    /// The same in words.
    const fn words(self, buffer: &BufferMatch) -> &'static str {
        match (self, buffer.value.is_some()) {
            (Answer::Holds, _) => "",
            (Answer::Waits, _) => "is not there yet, or more of it may come",
            (Answer::Never, true) => "the transaction's value is another, or there is none",
            (Answer::Never, false) => "is not there, or none of its values holds",
        }
    }

    /// The answer of a rule on the state `hook`, where the transaction went from `reached` to
    /// `progress`: the rule can match only as long as it is in that state, or goes through it.
    fn at(self, hook: Progress, reached: Progress, progress: Progress) -> Self {
        match self {
            Answer::Never => Answer::Never,
            _ if hook < reached => Answer::Never,
            _ if progress < hook => Answer::Waits,
            Answer::Waits if progress > hook => Answer::Never,
            answer => answer,
        }
    }
}

impl<R: Recorder> Inspector<R> {
    /// Looks at the transactions of the flow that have changed since they were looked at last in the packet's
    /// direction; at all of them once it is known that the direction has ended.
    pub(super) fn inspect_transactions(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>) {
        // The parser is taken out so that the rest of the inspection can be lent meanwhile.
        let Some(parser) = inspection.parser.take() else { return };
        let group = ruleset.transactions(parser.protocol(), inspection.facts.direction);
        if let Some(state) = inspection.state.as_deref_mut() {
            let due = take_due(parser, state, inspection.facts.direction, inspection.reach.ended);
            match group {
                Some(group) => self.inspect_group(ruleset, group, parser, due, inspection),
                // Nothing to look at: a transaction is done as soon as it is complete.
                None => mark_complete(parser, state, due, inspection.facts.direction, inspection.reach.ended),
            }
        }
        inspection.parser = Some(parser);
    }

    fn inspect_group(
        &mut self,
        ruleset: &Ruleset,
        group: &TransactionGroup,
        parser: &mut dyn Parser,
        mut due: IdSet,
        inspection: &mut Inspection<'_>,
    ) {
        let direction = inspection.facts.direction;
        let complete = parser.protocol().complete(direction);
        for &id in due.sorted() {
            let Some(mut transaction) = parser.transaction(id) else { continue };
            let meta = transaction.meta();
            if meta.only.is_some_and(|only| only != direction) {
                continue;
            }
            if !meta.files.is_empty() {
                begin_review(parser, id, direction);
                let Some(reviewed) = parser.transaction(id) else { continue };
                transaction = reviewed;
            }
            let meta = transaction.meta();
            let progress = if inspection.reach.ended { complete } else { meta.progress[direction] };
            let Some(state) = inspection.state.as_deref_mut() else { return };
            // Taken out while rules may change the flow's state, put back at the end.
            let mut mine = std::mem::take(&mut state.transaction(id).directions[direction]);
            if !mine.complete {
                mine.note_files(ruleset, meta, direction);
                self.inspect_transaction(ruleset, group, transaction, progress, &mut mine, inspection);
                advance_bodies(group, transaction, direction, &mut mine);
                if inspection.reach.parsed || inspection.reach.ended {
                    mine.reached = Some(progress);
                }
                mine.complete = progress >= complete;
            }
            if let Some(state) = inspection.state.as_deref_mut() {
                state.transaction(id).directions[direction] = mine;
            }
        }
        if let Some(state) = inspection.state.as_deref_mut() {
            state.note_looked_at(direction, due);
        }
    }

    fn inspect_transaction(
        &mut self,
        ruleset: &Ruleset,
        group: &TransactionGroup,
        transaction: &dyn Transaction,
        progress: Progress,
        mine: &mut DirectionDetect,
        inspection: &mut Inspection<'_>,
    ) {
        self.found.clear();
        for (position, prefilter) in group.prefilters.iter().enumerate() {
            self.prefilter(position, prefilter, transaction, progress, mine, inspection.facts.direction);
        }
        self.candidates.clear();
        self.candidates.extend(self.found.as_slice().iter().map(|&id| SignatureIndex(id)));
        self.candidates.extend_from_slice(&group.always);
        self.candidates.extend_from_slice(&self.transaction_candidates);
        self.candidates.extend(mine.waiting.iter().filter(|w| !w.done).map(|w| w.signature));
        let id = transaction.meta().id;
        if let Some(state) = inspection.state.as_deref_mut() {
            let both = &state.transaction(id).both;
            self.candidates.extend(both.iter().filter(|w| !w.done).map(|w| w.signature));
        }
        self.candidates.sort_unstable();
        self.candidates.dedup();
        let candidates = std::mem::take(&mut self.candidates);
        self.explain_left_out_of_transaction(ruleset, transaction, progress, mine, inspection, &candidates);
        for &index in &candidates {
            let Some(signature) = ruleset.signature(index) else { continue };
            self.buffers.begin();
            if signature.head.is_transactional() {
                self.inspect_both(signature, transaction, progress, mine, inspection);
            } else {
                self.inspect_rule(signature, transaction, progress, mine, inspection);
            }
        }
        self.candidates = candidates;
    }

    /// Scans a field that has become ready, once; a body each time it has grown.
    fn prefilter(
        &mut self,
        position: usize,
        prefilter: &FieldPrefilter,
        transaction: &dyn Transaction,
        progress: Progress,
        mine: &mut DirectionDetect,
        direction: Direction,
    ) {
        let field = prefilter.row.field;
        if progress < field.ready_at {
            return;
        }
        let grows = grows(field.access);
        let bit = 1u128.checked_shl(position as u32).unwrap_or(0);
        if !grows && bit != 0 {
            if mine.prefiltered & bit != 0 {
                return;
            }
            mine.prefiltered |= bit;
        }
        let (matches, found) = (&mut self.matches, &mut self.found);
        let mut scratch =
            Built { built: &mut self.built, output: &mut self.transformed, scratch: &mut self.transforms };
        each_value(
            &prefilter.row,
            transaction,
            direction,
            &mine.bodies,
            &prefilter.transforms,
            &mut scratch,
            |value| {
                prefilter.matcher.find_set(value.bytes, matches, found);
                false
            },
        );
    }

    fn inspect_rule(
        &mut self,
        signature: &Signature,
        transaction: &dyn Transaction,
        progress: Progress,
        mine: &mut DirectionDetect,
        inspection: &mut Inspection<'_>,
    ) {
        let place = mine.waiting.binary_search_by_key(&signature.index, |waiting| waiting.signature);
        let slot = place.ok();
        let mut rule = slot.and_then(|s| mine.waiting.get(s)).copied().unwrap_or(WaitingRule {
            signature: signature.index,
            matched: 0,
            done: false,
        });
        if rule.done {
            return;
        }
        let hook = signature.head.state_hook();
        if let Some(hook) = hook {
            let early = progress < hook.progress && !signature.checks.has_transaction_buffers();
            // With the end alone nothing came in the state it found.
            let over =
                !inspection.reach.parsed && (!inspection.reach.ended || mine.reached == Some(hook.progress));
            if early || over {
                return;
            }
        }
        let id = transaction.meta().id;
        self.note_begin(signature, inspection, Some(id));
        if slot.is_none() {
            // The header and the packet are looked at when the rule first comes up.
            let admitted = signature.head.admits(&inspection.facts)
                && self.packet_checks_hold(signature, inspection, Some(id))
                && self.packet_buffers_hold(signature, inspection)
                && self.payload_holds(signature, inspection).is_some();
            if !admitted {
                self.note_end(Conclusion::Missed);
                return;
            }
        }
        let answer = self.inspect_buffers(
            signature,
            transaction,
            progress,
            &mine.bodies,
            inspection,
            &mut rule.matched,
        );
        match hook.map_or(answer, |hook| answer.at(hook.progress, mine.reached.unwrap_or_default(), progress))
        {
            Answer::Holds if !self.scripts_agree(signature, inspection, Some(transaction)) => {
                self.note_end(Conclusion::Missed);
            }
            Answer::Holds => {
                self.matched(signature, inspection, Some(id), false);
                // A rule on a state alone matches as often as something comes in that state.
                rule.done = signature.checks.has_transaction_buffers();
                if !rule.done {
                    return;
                }
            }
            Answer::Waits => self.note_end(Conclusion::Waits),
            Answer::Never => {
                self.note_end(Conclusion::Missed);
                rule.done = true;
            }
        }
        if let Some(waiting) = slot.and_then(|s| mine.waiting.get_mut(s)) {
            *waiting = rule;
        } else if let (Err(place), true) = (place, mine.waiting.len() < MAX_WAITING_RULES) {
            mine.waiting.insert(place, rule);
        } else {
            self.counters.waiting_full += 1;
        }
    }

    /// Looks at a rule on both directions of a transaction, whichever way the packet goes.
    fn inspect_both(
        &mut self,
        signature: &Signature,
        transaction: &dyn Transaction,
        progress: Progress,
        mine: &DirectionDetect,
        inspection: &mut Inspection<'_>,
    ) {
        let (id, direction) = (transaction.meta().id, inspection.facts.direction);
        let Some(state) = inspection.state.as_deref_mut() else { return };
        let state = state.transaction(id);
        let begun = state.both.iter().find(|w| w.signature == signature.index).copied();
        let theirs = &state.directions[direction.opposite()];
        let (ended, their_bodies) = (theirs.complete, theirs.bodies.clone());
        let mut rule = begun.unwrap_or(WaitingRule { signature: signature.index, matched: 0, done: false });
        if rule.done {
            return;
        }
        self.note_begin(signature, inspection, Some(id));
        if begun.is_none()
            && !(signature.head.admits(&inspection.facts)
                && self.packet_checks_hold(signature, inspection, Some(id)))
        {
            self.note_end(Conclusion::Missed);
            return;
        }
        let mut answer = Answer::Holds;
        for (index, buffer) in signature.checks.buffers.iter().enumerate() {
            let Target::Transaction(rows) = &buffer.target else { continue };
            let bit = 1u64 << index;
            if rule.matched & bit != 0 {
                continue;
            }
            let protocol = inspection.facts.protocol.protocol;
            let row = rows.iter().find(|row| protocol.is_some_and(|p| *p == *row.protocol));
            let Some(row) = row else { return };
            let way = buffer.direction.unwrap_or(if row.field.direction.covers(Direction::ToServer) {
                Direction::ToServer
            } else {
                Direction::ToClient
            });
            let (reached, bodies) = match (way == direction, ended) {
                (true, _) => (progress, &mine.bodies),
                (false, true) => (row.protocol.complete(way), &their_bodies),
                (false, false) => (transaction.meta().progress[way], &their_bodies),
            };
            let scene = Scene { signature, inspection: &mut *inspection, transaction: Some(transaction) };
            let answer_of =
                self.inspect_buffer(index, buffer, row, scene, (transaction, reached), bodies, way);
            self.recorder.note(|recording| {
                let name = recording.buffer_name(signature, index);
                recording.buffer(&name, answer_of.outcome(), answer_of.words(buffer).to_owned());
            });
            match answer_of {
                Answer::Holds => rule.matched |= bit,
                Answer::Waits => answer = Answer::Waits,
                Answer::Never => {
                    answer = Answer::Never;
                    break;
                }
            }
        }
        if answer == Answer::Holds && !self.scripts_agree(signature, inspection, Some(transaction)) {
            answer = Answer::Waits;
        }
        rule.done = answer != Answer::Waits;
        match answer {
            Answer::Holds => self.matched(signature, inspection, Some(id), false),
            Answer::Waits => self.note_end(Conclusion::Waits),
            Answer::Never => self.note_end(Conclusion::Missed),
        }
        let Some(state) = inspection.state.as_deref_mut() else { return };
        let both = &mut state.transaction(id).both;
        if let Some(waiting) = both.iter_mut().find(|w| w.signature == signature.index) {
            *waiting = rule;
        } else if both.len() < MAX_WAITING_RULES {
            both.push(rule);
        } else {
            self.counters.waiting_full += 1;
        }
    }

    /// Looks at the rule's buffers that have not matched yet, in order; stops at the first that
    /// does not hold.
    pub(super) fn inspect_buffers(
        &mut self,
        signature: &Signature,
        transaction: &dyn Transaction,
        progress: Progress,
        bodies: &[(usize, u64)],
        inspection: &mut Inspection<'_>,
        matched: &mut u64,
    ) -> Answer {
        let mut answer = Answer::Holds;
        for (index, buffer) in signature.checks.buffers.iter().enumerate() {
            let Target::Transaction(rows) = &buffer.target else { continue };
            let bit = 1u64 << index;
            if *matched & bit != 0 {
                self.recorder.note(|recording| {
                    let name = recording.buffer_name(signature, index);
                    recording.buffer(&name, Outcome::Passed, "held before".to_owned());
                });
                continue;
            }
            let direction = inspection.facts.direction;
            let protocol = inspection.facts.protocol.protocol;
            let row = rows.iter().find(|row| {
                protocol.is_some_and(|p| *p == *row.protocol)
                    && row.field.direction.covers(direction)
                    && buffer.direction.is_none_or(|only| only == direction)
            });
            let found = match row {
                Some(row) => {
                    let scene =
                        Scene { signature, inspection: &mut *inspection, transaction: Some(transaction) };
                    let reached = (transaction, progress);
                    self.inspect_buffer(index, buffer, row, scene, reached, bodies, direction)
                }
                None => Answer::Never,
            };
            self.recorder.note(|recording| {
                let name = recording.buffer_name(signature, index);
                recording.buffer(&name, found.outcome(), found.words(buffer).to_owned());
            });
            match found {
                Answer::Holds => *matched |= bit,
                Answer::Waits => answer = Answer::Waits,
                Answer::Never => return Answer::Never,
            }
        }
        answer
    }

    #[expect(clippy::too_many_arguments, reason = "each is another part of the inspection")]
    fn inspect_buffer(
        &mut self,
        index: usize,
        buffer: &BufferMatch,
        row: &FieldRow,
        mut scene: Scene<'_, '_>,
        (transaction, progress): (&dyn Transaction, Progress),
        bodies: &[(usize, u64)],
        direction: Direction,
    ) -> Answer {
        if let Some(value) = &buffer.value {
            return value_answer(value, row, transaction, progress, direction);
        }
        if progress < row.field.ready_at {
            return Answer::Waits;
        }
        let (steps, checks) = (self.settings.steps, &buffer.checks);
        let (scratch, recorder) = (&mut self.buffers, &mut self.recorder);
        let (scripts, counters) = (&mut self.scripts, &mut self.counters);
        let mut built =
            Built { built: &mut self.built, output: &mut self.transformed, scratch: &mut self.transforms };
        let seen = each_value(row, transaction, direction, bodies, &buffer.transforms, &mut built, |value| {
            scratch.steps = steps;
            buffer.absent != Some(Absent::Only)
                && inspect_with(checks, value, scratch, recorder)
                && scripts.hold(ScriptPlace::Buffer(index), &mut scene, value, &scratch.variables, counters)
        });
        let more_may_come = grows(row.field.access) && progress < row.protocol.complete(direction);
        let grows = matches!(
            row.field.access,
            Access::Body(_) | Access::BodyAndFiles(_) | Access::FileData | Access::Late(_)
        );
        match (seen, buffer.absent) {
            // What is not there yet may still come.
            (Seen::Nothing, _) if grows && progress < row.protocol.complete(direction) => Answer::Waits,
            (Seen::Stopped, _) => Answer::Holds,
            (Seen::Growing, _) => Answer::Waits,
            _ if more_may_come => Answer::Waits,
            (Seen::Nothing, Some(_)) => Answer::Holds,
            (Seen::Nothing | Seen::All, _) => Answer::Never,
        }
    }
}

/// Rules are about to look at the files of a direction.
fn begin_review(parser: &mut dyn Parser, id: u64, direction: Direction) {
    let Some(transaction) = parser.transaction_mut(id) else { return };
    let files = transaction.meta_mut().files.iter_mut();
    files.filter(|file| file.direction == direction).for_each(File::begin_review);
}

impl DirectionDetect {
    /// Each file that comes after others is for rules on files to look at anew.
    fn note_files(&mut self, ruleset: &Ruleset, meta: &TxMeta, direction: Direction) {
        if meta.files.is_empty() {
            return;
        }
        let files = meta.files.iter().filter(|file| file.direction == direction).count();
        if std::mem::replace(&mut self.files, files) == files || files == 1 {
            return;
        }
        for rule in &mut self.waiting {
            let of_files =
                ruleset.signature(rule.signature).map_or(0, |signature| signature.checks.file_buffers());
            if of_files != 0 {
                rule.matched &= !of_files;
                rule.done = false;
            }
        }
    }
}

fn value_answer(
    value: &ValueMatch,
    row: &FieldRow,
    transaction: &dyn Transaction,
    progress: Progress,
    direction: Direction,
) -> Answer {
    if progress < row.field.ready_at {
        return Answer::Waits;
    }
    let holds = match (value, row.field.access) {
        (ValueMatch::Integer(test), Access::Integer { read, .. } | Access::Flags { read, .. }) => {
            let mut index = 0;
            loop {
                match read(transaction, direction, index) {
                    Some(number) if test(number) => break true,
                    Some(_) => index += 1,
                    None => break false,
                }
            }
        }
        (ValueMatch::IntegerList(list), _)
            if list.needs_all() && progress < row.protocol.complete(direction) =>
        {
            false
        }
        (ValueMatch::IntegerList(list), Access::Integer { read, .. }) => {
            let numbers: Vec<u64> =
                (0..MAX_INTEGERS).map_while(|index| read(transaction, direction, index)).collect();
            list.matches(&numbers)
        }
        (ValueMatch::Check(check), _) => check.matches(transaction, direction),
        _ => false,
    };
    if holds {
        Answer::Holds
    } else if progress >= row.protocol.complete(direction) {
        Answer::Never
    } else {
        // A later message may bring the value.
        Answer::Waits
    }
}

/// The transactions to look at in a direction now.
pub(super) fn take_due(
    parser: &dyn Parser,
    state: &mut FlowDetect,
    direction: Direction,
    ended: bool,
) -> IdSet {
    let mut due = state.take_due(direction);
    if ended && parser.next_from(0).is_some() && state.ends(direction) {
        let mut next = 0;
        while let Some(transaction) = parser.next_from(next) {
            let id = transaction.meta().id;
            due.insert(id);
            next = id + 1;
        }
    }
    due
}

/// Marks complete transactions as inspected where no rule looks at them.
pub(super) fn mark_complete(
    parser: &dyn Parser,
    state: &mut FlowDetect,
    mut due: IdSet,
    direction: Direction,
    ended: bool,
) {
    let complete = parser.protocol().complete(direction);
    for &id in due.sorted() {
        let Some(transaction) = parser.transaction(id) else { continue };
        if ended || transaction.meta().progress[direction] >= complete {
            state.transaction(id).directions[direction].complete = true;
        }
    }
    state.note_looked_at(direction, due);
}
