//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EnipAnomaly {
    /// Too many requests wait for a response: the oldest one waits no more.
    TooManyTransactions,
    /// Payload that does not fit the command of its header.
    InvalidPdu,
}

/// Names of [`EnipAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["too_many_transactions", "invalid_pdu"];

impl From<EnipAnomaly> for Anomaly {
    fn from(anomaly: EnipAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
