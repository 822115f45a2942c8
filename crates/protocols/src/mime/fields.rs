//! The header fields of a message or part.

/// Most fields kept.
pub const MAX_FIELDS: usize = 1024;

/// Most bytes kept of a value, whatever is configured.
pub const MAX_VALUE: usize = 64 << 10;

/// Longest name kept.
const MAX_NAME: usize = 1024;

/// Most bytes kept of all names and values together.
const MAX_BYTES: usize = 1 << 20;

/// One field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailField {
    /// The name as written.
    pub name: Vec<u8>,
    /// The value; of a folded one the lines, each without its first blank.
    pub value: Vec<u8>,
}

/// The fields, in order.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    fields: Vec<MailField>,
    /// Of their names and values together.
    bytes: usize,
}

impl Fields {
    /// Adds a field where there is room; false where there is none.
    pub fn push(&mut self, name: &[u8], value: &[u8], depth: usize) -> bool {
        let room = self.fields.len() < MAX_FIELDS && self.bytes < MAX_BYTES;
        if room {
            let name = name.get(..MAX_NAME).unwrap_or(name).to_vec();
            let value = value.get(..depth).unwrap_or(value).to_vec();
            self.bytes += name.len() + value.len();
            self.fields.push(MailField { name, value });
        }
        room
    }

    /// The last field goes on; answers how long it would be.
    pub fn extend(&mut self, value: &[u8], depth: usize) -> usize {
        let Some(field) = self.fields.last_mut() else { return 0 };
        let room = depth.saturating_sub(field.value.len());
        let kept = value.get(..room).unwrap_or(value);
        self.bytes += kept.len();
        field.value.extend_from_slice(kept);
        field.value.len() + value.len().saturating_sub(room)
    }

    /// Bytes of memory that they take.
    pub fn memory(&self) -> usize {
        self.bytes + self.fields.capacity() * size_of::<MailField>()
    }

    /// The first value of this name, in either case.
    pub fn value(&self, name: &[u8]) -> Option<&[u8]> {
        let field = self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))?;
        Some(&field.value)
    }

    /// All values of this name.
    pub fn values<'a>(&'a self, name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let same = self.fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
        same.map(|field| &field.value[..])
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &MailField> {
        self.fields.iter()
    }

    /// Returns the number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

/// Splits a line into name and value; none where it has no colon.
pub fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, value) = line.split_at_checked(memchr::memchr(b':', line)?)?;
    let value = value.get(1..).unwrap_or_default();
    let start = value.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    Some((name, value.get(start.unwrap_or(value.len())..).unwrap_or_default()))
}

/// The entries of a list of addresses, without blanks around them; commas within quotes belong to an entry.
pub fn entries(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    value
        .split(move |byte| {
            let separates = *byte == b',' && !quoted;
            quoted ^= *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            separates
        })
        .map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_addresses() {
        let cases: [(&str, &[&str]); 4] = [
            ("a@b", &["a@b"]),
            ("<a@b>, c <c@d>", &["<a@b>", "c <c@d>"]),
            ("\"x, y\" <a@b>,c", &["\"x, y\" <a@b>", "c"]),
            (r#""x\", y" <a@b>,c"#, &[r#""x\", y" <a@b>"#, "c"]),
        ];
        for (value, expected) in cases {
            let found: Vec<_> = entries(value.as_bytes()).map(|e| std::str::from_utf8(e).unwrap()).collect();
            assert_eq!(found, expected, "{value}");
        }
    }

    #[test]
    fn values_are_bounded() {
        let mut fields = Fields::default();
        assert!(fields.push(b"Subject", b"abcdef", 4));
        assert_eq!(fields.value(b"subject"), Some(&b"abcd"[..]));
        assert_eq!(fields.extend(b"xy", 5), 6);
        assert_eq!(fields.value(b"SUBJECT"), Some(&b"abcdx"[..]));
        assert_eq!(fields.value(b"to"), None);
        assert_eq!((0..2 * MAX_FIELDS).filter(|_| fields.push(b"a", b"", 9)).count(), MAX_FIELDS - 1);
        let (mut fields, value) = (Fields::default(), vec![b'a'; MAX_VALUE]);
        assert_eq!((0..100).filter(|_| fields.push(b"a", &value, MAX_VALUE)).count(), 16);
    }

    #[test]
    fn lines_of_fields() {
        assert_eq!(split(b"To: \t a"), Some((&b"To"[..], &b"a"[..])));
        assert_eq!(split(b"To:"), Some((&b"To"[..], &b""[..])));
        assert_eq!(split(b"none"), None);
    }
}
