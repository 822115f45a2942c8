//! The event of a server's choice of a dialect (MS-SMB2 2.2.4), with what version 3.1.1 adds to it.

use weir_base::{EventValue, Reader};

use super::super::Record;
use super::guid;
use crate::gssapi::events::seconds;
use crate::smb::events::{TWO_NEGOTIATED, Telling};

/// The dialect that has contexts.
const SMB_3_1_1: u16 = 0x0311;

/// Types of contexts (MS-SMB2 2.2.3.1).
const PREAUTHENTICATION: u16 = 1;
const ENCRYPTION: u16 = 2;
const COMPRESSION: u16 = 3;
const NET_NAME: u16 = 5;

/// Most contexts, and most numbers of one, that are shown.
const MAX_CONTEXTS: usize = 64;
const MAX_NUMBERS: usize = 256;

pub(super) fn raise(record: &Record<'_>, mut body: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let (mode, dialect, count) = (body.u16_le()?, body.u16_le()?, body.u16_le()?);
    let server = guid(&mut body)?;
    // Capabilities, most bytes of transactions, reads and writes.
    body.skip(4 + 4 + 4 + 4)?;
    let (now, started) = (body.u64_le()?, body.u64_le()?);
    let token = super::content(record, &mut body);
    let start = body.u32_le()? as usize;
    let contexts = if dialect == SMB_3_1_1 { contexts(record, start, count) } else { Vec::new() };
    let parts: Vec<_> = contexts.iter().map(Context::part).collect();
    let fields: Vec<_> = contexts.iter().zip(&parts).map(|(context, part)| context.fields(part)).collect();
    let values: Vec<_> = fields.iter().map(|fields| EventValue::Record(fields)).collect();
    let response = [
        dialect.into(),
        mode.into(),
        EventValue::Record(&server),
        EventValue::Moment(seconds(now)),
        EventValue::Moment(seconds(started)),
        count.into(),
        EventValue::List(&values),
    ];
    telling.raise(TWO_NEGOTIATED, &[EventValue::Record(&response)]);
    telling.token(token?);
    Some(())
}

/// A context of a server's choice of a dialect (MS-SMB2 2.2.4.1).
struct Context<'a> {
    kind: u16,
    length: u16,
    /// How many numbers there are to be, and those that are there: algorithms, or ciphers.
    count: u16,
    numbers: Vec<EventValue<'static>>,
    /// A salt, or a name.
    bytes: &'a [u8],
}

fn contexts<'a>(record: &Record<'a>, start: usize, count: u16) -> Vec<Context<'a>> {
    let mut contexts = Vec::new();
    let mut start = start;
    while contexts.len() < usize::from(count).min(MAX_CONTEXTS) {
        let bytes = record.bytes.get(start..).unwrap_or_default();
        let Some((context, length)) = Context::read(bytes) else { break };
        contexts.push(context);
        start = start.saturating_add(length).next_multiple_of(8);
    }
    contexts
}

impl<'a> Context<'a> {
    /// Returns the context that bytes begin with, and how many of them it takes.
    fn read(bytes: &'a [u8]) -> Option<(Self, usize)> {
        let mut reader = Reader::new(bytes);
        let (kind, length) = (reader.u16_le()?, reader.u16_le()?);
        reader.skip(4)?;
        let content = reader.take(length.into())?;
        let mut data = Reader::new(content);
        let mut context = Self { kind, length, count: 0, numbers: Vec::new(), bytes: &[] };
        match kind {
            PREAUTHENTICATION => {
                context.count = data.u16_le()?;
                let salt = data.u16_le()?;
                context.numbers(&mut data)?;
                context.bytes = data.take(salt.into())?;
            }
            ENCRYPTION => {
                context.count = data.u16_le()?;
                context.numbers(&mut data)?;
            }
            COMPRESSION => {
                context.count = data.u16_le()?;
                data.skip(2 + 4)?;
                context.numbers(&mut data)?;
            }
            NET_NAME => context.bytes = content,
            _ => {}
        }
        Some((context, reader.position()))
    }

    fn numbers(&mut self, data: &mut Reader<'_>) -> Option<()> {
        let mut numbers = data.sub(usize::from(self.count) * 2)?;
        let all = std::iter::from_fn(|| numbers.u16_le()).take(MAX_NUMBERS);
        self.numbers = all.map(EventValue::from).collect();
        Some(())
    }

    /// Fields of the record that contexts of its kind have.
    fn part(&self) -> Vec<EventValue<'_>> {
        let (count, numbers) = (self.count.into(), EventValue::List(&self.numbers));
        match self.kind {
            PREAUTHENTICATION => {
                vec![count, self.bytes.len().into(), numbers, EventValue::String(self.bytes)]
            }
            ENCRYPTION | COMPRESSION => vec![count, numbers],
            _ => Vec::new(),
        }
    }

    fn fields<'s>(&'s self, part: &'s [EventValue<'s>]) -> [EventValue<'s>; 6] {
        let of = |kind| if self.kind == kind { EventValue::Record(part) } else { EventValue::Unset };
        let name = (self.kind == NET_NAME).then_some(self.bytes);
        [
            self.kind.into(),
            self.length.into(),
            of(PREAUTHENTICATION),
            of(ENCRYPTION),
            of(COMPRESSION),
            EventValue::bytes(name),
        ]
    }
}
