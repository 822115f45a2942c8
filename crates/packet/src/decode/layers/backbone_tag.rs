//! Provider backbone bridges (802.1ah): an I-tag of four bytes, then the customer's addresses and type.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const LENGTH: usize = 18;

impl<'a> Walk<'_, 'a> {
    pub(super) fn backbone_tag(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().ieee8021ah += 1;
        self.descend()?;
        let (&[.., high, low], rest) =
            self.fixed::<LENGTH>(bytes, DecodeEvent::IEEE8021AH_HEADER_TOO_SMALL)?;
        self.layer(LayerKind::Pbb, bytes.get(..LENGTH)?);
        self.network(u16::from_be_bytes([high, low]), rest);
        Some(())
    }
}
