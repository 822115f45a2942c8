//! Which bytes of one direction were seen: enough to tell what is missing, without the bytes.

/// Most separate ranges kept above a hole; more are treated as if they were the hole's end.
const MAX_RANGES: usize = 256;

/// Positions seen, relative to the start of the sequence space (the first byte has position 1).
#[derive(Clone, Debug)]
pub(super) struct SeenBytes {
    /// Everything before is seen or given up.
    contiguous: u64,
    /// Ranges beyond, ascending, apart from each other.
    ahead: Vec<(u64, u64)>,
}

impl Default for SeenBytes {
    fn default() -> Self {
        Self { contiguous: 1, ahead: Vec::new() }
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
        self.contiguous > limit.max(1) || !self.ahead.is_empty()
    }

    /// Takes in the bytes from `start` to before `end`.
    #[inline]
    pub(super) fn add(&mut self, start: u64, end: u64) {
        if end <= self.contiguous || end <= start {
            return;
        }
        if start <= self.contiguous {
            self.contiguous = end;
            if !self.ahead.is_empty() {
                self.absorb();
            }
            return;
        }
        self.add_ahead(start, end);
    }

    fn add_ahead(&mut self, start: u64, end: u64) {
        let from = self.ahead.partition_point(|range| range.1 < start);
        let to = self.ahead.partition_point(|range| range.0 <= end);
        let merged = self
            .ahead
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .fold((start, end), |all, range| (all.0.min(range.0), all.1.max(range.1)));
        self.ahead.splice(from..to.max(from), [merged]);
        if self.ahead.len() > MAX_RANGES {
            self.ahead.pop();
        }
    }

    fn absorb(&mut self) {
        let taken = self.ahead.iter().take_while(|range| range.0 <= self.contiguous).count();
        for range in self.ahead.drain(..taken) {
            self.contiguous = self.contiguous.max(range.1);
        }
    }

    /// Gives up what is missing before `limit`, hole by hole: the length of the next one.
    pub(super) fn next_hole(&mut self, limit: u64) -> Option<u64> {
        if self.contiguous >= limit {
            return None;
        }
        let end = self.ahead.first().map_or(limit, |range| range.0.min(limit));
        let length = end.saturating_sub(self.contiguous);
        self.contiguous = end;
        self.absorb();
        Some(length)
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
