//! Tells NFS from other bytes on its port.

use weir_applayer::{Probe, Transport};
use weir_base::{Direction, Reader};

use super::names;
use super::rpc::{Call, Flaw, Header, MARK_LENGTH, Mark, PROGRAM, Reply, Target};

/// The shortest call that has credentials of any use, and the shortest reply, over UDP.
const MIN_CALL: usize = 48;
const MIN_REPLY: usize = 32;

/// The shortest call over TCP, and the lengths of the replies that a conversation met in its midst may begin with.
const MIN_CALL_RECORD: usize = 40;
const REPLY_RECORD: std::ops::RangeInclusive<usize> = 24..=35_000;

/// The highest procedure.
const MAX_PROCEDURE: u32 = 21;

/// Whether a direction begins with a call of NFS, or with a reply to some call.
pub fn probe(transport: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    match transport {
        Transport::Tcp => record(direction, bytes),
        Transport::Udp => datagram(direction, bytes),
    }
}

fn record(direction: Direction, bytes: &[u8]) -> Probe {
    let (Some(mark), Some(message)) = (Mark::read(bytes), bytes.get(MARK_LENGTH..)) else {
        return Probe::More;
    };
    let mut reader = Reader::new(message);
    let Some(header) = Header::read(&mut reader) else { return Probe::More };
    let Some(header) = header else { return Probe::No };
    let found = if header.is_reply {
        if !REPLY_RECORD.contains(&mark.length) {
            return Probe::No;
        }
        Reply::read(&mut reader).map(|reply| reply.results.is_some())
    } else {
        if mark.length < MIN_CALL_RECORD && mark.is_last {
            return Probe::No;
        }
        is_call(&mut reader)
    };
    let sent = if header.is_reply { Direction::ToClient } else { Direction::ToServer };
    match found {
        Ok(true) if sent == direction => Probe::Yes,
        // Met in its midst, and taken the wrong way round.
        Ok(true) => Probe::Reversed,
        Err(Flaw::Short) => Probe::More,
        _ => Probe::No,
    }
}

fn is_call(reader: &mut Reader<'_>) -> Result<bool, Flaw> {
    let target = Target::read(reader).ok_or(Flaw::Short)?;
    let fits = target.rpc_version == 2
        && target.program == PROGRAM
        && (2..=4).contains(&target.version)
        && target.procedure <= MAX_PROCEDURE;
    if !fits {
        return Ok(false);
    }
    reader.u32().map(names::has_credentials).ok_or(Flaw::Short)
}

fn datagram(direction: Direction, bytes: &[u8]) -> Probe {
    let mut reader = Reader::new(bytes);
    let Some(Some(header)) = Header::read(&mut reader) else { return Probe::No };
    let fits = match direction {
        Direction::ToServer => {
            bytes.len() >= MIN_CALL
                && !header.is_reply
                && Call::read(&mut reader)
                    .is_ok_and(|call| call.target.program == PROGRAM && matches!(call.target.version, 2 | 3))
        }
        Direction::ToClient => {
            bytes.len() >= MIN_REPLY
                && header.is_reply
                && Reply::read(&mut reader).is_ok_and(|reply| reply.results.is_some())
        }
    };
    if fits { Probe::Yes } else { Probe::No }
}
