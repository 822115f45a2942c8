//! Samples that are alive, by address: open addressing in memory that is taken at the beginning.

/// Table of samples.
#[derive(Debug)]
pub struct Table {
    slots: Vec<Slot>,
    used: usize,
    most: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Slot {
    /// 0 where the slot is free.
    address: usize,
    size: usize,
    stack: u32,
}

impl Table {
    /// Makes room for so many samples.
    pub fn new(most: usize) -> Self {
        let most = most.clamp(1, 1 << 30);
        Self { slots: vec![Slot::default(); (2 * most).next_power_of_two()], used: 0, most }
    }

    /// Adds a sample; false where there is no room. One with that address, which was freed unseen, is replaced.
    pub fn insert(&mut self, address: usize, size: usize, stack: u32) -> bool {
        let place = self.find(address);
        let is_full = self.used == self.most;
        let Some(slot) = self.slots.get_mut(place) else { return false };
        if slot.address == 0 {
            if is_full {
                return false;
            }
            self.used += 1;
        }
        *slot = Slot { address, size, stack };
        true
    }

    /// Takes a sample out and returns its size and the number of its stack.
    pub fn remove(&mut self, address: usize) -> Option<(usize, u32)> {
        let place = self.find(address);
        let slot = *self.slots.get(place)?;
        if slot.address == 0 {
            return None;
        }
        self.used -= 1;
        self.close(place);
        Some((slot.size, slot.stack))
    }

    /// The slot of an address, or the free one where it belongs.
    fn find(&self, address: usize) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = home(address) & mask;
        while let Some(slot) = self.slots.get(place) {
            if slot.address == 0 || slot.address == address {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    /// Frees a slot and moves those behind it forward that would not be found any more.
    fn close(&mut self, mut free: usize) {
        let mask = self.slots.len() - 1;
        let mut next = free;
        loop {
            next = (next + 1) & mask;
            let Some(slot) = self.slots.get(next).copied().filter(|slot| slot.address != 0) else { break };
            let distance_of_home = next.wrapping_sub(home(slot.address)) & mask;
            if distance_of_home >= (next.wrapping_sub(free) & mask) {
                if let Some(place) = self.slots.get_mut(free) {
                    *place = slot;
                }
                free = next;
            }
        }
        if let Some(place) = self.slots.get_mut(free) {
            *place = Slot::default();
        }
    }
}

/// Where an address belongs, before it is cut to the size of the table.
fn home(address: usize) -> usize {
    ((address as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn it_holds_what_a_map_would() {
        let mut table = Table::new(300);
        let mut map = HashMap::new();
        let mut state = 1_u64;
        for step in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let address = 16 * (1 + (state >> 40) as usize % 500);
            if state >> 33 & 1 == 0 && map.len() < 300 {
                assert!(table.insert(address, step, 7));
                map.insert(address, step);
            } else {
                assert_eq!(table.remove(address), map.remove(&address).map(|size| (size, 7)));
            }
        }
        assert_eq!(table.used, map.len());
        assert!(map.len() > 10, "{}", map.len());
    }

    #[test]
    fn it_says_when_it_is_full() {
        let mut table = Table::new(2);
        assert_eq!([16, 32, 48, 32].map(|address| table.insert(address, 1, 0)), [true, true, false, true]);
        assert_eq!(table.remove(48), None);
    }
}
