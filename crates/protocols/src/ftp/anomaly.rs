//! Anomalies of a control connection.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FtpAnomaly {
    /// A command longer than a line may be.
    RequestCommandTooLong,
    /// A reply longer than a line may be.
    ResponseCommandTooLong,
    /// Data is asked for before it was agreed where to send it.
    FileBeforePort,
}

/// Names of [`FtpAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &["request_command_too_long", "response_command_too_long", "file_before_port"];

impl From<FtpAnomaly> for Anomaly {
    fn from(anomaly: FtpAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
