//! The MIME entities of a body (RFC 2045, 2046): the files that Zeek's logs tell of. A body is one
//! file, unless it is a message or a multipart; then each part that is neither is one.
//!
//! The line end before a boundary belongs to the boundary. Limits: [`MAX_ENTITIES`]
//! files of a body, [`MAX_DEPTH`] entities within each other, [`MAX_LINE`] bytes of a line that wait
//! for its end.

use weir_applayer::file::FileSettings;
use weir_applayer::{File, FileState};
use weir_base::{Direction, Timestamp};

use super::disposition::parameter;
use super::length::content_length;
use super::octets::{chomp, head, run, strip_prefix, tail, trim};

/// Most files of a body.
const MAX_ENTITIES: usize = 1024;

/// Most entities within each other, the body itself counted.
const MAX_DEPTH: usize = 101;

/// Longest line that is waited for, and longest header field of a part that is kept.
const MAX_LINE: usize = 8192;

/// What of a file's header fields counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Description {
    /// Its type.
    pub content_type: Vec<u8>,
    /// Its name.
    pub name: Vec<u8>,
    /// Its length.
    pub length: Option<u64>,
    /// Where it begins in a whole of which it is a part, and the size of that.
    pub place: Option<(u64, Option<u64>)>,
}

impl Description {
    /// Takes in a header field of a part.
    fn field(&mut self, line: &[u8]) {
        let value = |name: &[u8]| {
            let rest = strip_prefix(line, name)?;
            tail(rest, run(rest, |byte| byte == b' ' || byte == b'\t')).strip_prefix(b":").map(trim)
        };
        if let Some(value) = value(b"content-type") {
            self.content_type = value.to_vec();
        } else if let Some(value) = value(b"content-disposition") {
            self.name = parameter(value, b"filename").unwrap_or_default();
        } else if let Some(value) = value(b"content-length") {
            self.length = content_length(value).map(|length| length.value);
        } else if let Some(value) = value(b"content-range") {
            self.place = super::disposition::ContentRange::parse(value)
                .filter(|range| range.is_part())
                .and_then(|range| Some((range.start?, range.size)));
        }
    }

    fn kind(&self) -> Kind {
        if strip_prefix(&self.content_type, b"message/").is_some() {
            return Kind::Message;
        }
        let boundary = strip_prefix(&self.content_type, b"multipart/")
            .and_then(|_| parameter(&self.content_type, b"boundary"))
            .filter(|boundary| !boundary.is_empty());
        boundary.map_or(Kind::Leaf(None), Kind::Multipart)
    }
}

/// Whether a body of this type is made of entities.
pub(super) fn holds_entities(content_type: &[u8]) -> bool {
    let description = Description { content_type: content_type.to_vec(), ..Description::default() };
    !matches!(description.kind(), Kind::Leaf(_))
}

/// What an entity is.
#[derive(Debug)]
enum Kind {
    /// Its header fields are being read.
    Header,
    /// Parts between lines that start with two dashes and this.
    Multipart(Vec<u8>),
    /// Another entity.
    Message,
    /// A file, by its place once its first byte was seen.
    Leaf(Option<usize>),
}

#[derive(Debug)]
struct Entity {
    kind: Kind,
    description: Description,
    /// The last boundary went by.
    done: bool,
}

/// The entities of one body.
#[derive(Debug)]
pub(super) struct Entities {
    direction: Direction,
    /// The files so far.
    pub files: Vec<File>,
    /// From the body down to the entity that the next line belongs to.
    open: Vec<Entity>,
    /// Lines are looked at: there may be boundaries or header fields.
    by_line: bool,
    /// A line without its end yet.
    line: Vec<u8>,
    /// The line end before, which may belong to a boundary.
    line_end: &'static [u8],
    /// The line at hand is no boundary, and content up to here.
    within_line: bool,
    /// So many entities within each other were there that one was left out.
    pub too_deep: bool,
}

impl Entities {
    /// For a body with these header fields.
    pub(super) fn new(direction: Direction, description: Description) -> Self {
        let kind = description.kind();
        let by_line = !matches!(kind, Kind::Leaf(_));
        let mut entities = Self {
            direction,
            files: Vec::new(),
            open: vec![Entity { kind, description, done: false }],
            by_line,
            line: Vec::new(),
            line_end: b"",
            within_line: false,
            too_deep: false,
        };
        if matches!(entities.open.first(), Some(Entity { kind: Kind::Message, .. })) {
            entities.descend();
        }
        entities
    }

    /// The body goes on; `next_id` numbers the flow's files.
    pub(super) fn push(&mut self, bytes: &[u8], time: Timestamp, until: Timestamp, next_id: &mut u64) {
        if !self.by_line {
            return self.content(bytes, time, until, next_id);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.is_plain() {
                return self.content(rest, until, until, next_id);
            }
            let Some(end) = memchr::memchr(b'\n', rest) else {
                self.line.extend_from_slice(rest);
                return self.line_so_far(until, next_id);
            };
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(head(rest, end + 1));
            rest = tail(rest, end + 1);
            self.line(&line, until, next_id);
        }
    }

    /// Hands on what there is of a line that is no boundary.
    fn line_so_far(&mut self, time: Timestamp, next_id: &mut u64) {
        let is_leaf = matches!(self.open.last(), Some(Entity { kind: Kind::Leaf(_), .. }));
        let is_content = is_leaf && (self.within_line || !self.line.starts_with(b"-"));
        if !is_content && self.line.len() <= MAX_LINE {
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        // Perhaps the first half of a line end.
        if line.last() == Some(&b'\r') {
            line.pop();
            self.line.push(b'\r');
        }
        if line.is_empty() {
            return;
        }
        self.within_line = true;
        let before = std::mem::take(&mut self.line_end);
        self.content(before, time, time, next_id);
        self.content(&line, time, time, next_id);
    }

    /// `length` bytes of the body were not seen.
    pub(super) fn gap(&mut self, length: u64, time: Timestamp, next_id: &mut u64) {
        if self.by_line && !self.is_plain() {
            return;
        }
        if let Some(file) = self.file(time, next_id) {
            file.gap(length);
        }
    }

    /// The body is over.
    pub(super) fn finish(&mut self, state: FileState, time: Timestamp, next_id: &mut u64) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() && !self.is_boundary(chomp(&line)) {
            self.line(&line, time, next_id);
        }
        for file in &mut self.files {
            file.close(state);
        }
        self.open.clear();
    }

    /// Whether what follows belongs to one file, whatever its lines are.
    fn is_plain(&self) -> bool {
        let has_boundary = self.open.iter().any(|entity| matches!(entity.kind, Kind::Multipart(_)));
        !has_boundary && matches!(self.open.last(), Some(Entity { kind: Kind::Leaf(_), .. }))
    }

    /// The outermost entity whose boundary a line is, and whether it is its last one.
    fn boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        let text = line.strip_prefix(b"--")?;
        self.open.iter().enumerate().find_map(|(depth, entity)| match &entity.kind {
            Kind::Multipart(boundary) if !entity.done => {
                let rest = text.strip_prefix(&boundary[..])?;
                let is_last = rest.starts_with(b"--");
                (is_last || trim(rest).is_empty()).then_some((depth, is_last))
            }
            _ => None,
        })
    }

    fn is_boundary(&self, line: &[u8]) -> bool {
        self.boundary(line).is_some()
    }

    fn line(&mut self, line: &[u8], time: Timestamp, next_id: &mut u64) {
        let line_end: &'static [u8] = match line {
            [.., b'\r', b'\n'] => b"\r\n",
            [.., b'\n'] => b"\n",
            _ => b"",
        };
        let line = head(line, line.len() - line_end.len());
        if std::mem::take(&mut self.within_line) {
            self.content(line, time, time, next_id);
            self.line_end = line_end;
            return;
        }
        if let Some((depth, is_last)) = self.boundary(line) {
            self.open.truncate(depth + 1);
            self.line_end = b"";
            if let Some(entity) = self.open.last_mut() {
                entity.done = is_last;
            }
            if !is_last {
                self.descend();
            }
            return;
        }
        let Some(entity) = self.open.last_mut() else { return };
        match entity.kind {
            Kind::Header if line.is_empty() => {
                entity.kind = entity.description.kind();
                if matches!(entity.kind, Kind::Message) {
                    self.descend();
                }
            }
            Kind::Header => entity.description.field(head(line, MAX_LINE)),
            Kind::Leaf(_) => {
                let before = std::mem::replace(&mut self.line_end, line_end);
                self.content(before, time, time, next_id);
                self.content(line, time, time, next_id);
            }
            // Before the first boundary or behind the last one.
            Kind::Multipart(_) | Kind::Message => {}
        }
    }

    fn descend(&mut self) {
        if self.open.len() >= MAX_DEPTH {
            self.too_deep = true;
            return;
        }
        self.open.push(Entity { kind: Kind::Header, description: Description::default(), done: false });
    }

    fn content(&mut self, bytes: &[u8], time: Timestamp, until: Timestamp, next_id: &mut u64) {
        if bytes.is_empty() {
            return;
        }
        if let Some(file) = self.file(time, next_id) {
            file.append(bytes, time);
            file.last_seen = file.last_seen.max(until);
        }
    }

    /// The file that the entity at hand is.
    fn file(&mut self, time: Timestamp, next_id: &mut u64) -> Option<&mut File> {
        let room = self.files.len() < MAX_ENTITIES;
        let entity = self.open.last_mut()?;
        let Kind::Leaf(slot) = &mut entity.kind else { return None };
        let index = match slot {
            Some(index) => *index,
            None if room => {
                let name = std::mem::take(&mut entity.description.name);
                let settings = FileSettings { content: false, magic: true, ..FileSettings::default() };
                let mut file = File::open(*next_id, name, self.direction, time, &settings);
                *next_id += 1;
                file.announced = entity.description.length;
                if let Some((start, size)) = entity.description.place {
                    file.start = Some(start);
                    file.announced = size;
                }
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
    use super::*;

    fn files(content_type: &str, body: &[u8], piece: usize) -> Vec<(String, u64, Option<u64>)> {
        let description = Description { content_type: content_type.into(), ..Description::default() };
        let mut entities = Entities::new(Direction::ToServer, description);
        let mut next = 0;
        for bytes in body.chunks(piece) {
            entities.push(bytes, Timestamp(1), Timestamp(1), &mut next);
        }
        entities.finish(FileState::Closed, Timestamp(1), &mut next);
        let text = |file: &File| String::from_utf8(file.head().to_vec()).unwrap();
        entities.files.iter().map(|file| (text(file), file.size, file.announced)).collect()
    }

    #[test]
    fn parts_in_any_pieces() {
        let form = b"preamble\r\n--x\r\nContent-Disposition: form-data; name=a\r\n\r\ntest\r\n\
            --x\n\nun\ntwo\n\n--x--\r\nepilogue";
        let message = b"Subject: a\r\nContent-Length: 9\r\n\r\nun\ntwo\n";
        let nested = b"Content-Type: multipart/mixed; boundary=\"y\"\r\n\r\n--y\r\n\r\na\r\n--x\r\n--y\r\n\
            Content-Type: message/rfc822\r\n\r\nA: b\r\n\r\nc\r\n--y--\r\n";
        for piece in 1..form.len() {
            let found = files("multipart/form-data; boundary=x", form, piece);
            assert_eq!(found, [("test".into(), 4, None), ("un\ntwo\n".into(), 7, None)], "{piece}");
            assert_eq!(files("message/rfc822", message, piece), [("un\ntwo\n".into(), 7, Some(9))]);
            let found = files("message/rfc822", nested, piece);
            assert_eq!(found, [("a\r\n--x".into(), 6, None), ("c".into(), 1, None)]);
            assert_eq!(files("text/plain", b"a\nb", piece), [("a\nb".into(), 3, None)]);
            assert_eq!(files("multipart/mixed", b"a\nb", piece), [("a\nb".into(), 3, None)]);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let mut body = Vec::new();
        for depth in 0..200 {
            body.extend_from_slice(
                format!("Content-Type: multipart/mixed; boundary=b{depth}\n\n--b{depth}\n\npart\n--b{depth}\nContent-Type: message/rfc822\n\n")
                    .as_bytes(),
            );
        }
        assert_eq!(files("message/rfc822", &body, 1000).len(), 50);
    }
}
