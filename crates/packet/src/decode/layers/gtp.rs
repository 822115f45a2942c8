//! GTP-U version 1 (3GPP TS 29.281): user packets of mobile networks.

use super::super::walk::{Inner, Outcome, Walk};
use crate::packet::{LayerKind, Origin};

const LENGTH: usize = 8;
/// Sequence number, N-PDU number and next extension header, present together.
const OPTIONAL_LENGTH: usize = 4;
const USER_DATA: u8 = 0xff;
/// Version 1, protocol type GTP.
const VERSION_MASK: u8 = 0xf0;
const VERSION_1: u8 = 0x30;
const FLAG_EXTENSION: u8 = 0x04;
const FLAGS_OPTIONAL: u8 = 0x07;
/// Most extension headers read.
const MAX_EXTENSIONS: usize = 8;

impl<'a> Walk<'_, 'a> {
    pub(super) fn gtp(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&[flags, kind, high, low, ..], rest) = bytes.split_first_chunk::<LENGTH>()?;
        if flags & VERSION_MASK != VERSION_1 || kind != USER_DATA {
            return None;
        }
        let body = rest.get(..usize::from(u16::from_be_bytes([high, low])))?;
        let packet = user_packet(flags, body)?;
        let inner = match packet.first()? >> 4 {
            4 => Inner::Ipv4,
            6 => Inner::Ipv6,
            _ => return None,
        };
        self.tunnel(inner, packet, Origin::OtherTunnel)?;
        self.counters().gtp += 1;
        self.layer(LayerKind::Gtp, bytes.get(..LENGTH + body.len() - packet.len())?);
        Some(())
    }
}

/// The user packet after the optional fields and the extension headers.
fn user_packet(flags: u8, body: &[u8]) -> Option<&[u8]> {
    if flags & FLAGS_OPTIONAL == 0 {
        return Some(body);
    }
    let (&[_, _, _, mut next], mut rest) = body.split_first_chunk::<OPTIONAL_LENGTH>()?;
    if flags & FLAG_EXTENSION == 0 {
        return Some(rest);
    }
    for _ in 0..MAX_EXTENSIONS {
        if next == 0 {
            return Some(rest);
        }
        // Its first byte is its length in units of four bytes, its last one the type of the next.
        let length = usize::from(*rest.first()?) * 4;
        let (extension, after) = rest.split_at_checked(length)?;
        next = *extension.last()?;
        rest = after;
    }
    None
}
