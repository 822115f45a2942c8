//! Anomalies of messages.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Krb5Anomaly {
    /// Bytes that are no message.
    MalformedData,
    /// The server chose an encryption that is weak.
    WeakEncryption,
}

/// Names of [`Krb5Anomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["malformed_data", "weak_encryption"];

impl From<Krb5Anomaly> for Anomaly {
    fn from(anomaly: Krb5Anomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
