//! A message of which Zeek's log tells.

/// Message of a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// A packet for the events of scripts alone.
    Heard,
    /// The client says who it is.
    Login(Vec<u8>),
    /// The client wants TLS.
    Tls,
    /// The client wants something.
    Command {
        /// Number of the command.
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
    /// It failed.
    Error {
        /// Number of the reason.
        code: u16,
        /// The reason.
        text: Vec<u8>,
    },
    /// Bytes that are no message.
    Failure,
    /// More messages came at once than wait for the engine: those that follow are not reported.
    TooMany,
}
