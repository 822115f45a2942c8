//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum NfsAnomaly {
    /// A call or a reply is not what its procedure has.
    MalformedData,
    /// A version that there is not.
    NonExistingVersion,
    /// A version that is not read: 4 over UDP.
    UnsupportedVersion,
    /// Too much waits: the oldest one waits no more.
    TooManyTransactions,
}

/// Names of [`NfsAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] =
    &["malformed_data", "non_existing_version", "unsupported_version", "too_many_transactions"];

impl From<NfsAnomaly> for Anomaly {
    fn from(anomaly: NfsAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
