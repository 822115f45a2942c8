//! Headers of a packet as scripts see them.

use weir_base::EventValue;
use weir_base::event::{Nested, transport};
use weir_packet::{Ip, Packet, Tcp, Transport};

use super::{extensions, link_text};

/// Types of what Ethernet carries.
const TAGGED: [[u8; 2]; 3] = [[0x81, 0x00], [0x88, 0xa8], [0x91, 0x00]];

/// Bytes of the addresses of Ethernet.
const ADDRESSES: usize = 12;

/// Gives the headers of a packet from IP on, as a record (`pkt_hdr`).
pub(crate) fn fields<R>(packet: &Packet<'_>, give: impl FnOnce(EventValue<'_>) -> R) -> R {
    let parts = Parts::of(packet);
    parts.give(|fields| give(EventValue::Record(fields)))
}

/// Gives all headers of a packet, as a record (`raw_pkt_hdr`).
pub(crate) fn raw_fields<R>(packet: &Packet<'_>, give: impl FnOnce(EventValue<'_>) -> R) -> R {
    let parts = Parts::of(packet);
    let texts = packet.ethernet.map(|ethernet| [link_text(ethernet.source), link_text(ethernet.destination)]);
    let tags = Tags::of(packet);
    let text = |place: usize| {
        EventValue::bytes(texts.as_ref().and_then(|texts| texts.get(place)).map(Vec::as_slice))
    };
    let tag = |place: usize, part: fn(u16) -> u64| {
        tags.tags.get(place).copied().flatten().map_or(EventValue::Unset, |tag| EventValue::Count(part(tag)))
    };
    let flag = |place: usize| {
        let tag = tags.tags.get(place).copied().flatten();
        tag.map_or(EventValue::Unset, |tag| EventValue::Bool(tag & 0x1000 != 0))
    };
    let is_ethernet = packet.ethernet.is_some();
    let link = [
        EventValue::Enum(if is_ethernet { "LINK_ETHERNET" } else { "LINK_UNKNOWN" }),
        EventValue::Count(u64::from(packet.wire_length)),
        EventValue::Count(packet.bytes.len() as u64),
        text(0),
        text(1),
        tag(0, |tag| u64::from(tag & 0x0fff)),
        tag(0, |tag| u64::from(tag >> 13)),
        flag(0),
        tag(1, |tag| u64::from(tag & 0x0fff)),
        tag(1, |tag| u64::from(tag >> 13)),
        flag(1),
        EventValue::count(tags.ether_type),
        EventValue::Enum(match (&packet.ip, &packet.arp) {
            (Some(Ip::V4(_)), _) => "L3_IPV4",
            (Some(Ip::V6(_)), _) => "L3_IPV6",
            (None, Some(_)) => "L3_ARP",
            (None, None) => "L3_UNKNOWN",
        }),
    ];
    parts.give(|fields| {
        let mut all = vec![EventValue::Record(&link)];
        all.extend_from_slice(fields);
        give(EventValue::Record(&all))
    })
}

/// Tags of VLANs, whole, and the type of what is behind them.
#[derive(Default)]
struct Tags {
    tags: [Option<u16>; 2],
    ether_type: Option<u16>,
}

impl Tags {
    fn of(packet: &Packet<'_>) -> Self {
        let mut found = Self::default();
        if packet.ethernet.is_none() {
            return found;
        }
        let mut rest = packet.bytes.get(ADDRESSES..).unwrap_or_default();
        for place in &mut found.tags {
            match rest {
                [a, b, high, low, behind @ ..] if TAGGED.contains(&[*a, *b]) => {
                    *place = Some(u16::from_be_bytes([*high, *low]));
                    rest = behind;
                }
                _ => break,
            }
        }
        if let [high, low, ..] = rest {
            found.ether_type = Some(u16::from_be_bytes([*high, *low]));
        }
        found
    }
}

/// Fields of the headers.
struct Parts<'a> {
    ip4: Option<[EventValue<'static>; 12]>,
    /// Without extension headers.
    ip6: Option<[EventValue<'static>; 7]>,
    tcp: Option<[EventValue<'static>; 9]>,
    udp: Option<[EventValue<'static>; 3]>,
    icmp: Option<[EventValue<'static>; 1]>,
    /// Extension headers of IPv6.
    extensions: Nested<'a>,
}

impl<'a> Parts<'a> {
    fn of(packet: &Packet<'a>) -> Self {
        let extensions = Nested::List(extensions::Chain::of(packet).headers);
        let mut parts = Self { ip4: None, ip6: None, tcp: None, udp: None, icmp: None, extensions };
        parts.read(packet);
        parts
    }

    fn read(&mut self, packet: &Packet<'_>) {
        let count = |value: u64| EventValue::Count(value);
        match &packet.ip {
            Some(Ip::V4(ip)) => {
                let sum = match ip.header {
                    [_, _, _, _, _, _, _, _, _, _, high, low, ..] => u16::from_be_bytes([*high, *low]),
                    _ => 0,
                };
                self.ip4 = Some([
                    count(ip.header.len() as u64),
                    count(ip.tos.into()),
                    count(ip.total_length.into()),
                    count(ip.id.into()),
                    EventValue::Bool(ip.dont_fragment),
                    EventValue::Bool(ip.more_fragments),
                    count(u64::from(ip.fragment_offset)),
                    count(ip.ttl.into()),
                    count(ip.protocol.into()),
                    count(sum.into()),
                    EventValue::Addr(ip.source.into()),
                    EventValue::Addr(ip.destination.into()),
                ]);
            }
            Some(Ip::V6(ip)) => {
                self.ip6 = Some([
                    count(ip.traffic_class.into()),
                    count(ip.flow_label.into()),
                    count(ip.payload_length.into()),
                    count(ip.next_header.into()),
                    count(ip.hop_limit.into()),
                    EventValue::Addr(ip.source.into()),
                    EventValue::Addr(ip.destination.into()),
                ]);
            }
            None => {}
        }
        match &packet.transport {
            Transport::Tcp(tcp) => self.tcp = Some(tcp_fields(tcp, packet)),
            Transport::Udp(udp) => {
                self.udp = Some([
                    EventValue::Port(udp.source_port, transport::UDP),
                    EventValue::Port(udp.destination_port, transport::UDP),
                    count(udp.length.into()),
                ]);
            }
            Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => self.icmp = Some([count(icmp.kind.into())]),
            _ => {}
        }
    }

    fn give<R>(&self, give: impl FnOnce(&[EventValue<'_>]) -> R) -> R {
        fn record<'a, const N: usize>(fields: Option<&'a [EventValue<'static>; N]>) -> EventValue<'a> {
            fields.map_or(EventValue::Unset, |fields| EventValue::Record(fields))
        }
        let ip6 = self.ip6.map(|[class, flow, length, next, limit, source, destination]| {
            let headers = EventValue::Nested(&self.extensions);
            [class, flow, length, next, limit, source, destination, headers]
        });
        give(&[
            record(self.ip4.as_ref()),
            ip6.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
            record(self.tcp.as_ref()),
            record(self.udp.as_ref()),
            record(self.icmp.as_ref()),
        ])
    }
}

fn tcp_fields(tcp: &Tcp<'_>, packet: &Packet<'_>) -> [EventValue<'static>; 9] {
    let header = tcp.header.len() as u64;
    let carried = packet.ip.as_ref().map_or(0, |ip| match ip {
        Ip::V4(ip) => u64::from(ip.total_length).saturating_sub(ip.header.len() as u64),
        Ip::V6(ip) => u64::from(ip.payload_length).saturating_sub(ip.extensions.len() as u64),
    });
    [
        EventValue::Port(tcp.source_port, transport::TCP),
        EventValue::Port(tcp.destination_port, transport::TCP),
        EventValue::Count(tcp.seq.into()),
        EventValue::Count(tcp.ack.into()),
        EventValue::Count(header),
        EventValue::Count(carried.saturating_sub(header)),
        EventValue::Count(tcp.reserved.into()),
        EventValue::Count(tcp.flags.into()),
        EventValue::Count(tcp.window.into()),
    ]
}

/// Gives the kind of each option of a TCP header, and the whole option.
pub(super) fn each_option<'a>(header: &'a [u8], mut give: impl FnMut(u8, &'a [u8])) {
    let mut rest = header.get(20..).unwrap_or_default();
    loop {
        match rest {
            [0, ..] => return give(0, rest.get(..1).unwrap_or_default()),
            [1, behind @ ..] => {
                give(1, rest.get(..1).unwrap_or_default());
                rest = behind;
            }
            [kind, length, ..] if *length >= 2 => {
                let Some((option, behind)) = rest.split_at_checked(usize::from(*length)) else { return };
                give(*kind, option);
                rest = behind;
            }
            _ => return,
        }
    }
}
