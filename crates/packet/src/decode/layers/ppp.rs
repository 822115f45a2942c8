//! PPP (RFC 1661, RFC 1662), with address and control present or left out and the protocol field
//! compressed or not.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

/// The least that is taken for a frame.
const LEAST: usize = 4;
const ALL_STATIONS: u8 = 0xff;
const UNNUMBERED_INFORMATION: u8 = 0x03;

/// Protocol numbers (RFC 1700 and the IANA registry).
mod protocol {
    pub(super) const IPV4: u16 = 0x0021;
    pub(super) const UNCOMPRESSED_TCP: u16 = 0x002f;
    pub(super) const IPV6: u16 = 0x0057;
    pub(super) const MPLS_UNICAST: u16 = 0x0281;
    pub(super) const MPLS_MULTICAST: u16 = 0x0283;
}

/// Least bytes of IP that must follow the protocol field.
const LEAST_IPV4: usize = 20;
const LEAST_IPV6: usize = 40;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn ppp(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().ppp += 1;
        self.header(bytes, LEAST, DecodeEvent::PPP_PKT_TOO_SMALL)?;
        self.descend()?;
        let frame = bytes.strip_prefix(&[ALL_STATIONS, UNNUMBERED_INFORMATION]).unwrap_or(bytes);
        let (protocol, payload) = protocol_field(frame)?;
        self.layer(LayerKind::Ppp, bytes.get(..bytes.len() - payload.len())?);
        self.ppp_payload(protocol, payload)
    }

    /// Reads what a PPP protocol number announces.
    pub(super) fn ppp_payload(&mut self, protocol: u16, payload: &'a [u8]) -> Outcome {
        match protocol {
            protocol::IPV4 => {
                self.header(payload, LEAST_IPV4, DecodeEvent::PPP_IP4_PKT_TOO_SMALL)?;
                self.ipv4(payload)
            }
            protocol::IPV6 => {
                self.header(payload, LEAST_IPV6, DecodeEvent::PPP_IP6_PKT_TOO_SMALL)?;
                self.ipv6(payload)
            }
            protocol::UNCOMPRESSED_TCP => {
                self.header(payload, LEAST_IPV4, DecodeEvent::PPP_VJU_PKT_TOO_SMALL)?;
                match payload.first() {
                    Some(first) if first >> 4 == 4 => self.ipv4(payload),
                    _ => None,
                }
            }
            protocol::MPLS_UNICAST | protocol::MPLS_MULTICAST => self.mpls(payload),
            // Within a tunnel it is no packet.
            _ if self.packet.recursion > 0 => None,
            _ if is_known(protocol) => {
                self.note(DecodeEvent::PPP_UNSUP_PROTO);
                Some(())
            }
            _ => {
                self.raise(DecodeEvent::PPP_WRONG_TYPE);
                Some(())
            }
        }
    }
}

/// The protocol field, of one byte where that is odd (RFC 1661, 2), and what follows it.
pub(super) fn protocol_field(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if first & 1 == 1 {
        return Some((u16::from(first), rest));
    }
    let (&second, rest) = rest.split_first()?;
    Some((u16::from_be_bytes([first, second]), rest))
}

/// Whether a protocol is one that is known though not decoded: OSI, XNS, DECnet, AppleTalk, IPX,
/// compressed TCP, bridging, stream, Vines, hello, LuxCom, SNS, their control protocols, and the
/// link, password, quality and challenge protocols.
const fn is_known(protocol: u16) -> bool {
    matches!(
        protocol,
        0x0023
            | 0x0025
            | 0x0027
            | 0x0029
            | 0x002b
            | 0x002d
            | 0x0031
            | 0x0033
            | 0x0035
            | 0x0201
            | 0x0231
            | 0x0233
            | 0x8021
            | 0x8023
            | 0x8025
            | 0x8027
            | 0x8029
            | 0x802b
            | 0x8031
            | 0x8033
            | 0x8035
            | 0x8057
            | 0x8281
            | 0x8283
            | 0xc021
            | 0xc023
            | 0xc025
            | 0xc223
    )
}
