//! MPLS label stacks (RFC 3032, RFC 4385). What the labels carry is guessed from its first bits, as
//! nothing says it.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const LABEL_LENGTH: usize = 4;
/// Control word of a pseudo wire.
const CONTROL_WORD_LENGTH: usize = 4;

const IPV4_EXPLICIT_NULL: u32 = 0;
const ROUTER_ALERT: u32 = 1;
const IPV6_EXPLICIT_NULL: u32 = 2;
const IMPLICIT_NULL: u32 = 3;
const FIRST_RESERVED: u32 = 4;
const LAST_RESERVED: u32 = 15;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn mpls(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().mpls += 1;
        self.descend()?;
        let mut rest = bytes;
        let label = loop {
            let (&entry, after) = self.fixed::<LABEL_LENGTH>(rest, DecodeEvent::MPLS_HEADER_TOO_SMALL)?;
            rest = after;
            let entry = u32::from_be_bytes(entry);
            let bottom_of_stack = entry & 0x100 != 0;
            if bottom_of_stack {
                break entry >> 12;
            }
        };
        self.layer(LayerKind::Mpls, bytes.get(..bytes.len() - rest.len())?);
        let odd = match label {
            IPV4_EXPLICIT_NULL => return self.ipv4(rest),
            IPV6_EXPLICIT_NULL => return self.ipv6(rest),
            ROUTER_ALERT => DecodeEvent::MPLS_BAD_LABEL_ROUTER_ALERT,
            IMPLICIT_NULL => DecodeEvent::MPLS_BAD_LABEL_IMPLICIT_NULL,
            FIRST_RESERVED..=LAST_RESERVED => DecodeEvent::MPLS_BAD_LABEL_RESERVED,
            _ => return self.mpls_payload(rest),
        };
        self.note(odd);
        Some(())
    }

    fn mpls_payload(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&[first, ..], after_control_word) =
            self.fixed::<CONTROL_WORD_LENGTH>(bytes, DecodeEvent::MPLS_PKT_TOO_SMALL)?;
        match first >> 4 {
            4 => self.ipv4(bytes),
            6 => self.ipv6(bytes),
            0 => self.ethernet(after_control_word),
            _ => {
                self.note(DecodeEvent::MPLS_UNKNOWN_PAYLOAD_TYPE);
                Some(())
            }
        }
    }
}
