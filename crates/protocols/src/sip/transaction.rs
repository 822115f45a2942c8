//! A transaction: one message.

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::message::{Head, Name};
use super::sdp::Description;

/// The state of a message that has been read.
pub const COMPLETE: Progress = Progress(1);

/// One message.
#[derive(Debug)]
pub struct SipTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Its first line and its header fields.
    pub head: Head,
    /// The session that its body describes.
    pub description: Option<Box<Description>>,
}

weir_applayer::transaction!(SipTransaction, |tx| {
    Some(tx.head.memory() + tx.description.as_ref().map_or(0, |description| description.memory()))
});

impl SipTransaction {
    /// Of a message in `direction`.
    pub fn new(direction: Direction, head: Head, body: &[u8]) -> Self {
        let meta = TxMeta::of_message(direction);
        let description = if head.announces_sdp() { Description::read(body).map(Box::new) } else { None };
        Self { meta, head, description }
    }

    /// Whether it is a client's.
    pub fn is_request(&self) -> bool {
        self.meta.only == Some(Direction::ToServer)
    }

    /// A part of a request's first line: method, URI, version.
    pub fn of_request(&self, index: usize) -> Option<&[u8]> {
        self.head.parts().get(index).copied().filter(|_| self.is_request())
    }

    /// A part of a response's first line: version, code, reason.
    pub fn of_response(&self, index: usize) -> Option<&[u8]> {
        self.head.parts().get(index).copied().filter(|_| !self.is_request())
    }

    /// The version in the first line.
    pub fn version(&self) -> Option<&[u8]> {
        self.of_request(2).or_else(|| self.of_response(0))
    }

    /// A value of a header field.
    pub fn header(&self, name: Name, index: usize) -> Option<&[u8]> {
        self.head.value(name, index)
    }
}
