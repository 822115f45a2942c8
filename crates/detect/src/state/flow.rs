//! State that rules leave behind in a flow.

use std::cell::Cell;

use weir_applayer::Progress;
use weir_base::{Direction, IdMap, IdSet, PerDirection};

use super::lineage::Lineage;
use super::tag::Tag;
use super::threshold::{Purpose, Tracker};
use super::{NameId, RuleId, SignatureIndex};

/// Most flowbits of one flow.
pub const MAX_FLOW_BITS: usize = 256;

/// Most flow integers and variables of one flow.
pub const MAX_FLOW_VARIABLES: usize = 64;

/// Most bits of one transaction (`xbits` with `track tx`).
pub const MAX_TRANSACTION_BITS: usize = 64;

/// Most rules of one transaction and direction that wait for more.
pub const MAX_WAITING_RULES: usize = 1024;

/// Detection's own state of one flow. Most flows have nothing but that they were looked at.
#[derive(Debug, Default)]
pub struct FlowDetect {
    /// Address-only rules were looked at in this direction.
    pub ip_only_done: PerDirection<bool>,
    /// The transaction last guessed for an alert, its low bits, and in the last byte how often.
    guessed: Cell<u32>,
    /// Generation of the rules that the marks of single rules belong to.
    generation: u16,
    marks: Option<Box<Marks>>,
}

/// Marks that rules left behind in a flow.
#[derive(Debug, Default)]
struct Marks {
    /// Flowbits set, unordered; few.
    bits: Vec<NameId>,
    /// Flow integers.
    integers: Vec<(NameId, u32)>,
    /// Flow variables.
    variables: Vec<(NameId, Vec<u8>)>,
    /// Entropies of buffers, as last calculated.
    entropies: Vec<(NameId, f64)>,
    /// Transactions with inspection under way.
    transactions: IdMap<TransactionDetect>,
    /// Transactions that rules are to look at with the next packet of a direction: those that have changed.
    due: PerDirection<IdSet>,
    /// Rules have looked at all transactions of a direction since its end was known.
    ended: PerDirection<bool>,
    /// Transactions that rules have looked at, until this is asked for.
    looked_at: IdSet,
    /// Transactions before these are complete in a direction, as far as the firewall has looked.
    open_from: PerDirection<u64>,
    /// Rules of which a literal lies in a direction's stream, and where in it they cease to wait for
    /// the rest.
    stream_waiting: PerDirection<StreamWaiting>,
    /// Match counts of rates that track the flow.
    thresholds: Trackers,
    /// Tags of the flow.
    tags: Vec<Tag>,
}

impl Marks {
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        let Self {
            bits,
            integers,
            variables,
            entropies,
            transactions,
            due,
            ended,
            looked_at,
            open_from,
            stream_waiting,
            thresholds,
            tags,
        } = self;
        let by_direction = |direction| {
            due[direction].is_empty()
                && !ended[direction]
                && open_from[direction] == 0
                && stream_waiting[direction].is_empty()
        };
        transactions.is_empty()
            && looked_at.is_empty()
            && Direction::BOTH.into_iter().all(by_direction)
            && bits.is_empty()
            && integers.is_empty()
            && variables.is_empty()
            && entropies.is_empty()
            && thresholds.is_empty()
            && tags.is_empty()
    }
}

/// Rules that wait in a direction's stream, and until where.
pub(crate) type StreamWaiting = Vec<(SignatureIndex, u64)>;

/// Match counts of rules, in order: one for each rule that tracks flows, at most.
pub(crate) type Trackers = Vec<((RuleId, Purpose), Tracker)>;

impl FlowDetect {
    /// Bytes that it takes beside itself where rules look at a flow's transactions, and for each of these.
    pub const fn boxed() -> (usize, usize) {
        (size_of::<Marks>(), size_of::<(u64, Option<TransactionDetect>)>())
    }

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

    /// Keeps the entropy of a buffer; false where the flow has too many.
    pub fn set_entropy(&mut self, name: NameId, value: f64) -> bool {
        set(&mut self.marks_mut().entropies, name, value)
    }

    /// Entropies of buffers, in the order they were first calculated.
    pub fn entropies(&self) -> &[(NameId, f64)] {
        self.marks.as_ref().map_or(&[], |marks| &marks.entropies)
    }

    /// Rules that wait in a direction's stream.
    pub(crate) fn stream_waiting(&self, direction: Direction) -> &[(SignatureIndex, u64)] {
        self.marks.as_ref().map_or(&[], |marks| &marks.stream_waiting[direction])
    }

    /// Rules that wait in a direction's stream, to add some.
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

    /// Tags of the flow, to change them.
    pub(crate) fn tags_mut(&mut self) -> &mut Vec<Tag> {
        &mut self.marks_mut().tags
    }

    /// Rules are to look at transactions that have changed, in these `directions`. Those that are gone
    /// (`is_live`) are forgotten when there are many.
    pub fn note_changed(
        &mut self,
        ids: &[u64],
        directions: PerDirection<bool>,
        is_live: impl Fn(u64) -> bool,
    ) {
        if ids.is_empty() {
            return;
        }
        let due = &mut self.marks_mut().due;
        for direction in Direction::BOTH.into_iter().filter(|&direction| directions[direction]) {
            ids.iter().for_each(|&id| due[direction].insert_among(id, &is_live));
        }
    }

    /// The transactions that rules are to look at now, in ascending order; to be given back.
    pub(crate) fn take_due(&mut self, direction: Direction) -> IdSet {
        self.marks.as_mut().map(|marks| std::mem::take(&mut marks.due[direction])).unwrap_or_default()
    }

    /// Gives transactions back that rules are still to look at.
    pub(crate) fn give_back_due(&mut self, direction: Direction, ids: IdSet) {
        if !ids.is_empty() {
            self.marks_mut().due[direction] = ids;
        }
    }

    /// The first transaction of which more may come in a direction, as far as is known: none before it.
    pub(crate) fn open_from(&mut self, direction: Direction) -> &mut u64 {
        &mut self.marks_mut().open_from[direction]
    }

    /// Takes note that rules have looked at these transactions, which were due in `direction`.
    pub(crate) fn note_looked_at(&mut self, direction: Direction, mut ids: IdSet) {
        if ids.is_empty() {
            return;
        }
        let marks = self.marks_mut();
        ids.sorted().iter().for_each(|&id| marks.looked_at.insert(id));
        ids.clear();
        // Its memory serves again.
        if marks.due[direction].is_empty() {
            marks.due[direction] = ids;
        }
    }

    /// Whether it was not known before that a direction has ended; from now on it is.
    pub(crate) fn ends(&mut self, direction: Direction) -> bool {
        !std::mem::replace(&mut self.marks_mut().ended[direction], true)
    }

    /// Whether rules have looked at a transaction since [`Self::take_looked_at`].
    #[inline]
    pub fn has_looked_at(&self) -> bool {
        self.marks.as_deref().is_some_and(|marks| !marks.looked_at.is_empty())
    }

    /// Adds the transactions that rules have looked at since this was asked last, to `ids`.
    pub fn take_looked_at(&mut self, ids: &mut IdSet) {
        if let Some(marks) = &mut self.marks {
            ids.append(&mut marks.looked_at);
        }
    }

    /// The state of a transaction, made where it is not there yet.
    pub fn transaction(&mut self, id: u64) -> &mut TransactionDetect {
        self.marks_mut().transactions.entry(id, TransactionDetect::default)
    }

    /// Forgets a transaction, and with it the memory for marks where nothing else is left of them.
    pub fn free(&mut self, id: u64) {
        if let Some(marks) = &mut self.marks {
            marks.transactions.remove(id);
            Direction::BOTH.into_iter().for_each(|direction| marks.due[direction].forget(id));
            if marks.is_empty() {
                self.marks = None;
            }
        }
    }

    /// Forgets all transactions.
    pub fn free_all(&mut self) {
        if let Some(marks) = &mut self.marks {
            marks.transactions.clear();
            marks.looked_at.clear();
            for direction in Direction::BOTH {
                marks.due[direction].clear();
                marks.ended[direction] = false;
                marks.open_from[direction] = 0;
            }
        }
    }

    /// The flow's protocol has another name from now on: its rules look at all fields.
    pub fn look_again(&mut self) {
        let Some(marks) = &mut self.marks else { return };
        for (id, transaction) in marks.transactions.iter_mut() {
            for direction in Direction::BOTH {
                transaction.directions[direction].prefiltered = 0;
                marks.due[direction].insert(id);
            }
        }
    }

    /// Rules of another generation look at the flow from now on. What rules have set and counted stays; a rule that
    /// is the same as before goes on where it was, and others begin with what is to come.
    #[inline]
    pub fn renew(&mut self, lineage: &Lineage) {
        if self.generation != lineage.generation() {
            self.succeed(lineage);
        }
    }

    #[cold]
    fn succeed(&mut self, lineage: &Lineage) {
        let before = std::mem::replace(&mut self.generation, lineage.generation());
        let Some(marks) = &mut self.marks else { return };
        let successor = |rule| lineage.successor(before, rule);
        for direction in Direction::BOTH {
            let waiting = &mut marks.stream_waiting[direction];
            waiting.retain_mut(|(rule, _)| successor(*rule).map(|own| *rule = own).is_some());
        }
        for (_, transaction) in marks.transactions.iter_mut() {
            transaction.both.succeed(successor);
            for direction in Direction::BOTH {
                let mine = &mut transaction.directions[direction];
                mine.waiting.succeed(successor);
                mine.prefiltered = 0;
            }
            if let Some(firewall) = &mut transaction.firewall {
                firewall.rules.succeed(successor);
            }
        }
    }

    /// A transaction's state, where there is one.
    pub fn transaction_state(&self, id: u64) -> Option<&TransactionDetect> {
        self.marks.as_ref()?.transactions.get(id)
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
    /// By direction.
    pub directions: PerDirection<DirectionDetect>,
    /// Rules that look at both directions and have begun.
    pub both: WaitingRules,
    /// Bits that rules set.
    bits: Vec<NameId>,
    /// Decisions of the firewall so far.
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
    /// Position up to which each growing body was inspected, by the field's address as number; in ascending order.
    pub bodies: Vec<(usize, u64)>,
    /// Rules that have begun.
    pub waiting: WaitingRules,
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

/// Rules that have begun, in their order; no more than [`MAX_WAITING_RULES`].
#[derive(Debug, Default)]
pub struct WaitingRules(Vec<WaitingRule>);

impl WaitingRules {
    fn place(&self, signature: SignatureIndex) -> Result<usize, usize> {
        self.0.binary_search_by_key(&signature, |rule| rule.signature)
    }

    /// A rule, where it has begun.
    pub fn get(&self, signature: SignatureIndex) -> Option<WaitingRule> {
        self.place(signature).ok().and_then(|place| self.0.get(place)).copied()
    }

    /// Keeps a rule; false where there is no room for it.
    pub fn keep(&mut self, rule: WaitingRule) -> bool {
        let room = self.0.len() < MAX_WAITING_RULES;
        match self.place(rule.signature) {
            Ok(place) => self.0.get_mut(place).map(|kept| *kept = rule).is_some(),
            Err(place) if room => {
                self.0.insert(place, rule);
                true
            }
            Err(_) => false,
        }
    }

    /// Puts rules of another generation in the place of these: those that have one.
    fn succeed(&mut self, successor: impl Fn(SignatureIndex) -> Option<SignatureIndex>) {
        self.0.retain_mut(|rule| successor(rule.signature).map(|own| rule.signature = own).is_some());
        self.0.sort_unstable_by_key(|rule| rule.signature);
    }

    /// The rules that are not done with.
    pub fn under_way(&self) -> impl Iterator<Item = SignatureIndex> {
        self.0.iter().filter(|rule| !rule.done).map(|rule| rule.signature)
    }

    /// The rules, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut WaitingRule> {
        self.0.iter_mut()
    }
}

/// Decisions of the firewall on a transaction so far.
#[derive(Debug, Default)]
pub struct FirewallTransaction {
    /// All that is still to come of it is accepted.
    pub(crate) accepted: bool,
    /// The state that was looked at last.
    pub(crate) reached: PerDirection<Progress>,
    /// Nothing more will come.
    pub(crate) complete: PerDirection<bool>,
    /// Rules that have matched, wholly or in part.
    pub(crate) rules: WaitingRules,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: PerDirection<bool> = PerDirection { to_server: true, to_client: true };

    #[test]
    fn what_has_changed_in_one_direction_is_looked_at_there() {
        let mut state = FlowDetect::default();
        state.note_changed(&[1], PerDirection { to_server: true, to_client: false }, |_| true);
        state.note_changed(&[2], PerDirection { to_server: false, to_client: true }, |_| true);
        let due = Direction::BOTH.map(|direction| state.take_due(direction).sorted().to_vec());
        assert_eq!(due, [[1], [2]]);
    }

    #[test]
    fn what_has_changed_is_looked_at_once_in_each_direction() {
        let mut state = FlowDetect::default();
        state.note_changed(&[3, 4], BOTH, |_| true);
        state.note_changed(&[3], BOTH, |_| true);
        for direction in Direction::BOTH {
            let mut due = state.take_due(direction);
            assert_eq!(due.sorted(), [3, 4]);
            state.note_looked_at(direction, due);
            assert!(state.take_due(direction).is_empty());
            assert_eq!([state.ends(direction), state.ends(direction)], [true, false]);
        }
        let mut looked_at = IdSet::default();
        state.take_looked_at(&mut looked_at);
        assert_eq!(looked_at.sorted(), [3, 4]);
        state.transaction(4);
        state.look_again();
        state.note_changed(&[9], BOTH, |_| true);
        assert_eq!(state.take_due(Direction::ToServer).sorted(), [4, 9]);
        state.free_all();
        assert!(state.take_due(Direction::ToClient).is_empty() && state.ends(Direction::ToServer));
    }

    #[test]
    fn a_transaction_is_guessed_so_often() {
        let state = FlowDetect::default();
        let guesses = [0, 0, 0, 1, 1, 0].map(|transaction| state.may_guess(transaction, 2));
        assert_eq!(guesses, [true, true, false, true, true, true]);
        assert!(!FlowDetect::default().may_guess(0, 0));
    }

    #[test]
    fn nothing_stays_of_a_flow_without_transactions() {
        let mut state = FlowDetect::default();
        for id in 0..10 {
            state.note_changed(&[id], BOTH, |_| true);
            state.transaction(id);
            assert!(state.marks.is_some());
            state.free(id);
            assert!(state.marks.is_none());
        }
        state.set_bit(NameId(1));
        state.transaction(10);
        state.free(10);
        assert!(state.has_bit(NameId(1)));
    }

    #[test]
    fn a_flow_without_marks_is_small() {
        assert!(size_of::<FlowDetect>() <= 16, "{}", size_of::<FlowDetect>());
    }
}
