//! The bytes of one direction that were seen but not yet done with. Most directions have none at
//! most times: only while there are some is there a [`Store`] for them.

use weir_base::Timestamp;

use crate::policy::OverlapPolicy;
use crate::shared::StreamShared;
use crate::store::{Inserted, Kept, Segment, Store};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    store: Option<Box<Store>>,
    /// These three as the last store left them: where it began, and how far past that its end lay.
    base: u64,
    ahead: u32,
    most_regions: u16,
}

impl Segments {
    /// All before this is done with.
    pub(crate) fn base(&self) -> u64 {
        self.store.as_ref().map_or(self.base, |store| store.base())
    }

    /// End of the farthest byte ever put in.
    pub(crate) fn end(&self) -> u64 {
        self.store.as_ref().map_or(self.base + u64::from(self.ahead), |store| store.end())
    }

    /// Most regions there ever were.
    pub(crate) fn most_regions(&self) -> u16 {
        self.store.as_ref().map_or(self.most_regions, |store| store.most_regions())
    }

    /// Bytes that this costs.
    pub(crate) fn cost(&self) -> u64 {
        self.store.as_ref().map_or(0, |store| store.cost())
    }

    /// Returns the number of segments, or parts of them.
    pub(crate) fn count(&self) -> usize {
        self.store.as_ref().map_or(0, |store| store.count())
    }

    /// Bytes not done with.
    pub(crate) fn stored(&self) -> u64 {
        self.store.as_ref().map_or(0, |store| store.stored())
    }

    /// See [`Store::fits`].
    pub(crate) fn fits(&self, segment: &Segment<'_>, free: u64) -> bool {
        let length = segment.bytes.len() as u64;
        match &self.store {
            Some(store) => store.fits(segment.offset, length, free),
            None => Store::default().fits(segment.offset, length, free),
        }
    }

    /// The store, taken from the pool if need be.
    fn store(&mut self, shared: &mut StreamShared) -> &mut Store {
        let (base, end, most_regions) = (self.base, self.end(), self.most_regions);
        self.store.get_or_insert_with(|| {
            let mut store = shared.store();
            store.begin(base, end, most_regions);
            store
        })
    }

    /// Gives the store back.
    fn give_back(&mut self, shared: &mut StreamShared) {
        if let Some(mut store) = self.store.take() {
            self.base = store.base();
            self.ahead = u32::try_from(store.end().saturating_sub(self.base)).unwrap_or(u32::MAX);
            self.most_regions = store.most_regions();
            store.clear(shared);
            shared.recycle_store(store);
        }
    }

    /// See [`Store::open_region`].
    pub(crate) fn open_region(&mut self, start: u64, end: u64, limit: u8, shared: &mut StreamShared) -> bool {
        self.store(shared).open_region(start, end, limit)
    }

    /// See [`Store::insert`].
    pub(crate) fn insert(
        &mut self,
        segment: Segment<'_>,
        policy: OverlapPolicy,
        front: u64,
        shared: &mut StreamShared,
    ) -> Inserted {
        self.store(shared).insert(segment, policy, front, shared)
    }

    /// See [`Store::bring_to_front`].
    pub(crate) fn bring_to_front(&mut self, offset: u64, shared: &mut StreamShared) {
        if let Some(store) = &mut self.store {
            store.bring_to_front(offset, shared);
        }
    }

    /// The bytes from `offset` on, as far as there is no hole.
    pub(crate) fn read(&self, offset: u64) -> &[u8] {
        self.store.as_ref().map_or(&[], |store| store.read(offset))
    }

    /// See [`Store::read_around`].
    pub(crate) fn read_around(&self, at: u64, lower: u64, upper: u64, into: &mut Vec<u8>) -> u64 {
        into.clear();
        self.store.as_ref().map_or(at, |store| store.read_around(at, lower, upper, into))
    }

    /// See [`Store::copy_over`].
    pub(crate) fn copy_over(&self, offset: i64, onto: &mut [u8]) {
        if let Some(store) = &self.store {
            store.copy_over(offset, onto);
        }
    }

    /// See [`Store::kept`].
    pub(crate) fn kept(&self, limit: u64, visit: &mut dyn FnMut(Kept<'_>) -> bool) {
        if let Some(store) = &self.store {
            store.kept(limit, visit);
        }
    }

    /// See [`Store::kept_from`].
    pub(crate) fn kept_from(&self, from: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) {
        if let Some(store) = &self.store {
            store.kept_from(from, visit);
        }
    }

    /// Where the first byte past a hole at `offset` lies.
    pub(crate) fn next_start(&self, offset: u64) -> Option<u64> {
        self.store.as_ref()?.next_start(offset)
    }

    /// When the bytes of `start..end` were captured, as [`crate::ArrivalTimes`] has it.
    pub(crate) fn arrivals(&self, start: u64, end: u64, into: &mut Vec<(u64, Timestamp)>) {
        into.clear();
        if let Some(store) = &self.store {
            store.arrivals(start, end, into);
        }
    }

    /// Forgets all before `base`.
    #[inline]
    pub(crate) fn prune(&mut self, base: u64, shared: &mut StreamShared) {
        match &mut self.store {
            None => {
                let end = self.end();
                self.base = self.base.max(base);
                self.ahead = end.saturating_sub(self.base) as u32;
            }
            Some(store) => {
                store.prune(base, shared);
                if store.is_empty() {
                    self.give_back(shared);
                }
            }
        }
    }

    /// Forgets everything, and goes on at `base`.
    pub(crate) fn restart(&mut self, base: u64) {
        *self = Self { base, most_regions: self.most_regions(), ..Self::default() };
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self, shared: &mut StreamShared) {
        self.give_back(shared);
    }
}
