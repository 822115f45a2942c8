//! Events of messages of version 1.
//!
//! Of a chain of commands, the last one's event comes first.

mod request;
mod response;
mod transaction;

use weir_applayer::HeardMessage;
use weir_applayer::zeek::EventSink;
use weir_base::{Direction, EventValue, Reader};

use super::{Block, Record, UNICODE};
use crate::gssapi::ntlmssp::utf8_of_utf16;
use crate::smb::events::{ONE_EMPTY, ONE_ERROR, ONE_MESSAGE, SmbRaiser, Telling};

/// Bytes of a message that has neither words nor bytes.
const EMPTY: usize = super::HEADER_LENGTH + 3;

/// Capabilities of sessions (MS-CIFS 2.2.4.53.1) in the order of Zeek's record: those of requests, and those that only
/// servers have (MS-CIFS 2.2.4.52.2) behind and among them.
mod capability {
    pub(super) const OF_SETUP: [u32; 6] = [0x4, 0x8, 0x10, 0x40, 0x80, 0x200];
    pub(super) const OF_SERVER: [u32; 18] = [
        0x1,
        0x2,
        0x4,
        0x8,
        0x10,
        0x20,
        0x40,
        0x80,
        0x100,
        0x200,
        0x1000,
        0x2000,
        0x4000,
        0x8000,
        0x80_0000,
        0x2000_0000,
        0x4000_0000,
        EXTENDED_SECURITY,
    ];
    pub(super) const EXTENDED_SECURITY: u32 = 0x8000_0000;
}

/// Raises the events of a message.
pub(in crate::smb) fn raise(
    raiser: &mut SmbRaiser,
    heard: &HeardMessage,
    sink: &mut dyn EventSink,
) -> Option<()> {
    let record = Record::read(&heard.bytes, heard.bytes.len())?;
    let is_orig = heard.direction == Direction::ToServer;
    let header = header(&record)?;
    let header = EventValue::Record(&header);
    sink.raise(ONE_MESSAGE, &[EventValue::Connection, header, is_orig.into()]);
    if heard.bytes.len() == EMPTY {
        match record.status {
            0 => sink.raise(ONE_EMPTY, &[EventValue::Connection, header]),
            _ => sink.raise(ONE_ERROR, &[EventValue::Connection, header, is_orig.into()]),
        }
        return Some(());
    }
    let mut telling = Telling { header, sink };
    let blocks: Vec<Block<'_>> = record.blocks().collect();
    for block in blocks.into_iter().rev() {
        let body = Body { reader: block.reader(), block };
        // What does not fit its format has no event of its own.
        let _ = if is_orig {
            request::raise(raiser, body, &mut telling)
        } else {
            response::raise(raiser, body, &mut telling)
        };
    }
    Some(())
}

/// The header as a record: command, status, both flags, share, process, user, number.
fn header(record: &Record<'_>) -> Option<[EventValue<'static>; 8]> {
    let mut reader = Reader::new(record.bytes);
    reader.skip(4 + 1 + 4 + 1 + 2)?;
    let process_high = reader.u16_le()?;
    reader.skip(8 + 2 + 2)?;
    let process = u32::from(process_high) << 16 | u32::from(reader.u16_le()?);
    Some([
        record.command.into(),
        record.status.into(),
        record.flags.into(),
        record.flags2.into(),
        record.ids.tree.into(),
        process.into(),
        record.ids.session.into(),
        record.ids.message.into(),
    ])
}

/// One command, read from the number of its words on.
struct Body<'a> {
    block: Block<'a>,
    reader: Reader<'a>,
}

impl<'a> Body<'a> {
    /// The text that comes next, aligned where it is in UTF-16, in UTF-8. It ends with a zero or with the message.
    fn text(&mut self) -> Option<Vec<u8>> {
        if self.block.record.flags2 & UNICODE == 0 {
            return self.narrow_text();
        }
        if self.block.place(&self.reader) % 2 == 1 {
            self.reader.skip(1)?;
        }
        let (units, _) = self.reader.rest().as_chunks::<2>();
        let end = units.iter().position(|unit| *unit == [0, 0]);
        let text = self.reader.take(2 * end.unwrap_or(units.len()))?;
        // At the end of a message, half of the zero may be left out.
        self.reader.skip(self.reader.len().min(2))?;
        Some(utf8_of_utf16(text))
    }

    /// The text that comes next, a byte for each character.
    fn narrow_text(&mut self) -> Option<Vec<u8>> {
        let rest = self.reader.rest();
        let end = memchr::memchr(0, rest);
        let text = self.reader.take(end.unwrap_or(rest.len()))?.to_vec();
        self.reader.skip(end.map_or(0, |_| 1))?;
        Some(text)
    }

    /// Content that stands elsewhere in the message, by its length and its place behind the header.
    fn content(&mut self) -> Option<Content<'a>> {
        let (count, offset) = (self.reader.u16_le()?, self.reader.u16_le()?);
        let bytes = self.block.record.at(offset.into(), count.into());
        Some(Content { count, offset, bytes: if count == 0 { Some(&[]) } else { bytes } })
    }
}

/// Content of a transaction.
#[derive(Clone, Copy)]
struct Content<'a> {
    count: u16,
    offset: u16,
    bytes: Option<&'a [u8]>,
}
