//! Text of header fields as Zeek shows it: percent encoding undone, names of files, names of users.

use std::borrow::Cow;

use weir_base::hex;

use super::super::authorization::Authorization;
use super::super::headers::Headers;
use super::super::octets::{head, hex_digit, is_blank, run, strip_prefix, tail};

/// Percent encoding undone, and which bytes were encoded. What is no encoding stays; of two percent signs
/// the first goes; `%u` and four digits give two bytes, or one where the first would be zero.
fn decode(text: &[u8]) -> (Vec<u8>, Vec<bool>) {
    let (mut decoded, mut encoded) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let mut add = |byte: u8, was_encoded: bool| {
            decoded.push(byte);
            encoded.push(was_encoded);
        };
        let pair = |high: u8, low: u8| Some(hex_digit(high)? << 4 | hex_digit(low)?);
        rest = match after {
            [b'%', _, ..] if byte == b'%' => after,
            &[high, low, ..] if byte == b'%' && pair(high, low).is_some() => {
                add(pair(high, low).unwrap_or_default(), true);
                tail(after, 2)
            }
            &[b'u', a, b, c, d, ..] if byte == b'%' && pair(a, b).is_some() && pair(c, d).is_some() => {
                pair(a, b).filter(|&high| high != 0).into_iter().for_each(|high| add(high, true));
                add(pair(c, d).unwrap_or_default(), true);
                tail(after, 5)
            }
            _ => {
                add(byte, false);
                after
            }
        };
    }
    (decoded, encoded)
}

/// A target without percent encoding. What cannot be printed is shown as `\x07`, and so are all bytes beyond
/// ASCII where they are not UTF-8 throughout.
pub fn unescape(target: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'%', target).is_none() {
        return target.into();
    }
    let (decoded, encoded) = decode(target);
    let is_text = std::str::from_utf8(&decoded).is_ok();
    let mut out = Vec::with_capacity(decoded.len());
    for (byte, was_encoded) in decoded.into_iter().zip(encoded) {
        match byte {
            0..=0x1f | 0x7f if was_encoded => append_hex(byte, &mut out),
            0x80.. if was_encoded && !is_text => append_hex(byte, &mut out),
            _ => out.push(byte),
        }
    }
    out.into()
}

fn append_hex(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\x");
    out.extend_from_slice(&hex::digits(byte));
}

/// Returns the text behind a word and its equals sign, at the word's last place; a star may stand between them.
fn behind<'a>(value: &'a [u8], word: &[u8], starred: bool) -> Option<&'a [u8]> {
    memchr::memrchr_iter(b'=', value).find_map(|equals| {
        let before = head(value, equals);
        let before = before.strip_suffix(b"*").filter(|_| starred).unwrap_or(before);
        let end = before.iter().rposition(|&byte| !is_blank(byte))? + 1;
        let found = tail(head(before, end), end.checked_sub(word.len())?);
        found.eq_ignore_ascii_case(word).then(|| tail(value, equals + 1))
    })
}

/// The name that a `Content-Disposition` gives a file.
pub fn disposition_name(value: &[u8]) -> Option<Vec<u8>> {
    behind(value, b"filename", true).map(|_| file_name(value))
}

/// The name that a `Content-Type` gives a file.
pub fn type_name(value: &[u8]) -> Option<Vec<u8>> {
    behind(value, b"name", false).map(|_| file_name(value))
}

/// The last name of a value, without quotes, and without character set and language (RFC 5987).
fn file_name(value: &[u8]) -> Vec<u8> {
    let name = behind(value, b"name", true).unwrap_or(value);
    let name = tail(name, run(name, is_blank));
    let name = match name.strip_prefix(b"\"") {
        Some(quoted) => head(quoted, run(quoted, |byte| byte != b'"')),
        None => name,
    };
    let is_mark = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'#'..=b'&' | b'+'..=b'`' | b'{' | b'}' | b'~')
    };
    let charset = run(name, is_mark);
    let language = tail(name, charset).strip_prefix(b"'").filter(|_| charset > 0);
    let marked = language.is_some_and(|rest| tail(rest, run(rest, is_mark)).starts_with(b"'"));
    let end = memchr::memrchr(b'\'', name).filter(|_| marked).map_or(0, |end| end + 1);
    decode(tail(name, end)).0
}

/// The user and the password of the last `Authorization` or `Proxy-Authorization` that is a Basic one.
pub fn user(headers: &Headers) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    if headers.value(b"authorization").is_none() && headers.value(b"proxy-authorization").is_none() {
        return None;
    }
    let is_authorization = |name: &[u8]| {
        name.eq_ignore_ascii_case(b"authorization") || name.eq_ignore_ascii_case(b"proxy-authorization")
    };
    let values = headers.iter().filter(|(name, _)| is_authorization(name)).map(|(_, value)| value);
    let basic = values.filter(|value| strip_prefix(value, b"basic ").is_some()).last()?;
    Some(match Authorization::parse(basic) {
        Authorization::Basic { user, password } => (user, Some(password)),
        _ => ([b"<problem-decoding> (", basic, b")"].concat(), None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_unescaped() {
        let cases: [(&[u8], &str); 9] = [
            (b"/a%20b%2f", "/a b/"),
            (b"/%f0%9f%98%84x", "/\u{1f604}x"),
            (b"/%ff%c3%bc%07%7f", "/\\xff\\xc3\\xbc\\x07\\x7f"),
            (b"/100%", "/100%"),
            (b"/%zz%4", "/%zz%4"),
            (b"/%%41", "/A"),
            (b"/%%", "/%%"),
            (b"/%u0041%u4142", "/AAB"),
            (b"/%u004", "/%u004"),
        ];
        for (target, expected) in cases {
            assert_eq!(String::from_utf8(unescape(target).into_owned()).unwrap(), expected);
        }
    }

    #[test]
    fn names_of_files() {
        let cases: [(&str, Option<&str>); 10] = [
            ("attachment; filename=a.txt", Some("a.txt")),
            ("attachment; filename \t*=a=b.txt", Some("a=b.txt")),
            ("attachment; filename* =a.txt", None),
            ("attachment; FileName = \"a b.txt\"; size=3", Some("a b.txt")),
            ("attachment; filename=a.txt; size=3", Some("a.txt; size=3")),
            ("form-data; name=\"field\"; filename=\"a%20b\"", Some("a b")),
            ("form-data; filename=\"a\"; name=\"field\"", Some("field")),
            ("attachment; filename*=UTF-8''a%2fb", Some("a/b")),
            ("form-data; name=\"field\"", None),
            ("attachment", None),
        ];
        for (value, expected) in cases {
            let found = disposition_name(value.as_bytes());
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{value}");
        }
        assert_eq!(type_name(b"text/plain; name=\"a\""), Some(b"a".to_vec()));
        assert_eq!(type_name(b"text/plain"), None);
    }

    #[test]
    fn users() {
        let cases: [(&str, &str, Option<&str>); 5] = [
            ("Authorization", "Basic dXNlcjpwYXNz", Some("user")),
            ("Proxy-Authorization", "basic dXNlcjpwYXNz", Some("user")),
            ("Authorization", "Basic dXNlcg==", Some("<problem-decoding> (Basic dXNlcg==)")),
            ("Authorization", "Bearer x", None),
            ("X", "Basic dXNlcjpwYXNz", None),
        ];
        for (name, value, expected) in cases {
            let mut headers = Headers::default();
            headers.add(b"", name.as_bytes(), value.as_bytes(), 10);
            assert_eq!(
                user(&headers).map(|(name, _)| name).as_deref(),
                expected.map(str::as_bytes),
                "{name}: {value}"
            );
        }
    }
}
