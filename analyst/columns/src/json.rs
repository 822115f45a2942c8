//! JSON (RFC 8259) as it is read into columns: value by value, without a tree.
//!
//! A general reader hands each value through several layers, which for short values costs more than the values do: with
//! this one, that knows which member is to come next, reading takes half the time.

use std::borrow::Cow;

/// Objects and lists within each other; deeper ones are no record.
const MOST_NESTED: u32 = 128;

/// Digits that fit 64 bits, whatever they are.
const MOST_DIGITS: usize = 18;

/// The lowest bit of each byte.
const LOW: u64 = 0x0101_0101_0101_0101;

/// The highest bit of the first byte that is zero, and perhaps of later ones.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & (LOW << 7)
}

/// A text that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Unsigned(u64),
    Float(f64),
}

/// Bytes of a name that are compared at once.
const AT_ONCE: usize = 16;

/// A name of a member as records write it: `"name":`
pub(crate) struct Name {
    written: Box<[u8]>,
    /// Its first bytes in two pieces, and which bits of them count.
    pieces: [(u128, u128); 2],
}

impl Name {
    /// One that is written with backslashes is found in no record.
    pub(crate) fn new(name: &str) -> Self {
        let is_plain = !name.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\'));
        let written: Box<[u8]> =
            if is_plain { format!("\"{name}\":").into_bytes().into() } else { Box::from(*b"\0") };
        let piece = |number: usize| {
            let (mut bytes, mut mask) = ([0; AT_ONCE], [0; AT_ONCE]);
            let part = written.iter().skip(number * AT_ONCE);
            for ((byte, at), mask) in part.zip(&mut bytes).zip(&mut mask) {
                (*at, *mask) = (*byte, 0xff);
            }
            (u128::from_le_bytes(bytes), u128::from_le_bytes(mask))
        };
        let pieces = [piece(0), piece(1)];
        Self { written, pieces }
    }

    /// Whether a text begins with it.
    #[inline]
    fn begins(&self, text: &[u8]) -> bool {
        let Some(first) = text.first_chunk::<{ 2 * AT_ONCE }>() else {
            return text.starts_with(&self.written);
        };
        let ([first, second], _) = first.as_chunks::<AT_ONCE>() else { return false };
        let differs = |bytes: &[u8; AT_ONCE], (piece, mask): (u128, u128)| {
            (u128::from_le_bytes(*bytes) ^ piece) & mask != 0
        };
        let [head, tail] = self.pieces;
        !differs(first, head)
            && (self.written.len() <= AT_ONCE || !differs(second, tail))
            && (self.written.len() <= 2 * AT_ONCE || text.starts_with(&self.written))
    }
}

/// A place in a text.
pub(crate) struct Json<'t> {
    text: &'t str,
    at: usize,
    nested: u32,
}

impl<'t> Json<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self { text, at: 0, nested: 0 }
    }

    /// The next byte that is no space; zero at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    /// Passes a byte, where it is the next one.
    #[inline]
    pub(crate) fn pass(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        self.at += usize::from(is_next);
        is_next
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.pass(byte) { Ok(()) } else { Err(Malformed) }
    }

    /// The rest of the text.
    #[inline]
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Passes a name with its colon, where it is what follows.
    #[inline]
    pub(crate) fn pass_name(&mut self, name: &Name) -> bool {
        let is_next = name.begins(self.rest());
        if is_next {
            self.at += name.written.len();
        }
        is_next
    }

    /// Passes a text without backslashes, where one follows at once.
    #[inline]
    pub(crate) fn pass_plain_text(&mut self) -> Option<&'t str> {
        let [b'"', ..] = self.rest() else { return None };
        let before = self.at;
        match self.plain(before + 1) {
            Ok((text, b'"')) => Some(text),
            _ => {
                self.at = before;
                None
            }
        }
    }

    /// Passes a whole number that 64 bits hold whatever its digits, where one follows at once.
    #[inline]
    pub(crate) fn pass_plain_int(&mut self) -> Option<i64> {
        let rest = self.rest();
        let negative = rest.first() == Some(&b'-');
        let digits = rest.get(usize::from(negative)..)?;
        let (mut count, mut number) = (0, 0_i64);
        let after = loop {
            let byte = digits.get(count).copied().unwrap_or(0);
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 || count == MOST_DIGITS {
                break byte;
            }
            number = number * 10 + i64::from(digit);
            count += 1;
        };
        if count == 0 || matches!(after, b'0'..=b'9' | b'.' | b'e' | b'E') {
            return None;
        }
        self.at += usize::from(negative) + count;
        Some(if negative { -number } else { number })
    }

    /// Passes `true`, `false` or `null`.
    pub(crate) fn word(&mut self, word: &str) -> Result<(), Malformed> {
        self.peek();
        let is_next = self.rest().starts_with(word.as_bytes());
        self.at += if is_next { word.len() } else { 0 };
        if is_next { Ok(()) } else { Err(Malformed) }
    }

    /// Enters an object or a list: whether it has something in it.
    #[inline]
    pub(crate) fn enter(&mut self, open: u8, close: u8) -> Result<bool, Malformed> {
        self.expect(open)?;
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(Malformed);
        }
        let is_empty = self.pass(close);
        self.nested -= u32::from(is_empty);
        Ok(!is_empty)
    }

    /// Behind a value of an object or list: whether another one follows.
    #[inline]
    pub(crate) fn another(&mut self, close: u8) -> Result<bool, Malformed> {
        if let [b',', ..] = self.rest() {
            self.at += 1;
            return Ok(true);
        }
        if self.pass(b',') {
            return Ok(true);
        }
        self.expect(close)?;
        self.nested -= 1;
        Ok(false)
    }

    /// Reads the name of a member, with its colon.
    pub(crate) fn name(&mut self) -> Result<Cow<'t, str>, Malformed> {
        let name = self.string()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// Reads a text.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Cow<'t, str>, Malformed> {
        self.expect(b'"')?;
        let start = self.at;
        let (plain, last) = self.plain(start)?;
        if last == b'"' { Ok(Cow::Borrowed(plain)) } else { self.with_escapes(plain).map(Cow::Owned) }
    }

    /// Reads the rest of a text that begins so, behind a backslash.
    #[cold]
    fn with_escapes(&mut self, plain: &str) -> Result<String, Malformed> {
        let mut out = plain.to_owned();
        loop {
            out.push(self.escaped()?);
            let (plain, last) = self.plain(self.at)?;
            out.push_str(plain);
            if last == b'"' {
                return Ok(out);
            }
        }
    }

    /// Passes the text up to the next quote or backslash, and that. Most texts are short, so that eight bytes are looked at
    /// together.
    #[inline]
    fn plain(&mut self, start: usize) -> Result<(&'t str, u8), Malformed> {
        let bytes = self.text.as_bytes();
        let mut end = start;
        while let Some(word) = bytes.get(end..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*word);
            let found = zeros(word ^ (LOW * u64::from(b'"'))) | zeros(word ^ (LOW * u64::from(b'\\')));
            if found != 0 {
                end += (found.trailing_zeros() / 8) as usize;
                break;
            }
            end += 8;
        }
        loop {
            match bytes.get(end) {
                Some(last @ (b'"' | b'\\')) => {
                    self.at = end + 1;
                    return Ok((self.text.get(start..end).ok_or(Malformed)?, *last));
                }
                Some(_) => end += 1,
                None => return Err(Malformed),
            }
        }
    }

    /// Reads what follows a backslash.
    fn escaped(&mut self) -> Result<char, Malformed> {
        let byte = *self.text.as_bytes().get(self.at).ok_or(Malformed)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => byte as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex()?;
                let mut code = u32::from(first);
                // Half of a pair that has no other half stands for nothing.
                if (0xd800..0xdc00).contains(&first)
                    && self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u")
                {
                    let before = self.at;
                    self.at += 2;
                    let second = self.hex()?;
                    if (0xdc00..0xe000).contains(&second) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (u32::from(second) - 0xdc00);
                    } else {
                        self.at = before;
                    }
                }
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(Malformed),
        })
    }

    fn hex(&mut self) -> Result<u16, Malformed> {
        let digits = self.text.get(self.at..self.at + 4).ok_or(Malformed)?;
        self.at += 4;
        // `from_str_radix` takes a sign, too.
        if digits.starts_with('+') {
            Err(Malformed)
        } else {
            u16::from_str_radix(digits, 16).map_err(|_| Malformed)
        }
    }

    /// Reads a number.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<Number, Malformed> {
        self.peek();
        if let Some(number) = self.pass_plain_int() {
            return Ok(Number::Int(number));
        }
        let start = self.at;
        let sign = usize::from(self.rest().first() == Some(&b'-'));
        if !self.rest().get(sign).is_some_and(u8::is_ascii_digit) {
            return Err(Malformed);
        }
        self.rare_number(start)
    }

    /// Reads a number with a fraction or of many digits.
    fn rare_number(&mut self, start: usize) -> Result<Number, Malformed> {
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        let text = self.text.get(start..start + length).ok_or(Malformed)?;
        self.at += length;
        if let Ok(number) = text.parse() {
            return Ok(Number::Int(number));
        }
        match text.parse() {
            Ok(number) => Ok(Number::Unsigned(number)),
            Err(_) => text.parse().map(Number::Float).map_err(|_| Malformed),
        }
    }

    /// Passes a value. Returns its text.
    pub(crate) fn skip(&mut self) -> Result<&'t str, Malformed> {
        self.peek();
        let (start, nested) = (self.at, self.nested);
        loop {
            match self.peek() {
                b'"' => self.string().map(drop)?,
                b'{' if self.enter(b'{', b'}')? => {
                    self.name()?;
                    continue;
                }
                b'[' if self.enter(b'[', b']')? => continue,
                b'{' | b'[' => {}
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number().map(drop)?,
            }
            // Behind a value: out of what it ends, on to the next one.
            loop {
                if self.nested == nested {
                    return self.text.get(start..self.at).ok_or(Malformed);
                }
                let close = self.peek();
                if close == b',' {
                    self.at += 1;
                    // A name with its colon, within an object.
                    let before = self.at;
                    if self.peek() == b'"' && self.string().is_ok() && self.pass(b':') {
                        break;
                    }
                    self.at = before;
                    break;
                }
                if !matches!(close, b'}' | b']') {
                    return Err(Malformed);
                }
                self.at += 1;
                self.nested -= 1;
            }
        }
    }

    /// Whether nothing follows.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek() == 0 && self.at >= self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let cases = [
            ("0", Ok(Number::Int(0))),
            ("-17,", Ok(Number::Int(-17))),
            ("999999999999999999}", Ok(Number::Int(999_999_999_999_999_999))),
            ("9223372036854775807", Ok(Number::Int(i64::MAX))),
            ("-9223372036854775808", Ok(Number::Int(i64::MIN))),
            ("9223372036854775808", Ok(Number::Unsigned(1 << 63))),
            ("18446744073709551616", Ok(Number::Float(18_446_744_073_709_551_616.0))),
            ("1.5]", Ok(Number::Float(1.5))),
            ("-2e3", Ok(Number::Float(-2000.0))),
            ("", Err(Malformed)),
            ("-", Err(Malformed)),
            ("x", Err(Malformed)),
            ("1.2.3", Err(Malformed)),
        ];
        for (text, expected) in cases {
            assert_eq!(Json::new(text).number(), expected, "{text}");
        }
    }

    #[test]
    fn texts() {
        let cases = [
            (r#""""#, Ok("")),
            (r#""a" "#, Ok("a")),
            (r#""more than sixteen bytes, é""#, Ok("more than sixteen bytes, é")),
            (r#""\"\\\/\b\f\n\r\t\u00e9""#, Ok("\"\\/\u{8}\u{c}\n\r\té")),
            (r#""\ud83d\ude00""#, Ok("😀")),
            (r#""\ud83dx\ude00\ud83d\u0041""#, Ok("\u{fffd}x\u{fffd}\u{fffd}A")),
            (r#""a"#, Err(Malformed)),
            (r#""\"#, Err(Malformed)),
            (r#""\u12"#, Err(Malformed)),
            (r#""\u+123""#, Err(Malformed)),
            (r#""\x""#, Err(Malformed)),
            ("a", Err(Malformed)),
        ];
        for (text, expected) in cases {
            assert_eq!(Json::new(text).string().as_deref(), expected.as_deref(), "{text}");
        }
    }

    /// As a reader of JSON that many use has it, but for what engines do not write: names that a comma follows.
    #[test]
    fn values_are_passed_as_a_whole() {
        let values = [
            "null",
            "true",
            r#""a\"b""#,
            "[]",
            "{}",
            r#"[1, [2, {"a": [3]}], "}"]"#,
            r#"{"a":{"b":{}},"c":[]}"#,
        ];
        for value in values {
            let text = format!("{value},rest");
            assert_eq!(Json::new(&text).skip(), Ok(value), "{value}");
            for cut in 1..value.len() {
                let text = &value[..cut];
                if serde_json::from_str::<serde_json::Value>(text).is_err() {
                    assert_eq!(Json::new(text).skip(), Err(Malformed), "{text}");
                }
            }
        }
        let deep = "[".repeat(1 << 20);
        assert_eq!(Json::new(&deep).skip(), Err(Malformed));
    }
}
