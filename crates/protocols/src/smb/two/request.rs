//! Requests of clients.

use std::sync::Arc;

use super::{PIPE_TRANSCEIVE, Record, command, file};
use crate::gssapi::token::Token;
use crate::smb::anomaly::SmbAnomaly;
use crate::smb::chunks::{Chunk, Coming};
use crate::smb::pipe::Carrier;
use crate::smb::state::{Moment, Read, State, UNKNOWN};
use crate::smb::text::narrow;
use crate::smb::transaction::{
    Command, Connect, Content, Create, Disposition, Negotiation, Rename, Setup, status,
};
use weir_base::Direction;

/// Most dialects of an offer that are shown.
const MAX_DIALECTS: usize = 64;

/// Information types and classes that are set (MS-FSCC 2.4): another name; deletion on close.
const FILE_INFORMATION: u8 = 1;
const RENAME: u8 = 10;
const DISPOSITION: u8 = 13;
const DISPOSITION_EX: u8 = 64;

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
    pub(super) fn request_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Coming> {
        if record.command == command::WRITE {
            let written = self.write_two(moment, record);
            if written.is_none() {
                self.note(SmbAnomaly::MalformedData);
            }
            return written.flatten();
        }
        let (content, anomaly) = match self.asked_two(moment, record) {
            Some(Asked::Done) => return None,
            Some(Asked::Content(content)) => (content, None),
            Some(Asked::Command) => (Content::Generic, None),
            None => (Content::Generic, Some(SmbAnomaly::MalformedData)),
        };
        let anomaly = if let Content::Setup(setup) = &content { setup.anomaly() } else { anomaly };
        if !matches!(content, Content::Generic) || record.is_transaction() {
            self.ask(moment, record.command(), record.ids, content);
        }
        if let Some(anomaly) = anomaly {
            self.note(anomaly);
        }
        None
    }

    /// None where it makes no sense.
    fn asked_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Asked> {
        match record.command {
            command::NEGOTIATE => self.negotiate_two(moment, record),
            command::SESSION_SETUP => setup(record),
            command::TREE_CONNECT => connect(record),
            command::TREE_DISCONNECT => {
                self.trees.remove(&(record.ids.session, record.ids.tree));
                Some(Asked::Command)
            }
            command::CREATE => create(record),
            command::CLOSE => self.close_two(record),
            command::READ => self.read_two(record),
            command::IOCTL => self.ioctl_two(moment, record),
            command::SET_INFO => self.set_info_two(record),
            _ => Some(Asked::Command),
        }
    }

    fn negotiate_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Asked> {
        let mut body = record.body();
        body.skip(2)?;
        let count = usize::from(body.u16_le()?);
        body.skip(8)?;
        let client = body.array()?;
        body.skip(8)?;
        let mut dialects = body.sub(count.checked_mul(2)?)?;
        let numbers = std::iter::from_fn(|| dialects.u16_le()).take(MAX_DIALECTS).collect();
        if self.offers[1].is_none() {
            let offer = Negotiation { numbers, client: Some(client), ..Negotiation::default() };
            let id = self.ask(moment, record.command(), record.ids, Content::Negotiation(Box::new(offer)));
            self.offers[1] = Some(id);
        }
        Some(Asked::Done)
    }

    fn close_two(&mut self, record: &Record<'_>) -> Option<Asked> {
        let mut body = record.body();
        body.skip(8)?;
        let file = file(&mut body)?;
        for direction in Direction::BOTH {
            self.close_file(file, direction, Some(status::SUCCESS));
        }
        Some(Asked::Content(Content::Close(file)))
    }

    fn read_two(&mut self, record: &Record<'_>) -> Option<Asked> {
        let mut body = record.body();
        body.skip(4)?;
        let length = body.u32_le()?;
        let offset = body.u64_le()?;
        let file = file(&mut body)?;
        if exceeds(length, self.max_read, self.settings.max_read_size) {
            self.note(SmbAnomaly::ReadRequestTooLarge);
        } else {
            self.reads.insert((record.ids.session, record.ids.message), Read { file, offset });
        }
        Some(Asked::Done)
    }

    /// None where it makes no sense.
    fn write_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Option<Coming>> {
        let mut body = record.body();
        body.skip(2)?;
        let start = body.u16_le()?;
        let length = body.u32_le()?;
        let offset = body.u64_le()?;
        let file = file(&mut body)?;
        body.skip(16)?;
        if exceeds(length, self.max_write, self.settings.max_write_size) {
            self.note(SmbAnomaly::WriteRequestTooLarge);
            return Some(None);
        }
        let (data, length) = record.data(start.into(), 48, length);
        let chunk = Chunk { file, offset, length, data, nameless: b"", status: None };
        Some(self.chunk(moment, record.command(), record.ids, chunk))
    }

    fn ioctl_two(&mut self, moment: &Moment<'_>, record: &Record<'_>) -> Option<Asked> {
        let mut body = record.body();
        body.skip(4)?;
        let function = body.u32_le()?;
        let pipe = file(&mut body)?;
        let (start, length) = (body.u32_le()? as usize, body.u32_le()? as usize);
        if function == PIPE_TRANSCEIVE {
            let data = record.at(start, length)?;
            if self.carries_calls(pipe, data) {
                let (command, ids) = (record.command(), record.ids);
                let carrier = Carrier { command, ids, pipe, status: None, data, is_answered_at_once: true };
                self.pipe(moment, carrier);
                return Some(Asked::Done);
            }
        }
        Some(Asked::Content(Content::Ioctl(function)))
    }

    fn set_info_two(&mut self, record: &Record<'_>) -> Option<Asked> {
        let mut body = record.body();
        body.skip(2)?;
        let (class, level) = (body.u8()?, body.u8()?);
        let length = body.u32_le()? as usize;
        let start = usize::from(body.u16_le()?);
        body.skip(6)?;
        let file = file(&mut body)?;
        if class != FILE_INFORMATION {
            return Some(Asked::Done);
        }
        let mut data = weir_base::Reader::new(record.at(start, length)?);
        match level {
            RENAME => {
                data.skip(16)?;
                let length = data.u32_le()? as usize;
                let to = narrow(data.take(length)?);
                let from = self.name_or_unknown(file);
                let rename = Rename { file: Some(file), from, to };
                Some(Asked::Content(Content::Rename(Box::new(rename))))
            }
            DISPOSITION | DISPOSITION_EX => {
                let deletes = data.u8()? & 1 != 0;
                let name = self.name(file).or_else(|| self.name_before(record));
                let name = name.unwrap_or_else(|| UNKNOWN.into());
                let (subcommand, level) = (class.into(), level.into());
                let disposition = Disposition { file: Some(file), name, subcommand, level, deletes };
                Some(Asked::Content(Content::Disposition(Box::new(disposition))))
            }
            _ => Some(Asked::Done),
        }
    }

    /// The name that the message before asks for, which opens the file in a chain of messages.
    fn name_before(&mut self, record: &Record<'_>) -> Option<Arc<[u8]>> {
        let mut ids = record.ids;
        ids.message = ids.message.checked_sub(1)?;
        self.asked_name(Command::Two(command::CREATE), ids)
    }
}

/// Whether a length is more than the server offers, or the configuration allows; zero is no limit.
pub(super) const fn exceeds(length: u32, offered: u32, allowed: u64) -> bool {
    offered != 0 && length > offered || allowed != 0 && length as u64 > allowed
}

fn setup(record: &Record<'_>) -> Option<Asked> {
    let mut body = record.body();
    body.skip(12)?;
    let (start, length) = (body.u16_le()?.into(), body.u16_le()?.into());
    body.skip(8)?;
    let token = Token::read(record.at(start, length).unwrap_or(body.rest()));
    Some(Asked::Content(Content::Setup(Box::new(Setup::of(token)))))
}

fn connect(record: &Record<'_>) -> Option<Asked> {
    let mut body = record.body();
    body.skip(4)?;
    let (start, length) = (body.u16_le()?.into(), body.u16_le()?.into());
    let share = narrow(record.at(start, length)?).into();
    Some(Asked::Content(Content::Connect(Box::new(Connect { share, ..Connect::default() }))))
}

fn create(record: &Record<'_>) -> Option<Asked> {
    let mut body = record.body();
    body.skip(36)?;
    let (disposition, options) = (body.u32_le()?, body.u32_le()?);
    let (start, length) = (body.u16_le()?.into(), body.u16_le()?.into());
    body.skip(8)?;
    let name = if length == 0 { &[][..] } else { record.at(start, length)? };
    let create = Create::new(narrow(name), disposition, options);
    Some(Asked::Content(Content::Create(Box::new(create))))
}
