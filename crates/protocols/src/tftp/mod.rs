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

/// The protocol.
pub static TFTP: Protocol = Protocol {
    zeek_service: "",
    transports: &[Transport::Udp],
    ports: &[69],
    probe: Some(probe::probe),
    accepts_gaps: true,
    eve: Some(&eve::EVE),
    ..Protocol::named("tftp", parser::configure)
};

#[cfg(test)]
mod tests;
