//! GRE, version 0 (RFC 1701, RFC 2784, RFC 2890) and version 1 (RFC 2637, PPTP).

use super::super::walk::{Inner, Outcome, Walk};
use super::ethernet::ether_type;
use crate::event::DecodeEvent;
use crate::packet::{LayerKind, Origin};

const LENGTH: usize = 4;
/// Each optional field, and the header of a source route entry, takes four bytes.
const FIELD_LENGTH: usize = 4;

/// Bits of the first byte.
const CHECKSUM: u8 = 0x80;
const ROUTING: u8 = 0x40;
const KEY: u8 = 0x20;
const SEQUENCE: u8 = 0x10;
const STRICT_ROUTE: u8 = 0x08;
const RECURSION: u8 = 0x07;

/// Bits of the second byte.
const ACKNOWLEDGEMENT: u8 = 0x80;
const RESERVED: u8 = 0x78;
const VERSION: u8 = 0x07;

impl<'a> Walk<'_, 'a> {
    pub(super) fn gre(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().gre += 1;
        let (&[flags, version, high, low], _) =
            self.fixed::<LENGTH>(bytes, DecodeEvent::GRE_PKT_TOO_SMALL)?;
        self.descend()?;
        let protocol = u16::from_be_bytes([high, low]);
        let header_length = match version & VERSION {
            0 => gre_v0(bytes, flags, version),
            1 => gre_v1(bytes, flags, version, protocol),
            _ => Err(DecodeEvent::GRE_WRONG_VERSION),
        };
        let header_length = match header_length {
            Ok(length) => length,
            Err(event) => {
                self.raise(event);
                return Some(());
            }
        };
        let (header, payload) = bytes.split_at_checked(header_length)?;
        self.layer(LayerKind::Gre, header);
        self.packet.payload = payload;
        let (inner, origin) = match protocol {
            ether_type::IPV4 => (Inner::Ipv4, Origin::Gre),
            ether_type::IPV6 => (Inner::Ipv6, Origin::Gre),
            ether_type::PPP => (Inner::Ppp, Origin::Gre),
            ether_type::VLAN => (Inner::Vlan, Origin::Gre),
            ether_type::TRANSPARENT_ETHERNET => (Inner::Ethernet, Origin::Gre),
            ether_type::ARP => (Inner::Arp, Origin::Gre),
            ether_type::NSH => (Inner::Nsh, Origin::Gre),
            // Type I has no sequence number, nor any other option.
            ether_type::ERSPAN if flags == 0 => (Inner::ErspanI, Origin::Gre),
            ether_type::ERSPAN => (Inner::ErspanII, Origin::Gre),
            ether_type::ERSPAN_III if self.settings.rare_layers => (Inner::ErspanIII, Origin::Gre),
            // Frames of wireless clients, from access points of Aruba.
            0x8200 | 0x8210 if self.settings.rare_layers => (Inner::Ieee80211, Origin::Gre),
            ether_type::ERSPAN_III | 0x8200 | 0x8210 => {
                self.note_more();
                return Some(());
            }
            _ => return Some(()),
        };
        let _is_packet = self.tunnel(inner, payload, origin);
        Some(())
    }
}

/// The length of a version 0 header.
fn gre_v0(bytes: &[u8], flags: u8, version: u8) -> Result<usize, DecodeEvent> {
    if flags & RECURSION != 0 {
        return Err(DecodeEvent::GRE_VERSION0_RECUR);
    }
    if version & RESERVED != 0 {
        return Err(DecodeEvent::GRE_VERSION0_FLAGS);
    }
    let fields =
        [flags & KEY != 0, flags & SEQUENCE != 0, flags & (CHECKSUM | ROUTING) != 0].map(usize::from);
    let mut length = LENGTH + fields.iter().sum::<usize>() * FIELD_LENGTH;
    if length > bytes.len() {
        return Err(DecodeEvent::GRE_VERSION0_HDR_TOO_BIG);
    }
    if flags & ROUTING == 0 {
        return Ok(length);
    }
    // Every entry takes at least its header: the loop ends with the bytes.
    loop {
        let malformed = DecodeEvent::GRE_VERSION0_MALFORMED_SRE_HDR;
        let entry = bytes.get(length..length + FIELD_LENGTH).ok_or(malformed)?;
        let &[family_high, family_low, _offset, entry_length] = entry else {
            return Err(malformed);
        };
        length += FIELD_LENGTH;
        if family_high == 0 && family_low == 0 && entry_length == 0 {
            return Ok(length);
        }
        length += usize::from(entry_length);
        if length > bytes.len() {
            return Err(malformed);
        }
    }
}

/// The length of a version 1 header.
fn gre_v1(bytes: &[u8], flags: u8, version: u8, protocol: u16) -> Result<usize, DecodeEvent> {
    let forbidden = [
        (flags & CHECKSUM != 0, DecodeEvent::GRE_VERSION1_CHKSUM),
        (flags & ROUTING != 0, DecodeEvent::GRE_VERSION1_ROUTE),
        (flags & STRICT_ROUTE != 0, DecodeEvent::GRE_VERSION1_SSR),
        (flags & RECURSION != 0, DecodeEvent::GRE_VERSION1_RECUR),
        (version & RESERVED != 0, DecodeEvent::GRE_VERSION1_FLAGS),
        (protocol != ether_type::PPP, DecodeEvent::GRE_VERSION1_WRONG_PROTOCOL),
        (flags & KEY == 0, DecodeEvent::GRE_VERSION1_NO_KEY),
    ];
    if let Some(&(_, event)) = forbidden.iter().find(|(is_so, _)| *is_so) {
        return Err(event);
    }
    let fields = [true, flags & SEQUENCE != 0, version & ACKNOWLEDGEMENT != 0].map(usize::from);
    let length = LENGTH + fields.iter().sum::<usize>() * FIELD_LENGTH;
    if length > bytes.len() {
        return Err(DecodeEvent::GRE_VERSION1_HDR_TOO_BIG);
    }
    Ok(length)
}
