//! A transaction: one message.

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::message::Message;

/// The state of a message that has been read.
pub const COMPLETE: Progress = Progress(1);

/// One message.
#[derive(Debug)]
pub struct NtpTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The message.
    pub message: Message,
}

weir_applayer::transaction!(NtpTransaction);

impl NtpTransaction {
    /// Of a message in `direction`.
    pub fn new(direction: Direction, message: Message) -> Self {
        let meta = TxMeta::of_message(direction);
        Self { meta, message }
    }
}
