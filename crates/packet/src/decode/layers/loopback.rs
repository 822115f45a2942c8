//! BSD loopback: an address family of four bytes, in the byte order of the host that captured
//! (`LINKTYPE_NULL`) or of the network (`LINKTYPE_LOOP`). The value is small, so the order is seen.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const LENGTH: usize = 4;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn null(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&family, _) = self.null_header(bytes)?;
        let little = u32::from_le_bytes(family);
        let value = if little > 0xffff { u32::from_be_bytes(family) } else { little };
        self.null_payload(value, bytes)
    }

    pub(in crate::decode) fn loopback(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&family, _) = self.null_header(bytes)?;
        self.null_payload(u32::from_be_bytes(family), bytes)
    }

    fn null_header(&mut self, bytes: &'a [u8]) -> Option<(&'a [u8; LENGTH], &'a [u8])> {
        self.counters().null += 1;
        let parts = self.fixed::<LENGTH>(bytes, DecodeEvent::LTNULL_PKT_TOO_SMALL)?;
        self.descend()?;
        self.layer(LayerKind::Null, bytes.get(..LENGTH)?);
        Some(parts)
    }

    fn null_payload(&mut self, family: u32, bytes: &'a [u8]) -> Outcome {
        let rest = bytes.get(LENGTH..)?;
        match family {
            2 => self.ipv4(rest),
            // AF_INET6 of Linux, NetBSD and OpenBSD, FreeBSD, Darwin.
            10 | 24 | 28 | 30 => self.ipv6(rest),
            _ => {
                self.note(DecodeEvent::LTNULL_UNSUPPORTED_TYPE);
                Some(())
            }
        }
    }
}
