//! Messages in a stream: each is a record of fragments behind their marks (RFC 5531, section 11).
//!
//! Behind a hole, and where the beginning of a stream was not seen, the place of the next mark is not known. As in Zeek it is
//! looked for where pieces begin: two whole messages that could be some are passed over, and those behind them are read.
//!
//! Limit: [`MAX_MESSAGE`] bytes of a message; what is behind them is passed over.

use weir_base::Reader;

use crate::nfs::rpc::{MARK_LENGTH, Mark};

/// Most bytes of a message that are read.
pub(super) const MAX_MESSAGE: usize = 65_536;

/// The beginning of a message by which it is known: mark, number, kind.
const KNOWN_BY: usize = 12;
/// The length of the shortest message that may be one.
const LEAST_MESSAGE: usize = 16;
/// Messages that are passed over until it is certain that they are some.
const CERTAIN: u8 = 2;

/// What a stream has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<'a> {
    /// A message, and when its first and its last byte came.
    Message(&'a [u8], [f64; 2]),
    /// The message at hand has so many bytes, which are too many.
    TooLong(u64),
}

/// Whether the places of marks are known.
#[derive(Clone, Copy, Debug)]
enum Place {
    Known,
    /// Not yet: so many messages were passed over, and so many bytes are to be.
    Sought {
        messages: u8,
        skipped: usize,
    },
}

/// One stream.
#[derive(Debug)]
pub(super) struct Records {
    place: Place,
    /// Bytes of the mark that have come.
    mark: Vec<u8>,
    /// The bytes of the message that have come, as far as they are read.
    message: Vec<u8>,
    /// Bytes of its fragments so far, and those of them that have come.
    expected: u64,
    taken: u64,
    /// A mark was read, and whether its fragment is the last one.
    fragment: Option<bool>,
    /// When the first byte of the message at hand came.
    begun: Option<f64>,
}

impl Default for Records {
    fn default() -> Self {
        Self {
            place: Place::Known,
            mark: Vec::new(),
            message: Vec::new(),
            expected: 0,
            taken: 0,
            fragment: None,
            begun: None,
        }
    }
}

impl Records {
    /// Bytes are missing here.
    pub(super) fn lose(&mut self) {
        *self = Self { place: Place::Sought { messages: 0, skipped: 0 }, ..Self::default() };
    }

    /// Takes a piece of the stream, where calls come, or replies.
    pub(super) fn take(
        &mut self,
        mut bytes: &[u8],
        has_replies: bool,
        now: f64,
        find: &mut dyn FnMut(Found<'_>),
    ) {
        if let Place::Sought { messages, skipped } = self.place {
            let Some(rest) = self.seek(bytes, has_replies, messages, skipped) else { return };
            bytes = rest;
        }
        while !bytes.is_empty() {
            let begun = *self.begun.get_or_insert(now);
            bytes = match self.fragment {
                None => self.take_mark(bytes, find),
                Some(_) => self.take_data(bytes),
            };
            if self.taken == self.expected
                && let Some(is_last) = self.fragment.take()
                && is_last
            {
                find(Found::Message(&self.message, [begun, now]));
                self.message.clear();
                (self.expected, self.taken, self.begun) = (0, 0, None);
            }
        }
    }

    fn take_mark<'a>(&mut self, bytes: &'a [u8], find: &mut dyn FnMut(Found<'_>)) -> &'a [u8] {
        let missing = MARK_LENGTH.saturating_sub(self.mark.len());
        let (taken, rest) = bytes.split_at_checked(missing).unwrap_or((bytes, &[]));
        self.mark.extend_from_slice(taken);
        if self.mark.len() == MARK_LENGTH
            && let Some(mark) = Mark::read(&self.mark)
        {
            self.mark.clear();
            self.expected = self.expected.saturating_add(mark.length as u64);
            self.fragment = Some(mark.is_last);
            if self.expected > MAX_MESSAGE as u64 {
                find(Found::TooLong(self.expected));
            }
        }
        rest
    }

    fn take_data<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let missing = usize::try_from(self.expected - self.taken).unwrap_or(usize::MAX);
        let (taken, rest) = bytes.split_at_checked(missing).unwrap_or((bytes, &[]));
        let room = MAX_MESSAGE.saturating_sub(self.message.len());
        self.message.extend_from_slice(taken.get(..room).unwrap_or(taken));
        self.taken += taken.len() as u64;
        rest
    }

    /// Looks for the place of a mark; returns the bytes from there on.
    fn seek<'a>(
        &mut self,
        mut bytes: &'a [u8],
        has_replies: bool,
        mut messages: u8,
        mut skipped: usize,
    ) -> Option<&'a [u8]> {
        loop {
            let Some(rest) = bytes.get(skipped..).filter(|rest| !rest.is_empty()) else {
                self.place = Place::Sought { messages, skipped: skipped.saturating_sub(bytes.len()) };
                return None;
            };
            let Some(mark) = plausible(rest, has_replies) else {
                self.lose();
                return None;
            };
            if messages >= CERTAIN {
                self.place = Place::Known;
                return Some(rest);
            }
            messages += u8::from(mark.is_last);
            (bytes, skipped) = (rest, MARK_LENGTH + mark.length);
        }
    }
}

/// Returns the mark at the beginning of bytes that may be a message.
fn plausible(bytes: &[u8], has_replies: bool) -> Option<Mark> {
    let beginning = bytes.get(..KNOWN_BY)?;
    let mark = Mark::read(beginning)?;
    let kind = Reader::new(beginning.get(8..)?).u32()?;
    (kind == u32::from(has_replies) && (LEAST_MESSAGE..=MAX_MESSAGE).contains(&mark.length)).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(length: u32, is_last: bool) -> [u8; 4] {
        (length | u32::from(is_last) << 31).to_be_bytes()
    }

    /// What pieces have, each a second behind the one before; an empty piece is a hole.
    fn found(pieces: &[&[u8]]) -> Vec<String> {
        let (mut records, mut lines) = (Records::default(), Vec::new());
        for (piece, now) in pieces.iter().zip(0..) {
            if piece.is_empty() {
                records.lose();
            }
            records.take(piece, false, f64::from(now), &mut |found| {
                lines.push(match found {
                    Found::Message(bytes, [begun, last]) if bytes.len() > 24 => {
                        format!("{} {begun} {last}", bytes.len())
                    }
                    Found::Message(bytes, [begun, last]) => {
                        format!("{} {begun} {last}", bytes.escape_ascii())
                    }
                    Found::TooLong(length) => format!("too long {length}"),
                });
            });
        }
        lines
    }

    #[test]
    fn messages_of_fragments() {
        let whole =
            [&mark(3, true)[..], b"abc", &mark(1, false), b"d", &mark(0, false), &mark(2, true), b"ef"]
                .concat();
        assert_eq!(found(&[&whole]), ["abc 0 0", "def 0 0"]);
        assert_eq!(found(&[&whole[..2], &whole[2..6], &whole[6..]]), ["abc 0 2", "def 2 2"]);
        assert_eq!(found(&[&[mark(0, true), mark(0, true)].concat()]), [" 0 0", " 0 0"]);
        let long =
            [&mark(65_536, false)[..], &[1; 65_536], &mark(9, true), &[2; 9], &mark(1, true), b"x"].concat();
        assert_eq!(found(&[&long]), ["too long 65545", "65536 0 0", "x 0 0"]);
    }

    #[test]
    fn marks_are_found_again_behind_holes() {
        let message = |letter: u8| [&mark(16, true)[..], b"xid.\0\0\0\0", &[letter; 8]].concat();
        let three = [message(b'a'), message(b'b'), message(b'c')].concat();
        assert_eq!(found(&[b"", b"rest of one", &three]), ["xid.\\x00\\x00\\x00\\x00cccccccc 2 2"]);
        assert_eq!(found(&[b"", &three[..32], &three[32..]]), ["xid.\\x00\\x00\\x00\\x00cccccccc 2 2"]);
        assert_eq!(
            found(&[b"", &three[..22], &three[22..]]),
            [""; 0],
            "a piece that begins within a message"
        );
        let reply = [&mark(16, true)[..], b"xid.\0\0\0\x01", &[0; 8]].concat();
        assert_eq!(found(&[b"", &reply, &reply, &reply]), [""; 0], "replies where calls come");
    }
}
