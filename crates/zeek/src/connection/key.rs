//! Key that packets of one connection share: it is made, hashed and compared with every packet, so it is
//! a few words without branches.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_flow::hash;
use weir_packet::header::VlanTags;

use super::view::is_dns;

/// Both ends, in an order that is the same in both directions, and the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    low: Address,
    high: Address,
    /// Port of the low end, port of the high end, part of the VLANs, protocol, the rest of the VLANs, whether the addresses are
    /// those of IPv6.
    rest: u64,
}

/// The tags of a packet's VLANs, as far as a key has room for them: of the inner one all but the highest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vlans(u64);

impl Vlans {
    /// Of the tags of a packet.
    pub(super) fn of(tags: VlanTags) -> Self {
        let tag = |place: usize| u64::from(tags.as_slice().get(place).copied().unwrap_or_default());
        // Bits that a key has free: those behind the ports and those above the version.
        let (outer, inner) = (tag(0) & 0xfff, tag(1) & 0x7ff);
        Self(outer << 16 | (inner & 0xf) << 28 | (inner >> 4) << 1)
    }
}

/// An address of either version as a number, its low half first.
type Address = [u64; 2];

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
        Self { low: halves(low), high: halves(high), rest }
    }

    /// The key of the packets of these VLANs.
    #[inline]
    pub(super) const fn within(mut self, vlans: Vlans) -> Self {
        self.rest |= vlans.0;
        self
    }

    /// The low end, or the high one.
    #[inline]
    pub(super) fn end(&self, high: bool) -> (IpAddr, u16) {
        let [low_half, high_half] = if high { self.high } else { self.low };
        let address = match self.rest & IPV6 {
            0 => Ipv4Addr::from_bits(low_half as u32).into(),
            _ => Ipv6Addr::from_bits(u128::from(high_half) << 64 | u128::from(low_half)).into(),
        };
        (address, self.port(high))
    }

    /// Its port.
    #[inline]
    pub(super) const fn port(&self, high: bool) -> u16 {
        (self.rest >> if high { 32 } else { 48 }) as u16
    }

    /// The number of what carries the connection.
    pub(super) const fn protocol(&self) -> u8 {
        (self.rest >> 8) as u8
    }

    /// Whether it may be a conversation of DNS or its kin.
    pub(crate) fn may_be_dns(&self) -> bool {
        is_dns((self.rest >> 48) as u16) || is_dns((self.rest >> 32) as u16)
    }

    /// Of few steps. Nobody who sends packets is to know the seed.
    #[inline]
    pub(super) fn hash(&self, seed: u64) -> u64 {
        let state = if self.rest & IPV6 == 0 {
            let ([low, _], [high, _]) = (self.low, self.high);
            hash::mix(seed, low | high << 32, self.rest)
        } else {
            let ([low, low_rest], [high, high_rest]) = (self.low, self.high);
            let state = hash::mix(hash::mix(seed, low, low_rest), high, high_rest);
            hash::mix(state, self.rest, 0)
        };
        hash::finish(state)
    }
}

const fn halves(bits: u128) -> Address {
    [bits as u64, (bits >> 64) as u64]
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
    fn vlans_are_kept_apart() {
        let end = |last: u8, port: u16| (IpAddr::from([10, 0, 0, last]), port);
        let mut tags = VlanTags::default();
        let key = |tags| Key::new(end(1, 80), end(2, 81), 6, false).within(Vlans::of(tags));
        let plain = key(tags);
        tags.push(0xfff);
        let outer = key(tags);
        tags.push(0x7ff);
        let both = key(tags);
        assert!(plain != outer && outer != both && plain != both);
        for key in [plain, outer, both] {
            assert_eq!((key.end(false), key.end(true), key.protocol()), (end(1, 80), end(2, 81), 6));
            assert!(key.rest & IPV6 == 0);
        }
    }

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
                assert_eq!((key, key.hash(1)), (back, back.hash(1)), "{one:?} {other:?}");
                assert_eq!(Key::new(one, other, 1, true) == Key::new(other, one, 1, true), one == other);
                let ends = [key.end(false), key.end(true)];
                assert!(ends == [one, other] || ends == [other, one], "{one:?} {other:?} {ends:?}");
                assert_eq!(key.protocol(), 6);
                if !seen.contains(&key) {
                    assert!(seen.iter().all(|known: &Key| known.hash(1) != key.hash(1)), "{key:?}");
                    seen.push(key);
                }
            }
        }
        assert_eq!(seen.len(), 12);
    }
}
