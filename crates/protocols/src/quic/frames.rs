//! Frames of Initial packets (RFC 9000 sections 12.4 and 19): what carries TLS, what ends a conversation,
//! and those that are passed over.
//!
//! Frames that Initial packets may not have say nothing of where they end: the rest of the packet is not
//! looked at then.

use weir_base::Reader;

use super::header::variable;

const PADDING: u64 = 0x00;
const PING: u64 = 0x01;
const ACK: u64 = 0x02;
const ACK_ECN: u64 = 0x03;
const CRYPTO: u64 = 0x06;
const CONNECTION_CLOSE: u64 = 0x1c;

/// A frame that says something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame<'a> {
    /// A piece of the TLS handshake.
    Crypto {
        /// Where it belongs.
        offset: u64,
        /// The piece.
        data: &'a [u8],
    },
    /// The conversation is over.
    ConnectionClose {
        /// The error.
        error: u64,
        /// What is said of it.
        reason: &'a [u8],
    },
}

/// A frame that does not end within its packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

/// Calls `take` for each frame that says something.
pub fn each<'a>(content: &'a [u8], mut take: impl FnMut(Frame<'a>)) -> Result<(), Malformed> {
    let mut reader = Reader::new(content);
    while !reader.is_empty() {
        match frame(&mut reader).ok_or(Malformed)? {
            Next::Frame(frame) => take(frame),
            Next::Nothing => {}
            Next::Unknown => break,
        }
    }
    Ok(())
}

enum Next<'a> {
    Frame(Frame<'a>),
    Nothing,
    Unknown,
}

fn frame<'a>(reader: &mut Reader<'a>) -> Option<Next<'a>> {
    let kind = variable(reader)?;
    match kind {
        PADDING => {
            let padding = reader.rest().iter().take_while(|&&byte| byte == 0).count();
            reader.skip(padding)?;
        }
        PING => {}
        ACK | ACK_ECN => acknowledgement(reader, kind == ACK_ECN)?,
        CRYPTO => {
            let offset = variable(reader)?;
            let length = usize::try_from(variable(reader)?).ok()?;
            return Some(Next::Frame(Frame::Crypto { offset, data: reader.take(length)? }));
        }
        CONNECTION_CLOSE => {
            let error = variable(reader)?;
            // In what kind of frame.
            variable(reader)?;
            let length = usize::try_from(variable(reader)?).ok()?;
            return Some(Next::Frame(Frame::ConnectionClose { error, reason: reader.take(length)? }));
        }
        _ => return Some(Next::Unknown),
    }
    Some(Next::Nothing)
}

fn acknowledgement(reader: &mut Reader<'_>, has_counts: bool) -> Option<()> {
    // The largest number, and the delay.
    variable(reader)?;
    variable(reader)?;
    let ranges = variable(reader)?;
    variable(reader)?;
    for _ in 0..ranges {
        variable(reader)?;
        variable(reader)?;
    }
    if has_counts {
        for _ in 0..3 {
            variable(reader)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        let crypto = |offset, data| Frame::Crypto { offset, data };
        let close = Frame::ConnectionClose { error: 1, reason: b"no" };
        type Case<'a> = (&'a [u8], Result<(), Malformed>, Vec<Frame<'a>>);
        let cases: &[Case<'_>] = &[
            (&[], Ok(()), vec![]),
            (&[0, 0, 0, 1, 0, 1], Ok(()), vec![]),
            (&[6, 0, 2, b'a', b'b', 6, 0x40, 2, 1, b'c', 0], Ok(()), vec![crypto(0, b"ab"), crypto(2, b"c")]),
            (&[2, 9, 0, 1, 3, 1, 2, 6, 0, 1, b'x'], Ok(()), vec![crypto(0, b"x")]),
            (&[3, 9, 0, 0, 3, 1, 2, 3, 1], Ok(()), vec![]),
            (&[0x1c, 1, 6, 2, b'n', b'o', 6, 0, 0], Ok(()), vec![close, crypto(0, b"")]),
            (&[6, 0, 1, b'x', 0x1e, 6, 0, 9], Ok(()), vec![crypto(0, b"x")]),
            (&[6, 0, 1, b'x', 6, 0, 9, 1], Err(Malformed), vec![crypto(0, b"x")]),
            (&[2, 9, 0, 0xbf, 0xff, 0xff, 0xff, 0], Err(Malformed), vec![]),
            (&[0x1c, 1, 6, 2, b'n'], Err(Malformed), vec![]),
        ];
        for (content, outcome, expected) in cases {
            let mut frames = Vec::new();
            assert_eq!(each(content, |frame| frames.push(frame)), *outcome, "{content:02x?}");
            assert_eq!(&frames, expected, "{content:02x?}");
        }
    }
}
