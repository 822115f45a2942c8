//! What becomes of packets, where the source stands between networks and asks.

use weir_capture::{Fate, Fates};
use weir_packet::{Origin, Packet};

use super::{Rest, Worker};

/// Nothing is decided, so that all packets go on.
static NOTHING: Fates = Fates::new();

impl Worker {
    /// Decides of packets from now on.
    pub(crate) fn decide_fates(&mut self) {
        self.rest.fates = Some(Box::new(Fates::new()));
    }

    /// What becomes of the packets since it was forgotten.
    pub(crate) fn fates(&self) -> &Fates {
        self.rest.fates.as_deref().unwrap_or(&NOTHING)
    }

    /// The packets so far are done with.
    pub(crate) fn forget_fates(&mut self) {
        if let Some(fates) = &mut self.rest.fates {
            fates.clear();
        }
    }
}

impl Rest {
    /// The next packet goes on unless something else is decided.
    #[inline]
    pub(super) fn begin_fate(&mut self) {
        if let Some(fates) = &mut self.fates {
            fates.begin();
        }
    }

    /// All is known of the packet at hand.
    #[inline]
    pub(super) fn decide_fate(&mut self, dropped: bool) {
        if let Some(fates) = self.fates.as_mut().filter(|_| dropped) {
            fates.decide(Fate::Drop);
        }
    }

    /// The packet at hand goes on as this one; only one that came by itself can be changed.
    pub(super) fn go_on_as(&mut self, packet: &Packet<'_>) {
        if let Some(fates) = self.fates.as_mut().filter(|_| packet.origin == Origin::Wire) {
            fates.change(&[packet.bytes]);
        }
    }
}
