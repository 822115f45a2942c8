//! Teredo (RFC 4380): IPv6 in UDP. No field says that it is Teredo, so only what fits exactly is taken.

use super::super::walk::{Inner, Outcome, Walk};
use crate::packet::{LayerKind, Origin};

const IPV6_LENGTH: usize = 40;
const ORIGIN_INDICATION: [u8; 2] = [0, 0];
const ORIGIN_INDICATION_LENGTH: usize = 8;

impl<'a> Walk<'_, 'a> {
    pub(super) fn teredo(&mut self, bytes: &'a [u8]) -> Outcome {
        let packet = if bytes.starts_with(&ORIGIN_INDICATION) {
            bytes.get(ORIGIN_INDICATION_LENGTH..)?
        } else {
            bytes
        };
        let &[first, _, _, _, length_high, length_low, ..] = packet.first_chunk::<IPV6_LENGTH>()?;
        let payload_length = usize::from(u16::from_be_bytes([length_high, length_low]));
        if first >> 4 != 6 || packet.len() != IPV6_LENGTH + payload_length {
            return None;
        }
        self.counters().teredo += 1;
        self.tunnel(Inner::TeredoIpv6, packet, Origin::Teredo)?;
        self.layer(LayerKind::Teredo, bytes.get(..bytes.len() - packet.len())?);
        Some(())
    }
}
