//! AYIYA (draft-massar-v6ops-ayiya): IP in UDP with an identity and a signature before it.

use super::super::walk::{Inner, Outcome, Walk};
use crate::packet::{LayerKind, Origin};

/// Lengths and methods, the next header, the time.
const LENGTH: usize = 8;
/// The packet is to be forwarded.
const FORWARD: u8 = 1;
const NEXT_IPV4: u8 = 4;
const NEXT_IPV6: u8 = 41;

impl<'a> Walk<'_, 'a> {
    pub(super) fn ayiya(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&[identity, signature, method, next, ..], _) = bytes.split_first_chunk::<LENGTH>()?;
        if method & 0x0f != FORWARD {
            return None;
        }
        let inner = match next {
            NEXT_IPV4 => Inner::Ipv4,
            NEXT_IPV6 => Inner::Ipv6,
            _ => return None,
        };
        // The identity's length is a power of two, the signature's a number of four bytes.
        let length = LENGTH + (1 << (identity >> 4)) + usize::from(signature >> 4) * 4;
        let (header, packet) = bytes.split_at_checked(length)?;
        self.tunnel(inner, packet, Origin::OtherTunnel)?;
        self.counters().ayiya += 1;
        self.layer(LayerKind::Ayiya, header);
        Some(())
    }
}
