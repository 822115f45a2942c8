//! SOCKS, versions 4, 4A and 5 (RFC 1928, with passwords by RFC 1929), as Zeek's log reads it: whom a client asks a
//! proxy to reach, and what that answers. Rules and records know nothing of it. What goes through the proxy is read as a protocol
//! of its own.
//!
//! It is recognised by both ends together, at any port. Limits: texts of version 4 ([`message::MAX_TEXT`]),
//! those of version 5 have one of 255 bytes by themselves. A handshake is one transaction. What a method of
//! authentication other than passwords wraps (RFC 1961) is not read.

mod events;
mod message;
mod parser;
mod probe;
mod transaction;
pub mod zeek;

use weir_applayer::{AnyPort, Protocol};

/// The protocol.
pub static SOCKS: Protocol = Protocol {
    ports: &[1080],
    probe: Some(probe::probe),
    any_port: AnyPort::BothSides,
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("socks", parser::configure)
};

#[cfg(test)]
mod tests;
