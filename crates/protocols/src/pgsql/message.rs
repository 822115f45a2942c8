//! The form of messages: a letter and a length, which counts itself; those that a connection begins with have
//! no letter. A message that is longer than what is kept of its kind is read as far as that, and its end passed
//! over.

use weir_base::{Direction, Reader};

/// Bytes of the letter and of the length.
pub const HEADER: usize = 5;
/// Bytes of the length.
pub const LENGTH: usize = 4;

/// Most bytes that are kept of a query, and of all queries that wait together about seven times that.
const MAX_QUERY: usize = 512 * 1024;
/// Most bytes that are kept of any other message.
const MAX_BODY: usize = 16 * 1024;
/// Longest message that a conversation is found by in its middle.
const MAX_PLAUSIBLE: usize = 1 << 24;
/// Longest message that a connection begins with; servers take no longer ones.
pub const MAX_OPENING: usize = 10_000;

/// Letters of what clients say.
pub mod frontend {
    /// A password, or what other methods of authentication answer.
    pub const PASSWORD: u8 = b'p';
    /// A query.
    pub const QUERY: u8 = b'Q';
    /// The end.
    pub const TERMINATE: u8 = b'X';
    /// Data to be copied.
    pub const COPY_DATA: u8 = b'd';
    /// There is no more of that.
    pub const COPY_DONE: u8 = b'c';
    /// It is not to be copied.
    pub const COPY_FAIL: u8 = b'f';
    /// Other messages: the extended query protocol, calls of functions.
    pub const OTHERS: &[u8] = b"BCDEFHPS";
}

/// Letters of what servers say.
pub mod backend {
    /// Request for authentication.
    pub const AUTHENTICATION: u8 = b'R';
    /// The value of a parameter.
    pub const PARAMETER_STATUS: u8 = b'S';
    /// Key for cancelling queries.
    pub const KEY_DATA: u8 = b'K';
    /// Something is wrong.
    pub const ERROR: u8 = b'E';
    /// Something is to be noted.
    pub const NOTICE: u8 = b'N';
    /// Description of rows.
    pub const ROW_DESCRIPTION: u8 = b'T';
    /// A row.
    pub const DATA_ROW: u8 = b'D';
    /// A command is done.
    pub const COMMAND_COMPLETE: u8 = b'C';
    /// The next query may come.
    pub const READY: u8 = b'Z';
    /// Data to be copied may come.
    pub const COPY_IN: u8 = b'G';
    /// Data to be copied follows.
    pub const COPY_OUT: u8 = b'H';
    /// Both.
    pub const COPY_BOTH: u8 = b'W';
    /// Data to be copied.
    pub const COPY_DATA: u8 = b'd';
    /// Other messages.
    pub const OTHERS: &[u8] = b"123AIVcnstv";
}

/// Codes of messages that a connection begins with, in place of a version.
pub mod opening {
    /// The wish for TLS.
    pub const SSL: u32 = 0x04d2_162f;
    /// The wish for GSSAPI's encryption.
    pub const GSS: u32 = 0x04d2_1630;
    /// The wish to cancel a query of another connection.
    pub const CANCEL: u32 = 0x04d2_162e;
    /// The version of the protocol that is read, in the upper half.
    pub const VERSION: u32 = 3;
    /// Length of a message that wishes for encryption.
    pub const WISH_LENGTH: usize = 8;
}

/// Methods of authentication.
pub mod method {
    /// The client is let in.
    pub const OK: u32 = 0;
    /// By a password as it is.
    pub const CLEARTEXT: u32 = 3;
    /// By a password's MD5.
    pub const MD5: u32 = 5;
    /// By GSSAPI.
    pub const GSS: u32 = 7;
    /// More of GSSAPI.
    pub const GSS_CONTINUE: u32 = 8;
    /// By SSPI.
    pub const SSPI: u32 = 9;
    /// By SASL.
    pub const SASL: u32 = 10;
    /// More of SASL.
    pub const SASL_CONTINUE: u32 = 11;
    /// The last of SASL.
    pub const SASL_FINAL: u32 = 12;
}

/// Header of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The letter.
    pub kind: u8,
    /// The length, without the letter.
    pub length: u32,
}

impl Header {
    /// The header that the bytes begin with.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        Some(Self { kind: reader.u8()?, length: reader.u32()? })
    }

    /// Whether a message can have this length.
    pub const fn has_length(self) -> bool {
        self.length as usize >= LENGTH
    }

    /// Bytes behind the header.
    pub const fn body(self) -> usize {
        (self.length as usize).saturating_sub(LENGTH)
    }

    /// Whether this is the letter of a message from that side.
    pub fn is_known(self, direction: Direction) -> bool {
        match direction {
            Direction::ToServer => {
                use frontend::*;
                matches!(self.kind, PASSWORD | QUERY | TERMINATE | COPY_DATA | COPY_DONE | COPY_FAIL)
                    || OTHERS.contains(&self.kind)
            }
            Direction::ToClient => {
                use backend::*;
                matches!(
                    self.kind,
                    AUTHENTICATION
                        | PARAMETER_STATUS
                        | KEY_DATA
                        | ERROR
                        | NOTICE
                        | ROW_DESCRIPTION
                        | DATA_ROW
                        | COMMAND_COMPLETE
                        | READY
                        | COPY_IN
                        | COPY_OUT
                        | COPY_BOTH
                        | COPY_DATA
                ) || OTHERS.contains(&self.kind)
            }
        }
    }

    /// Whether a server's message tells how a request fares.
    pub const fn is_news(self) -> bool {
        use backend::*;
        matches!(
            self.kind,
            AUTHENTICATION
                | PARAMETER_STATUS
                | KEY_DATA
                | ERROR
                | ROW_DESCRIPTION
                | DATA_ROW
                | COMMAND_COMPLETE
                | READY
                | COPY_IN
                | COPY_OUT
                | COPY_DATA
        )
    }

    /// Whether a message from that side can have this letter, this length, and begin so; `body` may be cut.
    pub fn fits(self, direction: Direction, body: &[u8]) -> bool {
        let length = self.body();
        let count = body.first_chunk().copied().map(u16::from_be_bytes).map(usize::from);
        match (direction, self.kind) {
            _ if !self.has_length() || length > MAX_PLAUSIBLE => false,
            (Direction::ToServer, b'X' | b'S' | b'H' | frontend::COPY_DONE) => length == 0,
            (Direction::ToClient, b'1' | b'2' | b'3' | b'I' | b'c' | b'n' | b's') => length == 0,
            (Direction::ToClient, backend::READY) => length == 1,
            (Direction::ToClient, backend::AUTHENTICATION) => (4..1 << 16).contains(&length),
            (Direction::ToClient, backend::KEY_DATA) => length >= 8,
            (Direction::ToClient, backend::ERROR | backend::NOTICE) => {
                length > 2 && body.first().is_none_or(u8::is_ascii_alphabetic)
            }
            (Direction::ToClient, backend::COMMAND_COMPLETE) => {
                length > 1 && body.first().is_none_or(u8::is_ascii_uppercase)
            }
            (Direction::ToClient, backend::PARAMETER_STATUS) => {
                length > 2 && body.first().is_none_or(u8::is_ascii_alphabetic)
            }
            (Direction::ToClient, backend::DATA_ROW) => {
                count.map_or(length >= 2, |count| length >= 2 + 4 * count)
            }
            (Direction::ToClient, backend::ROW_DESCRIPTION) => {
                count.map_or(length >= 2, |count| length >= 2 + 19 * count)
            }
            _ => self.is_known(direction),
        }
    }

    /// Returns the bytes behind the header to keep, where so many transactions are live.
    pub fn kept(self, direction: Direction, live: usize) -> usize {
        let most = match (direction, self.kind) {
            (Direction::ToServer, frontend::QUERY) => MAX_QUERY / (live + 1),
            (Direction::ToServer, frontend::PASSWORD) => MAX_BODY,
            // The number of columns.
            (Direction::ToClient, backend::ROW_DESCRIPTION | backend::DATA_ROW) => 2,
            (Direction::ToClient, backend::COPY_IN | backend::COPY_OUT) => 3,
            (
                Direction::ToClient,
                backend::AUTHENTICATION
                | backend::PARAMETER_STATUS
                | backend::KEY_DATA
                | backend::ERROR
                | backend::NOTICE
                | backend::COMMAND_COMPLETE,
            ) => MAX_BODY,
            _ => 0,
        };
        self.body().min(most)
    }
}

/// The text at the start of `bytes` that a zero byte ends; all of them where none does.
pub fn text(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// Texts that zero bytes end, until an empty one.
pub fn texts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        // The bytes, whose they are, whether they are known, bytes of the body, and how many of those are read.
        let cases: &[(&[u8], Direction, bool, usize, usize)] = &[
            (b"Q\0\0\0\x0cselect 1", up, true, 8, 8),
            (b"Q\0\xff\0\0", up, true, 0xff_0000 - 4, MAX_QUERY / 3),
            (b"d\0\0\x01\x04", up, true, 256, 0),
            (b"P\0\0\0\x09", up, true, 5, 0),
            (b"Z\0\0\0\x05", up, false, 1, 0),
            (b"Z\0\0\0\x05", down, true, 1, 0),
            (b"D\0\x01\0\x04", down, true, 0x1_0000, 2),
            (b"E\0\x01\0\x04", down, true, 0x1_0000, MAX_BODY),
            (b"R\0\0\0\0", down, true, 0, 0),
        ];
        for (bytes, direction, known, body, kept) in cases {
            let header = Header::read(bytes).unwrap();
            let found = (header.is_known(*direction), header.body(), header.kept(*direction, 2));
            assert_eq!(found, (*known, *body, *kept), "{bytes:?}");
            assert_eq!(header.has_length(), bytes[4] != 0 || bytes[2] != 0);
        }
        assert_eq!(Header::read(b"Q\0\0\0"), None);
    }
}
