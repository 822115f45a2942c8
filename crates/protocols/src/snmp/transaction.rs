//! A transaction: one message.

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::anomaly::SnmpAnomaly;
use super::message::{Message, Sender};
use super::pdu::Trap;

/// The state of a message that has been read.
pub const COMPLETE: Progress = Progress(1);

/// One message.
#[derive(Debug)]
pub struct SnmpTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The message.
    pub message: Message,
}

weir_applayer::transaction!(SnmpTransaction, |tx| Some(tx.message.memory()));

impl SnmpTransaction {
    /// Of a message in `direction`.
    pub fn new(direction: Direction, message: Message) -> Self {
        let mut meta = TxMeta::of_message(direction);
        if message.sender == Sender::Unknown && message.fits {
            meta.anomaly(SnmpAnomaly::UnknownSecurityModel.into());
        }
        Self { meta, message }
    }

    /// Returns the message, if it is rules' and records', too.
    pub fn read(&self) -> Option<&Message> {
        Some(&self.message).filter(|message| message.fits)
    }

    /// Returns the trap of version 1.
    pub fn trap(&self) -> Option<&Trap> {
        self.read()?.pdu.as_ref()?.trap.as_ref()
    }
}
