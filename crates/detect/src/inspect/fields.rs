//! The fields of a transaction that a rule looks at: whether they hold, may still hold, or never will.

use weir_applayer::{Access, Progress, Protocol, Transaction};
use weir_base::Direction;

use super::script::Scene;
use super::values::{Seen, each_value, grows};
use super::{Inspection, Inspector};
use crate::explain::{Outcome, Recorder};
use crate::model::script::ScriptPlace;
use crate::model::signature::{Absent, BufferMatch, FieldRow, Signature, Target, ValueMatch};

/// Most integers of a field that are looked at together.
const MAX_INTEGERS: usize = 4096;

/// Answer of one buffer, or of all that a rule has.
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
    /// The word of a recording for it.
    pub(super) const fn outcome(self) -> Outcome {
        match self {
            Answer::Holds => Outcome::Passed,
            Answer::Waits => Outcome::Waiting,
            Answer::Never => Outcome::Failed,
        }
    }

    /// A sentence for it.
    pub(super) const fn words(self, buffer: &BufferMatch) -> &'static str {
        match (self, buffer.value.is_some()) {
            (Answer::Holds, _) => "",
            (Answer::Waits, _) => "is not there yet, or more of it may come",
            (Answer::Never, true) => "the transaction's value is another, or there is none",
            (Answer::Never, false) => "is not there, or none of its values holds",
        }
    }

    /// The answer of a rule on the state `hook`, where the transaction went from `reached` to
    /// `progress`: the rule can match only as long as it is in that state, or goes through it.
    pub(super) fn at(self, hook: Progress, reached: Progress, progress: Progress) -> Self {
        match self {
            Answer::Never => Answer::Never,
            _ if hook < reached => Answer::Never,
            _ if progress < hook => Answer::Waits,
            Answer::Waits if progress > hook => Answer::Never,
            answer => answer,
        }
    }
}

/// A direction of a transaction, whose fields are looked at.
#[derive(Clone, Copy)]
pub(super) struct FieldView<'a> {
    pub(super) transaction: &'a dyn Transaction,
    pub(super) progress: Progress,
    /// Positions up to which growing bodies were inspected.
    pub(super) bodies: &'a [(usize, u64)],
    pub(super) direction: Direction,
}

/// The directions of a transaction that a rule looks at: that of the packet, and for rules on both the other.
#[derive(Clone, Copy)]
pub(super) struct FieldViews<'a> {
    pub(super) mine: FieldView<'a>,
    pub(super) theirs: Option<FieldView<'a>>,
}

impl<'a> FieldViews<'a> {
    /// The field that a buffer is in a protocol, and the direction in which it is looked at.
    fn of<'r>(
        self,
        buffer: &BufferMatch,
        rows: &'r [FieldRow],
        protocol: Option<&Protocol>,
    ) -> Option<(&'r FieldRow, FieldView<'a>)> {
        let mut rows = rows.iter().filter(|row| protocol.is_some_and(|p| *p == *row.protocol));
        let Some(theirs) = self.theirs else {
            let way = self.mine.direction;
            let row = rows.find(|row| row.field.direction.covers(way))?;
            return buffer.direction.is_none_or(|only| only == way).then_some((row, self.mine));
        };
        let row = rows.next()?;
        let sent = if row.field.direction.covers(Direction::ToServer) {
            Direction::ToServer
        } else {
            Direction::ToClient
        };
        let way = buffer.direction.unwrap_or(sent);
        Some((row, if way == self.mine.direction { self.mine } else { theirs }))
    }
}

impl<R: Recorder> Inspector<R> {
    /// Looks at the rule's buffers that have not matched yet, in order; stops at the first that
    /// does not hold.
    pub(super) fn inspect_buffers(
        &mut self,
        signature: &Signature,
        views: FieldViews<'_>,
        inspection: &mut Inspection<'_>,
        matched: &mut u64,
    ) -> Answer {
        let mut answer = Answer::Holds;
        for (index, buffer) in signature.checks.buffers.iter().enumerate() {
            let Target::Transaction(rows) = &buffer.target else { continue };
            let bit = 1u64 << index;
            if *matched & bit != 0 {
                self.checker.recorder.note(|recording| {
                    let name = recording.buffer_name(signature, index);
                    recording.buffer(&name, Outcome::Passed, "held before".to_owned());
                });
                continue;
            }
            let found = match views.of(buffer, rows, inspection.facts.protocol.protocol) {
                Some((row, view)) => self.inspect_buffer(signature, index, row, view, inspection),
                None => Answer::Never,
            };
            self.checker.recorder.note(|recording| {
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

    /// Looks at one of the rule's buffers.
    fn inspect_buffer(
        &mut self,
        signature: &Signature,
        index: usize,
        row: &FieldRow,
        fields: FieldView<'_>,
        inspection: &mut Inspection<'_>,
    ) -> Answer {
        let FieldView { transaction, progress, bodies, direction } = fields;
        let Some(buffer) = signature.checks.buffers.get(index) else { return Answer::Never };
        let mut scene = Scene { signature, inspection, transaction: Some(transaction) };
        if let Some(value) = &buffer.value {
            return value_answer(value, row, fields);
        }
        if progress < row.field.ready_at {
            return Answer::Waits;
        }
        let (checker, counters, place) = (&mut self.checker, &mut self.counters, ScriptPlace::Buffer(index));
        let seen =
            each_value(row, transaction, direction, bodies, &buffer.transforms, &mut self.text, |value| {
                buffer.absent != Some(Absent::Only)
                    && checker.hold(buffer.name, &buffer.checks, value)
                    && checker.agree(place, &mut scene, value, counters)
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

fn value_answer(
    value: &ValueMatch,
    row: &FieldRow,
    FieldView { transaction, progress, direction, .. }: FieldView<'_>,
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
