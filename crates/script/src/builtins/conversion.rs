//! Conversions between types.

use super::{Builtin, argument, bytes, count, double, row};
use crate::types::TypeId;
use crate::values::{Addr, Port, Subnet, Value, parse_double, protocol};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("to_count", "(str: string, base: count &default=10): count", to_count),
    row("to_int", "(str: string, base: count &default=10): int", to_int),
    row("to_double", "(str: string): double", to_double),
    row("to_addr", "(ip: string): addr", to_addr),
    row("to_subnet", "(sn: string): subnet", to_subnet),
    row("to_port", "(s: string): port", to_port),
    row("count_to_port", "(num: count, proto: transport_proto): port", |_, a| {
        let protocol = u8::try_from(argument(a, 1).int()).unwrap_or(0).min(protocol::ICMP);
        Ok(Value::Port(Port { number: u16::try_from(count(a, 0)).unwrap_or(u16::MAX), protocol }))
    }),
    row("port_to_count", "(p: port): count", |_, a| match argument(a, 0) {
        Value::Port(port) => Ok(Value::Count(u64::from(port.number))),
        _ => Ok(Value::Count(0)),
    }),
    row("int_to_count", "(n: int): count", |e, a| {
        let value = argument(a, 0);
        if value.int() < 0 {
            e.complain_of("bad conversion to count", &value);
            return Ok(Value::Count(0));
        }
        Ok(Value::Count(value.count()))
    }),
    row("int_to_double", "(i: int): double", |_, a| Ok(Value::Double(double(a, 0)))),
    row("count_to_double", "(c: count): double", |_, a| Ok(Value::Double(double(a, 0)))),
    row("double_to_count", "(d: double): count", |e, a| {
        if double(a, 0) < 0.0 {
            e.complain_of("bad conversion to count", &argument(a, 0));
            return Ok(Value::Count(0));
        }
        Ok(Value::Count(double(a, 0).round_ties_even() as u64))
    }),
    row("double_to_int", "(d: double): int", |_, a| Ok(Value::Int(double(a, 0).round_ties_even() as i64))),
    row("double_to_interval", "(d: double): interval", |_, a| Ok(Value::Interval(double(a, 0)))),
    row("double_to_time", "(d: double): time", |_, a| Ok(Value::Time(double(a, 0)))),
    row("interval_to_double", "(i: interval): double", |_, a| Ok(Value::Double(double(a, 0)))),
    row("time_to_double", "(t: time): double", |_, a| Ok(Value::Double(double(a, 0)))),
    row("enum_to_int", "(e: any): int", |e, a| match argument(a, 0) {
        Value::Enum(_, value) => Ok(Value::Int(value)),
        _ => {
            e.complain("enum_to_int() requires enum value");
            Ok(Value::Int(-1))
        }
    }),
    row("bytestring_to_double", "(s: string): double", |e, a| match <[u8; 8]>::try_from(bytes(a, 0)) {
        Ok(octets) => Ok(Value::Double(f64::from_be_bytes(octets))),
        Err(_) => {
            e.complain("bytestring_to_double: bad length");
            Ok(Value::Double(0.0))
        }
    }),
    row("bytestring_to_float", "(s: string): double", |e, a| match <[u8; 4]>::try_from(bytes(a, 0)) {
        Ok(octets) => Ok(Value::Double(f64::from(f32::from_be_bytes(octets)))),
        Err(_) => {
            e.complain("bytestring_to_float: bad length");
            Ok(Value::Double(0.0))
        }
    }),
    row("bytestring_to_count", "(s: string, is_le: bool &default=F): count", bytestring_to_count),
    row("count_to_v4_addr", "(ip: count): addr", |e, a| match u32::try_from(count(a, 0)) {
        Ok(number) => Ok(Value::Addr(Addr::v4(number.to_be_bytes()))),
        Err(_) => {
            e.complain("conversion of non-IPv4 count to addr");
            Ok(Value::Addr(Addr::v4([0; 4])))
        }
    }),
    row("raw_bytes_to_v4_addr", "(b: string): addr", |e, a| match <[u8; 4]>::try_from(bytes(a, 0)) {
        Ok(octets) => Ok(Value::Addr(Addr::v4(octets))),
        Err(_) => {
            e.complain("raw_bytes_to_v4_addr() requires a 4-byte string");
            Ok(Value::Addr(Addr::v4([0; 4])))
        }
    }),
    row("raw_bytes_to_v6_addr", "(x: string): addr", |e, a| match <[u8; 16]>::try_from(bytes(a, 0)) {
        Ok(octets) => Ok(Value::Addr(Addr(octets))),
        Err(_) => {
            e.complain("raw_bytes_to_v6_addr() requires a 16-byte string");
            Ok(Value::Addr(Addr([0; 16])))
        }
    }),
];

/// Reads a number as C's `strtoull` does: blanks and a sign may stand before it. None where other bytes follow.
fn number(text: &[u8], base: u64) -> Option<(bool, u64)> {
    let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    let mut rest = text.trim_ascii_start();
    let is_negative = rest.first() == Some(&b'-');
    if matches!(rest.first(), Some(b'-' | b'+')) {
        rest = rest.get(1..)?;
    }
    if base == 16 && (rest.starts_with(b"0x") || rest.starts_with(b"0X")) {
        rest = rest.get(2..)?;
    }
    let text = std::str::from_utf8(rest).ok()?;
    if text.is_empty() || text.starts_with('+') || text.starts_with('-') {
        return None;
    }
    u64::from_str_radix(text, base).ok().map(|value| (is_negative, value))
}

fn to_count(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    match number(bytes(a, 0), count(a, 1)) {
        Some((is_negative, value)) => {
            Ok(Value::Count(if is_negative { value.wrapping_neg() } else { value }))
        }
        None => {
            // What is behind the number is left out where blanks follow.
            let text = bytes(a, 0);
            if let Some((is_negative, value)) = number(text.trim_ascii_end(), count(a, 1)) {
                return Ok(Value::Count(if is_negative { value.wrapping_neg() } else { value }));
            }
            engine.complain_of("bad conversion to count", &argument(a, 0));
            Ok(Value::Count(0))
        }
    }
}

fn to_int(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    match number(bytes(a, 0), count(a, 1)) {
        Some((is_negative, value)) => {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            Ok(Value::Int(if is_negative { -value } else { value }))
        }
        None => {
            engine.complain_of("bad conversion to integer", &argument(a, 0));
            Ok(Value::Int(0))
        }
    }
}

fn to_double(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = bytes(a, 0).trim_ascii_start();
    match parse_double(text) {
        Some((value, length)) if length == text.len() => Ok(Value::Double(value)),
        _ => {
            engine.complain_of("bad conversion to double", &argument(a, 0));
            Ok(Value::Double(0.0))
        }
    }
}

fn to_addr(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = String::from_utf8_lossy(bytes(a, 0)).into_owned();
    if let Some(address) = Addr::parse(&text) {
        return Ok(Value::Addr(address));
    }
    // Numbers may have zeros before them.
    let parts: Option<Vec<u8>> = text.split('.').map(|part| part.parse().ok()).collect();
    if let Some(Ok(octets)) = parts.map(<[u8; 4]>::try_from) {
        return Ok(Value::Addr(Addr::v4(octets)));
    }
    engine.complain_of("failed converting string to IP address", &argument(a, 0));
    Ok(Value::Addr(Addr([0; 16])))
}

fn to_subnet(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    match Subnet::parse(&String::from_utf8_lossy(bytes(a, 0))) {
        Some(network) => Ok(Value::Subnet(network)),
        None => {
            engine.complain_of("failed converting string to IP prefix", &argument(a, 0));
            Ok(Value::Subnet(Subnet { prefix: Addr([0; 16]), length: 0 }))
        }
    }
}

fn to_port(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    match Port::parse(&String::from_utf8_lossy(bytes(a, 0)).to_ascii_lowercase()) {
        Some(port) => Ok(Value::Port(port)),
        None => {
            engine.complain("wrong port format, must be /[0-9]{1,5}\\/(tcp|udp|icmp|unknown)/");
            Ok(Value::Port(Port { number: 0, protocol: protocol::UNKNOWN }))
        }
    }
}

fn bytestring_to_count(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let mut octets = bytes(a, 0).to_vec();
    if !matches!(octets.len(), 1 | 2 | 4 | 8) {
        let text = format!("bytestring_to_count: bad byte string length {}", octets.len());
        engine.complain(&text);
        return Ok(Value::Count(0));
    }
    if super::is_true(a, 1) {
        octets.reverse();
    }
    let _ = TypeId::COUNT;
    Ok(Value::Count(octets.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))))
}
