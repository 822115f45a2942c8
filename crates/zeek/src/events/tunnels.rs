//! Events of packets in packets: of VXLAN, GENEVE, Teredo (RFC 4380) and GTP, and of connections that change their tunnel.

use std::net::Ipv4Addr;

use weir_base::event::{Nested, TunnelState, transport};
use weir_base::{EventValue, Reader};
use weir_packet::{Ip, LayerKind, Origin, Packet, ip_protocol};

use super::{Own, gtp, packet};
use crate::connection::Connection;
use crate::rows::Rows;
use crate::tunnel::Within;

/// What begins the parts of a Teredo packet in front of IPv6.
const ORIGIN: [u8; 2] = [0, 0];
const AUTHENTICATION: [u8; 2] = [0, 1];

/// Raises what a datagram of a connection causes, whether or not there is a packet inside.
pub(crate) fn datagram(connection: &Connection, packet: &Packet<'_>, rows: &mut Rows<'_>) {
    let is_teredo = packet.layers.last(LayerKind::Teredo).is_some();
    if is_teredo && !connection.carries_any() {
        rows.raise(Own::NewTeredoState, Some(connection), &[EventValue::Connection]);
    }
    if gtp::PORTS.contains(&connection.responder().1) {
        gtp::datagram(connection, packet, rows);
    }
}

/// Raises the event of a packet that a connection carries in a tunnel.
pub(crate) fn carried(connection: &Connection, outer: &Packet<'_>, inner: &Packet<'_>, rows: &mut Rows<'_>) {
    match inner.origin {
        Origin::Vxlan => network(Own::VxlanPacket, connection, outer, inner, rows),
        Origin::Geneve => network(Own::GenevePacket, connection, outer, inner, rows),
        Origin::Teredo => teredo(connection, outer, inner, rows),
        Origin::OtherTunnel if outer.layers.last(LayerKind::Gtp).is_some() => {
            gtp::carried(connection, outer, inner, rows);
        }
        _ => {}
    }
}

/// Raises the event of a packet in a virtual network.
fn network(event: Own, connection: &Connection, outer: &Packet<'_>, inner: &Packet<'_>, rows: &mut Rows<'_>) {
    if let (true, Some(_), [_, _, _, _, high, middle, low, ..]) =
        (rows.handles(event), &inner.ip, outer.payload)
    {
        let network = EventValue::Count(u32::from_be_bytes([0, *high, *middle, *low]).into());
        packet::fields(inner, |fields| {
            rows.raise(event, Some(connection), &[EventValue::Connection, fields, network]);
        });
    }
}

/// What stands in front of the packet in Teredo: authentication and origin, as fields of `teredo_hdr`.
#[derive(Default)]
struct InFront<'a> {
    authentication: Option<[EventValue<'a>; 4]>,
    origin: Option<[EventValue<'a>; 2]>,
}

impl<'a> InFront<'a> {
    fn of(payload: &'a [u8]) -> Option<Self> {
        let mut found = Self::default();
        let mut reader = Reader::new(payload);
        if reader.rest().starts_with(&AUTHENTICATION) {
            reader.skip(2)?;
            let (id, value) = (usize::from(reader.u8()?), usize::from(reader.u8()?));
            let (id, value) = (reader.take(id)?, reader.take(value)?);
            let (nonce, confirmation) = (reader.u64()?, reader.u8()?);
            found.authentication = Some([id.into(), value.into(), nonce.into(), confirmation.into()]);
        }
        if reader.rest().starts_with(&ORIGIN) {
            reader.skip(2)?;
            // Both are inverted on their way (RFC 4380 5.1.1).
            let (port, address) = (!reader.u16()?, !reader.u32()?);
            let address = EventValue::Addr(Ipv4Addr::from(address).into());
            found.origin = Some([EventValue::Port(port, transport::UDP), address]);
        }
        Some(found)
    }
}

fn teredo(connection: &Connection, outer: &Packet<'_>, inner: &Packet<'_>, rows: &mut Rows<'_>) {
    let Some(front) = InFront::of(outer.payload) else { return };
    let is_bubble = matches!(&inner.ip, Some(Ip::V6(ip)) if ip.protocol == ip_protocol::NONE);
    let events = [
        (Own::TeredoPacket, true),
        (Own::TeredoAuthentication, front.authentication.is_some()),
        (Own::TeredoOrigin, front.origin.is_some()),
        (Own::TeredoBubble, is_bubble),
    ];
    if !events.iter().any(|(event, applies)| *applies && rows.handles(*event)) {
        return;
    }
    packet::fields(inner, |header| {
        let fields = [
            front.authentication.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
            front.origin.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
            header,
        ];
        let arguments = [EventValue::Connection, EventValue::Record(&fields)];
        for (event, _) in events.iter().filter(|(_, applies)| *applies) {
            rows.raise(*event, Some(connection), &arguments);
        }
    });
}

/// Returns a tunnel as `EncapsulatingConn`.
fn around_it(tunnel: &TunnelState) -> Nested<'_> {
    let TunnelState { uid, kind, ends: [orig, resp], protocol } = tunnel;
    let transport = transport::of_protocol(*protocol);
    let id = Nested::Record(vec![
        orig.0.into(),
        EventValue::Port(orig.1, transport).into(),
        resp.0.into(),
        EventValue::Port(resp.1, transport).into(),
        (*protocol).into(),
        Nested::Record(Vec::new()),
    ]);
    Nested::Record(vec![id, EventValue::Enum(kind).into(), EventValue::String(uid).into()])
}

/// Raises the event of a connection whose packets come by other tunnels than before.
pub(crate) fn changed(connection: &Connection, around: &[Within], rows: &mut Rows<'_>) {
    if !rows.handles(Own::TunnelChanged) {
        return;
    }
    let states: Vec<_> = around.iter().map(Within::state).collect();
    let list = Nested::List(states.iter().map(around_it).collect());
    let arguments = [EventValue::Connection, EventValue::Nested(&list)];
    rows.raise(Own::TunnelChanged, Some(connection), &arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_front_of_a_teredo_packet() {
        let authentication = [0, 1, 1, 1, 7, 8, 0, 0, 0, 0, 0, 0, 0, 9, 0];
        let origin = [0, 0, 0xff, 0xfe, !10, !0, !0, !1];
        let both: Vec<u8> = authentication.into_iter().chain(origin).chain([0x60]).collect();
        for (bytes, parts) in [
            (&both[..], Some((true, true))),
            (&authentication, Some((true, false))),
            (&origin, Some((false, true))),
            (&[0x60], Some((false, false))),
            (&authentication[..9], None),
            (&origin[..7], None),
        ] {
            let found = InFront::of(bytes);
            let found = found.map(|found| (found.authentication.is_some(), found.origin.is_some()));
            assert_eq!(found, parts);
        }
        let origin = InFront::of(&origin).and_then(|found| found.origin);
        assert!(
            matches!(origin, Some([EventValue::Port(1, transport::UDP), EventValue::Addr(address)]) if address == Ipv4Addr::new(10, 0, 0, 1))
        );
    }
}
