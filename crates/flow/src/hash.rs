//! A hash of flow keys that is the same for both directions and on every machine.
//!
//! Folded 64×64→128-bit multiplication, the mixing step of wyhash and its relatives. The seed
//! keeps others from choosing keys that collide in the table; ids use a fixed one.

use std::net::{IpAddr, Ipv4Addr};

use weir_packet::FlowKey;

const P0: u64 = 0xa076_1d64_78bd_642f;
const P1: u64 = 0xe703_7ed1_a0b4_28db;
const P2: u64 = 0x8ebc_6af0_9c88_c6e3;
const P3: u64 = 0x5899_65cc_7537_4cc3;

const fn fold(a: u64, b: u64) -> u64 {
    let wide = (a as u128).wrapping_mul(b as u128);
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// One step: `state` absorbs two words.
pub const fn mix(state: u64, a: u64, b: u64) -> u64 {
    fold(a ^ P0 ^ state, b ^ P1 ^ state.rotate_left(32)) ^ P2
}

/// The end: spreads what was absorbed over all bits.
pub const fn finish(state: u64) -> u64 {
    fold(state ^ P2, state.rotate_left(29) ^ P3)
}

const fn address(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_bits() as u128,
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

/// The hash of a key, the same for the reversed key.
#[inline]
pub(crate) fn of_key(key: &FlowKey, seed: u64) -> u64 {
    let mut vlans = 0u64;
    for &id in key.vlan.as_slice() {
        vlans = (vlans << 16) | u64::from(id) | 0x8000;
    }
    let rest = u64::from(key.protocol) << 24 | u64::from(key.recursion) << 16;
    let state = match (key.source, key.destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let end = |address: Ipv4Addr, port| u64::from(address.to_bits()) << 16 | u64::from(port);
            let (source, destination) =
                (end(source, key.source_port), end(destination, key.destination_port));
            mix(seed, source.min(destination), source.max(destination))
        }
        (source, destination) => {
            let (source, destination) =
                ((address(source), key.source_port), (address(destination), key.destination_port));
            let (low, high) =
                if source <= destination { (source, destination) } else { (destination, source) };
            let state = mix(seed, low.0 as u64, (low.0 >> 64) as u64);
            let state = mix(state, high.0 as u64, (high.0 >> 64) as u64);
            // What cannot be taken for two addresses of version 4.
            mix(state, u64::from(low.1) << 16 | u64::from(high.1), !0)
        }
    };
    finish(mix(state, rest, vlans))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::{IpAddr, Ipv6Addr};

    use weir_packet::FlowKey;

    use super::{P0, of_key};
    use crate::FlowSettings;

    /// Addresses that are chosen so that one word of the hash is lost whatever the rest is: who knows the seed can
    /// put all flows into one place.
    #[test]
    fn a_seed_that_nobody_knows_keeps_chosen_keys_apart() {
        let hashes = |seed| {
            let key = |host: u64| FlowKey {
                source: IpAddr::V6(Ipv6Addr::from_bits(u128::from(host) << 64 | u128::from(P0))),
                destination: IpAddr::V6(Ipv6Addr::from_bits(u128::MAX)),
                source_port: 1024,
                destination_port: 9999,
                protocol: 17,
                vlan: weir_packet::VlanTags::default(),
                recursion: 0,
            };
            (0..1000).map(|host| of_key(&key(host), seed)).collect::<HashSet<u64>>().len()
        };
        assert_eq!((hashes(0), hashes(FlowSettings::default().hash_seed)), (1, 1000));
    }
}
