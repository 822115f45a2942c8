//! A decoded packet.

use std::net::IpAddr;

use weir_base::Timestamp;

use crate::event::{DecodeEvent, EventList};
use crate::flow_key::FlowKey;
use crate::header::{Arp, Embedded, Ethernet, Ip, Tcp, Transport, VlanTags};
use crate::raw::{LinkType, RawPacket};

/// Type of an ICMPv4 error: the destination is unreachable (RFC 792).
pub(crate) const UNREACHABLE: u8 = 3;

/// Most layers kept of one packet; deeper ones are not decoded and raise an event.
pub const MAX_LAYERS: usize = 16;

/// Where a packet came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Origin {
    /// The capture.
    #[default]
    Wire,
    /// Inside GRE.
    Gre,
    /// Inside an IPv4 packet.
    Ipv4Tunnel,
    /// Inside an IPv6 packet.
    Ipv6Tunnel,
    /// Inside Teredo.
    Teredo,
    /// Inside VXLAN.
    Vxlan,
    /// Inside VXLAN-GPE.
    VxlanGpe,
    /// Inside GENEVE.
    Geneve,
    /// Inside ERSPAN.
    Erspan,
    /// Inside NSH, GTP-U, L2TP or another tunnel without a name of its own.
    OtherTunnel,
    /// Put together from fragments.
    Defrag,
    /// Made by the stream engine when a flow ended by time or by the end of the capture.
    FlowTimeout,
    /// Made by the stream engine so that what was gathered is inspected before a protocol change
    /// or the end of a session.
    StreamFlush,
}

impl Origin {
    /// The value of `pkt_src` in EVE records.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Wire => "wire/pcap",
            Origin::Gre => "gre tunnel",
            Origin::Ipv4Tunnel => "ipv4 tunnel",
            Origin::Ipv6Tunnel => "ipv6 tunnel",
            Origin::Teredo => "teredo tunnel",
            Origin::Vxlan => "vxlan encapsulation",
            Origin::VxlanGpe => "vxlan-gpe encapsulation",
            Origin::Geneve => "geneve encapsulation",
            Origin::Erspan => "erspan tunnel",
            Origin::OtherTunnel => "tunnel",
            Origin::Defrag => "defrag",
            Origin::FlowTimeout => "stream (flow timeout)",
            Origin::StreamFlush => "stream (detect/log)",
        }
    }
}

/// Kind of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs, reason = "the names are those of the protocols")]
#[repr(u8)]
pub enum LayerKind {
    Ethernet,
    Vlan,
    VnTag,
    ETag,
    Pbb,
    Mpls,
    Ppp,
    Pppoe,
    Sll,
    Sll2,
    Null,
    Raw,
    Chdlc,
    Ieee80211,
    Snap,
    Arp,
    Ipv4,
    Ipv6,
    Gre,
    Erspan,
    Nsh,
    Vxlan,
    VxlanGpe,
    Geneve,
    Teredo,
    Gtp,
    Ayiya,
    L2tp,
    Esp,
    Ah,
    Tcp,
    Udp,
    Sctp,
    Icmpv4,
    Icmpv6,
    Igmp,
    Unknown,
}

/// One header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Kind of the layer.
    pub kind: LayerKind,
    /// Where it starts in [`Packet::bytes`].
    pub offset: u32,
    /// Length of the header in bytes.
    pub length: u32,
}

/// The layers of a packet, outermost first.
#[derive(Clone, Copy, Debug)]
pub struct LayerStack {
    layers: [Layer; MAX_LAYERS],
    count: u8,
}

impl Default for LayerStack {
    fn default() -> Self {
        Self { layers: [Layer { kind: LayerKind::Unknown, offset: 0, length: 0 }; MAX_LAYERS], count: 0 }
    }
}

impl LayerStack {
    /// Takes all layers away.
    pub const fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a layer; false where the stack is full.
    pub fn push(&mut self, layer: Layer) -> bool {
        match self.layers.get_mut(usize::from(self.count)) {
            Some(slot) => {
                *slot = layer;
                self.count += 1;
                true
            }
            None => false,
        }
    }

    /// The layers, outermost first.
    pub fn as_slice(&self) -> &[Layer] {
        self.layers.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// The innermost layer of a kind.
    #[inline]
    pub fn last(&self, kind: LayerKind) -> Option<Layer> {
        self.as_slice().iter().rev().find(|l| l.kind == kind).copied()
    }
}

/// One decoded packet: the outer one, or one that a tunnel or fragments carried.
///
/// It is flat, as every stage reads another part of it in passing; what is rare lies in its layers.
#[derive(Clone, Debug)]
pub struct Packet<'a> {
    /// Position in the capture, from 1; an inner packet has its outer packet's.
    pub number: u64,
    /// When it was captured.
    pub time: Timestamp,
    /// Link type of the capture (of the outermost layer).
    pub link: LinkType,
    /// Where it came from.
    pub origin: Origin,
    /// Number of tunnels around it.
    pub recursion: u8,
    /// Number of the source's interface.
    pub interface: u32,
    /// The bytes of this packet: for an inner packet from the inner header on.
    pub bytes: &'a [u8],
    /// Bytes of the headers below `bytes` that count to the packet's length: those in front of the fragments that it was
    /// put together from.
    pub below: u32,
    /// Length on the wire in bytes.
    pub wire_length: u32,
    /// The headers found.
    pub layers: LayerStack,
    /// Decoder events.
    pub events: EventList,
    /// A header was so damaged that nothing above it was read.
    pub invalid: bool,
    /// Its payload is not inspected: it is encrypted, or it is an inner packet that is processed by itself.
    pub skip_payload: bool,
    /// Number of headers read to get here, outer packets' included; bounded by the decoder's settings.
    pub decoded_layers: u8,
    /// The Ethernet header, of the outer packet.
    pub ethernet: Option<Ethernet>,
    /// 802.1Q tags, outermost first.
    pub vlan: VlanTags,
    /// PPPoE session.
    pub pppoe_session: Option<u16>,
    /// ARP over Ethernet and IPv4.
    pub arp: Option<Arp<'a>>,
    /// The innermost IP header of this packet.
    pub ip: Option<Ip<'a>>,
    /// The header above IP.
    pub transport: Transport<'a>,
    /// Payload of the innermost header; empty for a fragment, which is inspected once it is whole.
    pub payload: &'a [u8],
}

impl<'a> Packet<'a> {
    /// A packet of which nothing is decoded yet.
    pub fn empty(raw: &RawPacket<'a>) -> Self {
        Self {
            number: raw.number,
            time: raw.time,
            link: raw.link,
            origin: Origin::Wire,
            recursion: 0,
            interface: raw.interface,
            bytes: raw.bytes,
            below: 0,
            wire_length: raw.wire_length,
            layers: LayerStack::default(),
            events: EventList::default(),
            invalid: false,
            skip_payload: false,
            decoded_layers: 0,
            ethernet: None,
            vlan: VlanTags::default(),
            pppoe_session: None,
            arp: None,
            ip: None,
            transport: Transport::None,
            payload: &[],
        }
    }

    /// Makes it a packet of which nothing is decoded yet, as [`Packet::empty`] gives one.
    #[inline]
    pub fn begin(&mut self, raw: &RawPacket<'a>) {
        self.number = raw.number;
        self.time = raw.time;
        self.link = raw.link;
        self.origin = Origin::Wire;
        self.recursion = 0;
        self.interface = raw.interface;
        self.bytes = raw.bytes;
        self.below = 0;
        self.wire_length = raw.wire_length;
        self.layers.clear();
        self.events.clear();
        self.invalid = false;
        self.skip_payload = false;
        self.decoded_layers = 0;
        self.ethernet = None;
        self.vlan = VlanTags::default();
        self.pppoe_session = None;
        self.arp = None;
        self.ip = None;
        self.transport = Transport::None;
        self.payload = &[];
    }

    /// Returns what was captured, of a packet that nothing carries.
    pub const fn captured(&self) -> RawPacket<'a> {
        RawPacket {
            number: self.number,
            time: self.time,
            link: self.link,
            wire_length: self.wire_length,
            interface: self.interface,
            bytes: self.bytes,
        }
    }

    /// Returns its length as flows count it.
    pub const fn counted_length(&self) -> u64 {
        self.bytes.len() as u64 + self.below as u64
    }

    /// Returns the bytes in front of its IP header.
    pub fn below_ip(&self) -> u32 {
        let is_ip = |layer: &&Layer| matches!(layer.kind, LayerKind::Ipv4 | LayerKind::Ipv6);
        self.layers.as_slice().iter().rfind(is_ip).map_or(self.below, |layer| self.below + layer.offset)
    }

    /// Returns the bytes behind the last header that was found.
    pub fn behind_layers(&self) -> &'a [u8] {
        let last = self.layers.as_slice().last();
        let start = last.map_or(0, |layer| layer.offset.saturating_add(layer.length));
        self.bytes.get(start as usize..).unwrap_or_default()
    }

    /// Returns the captured bytes of an IP packet that states more, which the decoder gives up.
    pub fn cut_off(&self) -> Option<&'a [u8]> {
        let is_cut = |event| event == DecodeEvent::IPV4_TRUNC_PKT || event == DecodeEvent::IPV6_TRUNC_PKT;
        self.events.iter().any(is_cut).then(|| self.behind_layers())
    }

    /// Source address.
    pub fn source(&self) -> Option<IpAddr> {
        self.ip.as_ref().map(Ip::source)
    }

    /// Destination address.
    pub fn destination(&self) -> Option<IpAddr> {
        self.ip.as_ref().map(Ip::destination)
    }

    /// Source port, where the transport has ports.
    pub fn source_port(&self) -> Option<u16> {
        self.transport.ports().map(|(source, _)| source)
    }

    /// Destination port, where the transport has ports.
    pub fn destination_port(&self) -> Option<u16> {
        self.transport.ports().map(|(_, destination)| destination)
    }

    /// The IP protocol number above IP and its extension headers.
    pub fn ip_protocol(&self) -> Option<u8> {
        self.ip.as_ref().map(Ip::protocol)
    }

    /// The TCP header.
    pub fn tcp(&self) -> Option<&Tcp<'a>> {
        match &self.transport {
            Transport::Tcp(tcp) => Some(tcp),
            _ => None,
        }
    }

    /// Part that an ICMPv4 error quotes of a packet that did not reach its destination, to whose flow the error belongs.
    pub const fn undelivered(&self) -> Option<Embedded> {
        match &self.transport {
            Transport::Icmpv4(icmp) if icmp.kind == UNREACHABLE => icmp.embedded,
            _ => None,
        }
    }

    /// Whether this is an error of ICMPv4 (RFC 792).
    pub const fn is_icmpv4_error(&self) -> bool {
        matches!(&self.transport, Transport::Icmpv4(icmp) if matches!(icmp.kind, UNREACHABLE | 4 | 5 | 11 | 12))
    }

    /// Whether this is an IP fragment, whose transport header is not read.
    pub fn is_fragment(&self) -> bool {
        self.ip.as_ref().is_some_and(Ip::is_fragment)
    }

    /// Whether another decoder made this of the same bytes of a frame: a packet of the same flow, if of any.
    pub fn is_same(&self, other: &Packet<'_>) -> bool {
        std::ptr::eq(self.bytes, other.bytes)
            && self.recursion == other.recursion
            && self.is_fragment() == other.is_fragment()
            && FlowKey::of(self) == FlowKey::of(other)
    }

    /// Whether no capture or tunnel carried it.
    pub const fn is_pseudo(&self) -> bool {
        matches!(self.origin, Origin::FlowTimeout | Origin::StreamFlush)
    }
}
