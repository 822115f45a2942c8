//! SMTP (RFC 5321) with chunking (RFC 3030), pipelining (RFC 2920) and STARTTLS (RFC 3207): envelopes, and the
//! messages in them ([`crate::mime`]).
//!
//! A transaction is an envelope with its message. It begins with the first command behind the one before, and is
//! over once the server has answered the end of the message, or the command that took the envelope back. Commands
//! and replies are matched in order. Limits: [`crate::mime::lines::MAX_LINE`] bytes of a line,
//! `MAX_COMMANDS` commands without a reply, `MAX_RECIPIENTS` recipients,
//! `MAX_FILES` files of a message, the configured `max-tx` transactions.

mod anomaly;
mod attachments;
mod command;
mod envelope;
mod eve;
mod events;
mod fields;
mod parser;
mod probe;
mod reply;
mod script;
mod settings;
#[cfg(test)]
mod tests;
mod transaction;
mod zeek;

pub use transaction::SmtpTransaction;

use weir_applayer::{Protocol, Review};
use weir_base::PerDirection;

/// SMTP.
pub static SMTP: Protocol = Protocol {
    ports: &[25, 465, 587],
    hints: probe::HINTS,
    probe: Some(probe::probe),
    states: PerDirection { to_server: transaction::REQUEST_STATES, to_client: transaction::RESPONSE_STATES },
    fields: fields::FIELDS,
    frames: parser::FRAMES,
    review: Review::Own,
    anomalies: anomaly::Oddity::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::ZEEK),
    scripts: script::LIBRARIES,
    script_needs: script::NEEDS,
    ..Protocol::named("smtp", parser::configure)
};
