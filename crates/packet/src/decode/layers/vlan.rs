//! 802.1Q tags, stacked (802.1ad), and the tags of port extenders: VN-tag and 802.1BR E-tag.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const VLAN_LENGTH: usize = 4;
const VN_TAG_LENGTH: usize = 6;
const E_TAG_LENGTH: usize = 8;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn vlan(&mut self, bytes: &'a [u8]) -> Outcome {
        match self.packet.vlan.as_slice().len() {
            0 => self.counters().vlan += 1,
            1 => self.counters().vlan_qinq += 1,
            2 => self.counters().vlan_qinqinq += 1,
            _ => {}
        }
        self.descend()?;
        let (&[high, low, kind_high, kind_low], rest) =
            self.fixed::<VLAN_LENGTH>(bytes, DecodeEvent::VLAN_HEADER_TOO_SMALL)?;
        if !self.packet.vlan.push(u16::from_be_bytes([high, low])) {
            self.note(DecodeEvent::VLAN_TOO_MANY_LAYERS);
            return None;
        }
        self.layer(LayerKind::Vlan, bytes.get(..VLAN_LENGTH)?);
        let kind = u16::from_be_bytes([kind_high, kind_low]);
        if let Some((kind, rest)) = self.type_in_snap(kind, rest) {
            self.network(kind, rest);
            return Some(());
        }
        if !self.network(kind, rest) {
            return self.fail(DecodeEvent::VLAN_UNKNOWN_TYPE);
        }
        Some(())
    }

    pub(super) fn vn_tag(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().vntag += 1;
        let (&[.., high, low], rest) =
            self.fixed::<VN_TAG_LENGTH>(bytes, DecodeEvent::VNTAG_HEADER_TOO_SMALL)?;
        self.descend()?;
        self.layer(LayerKind::VnTag, bytes.get(..VN_TAG_LENGTH)?);
        if !self.network(u16::from_be_bytes([high, low]), rest) {
            return self.fail(DecodeEvent::VNTAG_UNKNOWN_TYPE);
        }
        Some(())
    }

    pub(super) fn e_tag(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().etag += 1;
        let (&[.., high, low], rest) =
            self.fixed::<E_TAG_LENGTH>(bytes, DecodeEvent::ETAG_HEADER_TOO_SMALL)?;
        self.descend()?;
        self.layer(LayerKind::ETag, bytes.get(..E_TAG_LENGTH)?);
        if !self.network(u16::from_be_bytes([high, low]), rest) {
            return self.fail(DecodeEvent::ETAG_UNKNOWN_TYPE);
        }
        Some(())
    }
}
