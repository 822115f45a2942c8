//! Cisco HDLC: address, control, and an EtherType.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const LENGTH: usize = 4;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn chdlc(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().chdlc += 1;
        let (&[_, _, high, low], rest) = self.fixed::<LENGTH>(bytes, DecodeEvent::CHDLC_PKT_TOO_SMALL)?;
        self.descend()?;
        self.layer(LayerKind::Chdlc, bytes.get(..LENGTH)?);
        self.network(u16::from_be_bytes([high, low]), rest);
        Some(())
    }
}
