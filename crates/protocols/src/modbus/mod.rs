//! Modbus over TCP (Modbus Application Protocol 1.1b, Modbus Messaging on TCP/IP 1.0b).
//!
//! A request and its response are a transaction. Limits: the length of a message ([`message::MAX_LENGTH`]), the
//! requests that wait for a response ([`parser::MAX_WAITING`]; from `request-flood` on there is an event), those that
//! one is compared with ([`parser::MAX_ALIKE`]).

pub mod anomaly;
pub mod checks;
pub mod eve;
mod events;
pub mod fields;
pub mod function;
pub mod message;
pub mod parser;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::Protocol;

/// The protocol.
pub static MODBUS: Protocol = Protocol {
    ports: &[502],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::ModbusAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("modbus", parser::configure)
};

#[cfg(test)]
mod tests;
