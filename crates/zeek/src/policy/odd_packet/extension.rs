//! Weirds of the extension headers of IPv6.

use std::net::Ipv6Addr;

use weir_base::Reader;
use weir_packet::{Ipv6, LayerKind, Origin, Packet, ip_protocol};

use super::{Hosts, Oddity};
use crate::connection::mobile::{HOME_ADDRESS, MAX_HEADERS, header, last_stop};

/// Length of the fixed header.
const FIXED: usize = 40;

/// Routing types (RFC 8200 4.4, RFC 6275 6.4).
const SOURCE_ROUTE: u8 = 0;
const MOBILE_NODE: u8 = 2;

/// Reports the weirds of the extension headers of a packet, which are looked at as far as they were captured, and what
/// is the header behind them.
pub(super) fn look(packet: &Packet<'_>, ip: &Ipv6<'_>, tell: &mut dyn FnMut(Oddity)) {
    let start = packet.layers.last(LayerKind::Ipv6).map_or(0, |layer| layer.offset as usize);
    let mut reader = Reader::new(packet.bytes.get(start + FIXED..).unwrap_or_default());
    let mut chain =
        Chain { source: ip.source, destination: ip.destination, home: false, routed: false, tell };
    let mut kind = ip.next_header;
    for _ in 0..MAX_HEADERS {
        let Some((next, body)) = header(&mut reader, kind) else { break };
        match kind {
            ip_protocol::ROUTING => chain.routing(body),
            ip_protocol::DESTINATION_OPTIONS => chain.options(body),
            ip_protocol::FRAGMENT => return,
            _ => {}
        }
        kind = next;
    }
    match kind {
        // What follows a mobility header (RFC 6275 6.1.1).
        ip_protocol::MOBILITY if reader.u8().is_some_and(|next| next != ip_protocol::NONE) => {
            chain.of_ip("mobility_piggyback");
        }
        // Inside of Teredo it is a bubble (RFC 4380 2.8).
        ip_protocol::NONE if packet.origin != Origin::Teredo => chain.of_ip("ipv6_no_next"),
        _ => {}
    }
}

/// The ends of a packet by the headers up to one.
struct Chain<'a> {
    source: Ipv6Addr,
    destination: Ipv6Addr,
    /// The source is the home address of a mobile node.
    home: bool,
    /// The destination is that of a routing header.
    routed: bool,
    tell: &'a mut dyn FnMut(Oddity),
}

impl Chain<'_> {
    fn hosts(&self) -> Option<Hosts> {
        Some((self.source.into(), self.destination.into()))
    }

    fn odd(&mut self, name: &'static str, addl: Option<String>) {
        let hosts = self.hosts();
        (self.tell)(Oddity { addl: addl.map(Into::into), hosts, ..Oddity::plain(name) });
    }

    fn of_ip(&mut self, name: &'static str) {
        let hosts = self.hosts();
        (self.tell)(Oddity { hosts, ..Oddity::of(name, "IP") });
    }

    fn routing(&mut self, body: &[u8]) {
        let mut reader = Reader::new(body);
        let (Some(kind), Some(left)) = (reader.u8(), reader.u8()) else { return };
        if self.routed {
            self.odd("multiple_routing_headers", None);
            return;
        }
        // Addresses are two units of eight bytes each.
        let units = (body.len() + 2) / 8 - 1;
        let goes_on = left > 0;
        match kind {
            SOURCE_ROUTE if goes_on && units >= 2 && !units.is_multiple_of(2) => {
                self.odd("odd_routing0_len", None)
            }
            MOBILE_NODE if goes_on && units != 2 => self.odd("bad_routing2_len", None),
            SOURCE_ROUTE | MOBILE_NODE => {
                let stop = last_stop(body);
                self.routed = stop.is_some();
                self.destination = stop.unwrap_or(self.destination);
            }
            _ => self.odd("unknown_routing_type", Some(kind.to_string())),
        }
        if kind == SOURCE_ROUTE {
            self.odd("routing0_hdr", None);
        }
    }

    /// Looks at destination options (RFC 8200 4.6).
    fn options(&mut self, body: &[u8]) {
        let mut reader = Reader::new(body);
        while let Some(option) = reader.u8() {
            if option == 0 {
                continue;
            }
            let Some(value) = reader.u8().and_then(|length| reader.take(usize::from(length))) else {
                self.odd("bad_ipv6_dest_opt_len", None);
                return;
            };
            if option != HOME_ADDRESS {
                continue;
            }
            match <[u8; 16]>::try_from(value) {
                Ok(_) if self.home => self.odd("multiple_home_addr_opts", None),
                Ok(address) => (self.source, self.home) = (Ipv6Addr::from(address), true),
                Err(_) => self.odd("bad_home_addr_len", None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use weir_base::Timestamp;
    use weir_packet::{Decoder, DecoderSettings, LinkType, PacketList, RawPacket};

    use super::super::look;
    use super::*;

    /// A packet whose fixed header names `first`, with `behind` behind it.
    fn packet(first: u8, behind: &[u8]) -> Vec<u8> {
        let length = (behind.len() as u16).to_be_bytes();
        [&[0x60, 0, 0, 0, length[0], length[1], first, 64][..], &[1; 16], &[2; 16], behind].concat()
    }

    fn home(last: u8) -> Vec<u8> {
        [&[HOME_ADDRESS, 16][..], &[last; 16]].concat()
    }

    #[test]
    fn headers() {
        let options = |units: u8, body: &[u8]| {
            let mut header = [&[ip_protocol::NONE, units][..], body].concat();
            header.resize(8 * (usize::from(units) + 1), 0);
            packet(ip_protocol::DESTINATION_OPTIONS, &header)
        };
        let routing = |units: u8, kind: u8, left: u8| {
            let mut header = vec![ip_protocol::NONE, units, kind, left];
            header.resize(8 * (usize::from(units) + 1), 7);
            header
        };
        let twice = [&[ip_protocol::ROUTING, 2, 0, 1, 0, 0, 0, 0][..], &[5; 16], &routing(2, 0, 1)].concat();
        let mobility = |next: u8| packet(ip_protocol::MOBILITY, &[next, 0, 0, 0, 0, 0, 0, 0]);
        // Bytes that the ends are filled with, and how many of the names are of IP.
        type Case<'a> = (&'a str, Vec<u8>, &'a [(&'a str, u8, u8)]);
        let cases: Vec<Case<'_>> = vec![
            ("no next header", packet(ip_protocol::NONE, &[]), &[("ipv6_no_next", 1, 2)]),
            ("a home address", options(2, &home(7)), &[("ipv6_no_next", 7, 2)]),
            (
                "two home addresses",
                options(4, &[home(7), home(8)].concat()),
                &[("multiple_home_addr_opts", 7, 2), ("ipv6_no_next", 7, 2)],
            ),
            (
                "a short home address",
                options(0, &[HOME_ADDRESS, 4, 0, 0, 0, 0]),
                &[("bad_home_addr_len", 1, 2), ("ipv6_no_next", 1, 2)],
            ),
            (
                "an option that is cut",
                options(0, &[1, 9, 0, 0, 0, 0]),
                &[("bad_ipv6_dest_opt_len", 1, 2), ("ipv6_no_next", 1, 2)],
            ),
            (
                "a source route",
                packet(ip_protocol::ROUTING, &routing(2, 0, 1)),
                &[("routing0_hdr", 1, 7), ("ipv6_no_next", 1, 7)],
            ),
            (
                "half an address",
                packet(ip_protocol::ROUTING, &routing(3, 0, 1)),
                &[("odd_routing0_len", 1, 2), ("routing0_hdr", 1, 2), ("ipv6_no_next", 1, 2)],
            ),
            (
                "a mobile node with two addresses",
                packet(ip_protocol::ROUTING, &routing(4, 2, 1)),
                &[("bad_routing2_len", 1, 2), ("ipv6_no_next", 1, 2)],
            ),
            (
                "another route",
                packet(ip_protocol::ROUTING, &routing(2, 9, 1)),
                &[("unknown_routing_type", 1, 2), ("ipv6_no_next", 1, 2)],
            ),
            (
                "two routes",
                packet(ip_protocol::ROUTING, &twice),
                &[("routing0_hdr", 1, 5), ("multiple_routing_headers", 1, 5), ("ipv6_no_next", 1, 5)],
            ),
            ("mobility", mobility(ip_protocol::NONE), &[]),
            ("mobility and more", mobility(ip_protocol::UDP), &[("mobility_piggyback", 1, 2)]),
        ];
        for (what, bytes, expected) in cases {
            let raw = RawPacket {
                number: 1,
                time: Timestamp(1),
                link: LinkType::RAW,
                wire_length: bytes.len() as u32,
                interface: 0,
                bytes: &bytes,
            };
            let mut list = PacketList::new();
            Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
            let mut found = Vec::new();
            look(list.outer().unwrap(), &mut |oddity| found.push((oddity.name.to_string(), oddity.hosts)));
            let host = |byte| IpAddr::from([byte; 16]);
            let expected: Vec<(String, Option<Hosts>)> = expected
                .iter()
                .map(|&(name, from, to)| (name.to_owned(), Some((host(from), host(to)))))
                .collect();
            assert_eq!(found, expected, "{what}");
        }
    }
}
