//! ICMP (RFC 792, RFC 950, RFC 1256).

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::{Icmp, Transport};
use crate::packet::LayerKind;

const LENGTH: usize = 8;
const TIMESTAMP_LENGTH: usize = 20;
const ADDRESS_MASK_LENGTH: usize = 12;
const ROUTER_ADVERTISEMENT: u8 = 9;

/// Layout of a message after the first four bytes, by type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Identifier and sequence number.
    Query,
    /// A quoted packet.
    Error,
    /// Neither.
    Other,
}

/// Greatest code and shape of each known type.
const fn known(kind: u8) -> Option<(u8, Shape)> {
    match kind {
        0 | 8 | 13..=18 => Some((0, Shape::Query)),
        3 => Some((15, Shape::Error)),
        4 => Some((0, Shape::Error)),
        5 => Some((3, Shape::Error)),
        11 => Some((1, Shape::Error)),
        12 => Some((2, Shape::Error)),
        9 => Some((0, Shape::Other)),
        _ => None,
    }
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn icmpv4(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().icmpv4 += 1;
        let (&[kind, code, ch, cl, ih, il, sh, sl], quoted) =
            self.fixed::<LENGTH>(bytes, DecodeEvent::ICMPV4_PKT_TOO_SMALL)?;
        let mut icmp = Icmp { kind, code, checksum: u16::from_be_bytes([ch, cl]), ..Icmp::default() };
        match known(kind) {
            None => self.note(DecodeEvent::ICMPV4_UNKNOWN_TYPE),
            Some((greatest_code, shape)) => {
                if code > greatest_code {
                    self.note(DecodeEvent::ICMPV4_UNKNOWN_CODE);
                } else if shape == Shape::Error && !quoted.is_empty() {
                    icmp.embedded = self.quoted_ipv4(quoted);
                }
                if shape == Shape::Query {
                    icmp.id = Some(u16::from_be_bytes([ih, il]));
                    icmp.seq = Some(u16::from_be_bytes([sh, sl]));
                }
            }
        }
        let header_length = match kind {
            13 | 14 => TIMESTAMP_LENGTH,
            17 | 18 => ADDRESS_MASK_LENGTH,
            // A count of addresses, and the 32-bit words of each.
            ROUTER_ADVERTISEMENT => LENGTH + usize::from(ih) * usize::from(il) * 4,
            _ => LENGTH,
        };
        if bytes.len() < header_length {
            self.note(DecodeEvent::ICMPV4_PKT_TOO_SMALL);
        }
        let (header, payload) = bytes.split_at_checked(header_length).unwrap_or((bytes, &[]));
        icmp.header = header;
        self.layer(LayerKind::Icmpv4, header);
        self.packet.transport = Transport::Icmpv4(icmp);
        self.packet.payload = payload;
        Some(())
    }
}
