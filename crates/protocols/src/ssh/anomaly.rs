//! Anomalies of an SSH conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SshAnomaly {
    /// A side does not begin with its version.
    InvalidBanner,
    /// A banner longer than banners may be.
    LongBanner,
    /// A record that makes no sense.
    InvalidRecord,
    /// A list of algorithms too long to be read.
    LongKexRecord,
}

/// Names of [`SshAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["invalid_banner", "long_banner", "invalid_record", "long_kex_record"];

impl From<SshAnomaly> for Anomaly {
    fn from(anomaly: SshAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
