//! Sums of what something that matches or does not has cost.

/// Checks of one kind, with the ticks that they took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Number of checks.
    pub checks: u64,
    /// Number of those that matched.
    pub matches: u64,
    /// Ticks of those.
    pub ticks_match: u64,
    /// Ticks of the others.
    pub ticks_no_match: u64,
    /// Ticks of the longest.
    pub max: u64,
}

impl Cost {
    /// Adds a check.
    pub fn add(&mut self, ticks: u64, is_match: bool) {
        self.checks += 1;
        self.max = self.max.max(ticks);
        if is_match {
            self.matches += 1;
            self.ticks_match += ticks;
        } else {
            self.ticks_no_match += ticks;
        }
    }

    /// Adds the checks of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.checks += other.checks;
        self.matches += other.matches;
        self.ticks_match += other.ticks_match;
        self.ticks_no_match += other.ticks_no_match;
        self.max = self.max.max(other.max);
    }

    /// Returns all ticks.
    pub const fn ticks(&self) -> u64 {
        self.ticks_match + self.ticks_no_match
    }

    /// Returns the ticks of a check.
    pub fn average(&self) -> f64 {
        ratio(self.ticks(), self.checks)
    }

    /// Returns the ticks of a check that matched.
    pub fn average_match(&self) -> f64 {
        ratio(self.ticks_match, self.matches)
    }

    /// Returns the ticks of one that did not.
    pub fn average_no_match(&self) -> f64 {
        ratio(self.ticks_no_match, self.checks - self.matches)
    }

    /// Returns the cost of so many times the checks; the longest stays.
    #[must_use]
    pub const fn times(&self, factor: u64) -> Self {
        Self {
            checks: self.checks * factor,
            matches: self.matches * factor,
            ticks_match: self.ticks_match * factor,
            ticks_no_match: self.ticks_no_match * factor,
            max: self.max,
        }
    }
}

/// Returns the quotient; zero of nothing.
fn ratio(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_add_up() {
        let mut cost = Cost::default();
        for (ticks, is_match) in [(10, false), (20, false), (70, true)] {
            cost.add(ticks, is_match);
        }
        assert_eq!((cost.checks, cost.matches, cost.ticks(), cost.max), (3, 1, 100, 70));
        assert_eq!((cost.average_match(), cost.average_no_match()), (70.0, 15.0));
        let mut both = cost.times(4);
        both.merge(&cost);
        assert_eq!((both.checks, both.ticks(), both.max), (15, 500, 70));
        assert_eq!((Cost::default().average(), both.average()), (0.0, 100.0 / 3.0));
    }
}
