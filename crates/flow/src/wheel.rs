//! A timer wheel on packet time.
//!
//! Filing is lazy: a flow stays under the tick it was filed for while packets move its deadline
//! back, and is filed anew when that tick comes. An entry whose flow is gone, or filed under
//! another tick by now, is void. So a packet costs nothing here, and a flow is looked at about
//! once per timeout.

use std::collections::VecDeque;

use weir_base::Timestamp;

/// Ticks the wheel can tell apart; later ones wait in the last slot and are filed anew there.
const SLOTS: u64 = 4096;

/// One tick is 2^30 nanoseconds, a little over a second.
const TICK_BITS: u32 = 30;

/// A flow as the wheel knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Slot of the flow in the table.
    pub(crate) slot: u32,
    /// Generation of the flow in its slot.
    pub(crate) generation: u32,
    /// Tick under which this entry is filed, its low bits: as many as a century takes.
    pub(crate) tick: u32,
}

/// Flows by the tick in which they may time out.
#[derive(Debug)]
pub(crate) struct Wheel {
    /// By tick, and within a tick in the order of filing.
    slots: Vec<VecDeque<Entry>>,
    /// A bit for each slot with entries.
    filled: Vec<u64>,
    /// All earlier ticks are done.
    cursor: u64,
    started: bool,
}

impl Wheel {
    pub(crate) fn new() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| VecDeque::new()).collect(),
            filled: vec![0; (SLOTS / 64) as usize],
            cursor: 0,
            started: false,
        }
    }

    pub(crate) const fn tick_of(time: Timestamp) -> u64 {
        time.0 >> TICK_BITS
    }

    /// Returns the number of ticks from the one with these low bits to a time.
    pub(crate) const fn ticks_past(time: Timestamp, tick: u32) -> i32 {
        (Self::tick_of(time) as u32).wrapping_sub(tick) as i32
    }

    /// Files a flow that may time out at `deadline`; the low bits of the tick it is filed under.
    pub(crate) fn file(&mut self, slot: u32, generation: u32, deadline: Timestamp, now: Timestamp) -> u32 {
        if !self.started {
            self.started = true;
            self.cursor = Self::tick_of(now);
        }
        let tick = Self::tick_of(deadline).clamp(self.cursor, self.cursor + SLOTS - 1);
        let place = (tick % SLOTS) as usize;
        let tick = tick as u32;
        if let Some(entries) = self.slots.get_mut(place) {
            entries.push_back(Entry { slot, generation, tick });
        }
        if let Some(word) = self.filled.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
        tick
    }

    /// Moves the entries of the earliest filled tick before `end` into `into`; false where there
    /// is none, with the cursor then at `end`.
    pub(crate) fn take_before(&mut self, end: u64, into: &mut Vec<Entry>) -> bool {
        if !self.started {
            return false;
        }
        match self.next_filled() {
            Some(tick) if tick < end => {
                self.empty(tick, into);
                self.cursor = tick + 1;
                true
            }
            _ => {
                self.cursor = self.cursor.max(end);
                false
            }
        }
    }

    /// Takes the entry of the earliest filled tick, wherever that is, that was filed first: in a flood
    /// each new flow then lives as long as the table has room, long enough for a handshake.
    pub(crate) fn pop_earliest(&mut self) -> Option<Entry> {
        let place = (self.next_filled()? % SLOTS) as usize;
        let entries = self.slots.get_mut(place)?;
        let entry = entries.pop_front();
        if entries.is_empty()
            && let Some(word) = self.filled.get_mut(place / 64)
        {
            *word &= !(1 << (place % 64));
        }
        entry
    }

    fn empty(&mut self, tick: u64, into: &mut Vec<Entry>) {
        let place = (tick % SLOTS) as usize;
        if let Some(entries) = self.slots.get_mut(place) {
            into.extend(entries.drain(..));
        }
        if let Some(word) = self.filled.get_mut(place / 64) {
            *word &= !(1 << (place % 64));
        }
    }

    /// The first tick from the cursor on whose slot has entries.
    fn next_filled(&self) -> Option<u64> {
        let start = self.cursor % SLOTS;
        let words = SLOTS / 64;
        for step in 0..=words {
            let index = (start / 64 + step) % words;
            let mut word = *self.filled.get(index as usize)?;
            if step == 0 {
                word &= u64::MAX << (start % 64);
            } else if step == words {
                word &= (1u64 << (start % 64)) - 1;
            }
            if word != 0 {
                let place = index * 64 + u64::from(word.trailing_zeros());
                return Some(self.cursor + (place + SLOTS - start) % SLOTS);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_order_of_ticks() {
        let second = |s: u64| Timestamp(s << TICK_BITS);
        let mut wheel = Wheel::new();
        for (slot, at) in [(1, 130), (2, 101), (3, 4100), (4, 9999), (5, 101)] {
            wheel.file(slot, 0, second(at), second(100));
        }
        let mut taken = Vec::new();
        assert!(!wheel.take_before(101, &mut taken));
        while wheel.take_before(5000, &mut taken) {}
        let order: Vec<_> = taken.iter().map(|e| (e.slot, e.tick)).collect();
        assert_eq!(order, [(2, 101), (5, 101), (1, 130), (3, 4100), (4, 4195)]);
    }

    #[test]
    fn the_first_filed_goes_first() {
        let second = |s: u64| Timestamp(s << TICK_BITS);
        let mut wheel = Wheel::new();
        for (slot, at) in [(1, 105), (2, 101), (3, 101)] {
            wheel.file(slot, 0, second(at), second(100));
        }
        let order: Vec<_> = std::iter::from_fn(|| wheel.pop_earliest()).map(|entry| entry.slot).collect();
        assert_eq!(order, [2, 3, 1]);
    }
}
