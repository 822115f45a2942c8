//! One header field from the wire: its end among odd line ends, folding, missing colons.
//!
//! RFC 9112 section 5, read as libhtp reads it: what matters is what a browser (for responses) or a
//! server (for requests) would take for a field. Responses may end lines with CR alone or LF CR;
//! a folded line of a response that looks like a field is one.

use std::borrow::Cow;

use super::octets::{head, is_blank, is_token, run, tail, trim};

/// Most lines folded into one value, so that a field that grows line by line is not read again and
/// again in full.
const MAX_FOLDS: usize = 128;

/// Oddities of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct FieldOddities {
    /// There is no name.
    pub empty_name: bool,
    /// The name has characters that are not of a token.
    pub name_not_token: bool,
    /// White space between name and colon.
    pub space_after_name: bool,
    /// White space before the name.
    pub space_before_name: bool,
    /// There is no colon: all of the line is the value.
    pub missing_colon: bool,
    /// Line ends are mixed in a strange way.
    pub deformed_eol: bool,
}

/// One field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ParsedField<'a> {
    /// Its name, trimmed.
    pub name: &'a [u8],
    /// Its value, trimmed, folded lines joined.
    pub value: Cow<'a, [u8]>,
    /// Oddities.
    pub oddities: FieldOddities,
    /// Bytes taken, line end included.
    pub length: usize,
}

/// Reasons that there is no field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Absence {
    /// These bytes are no field.
    Mismatch,
    /// More bytes are needed to tell.
    More,
    /// Zeek reads something else.
    Fork,
}

use Absence::{Fork, Mismatch, More};

type Found<T> = Result<T, Absence>;

/// Treatment of carriage returns that no line feed follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Returns {
    /// In responses each ends a line, or belongs to the line feed before it; in requests none does.
    AsLibhtp,
    /// The reading forks at the first one.
    Fork,
    /// Each ends a line, whatever stands before it.
    AsZeek,
}

/// Rules for the ends of one side's lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldParser {
    /// Read as a browser reads responses.
    pub response: bool,
    /// No more bytes will come.
    pub complete: bool,
    /// Treatment of returns alone.
    pub returns: Returns,
}

struct LineEnd {
    /// Length of the line end.
    eol: usize,
    /// The character that folds the next line into this one.
    fold: Option<u8>,
    deformed: bool,
}

impl FieldParser {
    /// The field that `bytes` start with.
    pub(super) fn field<'a>(&self, bytes: &'a [u8]) -> Found<ParsedField<'a>> {
        match self.with_colon(bytes) {
            Err(Mismatch) => self.without_colon(bytes),
            found => found,
        }
    }

    /// Length of the empty line that `bytes` start with, which ends the fields.
    pub(super) fn end_of_fields(&self, bytes: &[u8]) -> Option<usize> {
        self.regular_eol(bytes)
    }

    /// Length of a line end where no field could be read.
    pub(super) fn any_eol(&self, bytes: &[u8]) -> Found<usize> {
        self.eol(bytes).map(|(length, _)| length)
    }

    fn with_colon<'a>(&self, bytes: &'a [u8]) -> Found<ParsedField<'a>> {
        let length = self.name_length(bytes);
        let name = head(bytes, length);
        let mut oddities = name_oddities(name);
        let Some((b':', after)) = tail(bytes, length).split_first() else { return Err(Mismatch) };
        let blanks = run(after, is_blank);
        if blanks == after.len() {
            return Err(More);
        }
        let start = length + 1 + blanks;
        let (value, value_length) = self.value(tail(bytes, start), &mut oddities)?;
        Ok(ParsedField { name: trim(name), value, oddities, length: start + value_length })
    }

    fn without_colon<'a>(&self, bytes: &'a [u8]) -> Found<ParsedField<'a>> {
        if bytes.starts_with(b"\r\n") {
            return Err(Mismatch);
        }
        let mut oddities = FieldOddities { missing_colon: true, ..FieldOddities::default() };
        let (value, length) = self.value(bytes, &mut oddities)?;
        Ok(ParsedField { name: b"", value, oddities, length })
    }

    /// Where the name ends: at a colon, or before the end of a line that is not continued.
    fn name_length(&self, bytes: &[u8]) -> usize {
        let mut ended = None;
        for (index, &byte) in bytes.iter().enumerate() {
            match (ended, byte) {
                (None, b':') => return index,
                (None, b'\n') => ended = Some(byte),
                (None, b'\r') if self.sees_returns() => ended = Some(byte),
                (None, _) => {}
                (Some(b'\r'), b' ') if self.returns == Returns::Fork => return index - 1,
                (Some(_), b' ') => ended = None,
                (Some(b'\r'), b'\n') => ended = Some(byte),
                (Some(_), _) => return index - 1,
            }
        }
        0
    }

    /// The value, trimmed, and how many bytes it and its line ends took.
    fn value<'a>(&self, bytes: &'a [u8], oddities: &mut FieldOddities) -> Found<(Cow<'a, [u8]>, usize)> {
        let (line, end) = self.value_line(bytes)?;
        oddities.deformed_eol |= end.deformed;
        let Some(mut fold) = end.fold else {
            return Ok((Cow::Borrowed(trim(head(bytes, line))), line + end.eol));
        };
        let mut value = head(bytes, line).to_vec();
        // `taken` lags behind `position` while folded lines are empty: an empty line may turn out to
        // be the end of the fields.
        let mut taken = line + end.eol + 1;
        let mut position = taken;
        for _ in 0..MAX_FOLDS {
            let rest = tail(bytes, position);
            if self.response && looks_like_field(rest)? {
                return Ok((Cow::Owned(trim(&value).to_vec()), position));
            }
            let (line, end) = self.value_line(rest)?;
            oddities.deformed_eol |= end.deformed;
            position += line + end.eol + usize::from(end.fold.is_some());
            if !value.is_empty() {
                value.push(fold);
            }
            if line > 0 || end.eol > 1 {
                value.extend_from_slice(head(rest, line));
                taken = position;
            } else if bytes.get(position) == Some(&b'\n') {
                taken = position;
            }
            match end.fold {
                Some(next) => fold = next,
                None => break,
            }
        }
        Ok((Cow::Owned(trim(&value).to_vec()), taken))
    }

    /// Length of the line up to its end, and that end.
    fn value_line(&self, bytes: &[u8]) -> Found<(usize, LineEnd)> {
        let found = if self.sees_returns() {
            memchr::memchr2(b'\n', b'\r', bytes)
        } else {
            memchr::memchr(b'\n', bytes)
        };
        let mut length = found.ok_or(More)?;
        if self.returns == Returns::Fork {
            let end = tail(bytes, length);
            if has_lone_return(end) {
                return Err(Fork);
            }
            if end == b"\r" && !self.response {
                return Err(More);
            }
        }
        if !self.response && head(bytes, length).last() == Some(&b'\r') {
            length -= 1;
        }
        self.line_end(tail(bytes, length)).map(|end| (length, end))
    }

    /// Whether lines are searched for carriage returns, too.
    fn sees_returns(&self) -> bool {
        self.response || self.returns != Returns::AsLibhtp
    }

    fn line_end(&self, bytes: &[u8]) -> Found<LineEnd> {
        let folding = if self.response {
            self.regular_eol(bytes).map(|eol| (eol, false)).ok_or(Mismatch)
        } else {
            self.eol(bytes)
        };
        let folding = folding.and_then(|(eol, deformed)| {
            fold_character(tail(bytes, eol)).map(|fold| LineEnd { eol, fold: Some(fold), deformed })
        });
        match folding {
            Ok(end) => return Ok(end),
            Err(More) if !self.complete => return Err(More),
            Err(_) => {}
        }
        let (eol, deformed) = self.eol(bytes)?;
        if !self.complete {
            match fold_character(tail(bytes, eol)) {
                Ok(_) => return Err(Mismatch),
                Err(Mismatch) => {}
                Err(absence) => return Err(absence),
            }
        }
        Ok(LineEnd { eol, fold: None, deformed })
    }

    fn regular_eol(&self, bytes: &[u8]) -> Option<usize> {
        match bytes {
            [b'\r', b'\n', ..] => Some(2),
            [b'\n', b'\r', ..] if self.response && self.returns != Returns::AsZeek => Some(2),
            [b'\n', ..] => Some(1),
            [b'\r', ..] if self.response || self.returns == Returns::AsZeek => Some(1),
            _ => None,
        }
    }

    /// A line end and whether it is a deformed one.
    fn eol(&self, bytes: &[u8]) -> Found<(usize, bool)> {
        match self.deformed_eol(bytes) {
            Ok(length) => Ok((length, true)),
            Err(Mismatch) => self.regular_eol(bytes).map(|length| (length, false)).ok_or(Mismatch),
            Err(absence) => Err(absence),
        }
    }

    fn deformed_eol(&self, bytes: &[u8]) -> Found<usize> {
        if self.returns == Returns::AsZeek {
            return Err(Mismatch);
        }
        if let Some(after) = bytes.strip_prefix(b"\n\r\r\n")
            && starts_line_end(after)
        {
            return Ok(4);
        }
        if !self.complete && bytes.len() > 2 && b"\n\r\r\n\r".starts_with(bytes) {
            return Err(More);
        }
        if !self.response {
            return if bytes.starts_with(b"\n\r\r\n") { Ok(2) } else { Err(Mismatch) };
        }
        let Some(after) = bytes.strip_prefix(b"\r\n\r") else { return Err(Mismatch) };
        let blanks = run(after, |byte| byte == b'\r' || is_blank(byte));
        if blanks == after.len() && !self.complete {
            return Err(More);
        }
        let after = tail(after, blanks);
        let feed = usize::from(after.first() == Some(&b'\n'));
        if blanks == 0 || starts_line_end(tail(after, feed)) {
            return Err(Mismatch);
        }
        Ok(3 + blanks + feed)
    }
}

fn starts_line_end(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n")
}

/// Whether a carriage return that no line feed follows is at the end of a line, or begins the next one.
fn has_lone_return(end: &[u8]) -> bool {
    let next = match end {
        [b'\r', b'\n', next @ ..] | [b'\n', next @ ..] => next,
        end => end,
    };
    matches!(next, [b'\r', byte, ..] if *byte != b'\n')
}

fn fold_character(bytes: &[u8]) -> Found<u8> {
    match bytes.first() {
        Some(&byte @ (b' ' | b'\t' | 0)) => Ok(byte),
        Some(_) => Err(Mismatch),
        None => Err(More),
    }
}

/// Whether a folded line is `token:` after all.
fn looks_like_field(bytes: &[u8]) -> Found<bool> {
    let mut rest = tail(bytes, run(bytes, is_blank));
    let name = run(rest, is_token);
    rest = tail(rest, name);
    rest = tail(rest, run(rest, is_blank));
    match rest.split_first() {
        None => Err(More),
        Some((b':', after)) if run(after, is_blank) == after.len() => Err(More),
        Some((b':', _)) => Ok(name > 0),
        Some(_) => Ok(false),
    }
}

fn name_oddities(name: &[u8]) -> FieldOddities {
    let inner = tail(name, run(name, is_blank));
    let inner = tail(inner, run(inner, is_token));
    let inner = tail(inner, run(inner, is_blank));
    FieldOddities {
        empty_name: name.is_empty(),
        name_not_token: !inner.is_empty(),
        space_after_name: name.last().is_some_and(|&byte| is_blank(byte)),
        space_before_name: name.first().is_some_and(|&byte| is_blank(byte)),
        ..FieldOddities::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: FieldParser = FieldParser { response: false, complete: false, returns: Returns::AsLibhtp };
    const RESPONSE: FieldParser = FieldParser { response: true, ..REQUEST };

    fn all(parser: FieldParser, mut bytes: &[u8]) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        while let Ok(field) = parser.field(bytes) {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            fields.push((text(field.name), text(&field.value)));
            bytes = &bytes[field.length..];
            if parser.end_of_fields(bytes).is_some() {
                return fields;
            }
        }
        fields.push(("rest".into(), String::from_utf8_lossy(bytes).into_owned()));
        fields
    }

    #[test]
    fn odd_line_ends_and_folding() {
        type Fields<'a> = &'a [(&'a str, &'a str)];
        let cases: [(FieldParser, &[u8], Fields<'_>); 13] = [
            (REQUEST, b"k1:v1\r\nk2: v2 \r\n\r\n", &[("k1", "v1"), ("k2", "v2")]),
            (REQUEST, b"a: b\n c\n\td\n\n", &[("a", "b c\td")]),
            (REQUEST, b"a:\r\n b\r\n\r\n", &[("a", "b")]),
            (REQUEST, b"nothing here\r\n\r\n", &[("", "nothing here")]),
            (REQUEST, b":v\r\n\r\n", &[("", "v")]),
            (REQUEST, b"a : b\r\n\r\n", &[("a", "b")]),
            (REQUEST, b"a: b\rc: d\r\n\r\n", &[("a", "b\rc: d")]),
            (RESPONSE, b"a: b\rc: d\r\n\r\n", &[("a", "b"), ("c", "d")]),
            (RESPONSE, b"a: b\n\rc: d\n\r\n\r", &[("a", "b"), ("c", "d")]),
            (RESPONSE, b"a: b\r\n c: d\r\n\r\n", &[("a", "b"), ("c", "d")]),
            (RESPONSE, b"a: b\r\n c d\r\n\r\n", &[("a", "b c d")]),
            (RESPONSE, b"a: b\r\n\r\r\nc: d\r\n\r\n", &[("a", "b"), ("c", "d")]),
            (RESPONSE, b"a: b\r\nc", &[("a", "b"), ("rest", "c")]),
        ];
        for (parser, bytes, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(n, v)| (n.to_string(), v.to_string())).collect();
            assert_eq!(all(parser, bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn returns_that_stand_alone() {
        type Fields<'a> = &'a [(&'a str, &'a str)];
        let cases: [(&[u8], Fields<'_>); 5] = [
            (b"a: b\rc: d\r\r", &[("a", "b"), ("c", "d")]),
            (b"a: b\n\rc: d\n\n", &[("a", "b")]),
            (b"a: b\r c\r\r\n", &[("a", "b c")]),
            (b"no field\rc: d\r\n\r", &[("", "no field"), ("c", "d")]),
            (b"a: b\r\n\r \nx", &[("a", "b")]),
        ];
        for (bytes, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(n, v)| (n.to_string(), v.to_string())).collect();
            for side in [REQUEST, RESPONSE] {
                let found = all(FieldParser { returns: Returns::AsZeek, ..side }, bytes);
                assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(bytes));
                let mut rest = bytes;
                let forks = FieldParser { returns: Returns::Fork, ..side };
                while let Ok(field) = forks.field(rest) {
                    rest = &rest[field.length..];
                }
                assert_eq!(forks.field(rest), Err(Fork), "{:?}", String::from_utf8_lossy(bytes));
            }
        }
        for bytes in [&b"a: b\r\nc"[..], b"a: b\n\r\n", b"a: b\r\n c\r\n\r\n", b"a: b\n\n"] {
            for side in [REQUEST, RESPONSE] {
                let forks = FieldParser { returns: Returns::Fork, ..side };
                assert_eq!(forks.field(bytes), side.field(bytes), "{:?}", String::from_utf8_lossy(bytes));
            }
        }
        assert_eq!(FieldParser { returns: Returns::Fork, ..REQUEST }.field(b"a: b\r"), Err(More));
    }

    #[test]
    fn oddities_are_noted() {
        let odd = |bytes: &'static [u8]| RESPONSE.field(bytes).unwrap().oddities;
        assert!(odd(b"a b: c\r\nx").name_not_token);
        assert!(odd(b"a : c\r\nx").space_after_name);
        assert!(odd(b" a: c\r\nx").space_before_name);
        assert!(odd(b"abc\r\nx").missing_colon);
        assert!(odd(b": c\r\nx").empty_name);
        assert!(odd(b"a: c\r\n\r\r\nx").deformed_eol);
        assert_eq!(odd(b"a: c\r\nx"), FieldOddities::default());
    }

    #[test]
    fn waits_for_what_may_follow() {
        for bytes in
            [&b"a"[..], b"a:", b"a: b", b"a: b\r", b"a: b\r\n", b"a: b\r\n ", b"a: b\r\n c:", b"a: b\r\n\r"]
        {
            assert_eq!(RESPONSE.field(bytes), Err(More), "{:?}", String::from_utf8_lossy(bytes));
        }
        assert!(FieldParser { complete: true, ..RESPONSE }.field(b"a: b\r\n").is_ok());
    }
}
