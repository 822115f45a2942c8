//! The header fields of one message: two buffers and a list of positions, no allocation per field.

use std::hash::{BuildHasher, Hasher};

use weir_base::keyed_hash;

use super::octets::is_word;

/// Most repetitions of fields that are joined; later ones are dropped.
const MAX_REPETITIONS: u32 = 64;

/// Most messages have no more fields, nor longer ones.
const USUAL_FIELDS: usize = 12;
const USUAL_LENGTH: usize = 512;

/// Most bytes of joined values; repetitions beyond are dropped.
const MAX_JOINED: usize = 512 << 10;

/// Where a name or value lies.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    length: u32,
    /// In the joined values rather than in the raw block.
    joined: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    name: Span,
    value: Span,
    sum: u32,
    mark: Mark,
    repeated: bool,
}

/// A sum of a name's letters, whatever their case, that nobody can foresee who sends it: names that differ seldom have the
/// same, so that a field among many is compared with few.
fn sum(name: &[u8]) -> u32 {
    let mut hasher = keyed_hash().build_hasher();
    let (words, rest) = name.as_chunks::<8>();
    for word in words {
        hasher.write_u64(u64::from_le_bytes(word.map(|byte| byte.to_ascii_lowercase())));
    }
    let last = rest.iter().fold(1, |word, byte| word << 8 | u64::from(byte.to_ascii_lowercase()));
    hasher.write_u64(last);
    hasher.finish() as u32
}

/// Mark that names have in common if they are the same but for case and NULs: their length and first letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark(u16);

impl Mark {
    fn of(name: &[u8]) -> Self {
        if memchr::memchr(0, name).is_none() {
            return Self::of_word(name);
        }
        let mut letters = name.iter().filter(|&&byte| byte != 0);
        let first = letters.next().copied();
        Self::new(letters.count() + usize::from(first.is_some()), first)
    }

    /// That of a name without NULs.
    #[inline]
    const fn of_word(name: &[u8]) -> Self {
        Self::new(name.len(), name.first().copied())
    }

    #[inline]
    const fn new(length: usize, first: Option<u8>) -> Self {
        let first = match first {
            Some(first) => first.to_ascii_lowercase(),
            None => 0,
        };
        Self(u16::from_be_bytes([first, length as u8]))
    }

    /// A bit that names of this mark share with few others.
    #[inline]
    const fn bit(self) -> u64 {
        1 << (self.0.wrapping_mul(0x9e37) >> 10)
    }
}

/// Result of adding a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Added {
    /// It is the first of its name.
    New,
    /// It is the second of its name and was joined to the first.
    Repeated,
    /// As one more of a name that was repeated before.
    Again,
    /// It says another length than the first `Content-Length`, or one of them says none.
    AmbiguousLength,
    /// There are too many fields.
    TooMany,
}

/// Header fields by order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers {
    /// The block as it came, trailers after headers.
    raw: Vec<u8>,
    /// Values that are not one piece of `raw`.
    joined: Vec<u8>,
    entries: Vec<Entry>,
    /// The bits of all names' marks: most names that are asked for are not there.
    bits: u64,
    repetitions: u32,
}

impl Headers {
    /// The block as it came.
    pub(super) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Takes over bytes of the block that are no field.
    pub(super) fn append_raw(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.raw.clear();
        self.joined.clear();
        self.entries.clear();
        self.bits = 0;
        self.repetitions = 0;
    }

    /// Bytes of memory that they take beside themselves.
    pub(super) fn memory(&self) -> usize {
        self.raw.capacity() + self.joined.capacity() + self.entries.capacity() * size_of::<Entry>()
    }

    /// Gives back the room for fields that did not come.
    pub(super) fn shrink(&mut self) {
        self.raw.shrink_to_fit();
        self.entries.shrink_to_fit();
    }

    /// Returns the number of fields.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds a field that takes up `block`; `name` and `value` are parts of it, or else are copied.
    pub(super) fn add(&mut self, block: &[u8], name: &[u8], value: &[u8], limit: usize) -> Added {
        if self.entries.capacity() == 0 {
            self.entries.reserve(USUAL_FIELDS);
            self.raw.reserve(USUAL_LENGTH);
        }
        let base = self.raw.len();
        self.raw.extend_from_slice(block);
        let (mark, sum) = (Mark::of(name), sum(name));
        if let Some(index) = self.position(mark, sum, name) {
            return self.join(index, name, value);
        }
        if self.entries.len() > limit {
            return Added::TooMany;
        }
        let name = self.place(base, block, name);
        let value = self.place(base, block, value);
        self.bits |= mark.bit();
        self.entries.push(Entry { name, value, sum, mark, repeated: false });
        Added::New
    }

    fn join(&mut self, index: usize, name: &[u8], value: &[u8]) -> Added {
        let Some(&entry) = self.entries.get(index) else { return Added::New };
        if entry.repeated {
            if self.repetitions >= MAX_REPETITIONS || self.joined.len() > MAX_JOINED {
                return Added::Again;
            }
            self.repetitions += 1;
        }
        let added = if entry.repeated { Added::Again } else { Added::Repeated };
        if let Some(entry) = self.entries.get_mut(index) {
            entry.repeated = true;
        }
        if name.eq_ignore_ascii_case(b"content-length") {
            let first = super::length::content_length(self.text(entry.value)).map(|length| length.value);
            let second = super::length::content_length(value).map(|length| length.value);
            let same = first.is_some() && first == second;
            return if same { added } else { Added::AmbiguousLength };
        }
        let start = self.joined.len();
        let first = entry.value;
        let range = first.start as usize..(first.start + first.length) as usize;
        if first.joined && range.end == start {
            // The newest joined value only grows.
            self.joined.extend_from_slice(b", ");
            self.joined.extend_from_slice(value);
            if let Some(entry) = self.entries.get_mut(index) {
                entry.value.length = (self.joined.len() - range.start) as u32;
            }
            return added;
        }
        if first.joined {
            self.joined.extend_from_within(range);
        } else if let Some(bytes) = self.raw.get(range) {
            self.joined.extend_from_slice(bytes);
        }
        self.joined.extend_from_slice(b", ");
        self.joined.extend_from_slice(value);
        if let Some(entry) = self.entries.get_mut(index) {
            entry.value =
                Span { start: start as u32, length: (self.joined.len() - start) as u32, joined: true };
        }
        added
    }

    fn place(&mut self, base: usize, block: &[u8], part: &[u8]) -> Span {
        let offset = (part.as_ptr() as usize).wrapping_sub(block.as_ptr() as usize);
        if offset.checked_add(part.len()).is_some_and(|end| end <= block.len()) {
            return Span { start: (base + offset) as u32, length: part.len() as u32, joined: false };
        }
        let start = self.joined.len() as u32;
        self.joined.extend_from_slice(part);
        Span { start, length: part.len() as u32, joined: true }
    }

    fn text(&self, span: Span) -> &[u8] {
        let bytes = if span.joined { &self.joined } else { &self.raw };
        bytes.get(span.start as usize..(span.start + span.length) as usize).unwrap_or_default()
    }

    fn position(&self, mark: Mark, sum: u32, name: &[u8]) -> Option<usize> {
        if self.bits & mark.bit() == 0 {
            return None;
        }
        let is_named = |entry: &Entry| entry.sum == sum && self.text(entry.name).eq_ignore_ascii_case(name);
        self.entries.iter().position(is_named)
    }

    #[inline]
    fn find(&self, lower: &[u8]) -> Option<&Entry> {
        let mark = Mark::of_word(lower);
        if self.bits & mark.bit() == 0 {
            return None;
        }
        self.marked(mark, lower)
    }

    fn marked(&self, mark: Mark, lower: &[u8]) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.mark == mark && is_word(self.text(entry.name), lower))
    }

    /// The value of the field whose name is `lower` (lower case); NULs in names do not count.
    #[inline]
    pub(super) fn value(&self, lower: &[u8]) -> Option<&[u8]> {
        self.find(lower).map(|entry| self.text(entry.value))
    }

    /// The value of the field whose name is `lower`; none within, where there are several, or it is longer than that as
    /// it was sent.
    pub(super) fn only(&self, lower: &[u8]) -> Option<Option<&[u8]>> {
        let entry = self.find(lower)?;
        let end = (entry.value.start + entry.value.length) as usize;
        let is_all = !entry.repeated
            && !entry.value.joined
            && self.raw.get(end).is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
        Some(is_all.then(|| self.text(entry.value)))
    }

    /// Whether there are several fields whose name is `lower`.
    pub(super) fn is_repeated(&self, lower: &[u8]) -> bool {
        self.find(lower).is_some_and(|entry| entry.repeated)
    }

    /// Name and value by index.
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        self.entries.get(index).map(|entry| (self.text(entry.name), self.text(entry.value)))
    }

    /// Names and values in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|entry| (self.text(entry.name), self.text(entry.value)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn add(headers: &mut Headers, line: &'static [u8]) -> Added {
        let colon = line.iter().position(|&b| b == b':').unwrap();
        headers.add(line, &line[..colon], &line[colon + 1..], 10)
    }

    #[test]
    fn repetitions_are_joined() {
        let mut headers = Headers::default();
        assert_eq!(add(&mut headers, b"A:1"), Added::New);
        assert_eq!(add(&mut headers, b"b:x"), Added::New);
        assert_eq!(add(&mut headers, b"a:2"), Added::Repeated);
        assert_eq!(add(&mut headers, b"B:y"), Added::Repeated);
        assert_eq!(add(&mut headers, b"a:3"), Added::Again);
        assert_eq!(headers.value(b"a"), Some(&b"1, 2, 3"[..]));
        assert_eq!(headers.value(b"b"), Some(&b"x, y"[..]));
        assert_eq!(headers.raw(), b"A:1b:xa:2B:ya:3");
        assert_eq!(headers.len(), 2);
    }

    #[test]
    fn names_that_differ_have_other_sums() {
        // Each place has one of two bytes: what differs in case only, in the bit that makes the case of letters, in the
        // highest bit of a word and one behind it, and letters.
        let pairs: [[&[u8]; 2]; 4] = [
            [b"@", b"`"],
            [b"\xc1", b"\xe1"],
            [b"x-field-x-field-", b"x-field\xadx-f\x79eld-"],
            [b"ab", b"ac"],
        ];
        for pair in pairs {
            let name = |number: u32| -> Vec<u8> {
                (0..9).flat_map(|bit| pair[(number >> bit & 1) as usize]).copied().collect()
            };
            let sums: HashSet<u32> = (0..512).map(|number| sum(&name(number))).collect();
            assert!(sums.len() > 505, "{pair:?}: {}", sums.len());
            assert!((0..512).all(|number| sum(&name(number).to_ascii_uppercase()) == sum(&name(number))));
        }
        assert_eq!(sum(b"Content-Length"), sum(b"content-lengtH"));
    }

    #[test]
    fn the_first_length_stays() {
        let mut headers = Headers::default();
        add(&mut headers, b"Content-Length:5");
        assert_eq!(add(&mut headers, b"content-length: 5 "), Added::Repeated);
        assert_eq!(add(&mut headers, b"content-length:6"), Added::AmbiguousLength);
        assert_eq!(headers.value(b"content-length"), Some(&b"5"[..]));
    }

    #[test]
    fn names_are_found_whatever_their_case_and_their_nuls() {
        let mut headers = Headers::default();
        for line in [&b"Host:1"[..], b"\0X\0-a:2", b"\0:3", b":4", b"\xc4b:5"] {
            add(&mut headers, line);
        }
        let cases: [(&[u8], Option<&[u8]>); 7] = [
            (b"host", Some(b"1")),
            (b"x-a", Some(b"2")),
            (b"", Some(b"3")),
            (b"\xc4b", Some(b"5")),
            (b"hosts", None),
            (b"x-b", None),
            (b"y", None),
        ];
        for (name, expected) in cases {
            assert_eq!(headers.value(name), expected, "{name:?}");
        }
        assert_eq!(add(&mut headers, b"hOST:6"), Added::Repeated);
        assert_eq!(headers.value(b"host"), Some(&b"1, 6"[..]));
    }

    #[test]
    fn there_is_a_limit() {
        let mut headers = Headers::default();
        for name in b'a'..=b'k' {
            assert_eq!(headers.add(&[name], &[name], b"", 10), Added::New);
        }
        assert_eq!(add(&mut headers, b"z:1"), Added::TooMany);
    }
}
