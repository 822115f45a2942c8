//! Version 2 and 3 (MS-SMB2): messages, of which several may be chained.

pub(super) mod events;
mod request;
mod response;

use weir_base::{Direction, Reader};

use super::state::{Moment, State};
use super::transaction::{Command, FileId, Ids, Status};

/// Bytes of a header.
pub(super) const HEADER_LENGTH: usize = 64;

/// Bytes of the header of what is encrypted.
pub(super) const TRANSFORM_LENGTH: usize = 52;

/// Flags of the header: an answer; one that names no share.
const ANSWER: u32 = 1;
const ASYNC: u32 = 2;

/// Commands.
mod command {
    pub(super) const NEGOTIATE: u16 = 0;
    pub(super) const SESSION_SETUP: u16 = 1;
    pub(super) const TREE_CONNECT: u16 = 3;
    pub(super) const TREE_DISCONNECT: u16 = 4;
    pub(super) const CREATE: u16 = 5;
    pub(super) const CLOSE: u16 = 6;
    pub(super) const READ: u16 = 8;
    pub(super) const WRITE: u16 = 9;
    pub(super) const IOCTL: u16 = 11;
    pub(super) const GET_INFO: u16 = 16;
    pub(super) const SET_INFO: u16 = 17;
}

/// The function that writes to a pipe and reads the answer.
const PIPE_TRANSCEIVE: u32 = 0x0011_c017;

/// One message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    command: u16,
    flags: u32,
    status: u32,
    ids: Ids,
    /// Where the next message of the chain stands; zero in the last one.
    next: usize,
    /// All of the message that has come, with its header.
    bytes: &'a [u8],
    /// Its length once all has come.
    length: usize,
}

impl<'a> Record<'a> {
    /// Reads the message that `bytes` begin with, of which `length` are to come; none where it is none.
    pub(super) fn read(bytes: &'a [u8], length: usize) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        // The magic, the header's length, the charge.
        reader.skip(4 + 2 + 2)?;
        let status = reader.u32_le()?;
        let command = reader.u16_le()?;
        reader.skip(2)?;
        let flags = reader.u32_le()?;
        let next = reader.u32_le()? as usize;
        let message = reader.u64_le()?;
        reader.skip(4)?;
        let tree = reader.u32_le()?;
        let session = reader.u64_le()?;
        reader.skip(16)?;
        let is_last = next < HEADER_LENGTH;
        let (bytes, length) = match next {
            _ if is_last => (bytes, length),
            next if next <= length => (bytes.get(..next).unwrap_or(bytes), next),
            _ => return None,
        };
        let tree = if flags & (ASYNC | ANSWER) == ASYNC | ANSWER { 0 } else { tree };
        let next = if is_last { 0 } else { next };
        Some(Self { command, flags, status, ids: Ids { session, tree, message }, next, bytes, length })
    }

    /// Returns the direction of such a message.
    pub(super) const fn direction(&self) -> Direction {
        if self.flags & ANSWER == 0 { Direction::ToServer } else { Direction::ToClient }
    }

    /// Where the next message of the chain stands, if there is one.
    pub(super) fn next(&self) -> Option<usize> {
        (self.next > 0).then_some(self.next)
    }

    /// Its length.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// Whether it is looked at before all of it is there: it reads or writes, nothing else is chained to it, and its
    /// data has begun.
    pub(super) fn can_be_long(&self) -> bool {
        let mut body = self.body();
        let start = body.skip(2).and_then(|()| match (self.direction(), self.command) {
            (Direction::ToServer, command::WRITE) => body.u16_le().map(usize::from),
            (Direction::ToClient, command::READ) => body.u8().map(usize::from),
            _ => None,
        });
        self.next == 0 && start.is_some_and(|start| start <= self.bytes.len())
    }

    /// The share that it is about.
    pub(super) const fn ids(&self) -> Ids {
        self.ids
    }

    /// Returns the bytes after the header.
    fn body(&self) -> Reader<'a> {
        Reader::new(self.bytes.get(HEADER_LENGTH..).unwrap_or_default())
    }

    /// Returns the bytes at an offset from the header on.
    fn at(&self, offset: usize, length: usize) -> Option<&'a [u8]> {
        self.bytes.get(offset..offset.checked_add(length)?)
    }

    /// The data that begins at `offset`, or behind the `fixed` bytes of the body; and how long it is where it is said
    /// to be of `length`.
    pub(super) fn data(&self, offset: usize, fixed: usize, length: u32) -> (&'a [u8], u64) {
        let start = offset.max(HEADER_LENGTH + fixed);
        let room = self.length.saturating_sub(start) as u64;
        let length = u64::from(length).min(room);
        let data = self.bytes.get(start..).unwrap_or_default();
        (data.get(..usize::try_from(length).unwrap_or(usize::MAX)).unwrap_or(data), length)
    }

    /// Returns the bytes that it carries to or from a file.
    pub(super) fn carried_start(&self) -> &'a [u8] {
        let fixed = if self.direction() == Direction::ToServer { 48 } else { 16 };
        self.data(0, fixed, u32::MAX).0
    }

    const fn command(&self) -> Command {
        Command::Two(self.command)
    }

    const fn status(&self) -> Status {
        Status::Nt(self.status)
    }

    /// Whether a transaction is made of each such message.
    const fn is_transaction(&self) -> bool {
        !matches!(self.command, command::READ | command::WRITE | command::GET_INFO | command::SET_INFO)
    }
}

/// The next number of a file.
fn file(reader: &mut Reader<'_>) -> Option<FileId> {
    Some(FileId::Two(reader.array()?))
}

/// Returns the length of an encrypted message that `bytes` begin with, with its header.
pub(super) fn transform_length(bytes: &[u8]) -> Option<usize> {
    let mut reader = Reader::new(bytes);
    reader.skip(4 + 16 + 16)?;
    let size = reader.u32_le()? as usize;
    reader.skip(2 + 2 + 8)?;
    TRANSFORM_LENGTH.checked_add(size)
}

impl State {
    /// Takes a message.
    pub(super) fn two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<super::chunks::Coming> {
        match moment.direction {
            Direction::ToServer => self.request_two(moment, record),
            Direction::ToClient => self.response_two(moment, record),
        }
    }
}
