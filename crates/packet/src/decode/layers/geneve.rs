//! GENEVE (RFC 8926). Unlike with VXLAN, an inner Ethernet header is part of the inner packet.

use weir_base::Reader;

use super::super::walk::{Inner, Outcome, Walk};
use super::ethernet::ether_type;
use crate::event::DecodeEvent;
use crate::packet::{LayerKind, Origin};

const LENGTH: usize = 8;
const OPTION_HEADER_LENGTH: usize = 4;
/// Reserved bits of the second byte.
const RESERVED_FLAGS: u8 = 0x3f;

impl<'a> Walk<'_, 'a> {
    pub(super) fn geneve(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&[first, flags, high, low, _, _, _, reserved], _) = bytes.split_first_chunk::<LENGTH>()?;
        if first >> 6 != 0 || flags & RESERVED_FLAGS != 0 || reserved != 0 {
            return None;
        }
        let header_length = LENGTH + usize::from(first & 0x3f) * 4;
        let (header, payload) = bytes.split_at_checked(header_length)?;
        check_options(header.get(LENGTH..)?)?;
        self.descend()?;
        self.counters().geneve += 1;
        self.layer(LayerKind::Geneve, header);
        match u16::from_be_bytes([high, low]) {
            ether_type::TRANSPARENT_ETHERNET => {
                let _is_packet = self.tunnel(Inner::Ethernet, payload, Origin::Geneve);
            }
            ether_type::IPV4 => {
                let _is_packet = self.tunnel(Inner::Ipv4, payload, Origin::Geneve);
            }
            ether_type::IPV6 => {
                let _is_packet = self.tunnel(Inner::Ipv6, payload, Origin::Geneve);
            }
            ether_type::ARP => {}
            _ => self.raise(DecodeEvent::GENEVE_UNKNOWN_PAYLOAD_TYPE),
        }
        Some(())
    }
}

/// Whether the options fill their room exactly.
fn check_options(bytes: &[u8]) -> Option<()> {
    let mut reader = Reader::new(bytes);
    while !reader.is_empty() {
        let header = reader.array::<OPTION_HEADER_LENGTH>()?;
        reader.skip(usize::from(header.last()? & 0x1f) * 4)?;
    }
    Some(())
}
