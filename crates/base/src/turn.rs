//! Whose turn it is to touch what workers share.
//!
//! Nearly all that a worker does concerns one flow, which lives on that worker. What rules share
//! between flows (thresholds by address, bits of hosts, sets that rules fill), and files that several
//! flows bring, must be touched in the order of the packets, or the records would depend on which
//! worker was quicker. A worker that is
//! about to do so waits until all others are past the position at which it stands. The one that is
//! farthest behind never waits, so that all get on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Position, Timestamp};

/// Looks at the others before a waiting worker gives up its time slice.
const SPINS: u32 = 128;

/// How far one worker is: all positions before are done. Alone on its cache lines.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Front {
    clock: AtomicU64,
    packet: AtomicU64,
}

impl Front {
    /// Moves on. The packet is taken back first: who reads between the two writes sees less than is
    /// true, never more.
    fn set(&self, position: Position) {
        if self.clock.load(Ordering::Relaxed) != position.clock.0 {
            self.packet.store(0, Ordering::Release);
            self.clock.store(position.clock.0, Ordering::Release);
        }
        self.packet.store(position.packet, Ordering::Release);
    }

    fn is_past(&self, position: Position) -> bool {
        let clock = self.clock.load(Ordering::Acquire);
        if clock != position.clock.0 {
            return clock > position.clock.0;
        }
        // A packet of a later clock may be read here: the worker is then past this position, too.
        self.packet.load(Ordering::Acquire) >= position.packet
    }
}

/// A worker's part in the order.
#[derive(Clone, Debug)]
pub struct Turn {
    fronts: Arc<[Front]>,
    worker: usize,
}

impl Turn {
    /// That of a worker that is alone; it never waits.
    pub fn alone() -> Self {
        Self { fronts: Arc::new([]), worker: 0 }
    }

    /// Those of so many workers.
    pub fn of(workers: usize) -> Vec<Self> {
        let fronts: Arc<[Front]> = (0..workers).map(|_| Front::default()).collect();
        (0..workers).map(|worker| Self { fronts: Arc::clone(&fronts), worker }).collect()
    }

    /// This worker is done with everything before `position`.
    #[inline]
    pub fn reach(&self, position: Position) {
        if let Some(front) = self.fronts.get(self.worker) {
            front.set(position);
        }
    }

    /// Returns when all others are past this worker's position: until the worker reaches the next
    /// one, it is the only one here.
    #[inline]
    pub fn wait(&self) {
        if let Some(own) = self.fronts.get(self.worker) {
            self.wait_for_others(own);
        }
    }

    #[cold]
    fn wait_for_others(&self, own: &Front) {
        let clock = Timestamp(own.clock.load(Ordering::Relaxed));
        let position = Position::new(clock, own.packet.load(Ordering::Relaxed));
        for (worker, front) in self.fronts.iter().enumerate() {
            let mut spins = 0;
            while worker != self.worker && !front.is_past(position) {
                spins += 1;
                if spins < SPINS {
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        }
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
    fn alone_nobody_waits() {
        let turn = Turn::alone();
        turn.reach(Position::END);
        turn.wait();
    }
}
