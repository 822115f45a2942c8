//! TCP (RFC 9293).

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::{Tcp, Transport};
use crate::packet::LayerKind;

/// Length of the header without options.
const LEAST: usize = 20;

impl<'a> Walk<'_, 'a> {
    pub(super) fn tcp(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().tcp += 1;
        let (fixed, _) = self.fixed::<LEAST>(bytes, DecodeEvent::TCP_PKT_TOO_SMALL)?;
        let &[sh, sl, dh, dl, q0, q1, q2, q3, a0, a1, a2, a3, length, flags, wh, wl, ch, cl, uh, ul] = fixed;
        let header_length = usize::from(length >> 4) * 4;
        let (header, payload) = self.header(bytes, header_length, DecodeEvent::TCP_HLEN_TOO_SMALL)?;
        let Some(options) = header.get(LEAST..) else {
            return self.fail(DecodeEvent::TCP_INVALID_OPTLEN);
        };
        let options = if options.is_empty() { Default::default() } else { self.tcp_options(options) };
        self.layer(LayerKind::Tcp, header);
        self.packet.transport = Transport::Tcp(Tcp {
            header,
            source_port: u16::from_be_bytes([sh, sl]),
            destination_port: u16::from_be_bytes([dh, dl]),
            seq: u32::from_be_bytes([q0, q1, q2, q3]),
            ack: u32::from_be_bytes([a0, a1, a2, a3]),
            flags,
            reserved: length & 0x0f,
            window: u16::from_be_bytes([wh, wl]),
            checksum: u16::from_be_bytes([ch, cl]),
            urgent: u16::from_be_bytes([uh, ul]),
            options,
        });
        self.packet.payload = payload;
        Some(())
    }
}
