//! SSL and TLS over TCP: SSLv2's hellos, and everything from SSLv3 to TLS 1.3 that is said in the
//! clear.
//!
//! A flow is one transaction. Limits: a record's length, the length of a handshake message
//! ([`handshake::MAX_MESSAGE`]), and that only the first hellos and certificates of each side count.

pub mod anomaly;
pub mod certificate;
pub mod checks;
pub mod cipher;
pub mod dtls;
pub mod eve;
pub mod events;
pub mod fields;
pub mod fingerprint;
pub mod frame;
pub mod handshake;
pub mod heartbeat;
pub mod hello;
pub mod names;
pub mod parser;
pub mod probe;
pub mod record;
pub mod script;
pub mod settings;
pub mod sslv2;
pub mod trace;
pub mod transaction;
pub mod version;
pub mod zeek;

use weir_applayer::{AnyPort, FlowEvent, Protocol};
use weir_base::PerDirection;

/// The protocol.
pub static TLS: Protocol = Protocol {
    aliases: &["ssl"],
    zeek_service: "ssl",
    ports: &[443],
    any_port: AnyPort::OneSide,
    hints: probe::HINTS,
    probe: Some(probe::probe),
    begins_anew: Some(probe::begins_handshake),
    absence: Some(FlowEvent::NoTlsAfterStarttls),
    states: PerDirection { to_server: transaction::client::STATES, to_client: transaction::server::STATES },
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::TlsAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: script::LIBRARIES,
    script_needs: script::NEEDS,
    ..Protocol::named("tls", parser::configure)
};

#[cfg(test)]
mod tests;
