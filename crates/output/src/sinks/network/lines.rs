//! What is to be known of a record's line, without reading all of it.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use weir_base::Timestamp;
use weir_config::Records;

use crate::timestamp::{date_time, digits};

/// The type of a record of EVE, the log of one of Zeek's.
pub(super) fn kind_of(records: Records, line: &[u8]) -> Option<&str> {
    match records {
        Records::Eve => text_of(line, b"\"event_type\":"),
        Records::Zeek => text_of(line, b"\"_path\":"),
    }
}

/// The text that records of a flow have in common.
#[cfg(feature = "kafka")]
pub(super) fn flow_of(records: Records, line: &[u8]) -> Option<&[u8]> {
    match records {
        Records::Eve => number_of(line, b"\"flow_id\":"),
        Records::Zeek => text_of(line, b"\"uid\":").map(str::as_bytes),
    }
}

/// The time of a record as RFC 3339 has it.
pub(super) fn time_of(records: Records, line: &[u8]) -> Option<String> {
    match records {
        Records::Eve => text_of(line, b"\"timestamp\":").and_then(zoned),
        Records::Zeek => zeek_time(line).map(Cow::into_owned),
    }
}

/// The date and the hour of a record, as `2026-11-29T20`.
pub(super) fn hour_of(records: Records, line: &[u8]) -> Option<Cow<'_, str>> {
    let time = match records {
        Records::Eve => text_of(line, b"\"timestamp\":").map(Cow::Borrowed),
        Records::Zeek => zeek_time(line),
    };
    match time? {
        Cow::Borrowed(text) => text.get(..13).map(Cow::Borrowed),
        Cow::Owned(text) => text.get(..13).map(|hour| Cow::Owned(hour.to_owned())),
    }
}

/// The time of a row of Zeek's logs as RFC 3339 has it, of whatever form: a text that is such a time, seconds with a fraction,
/// or whole milliseconds.
fn zeek_time(line: &[u8]) -> Option<Cow<'_, str>> {
    const KEY: &[u8] = b"\"ts\":";
    if let Some(text) = text_of(line, KEY) {
        return Some(Cow::Borrowed(text));
    }
    let whole = number_of(line, KEY)?;
    let fraction = behind(line, KEY)?.get(whole.len()..)?.strip_prefix(b".").and_then(leading_digits);
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u64>().ok();
    let (seconds, micros) = match fraction {
        Some(fraction) => (number(whole)?, number(fraction.get(..6)?)?),
        None => (number(whole)? / 1000, number(whole)? % 1000 * 1000),
    };
    let mut out = Vec::new();
    date_time(&mut out, Timestamp::new(seconds, 0).civil(), b"--T::");
    out.push(b'.');
    digits(&mut out, micros, 6);
    out.push(b'Z');
    String::from_utf8(out).ok().map(Cow::Owned)
}

/// The text behind a key of the line, which has its quotes and colon: as it stands, up to the next quote.
pub(super) fn text_of<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a str> {
    let value = behind(line, key)?.strip_prefix(b"\"")?;
    std::str::from_utf8(value.get(..memchr(b'"', value)?)?).ok()
}

/// The digits behind a key of the line.
fn number_of<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    leading_digits(behind(line, key)?)
}

fn leading_digits(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).filter(|digits| !digits.is_empty())
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
    fn kinds_and_times_of_records() {
        let zeek =
            |time: &str| format!(r#"{{"_path":"conn","ts":{time},"uid":"C1","note":"\"_path\":\"x\""}}"#);
        let known = Some("2023-11-14T22:13:20.000005Z");
        for (records, line, kind, time) in [
            (
                Records::Eve,
                r#"{"timestamp":"2026-11-29T20:00:01.123456+0100","event_type":"dns"}"#.to_owned(),
                Some("dns"),
                Some("2026-11-29T20:00:01.123456+01:00"),
            ),
            (Records::Zeek, zeek("1700000000.000005"), Some("conn"), known),
            (Records::Zeek, zeek("\"2023-11-14T22:13:20.000005Z\""), Some("conn"), known),
            (Records::Zeek, zeek("1700000000015"), Some("conn"), Some("2023-11-14T22:13:20.015000Z")),
            (Records::Zeek, zeek("17.5"), Some("conn"), None),
            (Records::Zeek, zeek("-1"), Some("conn"), None),
            (Records::Zeek, "{}".to_owned(), None, None),
        ] {
            let line = line.as_bytes();
            assert_eq!((kind_of(records, line), time_of(records, line).as_deref()), (kind, time));
            assert_eq!(hour_of(records, line).as_deref(), time.map(|time| &time[..13]));
        }
    }

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
