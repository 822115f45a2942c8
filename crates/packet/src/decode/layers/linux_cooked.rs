//! Linux cooked captures, versions 1 and 2 (`LINKTYPE_LINUX_SLL`, `LINKTYPE_LINUX_SLL2`).

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const SLL_LENGTH: usize = 16;
const SLL2_LENGTH: usize = 20;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn sll(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().sll += 1;
        let (&[.., high, low], rest) = self.fixed::<SLL_LENGTH>(bytes, DecodeEvent::SLL_PKT_TOO_SMALL)?;
        self.descend()?;
        self.layer(LayerKind::Sll, bytes.get(..SLL_LENGTH)?);
        self.network(u16::from_be_bytes([high, low]), rest);
        Some(())
    }

    pub(in crate::decode) fn sll2(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().sll2 += 1;
        let (&[high, low, ..], rest) = self.fixed::<SLL2_LENGTH>(bytes, DecodeEvent::SLL2_PKT_TOO_SMALL)?;
        self.descend()?;
        self.layer(LayerKind::Sll2, bytes.get(..SLL2_LENGTH)?);
        self.network(u16::from_be_bytes([high, low]), rest);
        Some(())
    }
}
