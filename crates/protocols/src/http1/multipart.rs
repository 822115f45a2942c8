//! Bodies in parts (`multipart/form-data` of RFC 7578 and others, RFC 2046 section 5.1), in pieces: where the files in
//! them begin and end.

use memchr::memmem;

use super::anomaly::Oddity;
use super::disposition::{file_name, parameter};
use super::octets::{chomp, head, is_blank, run, strip_prefix, tail, trim};

/// Longest line of a part's headers.
const MAX_PART_LINE: usize = 4096;

/// Longest boundary that is looked for; RFC 2046 allows 70.
const MAX_BOUNDARY: usize = 255;

/// Parts of a multipart body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PartEvent<'a> {
    /// A file of this name begins.
    Open(Vec<u8>),
    /// It goes on.
    Data(&'a [u8]),
    /// It ends; true where at a boundary, false where the body ended before.
    Close(bool),
    /// Something is wrong.
    Odd(Oddity),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Before the first boundary.
    Preamble,
    /// In the headers of a part.
    Header,
    /// In a line of them that is too long.
    Line,
    /// In the content of a part; whether it is a file.
    Content(bool),
    /// Behind the last boundary, or given up.
    Epilogue,
}

/// The headers of a part so far.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// They name a file, which is open.
    is_file: bool,
    /// One of their lines is odd.
    is_odd: bool,
}

/// The state of one body.
#[derive(Debug)]
pub(super) struct Multipart {
    /// Line end, two dashes, the boundary.
    delimiter: Vec<u8>,
    state: State,
    part: Part,
    /// Bytes that cannot be classified yet: part of a header or perhaps of a delimiter.
    held: Vec<u8>,
}

impl Multipart {
    /// For a body with this `Content-Type`, if that names a boundary.
    pub(super) fn new(content_type: &[u8]) -> Option<Self> {
        let boundary = parameter(content_type, b"boundary")?;
        if boundary.is_empty() || boundary.len() > MAX_BOUNDARY {
            return None;
        }
        Some(Self {
            delimiter: [b"\r\n--", &boundary[..]].concat(),
            state: State::Preamble,
            part: Part::default(),
            held: Vec::new(),
        })
    }

    /// Reads on.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(PartEvent<'_>)) {
        if self.held.is_empty() {
            let taken = self.read(bytes, sink);
            self.held.extend_from_slice(tail(bytes, taken));
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let taken = self.read(&held, sink);
        held.drain(..taken);
        self.held = held;
    }

    /// The body ends, or is not read on.
    pub(super) fn finish(&mut self, sink: &mut dyn FnMut(PartEvent<'_>)) {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Content(true) => {
                if !held.is_empty() {
                    sink(PartEvent::Data(&held));
                }
                sink(PartEvent::Close(false));
            }
            State::Header | State::Line if self.part.is_file => sink(PartEvent::Close(false)),
            State::Preamble if !held.is_empty() => sink(PartEvent::Odd(Oddity::MultipartNoFileData)),
            _ => {}
        }
        self.state = State::Epilogue;
    }

    /// Reads what can be classified; returns its length.
    fn read(&mut self, bytes: &[u8], sink: &mut dyn FnMut(PartEvent<'_>)) -> usize {
        let mut taken = 0;
        loop {
            let rest = tail(bytes, taken);
            let step = match self.state {
                State::Preamble => self.preamble(rest),
                State::Header => self.header(rest, sink),
                State::Line => self.line(rest),
                State::Content(file) => self.content(rest, file, sink),
                State::Epilogue => return bytes.len(),
            };
            match step {
                Step::Next(length) => taken += length,
                Step::Wait(length) => return taken + length,
            }
        }
    }

    fn preamble(&mut self, rest: &[u8]) -> Step {
        let marker = tail(&self.delimiter, 2);
        let Some(found) = memmem::find(rest, marker) else {
            return Step::Wait(rest.len().saturating_sub(marker.len() - 1));
        };
        let length = found + marker.len();
        self.behind_boundary(rest, length).unwrap_or(Step::Wait(found))
    }

    /// Reads the rest of a boundary's line; none where it is not there yet.
    fn behind_boundary(&mut self, rest: &[u8], length: usize) -> Option<Step> {
        let after = tail(rest, length);
        if after.starts_with(b"--") {
            self.state = State::Epilogue;
            return Some(Step::Next(length + 2));
        }
        match memchr::memchr(b'\n', after) {
            Some(end) => {
                self.state = State::Header;
                Some(Step::Next(length + end + 1))
            }
            None if after.len() > MAX_PART_LINE => {
                self.state = State::Epilogue;
                Some(Step::Next(rest.len()))
            }
            None => None,
        }
    }

    /// Reads a line of a part's headers.
    fn header(&mut self, rest: &[u8], sink: &mut dyn FnMut(PartEvent<'_>)) -> Step {
        let Some(end) = memmem::find(head(rest, MAX_PART_LINE + 2), b"\r\n") else {
            if rest.len() < MAX_PART_LINE + 2 {
                return Step::Wait(0);
            }
            self.state = State::Line;
            return Step::Next(0);
        };
        let line = head(rest, end);
        if !trim(line).is_empty() {
            self.read_line(line, sink);
            return Step::Next(end + 2);
        }
        let (after, marker) = (tail(rest, end + 2), tail(&self.delimiter, 2));
        if after.len() < marker.len() && marker.starts_with(after) {
            return Step::Wait(0);
        }
        // The line end before an empty content belongs to the delimiter too.
        let empty = after.starts_with(marker);
        if empty && self.part.is_file {
            sink(PartEvent::Odd(Oddity::MultipartNoFileData));
        }
        self.state = State::Content(std::mem::take(&mut self.part).is_file);
        Step::Next(if empty { end } else { end + 2 })
    }

    fn read_line(&mut self, line: &[u8], sink: &mut dyn FnMut(PartEvent<'_>)) {
        if is_bad_line(line) && !std::mem::replace(&mut self.part.is_odd, true) {
            sink(PartEvent::Odd(Oddity::MultipartInvalidHeader));
        }
        if let Some(name) = name_of_part(line).filter(|_| !self.part.is_file) {
            self.part.is_file = true;
            sink(PartEvent::Open(name));
        }
    }

    /// Skips a line that is too long for one of headers.
    fn line(&mut self, rest: &[u8]) -> Step {
        let Some(end) = memchr::memchr(b'\n', rest) else { return Step::Wait(rest.len()) };
        self.state = State::Header;
        Step::Next(end + 1)
    }

    fn content(&mut self, rest: &[u8], file: bool, sink: &mut dyn FnMut(PartEvent<'_>)) -> Step {
        if let Some(found) = memmem::find(rest, &self.delimiter) {
            let length = found + self.delimiter.len();
            let Some(step) = self.behind_boundary(rest, length) else {
                return self.hand_on(rest, found, file, sink);
            };
            if file {
                if found > 0 {
                    sink(PartEvent::Data(head(rest, found)));
                }
                sink(PartEvent::Close(true));
            }
            return step;
        }
        let end = partial_match(rest, &self.delimiter);
        self.hand_on(rest, end, file, sink)
    }

    fn hand_on(&self, rest: &[u8], end: usize, file: bool, sink: &mut dyn FnMut(PartEvent<'_>)) -> Step {
        if file && end > 0 {
            sink(PartEvent::Data(head(rest, end)));
        }
        Step::Wait(end)
    }
}

enum Step {
    /// Go on behind this many bytes.
    Next(usize),
    /// Wait for more; this many bytes are done with.
    Wait(usize),
}

/// Where a delimiter that is not complete may begin at the end of `bytes`; their length if nowhere.
fn partial_match(bytes: &[u8], delimiter: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(delimiter.len() - 1);
    memchr::memchr_iter(b'\r', tail(bytes, start))
        .map(|offset| start + offset)
        .find(|&position| delimiter.starts_with(tail(bytes, position)))
        .unwrap_or(bytes.len())
}

/// Whether a header line of a part has no name or no value.
fn is_bad_line(line: &[u8]) -> bool {
    let value = memchr::memchr(b':', line).map(|colon| trim(tail(line, colon + 1)));
    value.is_none_or(<[u8]>::is_empty)
}

/// The file name in a line of a part's headers, without backslashes.
fn name_of_part(line: &[u8]) -> Option<Vec<u8>> {
    let value = strip_prefix(chomp(line), b"content-disposition")?;
    let value = tail(value, run(value, is_blank)).strip_prefix(b":")?;
    let mut name = file_name(value)?;
    name.retain(|&byte| byte != b'\\');
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"preamble\r\n--XyZ\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n\
        --XyZ\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n\
        line\r\n--Xy no boundary\r\r\n\r\n--XyZ  \r\ncontent-disposition: form-data; filename=b\r\n\r\n\r\n--XyZ--\r\nepilogue";

    fn files(body: &[u8], piece: usize) -> Vec<(String, String, bool)> {
        let mut odd = Vec::new();
        let found = files_and_oddities(body, piece, &mut odd);
        assert_eq!(odd, []);
        found
    }

    fn files_and_oddities(body: &[u8], piece: usize, odd: &mut Vec<Oddity>) -> Vec<(String, String, bool)> {
        let mut multipart = Multipart::new(b"multipart/form-data; boundary=\"XyZ\"").unwrap();
        let mut files = Vec::new();
        let mut sink = |event: PartEvent<'_>| match event {
            PartEvent::Open(name) => files.push((String::from_utf8(name).unwrap(), String::new(), false)),
            PartEvent::Data(bytes) => {
                files.last_mut().unwrap().1.push_str(std::str::from_utf8(bytes).unwrap())
            }
            PartEvent::Close(whole) => files.last_mut().unwrap().2 = whole,
            PartEvent::Odd(oddity) => odd.push(oddity),
        };
        for bytes in body.chunks(piece) {
            multipart.push(bytes, &mut sink);
        }
        multipart.finish(&mut sink);
        files
    }

    #[test]
    fn parts_that_are_odd() {
        use Oddity::{MultipartInvalidHeader, MultipartNoFileData};
        let cases: [(&str, &str, &[Oddity]); 6] = [
            ("Content-Disposition: x; filename=\"C:\\dir\\a.exe\"\r\n\r\n1", "C:dira.exe", &[]),
            ("Content-Disposition: x; filename*0=a; filename*1=b\r\n\r\n1", "ab", &[]),
            ("Content-Disposition: x; filename=a\r\nnothing\r\n\r\n1", "a", &[MultipartInvalidHeader]),
            ("Content-Disposition: x; filename=a\r\nX: \r\n\r\n1", "a", &[MultipartInvalidHeader]),
            ("Content-Disposition: x; filename=a\r\n--\r\nB\r\n\r\n1", "a", &[MultipartInvalidHeader]),
            ("Content-Disposition: x; filename=a\r\n\r\n", "a", &[MultipartNoFileData]),
        ];
        for (part, name, expected) in cases {
            let empty = part.ends_with("\r\n\r\n");
            let body = format!("--XyZ\r\n{part}{}--XyZ--\r\n", if empty { "" } else { "\r\n" });
            for piece in [1, body.len()] {
                let mut odd = Vec::new();
                let found = files_and_oddities(body.as_bytes(), piece, &mut odd);
                assert_eq!((found[0].0.as_str(), &odd[..]), (name, expected), "{part} by {piece}");
            }
        }
    }

    #[test]
    fn files_in_any_pieces() {
        for piece in 1..BODY.len() {
            let expected = [
                ("a.txt".to_string(), "line\r\n--Xy no boundary\r\r\n".to_string(), true),
                ("b".to_string(), String::new(), true),
            ];
            assert_eq!(files(BODY, piece), expected, "by {piece}");
        }
    }

    #[test]
    fn long_headers_are_none_in_any_pieces() {
        let name = "Content-Disposition: form-data; filename=";
        for (filler, expected) in [(MAX_PART_LINE - name.len(), 1), (MAX_PART_LINE - name.len() + 1, 0)] {
            let body = format!("--XyZ\r\n{name}{}\r\nA: b\r\n\r\ncontent\r\n--XyZ--\r\n", "a".repeat(filler));
            for piece in [1, 1000, body.len()] {
                assert_eq!(files(body.as_bytes(), piece).len(), expected, "{filler} by {piece}");
            }
        }
    }

    #[test]
    fn headers_without_an_end_are_odd_at_once() {
        let mut odd = Vec::new();
        let body = b"--XyZ\r\nContent-Type: a\r\n--Xy\r\nA: b\r\n\0\x01";
        assert_eq!(files_and_oddities(body, 5, &mut odd), []);
        assert_eq!(odd, [Oddity::MultipartInvalidHeader]);
    }

    #[test]
    fn truncated_files_are_told() {
        let end = memmem::find(BODY, b"no boundary").unwrap();
        assert_eq!(files(&BODY[..end], 3), [("a.txt".to_string(), "line\r\n--Xy ".to_string(), false)]);
    }

    #[test]
    fn what_is_multipart() {
        assert!(Multipart::new(b"Multipart/Form-Data;boundary=x").is_some());
        assert!(Multipart::new(b"multipart/encrypted; protocol=\"a\"; boundary=\"b c\"").is_some());
        assert!(Multipart::new(b"multipart/form-data").is_none());
        assert!(Multipart::new(b"application/x-www-form-urlencoded").is_none());
    }
}
