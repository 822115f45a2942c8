//! Anomalies of a conversation over QUIC.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum QuicAnomaly {
    /// A packet is not what its keys protected.
    FailedDecrypt,
    /// Frames make no sense.
    ErrorOnData,
    /// A header makes no sense.
    ErrorOnHeader,
    /// A piece of the handshake that lies too far from its start.
    CryptoFragTooLong,
}

/// Names of [`QuicAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] =
    &["failed_decrypt", "error_on_data", "error_on_header", "crypto_frag_too_long"];

impl From<QuicAnomaly> for Anomaly {
    fn from(anomaly: QuicAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
