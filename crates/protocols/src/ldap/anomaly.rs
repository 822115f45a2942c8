//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum LdapAnomaly {
    /// Too much waits for an answer: the oldest one waits no more. Or a request has more answers than are kept.
    TooManyTransactions,
    /// Bytes that are no message.
    InvalidData,
    /// An answer to nothing that was asked.
    RequestNotFound,
    /// A message is not whole, or longer than any that is read.
    IncompleteData,
}

/// Names of [`LdapAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] =
    &["too_many_transactions", "invalid_data", "request_not_found", "incomplete_data"];

impl From<LdapAnomaly> for Anomaly {
    fn from(anomaly: LdapAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
