//! VXLAN with a generic protocol extension (draft-ietf-nvo3-vxlan-gpe): its header says what it carries.
//! Without the flag that says so it is VXLAN. What shim headers carry is not read.

use super::super::walk::{Inner, Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::{LayerKind, Origin};

const LENGTH: usize = 8;

/// Bits of the first byte.
const RESERVED: u8 = 0xc0;
const VERSION: u8 = 0x30;
/// The next protocol is given.
const FLAG_P: u8 = 0x04;
/// The packet is about the tunnel itself.
const FLAG_O: u8 = 0x01;

impl<'a> Walk<'_, 'a> {
    pub(super) fn vxlan_gpe(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&[flags, r1, r2, next, _, _, _, r3], payload) = bytes.split_first_chunk::<LENGTH>()?;
        if flags & FLAG_P == 0 {
            return self.vxlan(bytes);
        }
        if flags & (RESERVED | VERSION) != 0 || [r1, r2, r3] != [0; 3] {
            return None;
        }
        self.descend()?;
        self.counters().vxlan_gpe += 1;
        self.layer(LayerKind::VxlanGpe, bytes.get(..LENGTH)?);
        if flags & FLAG_O != 0 {
            return Some(());
        }
        let inner = match next {
            1 => Inner::Ipv4,
            2 => Inner::Ipv6,
            3 => Inner::Ethernet,
            4 => Inner::Nsh,
            5 => Inner::Mpls,
            _ => {
                self.note(DecodeEvent::VXLAN_GPE_UNKNOWN_PAYLOAD_TYPE);
                return Some(());
            }
        };
        let _is_packet = self.tunnel(inner, payload, Origin::VxlanGpe);
        Some(())
    }
}
