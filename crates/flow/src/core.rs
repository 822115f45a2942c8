//! State of a flow that all protocols have.

use weir_base::{Direction, Duration, PerDirection, Place, Timestamp};
use weir_packet::{FlowKey, Packet, Tcp, Transport, VlanTags, ip_protocol};

use crate::elephant::RateWindow;
use crate::flags::FlowFlags;
use crate::id::FlowId;
use crate::settings::FlowSettings;
use crate::state::{EndReason, FlowState};

/// A flow: its core and whatever the engine hangs on it.
#[derive(Debug)]
pub struct Flow<S> {
    /// Key, times, counts and state.
    pub core: FlowCore,
    /// The engine's part.
    pub session: S,
}

/// Type and code of an ICMP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpKind {
    /// Type.
    pub kind: u8,
    /// Code.
    pub code: u8,
}

/// The part of a flow that detection and outputs read.
///
/// It is flat: counts, times and flags of both directions are touched by each packet and lie in few cache lines.
#[derive(Debug)]
pub struct FlowCore {
    /// Names the flow in records.
    pub id: FlowId,
    /// The 5-tuple, VLANs and tunnel depth; the client is the source.
    pub key: FlowKey,
    /// Time of the first packet.
    pub start: Timestamp,
    /// Time of the latest packet.
    pub last: Timestamp,
    /// Number of the first packet in the capture.
    pub first_packet: u64,
    /// Packets by direction.
    pub packets: PerDirection<u64>,
    /// Bytes by direction, counted from the first layer of each packet.
    pub bytes: PerDirection<u64>,
    /// Smallest time to live by direction; meaningful once a packet was seen.
    pub ttl_min: PerDirection<u8>,
    /// Largest time to live by direction.
    pub ttl_max: PerDirection<u8>,
    /// All TCP flags seen by direction.
    pub tcp_flags: PerDirection<u8>,
    /// First ICMP type and code by direction.
    pub icmp: PerDirection<Option<IcmpKind>>,
    /// State, which selects the timeout; changed through [`FlowCore::set_state`].
    pub(crate) state: FlowState,
    /// Reason that the flow is over; none while it lives.
    pub end_reason: Option<EndReason>,
    /// Facts.
    pub flags: FlowFlags,
    /// Capture interface of the first packet.
    pub interface: u32,
    /// Tunnels around the first packet, whether or not they are part of the key.
    depth: u8,
    /// Place in the order of creation among flows with the same first packet.
    order: u32,
    /// Timer tick under which the flow is filed.
    pub(crate) tick: u32,
    rare: Option<Box<Rare>>,
}

/// State that few flows have.
#[derive(Debug, Default)]
struct Rare {
    /// 802.1Q tags of the first packet, where they are no part of the key.
    vlan: VlanTags,
    /// While it is watched whether the flow is an elephant.
    rates: PerDirection<RateWindow>,
}

/// Fields that counting a packet in changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    last: Timestamp,
    packets: PerDirection<u64>,
    bytes: PerDirection<u64>,
    ttl_min: PerDirection<u8>,
    ttl_max: PerDirection<u8>,
    tcp_flags: PerDirection<u8>,
    flags: FlowFlags,
}

impl FlowCore {
    /// The flow whose first packet is `packet`.
    pub fn new(key: FlowKey, packet: &Packet<'_>, order: u32) -> Self {
        Self {
            id: FlowId::new(&key, packet.number),
            key,
            start: packet.time,
            last: packet.time,
            first_packet: packet.number,
            packets: PerDirection::default(),
            bytes: PerDirection::default(),
            ttl_min: PerDirection { to_server: u8::MAX, to_client: u8::MAX },
            ttl_max: PerDirection::default(),
            tcp_flags: PerDirection::default(),
            icmp: PerDirection::default(),
            state: FlowState::New,
            end_reason: None,
            flags: FlowFlags::default(),
            interface: packet.interface,
            depth: packet.recursion,
            order,
            tick: 0,
            rare: (packet.vlan != key.vlan).then(|| Box::new(Rare { vlan: packet.vlan, ..Rare::default() })),
        }
    }

    /// Where the first packet stands among all that flows begin with.
    pub const fn first_place(&self) -> Place {
        Place::processed(self.first_packet, self.depth)
    }

    /// 802.1Q tags of the first packet, whether or not they are part of the key.
    pub fn vlan(&self) -> VlanTags {
        let beside = self.rare.as_ref().map(|rare| rare.vlan).filter(|vlan| !vlan.as_slice().is_empty());
        beside.unwrap_or(self.key.vlan)
    }

    /// Sorts flows in the order of their creation.
    pub(crate) const fn creation(&self) -> (u64, u32) {
        (self.first_packet, self.order)
    }

    /// Returns the direction of a packet with key `key` in this flow. Protocols that are neither TCP, UDP, SCTP nor ICMP
    /// have but one.
    #[inline]
    pub fn direction(&self, key: &FlowKey) -> Direction {
        let is_clients = match key.protocol {
            ip_protocol::TCP | ip_protocol::UDP | ip_protocol::SCTP => *key == self.key,
            // A host that asks itself is the client all along.
            ip_protocol::ICMPV4 | ip_protocol::ICMPV6 => key.source == self.key.source,
            _ => true,
        };
        if is_clients { Direction::ToServer } else { Direction::ToClient }
    }

    /// Whether `key` or its reverse is this flow's.
    #[inline]
    pub fn matches(&self, key: &FlowKey) -> bool {
        *key == self.key || key.reversed() == self.key
    }

    /// Returns the state, which selects the timeout.
    pub const fn state(&self) -> FlowState {
        self.state
    }

    /// Changes the state; a bypassed flow stays bypassed. Through [`crate::FlowTable::set_state`]
    /// the timer learns of it at once.
    pub fn set_state(&mut self, state: FlowState) {
        if self.state != FlowState::Bypassed {
            self.state = state;
        }
    }

    /// Whether both sides have spoken.
    pub fn both_seen(&self) -> bool {
        self.flags.contains(FlowFlags::TO_SERVER_SEEN | FlowFlags::TO_CLIENT_SEEN)
    }

    /// Packets of both directions.
    pub const fn total_packets(&self) -> u64 {
        self.packets.to_server.saturating_add(self.packets.to_client)
    }

    /// Bytes of both directions.
    pub const fn total_bytes(&self) -> u64 {
        self.bytes.to_server.saturating_add(self.bytes.to_client)
    }

    /// From the first packet to the latest.
    pub const fn duration(&self) -> Duration {
        self.last.since(self.start)
    }

    /// `flow.age` of EVE records: the difference of the whole seconds.
    pub const fn age_seconds(&self) -> u64 {
        self.last.seconds().saturating_sub(self.start.seconds())
    }

    /// Whether this flow is TCP.
    pub const fn is_tcp(&self) -> bool {
        self.key.protocol == ip_protocol::TCP
    }

    /// Whether either direction was found to be an elephant.
    pub fn is_elephant(&self) -> bool {
        self.flags.intersects(FlowFlags::ELEPHANT_TO_SERVER | FlowFlags::ELEPHANT_TO_CLIENT)
    }

    /// When the flow is over unless another packet comes.
    #[inline]
    pub fn deadline(&self, settings: &FlowSettings, emergency: bool) -> Timestamp {
        self.last.plus(settings.timeout(self.key.protocol, self.state, emergency))
    }

    /// Exchanges client and server: detection or the stream found the first packet to be the
    /// server's. Everything kept by direction changes places.
    pub fn swap(&mut self) {
        fn exchange<T>(both: &mut PerDirection<T>) {
            std::mem::swap(&mut both.to_server, &mut both.to_client);
        }
        self.key = self.key.reversed();
        exchange(&mut self.packets);
        exchange(&mut self.bytes);
        exchange(&mut self.ttl_min);
        exchange(&mut self.ttl_max);
        exchange(&mut self.tcp_flags);
        exchange(&mut self.icmp);
        if let Some(rare) = &mut self.rare {
            exchange(&mut rare.rates);
        }
        let flags = &mut self.flags;
        flags.exchange(FlowFlags::TO_SERVER_SEEN, FlowFlags::TO_CLIENT_SEEN);
        flags.exchange(FlowFlags::ELEPHANT_TO_SERVER, FlowFlags::ELEPHANT_TO_CLIENT);
        flags.exchange(FlowFlags::PROTOCOL_DETECTED_TO_SERVER, FlowFlags::PROTOCOL_DETECTED_TO_CLIENT);
        flags.exchange(FlowFlags::LEFT_OUT_TO_SERVER, FlowFlags::LEFT_OUT_TO_CLIENT);
        flags.exchange(FlowFlags::IP_ONLY_TO_SERVER, FlowFlags::IP_ONLY_TO_CLIENT);
        flags.insert(FlowFlags::SWAPPED);
    }

    /// The counts as they are.
    pub(crate) const fn counted(&self) -> Counted {
        Counted {
            last: self.last,
            packets: self.packets,
            bytes: self.bytes,
            ttl_min: self.ttl_min,
            ttl_max: self.ttl_max,
            tcp_flags: self.tcp_flags,
            flags: self.flags,
        }
    }

    /// Takes the counts back to what they were.
    pub(crate) const fn restore(&mut self, counted: Counted) {
        self.last = counted.last;
        self.packets = counted.packets;
        self.bytes = counted.bytes;
        self.ttl_min = counted.ttl_min;
        self.ttl_max = counted.ttl_max;
        self.tcp_flags = counted.tcp_flags;
        self.flags = counted.flags;
    }

    /// Counts `packet` in; whether it made the flow an elephant.
    #[inline]
    pub(crate) fn update(
        &mut self,
        packet: &Packet<'_>,
        direction: Direction,
        settings: &FlowSettings,
    ) -> bool {
        self.last = self.last.max(packet.time);
        let bytes = packet.counted_length();
        self.packets[direction] = self.packets[direction].saturating_add(1);
        self.bytes[direction] = self.bytes[direction].saturating_add(bytes);
        if let Some(ip) = &packet.ip {
            self.ttl_min[direction] = self.ttl_min[direction].min(ip.ttl());
            self.ttl_max[direction] = self.ttl_max[direction].max(ip.ttl());
        }
        match &packet.transport {
            Transport::Tcp(Tcp { flags, .. }) => self.tcp_flags[direction] |= *flags,
            Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) if self.icmp[direction].is_none() => {
                self.icmp[direction] = Some(IcmpKind { kind: icmp.kind, code: icmp.code });
            }
            _ => {}
        }
        // An error is no answer.
        if !packet.is_icmpv4_error() {
            self.flags.insert(match direction {
                Direction::ToServer => FlowFlags::TO_SERVER_SEEN,
                Direction::ToClient => FlowFlags::TO_CLIENT_SEEN,
            });
        }
        if self.state == FlowState::New && !self.is_tcp() && self.both_seen() {
            self.set_state(FlowState::Established);
        }
        self.track_rate(packet.time, bytes, direction, settings)
    }

    /// Counts packets in that nobody saw, the last of them at `time` at the latest.
    pub fn add_unseen(&mut self, direction: Direction, packets: u64, bytes: u64, time: Timestamp) {
        self.last = self.last.max(time);
        self.packets[direction] = self.packets[direction].saturating_add(packets);
        self.bytes[direction] = self.bytes[direction].saturating_add(bytes);
    }

    fn track_rate(
        &mut self,
        time: Timestamp,
        bytes: u64,
        direction: Direction,
        settings: &FlowSettings,
    ) -> bool {
        let Some(elephant) = &settings.elephant else {
            return false;
        };
        let flag = match direction {
            Direction::ToServer => FlowFlags::ELEPHANT_TO_SERVER,
            Direction::ToClient => FlowFlags::ELEPHANT_TO_CLIENT,
        };
        if self.flags.contains(flag) {
            return false;
        }
        let rare = self.rare.get_or_insert_default();
        if !rare.rates[direction].add(time, bytes, elephant) {
            return false;
        }
        let first = !self.is_elephant();
        self.flags.insert(flag);
        if elephant.bypass {
            self.flags.insert(FlowFlags::LOCAL_BYPASS);
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::FlowCore;

    #[test]
    fn a_flow_is_small() {
        assert!(size_of::<FlowCore>() <= 152, "{}", size_of::<FlowCore>());
    }
}
