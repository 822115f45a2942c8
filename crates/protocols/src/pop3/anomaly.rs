//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Pop3Anomaly {
    /// Too many commands wait for an answer: the oldest one waits no more.
    TooManyTransactions,
    /// A command is longer than any may be.
    RequestTooLong,
    /// A command has more arguments than it takes, or fewer.
    IncorrectArgumentCount,
    /// A command that there is not.
    UnknownCommand,
    /// The first line of an answer is longer than any may be.
    ResponseTooLong,
}

/// Names of [`Pop3Anomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &[
    "too_many_transactions",
    "request_too_long",
    "incorrect_argument_count",
    "unknown_command",
    "response_too_long",
];

impl From<Pop3Anomaly> for Anomaly {
    fn from(anomaly: Pop3Anomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
