//! Anomalies of messages.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum NtpAnomaly {
    /// Bytes that are no message.
    MalformedData,
}

/// Names of [`NtpAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["malformed_data"];

impl From<NtpAnomaly> for Anomaly {
    fn from(anomaly: NtpAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
