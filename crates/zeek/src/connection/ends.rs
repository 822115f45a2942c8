//! Which end of a connection is the originator, where the first packet does not say so, or says it wrongly.

use weir_packet::Tcp;

use super::ports::Ports;
use super::{Carrier, Connection, PacketView, Payload};

impl Connection {
    /// Whether the first packet looks like the responder's.
    pub(super) fn is_backwards(&self, packet: &PacketView, ports: &Ports) -> bool {
        let from_server = ports.likely(self.protocol(), packet.source.1);
        let to_server = ports.likely(self.protocol(), packet.destination.1);
        match packet.payload {
            Payload::Tcp { flags, .. } | Payload::Headless(flags) if flags & Tcp::SYN != 0 => {
                flags & Tcp::ACK != 0 && from_server && !to_server
            }
            _ => from_server && !to_server,
        }
    }

    /// Settles at its end who the originator is: a SYN+ACK alone is its sender's, as it may be a scan. Only who goes on
    /// behind it shows that its sender was asked.
    pub(crate) fn settle_ends(&mut self) {
        let Carrier::Tcp(tcp) = &mut self.carrier else { return };
        if !tcp.has_only_answered() || self.history.letters() != b"^h" {
            return;
        }
        tcp.exchange_ends();
        self.sides.reverse();
        self.flip();
        self.history.unflipped();
    }

    pub(super) fn flip(&mut self) {
        self.flipped ^= true;
        self.from_high ^= true;
        if let Some([orig, resp]) = self.rare.as_mut().and_then(|rare| rare.link.macs.as_mut()) {
            std::mem::swap(orig, resp);
        }
        if let Some(rare) = &mut self.rare {
            rare.flow_labels.reverse();
        }
        self.history.flipped();
    }
}
