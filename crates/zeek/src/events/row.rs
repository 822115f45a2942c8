//! Rows of logs that scripts have a part in: each is a message with its columns by their names.

use weir_applayer::{ZeekConnection, ZeekStream, ZeekValue};
use weir_base::event::{self, ROW, transport};
use weir_base::{EventValue, Position, Timestamp};
use weir_output::outlet::OutletId;

use super::Events;
use crate::plan::Plan;
use crate::rows::protocol;

impl Events {
    /// Returns where messages go.
    pub(crate) const fn outlet(&self) -> OutletId {
        self.outlet
    }

    /// Appends the message of a row; there is none where the log is not written.
    pub(crate) fn row<'a>(
        &self,
        out: &mut Vec<u8>,
        position: Position,
        (plan, stream): (&Plan, &ZeekStream),
        connection: Option<&ZeekConnection<'a>>,
        ts: Timestamp,
        values: &[ZeekValue<'a>],
    ) -> bool {
        let mut cells = Vec::new();
        plan.logs.cells(stream, connection, ts, values, &mut |name, value| cells.push((name, value)));
        if cells.is_empty() {
            return false;
        }
        let carrier = carrier(&cells, connection);
        let lists: Vec<Vec<EventValue<'_>>> =
            cells.iter().map(|(_, value)| members(value, carrier)).collect();
        let pairs: Vec<EventValue<'_>> = cells
            .iter()
            .zip(&lists)
            .flat_map(|((name, value), members)| {
                let value = match value {
                    ZeekValue::List(_) => EventValue::List(members),
                    single => scalar(single, carrier),
                };
                [EventValue::text(name), value]
            })
            .collect();
        let at = (position.clock, position.place.packet());
        event::write(out, at, ROW, &[EventValue::text(stream.name), EventValue::Table(&pairs)], None);
        true
    }
}

/// Returns the transport of ports in a row.
fn carrier(cells: &[(&str, ZeekValue<'_>)], connection: Option<&ZeekConnection<'_>>) -> u8 {
    let named = cells.iter().find_map(|(name, value)| match value {
        ZeekValue::String(word) if matches!(*name, "proto" | "port_proto") => Some(*word),
        _ => None,
    });
    match named {
        Some(b"tcp") => transport::TCP,
        Some(b"udp") => transport::UDP,
        Some(b"icmp") => transport::ICMP,
        _ => connection.map_or(transport::TCP, |known| transport::of_protocol(protocol(known.endpoints))),
    }
}

fn members<'a>(value: &ZeekValue<'a>, carrier: u8) -> Vec<EventValue<'a>> {
    match value {
        ZeekValue::List(members) => members.iter().map(|member| scalar(member, carrier)).collect(),
        _ => Vec::new(),
    }
}

/// Returns a value that is no list. Zeek knows no nanoseconds of a moment.
fn scalar<'a>(value: &ZeekValue<'a>, carrier: u8) -> EventValue<'a> {
    match *value {
        ZeekValue::Bool(value) => EventValue::Bool(value),
        ZeekValue::Count(value) => EventValue::Count(value),
        ZeekValue::Int(value) => EventValue::Int(value),
        ZeekValue::Double(value) => EventValue::Double(value),
        ZeekValue::Time(value) => EventValue::Moment((value.0 / 1000) as f64 / 1e6),
        ZeekValue::Interval(nanos) => EventValue::Interval(nanos as f64 / 1e9),
        ZeekValue::Seconds(value) => EventValue::Double(value),
        ZeekValue::String(bytes) => EventValue::String(bytes),
        ZeekValue::Addr(address) => EventValue::Addr(address),
        ZeekValue::Port(number) => EventValue::Port(number, carrier),
        ZeekValue::Unset | ZeekValue::List(_) => EventValue::Unset,
    }
}
