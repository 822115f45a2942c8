//! Transactions that wait for an answer: found by what answers name, and given up where there are too many.

use std::collections::BTreeSet;

use crate::transaction::{Anomaly, Transaction, TransactionList};

/// Most transactions of a flow that are live, while the engine has not looked at them.
pub const MAX_LIVE: usize = 1 << 15;

/// A transaction that may wait for answers. Once it does not, it never will again.
pub trait Waits: Transaction {
    /// Name by which answers find their request.
    type Key: Copy + Ord;

    /// Returns the key that its answers name; none where they cannot be distinguished.
    fn key(&self) -> Option<Self::Key>;
    /// Whether it waits.
    fn waits(&self) -> bool;
    /// Bytes that it keeps.
    fn size(&self) -> usize;
    /// No more answers will come.
    fn end(&mut self);
}

/// Limits on waiting transactions. Beyond them the oldest waits no more.
#[derive(Clone, Copy, Debug)]
pub struct WaitingLimits {
    /// Transactions of a flow, those that wait for the engine too.
    pub transactions: usize,
    /// Bytes of those that wait.
    pub bytes: usize,
    /// Anomaly of one that was given up.
    pub anomaly: Anomaly,
}

/// The transactions of a flow that wait for an answer.
#[derive(Clone, Debug)]
pub struct Waiting<K> {
    limits: WaitingLimits,
    by_key: BTreeSet<(K, u64)>,
    /// None before this one waits.
    oldest: u64,
    /// Bytes of all of them.
    size: usize,
}

impl<K: Copy + Ord> Waiting<K> {
    /// None waits yet.
    pub const fn new(limits: WaitingLimits) -> Self {
        Self { limits, by_key: BTreeSet::new(), oldest: 0, size: 0 }
    }

    /// Bytes of memory of the index.
    pub fn memory(&self) -> usize {
        self.by_key.len() * size_of::<(K, u64)>()
    }

    /// Adds a transaction, for which older ones are given up where there is too much; none where there are
    /// [`MAX_LIVE`].
    pub fn begin<'a, T>(&mut self, list: &'a mut TransactionList<T>, transaction: T) -> Option<&'a mut T>
    where
        T: Waits<Key = K>,
    {
        if list.len() >= MAX_LIVE {
            if let Some(last) = list.last_mut() {
                last.meta_mut().anomaly(self.limits.anomaly);
            }
            return None;
        }
        if list.len() > self.limits.transactions {
            self.give_up_oldest(list);
        }
        let waits = transaction.waits();
        if waits {
            self.size += transaction.size();
            self.give_up(list);
            self.by_key.extend(transaction.key().map(|key| (key, list.created())));
        }
        let transaction = list.push(transaction);
        if !waits {
            transaction.end();
        }
        Some(transaction)
    }

    /// The oldest transaction that waits for an answer that names this.
    pub fn find<T>(&mut self, list: &TransactionList<T>, key: K) -> Option<u64>
    where
        T: Waits<Key = K>,
    {
        loop {
            let &(found, id) = self.by_key.range((key, 0)..).next().filter(|(found, _)| *found == key)?;
            // The engine may have freed some in between.
            if list.by_id(id).is_some() {
                return Some(id);
            }
            self.by_key.remove(&(found, id));
        }
    }

    /// A transaction that waits takes an answer, and says whether that was the last one.
    pub fn answer<T>(&mut self, list: &mut TransactionList<T>, id: u64, take: impl FnOnce(&mut T) -> bool)
    where
        T: Waits<Key = K>,
    {
        let Some(transaction) = list.by_id_mut(id) else { return };
        let before = transaction.size();
        let is_last = take(transaction);
        self.size += transaction.size().saturating_sub(before);
        if is_last {
            self.end(transaction);
        }
        self.give_up(list);
    }

    /// A transaction waits no more.
    pub fn end<T>(&mut self, transaction: &mut T)
    where
        T: Waits<Key = K>,
    {
        self.size = self.size.saturating_sub(transaction.size());
        if let Some(key) = transaction.key() {
            self.by_key.remove(&(key, transaction.meta().id));
        }
        transaction.end();
    }

    /// Gives up the oldest ones where too many bytes wait.
    fn give_up<T>(&mut self, list: &mut TransactionList<T>)
    where
        T: Waits<Key = K>,
    {
        while self.size > self.limits.bytes && self.give_up_oldest(list) {}
    }

    /// Gives up the oldest one; answers whether there is one.
    fn give_up_oldest<T>(&mut self, list: &mut TransactionList<T>) -> bool
    where
        T: Waits<Key = K>,
    {
        let Some(oldest) = list.oldest_mut(&mut self.oldest, T::waits) else { return false };
        oldest.meta_mut().anomaly(self.limits.anomaly);
        self.end(oldest);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LIVE, Waiting, WaitingLimits, Waits};
    use crate::transaction::{Anomaly, TransactionList, TxMeta};

    struct Asked {
        meta: TxMeta,
        number: u8,
        waits: bool,
        size: usize,
    }

    crate::transaction!(Asked);

    impl Waits for Asked {
        type Key = u8;

        fn key(&self) -> Option<u8> {
            Some(self.number)
        }
        fn waits(&self) -> bool {
            self.waits
        }
        fn size(&self) -> usize {
            self.size
        }
        fn end(&mut self) {
            self.waits = false;
        }
    }

    /// Questions by number, size, and whether they wait; answers by number, size, and whether they are complete.
    /// Transactions waiting in the end, and those given up, by place.
    #[test]
    fn oldest_are_given_up() {
        type Said<'a> = &'a [(u8, usize, bool)];
        let cases: &[(Said, Said, &[u64], &[u64])] = &[
            (&[(7, 1, true), (7, 1, true), (8, 1, false)], &[], &[0, 1], &[]),
            // Too many transactions, whether they wait or not.
            (&[(7, 1, true), (7, 1, true), (8, 1, false), (8, 1, false), (8, 1, false)], &[], &[1], &[0]),
            (&[(7, 1, true); 5], &[], &[1, 2, 3, 4], &[0]),
            // Too many bytes, at once or by answers.
            (&[(7, 90, true), (8, 10, true), (9, 90, false), (9, 11, true)], &[], &[1, 3], &[0]),
            (&[(7, 90, true), (8, 10, true)], &[(8, 1, false)], &[1], &[0]),
            // An answer is to the oldest one; what was answered keeps nothing.
            (&[(7, 90, true), (7, 10, true)], &[(7, 0, true), (7, 90, false)], &[1], &[]),
            (&[(7, 10, true)], &[(8, 100, false), (7, 100, true), (7, 100, true)], &[], &[]),
            // One is not given up for itself.
            (&[(7, 500, true)], &[], &[0], &[]),
        ];
        for (asked, answered, waiting, given_up) in cases {
            let limits = WaitingLimits { transactions: 3, bytes: 100, anomaly: Anomaly(2) };
            let (mut list, mut waits) = (TransactionList::default(), Waiting::new(limits));
            for &(number, size, is_open) in *asked {
                waits.begin(&mut list, Asked { meta: TxMeta::default(), number, waits: is_open, size });
            }
            for &(number, size, is_last) in *answered {
                let Some(id) = waits.find(&list, number) else { continue };
                waits.answer(&mut list, id, |asked| {
                    asked.size += size;
                    is_last
                });
            }
            let ids = |wanted: fn(&Asked) -> bool| {
                list.iter().filter(|asked| wanted(asked)).map(|asked| asked.meta.id).collect::<Vec<_>>()
            };
            assert_eq!(ids(Asked::waits), *waiting, "{asked:?} {answered:?}");
            assert_eq!(
                ids(|asked| asked.meta.anomalies[..] == [Anomaly(2)]),
                *given_up,
                "{asked:?} {answered:?}"
            );
        }
    }

    #[test]
    fn what_nobody_frees_ends_somewhere() {
        let limits = WaitingLimits { transactions: 3, bytes: 100, anomaly: Anomaly(2) };
        let (mut list, mut waits) = (TransactionList::default(), Waiting::new(limits));
        let asked = || Asked { meta: TxMeta::default(), number: 7, waits: false, size: 1 };
        for _ in 0..MAX_LIVE {
            assert!(waits.begin(&mut list, asked()).is_some());
        }
        assert!(waits.begin(&mut list, asked()).is_none());
        assert_eq!((list.len(), &list.last_mut().unwrap().meta.anomalies[..]), (MAX_LIVE, &[Anomaly(2)][..]));
    }

    #[test]
    fn what_was_freed_is_not_found() {
        let limits = WaitingLimits { transactions: 3, bytes: 100, anomaly: Anomaly(2) };
        let (mut list, mut waits) = (TransactionList::default(), Waiting::new(limits));
        for number in [7, 7, 8] {
            waits.begin(&mut list, Asked { meta: TxMeta::default(), number, waits: true, size: 1 });
        }
        list.free(0);
        list.free(2);
        assert_eq!([7, 8, 9].map(|key| waits.find(&list, key)), [Some(1), None, None]);
    }
}
