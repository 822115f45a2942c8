//! RDP: how a connection begins (MS-RDPBCGR 1.3.1.1), over TPKT (ITU-T T.123), X.224 and T.125.
//!
//! Each message that is read is a transaction: the client's request and the server's confirmation, what both say
//! of themselves, or the certificates of TLS. What follows is secret. Limits: channels ([`client::MAX_CHANNELS`]),
//! certificates ([`certificates::MAX_CERTIFICATES`]), messages before those ([`parser::MAX_TRANSACTIONS`]).

pub mod certificates;
pub mod client;
pub mod eve;
pub mod names;
pub mod negotiation;
pub mod packet;
pub mod parser;
pub mod probe;
pub mod server;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static RDP: Protocol = Protocol {
    name: "rdp",
    aliases: &[],
    eve_name: "rdp",
    zeek_service: "rdp",
    transports: &[Transport::Tcp],
    ports: &[3389],
    probe_any_port: false,
    hints: &[],
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: false,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: &[],
    frames: &[],
    anomalies: &[],
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: &[],
};

#[cfg(test)]
mod tests;
