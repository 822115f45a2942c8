//! HTTP/1.1, 1.0 and 0.9 (RFC 9110, RFC 9112): both sides of a connection read as lenient peers
//! read them, so that what a browser shows or a server runs is what rules see.
//!
//! Behaviour equals that of libhtp as users of it know it, down to odd line ends, folded and
//! repeated fields, broken chunks and mislabelled compressions. What a side may keep is bounded by
//! the configured limits: a line or field by `meta-field-limit`, fields by `headers-limit`, bodies by
//! their limits, decompression by layers and `compression-bomb-limit`, transactions by `max-tx`.

mod anomaly;
mod as_zeek;
mod authority;
mod authorization;
mod best_fit;
mod brotli;
pub(crate) mod content_encoding;
pub(crate) mod decompress;
pub(crate) mod disposition;
mod entities;
mod eve;
mod events;
mod fields;
mod gzip_header;
mod header_parser;
mod headers;
mod intake;
mod length;
mod multipart;
mod octets;
mod parser;
mod probe;
pub(crate) mod ranges;
mod request;
mod request_line;
mod response;
mod script;
mod sent;
mod settings;
mod status_line;
mod transaction;
pub(crate) mod upgraded;
mod uri;
pub mod zeek;

#[cfg(test)]
mod tests;

pub use transaction::HttpTransaction;

use weir_applayer::{AnyPort, Protocol, Review};
use weir_base::PerDirection;

/// HTTP/1.
pub static HTTP1: Protocol = Protocol {
    aliases: &["http"],
    eve_name: "http",
    zeek_service: "http",
    ports: &[80],
    any_port: AnyPort::ProbedForZeek,
    hints: probe::HINTS,
    probe: Some(probe::probe),
    begins_anew: Some(probe::begins_request),
    accepts_gaps: true,
    states: PerDirection { to_server: transaction::REQUEST_STATES, to_client: transaction::RESPONSE_STATES },
    shown_under_way: transaction::HEADERS,
    fields: fields::FIELDS,
    frames: parser::FRAMES,
    review: Review::Own,
    anomalies: anomaly::Oddity::NAMES,
    anomaly_aliases: anomaly::ALIASES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::ZEEK),
    scripts: script::LIBRARIES,
    script_needs: script::NEEDS,
    ..Protocol::named("http1", parser::HttpFactory::configure)
};
