//! Addresses of the site: the networks that settings name, and, unless they say otherwise,
//! addresses that are never routed in public (the registries of RFC 6890, multicast of local scope by
//! RFC 2365), also as 6to4 addresses (RFC 3056).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_rules::network::RangeSet;

/// IPv4 networks that are never routed in public.
const V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 24),
    (Ipv4Addr::new(239, 255, 0, 0), 16),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Special-purpose ranges of IPv6 (RFC 6890), but for 6to4.
const V6: [(Ipv6Addr, u32); 9] = [
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::LOCALHOST, 128),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
];

/// The first 16 bits of 6to4 addresses; the IPv4 address follows.
const SIX_TO_FOUR: u128 = 0x2002 << 112;

/// An address and the length of its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Reads `10.0.0.0/8`, `2001:db8::/32`, `[2001:db8::]/32`, or one address.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(one, other)| (one, Some(other)));
        let bare = address.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let address: IpAddr = bare.unwrap_or(address.trim()).parse().ok()?;
        let whole = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Some(whole), |text| text.trim().parse().ok()).filter(|bits| *bits <= whole)?;
        Some(Self { address, bits })
    }
}

/// The addresses that are local.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    v4: RangeSet<u32>,
    v6: RangeSet<u128>,
    /// The zones of its names, in lower case.
    zones: Vec<String>,
}

impl Default for Site {
    fn default() -> Self {
        Self::new(&[], true)
    }
}

impl Site {
    /// The site of these networks, and of private addresses where they are local.
    pub(crate) fn new(networks: &[Network], private: bool) -> Self {
        let (mut v4, mut v6) = (Vec::new(), Vec::new());
        for network in networks {
            match network.address {
                IpAddr::V4(address) => v4.push(range_v4(address.to_bits(), network.bits)),
                IpAddr::V6(address) => v6.push(range_v6(address.to_bits(), network.bits)),
            }
        }
        if private {
            for (address, bits) in V4 {
                v4.push(range_v4(address.to_bits(), bits));
                v6.push(range_v6(SIX_TO_FOUR | u128::from(address.to_bits()) << 80, 16 + bits));
            }
            v6.extend(V6.map(|(address, bits)| range_v6(address.to_bits(), bits)));
        }
        Self { v4: RangeSet::from_ranges(v4), v6: RangeSet::from_ranges(v6), zones: Vec::new() }
    }

    /// Adds zones of names.
    #[must_use]
    pub(crate) fn with_zones<'a>(mut self, zones: impl IntoIterator<Item = &'a str>) -> Self {
        let zones = zones.into_iter().map(|zone| zone.trim_matches('.').to_ascii_lowercase());
        self.zones.extend(zones.filter(|zone| !zone.is_empty()));
        self
    }

    /// Whether a name in lower case is in none of the site's zones, where these are known.
    pub(crate) fn is_foreign_name(&self, name: &[u8]) -> bool {
        let is_within = |zone: &String| {
            let host = name.strip_suffix(zone.as_bytes());
            host.is_some_and(|host| matches!(host.last(), None | Some(b'.')))
        };
        !self.zones.is_empty() && !self.zones.iter().any(is_within)
    }

    /// Whether an address is the site's.
    pub(crate) fn is_local(&self, address: IpAddr) -> bool {
        match address.to_canonical() {
            IpAddr::V4(v4) => self.v4.contains(v4.to_bits()),
            IpAddr::V6(v6) => self.v6.contains(v6.to_bits()),
        }
    }
}

/// First and last address of a network.
fn range_v4(address: u32, bits: u32) -> (u32, u32) {
    let hosts = u32::MAX.checked_shr(bits).unwrap_or(0);
    (address & !hosts, address | hosts)
}

/// Returns the range of a prefix of IPv6.
fn range_v6(address: u128, bits: u32) -> (u128, u128) {
    let hosts = u128::MAX.checked_shr(bits).unwrap_or(0);
    (address & !hosts, address | hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locals(site: &Site, cases: &[(&str, bool)]) {
        for (text, expected) in cases {
            assert_eq!(site.is_local(text.parse().unwrap()), *expected, "{text}");
        }
    }

    #[test]
    fn private_addresses_are_local() {
        locals(
            &Site::default(),
            &[
                ("10.255.0.1", true),
                ("11.0.0.1", false),
                ("172.31.0.1", true),
                ("172.32.0.1", false),
                ("255.255.255.255", true),
                ("224.0.0.1", true),
                ("224.0.1.1", false),
                ("239.255.255.250", true),
                ("fe80::1", true),
                ("2002::1", true),
                ("2002:ac1f::1", true),
                ("2002:2571:c817::1", false),
                ("64:ff9b:1::1", true),
                ("::1", true),
                ("::ffff:8.8.8.8", false),
                ("::ffff:10.0.0.1", true),
                ("ff02::1", false),
            ],
        );
    }

    #[test]
    fn zones_of_the_site() {
        let zoned = Site::default().with_zones(["Example.org.", "", "b.example.net"]);
        for (name, is_foreign) in [
            ("example.org", false),
            ("www.example.org", false),
            ("badexample.org", true),
            ("example.net", true),
            ("a.b.example.net", false),
            ("", true),
        ] {
            assert_eq!(zoned.is_foreign_name(name.as_bytes()), is_foreign, "{name}");
            assert!(!Site::default().is_foreign_name(name.as_bytes()), "{name}: no zone is known");
        }
    }

    #[test]
    fn networks_of_the_site() {
        let networks: Vec<Network> = ["8.8.9.1/23", "[2a00:1::]/32", "9.9.9.9", "0.0.0.0/32"]
            .iter()
            .map(|text| Network::parse(text).unwrap())
            .collect();
        let cases = [("8.8.8.8", true), ("8.8.10.0", false), ("2a00:1:2::3", true), ("9.9.9.9", true)];
        locals(&Site::new(&networks, true), &cases);
        locals(&Site::new(&networks, true), &[("10.0.0.1", true), ("9.9.9.8", false)]);
        locals(&Site::new(&networks, false), &cases);
        locals(&Site::new(&networks, false), &[("10.0.0.1", false), ("::1", false), ("0.0.0.0", true)]);
        let all = [Network::parse("0.0.0.0/0").unwrap(), Network::parse("::/0").unwrap()];
        locals(&Site::new(&all, false), &[("8.8.8.8", true), ("ff02::1", true)]);
        for text in ["", "10/8", "10.0.0.0/33", "::/129", "10.0.0.0/", "site", "[::/3", "10.0.0.0/+8x"] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
