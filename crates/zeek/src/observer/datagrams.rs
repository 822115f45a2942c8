//! Protocols over datagrams that nothing else follows: a logger for each of their connections.

use weir_applayer::zeek::{Datagram, DatagramLogs};
use weir_base::{Direction, Position};
use weir_output::outlet::{Outlets, OutletsAt};
use weir_packet::Packet;

use super::Observer;
use crate::connection::PacketView;
use crate::connection::table::ConnectionId;
use crate::flow::{End, ObservedFlow};

/// Most connections of such protocols at once; further ones have no rows but in `conn`.
const MAX_FOLLOWED: usize = 65_536;

impl Observer {
    /// Gives a datagram to the logger of its connection, a new one where it begins a protocol.
    pub(super) fn datagram(&mut self, id: ConnectionId, packet: &Packet<'_>, out: &mut OutletsAt<'_>) {
        let Some(connection) = self.connections.table.get_mut(id) else { return };
        if !connection.followed {
            let port = connection.responder().1;
            let begins = |logs: &&DatagramLogs| logs.is_for(port) && (logs.fits)(packet.payload);
            let Some(logs) = self.plan.datagrams.iter().find(begins) else { return };
            if self.followed.len() >= MAX_FOLLOWED {
                return;
            }
            connection.followed = true;
            let mut flow = ObservedFlow::new(id, connection, &self.memory);
            flow.follow(logs);
            self.followed.insert(id, flow);
        }
        let Some(view) = PacketView::of(packet) else { return };
        let direction =
            if connection.is_originator(&view) { Direction::ToServer } else { Direction::ToClient };
        let Some(flow) = self.followed.get_mut(&id) else { return };
        let rows = Self::rows_at(&self.plan, out);
        let datagram = Datagram { direction, payload: packet.payload, time: packet.time };
        flow.datagram(datagram, &mut self.connections, rows);
    }

    pub(super) fn end_followed(&mut self, id: ConnectionId, position: Position, out: &mut Outlets) {
        if let Some(mut flow) = self.followed.remove(&id) {
            let rows = Self::rows(&self.plan, out, position);
            flow.end(&mut self.connections, rows, End::Flow);
        }
    }
}
