//! The middle of some numbers, and how far they lie apart.

/// Median and quartiles.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spread {
    /// A quarter of the numbers are below.
    pub low: f64,
    /// The median.
    pub middle: f64,
    /// A quarter of the numbers are above.
    pub high: f64,
}

impl Spread {
    /// Of numbers in any order; zeroes where there are none.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Self { low: quantile(&sorted, 0.25), middle: quantile(&sorted, 0.5), high: quantile(&sorted, 0.75) }
    }

    /// From quartile to quartile, as a part of the median.
    pub fn relative(self) -> f64 {
        if self.middle == 0.0 { 0.0 } else { (self.high - self.low) / self.middle.abs() }
    }
}

/// Where a part of the numbers lies below, between neighbours where it falls between them.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * sorted.len().saturating_sub(1) as f64;
    let at = |index: f64| sorted.get(index as usize).copied().unwrap_or_default();
    let (below, above) = (at(place.floor()), at(place.ceil()));
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles() {
        let cases: [(&[f64], [f64; 3]); 5] = [
            (&[], [0.0, 0.0, 0.0]),
            (&[4.0], [4.0, 4.0, 4.0]),
            (&[3.0, 1.0], [1.5, 2.0, 2.5]),
            (&[5.0, 1.0, 3.0, 2.0, 4.0], [2.0, 3.0, 4.0]),
            (&[1.0, 1.0, 1.0, 100.0], [1.0, 1.0, 25.75]),
        ];
        for (numbers, [low, middle, high]) in cases {
            assert_eq!(Spread::of(numbers.iter().copied()), Spread { low, middle, high }, "{numbers:?}");
        }
        assert_eq!(Spread { low: 3.0, middle: 4.0, high: 5.0 }.relative(), 0.5);
        assert_eq!(Spread::default().relative(), 0.0);
    }
}
