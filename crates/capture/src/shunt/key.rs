//! Keys of flows in the table: one for each direction.

use std::net::IpAddr;

use weir_packet::{FlowKey, ip_protocol};

/// Words of a key.
pub const WORDS: usize = 6;

/// Most tunnels around a flow that the kernel's program looks into.
pub const MOST_TUNNELS: u8 = 1;

/// Bit by which a tag of number 0 differs from none.
pub(super) const TAGGED: u16 = 1 << 15;

/// Places in the word of ports: those of the protocol, the tunnels and the version of IP.
pub(super) const PROTOCOL_SHIFT: u32 = 32;
pub(super) const DEPTH_SHIFT: u32 = 40;
pub(super) const VERSION_SHIFT: u32 = 48;

/// Marks that tell flows apart, beside addresses, ports and protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tracking {
    /// 802.1Q tags.
    pub tags: bool,
    /// Tunnels around them.
    pub tunnels: bool,
}

/// Tunnels around a packet.
pub type Depth = u8;

/// Key of one direction of a flow, as the kernel's program makes it of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShuntKey(pub(super) [u64; WORDS]);

impl ShuntKey {
    /// The key of packets from the source of a flow's key to its destination; none where the kernel's program makes
    /// none of them.
    pub fn of(key: &FlowKey) -> Option<Self> {
        let has_ports = matches!(key.protocol, ip_protocol::TCP | ip_protocol::UDP | ip_protocol::SCTP);
        if !has_ports || key.recursion > MOST_TUNNELS {
            return None;
        }
        let [source, destination] = [key.source, key.destination].map(address);
        let version = match (key.source, key.destination) {
            (IpAddr::V4(_), IpAddr::V4(_)) => 4,
            (IpAddr::V6(_), IpAddr::V6(_)) => 6,
            _ => return None,
        };
        let [a, b] = key.source_port.to_be_bytes();
        let [c, d] = key.destination_port.to_be_bytes();
        let ports = u64::from(u32::from_ne_bytes([a, b, c, d]))
            | u64::from(key.protocol) << PROTOCOL_SHIFT
            | u64::from(key.recursion) << DEPTH_SHIFT
            | version << VERSION_SHIFT;
        let tags = key.vlan.as_slice().iter().fold(0, |tags, id| tags << 16 | u64::from(id | TAGGED));
        Some(Self([source[0], source[1], destination[0], destination[1], ports, tags]))
    }

    /// Whether it is of IPv4.
    pub const fn is_ipv4(&self) -> bool {
        let [.., ports, _] = self.0;
        ports >> VERSION_SHIFT == 4
    }
}

/// An address as the program loads it.
fn address(address: IpAddr) -> [u64; 2] {
    match address {
        IpAddr::V4(four) => [u32::from_ne_bytes(four.octets()).into(), 0],
        IpAddr::V6(six) => {
            let whole = u128::from_be_bytes(six.octets());
            [((whole >> 64) as u64).to_be(), (whole as u64).to_be()]
        }
    }
}
