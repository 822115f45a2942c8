//! What rules leave behind in a flow.

use std::cell::Cell;
use std::collections::VecDeque;

use weir_applayer::Progress;
use weir_base::{Direction, PerDirection};

use crate::firewall::FirewallTransaction;
use crate::signature::SignatureIndex;
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

/// Detection's own state of one flow.
#[derive(Debug, Default)]
pub struct FlowDetect {
    /// Flowbits set, unordered; few.
    bits: Vec<NameId>,
    /// Flow integers.
    integers: Vec<(NameId, u32)>,
    /// Flow variables.
    variables: Vec<(NameId, Vec<u8>)>,
    /// Address-only rules were looked at in this direction.
    pub ip_only_done: PerDirection<bool>,
    /// Protocol-only rules were looked at in this direction.
    pub protocol_only_done: PerDirection<bool>,
    /// Transactions with inspection under way, by ascending id.
    pub transactions: VecDeque<TransactionDetect>,
    /// Rules of which a literal lies in a direction's stream, and where in it they cease to wait for
    /// the rest.
    pub stream_waiting: PerDirection<Vec<(SignatureIndex, u64)>>,
    /// Match counts of rates that track the flow.
    pub thresholds: Vec<((SignatureIndex, Purpose), Tracker)>,
    /// The transaction last guessed for an alert, and how often.
    guessed: Cell<(u64, u8)>,
    /// Tags of the flow.
    pub tags: Vec<crate::tag::Tag>,
    /// Bits, integers or variables were changed: they appear in records.
    pub touched: bool,
}

impl FlowDetect {
    /// Whether one more alert may show a transaction that it only guesses, of at most `limit`; it counts
    /// as shown then (`detect.stream-tx-log-limit`).
    pub fn may_guess(&self, transaction: u64, limit: u8) -> bool {
        let (last, count) = self.guessed.get();
        let count = if last == transaction { count } else { 0 };
        self.guessed.set((transaction, count.saturating_add(1)));
        count < limit
    }

    /// Sets a flowbit; false where the flow has too many.
    pub fn set_bit(&mut self, bit: NameId) -> bool {
        if self.has_bit(bit) {
            return true;
        }
        if self.bits.len() >= MAX_FLOW_BITS {
            return false;
        }
        self.bits.push(bit);
        self.touched = true;
        true
    }

    /// Clears a flowbit.
    pub fn clear_bit(&mut self, bit: NameId) {
        self.bits.retain(|b| *b != bit);
    }

    /// Whether a flowbit is set.
    #[inline]
    pub fn has_bit(&self, bit: NameId) -> bool {
        self.bits.contains(&bit)
    }

    /// The flowbits set, in the order they were.
    pub fn bits(&self) -> &[NameId] {
        &self.bits
    }

    /// A flow integer.
    pub fn integer(&self, name: NameId) -> Option<u32> {
        self.integers.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// Sets a flow integer; false where the flow has too many.
    pub fn set_integer(&mut self, name: NameId, value: u32) -> bool {
        self.touched = true;
        set(&mut self.integers, name, value)
    }

    /// The flow integers, in the order they were set.
    pub fn integers(&self) -> &[(NameId, u32)] {
        &self.integers
    }

    /// Sets a flow variable; false where the flow has too many.
    pub fn set_variable(&mut self, name: NameId, value: Vec<u8>) -> bool {
        self.touched = true;
        set(&mut self.variables, name, value)
    }

    /// The flow variables, in the order they were set.
    pub fn variables(&self) -> &[(NameId, Vec<u8>)] {
        &self.variables
    }

    /// The state of a transaction, made where it is not there yet.
    pub fn transaction(&mut self, id: u64) -> &mut TransactionDetect {
        let position = self.transactions.partition_point(|t| t.id < id);
        if self.transactions.get(position).is_none_or(|t| t.id != id) {
            self.transactions.insert(position, TransactionDetect { id, ..TransactionDetect::default() });
        }
        #[allow(clippy::indexing_slicing, reason = "the element is there or was inserted in the line before")]
        &mut self.transactions[position]
    }

    /// Forgets a transaction.
    pub fn free(&mut self, id: u64) {
        let position = self.transactions.partition_point(|t| t.id < id);
        if self.transactions.get(position).is_some_and(|t| t.id == id) {
            self.transactions.remove(position);
        }
    }

    /// A transaction's state, where there is one.
    pub fn transaction_state(&self, id: u64) -> Option<&TransactionDetect> {
        let position = self.transactions.partition_point(|t| t.id < id);
        self.transactions.get(position).filter(|t| t.id == id)
    }

    /// Whether the transaction was inspected to its end in `direction`.
    pub fn is_inspected(&self, id: u64, direction: Direction) -> bool {
        self.transaction_state(id).is_some_and(|t| t.directions[direction].complete)
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
    fn a_transaction_is_guessed_so_often() {
        let state = FlowDetect::default();
        let guesses = [0, 0, 0, 1, 1, 0].map(|transaction| state.may_guess(transaction, 2));
        assert_eq!(guesses, [true, true, false, true, true, true]);
        assert!(!FlowDetect::default().may_guess(0, 0));
    }
}
