//! What rules leave behind in a flow.

use std::cell::Cell;
use std::collections::VecDeque;

use weir_applayer::Progress;
use weir_base::{Direction, PerDirection};

use crate::firewall::FirewallTransaction;
use crate::signature::SignatureIndex;
use crate::tag::Tag;
use crate::threshold::{Purpose, Tracker};

/// Most flowbits of one flow.
pub const MAX_FLOW_BITS: usize = 256;

/// Most flow integers and variables of one flow.
pub const MAX_FLOW_VARIABLES: usize = 64;

/// Most bits of one transaction (`xbits` with `track tx`).
pub const MAX_TRANSACTION_BITS: usize = 64;

/// Most rules of one transaction and direction that wait for more.
pub const MAX_WAITING_RULES: usize = 1024;

/// The number that the ruleset gave a flowbit, flowint or variable name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// Detection's own state of one flow. Most flows have nothing but that they were looked at.
#[derive(Debug, Default)]
pub struct FlowDetect {
    /// Address-only rules were looked at in this direction.
    pub ip_only_done: PerDirection<bool>,
    /// The transaction last guessed for an alert, its low bits, and in the last byte how often.
    guessed: Cell<u32>,
    marks: Option<Box<Marks>>,
}

/// What rules left behind in a flow.
#[derive(Debug, Default)]
struct Marks {
    /// Flowbits set, unordered; few.
    bits: Vec<NameId>,
    /// Flow integers.
    integers: Vec<(NameId, u32)>,
    /// Flow variables.
    variables: Vec<(NameId, Vec<u8>)>,
    /// Transactions with inspection under way, by ascending id.
    transactions: VecDeque<TransactionDetect>,
    /// Rules of which a literal lies in a direction's stream, and where in it they cease to wait for
    /// the rest.
    stream_waiting: PerDirection<StreamWaiting>,
    /// Match counts of rates that track the flow.
    thresholds: Trackers,
    /// Tags of the flow.
    tags: Vec<Tag>,
}

/// Rules that wait in a direction's stream, and until where.
pub(crate) type StreamWaiting = Vec<(SignatureIndex, u64)>;

/// Match counts of rules.
pub(crate) type Trackers = Vec<((SignatureIndex, Purpose), Tracker)>;

impl FlowDetect {
    fn marks_mut(&mut self) -> &mut Marks {
        self.marks.get_or_insert_default()
    }

    /// Whether one more alert may show a transaction that it only guesses, of at most `limit`; it counts
    /// as shown then (`detect.stream-tx-log-limit`).
    pub fn may_guess(&self, transaction: u64, limit: u8) -> bool {
        let [count, last @ ..] = self.guessed.get().to_le_bytes();
        let [_, low @ ..] = ((transaction as u32) << 8).to_le_bytes();
        let count = if last == low { count } else { 0 };
        self.guessed.set((transaction as u32) << 8 | u32::from(count.saturating_add(1)));
        count < limit
    }

    /// Sets a flowbit; false where the flow has too many.
    pub fn set_bit(&mut self, bit: NameId) -> bool {
        if self.has_bit(bit) {
            return true;
        }
        let bits = &mut self.marks_mut().bits;
        let room = bits.len() < MAX_FLOW_BITS;
        if room {
            bits.push(bit);
        }
        room
    }

    /// Clears a flowbit.
    pub fn clear_bit(&mut self, bit: NameId) {
        if let Some(marks) = &mut self.marks {
            marks.bits.retain(|b| *b != bit);
        }
    }

    /// Whether a flowbit is set.
    #[inline]
    pub fn has_bit(&self, bit: NameId) -> bool {
        self.bits().contains(&bit)
    }

    /// The flowbits set, in the order they were.
    pub fn bits(&self) -> &[NameId] {
        self.marks.as_ref().map_or(&[], |marks| &marks.bits)
    }

    /// A flow integer.
    pub fn integer(&self, name: NameId) -> Option<u32> {
        self.integers().iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// Sets a flow integer; false where the flow has too many.
    pub fn set_integer(&mut self, name: NameId, value: u32) -> bool {
        set(&mut self.marks_mut().integers, name, value)
    }

    /// The flow integers, in the order they were set.
    pub fn integers(&self) -> &[(NameId, u32)] {
        self.marks.as_ref().map_or(&[], |marks| &marks.integers)
    }

    /// Sets a flow variable; false where the flow has too many.
    pub fn set_variable(&mut self, name: NameId, value: Vec<u8>) -> bool {
        set(&mut self.marks_mut().variables, name, value)
    }

    /// The flow variables, in the order they were set.
    pub fn variables(&self) -> &[(NameId, Vec<u8>)] {
        self.marks.as_ref().map_or(&[], |marks| &marks.variables)
    }

    /// Rules that wait in a direction's stream.
    pub(crate) fn stream_waiting(&self, direction: Direction) -> &[(SignatureIndex, u64)] {
        self.marks.as_ref().map_or(&[], |marks| &marks.stream_waiting[direction])
    }

    /// The same, to add some.
    pub(crate) fn stream_waiting_mut(&mut self, direction: Direction) -> &mut StreamWaiting {
        &mut self.marks_mut().stream_waiting[direction]
    }

    /// Match counts of rates that track the flow.
    pub(crate) fn thresholds_mut(&mut self) -> &mut Trackers {
        &mut self.marks_mut().thresholds
    }

    /// Tags of the flow.
    pub fn tags(&self) -> &[Tag] {
        self.marks.as_ref().map_or(&[], |marks| &marks.tags)
    }

    /// The same, to change them.
    pub(crate) fn tags_mut(&mut self) -> &mut Vec<Tag> {
        &mut self.marks_mut().tags
    }

    /// The state of a transaction, made where it is not there yet.
    pub fn transaction(&mut self, id: u64) -> &mut TransactionDetect {
        let transactions = &mut self.marks_mut().transactions;
        let position = place(transactions, id);
        if transactions.get(position).is_none_or(|t| t.id != id) {
            transactions.insert(position, TransactionDetect { id, ..TransactionDetect::default() });
        }
        #[allow(clippy::indexing_slicing, reason = "the element is there or was inserted in the line before")]
        &mut transactions[position]
    }

    /// Forgets a transaction.
    pub fn free(&mut self, id: u64) {
        let Some(marks) = &mut self.marks else { return };
        let position = place(&marks.transactions, id);
        if marks.transactions.get(position).is_some_and(|t| t.id == id) {
            marks.transactions.remove(position);
        }
    }

    /// Forgets all transactions.
    pub fn free_all(&mut self) {
        if let Some(marks) = &mut self.marks {
            marks.transactions.clear();
        }
    }

    /// The flow's protocol has another name from now on: its rules look at all fields.
    pub fn look_again(&mut self) {
        for transaction in self.marks.iter_mut().flat_map(|marks| &mut marks.transactions) {
            for direction in Direction::BOTH {
                transaction.directions[direction].prefiltered = 0;
            }
        }
    }

    /// A transaction's state, where there is one.
    pub fn transaction_state(&self, id: u64) -> Option<&TransactionDetect> {
        let transactions = &self.marks.as_ref()?.transactions;
        let position = place(transactions, id);
        transactions.get(position).filter(|t| t.id == id)
    }

    /// Whether the transaction was inspected to its end in `direction`.
    pub fn is_inspected(&self, id: u64, direction: Direction) -> bool {
        self.transaction_state(id).is_some_and(|t| t.directions[direction].complete)
    }
}

/// Where the transaction with this id is, or is to be put in. Ids ascend, with holes where the middle was freed.
fn place(transactions: &VecDeque<TransactionDetect>, id: u64) -> usize {
    let after = transactions.front().map_or(0, |first| id.saturating_sub(first.id));
    let guess = usize::try_from(after).unwrap_or(usize::MAX);
    match transactions.get(guess) {
        Some(found) if found.id == id => guess,
        _ => transactions.partition_point(|t| t.id < id),
    }
}

/// Replaces or adds the value of a name; false where there are too many.
pub(crate) fn set<T>(values: &mut Vec<(NameId, T)>, name: NameId, value: T) -> bool {
    if let Some((_, slot)) = values.iter_mut().find(|(n, _)| *n == name) {
        *slot = value;
        return true;
    }
    let room = values.len() < MAX_FLOW_VARIABLES;
    if room {
        values.push((name, value));
    }
    room
}

/// Inspection of one transaction.
#[derive(Debug, Default)]
pub struct TransactionDetect {
    /// Its id.
    pub id: u64,
    /// By direction.
    pub directions: PerDirection<DirectionDetect>,
    /// Rules that look at both directions and have begun.
    pub both: Vec<WaitingRule>,
    /// Bits that rules set.
    bits: Vec<NameId>,
    /// What the firewall decided so far.
    pub firewall: Option<Box<FirewallTransaction>>,
}

impl TransactionDetect {
    /// Whether a bit is set.
    pub fn has_bit(&self, bit: NameId) -> bool {
        self.bits.contains(&bit)
    }

    /// Sets a bit; false where the transaction has too many.
    pub fn set_bit(&mut self, bit: NameId) -> bool {
        let room = self.has_bit(bit) || self.bits.len() < MAX_TRANSACTION_BITS;
        if room && !self.has_bit(bit) {
            self.bits.push(bit);
        }
        room
    }

    /// Clears a bit.
    pub fn clear_bit(&mut self, bit: NameId) {
        self.bits.retain(|b| *b != bit);
    }
}

/// Inspection of one direction of a transaction.
#[derive(Debug, Default)]
pub struct DirectionDetect {
    /// Prefilters run so far, as bits by position in the protocol's list of prefiltered fields.
    pub prefiltered: u128,
    /// How far each growing body was inspected: field's address as number, position.
    pub bodies: Vec<(usize, u64)>,
    /// Rules that have begun.
    pub waiting: Vec<WaitingRule>,
    /// Files that were there when rules looked last.
    pub files: usize,
    /// The state in which rules on states were last looked at; none before they were.
    pub reached: Option<Progress>,
    /// Nothing more will come, and all was inspected.
    pub complete: bool,
}

/// A rule that matched in part, or is done with.
#[derive(Clone, Copy, Debug)]
pub struct WaitingRule {
    /// The rule.
    pub signature: SignatureIndex,
    /// Buffers that matched, as bits by position in the signature.
    pub matched: u64,
    /// It matched in full or never will.
    pub done: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_found_among_holes() {
        let mut state = FlowDetect::default();
        for id in [4, 5, 9, 7, 2, 6] {
            assert_eq!(state.transaction(id).id, id);
        }
        state.free(5);
        state.free(8);
        for (id, is_there) in
            [(0, false), (2, true), (4, true), (5, false), (6, true), (8, false), (9, true), (10, false)]
        {
            assert_eq!(state.transaction_state(id).map(|t| t.id), is_there.then_some(id));
        }
        let ids: Vec<u64> = state.marks_mut().transactions.iter().map(|t| t.id).collect();
        assert_eq!(ids, [2, 4, 6, 7, 9]);
    }

    #[test]
    fn a_transaction_is_guessed_so_often() {
        let state = FlowDetect::default();
        let guesses = [0, 0, 0, 1, 1, 0].map(|transaction| state.may_guess(transaction, 2));
        assert_eq!(guesses, [true, true, false, true, true, true]);
        assert!(!FlowDetect::default().may_guess(0, 0));
    }

    #[test]
    fn a_flow_without_marks_is_small() {
        assert!(size_of::<FlowDetect>() <= 16, "{}", size_of::<FlowDetect>());
    }
}
