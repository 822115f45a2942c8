//! A transaction: a message of which Zeek's log tells.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

/// The state of a message that has been read.
const COMPLETE: Progress = Progress(1);

/// What a side said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The client says who it is.
    Login(Vec<u8>),
    /// The client wants TLS.
    Tls,
    /// The client wants something.
    Command {
        /// What, by number.
        command: u8,
        /// Of what, or whom.
        text: Vec<u8>,
    },
    /// All is well.
    Done {
        /// Rows that were changed.
        rows: u32,
    },
    /// All is well, and nothing more is said.
    End,
    /// It failed, for this reason.
    Error(Vec<u8>),
    /// What was said is no message.
    Failure,
    /// More messages came at once than wait for the engine: of those that follow, nothing is told.
    TooMany,
}

/// A message.
#[derive(Debug)]
pub struct MySqlTransaction {
    /// What every transaction has.
    pub meta: TxMeta,
    /// When it was said.
    pub time: Timestamp,
    /// The message.
    pub message: Message,
}

weir_applayer::transaction!(MySqlTransaction);

impl MySqlTransaction {
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
