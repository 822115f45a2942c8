//! The messages of a handshake, as they lie.

use std::net::{IpAddr, Ipv4Addr};

use weir_base::Reader;

/// Most bytes of a text of version 4, which a zero ends.
pub const MAX_TEXT: usize = 255;

/// Passwords as a method of authentication (RFC 1929).
pub const PASSWORD: u8 = 2;

/// No method of authentication, or none that will do (RFC 1928 3).
pub const NO_METHOD: [u8; 2] = [0, 0xff];

/// A connection from the other host is to be taken (RFC 1928 4).
pub const BIND: u8 = 2;

/// The codes of answers of version 4, the first of which is that all is well.
pub const VERSION_4_CODES: std::ops::RangeInclusive<u8> = 0x5a..=0x5d;

/// Reasons that there is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Bytes are missing.
    Short,
    /// It is none of SOCKS.
    Malformed,
}

/// A message, or why there is none.
pub type Read<T> = Result<T, Fault>;

/// A host and a port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
}

/// A host: by address, by name, or, of version 4A, by both, where the address only says that a name follows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Host {
    /// Its address.
    pub address: Option<IpAddr>,
    /// Its name.
    pub name: Option<Vec<u8>>,
}

impl Host {
    fn at(address: impl Into<IpAddr>) -> Self {
        Self { address: Some(address.into()), name: None }
    }

    fn named(name: &[u8]) -> Self {
        Self { address: None, name: Some(name.to_vec()) }
    }
}

/// Request of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// 4 or 5.
    pub version: u8,
    /// Command (RFC 1928 4).
    pub command: u8,
    /// Destination.
    pub target: Target,
    /// User id, by a client of version 4; may be empty.
    pub user: Vec<u8>,
}

/// Reply of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// 4 or 5.
    pub version: u8,
    /// Reply code, by the version.
    pub code: u8,
    /// Where the server's end is, or will be.
    pub bound: Target,
}

impl Reply {
    /// Whether all is well.
    pub const fn is_success(&self) -> bool {
        self.code == if self.version == 4 { *VERSION_4_CODES.start() } else { 0 }
    }
}

fn known<T>(value: Option<T>) -> Read<T> {
    value.ok_or(Fault::Short)
}

/// The methods of authentication that a client of version 5 offers (RFC 1928 3).
pub fn methods<'a>(reader: &mut Reader<'a>) -> Read<&'a [u8]> {
    version(reader, 5)?;
    match known(reader.u8())? {
        0 => Err(Fault::Malformed),
        count => known(reader.take(usize::from(count))),
    }
}

/// The method that a server chooses (RFC 1928 3).
pub fn choice(reader: &mut Reader<'_>) -> Read<u8> {
    version(reader, 5)?;
    known(reader.u8())
}

/// A name and a password (RFC 1929 2).
pub fn login<'a>(reader: &mut Reader<'a>) -> Read<(Vec<u8>, &'a [u8])> {
    version(reader, 1)?;
    let name = text(reader)?.to_vec();
    Ok((name, text(reader)?))
}

/// Whether that was right: zero is well (RFC 1929 2).
pub fn login_reply(reader: &mut Reader<'_>) -> Read<u8> {
    version(reader, 1)?;
    known(reader.u8())
}

/// A request of version 5 (RFC 1928 4).
pub fn request(reader: &mut Reader<'_>) -> Read<Request> {
    version(reader, 5)?;
    let command = known(reader.u8())?;
    let reserved = known(reader.u8())?;
    if !(1..=3).contains(&command) || reserved != 0 {
        return Err(Fault::Malformed);
    }
    Ok(Request { version: 5, command, target: target(reader)?, user: Vec::new() })
}

/// An answer of version 5 (RFC 1928 6).
pub fn reply(reader: &mut Reader<'_>) -> Read<Reply> {
    version(reader, 5)?;
    let code = known(reader.u8())?;
    known(reader.skip(1))?;
    Ok(Reply { version: 5, code, bound: target(reader)? })
}

/// A request of version 4, or of 4A where the address says that a name follows.
pub fn request_of_4(reader: &mut Reader<'_>) -> Read<Request> {
    version(reader, 4)?;
    let command = known(reader.u8())?;
    if !(1..=BIND).contains(&command) {
        return Err(Fault::Malformed);
    }
    let port = known(reader.u16())?;
    let address = known(reader.u32())?;
    let user = terminated(reader)?;
    let name = if (1..=255).contains(&address) { Some(terminated(reader)?) } else { None };
    let host = Host { name, ..Host::at(Ipv4Addr::from(address)) };
    Ok(Request { version: 4, command, target: Target { host, port }, user })
}

/// An answer of version 4, whose first byte is zero.
pub fn reply_of_4(reader: &mut Reader<'_>) -> Read<Reply> {
    version(reader, 0)?;
    let code = known(reader.u8())?;
    if !VERSION_4_CODES.contains(&code) {
        return Err(Fault::Malformed);
    }
    let port = known(reader.u16())?;
    let host = Host::at(Ipv4Addr::from(known(reader.u32())?));
    Ok(Reply { version: 4, code, bound: Target { host, port } })
}

fn version(reader: &mut Reader<'_>, expected: u8) -> Read<()> {
    if known(reader.u8())? == expected { Ok(()) } else { Err(Fault::Malformed) }
}

/// An address of version 5 (RFC 1928 5), and the port behind it.
fn target(reader: &mut Reader<'_>) -> Read<Target> {
    let host = match known(reader.u8())? {
        1 => Host::at(known(reader.array::<4>())?),
        3 => Host::named(text(reader)?),
        4 => Host::at(known(reader.array::<16>())?),
        _ => return Err(Fault::Malformed),
    };
    Ok(Target { host, port: known(reader.u16())? })
}

/// A text behind its length.
fn text<'a>(reader: &mut Reader<'a>) -> Read<&'a [u8]> {
    let length = known(reader.u8())?;
    known(reader.take(usize::from(length)))
}

/// A text in front of a zero.
fn terminated(reader: &mut Reader<'_>) -> Read<Vec<u8>> {
    let rest = reader.rest();
    match rest.iter().take(MAX_TEXT + 1).position(|byte| *byte == 0) {
        Some(end) => {
            let text = known(reader.take(end))?.to_vec();
            known(reader.skip(1))?;
            Ok(text)
        }
        None if rest.len() > MAX_TEXT => Err(Fault::Malformed),
        None => Err(Fault::Short),
    }
}
