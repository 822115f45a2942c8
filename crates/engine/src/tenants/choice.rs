//! The choice of a packet's tenant, made once for each flow.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_config::{TenantSelector, TenantTraffic};
use weir_packet::Packet;

use super::Slot;

/// Numbers that a tag can hold.
const VLANS: usize = 4096;

/// The way in which packets find their tenant.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// By their outermost VLAN.
    Vlan(Box<[Slot; VLANS]>),
    /// By the name of their interface.
    Device(BTreeMap<String, Slot>),
    /// All have this one.
    All(Slot),
}

impl Choice {
    /// The choice by traffic that is mapped to slots.
    pub(super) fn of<'a>(
        selector: TenantSelector,
        mappings: impl Iterator<Item = (&'a TenantTraffic, Slot)>,
    ) -> Self {
        let (mut vlans, mut devices) = (Box::new([Slot::NONE; VLANS]), BTreeMap::new());
        for (traffic, slot) in mappings {
            match traffic {
                TenantTraffic::Vlan(id) => {
                    vlans.get_mut(usize::from(*id)).into_iter().for_each(|place| *place = slot);
                }
                TenantTraffic::Device(name) => {
                    devices.insert(name.clone(), slot);
                }
            }
        }
        if selector == TenantSelector::Device { Self::Device(devices) } else { Self::Vlan(vlans) }
    }

    /// The slot of a packet, that of none where nothing is mapped to a tenant. What a tunnel carries is traffic of the
    /// packet around it, the `root`, if that has tags.
    pub(crate) fn of_packet(
        &self,
        packet: &Packet<'_>,
        root: Option<&Packet<'_>>,
        interfaces: &[Arc<str>],
    ) -> Slot {
        match self {
            Self::All(slot) => *slot,
            Self::Vlan(slots) => {
                let outermost = |packet: &Packet<'_>| packet.vlan.as_slice().first().copied();
                let vlan = root.and_then(outermost).or_else(|| outermost(packet));
                vlan.and_then(|id| slots.get(usize::from(id))).copied().unwrap_or_default()
            }
            Self::Device(slots) => {
                let name = interfaces.get(packet.interface as usize);
                name.and_then(|name| slots.get(&**name)).copied().unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::{LinkType, RawPacket};

    use super::*;

    fn packet(vlans: &[u16], interface: u32) -> Packet<'static> {
        let raw = RawPacket {
            number: 1,
            time: Timestamp::default(),
            link: LinkType::ETHERNET,
            wire_length: 0,
            interface,
            bytes: &[],
        };
        let mut packet = Packet::empty(&raw);
        vlans.iter().for_each(|id| assert!(packet.vlan.push(*id)));
        packet
    }

    #[test]
    fn the_outermost_tag_decides() {
        let mapped = [(TenantTraffic::Vlan(5), Slot(1)), (TenantTraffic::Vlan(4094), Slot(2))];
        let mappings = mapped.iter().map(|(traffic, slot)| (traffic, *slot));
        let choice = Choice::of(TenantSelector::Vlan, mappings);
        for (own, around, expected) in [
            (&[][..], None, Slot::NONE),
            (&[5], None, Slot(1)),
            (&[4094], None, Slot(2)),
            (&[5, 4094], None, Slot(1)),
            (&[6, 5], None, Slot::NONE),
            (&[0], None, Slot::NONE),
            // Inside of a tunnel.
            (&[], Some(&[4094][..]), Slot(2)),
            (&[5], Some(&[4094]), Slot(2)),
            (&[5], Some(&[]), Slot(1)),
        ] {
            let root = around.map(|tags| packet(tags, 0));
            assert_eq!(
                choice.of_packet(&packet(own, 0), root.as_ref(), &[]),
                expected,
                "{own:?} in {around:?}"
            );
        }
    }

    #[test]
    fn the_interface_decides() {
        let mapped = [(TenantTraffic::Device("b".to_owned()), Slot(3))];
        let choice =
            Choice::of(TenantSelector::Device, mapped.iter().map(|(traffic, slot)| (traffic, *slot)));
        let names: Vec<Arc<str>> = vec!["a".into(), "b".into()];
        for (interface, expected) in [(0, Slot::NONE), (1, Slot(3)), (2, Slot::NONE)] {
            assert_eq!(choice.of_packet(&packet(&[], interface), None, &names), expected, "{interface}");
        }
        assert_eq!(choice.of_packet(&packet(&[], 1), None, &[]), Slot::NONE);
    }
}
