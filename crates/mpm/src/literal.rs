//! The description of one literal of a [`MultiMatcher`](crate::MultiMatcher).

/// One literal and the pattern it stands for. Several literals may have the same bytes, and several may
/// carry the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Bytes to look for; never empty.
    pub bytes: Vec<u8>,
    /// ASCII letters match in either case.
    pub nocase: bool,
    /// The caller's number for the pattern, given back on a match. Small and dense numbers keep a
    /// [`PatternSet`](crate::PatternSet) small.
    pub id: u32,
    /// An occurrence that starts before this offset does not count.
    pub earliest_start: u32,
    /// An occurrence that ends after this offset does not count.
    pub latest_end: u32,
}

impl Literal {
    /// A literal that counts anywhere in the buffer.
    pub fn new(bytes: impl Into<Vec<u8>>, nocase: bool, id: u32) -> Self {
        Self { bytes: bytes.into(), nocase, id, earliest_start: 0, latest_end: u32::MAX }
    }

    /// Limits the literal to between two offsets of the buffer.
    #[must_use]
    pub fn within(self, earliest_start: u32, latest_end: u32) -> Self {
        Self { earliest_start, latest_end, ..self }
    }
}
