//! Ethernet II (IEEE 802.3) and what its type field leads to. A frame with a length in place of a
//! type (LLC) counts as one of unknown type.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::{Ethernet, MAX_VLANS};
use crate::packet::LayerKind;

/// EtherTypes (IEEE registration authority).
pub(in crate::decode) mod ether_type {
    pub(in crate::decode) const IPV4: u16 = 0x0800;
    pub(in crate::decode) const ARP: u16 = 0x0806;
    pub(in crate::decode) const TRANSPARENT_ETHERNET: u16 = 0x6558;
    pub(in crate::decode) const VLAN: u16 = 0x8100;
    pub(in crate::decode) const IPV6: u16 = 0x86dd;
    pub(in crate::decode) const MPLS_UNICAST: u16 = 0x8847;
    pub(in crate::decode) const MPLS_MULTICAST: u16 = 0x8848;
    pub(in crate::decode) const PPP: u16 = 0x880b;
    pub(in crate::decode) const PPPOE_DISCOVERY: u16 = 0x8863;
    pub(in crate::decode) const PPPOE_SESSION: u16 = 0x8864;
    pub(in crate::decode) const PROVIDER_BRIDGE: u16 = 0x88a8;
    pub(in crate::decode) const ERSPAN: u16 = 0x88be;
    pub(in crate::decode) const ERSPAN_III: u16 = 0x22eb;
    /// Lower values are lengths.
    pub(in crate::decode) const LEAST: u16 = 0x0600;
    pub(in crate::decode) const BACKBONE_BRIDGE: u16 = 0x88e7;
    pub(in crate::decode) const FABRIC_PATH: u16 = 0x8903;
    pub(in crate::decode) const VN_TAG: u16 = 0x8926;
    pub(in crate::decode) const E_TAG: u16 = 0x893f;
    pub(in crate::decode) const NSH: u16 = 0x894f;
    pub(in crate::decode) const QINQ: u16 = 0x9100;
}

/// Length of an Ethernet II header.
pub(super) const ETHERNET_LENGTH: usize = 14;

/// Bytes of FabricPath before the inner Ethernet header.
const FABRIC_PATH_LENGTH: usize = 2;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn ethernet(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().ethernet += 1;
        self.descend()?;
        let (header, rest) = self.header(bytes, ETHERNET_LENGTH, DecodeEvent::ETHERNET_PKT_TOO_SMALL)?;
        let ethernet = read(header)?;
        self.layer(LayerKind::Ethernet, header);
        self.packet.ethernet = Some(ethernet);
        let (kind, rest) =
            self.type_in_snap(ethernet.ether_type, rest).unwrap_or((ethernet.ether_type, rest));
        self.network(kind, rest);
        Some(())
    }

    /// The type in the SNAP header that follows a length in place of a type, and what follows that.
    pub(super) fn type_in_snap(&mut self, kind: u16, bytes: &'a [u8]) -> Option<(u16, &'a [u8])> {
        if kind >= ether_type::LEAST {
            return None;
        }
        if !self.settings.rare_layers {
            self.note_more();
            return None;
        }
        self.snap(bytes)
    }

    /// Reads what an EtherType announces; false where the type is not known, which is noted. What goes wrong inside
    /// is no failure of the layer that carries it.
    pub(super) fn network(&mut self, kind: u16, bytes: &'a [u8]) -> bool {
        let is_known = self.known_network(kind, bytes);
        if !is_known {
            self.counters().unknown_ethertype += 1;
            self.note(DecodeEvent::ETHERNET_UNKNOWN_ETHERTYPE);
        }
        is_known
    }

    /// Reads what a type announces, if it is known.
    #[inline]
    pub(super) fn known_network(&mut self, kind: u16, bytes: &'a [u8]) -> bool {
        let _reported_as_events = match kind {
            ether_type::IPV4 => self.ipv4(bytes),
            ether_type::IPV6 => self.ipv6(bytes),
            ether_type::VLAN | ether_type::PROVIDER_BRIDGE | ether_type::QINQ => {
                if self.packet.vlan.as_slice().len() >= MAX_VLANS {
                    self.note(DecodeEvent::VLAN_TOO_MANY_LAYERS);
                    None
                } else {
                    self.vlan(bytes)
                }
            }
            ether_type::ARP => self.arp(bytes),
            ether_type::PPPOE_SESSION => self.pppoe_session(bytes),
            ether_type::PPPOE_DISCOVERY => self.pppoe_discovery(bytes),
            ether_type::MPLS_UNICAST | ether_type::MPLS_MULTICAST => self.mpls(bytes),
            ether_type::BACKBONE_BRIDGE => self.backbone_tag(bytes),
            ether_type::FABRIC_PATH => self.fabric_path(bytes),
            ether_type::VN_TAG => self.vn_tag(bytes),
            ether_type::E_TAG => self.e_tag(bytes),
            ether_type::NSH => self.nsh(bytes),
            _ => return false,
        };
        true
    }

    fn fabric_path(&mut self, bytes: &'a [u8]) -> Outcome {
        let (_, rest) = self.header(bytes, FABRIC_PATH_LENGTH, DecodeEvent::DCE_PKT_TOO_SMALL)?;
        self.ethernet(rest)
    }
}

/// The fields of an Ethernet II header.
fn read(header: &[u8]) -> Option<Ethernet> {
    let (destination, rest) = header.split_first_chunk::<6>()?;
    let (source, rest) = rest.split_first_chunk::<6>()?;
    let (kind, _) = rest.split_first_chunk::<2>()?;
    Some(Ethernet { destination: *destination, source: *source, ether_type: u16::from_be_bytes(*kind) })
}
