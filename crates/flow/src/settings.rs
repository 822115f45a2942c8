//! Settings of a flow table.

use weir_base::Duration;

use crate::elephant::ElephantSettings;
use crate::state::FlowState;

/// Timeouts of idle flows, by state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// In [`FlowState::New`].
    pub new: Duration,
    /// In [`FlowState::Established`].
    pub established: Duration,
    /// In [`FlowState::Closed`].
    pub closed: Duration,
    /// In [`FlowState::Bypassed`].
    pub bypassed: Duration,
}

impl Timeouts {
    /// From whole seconds.
    pub const fn seconds(new: u64, established: u64, closed: u64, bypassed: u64) -> Self {
        Self {
            new: Duration::from_secs(new),
            established: Duration::from_secs(established),
            closed: Duration::from_secs(closed),
            bypassed: Duration::from_secs(bypassed),
        }
    }

    /// The timeout of a state.
    pub const fn of(&self, state: FlowState) -> Duration {
        match state {
            FlowState::New => self.new,
            FlowState::Established => self.established,
            FlowState::Closed => self.closed,
            FlowState::Bypassed => self.bypassed,
        }
    }
}

/// Timeouts in plenty and in need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolTimeouts {
    /// While memory suffices.
    pub normal: Timeouts,
    /// While the table is in emergency mode.
    pub emergency: Timeouts,
}

/// Treatment of an error of ICMPv4; one of ICMPv6 makes or joins a flow of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IcmpErrors {
    /// It makes or joins an ICMP flow of its own.
    #[default]
    OwnFlow,
    /// It makes no flow. Where it says that a destination is unreachable, it joins the flow of the packet it quotes.
    QuotedFlow,
}

/// Settings of a [`crate::FlowTable`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSettings {
    /// Most bytes of flows and table, zero for no limit.
    pub memcap: u64,
    /// Percent of the memcap that must be free before emergency mode ends.
    pub emergency_recovery: u8,
    /// Flows the table has room for from the start.
    pub prealloc: usize,
    /// Seed of the table's hash, drawn once for each process so that nobody can choose keys that collide.
    pub hash_seed: u64,
    /// Timeouts of protocols without their own.
    pub other: ProtocolTimeouts,
    /// Timeouts of TCP.
    pub tcp: ProtocolTimeouts,
    /// Timeouts of UDP.
    pub udp: ProtocolTimeouts,
    /// Timeouts of ICMP of both versions.
    pub icmp: ProtocolTimeouts,
    /// Whether VLANs tell flows apart.
    pub track_vlan: bool,
    /// Whether tunnel depth tells flows apart.
    pub track_recursion: bool,
    /// When a flow counts as an elephant; none to never tell.
    pub elephant: Option<ElephantSettings>,
    /// Where ICMP errors belong.
    pub icmp_errors: IcmpErrors,
}

impl Default for FlowSettings {
    fn default() -> Self {
        Self {
            memcap: 128 << 20,
            emergency_recovery: 30,
            prealloc: 10_000,
            hash_seed: weir_base::hash_seed(),
            other: ProtocolTimeouts {
                normal: Timeouts::seconds(30, 300, 0, 100),
                emergency: Timeouts::seconds(10, 100, 0, 50),
            },
            tcp: ProtocolTimeouts {
                normal: Timeouts::seconds(60, 600, 60, 100),
                emergency: Timeouts::seconds(5, 100, 10, 50),
            },
            udp: ProtocolTimeouts {
                normal: Timeouts::seconds(30, 300, 0, 100),
                emergency: Timeouts::seconds(10, 100, 0, 50),
            },
            icmp: ProtocolTimeouts {
                normal: Timeouts::seconds(30, 300, 0, 100),
                emergency: Timeouts::seconds(10, 100, 0, 50),
            },
            track_vlan: true,
            track_recursion: true,
            elephant: None,
            icmp_errors: IcmpErrors::OwnFlow,
        }
    }
}

impl FlowSettings {
    /// The timeout of a flow of IP protocol `protocol` in `state`.
    pub const fn timeout(&self, protocol: u8, state: FlowState, emergency: bool) -> Duration {
        let timeouts = match protocol {
            6 => &self.tcp,
            17 => &self.udp,
            1 | 58 => &self.icmp,
            _ => &self.other,
        };
        if emergency { timeouts.emergency.of(state) } else { timeouts.normal.of(state) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_and_state_has_its_timeout() {
        let pair = |first: u64| ProtocolTimeouts {
            normal: Timeouts::seconds(first, first + 1, first + 2, first + 3),
            emergency: Timeouts::seconds(first + 4, first + 5, first + 6, first + 7),
        };
        let settings = FlowSettings {
            tcp: pair(100),
            udp: pair(200),
            icmp: pair(300),
            other: pair(400),
            ..FlowSettings::default()
        };
        let states = [FlowState::New, FlowState::Established, FlowState::Closed, FlowState::Bypassed];
        // TCP, UDP, ICMP, ICMPv6, SCTP, GRE, ESP.
        for (protocol, first) in [(6, 100), (17, 200), (1, 300), (58, 300), (132, 400), (47, 400), (50, 400)]
        {
            for (state, offset) in states.into_iter().zip(0..) {
                for (emergency, more) in [(false, 0), (true, 4)] {
                    let expected = Duration::from_secs(first + offset + more);
                    let found = settings.timeout(protocol, state, emergency);
                    assert_eq!(found, expected, "{protocol} {state:?} {emergency}");
                }
            }
        }
    }
}
