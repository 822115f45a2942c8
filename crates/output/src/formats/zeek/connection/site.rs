//! Addresses that belong to the site: those that RFC 6890's registries keep for private use, and
//! multicast of local scope (RFC 2365).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are never routed in public.
const V4: [(Ipv4Addr, u8); 16] = [
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
    (Ipv4Addr::BROADCAST, 32),
];

/// The same of IPv6.
const V6: [(Ipv6Addr, u8); 9] = [
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::LOCALHOST, 128),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
];

/// Whether an address is the site's.
pub(crate) fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => V4
            .iter()
            .any(|(network, bits)| (v4.to_bits() ^ network.to_bits()).leading_zeros() >= u32::from(*bits)),
        IpAddr::V6(v6) => V6
            .iter()
            .any(|(network, bits)| (v6.to_bits() ^ network.to_bits()).leading_zeros() >= u32::from(*bits)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn local_addresses() {
        let cases = [
            ("10.255.0.1", true),
            ("11.0.0.1", false),
            ("172.31.0.1", true),
            ("172.32.0.1", false),
            ("255.255.255.255", true),
            ("224.0.0.1", true),
            ("224.0.1.1", false),
            ("239.255.255.250", true),
            ("fe80::1", true),
            ("2002::1", false),
            ("::1", true),
            ("ff02::1", false),
        ];
        for (text, expected) in cases {
            assert_eq!(super::is_local(text.parse().unwrap()), expected, "{text}");
        }
    }
}
