//! A transaction: a request and its response, or one of them.

use weir_applayer::{Progress, TxMeta};

use super::message::Message;

/// The response came.
pub const COMPLETE: Progress = Progress(1);

/// A request and its response.
#[derive(Debug, Default)]
pub struct ModbusTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The request.
    pub request: Option<Message>,
    /// The response.
    pub response: Option<Message>,
}

weir_applayer::transaction!(ModbusTransaction, |tx| {
    let messages = [&tx.request, &tx.response].into_iter().flatten();
    Some(messages.map(|message| message.data.memory()).sum())
});

impl ModbusTransaction {
    /// Whether it waits for a response.
    pub fn waits(&self) -> bool {
        self.meta.progress.to_client < COMPLETE
    }

    /// Returns the request; where that was not seen, the response.
    pub fn message(&self) -> Option<&Message> {
        self.request.as_ref().or(self.response.as_ref())
    }
}
