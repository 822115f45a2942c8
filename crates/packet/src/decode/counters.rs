//! Counters of the decoder.

use weir_base::{CounterVisitor, Counters};

use crate::event::EventCounters;

weir_base::counters! {
    /// Packets by kind.
    pub struct PacketCounters {
        /// Captured packets.
        pkts => "decoder.pkts",
        /// Captured bytes.
        bytes => "decoder.bytes",
        /// Captured packets with a damaged header.
        invalid => "decoder.invalid",
        /// IPv4 headers.
        ipv4 => "decoder.ipv4",
        /// IPv6 headers.
        ipv6 => "decoder.ipv6",
        /// Ethernet headers.
        ethernet => "decoder.ethernet",
        /// ARP packets.
        arp => "decoder.arp",
        /// Ethernet types that are not decoded.
        unknown_ethertype => "decoder.unknown_ethertype",
        /// Cisco HDLC.
        chdlc => "decoder.chdlc",
        /// Packets that start with IP.
        raw => "decoder.raw",
        /// BSD loopback.
        null => "decoder.null",
        /// Linux cooked captures.
        sll => "decoder.sll",
        /// Linux cooked captures, version 2.
        sll2 => "decoder.sll2",
        /// TCP segments.
        tcp => "decoder.tcp",
        /// UDP datagrams.
        udp => "decoder.udp",
        /// SCTP packets.
        sctp => "decoder.sctp",
        /// ESP packets.
        esp => "decoder.esp",
        /// ICMP messages.
        icmpv4 => "decoder.icmpv4",
        /// ICMPv6 messages.
        icmpv6 => "decoder.icmpv6",
        /// IGMP messages.
        igmp => "decoder.igmp",
        /// PPP frames.
        ppp => "decoder.ppp",
        /// PPPoE, discovery and session.
        pppoe => "decoder.pppoe",
        /// GENEVE.
        geneve => "decoder.geneve",
        /// GRE.
        gre => "decoder.gre",
        /// First VLAN tags.
        vlan => "decoder.vlan",
        /// Second VLAN tags.
        vlan_qinq => "decoder.vlan_qinq",
        /// Third VLAN tags.
        vlan_qinqinq => "decoder.vlan_qinqinq",
        /// VXLAN.
        vxlan => "decoder.vxlan",
        /// VXLAN-GPE.
        vxlan_gpe => "decoder.vxlan_gpe",
        /// VN-tags.
        vntag => "decoder.vntag",
        /// E-tags.
        etag => "decoder.etag",
        /// Provider backbone bridges.
        ieee8021ah => "decoder.ieee8021ah",
        /// 802.11 frames.
        ieee80211 => "decoder.ieee80211",
        /// LLC/SNAP headers.
        snap => "decoder.snap",
        /// Netfilter's log.
        nflog => "decoder.nflog",
        /// Authentication headers.
        ah => "decoder.ah",
        /// Teredo.
        teredo => "decoder.teredo",
        /// GTP-U.
        gtp => "decoder.gtp",
        /// AYIYA.
        ayiya => "decoder.ayiya",
        /// L2TP data messages.
        l2tp => "decoder.l2tp",
        /// IPv4 in IPv4.
        ipv4_in_ipv4 => "decoder.ipv4_in_ipv4",
        /// IPv6 in IPv4.
        ipv6_in_ipv4 => "decoder.ipv6_in_ipv4",
        /// IPv4 in IPv6.
        ipv4_in_ipv6 => "decoder.ipv4_in_ipv6",
        /// IPv6 in IPv6.
        ipv6_in_ipv6 => "decoder.ipv6_in_ipv6",
        /// MPLS.
        mpls => "decoder.mpls",
        /// Mean length of captured packets.
        avg_pkt_size => "decoder.avg_pkt_size",
        /// Greatest length of a captured packet.
        max_pkt_size => "decoder.max_pkt_size",
        /// ERSPAN.
        erspan => "decoder.erspan",
        /// NSH.
        nsh => "decoder.nsh",
    }
}

/// Counts of packets inside of tunnels, by depth of nesting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TunnelCounters {
    /// From one tunnel on.
    depths: [u64; DEPTHS.len()],
    deeper: u64,
}

/// Depths that have counters of their own.
const DEPTHS: [&str; 8] = [
    "decoder.tunnel.depth_1",
    "decoder.tunnel.depth_2",
    "decoder.tunnel.depth_3",
    "decoder.tunnel.depth_4",
    "decoder.tunnel.depth_5",
    "decoder.tunnel.depth_6",
    "decoder.tunnel.depth_7",
    "decoder.tunnel.depth_8",
];

/// All beyond.
const DEEPER: &str = "decoder.tunnel.deeper";

impl TunnelCounters {
    /// Counts a packet inside of so many tunnels, one or more.
    pub(super) fn count(&mut self, depth: u8) {
        let counter = self.depths.get_mut(usize::from(depth).wrapping_sub(1));
        *counter.unwrap_or(&mut self.deeper) += 1;
    }
}

impl Counters for TunnelCounters {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        DEPTHS.iter().zip(self.depths).for_each(|(name, count)| visitor.counter(name, count));
        visitor.counter(DEEPER, self.deeper);
    }
}

/// All counters of a decoder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecoderCounters {
    /// Packets by kind.
    pub packets: PacketCounters,
    /// Packets inside of tunnels.
    pub tunnels: TunnelCounters,
    /// Events.
    pub events: EventCounters,
}

impl DecoderCounters {
    /// Counts a packet as it comes from the capture.
    pub(super) fn captured(&mut self, length: usize) {
        let length = length as u64;
        self.packets.pkts += 1;
        self.packets.bytes += length;
        self.packets.max_pkt_size = self.packets.max_pkt_size.max(length);
    }
}

impl Counters for DecoderCounters {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        let average = self.packets.bytes.checked_div(self.packets.pkts).unwrap_or(0);
        PacketCounters { avg_pkt_size: average, ..self.packets.clone() }.visit(visitor);
        self.tunnels.visit(visitor);
        self.events.visit(visitor);
    }
}
