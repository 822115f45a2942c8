//! Sets of ports as the configuration writes them: `80, 443, 8000:8080`.

use std::ops::RangeInclusive;

/// Most ranges of one set; what lies beyond is reported and left out.
const MAX_RANGES: usize = 256;

/// A set of ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortSet(Vec<RangeInclusive<u16>>);

impl PortSet {
    /// The ports listed.
    pub fn of(ports: &[u16]) -> Self {
        Self(ports.iter().map(|&port| port..=port).collect())
    }

    /// Reads numbers and ranges separated by commas, perhaps in brackets. The error is the part
    /// that is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_start_matches('[').trim_end_matches(']');
        let mut ranges = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let range = if part.eq_ignore_ascii_case("any") { Some(0..=u16::MAX) } else { parse_range(part) };
            match range {
                Some(range) if ranges.len() < MAX_RANGES => ranges.push(range),
                _ => return Err(part.to_owned()),
            }
        }
        Ok(Self(ranges))
    }

    /// Whether `port` is in the set.
    pub fn contains(&self, port: u16) -> bool {
        self.0.iter().any(|range| range.contains(&port))
    }

    /// Adds the ports of another set.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
        self.0.truncate(MAX_RANGES);
    }
}

/// The ports of many sets: asked in constant time.
#[derive(Debug)]
pub(crate) struct PortMap(Box<[u64; 1024]>);

impl Default for PortMap {
    fn default() -> Self {
        Self(Box::new([0; 1024]))
    }
}

impl PortMap {
    /// Adds the ports of a set.
    pub(crate) fn insert(&mut self, set: &PortSet) {
        for port in set.0.iter().cloned().flatten() {
            if let Some(word) = self.0.get_mut(usize::from(port / 64)) {
                *word |= 1 << (port % 64);
            }
        }
    }

    /// Whether `port` is in one of the sets.
    pub(crate) fn contains(&self, port: u16) -> bool {
        self.0.get(usize::from(port / 64)).is_some_and(|word| word & (1 << (port % 64)) != 0)
    }
}

/// `53` or `5000:5010` or `1024:`.
fn parse_range(text: &str) -> Option<RangeInclusive<u16>> {
    let Some((low, high)) = text.split_once([':', '-']) else {
        let port = text.parse().ok()?;
        return Some(port..=port);
    };
    let low = low.trim().parse().ok()?;
    let high = if high.trim().is_empty() { u16::MAX } else { high.trim().parse().ok()? };
    (low <= high).then_some(low..=high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_as_written() {
        let cases = [
            ("80", vec![80], vec![79, 81]),
            ("139, 445", vec![139, 445], vec![140]),
            ("[53,853]", vec![53, 853], vec![0]),
            ("5000:5002, 7", vec![5000, 5001, 5002, 7], vec![4999, 5003]),
            ("60000:", vec![60000, 65535], vec![59999]),
            ("any", vec![0, 65535], vec![]),
            ("", vec![], vec![0]),
        ];
        for (text, inside, outside) in cases {
            let set = PortSet::parse(text).unwrap();
            assert!(inside.iter().all(|&port| set.contains(port)), "{text}");
            assert!(!outside.iter().any(|&port| set.contains(port)), "{text}");
            let mut map = PortMap::default();
            map.insert(&PortSet::of(&[1]));
            map.insert(&set);
            assert!(
                (0..=u16::MAX).all(|port| map.contains(port) == (port == 1 || set.contains(port))),
                "{text}"
            );
        }
        for text in ["http", "5:4", "70000", "80,!443"] {
            assert!(PortSet::parse(text).is_err(), "{text}");
        }
    }
}
