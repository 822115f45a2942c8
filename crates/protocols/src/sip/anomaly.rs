//! Anomalies of messages.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SipAnomaly {
    /// A datagram ends before the head of its message does.
    IncompleteData,
    /// Bytes that are no message, or not one of their direction.
    InvalidData,
}

/// Names of [`SipAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["incomplete_data", "invalid_data"];

impl From<SipAnomaly> for Anomaly {
    fn from(anomaly: SipAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
