//! IP addresses: one address, CIDR block, netmask block or range, and sets of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::expression::{Leaf, Set};
use super::ranges::RangeSet;

/// An inclusive range of addresses of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRange {
    /// First and last IPv4 address.
    V4(u32, u32),
    /// First and last IPv6 address.
    V6(u128, u128),
}

impl Leaf for AddressRange {
    type Set = AddressSet;
    const WHAT: &'static str = "address";
    const MISSING: &'static str = "Here an address is missing.";
    const HELP: &'static str =
        "addresses are any, 1.2.3.4, 1.2.3.0/24, 1.2.3.4-1.2.3.9, 2001:db8::/32, $NAME, !x, [x,y]";

    fn parse(text: &str) -> Option<Self> {
        if let Some((address, prefix)) = text.split_once('/') {
            return parse_block(address.trim(), prefix.trim());
        }
        if let Some((first, last)) = text.split_once('-') {
            return match (first.trim().parse().ok()?, last.trim().parse().ok()?) {
                (IpAddr::V4(first), IpAddr::V4(last)) if first <= last => {
                    Some(Self::V4(first.into(), last.into()))
                }
                (IpAddr::V6(first), IpAddr::V6(last)) if first <= last => {
                    Some(Self::V6(first.into(), last.into()))
                }
                _ => None,
            };
        }
        Some(match text.parse().ok()? {
            IpAddr::V4(address) => Self::V4(address.into(), address.into()),
            IpAddr::V6(address) => Self::V6(address.into(), address.into()),
        })
    }
}

fn parse_block(address: &str, prefix: &str) -> Option<AddressRange> {
    if address == "0" && prefix == "0" {
        return Some(AddressRange::V4(0, u32::MAX));
    }
    if let Ok(address) = address.parse::<Ipv4Addr>() {
        let mask = match prefix.parse::<Ipv4Addr>() {
            Ok(mask) => u32::from(mask),
            Err(_) => u32::MAX.checked_shl(32_u32.checked_sub(prefix_length(prefix)?)?).unwrap_or(0),
        };
        // Ones, then zeros: a mask with holes does not name a range.
        if mask.leading_ones() + mask.trailing_zeros() != u32::BITS {
            return None;
        }
        let first = u32::from(address) & mask;
        return Some(AddressRange::V4(first, first | !mask));
    }
    let address = u128::from(address.parse::<Ipv6Addr>().ok()?);
    let mask = u128::MAX.checked_shl(128_u32.checked_sub(prefix_length(prefix)?)?).unwrap_or(0);
    Some(AddressRange::V6(address & mask, (address & mask) | !mask))
}

fn prefix_length(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// A set of addresses of both families.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct AddressSet {
    v4: RangeSet<u32>,
    v6: RangeSet<u128>,
}

impl AddressSet {
    /// Every address.
    pub fn any() -> Self {
        Self { v4: RangeSet::full(), v6: RangeSet::full() }
    }

    /// Whether the set holds every address of both families.
    pub fn is_any(&self) -> bool {
        self.v4.is_full() && self.v6.is_full()
    }

    /// Whether the set holds `address`. An IPv4-mapped IPv6 address counts as IPv6.
    pub fn contains(&self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => self.v4.contains(address.into()),
            IpAddr::V6(address) => self.v6.contains(address.into()),
        }
    }

    /// The IPv4 part, as numbers in host order.
    pub fn v4(&self) -> &RangeSet<u32> {
        &self.v4
    }

    /// The IPv6 part, as numbers in host order.
    pub fn v6(&self) -> &RangeSet<u128> {
        &self.v6
    }
}

impl Set for AddressSet {
    type Leaf = AddressRange;

    fn any() -> Self {
        Self::any()
    }

    fn from_leaves(leaves: &[AddressRange]) -> Self {
        let mut v4 = Vec::new();
        let mut v6 = Vec::new();
        for leaf in leaves {
            match *leaf {
                AddressRange::V4(first, last) => v4.push((first, last)),
                AddressRange::V6(first, last) => v6.push((first, last)),
            }
        }
        Self { v4: RangeSet::from_ranges(v4), v6: RangeSet::from_ranges(v6) }
    }

    fn leaves(&self) -> Vec<AddressRange> {
        let v4 = self.v4.ranges().iter().map(|(first, last)| AddressRange::V4(*first, *last));
        let v6 = self.v6.ranges().iter().map(|(first, last)| AddressRange::V6(*first, *last));
        v4.chain(v6).collect()
    }

    fn without(&self, other: &Self) -> Self {
        Self { v4: self.v4.without(&other.v4), v6: self.v6.without(&other.v6) }
    }

    fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves() {
        let v4 = |first: [u8; 4], last: [u8; 4]| {
            AddressRange::V4(u32::from_be_bytes(first), u32::from_be_bytes(last))
        };
        let cases = [
            ("1.2.3.4", Some(v4([1, 2, 3, 4], [1, 2, 3, 4]))),
            ("1.2.3.4/24", Some(v4([1, 2, 3, 0], [1, 2, 3, 255]))),
            ("1.2.3.4/255.255.0.0", Some(v4([1, 2, 0, 0], [1, 2, 255, 255]))),
            ("1.2.3.4/0", Some(AddressRange::V4(0, u32::MAX))),
            ("0/0", Some(AddressRange::V4(0, u32::MAX))),
            ("1.2.3.4/32", Some(v4([1, 2, 3, 4], [1, 2, 3, 4]))),
            ("1.1.1.1-1.1.1.9", Some(v4([1, 1, 1, 1], [1, 1, 1, 9]))),
            ("::/0", Some(AddressRange::V6(0, u128::MAX))),
            ("2001:db8::/32", Some(AddressRange::V6(0x2001_0db8 << 96, (0x2001_0db9 << 96) - 1))),
            ("::1-::f", Some(AddressRange::V6(1, 15))),
            ("1.2.3.4/33", None),
            ("::/129", None),
            ("1.2.3.4/255.0.255.0", None),
            ("1.2.3", None),
            ("1.1.1.9-1.1.1.1", None),
            ("1.1.1.1-::1", None),
            ("1.2.3.4/+8", None),
            ("1.2.3.4/", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(AddressRange::parse(text), expected, "{text}");
        }
    }
}
