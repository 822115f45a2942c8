//! Responses of a server: the messages up to the one that the client's next turn follows, put together.

use weir_base::Reader;

use super::message::{Header, backend, text, texts};

/// Most bytes that are kept of an answer.
const MAX_BYTES: usize = 64 * 1024;
/// Most messages of an answer that something is kept of.
const MAX_MESSAGES: usize = 4096;
/// Bytes of a message beside its content.
const OVERHEAD: usize = 64;

/// Response of a server.
///
/// It has a field for what each type of the server's messages leaves behind.
#[derive(Debug, Default)]
pub struct Answer {
    /// Anything was answered.
    pub seen: bool,
    /// The byte that answers a wish for encryption.
    pub encryption: Option<u8>,
    /// Authentication requests: the method, and its data.
    pub authentication: Vec<(u32, Vec<u8>)>,
    /// Names and values of parameters, in order.
    pub parameters: Vec<(Vec<u8>, Vec<u8>)>,
    /// The process, and what to cancel its queries with.
    pub key: Option<(u32, u32)>,
    /// Columns of the rows.
    pub columns: Option<u16>,
    /// Number of rows.
    pub rows: u64,
    /// Bytes of their values.
    pub row_bytes: u64,
    /// Columns of what the client is to copy.
    pub copy_in: Option<u16>,
    /// Columns of what the server copies.
    pub copy_out: Option<u16>,
    /// Messages of that.
    pub copied: u64,
    /// Bytes of that.
    pub copied_bytes: u64,
    /// Tag of the last command completed.
    pub command: Option<Vec<u8>>,
    /// Errors and notices.
    pub faults: Vec<Fault>,
    /// The next query may come.
    pub ready: bool,
    /// Number of messages that something is kept of, and their bytes.
    kept: (usize, usize),
}

/// An error or a notice.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whether it is an error.
    pub is_error: bool,
    /// Values of its fields, by their letters.
    pub fields: Vec<(u8, Vec<u8>)>,
}

impl Answer {
    /// Takes a message as far as it is kept; whether there was room for it, and it can be read.
    pub fn take(&mut self, header: Header, body: &[u8]) -> Result<(), Refused> {
        self.seen = true;
        let mut reader = Reader::new(body);
        match header.kind {
            backend::ROW_DESCRIPTION => self.columns = Some(reader.u16().ok_or(Refused::Malformed)?),
            backend::DATA_ROW => {
                let columns = usize::from(reader.u16().ok_or(Refused::Malformed)?);
                self.rows += 1;
                // Each value stands behind its length, which is all there is of one that is null.
                self.row_bytes += header.body().saturating_sub(2 + 4 * columns) as u64;
            }
            backend::COPY_IN => self.copy_in = Some(columns(body).ok_or(Refused::Malformed)?),
            backend::COPY_OUT => self.copy_out = Some(columns(body).ok_or(Refused::Malformed)?),
            backend::COPY_DATA => {
                self.copied += 1;
                self.copied_bytes += header.body() as u64;
            }
            backend::KEY_DATA => self.key = Some(key(&mut reader).ok_or(Refused::Malformed)?),
            backend::READY => self.ready = true,
            backend::AUTHENTICATION => {
                let method = reader.u32().ok_or(Refused::Malformed)?;
                self.make_room(body.len())?;
                self.authentication.push((method, reader.rest().to_vec()));
            }
            backend::PARAMETER_STATUS => {
                self.make_room(body.len())?;
                let mut parts = texts(body);
                let mut part = || parts.next().unwrap_or_default().to_vec();
                self.parameters.push((part(), part()));
            }
            backend::COMMAND_COMPLETE => {
                self.make_room(body.len())?;
                self.command = Some(text(body).to_vec());
            }
            backend::ERROR | backend::NOTICE => {
                let fields = texts(body).map_while(|field| {
                    let (&letter, text) = field.split_first()?;
                    Some((letter, text.to_vec()))
                });
                // Short fields take more than their bytes.
                self.make_room(body.len() + OVERHEAD * texts(body).count())?;
                self.faults.push(Fault { is_error: header.kind == backend::ERROR, fields: fields.collect() });
            }
            _ => {}
        }
        Ok(())
    }

    /// Bytes of memory that it takes beside itself.
    pub const fn memory(&self) -> usize {
        self.kept.1
    }

    fn make_room(&mut self, bytes: usize) -> Result<(), Refused> {
        let (messages, taken) = self.kept;
        let taken = taken + bytes + OVERHEAD;
        // One message always finds room: it is not longer than what is kept of one.
        if messages >= MAX_MESSAGES || (messages > 0 && taken > MAX_BYTES) {
            return Err(Refused::NoRoom);
        }
        self.kept = (messages + 1, taken);
        Ok(())
    }

    /// Whether an error came.
    pub fn has_failed(&self) -> bool {
        self.faults.iter().any(|fault| fault.is_error)
    }

    /// Returns the last value of this letter's field in an error; records show nothing of notices.
    pub fn error_field(&self, letter: u8) -> Option<&[u8]> {
        let errors = self.faults.iter().rev().filter(|fault| fault.is_error);
        let fields = errors.flat_map(|fault| &fault.fields);
        fields.into_iter().find(|(known, _)| *known == letter).map(|(_, text)| text.as_slice())
    }
}

/// Reasons that a message is not part of what is kept of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is no room.
    NoRoom,
    /// It is not what it should be.
    Malformed,
}

/// The number of columns behind their format.
fn columns(body: &[u8]) -> Option<u16> {
    let mut reader = Reader::new(body);
    reader.skip(1)?;
    reader.u16()
}

fn key(reader: &mut Reader<'_>) -> Option<(u32, u32)> {
    Some((reader.u32()?, reader.u32()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(answer: &mut Answer, kind: u8, body: &[u8]) -> Result<(), Refused> {
        answer.take(Header { kind, length: body.len() as u32 + 4 }, body)
    }

    #[test]
    fn rows_are_counted() {
        let mut answer = Answer::default();
        for body in [&b"\0\x02\0\0\0\x03abc\xff\xff\xff\xff"[..], b"\0\x01\0\0\0\x01x", b"\0\0"] {
            assert_eq!(take(&mut answer, backend::DATA_ROW, body), Ok(()));
        }
        assert_eq!((answer.rows, answer.row_bytes), (3, 4));
        assert_eq!(take(&mut answer, backend::DATA_ROW, b"\0"), Err(Refused::Malformed));
    }

    #[test]
    fn faults() {
        let mut answer = Answer::default();
        for (kind, body) in [
            (backend::NOTICE, &b"SNOTICE\0Mfirst\0Hhint\0\0"[..]),
            (backend::ERROR, b"SERROR\0Msecond\0\0behind\0"),
        ] {
            assert_eq!(take(&mut answer, kind, body), Ok(()));
        }
        assert!(answer.has_failed());
        let fields: Vec<_> = answer.faults.iter().map(|fault| fault.fields.len()).collect();
        assert_eq!(fields, [3, 2]);
        for (letter, expected) in [(b'M', Some("second")), (b'H', None), (b'X', None)] {
            assert_eq!(answer.error_field(letter), expected.map(str::as_bytes));
        }
    }

    #[test]
    fn answers_are_bounded() {
        let mut answer = Answer::default();
        let bodies = std::iter::repeat_n([b'x'; 1000], 100);
        let kept = bodies.filter(|body| take(&mut answer, backend::PARAMETER_STATUS, body).is_ok()).count();
        assert_eq!((kept, answer.parameters.len()), (61, 61));
        assert_eq!(take(&mut answer, backend::READY, b"I"), Ok(()));
        assert!(answer.ready);
        let many = b"Ma\0".repeat(5000);
        assert_eq!(take(&mut answer, backend::ERROR, &many), Err(Refused::NoRoom));
        assert_eq!(take(&mut Answer::default(), backend::ERROR, &many), Ok(()));
    }
}
