//! What becomes of packets, where the source stands between networks and asks.

use weir_capture::{Fate, Fates, Side};
use weir_output::RejectTarget;
use weir_packet::{LONGEST_REFUSAL, Origin, Packet, Recipient};

use super::verdict::PacketVerdict;
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

    /// All is known of a packet of the frame at hand: those that it is refused to are told. What a tunnel carries, and
    /// what came in fragments, is dropped and nobody told.
    #[inline]
    pub(super) fn refuse(&mut self, packet: &Packet<'_>, verdict: &PacketVerdict) {
        if let (Some(target), Some(fates)) = (verdict.refused(), &mut self.fates)
            && packet.origin == Origin::Wire
        {
            let (sender, receiver) = match target {
                RejectTarget::Client => (true, false),
                RejectTarget::Server => (false, true),
                RejectTarget::Both => (true, true),
            };
            if sender {
                fates.send(Side::Sender, LONGEST_REFUSAL, |out| packet.refuse(Recipient::Sender, out));
            }
            if receiver {
                fates.send(Side::Receiver, LONGEST_REFUSAL, |out| packet.refuse(Recipient::Receiver, out));
            }
        }
    }

    /// The packet at hand goes on as this one; only one that came by itself can be changed.
    pub(super) fn go_on_as(&mut self, packet: &Packet<'_>) {
        if let Some(fates) = self.fates.as_mut().filter(|_| packet.origin == Origin::Wire) {
            fates.change(&[packet.bytes]);
        }
    }
}
