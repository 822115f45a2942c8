//! ERSPAN (draft-foschiano-erspan): type I is Ethernet right after GRE, type II has a header.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const LENGTH: usize = 8;
/// The version field of type II.
const TYPE_II: u16 = 1;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn erspan_i(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().erspan += 1;
        self.ethernet(bytes)
    }

    pub(in crate::decode) fn erspan_ii(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().erspan += 1;
        let (&[high, low, ..], rest) = self.fixed::<LENGTH>(bytes, DecodeEvent::ERSPAN_HEADER_TOO_SMALL)?;
        self.descend()?;
        let word = u16::from_be_bytes([high, low]);
        if word >> 12 != TYPE_II {
            return self.fail(DecodeEvent::ERSPAN_UNSUPPORTED_VERSION);
        }
        let vlan = word & 0x0fff;
        if vlan > 0 && !self.packet.vlan.push(vlan) {
            return self.fail(DecodeEvent::ERSPAN_TOO_MANY_VLAN_LAYERS);
        }
        self.layer(LayerKind::Erspan, bytes.get(..LENGTH)?);
        self.ethernet(rest)
    }
}
