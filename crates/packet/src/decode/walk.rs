//! One packet being decoded: what every layer's reader works on.

use crate::event::DecodeEvent;
use crate::packet::{Layer, LayerKind, Origin, Packet};
use crate::raw::{LinkType, RawPacket};

use super::counters::{DecoderCounters, PacketCounters};
use super::list::{MAX_PACKETS, PacketList};
use super::settings::DecoderSettings;

/// `None` where a header was too damaged to go on; the reason is an event on the packet. An inner
/// packet that fails so is no packet at all: what carries it stays as if it had not been looked at.
pub(super) type Outcome = Option<()>;

/// Header that an inner packet begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    Ipv4,
    Ipv6,
    /// IPv6 in Teredo, where nothing damaged is taken for a packet.
    TeredoIpv6,
    Ethernet,
    Vlan,
    Ppp,
    Arp,
    Nsh,
    Mpls,
    ErspanI,
    ErspanII,
    ErspanIII,
    Ieee80211,
}

/// A packet while its layers are read. Layers are `impl` blocks of this, one file each.
pub(super) struct Walk<'w, 'a> {
    pub(super) settings: &'w DecoderSettings,
    counters: &'w mut DecoderCounters,
    pub(super) packet: &'w mut Packet<'a>,
    out: &'w mut PacketList<'a>,
    /// A decoder with wider settings may find more.
    more: &'w mut bool,
    /// Where the packet's bytes start in memory: offsets of layers are counted from here.
    base: usize,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(super) fn new(
        settings: &'w DecoderSettings,
        counters: &'w mut DecoderCounters,
        packet: &'w mut Packet<'a>,
        out: &'w mut PacketList<'a>,
        more: &'w mut bool,
    ) -> Self {
        let base = packet.bytes.as_ptr().addr();
        Self { settings, counters, packet, out, more, base }
    }

    #[inline]
    pub(super) fn counters(&mut self) -> &mut PacketCounters {
        &mut self.counters.packets
    }

    /// Notes that a decoder with wider settings may find more, if that is asked for.
    pub(super) fn note_more(&mut self) {
        *self.more |= self.settings.notes_more;
    }

    /// Records an event, with its effect on the packet's validity.
    #[cold]
    pub(super) fn raise(&mut self, event: DecodeEvent) {
        self.packet.events.push(event);
        self.packet.invalid |= event.invalidates();
    }

    /// Records an event that leaves the packet valid, whatever it does elsewhere.
    #[cold]
    pub(super) fn note(&mut self, event: DecodeEvent) {
        self.packet.events.push(event);
    }

    /// Records an event and ends the reading of this packet.
    #[cold]
    pub(super) fn fail(&mut self, event: DecodeEvent) -> Outcome {
        self.raise(event);
        None
    }

    /// Splits a header of `length` off; where there are fewer bytes, fails with `event`.
    #[inline]
    pub(super) fn header(
        &mut self,
        bytes: &'a [u8],
        length: usize,
        event: DecodeEvent,
    ) -> Option<(&'a [u8], &'a [u8])> {
        match bytes.split_at_checked(length) {
            Some(parts) => Some(parts),
            None => {
                self.raise(event);
                None
            }
        }
    }

    /// Splits a header of `N` bytes off as an array; where there are fewer bytes, fails with `event`.
    #[inline]
    pub(super) fn fixed<const N: usize>(
        &mut self,
        bytes: &'a [u8],
        event: DecodeEvent,
    ) -> Option<(&'a [u8; N], &'a [u8])> {
        match bytes.split_first_chunk::<N>() {
            Some(parts) => Some(parts),
            None => {
                self.raise(event);
                None
            }
        }
    }

    /// Takes note of a layer whose header is `header`.
    #[inline]
    pub(super) fn layer(&mut self, kind: LayerKind, header: &[u8]) {
        let offset = header.as_ptr().addr().wrapping_sub(self.base) as u32;
        self.packet.layers.push(Layer { kind, offset, length: header.len() as u32 });
    }

    /// Counts a header against the limit, which all inner packets share.
    #[inline]
    pub(super) fn descend(&mut self) -> Outcome {
        self.packet.decoded_layers = self.packet.decoded_layers.saturating_add(1);
        if self.packet.decoded_layers >= self.settings.max_layers {
            return self.fail(DecodeEvent::TOO_MANY_LAYERS);
        }
        Some(())
    }

    /// Decodes an inner packet and puts it on the list. `None` where it is none.
    pub(super) fn tunnel(&mut self, inner: Inner, bytes: &'a [u8], origin: Origin) -> Outcome {
        let has_room = usize::from(self.packet.recursion) + 1 < MAX_PACKETS;
        if !has_room || self.packet.decoded_layers.saturating_add(1) >= self.settings.max_layers {
            return self.fail(DecodeEvent::TOO_MANY_LAYERS);
        }
        let raw = RawPacket {
            number: self.packet.number,
            time: self.packet.time,
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: self.packet.interface,
            bytes,
        };
        let mut packet = Packet::empty(&raw);
        packet.origin = origin;
        packet.recursion = self.packet.recursion.saturating_add(1);
        packet.decoded_layers = self.packet.decoded_layers.saturating_add(1);
        Walk::new(self.settings, self.counters, &mut packet, self.out, self.more).inner(inner, bytes)?;
        if inner == Inner::TeredoIpv6 && packet.invalid {
            return None;
        }
        self.counters.tunnels.count(packet.recursion);
        self.out.push(packet);
        // What the tunnel carries is inspected as a packet of its own.
        self.packet.skip_payload = true;
        Some(())
    }

    fn inner(&mut self, inner: Inner, bytes: &'a [u8]) -> Outcome {
        match inner {
            Inner::Ipv4 => self.ipv4(bytes),
            Inner::Ipv6 | Inner::TeredoIpv6 => self.ipv6(bytes),
            Inner::Ethernet => self.ethernet(bytes),
            Inner::Vlan => self.vlan(bytes),
            Inner::Ppp => self.ppp(bytes),
            Inner::Arp => self.arp(bytes),
            Inner::Nsh => self.nsh(bytes),
            Inner::Mpls => self.mpls(bytes),
            Inner::ErspanI => self.erspan_i(bytes),
            Inner::ErspanII => self.erspan_ii(bytes),
            Inner::ErspanIII => self.erspan_iii(bytes),
            Inner::Ieee80211 => self.ieee80211(bytes),
        }
    }

    /// Starts with the layer that a link type names.
    pub(super) fn link(&mut self, link: LinkType, bytes: &'a [u8]) -> Outcome {
        match link {
            LinkType::ETHERNET => self.ethernet(bytes),
            LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD | LinkType::IPV4 | LinkType::IPV6 => {
                self.raw(bytes)
            }
            LinkType::NULL => self.null(bytes),
            LinkType::LOOP => self.loopback(bytes),
            LinkType::PPP | LinkType::PPP_HDLC => self.ppp(bytes),
            LinkType::CISCO_HDLC => self.chdlc(bytes),
            LinkType::LINUX_SLL => self.sll(bytes),
            LinkType::LINUX_SLL2 => self.sll2(bytes),
            LinkType::NFLOG => self.nflog(bytes),
            LinkType::IEEE802_11 => self.ieee80211(bytes),
            LinkType::IEEE802_11_RADIOTAP => self.radiotap(bytes),
            _ => None,
        }
    }
}
