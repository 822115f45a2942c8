//! A packet as a source lends it.

use weir_base::Timestamp;

/// A link-layer type, by the numbers of the tcpdump registry (`LINKTYPE_*`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct LinkType(pub u16);

impl LinkType {
    /// BSD loopback: a four-byte address family.
    pub const NULL: Self = Self(0);
    /// Ethernet II and 802.3.
    pub const ETHERNET: Self = Self(1);
    /// Point-to-point protocol.
    pub const PPP: Self = Self(9);
    /// Raw IP as older BSDs number it.
    pub const RAW_BSD: Self = Self(12);
    /// Raw IP as OpenBSD numbers it.
    pub const RAW_OPENBSD: Self = Self(14);
    /// PPP in HDLC-like framing.
    pub const PPP_HDLC: Self = Self(50);
    /// Raw IPv4 or IPv6.
    pub const RAW: Self = Self(101);
    /// Cisco HDLC.
    pub const CISCO_HDLC: Self = Self(104);
    /// 802.11 without radio information.
    pub const IEEE802_11: Self = Self(105);
    /// OpenBSD loopback.
    pub const LOOP: Self = Self(108);
    /// Linux cooked capture.
    pub const LINUX_SLL: Self = Self(113);
    /// 802.11 with a radiotap header.
    pub const IEEE802_11_RADIOTAP: Self = Self(127);
    /// Raw IPv4.
    pub const IPV4: Self = Self(228);
    /// Raw IPv6.
    pub const IPV6: Self = Self(229);
    /// Linux netfilter log.
    pub const NFLOG: Self = Self(239);
    /// Linux cooked capture, version 2.
    pub const LINUX_SLL2: Self = Self(276);
}

/// Bytes borrowed from a source, with what the source knows of them.
#[derive(Clone, Copy, Debug)]
pub struct RawPacket<'a> {
    /// Position in the capture, from 1.
    pub number: u64,
    /// When the packet was captured.
    pub time: Timestamp,
    /// Link type, by which the first layer is read.
    pub link: LinkType,
    /// Length on the wire in bytes; at least `bytes.len()` unless the capture is odd.
    pub wire_length: u32,
    /// Number of the source's interface, from 0.
    pub interface: u32,
    /// Captured bytes.
    pub bytes: &'a [u8],
}
