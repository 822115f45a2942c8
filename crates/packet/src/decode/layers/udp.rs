//! UDP (RFC 768), and the tunnels that are known by their ports.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::{Transport, Udp};
use crate::packet::LayerKind;

const LENGTH: usize = 8;

impl<'a> Walk<'_, 'a> {
    pub(super) fn udp(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().udp += 1;
        let (&[sh, sl, dh, dl, lh, ll, ch, cl], rest) =
            self.fixed::<LENGTH>(bytes, DecodeEvent::UDP_PKT_TOO_SMALL)?;
        let length = u16::from_be_bytes([lh, ll]);
        let Some(payload_length) = usize::from(length).checked_sub(LENGTH) else {
            return self.fail(DecodeEvent::UDP_LEN_INVALID);
        };
        // Bytes past the stated length are no part of the datagram.
        let (payload, _) = self.header(rest, payload_length, DecodeEvent::UDP_PKT_TOO_SMALL)?;
        let header = bytes.get(..LENGTH)?;
        let udp = Udp {
            header,
            source_port: u16::from_be_bytes([sh, sl]),
            destination_port: u16::from_be_bytes([dh, dl]),
            length,
            checksum: u16::from_be_bytes([ch, cl]),
        };
        self.layer(LayerKind::Udp, header);
        self.packet.transport = Transport::Udp(udp);
        self.packet.payload = payload;
        let carried = self.udp_tunnel(&udp, payload);
        if carried.is_none() && self.settings.may_hold_more([udp.source_port, udp.destination_port], payload)
        {
            self.note_more();
        }
        Some(())
    }

    /// Reads the payload as a tunnel that belongs to the ports. What does not look like one stays the
    /// payload of an ordinary datagram.
    fn udp_tunnel(&mut self, udp: &Udp<'a>, payload: &'a [u8]) -> Outcome {
        let settings = self.settings;
        let port = udp.destination_port;
        let teredo_ports = &settings.teredo_ports;
        if settings.teredo_enabled
            && (teredo_ports.is_empty()
                || teredo_ports.contains(&port)
                || teredo_ports.contains(&udp.source_port))
            && self.teredo(payload).is_some()
        {
            return Some(());
        }
        if settings.geneve_ports.contains(&port) {
            return self.geneve(payload);
        }
        if settings.vxlan_ports.contains(&port) {
            return self.vxlan(payload);
        }
        if settings.vxlan_gpe_ports.contains(&port) {
            return self.vxlan_gpe(payload);
        }
        if settings.gtp_ports.contains(&port) {
            return self.gtp(payload);
        }
        if settings.ayiya_ports.contains(&port) || settings.ayiya_ports.contains(&udp.source_port) {
            return self.ayiya(payload);
        }
        if settings.l2tp_ports.contains(&port) {
            return self.l2tp(payload);
        }
        None
    }
}
