//! Stacks of addresses, each kept once. All memory is taken at the beginning: a handler of signals and the allocator
//! may keep stacks.

/// Addresses of a stack, on average, that there is room for.
const AVERAGE_DEPTH: usize = 48;

/// Stacks.
#[derive(Debug)]
pub struct Stacks {
    addresses: Vec<u64>,
    entries: Vec<Entry>,
    /// A number of an entry, plus one; 0 where there is none. Its length is a power of two, twice that of entries.
    places: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    length: u32,
    hash: u64,
}

impl Stacks {
    /// Makes room for so many stacks, at most 2³⁰.
    pub fn new(most: usize) -> Self {
        let most = most.clamp(1, 1 << 30);
        Self {
            addresses: Vec::with_capacity(most * AVERAGE_DEPTH),
            entries: Vec::with_capacity(most),
            places: vec![0; (2 * most).next_power_of_two()],
        }
    }

    /// Returns the number of a stack; none where there is no room for a new one.
    pub fn keep(&mut self, stack: &[u64]) -> Option<u32> {
        let hash = hash(stack);
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let number = *self.places.get(place)?;
            let Some(at) = number.checked_sub(1) else { break };
            let entry = self.entries.get(at as usize)?;
            if entry.hash == hash && self.addresses(at) == stack {
                return Some(at);
            }
            place = (place + 1) & mask;
        }
        let has_room = self.entries.len() < self.entries.capacity()
            && self.addresses.len() + stack.len() <= self.addresses.capacity();
        has_room.then_some(())?;
        let start = u32::try_from(self.addresses.len()).ok()?;
        let at = u32::try_from(self.entries.len()).ok()?;
        self.addresses.extend_from_slice(stack);
        self.entries.push(Entry { start, length: u32::try_from(stack.len()).ok()?, hash });
        *self.places.get_mut(place)? = at + 1;
        Some(at)
    }

    /// Returns the addresses of a stack by its number; none of numbers that were not given.
    pub fn addresses(&self, number: u32) -> &[u64] {
        let Some(entry) = self.entries.get(number as usize) else { return &[] };
        let start = entry.start as usize;
        self.addresses.get(start..start + entry.length as usize).unwrap_or_default()
    }

    /// Returns the number of stacks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn hash(stack: &[u64]) -> u64 {
    let mix = |hash: u64, address: &u64| (hash.rotate_left(5) ^ address).wrapping_mul(0x517c_c1b7_2722_0a95);
    let hash = stack.iter().fold(stack.len() as u64, mix);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_have_numbers_until_there_is_no_room() {
        let mut stacks = Stacks::new(4);
        let cases: [(&[u64], Option<u32>); 7] = [
            (&[1, 2, 3], Some(0)),
            (&[1, 2], Some(1)),
            (&[1, 2, 3], Some(0)),
            (&[], Some(2)),
            (&[9; 100], Some(3)),
            (&[4], None),
            (&[1, 2], Some(1)),
        ];
        for (stack, expected) in cases {
            assert_eq!(stacks.keep(stack), expected, "{stack:?}");
        }
        assert_eq!((stacks.addresses(0), stacks.addresses(7), stacks.len()), (&[1, 2, 3][..], &[][..], 4));
    }
}
