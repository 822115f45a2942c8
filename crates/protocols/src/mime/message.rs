//! One message: its fields, its parts, and what they carry.
//!
//! Parts with a name are attachments. Text is searched for addresses: as it came where it has no name, decoded where
//! it has one. A multipart within a multipart is read like the outer one; so is a message without a name within a
//! message, but it is not searched.

use md5::{Digest, Md5};

use super::fields::{self, Fields, MAX_VALUE};
use super::lines::Line;
use super::parameter::parameter;
use super::transfer::{Base64, Encoding, QuotedPrintable};
use super::urls::{UrlSettings, Urls};

/// Most parts within each other.
pub const MAX_DEPTH: usize = 32;

/// Most names of attachments kept.
pub const MAX_ATTACHMENTS: usize = 256;

/// Longest name of an attachment.
const MAX_FILE_NAME: usize = 255;

/// Longest boundary that is nothing odd; RFC 2046 allows 70.
const MAX_BOUNDARY: usize = 254;

/// Longest boundary that is looked for.
const MAX_BOUNDARY_KEPT: usize = 1024;

/// Longest line, RFC 5322 section 2.1.1.
const MAX_LINE: usize = 998;

/// Longest line of an encoding, RFC 2045 sections 6.7 and 6.8.
const MAX_ENCODED_LINE: usize = 76;

/// Longest name of a field that is nothing odd.
const MAX_FIELD_NAME: usize = 75;

/// Settings of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSettings {
    /// Undo base64.
    pub decode_base64: bool,
    /// Undo quoted-printable.
    pub decode_quoted_printable: bool,
    /// Bytes kept of the value of a field.
    pub value_depth: usize,
    /// Look for addresses.
    pub urls: Option<UrlSettings>,
    /// Digest the body.
    pub body_md5: bool,
}

/// Something odd about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A letter that base64 does not have.
    InvalidBase64,
    /// An escape that is none.
    InvalidQuotedPrintable,
    /// A line longer than RFC 5322 allows.
    LongLine,
    /// A line longer than its encoding allows.
    LongEncodedLine,
    /// A long name of a field.
    LongFieldName,
    /// A value longer than is kept.
    LongFieldValue,
    /// A long boundary.
    LongBoundary,
    /// A long name of an attachment.
    LongFileName,
}

/// Takes what a message holds.
pub trait Sink {
    /// An attachment of this name begins.
    fn open(&mut self, name: &[u8]);
    /// It goes on.
    fn data(&mut self, bytes: &[u8]);
    /// It ends; whole or not.
    fn close(&mut self, whole: bool);
    /// Something is odd.
    fn flaw(&mut self, flaw: Flaw);
}

/// Where in a message the next line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the fields of the message itself.
    Header,
    /// In those of a part.
    PartHeader,
    /// In a body.
    Body,
}

/// The part at hand.
#[derive(Debug, Default)]
struct Part {
    fields: Fields,
    encoding: Encoding,
    base64: Base64,
    quoted_printable: QuotedPrintable,
    /// Stands in a message that is itself a part.
    is_inner: bool,
    is_attachment: bool,
    /// The line end before, which belongs to what follows: to a boundary or to more content.
    ended: Vec<u8>,
}

/// A message as far as it has come.
#[derive(Debug)]
pub struct Message {
    /// The fields of the message itself.
    pub fields: Fields,
    /// The names of its attachments.
    pub attachments: Vec<Vec<u8>>,
    urls: Urls,
    place: Place,
    part: Part,
    /// The content is text by the last field about it, or there was no such field.
    is_text: bool,
    /// The boundaries of multiparts within each other, each behind its two dashes.
    boundaries: Vec<Vec<u8>>,
    /// Messages within messages.
    nested: usize,
    /// Bytes of the line at hand that came before.
    line_length: usize,
    digest: Option<Md5>,
    body_md5: Option<[u8; 16]>,
    decoded: Vec<u8>,
}

impl Message {
    /// One that begins.
    pub fn new(settings: &MessageSettings) -> Self {
        Self {
            fields: Fields::default(),
            attachments: Vec::new(),
            urls: Urls::default(),
            is_text: true,
            place: Place::Header,
            part: Part::default(),
            boundaries: Vec::new(),
            nested: 0,
            line_length: 0,
            digest: settings.body_md5.then(Md5::new),
            body_md5: None,
            decoded: Vec::new(),
        }
    }

    /// Whether its own fields are all there.
    pub fn has_header(&self) -> bool {
        self.place != Place::Header
    }

    /// The addresses in it, in the order found.
    pub fn urls(&self) -> &[Vec<u8>] {
        &self.urls.found
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        let names = self.attachments.iter().chain(&self.boundaries);
        let texts = names.map(|name| size_of_val(name) + name.capacity()).sum::<usize>();
        let waits = self.urls.memory() + self.part.ended.capacity() + self.decoded.capacity();
        size_of::<Self>() + self.fields.memory() + self.part.fields.memory() + texts + waits
    }

    /// The MD5 of its body as sent, once all of that came.
    pub fn body_md5(&self) -> Option<[u8; 16]> {
        self.body_md5
    }

    /// The next line, or fragment of one. `stuffed`: a dot at its beginning was doubled.
    pub fn line(&mut self, line: &Line<'_>, stuffed: bool, settings: &MessageSettings, sink: &mut dyn Sink) {
        self.line_length = line.text.len() + if line.continues { self.line_length } else { 0 };
        if self.line_length > MAX_LINE {
            sink.flaw(Flaw::LongLine);
        }
        if self.place != Place::Header
            && let Some(digest) = &mut self.digest
        {
            digest.update(line.text);
            digest.update(line.end);
        }
        let text = match line.text.strip_prefix(b".") {
            Some(rest) if stuffed && !line.continues => rest,
            _ => line.text,
        };
        let line = Line { text, ..*line };
        if self.place != Place::Header
            && !line.continues
            && let Some((index, is_last)) = self.boundary(text)
        {
            return self.end_part(index, is_last, settings, sink);
        }
        match self.place {
            Place::Header | Place::PartHeader => self.header_line(&line, settings, sink),
            Place::Body => self.body_line(&line, settings, sink),
        }
    }

    /// No more comes.
    pub fn finish(&mut self, whole: bool, settings: &MessageSettings, sink: &mut dyn Sink) {
        self.close_part(whole, settings, sink);
        self.part = Part::default();
        if let Some(digest) = self.digest.take().filter(|_| whole && self.place != Place::Header) {
            self.body_md5 = Some(digest.finalize().into());
        }
        self.place = Place::Body;
        self.boundaries.clear();
    }

    /// The multipart whose boundary a line is, and whether it is its last one.
    fn boundary(&self, text: &[u8]) -> Option<(usize, bool)> {
        if !text.starts_with(b"--") {
            return None;
        }
        let fits = |(_, boundary): &(usize, &Vec<u8>)| text.starts_with(boundary);
        let (index, boundary) =
            self.boundaries.iter().enumerate().filter(fits).max_by_key(|(_, boundary)| boundary.len())?;
        Some((index, text.get(boundary.len()..).is_some_and(|rest| rest.starts_with(b"--"))))
    }

    fn end_part(&mut self, index: usize, is_last: bool, settings: &MessageSettings, sink: &mut dyn Sink) {
        self.close_part(true, settings, sink);
        self.part = Part::default();
        self.boundaries.truncate(if is_last { index } else { index + 1 });
        // What stands behind the last boundary is for nobody.
        self.place = if is_last { Place::Body } else { Place::PartHeader };
    }

    fn close_part(&mut self, whole: bool, settings: &MessageSettings, sink: &mut dyn Sink) {
        let mut decoded = std::mem::take(&mut self.decoded);
        decoded.clear();
        if self.part.encoding == Encoding::Base64 && settings.decode_base64 {
            self.part.base64.finish(&mut decoded);
            self.content(&decoded, sink);
        }
        self.decoded = decoded;
        if std::mem::take(&mut self.part.is_attachment) {
            sink.close(whole);
        }
    }

    fn header_line(&mut self, line: &Line<'_>, settings: &MessageSettings, sink: &mut dyn Sink) {
        let depth = settings.value_depth.min(MAX_VALUE);
        let fields = if self.place == Place::Header { &mut self.fields } else { &mut self.part.fields };
        let length = match line.text {
            rest if line.continues => fields.extend(rest, depth),
            [] => return self.begin_body(sink),
            [b' ' | b'\t', rest @ ..] if !fields.is_empty() => fields.extend(rest, depth),
            text => {
                let Some((name, value)) = fields::split(text) else { return };
                if name.len() > MAX_FIELD_NAME {
                    sink.flaw(Flaw::LongFieldName);
                }
                fields.push(name, value, depth);
                value.len()
            }
        };
        if length > settings.value_depth {
            sink.flaw(Flaw::LongFieldValue);
        }
    }

    /// The fields are over: what they say of the body.
    fn begin_body(&mut self, sink: &mut dyn Sink) {
        let fields = if self.place == Place::Header { &self.fields } else { &self.part.fields };
        let content_type = fields.value(b"content-type");
        let disposition = fields.value(b"content-disposition");
        let encoding = Encoding::named(fields.value(b"content-transfer-encoding").unwrap_or_default());
        let kind = content_type.map(|value| value.split(|&byte| byte == b';').next().unwrap_or(value));
        let boundary = content_type.and_then(|value| parameter(value, "boundary"));
        let name = disposition
            .and_then(|value| parameter(value, "filename"))
            .or_else(|| content_type.and_then(|value| parameter(value, "name")))
            .filter(|name| !name.is_empty());
        let is_message = encoding == Encoding::Identity
            && kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"message/rfc822"));
        let is_inner = self.part.is_inner;
        // A part without a type of its own has that of the part before.
        if let Some(kind) = kind.filter(|_| !is_inner) {
            self.is_text = matches!(kind, b"text/plain" | b"text/html");
        }
        self.part = Part { encoding, is_inner, ..Part::default() };
        self.place = Place::Body;
        if let Some(boundary) = boundary.filter(|boundary| !boundary.is_empty()) {
            self.begin_multipart(&boundary, sink);
        } else if let Some(mut name) = name {
            if name.len() > MAX_FILE_NAME {
                sink.flaw(Flaw::LongFileName);
                name.truncate(MAX_FILE_NAME);
            }
            self.part.is_attachment = true;
            sink.open(&name);
            if self.attachments.len() < MAX_ATTACHMENTS {
                self.attachments.push(name);
            }
        } else if is_message && self.nested < MAX_DEPTH {
            self.nested += 1;
            self.part.is_inner = true;
            self.place = Place::PartHeader;
        }
    }

    fn begin_multipart(&mut self, boundary: &[u8], sink: &mut dyn Sink) {
        if boundary.len() > MAX_BOUNDARY {
            sink.flaw(Flaw::LongBoundary);
        }
        if self.boundaries.len() < MAX_DEPTH && boundary.len() <= MAX_BOUNDARY_KEPT {
            self.boundaries.push([b"--", boundary].concat());
        }
    }

    fn body_line(&mut self, line: &Line<'_>, settings: &MessageSettings, sink: &mut dyn Sink) {
        if !self.part.is_attachment {
            // Text that has no name is searched as it came, whatever its encoding.
            if self.is_text && !self.part.is_inner {
                self.search(&[line.text, line.end], settings);
            }
            return;
        }
        let encoding = self.part.encoding;
        if encoding != Encoding::Identity && self.line_length > MAX_ENCODED_LINE {
            sink.flaw(Flaw::LongEncodedLine);
        }
        let mut decoded = std::mem::take(&mut self.decoded);
        decoded.clear();
        match encoding {
            Encoding::Identity => {
                self.search(&[line.text, line.end], settings);
                decoded.append(&mut self.part.ended);
                decoded.extend_from_slice(line.text);
                self.part.ended.extend_from_slice(line.end);
            }
            Encoding::Base64 if settings.decode_base64 => {
                if self.part.base64.decode(line.text, &mut decoded).is_err() {
                    sink.flaw(Flaw::InvalidBase64);
                }
                self.search(&[&decoded], settings);
            }
            Encoding::QuotedPrintable if settings.decode_quoted_printable => {
                if self.part.quoted_printable.decode(line.text, line.end, &mut decoded).is_err() {
                    sink.flaw(Flaw::InvalidQuotedPrintable);
                }
                self.search(&[&decoded], settings);
            }
            Encoding::Base64 | Encoding::QuotedPrintable => {}
        }
        self.content(&decoded, sink);
        self.decoded = decoded;
    }

    fn search(&mut self, pieces: &[&[u8]], settings: &MessageSettings) {
        if let Some(urls) = settings.urls.as_ref().filter(|_| !self.part.is_inner) {
            pieces.iter().for_each(|piece| self.urls.push(piece, urls));
        }
    }

    fn content(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        if !bytes.is_empty() && self.part.is_attachment {
            sink.data(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lines;
    use super::*;
    use proptest::prelude::*;
    use weir_base::hex;

    #[derive(Debug, Default, PartialEq, Eq, Clone)]
    struct Seen {
        files: Vec<(String, Vec<u8>, bool)>,
        flaws: Vec<Flaw>,
    }

    impl Sink for Seen {
        fn open(&mut self, name: &[u8]) {
            self.files.push((String::from_utf8_lossy(name).into_owned(), Vec::new(), false));
        }
        fn data(&mut self, bytes: &[u8]) {
            self.files.last_mut().unwrap().1.extend_from_slice(bytes);
        }
        fn close(&mut self, whole: bool) {
            self.files.last_mut().unwrap().2 = whole;
        }
        fn flaw(&mut self, flaw: Flaw) {
            if !self.flaws.contains(&flaw) {
                self.flaws.push(flaw);
            }
        }
    }

    fn settings() -> MessageSettings {
        MessageSettings {
            decode_base64: true,
            decode_quoted_printable: true,
            value_depth: 100,
            urls: Some(UrlSettings { schemes: vec!["http".to_owned()], with_scheme: true }),
            body_md5: true,
        }
    }

    fn read(bytes: &[u8], piece: usize) -> (Message, Seen) {
        let (settings, mut seen, mut lines) = (settings(), Seen::default(), Lines::default());
        let mut message = Message::new(&settings);
        for mut rest in bytes.chunks(piece) {
            while !rest.is_empty() {
                let (taken, line) = lines.next(rest);
                if let Some(line) = line {
                    message.line(&line, true, &settings, &mut seen);
                }
                rest = &rest[taken..];
            }
        }
        if let Some(line) = lines.finish() {
            message.line(&line, true, &settings, &mut seen);
        }
        message.finish(true, &settings, &mut seen);
        (message, seen)
    }

    const NESTED: &str = "Subject: one\r\n two\r\nContent-Type: multipart/mixed;\r\n\tboundary=\"out\"\r\n\r\npreamble http://no\r\n\
        --out\r\nContent-Type: multipart/alternative; boundary=out-in\r\n\r\n\
        --out-in\r\n\r\nhttp://a.b/ text\r\n\
        --out-in\r\nContent-Type: TEXT/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<a href=3D\"http=\r\n://c\">\r\n\
        --out-in--\r\n\
        --out\r\nContent-Type: application/octet-stream; name=a.bin\r\nContent-Transfer-Encoding: BASE64\r\n\r\naGVs\r\nbG8=\r\n\
        --out\r\nContent-Disposition: attachment; filename=\"b.txt\"\r\n\r\n..dot\r\nhttp://d\r\n\r\n\
        --out\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\nContent-Type: text/x; name=c\r\n\r\nin\r\n\
        --out--\r\nbehind http://no\r\n";

    #[test]
    fn parts_within_parts_in_any_pieces() {
        for piece in (1..50).chain([NESTED.len()]) {
            let (message, seen) = read(NESTED.as_bytes(), piece);
            let file = |name: &str, content: &str| (name.to_owned(), content.as_bytes().to_vec(), true);
            let files = [file("a.bin", "hello"), file("b.txt", ".dot\r\nhttp://d\r\n"), file("c", "in")];
            assert_eq!(seen, Seen { files: files.to_vec(), flaws: vec![] }, "{piece}");
            assert_eq!(message.fields.value(b"subject"), Some(&b"onetwo"[..]));
            assert_eq!(message.attachments, [b"a.bin".to_vec(), b"b.txt".to_vec(), b"c".to_vec()]);
            assert_eq!(message.urls(), [b"http://d\r\n".to_vec()]);
            let body = &NESTED[NESTED.find("preamble").unwrap()..];
            assert_eq!(message.body_md5(), Some(Md5::digest(body).into()));
        }
    }

    #[test]
    fn one_body_without_parts() {
        let (message, seen) = read(b"To: a\r\n\r\nhttp://a\r\n", 7);
        assert_eq!((message.urls(), seen), (&[b"http://a\r\n".to_vec()][..], Seen::default()));
        let (message, seen) = read(b"Content-Type: x/y; name=f\r\n\r\na\r\nb\r\n", 7);
        assert_eq!(seen.files, [("f".to_owned(), b"a\r\nb".to_vec(), true)]);
        assert_eq!(hex::string(&message.body_md5().unwrap()), hex::string(&Md5::digest(b"a\r\nb\r\n")));
        let (message, seen) = read(b"\r\nbody", 1);
        assert_eq!((message.fields.len(), seen), (0, Seen::default()));
    }

    #[test]
    fn addresses_stand_in_text_as_it_came() {
        let urls = |text: &str| {
            let (message, seen) = read(text.as_bytes(), 5);
            assert_eq!(seen.flaws, [], "{text}");
            message.urls().iter().map(|url| String::from_utf8(url.clone()).unwrap()).collect::<Vec<_>>()
        };
        let printable = "Content-Transfer-Encoding: quoted-printable\r\n";
        assert_eq!(
            urls(&format!("{printable}\r\nhttp://a=3Db=\r\n<http://c>\r\n")),
            ["http://a=3Db=\r\n", "http://c"]
        );
        let named = format!("{printable}Content-Type: text/plain; name=n\r\n\r\nhttp://a=3Db=\r\nc\r\n");
        assert_eq!(urls(&named), ["http://a=bc\r\n"]);
        assert_eq!(urls("Content-Type: TEXT/plain\r\n\r\nhttp://a\r\n"), [""; 0]);
        // A part without a type follows the one before; a message that is a part is not searched.
        let parts = "Content-Type: a/b; boundary=x\r\n\r\nhttp://1\r\n--x\r\n\r\nhttp://2\r\n\
            --x\r\nContent-Type: text/html\r\n\r\nhttp://3\r\n--x\r\n\r\nhttp://4\r\n\
            --x\r\nContent-Type: multipart/a; boundary=xy\r\n\r\n\
            --xy\r\nContent-Type: text/html\r\n\r\nhttp://7\r\n--xy--\r\n\
            --x\r\nContent-Type: message/rfc822\r\n\r\n\r\nhttp://5\r\n--x\r\nContent-Type: text/html\r\n\r\nhttp://6\r\n";
        assert_eq!(urls(parts), ["http://3\r\n", "http://4\r\n", "http://7\r\n", "http://6\r\n"]);
    }

    #[test]
    fn flaws() {
        use Flaw::*;
        let long = "x".repeat(300);
        let base64 = "Content-Transfer-Encoding: base64\r\nContent-Type: a/b; name=c\r\n\r\n";
        let printable = "Content-Transfer-Encoding: quoted-printable\r\nContent-Type: a/b; name=c\r\n\r\n";
        let cases: [(String, &[Flaw]); 9] = [
            (format!("{base64}!!!!\r\n"), &[InvalidBase64]),
            (format!("{base64}{}\r\n", "AAAA".repeat(20)), &[LongEncodedLine]),
            (format!("{printable}a=qq\r\n"), &[InvalidQuotedPrintable]),
            (format!("\r\n{}\r\n", "y".repeat(999)), &[LongLine]),
            (format!("{long}: a\r\n\r\n"), &[LongFieldName]),
            (format!("a: {long}\r\n\r\n"), &[LongFieldValue]),
            (format!("a: {0}\r\n {0}\r\n\r\n", "z".repeat(60)), &[LongFieldValue]),
            (format!("Content-Transfer-Encoding: base64\r\n\r\n!!!!{}\r\n", "A".repeat(90)), &[]),
            ("a\r\n: b\r\n\r\n".to_owned(), &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text.as_bytes(), 9).1.flaws, expected, "{text}");
        }
        let wide = MessageSettings { value_depth: 4000, ..settings() };
        for (text, flaw) in [("boundary", LongBoundary), ("name", LongFileName)] {
            let (mut message, mut seen) = (Message::new(&wide), Seen::default());
            let field = format!("Content-Type: multipart/mixed; {text}={long}");
            for text in [field.as_bytes(), b""] {
                message.line(&Line { text, end: b"\r\n", continues: false }, true, &wide, &mut seen);
            }
            assert_eq!(seen.flaws, [flaw]);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep: String = (0..1000)
            .map(|n| format!("--b{}\r\nContent-Type: multipart/x; boundary=b{n}\r\n\r\n", n - 1))
            .collect();
        let (message, _) = read(format!("Content-Type: a/b; boundary=b-1\r\n\r\n{deep}").as_bytes(), 4096);
        assert!(message.boundaries.is_empty());
        let mut message = "Content-Type: message/rfc822\r\n\r\n".repeat(1000);
        message.push_str("Content-Type: a/b; name=c\r\n\r\nd");
        assert_eq!(read(message.as_bytes(), 4096).1.files, []);
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces(bytes in proptest::collection::vec(any::<u8>(), 0..600), piece in 1usize..50) {
            let mut text = b"Content-Type: a/b; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: x/y; name=z\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n".to_vec();
            text.extend_from_slice(&bytes);
            let (whole, all) = read(&text, text.len());
            let (pieces, seen) = read(&text, piece);
            prop_assert_eq!(all, seen);
            prop_assert_eq!(whole.body_md5(), pieces.body_md5());
            prop_assert_eq!(whole.urls(), pieces.urls());
        }
    }
}
