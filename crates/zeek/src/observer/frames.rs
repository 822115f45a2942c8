//! Frames with packets in packets: the connection of each, and the tunnels between them.

use weir_base::{Place, Position};
use weir_output::outlet::OutletsAt;
use weir_packet::Packet;
use weir_packet::decode::dispatch::Dispatch;

use super::Observer;
use super::packets::odd;
use crate::connection::PacketView;
use crate::connection::table::ConnectionId;
use crate::events;
use crate::policy::odd_packet;
use crate::tunnel::{self, Stack, Within, parents::Carrier};

/// A Teredo packet that carries nothing, with bytes after it.
const BUBBLE: &str = "Teredo_bubble_with_payload";

impl Observer {
    /// Counts in a captured frame: all that was decoded of it, inner packets before the one
    /// around them, as the decoder gives them. Fragments are left out; the packet that was put
    /// together from them is to be given instead.
    pub fn frame(&mut self, packets: &[Packet<'_>], out: &mut OutletsAt<'_>) {
        self.begin(packets, out);
        let mut stack = Stack::new();
        for index in (0..packets.len()).rev() {
            self.count_in(packets, index, &mut stack, out);
        }
    }

    /// Counts in this worker's packets of a frame of which other workers have a part.
    /// `dispatches` tells whom the packets concern; the frame stands where `out` says.
    pub fn frame_in_part(
        &mut self,
        packets: &[Packet<'_>],
        dispatches: &[Dispatch],
        out: &mut OutletsAt<'_>,
    ) {
        let position = out.position;
        self.begin(packets, out);
        let mut stack = Stack::new();
        for (index, (packet, dispatch)) in packets.iter().zip(dispatches).enumerate().rev() {
            let below = dispatches.get(..index).unwrap_or_default();
            let own = self.connections.across.is_own(dispatch.ends);
            let depth = packet.recursion + u8::from(!own);
            let shared = below.iter().any(|inner| self.connections.across.is_own(inner.ends) != own);
            if own || shared {
                let place = Place::counted(position.place.packet(), depth);
                out.position = Position::at(position.clock, place);
                self.connections.across.reach(out.position);
            }
            if own {
                self.count_in(packets, index, &mut stack, out);
            }
            if !shared {
                continue;
            }
            let Some((kind, carrier)) =
                tunnel_around(packets, index).and_then(|kind| Some((kind, Carrier::of(packet, kind)?)))
            else {
                continue;
            };
            let across = &self.connections.across;
            if !own {
                let worker = across.worker_of(dispatch.ends);
                let uid = self.parents.ask(carrier, packet.time, position.clock, worker, across);
                stack.extend(uid.and_then(|uid| Within::of_packet(packet, kind, uid)));
            } else if let Some(parent) = stack.last() {
                self.parents.publish(carrier, parent.uid, position.clock, across);
            }
        }
    }

    /// The connection of the packet at `index` of the list that was counted in last.
    pub fn connection(&self, index: usize) -> Option<ConnectionId> {
        self.frame.get(index).copied().flatten()
    }

    fn begin(&mut self, packets: &[Packet<'_>], out: &mut OutletsAt<'_>) {
        self.expire(out.position.clock, out.outlets);
        if let Some(captured) = packets.last() {
            self.tell_of_packet(captured, out);
        }
        self.frame.clear();
        self.frame.resize(packets.len(), None);
    }

    /// Counts in the packet at `index` of those that were captured as one; `stack` are the tunnels that it lies in, and
    /// become those of the next one.
    fn count_in(&mut self, packets: &[Packet<'_>], index: usize, stack: &mut Stack, out: &mut OutletsAt<'_>) {
        let Some(packet) = packets.get(index) else { return };
        if self.plan.tunnels.is_too_deep(packet.recursion) {
            return;
        }
        let tunnel = tunnel_around(packets, index);
        if self.is_misaddressed(packet, out) {
            return;
        }
        self.look_at_packet(packet, out);
        let mut rows = Self::rows_at(&self.plan, out);
        if let Some(kind) = tunnel
            && kind.service.is_none()
        {
            if self.plan.tunnels.is_deepest(packet.recursion) {
                return odd(&odd_packet::too_deep(packet, "IPTUNNEL"), &mut rows);
            }
            let tunnel = self.tunnels.find(packet, kind, &mut rows);
            if tunnel.is_none() {
                self.connections.across.note_nameless();
            }
            stack.extend(tunnel);
            return;
        }
        let corrupt = self.plan.checksums && self.plan.is_corrupt(packet);
        let id = self.connect(packet, None, stack, corrupt, out);
        if let Some(slot) = self.frame.get_mut(index) {
            *slot = id;
        }
        let mut rows = Self::rows_at(&self.plan, out);
        let Some(connection) = id.and_then(|id| self.connections.table.get_mut(id)) else { return };
        if self.plan.tunnels.is_deepest(packet.recursion) {
            return;
        }
        let inner = index.checked_sub(1).and_then(|below| packets.get(below));
        let is_odd = inner.is_some_and(|inner| tunnel::is_bubble_with_payload(inner, packet))
            && connection.is_new_weird(BUBBLE);
        let carried = tunnel.map(|kind| (kind.name, connection.opens_tunnel(kind.name)));
        if let Some(inner) = inner {
            events::carried(connection, packet, inner, &mut rows);
        }
        if !is_odd && carried.is_none() {
            return;
        }
        let identity = connection.identity();
        let about = identity.view();
        if is_odd {
            rows.weird(Some(&about), rows.now(), BUBBLE, None, Some("TEREDO"));
        }
        if let Some((name, is_new)) = carried {
            if is_new {
                let now = rows.now();
                tunnel::row(&mut rows, &about, now, name, "Tunnel::DISCOVER");
            }
            stack.push(Within::of(connection, name));
        }
    }
}

/// The tunnel that the packet at `index` is to those below it. It is logged when a connection is found inside.
fn tunnel_around(packets: &[Packet<'_>], index: usize) -> Option<tunnel::Kind> {
    let below = packets.get(..index)?;
    let inner = below.last()?;
    below
        .iter()
        .any(|inner| PacketView::of(inner).is_some())
        .then(|| tunnel::kind(inner, packets.get(index)?))?
}
