//! The objects of the values of a set of JSON, by numbers that values have.

use std::sync::Arc;

/// Bytes that an object takes besides its text.
const COST: u64 = 32;

/// Objects, and numbers of those that went.
#[derive(Debug, Default)]
pub(super) struct Objects {
    list: Vec<Arc<str>>,
    free: Vec<u32>,
}

impl Objects {
    /// Keeps an object; none where no number is left for it.
    pub(super) fn put(&mut self, json: Arc<str>) -> Option<u32> {
        if let Some(number) = self.free.pop()
            && let Some(place) = self.list.get_mut(number as usize)
        {
            *place = json;
            return Some(number);
        }
        let number = u32::try_from(self.list.len()).ok()?;
        self.list.push(json);
        Some(number)
    }

    pub(super) fn get(&self, number: u32) -> Option<Arc<str>> {
        self.list.get(number as usize).map(Arc::clone)
    }

    /// Lets an object go; the answer is what it took.
    pub(super) fn remove(&mut self, number: u32) -> u64 {
        let Some(place) = self.list.get_mut(number as usize) else { return 0 };
        let json = std::mem::take(place);
        self.free.push(number);
        cost(&json)
    }
}

/// Bytes that an object counts for.
pub(super) const fn cost(json: &str) -> u64 {
    json.len() as u64 + COST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_used_again() {
        let mut objects = Objects::default();
        assert_eq!(["{}", "[]"].map(|json| objects.put(json.into())), [Some(0), Some(1)]);
        assert_eq!((objects.remove(0), objects.remove(9)), (COST + 2, 0));
        assert_eq!(objects.put("{\"a\":1}".into()), Some(0));
        assert_eq!(objects.get(0).as_deref(), Some("{\"a\":1}"));
        assert_eq!((objects.get(1).as_deref(), objects.get(2)), (Some("[]"), None));
    }
}
