//! Telnet (RFC 854): commands and lines of text, as frames.
//!
//! There are no transactions and no records. Nothing is kept but where a command or a line began; a line counts
//! as far as [`parser::MAX_TEXT`] bytes.

pub mod parser;
pub mod probe;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static TELNET: Protocol = Protocol {
    name: "telnet",
    aliases: &[],
    eve_name: "telnet",
    zeek_service: "",
    transports: &[Transport::Tcp],
    ports: &[23],
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
    frames: parser::FRAMES,
    anomalies: &[],
    configure: parser::configure,
    eve: None,
    zeek: None,
    scripts: &[],
};

#[cfg(test)]
mod tests;
