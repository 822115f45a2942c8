//! A transaction: a request and its response, or one of them.

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::anomaly::EnipAnomaly;
use super::message::Message;

/// A direction's message came, or will not.
pub const COMPLETE: Progress = Progress(1);

/// A request and its response.
#[derive(Debug, Default)]
pub struct EnipTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The request.
    pub request: Option<Message>,
    /// The response.
    pub response: Option<Message>,
    /// It waits for a response.
    pub waits: bool,
}

weir_applayer::transaction!(EnipTransaction, |tx| Some(if tx.waits { EnipTransaction::held(tx) } else { 0 }));

/// Most bytes of memory for one on the wire.
const GROWTH: usize = 32;

impl EnipTransaction {
    /// The message of a direction.
    pub const fn message(&self, direction: Direction) -> Option<&Message> {
        match direction {
            Direction::ToServer => self.request.as_ref(),
            Direction::ToClient => self.response.as_ref(),
        }
    }

    /// Adds the message of a direction.
    pub fn add(&mut self, direction: Direction, message: Message) {
        if message.invalid {
            self.meta.anomaly(EnipAnomaly::InvalidPdu.into());
        }
        self.meta.seen(direction, message.time);
        self.meta.advance(direction, COMPLETE);
        match direction {
            Direction::ToServer => self.request = Some(message),
            Direction::ToClient => self.response = Some(message),
        }
    }

    /// No more will come.
    pub fn end(&mut self) {
        self.waits = false;
        for direction in Direction::BOTH {
            self.meta.advance(direction, COMPLETE);
        }
    }

    /// Memory of the request, which waits with it, at most: its smallest parts have four bytes on the wire, and
    /// take a hundred.
    pub fn held(&self) -> usize {
        self.request.as_ref().map_or(0, |request| request.header.whole().saturating_mul(GROWTH))
    }
}
