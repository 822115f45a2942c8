//! HTTP/2 (RFC 9113), from the client's preface on or after an upgrade of HTTP/1, with compressed
//! header fields (HPACK, RFC 7541).
//!
//! Each stream is a transaction, and each frame of stream 0, which is about the connection. A body is a
//! file. Limits: streams (`max-streams`), dynamic tables (`max-table-size`), header blocks in several
//! frames (`max-reassembly-size`), frames of a side of a stream (`max-frames`), frames that are waited for ([`parser::MAX_FRAME`]), what is kept of a
//! side of a stream ([`transaction::MAX_VALUES`], [`transaction::MAX_HEADER_BYTES`]) and of all that are open
//! ([`parser::MAX_HELD`]), transactions that come at once ([`weir_applayer::waiting::MAX_LIVE`]).
//!
//! Where a stream carries a DNS message, the connection is one of [`doh2`] from then on.

pub mod anomaly;
mod body;
mod comparison;
pub(crate) mod dns;
pub mod doh2;
pub mod eve;
pub mod fields;
pub mod frame;
pub mod hpack;
pub mod huffman;
pub mod parser;
pub mod probe;
pub mod setting;
pub mod settings;
pub mod static_table;
pub mod transaction;

use weir_applayer::{AnyPort, Hint, Protocol};
use weir_base::{Direction, PerDirection};

/// The protocol.
pub static HTTP2: Protocol = Protocol {
    aliases: &["http"],
    ports: &[3000],
    any_port: AnyPort::OneSide,
    hints: &[Hint::starts(Direction::ToServer, probe::PREFACE_LINE)],
    probe: Some(probe::probe),
    accepts_gaps: true,
    states: PerDirection { to_server: transaction::STATES, to_client: transaction::STATES },
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::Http2Anomaly::NAMES,
    eve: Some(&eve::EVE),
    ..Protocol::named("http2", parser::configure)
};

#[cfg(test)]
pub(crate) mod tests;
