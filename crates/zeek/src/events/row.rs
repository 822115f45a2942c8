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
        (position, captured): (Position, Option<Timestamp>),
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
        let carrier = Carrier { transport: transport_of(&cells, connection), ts };
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
        let at = super::moment(position, captured);
        event::write(out, at, ROW, &[EventValue::text(stream.name), EventValue::Table(&pairs)], None);
        true
    }
}

/// Facts of a row that its values depend on.
#[derive(Clone, Copy)]
struct Carrier {
    /// That of ports.
    transport: u8,
    /// The time of the row.
    ts: Timestamp,
}

impl Carrier {
    /// Returns a span of time in seconds. Zeek's are differences of moments that are floating-point numbers.
    fn seconds(self, nanos: i64) -> f64 {
        let begun = Self::moment(self.ts);
        let ended = Timestamp(self.ts.0.saturating_add_signed(nanos));
        if nanos % 1_000_000_000 == 0 { nanos as f64 / 1e9 } else { Self::moment(ended) - begun }
    }

    /// Returns a moment in seconds. Zeek knows no nanoseconds of it.
    fn moment(moment: Timestamp) -> f64 {
        (moment.0 / 1000) as f64 / 1e6
    }
}

/// Returns the transport of ports in a row.
fn transport_of(cells: &[(&str, ZeekValue<'_>)], connection: Option<&ZeekConnection<'_>>) -> u8 {
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

fn members<'a>(value: &ZeekValue<'a>, carrier: Carrier) -> Vec<EventValue<'a>> {
    match value {
        ZeekValue::List(members) => members.iter().map(|member| scalar(member, carrier)).collect(),
        _ => Vec::new(),
    }
}

/// Returns a value that is no list.
fn scalar<'a>(value: &ZeekValue<'a>, carrier: Carrier) -> EventValue<'a> {
    match *value {
        ZeekValue::Bool(value) => EventValue::Bool(value),
        ZeekValue::Count(value) => EventValue::Count(value),
        ZeekValue::Int(value) => EventValue::Int(value),
        ZeekValue::Double(value) => EventValue::Double(value),
        ZeekValue::Time(value) => EventValue::Moment(Carrier::moment(value)),
        ZeekValue::Interval(nanos) => EventValue::Interval(carrier.seconds(nanos)),
        ZeekValue::Seconds(value) => EventValue::Double(value),
        ZeekValue::String(bytes) => EventValue::String(bytes),
        ZeekValue::Addr(address) => EventValue::Addr(address),
        ZeekValue::Port(number) => EventValue::Port(number, carrier.transport),
        ZeekValue::Unset | ZeekValue::List(_) => EventValue::Unset,
    }
}
