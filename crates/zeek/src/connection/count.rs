//! A packet into its connection.

use smallvec::SmallVec;
use weir_applayer::zeek::Script;
use weir_packet::{Packet, Tcp, Transport};

use weir_base::EventValue;

use crate::connection::identity::Identity;
use crate::connection::table::ConnectionId;
use crate::connection::tunnels::Change;
use crate::connection::watch;
use crate::connection::{Acknowledged, Connection, MAX_WINDOW_SCALE, PacketView, Payload};
use crate::events::{self, Own};
use crate::identifier;
use crate::observer::Connections;
use crate::rows::Rows;
use crate::seeded::SeededIds;
use crate::tunnel::Within;

/// A larger window scale was asked for than there is.
const SCALE_RANGE: &str = "TCP_scale_range";

/// A connection went from tunnel to tunnel.
const TUNNEL_CHANGES: &str = "tunnel_max_changes_per_connection_exceeded";

/// The weirds of TCP that Zeek logs without their source.
const WITHOUT_SOURCE: [&str; 5] =
    ["possible_split_routing", "SYN_inside_connection", "SYN_seq_jump", "TCP_christmas", "window_recision"];

/// Notes a packet whose checksum is wrong at its connection, a new one where there is none: it counts for
/// nothing else.
#[cold]
pub(crate) fn count_corrupt(
    connections: &mut Connections,
    packet: &Packet<'_>,
    known: Option<ConnectionId>,
    around: &[Within],
    rows: &mut Rows<'_>,
) -> Option<ConnectionId> {
    let view = PacketView::of(packet)?.kept_apart(packet, rows.plan.by_vlan);
    let weird = match &packet.transport {
        Transport::Tcp(_) => ("bad_TCP_checksum", "TCP"),
        Transport::Udp(_) => ("bad_UDP_checksum", "UDP"),
        _ => ("bad_ICMP_checksum", "ICMP"),
    };
    let id = note(connections, packet, &view, known, around, weird, rows)?;
    let connection = connections.table.get_mut(id)?;
    let letters = connection.history().len();
    connection.corrupt(connection.is_originator(&view));
    events::repeated(connection, letters, rows);
    Some(id)
}

/// Logs a weird of a packet at its connection, a new one where there is none: it does not count.
fn note(
    connections: &mut Connections,
    packet: &Packet<'_>,
    view: &PacketView,
    known: Option<ConnectionId>,
    around: &[Within],
    (name, source): (&'static str, &'static str),
    rows: &mut Rows<'_>,
) -> Option<ConnectionId> {
    let id = connection_of(connections, packet, view, known, around, rows).0;
    let connection = connections.table.get_mut(id)?;
    if connection.is_new_weird(name) {
        let identity = connection.identity();
        rows.weird(Some(&identity.view()), rows.now(), name, None, Some(source));
    }
    if known.is_none() {
        connections.table.changed(id, rows.position);
    }
    Some(id)
}

/// The connection of a packet, and whether it was there before.
#[inline]
fn connection_of(
    connections: &mut Connections,
    packet: &Packet<'_>,
    view: &PacketView,
    known: Option<ConnectionId>,
    around: &[Within],
    rows: &mut Rows<'_>,
) -> (ConnectionId, bool) {
    let known = match known {
        Some(id) if view.belongs_to_flow && connections.table.get(id).is_some() => known,
        _ => connections.table.find(&view.key()),
    };
    match known {
        Some(id) => (id, true),
        None => (begin(connections, packet, view, around, rows), false),
    }
}

/// Counts a packet into its connection, a new one where there is none.
#[inline]
pub(crate) fn count(
    connections: &mut Connections,
    packet: &Packet<'_>,
    known: Option<ConnectionId>,
    around: &[Within],
    rows: &mut Rows<'_>,
) -> Option<ConnectionId> {
    let view = PacketView::of(packet)?.kept_apart(packet, rows.plan.by_vlan);
    if matches!(view.payload, Payload::Headless(_)) {
        return note(connections, packet, &view, known, around, ("bad_TCP_header_len", "TCP"), rows);
    }
    let (id, was_known) = connection_of(connections, packet, &view, known, around, rows);
    let timeouts = connections.table.timeouts;
    let connection = connections.table.get_mut(id)?;
    let mut odd: SmallVec<[&'static str; 4]> = SmallVec::new();
    let was_flipped = connection.flipped;
    if let Some(parent) = around.last() {
        change_tunnel(connection, parent, around, rows);
    }
    let before = rows.has_events().then(|| events::before(connection, &view, packet, rows)).flatten();
    let may_be_known = rows.plan.scripts.has(Script::KnownHosts) && !connection.is_established();
    let sooner = connection.packet(&view, &timeouts, &rows.plan.ports, &mut |name| odd.push(name));
    if may_be_known && connection.is_established() {
        rows.known_hosts(connection, packet.time);
    }
    let acknowledged = connection.acknowledged();
    if !odd.is_empty() {
        let before = identity_before(connection, was_flipped);
        tell_of(&odd, connection, &before, rows);
    }
    if let Transport::Tcp(tcp) = &packet.transport
        && tcp.has(Tcp::SYN)
        && let Some(scale) = tcp.options.window_scale.filter(|&scale| scale > MAX_WINDOW_SCALE)
        && connection.is_new_weird(SCALE_RANGE)
    {
        let before = identity_before(connection, was_flipped);
        rows.weird(Some(&before.view()), rows.now(), SCALE_RANGE, Some(&scale.to_string()), Some("TCP"));
    }
    let originator = connection.is_originator(&view);
    if rows.has_events() {
        events::after(connection, before, (originator, was_flipped), packet, rows);
    }
    connection.recognise(&rows.plan.recognised, originator, packet.payload);
    watch::look(rows.plan.watches, connection, originator, packet, rows);
    if sooner || !was_known {
        connections.table.changed(id, rows.position);
    }
    if acknowledged != Acknowledged::Nothing {
        connections.table.tally.counts.acks += 1;
        connections.table.tally.counts.gaps += u64::from(acknowledged == Acknowledged::Missed);
    }
    Some(id)
}

/// Notes the innermost tunnel around a packet of a connection, and tells where it is another one than before.
fn change_tunnel(connection: &mut Connection, parent: &Within, around: &[Within], rows: &mut Rows<'_>) {
    let most = rows.plan.tunnels.max_changes;
    let change = connection.changes_tunnel(parent.uid, most);
    if change == Change::TooMany {
        let identity = connection.identity();
        rows.weird(Some(&identity.view()), rows.now(), TUNNEL_CHANGES, Some(&most.to_string()), None);
    }
    if change != Change::None {
        events::tunnel_changed(connection, around, rows);
    }
}

/// The connection that a packet begins.
fn begin(
    connections: &mut Connections,
    packet: &Packet<'_>,
    view: &PacketView,
    around: &[Within],
    rows: &mut Rows<'_>,
) -> ConnectionId {
    let seeded = rows.plan.ids.as_ref().map(SeededIds::next);
    let uid = seeded.unwrap_or_else(|| identifier::of_packet(packet, view));
    let mut connection = Connection::new(view, uid, around.last().map(|parent| parent.uid), &rows.plan.ports);
    connection.end_with_session(&rows.plan.sessions);
    let is_link_shown = [Script::Vlans, Script::Macs, Script::PppoeSessions];
    if rows.has_events() || is_link_shown.iter().any(|script| rows.plan.scripts.has(*script)) {
        connection.on_link(packet, rows.has_events());
    }
    if rows.has_events() {
        connection.keep_around(around);
    }
    if let Some(service) = connections.expected.take(connection.responder(), view.hosts(), packet.time) {
        connection.service(service);
    }
    if connection.is_tcp() {
        // The streams of all connections are put together.
        rows.raise(Own::NewConnectionContents, Some(&connection), &[EventValue::Connection]);
    }
    rows.raise(Own::NewConnection, Some(&connection), &[EventValue::Connection]);
    connections.table.insert(connection, rows.position)
}

/// A connection as it was when something happened, which may have exchanged its ends since.
fn identity_before(connection: &Connection, was_flipped: bool) -> Identity {
    let identity = connection.identity();
    if connection.flipped == was_flipped { identity } else { identity.flipped() }
}

/// Tells what is odd about a packet of a connection, each once for it.
#[cold]
fn tell_of(odd: &[&'static str], connection: &mut Connection, identity: &Identity, rows: &mut Rows<'_>) {
    let time = rows.now();
    for &name in odd {
        if connection.is_new_weird(name) {
            let source = (!WITHOUT_SOURCE.contains(&name)).then_some("TCP");
            rows.weird(Some(&identity.view()), time, name, None, source);
        }
    }
}
