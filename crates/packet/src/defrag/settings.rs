//! Settings of defragmentation (`defrag` and `host-os-policy` in the configuration).

use std::net::IpAddr;

use weir_base::Duration;

use super::policy::OverlapPolicy;

/// A network: an address and how many of its leading bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// Any address of the network.
    pub address: IpAddr,
    /// Length of the prefix in bits.
    pub prefix: u8,
}

impl Network {
    /// Whether `address` is of the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let different = u32::from(network) ^ u32::from(address);
                different.leading_zeros() >= u32::from(self.prefix.min(32))
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let different = u128::from(network) ^ u128::from(address);
                different.leading_zeros() >= u32::from(self.prefix.min(128))
            }
            _ => false,
        }
    }
}

/// Settings of a [`super::Defragmenter`]. Of several networks that hold a destination, the one with
/// the longest prefix counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefragSettings {
    /// Timeout of a packet's fragments.
    pub timeout: Duration,
    /// Other times for some destinations.
    pub timeouts: Vec<(Network, Duration)>,
    /// The policy of destinations for which there is no other.
    pub policy: OverlapPolicy,
    /// The policies of destinations.
    pub policies: Vec<(Network, OverlapPolicy)>,
    /// Most memory for fragments, in bytes.
    pub memcap: usize,
    /// Most packets of which fragments are kept; past it, the one longest without a fragment goes.
    pub max_trackers: usize,
    /// Most fragments kept of all packets together.
    pub max_fragments: usize,
}

impl Default for DefragSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            timeouts: Vec::new(),
            policy: OverlapPolicy::Bsd,
            policies: Vec::new(),
            memcap: 32 << 20,
            max_trackers: 65_535,
            max_fragments: 65_535,
        }
    }
}

impl DefragSettings {
    /// Returns the timeout of fragments to `destination`.
    pub(super) fn timeout_of(&self, destination: IpAddr) -> Duration {
        longest(&self.timeouts, destination).unwrap_or(self.timeout)
    }

    /// The policy of `destination`.
    pub(super) fn policy_of(&self, destination: IpAddr) -> OverlapPolicy {
        longest(&self.policies, destination).unwrap_or(self.policy)
    }
}

/// The value of the longest prefix that holds `address`.
fn longest<T: Copy>(table: &[(Network, T)], address: IpAddr) -> Option<T> {
    let holding = table.iter().filter(|(network, _)| network.contains(address));
    holding.max_by_key(|(network, _)| network.prefix).map(|(_, value)| *value)
}
