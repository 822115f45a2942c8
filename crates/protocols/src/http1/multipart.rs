//! Bodies in parts (`multipart/form-data` of RFC 7578 and others, RFC 2046 section 5.1), in pieces: where the files in
//! them begin and end.

use memchr::memmem;

use super::anomaly::Oddity;
use super::disposition::{file_name, parameter};
use super::octets::{head, is_blank, run, strip_prefix, tail, trim};

/// Longest header line of a part that is looked at.
const MAX_PART_HEADER: usize = 4096;

const LINE_END: &[u8] = b"\r\n";

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
    /// At a header line of a part; whether one before names a file.
    Header(bool),
    /// In a header line that is too long; whether one before names a file.
    LongLine(bool),
    /// In the content of a part; whether it is a file.
    Content(bool),
    /// Behind the last boundary, or given up.
    Epilogue,
}

/// The state of one body.
#[derive(Debug)]
pub(super) struct Multipart {
    /// Line end, two dashes, the boundary.
    delimiter: Vec<u8>,
    state: State,
    /// Bytes that cannot be classified yet: part of a header or perhaps of a delimiter.
    held: Vec<u8>,
    /// A bad header line was told of in this push.
    told: bool,
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
            held: Vec::new(),
            told: false,
        })
    }

    /// Reads on.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(PartEvent<'_>)) {
        self.told = false;
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
            State::Header(true) | State::LongLine(true) => sink(PartEvent::Close(false)),
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
                State::Header(file) => self.header(rest, file, sink),
                State::LongLine(file) => self.long_line(rest, file),
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
                self.state = State::Header(false);
                Some(Step::Next(length + end + 1))
            }
            None if after.len() > MAX_PART_HEADER => {
                self.state = State::Epilogue;
                Some(Step::Next(rest.len()))
            }
            None => None,
        }
    }

    /// Reads a header line, of which one that is too long is skipped.
    fn header(&mut self, rest: &[u8], file: bool, sink: &mut dyn FnMut(PartEvent<'_>)) -> Step {
        let Some(end) = memmem::find(rest, LINE_END) else {
            if rest.len() > MAX_PART_HEADER {
                self.state = State::LongLine(file);
                return Step::Next(0);
            }
            return Step::Wait(0);
        };
        let (line, next) = (head(rest, end), end + LINE_END.len());
        if matches!(line, b"" | b"\r") {
            return self.header_end(rest, next, file, sink);
        }
        if line.len() <= MAX_PART_HEADER {
            if is_bad_line(line) && !std::mem::replace(&mut self.told, true) {
                sink(PartEvent::Odd(Oddity::MultipartInvalidHeader));
            }
            if let Some(name) = name_of_part(line).filter(|_| !file) {
                self.state = State::Header(true);
                sink(PartEvent::Open(name));
            }
        }
        Step::Next(next)
    }

    /// Looks at what follows the headers, `next` bytes on: the content, or at once a delimiter, to which their last line
    /// end then belongs, too.
    fn header_end(
        &mut self,
        rest: &[u8],
        next: usize,
        file: bool,
        sink: &mut dyn FnMut(PartEvent<'_>),
    ) -> Step {
        let (after, marker) = (tail(rest, next), tail(&self.delimiter, LINE_END.len()));
        if after.len() < marker.len() && marker.starts_with(after) {
            return Step::Wait(0);
        }
        let empty = after.starts_with(marker);
        self.state = State::Content(file);
        if file && empty {
            sink(PartEvent::Odd(Oddity::MultipartNoFileData));
        }
        Step::Next(if empty { next - LINE_END.len() } else { next })
    }

    fn long_line(&mut self, rest: &[u8], file: bool) -> Step {
        match memmem::find(rest, LINE_END) {
            Some(end) => {
                self.state = State::Header(file);
                Step::Next(end + LINE_END.len())
            }
            None => Step::Wait(rest.len() - usize::from(rest.ends_with(b"\r"))),
        }
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

/// The file name in a header line of a part, without backslashes.
fn name_of_part(line: &[u8]) -> Option<Vec<u8>> {
    let value = strip_prefix(line, b"content-disposition")?;
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
        let cases: [(&str, &str, &[Oddity]); 5] = [
            ("Content-Disposition: x; filename=\"C:\\dir\\a.exe\"\r\n\r\n1", "C:dira.exe", &[]),
            ("Content-Disposition: x; filename*0=a; filename*1=b\r\n\r\n1", "ab", &[]),
            ("Content-Disposition: x; filename=a\r\nnothing\r\n\r\n1", "a", &[MultipartInvalidHeader]),
            ("Content-Disposition: x; filename=a\r\nX: \r\n\r\n1", "a", &[MultipartInvalidHeader]),
            ("Content-Disposition: x; filename=a\r\n\r\n", "a", &[MultipartNoFileData]),
        ];
        for (part, name, expected) in cases {
            let empty = part.ends_with("\r\n\r\n");
            let body = format!("--XyZ\r\n{part}{}--XyZ--\r\n", if empty { "" } else { "\r\n" });
            let mut odd = Vec::new();
            let found = files_and_oddities(body.as_bytes(), body.len(), &mut odd);
            assert_eq!((found[0].0.as_str(), &odd[..]), (name, expected), "{part}");
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
    fn long_header_lines_are_skipped_in_any_pieces() {
        for (filler, expected) in [(MAX_PART_HEADER - 80, 1), (MAX_PART_HEADER, 0)] {
            let name = format!("Content-Disposition: form-data; a={}; filename=b", "a".repeat(filler));
            let body = format!("--XyZ\r\nA: b\r\n{name}\r\nC: d\r\n\r\ncontent\r\n--XyZ--\r\n");
            for piece in [1, 1000, body.len()] {
                let mut odd = Vec::new();
                let found = files_and_oddities(body.as_bytes(), piece, &mut odd);
                assert_eq!((found.len(), odd.len()), (expected, 0), "{filler} by {piece}");
            }
        }
    }

    #[test]
    fn headers_that_nothing_ends_are_told_of_once_in_a_push() {
        let body = b"--XyZ\r\nContent-Type: a/b\r\n--XyZ\r\nContent-Type: c/d\r\n\0\x01\r\n--XyZ--\r\n";
        for (piece, expected) in [(body.len(), 1), (12, 3)] {
            let mut odd = Vec::new();
            assert_eq!(files_and_oddities(body, piece, &mut odd), []);
            assert_eq!(odd, vec![Oddity::MultipartInvalidHeader; expected], "by {piece}");
        }
    }

    #[test]
    fn files_whose_headers_end_early() {
        let body = b"--XyZ\r\nContent-Disposition: x; filename=a\r\nB: c\r\n";
        let mut odd = Vec::new();
        let found = files_and_oddities(body, body.len(), &mut odd);
        assert_eq!((found, odd), (vec![("a".to_string(), String::new(), false)], vec![]));
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
