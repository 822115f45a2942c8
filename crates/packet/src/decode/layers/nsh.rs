//! Network service header (RFC 8300).

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const BASE_LENGTH: usize = 8;
/// Length with the fixed context of metadata type 1.
const TYPE_1_LENGTH: usize = 24;

const TYPE_RESERVED: u8 = 0;
const TYPE_FIXED: u8 = 1;
const TYPE_VARIABLE: u8 = 2;
const TYPE_EXPERIMENT: u8 = 15;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn nsh(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().nsh += 1;
        let (&[high, low, kind, next_protocol, ..], _) =
            self.fixed::<BASE_LENGTH>(bytes, DecodeEvent::NSH_HEADER_TOO_SMALL)?;
        self.descend()?;
        let word = u16::from_be_bytes([high, low]);
        let length = usize::from(word & 0x3f) * 4;
        if word >> 14 != 0 {
            self.note(DecodeEvent::NSH_UNSUPPORTED_VERSION);
            return Some(());
        }
        let well_sized = match kind & 0x0f {
            TYPE_RESERVED => {
                self.note(DecodeEvent::NSH_RESERVED_TYPE);
                return Some(());
            }
            TYPE_FIXED => length == TYPE_1_LENGTH,
            TYPE_VARIABLE => length >= BASE_LENGTH,
            TYPE_EXPERIMENT => return Some(()),
            _ => {
                self.note(DecodeEvent::NSH_UNSUPPORTED_TYPE);
                return Some(());
            }
        };
        if !well_sized || length >= bytes.len() {
            return self.fail(DecodeEvent::NSH_BAD_HEADER_LENGTH);
        }
        let (header, rest) = bytes.split_at_checked(length)?;
        self.layer(LayerKind::Nsh, header);
        match next_protocol {
            1 => self.ipv4(rest),
            2 => self.ipv6(rest),
            3 => self.ethernet(rest),
            5 => self.mpls(rest),
            _ => {
                self.note(DecodeEvent::NSH_UNKNOWN_PAYLOAD);
                Some(())
            }
        }
    }
}
