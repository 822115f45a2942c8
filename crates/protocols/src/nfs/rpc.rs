//! Messages of remote procedure calls, RFC 5531 section 9, and the marks between them in a stream (section 11).

use weir_base::Reader;

use super::xdr;

/// The number of NFS among programs.
pub const PROGRAM: u32 = 100_003;

/// The length of a mark.
pub const MARK_LENGTH: usize = 4;

/// The shortest record that there is.
pub const MIN_RECORD: usize = 24;

/// The beginning of a call, up to the procedure.
pub const CALL_HEADER_LENGTH: usize = 24;

/// The beginning of a reply.
pub const REPLY_HEADER_LENGTH: usize = 8;

/// Longest credentials and verifiers.
const MAX_AUTHENTICATION: usize = 4095;

/// Longest name of a machine.
const MAX_MACHINE: u32 = 255;

/// Credentials by number.
pub const AUTH_UNIX: u32 = 1;
const AUTH_GSS: u32 = 6;

/// The mark in front of a fragment of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The record ends with it.
    pub is_last: bool,
    /// Its length.
    pub length: usize,
}

impl Mark {
    /// Reads it.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let word = Reader::new(bytes).u32()?;
        Some(Self { is_last: word >> 31 == 1, length: usize::try_from(word & 0x7fff_ffff).ok()? })
    }
}

/// Header of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The number that a call and its reply share.
    pub xid: u32,
    /// It is a reply.
    pub is_reply: bool,
}

impl Header {
    /// Reads it. Inside, none if it is no message.
    pub fn read(reader: &mut Reader<'_>) -> Option<Option<Self>> {
        let xid = reader.u32()?;
        let kind = reader.u32()?;
        Some((kind <= 1).then_some(Self { xid, is_reply: kind == 1 }))
    }
}

/// The credentials of a machine's user, RFC 5531 appendix A.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnixCredentials {
    /// The machine's name.
    pub machine: Vec<u8>,
    /// The user's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
}

impl UnixCredentials {
    /// Reads them. Suricata takes the bytes that fill up the name for the beginning of the user's number, and
    /// so do people who compare records, rules and statistics of both: the same is done here.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        reader.skip(4)?;
        let length = reader.u32().filter(|&length| length <= MAX_MACHINE)?;
        let machine = reader.take(usize::try_from(length).ok()?)?.to_vec();
        Some(Self { machine, user: reader.u32()?, group: reader.u32()? })
    }
}

/// Credentials of the caller.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Credentials {
    /// Flavour (RFC 5531 8.2).
    pub flavor: u32,
    /// Of kind [`AUTH_UNIX`].
    pub unix: Option<UnixCredentials>,
}

/// Target of a call, up to the procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The version of the protocol of calls: 2.
    pub rpc_version: u32,
    /// The program.
    pub program: u32,
    /// Its version.
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
}

impl Target {
    /// Reads it.
    pub fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            rpc_version: reader.u32()?,
            program: reader.u32()?,
            version: reader.u32()?,
            procedure: reader.u32()?,
        })
    }
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<'a> {
    /// Target.
    pub target: Target,
    /// Credentials of the caller.
    pub credentials: Credentials,
    /// The length of the credentials.
    pub credentials_length: usize,
    /// The arguments are wrapped up for their integrity (RFC 2203 5.3.2.2).
    pub is_wrapped: bool,
    /// Where the arguments begin in the message.
    pub start: usize,
    /// The arguments.
    pub arguments: &'a [u8],
}

/// Reasons that there is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It is not all there.
    Short,
    /// It makes no sense.
    Malformed,
}

fn authentication<'a>(reader: &mut Reader<'a>) -> Result<(u32, &'a [u8]), Flaw> {
    let flavor = reader.u32().ok_or(Flaw::Short)?;
    let length = reader.u32().ok_or(Flaw::Short)? as usize;
    if length > MAX_AUTHENTICATION {
        return Err(Flaw::Malformed);
    }
    Ok((flavor, reader.take(length).ok_or(Flaw::Short)?))
}

impl<'a> Call<'a> {
    /// Reads what follows the [`Header`].
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Flaw> {
        let target = Target::read(reader).ok_or(Flaw::Short)?;
        let (flavor, bytes) = authentication(reader)?;
        let unix = match flavor {
            AUTH_UNIX => Some(UnixCredentials::read(bytes).ok_or(Flaw::Malformed)?),
            _ => None,
        };
        let is_wrapped = flavor == AUTH_GSS && {
            let mut reader = Reader::new(bytes);
            let words = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
            // Version, procedure (data), number, service (integrity).
            matches!(words, [Some(1), Some(0), Some(_), Some(2)])
        };
        authentication(reader)?;
        Ok(Self {
            target,
            credentials: Credentials { flavor, unix },
            credentials_length: bytes.len(),
            is_wrapped,
            start: reader.position(),
            arguments: reader.rest(),
        })
    }
}

/// A reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply<'a> {
    /// Whether the call was accepted, 0, or denied, 1.
    pub status: u32,
    /// The procedure was called, and this is what it gave.
    pub results: Option<&'a [u8]>,
    /// Where that begins in the message.
    pub start: usize,
}

impl<'a> Reply<'a> {
    /// Reads what follows the [`Header`].
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Flaw> {
        let status = match reader.u32().ok_or(Flaw::Short)? {
            0 => 0,
            1 => return Ok(Self { status: 1, results: None, start: reader.position() }),
            _ => return Err(Flaw::Malformed),
        };
        authentication(reader)?;
        let is_success = reader.u32().ok_or(Flaw::Short)? == 0;
        let results = is_success.then(|| reader.rest());
        Ok(Self { status, results, start: reader.position() })
    }
}

/// The arguments or results inside of a wrapping for integrity: behind the number of the message; and how many bytes
/// of them are to come.
pub fn unwrap(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let body = xdr::data(&mut Reader::new(bytes))?;
    Some((body.bytes.get(4..)?, usize::try_from(body.left()).ok()?))
}
