//! One fragment, of either version of IP.

use super::assembly::MAX_PAYLOAD;
use super::tracker::Key;
use crate::checksum;
use crate::event::DecodeEvent;
use crate::header::{Ip, Ipv4, Ipv6, Ipv6Fragment};
use crate::packet::Packet;

/// Length of the fixed IPv6 header, which its length field does not count.
const IPV6_HEADER: usize = 40;

/// Fields of a packet that the defragmenter needs.
#[derive(Debug)]
pub(super) struct Fragment<'a> {
    pub(super) key: Key,
    pub(super) is_v4: bool,
    /// In bytes from the start of the payload.
    pub(super) offset: u32,
    pub(super) more: bool,
    pub(super) payload: &'a [u8],
    header: Header<'a>,
}

#[derive(Debug)]
enum Header<'a> {
    V4(&'a [u8]),
    V6 { fixed: &'a [u8], extensions: &'a [u8], fragment: Ipv6Fragment },
}

impl<'a> Fragment<'a> {
    /// The fragment that a packet is.
    pub(super) fn of(packet: &Packet<'a>) -> Option<Self> {
        let ip = packet.ip.as_ref()?;
        let key = |id, protocol| Key {
            source: ip.source(),
            destination: ip.destination(),
            id,
            protocol,
            vlan: packet.vlan,
            recursion: packet.recursion,
        };
        match ip {
            Ip::V4(v4) => Some(Self::of_ipv4(v4, key(u32::from(v4.id), v4.protocol))),
            Ip::V6(v6) => {
                let fragment = v6.fragment?;
                Self::of_ipv6(v6, fragment, key(fragment.id, 0))
            }
        }
    }

    fn of_ipv4(ip: &Ipv4<'a>, key: Key) -> Self {
        Self {
            key,
            is_v4: true,
            offset: u32::from(ip.fragment_offset),
            more: ip.more_fragments,
            payload: ip.payload,
            header: Header::V4(ip.header),
        }
    }

    fn of_ipv6(ip: &Ipv6<'a>, fragment: Ipv6Fragment, key: Key) -> Option<Self> {
        Some(Self {
            key,
            is_v4: false,
            offset: u32::from(fragment.offset),
            more: fragment.more,
            payload: ip.payload,
            header: Header::V6 {
                fixed: ip.header,
                extensions: ip.extensions.get(..usize::from(fragment.header_offset))?,
                fragment,
            },
        })
    }

    /// Whether it ends where no IP packet reaches.
    pub(super) fn is_too_large(&self) -> bool {
        let counted_header = match &self.header {
            Header::V4(header) => header.len(),
            Header::V6 { extensions, .. } => extensions.len(),
        };
        counted_header + self.offset as usize + self.payload.len() > MAX_PAYLOAD
    }

    /// Whether it is one of IPv6 that others must follow, but not where they can (RFC 8200, 4.5).
    pub(super) fn has_invalid_length(&self) -> bool {
        !self.is_v4 && self.more && !self.payload.len().is_multiple_of(8)
    }

    /// Writes the header that the whole packet has, but for its length: without the fragment header.
    pub(super) fn copy_header(&self, out: &mut Vec<u8>) {
        out.clear();
        match &self.header {
            Header::V4(header) => out.extend_from_slice(header),
            Header::V6 { fixed, extensions, fragment } => {
                out.extend_from_slice(fixed);
                out.extend_from_slice(extensions);
                if let Some(announced) = out.get_mut(usize::from(fragment.previous_next_header)) {
                    *announced = fragment.next_header;
                }
            }
        }
    }

    pub(super) fn overlap_event(&self) -> DecodeEvent {
        if self.is_v4 { DecodeEvent::IPV4_FRAG_OVERLAP } else { DecodeEvent::IPV6_FRAG_OVERLAP }
    }

    pub(super) fn too_large_event(&self) -> DecodeEvent {
        if self.is_v4 { DecodeEvent::IPV4_FRAG_PKT_TOO_LARGE } else { DecodeEvent::IPV6_FRAG_PKT_TOO_LARGE }
    }

    pub(super) fn ignored_event(&self) -> DecodeEvent {
        if self.is_v4 { DecodeEvent::IPV4_FRAG_IGNORED } else { DecodeEvent::IPV6_FRAG_IGNORED }
    }
}

/// Writes the length of a whole packet into its header, clears the fragment fields of IPv4 and sets
/// its checksum. `None` where the packet is longer than the field can say.
pub(super) fn set_length(packet: &mut [u8], header_length: usize, is_v4: bool) -> Option<()> {
    if is_v4 {
        let length = u16::try_from(packet.len()).ok()?;
        packet.get_mut(2..4)?.copy_from_slice(&length.to_be_bytes());
        packet.get_mut(6..8)?.fill(0);
        packet.get_mut(10..12)?.fill(0);
        let sum = checksum::internet(packet.get(..header_length)?);
        packet.get_mut(10..12)?.copy_from_slice(&sum.to_be_bytes());
    } else {
        let length = u16::try_from(packet.len().checked_sub(IPV6_HEADER)?).ok()?;
        packet.get_mut(4..6)?.copy_from_slice(&length.to_be_bytes());
    }
    Some(())
}
