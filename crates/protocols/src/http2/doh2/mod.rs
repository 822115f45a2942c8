//! DNS over HTTP/2 (RFC 8484): a connection of HTTP/2 that carried a DNS message is one of this protocol from
//! then on. The parser of HTTP/2 reads it, with the limits that stand there, and its transactions are the streams.
//! A stream has all fields of HTTP/2, and those of DNS once the body or the target is whole that is a message.

mod eve;

use weir_applayer::{Field, Protocol};
use weir_base::PerDirection;

use super::{anomaly, fields, frame, parser, transaction};
use crate::dns::{self, DNS};

/// The protocol.
pub static DOH2: Protocol = Protocol {
    aliases: &["dns", "http2", "http"],
    zeek_service: "http2",
    accepts_gaps: true,
    states: PerDirection { to_server: transaction::STATES, to_client: transaction::STATES },
    fields: &FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::Http2Anomaly::NAMES,
    eve: Some(&eve::EVE),
    scripts: dns::script::LIBRARIES,
    carries: Some(&DNS),
    ..Protocol::named("doh2", parser::configure)
};

/// The rows of both protocols.
const FIELDS: [Field; fields::FIELDS.len() + dns::fields::FIELDS.len()] = both();

/// A side's message is there, if it has one, once the side says no more.
#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
const fn both<const N: usize>() -> [Field; N] {
    let (http, dns) = (fields::FIELDS, dns::fields::FIELDS);
    let mut rows = [http[0]; N];
    let mut index = 0;
    while index < N {
        rows[index] = if index < http.len() {
            http[index]
        } else {
            Field { ready_at: transaction::CLOSED, ..dns[index - http.len()] }
        };
        index += 1;
    }
    rows
}

#[cfg(test)]
mod tests;
