//! The way of a packet into its connection, and what is looked at on it.

use std::net::IpAddr;

use weir_applayer::{Endpoints, ZeekConnection};
use weir_base::{EventValue, Timestamp};
use weir_output::outlet::OutletsAt;
use weir_packet::defrag::Misfit;
use weir_packet::{Packet, Tcp, Transport, checksum};

use super::{Connections, Observer};
use crate::connection::count::{count, count_corrupt};
use crate::connection::table::ConnectionId;
use crate::connection::{Acknowledged, PacketView, Unseen, watch};
use crate::events::{self, Own};
use crate::policy::odd_packet::{self, Oddity};
use crate::rows::{AnalyzerKind, Rows};
use crate::tunnel::{self, Within, violation};

/// A datagram states another length than IP has for it.
const LENGTH_MISMATCH: &str = "UDP_datagram_length_mismatch";

impl Observer {
    /// Returns whether the checksum above IP is wrong for scripts; none where they look at it as everybody does.
    #[inline]
    pub fn is_corrupt(&self, packet: &Packet<'_>) -> Option<bool> {
        self.plan.events.is_some().then(|| self.plan.is_corrupt(packet))
    }

    /// Asks the processor for the memory of a connection of which a packet comes soon.
    #[inline]
    pub fn fetch(&self, id: ConnectionId) {
        self.connections.table.fetch(id);
    }

    /// Counts in a packet that was captured alone, not a fragment, and tells its connection; `known` is the
    /// connection of the packet before of its flow. The checksum of a `corrupt` one is wrong.
    #[inline]
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        known: Option<ConnectionId>,
        corrupt: bool,
        out: &mut OutletsAt<'_>,
    ) -> Option<ConnectionId> {
        if self.connections.table.is_due(out.position.clock) {
            self.expire(out.position.clock, out.outlets);
        }
        self.tell_of_packet(packet, out);
        if self.is_misaddressed(packet, out) {
            return None;
        }
        let is_cut = self.look_at_packet(packet, out);
        match known {
            Some(id) if !(corrupt || is_cut) && self.goes_on(id, packet, out) => known,
            _ => self.connect(packet, known, &[], corrupt, out),
        }
    }

    /// Tells scripts of a captured packet, where they ask for each.
    #[inline]
    pub(super) fn tell_of_packet(&self, packet: &Packet<'_>, out: &mut OutletsAt<'_>) {
        if self.plan.events.is_some() {
            events::captured(packet, &mut Self::rows_at(&self.plan, out));
        }
    }

    /// Counts in packets that an end of a connection sent until `time` and nobody saw.
    pub fn unseen(&mut self, id: ConnectionId, source: (IpAddr, u16), unseen: &Unseen, time: Timestamp) {
        if let Some(connection) = self.connections.table.get_mut(id) {
            connection.unseen(source, unseen, time);
        }
    }

    /// A fragment goes by, which went so with those before it.
    pub fn fragment(&mut self, packet: &Packet<'_>, misfit: Misfit, out: &mut OutletsAt<'_>) {
        let mut rows = Self::rows_at(&self.plan, out);
        odd_packet::look_at_fragment(packet, misfit, &mut |oddity| odd(&oddity, &mut rows));
    }

    /// Whether nobody would take a packet, as the checksum of its IP header is wrong.
    #[inline]
    pub(super) fn is_misaddressed(&self, packet: &Packet<'_>, out: &mut OutletsAt<'_>) -> bool {
        let wrong =
            self.plan.checksums && checksum::ipv4_valid(packet) == Some(false) && !self.plan.trusts(packet);
        if wrong {
            let mut rows = Self::rows_at(&self.plan, out);
            odd(&odd_packet::wrong_ip_checksum(packet), &mut rows);
        }
        wrong
    }

    /// Logs what is odd about a packet by itself. Answers whether a header below IP states less than IP does.
    #[inline]
    pub(super) fn look_at_packet(&self, packet: &Packet<'_>, out: &mut OutletsAt<'_>) -> bool {
        if self.plan.events.is_some() {
            events::unconnected(packet, &mut Self::rows_at(&self.plan, out));
        }
        if odd_packet::is_plain(packet) {
            return false;
        }
        let mut rows = Self::rows_at(&self.plan, out);
        odd_packet::look(packet, &mut |oddity| odd(&oddity, &mut rows));
        odd_packet::beyond_pppoe(packet) > 0
    }

    /// Counts any packet into its connection.
    pub(super) fn connect(
        &mut self,
        packet: &Packet<'_>,
        known: Option<ConnectionId>,
        around: &[Within],
        corrupt: bool,
        out: &mut OutletsAt<'_>,
    ) -> Option<ConnectionId> {
        if corrupt {
            let mut rows = Self::rows_at(&self.plan, out);
            return count_corrupt(&mut self.connections, packet, known, around, &mut rows);
        }
        let is_begun =
            packet.tcp().is_some_and(|tcp| tcp.has(Tcp::SYN)) && self.is_begun_anew(packet, known, out);
        let known = known.filter(|_| !is_begun);
        let mut rows = Self::rows_at(&self.plan, out);
        let id = count(&mut self.connections, packet, known, around, &mut rows);
        if id.is_none() {
            odd_packet::look_at_unconnected(packet, &mut |oddity| odd(&oddity, &mut rows));
        }
        if let Some(short_lives) = &mut self.short_lives {
            let Connections { table, across, .. } = &self.connections;
            let (connection, now) = (id.and_then(|id| table.get(id)), out.position.clock);
            if let Some(path) = short_lives.look(connection, packet, now, across) {
                Self::rows_at(&self.plan, out).traceroute(now, path);
            }
        }
        match (id, &packet.transport) {
            (Some(id), Transport::Udp(_)) => self.look_into_datagram(id, packet, out),
            (Some(id), Transport::None) => self.look_at_lengths(id, packet, out),
            _ => {}
        }
        id
    }

    /// Ends the connection of a packet, if it begins another one between the same ends.
    fn is_begun_anew(
        &mut self,
        packet: &Packet<'_>,
        known: Option<ConnectionId>,
        out: &mut OutletsAt<'_>,
    ) -> bool {
        let by_vlan = self.plan.by_vlan;
        let table = &mut self.connections.table;
        let Some(view) = PacketView::of(packet).map(|view| view.kept_apart(packet, by_vlan)) else {
            return false;
        };
        let known = known.filter(|&id| view.is_of_flow() && table.get(id).is_some());
        let Some(id) = known.or_else(|| table.find(&view.key())) else { return false };
        let Some(connection) = table.get_mut(id) else { return false };
        let Some(weird) = connection.reuse(&view) else { return false };
        let mut rows = Self::rows_at(&self.plan, out);
        rows.raise(Own::Reused, Some(connection), &[EventValue::Connection]);
        if let Some(name) = weird.filter(|name| connection.is_new_weird(name)) {
            let identity = connection.identity();
            let mut rows = Self::rows_at(&self.plan, out);
            rows.weird(Some(&identity.view()), rows.now(), name, None, Some("TCP"));
        }
        self.close(id, out.position.clock, out.position, out.outlets);
        true
    }

    /// Counts in a packet of the kind that nearly all are, if it is one: the next segment, or a further datagram.
    #[inline]
    fn goes_on(&mut self, id: ConnectionId, packet: &Packet<'_>, out: &mut OutletsAt<'_>) -> bool {
        if self.short_lives.is_some() || self.plan.events.as_ref().is_some_and(|events| events.each_packet) {
            return false;
        }
        let Some(segment) = PacketView::next_segment(packet) else {
            return self.datagram_goes_on(id, packet, out);
        };
        let Some(connection) = self.connections.table.get_mut(id) else { return false };
        let Some(originator) = connection.goes_on(&segment, packet) else { return false };
        let seen = connection.acknowledged() == Acknowledged::Seen;
        connection.recognise(&self.plan.recognised, originator, packet.payload);
        let mut rows = Self::rows_at(&self.plan, out);
        watch::look(self.plan.watches, connection, originator, packet, &mut rows);
        self.connections.table.tally.counts.acks += u64::from(seen);
        true
    }

    fn datagram_goes_on(&mut self, id: ConnectionId, packet: &Packet<'_>, out: &mut OutletsAt<'_>) -> bool {
        let Some(datagram) = PacketView::next_datagram(packet) else { return false };
        let Some(connection) = self.connections.table.get_mut(id) else { return false };
        let Some(originator) = connection.datagram(&datagram) else { return false };
        connection.recognise(&self.plan.recognised, originator, packet.payload);
        let mut rows = Self::rows_at(&self.plan, out);
        watch::look(self.plan.watches, connection, originator, packet, &mut rows);
        self.look_into_datagram(id, packet, out);
        true
    }

    /// A datagram was counted in: its logger looks at it, and what it carries is noted.
    pub(super) fn look_into_datagram(
        &mut self,
        id: ConnectionId,
        packet: &Packet<'_>,
        out: &mut OutletsAt<'_>,
    ) {
        if !packet.payload.is_empty() {
            self.datagram(id, packet, out);
        }
        self.look_at_lengths(id, packet, out);
        let Some(connection) = self.connections.table.get_mut(id) else { return };
        if self.plan.events.is_some() {
            events::datagram(connection, packet, &mut Self::rows_at(&self.plan, out));
        }
        if let Some(service) = tunnel::service(packet) {
            let mut rows = Self::rows_at(&self.plan, out);
            if self.plan.tunnels.is_deepest(packet.recursion) {
                connection.reached_limit();
                connection.no_service(service);
                return odd(&odd_packet::too_deep(packet, tunnel::analyzer(service)), &mut rows);
            }
            odd_packet::look_at_datagram(packet, &mut |oddity| odd(&oddity, &mut rows));
            let originator = PacketView::of(packet).is_some_and(|view| connection.is_originator(&view));
            connection.carries(service, originator, self.plan.tunnels.waits_for_both(service));
        } else if let Some(found) = violation::look(connection.responder().1, packet.payload, packet.origin)
            && (found.repeats || connection.is_new_violation(found.analyzer))
        {
            let identity = connection.identity();
            let mut rows = Self::rows_at(&self.plan, out);
            let about = identity.view();
            rows.violation(AnalyzerKind::Packet, &about, rows.now(), found.analyzer, found.reason, None);
        } else if let Some(version) = violation::other_geneve(connection.responder().1, packet.payload) {
            let oddity = odd_packet::other_geneve(packet, version);
            odd(&oddity, &mut Self::rows_at(&self.plan, out));
        }
    }

    /// Compares the length of a datagram with what IP carries.
    fn look_at_lengths(&self, id: ConnectionId, packet: &Packet<'_>, out: &mut OutletsAt<'_>) {
        if let Some((stated, carried)) = odd_packet::mismatch(packet)
            && let Some(connection) = self.connections.table.get(id)
        {
            let identity = connection.identity();
            let what = format!("{stated} != {carried}");
            let mut rows = Self::rows_at(&self.plan, out);
            rows.weird(Some(&identity.view()), rows.now(), LENGTH_MISMATCH, Some(&what), Some("UDP"));
        }
    }
}

/// Tells of something odd about a packet.
pub(super) fn odd(oddity: &Oddity, rows: &mut Rows<'_>) {
    let time = rows.now();
    let ends = oddity.hosts.map(|(client, server)| Endpoints {
        client,
        client_port: 0,
        server,
        server_port: 0,
        transport: weir_applayer::Transport::Udp,
    });
    let about = ends.as_ref().map(|endpoints| ZeekConnection { endpoints, start: time, uid: b"" });
    rows.weird(about.as_ref(), time, &oddity.name, oddity.addl.as_deref(), oddity.source);
}
