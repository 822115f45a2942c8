//! Tests of randomness, as the program `ent` (J. Walker) makes them.

/// Counts of bytes.
#[derive(Clone, Debug)]
pub struct Entropy {
    counts: [u64; 256],
    total: u64,
    /// Places of the point that the next bytes make, for the area of the circle.
    point: Vec<u8>,
    inside: u64,
    points: u64,
    first: f64,
    last: f64,
    products: f64,
    sum: f64,
    squares: f64,
}

/// Bytes of a coordinate.
const COORDINATE: usize = 3;

/// The results.
#[derive(Clone, Copy, Debug)]
pub struct Findings {
    /// Bits of information per byte.
    pub entropy: f64,
    /// Distance from equal frequencies.
    pub chi_square: f64,
    /// The mean of the bytes.
    pub mean: f64,
    /// Pi, from random points.
    pub pi: f64,
    /// How much a byte depends on the one before it.
    pub correlation: f64,
}

impl Default for Entropy {
    fn default() -> Self {
        Self {
            counts: [0; 256],
            total: 0,
            point: Vec::new(),
            inside: 0,
            points: 0,
            first: 0.0,
            last: 0.0,
            products: 0.0,
            sum: 0.0,
            squares: 0.0,
        }
    }
}

impl Entropy {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let value = f64::from(*byte);
            if let Some(count) = self.counts.get_mut(usize::from(*byte)) {
                *count += 1;
            }
            if self.total == 0 {
                self.first = value;
            } else {
                self.products += self.last * value;
            }
            self.total += 1;
            self.sum += value;
            self.squares += value * value;
            self.last = value;
            self.point.push(*byte);
            if self.point.len() == 2 * COORDINATE {
                self.place_point();
            }
        }
    }

    fn place_point(&mut self) {
        let number = |bytes: &[u8]| bytes.iter().fold(0.0, |sum, byte| sum * 256.0 + f64::from(*byte));
        let (x, y) = self.point.split_at(COORDINATE);
        let radius = (256f64.powi(3) - 1.0).powi(2);
        self.points += 1;
        if number(x).powi(2) + number(y).powi(2) <= radius {
            self.inside += 1;
        }
        self.point.clear();
    }

    /// Returns the results.
    pub fn findings(&self) -> Findings {
        let total = self.total as f64;
        let products = self.products + self.last * self.first;
        let squared = self.sum * self.sum;
        let spread = total * self.squares - squared;
        let correlation = if spread == 0.0 { -100_000.0 } else { (total * products - squared) / spread };
        let expected = total / 256.0;
        let chi_square = self.counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
        let shares = self.counts.iter().map(|count| *count as f64 / total);
        let entropy = shares.filter(|share| *share > 0.0).map(|share| share * (1.0 / share).log2()).sum();
        Findings {
            entropy,
            chi_square,
            mean: self.sum / total,
            pi: 4.0 * self.inside as f64 / self.points as f64,
            correlation,
        }
    }
}
