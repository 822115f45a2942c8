//! DNS, RFC 1035, over UDP and TCP.
//!
//! Each message is a transaction of its own. A message whose questions or answers cannot be read
//! carries its anomaly and nothing else; broken authority or additional records leave the rest of
//! the message in use. Limits: names ([`name::MAX_LENGTH`], [`name::MAX_STEPS`]), the number of
//! messages that wait for the engine (`max-tx`), and, over TCP, the two length bytes.

pub mod eve;
pub mod events;
pub mod fields;
pub mod flavour;
pub mod mdns;
pub mod message;
pub mod name;
pub mod names;
pub mod parser;
pub mod probe;
pub mod rdata;
pub mod script;
mod signed;
pub mod transaction;
mod updates;
pub mod zeek;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static DNS: Protocol = Protocol {
    transports: &[Transport::Udp, Transport::Tcp],
    ports: &[53],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    frames: parser::FRAMES,
    anomalies: transaction::DnsAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: script::LIBRARIES,
    script_needs: script::NEEDS,
    ..Protocol::named("dns", |options| parser::configure(&flavour::UNICAST, options))
};

#[cfg(test)]
mod tests;
