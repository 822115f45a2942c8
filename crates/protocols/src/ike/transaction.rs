//! A transaction: one message, and what both sides have agreed upon so far.

use std::sync::Arc;

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::header::Header;
use super::{version1, version2};

/// The state of a message that has been read.
pub const COMPLETE: Progress = Progress(1);

/// Content of a message, by its version.
#[derive(Debug)]
pub enum Content {
    /// Of version 1.
    Version1 {
        /// The payloads.
        message: version1::Message,
        /// State of both sides so far.
        state: Arc<version1::State>,
    },
    /// Of version 2.
    Version2 {
        /// The payloads.
        message: version2::Message,
        /// Transforms that the server chose last.
        chosen: version2::Chosen,
        /// All that it chose.
        transforms: Arc<Vec<version2::Transform>>,
    },
}

/// One message.
#[derive(Debug)]
pub struct IkeTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Direction.
    pub direction: Direction,
    /// Header.
    pub header: Header,
    /// The initiator's number, in hexadecimal digits.
    pub initiator: String,
    /// The responder's number, in hexadecimal digits.
    pub responder: String,
    /// Content.
    pub content: Content,
}

weir_applayer::transaction!(IkeTransaction);

impl IkeTransaction {
    /// Of a message in `direction`.
    pub fn new(direction: Direction, header: Header, content: Content) -> Self {
        let meta = TxMeta::of_message(direction);
        let digits = |number: u64| format!("{number:016x}");
        let (initiator, responder) = (digits(header.initiator), digits(header.responder));
        Self { meta, direction, header, initiator, responder, content }
    }

    /// The payloads of version 1.
    pub const fn version1(&self) -> Option<&version1::Message> {
        match &self.content {
            Content::Version1 { message, .. } => Some(message),
            Content::Version2 { .. } => None,
        }
    }

    /// The public value of the exchange of keys, in version 1.
    pub fn key_exchange(&self) -> Option<&[u8]> {
        self.version1().map(|message| message.key_exchange.as_slice()).filter(|value| !value.is_empty())
    }

    /// The nonce, in version 1.
    pub fn nonce(&self) -> Option<&[u8]> {
        self.version1().map(|message| message.nonce.as_slice()).filter(|value| !value.is_empty())
    }
}
