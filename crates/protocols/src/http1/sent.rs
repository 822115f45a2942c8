//! Header fields as they were sent: each for itself, with the blanks behind its value, as Zeek takes them (RFC 5322, 2.2).

use std::borrow::Cow;

use super::headers::Headers;
use super::octets::{head, is_blank, run, tail};

/// A header field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sent<'a> {
    /// Where it begins in the block.
    pub start: usize,
    pub name: &'a [u8],
    /// Its value: the lines that it was folded to, one after another.
    pub value: Cow<'a, [u8]>,
    /// It has several lines.
    pub folded: bool,
}

/// Fields of a block of them, trailers after headers.
pub(super) struct Fields<'a> {
    block: &'a [u8],
    position: usize,
}

impl<'a> Fields<'a> {
    /// The line at `position` without its end, and where the next one begins.
    fn line(&self, position: usize) -> Option<(&'a [u8], usize)> {
        let rest = self.block.get(position..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1);
        let line = head(rest, length);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some((line.strip_suffix(b"\r").unwrap_or(line), position + length))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Sent<'a>;

    fn next(&mut self) -> Option<Sent<'a>> {
        loop {
            let start = self.position;
            let (line, next) = self.line(start)?;
            self.position = next;
            let is_name = |byte: u8| (33..=126).contains(&byte) && byte != b':';
            let text = tail(line, run(line, |byte| !is_name(byte)));
            let name = head(text, run(text, is_name));
            let rest = tail(text, name.len());
            let colon = tail(rest, run(rest, is_blank)).strip_prefix(b":");
            let value = colon.map(|value| tail(value, run(value, |byte| byte.is_ascii_whitespace())));
            let mut value = Cow::Borrowed(value.unwrap_or_default());
            let mut folded = false;
            while let Some((more, next)) = self.line(self.position)
                && more.first().is_some_and(|&byte| is_blank(byte))
                && !line.is_empty()
            {
                value.to_mut().extend_from_slice(more);
                self.position = next;
                folded = true;
            }
            if !name.is_empty() && colon.is_some() {
                return Some(Sent { start, name, value, folded });
            }
        }
    }
}

impl Headers {
    /// The fields as they were sent, in order.
    pub(super) fn sent(&self) -> Fields<'_> {
        Fields { block: self.raw(), position: 0 }
    }

    /// The value of the last field whose name is `lower`, as it was sent.
    pub(super) fn last(&self, lower: &[u8]) -> Option<Cow<'_, [u8]>> {
        if let Some(value) = self.only(lower)? {
            return Some(value.into());
        }
        self.sent().filter(|field| field.name.eq_ignore_ascii_case(lower)).last().map(|field| field.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_as_they_were_sent() {
        let block = b"Host: a \r\nA : b\nhost:c\r\n\tmore\r\nno colon\r\n(: x\r\n\xff:y\r\n\r\nTrailer: z";
        let fields: Vec<_> = Fields { block, position: 0 }
            .map(|field| (field.start, field.name, field.value.to_vec(), field.folded))
            .collect();
        let expected: [(usize, &[u8], &[u8], bool); 5] = [
            (0, b"Host", b"a ", false),
            (10, b"A", b"b", false),
            (16, b"host", b"c\tmore", true),
            (41, b"(", b"x", false),
            (54, b"Trailer", b"z", false),
        ];
        assert_eq!(fields.len(), expected.len(), "{fields:?}");
        for ((start, name, value, folded), expected) in fields.iter().zip(expected) {
            assert_eq!((*start, *name, &value[..], *folded), expected);
        }
    }

    #[test]
    fn the_last_field_counts() {
        let mut headers = Headers::default();
        for (line, name, value) in [
            (&b"A: 1\r\n"[..], &b"A"[..], &b"1"[..]),
            (b"a: 2 \r\n", b"a", b"2"),
            (b"B: 3 \r\n", b"B", b"3"),
            (b"C: 4\r\n", b"C", b"4"),
            (b"D: 5\r\n 6\r\n", b"D", b"5 6"),
        ] {
            headers.add(line, name, value, 10);
        }
        let cases: [(&[u8], Option<&[u8]>); 5] = [
            (b"a", Some(b"2 ")),
            (b"b", Some(b"3 ")),
            (b"c", Some(b"4")),
            (b"d", Some(b"5 6")),
            (b"e", None),
        ];
        for (name, expected) in cases {
            assert_eq!(headers.last(name).as_deref(), expected, "{name:?}");
        }
    }
}
