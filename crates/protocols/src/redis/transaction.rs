//! A transaction: a command, or a reply, or that nothing more can be read.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::command::Command;

/// The state of a message that has been read.
const COMPLETE: Progress = Progress(1);

/// What a side said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The client wants something.
    Command(Command),
    /// The server answers a command.
    Reply {
        /// What it says.
        text: Vec<u8>,
        /// The command failed.
        is_error: bool,
        /// Only version 3 has such replies.
        is_version_3: bool,
    },
    /// The server tells something by itself.
    Push,
    /// The server said what is no message.
    Failure,
}

/// A message.
#[derive(Debug)]
pub struct RedisTransaction {
    /// What every transaction has.
    pub meta: TxMeta,
    /// When it was complete.
    pub time: Timestamp,
    /// The message.
    pub message: Message,
}

weir_applayer::transaction!(RedisTransaction);

impl RedisTransaction {
    /// The same for Zeek's logs alone, which from here on are told what another parser reads.
    pub fn part(&mut self) -> Self {
        Self { meta: self.meta.part(), time: self.time, message: self.message.clone() }
    }

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
