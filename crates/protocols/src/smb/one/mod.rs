//! Version 1 (MS-CIFS, MS-SMB): messages, each of which may hold a chain of commands.
//!
//! A command's block is the number of its words, the words, the number of its bytes, and the bytes. Limit: blocks of a
//! chain ([`MAX_CHAIN`]).

pub(super) mod events;
mod request;
mod response;

use weir_base::{Direction, Reader};

use super::chunks::Coming;
use super::state::{Moment, State};
use super::transaction::{Command, FileId, Ids, Status};

/// Bytes of a header.
pub(super) const HEADER_LENGTH: usize = 32;

/// Most blocks of a chain that are looked at.
const MAX_CHAIN: usize = 16;

/// Flags of the header: an answer; statuses are those of Windows; texts are in UTF-16.
const ANSWER: u8 = 0x80;
const NT_STATUS: u16 = 0x4000;
const UNICODE: u16 = 0x8000;

/// Commands.
mod command {
    pub(super) const CREATE_DIRECTORY: u8 = 0x00;
    pub(super) const CLOSE: u8 = 0x04;
    pub(super) const RENAME: u8 = 0x07;
    pub(super) const QUERY_INFORMATION: u8 = 0x08;
    pub(super) const WRITE: u8 = 0x0b;
    pub(super) const CHECK_DIRECTORY: u8 = 0x10;
    pub(super) const LOCKING_ANDX: u8 = 0x24;
    pub(super) const TRANSACTION: u8 = 0x25;
    pub(super) const TRANSACTION_SECONDARY: u8 = 0x26;
    pub(super) const ECHO: u8 = 0x2b;
    pub(super) const WRITE_AND_CLOSE: u8 = 0x2c;
    pub(super) const OPEN_ANDX: u8 = 0x2d;
    pub(super) const READ_ANDX: u8 = 0x2e;
    pub(super) const WRITE_ANDX: u8 = 0x2f;
    pub(super) const TRANSACTION2: u8 = 0x32;
    pub(super) const TRANSACTION2_SECONDARY: u8 = 0x33;
    pub(super) const TREE_DISCONNECT: u8 = 0x71;
    pub(super) const NEGOTIATE: u8 = 0x72;
    pub(super) const SESSION_SETUP_ANDX: u8 = 0x73;
    pub(super) const LOGOFF_ANDX: u8 = 0x74;
    pub(super) const TREE_CONNECT_ANDX: u8 = 0x75;
    pub(super) const NT_CREATE_ANDX: u8 = 0xa2;
    pub(super) const NT_CANCEL: u8 = 0xa4;
    pub(super) const NONE: u8 = 0xff;
}

/// One message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    command: u8,
    status: u32,
    flags: u8,
    flags2: u16,
    ids: Ids,
    user: u16,
    /// All of the message that has come, with its header.
    bytes: &'a [u8],
    /// Its length once all has come.
    length: usize,
}

/// One command of a message.
#[derive(Clone, Copy)]
struct Block<'a> {
    record: &'a Record<'a>,
    command: u8,
    /// Where it stands in the message.
    offset: usize,
}

impl<'a> Record<'a> {
    /// Reads the message of which `length` bytes are to come; none where it is none.
    pub(super) fn read(bytes: &'a [u8], length: usize) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        reader.skip(4)?;
        let command = reader.u8()?;
        let status = reader.u32_le()?;
        let (flags, flags2) = (reader.u8()?, reader.u16_le()?);
        // The high half of the process, the signature, what is reserved.
        reader.skip(2 + 8 + 2)?;
        let tree = reader.u16_le()?.into();
        reader.skip(2)?;
        let user = reader.u16_le()?;
        let ids = Ids { session: user.into(), tree, message: reader.u16_le()?.into() };
        Some(Self { command, status, flags, flags2, ids, user, bytes, length })
    }

    /// Returns the direction of such a message.
    pub(super) const fn direction(&self) -> Direction {
        if self.flags & ANSWER == 0 { Direction::ToServer } else { Direction::ToClient }
    }

    /// Whether it is looked at before all of it is there: it reads or writes, nothing else is chained to it, and its
    /// data has begun.
    pub(super) fn can_be_long(&self) -> bool {
        // Where the offset of the data stands behind the number of words.
        let place = match (self.direction(), self.command) {
            (Direction::ToServer, command::WRITE_ANDX) => 22,
            (Direction::ToClient, command::READ_ANDX) => 12,
            _ => return false,
        };
        let mut words = Reader::new(self.bytes);
        let read = words.skip(HEADER_LENGTH + 1).and_then(|()| {
            let next = words.u8()?;
            words.skip(place - 1)?;
            Some((next, usize::from(words.u16_le()?)))
        });
        read.is_some_and(|(next, start)| next == command::NONE && start <= self.bytes.len())
    }

    /// The share that it is about.
    pub(super) const fn ids(&self) -> Ids {
        self.ids
    }

    /// Returns the bytes that it carries to or from a file.
    pub(super) fn carried_start(&self) -> &'a [u8] {
        let words = self.bytes.get(HEADER_LENGTH).copied().unwrap_or_default();
        let start = HEADER_LENGTH + 1 + usize::from(words) * 2 + 2;
        let data = self.bytes.get(start..).unwrap_or_default();
        // One byte may fill up.
        data.strip_prefix(b"\0").unwrap_or(data)
    }

    const fn is_unicode(&self) -> bool {
        self.flags2 & UNICODE != 0
    }

    const fn status(&self) -> Status {
        if self.flags2 & NT_STATUS != 0 {
            Status::Nt(self.status)
        } else {
            Status::Dos { class: self.status as u8, code: (self.status >> 16) as u16 }
        }
    }

    /// Returns the bytes at an offset from the header on.
    fn at(&self, offset: usize, length: usize) -> Option<&'a [u8]> {
        self.bytes.get(offset..offset.checked_add(length)?)
    }

    const fn file(&self, number: u16) -> FileId {
        FileId::One { number, user: self.user }
    }

    /// The blocks of the chain.
    fn blocks(&'a self) -> impl Iterator<Item = Block<'a>> {
        let first = Block { record: self, command: self.command, offset: HEADER_LENGTH };
        std::iter::successors(Some(first), Block::next).take(MAX_CHAIN)
    }
}

impl<'a> Block<'a> {
    /// From the number of words on.
    fn reader(&self) -> Reader<'a> {
        Reader::new(self.record.bytes.get(self.offset..).unwrap_or_default())
    }

    const fn command(&self) -> Command {
        Command::One(self.command)
    }

    /// Where a reader of this block stands in the message.
    const fn place(&self, reader: &Reader<'_>) -> usize {
        self.offset + reader.position()
    }

    fn text(&self, reader: &mut Reader<'_>) -> Option<Vec<u8>> {
        super::text::terminated(reader, self.place(reader), self.record.is_unicode())
    }

    /// The block after it, which stands behind it.
    fn next(&self) -> Option<Self> {
        let (command, offset) = self.named()?;
        let follows = offset > self.offset && offset < self.record.bytes.len();
        follows.then_some(Self { record: self.record, command, offset })
    }

    /// Whether it names a block after it that does not stand behind it.
    fn is_stuck(&self) -> bool {
        self.named().is_some_and(|(_, offset)| offset <= self.offset)
    }

    /// The command that it names to follow it, and where that is to be.
    fn named(&self) -> Option<(u8, usize)> {
        let has_next = matches!(
            self.command,
            command::LOCKING_ANDX
                | command::OPEN_ANDX
                | command::READ_ANDX
                | command::WRITE_ANDX
                | command::SESSION_SETUP_ANDX
                | command::LOGOFF_ANDX
                | command::TREE_CONNECT_ANDX
                | command::NT_CREATE_ANDX
        );
        let mut reader = self.reader();
        if !has_next || reader.u8()? < 2 {
            return None;
        }
        let command = reader.u8()?;
        reader.skip(1)?;
        let offset = usize::from(reader.u16_le()?);
        (command != command::NONE).then_some((command, offset))
    }

    /// The data that begins at `offset` of the message, or behind what was read; and how long it is where it is said
    /// to be of `length`.
    fn data(&self, reader: &Reader<'_>, offset: usize, length: u64) -> (&'a [u8], u64) {
        let start = offset.max(self.place(reader));
        let length = length.min(self.record.length.saturating_sub(start) as u64);
        let data = self.record.bytes.get(start..).unwrap_or_default();
        (data.get(..usize::try_from(length).unwrap_or(usize::MAX)).unwrap_or(data), length)
    }
}

impl State {
    /// Takes a message.
    pub(super) fn one(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Coming> {
        let mut coming = None;
        for block in record.blocks() {
            coming = match moment.direction {
                Direction::ToServer => self.request_one(moment, &block),
                Direction::ToClient => self.response_one(moment, &block),
            };
            if block.is_stuck()
                && let Some(transaction) = self.transactions.last_mut()
            {
                transaction.stuck.get_or_insert(moment.last);
            }
        }
        coming
    }
}
