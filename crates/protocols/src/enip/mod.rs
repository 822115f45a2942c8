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
use weir_base::PerDirection;

/// The protocol.
pub static ENIP: Protocol = Protocol {
    name: "enip",
    aliases: &[],
    eve_name: "enip",
    zeek_service: "enip",
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[44818],
    probe_any_port: false,
    hints: &[],
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: true,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::ANOMALIES,
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: None,
    scripts: &[],
};

#[cfg(test)]
mod tests;
