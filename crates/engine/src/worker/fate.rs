//! The fate of packets, where the source stands between networks and asks.

use weir_capture::{Fate, Fates, Side};
use weir_output::RejectTarget;
use weir_packet::{LONGEST_REFUSAL, Origin, Packet, Recipient};

use super::findings::Findings;
use super::verdict::PacketVerdict;
use super::{Rest, Worker};

/// Nothing is decided, so that all packets go on.
static NOTHING: Fates = Fates::new();

impl Worker {
    /// Decides of packets from now on.
    pub(crate) fn decide_fates(&mut self) {
        self.rest.fates = Some(Box::new(Fates::new()));
    }

    /// Returns the fates of the packets since they were forgotten.
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

    /// Leaves uninspected what follows of the flow of the packet at hand. A flow in a tunnel says nothing of others
    /// there.
    #[cold]
    pub(super) fn bypass_fate(&mut self, packet: &Packet<'_>) {
        if let Some(fates) = &mut self.fates
            && fates.changed().is_none()
            && packet.recursion == 0
        {
            fates.decide(Fate::Bypass);
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

    /// Puts other bytes into the payload of the packet at hand, where rules ask for it.
    #[inline]
    pub(super) fn replace(&mut self, packet: &Packet<'_>, found: &mut Findings) {
        if !found.matches.replaced.is_empty()
            && found.verdict.dropped().is_none()
            && packet.origin == Origin::Wire
        {
            self.put_in_place(packet, found);
        }
    }

    #[cold]
    fn put_in_place(&mut self, packet: &Packet<'_>, found: &mut Findings) {
        // Without a receiver nothing is changed, but told as if.
        found.verdict.replaced();
        let Some(fates) = &mut self.fates else { return };
        if fates.changed().is_none() {
            fates.change(&[packet.bytes]);
        }
        if let Some(frame) = fates.changed() {
            for (at, bytes) in &found.matches.replaced {
                let _ = packet.patch(frame, *at, bytes);
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
