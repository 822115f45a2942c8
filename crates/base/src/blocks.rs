//! A list of many items that grows without moving any.

/// Items of a block.
const BLOCK: usize = 1024;

/// A list in blocks: when it grows, nothing is copied and nobody waits for that, however long it is.
#[derive(Clone, Debug)]
pub struct Blocks<T> {
    blocks: Vec<Vec<T>>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T> Blocks<T> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.len())
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: T) {
        match self.blocks.last_mut().filter(|last| last.len() < BLOCK) {
            Some(last) => last.push(item),
            None => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(item);
                self.blocks.push(block);
            }
        }
    }

    /// The item at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.blocks.get(index / BLOCK)?.get(index % BLOCK)
    }

    /// Returns the item, to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.blocks.get_mut(index / BLOCK)?.get_mut(index % BLOCK)
    }

    /// All items, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_where_they_are() {
        let mut list = Blocks::default();
        assert!(list.is_empty() && list.get(0).is_none());
        let mut first = None;
        for number in 0..3 * BLOCK + 5 {
            list.push(number);
            let place = std::ptr::from_ref(list.get(0).unwrap());
            assert_eq!(*first.get_or_insert(place), place);
        }
        *list.get_mut(BLOCK).unwrap() += 7;
        assert_eq!(list.len(), 3 * BLOCK + 5);
        assert_eq!(
            (list.get(BLOCK), list.get(list.len() - 1), list.get(list.len())),
            (Some(&(BLOCK + 7)), Some(&(3 * BLOCK + 4)), None)
        );
        assert_eq!(list.iter().sum::<usize>(), (0..3 * BLOCK + 5).sum::<usize>() + 7);
    }
}
