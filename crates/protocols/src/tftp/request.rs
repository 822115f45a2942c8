//! A request, RFC 1350 section 5: what to do, the name of a file, and the mode; options (RFC 2347) may follow.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Reader};

/// Most bytes that are kept of a file's name; RFC 2347 has requests of at most 512 bytes.
pub const MAX_NAME: usize = 4096;

/// The state of a request that has been read.
const COMPLETE: Progress = Progress(1);

/// The modes that there are.
const MODES: [&str; 3] = ["netascii", "octet", "mail"];

/// Operation on a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The client wants it.
    Read,
    /// The client has it.
    Write,
}

/// A request.
#[derive(Debug)]
pub struct TftpTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Operation.
    pub operation: Operation,
    /// The name of the file.
    pub file: Vec<u8>,
    /// Transfer mode.
    pub mode: &'static str,
}

weir_applayer::transaction!(TftpTransaction);

impl TftpTransaction {
    /// Reads a datagram.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let operation = match reader.u16()? {
            1 => Operation::Read,
            2 => Operation::Write,
            _ => return None,
        };
        let mut texts = reader.rest().split(|&byte| byte == 0);
        let (file, mode) = (texts.next()?, texts.next()?);
        let mode = MODES.into_iter().find(|known| mode.eq_ignore_ascii_case(known.as_bytes()))?;
        let mut meta = TxMeta { only: Some(Direction::ToServer), ..TxMeta::default() };
        for direction in Direction::BOTH {
            meta.progress[direction] = COMPLETE;
        }
        let file = file.get(..MAX_NAME).unwrap_or(file).to_vec();
        Some(Self { meta, operation, file, mode })
    }
}
