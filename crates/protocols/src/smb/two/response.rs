//! Responses of servers.

use std::sync::Arc;

use super::request::exceeds;
use super::{PIPE_TRANSCEIVE, Record, command, file};
use crate::gssapi::token::Token;
use crate::smb::anomaly::SmbAnomaly;
use crate::smb::chunks::{Chunk, Coming};
use crate::smb::pipe::Carrier;
use crate::smb::state::{Moment, State, UNKNOWN};
use crate::smb::transaction::{Command, Content, Dialect, Ids, Setup, Status, Times, status};

/// The kind of a share of pipes.
const PIPE: u8 = 2;

impl State {
    pub(super) fn response_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Coming> {
        let succeeded = record.status() == status::SUCCESS;
        let is_well = match record.command {
            command::READ => {
                let read = self.read_answer_two(moment, record);
                if read.is_none() {
                    self.note(SmbAnomaly::MalformedData);
                }
                return read.flatten();
            }
            command::NEGOTIATE => self.negotiate_answer_two(moment, record),
            command::SESSION_SETUP => self.setup_answer_two(moment, record),
            command::TREE_CONNECT if succeeded => self.connect_answer_two(moment, record),
            command::CREATE if succeeded => self.create_answer_two(moment, record),
            command::IOCTL => self.ioctl_answer_two(moment, record),
            command::TREE_DISCONNECT => {
                self.trees.remove(&(record.ids.session, record.ids.tree));
                self.plain_answer_two(moment, record)
            }
            _ => self.plain_answer_two(moment, record),
        };
        if is_well.is_none() {
            let id = self.answer_to(moment, record.command(), record.ids, record.status());
            match id.and_then(|id| self.transactions.by_id_mut(id)) {
                Some(transaction) => transaction.note(SmbAnomaly::MalformedData),
                None => self.note(SmbAnomaly::MalformedData),
            }
        }
        None
    }

    fn plain_answer_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<()> {
        self.answer_to(moment, record.command(), record.ids, record.status());
        Some(())
    }

    fn negotiate_answer_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<()> {
        let mut body = record.body();
        let (mut server, mut has_token) = (None, false);
        (self.max_read, self.max_write) = (0, 0);
        if record.status() == status::SUCCESS {
            body.skip(4)?;
            self.dialect = Dialect::Two(body.u16_le()?);
            body.skip(2)?;
            server = Some(body.array()?);
            body.skip(8)?;
            (self.max_read, self.max_write) = (body.u32_le()?, body.u32_le()?);
            let token = body.skip(16).and_then(|()| {
                let (start, length) = (body.u16_le()?.into(), body.u16_le()?.into());
                record.at(start, length)
            });
            has_token = token.is_some_and(|token| Token::read(token).is_negotiation);
        } else {
            body.skip(4)?;
        }
        // A server may answer an offer of version 1 with version 2.
        let offer = self.offers[1].take().or_else(|| self.offers[0].take());
        let (max_read, max_write) = (self.max_read, self.max_write);
        if let Some(id) = offer {
            if let Some(transaction) = self.transactions.by_id_mut(id) {
                let Ids { session, tree, .. } = record.ids;
                (transaction.ids.session, transaction.ids.tree) = (session, tree);
                if let Content::Negotiation(offer) = &mut transaction.content {
                    (offer.server, offer.has_token) = (server, has_token);
                    (offer.max_read, offer.max_write) = (max_read, max_write);
                }
            }
            self.answer(moment, id, record.status());
        }
        let allowed = (self.settings.max_read_size, self.settings.max_write_size);
        if exceeds(max_read, 0, allowed.0) {
            self.note(SmbAnomaly::NegotiateMaxReadSizeTooLarge);
        }
        if exceeds(max_write, 0, allowed.1) {
            self.note(SmbAnomaly::NegotiateMaxWriteSizeTooLarge);
        }
        Some(())
    }

    fn setup_answer_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<()> {
        let mut body = record.body();
        let token = body.skip(4).and_then(|()| {
            let (start, length) = (body.u16_le()?.into(), body.u16_le()?.into());
            record.at(start, length)
        });
        let token = token.map(Token::read);
        self.setup_answer(moment, record.command(), record.ids, record.status(), |setup| {
            if let Some(token) = token {
                setup.answered(token);
            }
        });
        Some(())
    }

    fn connect_answer_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<()> {
        let mut body = record.body();
        body.skip(2)?;
        let kind = body.u8()?;
        body.skip(13)?;
        let is_pipe = kind == PIPE;
        let Some(transaction) = self.asked(record.command(), record.ids) else { return Some(()) };
        let id = transaction.meta.id;
        if let Content::Connect(connect) = &mut transaction.content {
            (connect.kind, connect.is_pipe) = (kind, is_pipe);
            let share = Arc::clone(&connect.share);
            self.connected(record.ids, share, is_pipe);
        }
        self.answer(moment, id, record.status());
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.ids = record.ids;
        }
        Some(())
    }

    fn create_answer_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<()> {
        let mut body = record.body();
        body.skip(8)?;
        let (created, accessed) = (body.u64_le()?, body.u64_le()?);
        let (modified, changed) = (body.u64_le()?, body.u64_le()?);
        body.skip(8)?;
        let size = body.u64_le()?;
        body.skip(8)?;
        let file = file(&mut body)?;
        let times = Times { created, accessed, modified, changed };
        self.note_opened(moment, (record.command(), record.ids), (file, times, size, size));
        Some(())
    }

    /// None where it makes no sense.
    fn read_answer_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Option<Coming>> {
        let status = record.status();
        let key = (record.ids.session, record.ids.message);
        if status == status::END_OF_FILE {
            if let Some(read) = self.reads.remove(&key) {
                self.end_file(read.file, status);
            }
            return Some(None);
        }
        if status != status::SUCCESS && status != status::BUFFER_OVERFLOW {
            return Some(None);
        }
        let mut body = record.body();
        body.skip(2)?;
        let start = body.u8()?;
        body.skip(1)?;
        let length = body.u32_le()?;
        body.skip(8)?;
        if exceeds(length, self.max_read, self.settings.max_read_size) {
            self.note(SmbAnomaly::ReadResponseTooLarge);
            return Some(None);
        }
        let Some(read) = self.reads.remove(&key) else { return Some(None) };
        let (data, length) = record.data(start.into(), 16, length);
        let status = Some(status);
        let chunk = Chunk { file: read.file, offset: read.offset, length, data, nameless: UNKNOWN, status };
        Some(self.chunk(moment, record.command(), record.ids, chunk))
    }

    fn ioctl_answer_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<()> {
        let status = record.status();
        let mut body = record.body();
        let read = body.skip(4).and_then(|()| {
            let function = body.u32_le()?;
            let pipe = file(&mut body)?;
            body.skip(8)?;
            let (start, length) = (body.u32_le()? as usize, body.u32_le()? as usize);
            Some((function, pipe, record.at(start, length)?))
        });
        let is_call =
            self.asked(record.command(), record.ids).is_none_or(|transaction| transaction.call().is_some());
        let has_data = status == status::SUCCESS || status == status::BUFFER_OVERFLOW;
        match read {
            Some((PIPE_TRANSCEIVE, pipe, data)) if is_call && has_data && self.carries_calls(pipe, data) => {
                let (command, ids) = (record.command(), record.ids);
                let status = Some(status);
                let is_answered_at_once = true;
                self.pipe(moment, Carrier { command, ids, pipe, status, data, is_answered_at_once });
                Some(())
            }
            None if status == status::SUCCESS => None,
            _ => self.plain_answer_two(moment, record),
        }
    }

    /// The answer to a client that makes itself known, whose session may only now have got its number.
    pub(in crate::smb) fn setup_answer(
        &mut self,
        moment: &Moment<'_>,
        command: Command,
        ids: Ids,
        status: Status,
        tell: impl FnOnce(&mut Setup),
    ) {
        let asked = if self.asked(command, ids).is_some() { ids } else { Ids { session: 0, ..ids } };
        let Some(transaction) = self.asked(command, asked) else { return };
        let id = transaction.meta.id;
        if let Content::Setup(setup) = &mut transaction.content {
            tell(setup);
        }
        self.answer(moment, id, status);
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.ids = ids;
            // One that is answered later is so by the session's number.
            if transaction.is_open() && ids != asked {
                self.forget((command, asked.session, asked.message), id);
                self.wait((command, ids.session, ids.message), id);
            }
        }
    }
}
