//! Turns of workers at state that they share.
//!
//! Nearly all that a worker does concerns one flow, which lives on that worker. What rules share
//! between flows (thresholds by address, bits of hosts, sets that rules fill), and files that several
//! flows bring, must be touched in the order of the packets, or the records would depend on which
//! worker was quicker. A worker that is
//! about to do so waits until all others are past the position at which it stands. The one that is
//! farthest behind never waits, so that all get on.
//!
//! Workers that listen keep no order. Where they are recorded, the order in which they came is noted, and those that
//! repeat what was recorded keep to it ([`Sequence`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::position::Place;
use crate::profile::locks::ORDER;
use crate::sequence::Sequence;
use crate::{Position, Timestamp};

/// Looks at the others before a waiting worker gives up its time slice.
const SPINS: u32 = 128;

/// Progress of one worker: all positions before are done. Alone on its cache lines.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Front {
    clock: AtomicU64,
    place: AtomicU64,
}

impl Front {
    /// Moves on. The place is taken back first: who reads between the two writes sees less than is
    /// true, never more.
    fn set(&self, position: Position) {
        if self.clock.load(Ordering::Relaxed) != position.clock.0 {
            self.place.store(0, Ordering::Release);
            self.clock.store(position.clock.0, Ordering::Release);
        }
        self.place.store(position.place.bits(), Ordering::Release);
    }

    fn is_past(&self, position: Position) -> bool {
        let clock = self.clock.load(Ordering::Acquire);
        if clock != position.clock.0 {
            return clock > position.clock.0;
        }
        // A place of a later clock may be read here: the worker is then past this position, too.
        self.place.load(Ordering::Acquire) >= position.place.bits()
    }

    /// Where the worker of this front is; to be asked by that worker.
    fn own(&self) -> Position {
        let clock = Timestamp(self.clock.load(Ordering::Relaxed));
        Position::at(clock, Place::of_bits(self.place.load(Ordering::Relaxed)))
    }

    /// Returns when the worker of this front is past `position`.
    fn wait_past(&self, position: Position) {
        let mut spins = 0;
        while !self.is_past(position) {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// A worker's part in the order.
#[derive(Clone, Debug)]
pub struct Turn {
    fronts: Arc<[Front]>,
    worker: usize,
    /// Its number among so many that keep no order, where it is one of such.
    unordered: Option<(usize, usize)>,
    /// The order in which those come, where it is noted or given.
    sequence: Option<Arc<Sequence>>,
}

impl Turn {
    /// That of a worker that is alone; it never waits.
    pub fn alone() -> Self {
        Self { fronts: Arc::new([]), worker: 0, unordered: None, sequence: None }
    }

    /// Those of so many workers that keep no order among each other: to what each does it is alone, and never waits.
    pub fn unordered(workers: usize) -> Vec<Self> {
        (0..workers).map(|number| Self { unordered: Some((number, workers)), ..Self::alone() }).collect()
    }

    /// Those of so many workers.
    pub fn of(workers: usize) -> Vec<Self> {
        let fronts: Arc<[Front]> = (0..workers).map(|_| Front::default()).collect();
        (0..workers).map(|worker| Self { fronts: Arc::clone(&fronts), worker, ..Self::alone() }).collect()
    }

    /// Those of so many workers that keep no order of positions, but come one at a time, as `sequence` has it.
    pub fn in_sequence(workers: usize, sequence: &Arc<Sequence>) -> Vec<Self> {
        let turns = Self::unordered(workers).into_iter();
        turns.map(|turn| Self { sequence: Some(Arc::clone(sequence)), ..turn }).collect()
    }

    /// Returns the number of this worker, from 0, and the number of all, whether or not they keep an order.
    pub fn place(&self) -> (usize, usize) {
        self.unordered.unwrap_or_else(|| (self.worker, self.workers()))
    }

    /// Returns the number of this worker among those that keep an order, from 0.
    pub const fn worker(&self) -> usize {
        self.worker
    }

    /// Returns the number of workers that keep an order.
    pub fn workers(&self) -> usize {
        self.fronts.len().max(1)
    }

    /// This worker is done with everything before `position`.
    #[inline]
    pub fn reach(&self, position: Position) {
        if let Some(front) = self.fronts.get(self.worker) {
            front.set(position);
        } else if let Some(sequence) = &self.sequence {
            self.step_back(sequence, position);
        }
    }

    /// Returns when all others are past this worker's position: until the worker reaches the next
    /// one, it is the only one here.
    #[inline]
    pub fn wait(&self) {
        if let Some(own) = self.fronts.get(self.worker) {
            self.wait_for_others(own);
        } else if let Some(sequence) = &self.sequence {
            sequence.come(self.place().0);
        }
    }

    /// Returns when `worker` is past this worker's position.
    pub fn wait_for(&self, worker: usize) {
        if let (Some(own), Some(other)) = (self.fronts.get(self.worker), self.fronts.get(worker))
            && worker != self.worker
        {
            let position = own.own();
            match other.is_past(position) {
                true => ORDER.pass(),
                false => ORDER.wait(|| other.wait_past(position)),
            }
        } else if let Some(sequence) = &self.sequence {
            sequence.come(self.place().0);
        }
    }

    #[cold]
    fn step_back(&self, sequence: &Sequence, position: Position) {
        match position == Position::END {
            true => sequence.leave(self.place().0),
            false => sequence.step_back(self.place().0),
        }
    }

    #[cold]
    fn wait_for_others(&self, own: &Front) {
        let position = own.own();
        let others = || self.fronts.iter().enumerate().filter(|(worker, _)| *worker != self.worker);
        if others().all(|(_, front)| front.is_past(position)) {
            return ORDER.pass();
        }
        ORDER.wait(|| others().for_each(|(_, front)| front.wait_past(position)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn turns_come_in_the_order_of_positions() {
        const POSITIONS: u64 = 3000;
        for workers in [1, 2, 5] {
            let seen = Mutex::new(Vec::new());
            std::thread::scope(|scope| {
                for (worker, turn) in Turn::of(workers).into_iter().enumerate() {
                    let seen = &seen;
                    scope.spawn(move || {
                        // Every third position moves the clock; each belongs to one worker.
                        for number in (0..POSITIONS).filter(|n| (n * n) as usize % workers == worker) {
                            turn.reach(Position::new(Timestamp(number / 3), number));
                            if number % 7 == 0 {
                                turn.wait();
                                seen.lock().unwrap().push(number);
                            }
                        }
                        turn.reach(Position::END);
                    });
                }
            });
            let expected: Vec<u64> = (0..POSITIONS).filter(|n| n % 7 == 0).collect();
            assert_eq!(seen.into_inner().unwrap(), expected, "{workers} workers");
        }
    }

    #[test]
    fn one_waits_for_one() {
        let turns = Turn::of(3);
        turns[1].reach(Position::new(Timestamp(5), 7));
        turns[0].reach(Position::new(Timestamp(5), 8));
        // The third one is behind, and nobody's concern.
        turns[1].wait_for(0);
        turns[1].wait_for(1);
        turns[1].wait_for(9);
        assert_eq!(turns.iter().map(|turn| (turn.worker(), turn.workers())).max(), Some((2, 3)));
    }

    #[test]
    fn alone_nobody_waits() {
        let turn = Turn::alone();
        turn.reach(Position::END);
        turn.wait();
        turn.wait_for(0);
        assert_eq!((turn.worker(), turn.workers()), (0, 1));
        assert_eq!(turn.place(), (0, 1));
    }

    #[test]
    fn without_an_order_each_is_alone() {
        let turns = Turn::unordered(3);
        turns[1].wait();
        assert!(turns.iter().all(|turn| (turn.worker(), turn.workers()) == (0, 1)));
        let places: Vec<(usize, usize)> = turns.iter().map(Turn::place).collect();
        assert_eq!(places, [(0, 3), (1, 3), (2, 3)]);
    }
}
