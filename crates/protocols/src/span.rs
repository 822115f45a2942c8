//! Places in a text that is kept beside them.

/// From where to where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// From `start` until before `end`.
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |place| u32::try_from(place).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// The place of `part` in `whole`, which it is a part of.
    pub fn of(whole: &[u8], part: &[u8]) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
        Self::new(start, start.saturating_add(part.len()))
    }

    /// Returns the bytes there.
    pub fn read(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// From where this one begins to where the other one ends.
    pub const fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let text = b"one two three";
        let (one, three) = (Span::of(text, &text[..3]), Span::of(text, &text[8..]));
        assert_eq!((one.read(text), three.read(text)), (&b"one"[..], &b"three"[..]));
        assert_eq!(one.to(three).read(text), text);
        assert_eq!(three.read(b"short"), b"");
    }
}
