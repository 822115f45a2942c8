//! Data of CRYPTO frames, put in order: a stream of TLS messages whose pieces come in any order, in
//! several frames and packets (RFC 9000 section 19.6).

/// Longest stream that is put together. A hello is seldom longer than two packets.
pub const MAX_LENGTH: usize = 65_535;

/// Most pieces that wait for others before them.
const MAX_PIECES: usize = 128;

/// One direction's stream. It takes no more memory than what came.
#[derive(Debug, Default)]
pub struct CryptoStream {
    start: Vec<u8>,
    /// Pieces behind a gap, by where they belong, in order.
    later: Vec<(usize, Box<[u8]>)>,
}

/// A piece that is not kept: it lies too far from the start, or too many wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong;

impl CryptoStream {
    /// Bytes that it takes, of which no more than [`MAX_PIECES`] pieces wait.
    pub fn memory(&self) -> usize {
        let later = self.later.iter().map(|(_, data)| size_of::<(usize, Box<[u8]>)>() + data.len());
        self.start.capacity() + later.sum::<usize>()
    }

    /// Takes a piece; of what came before, the first holds.
    pub fn insert(&mut self, offset: u64, data: &[u8]) -> Result<(), TooLong> {
        let at = usize::try_from(offset).map_err(|_| TooLong)?;
        at.checked_add(data.len()).filter(|&end| end <= MAX_LENGTH).ok_or(TooLong)?;
        if at > self.start.len() {
            return self.wait(at, data);
        }
        self.append(at, data);
        let fitting = self.later.iter().take_while(|(at, _)| *at <= self.start.len()).count();
        if fitting > 0 {
            let mut later = std::mem::take(&mut self.later).into_iter().peekable();
            while let Some((at, data)) = later.next_if(|(at, _)| *at <= self.start.len()) {
                self.append(at, &data);
            }
            self.later = later.collect();
        }
        Ok(())
    }

    /// Adds what of a piece that begins no later than the gap lies behind the start.
    fn append(&mut self, at: usize, data: &[u8]) {
        self.start.extend_from_slice(data.get(self.start.len() - at..).unwrap_or_default());
    }

    fn wait(&mut self, at: usize, data: &[u8]) -> Result<(), TooLong> {
        match self.later.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(place) => {
                if let Some((_, known)) =
                    self.later.get_mut(place).filter(|(_, known)| known.len() < data.len())
                {
                    *known = data.into();
                }
            }
            Err(_) if data.is_empty() => {}
            Err(_) if self.later.len() >= MAX_PIECES => return Err(TooLong),
            Err(place) => self.later.insert(place, (at, data.into())),
        }
        Ok(())
    }

    /// Returns the bytes from the start on, without a gap.
    pub fn start(&self) -> &[u8] {
        &self.start
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
        assert_eq!(stream.insert(1, b"x"), Ok(()), "what is known takes no more room");
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
