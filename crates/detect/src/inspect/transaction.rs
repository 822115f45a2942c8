//! Rules on transactions, with progress saved from packet to packet.

use weir_applayer::{File, Parser, Progress, Transaction, TxMeta};
use weir_base::profile::{Stage, enter_part};
use weir_base::{Direction, IdSet};

use super::fields::{Answer, FieldView, FieldViews};
use super::measure::search;
use super::subject::{Found, Subject};
use super::values::{advance_bodies, each_value, grows};
use super::{Inspection, Inspector, Reach};
use crate::explain::Recorder;
use crate::model::signature::{Signature, SignatureIndex};
use crate::ruleset::{FieldPrefilter, Ruleset, TransactionGroup};
use crate::state::{DirectionDetect, FlowDetect, WaitingRule, WaitingRules};

/// A direction of a transaction, with what rules keep of it.
pub(super) struct TransactionSide<'s> {
    pub(super) transaction: &'s dyn Transaction,
    /// State that it has reached.
    pub(super) progress: Progress,
    /// Taken out of the flow's state while rules may change that.
    pub(super) mine: &'s mut DirectionDetect,
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
        let (complete, name) = (parser.protocol().complete(direction), parser.protocol().name);
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
                let side = TransactionSide { transaction, progress, mine: &mut mine };
                self.inspect_transaction(ruleset, (name, group), side, inspection);
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
        (name, group): (&'static str, &TransactionGroup),
        side: TransactionSide<'_>,
        inspection: &mut Inspection<'_>,
    ) {
        let direction = inspection.facts.direction;
        self.scan.found.clear();
        for (position, prefilter) in group.prefilters.iter().enumerate() {
            self.prefilter(position, prefilter, side.transaction, side.progress, side.mine, direction);
        }
        self.scan.candidates.clear();
        self.scan.candidates.extend(self.scan.found.as_slice().iter().map(|&id| SignatureIndex(id)));
        self.scan.candidates.extend_from_slice(&group.always);
        self.scan.candidates.extend_from_slice(&self.scan.in_transactions);
        self.scan.candidates.extend(side.mine.waiting.under_way());
        if let Some(both) = side.both(inspection.state.as_deref()) {
            self.scan.candidates.extend(both.under_way());
        }
        self.note_group(name, inspection);
        self.look_at_candidates(ruleset, Subject::Transaction(side), inspection);
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
        let _layer = enter_part(Stage::Detect, "literals of fields");
        let (matches, found, profile) =
            (&mut self.scan.matches, &mut self.scan.found, &mut self.checker.profile);
        each_value(
            &prefilter.row,
            transaction,
            direction,
            &mine.bodies,
            &prefilter.transforms,
            &mut self.text,
            |value| {
                search(profile, field.name, value.bytes.len(), found, |found| {
                    prefilter.matcher.find_set(value.bytes, matches, found);
                });
                false
            },
        );
    }

    /// Evaluates a rule in a direction of a transaction, or in both, whichever way the packet goes. It takes up
    /// where it ended before.
    pub(super) fn evaluate_in_transaction(
        &mut self,
        signature: &Signature,
        subject: &mut Subject<'_>,
        inspection: &mut Inspection<'_>,
    ) -> Found {
        let Subject::Transaction(side) = &*subject else { return Found::Missed };
        let is_transactional = signature.head.is_transactional();
        let rules = match is_transactional {
            true => side.both(inspection.state.as_deref()),
            false => Some(&side.mine.waiting),
        };
        let begun = rules.and_then(|rules| rules.get(signature.index));
        let mut rule = begun.unwrap_or(WaitingRule { signature: signature.index, matched: 0, done: false });
        let hook = signature.head.state_hook();
        if rule.done || hook.is_some_and(|hook| !side.is_due(signature, hook.progress, inspection.reach)) {
            return Found::Missed;
        }
        let transaction = side.transaction;
        let id = transaction.meta().id;
        self.note_begin(signature, inspection, Some(id));
        // The header and the packet are looked at when the rule first comes up.
        if begun.is_none() && self.holds(signature, subject, inspection).is_none() {
            return Found::Missed;
        }
        let (direction, way) = (inspection.facts.direction, inspection.facts.direction.opposite());
        let other = inspection.state.as_deref().filter(|_| is_transactional);
        let theirs = other.and_then(|state| state.transaction_state(id)).map(|state| {
            let theirs = &state.directions[way];
            let protocol = inspection.facts.protocol.protocol.filter(|_| theirs.complete);
            let progress =
                protocol.map_or(transaction.meta().progress[way], |protocol| protocol.complete(way));
            (progress, theirs.bodies.clone())
        });
        let Subject::Transaction(side) = subject else { return Found::Missed };
        let views = FieldViews {
            mine: FieldView { transaction, progress: side.progress, bodies: &side.mine.bodies, direction },
            theirs: theirs.as_ref().map(|(progress, bodies)| FieldView {
                transaction,
                progress: *progress,
                bodies,
                direction: way,
            }),
        };
        let answer = self.inspect_buffers(signature, views, inspection, &mut rule.matched);
        let reached = side.mine.reached.unwrap_or_default();
        let found = match hook.map_or(answer, |hook| answer.at(hook.progress, reached, side.progress)) {
            Answer::Holds if self.scripts_agree(signature, inspection, Some(transaction)) => {
                rule.done = true;
                Found::Match { in_stream: false }
            }
            Answer::Holds => Found::Missed,
            Answer::Waits => Found::Waits,
            Answer::Never => {
                rule.done = true;
                Found::Missed
            }
        };
        // A rule on a state alone matches as often as something comes in that state.
        if matches!(found, Found::Match { .. }) && !signature.checks.has_transaction_buffers() {
            return found;
        }
        let rules = match inspection.state.as_deref_mut() {
            Some(state) if is_transactional => &mut state.transaction(id).both,
            _ => &mut side.mine.waiting,
        };
        self.counters.waiting_full += u64::from(!rules.keep(rule));
        found
    }
}

impl<'s> TransactionSide<'s> {
    /// The rules on both directions that have begun.
    fn both<'d>(&self, state: Option<&'d FlowDetect>) -> Option<&'d WaitingRules> {
        Some(&state?.transaction_state(self.transaction.meta().id)?.both)
    }

    /// Whether a rule on the state `hook` is looked at now.
    fn is_due(&self, signature: &Signature, hook: Progress, reach: Reach) -> bool {
        let early = self.progress < hook && !signature.checks.has_transaction_buffers();
        // With the end alone nothing came in the state it found.
        let over = !reach.parsed && (!reach.ended || self.mine.reached == Some(hook));
        !early && !over
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
        for rule in self.waiting.iter_mut() {
            let of_files =
                ruleset.signature(rule.signature).map_or(0, |signature| signature.checks.file_buffers());
            if of_files != 0 {
                rule.matched &= !of_files;
                rule.done = false;
            }
        }
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
