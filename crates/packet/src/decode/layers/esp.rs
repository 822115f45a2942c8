//! Encapsulating security payload (RFC 4303). What follows its header is encrypted.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::Transport;
use crate::packet::LayerKind;

const LENGTH: usize = 8;

impl<'a> Walk<'_, 'a> {
    pub(super) fn esp(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().esp += 1;
        self.descend()?;
        let (&[a, b, c, d, ..], rest) = self.fixed::<LENGTH>(bytes, DecodeEvent::ESP_PKT_TOO_SMALL)?;
        self.layer(LayerKind::Esp, bytes.get(..LENGTH)?);
        self.packet.transport = Transport::Esp { spi: u32::from_be_bytes([a, b, c, d]) };
        self.packet.skip_payload = true;
        self.packet.payload = rest;
        Some(())
    }
}
