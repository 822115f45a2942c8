//! A message: a command, or a reply, or that nothing more can be read.

use super::command::Command;

/// Message of a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The client wants something.
    Command(Command),
    /// The server answers a command.
    Reply {
        /// Text.
        text: Vec<u8>,
        /// The command failed.
        is_error: bool,
        /// Only version 3 has such replies.
        is_version_3: bool,
    },
    /// The server tells this by itself.
    Push(Vec<u8>),
    /// The server said what is no message.
    Failure,
}
