//! Anomalies of messages.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SnmpAnomaly {
    /// Bytes that are no message.
    MalformedData,
    /// A message of version 3 that is not secured by the user-based model.
    UnknownSecurityModel,
    /// A message of another version than the first one between the two ends.
    VersionMismatch,
}

/// Names of [`SnmpAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["malformed_data", "unknown_security_model", "version_mismatch"];

impl From<SnmpAnomaly> for Anomaly {
    fn from(anomaly: SnmpAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
