//! Ports: one port or a range, open at either end, and sets of them.

use super::expression::{Leaf, Set};
use super::ranges::RangeSet;

/// An inclusive range of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortRange {
    /// First port.
    pub first: u16,
    /// Last port.
    pub last: u16,
}

impl Leaf for PortRange {
    type Set = PortSet;
    const WHAT: &'static str = "port";
    const MISSING: &'static str = "Here a port is missing.";
    const HELP: &'static str = "ports are any, 80, 80:90, :1024, 1024:, $NAME, !x, [x,y]";

    fn parse(text: &str) -> Option<Self> {
        let Some((first, last)) = text.split_once(':') else {
            let port = parse_port(text)?;
            return Some(Self { first: port, last: port });
        };
        let range = match (first.trim(), last.trim()) {
            ("", "") => return None,
            ("", last) => Self { first: 0, last: parse_port(last)? },
            (first, "") => Self { first: parse_port(first)?, last: u16::MAX },
            (first, last) => Self { first: parse_port(first)?, last: parse_port(last)? },
        };
        (range.first <= range.last).then_some(range)
    }
}

fn parse_port(text: &str) -> Option<u16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A set of ports.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct PortSet {
    ports: RangeSet<u16>,
}

impl PortSet {
    /// Every port.
    pub fn any() -> Self {
        Self { ports: RangeSet::full() }
    }

    /// Whether the set holds every port.
    pub fn is_any(&self) -> bool {
        self.ports.is_full()
    }

    /// Whether the set holds `port`.
    pub fn contains(&self, port: u16) -> bool {
        self.ports.contains(port)
    }

    /// The ranges, first and last port, in ascending order.
    pub fn ranges(&self) -> &[(u16, u16)] {
        self.ports.ranges()
    }
}

impl Set for PortSet {
    type Leaf = PortRange;

    fn any() -> Self {
        Self::any()
    }

    fn from_leaves(leaves: &[PortRange]) -> Self {
        Self { ports: RangeSet::from_ranges(leaves.iter().map(|leaf| (leaf.first, leaf.last)).collect()) }
    }

    fn leaves(&self) -> Vec<PortRange> {
        self.ranges().iter().map(|(first, last)| PortRange { first: *first, last: *last }).collect()
    }

    fn without(&self, other: &Self) -> Self {
        Self { ports: self.ports.without(&other.ports) }
    }

    fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves() {
        for (text, expected) in [
            ("80", Some((80, 80))),
            ("0", Some((0, 0))),
            ("80:90", Some((80, 90))),
            ("80: 90", Some((80, 90))),
            (":1024", Some((0, 1024))),
            ("1024:", Some((1024, 65535))),
            ("65536", None),
            ("90:80", None),
            (":", None),
            ("", None),
            ("80-90", None),
            ("+80", None),
            ("1:2:3", None),
        ] {
            let found = PortRange::parse(text).map(|range| (range.first, range.last));
            assert_eq!(found, expected, "{text}");
        }
    }
}
