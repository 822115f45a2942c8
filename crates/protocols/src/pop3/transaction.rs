//! A command and its answer.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::anomaly::Pop3Anomaly;
use super::command::Request;

/// The command, or its answer, is whole.
pub const COMPLETE: Progress = Progress(1);

/// Most bytes that are kept of an answer's lines, with what each line takes.
pub const MAX_DATA: usize = 1 << 16;

/// Bytes of a line beside its text.
const LINE_SIZE: usize = 32;

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The command was done.
    pub success: bool,
    /// Text behind that.
    pub header: Vec<u8>,
    /// The lines that follow.
    pub data: Vec<Vec<u8>>,
    size: usize,
}

impl Response {
    /// Reads the first line.
    pub fn read(line: &[u8]) -> Option<Self> {
        let (success, rest) = match line {
            [b'+', b'O' | b'o', b'K' | b'k', rest @ ..] => (true, rest),
            [b'-', e, r, s, rest @ ..] if [*e, *r, *s].eq_ignore_ascii_case(b"ERR") => (false, rest),
            [b'+', rest @ ..] => (true, rest),
            _ => return None,
        };
        let header = rest.strip_prefix(b" ").unwrap_or(rest).to_vec();
        Some(Self { success, header, ..Self::default() })
    }

    /// A response without lines that follow.
    pub fn new(success: bool, header: Vec<u8>) -> Self {
        Self { success, header, ..Self::default() }
    }

    /// Drops the lines that follow.
    pub fn without_data(self) -> Self {
        Self::new(self.success, self.header)
    }

    /// Keeps a line that follows, where there is room.
    pub fn add(&mut self, line: &[u8]) {
        self.size = self.size.saturating_add(line.len() + LINE_SIZE);
        if self.size <= MAX_DATA {
            self.data.push(line.to_vec());
        }
    }
}

/// One transaction.
#[derive(Debug, Default)]
pub struct Pop3Transaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Request of the client; nothing before the greeting.
    pub request: Option<Request>,
    /// Response of the server.
    pub response: Option<Response>,
    /// What the server said before or in place of it that is no response: its first word, and when.
    pub stray: Option<(Vec<u8>, Timestamp)>,
    /// Push of the server's in which it ended without a response.
    pub ended_in: Option<u64>,
}

weir_applayer::transaction!(Pop3Transaction, |tx| Some(
    tx.response.as_ref().map_or(0, |response| response.header.len() + response.size.min(MAX_DATA))
));

impl Pop3Transaction {
    /// Forks it for Zeek's logs.
    pub fn fork(&mut self) -> Self {
        let (request, response, stray) = (self.request.clone(), self.response.clone(), self.stray.clone());
        Self { meta: self.meta.fork(), request, response, stray, ended_in: self.ended_in }
    }

    /// Records an anomaly.
    pub fn note(&mut self, anomaly: Pop3Anomaly) {
        self.meta.anomaly(anomaly.into());
    }

    /// Whether it waits for an answer, or for more of it.
    pub fn waits(&self) -> bool {
        self.meta.progress[Direction::ToClient] < COMPLETE
    }

    /// The command is whole.
    pub fn asked(&mut self) {
        self.meta.advance(Direction::ToServer, COMPLETE);
    }

    /// No more comes.
    pub fn end(&mut self) {
        for direction in Direction::BOTH {
            self.meta.advance(direction, COMPLETE);
        }
    }
}
