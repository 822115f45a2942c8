//! What CRYPTO frames carry, put in order: a stream of TLS messages whose pieces come in any order, in
//! several frames and packets (RFC 9000 section 19.6).

/// Longest stream that is put together. A hello is seldom longer than two packets.
pub const MAX_LENGTH: usize = 65_535;

/// Most pieces with gaps between them.
const MAX_PIECES: usize = 128;

/// One direction's stream.
#[derive(Debug, Default)]
pub struct CryptoStream {
    bytes: Vec<u8>,
    /// From where to where there are bytes, in order, with gaps in between.
    pieces: Vec<(usize, usize)>,
}

/// A piece that is not kept: it lies too far from the start, or there are too many gaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong;

impl CryptoStream {
    /// Takes a piece.
    pub fn insert(&mut self, offset: u64, data: &[u8]) -> Result<(), TooLong> {
        let start = usize::try_from(offset).map_err(|_| TooLong)?;
        let end = start.checked_add(data.len()).filter(|&end| end <= MAX_LENGTH).ok_or(TooLong)?;
        if data.is_empty() {
            return Ok(());
        }
        let from = self.pieces.partition_point(|&(_, piece_end)| piece_end < start);
        let to = self.pieces.partition_point(|&(piece_start, _)| piece_start <= end);
        let touched = self.pieces.get(from..to).unwrap_or_default();
        if touched.is_empty() && self.pieces.len() >= MAX_PIECES {
            return Err(TooLong);
        }
        let merged =
            touched.iter().fold((start, end), |(start, end), piece| (start.min(piece.0), end.max(piece.1)));
        self.pieces.splice(from..to, [merged]);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        if let Some(place) = self.bytes.get_mut(start..end) {
            place.copy_from_slice(data);
        }
        Ok(())
    }

    /// What is there from the start on, without a gap.
    pub fn start(&self) -> &[u8] {
        match self.pieces.first() {
            Some(&(0, end)) => self.bytes.get(..end).unwrap_or_default(),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn limits() {
        let mut stream = CryptoStream::default();
        assert_eq!(stream.insert(65_530, b"12345"), Ok(()));
        assert_eq!(stream.insert(65_530, b"123456"), Err(TooLong));
        assert_eq!(stream.insert(u64::MAX, b"1"), Err(TooLong));
        assert_eq!(stream.start(), b"");
        let mut stream = CryptoStream::default();
        for piece in 0..MAX_PIECES as u64 {
            assert_eq!(stream.insert(piece * 2 + 1, b"x"), Ok(()));
        }
        assert_eq!(stream.insert(1000, b"x"), Err(TooLong));
        assert_eq!(stream.insert(0, b"y"), Ok(()), "what fills a gap is taken");
        assert_eq!(stream.start(), b"yx");
    }

    proptest! {
        #[test]
        fn any_order_gives_the_same(
            text in proptest::collection::vec(any::<u8>(), 1..300),
            cuts in proptest::collection::vec((0usize..300, 0usize..60), 0..60),
        ) {
            let mut stream = CryptoStream::default();
            let mut known = vec![false; text.len()];
            for (start, length) in cuts {
                let start = start.min(text.len());
                let end = (start + length).min(text.len());
                prop_assert_eq!(stream.insert(start as u64, &text[start..end]), Ok(()));
                known[start..end].iter_mut().for_each(|known| *known = true);
                let expected = known.iter().take_while(|known| **known).count();
                prop_assert_eq!(stream.start(), &text[..expected]);
            }
        }
    }
}
