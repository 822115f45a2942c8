//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PgsqlAnomaly {
    /// More is asked at a time than is followed; the oldest is given up.
    TooManyTransactions,
    /// The client says what is no message.
    MalformedRequest,
    /// The server says what is no message.
    MalformedResponse,
    /// A length that no message can have.
    InvalidLength,
    /// An answer is longer than what is kept of one.
    TooManyResponses,
}

/// Names of [`PgsqlAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &[
    "too_many_transactions",
    "malformed_request",
    "malformed_response",
    "invalid_length",
    "too_many_responses",
];

impl From<PgsqlAnomaly> for Anomaly {
    fn from(anomaly: PgsqlAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
