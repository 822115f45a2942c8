//! TFTP (RFC 1350) over UDP: the requests to read and to write a file.
//!
//! A request is a transaction. The file itself goes between other ports, by the protocol's own rules, and is not
//! followed. Limits: what is kept of a name ([`request::MAX_NAME`]), requests that wait for the engine
//! ([`parser::MAX_TRANSACTIONS`]).

pub mod eve;
pub mod parser;
pub mod probe;
pub mod request;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static TFTP: Protocol = Protocol {
    name: "tftp",
    aliases: &[],
    eve_name: "tftp",
    zeek_service: "",
    transports: &[Transport::Udp],
    ports: &[69],
    probe_any_port: false,
    hints: &[],
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: true,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: &[],
    frames: &[],
    anomalies: &[],
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: None,
    scripts: &[],
};

#[cfg(test)]
mod tests;
