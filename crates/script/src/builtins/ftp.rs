//! Addresses and ports in commands and replies of FTP (RFC 959, RFC 2428).

use super::{Builtin, argument, row, text};
use crate::values::{Addr, Port, Value, protocol};
use crate::vm::Engine;

pub(super) const ROWS: &[Builtin] = &[
    row("parse_ftp_port", "(s: string): ftp_port", |e, a| Ok(six(e, &text(a, 0)))),
    row("parse_ftp_pasv", "(str: string): ftp_port", |e, a| {
        let reply = text(a, 0);
        let inner = reply.split_once('(').map_or_else(
            || {
                reply
                    .find(|letter: char| letter.is_ascii_digit())
                    .and_then(|at| reply.get(at + 4..))
                    .unwrap_or("")
            },
            |(_, rest)| rest,
        );
        let inner = inner.split(')').next().unwrap_or("").trim();
        Ok(six(e, inner))
    }),
    row("parse_eftp_port", "(s: string): ftp_port", |e, a| Ok(extended(e, &text(a, 0)))),
    row("parse_ftp_epsv", "(str: string): ftp_port", |e, a| {
        let reply = text(a, 0);
        let inner = reply.split_once('(').map_or("", |(_, rest)| rest);
        Ok(extended(e, inner.split(')').next().unwrap_or("")))
    }),
    row("fmt_ftp_port", "(a: addr, p: port): string", |_, a| {
        let (Value::Addr(address), Value::Port(port)) = (argument(a, 0), argument(a, 1)) else {
            return Ok(Value::string(""));
        };
        let octets: Vec<String> = address.octets().iter().map(u8::to_string).collect();
        let joined = octets.join(",");
        Ok(Value::string(format!("{joined},{},{}", port.number >> 8, port.number & 255)))
    }),
];

fn result(engine: &mut Engine, address: Addr, port: u16, valid: bool) -> Value {
    let port = Port { number: port, protocol: protocol::TCP };
    engine.record_of(
        "ftp_port",
        &[("h", Value::Addr(address)), ("p", Value::Port(port)), ("valid", Value::Bool(valid))],
    )
}

/// Reads six numbers: four of the address, two of the port.
fn six(engine: &mut Engine, text: &str) -> Value {
    let numbers: Option<Vec<u8>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([a, b, c, d, high, low]) => {
            let port = u16::from(*high) << 8 | u16::from(*low);
            result(engine, Addr::v4([*a, *b, *c, *d]), port, true)
        }
        _ => result(engine, Addr::v4([0; 4]), 0, false),
    }
}

/// Reads `|family|address|port|`, whatever stands for the bar.
fn extended(engine: &mut Engine, text: &str) -> Value {
    let none = Addr([0; 16]);
    let Some(bar) = text.chars().next() else { return result(engine, none, 0, false) };
    let parts: Vec<&str> = text.split(bar).collect();
    let [_, family, address, port, ..] = parts.as_slice() else { return result(engine, none, 0, false) };
    let number = port.parse::<i64>().ok().and_then(|port| u16::try_from(port).ok());
    let parsed = if family.is_empty() { Some(none) } else { Addr::parse(address) };
    let valid = parsed.is_some() && number.is_some();
    result(engine, parsed.unwrap_or(none), number.unwrap_or(0), valid)
}
