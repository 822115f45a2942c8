//! Addresses in the text of mails: `http://…` up to a character that no address has.

use memchr::memmem;

/// Most addresses kept of a message.
pub const MAX_URLS: usize = 256;

/// Longest text that waits for its line's end.
const MAX_WAITING: usize = 8192;

/// Separator of a scheme and the rest.
const SEPARATOR: &[u8] = b"://";

/// Addresses that are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlSettings {
    /// Schemes (`http`), in lower case.
    pub schemes: Vec<String>,
    /// The scheme is kept as part of the address.
    pub with_scheme: bool,
}

/// Looks for addresses in text that comes in pieces.
#[derive(Debug, Default)]
pub struct Urls {
    /// URLs found, in order.
    pub found: Vec<Vec<u8>>,
    /// A line that has not ended.
    waiting: Vec<u8>,
}

impl Urls {
    /// Bytes of memory that they take.
    pub fn memory(&self) -> usize {
        self.waiting.capacity()
            + self.found.iter().map(|url| size_of_val(url) + url.capacity()).sum::<usize>()
    }

    /// The text goes on.
    pub fn push(&mut self, text: &[u8], settings: &UrlSettings) {
        if self.found.len() >= MAX_URLS {
            return;
        }
        let whole = memchr::memrchr(b'\n', text).map_or(0, |position| position + 1);
        let (lines, rest) = text.split_at_checked(whole).unwrap_or((text, &[]));
        if !lines.is_empty() {
            if self.waiting.is_empty() {
                self.search(lines, settings);
            } else {
                self.waiting.extend_from_slice(lines);
                self.finish(settings);
            }
        }
        self.waiting.extend_from_slice(rest);
        if self.waiting.len() > MAX_WAITING {
            self.finish(settings);
        }
    }

    fn finish(&mut self, settings: &UrlSettings) {
        let waiting = std::mem::take(&mut self.waiting);
        self.search(&waiting, settings);
    }

    fn search(&mut self, text: &[u8], settings: &UrlSettings) {
        text.split_inclusive(|&byte| byte == b'\n').for_each(|line| self.search_line(line, settings));
    }

    /// Finds the addresses, by scheme in the order of those, then by place.
    fn search_line(&mut self, text: &[u8], settings: &UrlSettings) {
        let separators: Vec<usize> = memmem::find_iter(text, SEPARATOR).collect();
        if separators.is_empty() {
            return;
        }
        for scheme in &settings.schemes {
            let mut end = 0;
            for &separator in &separators {
                let Some(start) = separator.checked_sub(scheme.len()).filter(|start| *start >= end) else {
                    continue;
                };
                let is_scheme = text
                    .get(start..separator)
                    .is_some_and(|written| written.eq_ignore_ascii_case(scheme.as_bytes()));
                if !is_scheme || self.found.len() >= MAX_URLS {
                    continue;
                }
                let behind = separator + SEPARATOR.len();
                let rest = text.get(behind..).unwrap_or_default();
                end = behind + rest.iter().position(|&byte| ends_address(byte)).unwrap_or(rest.len());
                let start = if settings.with_scheme { start } else { behind };
                self.found.push(text.get(start..end).unwrap_or_default().to_vec());
            }
        }
    }
}

fn ends_address(byte: u8) -> bool {
    matches!(byte, b' ' | b'"' | b'\'' | b'<' | b'>' | b']' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, with_scheme: bool, piece: usize) -> Vec<String> {
        let settings = UrlSettings { schemes: vec!["http".to_owned(), "ftp".to_owned()], with_scheme };
        let mut urls = Urls::default();
        text.as_bytes().chunks(piece).for_each(|bytes| urls.push(bytes, &settings));
        urls.found.into_iter().map(|url| String::from_utf8(url).unwrap()).collect()
    }

    #[test]
    fn addresses_in_any_pieces() {
        let text =
            "ftp://f see HTTP://a.b/c?d=e, \"http://x\"\r\nhttps://no http://y\n\nhttp://z\nhttp://waits";
        for piece in 1..text.len() {
            assert_eq!(find(text, false, piece), ["a.b/c?d=e,", "x", "f", "y\n", "z\n"], "{piece}");
        }
        assert_eq!(find("http://a http://b\n", true, 99), ["http://a", "http://b\n"]);
        assert_eq!(find(&"http://a \n".repeat(1000), true, 99).len(), MAX_URLS);
    }
}
