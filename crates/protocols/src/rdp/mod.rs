//! RDP: how a connection begins (MS-RDPBCGR 1.3.1.1), over TPKT (ITU-T T.123), X.224 and T.125.
//!
//! Each message that is read is a transaction: the client's request and the server's confirmation, what both say
//! of themselves, or the certificates of TLS. What follows is secret. Limits: channels ([`client::MAX_CHANNELS`]),
//! certificates ([`certificates::MAX_CERTIFICATES`], [`server::MAX_CERTIFICATES`]), messages before those ([`parser::MAX_TRANSACTIONS`]).

pub mod certificates;
pub mod client;
pub mod datagrams;
pub mod encrypted;
pub mod eve;
mod events;
pub mod names;
pub mod negotiation;
pub mod packet;
pub mod parser;
pub mod probe;
pub mod server;
pub mod transaction;
pub mod zeek;

use weir_applayer::Protocol;

/// The protocol.
pub static RDP: Protocol = Protocol {
    ports: &[3389],
    probe: Some(probe::probe),
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("rdp", parser::configure)
};

#[cfg(test)]
mod tests;
