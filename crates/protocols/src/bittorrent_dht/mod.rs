//! The distributed hash table of BitTorrent (BEP 5, with the addresses of BEP 32), over UDP.
//!
//! Each datagram is a transaction: a query, a response or an error. Rules and records read the protocol; Zeek does not
//! know it. Limits: the depth of values within each other ([`bencode::MAX_DEPTH`]), messages that wait for the
//! engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod bencode;
pub mod eve;
pub mod message;
pub mod parser;
pub mod transaction;

use weir_applayer::{Hint, Protocol, Transport};
use weir_base::Direction;

/// Beginning of queries whose first argument is the sender's number.
const QUERY: &[u8] = b"d1:ad2:id20:";

/// The protocol.
pub static BITTORRENT_DHT: Protocol = Protocol {
    zeek_service: "",
    transports: &[Transport::Udp],
    hints: &[Hint::starts(Direction::ToServer, QUERY), Hint::starts(Direction::ToClient, QUERY)],
    accepts_gaps: true,
    anomalies: anomaly::BittorrentDhtAnomaly::NAMES,
    eve: Some(&eve::EVE),
    ..Protocol::named("bittorrent-dht", parser::configure)
};

#[cfg(test)]
mod tests;
