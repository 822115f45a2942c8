//! Redis: commands, and replies by its serialization protocol (RESP, versions 2 and 3), as far as Zeek's log wants them.
//!
//! Each command and each reply is a transaction of its own; the log puts them together. Limits: the length of a line
//! or a text that is waited for ([`value::MAX_LENGTH`]), what is kept of one ([`value::MAX_TEXT`]), how deep replies nest
//! ([`value::MAX_DEPTH`]), commands that wait for a reply, and replies for their commands
//! ([`zeek::MAX_PENDING`], [`zeek::MAX_HELD`]), and transactions that wait for the engine
//! ([`weir_applayer::waiting::MAX_LIVE`]).

pub mod command;
pub mod events;
pub mod message;
pub mod parser;
pub mod probe;
pub mod value;
pub mod zeek;

use weir_applayer::Protocol;

/// The protocol.
pub static REDIS: Protocol = Protocol {
    ports: &[6379],
    probe: Some(probe::probe),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("redis", parser::configure)
};

#[cfg(test)]
mod tests;
