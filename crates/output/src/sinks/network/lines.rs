//! What is to be known of a record's line, without reading all of it.

use memchr::{memchr, memmem};

/// The text behind a key of the line, which has its quotes and colon: as it stands, up to the next quote.
pub(super) fn text_of<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a str> {
    let value = behind(line, key)?.strip_prefix(b"\"")?;
    std::str::from_utf8(value.get(..memchr(b'"', value)?)?).ok()
}

/// The digits behind a key of the line.
#[cfg(any(feature = "kafka", test))]
pub(super) fn number_of<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let value = behind(line, key)?;
    let end = value.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(value.len());
    value.get(..end).filter(|digits| !digits.is_empty())
}

fn behind<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    line.get(memmem::find(line, key)? + key.len()..)
}

/// A time of EVE (`2026-11-29T20:00:01.123456+0100`) as RFC 3339 has it; `None` for another text.
pub(super) fn zoned(time: &str) -> Option<String> {
    let (local, zone) = (time.get(..26)?, time.get(26..)?);
    let shape = b"0000-00-00T00:00:00.000000";
    let fits = local.bytes().zip(shape).all(|(byte, like)| match like {
        b'0' => byte.is_ascii_digit(),
        like => byte == *like,
    });
    let (sign, digits) = (zone.get(..1)?, zone.get(1..)?);
    let is_zone =
        matches!(sign, "+" | "-") && digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit());
    (fits && is_zone).then(|| Some(format!("{local}{sign}{}:{}", digits.get(..2)?, digits.get(2..)?)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_lines() {
        let line = br#"{"timestamp":"2026-11-29T20:00:01.123456+0100","flow_id":123,"x":"y"}"#;
        assert_eq!(text_of(line, b"\"x\":"), Some("y"));
        assert_eq!(number_of(line, b"\"flow_id\":"), Some(&b"123"[..]));
        for key in [&b"\"z\":"[..], b"\"flow_id\":"] {
            assert_eq!(text_of(line, key), None);
        }
        assert_eq!((text_of(b"\"x\":\"", b"\"x\":"), number_of(b"\"x\":", b"\"x\":")), (None, None));
        for (time, expected) in [
            ("2026-11-29T20:00:01.123456+0100", Some("2026-11-29T20:00:01.123456+01:00")),
            ("2026-11-29T20:00:01.123456-0930", Some("2026-11-29T20:00:01.123456-09:30")),
            ("2026-11-29T20:00:01.123456Z", None),
            ("2026-11-29", None),
            ("", None),
        ] {
            assert_eq!(zoned(time).as_deref(), expected, "{time}");
        }
    }
}
