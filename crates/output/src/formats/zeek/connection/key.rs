//! What packets of one connection share: it is made, hashed and compared with every packet, so it is
//! a few words without branches.

use std::net::IpAddr;

use weir_flow::hash;

use super::view::is_dns;

/// Both ends, in an order that is the same in both directions, and the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct Key {
    low: u128,
    high: u128,
    /// Port of the low end, port of the high end, protocol, whether the addresses are those of IPv6.
    rest: u64,
}

const IPV6: u64 = 1;

impl Key {
    /// The key of a packet between two ends. With `one_way` there is only that direction.
    #[inline]
    pub(super) fn new(
        source: (IpAddr, u16),
        destination: (IpAddr, u16),
        protocol: u8,
        one_way: bool,
    ) -> Self {
        let (from, to) = (bits(source.0), bits(destination.0));
        let version = if source.0.is_ipv6() { IPV6 } else { 0 };
        let from_low = one_way || (from, source.1) <= (to, destination.1);
        let (low, high, low_port, high_port) =
            if from_low { (from, to, source.1, destination.1) } else { (to, from, destination.1, source.1) };
        let rest =
            u64::from(low_port) << 48 | u64::from(high_port) << 32 | u64::from(protocol) << 8 | version;
        Self { low, high, rest }
    }

    /// Whether it may be a conversation of DNS or its kin.
    pub(in super::super) fn may_be_dns(&self) -> bool {
        is_dns((self.rest >> 48) as u16) || is_dns((self.rest >> 32) as u16)
    }

    /// Of few steps.
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        let state = if self.rest & IPV6 == 0 {
            hash::mix(0, self.low as u64 | (self.high as u64) << 32, self.rest)
        } else {
            let state = hash::mix(0, self.low as u64, (self.low >> 64) as u64);
            let state = hash::mix(state, self.high as u64, (self.high >> 64) as u64);
            hash::mix(state, self.rest, 0)
        };
        hash::finish(state)
    }
}

#[inline]
const fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_bits() as u128,
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_and_one() {
        let end = |text: &str, port| (text.parse::<IpAddr>().unwrap(), port);
        let ends = [
            end("10.0.0.1", 80),
            end("10.0.0.1", 81),
            end("10.0.0.2", 80),
            end("::a00:1", 80),
            end("2001:db8::1", 80),
            end("2001:db8:0:1::1", 80),
        ];
        let mut seen = Vec::new();
        for one in ends {
            for other in ends.into_iter().filter(|other| other.0.is_ipv6() == one.0.is_ipv6()) {
                let (key, back) = (Key::new(one, other, 6, false), Key::new(other, one, 6, false));
                assert_eq!((key, key.hash()), (back, back.hash()), "{one:?} {other:?}");
                assert_eq!(Key::new(one, other, 1, true) == Key::new(other, one, 1, true), one == other);
                if !seen.contains(&key) {
                    assert!(seen.iter().all(|known: &Key| known.hash() != key.hash()), "{key:?}");
                    seen.push(key);
                }
            }
        }
        assert_eq!(seen.len(), 12);
    }
}
