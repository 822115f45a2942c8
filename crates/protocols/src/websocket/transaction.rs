//! A frame: a transaction of one direction.

use weir_applayer::{Progress, TxMeta};

use super::anomaly::WebSocketAnomaly;

/// The frame was read.
pub const COMPLETE: Progress = Progress(1);

/// One frame.
#[derive(Debug, Default)]
pub struct WebSocketTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The upper bits of its first byte.
    pub flags: u8,
    /// Opcode.
    pub opcode: u8,
    /// Masking key of the payload.
    pub mask: Option<u32>,
    /// Bytes of its payload, as sent.
    pub length: u64,
    /// Its payload; the whole message in the last frame of one.
    pub payload: Vec<u8>,
}

weir_applayer::transaction!(WebSocketTransaction, |tx| Some(tx.payload.capacity()));

impl WebSocketTransaction {
    /// Records an anomaly.
    pub fn note(&mut self, anomaly: WebSocketAnomaly) {
        self.meta.anomaly_once(anomaly.into());
    }
}
