//! The true ends of an IPv6 packet that is routed through others (RFC 8200 4.4, RFC 6275): the last
//! stop of its routing header, and the home address of its sender.

use std::net::{IpAddr, Ipv6Addr};

use weir_base::Reader;
use weir_packet::{Ip, Ipv6, Packet, checksum};

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;

/// Routing types whose last address is the destination: source routes and mobile nodes.
const ROUTING_TYPES: [u8; 2] = [0, 2];

/// The option that holds the sender's home address.
pub(crate) const HOME_ADDRESS: u8 = 201;

/// Most extension headers looked at.
pub(crate) const MAX_HEADERS: usize = 16;

/// Both ends, where they are not those of the fixed header.
#[inline]
pub(super) fn ends(ip: &Ip<'_>) -> Option<(IpAddr, IpAddr)> {
    match ip {
        Ip::V6(v6) if !v6.extensions.is_empty() => Some(of_extensions(v6)),
        _ => None,
    }
}

fn of_extensions(v6: &Ipv6<'_>) -> (IpAddr, IpAddr) {
    let (mut source, mut destination) = (v6.source, v6.destination);
    let mut reader = Reader::new(v6.extensions);
    let mut kind = v6.next_header;
    for _ in 0..MAX_HEADERS {
        let Some((next, body)) = header(&mut reader, kind) else { break };
        match kind {
            ROUTING => destination = last_stop(body).unwrap_or(destination),
            DESTINATION => source = home_address(body).unwrap_or(source),
            _ => {}
        }
        kind = next;
    }
    (source.into(), destination.into())
}

/// Returns whether the checksum above IPv6 is right for the true ends of a packet (RFC 8200 8.1); none where these are those
/// of the fixed header, or there is no checksum.
pub(crate) fn checksum_valid(packet: &Packet<'_>) -> Option<bool> {
    let Some(ip @ Ip::V6(v6)) = &packet.ip else { return None };
    let Some((IpAddr::V6(source), IpAddr::V6(destination))) = ends(ip) else { return None };
    if (source, destination) == (v6.source, v6.destination) || checksum::transport_valid(packet).is_none() {
        return None;
    }
    let addresses = [source.octets(), destination.octets()].concat();
    Some(checksum::between(&addresses, v6.protocol, v6.payload) == 0)
}

/// Whether a protocol is an extension header of IPv6.
pub(super) const fn is_extension(ip: &Ip<'_>, protocol: u8) -> bool {
    matches!(ip, Ip::V6(_)) && matches!(protocol, HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION)
}

/// The next header's kind, and what follows the first two bytes of this one.
pub(crate) fn header<'a>(reader: &mut Reader<'a>, kind: u8) -> Option<(u8, &'a [u8])> {
    if !matches!(kind, HOP_BY_HOP | ROUTING | FRAGMENT | AUTHENTICATION | DESTINATION) {
        return None;
    }
    let next = reader.u8()?;
    let length = usize::from(reader.u8()?);
    let rest = match kind {
        FRAGMENT => 6,
        AUTHENTICATION => length * 4 + 6,
        _ => length * 8 + 6,
    };
    Some((next, reader.take(rest)?))
}

pub(crate) fn last_stop(body: &[u8]) -> Option<Ipv6Addr> {
    let mut reader = Reader::new(body);
    let kind = reader.u8()?;
    let left = reader.u8()?;
    if left == 0 || !ROUTING_TYPES.contains(&kind) {
        return None;
    }
    let addresses = reader.rest().get(4..)?;
    let last = addresses.chunks_exact(16).last()?;
    Some(Ipv6Addr::from(<[u8; 16]>::try_from(last).ok()?))
}

fn home_address(body: &[u8]) -> Option<Ipv6Addr> {
    let mut reader = Reader::new(body);
    while let Some(option) = reader.u8() {
        if option == 0 {
            continue;
        }
        let length = reader.u8()?;
        let value = reader.take(usize::from(length))?;
        if option == HOME_ADDRESS {
            return Some(Ipv6Addr::from(<[u8; 16]>::try_from(value).ok()?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_addresses_and_last_stops() {
        let mut option = vec![1, 2, 0, 0, HOME_ADDRESS, 16];
        option.extend([7; 16]);
        assert_eq!(home_address(&option), Some(Ipv6Addr::from([7; 16])));
        assert_eq!(home_address(&[1, 4, 0, 0, 0, 0]), None);
        let mut routing = vec![0, 1, 0, 0, 0, 0];
        routing.extend([1; 16]);
        routing.extend([2; 16]);
        assert_eq!(last_stop(&routing), Some(Ipv6Addr::from([2; 16])));
        routing[1] = 0;
        assert_eq!(last_stop(&routing), None, "it has arrived");
    }
}
