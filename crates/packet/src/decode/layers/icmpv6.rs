//! ICMPv6 (RFC 4443, RFC 4861, RFC 2710, RFC 3810 and the IANA registry of its types).

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::{Icmp, Ip, Transport};
use crate::packet::LayerKind;

const LENGTH: usize = 8;
/// Bytes that the header of a message has whatever its type.
const COMMON: usize = 4;
/// Multicast listener messages never leave their link.
const LISTENER_HOP_LIMIT: u8 = 1;

/// Greatest code of each type whose codes are known.
const fn greatest_code(kind: u8) -> Option<u8> {
    match kind {
        1 => Some(6),
        3 => Some(1),
        4 => Some(2),
        139 | 140 => Some(2),
        2 | 128..=137 | 141..=149 | 151..=153 => Some(0),
        _ => None,
    }
}

/// The event of a type that is not known.
const fn unknown(kind: u8) -> Option<DecodeEvent> {
    match kind {
        138 | 150 | 154..=159 => None,
        100 | 101 | 200 | 201 => Some(DecodeEvent::ICMPV6_EXPERIMENTATION_TYPE),
        5..=99 | 102..=126 | 160..=199 | 202..=254 => Some(DecodeEvent::ICMPV6_UNASSIGNED_TYPE),
        _ => Some(DecodeEvent::ICMPV6_UNKNOWN_TYPE),
    }
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn icmpv6(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().icmpv6 += 1;
        let (&[kind, code, ch, cl, a, b, c, d], payload) =
            self.fixed::<LENGTH>(bytes, DecodeEvent::ICMPV6_PKT_TOO_SMALL)?;
        let header = bytes.get(..LENGTH)?;
        let mut icmp = Icmp { header, kind, code, checksum: u16::from_be_bytes([ch, cl]), ..Icmp::default() };
        match greatest_code(kind) {
            Some(greatest) if code > greatest => self.note(DecodeEvent::ICMPV6_UNKNOWN_CODE),
            Some(_) => {
                if let 1..=4 = kind {
                    icmp.embedded = self.quoted_ipv6(payload);
                }
            }
            None => {
                if let Some(event) = unknown(kind) {
                    self.note(event);
                }
            }
        }
        match kind {
            2 => icmp.mtu = Some(u32::from_be_bytes([a, b, c, d])),
            128 | 129 => {
                icmp.id = Some(u16::from_be_bytes([a, b]));
                icmp.seq = Some(u16::from_be_bytes([c, d]));
            }
            130..=132 | 143 if self.packet.ip.as_ref().map(Ip::ttl) != Some(LISTENER_HOP_LIMIT) => {
                self.note(DecodeEvent::ICMPV6_MLD_MESSAGE_WITH_INVALID_HL);
            }
            _ => {}
        }
        self.layer(LayerKind::Icmpv6, header);
        self.packet.transport = Transport::Icmpv6(icmp);
        self.packet.payload = match kind {
            1..=4 | 128 | 129 if greatest_code(kind).is_none_or(|greatest| code <= greatest) => payload,
            // What rules know as the payload of other types begins behind the checksum, and is that much shorter
            // than the one of the types above.
            _ => bytes.get(COMMON..bytes.len().saturating_sub(LENGTH)).unwrap_or_default(),
        };
        Some(())
    }
}
