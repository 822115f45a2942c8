//! Arguments of a call and results of its reply, in any version.

use super::xdr::Data;

/// Longest handle that a server gives: version 4 has the longest ones.
pub const MAX_HANDLE: usize = 128;

/// Longest name that is read; longer ones are no names of files anywhere.
pub const MAX_NAME: usize = 4096;

/// Source of the name of a call's object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming<'a> {
    /// The call says it.
    Given(&'a [u8]),
    /// As what the handle was given for.
    ByHandle,
    /// Nothing is said.
    Nothing,
}

/// Arguments of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask<'a> {
    /// Any call but those on a file's content.
    Call {
        /// The handle that it is about.
        handle: &'a [u8],
        /// Name of the object.
        name: Naming<'a>,
        /// The new name.
        renamed: Option<&'a [u8]>,
    },
    /// A part of a file.
    Read {
        /// The file.
        handle: &'a [u8],
        /// Where the part begins.
        offset: u64,
    },
    /// To keep a part of a file.
    Write {
        /// The file.
        handle: &'a [u8],
        /// The part.
        chunk: Chunk<'a>,
    },
    /// To make a file's content last.
    Commit {
        /// The file.
        handle: &'a [u8],
    },
}

/// A part of a file that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk<'a> {
    /// Where it begins.
    pub offset: u64,
    /// It is to last at once: nothing commits it.
    pub is_stable: bool,
    /// The bytes.
    pub data: Data<'a>,
}

/// A part of a file that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece<'a> {
    /// It is the file's end.
    pub is_end: bool,
    /// Length of the file in bytes, where that is given.
    pub size: Option<u64>,
    /// The bytes.
    pub data: Data<'a>,
}

/// Results of a reply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer<'a> {
    /// Status.
    pub status: u32,
    /// The handle of what the call named.
    pub handle: Option<&'a [u8]>,
    /// A part of a file.
    pub piece: Option<Piece<'a>>,
    /// Other entries of the directory: handles and names.
    pub entries: Vec<(&'a [u8], &'a [u8])>,
}

impl Answer<'_> {
    /// One that gives no more than its status.
    pub fn of_status(status: u32) -> Self {
        Self { status, ..Self::default() }
    }
}
