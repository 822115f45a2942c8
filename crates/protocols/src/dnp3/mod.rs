//! DNP3 over TCP (IEEE 1815-2012).
//!
//! Each message of the application layer is a transaction of its own, put together from the frames of the link
//! layer that carry it. Limits: a message ([`parser::MAX_MESSAGE`]), its objects and their points
//! (`max-objects`, `max-points`), messages of which more is to come ([`parser::MAX_OPEN`]), and those that are
//! live (`max-tx`, [`weir_applayer::waiting::MAX_LIVE`]).

pub mod anomaly;
pub mod checks;
pub mod eve;
mod events;
pub mod fields;
pub mod layout;
pub mod link;
pub mod names;
pub mod object;
pub mod parser;
pub mod probe;
pub mod script;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::{AnyPort, NeededPlace, Protocol, ScriptNeed};

/// The protocol.
pub static DNP3: Protocol = Protocol {
    zeek_service: "dnp3_tcp",
    ports: &[20000],
    any_port: AnyPort::OneSideForZeek,
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::Dnp3Anomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: script::LIBRARIES,
    script_needs: &[ScriptNeed::new("dnp3", NeededPlace::Protocol)],
    ..Protocol::named("dnp3", parser::configure)
};

#[cfg(test)]
mod tests;
