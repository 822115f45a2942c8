//! A handshake: the one transaction of its flow.

use weir_applayer::{Progress, TxMeta};
use weir_base::{PerDirection, Timestamp};

use super::anomaly::RfbAnomaly;
use super::message::{Desktop, Version};

/// The handshake is over.
pub const COMPLETE: Progress = Progress(1);

/// One handshake.
#[derive(Debug, Default)]
pub struct RfbTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// By who sent it: the client's to the server, the server's to the client.
    pub versions: PerDirection<Option<Version>>,
    /// When the second of them was captured.
    pub agreed_at: Option<Timestamp>,
    /// When something came that is no message.
    pub failed_at: Option<Timestamp>,
    /// The method of authentication.
    pub security_type: Option<u32>,
    /// Challenge, and the response to it.
    pub challenge: PerDirection<Option<[u8; 16]>>,
    /// Security result.
    pub result: Option<u32>,
    /// Reason string of a refused client (RFC 6143 7.1.3).
    pub reason: Option<Vec<u8>>,
    /// Whether the client shares the desktop.
    pub shared: Option<bool>,
    /// The desktop.
    pub desktop: Option<Desktop>,
}

weir_applayer::transaction!(RfbTransaction);

impl RfbTransaction {
    /// Records an anomaly.
    pub fn note(&mut self, anomaly: RfbAnomaly) {
        self.meta.anomaly(anomaly.into());
    }
}
