//! Flow ids.

use weir_packet::FlowKey;

use crate::hash;

/// Width of an id: readers of JSON that hold numbers as doubles keep it exact.
const ID_BITS: u32 = 51;

/// The seed of ids; fixed, so that reading a capture twice gives the same ids.
const ID_SEED: u64 = 0x0057_4549_5231_0001;

/// Names a flow in every record. Never zero, at most 51 bits, and a function of the flow's key,
/// its first packet's number and its tunnel depth only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FlowId(pub u64);

impl FlowId {
    /// The id of the flow whose first packet is number `first_packet`.
    pub fn new(key: &FlowKey, first_packet: u64) -> Self {
        let state = hash::of_key(key, ID_SEED);
        let hash = hash::finish(hash::mix(state, first_packet, u64::from(key.recursion)));
        Self((hash >> (u64::BITS - ID_BITS)).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::{key, tcp};

    #[test]
    fn depends_on_flow_and_first_packet_only() {
        let forward = key(&tcp("10.0.0.1", 1000, "10.0.0.2", 80).packet(1, 0));
        let other = key(&tcp("10.0.0.1", 1001, "10.0.0.2", 80).packet(1, 0));
        let id = FlowId::new(&forward, 7);
        assert_eq!(id, FlowId::new(&forward.reversed(), 7));
        assert_ne!(id, FlowId::new(&forward, 8));
        assert_ne!(id, FlowId::new(&other, 7));
        assert!(id.0 > 0 && id.0 < 1 << ID_BITS);
    }

    #[test]
    fn ids_of_neighbouring_keys_do_not_collide() {
        let mut ids = std::collections::HashSet::new();
        for port in 1..2000u16 {
            let key = key(&tcp("10.0.0.1", port, "10.0.0.2", 80).packet(1, 0));
            for number in 1..20 {
                assert!(ids.insert(FlowId::new(&key, number)));
            }
        }
    }
}
