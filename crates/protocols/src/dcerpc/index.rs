//! Calls by what makes them known, so that no message is compared with all of them.

use std::collections::BTreeSet;

use weir_applayer::TransactionList;

use super::transaction::DceRpcTransaction;

/// Most calls with the same number that a message is compared with.
pub const MAX_ALIKE: usize = 64;

/// Calls that are gone and may still be listed.
const MAX_GONE: usize = 64;

/// The calls of one flow, by number, and those of a number in their order.
#[derive(Clone, Debug)]
pub struct Index<K>(BTreeSet<(K, u64)>);

impl<K> Default for Index<K> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<K: Copy + Ord> Index<K> {
    /// Adds a call to those of which `live` is the list.
    pub fn add(&mut self, number: K, id: u64, live: &TransactionList<DceRpcTransaction>) {
        if self.0.len() > live.len().saturating_mul(2).saturating_add(MAX_GONE) {
            self.0.retain(|(_, id)| live.by_id(*id).is_some());
        }
        self.0.insert((number, id));
    }

    /// The calls of a number, oldest first.
    pub fn of<'a>(
        &'a self,
        number: K,
        live: &'a TransactionList<DceRpcTransaction>,
    ) -> impl DoubleEndedIterator<Item = &'a DceRpcTransaction> {
        self.0.range((number, 0)..=(number, u64::MAX)).filter_map(move |(_, id)| live.by_id(*id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::transaction::Call;
    use super::super::uuid::Order;
    use super::*;

    #[test]
    fn what_is_gone_is_not_listed() {
        let (mut index, mut live) = (Index::default(), TransactionList::default());
        for place in 0..1000u64 {
            let number = place as u32 % 2;
            let call = Call::Association { number, minor: 0 };
            let id = live.push(DceRpcTransaction::new(call, Order::Little)).meta.id;
            index.add(number, id, &live);
            if place >= 4 {
                live.free(place - 4);
            }
        }
        let ids = |number| index.of(number, &live).map(|call| call.meta.id).collect::<Vec<_>>();
        assert_eq!((ids(0), ids(1), ids(2)), (vec![996, 998], vec![997, 999], vec![]));
        assert!(index.0.len() <= MAX_GONE + 2 * 5 + 1);
    }
}
