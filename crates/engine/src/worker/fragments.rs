//! Fragments, and the packets that they make up.

use weir_base::profile::{Stage, enter};
use weir_base::{Place, Position};
use weir_packet::Packet;
use weir_packet::decode::PacketList;
use weir_packet::defrag::MAX_REASSEMBLY_DEPTH;

use super::Worker;
use super::verdict::CarriedVerdict;

impl Worker {
    /// Keeps a fragment, and processes the packet that it completes; false where there is no memory
    /// for it.
    pub(super) fn take_fragment(
        &mut self,
        packet: &mut Packet<'_>,
        position: Position,
        carried: &mut CarriedVerdict,
    ) -> bool {
        if self.rest.fates.is_some() && self.defrag.is_refused(packet) {
            carried.add(CarriedVerdict::DROPPED);
            return true;
        }
        let whole = {
            let _layer = enter(Stage::Defrag);
            self.defrag.push(packet, self.decoder.event_counters())
        };
        let at = match self.rest.order.workers() {
            1 => position,
            // It goes by before what it completes.
            _ => Position::at(position.clock, Place::counted(packet.number, packet.recursion)),
        };
        self.rest.recorder.fragment(packet, self.defrag.misfit(), at);
        let Some(whole) = whole else {
            return !self.defrag.out_of_memory();
        };
        let mut inside = CarriedVerdict::default();
        self.process_reassembled(&whole.bytes, packet, position, &mut inside);
        if inside.is_dropped() && self.rest.fates.is_some() {
            self.defrag.refuse(packet);
        }
        carried.add(inside);
        self.defrag.recycle(whole.bytes);
        true
    }

    /// Processes a packet that was put together from fragments, and what it carries; that may be
    /// fragments again.
    fn process_reassembled(
        &mut self,
        bytes: &[u8],
        template: &Packet<'_>,
        position: Position,
        carried: &mut CarriedVerdict,
    ) {
        let mut list = PacketList::new();
        {
            let _layer = enter(Stage::Decode);
            self.decoder.decode_ip(bytes, template, &mut list);
        }
        if template.recursion >= MAX_REASSEMBLY_DEPTH
            || self.hand_over_whole(bytes, template, list.as_slice())
        {
            return;
        }
        let mut wider = match self.decoder.may_hold_more() {
            false => PacketList::default(),
            true => self
                .read_wider(list.as_slice(), None, |decoder, list| decoder.decode_ip(bytes, template, list)),
        };
        match self.rest.order.workers() {
            1 => self.process_all(list.as_mut_slice(), wider.as_mut_slice(), position, carried),
            _ => self.process_own(list.as_mut_slice(), wider.as_mut_slice(), position, true, carried),
        };
        self.keep_room(wider);
    }
}
