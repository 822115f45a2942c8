//! Statistics of few measurements: confidence intervals by bootstrap, and a law of scaling fitted to throughputs.

/// Draws of a bootstrap.
const DRAWS: usize = 2000;
/// Beginning of its random numbers: the same measurements give the same interval.
const SEED: u64 = 0x5eed_0f9e_3779_b951;

/// Interval that holds the true value with a confidence of 95 %.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Random numbers, always the same (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * count as u128) >> 64) as usize
    }
}

/// Returns the interval of the median of some numbers, by bootstrap percentiles; none of fewer than two.
pub fn median_interval(numbers: &[f64]) -> Option<Interval> {
    if numbers.len() < 2 {
        return None;
    }
    let mut random = Random(SEED);
    let mut medians: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let draw = (0..numbers.len()).filter_map(|_| numbers.get(random.below(numbers.len())).copied());
            median(draw.collect())
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at =
        |part: f64| medians.get((part * (DRAWS - 1) as f64).round() as usize).copied().unwrap_or_default();
    Some(Interval { low: at(0.025), high: at(0.975) })
}

/// Returns the median; 0 of none.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let at = |place: usize| numbers.get(place).copied().unwrap_or_default();
    match numbers.len() {
        0 => 0.0,
        count if count % 2 == 1 => at(count / 2),
        count => f64::midpoint(at(count / 2 - 1), at(count / 2)),
    }
}

/// Returns mean and standard deviation (of a sample: divided by one less than the count).
pub fn mean_and_deviation(numbers: &[f64]) -> (f64, f64) {
    if numbers.is_empty() {
        return (0.0, 0.0);
    }
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (mean, if numbers.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() })
}

/// The universal scalability law (Gunther): `n` workers do `one · n / (1 + contention · (n - 1) + coherence · n · (n - 1))`.
/// Without the last term it is Amdahl's law, and `contention` the part that only one can do at a time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Scaling {
    /// Throughput of one.
    pub one: f64,
    /// Part of the work for which workers wait in line.
    pub contention: f64,
    /// Part of the work that each does for each other one.
    pub coherence: f64,
}

impl Scaling {
    /// Fits the law to throughputs by number of workers, by least squares; none without one worker and another number.
    /// Two numbers of workers tell no coherence.
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let one = points.iter().find(|(workers, _)| *workers == 1.0)?.1;
        let others: Vec<(f64, f64)> = points
            .iter()
            .filter(|(workers, throughput)| *workers > 1.0 && *throughput > 0.0)
            .map(|(workers, throughput)| (*workers, workers * one / throughput - 1.0))
            .collect();
        if others.is_empty() || one <= 0.0 {
            return None;
        }
        // y = contention · a + coherence · b, with a = n - 1 and b = n · (n - 1).
        let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (workers, y) in &others {
            let (a, b) = (workers - 1.0, workers * (workers - 1.0));
            aa += a * a;
            ab += a * b;
            bb += b * b;
            ay += a * y;
            by += b * y;
        }
        let amdahl = Self { one, contention: (ay / aa).max(0.0), coherence: 0.0 };
        let determinant = aa * bb - ab * ab;
        if others.len() < 2 || determinant.abs() < 1e-9 {
            return Some(amdahl);
        }
        let contention = (ay * bb - by * ab) / determinant;
        let coherence = (by * aa - ay * ab) / determinant;
        Some(match (contention >= 0.0, coherence >= 0.0) {
            (true, true) => Self { one, contention, coherence },
            (true, false) => amdahl,
            _ => Self { one, contention: 0.0, coherence: (by / bb).max(0.0) },
        })
    }

    /// Returns the throughput of so many workers.
    pub fn throughput(&self, workers: f64) -> f64 {
        let waits = self.contention * (workers - 1.0) + self.coherence * workers * (workers - 1.0);
        self.one * workers / (1.0 + waits)
    }

    /// Returns the number of workers beyond which more do less; none where there is none.
    pub fn best(&self) -> Option<f64> {
        (self.coherence > 1e-9).then(|| ((1.0 - self.contention).max(0.0) / self.coherence).sqrt().max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_median_and_are_the_same_each_time() {
        let numbers: Vec<f64> = (0..41).map(f64::from).collect();
        let interval = median_interval(&numbers).expect("an interval");
        assert!(interval.low >= 10.0 && interval.low < 20.0 && interval.high > 20.0 && interval.high <= 30.0);
        assert_eq!(median_interval(&numbers), Some(interval));
        assert_eq!(median_interval(&[1.0]), None);
        assert_eq!(median_interval(&[3.0, 3.0, 3.0]), Some(Interval { low: 3.0, high: 3.0 }));
    }

    #[test]
    fn means_and_medians() {
        let cases: [(&[f64], f64, f64, f64); 4] = [
            (&[], 0.0, 0.0, 0.0),
            (&[5.0], 5.0, 5.0, 0.0),
            (&[2.0, 4.0], 3.0, 3.0, std::f64::consts::SQRT_2),
            (&[1.0, 2.0, 9.0], 2.0, 4.0, 19.0_f64.sqrt()),
        ];
        for (numbers, middle, mean, deviation) in cases {
            assert_eq!(median(numbers.to_vec()), middle);
            let found = mean_and_deviation(numbers);
            assert!((found.0 - mean).abs() < 1e-9 && (found.1 - deviation).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn laws_are_found_again() {
        let laws = [(0.05, 0.001), (0.2, 0.0), (0.0, 0.01), (0.0, 0.0)];
        for (contention, coherence) in laws {
            let law = Scaling { one: 100.0, contention, coherence };
            let points: Vec<(f64, f64)> =
                [1.0, 2.0, 4.0, 8.0].map(|workers| (workers, law.throughput(workers))).to_vec();
            let found = Scaling::fit(&points).expect("a law");
            assert!((found.contention - contention).abs() < 1e-6, "{found:?}");
            assert!((found.coherence - coherence).abs() < 1e-6, "{found:?}");
        }
        let two = Scaling::fit(&[(1.0, 100.0), (2.0, 180.0)]).expect("a law");
        assert!((two.contention - 1.0 / 9.0).abs() < 1e-9 && two.coherence == 0.0 && two.best().is_none());
        assert!((two.throughput(2.0) - 180.0).abs() < 1e-9);
        assert_eq!(Scaling::fit(&[(2.0, 1.0)]), None);
        assert_eq!(Scaling::fit(&[(1.0, 1.0)]), None);
        let faster = Scaling::fit(&[(1.0, 100.0), (2.0, 210.0), (3.0, 330.0)]).expect("a law");
        assert_eq!((faster.contention, faster.coherence), (0.0, 0.0));
    }
}
