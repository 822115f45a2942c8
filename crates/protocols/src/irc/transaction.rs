//! A transaction: a line of which Zeek's logs tell.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::message::Message;

/// The state of a line that has been read.
const COMPLETE: Progress = Progress(1);

/// A line.
#[derive(Debug)]
pub struct IrcTransaction {
    /// What every transaction has.
    pub meta: TxMeta,
    /// When it was said.
    pub time: Timestamp,
    /// What it says.
    pub message: Message,
}

weir_applayer::transaction!(IrcTransaction);

impl IrcTransaction {
    /// Of what a side said.
    pub fn new(direction: Direction, time: Timestamp, message: Message) -> Self {
        let mut meta = TxMeta { only: Some(direction), ..TxMeta::default() };
        for direction in Direction::BOTH {
            meta.progress[direction] = COMPLETE;
        }
        meta.seen(direction, time);
        Self { meta, time, message }
    }
}
