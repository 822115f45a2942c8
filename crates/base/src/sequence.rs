//! The order in which workers came to state that they share.
//!
//! Workers that listen keep no order of positions among each other. One at a time comes to what they share, in the
//! order in which they are there. Where that order is noted, workers that come in the same order find the same state.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Number of a worker.
pub type WorkerNumber = u16;

/// The order in which workers come: one that is noted, or one that is given.
#[derive(Debug)]
pub struct Sequence {
    state: Mutex<State>,
    /// Somebody stepped back, or left.
    changed: Condvar,
    /// By worker, whether it is the one that is there. Its own thread alone writes this.
    is_there: Box<[AtomicBool]>,
}

#[derive(Debug)]
struct State {
    /// Somebody is there.
    taken: bool,
    order: Order,
    /// Workers that do not come any more.
    gone: BTreeSet<WorkerNumber>,
    /// Somebody came who was not expected.
    strayed: bool,
}

#[derive(Debug)]
enum Order {
    /// Those that came, and were not asked for yet.
    Noted(Vec<WorkerNumber>),
    /// Those that are to come, the next one last.
    Given(Vec<WorkerNumber>),
}

impl Sequence {
    /// The order in which so many workers come is noted.
    pub fn noted(workers: usize) -> Self {
        Self::new(workers, Order::Noted(Vec::new()))
    }

    /// So many workers come in this order.
    pub fn given(workers: usize, mut order: Vec<WorkerNumber>) -> Self {
        let all = order.len();
        order.retain(|worker| usize::from(*worker) < workers);
        order.reverse();
        let strayed = order.len() < all;
        let sequence = Self::new(workers, Order::Given(order));
        sequence.lock().strayed = strayed;
        sequence
    }

    fn new(workers: usize, order: Order) -> Self {
        let state = State { taken: false, order, gone: BTreeSet::new(), strayed: false };
        let is_there = (0..workers).map(|_| AtomicBool::new(false)).collect();
        Self { state: Mutex::new(state), changed: Condvar::new(), is_there }
    }

    /// Takes what was noted since the last time.
    pub fn take_noted(&self) -> Vec<WorkerNumber> {
        match &mut self.lock().order {
            Order::Noted(noted) => std::mem::take(noted),
            Order::Given(_) => Vec::new(),
        }
    }

    /// Whether workers came otherwise than was given.
    pub fn strayed(&self) -> bool {
        let state = self.lock();
        state.strayed || matches!(&state.order, Order::Given(left) if !left.is_empty())
    }

    /// Returns when nobody else is there, and it is the turn of this worker, which then is there until it steps back.
    pub(crate) fn come(&self, worker: usize) {
        let Some(is_there) = self.is_there.get(worker) else { return };
        if is_there.load(Ordering::Relaxed) {
            return;
        }
        let number = worker as WorkerNumber;
        let mut state = self.lock();
        while !state.admits(number) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.taken = true;
        match &mut state.order {
            Order::Noted(noted) => noted.push(number),
            Order::Given(order) => state.strayed |= order.pop().is_none(),
        }
        is_there.store(true, Ordering::Relaxed);
    }

    /// Lets others come.
    pub(crate) fn step_back(&self, worker: usize) {
        let Some(is_there) = self.is_there.get(worker) else { return };
        if is_there.load(Ordering::Relaxed) {
            is_there.store(false, Ordering::Relaxed);
            self.lock().taken = false;
            self.changed.notify_all();
        }
    }

    /// A worker does not come any more.
    pub(crate) fn leave(&self, worker: usize) {
        self.step_back(worker);
        self.lock().gone.insert(worker as WorkerNumber);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether a worker may come now. Those that were to come before it and are gone are not waited for.
    fn admits(&mut self, worker: WorkerNumber) -> bool {
        if self.taken {
            return false;
        }
        let Order::Given(order) = &mut self.order else { return true };
        while order.last().is_some_and(|next| *next != worker && self.gone.contains(next)) {
            order.pop();
            self.strayed = true;
        }
        order.last().is_none_or(|next| *next == worker)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{Position, Timestamp, Turn};

    /// Has each worker come at some of its positions, and returns the order in which they came.
    fn come(workers: usize, sequence: &Arc<Sequence>) -> Vec<(usize, u64)> {
        let seen = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (worker, turn) in Turn::in_sequence(workers, sequence).into_iter().enumerate() {
                let seen = &seen;
                scope.spawn(move || {
                    for number in 0..500 {
                        turn.reach(Position::new(Timestamp(number), number));
                        if (number + worker as u64).is_multiple_of(3) {
                            turn.wait();
                            turn.wait_for(0);
                            seen.lock().unwrap().push((worker, number));
                        }
                    }
                    turn.reach(Position::END);
                });
            }
        });
        seen.into_inner().unwrap()
    }

    #[test]
    fn an_order_that_was_noted_is_kept_when_given() {
        for workers in [1, 2, 5] {
            let noted = Arc::new(Sequence::noted(workers));
            let first = come(workers, &noted);
            let order = noted.take_noted();
            assert_eq!(order.len(), first.len());
            assert!(noted.take_noted().is_empty() && !noted.strayed());
            for _ in 0..3 {
                let given = Arc::new(Sequence::given(workers, order.clone()));
                assert_eq!(come(workers, &given), first, "{workers} workers");
                assert!(!given.strayed());
            }
        }
    }

    #[test]
    fn an_order_that_cannot_be_kept_stops_nobody() {
        for order in [vec![], vec![1; 1000], vec![0, 7, 1]] {
            let given = Arc::new(Sequence::given(2, order.clone()));
            assert_eq!(come(2, &given).len(), 333, "{order:?}");
            assert!(given.strayed(), "{order:?}");
        }
    }
}
