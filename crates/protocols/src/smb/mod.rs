//! SMB in its versions 1 (MS-CIFS, MS-SMB), 2 and 3 (MS-SMB2), behind NetBIOS's session service and without it, and
//! the calls of DCE/RPC that go through its named pipes.
//!
//! A command with its answer is a transaction; a file that is read or written is one until it is closed, and so is a
//! call. What is encrypted or compressed is known as such. Limits are those of the configuration ([`settings`]); in
//! addition, those of [`chunks`], [`parser`], [`pipe`] and [`one`].

mod anomaly;
mod cache;
mod chunks;
mod eve;
mod events;
mod fields;
mod file;
mod frame;
mod names;
mod nbss;
mod one;
mod parser;
mod patience;
mod pipe;
mod probe;
mod settings;
mod state;
mod text;
mod transaction;
mod two;
mod zeek;

use weir_applayer::{AnyPort, Protocol};

/// The protocol.
pub static SMB: Protocol = Protocol {
    // Rules for calls are for those in pipes, too.
    aliases: &["dcerpc"],
    ports: &[139, 445],
    any_port: AnyPort::OneSide,
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::SmbAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("smb", parser::configure)
};

#[cfg(test)]
mod tests;
