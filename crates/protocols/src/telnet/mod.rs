//! Telnet (RFC 854): commands and lines of text, as frames.
//!
//! There are no transactions and no records. Nothing is kept but where a command or a line began; a line counts
//! as far as [`parser::MAX_TEXT`] bytes.

pub mod parser;
pub mod probe;

use weir_applayer::Protocol;

/// The protocol.
pub static TELNET: Protocol = Protocol {
    zeek_service: "",
    ports: &[23],
    probe: Some(probe::probe),
    accepts_gaps: true,
    frames: parser::FRAMES,
    ..Protocol::named("telnet", parser::configure)
};

#[cfg(test)]
mod tests;
