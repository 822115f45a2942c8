//! Responses of servers.

use std::sync::Arc;

use super::request::native;
use super::{Block, command};
use crate::gssapi::token::Token;
use crate::smb::anomaly::SmbAnomaly;
use crate::smb::chunks::{Chunk, Coming};
use crate::smb::pipe::Carrier;
use crate::smb::state::{Moment, State};
use crate::smb::text::terminated;
use crate::smb::transaction::{Command, Content, Dialect, Ids, Native, Times, status};
use weir_base::Direction;

/// The service of pipes.
const PIPES: &[u8] = b"IPC";

/// The words of a server's NEGOTIATE response, and the flag of one with a token.
const WORDS_OF_NT: u8 = 17;
const EXTENDED_SECURITY: u32 = 0x8000_0000;

impl State {
    pub(super) fn response_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<Coming> {
        let status = block.record.status();
        let succeeded = block.record.status == 0;
        let is_well = match block.command {
            command::READ_ANDX => {
                let read = self.read_answer_one(moment, block);
                if read.is_none() {
                    self.note(SmbAnomaly::MalformedData);
                }
                return read.flatten();
            }
            command::NEGOTIATE => self.negotiate_answer_one(moment, block),
            command::TREE_CONNECT_ANDX => self.connect_answer_one(moment, block),
            command::NT_CREATE_ANDX if succeeded => self.create_answer_one(moment, block),
            command::TRANSACTION => self.transaction_answer_one(moment, block),
            command::SESSION_SETUP_ANDX => self.setup_answer_one(moment, block),
            command::CLOSE => {
                let asked = self.asked(block.command(), block.record.ids);
                if let Some(Content::Close(file)) = asked.map(|asked| &asked.content) {
                    let file = *file;
                    self.close_file(file, Direction::ToClient, None);
                }
                self.plain_answer_one(moment, block)
            }
            command::TREE_DISCONNECT => {
                let Ids { session, tree, .. } = block.record.ids;
                self.trees.remove(&(session, tree));
                self.plain_answer_one(moment, block)
            }
            _ => self.plain_answer_one(moment, block),
        };
        if is_well.is_none() {
            let id = self.answer_to(moment, block.command(), block.record.ids, status);
            match id.and_then(|id| self.transactions.by_id_mut(id)) {
                Some(transaction) => transaction.note(SmbAnomaly::MalformedData),
                None => self.note(SmbAnomaly::MalformedData),
            }
        }
        None
    }

    fn plain_answer_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<()> {
        let (command, status) = (block.command(), block.record.status());
        let found = self.answer_to(moment, command, block.record.ids, status).is_some();
        // The user may be another one once a session is over.
        if !found && block.command == command::LOGOFF_ANDX {
            let last = self.transactions.last_mut().filter(|last| last.command == command);
            if let Some(id) = last.map(|last| last.meta.id) {
                self.answer(moment, id, status);
            }
        }
        Some(())
    }

    fn negotiate_answer_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<()> {
        let mut reader = block.reader();
        let words = reader.u8()?;
        let index = if words == 0 { 0 } else { usize::from(reader.u16_le()?) };
        let mut server = None;
        let mut has_token = false;
        if words >= WORDS_OF_NT {
            reader.skip(1 + 2 + 2 + 4 + 4 + 4)?;
            let capabilities = reader.u32_le()?;
            reader.skip(8 + 2 + 1)?;
            let bytes = reader.u16_le()?;
            if bytes >= 16 {
                server = Some(reader.array()?);
            }
            has_token = capabilities & EXTENDED_SECURITY != 0 && Token::read(reader.rest()).is_negotiation;
        }
        let id = self.offers[0].take()?;
        let mut chosen = None;
        if let Some(transaction) = self.transactions.by_id_mut(id)
            && let Content::Negotiation(offer) = &mut transaction.content
        {
            (offer.server, offer.has_token) = (server, has_token);
            chosen = offer.names.get(index).map(Arc::clone);
            if chosen.is_none() {
                transaction.note(SmbAnomaly::NegotiateMalformedDialects);
            }
        }
        if let Some(name) = chosen {
            self.dialect = Dialect::One(name);
        }
        self.answer(moment, id, block.record.status());
        Some(())
    }

    fn connect_answer_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<()> {
        let ids = block.record.ids;
        let mut read = None;
        if block.record.status == 0 {
            let mut reader = block.reader();
            let words = reader.u8()?;
            reader.skip(usize::from(words) * 2 + 2)?;
            let service = terminated(&mut reader, 0, false)?;
            let system = block.text(&mut reader).unwrap_or_default();
            read = Some((service, system));
        }
        let Some(transaction) = self.asked(block.command(), ids) else { return Some(()) };
        let id = transaction.meta.id;
        if let (Content::Connect(connect), Some((service, system))) = (&mut transaction.content, read) {
            connect.is_pipe = service == PIPES;
            connect.service = Some(service);
            connect.file_system = system;
            let (share, is_pipe) = (connect.shown(Command::One(block.command)).into(), connect.is_pipe);
            self.connected(ids, share, is_pipe);
        }
        self.answer(moment, id, block.record.status());
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.ids = ids;
        }
        Some(())
    }

    fn create_answer_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<()> {
        let mut reader = block.reader();
        reader.skip(1 + 4 + 1)?;
        let file = block.file(&mut reader)?;
        reader.skip(4)?;
        let (created, accessed) = (reader.u64_le()?, reader.u64_le()?);
        let (modified, changed) = (reader.u64_le()?, reader.u64_le()?);
        // The attributes.
        reader.skip(4)?;
        let (on_disk, size) = (reader.u64_le()?, reader.u64_le()?);
        let times = Times { created, accessed, modified, changed };
        self.note_opened(moment, (block.command(), block.record.ids), (file, times, size, on_disk));
        Some(())
    }

    /// None where it makes no sense.
    fn read_answer_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<Option<Coming>> {
        let status = block.record.status();
        if block.record.status != 0 && status != status::BUFFER_OVERFLOW {
            return Some(None);
        }
        let mut reader = block.reader();
        reader.skip(1 + 4 + 6)?;
        let (low, start, high) = (reader.u16_le()?, reader.u16_le()?, reader.u16_le()?);
        reader.skip(8 + 2)?;
        let Ids { session, message, .. } = block.record.ids;
        let Some(read) = self.reads.remove(&(session, message)) else { return Some(None) };
        let said = u64::from(high) << 16 | u64::from(low);
        let (data, length) = block.data(&reader, start.into(), said);
        let status = Some(status).filter(|_| self.is_pipe(block.record.ids) == Some(true));
        let chunk = Chunk { file: read.file, offset: read.offset, length, data, nameless: b"", status };
        Some(self.chunk(moment, block.command(), block.record.ids, chunk))
    }

    fn transaction_answer_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<()> {
        let Ids { session, message, .. } = block.record.ids;
        let pipe = self.asked_pipes.remove(&(session, message));
        let mut reader = block.reader();
        let words = reader.u8()?;
        if words == 0 {
            return self.plain_answer_one(moment, block);
        }
        reader.skip(2 + 2 + 2 + 2 + 2 + 2)?;
        let (count, start) = (reader.u16_le()?.into(), reader.u16_le()?.into());
        let data = block.record.at(start, count)?;
        if let Some(pipe) = pipe.filter(|_| !data.is_empty())
            && self.carries_calls(pipe, data)
        {
            let (command, ids) = (block.command(), block.record.ids);
            let status = Some(block.record.status());
            let is_answered_at_once = false;
            self.pipe(moment, Carrier { command, ids, pipe, status, data, is_answered_at_once });
        }
        self.plain_answer_one(moment, block)
    }

    fn setup_answer_one(&mut self, moment: &Moment<'_>, block: &Block<'_>) -> Option<()> {
        let answer = setup_answer(block);
        let is_well = answer.is_some();
        let ids = block.record.ids;
        self.setup_answer(moment, block.command(), ids, block.record.status(), |setup| {
            if let Some((token, server)) = answer {
                setup.answered(token);
                setup.server = Some(server);
            }
        });
        is_well.then_some(())
    }
}

fn setup_answer(block: &Block<'_>) -> Option<(Token, Native)> {
    let mut reader = block.reader();
    let words = reader.u8()?;
    let mut token = Token::default();
    match words {
        0 => reader.skip(2)?,
        3 => reader.skip(4 + 2 + 2)?,
        // Whatever the count of words: the token is looked for where one of four has it.
        _ => {
            reader.skip(4 + 2)?;
            let length = usize::from(reader.u16_le()?);
            reader.skip(2)?;
            token = Token::read(reader.take(length)?);
        }
    }
    Some((token, native(block, &mut reader)))
}
