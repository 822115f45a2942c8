//! IGMP (RFC 2236, RFC 3376).

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::Transport;
use crate::packet::LayerKind;

/// The header that all versions share.
const LENGTH: usize = 8;

impl<'a> Walk<'_, 'a> {
    pub(super) fn igmp(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().igmp += 1;
        let (header, rest) = self.header(bytes, LENGTH, DecodeEvent::IGMP_PKT_TOO_SMALL)?;
        self.layer(LayerKind::Igmp, header);
        self.packet.transport = Transport::Igmp(bytes);
        self.packet.payload = rest;
        Some(())
    }
}
