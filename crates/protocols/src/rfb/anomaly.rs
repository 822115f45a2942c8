//! Anomalies of a handshake.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RfbAnomaly {
    /// A message that is none.
    MalformedMessage,
    /// A method of authentication that is not read.
    UnimplementedSecurityType,
    /// The authentication came to nothing that is known.
    UnknownSecurityResult,
    /// A side speaks out of turn.
    ConfusedState,
}

/// Names of [`RfbAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] =
    &["malformed_message", "unimplemented_security_type", "unknown_security_result", "confused_state"];

impl From<RfbAnomaly> for Anomaly {
    fn from(anomaly: RfbAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
