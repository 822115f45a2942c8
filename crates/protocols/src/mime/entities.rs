//! The entities of a mail as Zeek logs them: every body that is neither a multipart nor a message is a file.
//!
//! Limits: `MAX_ENTITIES` files of a mail, `MAX_DEPTH` entities within each other, `MAX_FIELD` bytes of a field.

use weir_applayer::file::{FileSettings, HEAD_BYTES};
use weir_applayer::{File, FileState};
use weir_base::{Direction, Timestamp};

use super::fields;
use super::lines::Line;
use super::parameter::parameter;
use super::transfer::{Base64, Encoding, QuotedPrintable};

/// Most files of a mail.
const MAX_ENTITIES: usize = 1024;

/// Most entities within each other, the mail itself counted.
const MAX_DEPTH: usize = 101;

/// Longest field that is looked at.
const MAX_FIELD: usize = 64 << 10;

/// State of an entity.
#[derive(Debug, Default)]
enum Kind {
    /// Its fields are being read.
    #[default]
    Header,
    /// Parts between lines that start with two dashes and this.
    Multipart(Vec<u8>),
    /// Another entity.
    Message,
    /// A file, by its place once its first byte was seen.
    Leaf(Option<usize>),
}

#[derive(Debug, Default)]
struct Entity {
    kind: Kind,
    content_type: Vec<u8>,
    name: Vec<u8>,
    encoding: Encoding,
    base64: Base64,
    quoted_printable: QuotedPrintable,
    /// Entities begun before it, on the whole connection.
    number: u64,
    /// The last boundary went by.
    done: bool,
    /// A line ended, whose end belongs to what follows: to a boundary or to more content.
    line_ended: bool,
}

impl Entity {
    fn kind_of_body(&self) -> Kind {
        let kind = self.content_type.get(..10).unwrap_or(&self.content_type).to_ascii_lowercase();
        if kind.starts_with(b"message/") {
            return Kind::Message;
        }
        let boundary =
            kind.starts_with(b"multipart/").then(|| parameter(&self.content_type, "boundary")).flatten();
        match boundary {
            Some(boundary) if !boundary.is_empty() => Kind::Multipart([b"--", &boundary[..]].concat()),
            _ => Kind::Leaf(None),
        }
    }

    /// The fault of its type (RFC 2045 5.1, RFC 2046 5.1.1).
    fn fault(&self) -> Option<&'static str> {
        let slash = self.content_type.iter().position(|byte| *byte == b'/');
        let is_multipart =
            self.content_type.get(..10).is_some_and(|kind| kind.eq_ignore_ascii_case(b"multipart/"));
        match slash {
            None if !self.content_type.trim_ascii().is_empty() => Some("media subtype not found"),
            Some(_) if is_multipart && matches!(self.kind, Kind::Leaf(_)) => {
                Some("multipart boundary delimiter missing")
            }
            _ => None,
        }
    }

    /// Takes in a field of its own.
    fn field(&mut self, name: &[u8], value: &[u8]) {
        if name.eq_ignore_ascii_case(b"content-type") {
            self.content_type = value.to_vec();
            self.name = parameter(value, "name").unwrap_or(std::mem::take(&mut self.name));
        } else if name.eq_ignore_ascii_case(b"content-disposition") {
            self.name = parameter(value, "filename").unwrap_or(std::mem::take(&mut self.name));
        } else if name.eq_ignore_ascii_case(b"content-transfer-encoding") {
            self.encoding = Encoding::named(value);
        }
    }
}

/// Surroundings of a line.
pub struct Reader<'a> {
    /// When it ended.
    pub time: Timestamp,
    /// Id of the flow's next file of this kind.
    pub next_id: &'a mut u64,
    /// Entities begun on the connection.
    pub begun: &'a mut u64,
    /// Settings of the files.
    pub files: &'a FileSettings,
    /// Takes what entities are made of.
    pub listener: &'a mut dyn Listener,
}

/// Takes what entities are made of, as it comes.
pub trait Listener {
    /// An entity begins, which the ones that are open hold.
    fn begin(&mut self) {}

    /// A field of the entity at hand, so many entities deep; the mail itself is the first.
    fn field(&mut self, depth: usize, name: &[u8], value: &[u8]);

    /// All fields of the entity at hand are there.
    fn header_end(&mut self) {}

    /// Content of the entity at hand, without its encoding.
    fn data(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// The innermost entity is over.
    fn end(&mut self) {}

    /// Something does not follow its format or encoding, in words of Zeek.
    fn odd(&mut self, kind: &'static str, detail: &'static str) {
        let _ = (kind, detail);
    }
}

/// Kinds of what is odd.
const FORMAT: &str = "illegal format";
const ENCODING: &str = "illegal encoding";

/// The entities of one mail.
#[derive(Debug, Default)]
pub struct Entities {
    /// The files so far.
    pub files: Vec<File>,
    /// From the mail down to the entity that the next line belongs to.
    open: Vec<Entity>,
    /// The field at hand, with its folded lines.
    pending: Vec<u8>,
    decoded: Vec<u8>,
}

impl Entities {
    /// The mail begins, unless it has.
    pub fn begin(&mut self, reader: &mut Reader<'_>) {
        if self.open.is_empty() && self.files.is_empty() && self.pending.is_empty() {
            self.descend(reader);
        }
    }

    /// The next line, or fragment of one; `stuffed`: a dot at its beginning was doubled.
    pub fn line(&mut self, line: &Line<'_>, stuffed: bool, reader: &mut Reader<'_>) {
        self.begin(reader);
        let text = match line.text.strip_prefix(b".") {
            Some(rest) if stuffed && !line.continues => rest,
            _ => line.text,
        };
        if !line.continues
            && let Some((depth, is_last)) = self.boundary(text)
        {
            self.end_fields(reader);
            for entity in self.open.drain((depth + 1).min(self.open.len())..).rev() {
                reader.listener.end();
                if let Kind::Leaf(Some(index)) = entity.kind
                    && let Some(file) = self.files.get_mut(index)
                {
                    file.ends_early = true;
                }
            }
            if let Some(entity) = self.open.last_mut() {
                entity.done = is_last;
            }
            if !is_last {
                self.descend(reader);
            }
            return;
        }
        match self.open.last().map(|entity| &entity.kind) {
            Some(Kind::Header) => self.header_line(text, line.continues, reader),
            Some(Kind::Leaf(_)) => self.body_line(text, line.end, reader),
            // Before the first boundary or behind the last one.
            Some(Kind::Multipart(_) | Kind::Message) | None => {}
        }
    }

    /// The mail is over.
    pub fn finish(&mut self, state: FileState, reader: &mut Reader<'_>) {
        self.end_fields(reader);
        for file in &mut self.files {
            file.close(state);
        }
        for entity in self.open.drain(..).rev() {
            if matches!(entity.kind, Kind::Multipart(_)) && !entity.done {
                reader.listener.odd(FORMAT, "multipart closing boundary delimiter missing");
            }
            reader.listener.end();
        }
    }

    /// The outermost entity whose boundary a line is, and whether it is its last one.
    fn boundary(&self, text: &[u8]) -> Option<(usize, bool)> {
        if !text.starts_with(b"--") {
            return None;
        }
        self.open.iter().enumerate().find_map(|(depth, entity)| match &entity.kind {
            Kind::Multipart(boundary) if !entity.done => {
                Some((depth, text.strip_prefix(&boundary[..])?.starts_with(b"--")))
            }
            _ => None,
        })
    }

    fn descend(&mut self, reader: &mut Reader<'_>) {
        *reader.begun += 1;
        if self.open.len() < MAX_DEPTH {
            self.open.push(Entity { number: *reader.begun, ..Entity::default() });
            reader.listener.begin();
        }
    }

    /// Bytes of memory that they take at most: of each file the first bytes are kept.
    pub fn memory(&self) -> usize {
        let open = self.open.len() * size_of::<Entity>();
        self.files.len() * (size_of::<File>() + HEAD_BYTES) + open + self.pending.capacity()
    }

    fn header_line(&mut self, text: &[u8], continues: bool, reader: &mut Reader<'_>) {
        if text.is_empty() && !continues {
            self.end_fields(reader);
            reader.listener.header_end();
            let Some(entity) = self.open.last_mut() else { return };
            entity.kind = entity.kind_of_body();
            if let Some(detail) = entity.fault() {
                reader.listener.odd(FORMAT, detail);
            }
            if matches!(entity.kind, Kind::Message) {
                self.descend(reader);
            }
            return;
        }
        if !continues && !matches!(text.first(), Some(b' ' | b'\t')) {
            self.end_fields(reader);
        }
        let room = MAX_FIELD.saturating_sub(self.pending.len());
        self.pending.extend_from_slice(text.get(..room).unwrap_or(text));
    }

    /// A field is over.
    fn end_fields(&mut self, reader: &mut Reader<'_>) {
        let field = std::mem::take(&mut self.pending);
        let Some((name, value)) = fields::split(&field) else { return };
        reader.listener.field(self.open.len(), name, value);
        if let Some(entity) = self.open.last_mut() {
            entity.field(name, value);
        }
    }

    fn body_line(&mut self, text: &[u8], end: &[u8], reader: &mut Reader<'_>) {
        let within = matches!(self.open.as_slice(), [.., Entity { kind: Kind::Multipart(_), .. }, _]);
        let Some(entity) = self.open.last_mut() else { return };
        let mut decoded = std::mem::take(&mut self.decoded);
        decoded.clear();
        // Line ends count as CRLF, whatever they are.
        let end: &[u8] = if end.is_empty() { b"" } else { b"\r\n" };
        match entity.encoding {
            Encoding::Identity => {
                if std::mem::take(&mut entity.line_ended) {
                    decoded.extend_from_slice(b"\r\n");
                }
                decoded.extend_from_slice(text);
                if within {
                    entity.line_ended = !end.is_empty();
                } else {
                    decoded.extend_from_slice(end);
                }
            }
            // What is malformed is left out.
            Encoding::Base64 => {
                if entity.base64.decode(text, &mut decoded).is_err() {
                    reader.listener.odd(ENCODING, "character ignored by Base64 decoding");
                }
            }
            Encoding::QuotedPrintable => {
                if entity.quoted_printable.decode(text, end, &mut decoded).is_err() {
                    reader.listener.odd(ENCODING, "= is not followed by two hexadecimal digits");
                }
            }
        }
        if !decoded.is_empty() {
            reader.listener.data(&decoded);
        }
        if !decoded.is_empty()
            && let Some(file) = self.file(reader)
        {
            file.append(&decoded, reader.time);
        }
        self.decoded = decoded;
    }

    /// The file that the entity at hand is.
    fn file(&mut self, reader: &mut Reader<'_>) -> Option<&mut File> {
        let room = self.files.len() < MAX_ENTITIES;
        let entity = self.open.last_mut()?;
        let Kind::Leaf(slot) = &mut entity.kind else { return None };
        let index = match slot {
            Some(index) => *index,
            None if room => {
                let name = std::mem::take(&mut entity.name);
                let mut file =
                    File::open_entity(*reader.next_id, name, Direction::ToServer, reader.time, reader.files);
                file.depth = entity.number;
                *reader.next_id += 1;
                self.files.push(file);
                *slot = Some(self.files.len() - 1);
                self.files.len() - 1
            }
            None => return None,
        };
        self.files.get_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lines;
    use super::*;

    /// Fields of the mail, files, and all that was told.
    type Seen = (Vec<String>, Vec<(String, String, u64)>, Vec<String>);

    #[derive(Default)]
    struct Told(Vec<String>);

    impl Listener for Told {
        fn begin(&mut self) {
            self.0.push("begin".to_owned());
        }

        fn field(&mut self, depth: usize, name: &[u8], value: &[u8]) {
            let [name, value] = [name, value].map(String::from_utf8_lossy);
            self.0.push(format!("{depth} {name}={value}"));
        }

        fn header_end(&mut self) {
            self.0.push("header".to_owned());
        }

        fn data(&mut self, bytes: &[u8]) {
            let more = String::from_utf8_lossy(bytes).into_owned();
            match self.0.last_mut().filter(|last| last.starts_with(':')) {
                Some(last) => *last += &more,
                None => self.0.push(format!(":{more}")),
            }
        }

        fn end(&mut self) {
            self.0.push("end".to_owned());
        }
    }

    fn read(bytes: &[u8], piece: usize) -> Seen {
        let (mut entities, mut lines) = (Entities::default(), Lines::default());
        let (mut next_id, mut begun) = (0, 0);
        let mut told = Told::default();
        let mut reader = Reader {
            time: Timestamp(1),
            next_id: &mut next_id,
            begun: &mut begun,
            files: &FileSettings::default(),
            listener: &mut told,
        };
        for mut rest in bytes.chunks(piece) {
            while !rest.is_empty() {
                let (taken, line) = lines.next(rest);
                if let Some(line) = line {
                    entities.line(&line, true, &mut reader);
                }
                rest = &rest[taken..];
            }
        }
        entities.finish(FileState::Closed, &mut reader);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let files =
            entities.files.iter().map(|file| (text(&file.name), text(file.head()), file.depth)).collect();
        let is_field = |line: &&String| line.starts_with("1 ");
        let fields = told.0.iter().filter(is_field).map(|line| line[2..].to_owned()).collect();
        (fields, files, told.0)
    }

    #[test]
    fn entities_in_any_pieces() {
        let mail = b"Subject: a\r\n  b\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\npreamble\r\n\
            --x\r\n\r\n..un\r\ntwo\r\n--x\r\nContent-Type: message/rfc822\r\n\r\nFrom: c\r\n\r\nin\r\n\
            --x\r\nContent-Type: a/b; name=n\r\nContent-Transfer-Encoding: base64\r\n\r\naGVs\r\nbG8=\r\n\
            --x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=41=\r\nB\r\n--x--\r\nend\r\n";
        for piece in (1..20).chain([mail.len()]) {
            let (fields, files, told) = read(mail, piece);
            assert_eq!((fields.first(), fields.len()), (Some(&"Subject=a  b".to_owned()), 2), "{piece}");
            let file = |name: &str, text: &str, depth| (name.to_owned(), text.to_owned(), depth);
            let expected = [
                file("", ".un\r\ntwo", 2),
                file("", "in\r\n", 4),
                file("n", "hello", 5),
                file("", "AB\r\n", 6),
            ];
            assert_eq!(files, expected);
            let story = [
                "begin",
                "1 Subject=a  b",
                "1 Content-Type=multipart/mixed; boundary=x",
                "header",
                "begin",
                "header",
                ":.un\r\ntwo",
                "end",
                "begin",
                "2 Content-Type=message/rfc822",
                "header",
                "begin",
                "3 From=c",
                "header",
                ":in\r\n",
                "end",
                "end",
                "begin",
                "2 Content-Type=a/b; name=n",
                "2 Content-Transfer-Encoding=base64",
                "header",
                ":hello",
                "end",
                "begin",
                "2 Content-Transfer-Encoding=quoted-printable",
                "header",
                ":AB\r\n",
                "end",
                "end",
            ];
            assert_eq!(told, story, "{piece}");
        }
        let (fields, files, _) = read(b"A: b\n\nx\n", 3);
        assert_eq!((fields, files), (vec!["A=b".to_owned()], vec![(String::new(), "x\r\n".to_owned(), 1)]));
        assert_eq!(read(b"A: b\r\n", 3).1, []);
    }

    #[test]
    fn depth_is_bounded() {
        let mail = "Content-Type: message/rfc822\r\n\r\n".repeat(300);
        assert_eq!(read(mail.as_bytes(), 1000).1.len(), 0);
    }
}
