//! The procedures of version 3, RFC 1813 section 3.3.

use weir_base::Reader;

use super::ask::{Answer, Ask, Chunk, MAX_NAME, Naming, Piece};
use super::xdr;

/// Procedures.
pub const GETATTR: u32 = 1;
const LOOKUP: u32 = 3;
const ACCESS: u32 = 4;
/// The one that reads a part of a file.
pub const READ: u32 = 6;
/// The one that writes a part of a file.
pub const WRITE: u32 = 7;
const CREATE: u32 = 8;
const MKDIR: u32 = 9;
const REMOVE: u32 = 12;
const RMDIR: u32 = 13;
/// The one that gives something another name.
pub const RENAME: u32 = 14;
const READDIRPLUS: u32 = 17;
/// The one that makes what was written last.
pub const COMMIT: u32 = 21;

/// Longest handle.
const MAX_HANDLE: usize = 64;

/// The length of attributes.
const ATTRIBUTES: usize = 84;

/// Stability of a write without a commit: data and metadata (RFC 1813 3.3.7).
const FILE_SYNC: u32 = 2;

/// Entries of a directory that are read of a reply.
const MAX_ENTRIES: usize = 1024;

/// Reads the arguments of a call; none where they are malformed.
pub fn ask(procedure: u32, arguments: &[u8]) -> Option<Ask<'_>> {
    let mut reader = Reader::new(arguments);
    Some(match procedure {
        LOOKUP => {
            handle(&mut reader)?;
            Ask::Call { handle: &[], name: Naming::Given(name(&mut reader)?), renamed: None }
        }
        GETATTR | ACCESS | READDIRPLUS => {
            Ask::Call { handle: handle(&mut reader)?, name: Naming::ByHandle, renamed: None }
        }
        READ => Ask::Read { handle: handle(&mut reader)?, offset: reader.u64()? },
        WRITE => {
            let (handle, offset) = (handle(&mut reader)?, reader.u64()?);
            reader.skip(4)?;
            let is_stable = reader.u32()? == FILE_SYNC;
            Ask::Write { handle, chunk: Chunk { offset, is_stable, data: xdr::data(&mut reader)? } }
        }
        CREATE | REMOVE | MKDIR | RMDIR => {
            Ask::Call { handle: handle(&mut reader)?, name: Naming::Given(name(&mut reader)?), renamed: None }
        }
        RENAME => {
            let (from_handle, from) = (handle(&mut reader)?, name(&mut reader)?);
            handle(&mut reader)?;
            Ask::Call { handle: from_handle, name: Naming::Given(from), renamed: Some(name(&mut reader)?) }
        }
        COMMIT => Ask::Commit { handle: handle(&mut reader)? },
        _ => Ask::Call { handle: &[], name: Naming::Nothing, renamed: None },
    })
}

fn handle<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    xdr::opaque(reader, MAX_HANDLE)
}

fn name<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    xdr::opaque(reader, MAX_NAME)
}

fn skip_attributes(reader: &mut Reader<'_>) -> Option<()> {
    match reader.u32()? {
        0 => Some(()),
        _ => reader.skip(ATTRIBUTES),
    }
}

/// Reads the results of a reply; none where they are malformed.
pub fn answer(procedure: u32, results: &[u8]) -> Option<Answer<'_>> {
    let mut reader = Reader::new(results);
    // Nothing comes of a call of the procedure that does nothing.
    let Some(status) = reader.u32() else { return Some(Answer::default()) };
    let mut answer = Answer::of_status(status);
    if status != 0 {
        return Some(answer);
    }
    match procedure {
        LOOKUP => answer.handle = Some(handle(&mut reader)?),
        CREATE if reader.u32()? != 0 => answer.handle = Some(handle(&mut reader)?),
        READ => {
            skip_attributes(&mut reader)?;
            reader.skip(4)?;
            let is_end = reader.u32()? != 0;
            answer.piece = Some(Piece { is_end, size: None, data: xdr::data(&mut reader)? });
        }
        READDIRPLUS => {
            skip_attributes(&mut reader)?;
            reader.skip(8)?;
            while answer.entries.len() < MAX_ENTRIES && reader.u32()? != 0 {
                answer.entries.extend(entry(&mut reader)?);
            }
        }
        _ => {}
    }
    Some(answer)
}

/// An entry of a directory; inside, none where its handle is not said.
fn entry<'a>(reader: &mut Reader<'a>) -> Option<Option<(&'a [u8], &'a [u8])>> {
    reader.skip(8)?;
    let name = name(reader)?;
    reader.skip(8)?;
    skip_attributes(reader)?;
    Some(match reader.u32()? {
        0 => None,
        _ => Some((handle(reader)?, name)),
    })
}
