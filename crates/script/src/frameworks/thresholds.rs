//! Thresholds of connections: bytes, packets and seconds at which scripts hear of one. What crosses them is looked at with each
//! packet of a connection that scripts set thresholds of, and when one is set.
//!
//! Limits: connections are those of steering; each has one threshold of each kind and side.

use weir_base::event::{ReadConnection, ReadValue};

use super::frames::{self, Headers};
use super::steering::ends;
use crate::builtins::{Builtin, argument, count, double, is_true, row};
use crate::values::Value;
use crate::vm::Engine;

/// Functions and variables that make each packet be looked at: those of thresholds, and those that ask for a connection as it is
/// between its events.
const ASKING: [&str; 11] = [
    "ConnPolling::watch",
    "lookup_connection",
    "set_current_conn_bytes_threshold",
    "set_current_conn_packets_threshold",
    "set_current_conn_duration_threshold",
    "ConnThreshold::set_bytes_threshold",
    "ConnThreshold::set_packets_threshold",
    "ConnThreshold::set_duration_threshold",
    "ConnThreshold::generic_packet_thresholds",
    "conn_generic_packet_threshold_crossed",
    "conn_bytes_threshold_crossed",
];

/// The number of TCP.
const TCP: u8 = 6;

/// The thresholds of a connection and what it has so far, for the originator and the responder.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thresholds {
    /// Bytes and packets that are waited for; zero where none are.
    bytes: [u64; 2],
    packets: [u64; 2],
    /// Seconds that are waited for.
    duration: f64,
    seen_bytes: [u64; 2],
    seen_packets: [u64; 2],
    lasted: f64,
    last_is_orig: bool,
    /// The numbers behind the last byte of TCP that each side has sent.
    pub(super) sent: [Option<u32>; 2],
}

/// What was crossed: the threshold, and whether by the originator.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crossed {
    Bytes(u64, bool),
    Packets(u64, bool),
    Duration(f64, bool),
}

impl Thresholds {
    /// Takes over what a connection has.
    fn see(&mut self, read: &ReadConnection<'_>) {
        let packets = [read.ends[0].packets, read.ends[1].packets];
        self.last_is_orig = packets[0] != self.seen_packets[0];
        self.seen_packets = packets;
        self.seen_bytes = [read.ends[0].ip_bytes, read.ends[1].ip_bytes];
        self.lasted = read.duration;
    }

    /// Notes the number behind a segment of the side that sent last.
    fn note_sent(&mut self, next: Option<u32>) {
        let is_ahead = |known: u32, next: u32| next.wrapping_sub(known) as i32 > 0;
        if let (Some(next), Some(known)) = (next, self.sent.get_mut(usize::from(!self.last_is_orig)))
            && known.is_none_or(|known| is_ahead(known, next))
        {
            *known = Some(next);
        }
    }

    /// Takes what a side has crossed: each is told once.
    fn crossed(&mut self, is_orig: bool) -> Vec<Crossed> {
        let side = usize::from(!is_orig);
        let mut crossed = Vec::new();
        if let (Some(bytes), Some(seen)) = (self.bytes.get_mut(side), self.seen_bytes.get(side))
            && *bytes > 0
            && seen > bytes
        {
            crossed.push(Crossed::Bytes(std::mem::take(bytes), is_orig));
        }
        if let (Some(packets), Some(seen)) = (self.packets.get_mut(side), self.seen_packets.get(side))
            && *packets > 0
            && seen >= packets
        {
            crossed.push(Crossed::Packets(std::mem::take(packets), is_orig));
        }
        if self.duration > 0.0 && self.lasted > self.duration {
            crossed.push(Crossed::Duration(std::mem::take(&mut self.duration), is_orig));
        }
        crossed
    }
}

/// Returns whether each packet is looked at.
pub fn wants_packets(engine: &Engine) -> bool {
    let is_asking = |name: &str| ASKING.contains(&name) || frames::ASKING_FOR_NUMBERS.contains(&name);
    engine.program.mentions.has_global(is_asking)
}

/// Looks at a connection as it is behind a packet.
pub fn look(engine: &mut Engine, arguments: &[ReadValue<'_>], record: Option<&Value>) {
    let (Some(ReadValue::Connection(read)), Some(record)) = (arguments.first(), record) else { return };
    let current = engine.frameworks.packets.current();
    let segment = current.and_then(|(kind, bytes)| Headers::of(kind, bytes).segment);
    let next = segment.filter(|_| read.protocol == TCP).map(|segment| segment.next);
    let Some(thresholds) = engine.frameworks.steering.thresholds(read.uid) else { return };
    let is_new = thresholds.seen_packets == [0; 2];
    thresholds.see(read);
    thresholds.note_sent(next);
    let (is_orig, packets) = (thresholds.last_is_orig, thresholds.seen_packets);
    let crossed = thresholds.crossed(is_orig);
    tell(engine, record, &crossed);
    let all = packets[0].saturating_add(packets[1]);
    if let Some(Value::Table(generic)) = engine.global("ConnThreshold::generic_packet_thresholds")
        && (!is_new || all == 1)
        && generic.contains(&Value::Count(all))
    {
        engine.raise_named("conn_generic_packet_threshold_crossed", vec![record.clone(), Value::Count(all)]);
    }
}

fn tell(engine: &mut Engine, record: &Value, crossed: &[Crossed]) {
    for one in crossed {
        let (event, threshold, is_orig) = match *one {
            Crossed::Bytes(bytes, is_orig) => ("conn_bytes_threshold_crossed", Value::Count(bytes), is_orig),
            Crossed::Packets(packets, is_orig) => {
                ("conn_packets_threshold_crossed", Value::Count(packets), is_orig)
            }
            Crossed::Duration(seconds, is_orig) => {
                ("conn_duration_threshold_crossed", Value::Interval(seconds), is_orig)
            }
        };
        engine.raise_named(event, vec![record.clone(), threshold, Value::Bool(is_orig)]);
    }
}

/// Sets a threshold of the connection of an id; false where there is none. What was crossed before is told at once.
fn set(engine: &mut Engine, id: &Value, is_orig: bool, put: impl Fn(&mut Thresholds, usize)) -> Value {
    let Some((record, thresholds)) = engine.frameworks.steering.of_id(id, ends) else {
        engine.complain("connection ID not a known connection");
        return Value::Bool(false);
    };
    put(thresholds, usize::from(!is_orig));
    let crossed = thresholds.crossed(is_orig);
    tell(engine, &Value::Record(record), &crossed);
    Value::Bool(true)
}

fn get(engine: &mut Engine, id: &Value, of: impl Fn(&Thresholds) -> Value) -> Value {
    match engine.frameworks.steering.of_id(id, ends) {
        Some((_, thresholds)) => of(thresholds),
        None => {
            engine.complain("connection ID not a known connection");
            of(&Thresholds::default())
        }
    }
}

fn side(values: [u64; 2], is_orig: bool) -> Value {
    Value::Count(if is_orig { values[0] } else { values[1] })
}

/// Built-in functions; all are declared by the prelude.
pub const ROWS: &[Builtin] = &[
    row("set_current_conn_bytes_threshold", "", |e, a| {
        let bytes = count(a, 1);
        Ok(set(e, &argument(a, 0), is_true(a, 2), |known, side| {
            known.bytes.get_mut(side).into_iter().for_each(|place| *place = bytes);
        }))
    }),
    row("set_current_conn_packets_threshold", "", |e, a| {
        let packets = count(a, 1);
        Ok(set(e, &argument(a, 0), is_true(a, 2), |known, side| {
            known.packets.get_mut(side).into_iter().for_each(|place| *place = packets);
        }))
    }),
    row("set_current_conn_duration_threshold", "", |e, a| {
        let seconds = double(a, 1);
        let is_orig =
            e.frameworks.steering.of_id(&argument(a, 0), ends).is_none_or(|known| known.1.last_is_orig);
        Ok(set(e, &argument(a, 0), is_orig, |known, _| known.duration = seconds))
    }),
    row("get_current_conn_bytes_threshold", "", |e, a| {
        let is_orig = is_true(a, 1);
        Ok(get(e, &argument(a, 0), |known| side(known.bytes, is_orig)))
    }),
    row("get_current_conn_packets_threshold", "", |e, a| {
        let is_orig = is_true(a, 1);
        Ok(get(e, &argument(a, 0), |known| side(known.packets, is_orig)))
    }),
    row("get_current_conn_duration_threshold", "", |e, a| {
        Ok(get(e, &argument(a, 0), |known| Value::Interval(known.duration)))
    }),
    row("get_orig_seq", "", |e, a| Ok(sent(e, &argument(a, 0), true))),
    row("get_resp_seq", "", |e, a| Ok(sent(e, &argument(a, 0), false))),
];

/// Returns the number behind what a side has sent; zero where nothing is known of it.
fn sent(engine: &mut Engine, id: &Value, is_orig: bool) -> Value {
    let known = engine.frameworks.steering.of_id(id, ends);
    let next = known.and_then(|(_, known)| known.sent.get(usize::from(!is_orig)).copied().flatten());
    Value::Count(next.map_or(0, u64::from))
}

#[cfg(test)]
mod tests {
    use super::{Crossed, Thresholds};

    #[test]
    fn thresholds_are_told_once() {
        let mut known =
            Thresholds { bytes: [100, 0], packets: [0, 3], duration: 2.0, ..Thresholds::default() };
        known.seen_bytes = [100, 500];
        assert_eq!(known.crossed(true), [], "as many bytes are not more");
        known.seen_bytes = [101, 500];
        assert_eq!(known.crossed(true), [Crossed::Bytes(100, true)]);
        assert_eq!(known.crossed(true), []);
        known.seen_packets = [9, 3];
        known.lasted = 2.5;
        assert_eq!(known.crossed(false), [Crossed::Packets(3, false), Crossed::Duration(2.0, false)]);
        assert_eq!(known.crossed(false), []);
    }
}
