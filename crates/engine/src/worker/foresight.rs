//! Packets are foreseen while others are at hand: what they will need is fetched into the processor's cache.

use weir_packet::RawPacket;
use weir_packet::decode::glance;

use super::Worker;

#[cfg(test)]
mod tests;

/// Packets before its turn at which a packet is foreseen.
pub const FORESIGHT: usize = 8;

/// So many flows are near enough as it is.
pub const FEW_FLOWS: usize = 8192;

/// Hashes of packets that come soon, from the latest on half as many as [`FORESIGHT`].
#[derive(Default)]
pub(super) struct Foreseen {
    hashes: [Option<u32>; FORESIGHT / 2],
    next: usize,
}

impl Foreseen {
    /// Takes the hash of the packet that is foreseen now, for that of the one which is halfway.
    #[inline]
    fn halfway(&mut self, hash: Option<u32>) -> Option<u32> {
        let place = self.hashes.get_mut(self.next)?;
        self.next = (self.next + 1) % (FORESIGHT / 2);
        std::mem::replace(place, hash)
    }
}

impl Worker {
    /// Gets ready for a packet that comes after [`FORESIGHT`] others: asks the processor for its flow's memory
    /// first, and halfway for what the flow refers to.
    #[inline]
    pub fn foresee(&mut self, raw: &RawPacket<'_>) {
        if self.flows.len() < self.few_flows {
            return;
        }
        let hash = glance(raw).map(|key| self.flows.foresee(&key));
        let halfway = self.foreseen.halfway(hash);
        if let Some(flow) = halfway.and_then(|hash| self.flows.foreseen(hash)) {
            flow.session.fetch();
            self.rest.recorder.fetch(flow.session.connection);
        }
    }
}
