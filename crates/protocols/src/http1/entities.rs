//! The MIME entities of a body (RFC 2045, 2046): the files of Zeek's logs. A body is one
//! file, unless it is a message or a multipart; then each part that is neither is one.
//!
//! Bodies of several entities are read as Zeek does: by lines, which in parts end with CRLF alone; the line end
//! before a boundary belongs to the boundary. Limits: [`MAX_ENTITIES`] files of a body, [`MAX_DEPTH`] entities
//! within each other, [`MAX_LINE`] bytes of a line that wait for its end.

use weir_applayer::file::{FileSettings, HEAD_BYTES};
use weir_applayer::{File, FileState, Heard, HeardMessage};
use weir_base::{Direction, Timestamp};

use super::disposition::{ContentRange, parameter};
use super::length::content_length;
use super::octets::{head, run, strip_prefix, tail, trim};
use super::zeek::text;

/// Most files of a body.
const MAX_ENTITIES: usize = 1024;

/// Most entities within each other, the body itself counted.
const MAX_DEPTH: usize = 101;

/// Longest line that is waited for.
const MAX_LINE: usize = 256 << 10;

/// Longest header field of a part that is looked at.
const MAX_FIELD: usize = 8192;

/// Header fields of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Description {
    /// The type of a part.
    pub content_type: Vec<u8>,
    /// Its name.
    pub name: Vec<u8>,
    /// Its length.
    pub length: Option<u64>,
    /// Where it begins in a whole of which it is a part, and the size of that.
    pub place: Option<(u64, Option<u64>)>,
    /// Length of the part by its range.
    pub range: Option<u64>,
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
            self.name = text::type_name(value).unwrap_or(std::mem::take(&mut self.name));
        } else if let Some(value) = value(b"content-disposition") {
            self.name = text::disposition_name(value).unwrap_or(std::mem::take(&mut self.name));
        } else if let Some(value) = value(b"content-length") {
            self.length = content_length(value).map(|length| length.value);
        } else if let Some(value) = value(b"content-range") {
            let part = ContentRange::part(value);
            self.place = part.map(|(start, _, size)| (start, size));
            self.range = part.map(|(_, length, _)| length);
        }
    }

    /// The length that it is said to have.
    fn told_length(&self) -> Option<u64> {
        self.length.max(self.range)
    }
}

/// Whether a body of this type is made of entities.
pub(super) fn holds_entities(content_type: &[u8]) -> bool {
    !matches!(Kind::of(content_type), Kind::Leaf(_))
}

/// Ways to read the lines of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lines {
    /// Not at all, unless it is made of entities.
    Whole,
    /// One by one.
    Each,
    /// One by one where it is made of entities, whose compression leaves the ends of the lines out.
    Packed,
}

impl Lines {
    /// That of a body that is read by line, or compressed.
    pub(super) const fn of(by_line: bool, packed: bool) -> Self {
        match (by_line, packed) {
            (_, true) => Self::Packed,
            (true, false) => Self::Each,
            (false, false) => Self::Whole,
        }
    }
}

/// Kinds of what scripts hear of entities within a body.
pub(super) mod heard {
    /// One begins.
    pub const BEGIN: u8 = 0;
    /// A line of its header.
    pub const FIELD: u8 = 1;
    /// Its header is over.
    pub const HEADER: u8 = 2;
    /// Its content.
    pub const CONTENT: u8 = 3;
    /// It is over.
    pub const END: u8 = 4;
}

/// State of an entity.
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

impl Kind {
    /// That of an entity of this type.
    fn of(content_type: &[u8]) -> Self {
        if strip_prefix(content_type, b"message/").is_some() {
            return Self::Message;
        }
        let boundary = strip_prefix(content_type, b"multipart/")
            .and_then(|_| parameter(content_type, b"boundary"))
            .filter(|boundary| !boundary.is_empty());
        boundary.map_or(Self::Leaf(None), Self::Multipart)
    }
}

#[derive(Debug)]
struct Entity {
    /// Its number among those of the message.
    number: u64,
    kind: Kind,
    description: Description,
    /// The last boundary went by, or all of its length.
    done: bool,
}

/// The entities of one body.
///
/// Its many fields are the state of one machine over the bytes of a body, which all change together.
#[derive(Debug)]
pub(super) struct Entities {
    direction: Direction,
    /// The files so far.
    pub files: Vec<File>,
    /// From the body down to the entity that the next line belongs to.
    open: Vec<Entity>,
    /// Entities begun, with the body itself.
    begun: u64,
    /// Settings of the files.
    settings: FileSettings,
    /// Entities within the body as scripts hear of them, where they do.
    parts: Option<Heard>,
    /// The body is read line by line, and each line's end counts as two bytes, whatever it is.
    by_line: bool,
    /// Bytes that stand for the end of a line.
    line_end: &'static [u8],
    /// A line without its end yet.
    line: Vec<u8>,
    /// The line before ended with CR: an LF belongs to it.
    after_cr: bool,
    /// The line before ended, which belongs to what follows: to a boundary or to more content.
    line_ended: bool,
    /// Bytes left of a part whose length was given.
    left: u64,
    /// Bytes so far, and those that were not seen.
    pub length: u64,
    /// When the newest of them was captured: what waited for it counts as of then.
    latest: Timestamp,
    /// So many entities within each other were there that one was left out.
    pub too_deep: bool,
    /// A part has a field that only bodies can have, since then.
    pub nested_coding: Option<Timestamp>,
    /// A header of a part has a line without its end, since then.
    pub bare_line: Option<Timestamp>,
}

impl Entities {
    /// For a body of a type, with these header fields; a body that is one file may be read by line as well.
    pub(super) fn new(
        direction: Direction,
        content_type: &[u8],
        description: Description,
        lines: Lines,
        settings: &FileSettings,
    ) -> Self {
        let kind = Kind::of(content_type);
        let nests = !matches!(kind, Kind::Leaf(_));
        let by_line = lines == Lines::Each || nests;
        let mut entities = Self {
            direction,
            files: Vec::new(),
            open: vec![Entity { number: 1, kind, description, done: false }],
            begun: 1,
            settings: settings.of_entity(),
            parts: (settings.messages && nests).then(Heard::default),
            by_line,
            line_end: if lines == Lines::Packed && nests { b"" } else { b"\r\n" },
            line: Vec::new(),
            after_cr: false,
            line_ended: false,
            left: 0,
            length: 0,
            latest: Timestamp::default(),
            too_deep: false,
            nested_coding: None,
            bare_line: None,
        };
        if matches!(entities.open.first(), Some(Entity { kind: Kind::Message, .. })) {
            entities.descend();
        }
        entities
    }

    /// Takes what scripts hear of entities within the body; none where the body is one entity.
    pub(super) fn take_parts(&self) -> Option<Vec<HeardMessage>> {
        self.parts.as_ref().map(Heard::take)
    }

    /// Keeps what scripts hear.
    fn tell(&mut self, kind: u8, bytes: &[u8]) {
        let (direction, time) = (self.direction, self.latest);
        if let Some(parts) = &mut self.parts {
            parts.note(true, direction, time, kind, bytes);
        }
    }

    /// Bytes of memory that they take.
    pub(super) fn memory(&self) -> usize {
        let heads = self.length.min((self.files.len() * HEAD_BYTES) as u64) as usize;
        let waiting = self.files.last().map_or(0, File::awaiting);
        size_of::<Self>() + self.files.capacity() * size_of::<File>() + heads + waiting + self.line.capacity()
    }

    /// The body goes on; `when` tells when a byte was captured, `next_id` numbers the flow's files.
    pub(super) fn push(&mut self, bytes: &[u8], when: &dyn Fn(usize) -> Timestamp, next_id: &mut u64) {
        if !self.by_line {
            self.length += bytes.len() as u64;
            return self.content(bytes, when(0), when(bytes.len().saturating_sub(1)), next_id);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = |index: usize| when(bytes.len() - rest.len() + index);
            if std::mem::take(&mut self.after_cr) && rest.first() == Some(&b'\n') {
                rest = tail(rest, 1);
            } else if self.left > 0 {
                let length = usize::try_from(self.left).unwrap_or(usize::MAX).min(rest.len());
                self.left -= length as u64;
                self.length += length as u64;
                self.content(head(rest, length), at(0), at(length - 1), next_id);
                self.end_of_part();
                rest = tail(rest, length);
            } else {
                let Some((length, end)) = self.line_end(rest) else {
                    self.line.extend_from_slice(rest);
                    return self.bound(at(rest.len() - 1), next_id);
                };
                self.after_cr = rest.get(length - 1) == Some(&b'\r');
                let time = at(length - 1);
                if self.line.is_empty() {
                    self.line(head(rest, length - end), time, next_id);
                } else {
                    let mut line = std::mem::take(&mut self.line);
                    line.extend_from_slice(head(rest, length));
                    line.truncate(line.len() - end);
                    self.line(&line, time, next_id);
                }
                rest = tail(rest, length);
            }
        }
    }

    /// Where the line at hand ends within `rest`, and how many bytes of it are its end.
    fn line_end(&self, rest: &[u8]) -> Option<(usize, usize)> {
        if !self.is_in_part() {
            let position = memchr::memchr2(b'\r', b'\n', rest)?;
            let pair = rest.get(position..).is_some_and(|end| end.starts_with(b"\r\n"));
            return Some(if pair { (position + 2, 2) } else { (position + 1, 1) });
        }
        let after_cr = |position: usize| match position.checked_sub(1) {
            Some(before) => rest.get(before) == Some(&b'\r'),
            None => self.line.last() == Some(&b'\r'),
        };
        memchr::memchr_iter(b'\n', rest)
            .find(|&position| after_cr(position))
            .map(|position| (position + 1, 2))
    }

    /// Whether the line at hand is content of a part, where CRLF alone ends lines.
    fn is_in_part(&self) -> bool {
        self.open.windows(2).any(|pair| {
            matches!(pair, [Entity { kind: Kind::Multipart(_), .. }, Entity { kind, done: false, .. }]
                if !matches!(kind, Kind::Header))
        })
    }

    /// Takes a line that is too long to wait for its end for one that ended.
    fn bound(&mut self, time: Timestamp, next_id: &mut u64) {
        if self.line.len() > MAX_LINE {
            let line = std::mem::take(&mut self.line);
            self.line(&line, time, next_id);
        }
    }

    /// `length` bytes of the body were not seen.
    pub(super) fn gap(&mut self, length: u64, time: Timestamp, next_id: &mut u64) {
        self.length += length;
        self.lose(length.min(if self.left > 0 { self.left } else { length }), time, next_id);
        self.left = self.left.saturating_sub(length);
    }

    /// Bytes of the file at hand will never come.
    pub(super) fn lose(&mut self, length: u64, time: Timestamp, next_id: &mut u64) {
        self.latest = self.latest.max(time);
        if let Some(file) = self.file(time, next_id) {
            file.gap(length);
            file.last_seen = file.last_seen.max(time);
        }
    }

    /// The body is over.
    pub(super) fn finish(&mut self, state: FileState, time: Timestamp, next_id: &mut u64) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() && state == FileState::Closed {
            self.line(&line, time, next_id);
        }
        for file in &mut self.files {
            file.close(state);
        }
        self.latest = self.latest.max(time);
        self.end_below(0);
        self.open.clear();
    }

    /// The outermost entity whose boundary a line is, and whether it is its last one.
    fn boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        let text = line.strip_prefix(b"--")?;
        self.open.iter().enumerate().find_map(|(depth, entity)| match &entity.kind {
            Kind::Multipart(boundary) if !entity.done => {
                let rest = text.strip_prefix(&boundary[..])?;
                Some((depth, rest.starts_with(b"--")))
            }
            _ => None,
        })
    }

    fn line(&mut self, line: &[u8], time: Timestamp, next_id: &mut u64) {
        self.length += (line.len() + self.line_end.len()) as u64;
        if self.parts.is_some() {
            self.latest = self.latest.max(time);
        }
        if let Some((depth, is_last)) = self.boundary(line) {
            self.end_below(depth);
            self.line_ended = false;
            if let Some(entity) = self.open.last_mut() {
                entity.done = is_last;
            }
            if !is_last {
                self.descend();
            }
            return;
        }
        if self.line_end.is_empty() && matches!(self.open.last(), Some(Entity { kind: Kind::Header, .. })) {
            self.bare_line.get_or_insert(time);
        }
        let within_multipart =
            matches!(self.open.as_slice(), [.., Entity { kind: Kind::Multipart(_), .. }, _]);
        let Some(entity) = self.open.last_mut() else { return };
        match entity.kind {
            Kind::Header if matches!(line, [] | [0, ..]) => {
                entity.kind = Kind::of(&entity.description.content_type);
                self.left = match entity.kind {
                    Kind::Leaf(_) => entity.description.told_length().unwrap_or_default(),
                    _ => 0,
                };
                let descends = matches!(entity.kind, Kind::Message);
                self.tell(heard::HEADER, b"");
                if descends {
                    self.descend();
                }
            }
            Kind::Header => {
                let line = head(line, MAX_FIELD);
                if strip_prefix(line, b"transfer-encoding:").is_some() {
                    self.nested_coding.get_or_insert(time);
                }
                entity.description.field(line);
                self.tell(heard::FIELD, line);
            }
            Kind::Leaf(_) if within_multipart => {
                if std::mem::replace(&mut self.line_ended, true) {
                    self.content(self.line_end, time, time, next_id);
                }
                self.content(line, time, time, next_id);
            }
            Kind::Leaf(_) => {
                self.content(line, time, time, next_id);
                self.content(self.line_end, time, time, next_id);
            }
            // Before the first boundary or behind the last one.
            Kind::Multipart(_) | Kind::Message => {}
        }
    }

    /// The entities within the one at a depth are over.
    fn end_below(&mut self, depth: usize) {
        let mut ended = 0_usize;
        for entity in self.open.drain((depth + 1).min(self.open.len())..) {
            if let Kind::Leaf(Some(index)) = entity.kind
                && let Some(file) = self.files.get_mut(index)
            {
                file.ends_early = true;
            }
            ended += 1;
        }
        (0..ended).for_each(|_| self.tell(heard::END, b""));
    }

    fn descend(&mut self) {
        if self.open.len() >= MAX_DEPTH {
            self.too_deep = true;
            return;
        }
        self.begun += 1;
        let (kind, description) = (Kind::Header, Description::default());
        self.open.push(Entity { number: self.begun, kind, description, done: false });
        self.tell(heard::BEGIN, b"");
    }

    /// Whether a part whose length was given is over.
    fn end_of_part(&mut self) {
        if self.left == 0
            && let Some(entity) = self.open.last_mut()
        {
            entity.done = true;
        }
    }

    fn content(&mut self, bytes: &[u8], time: Timestamp, until: Timestamp, next_id: &mut u64) {
        if bytes.is_empty() {
            return;
        }
        let (time, until) = (time.max(self.latest), until.max(self.latest));
        self.latest = until;
        if self.open.last().is_some_and(|entity| matches!(entity.kind, Kind::Leaf(_)) && !entity.done) {
            self.tell(heard::CONTENT, bytes);
        }
        if let Some(file) = self.file(time, next_id) {
            file.append(bytes, time);
            file.last_seen = file.last_seen.max(until);
        }
    }

    /// The file that the entity at hand is.
    fn file(&mut self, time: Timestamp, next_id: &mut u64) -> Option<&mut File> {
        let room = self.files.len() < MAX_ENTITIES;
        let entity = self.open.last_mut().filter(|entity| !entity.done)?;
        let Kind::Leaf(slot) = &mut entity.kind else { return None };
        let index = match slot {
            Some(index) => *index,
            None if room => {
                let name = std::mem::take(&mut entity.description.name);
                let mut file = File::open_for_all(*next_id, name, self.direction, time, &self.settings);
                *next_id += 1;
                file.entity = entity.number;
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
        let content_type = content_type.as_bytes();
        let description = Description::default();
        let settings = FileSettings { hash_entities: true, ..FileSettings::default() };
        let mut entities =
            Entities::new(Direction::ToServer, content_type, description, Lines::Whole, &settings);
        let mut next = 0;
        for bytes in body.chunks(piece) {
            entities.push(bytes, &|_| Timestamp(1), &mut next);
        }
        entities.finish(FileState::Closed, Timestamp(1), &mut next);
        let text = |file: &File| String::from_utf8(file.head().to_vec()).unwrap();
        entities.files.iter().map(|file| (text(file), file.size, file.announced)).collect()
    }

    #[test]
    fn parts_in_any_pieces() {
        let form = b"preamble\r\n--x\r\nContent-Disposition: form-data; name=a\r\n\r\ntest\r\n\
            --x and more\r\n\r\nun\ntwo\n--x\n\r\n--x--\r\nepilogue";
        let message = b"Subject: a\r\nContent-Length: 9\r\n\r\nun\ntwo\n";
        let nested = b"Content-Type: multipart/mixed; boundary=\"y\"\r\n\r\n--y\r\n\r\na\r\n--x\r\n--y\r\n\
            Content-Type: message/rfc822\r\n\r\nA: b\r\n\r\nc\r\n--y--\r\n";
        for piece in 1..form.len() {
            let found = files("multipart/form-data; boundary=x", form, piece);
            assert_eq!(found, [("test".into(), 4, None), ("un\ntwo\n--x\n".into(), 11, None)], "{piece}");
            assert_eq!(files("message/rfc822", message, piece), [("un\ntwo\n".into(), 7, Some(9))]);
            let found = files("message/rfc822", nested, piece);
            assert_eq!(found, [("a\r\n--x".into(), 6, None), ("c\r\n".into(), 3, None)]);
            assert_eq!(files("text/plain", b"a\nb", piece), [("a\nb".into(), 3, None)]);
            assert_eq!(files("multipart/mixed", b"a\nb", piece), [("a\nb".into(), 3, None)]);
        }
    }

    #[test]
    fn line_ends_count_as_two_bytes() {
        let (whole, each, packed) = (Lines::Whole, Lines::Each, Lines::Packed);
        let cases: [(&str, Lines, &[u8], u64, &str); 6] = [
            ("text/plain", whole, b"a\nb", 3, "a\nb"),
            ("text/plain", each, b"a\nb\r\n\rc", 11, "a\r\nb\r\n\r\nc\r\n"),
            ("message/rfc822", whole, b"A: b\n\nc", 11, "c\r\n"),
            ("multipart/mixed; boundary=x", whole, b"--x\n\na\nb\r\n--x--", 19, "a\nb"),
            ("text/plain", packed, b"a\nb", 3, "a\nb"),
            ("message/rfc822", packed, b"A: b\n\nc\nd", 6, "cd"),
        ];
        for (content_type, lines, body, length, content) in cases {
            for piece in 1..=body.len() {
                let description = Description::default();
                let of_type = content_type.as_bytes();
                let settings = FileSettings::default();
                let mut entities = Entities::new(Direction::ToServer, of_type, description, lines, &settings);
                let mut next = 0;
                body.chunks(piece).for_each(|bytes| entities.push(bytes, &|_| Timestamp(1), &mut next));
                entities.finish(FileState::Closed, Timestamp(1), &mut next);
                assert_eq!(entities.length, length, "{content_type} {piece}");
                let is_bare = lines == packed && content_type.starts_with("message");
                assert_eq!(entities.bare_line.is_some(), is_bare, "{content_type}");
                assert_eq!(entities.files[0].head(), content.as_bytes(), "{content_type} {piece}");
            }
        }
    }

    #[test]
    fn depth_is_bounded() {
        let mut body = Vec::new();
        for depth in 0..200 {
            let lines = format!(
                "Content-Type: multipart/mixed; boundary=b{depth:03}\n\n--b{depth:03}\n\npart\n--b{depth:03}\n\
                 Content-Type: message/rfc822\n\n"
            );
            body.extend_from_slice(lines.replace('\n', "\r\n").as_bytes());
        }
        assert_eq!(files("message/rfc822", &body, 1000).len(), 50);
    }
}
