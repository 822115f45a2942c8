//! The procedures of version 2, RFC 1094 section 2.2.

use weir_base::Reader;

use super::ask::{Answer, Ask, MAX_NAME, Naming, Piece};
use super::xdr;

/// Procedures.
pub const GETATTR: u32 = 1;
const LOOKUP: u32 = 4;
/// The one that reads a part of a file.
pub const READ: u32 = 6;
const CREATE: u32 = 9;
const REMOVE: u32 = 10;
/// The one that gives something another name.
pub const RENAME: u32 = 11;
const MKDIR: u32 = 14;
const RMDIR: u32 = 15;

/// The length of a handle, and of attributes.
const HANDLE: usize = 32;
const ATTRIBUTES: usize = 68;

/// Reads the arguments of a call; none where they are malformed.
pub fn ask(procedure: u32, arguments: &[u8]) -> Option<Ask<'_>> {
    let mut reader = Reader::new(arguments);
    Some(match procedure {
        GETATTR => Ask::Call { handle: reader.take(HANDLE)?, name: Naming::ByHandle, renamed: None },
        LOOKUP => {
            reader.skip(HANDLE)?;
            Ask::Call { handle: &[], name: Naming::Given(name(&mut reader)?), renamed: None }
        }
        READ => Ask::Read { handle: reader.take(HANDLE)?, offset: reader.u32()?.into() },
        CREATE | REMOVE | MKDIR | RMDIR => {
            Ask::Call { handle: reader.take(HANDLE)?, name: Naming::Given(name(&mut reader)?), renamed: None }
        }
        RENAME => {
            let (handle, from) = (reader.take(HANDLE)?, name(&mut reader)?);
            reader.skip(HANDLE)?;
            Ask::Call { handle, name: Naming::Given(from), renamed: Some(name(&mut reader)?) }
        }
        _ => Ask::Call { handle: &[], name: Naming::Nothing, renamed: None },
    })
}

fn name<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    xdr::opaque(reader, MAX_NAME)
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
        LOOKUP | CREATE => answer.handle = Some(reader.take(HANDLE)?),
        READ => {
            let mut attributes = reader.sub(ATTRIBUTES)?;
            // The type, the mode, links, the user, the group; the size follows.
            attributes.skip(20)?;
            let size = attributes.u32().map(u64::from);
            answer.piece = Some(Piece { is_end: false, size, data: xdr::data(&mut reader)? });
        }
        _ => {}
    }
    Some(answer)
}
