//! 802.11 data frames, bare or behind a radiotap header, up to the LLC/SNAP header that names what
//! they carry. Management, control and protected frames carry nothing that is read here.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

/// Version and pad, then the header's own length, little endian.
const RADIOTAP_LEAST: usize = 8;
/// A data frame's header without its optional fields.
const DATA_HEADER: usize = 24;
const FOURTH_ADDRESS: usize = 6;
const QOS_CONTROL: usize = 2;
const HT_CONTROL: usize = 4;
/// LLC with SNAP (IEEE 802.2), organisation code zero.
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn radiotap(&mut self, bytes: &'a [u8]) -> Outcome {
        let (&[_, _, low, high, ..], _) =
            self.fixed::<RADIOTAP_LEAST>(bytes, DecodeEvent::IEEE80211_PKT_TOO_SMALL)?;
        let length = usize::from(u16::from_le_bytes([low, high]));
        let (_, frame) = self.header(bytes, length, DecodeEvent::IEEE80211_PKT_TOO_SMALL)?;
        self.ieee80211(frame)
    }

    pub(in crate::decode) fn ieee80211(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().ieee80211 += 1;
        self.descend()?;
        let (&[control, flags], _) = self.fixed::<2>(bytes, DecodeEvent::IEEE80211_PKT_TOO_SMALL)?;
        let (is_data, has_body, has_qos) = (control & 0x0c == 0x08, control & 0x40 == 0, control & 0x80 != 0);
        let (to_and_from_ds, is_protected, has_order) =
            (flags & 0x03 == 0x03, flags & 0x40 != 0, flags & 0x80 != 0);
        if !is_data || !has_body || is_protected {
            return Some(());
        }
        let mut length = DATA_HEADER;
        if to_and_from_ds {
            length += FOURTH_ADDRESS;
        }
        if has_qos {
            length += QOS_CONTROL;
            if has_order {
                length += HT_CONTROL;
            }
        }
        let (header, body) = self.header(bytes, length, DecodeEvent::IEEE80211_PKT_TOO_SMALL)?;
        self.layer(LayerKind::Ieee80211, header);
        if let Some((kind, payload)) = self.snap(body) {
            // Authentication and others that are no Ethernet's are nothing odd here.
            self.known_network(kind, payload);
        }
        Some(())
    }

    /// The type that an LLC/SNAP header names, and what follows it.
    pub(super) fn snap(&mut self, bytes: &'a [u8]) -> Option<(u16, &'a [u8])> {
        let (&[high, low], payload) = bytes.strip_prefix(&SNAP)?.split_first_chunk::<2>()?;
        self.counters().snap += 1;
        self.layer(LayerKind::Snap, bytes.get(..SNAP.len() + 2)?);
        Some((u16::from_be_bytes([high, low]), payload))
    }
}
