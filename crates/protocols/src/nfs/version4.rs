//! The compounds of version 4: RFC 7530 section 16, RFC 8881 section 18 and RFC 7862 section 15.
//!
//! A compound is a row of operations without lengths: all that stand before one that is of interest have to be
//! read to find it. One that is not known ends what is read of a compound.

use weir_base::Reader;

use super::ask::{Chunk, MAX_HANDLE, MAX_NAME, Piece};
use super::xdr;

/// The procedure that is a compound.
pub const COMPOUND: u32 = 1;

/// Most operations of a compound; Linux takes 16, and later 50.
pub const MAX_OPERATIONS: u32 = 64;

/// Operations.
pub const CREATE: u32 = 6;
/// The one that reads a part of a file.
pub const READ: u32 = 25;
/// The one that removes something.
pub const REMOVE: u32 = 28;
/// The one that writes a part of a file.
pub const WRITE: u32 = 38;

/// Longest texts and opaque values but names and data.
const MAX_OPAQUE: usize = 4096;

/// Longest bitmaps, in units.
const MAX_BITMAP: usize = 8;

/// Stability of a write without a commit: data and metadata (RFC 7530 16.36).
const FILE_SYNC: u32 = 2;

/// An operation that is asked for, as far as it is of interest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted<'a> {
    /// The file that the following ones are about.
    Handle(&'a [u8]),
    /// A file or a directory is looked for, or opened, by name.
    Name(&'a [u8]),
    /// A part of a file is read from here on.
    Read(u64),
    /// A part of a file is written.
    Write(Chunk<'a>),
    /// Data written are committed, or the file is closed.
    Close,
    /// Something is made that is no file.
    Create(&'a [u8]),
    /// Something is removed.
    Remove(&'a [u8]),
    /// Anything else.
    Other,
}

/// Result of an operation, as far as it is of interest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given<'a> {
    /// A file was opened.
    Opened,
    /// The handle of the current file.
    Handle(&'a [u8]),
    /// A part of a file.
    Read(Piece<'a>),
    /// A part of a file was written.
    Written,
    /// Something was made or removed.
    Changed,
    /// Anything else.
    Other,
}

/// Extent to which a compound was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// To its end, or to where nothing more can be understood.
    Read,
    /// The data of a file are not all there: they end what is there, and so many operations stand behind them.
    InData(u32),
    /// It ends too early.
    Cut,
}

/// Reads the operations of a call.
pub fn asked<'a>(arguments: &'a [u8], visit: impl FnMut(Wanted<'a>)) -> End {
    let mut reader = Reader::new(arguments);
    let mut head = || {
        xdr::opaque(&mut reader, MAX_OPAQUE)?;
        reader.skip(4)?;
        reader.u32().filter(|&count| count <= MAX_OPERATIONS)
    };
    let Some(count) = head() else { return End::Cut };
    asked_next(reader.rest(), count, visit)
}

/// Visits so many operations of a compound.
pub fn asked_next<'a>(operations: &'a [u8], count: u32, mut visit: impl FnMut(Wanted<'a>)) -> End {
    let mut reader = Reader::new(operations);
    for number in 1..=count {
        let Some(operation) = reader.u32() else { return End::Cut };
        match wanted(operation, &mut reader) {
            Some(Some(found)) => {
                visit(found);
                if matches!(found, Wanted::Write(chunk) if chunk.data.left() > 0) {
                    return End::InData(count - number);
                }
            }
            Some(None) => return End::Read,
            None => return End::Cut,
        }
    }
    End::Read
}

/// Reads the operations of a reply, with the status of each.
pub fn answered<'a>(results: &'a [u8], visit: impl FnMut(u32, Given<'a>)) -> End {
    let mut reader = Reader::new(results);
    let mut head = || {
        reader.skip(4)?;
        xdr::opaque(&mut reader, MAX_OPAQUE)?;
        reader.u32().filter(|&count| count <= MAX_OPERATIONS)
    };
    let Some(count) = head() else { return End::Cut };
    answered_next(reader.rest(), count, visit)
}

/// Visits the results of so many operations.
pub fn answered_next<'a>(operations: &'a [u8], count: u32, mut visit: impl FnMut(u32, Given<'a>)) -> End {
    let mut reader = Reader::new(operations);
    for number in 1..=count {
        let (Some(operation), Some(status)) = (reader.u32(), reader.u32()) else { return End::Cut };
        if status != 0 {
            // It is the last one.
            visit(status, kind_of(operation));
            return End::Read;
        }
        match given(operation, &mut reader) {
            Some(Some(found)) => {
                visit(status, found);
                if matches!(found, Given::Read(piece) if piece.data.left() > 0) {
                    return End::InData(count - number);
                }
            }
            Some(None) => return End::Read,
            None => return End::Cut,
        }
    }
    End::Read
}

/// Returns the result of an operation without results.
const fn kind_of<'a>(operation: u32) -> Given<'a> {
    match operation {
        CREATE | REMOVE => Given::Changed,
        WRITE => Given::Written,
        _ => Given::Other,
    }
}

fn name<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    xdr::opaque(reader, MAX_NAME)
}

fn skip_opaque(reader: &mut Reader<'_>) -> Option<()> {
    xdr::opaque(reader, MAX_OPAQUE).map(|_| ())
}

fn skip_bitmap(reader: &mut Reader<'_>) -> Option<()> {
    xdr::skip_units(reader, MAX_BITMAP)
}

/// Skips attributes: their bitmap, and their values.
fn skip_attributes(reader: &mut Reader<'_>) -> Option<()> {
    skip_bitmap(reader)?;
    xdr::data(reader).filter(|data| data.left() == 0).map(|_| ())
}

/// Reads an operation that is asked for. Inside, none if it is not known; outside, none if it is not all there.
fn wanted<'a>(operation: u32, reader: &mut Reader<'a>) -> Option<Option<Wanted<'a>>> {
    if let Some(length) = fixed_request(operation) {
        reader.skip(length)?;
        // Commit and close.
        return Some(Some(if matches!(operation, 4 | 5) { Wanted::Close } else { Wanted::Other }));
    }
    Some(Some(match operation {
        CREATE => {
            match reader.u32()? {
                // The link's text; the device's numbers.
                5 => skip_opaque(reader)?,
                3 | 4 => reader.skip(8)?,
                _ => {}
            }
            let name = name(reader)?;
            skip_attributes(reader)?;
            Wanted::Create(name)
        }
        9 => other(skip_bitmap(reader)?),
        12 => other(lock(reader)?),
        13 => {
            reader.skip(28)?;
            other(skip_opaque(reader)?)
        }
        // A link's name, and what is asked of the credentials for a name.
        11 | 33 => other(skip_opaque(reader)?),
        15 => Wanted::Name(name(reader)?),
        17 | 37 => other(skip_attributes(reader)?),
        18 => open(reader)?,
        22 => Wanted::Handle(xdr::opaque(reader, MAX_HANDLE)?),
        READ => {
            reader.skip(16)?;
            let offset = reader.u64()?;
            reader.skip(4)?;
            Wanted::Read(offset)
        }
        26 => {
            reader.skip(24)?;
            other(skip_bitmap(reader)?)
        }
        REMOVE => Wanted::Remove(name(reader)?),
        29 => {
            name(reader)?;
            other(skip_opaque(reader)?)
        }
        34 => {
            reader.skip(16)?;
            other(skip_attributes(reader)?)
        }
        35 => {
            reader.skip(8)?;
            skip_opaque(reader)?;
            reader.skip(4)?;
            skip_opaque(reader)?;
            skip_opaque(reader)?;
            other(reader.skip(4)?)
        }
        WRITE => {
            reader.skip(16)?;
            let (offset, is_stable) = (reader.u64()?, reader.u32()? == FILE_SYNC);
            Wanted::Write(Chunk { offset, is_stable, data: xdr::data(reader)? })
        }
        39 => {
            reader.skip(8)?;
            other(skip_opaque(reader)?)
        }
        47 => {
            reader.skip(24)?;
            other(skip_bitmap(reader)?)
        }
        _ => return Some(None),
    }))
}

/// An operation that is of no interest, once it is read.
const fn other<'a>((): ()) -> Wanted<'a> {
    Wanted::Other
}

/// The lengths of requests that are always as long.
const fn fixed_request(operation: u32) -> Option<usize> {
    Some(match operation {
        10 | 16 | 23 | 24 | 27 | 31 | 32 => 0,
        3 | 19 | 52 | 58 => 4,
        7 | 30 | 57 => 8,
        5 => 12,
        8 | 36 | 44 | 45 => 16,
        4 | 20 => 20,
        21 | 69 => 28,
        53 | 59 | 62 => 32,
        14 => 40,
        50 => 56,
        _ => return None,
    })
}

fn lock(reader: &mut Reader<'_>) -> Option<()> {
    reader.skip(24)?;
    match reader.u32()? {
        0 => reader.skip(20),
        _ => {
            reader.skip(32)?;
            skip_opaque(reader)
        }
    }
}

fn open<'a>(reader: &mut Reader<'a>) -> Option<Wanted<'a>> {
    reader.skip(20)?;
    skip_opaque(reader)?;
    if reader.u32()? == 1 {
        match reader.u32()? {
            2 => reader.skip(8)?,
            3 => {
                reader.skip(8)?;
                skip_attributes(reader)?;
            }
            _ => skip_attributes(reader)?,
        }
    }
    // How the right to open it is claimed: by name, or by what was granted before.
    match reader.u32()? {
        0 | 3 => name(reader).map(Wanted::Name),
        1 => reader.skip(4).map(other),
        2 => {
            reader.skip(16)?;
            name(reader).map(Wanted::Name)
        }
        5 => reader.skip(16).map(other),
        _ => Some(Wanted::Other),
    }
}

/// Reads what came of an operation, which went well.
fn given<'a>(operation: u32, reader: &mut Reader<'a>) -> Option<Option<Given<'a>>> {
    if let Some(length) = fixed_response(operation) {
        reader.skip(length)?;
        return Some(Some(kind_of(operation)));
    }
    Some(Some(match operation {
        CREATE => {
            reader.skip(20)?;
            skip_bitmap(reader)?;
            Given::Changed
        }
        9 => {
            skip_attributes(reader)?;
            Given::Other
        }
        10 => Given::Handle(xdr::opaque(reader, MAX_HANDLE)?),
        18 => match opened(reader)? {
            true => Given::Opened,
            false => return Some(None),
        },
        READ => {
            let is_end = reader.u32()? != 0;
            Given::Read(Piece { is_end, size: None, data: xdr::data(reader)? })
        }
        26 => {
            reader.skip(8)?;
            while reader.u32()? != 0 {
                reader.skip(8)?;
                name(reader)?;
                skip_attributes(reader)?;
            }
            reader.skip(4)?;
            Given::Other
        }
        27 => {
            skip_opaque(reader)?;
            Given::Other
        }
        34 => {
            skip_bitmap(reader)?;
            Given::Other
        }
        51 => {
            if reader.u32()? != 0 {
                reader.skip(16)?;
            }
            Given::Other
        }
        _ => return Some(None),
    }))
}

/// The lengths of results that are always as long.
const fn fixed_response(operation: u32) -> Option<usize> {
    Some(match operation {
        7 | 8 | 13 | 15 | 16 | 17 | 19 | 22 | 23 | 24 | 30 | 31 | 32 | 36 | 37 | 39 | 44 | 45 | 57 | 58 => 0,
        3 | 5 => 8,
        4 | 12 | 14 | 20 | 21 | 35 | WRITE => 16,
        11 | REMOVE => 20,
        53 => 36,
        29 => 40,
        _ => return None,
    })
}

/// Reads what came of opening a file; false if what is delegated with it is not known.
fn opened(reader: &mut Reader<'_>) -> Option<bool> {
    reader.skip(40)?;
    skip_bitmap(reader)?;
    match reader.u32()? {
        0 => return Some(true),
        1 => reader.skip(20)?,
        2 => reader.skip(32)?,
        3 => {
            // Why nothing is; with some reasons, whether it may come.
            if matches!(reader.u32()?, 1 | 2) {
                reader.skip(4)?;
            }
            return Some(true);
        }
        _ => return Some(false),
    }
    // Who else may use it.
    reader.skip(12)?;
    skip_opaque(reader)?;
    Some(true)
}
