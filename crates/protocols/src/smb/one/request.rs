//! Requests of clients.

use std::sync::Arc;

use weir_base::{Direction, Reader};

use super::{Block, command};
use crate::gssapi::token::Token;
use crate::smb::anomaly::SmbAnomaly;
use crate::smb::chunks::{Chunk, Coming};
use crate::smb::pipe::Carrier;
use crate::smb::state::{Moment, Read, State, UNKNOWN};
use crate::smb::text::narrow;
use crate::smb::transaction::{
    Connect, Content, Create, Disposition, FileId, Ids, Native, Negotiation, Rename, Setup,
};

/// Most dialects of an offer that are shown.
const MAX_DIALECTS: usize = 64;

/// Subcommands of `TRANSACTION2` that set information on a path, or on a file that is open.
const SET_PATH_INFORMATION: u16 = 6;
const SET_FILE_INFORMATION: u16 = 8;

/// Information levels of setting: deletion on close; another name (MS-SMB 2.2.2.3.5, MS-FSCC 2.4).
const DISPOSITION: u16 = 1013;
const RENAME: u16 = 1010;

/// The words of a client that makes itself known by a token; others do by passwords.
const WORDS_WITH_TOKEN: u8 = 12;

/// Request, where it is more than a command.
enum Asked {
    /// A transaction is made of it.
    Content(Content),
    /// It was seen to.
    Done,
    /// Only the command says what it is.
    Command,
}

impl State {
    pub(super) fn request_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<Coming> {
        let mut coming = None;
        let (content, anomaly) = match self.asked_one(moment, block, &mut coming) {
            Some(Asked::Done) => return coming,
            Some(Asked::Content(content)) => (content, None),
            Some(Asked::Command) => (Content::Generic, None),
            None => (Content::Generic, Some(SmbAnomaly::MalformedData)),
        };
        let anomaly = if let Content::Setup(setup) = &content { setup.anomaly() } else { anomaly };
        let is_transaction = !matches!(
            block.command,
            command::READ_ANDX | command::WRITE_ANDX | command::TRANSACTION | command::TRANSACTION2
        );
        if is_transaction || anomaly.is_some() || !matches!(content, Content::Generic) {
            let id = self.ask(moment, block.command(), block.record.ids, content);
            let is_final = matches!(
                block.command,
                command::NT_CANCEL | command::TRANSACTION2_SECONDARY | command::LOCKING_ANDX
            );
            if is_final {
                self.give_up(id);
            }
        }
        if let Some(anomaly) = anomaly {
            self.note(anomaly);
        }
        coming
    }

    /// None where it makes no sense.
    fn asked_one(
        &mut self,
        moment: &Moment<'_>,
        block: &Block<'_>,
        coming: &mut Option<Coming>,
    ) -> Option<Asked> {
        match block.command {
            command::RENAME => rename(block),
            command::TRANSACTION2 => self.transaction2_one(block),
            command::READ_ANDX => self.read_one(block),
            command::WRITE_ANDX | command::WRITE | command::WRITE_AND_CLOSE => {
                *coming = self.write_one(moment, block)?;
                Some(Asked::Command)
            }
            command::TRANSACTION => self.transaction_one(moment, block),
            command::NEGOTIATE => self.negotiate_one(moment, block),
            command::NT_CREATE_ANDX => create(block),
            command::SESSION_SETUP_ANDX => setup(block).map(|setup| Asked::Content(Content::Setup(setup))),
            command::TREE_CONNECT_ANDX => connect(block),
            command::TREE_DISCONNECT => {
                let Ids { session, tree, .. } = block.record.ids;
                self.trees.remove(&(session, tree));
                Some(Asked::Command)
            }
            command::CLOSE => {
                let mut reader = block.reader();
                reader.skip(1)?;
                let file = block.record.file(reader.u16_le()?);
                self.close_file(file, Direction::ToServer, None);
                Some(Asked::Content(Content::Close(file)))
            }
            _ => Some(Asked::Command),
        }
    }

    fn negotiate_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<Asked> {
        let mut reader = block.reader();
        reader.skip(3)?;
        let mut names = Vec::new();
        let mut is_malformed = false;
        // Each is a format, and a text that ends with a zero.
        while let Some(length) = memchr::memchr(0, reader.rest()).filter(|_| names.len() < MAX_DIALECTS) {
            let name = reader.take(length)?;
            reader.skip(1)?;
            is_malformed |= name.len() < 2;
            if let Some(name) = name.get(1..) {
                names.push(name.into());
            }
        }
        if names.is_empty() && !is_malformed {
            return None;
        }
        if let Some(offer) = self.offers[0].and_then(|id| self.transactions.by_id_mut(id)) {
            offer.note(SmbAnomaly::DuplicateNegotiate);
            return Some(Asked::Done);
        }
        let offer = Content::Negotiation(Box::new(Negotiation { names, ..Negotiation::default() }));
        self.offers[0] = Some(self.ask(moment, block.command(), block.record.ids, offer));
        if is_malformed {
            self.note(SmbAnomaly::NegotiateMalformedDialects);
        }
        Some(Asked::Done)
    }

    fn read_one(&mut self, block: &Block<'_>) -> Option<Asked> {
        let mut reader = block.reader();
        let words = reader.u8()?;
        reader.skip(4)?;
        let file = block.record.file(reader.u16_le()?);
        let low = reader.u32_le()?;
        reader.skip(2 + 2 + 4 + 2)?;
        let high = if words == 12 { reader.u32_le()? } else { 0 };
        let Ids { session, message, .. } = block.record.ids;
        self.reads.insert((session, message), Read { file, offset: u64::from(high) << 32 | u64::from(low) });
        Some(Asked::Done)
    }

    /// None where it makes no sense.
    fn write_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<Option<Coming>> {
        let mut reader = block.reader();
        let words = reader.u8()?;
        let (number, offset, data, length);
        if block.command == command::WRITE_ANDX {
            reader.skip(4)?;
            number = reader.u16_le()?;
            let low = reader.u32_le()?;
            reader.skip(4 + 2 + 2)?;
            let (length_high, length_low) = (reader.u16_le()?, reader.u16_le()?);
            let start = reader.u16_le()?;
            let high = if words == 14 { reader.u32_le()? } else { 0 };
            reader.skip(2)?;
            offset = u64::from(high) << 32 | u64::from(low);
            let said = u64::from(length_high) << 16 | u64::from(length_low);
            (data, length) = block.data(&reader, start.into(), said);
        } else {
            number = reader.u16_le()?;
            let count = reader.u16_le()?;
            offset = reader.u32_le()?.into();
            let rest = usize::from(words).checked_mul(2)?.checked_sub(8)?;
            reader.skip(rest)?;
            let bytes = reader.u16_le()?;
            // A format and the length, or what fills up.
            let before = if block.command == command::WRITE { 3 } else { bytes.saturating_sub(count).into() };
            reader.skip(before)?;
            (data, length) = block.data(&reader, 0, count.into());
        }
        let file = block.record.file(number);
        let chunk = Chunk { file, offset, length, data, nameless: UNKNOWN, status: None };
        let coming = self.chunk(moment, block.command(), block.record.ids, chunk);
        if block.command == command::WRITE_AND_CLOSE {
            self.close_file(file, Direction::ToServer, None);
        }
        Some(coming)
    }

    fn transaction_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<Asked> {
        let parts = Parts::read(block)?;
        let mut setup = parts.setup;
        let data = block.record.at(parts.data.0, parts.data.1);
        // A function and a pipe.
        if setup.len() == 4 && parts.data.1 > 0 {
            setup.skip(2)?;
            let pipe = block.record.file(setup.u16_le()?);
            let Ids { session, message, .. } = block.record.ids;
            self.asked_pipes.insert((session, message), pipe);
            let data = data?;
            if self.carries_calls(pipe, data) {
                let (command, ids) = (block.command(), block.record.ids);
                let carrier = Carrier { command, ids, pipe, status: None, data, is_answered_at_once: false };
                self.pipe(moment, carrier);
            }
        }
        Some(Asked::Done)
    }

    fn transaction2_one(&mut self, block: &Block<'_>) -> Option<Asked> {
        let Parts { mut setup, parameters, data } = Parts::read(block)?;
        let subcommand = setup.u16_le()?;
        let mut parameters_of = Reader::new(block.record.at(parameters.0, parameters.1)?);
        let (file, level, path) = match subcommand {
            SET_PATH_INFORMATION => {
                let level = parameters_of.u16_le()?;
                parameters_of.skip(4)?;
                let place = parameters.0.saturating_add(parameters_of.position());
                let is_wide = block.record.is_unicode();
                let path = crate::smb::text::terminated(&mut parameters_of, place, is_wide)?;
                (None, level, Some(Arc::from(path)))
            }
            SET_FILE_INFORMATION => {
                let file = block.record.file(parameters_of.u16_le()?);
                (Some(file), parameters_of.u16_le()?, None)
            }
            _ => return Some(Asked::Done),
        };
        let mut data = Reader::new(block.record.at(data.0, data.1)?);
        let name = || path.or_else(|| self.name(file?)).unwrap_or_else(|| UNKNOWN.into());
        let content = match level {
            DISPOSITION => {
                let deletes = data.u8()? & 1 != 0;
                let name = name();
                Content::Disposition(Box::new(Disposition { file, name, subcommand, level, deletes }))
            }
            RENAME => {
                data.skip(8)?;
                let length = data.u32_le()? as usize;
                let to = narrow(data.take(length)?);
                Content::Rename(Box::new(Rename { file, from: name(), to }))
            }
            _ => return Some(Asked::Done),
        };
        Some(Asked::Content(content))
    }
}

/// Where the parts of a transaction stand in its message.
struct Parts<'a> {
    setup: Reader<'a>,
    parameters: (usize, usize),
    data: (usize, usize),
}

impl<'a> Parts<'a> {
    fn read(block: &Block<'a>) -> Option<Self> {
        let mut reader = block.reader();
        reader.skip(1 + 4 * 2 + 2 + 2 + 4 + 2)?;
        let mut place = || {
            let count = reader.u16_le()?;
            Some((usize::from(reader.u16_le()?), usize::from(count)))
        };
        let (parameters, data) = (place()?, place()?);
        let count = reader.u8()?;
        reader.skip(1)?;
        Some(Self { setup: reader.sub(usize::from(count) * 2)?, parameters, data })
    }
}

fn rename(block: &Block<'_>) -> Option<Asked> {
    let mut reader = block.reader();
    // The words, the number of bytes, the text's type.
    reader.skip(1 + 2 + 2 + 1)?;
    let from = block.text(&mut reader)?.into();
    reader.skip(1)?;
    let to = block.text(&mut reader)?;
    Some(Asked::Content(Content::Rename(Box::new(Rename { file: None, from, to }))))
}

fn create(block: &Block<'_>) -> Option<Asked> {
    let mut reader = block.reader();
    reader.skip(6)?;
    let length = usize::from(reader.u16_le()?);
    reader.skip(28)?;
    let (disposition, options) = (reader.u32_le()?, reader.u32_le()?);
    reader.skip(5 + 2)?;
    if block.record.is_unicode() && block.place(&reader) % 2 == 1 {
        reader.skip(1)?;
    }
    let name = reader.take(length.min(reader.len()))?;
    let create = Create::new(narrow(name), disposition, options);
    Some(Asked::Content(Content::Create(Box::new(create))))
}

fn setup(block: &Block<'_>) -> Option<Box<Setup>> {
    let mut reader = block.reader();
    let words = reader.u8()?;
    // The next block, sizes, the session's key.
    reader.skip(4 + 2 + 2 + 2 + 4)?;
    let length = usize::from(reader.u16_le()?);
    let mut setup = Setup::default();
    if words == WORDS_WITH_TOKEN {
        reader.skip(4 + 4 + 2)?;
        setup = Setup::of(Token::read(reader.take(length)?));
    } else {
        let wide = usize::from(reader.u16_le()?);
        reader.skip(4 + 4 + 2)?;
        reader.skip(length)?;
        reader.skip(wide)?;
        // The account and its domain.
        let _ = (block.text(&mut reader), block.text(&mut reader));
    }
    setup.client = Some(native(block, &mut reader));
    Some(Box::new(setup))
}

/// The names of a system and of what speaks SMB there.
pub(super) fn native(block: &Block<'_>, reader: &mut Reader<'_>) -> Native {
    let mut text = || block.text(reader).unwrap_or_default();
    Native { system: text(), manager: text() }
}

fn connect(block: &Block<'_>) -> Option<Asked> {
    let mut reader = block.reader();
    reader.skip(1 + 4 + 2)?;
    let length = usize::from(reader.u16_le()?);
    reader.skip(2)?;
    reader.skip(length)?;
    let share = block.text(&mut reader)?.into();
    let service = crate::smb::text::terminated(&mut reader, 0, false)?;
    let connect = Connect { share, asked_service: Some(service), ..Connect::default() };
    Some(Asked::Content(Content::Connect(Box::new(connect))))
}

impl Block<'_> {
    /// The number of a file that a reader comes to.
    pub(super) fn file(&self, reader: &mut Reader<'_>) -> Option<FileId> {
        Some(self.record.file(reader.u16_le()?))
    }
}
