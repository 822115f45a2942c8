//! MySQL's client/server protocol as Zeek's log reads it: who logs in, commands, and how they end. Rules know
//! nothing of it.
//!
//! As in Zeek, nothing is read behind a gap, and a connection that goes on over TLS is TLS's. Limits: what is read of
//! a packet ([`parser::MAX_READ`]), and messages of which is told at once ([`weir_applayer::waiting::MAX_LIVE`]).

mod attributes;
mod events;
mod handshake;
mod message;
pub mod parser;
mod probe;
mod value;
pub mod zeek;

use weir_applayer::Protocol;

/// The protocol.
pub static MYSQL: Protocol = Protocol {
    ports: &[1434, 3306],
    probe: Some(probe::probe),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("mysql", parser::configure)
};

#[cfg(test)]
mod tests;
