//! Costs of measured packets, one by one.

use super::layers::{Layer, PacketKind};

/// Most packets that are kept of a thread, and most layers of them all together.
const MAX_PACKETS: usize = 1 << 18;
const MAX_PARTS: usize = MAX_PACKETS * 16;

/// Cost of one packet.
#[derive(Clone, Copy, Debug)]
struct Unit {
    number: u64,
    kind: PacketKind,
    /// End of what its layers took; they begin where those of the packet before end.
    end: u32,
}

/// Packets with the ticks of each layer, in the order of a thread.
#[derive(Clone, Debug, Default)]
pub struct Units {
    units: Vec<Unit>,
    /// Places of layers, with ticks.
    parts: Vec<(u16, u32)>,
    layers: Vec<Layer>,
    left_out: u64,
}

/// A packet, and the ticks of the layers that were entered for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnitCost<'a> {
    /// Number of the packet.
    pub number: u64,
    /// Kind of the packet.
    pub kind: PacketKind,
    /// Places of layers in [`Units::layers`], with ticks.
    pub parts: &'a [(u16, u32)],
}

impl Units {
    /// Keeps a packet, of which `parts` are places of layers with their ticks; counts it where there is no more room.
    pub(super) fn keep(
        &mut self,
        number: u64,
        kind: PacketKind,
        layers: &[Layer],
        parts: impl Iterator<Item = (usize, u64)>,
    ) {
        if self.units.len() >= MAX_PACKETS || self.parts.len() + layers.len() > MAX_PARTS {
            self.left_out += 1;
            return;
        }
        self.layers.extend_from_slice(layers.get(self.layers.len()..).unwrap_or_default());
        self.parts
            .extend(parts.map(|(place, ticks)| (place as u16, u32::try_from(ticks).unwrap_or(u32::MAX))));
        self.units.push(Unit { number, kind, end: self.parts.len() as u32 });
    }

    /// Returns the layers that were entered.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Returns the packets that there was no room for.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the packets in their order.
    pub fn iter(&self) -> impl Iterator<Item = UnitCost<'_>> {
        let mut start = 0;
        self.units.iter().map(move |unit| {
            let parts = self.parts.get(start..unit.end as usize).unwrap_or_default();
            start = unit.end as usize;
            UnitCost { number: unit.number, kind: unit.kind, parts }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stage;
    use super::*;

    #[test]
    fn packets_are_kept_with_their_layers_until_there_are_too_many() {
        let layers = [Layer { stage: Stage::Decode, name: "" }, Layer { stage: Stage::Flow, name: "" }];
        let kind = PacketKind { version: 4, protocol: 17 };
        let mut units = Units::default();
        units.keep(7, kind, &layers[..1], [(0, 30)].into_iter());
        units.keep(9, kind, &layers, [(0, 20), (1, u64::MAX)].into_iter());
        let kept: Vec<UnitCost<'_>> = units.iter().collect();
        assert_eq!(
            kept,
            [
                UnitCost { number: 7, kind, parts: &[(0, 30)] },
                UnitCost { number: 9, kind, parts: &[(0, 20), (1, u32::MAX)] },
            ]
        );
        assert_eq!(units.layers(), layers);
        for number in 0..MAX_PACKETS as u64 {
            units.keep(number, kind, &layers, [(0, 1)].into_iter());
        }
        assert_eq!((units.iter().count(), units.left_out()), (MAX_PACKETS, 2));
    }
}
