//! SSH over TCP (RFC 4253): what both sides say of themselves, and the key exchange, until they speak
//! in secret.
//!
//! A flow is one transaction. Limits: the length of a banner and of what a server says before it
//! ([`banner`]), and of a message that is read whole ([`record::MAX_MESSAGE`]). What follows is seen by its
//! lengths alone, and no longer than they tell something ([`authentication`]).

pub mod anomaly;
pub mod authentication;
pub mod banner;
pub mod eve;
pub mod events;
pub mod fields;
pub mod frame;
pub mod key_exchange;
pub mod parser;
pub mod probe;
pub mod record;
pub mod script;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::Protocol;
use weir_base::PerDirection;

/// The protocol.
pub static SSH: Protocol = Protocol {
    ports: &[22],
    hints: probe::HINTS,
    probe: Some(probe::probe),
    states: PerDirection { to_server: transaction::REQUEST_STATES, to_client: transaction::RESPONSE_STATES },
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::SshAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: script::LIBRARIES,
    script_needs: script::NEEDS,
    ..Protocol::named("ssh", parser::configure)
};

#[cfg(test)]
mod tests;
