//! A JSON writer that appends to a byte buffer: no value tree, no formatter.
//!
//! Strings may hold any bytes. As in EVE records, a byte that is not part of valid UTF-8 or is
//! not printable is written as an escape, so that a line is always valid JSON.

use crate::append::append;
use crate::hex;

/// Appends one JSON document to a buffer. Commas are placed by the writer; the caller opens and
/// closes objects and arrays in pairs.
#[derive(Debug)]
pub struct JsonWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Whether the next key or element needs a comma before it.
    comma: bool,
}

impl<'a> JsonWriter<'a> {
    /// Appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, comma: false }
    }

    /// Continues inside an object or array that another writer opened on the same buffer.
    /// `first` says that nothing was written into it yet.
    pub fn resume(out: &'a mut Vec<u8>, first: bool) -> Self {
        Self { out, comma: !first }
    }

    /// Returns the number of bytes in the buffer.
    pub fn position(&self) -> Mark {
        Mark { length: self.out.len(), comma: self.comma }
    }

    /// Takes back what was written since `mark`.
    pub fn rewind(&mut self, mark: Mark) {
        self.out.truncate(mark.length);
        self.comma = mark.comma;
    }

    #[inline]
    fn separate(&mut self) {
        if self.comma {
            self.out.push(b',');
        }
        self.comma = true;
    }

    /// Opens an object as an element or document.
    pub fn open_object(&mut self) {
        self.separate();
        self.out.push(b'{');
        self.comma = false;
    }

    /// Opens an object under `key`.
    #[inline(always)]
    pub fn object(&mut self, key: &str) {
        self.key(key);
        self.out.push(b'{');
        self.comma = false;
    }

    /// Closes the innermost object.
    pub fn close_object(&mut self) {
        self.out.push(b'}');
        self.comma = true;
    }

    /// Opens an array as an element or document.
    pub fn open_array(&mut self) {
        self.separate();
        self.out.push(b'[');
        self.comma = false;
    }

    /// Opens an array under `key`.
    #[inline(always)]
    pub fn array(&mut self, key: &str) {
        self.key(key);
        self.out.push(b'[');
        self.comma = false;
    }

    /// Closes the innermost array.
    pub fn close_array(&mut self) {
        self.out.push(b']');
        self.comma = true;
    }

    /// A key; the value must follow through one of the `raw_*` methods or an `open_*`-less call.
    #[inline(always)]
    fn key(&mut self, key: &str) {
        // Nearly all keys are literals, of which the compiler knows it.
        match is_plain(key.as_bytes()) {
            true => self.plain_key(key),
            false => self.escaped_key(key),
        }
    }

    #[inline(never)]
    fn plain_key(&mut self, key: &str) {
        self.separate();
        self.out.push(b'"');
        append(key.as_bytes(), self.out);
        self.out.extend_from_slice(b"\":");
    }

    #[cold]
    fn escaped_key(&mut self, key: &str) {
        self.separate();
        self.raw_string(key.as_bytes());
        self.out.push(b':');
    }

    /// `"key": "value"`, any bytes.
    #[inline(always)]
    pub fn string(&mut self, key: &str, value: impl AsRef<[u8]>) {
        self.key(key);
        self.raw_string(value.as_ref());
    }

    /// `"key": "value"` of bytes that are no text: one that would not show becomes a dot.
    pub fn printable(&mut self, key: &str, value: &[u8]) {
        let shows = |byte: &u8| matches!(byte, 0x20..=0x7e | b'\n' | b'\r');
        self.text(key, |out| {
            for run in value.chunk_by(|one, next| shows(one) == shows(next)) {
                match run.first().is_some_and(shows) {
                    true => escape(out, run),
                    false => out.extend(run.iter().map(|_| b'.')),
                }
            }
        });
    }

    /// `"key": 1`.
    #[inline(always)]
    pub fn unsigned(&mut self, key: &str, value: impl Into<u64>) {
        self.key(key);
        self.raw_unsigned(value.into());
    }

    /// `"key": -1`.
    #[inline(always)]
    pub fn signed(&mut self, key: &str, value: impl Into<i64>) {
        self.key(key);
        self.out.extend_from_slice(itoa::Buffer::new().format(value.into()).as_bytes());
    }

    /// `"key": true`.
    #[inline(always)]
    pub fn boolean(&mut self, key: &str, value: bool) {
        self.key(key);
        self.raw_boolean(value);
    }

    /// `"key": null`.
    #[inline(always)]
    pub fn null(&mut self, key: &str) {
        self.key(key);
        self.out.extend_from_slice(b"null");
    }

    /// `"key": "0a0b…"`.
    #[inline(always)]
    pub fn hex(&mut self, key: &str, value: &[u8]) {
        self.key(key);
        self.out.push(b'"');
        hex::append(self.out, value);
        self.out.push(b'"');
    }

    /// `"key":` followed by what `write` appends, which must be one JSON value.
    #[inline(always)]
    pub fn raw(&mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.key(key);
        write(self.out);
    }

    /// `"key": "…"` with what `write` appends between the quotes; it must need no escape.
    #[inline(always)]
    pub fn text(&mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.key(key);
        self.out.push(b'"');
        write(self.out);
        self.out.push(b'"');
    }

    /// `"key": "value"`, where there is a value.
    pub fn optional_string(&mut self, key: &str, value: Option<impl AsRef<[u8]>>) {
        if let Some(value) = value {
            self.string(key, value);
        }
    }

    /// `"key": "value"`, where there is a value and it is not empty.
    pub fn some_string(&mut self, key: &str, value: Option<impl AsRef<[u8]>>) {
        self.optional_string(key, value.filter(|value| !value.as_ref().is_empty()));
    }

    /// `"key": 1`, where there is a number.
    pub fn optional_unsigned(&mut self, key: &str, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.unsigned(key, value);
        }
    }

    /// `"key": {…}` with what `write` adds.
    pub fn nested(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        self.object(key);
        write(self);
        self.close_object();
    }

    /// `"key": ["value", …]`.
    pub fn strings(&mut self, key: &str, values: impl IntoIterator<Item: AsRef<[u8]>>) {
        self.array(key);
        values.into_iter().for_each(|value| self.push_string(value));
        self.close_array();
    }

    /// `"key": ["value", …]`, where there are values.
    pub fn some_strings(&mut self, key: &str, values: impl IntoIterator<Item: AsRef<[u8]>>) {
        let mut values = values.into_iter().peekable();
        if values.peek().is_some() {
            self.strings(key, values);
        }
    }

    /// `"key": [{…}, …]` with what `write` adds of each item.
    pub fn objects<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.array(key);
        for item in items {
            self.open_object();
            write(self, item);
            self.close_object();
        }
        self.close_array();
    }

    /// A string as an array element.
    pub fn push_string(&mut self, value: impl AsRef<[u8]>) {
        self.separate();
        self.raw_string(value.as_ref());
    }

    /// A number as an array element.
    pub fn push_unsigned(&mut self, value: impl Into<u64>) {
        self.separate();
        self.raw_unsigned(value.into());
    }

    /// `"…"` with what `write` appends between the quotes, as an array element; it must need no escape.
    pub fn push_text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.separate();
        self.out.push(b'"');
        write(self.out);
        self.out.push(b'"');
    }

    fn raw_string(&mut self, value: &[u8]) {
        self.out.push(b'"');
        escape(self.out, value);
        self.out.push(b'"');
    }

    fn raw_unsigned(&mut self, value: u64) {
        self.out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    fn raw_boolean(&mut self, value: bool) {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }
}

/// A place in the buffer to return to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    comma: bool,
}

/// Bytes that stand for themselves inside a JSON string.
#[allow(clippy::indexing_slicing, reason = "evaluated when compiled, with an index below 127")]
const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        table[byte] = byte != b'"' as usize && byte != b'\\' as usize;
        byte += 1;
    }
    table
};

/// Whether all bytes stand for themselves.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    match (text.last_chunk(), text.first_chunk(), text.last_chunk()) {
        (Some(last), _, _) => {
            let (words, _) = text.as_chunks();
            // What is behind the last word is looked at with bytes before it.
            is_plain_word(u64::from_le_bytes(*last))
                && words.iter().all(|word| is_plain_word(u64::from_le_bytes(*word)))
        }
        (None, Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            is_plain_word(u64::from(last) << 32 | u64::from(first))
        }
        _ => text.iter().all(|&byte| is_plain_byte(byte)),
    }
}

/// Whether eight bytes all stand for themselves.
#[inline]
const fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    // What is less borrows from the highest bit, which no plain byte has.
    let special = word
        | word.wrapping_add(ONES)
        | word.wrapping_sub(ONES * 0x20)
        | (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES)
        | (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    special & (ONES << 7) == 0
}

/// Whether a byte stands for itself inside a JSON string.
#[inline]
fn is_plain_byte(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)) == Some(&true)
}

/// Appends `value` with JSON's escapes. Valid UTF-8 stays as it is. Where any of it is not valid, each byte `b`
/// that is not ASCII becomes the four characters `\xbb` (written `\\xbb`), as EVE readers know it: letters that
/// binary data has by chance are no text.
pub fn escape(out: &mut Vec<u8>, value: &[u8]) {
    if is_plain(value) {
        return append(value, out);
    }
    let is_text = std::str::from_utf8(value).is_ok();
    let mut rest = value;
    while !rest.is_empty() {
        let plain = rest.iter().take_while(|&&byte| is_plain_byte(byte)).count();
        let (head, tail) = rest.split_at(plain);
        append(head, out);
        let Some((&byte, after)) = tail.split_first() else {
            return;
        };
        rest = after;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            0..=0x1f | 0x7f => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&hex::digits(byte));
            }
            _ if is_text => out.push(byte),
            _ => {
                out.extend_from_slice(b"\\\\x");
                out.extend_from_slice(&hex::digits(byte));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut JsonWriter::new(&mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nested_values() {
        let text = written(|json| {
            json.open_object();
            json.string("a", "x\"\n");
            json.array("b");
            json.push_unsigned(1u64);
            json.open_object();
            json.boolean("c", true);
            json.close_object();
            json.close_array();
            json.signed("d", -5);
            json.close_object();
        });
        assert_eq!(text, r#"{"a":"x\"\n","b":[1,{"c":true}],"d":-5}"#);
    }

    #[test]
    fn any_bytes_make_valid_json() {
        let cases: [(&[u8], &str); 6] = [
            (b"plain", "plain"),
            ("gr\u{fc}n".as_bytes(), "gr\u{fc}n"),
            (b"\xff\xc3", "\\\\xff\\\\xc3"),
            (b"a\xd8\xac\xac", "a\\\\xd8\\\\xac\\\\xac"),
            (b"\x00\x7f", "\\u0000\\u007f"),
            (b"\\", "\\\\"),
        ];
        for (bytes, expected) in cases {
            let mut out = Vec::new();
            escape(&mut out, bytes);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    /// Each byte, at each place of texts of all lengths around those that are looked at together, between the
    /// least and the greatest bytes that need no escape.
    #[test]
    fn bytes_that_need_an_escape_are_found() {
        for (byte, other) in (0..=u8::MAX).flat_map(|byte| [(byte, b' '), (byte, b'~')]) {
            for length in 1..20 {
                for place in 0..length {
                    let mut text = vec![other; length];
                    text[place] = byte;
                    assert_eq!(is_plain(&text), is_plain_byte(byte), "{byte:#x} at {place} of {length}");
                }
            }
        }
        assert!(is_plain(b""));
    }

    #[test]
    fn rewinding_forgets() {
        let text = written(|json| {
            json.open_object();
            json.unsigned("a", 1u64);
            let mark = json.position();
            json.object("b");
            json.rewind(mark);
            json.unsigned("c", 2u64);
            json.close_object();
        });
        assert_eq!(text, r#"{"a":1,"c":2}"#);
    }
}
