//! IRC (RFC 2812) as Zeek's log reads it: names that clients take, channels that they join, and files that are
//! announced. Rules know nothing of it.
//!
//! As in Zeek, longer lines are cut into several ([`parser::MAX_LINE`]), and of those few are read
//! ([`message::MAX_READ`]). Rules and records know its ports alone. Limits besides: lines of which is told at once
//! ([`weir_applayer::waiting::MAX_LIVE`]), invalid commands ([`parser::MAX_INVALID`]), and files that are waited for
//! ([`zeek::MAX_OFFERS`]). What is behind STARTTLS is TLS's.

pub mod data;
mod events;
mod message;
mod parser;
mod probe;
pub mod zeek;

use weir_applayer::{AnyPort, Protocol};

/// The protocol.
pub static IRC: Protocol = Protocol {
    ports: &[6666, 6667, 6668, 6669],
    any_port: AnyPort::BothSidesForZeek,
    probe: Some(probe::probe),
    accepts_gaps: true,
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("irc", parser::configure)
};

#[cfg(test)]
mod tests;
