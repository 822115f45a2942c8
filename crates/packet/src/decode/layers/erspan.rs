//! ERSPAN (draft-foschiano-erspan): type I is Ethernet right after GRE, types II and III have
//! headers.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const LENGTH: usize = 8;
/// Of type III: its version, its header, and what the last bit of that announces.
const TYPE_III: u16 = 2;
const TYPE_III_LENGTH: usize = 12;
const TYPE_III_OPTIONAL: u8 = 1;
const TYPE_III_OPTIONAL_LENGTH: usize = 8;
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

    pub(in crate::decode) fn erspan_iii(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().erspan += 1;
        let (&[high, low, .., last], _) =
            self.fixed::<TYPE_III_LENGTH>(bytes, DecodeEvent::ERSPAN_HEADER_TOO_SMALL)?;
        self.descend()?;
        let word = u16::from_be_bytes([high, low]);
        if word >> 12 != TYPE_III {
            return self.fail(DecodeEvent::ERSPAN_UNSUPPORTED_VERSION);
        }
        let extra = if last & TYPE_III_OPTIONAL != 0 { TYPE_III_OPTIONAL_LENGTH } else { 0 };
        let (header, rest) =
            self.header(bytes, TYPE_III_LENGTH + extra, DecodeEvent::ERSPAN_HEADER_TOO_SMALL)?;
        self.layer(LayerKind::Erspan, header);
        self.ethernet(rest)
    }
}
