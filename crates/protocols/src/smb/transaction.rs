//! Transactions: a request of a client and the server's response; or a file that is read or written, until it is
//! closed.

use std::any::Any;
use std::sync::Arc;

use weir_applayer::{Progress, Transaction, TxMeta};
use weir_base::{Direction, Timestamp};

use super::anomaly::SmbAnomaly;
use super::file::Transfer;
use crate::dcerpc::transaction::Exchange;
use crate::gssapi::ntlmssp::{Authenticate, Challenge, Message};
use crate::gssapi::token::{Ticket, Token};

/// A direction came to its end.
pub(super) const COMPLETE: Progress = Progress(1);

/// Command of a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Command {
    /// By a number of version 1.
    One(u8),
    /// By a number of version 2.
    Two(u16),
}

/// Status of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// By a number of Windows.
    Nt(u32),
    /// By an error of DOS.
    Dos {
        /// The class.
        class: u8,
        /// The code.
        code: u16,
    },
}

/// Statuses that are distinguished.
pub(super) mod status {
    use super::Status;

    pub(in crate::smb) const SUCCESS: Status = Status::Nt(0);
    pub(in crate::smb) const PENDING: Status = Status::Nt(0x0000_0103);
    pub(in crate::smb) const BUFFER_OVERFLOW: Status = Status::Nt(0x8000_0005);
    pub(in crate::smb) const END_OF_FILE: Status = Status::Nt(0xc000_0011);
}

/// Session, share and message identifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Ids {
    /// The session.
    pub(super) session: u64,
    /// The share.
    pub(super) tree: u32,
    /// The message.
    pub(super) message: u64,
}

/// A file that is open, by the number that the server gave it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum FileId {
    /// Of version 1: the number, and the user that it is open for.
    One {
        /// The number.
        number: u16,
        /// The user.
        user: u16,
    },
    /// Of version 2, as sent.
    Two([u8; 16]),
}

/// Dialect of both ends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Dialect {
    /// That is not known.
    #[default]
    Unknown,
    /// Version 1, by name.
    One(Arc<[u8]>),
    /// Version 2 or 3, by number.
    Two(u16),
}

/// An offer of dialects, and the choice.
#[derive(Debug, Default)]
pub(super) struct Negotiation {
    /// The names of dialects of version 1.
    pub(super) names: Vec<Arc<[u8]>>,
    /// The numbers of dialects of version 2 and 3.
    pub(super) numbers: Vec<u16>,
    /// GUID of the client.
    pub(super) client: Option<[u8; 16]>,
    /// GUID of the server.
    pub(super) server: Option<[u8; 16]>,
    /// Most bytes that are read at once.
    pub(super) max_read: u32,
    /// Most bytes that are written at once.
    pub(super) max_write: u32,
    /// The answer holds a token of SPNEGO.
    pub(super) has_token: bool,
}

/// System that a client or a server of version 1 runs on.
#[derive(Debug, Default)]
pub(super) struct Native {
    /// The system.
    pub(super) system: Vec<u8>,
    /// Name of the LAN manager.
    pub(super) manager: Vec<u8>,
}

/// A client makes itself known.
#[derive(Debug, Default)]
pub(super) struct Setup {
    /// By NTLM, once it says who it is.
    pub(super) ntlm: Option<Authenticate>,
    /// Authentication by a malformed message, which Zeek's logs alone show.
    pub(super) odd_ntlm: Option<Authenticate>,
    /// By a ticket of Kerberos.
    pub(super) ticket: Option<Ticket>,
    /// The request holds a message of NTLM.
    pub(super) has_ntlm: bool,
    /// It holds one that makes no sense.
    pub(super) is_malformed: bool,
    /// A message holds a token of SPNEGO.
    pub(super) has_token: bool,
    /// Challenge of the server.
    pub(super) challenge: Option<Challenge>,
    /// The outcome of a negotiation.
    pub(super) outcome: Option<u8>,
    /// The client's system.
    pub(super) client: Option<Native>,
    /// The server's system.
    pub(super) server: Option<Native>,
}

impl Setup {
    /// A client makes itself known by a token.
    pub(super) fn of(token: Token) -> Self {
        let has_ntlm = token.ntlm.is_some();
        let is_malformed = matches!(token.ntlm, Some(Message::Malformed(_)));
        let (ntlm, odd_ntlm) = match token.ntlm {
            Some(Message::Authenticate(message)) => (Some(message), None),
            Some(Message::Malformed(message)) => (None, message),
            _ => (None, None),
        };
        let Token { ticket, is_negotiation: has_token, .. } = token;
        Self { ntlm, odd_ntlm, has_ntlm, is_malformed, ticket, has_token, ..Self::default() }
    }

    /// Returns the anomaly of the request.
    pub(super) fn anomaly(&self) -> Option<SmbAnomaly> {
        if self.is_malformed {
            return Some(SmbAnomaly::MalformedNtlmsspRequest);
        }
        self.ntlm.as_ref().filter(|ntlm| ntlm.is_unusual).map(|_| SmbAnomaly::UnusualNtlmsspOrder)
    }

    /// The server answers with a token.
    pub(super) fn answered(&mut self, token: Token) {
        if let Some(Message::Challenge(challenge)) = token.ntlm {
            self.challenge = Some(challenge);
        }
        self.has_token |= token.is_negotiation;
        self.outcome = token.outcome.or(self.outcome);
    }
}

/// A share is connected.
#[derive(Debug, Default)]
pub(super) struct Connect {
    /// Its name.
    pub(super) share: Arc<[u8]>,
    /// It is none of files, but of pipes.
    pub(super) is_pipe: bool,
    /// Type of the share, in version 2.
    pub(super) kind: u8,
    /// The service that is asked for, in version 1.
    pub(super) asked_service: Option<Vec<u8>>,
    /// The service that it is.
    pub(super) service: Option<Vec<u8>>,
    /// The file system, in version 1.
    pub(super) file_system: Vec<u8>,
}

/// When a file was made and so on, in units of 100 nanoseconds since 1601.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Times {
    /// Made.
    pub(super) created: u64,
    /// Last read.
    pub(super) accessed: u64,
    /// Last written.
    pub(super) modified: u64,
    /// Last changed in any way.
    pub(super) changed: u64,
}

/// A file is opened.
#[derive(Debug, Default)]
pub(super) struct Create {
    /// Its name; empty for the share itself.
    pub(super) name: Arc<[u8]>,
    /// Create disposition: the action where the file exists, or does not.
    pub(super) disposition: u32,
    /// It is to be gone once it is closed.
    pub(super) deletes: bool,
    /// It is a directory.
    pub(super) is_directory: bool,
    /// The number by which it is open.
    pub(super) file: Option<FileId>,
    /// When it was made and so on.
    pub(super) times: Times,
    /// Its length.
    pub(super) size: u64,
    /// The size that records show: in version 1 that on disk.
    pub(super) shown_size: u64,
}

impl Connect {
    /// The share's name as rules and records show it: of version 1, without the first backslash.
    pub(super) fn shown(&self, command: Command) -> &[u8] {
        match command {
            Command::One(_) => self.share.get(1..).filter(|rest| !rest.is_empty()).unwrap_or(&self.share),
            Command::Two(_) => &self.share,
        }
    }
}

impl Create {
    /// A file is opened.
    pub(super) fn new(name: Vec<u8>, disposition: u32, options: u32) -> Self {
        let (deletes, is_directory) = (options & 0x1000 != 0, options & 1 != 0);
        Self { name: name.into(), disposition, deletes, is_directory, ..Self::default() }
    }
}

/// A file gets another name.
#[derive(Debug)]
pub(super) struct Rename {
    /// Its number, where it is open.
    pub(super) file: Option<FileId>,
    /// The name it had.
    pub(super) from: Arc<[u8]>,
    /// The one it gets.
    pub(super) to: Vec<u8>,
}

/// A file is to be gone once it is closed, or not.
#[derive(Debug)]
pub(super) struct Disposition {
    /// Its number, where it is open.
    pub(super) file: Option<FileId>,
    /// Its name.
    pub(super) name: Arc<[u8]>,
    /// By which way of saying it.
    pub(super) subcommand: u16,
    /// Information level.
    pub(super) level: u16,
    /// It is to be gone.
    pub(super) deletes: bool,
}

/// A call of DCE/RPC in a pipe, or a bind.
#[derive(Debug)]
pub(super) struct PipeCall {
    /// The pipe.
    pub(super) pipe: FileId,
    /// Both sides of the call.
    pub(super) exchange: Exchange,
}

/// Content of a transaction.
#[derive(Debug, Default)]
pub(super) enum Content {
    /// A command of which no more is read.
    #[default]
    Generic,
    /// An offer of dialects.
    Negotiation(Box<Negotiation>),
    /// A client makes itself known.
    Setup(Box<Setup>),
    /// A share is connected.
    Connect(Box<Connect>),
    /// A file is opened.
    Create(Box<Create>),
    /// A file is closed.
    Close(FileId),
    /// A file is read, or written.
    File(Box<Transfer>),
    /// A file gets another name.
    Rename(Box<Rename>),
    /// A file is to be gone.
    Disposition(Box<Disposition>),
    /// A function of the file system, or of a device.
    Ioctl(u32),
    /// A call in a pipe.
    Call(Box<PipeCall>),
}

impl Content {
    /// Bytes that it takes: what waits of a file, and the data of a call; the rest is small.
    fn held(&self) -> usize {
        match self {
            Self::File(transfer) => transfer.memory(),
            Self::Call(call) => size_of::<PipeCall>() + call.exchange.held(),
            _ => 0,
        }
    }
}

/// One transaction.
#[derive(Debug)]
pub(super) struct SmbTransaction {
    /// Metadata common to all transactions.
    pub(super) meta: TxMeta,
    /// Command.
    pub(super) command: Command,
    /// Status, once it is known.
    pub(super) status: Option<Status>,
    /// Identifiers.
    pub(super) ids: Ids,
    /// Dialect of both ends.
    pub(super) dialect: Dialect,
    /// Content.
    pub(super) content: Content,
    /// When it named a command to follow it that does not stand behind it.
    pub(super) stuck: Option<Timestamp>,
}

impl Transaction for SmbTransaction {
    fn meta(&self) -> &TxMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut TxMeta {
        &mut self.meta
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn held(&self) -> Option<usize> {
        Some(self.content.held())
    }

    fn part(&self) -> Option<&dyn Any> {
        self.call().map(|call| &call.exchange as &dyn Any)
    }
}

impl SmbTransaction {
    /// A transaction that a request of the client begins.
    pub(super) fn new(command: Command, ids: Ids, dialect: Dialect, content: Content) -> Self {
        Self { meta: TxMeta::default(), command, status: None, ids, dialect, content, stuck: None }
    }

    /// Whether anything of it may yet come.
    pub(super) fn is_open(&self) -> bool {
        Direction::BOTH.iter().any(|&direction| self.meta.progress[direction] < COMPLETE)
    }

    /// Nothing of it comes any more.
    pub(super) fn end(&mut self) {
        Direction::BOTH.iter().for_each(|&direction| self.meta.advance(direction, COMPLETE));
    }

    /// Something is wrong with it.
    pub(super) fn note(&mut self, anomaly: SmbAnomaly) {
        self.meta.anomaly(anomaly.into());
        Direction::BOTH.iter().for_each(|&direction| self.meta.updated[direction] = true);
    }

    /// The call of DCE/RPC, if it is one.
    pub(super) fn call(&self) -> Option<&PipeCall> {
        if let Content::Call(call) = &self.content { Some(call) } else { None }
    }
}
