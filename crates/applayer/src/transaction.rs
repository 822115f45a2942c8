//! Transactions: the units of a protocol that rules inspect and records describe.

use std::any::Any;

use smallvec::SmallVec;
use weir_base::{Direction, IdMap, IdSet, PerDirection, Timestamp};

use crate::file::File;
use crate::heard::Heard;

/// Progress of a transaction in one direction: an index into [`crate::Protocol::states`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Progress(pub u8);

/// An index into [`crate::Protocol::anomalies`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Anomaly(pub u8);

/// Most anomalies kept of one transaction.
pub const MAX_ANOMALIES: usize = 255;

/// Bytes that rules and outputs keep of a live transaction; a test of the engine holds it against what they take.
pub const BESIDE_TRANSACTION: usize = 320;

/// Whether something is to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// Nobody asked for it.
    #[default]
    Unwanted,
    /// A rule asked for it.
    Wanted,
    /// It was stored.
    Done,
}

/// Facts that every transaction has.
///
/// It is flat, as the engine reads nearly all of them whenever a transaction changed.
#[derive(Debug, Default)]
pub struct TxMeta {
    /// Number within the flow, from 0, never used twice.
    pub id: u64,
    /// Progress of each direction.
    pub progress: PerDirection<Progress>,
    /// Capture time of the first byte by direction; zero where nothing was sent.
    pub first_seen: PerDirection<Timestamp>,
    /// Capture time of the last byte by direction.
    pub last_seen: PerDirection<Timestamp>,
    /// Where the protocol has one-way transactions, the only direction this one has.
    pub only: Option<Direction>,
    /// Anomalies in the order found.
    pub anomalies: SmallVec<[Anomaly; 16]>,
    /// Files that the transaction carries.
    pub files: Vec<File>,
    /// Whether the certificates are to be stored that it carries.
    pub certificates: PerDirection<Storage>,
    /// No record of it is wanted: a rule said so of another that it belongs to, or it is for Zeek's logs alone.
    pub silent: bool,
    /// All files of a direction are to be stored, those to come too.
    pub store_files: PerDirection<bool>,
    /// Messages as they were sent, for events of scripts.
    pub heard: Heard,
    /// Something changed since the engine last looked; it clears this.
    pub updated: PerDirection<bool>,
    /// The latest change of this transaction, counted over all changes of its parser's transactions.
    pub changed_at: u64,
    /// The change that brought it as far as it is: records of transactions come in this order, that of their
    /// completion, however the bytes were cut into segments.
    pub advanced_at: u64,
    /// Bytes that it takes beside itself, as its parser counted them ([`TransactionList::count`]).
    pub counted: u32,
}

impl TxMeta {
    /// Forks the metadata for Zeek's logs alone: nothing that is for rules and EVE.
    pub fn fork(&self) -> Self {
        Self {
            id: self.id,
            progress: self.progress,
            first_seen: self.first_seen,
            last_seen: self.last_seen,
            only: self.only,
            changed_at: self.changed_at,
            advanced_at: self.advanced_at,
            ..Self::default()
        }
    }

    /// Of a message that went one way and was read whole: both directions are in the second of two states, for the one
    /// without bytes is as complete as it will be.
    pub fn of_message(direction: Direction) -> Self {
        let progress = PerDirection { to_server: Progress(1), to_client: Progress(1) };
        Self { progress, only: Some(direction), ..Self::default() }
    }

    /// Records an anomaly, each time that it is met, up to [`MAX_ANOMALIES`].
    pub fn anomaly(&mut self, anomaly: Anomaly) {
        if self.anomalies.len() < MAX_ANOMALIES {
            self.anomalies.push(anomaly);
        }
    }

    /// Records an anomaly that is told of once however often it is met.
    pub fn anomaly_once(&mut self, anomaly: Anomaly) {
        if !self.anomalies.contains(&anomaly) {
            self.anomaly(anomaly);
        }
    }

    /// Moves a direction on to `progress`; it never goes back.
    pub fn advance(&mut self, direction: Direction, progress: Progress) {
        if self.progress[direction] < progress {
            self.progress[direction] = progress;
            self.advanced_at = self.changed_at;
        }
        self.updated[direction] = true;
    }

    /// The files of a direction that rules have not looked at to their end.
    pub fn current_files(&self, direction: Direction) -> impl Iterator<Item = &File> {
        self.files.iter().filter(move |file| file.direction == direction && !file.is_past())
    }

    /// Notes that bytes of `direction` captured at `time` belong to this transaction.
    pub fn seen(&mut self, direction: Direction, time: Timestamp) {
        if self.first_seen[direction] == Timestamp::default() {
            self.first_seen[direction] = time;
        }
        self.last_seen[direction] = time;
        self.updated[direction] = true;
    }
}

/// A transaction of any protocol.
pub trait Transaction: Any + Send {
    /// Facts that every transaction has.
    fn meta(&self) -> &TxMeta;
    /// Returns the metadata, to change it.
    fn meta_mut(&mut self) -> &mut TxMeta;
    /// For [`downcast`].
    fn as_any(&self) -> &dyn Any;

    /// Whether what it carries has numbers with the least significant byte first, by the protocol's own word.
    fn is_little_endian(&self) -> bool {
        false
    }

    /// Whether its record can be written, once its states are those from which on it is.
    fn record_is_ready(&self) -> bool {
        true
    }

    /// Whether records may yet say more of it, although its states are the last ones.
    fn may_change(&self) -> bool {
        false
    }

    /// Bytes that it takes beside itself, told without a walk over what may be long; none where its parser counts
    /// them ([`TransactionList::count`]), or where they are few.
    fn held(&self) -> Option<usize> {
        None
    }

    /// Returns the part that fields of another protocol read, where it is one of that protocol's too.
    fn part(&self) -> Option<&dyn Any> {
        None
    }

    /// The message of another protocol ([`crate::Protocol::carries`]) that it carries in `direction`.
    fn carried(&self, direction: Direction) -> Option<&dyn Transaction> {
        let _ = direction;
        None
    }
}

/// The transaction as its protocol's own type.
#[inline]
pub fn downcast<T: Transaction>(transaction: &dyn Transaction) -> Option<&T> {
    transaction.as_any().downcast_ref::<T>()
}

/// The transaction as its protocol's own type, or what it carries in `direction` of that.
#[inline]
pub fn message<T: Transaction>(transaction: &dyn Transaction, direction: Direction) -> Option<&T> {
    downcast::<T>(transaction).or_else(|| downcast::<T>(transaction.carried(direction)?))
}

/// Returns the message of either direction; the server's speaks for both.
pub fn either_message<T: Transaction>(transaction: &dyn Transaction) -> Option<&T> {
    let mut sides = [Direction::ToClient, Direction::ToServer].into_iter();
    sides.find_map(|direction| message::<T>(transaction, direction))
}

/// Implements [`Transaction`] for a type with a field `meta: TxMeta`.
#[macro_export]
macro_rules! transaction {
    ($type:ty) => {
        $crate::transaction!($type, |_transaction| None);
    };
    ($type:ty, |$transaction:ident| $held:expr) => {
        impl $crate::Transaction for $type {
            fn held(&self) -> Option<usize> {
                let $transaction = self;
                $held
            }
            fn meta(&self) -> &$crate::TxMeta {
                &self.meta
            }
            fn meta_mut(&mut self) -> &mut $crate::TxMeta {
                &mut self.meta
            }
            fn as_any(&self) -> &dyn std::any::Any {
                self
            }
        }
    };
}

/// Declares the enum of a protocol's anomalies, each with its name in rules and records: `NAMES` has them by number, as
/// [`crate::Protocol::anomalies`] lists them. Behind the variants may stand names that rules may use although the parser
/// has no reason to raise them: `reserved "internal_error"`.
#[macro_export]
macro_rules! anomalies {
    (
        $(#[$about:meta])*
        $vis:vis enum $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }
        $(reserved $($reserved:literal),* $(,)?)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        $vis enum $type { $($(#[$doc])* $variant,)* }

        impl $type {
            /// Names for rules and records, by number.
            pub const NAMES: &'static [&'static str] = &[$($name,)* $($($reserved,)*)?];
        }

        impl From<$type> for $crate::Anomaly {
            fn from(anomaly: $type) -> Self {
                Self(anomaly as u8)
            }
        }
    };
}

/// The live transactions of a parser, by id, oldest first.
#[derive(Debug)]
pub struct TransactionList<T> {
    live: IdMap<T>,
    /// Number of those ever made.
    created: u64,
    /// Number of changes so far.
    changes: u64,
    /// Those that the parser may have changed since the engine looked last.
    changed: IdSet,
    /// Bytes that the live ones were counted to take beside themselves.
    counted: usize,
}

impl<T> Default for TransactionList<T> {
    fn default() -> Self {
        Self { live: IdMap::default(), created: 0, changes: 0, changed: IdSet::default(), counted: 0 }
    }
}

impl<T: Transaction> TransactionList<T> {
    /// Adds a transaction, numbering it.
    pub fn push(&mut self, mut transaction: T) -> &mut T {
        let id = self.created;
        self.changes += 1;
        let meta = transaction.meta_mut();
        (meta.id, meta.changed_at, meta.advanced_at) = (id, self.changes, self.changes);
        self.changed.insert(id);
        self.created += 1;
        self.live.insert(id, transaction)
    }

    /// Another list with what `part` makes of each, for a parser that goes on from here on its own.
    pub fn fork(&mut self, mut part: impl FnMut(&mut T) -> T) -> Self {
        let mut live = IdMap::default();
        for (id, transaction) in self.live.iter_mut() {
            live.insert(id, part(transaction));
        }
        Self { live, created: self.created, changes: self.changes, changed: self.changed.clone(), counted: 0 }
    }

    /// Returns the number of live ones.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether none is live.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Returns the number of those ever made; also the id of the next one.
    pub fn created(&self) -> u64 {
        self.created
    }

    /// Adds the ids of those that may have changed since this was asked last, to `changed`, and counts anew what they
    /// take.
    pub fn take_changed(&mut self, changed: &mut IdSet) {
        if self.changed.is_empty() {
            return;
        }
        for &id in self.changed.sorted() {
            let Some(transaction) = self.live.get_mut(id) else { continue };
            if let Some(held) = transaction.held() {
                recount(transaction.meta_mut(), &mut self.counted, held);
            }
        }
        changed.append(&mut self.changed);
    }

    /// The transaction with this id.
    pub fn by_id(&self, id: u64) -> Option<&T> {
        self.live.get(id)
    }

    /// The transaction with this id, to change it.
    pub fn by_id_mut(&mut self, id: u64) -> Option<&mut T> {
        let found = self.live.get_mut(id)?;
        self.changes += 1;
        found.meta_mut().changed_at = self.changes;
        self.changed.insert(id);
        Some(found)
    }

    /// The transaction with this id, for the engine to change what it keeps there.
    pub fn lent(&mut self, id: u64) -> Option<&mut T> {
        self.live.get_mut(id)
    }

    /// Forgets a transaction.
    pub fn free(&mut self, id: u64) {
        if let Some(transaction) = self.live.get(id) {
            self.counted = self.counted.saturating_sub(transaction.meta().counted as usize);
            self.live.remove(id);
        }
    }

    /// Counts the bytes that a transaction takes beside itself now, which `size` tells.
    pub fn count(&mut self, id: u64, size: impl FnOnce(&T) -> usize) {
        let Some(transaction) = self.live.get_mut(id) else { return };
        let size = size(transaction);
        recount(transaction.meta_mut(), &mut self.counted, size);
    }

    /// Bytes of memory that all of them take, those beside themselves as far as they were counted, and what rules and
    /// outputs keep of each.
    pub fn memory(&self) -> usize {
        self.live.memory() + self.live.len() * BESIDE_TRANSACTION + self.counted
    }

    /// The newest one.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        let (id, last) = self.live.last_mut()?;
        self.changes += 1;
        last.meta_mut().changed_at = self.changes;
        self.changed.insert(id);
        Some(last)
    }

    /// All live ones, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.live.iter().map(|(_, transaction)| transaction)
    }

    /// All live ones, oldest first, to change them: rules and records look at each again. Not for what
    /// happens often.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let Self { live, changes, changed, .. } = self;
        live.iter_mut().map(|(id, transaction)| {
            *changes += 1;
            transaction.meta_mut().changed_at = *changes;
            changed.insert(id);
            transaction
        })
    }

    /// The oldest transaction of which `is_open` holds, none before `from` being so; `from` becomes its id.
    pub fn oldest_mut(&mut self, from: &mut u64, is_open: impl Fn(&T) -> bool) -> Option<&mut T> {
        while let Some((id, found)) = self.live.next_from(*from) {
            *from = id;
            if is_open(found) {
                return self.by_id_mut(id);
            }
            *from += 1;
        }
        None
    }

    /// Shows each transaction to `change` that is not older than `from`, which becomes the id of the next one to be
    /// made: none is shown twice, however often that is done.
    pub fn newer_mut(&mut self, from: &mut u64, mut change: impl FnMut(&mut T)) {
        while let Some((id, _)) = self.live.next_from(*from) {
            *from = id + 1;
            if let Some(found) = self.by_id_mut(id) {
                change(found);
            }
        }
        *from = self.created;
    }

    /// Where there are more than `most`, the oldest one that is open, to be given up. Those before `from` are not
    /// open, which is moved behind it.
    pub fn one_too_many(
        &mut self,
        from: &mut u64,
        most: usize,
        is_open: impl Fn(&T) -> bool,
    ) -> Option<&mut T> {
        if self.len() <= most {
            return None;
        }
        loop {
            let (id, found) = self.live.next_from(*from)?;
            *from = id + 1;
            if is_open(found) {
                return self.by_id_mut(id);
            }
        }
    }

    /// The first live transaction whose id is at least `id`.
    pub fn next_from(&self, id: u64) -> Option<&T> {
        self.live.next_from(id).map(|(_, transaction)| transaction)
    }
}

/// A transaction takes so many bytes beside itself now, which are among those that `counted` has of all.
fn recount(meta: &mut TxMeta, counted: &mut usize, size: usize) {
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    let before = std::mem::replace(&mut meta.counted, size);
    *counted = (*counted + size as usize).saturating_sub(before as usize);
}

#[cfg(test)]
mod tests {
    use weir_base::{Direction, IdSet};

    use super::{BESIDE_TRANSACTION, Progress, TransactionList, TxMeta};

    #[derive(Default)]
    struct Plain {
        meta: TxMeta,
    }

    crate::transaction!(Plain);

    #[test]
    fn what_may_have_changed() {
        let mut list = TransactionList::<Plain>::default();
        let mut taken = IdSet::default();
        let mut changed = |list: &mut TransactionList<Plain>| {
            taken.clear();
            list.take_changed(&mut taken);
            taken.sorted().to_vec()
        };
        assert!(changed(&mut list).is_empty());
        for _ in 0..5 {
            list.push(Plain::default());
        }
        assert_eq!(changed(&mut list), [0, 1, 2, 3, 4]);
        list.by_id_mut(3);
        list.by_id_mut(1);
        list.by_id_mut(9);
        list.lent(0);
        assert_eq!(changed(&mut list), [1, 3]);
        list.last_mut();
        assert_eq!(changed(&mut list), [4]);
        list.free(1);
        list.iter_mut().for_each(drop);
        assert_eq!(changed(&mut list), [0, 2, 3, 4]);
        assert_eq!((changed(&mut list).len(), list.len()), (0, 4));
        let next = |id| list.next_from(id).map(|found| found.meta.id);
        assert_eq!([0, 1, 2, 4, 5].map(next), [Some(0), Some(2), Some(2), Some(4), None]);
    }

    #[test]
    fn completion_has_an_order() {
        let mut list = TransactionList::<Plain>::default();
        (0..4).for_each(|_| _ = list.push(Plain::default()));
        let mut advance = |id| list.by_id_mut(id).unwrap().meta.advance(Direction::ToClient, Progress(1));
        [2, 0, 1].into_iter().for_each(&mut advance);
        // It is as far as it was.
        advance(2);
        let mut ids = IdSet::default();
        list.take_changed(&mut ids);
        assert_eq!(ids.sorted_by_key(|id| list.by_id(id).unwrap().meta.advanced_at), [3, 2, 0, 1]);
    }

    #[test]
    fn memory_is_counted() {
        let mut list = TransactionList::<Plain>::default();
        assert_eq!(list.memory(), 0);
        list.push(Plain::default());
        list.push(Plain::default());
        let before = list.memory();
        assert!(before >= 2 * (size_of::<Plain>() + BESIDE_TRANSACTION));
        for (id, size, expected) in [(0, 100, 100), (1, 50, 150), (0, 10, 60), (7, 1000, 60)] {
            list.count(id, |_| size);
            assert_eq!(list.memory(), before + expected);
        }
        list.free(0);
        assert_eq!(list.memory(), before + 50 - BESIDE_TRANSACTION);
    }

    #[derive(Default)]
    struct Keeps {
        meta: TxMeta,
        bytes: usize,
    }

    crate::transaction!(Keeps, |keeps| Some(keeps.bytes));

    /// Counts what transactions take themselves when the engine asks which have changed, and no more once they ended.
    #[test]
    fn memory_is_counted_anew_with_each_change() {
        let mut list = TransactionList::<Keeps>::default();
        list.push(Keeps { bytes: 100, ..Keeps::default() });
        list.push(Keeps { bytes: 10, ..Keeps::default() });
        let bare = list.memory();
        list.take_changed(&mut IdSet::default());
        assert_eq!(list.memory(), bare + 110);
        if let Some(keeps) = list.by_id_mut(0) {
            keeps.bytes = 30;
        }
        list.take_changed(&mut IdSet::default());
        assert_eq!(list.memory(), bare + 40);
        list.free(0);
        assert_eq!(list.memory(), bare + 10 - BESIDE_TRANSACTION);
    }

    #[test]
    fn the_oldest_that_is_open() {
        let mut list = TransactionList::<Plain>::default();
        for _ in 0..6 {
            list.push(Plain::default());
        }
        list.free(3);
        let mut from = 0;
        for (open, expected) in [(&[1, 4][..], Some(1)), (&[1, 4], Some(1)), (&[4], Some(4)), (&[], None)] {
            let found = list.oldest_mut(&mut from, |plain| open.contains(&plain.meta.id));
            assert_eq!(found.map(|plain| plain.meta.id), expected);
        }
        assert_eq!(from, 6);
    }

    #[test]
    fn newer_ones_are_shown_once() {
        let (mut list, mut from, mut taken) = (TransactionList::<Plain>::default(), 1, IdSet::default());
        let mut shown = |list: &mut TransactionList<Plain>| {
            let mut ids = Vec::new();
            list.newer_mut(&mut from, |plain| ids.push(plain.meta.id));
            ids
        };
        for _ in 0..4 {
            list.push(Plain::default());
        }
        list.free(2);
        list.take_changed(&mut taken);
        taken.clear();
        assert_eq!((shown(&mut list), shown(&mut list)), (vec![1, 3], vec![]));
        list.take_changed(&mut taken);
        assert_eq!(taken.sorted(), [1, 3]);
        list.push(Plain::default());
        assert_eq!(shown(&mut list), [4]);
    }

    #[test]
    fn the_oldest_open_one_is_too_many() {
        let mut list = TransactionList::<Plain>::default();
        for _ in 0..5 {
            list.push(Plain::default());
        }
        let mut from = 1;
        let mut next = |list: &mut TransactionList<Plain>, most| {
            list.one_too_many(&mut from, most, |found| found.meta.id % 2 == 0).map(|found| found.meta.id)
        };
        assert_eq!(next(&mut list, 5), None);
        assert_eq!([4, 4, 4].map(|most| next(&mut list, most)), [Some(2), Some(4), None]);
    }
}
