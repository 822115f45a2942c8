//! Locks and queues by name: how often each was taken, how often and how long somebody waited for it, and who.
//!
//! A [`Lock`] counts under itself, so that counting shares nothing that is not shared anyway; a [`Point`] (a queue, the
//! order of workers) has counts of its own for each worker. The cycle counter is read where somebody waits, and only
//! there.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};

use crate::cycles;

/// Workers that are told apart; further ones are one.
const WORKERS: usize = 31;

/// Most locks that are known at a time; what further ones count is told once they are gone.
const MAX_LOCKS: usize = 16384;

thread_local! {
    static WORKER: Cell<usize> = const { Cell::new(0) };
}

/// Says which worker the thread is, from 1; 0 is any other thread.
pub fn set_worker(number: usize) {
    WORKER.set(number.min(WORKERS));
}

/// Kinds of what is waited for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A lock.
    Lock,
    /// A queue that is full, or empty.
    Queue,
    /// The order of workers.
    Order,
}

impl Kind {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lock => "mtx",
            Self::Queue => "que",
            Self::Order => "ord",
        }
    }
}

/// Counts of what has one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    /// Times that it was taken.
    pub taken: u64,
    /// Times that somebody waited.
    pub contended: u64,
    /// Ticks of all waits.
    pub waited: u64,
    /// Ticks of the longest.
    pub longest: u64,
    /// Number of the worker that waited so long, from 1; 0 for another thread.
    pub longest_by: usize,
    /// Number of the one that waited longest in all.
    pub most_by: usize,
    /// Ticks of its waits.
    pub most: u64,
    /// Ticks of each worker's waits, the first those of other threads.
    pub by_worker: [u64; WORKERS + 1],
}

impl AddAssign<&Self> for Waits {
    fn add_assign(&mut self, other: &Self) {
        self.taken += other.taken;
        self.contended += other.contended;
        self.waited += other.waited;
        if other.longest > self.longest {
            (self.longest, self.longest_by) = (other.longest, other.longest_by);
        }
        self.by_worker.iter_mut().zip(other.by_worker).for_each(|(own, other)| *own += other);
        let most = self.by_worker.iter().zip(0..).max_by_key(|(ticks, _)| **ticks);
        (self.most, self.most_by) = most.map_or((0, 0), |(ticks, worker)| (*ticks, worker));
    }
}

/// Counts that one thread at a time adds to.
#[derive(Debug)]
struct Counts {
    taken: AtomicU64,
    contended: AtomicU64,
    longest: AtomicU64,
    longest_by: AtomicU64,
    waited: [AtomicU64; WORKERS + 1],
}

/// Adds where nobody else does at the same time.
fn add(counter: &AtomicU64, number: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(number), Ordering::Relaxed);
}

impl Counts {
    const fn new() -> Self {
        Self {
            taken: AtomicU64::new(0),
            contended: AtomicU64::new(0),
            longest: AtomicU64::new(0),
            longest_by: AtomicU64::new(0),
            waited: [const { AtomicU64::new(0) }; WORKERS + 1],
        }
    }

    fn add_wait(&self, ticks: u64) {
        let worker = WORKER.get();
        add(&self.contended, 1);
        if let Some(waited) = self.waited.get(worker) {
            add(waited, ticks);
        }
        if ticks > self.longest.load(Ordering::Relaxed) {
            self.longest.store(ticks, Ordering::Relaxed);
            self.longest_by.store(worker as u64, Ordering::Relaxed);
        }
    }

    fn read(&self) -> Waits {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut by_worker = [0; WORKERS + 1];
        by_worker.iter_mut().zip(&self.waited).for_each(|(own, counter)| *own = read(counter));
        let own = Waits {
            taken: read(&self.taken),
            contended: read(&self.contended),
            waited: by_worker.iter().sum(),
            longest: read(&self.longest),
            longest_by: read(&self.longest_by) as usize,
            by_worker,
            ..Waits::default()
        };
        let mut all = Waits::default();
        all += &own;
        all
    }
}

/// The locks that there are, and what those that are gone had counted.
#[derive(Default)]
struct Known {
    locks: Vec<(&'static str, Weak<Counts>)>,
    gone: BTreeMap<&'static str, Waits>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn with_known<T>(work: impl FnOnce(&mut Known) -> T) -> T {
    work(KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// A lock with a name. Several may have the same one: they are told of as one.
#[derive(Debug)]
pub struct Lock<T> {
    name: &'static str,
    counts: Arc<Counts>,
    value: Mutex<T>,
}

impl<T> Lock<T> {
    /// A lock of this name.
    pub fn new(name: &'static str, value: T) -> Self {
        let counts = Arc::new(Counts::new());
        with_known(|known| {
            if known.locks.len() < MAX_LOCKS {
                known.locks.push((name, Arc::downgrade(&counts)));
            }
        });
        Self { name, counts, value: Mutex::new(value) }
    }

    /// Takes the lock. One that a thread held which failed is taken as it was left.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let guard = match self.value.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => self.wait(),
        };
        add(&self.counts.taken, 1);
        guard
    }

    #[cold]
    fn wait(&self) -> MutexGuard<'_, T> {
        let began = cycles::now();
        let guard = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.counts.add_wait(cycles::now().saturating_sub(began));
        guard
    }
}

impl<T> Drop for Lock<T> {
    fn drop(&mut self) {
        let waits = self.counts.read();
        with_known(|known| {
            let own = Arc::as_ptr(&self.counts);
            if let Some(place) = known.locks.iter().rposition(|(_, known)| std::ptr::eq(known.as_ptr(), own))
            {
                known.locks.swap_remove(place);
            }
            *known.gone.entry(self.name).or_default() += &waits;
        });
    }
}

/// One worker's counts of a point, alone on its cache lines.
#[repr(align(128))]
#[derive(Debug)]
struct Slot(Counts);

/// A place where threads wait for others: a queue, or an order.
#[derive(Debug)]
pub struct Point {
    name: &'static str,
    kind: Kind,
    slots: [Slot; WORKERS + 1],
}

/// The order of workers, in which they touch what they share.
pub static ORDER: Point = Point::new("order of workers", Kind::Order);

/// Rounds of packets that wait for a worker: the reader waits where there are too many.
pub static ROUNDS: Point = Point::new("packets for workers", Kind::Queue);

/// Packets that a worker waits for.
pub static PACKETS: Point = Point::new("packets from the reader", Kind::Queue);

/// Lines that wait for the log thread.
pub static LINES: Point = Point::new("lines for the log thread", Kind::Queue);

/// The points.
static POINTS: [&Point; 4] = [&ORDER, &ROUNDS, &PACKETS, &LINES];

impl Point {
    const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, slots: [const { Slot(Counts::new()) }; WORKERS + 1] }
    }

    fn slot(&self) -> Option<&Counts> {
        self.slots.get(WORKER.get()).map(|slot| &slot.0)
    }

    /// Somebody passes without waiting.
    #[inline]
    pub fn pass(&self) {
        if let Some(counts) = self.slot() {
            add(&counts.taken, 1);
        }
    }

    /// Has somebody wait until `work` returns.
    #[cold]
    pub fn wait<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = cycles::now();
        let done = work();
        let waited = cycles::now().saturating_sub(began);
        if let Some(counts) = self.slot() {
            add(&counts.taken, 1);
            counts.add_wait(waited);
        }
        done
    }

    fn read(&self) -> Waits {
        let mut all = Waits::default();
        self.slots.iter().for_each(|slot| all += &slot.0.read());
        all
    }
}

/// Returns the counts of all locks and queues that were taken, by name, what was waited for longest first.
pub fn all() -> Vec<(&'static str, Kind, Waits)> {
    let mut sums: BTreeMap<(&'static str, Kind), Waits> = BTreeMap::new();
    with_known(|known| {
        for (name, waits) in &known.gone {
            *sums.entry((name, Kind::Lock)).or_default() += waits;
        }
        for (name, counts) in &known.locks {
            if let Some(counts) = counts.upgrade() {
                *sums.entry((name, Kind::Lock)).or_default() += &counts.read();
            }
        }
    });
    for point in POINTS {
        *sums.entry((point.name, point.kind)).or_default() += &point.read();
    }
    let mut all: Vec<_> = sums
        .into_iter()
        .filter(|(_, waits)| waits.taken > 0)
        .map(|((name, kind), waits)| (name, kind, waits))
        .collect();
    all.sort_by_key(|(_, _, waits)| std::cmp::Reverse((waits.waited, waits.taken)));
    all
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn waits(name: &str) -> Waits {
        all().into_iter().find(|(known, _, _)| *known == name).map(|(_, _, waits)| waits).unwrap_or_default()
    }

    #[test]
    fn a_contended_lock_is_named_with_who_waited() {
        let lock = Arc::new(Lock::new("a contended lock", 0));
        let guard = lock.lock();
        let (tell, told) = channel();
        let other = {
            let lock = Arc::clone(&lock);
            std::thread::spawn(move || {
                set_worker(3);
                tell.send(()).unwrap();
                *lock.lock() += 1;
            })
        };
        told.recv().unwrap();
        // The other has to find it taken: its first try is a few instructions away.
        let began = std::time::Instant::now();
        while began.elapsed() < std::time::Duration::from_millis(20) {
            std::thread::yield_now();
        }
        drop(guard);
        other.join().unwrap();
        let seen = waits("a contended lock");
        assert_eq!((seen.taken, seen.contended, seen.longest_by, seen.most_by), (2, 1, 3, 3));
        assert!(seen.waited > 0 && seen.waited == seen.longest && seen.most == seen.waited);
        drop(lock);
        assert_eq!(waits("a contended lock"), seen, "what was counted outlives the lock");
    }

    #[test]
    fn locks_of_one_name_are_told_of_as_one() {
        let locks: Vec<Lock<u8>> = (0..5).map(|number| Lock::new("some locks", number)).collect();
        locks.iter().for_each(|lock| *lock.lock() += 1);
        assert_eq!((waits("some locks").taken, waits("some locks").contended), (5, 0));
    }
}
