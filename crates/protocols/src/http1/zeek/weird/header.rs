//! Weirds of a message's header fields about its body, which Zeek takes in one after another.

use weir_base::{Direction, Timestamp};

use super::super::super::as_zeek::first_token;
use super::super::super::entities::holds_entities;
use super::super::super::octets::tail;
use super::super::super::request_line::Version;
use super::super::super::sent::Sent;
use super::super::super::transaction::{HttpTransaction, Message};

/// Tells of a weird: when, its name, and what it is about.
type Tell<'a> = dyn FnMut(Timestamp, &'static str, Option<&[u8]>) + 'a;

/// Fields that are looked at beside the length.
const FIELDS: [&[u8]; 3] = [b"content-range", b"transfer-encoding", b"expect"];

/// Facts of a message that its fields so far tell.
struct Reading<'a> {
    message: &'a Message,
    /// It has a status of which a range of bytes is content.
    partial: bool,
    chunked: bool,
    length: Option<i64>,
    range: Option<i64>,
    /// It is to be asked for.
    expected: bool,
}

/// Reports the weirds of one side's header fields.
pub(super) fn look(tx: &HttpTransaction, direction: Direction, start: Timestamp, tell: &mut Tell<'_>) {
    let message = tx.message(direction);
    let headers = &message.headers;
    let is_plain = FIELDS.iter().all(|name| headers.value(name).is_none())
        && headers.only(b"content-length").is_none_or(|length| length.is_some_and(is_plain_length));
    if is_plain && !has_folded_line(headers.raw()) {
        return;
    }
    let partial = direction == Direction::ToClient && tx.status == Some(206);
    let mut reading =
        Reading { message, partial, chunked: false, length: None, range: None, expected: false };
    for field in headers.sent() {
        let time = message.arrival(field.start).unwrap_or(start);
        reading.field(&field, &mut |name, addl| tell(time, name, addl));
    }
    if reading.chunked && headers.value(b"content-type").is_some_and(holds_entities) {
        tell(start, "HTTP_chunked_transfer_for_multipart_message", None);
    }
}

/// Whether a length is sent as usual, so that no weird is about it.
fn is_plain_length(value: &[u8]) -> bool {
    value == b"0"
        || (1..=18).contains(&value.len()) && !value.starts_with(b"0") && value.iter().all(u8::is_ascii_digit)
}

/// Whether some line begins with white space.
fn has_folded_line(raw: &[u8]) -> bool {
    let begins = |at: usize| matches!(raw.get(at), Some(b' ' | b'\t'));
    begins(0) || memchr::memchr_iter(b'\n', raw).any(|at| begins(at + 1))
}

impl Reading<'_> {
    fn field(&mut self, field: &Sent<'_>, tell: &mut dyn FnMut(&'static str, Option<&[u8]>)) {
        if field.folded {
            tell("HTTP_obsolete_line_folding", Some(field.name));
        }
        let is = |name: &str| field.name.eq_ignore_ascii_case(name.as_bytes());
        let token = first_token(&field.value);
        if is("content-length") {
            self.length(token, tell);
        } else if is("content-range") && self.partial {
            self.range(token, &field.value, tell);
        } else if is("transfer-encoding")
            && self.message.version == Version::V1_1
            && token.eq_ignore_ascii_case(b"chunked")
        {
            self.chunked = true;
            let rest = behind(&field.value, token);
            if !rest.is_empty() {
                tell("HTTP_chunked_multi", Some(rest));
            }
            if self.length.is_some() {
                tell("HTTP_content_length_and_chunked", None);
            }
        } else if is("expect") {
            if !token.eq_ignore_ascii_case(b"100-continue") {
                tell("HTTP_expect_not_100_continue", Some(token));
            }
            self.expected = true;
            self.look_at_expectation(tell);
        }
    }

    fn length(&mut self, token: &[u8], tell: &mut dyn FnMut(&'static str, Option<&[u8]>)) {
        if self.chunked {
            tell("HTTP_content_length_and_chunked", None);
        }
        if token.is_empty() {
            return;
        }
        let Some(length) = number(token).filter(|&length| length >= 0) else {
            tell("HTTP_bad_content_length", Some(token));
            self.length = Some(0);
            return;
        };
        if length > 0 && token.starts_with(b"0") {
            tell("HTTP_content_length_leading_zeros", Some(token));
        }
        self.length = Some(length);
        if let Some(range) = self.range
            && range != length
        {
            tell("HTTP_range_not_matching_len", None);
            self.length = Some(range.max(length));
        }
        self.look_at_expectation(tell);
    }

    /// Nobody asks for nothing.
    fn look_at_expectation(&self, tell: &mut dyn FnMut(&'static str, Option<&[u8]>)) {
        if self.expected && self.length == Some(0) {
            tell("HTTP_content_length_0_and_expect_100_cont", None);
        }
    }

    fn range(&mut self, unit: &[u8], value: &[u8], tell: &mut dyn FnMut(&'static str, Option<&[u8]>)) {
        const UNREADABLE: &str = "HTTP_content_range_cannot_parse";
        if self.chunked {
            tell("HTTP_content_range_and_chunked", None);
        }
        if unit != b"bytes" {
            return tell("HTTP_content_range_unknown_byte_unit", None);
        }
        let text: Vec<u8> = behind(value, unit).iter().copied().filter(|&byte| byte != b' ').collect();
        let split = |text: &[u8], at: u8| {
            let place = memchr::memchr(at, text)?;
            Some((text.get(..place)?.to_vec(), tail(text, place + 1).to_vec()))
        };
        let Some(((first, last), size)) =
            split(&text, b'/').and_then(|(range, size)| Some((split(&range, b'-')?, size)))
        else {
            return tell(UNREADABLE, None);
        };
        let (Some(first), Some(last)) = (number(&first), number(&last)) else {
            return tell(UNREADABLE, Some(&text));
        };
        let name = match last.checked_sub(first) {
            _ if first < 0 || last < 0 => "HTTP_content_range_invalid",
            Some(..0) => "HTTP_non_positive_content_range",
            None | Some(i64::MAX) => "HTTP_content_range_overflow",
            Some(before) => {
                if size != b"*" && number(&size).is_none() {
                    tell("HTTP_content_range_invalid_instance", Some(&text));
                }
                let length = before + 1;
                self.range = Some(length);
                if self.length.is_some_and(|told| told > 0 && told != length) {
                    tell("HTTP_range_not_matching_len", None);
                }
                self.length = self.length.max(Some(length));
                return;
            }
        };
        tell(name, Some(&text));
    }
}

/// The rest of a value behind its first word.
fn behind<'a>(value: &'a [u8], token: &[u8]) -> &'a [u8] {
    let start = (token.as_ptr() as usize).saturating_sub(value.as_ptr() as usize);
    tail(value, start.min(value.len()) + token.len())
}

/// The number that a text begins with; none where there is none, or it is too large.
fn number(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.enumerate().try_fold(None, |number: Option<i64>, (_, &digit)| {
        number.unwrap_or_default().checked_mul(10)?.checked_add(i64::from(digit - b'0')).map(Some)
    })??;
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http1::settings::Settings;

    /// Returns the weirds of a message with these fields, and what they are about.
    fn weirds(direction: Direction, fields: &str) -> Vec<(&'static str, String)> {
        let mut tx = HttpTransaction::new(&Settings::default());
        tx.status = Some(206);
        let message = tx.message_mut(direction);
        message.version = Version::V1_1;
        for line in fields.split_inclusive("\r\n") {
            let (name, value) = line.split_once(": ").unwrap_or(("", line));
            message.headers.add(line.as_bytes(), name.as_bytes(), value.trim().as_bytes(), 100);
        }
        let mut found = Vec::new();
        look(&tx, direction, Timestamp(1), &mut |_, name, addl| {
            found.push((name, String::from_utf8_lossy(addl.unwrap_or_default()).into_owned()));
        });
        found
    }

    #[test]
    fn fields_about_the_body() {
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)]);
        let cases: &[Case<'_>] = &[
            ("Content-Length: 12\r\n", &[]),
            ("Content-Length: 12abc\r\n", &[]),
            ("Content-Length: \r\n", &[]),
            ("Content-Length: -1\r\n", &[("HTTP_bad_content_length", "-1")]),
            ("Content-Length: x\r\n", &[("HTTP_bad_content_length", "x")]),
            (
                "Content-Length: 18446744073709551615\r\n",
                &[("HTTP_bad_content_length", "18446744073709551615")],
            ),
            ("Content-Length: 012\r\n", &[("HTTP_content_length_leading_zeros", "012")]),
            ("Content-Length: 0\r\n", &[]),
            (
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                &[("HTTP_content_length_and_chunked", "")],
            ),
            (
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                &[("HTTP_content_length_and_chunked", "")],
            ),
            ("Transfer-Encoding: chunked, gzip\r\n", &[("HTTP_chunked_multi", ", gzip")]),
            ("Transfer-Encoding:\r\n chunked\r\n", &[("HTTP_obsolete_line_folding", "Transfer-Encoding")]),
            (
                "Transfer-Encoding: chunked\r\nContent-Type: multipart/mixed; boundary=a\r\n",
                &[("HTTP_chunked_transfer_for_multipart_message", "")],
            ),
            ("Expect: 100-Continue\r\n", &[]),
            ("Expect: something\r\n", &[("HTTP_expect_not_100_continue", "something")]),
            (
                "Expect: 100-continue\r\nContent-Length: 0\r\n",
                &[("HTTP_content_length_0_and_expect_100_cont", "")],
            ),
            (
                "Content-Length: 0\r\nExpect: 100-continue\r\n",
                &[("HTTP_content_length_0_and_expect_100_cont", "")],
            ),
        ];
        for (fields, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(name, addl)| (name, addl.to_owned())).collect();
            assert_eq!(weirds(Direction::ToServer, fields), expected, "{fields}");
        }
    }

    #[test]
    fn ranges() {
        let cases: &[(&str, Option<(&str, &str)>)] = &[
            ("bytes 0-9/10", None),
            ("bytes 0 - 9 / 10", None),
            ("bytes 0-9/*", None),
            ("items 0-9/10", Some(("HTTP_content_range_unknown_byte_unit", ""))),
            ("bytes 0-9", Some(("HTTP_content_range_cannot_parse", ""))),
            ("bytes */10", Some(("HTTP_content_range_cannot_parse", ""))),
            ("bytes foo-bar/baz", Some(("HTTP_content_range_cannot_parse", "foo-bar/baz"))),
            ("bytes 0--5/*", Some(("HTTP_content_range_invalid", "0--5/*"))),
            ("bytes 10-5/*", Some(("HTTP_non_positive_content_range", "10-5/*"))),
            (
                "bytes 0-9223372036854775807/*",
                Some(("HTTP_content_range_overflow", "0-9223372036854775807/*")),
            ),
            ("bytes 0-9/x", Some(("HTTP_content_range_invalid_instance", "0-9/x"))),
            ("bytes 0-9/10\r\nContent-Length: 10", None),
            ("bytes 0-9/10\r\nContent-Length: 11", Some(("HTTP_range_not_matching_len", ""))),
            (
                "bytes 0-9/10\r\nTransfer-Encoding: chunked\r\nContent-Length: 10",
                Some(("HTTP_content_length_and_chunked", "")),
            ),
        ];
        for &(value, expected) in cases {
            let fields = format!("Content-Range: {value}\r\n");
            let expected: Vec<_> = expected.map(|(name, addl)| (name, addl.to_owned())).into_iter().collect();
            let found: Vec<_> = weirds(Direction::ToClient, &fields);
            if value.contains("Transfer") {
                assert_eq!(found.first(), expected.first(), "{value}");
            } else {
                assert_eq!(found, expected, "{value}");
            }
            assert!(weirds(Direction::ToServer, &fields).iter().all(|(name, _)| !name.contains("range")));
        }
        let chunked = "Transfer-Encoding: chunked\r\nContent-Range: bytes 0-9/10\r\n";
        assert_eq!(weirds(Direction::ToClient, chunked)[0].0, "HTTP_content_range_and_chunked");
    }
}
