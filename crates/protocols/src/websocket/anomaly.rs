//! Anomalies of a frame.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum WebSocketAnomaly {
    /// The payload is longer than what is looked at.
    SkipEndOfPayload,
    /// The message is longer than what is put together, or too many frames came at once.
    ReassemblyLimitReached,
}

/// Names of [`WebSocketAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["skip_end_of_payload", "reassembly_limit_reached"];

impl From<WebSocketAnomaly> for Anomaly {
    fn from(anomaly: WebSocketAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
