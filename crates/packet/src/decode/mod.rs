//! Bytes into packets. Decoding is total: any bytes give at least the outer packet, with what was
//! wrong as events on it.
//!
//! Each layer has one file under `layers`. Which damage raises which event, and when a packet
//! becomes invalid, equals Suricata 8.0, since rules (`decode-event`) and counters speak of it.
//!
//! Limits: [`DecoderSettings::max_layers`] headers over a packet and all that is inside it, which
//! bounds the recursion as well, since each inner packet costs a layer.

mod counters;
pub mod dispatch;
mod layers;
mod list;
mod settings;
mod walk;

use crate::event::{DecodeEvent, EventCounters};
use crate::packet::{Origin, Packet};
use crate::raw::{LinkType, RawPacket};
use walk::Walk;

pub use counters::{DecoderCounters, PacketCounters, TunnelCounters};
pub use list::{MAX_PACKETS, PacketList};
pub use settings::DecoderSettings;

/// Decodes packets and counts what it sees.
#[derive(Debug, Default)]
pub struct Decoder {
    settings: DecoderSettings,
    counters: DecoderCounters,
    may_hold_more: bool,
}

impl Decoder {
    /// A decoder with counters at zero.
    pub fn new(settings: DecoderSettings) -> Self {
        Self { settings, counters: DecoderCounters::default(), may_hold_more: false }
    }

    /// Decodes a captured packet. `out` then holds every inner packet and, last, the outer one: the
    /// order in which they are to be processed.
    pub fn decode<'a>(&mut self, raw: &RawPacket<'a>, out: &mut PacketList<'a>) {
        let mut packet = Packet::empty(raw);
        self.decode_apart(raw, &mut packet, out);
        out.push(packet);
    }

    /// Decodes a captured packet into `packet`, which is empty; `inner` then holds the inner ones, in
    /// the order in which they are to be processed. Where there are none, as is usual, the packet stays
    /// where it is.
    pub fn decode_apart<'a>(
        &mut self,
        raw: &RawPacket<'a>,
        packet: &mut Packet<'a>,
        inner: &mut PacketList<'a>,
    ) {
        inner.clear();
        self.counters.captured(raw.bytes.len());
        self.may_hold_more = false;
        Walk::new(&self.settings, &mut self.counters, packet, inner, &mut self.may_hold_more)
            .link(raw.link, raw.bytes);
        if packet.invalid {
            self.counters.packets.invalid += 1;
        }
        self.count_events(packet, inner);
    }

    /// Decodes an IP packet that was put together from fragments; `template` is the fragment that
    /// completed it, of which it takes number, time, VLANs, tunnel depth and the headers below. `out` is filled as by
    /// [`Decoder::decode`].
    pub fn decode_ip<'a>(&mut self, bytes: &'a [u8], template: &Packet<'_>, out: &mut PacketList<'a>) {
        out.clear();
        let raw = RawPacket {
            number: template.number,
            time: template.time,
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: template.interface,
            bytes,
        };
        let mut packet = Packet::empty(&raw);
        packet.origin = Origin::Defrag;
        packet.recursion = template.recursion;
        packet.vlan = template.vlan;
        packet.below = template.below_ip();
        packet.decoded_layers = template.decoded_layers;
        self.may_hold_more = false;
        Walk::new(&self.settings, &mut self.counters, &mut packet, out, &mut self.may_hold_more).ip(bytes);
        self.count_events(&packet, out);
        out.push(packet);
    }

    /// Whether a decoder with wider settings may find more packets in what was decoded last, where the settings have
    /// that noted.
    pub const fn may_hold_more(&self) -> bool {
        self.may_hold_more
    }

    fn count_events(&mut self, packet: &Packet<'_>, inner: &PacketList<'_>) {
        for packet in inner.iter().chain([packet]) {
            self.counters.events.add_all(&packet.events);
        }
    }

    /// Adds an event to a packet that is already decoded, and counts it.
    pub fn raise(&mut self, packet: &mut Packet<'_>, event: DecodeEvent) {
        packet.events.push(event);
        self.counters.events.add(event);
    }

    /// The counts of events, for those who find more of them after decoding.
    pub fn event_counters(&mut self) -> &mut EventCounters {
        &mut self.counters.events
    }

    /// Returns the counters so far.
    pub fn counters(&self) -> &DecoderCounters {
        &self.counters
    }
}

#[cfg(test)]
mod tests;
