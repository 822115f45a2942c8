//! L2TP version 2 data messages (RFC 2661): PPP in UDP.

use weir_base::Reader;

use super::super::walk::{Inner, Outcome, Walk};
use crate::packet::{LayerKind, Origin};

const FLAG_CONTROL: u16 = 0x8000;
const FLAG_LENGTH: u16 = 0x4000;
const FLAG_SEQUENCE: u16 = 0x0800;
const FLAG_OFFSET: u16 = 0x0200;
const VERSION: u16 = 2;

impl<'a> Walk<'_, 'a> {
    pub(super) fn l2tp(&mut self, bytes: &'a [u8]) -> Outcome {
        let mut reader = Reader::new(bytes);
        let flags = reader.u16()?;
        if flags & 0x000f != VERSION || flags & FLAG_CONTROL != 0 {
            return None;
        }
        let end = if flags & FLAG_LENGTH != 0 { usize::from(reader.u16()?) } else { bytes.len() };
        let _tunnel_and_session = reader.u32()?;
        if flags & FLAG_SEQUENCE != 0 {
            reader.u32()?;
        }
        if flags & FLAG_OFFSET != 0 {
            let padding = reader.u16()?;
            reader.skip(usize::from(padding))?;
        }
        let start = reader.position();
        let frame = bytes.get(start..end)?;
        self.tunnel(Inner::Ppp, frame, Origin::OtherTunnel)?;
        self.counters().l2tp += 1;
        self.layer(LayerKind::L2tp, bytes.get(..start)?);
        Some(())
    }
}
