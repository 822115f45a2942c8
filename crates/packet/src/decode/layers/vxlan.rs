//! VXLAN (RFC 7348). The inner Ethernet header is passed over: the inner packet starts with what
//! that header carries.

use super::super::walk::{Inner, Outcome, Walk};
use super::ethernet::{ETHERNET_LENGTH, ether_type};
use crate::event::DecodeEvent;
use crate::packet::{LayerKind, Origin};

const LENGTH: usize = 8;
/// The network identifier is valid.
const FLAG_I: u8 = 0x08;

impl<'a> Walk<'_, 'a> {
    pub(super) fn vxlan(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&[flags, r1, r2, r3, _, _, _, r4], frame) = bytes.split_first_chunk::<LENGTH>()?;
        if frame.len() < ETHERNET_LENGTH || flags & FLAG_I == 0 {
            return None;
        }
        if self.settings.vxlan_strict_reserved_bits && (flags != FLAG_I || [r1, r2, r3, r4] != [0; 4]) {
            return None;
        }
        self.descend()?;
        self.counters().vxlan += 1;
        self.layer(LayerKind::Vxlan, bytes.get(..LENGTH)?);
        self.bridged(frame, Origin::Vxlan, DecodeEvent::VXLAN_UNKNOWN_PAYLOAD_TYPE);
        Some(())
    }

    /// Makes a packet of what an inner Ethernet header carries, if that is IP or tagged. ARP is left alone.
    pub(super) fn bridged(&mut self, frame: &'a [u8], origin: Origin, unknown: DecodeEvent) {
        let Some((&[.., high, low], rest)) = frame.split_first_chunk::<ETHERNET_LENGTH>() else {
            return;
        };
        let inner = match u16::from_be_bytes([high, low]) {
            ether_type::IPV4 => Inner::Ipv4,
            ether_type::IPV6 => Inner::Ipv6,
            ether_type::VLAN | ether_type::QINQ | ether_type::PROVIDER_BRIDGE => Inner::Vlan,
            ether_type::ARP => return,
            _ => {
                self.raise(unknown);
                return;
            }
        };
        let _is_packet = self.tunnel(inner, rest, origin);
    }
}
