//! The choice of units that are measured.

use super::aspects::{Aspect, Aspects, measure};

/// Share of the units that is measured.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Rate {
    /// None.
    #[default]
    Off,
    /// One in so many; all with one.
    OneIn(u32),
}

impl Rate {
    /// The rate of runs that are measured all the time.
    pub const SAMPLED: Self = Self::OneIn(128);

    /// Returns the units that one stands for.
    pub const fn period(self) -> u32 {
        match self {
            Self::Off | Self::OneIn(0) => 0,
            Self::OneIn(period) => period,
        }
    }
}

/// Aspects that are measured together where not all units are: what is measured within something else adds to its ticks.
const TURNS: [Aspects; 3] = [
    Aspects::of(Aspect::Layers),
    Aspects::of(Aspect::Rules).with(Aspect::Groups).with(Aspect::Prefilters),
    Aspects::of(Aspect::Keywords),
];

/// Chooses the units of a thread that are measured, at distances that vary, so that nothing that repeats in the traffic
/// goes with them. The distances are the same in each run.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Units until the next that is measured.
    left: u32,
    rate: Rate,
    wanted: Aspects,
    /// Numbers the units that are measured.
    turn: usize,
    seed: u32,
}

impl Default for Sampler {
    fn default() -> Self {
        Self::new(Rate::Off, Aspects::NONE)
    }
}

impl Sampler {
    /// A sampler that has these aspects measured.
    pub fn new(rate: Rate, wanted: Aspects) -> Self {
        let mut sampler = Self { left: 0, rate, wanted, turn: 0, seed: 0x9e37_79b9 };
        sampler.left = sampler.distance();
        // The first unit is as likely as the others.
        if sampler.is_on() {
            sampler.left %= rate.period();
        }
        sampler
    }

    /// Whether anything is measured.
    pub fn is_on(&self) -> bool {
        self.rate.period() > 0 && !self.wanted.is_empty()
    }

    /// Returns the rate.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns what is measured.
    pub const fn wanted(&self) -> Aspects {
        self.wanted
    }

    /// Returns the units that one stands for in which `aspect` was measured; zero where it never is.
    pub fn factor(&self, aspect: Aspect) -> u64 {
        match self.wanted.has(aspect) {
            true => u64::from(self.rate.period()) * self.turns() as u64,
            false => 0,
        }
    }

    /// Whether the unit that begins now is to be measured.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        if self.left != 0 {
            self.left -= 1;
            return false;
        }
        self.is_chosen()
    }

    #[cold]
    fn is_chosen(&mut self) -> bool {
        self.left = self.distance();
        self.is_on()
    }

    /// Begins to measure the unit; the answer is what of it.
    pub fn begin(&mut self) -> Aspects {
        let aspects = match self.turns() {
            1 => self.wanted,
            turns => {
                let turn = self.turn % turns;
                let mut wanted = TURNS.iter().filter(|aspects| !aspects.and(self.wanted).is_empty());
                wanted.nth(turn).map_or(Aspects::NONE, |aspects| aspects.and(self.wanted))
            }
        };
        self.turn = self.turn.wrapping_add(1);
        measure(aspects);
        aspects
    }

    /// The unit is over.
    pub fn end(&self) {
        measure(Aspects::NONE);
    }

    /// Returns after how many measured units the first aspects come again.
    fn turns(&self) -> usize {
        match self.rate {
            Rate::OneIn(1) => 1,
            _ => TURNS.iter().filter(|aspects| !aspects.and(self.wanted).is_empty()).count().max(1),
        }
    }

    /// Returns the units between two that are measured: so many that one in a period is on average, and half as many at
    /// least.
    fn distance(&mut self) -> u32 {
        let Some(mean) = self.rate.period().checked_sub(1).filter(|_| self.is_on()) else { return u32::MAX };
        // xorshift: which units are measured is to be no function of the traffic, and need be no secret.
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 17;
        self.seed ^= self.seed << 5;
        let spread = mean.div_ceil(2);
        mean - spread + self.seed % (2 * spread + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::is_measured;

    fn all() -> Aspects {
        Aspect::ALL.into_iter().fold(Aspects::NONE, Aspects::with)
    }

    #[test]
    fn one_in_so_many_is_due() {
        for (rate, wanted, least, most) in [
            (Rate::Off, all(), 0, 0),
            (Rate::OneIn(4), Aspects::NONE, 0, 0),
            (Rate::OneIn(1), all(), 100_000, 100_000),
            (Rate::OneIn(2), all(), 49_000, 51_000),
            (Rate::OneIn(10), all(), 9_800, 10_200),
            (Rate::OneIn(128), all(), 750, 810),
            (Rate::OneIn(200_000), all(), 0, 1),
        ] {
            let mut sampler = Sampler::new(rate, wanted);
            let due = (0..100_000).filter(|_| sampler.is_due()).count();
            assert!((least..=most).contains(&due), "{rate:?} {wanted:?}: {due}");
        }
    }

    #[test]
    fn aspects_take_turns_unless_all_units_are_measured() {
        for (rate, wanted, factor) in [
            (Rate::OneIn(1), all(), 1),
            (Rate::OneIn(8), all(), 24),
            (Rate::OneIn(8), Aspects::of(Aspect::Rules).with(Aspect::Groups), 8),
            (Rate::OneIn(8), Aspects::of(Aspect::Rules).with(Aspect::Layers), 16),
            (Rate::Off, all(), 0),
            (Rate::OneIn(8), Aspects::of(Aspect::Layers), 0),
        ] {
            let mut sampler = Sampler::new(rate, wanted);
            assert_eq!(sampler.factor(Aspect::Rules), factor, "{rate:?} {wanted:?}");
            let mut seen = 0;
            for _ in 0..24 {
                sampler.begin();
                seen += u64::from(is_measured(Aspect::Rules));
                sampler.end();
                assert!(!is_measured(Aspect::Rules));
            }
            if factor > 0 {
                assert_eq!(seen * factor, 24 * u64::from(rate.period()), "{rate:?} {wanted:?}");
            }
        }
    }
}
