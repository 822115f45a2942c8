//! What signatures are matched against: the first packet of each end, datagrams, and streams as far as they are asked for.

use std::net::IpAddr;

use weir_base::event::{FIRST_PACKET, PAYLOAD, PayloadExtent};
use weir_base::{EventValue, Timestamp};
use weir_output::outlet::OutletsAt;
use weir_packet::{Ip, Packet, Transport};

use crate::connection::Connection;
use crate::flow::ObservedFlow;
use crate::observer::Observer;
use crate::rows::Rows;

/// Most bytes of what is above IP that conditions on headers look at.
const MOST_TRANSPORT: usize = 64;

/// A piece of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamPiece<'a> {
    /// The end that sent it.
    pub source: (IpAddr, u16),
    /// Place of its first byte in the stream.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// When they were captured.
    pub captured: Timestamp,
}

/// Sends a packet that was counted, as far as signatures look at it.
pub(super) fn packet(connection: &Connection, originator: bool, packet: &Packet<'_>, rows: &mut Rows<'_>) {
    let Some((events, extent)) = rows.plan.events.as_ref().and_then(|events| Some((events, events.payload?)))
    else {
        return;
    };
    let state = connection.observed();
    let [orig, resp] = &state.ends;
    let is_datagram = !matches!(packet.transport, Transport::Tcp(_));
    let is_orig = EventValue::Bool(originator);
    if (if originator { orig } else { resp }).packets == 1 {
        let (ip, above) = match &packet.ip {
            Some(Ip::V4(ip)) => (ip.header, ip.payload),
            Some(Ip::V6(ip)) => (ip.header, ip.payload),
            None => return,
        };
        let above = above.get(..MOST_TRANSPORT).unwrap_or(above);
        let size =
            if is_datagram { EventValue::Count(packet.payload.len() as u64) } else { EventValue::Unset };
        let arguments =
            [EventValue::Connection, is_orig, EventValue::String(ip), EventValue::String(above), size];
        events.send(rows.out, rows.position, FIRST_PACKET, &arguments, Some(&state));
    }
    let (sent, received) = connection.sizes();
    let before = (sent + received).saturating_sub(packet.payload.len() as u64);
    let may_be_empty = matches!(packet.transport, Transport::Udp(_));
    if is_datagram && (may_be_empty || !packet.payload.is_empty()) && extent.has(before) {
        let arguments =
            [EventValue::Connection, is_orig, EventValue::Bool(true), EventValue::String(packet.payload)];
        events.send(rows.out, rows.position, PAYLOAD, &arguments, Some(&state));
    }
}

impl Observer {
    /// Returns the part of streams that signatures are matched against, where there are any.
    pub fn matched_payload(&self) -> Option<PayloadExtent> {
        self.plan().events.as_ref()?.payload
    }

    /// Sends a piece of a stream, as far as signatures look at it and it was not sent before.
    pub fn stream(&self, flow: &mut ObservedFlow, piece: StreamPiece<'_>, out: &mut OutletsAt<'_>) {
        let plan = self.plan();
        let Some(events) = &plan.events else { return };
        let (Some(extent), Some(connection)) = (events.payload, self.known(flow.connection())) else {
            return;
        };
        let originator = connection.originator() == piece.source;
        let Some((offset, bytes)) = flow.take_unmatched(extent, originator, piece.offset, piece.bytes) else {
            return;
        };
        let arguments = [
            EventValue::Connection,
            EventValue::Bool(originator),
            EventValue::Bool(false),
            EventValue::String(bytes),
            EventValue::Count(offset),
        ];
        let state = connection.observed();
        events.send_of(out.outlets, out.position, Some(piece.captured), PAYLOAD, &arguments, Some(&state));
    }
}
