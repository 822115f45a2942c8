//! Packets that start with IP (`LINKTYPE_RAW` and kin).

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;

/// The least that is taken for an IP packet.
const LEAST: usize = 20;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn raw(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().raw += 1;
        self.header(bytes, LEAST, DecodeEvent::IPV4_PKT_TOO_SMALL)?;
        self.ip(bytes)
    }

    /// IP of the version that the first four bits say.
    pub(in crate::decode) fn ip(&mut self, bytes: &'a [u8]) -> Outcome {
        match bytes.first().map(|first| first >> 4) {
            Some(4) => self.ipv4(bytes),
            Some(6) => self.ipv6(bytes),
            _ => {
                self.note(DecodeEvent::IPRAW_INVALID_IP_VERSION);
                Some(())
            }
        }
    }
}
