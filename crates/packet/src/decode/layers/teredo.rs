//! Teredo (RFC 4380): IPv6 in UDP. No field says that it is Teredo, so only what fits exactly is taken.

use super::super::walk::{Inner, Outcome, Walk};
use crate::packet::{LayerKind, Origin};

const IPV6_LENGTH: usize = 40;
const ORIGIN_INDICATION: [u8; 2] = [0, 0];
const ORIGIN_INDICATION_LENGTH: usize = 8;
const AUTHENTICATION: [u8; 2] = [0, 1];
/// Of an authentication header without identifier and value: nonce and confirmation byte last.
const AUTHENTICATION_LENGTH: usize = 13;
/// Nothing follows the header.
const NO_NEXT_HEADER: u8 = 59;

impl<'a> Walk<'_, 'a> {
    pub(super) fn teredo(&mut self, bytes: &'a [u8]) -> Outcome {
        let packet = self.teredo_packet(bytes)?;
        self.counters().teredo += 1;
        self.tunnel(Inner::TeredoIpv6, packet, Origin::Teredo)?;
        let header = packet.as_ptr().addr().wrapping_sub(bytes.as_ptr().addr());
        self.layer(LayerKind::Teredo, bytes.get(..header)?);
        Some(())
    }

    /// The IPv6 packet, if the rest of the datagram is one.
    fn teredo_packet(&self, mut bytes: &'a [u8]) -> Option<&'a [u8]> {
        let variants = self.settings.teredo_variants;
        if variants && bytes.starts_with(&AUTHENTICATION) {
            let &[_, _, identifier, value, ..] = bytes else { return None };
            bytes = bytes.get(AUTHENTICATION_LENGTH + usize::from(identifier) + usize::from(value)..)?;
        }
        if bytes.starts_with(&ORIGIN_INDICATION) {
            bytes = bytes.get(ORIGIN_INDICATION_LENGTH..)?;
        }
        let &[first, _, _, _, length_high, length_low, next, ..] = bytes.first_chunk::<IPV6_LENGTH>()?;
        let length = IPV6_LENGTH + usize::from(u16::from_be_bytes([length_high, length_low]));
        let is_bubble = variants && next == NO_NEXT_HEADER && length == IPV6_LENGTH;
        (first >> 4 == 6 && (bytes.len() == length || is_bubble)).then_some(bytes.get(..length)?)
    }
}
