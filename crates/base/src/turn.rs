//! Turns of workers at state that they share.
//!
//! Nearly all that a worker does concerns one flow, which lives on that worker. What rules share
//! between flows (thresholds by address, bits of hosts, sets that rules fill), and files that several
//! flows bring, must be touched in the order of the packets, or the records would depend on which
//! worker was quicker. A worker that is
//! about to do so waits until all others are past the position at which it stands. The one that is
//! farthest behind never waits, so that all get on. Who waits for long sleeps, and is woken by the one that it waits for.
//!
//! Workers that listen keep no order. Where they are recorded, the order in which they came is noted, and those that
//! repeat what was recorded keep to it ([`Sequence`]).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use crate::position::Place;
use crate::profile::locks::ORDER;
use crate::sequence::Sequence;
use crate::{Position, Timestamp};

/// Looks at the others before a waiting worker gives up its time slice.
const SPINS: u32 = 128;

/// Looks before it sleeps: workers that take turns at each packet are done sooner than one falls asleep and is woken.
const YIELDS: u32 = 512;

/// Longest sleep. The other worker does not wait for its own progress to be seen before it looks for sleepers, so that it
/// may miss one that falls asleep at this moment.
const SLEEP: Duration = Duration::from_millis(1);

/// A clock that nobody waits for.
const NEVER: u64 = u64::MAX;

/// Progress of one worker: all positions before are done. Alone on its cache lines.
#[repr(align(128))]
#[derive(Debug)]
struct Front {
    clock: AtomicU64,
    place: AtomicU64,
    /// The earliest clock that a sleeper waits for.
    awaited: AtomicU64,
    /// Who sleeps until this worker is past a position; as many as there are workers.
    sleepers: Mutex<Vec<(Position, Thread)>>,
}

impl Default for Front {
    fn default() -> Self {
        let (clock, place, awaited) = (0.into(), 0.into(), NEVER.into());
        Self { clock, place, awaited, sleepers: Mutex::default() }
    }
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
        if position.clock.0 >= self.awaited.load(Ordering::Relaxed) {
            self.rouse(|wanted, _| *wanted > position);
        }
    }

    /// Wakes those that are not to sleep on.
    #[cold]
    fn rouse(&self, sleeps_on: impl Fn(&Position, &Thread) -> bool) {
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.retain(|(wanted, thread)| {
            let sleeps_on = sleeps_on(wanted, thread);
            if !sleeps_on {
                thread.unpark();
            }
            sleeps_on
        });
        let earliest = sleepers.iter().map(|(wanted, _)| wanted.clock.0).min();
        self.awaited.store(earliest.unwrap_or(NEVER), Ordering::Relaxed);
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
            match spins {
                0..SPINS => std::hint::spin_loop(),
                SPINS..YIELDS => std::thread::yield_now(),
                _ => return self.sleep_past(position),
            }
        }
    }

    /// Sleeps until the worker of this front is past `position`.
    #[cold]
    fn sleep_past(&self, position: Position) {
        let own = std::thread::current();
        {
            let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
            sleepers.push((position, own.clone()));
            self.awaited.fetch_min(position.clock.0, Ordering::Relaxed);
        }
        while !self.is_past(position) {
            std::thread::park_timeout(SLEEP);
        }
        self.rouse(|_, thread| thread.id() != own.id());
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

    /// Returns the latest time of any packet up to this worker's position, where workers keep an order.
    pub fn clock(&self) -> Option<Timestamp> {
        self.fronts.get(self.worker).map(|front| front.own().clock)
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
    fn who_sleeps_is_woken_by_the_one_that_it_waits_for() {
        let turns = Turn::of(2);
        let at = |number| Position::new(Timestamp(5), number);
        turns[0].reach(at(7));
        let front = &turns[1].fronts[1];
        let awaited = || front.awaited.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| turns[0].wait());
            while awaited() == NEVER {
                std::thread::yield_now();
            }
            turns[1].reach(at(6));
            assert!(!waits.is_finished());
            turns[1].reach(at(8));
            waits.join().unwrap();
        });
        assert_eq!(awaited(), NEVER);
        assert!(front.sleepers.lock().unwrap().is_empty());
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
