//! EtherNet/IP over TCP and UDP, and CIP in it (ODVA, The CIP Networks Library, volumes 1 and 2).
//!
//! A request and its response are a transaction. Limits: items of a message ([`message::MAX_ITEMS`]), services of
//! one packet ([`cip::MAX_PARTS`], which may not overlap), requests that wait for a response (`max-tx`) and their
//! memory ([`parser::MAX_HELD`]).

pub mod anomaly;
pub mod checks;
pub mod cip;
pub mod eve;
pub mod fields;
pub mod frame;
pub mod item;
pub mod message;
pub mod names;
pub mod parser;
pub mod probe;
pub mod transaction;
pub mod vendors;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static ENIP: Protocol = Protocol {
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[44818],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::EnipAnomaly::NAMES,
    eve: Some(&eve::EVE),
    ..Protocol::named("enip", parser::configure)
};

#[cfg(test)]
mod tests;
