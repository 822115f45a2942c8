//! A transaction: one message.

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::anomaly::Krb5Anomaly;
use super::message::{Content, Message};
use super::names;

/// The state of a message that has been read.
pub const COMPLETE: Progress = Progress(1);

/// One message.
#[derive(Debug)]
pub struct Krb5Transaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The message.
    pub message: Message,
    /// The kind of the request before, which an error answers; zero for none.
    pub request: u8,
}

weir_applayer::transaction!(Krb5Transaction, |tx| Some(tx.message.memory()));

impl Krb5Transaction {
    /// Of a message in `direction`, behind a request of a kind.
    pub fn new(direction: Direction, message: Message, request: u8) -> Self {
        let meta = TxMeta::of_message(direction);
        let transaction = Self { meta, message, request };
        if transaction.encryption().is_some_and(names::is_weak) {
            return transaction.with(Krb5Anomaly::WeakEncryption);
        }
        transaction
    }

    fn with(mut self, anomaly: Krb5Anomaly) -> Self {
        self.meta.anomaly(anomaly.into());
        self
    }

    /// The type of encryption of what an answer has for the client.
    pub const fn encryption(&self) -> Option<i32> {
        match self.message.content {
            Content::Reply { encryption, .. } => Some(encryption),
            _ => None,
        }
    }

    /// The type of encryption of the ticket.
    pub const fn ticket_encryption(&self) -> Option<i32> {
        match self.message.content {
            Content::Reply { ticket, .. } => Some(ticket),
            _ => None,
        }
    }

    /// Returns the error code of a request that failed.
    pub const fn error(&self) -> Option<i32> {
        match self.message.content {
            Content::Error { code, .. } => Some(code),
            _ => None,
        }
    }
}
