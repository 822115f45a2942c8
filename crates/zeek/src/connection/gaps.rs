//! Ranges of one direction's bytes that were seen: enough to find what is missing, without the bytes.

/// Most separate ranges kept above a hole; more are treated as if they were the hole's end.
const MAX_RANGES: usize = 256;

/// Positions seen, relative to the start of the sequence space (the first byte has position 1).
#[derive(Clone, Debug)]
pub(super) struct SeenBytes {
    /// Everything before is seen or given up.
    contiguous: u64,
    /// Bytes seen beyond; few connections have any.
    ahead: Option<Box<Ahead>>,
}

/// Ranges behind a hole, ascending, apart from each other.
type Ahead = Vec<(u64, u64)>;

impl Default for SeenBytes {
    fn default() -> Self {
        Self { contiguous: 1, ahead: None }
    }
}

impl SeenBytes {
    /// Whether nothing is missing before `limit`.
    #[inline]
    pub(super) const fn is_contiguous_to(&self, limit: u64) -> bool {
        self.contiguous >= limit
    }

    /// Up to where nothing is missing.
    pub(super) const fn contiguous(&self) -> u64 {
        self.contiguous
    }

    /// Whether bytes behind `limit` were seen.
    pub(super) fn reaches_beyond(&self, limit: u64) -> bool {
        self.contiguous > limit.max(1) || self.ahead.as_ref().is_some_and(|ahead| !ahead.is_empty())
    }

    /// Takes in the bytes from `start` to before `end`.
    #[inline]
    pub(super) fn add(&mut self, start: u64, end: u64) {
        if end <= self.contiguous || end <= start {
            return;
        }
        if start <= self.contiguous {
            self.contiguous = end;
            self.absorb();
            return;
        }
        add_ahead(self.ahead.get_or_insert_default(), start, end);
    }

    /// Everything before `position` was seen, and nothing behind it.
    pub(super) fn jump(&mut self, position: u64) {
        (self.contiguous, self.ahead) = (position, None);
    }

    #[inline]
    fn absorb(&mut self) {
        let Some(ahead) = &mut self.ahead else { return };
        let taken = ahead.iter().take_while(|range| range.0 <= self.contiguous).count();
        for range in ahead.drain(..taken) {
            self.contiguous = self.contiguous.max(range.1);
        }
    }

    /// Gives up what is missing before `limit`, hole by hole: the length of the next one.
    pub(super) fn next_hole(&mut self, limit: u64) -> Option<u64> {
        if self.contiguous >= limit {
            return None;
        }
        let first = self.ahead.as_ref().and_then(|ahead| ahead.first());
        let end = first.map_or(limit, |range| range.0.min(limit));
        let length = end.saturating_sub(self.contiguous);
        self.contiguous = end;
        self.absorb();
        Some(length)
    }
}

fn add_ahead(ahead: &mut Ahead, start: u64, end: u64) {
    let from = ahead.partition_point(|range| range.1 < start);
    let to = ahead.partition_point(|range| range.0 <= end);
    let touched = ahead.get(from..to).unwrap_or_default();
    let merged = touched.iter().fold((start, end), |all, range| (all.0.min(range.0), all.1.max(range.1)));
    ahead.splice(from..to.max(from), [merged]);
    if ahead.len() > MAX_RANGES {
        ahead.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_up_to_an_acknowledgement() {
        let mut seen = SeenBytes::default();
        seen.add(1, 10);
        seen.add(20, 30);
        seen.add(40, 50);
        seen.add(28, 35);
        assert_eq!(seen.next_hole(10), None);
        assert_eq!(seen.next_hole(45), Some(10));
        assert_eq!(seen.next_hole(45), Some(5));
        assert_eq!(seen.next_hole(45), None);
        assert_eq!(seen.contiguous, 50);
        seen.add(60, 70);
        seen.add(50, 60);
        assert_eq!(seen.contiguous, 70);
        assert_eq!(seen.next_hole(100), Some(30));
    }
}
