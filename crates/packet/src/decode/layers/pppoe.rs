//! PPP over Ethernet (RFC 2516), discovery and session.

use weir_base::Reader;

use super::super::walk::{Outcome, Walk};
use super::ppp::protocol_field;
use crate::event::DecodeEvent;
use crate::packet::LayerKind;

const HEADER_LENGTH: usize = 6;
/// Codes of discovery: PADI, PADO, PADR, PADS, PADT.
const DISCOVERY_CODES: [u8; 5] = [0x09, 0x07, 0x19, 0x65, 0xa7];
const TAG_HEADER_LENGTH: usize = 4;
/// PPP numbers from here on are control protocols, which every session has (RFC 1661, 2).
const FIRST_CONTROL_PROTOCOL: u16 = 0x8000;

impl<'a> Walk<'_, 'a> {
    pub(super) fn pppoe_discovery(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().pppoe += 1;
        self.descend()?;
        let (&[_, code, session_high, session_low, length_high, length_low], tags) =
            self.fixed::<HEADER_LENGTH>(bytes, DecodeEvent::PPPOE_PKT_TOO_SMALL)?;
        self.packet.pppoe_session = Some(u16::from_be_bytes([session_high, session_low]));
        self.layer(LayerKind::Pppoe, bytes.get(..HEADER_LENGTH)?);
        if !DISCOVERY_CODES.contains(&code) {
            self.raise(DecodeEvent::PPPOE_WRONG_CODE);
            return Some(());
        }
        let length = usize::from(u16::from_be_bytes([length_high, length_low]));
        let (tags, _) = self.header(tags, length, DecodeEvent::PPPOE_MALFORMED_TAGS)?;
        self.packet.payload = tags;
        let mut reader = Reader::new(tags);
        while reader.len() >= TAG_HEADER_LENGTH {
            let _kind = reader.u16()?;
            let length = usize::from(reader.u16()?);
            reader.skip(length.min(reader.len()))?;
        }
        Some(())
    }

    pub(super) fn pppoe_session(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().pppoe += 1;
        let (&[_, _, session_high, session_low, _, _], frame) =
            self.fixed::<HEADER_LENGTH>(bytes, DecodeEvent::PPPOE_PKT_TOO_SMALL)?;
        self.descend()?;
        let Some((protocol, payload)) = protocol_field(frame) else {
            return self.fail(DecodeEvent::PPPOE_PKT_TOO_SMALL);
        };
        self.packet.pppoe_session = Some(u16::from_be_bytes([session_high, session_low]));
        self.layer(LayerKind::Pppoe, bytes.get(..bytes.len() - payload.len())?);
        if protocol >= FIRST_CONTROL_PROTOCOL {
            self.packet.payload = payload;
            return Some(());
        }
        self.ppp_payload(protocol, payload)
    }
}
