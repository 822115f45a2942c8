//! Anomalies of messages.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum DhcpAnomaly {
    /// The options end before the one that says so.
    TruncatedOptions,
    /// An option has another length than what it tells takes.
    MalformedOptions,
}

/// Names of [`DhcpAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["truncated_options", "malformed_options"];

impl From<DhcpAnomaly> for Anomaly {
    fn from(anomaly: DhcpAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
