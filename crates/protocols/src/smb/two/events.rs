//! Events of messages of versions 2 and 3.

mod information;
mod negotiation;
mod request;
mod response;

use weir_applayer::HeardMessage;
use weir_applayer::zeek::EventSink;
use weir_base::{Direction, EventValue, Reader};

use super::{Record, command};
use crate::gssapi::ntlmssp::utf8_of_utf16;
use crate::smb::events::{PENDING, SmbRaiser, TRANSFORM, TWO_MESSAGE, Telling, bits};
use crate::smb::transaction::{Status, status};

/// Most messages of a chain that are looked at.
const MAX_CHAIN: usize = 256;

/// The status of an authentication that goes on (MS-ERREF 2.3.1).
const MORE_PROCESSING_REQUIRED: Status = Status::Nt(0xc000_0016);

/// Bits of a file's attributes (MS-FSCC 2.6) in the order of Zeek's record.
const ATTRIBUTES: [u32; 15] =
    [0x1, 0x2, 0x4, 0x10, 0x20, 0x80, 0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000, 0x2_0000];

/// Requests without an answer, by their places among [`PENDING`].
const OF_ANY_KIND: usize = 0;
const READS: usize = 1;
const FUNCTIONS: usize = 2;

/// Raises the events of a chain of messages.
pub(in crate::smb) fn raise(
    raiser: &mut SmbRaiser,
    heard: &HeardMessage,
    sink: &mut dyn EventSink,
) -> Option<()> {
    let mut bytes = &heard.bytes[..];
    for _ in 0..MAX_CHAIN {
        let record = Record::read(bytes, bytes.len())?;
        message(raiser, &record, heard.direction, sink);
        bytes = bytes.get(record.next()?..)?;
    }
    None
}

fn message(raiser: &mut SmbRaiser, record: &Record<'_>, direction: Direction, sink: &mut dyn EventSink) {
    let Some(header) = header(record) else { return };
    let is_orig = direction == Direction::ToServer;
    if is_orig {
        raiser.wait(OF_ANY_KIND, record.ids.message, sink);
    } else if record.status() != status::PENDING {
        raiser.answered(OF_ANY_KIND, record.ids.message);
    }
    let mut telling = Telling { header: EventValue::Record(&header), sink };
    telling.raise(TWO_MESSAGE, &[is_orig.into()]);
    let is_read = [status::SUCCESS, status::BUFFER_OVERFLOW, MORE_PROCESSING_REQUIRED];
    if is_read.contains(&record.status()) {
        // What does not fit its format has no event of its own.
        let _ = if is_orig {
            request::raise(raiser, record, &mut telling)
        } else {
            response::raise(raiser, record, &mut telling)
        };
    }
}

/// The header as a record.
fn header<'a>(record: &Record<'a>) -> Option<[EventValue<'a>; 10]> {
    let mut reader = Reader::new(record.bytes);
    reader.skip(4 + 2)?;
    let charge = reader.u16_le()?;
    reader.skip(4 + 2)?;
    let credits = reader.u16_le()?;
    reader.skip(4 + 4 + 8)?;
    let (process, tree) = (reader.u32_le()?, reader.u32_le()?);
    reader.skip(8)?;
    let signature = reader.take(16)?;
    Some([
        charge.into(),
        record.status.into(),
        record.command.into(),
        credits.into(),
        record.flags.into(),
        record.ids.message.into(),
        process.into(),
        tree.into(),
        record.ids.session.into(),
        EventValue::String(signature),
    ])
}

/// Raises the event of a message that nobody can read (MS-SMB2 2.2.41).
pub(in crate::smb) fn encrypted(bytes: &[u8], sink: &mut dyn EventSink) -> Option<()> {
    let mut reader = Reader::new(bytes);
    reader.skip(4)?;
    let (signature, nonce) = (reader.take(16)?, reader.take(16)?);
    let size = reader.u32_le()?;
    reader.skip(2)?;
    let (flags, session) = (reader.u16_le()?, reader.u64_le()?);
    let fields =
        [EventValue::String(signature), EventValue::String(nonce), size.into(), flags.into(), session.into()];
    sink.raise(TRANSFORM, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

/// The number of a file, or what identifies an end, as a record: its persistent and its volatile part.
fn guid(reader: &mut Reader<'_>) -> Option<[EventValue<'static>; 2]> {
    Some([reader.u64_le()?.into(), reader.u64_le()?.into()])
}

/// A text in UTF-8, up to a zero.
fn text(bytes: &[u8]) -> Vec<u8> {
    let mut text = utf8_of_utf16(bytes);
    text.truncate(memchr::memchr(0, &text).unwrap_or(text.len()));
    text
}

/// The attributes of a file, which come next.
fn attributes(reader: &mut Reader<'_>) -> Option<[EventValue<'static>; 15]> {
    Some(bits(reader.u32_le()?, ATTRIBUTES))
}

/// Content that stands elsewhere in a message, by its place and its length.
fn content<'a>(record: &Record<'a>, reader: &mut Reader<'_>) -> Option<&'a [u8]> {
    let (start, length) = (usize::from(reader.u16_le()?), usize::from(reader.u16_le()?));
    if length == 0 { Some(&[]) } else { record.at(start, length) }
}

const _: () = assert!(PENDING.len() == FUNCTIONS + 1);
