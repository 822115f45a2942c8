//! Compressed messages (RFC 7692 7.2.2): each side's are one stream of deflate, of which the end of each
//! message is cut off.

use flate2::{Decompress, FlushDecompress, Status};

/// Tail that a sender cuts off (RFC 7692 7.2.1).
const TAIL: &[u8] = &[0, 0, 0xff, 0xff];

/// Multiple of the limit that a message may hold for the stream to be followed behind it.
const MAX_EXCESS: u64 = 16;

/// Output is taken in pieces of this size.
const PIECE: usize = 4096;

/// Undoes one side's compression.
pub struct Inflater {
    stream: Decompress,
    piece: [u8; PIECE],
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflater").finish_non_exhaustive()
    }
}

impl Default for Inflater {
    fn default() -> Self {
        Self { stream: Decompress::new(false), piece: [0; PIECE] }
    }
}

/// Content of a message.
#[derive(Debug, PartialEq, Eq)]
pub struct Inflated {
    /// Its bytes, within the limit.
    pub bytes: Vec<u8>,
    /// It holds more than that.
    pub cut: bool,
}

impl Inflater {
    /// Inflates a whole message, up to `limit` bytes; none where it is no deflate.
    pub fn message(&mut self, message: &[u8], limit: usize) -> Option<Inflated> {
        let mut found = Inflated { bytes: Vec::new(), cut: false };
        let most = self.stream.total_out().saturating_add((limit as u64).saturating_mul(MAX_EXCESS));
        for part in [message, TAIL] {
            if !self.part(part, limit, most, &mut found)? {
                // What follows begins anew: a sender that ended its stream, or more than is worth the work.
                self.stream.reset(false);
                break;
            }
        }
        Some(found)
    }

    /// Forgets what came before: something of it was not seen.
    pub fn forget(&mut self) {
        self.stream.reset(false);
    }

    /// Takes in a part of a message; false where the stream goes on no further.
    fn part(&mut self, mut rest: &[u8], limit: usize, most: u64, found: &mut Inflated) -> Option<bool> {
        let Self { stream, piece } = self;
        loop {
            let before = (stream.total_in(), stream.total_out());
            let status = stream.decompress(rest, piece, FlushDecompress::None).ok()?;
            let taken = (stream.total_in() - before.0) as usize;
            let given = (stream.total_out() - before.1) as usize;
            rest = rest.get(taken..).unwrap_or_default();
            let room = limit.saturating_sub(found.bytes.len());
            found.bytes.extend_from_slice(piece.get(..given.min(room)).unwrap_or_default());
            found.cut |= given > room;
            if status == Status::StreamEnd || stream.total_out() > most {
                return Some(false);
            }
            // What fits into a piece is all there is for now.
            if given < PIECE && (rest.is_empty() || taken == 0) {
                return Some(true);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    /// Messages of one side, compressed.
    pub fn deflate(messages: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut compress = Compress::new(Compression::best(), false);
        let packed = messages.iter().map(|message| {
            let mut out = Vec::with_capacity(message.len() + 64);
            compress.compress_vec(message, &mut out, FlushCompress::Sync).unwrap();
            assert!(out.ends_with(TAIL));
            out.truncate(out.len() - TAIL.len());
            out
        });
        packed.collect()
    }

    #[test]
    fn messages_share_what_came_before() {
        let texts: [&[u8]; 3] = [b"hello hello", b"hello hello", b"something else"];
        let packed = deflate(&texts);
        assert!(packed[1].len() < packed[0].len());
        let mut inflater = Inflater::default();
        for (packed, text) in packed.iter().zip(texts) {
            assert_eq!(inflater.message(packed, 100).unwrap().bytes, text);
            // An empty one, RFC 7692 7.2.3.6.
            assert_eq!(inflater.message(&[0], 100).unwrap().bytes, b"");
        }
    }

    #[test]
    fn what_one_says_is_bounded() {
        let long = vec![b'a'; 100_000];
        for (limit, next) in [(10_000, Some(&b"next"[..])), (100, None)] {
            let packed = deflate(&[&long, b"next"]);
            let mut inflater = Inflater::default();
            let found = inflater.message(&packed[0], limit).unwrap();
            assert_eq!((found.bytes.len(), found.cut), (limit, true));
            let found = inflater.message(&packed[1], limit);
            if let Some(next) = next {
                assert_eq!(found.unwrap().bytes, next);
            }
        }
    }

    #[test]
    fn what_is_no_deflate_is_refused() {
        let mut inflater = Inflater::default();
        assert_eq!(inflater.message(b"\xff\xff\xff", 100), None);
        inflater.forget();
        assert_eq!(inflater.message(&deflate(&[b"again"])[0], 100).unwrap().bytes, b"again");
    }

    #[test]
    fn a_stream_that_ends_begins_anew() {
        let ended = |text: &[u8]| {
            let mut out = Vec::with_capacity(64);
            let mut compress = Compress::new(Compression::best(), false);
            compress.compress_vec(text, &mut out, FlushCompress::Finish).unwrap();
            out
        };
        let mut inflater = Inflater::default();
        for text in [b"one", b"two"] {
            assert_eq!(inflater.message(&ended(text), 100).unwrap().bytes, text);
        }
    }
}
