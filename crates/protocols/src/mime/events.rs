//! Events of mails for scripts: their entities, with header fields and content, and digests of all content.

use md5::{Digest, Md5};
use sha2::Sha256;
use weir_applayer::FileState;
use weir_applayer::file::FileSettings;
use weir_applayer::zeek::EventSink;
use weir_base::{EventValue, Timestamp};

use super::entities::{Entities, Listener, Reader};
use super::lines::Line;

/// Makes the names of the events of a protocol that carries mail: its own, and behind them those of mails.
macro_rules! names_with_mail {
    ($($name:literal),*) => {
        &[
            $($name,)*
            "mime_begin_entity",
            "mime_one_header",
            "mime_all_headers",
            "mime_segment_data",
            "mime_entity_data",
            "mime_end_entity",
            "mime_all_data",
            "mime_content_hash",
            "mime_content_hash_sha256",
            "mime_event",
        ]
    };
}

pub(crate) use names_with_mail;

/// Names of the events of mails, in the order of [`Place`].
pub const NAMES: &[&str] = names_with_mail!();

#[derive(Clone, Copy)]
enum Place {
    Begin,
    OneHeader,
    AllHeaders,
    Segment,
    EntityData,
    End,
    AllData,
    Md5,
    Sha256,
    Odd,
}

/// Most bytes that are kept of an entity, and of a mail; what follows is left out and counted.
const MAX_KEPT: usize = 16 << 20;

/// Most fields of an entity that are told together, and most bytes of them.
const MAX_FIELDS: usize = 1024;
const MAX_FIELD_BYTES: usize = 1 << 20;

/// Bytes of a segment where scripts set none, and most of them.
const SEGMENT: u64 = 1024;
const MAX_SEGMENT: u64 = 1 << 20;

/// Raises the events of one mail.
#[derive(Debug)]
pub struct MailRaiser {
    entities: Entities,
    begun: u64,
    next_id: u64,
    told: Told,
}

/// The part of a mail that was told so far.
#[derive(Debug)]
struct Told {
    /// Where the events of mails begin among those of the protocol.
    base: usize,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    field_bytes: usize,
    /// Bytes of the segment at hand, with those that it shares with the one before.
    segment: Vec<u8>,
    shared: usize,
    entity: Vec<u8>,
    all: Vec<u8>,
    hashed: u64,
    md5: Md5,
    sha256: Sha256,
}

impl MailRaiser {
    /// No line came; `base` is where the events of mails begin among those of the protocol.
    pub fn new(base: usize) -> Self {
        let told = Told {
            base,
            fields: Vec::new(),
            field_bytes: 0,
            segment: Vec::new(),
            shared: 0,
            entity: Vec::new(),
            all: Vec::new(),
            hashed: 0,
            md5: Md5::new(),
            sha256: Sha256::new(),
        };
        Self { entities: Entities::default(), begun: 0, next_id: 0, told }
    }

    /// Whether scripts handle any of the events.
    pub fn is_wanted(base: usize, sink: &dyn EventSink) -> bool {
        (base..base + NAMES.len()).any(|event| sink.wants(event))
    }

    /// The next line, or fragment of one; `stuffed`: a dot at its beginning was doubled.
    pub fn line(&mut self, line: &Line<'_>, stuffed: bool, sink: &mut dyn EventSink) {
        self.read(sink, |entities, reader| entities.line(line, stuffed, reader));
    }

    /// The mail is over.
    pub fn finish(mut self, sink: &mut dyn EventSink) {
        self.read(sink, |entities, reader| {
            entities.begin(reader);
            entities.finish(FileState::Closed, reader);
        });
        self.told.finish(sink);
    }

    fn read(&mut self, sink: &mut dyn EventSink, act: impl FnOnce(&mut Entities, &mut Reader<'_>)) {
        let mut listener = Raising { told: &mut self.told, sink };
        act(
            &mut self.entities,
            &mut Reader {
                time: Timestamp::default(),
                next_id: &mut self.next_id,
                begun: &mut self.begun,
                files: &FileSettings::default(),
                listener: &mut listener,
            },
        );
    }
}

impl Told {
    const fn place(&self, place: Place) -> usize {
        self.base + place as usize
    }

    fn finish(self, sink: &mut dyn EventSink) {
        let c = EventValue::Connection;
        if sink.wants(self.place(Place::AllData)) {
            let data = [c, self.all.len().into(), EventValue::String(&self.all)];
            sink.raise(self.place(Place::AllData), &data);
        }
        if self.hashed > 0 {
            let (md5, sha256) = (self.place(Place::Md5), self.place(Place::Sha256));
            sink.raise(md5, &[c, self.hashed.into(), EventValue::String(&self.md5.finalize())]);
            sink.raise(sha256, &[c, self.hashed.into(), EventValue::String(&self.sha256.finalize())]);
        }
    }
}

/// The events on their way.
struct Raising<'a> {
    told: &'a mut Told,
    sink: &'a mut dyn EventSink,
}

impl Raising<'_> {
    fn wants(&self, place: Place) -> bool {
        self.sink.wants(self.told.place(place))
    }

    fn raise(&mut self, place: Place, rest: &[EventValue<'_>]) {
        let event = self.told.place(place);
        if self.sink.wants(event) {
            self.sink.raise(event, &[&[EventValue::Connection], rest].concat());
        }
    }

    /// Tells what was gathered of a segment; of it `shared` bytes are the beginning of the next one.
    fn end_segment(&mut self, shared: usize) {
        if self.told.segment.len() <= self.told.shared {
            return;
        }
        let mut segment = std::mem::take(&mut self.told.segment);
        self.raise(Place::Segment, &[segment.len().into(), EventValue::String(&segment)]);
        segment.drain(..segment.len().saturating_sub(shared));
        self.told.shared = segment.len();
        self.told.segment = segment;
    }

    fn segments(&mut self, mut bytes: &[u8]) {
        let number = |setting| self.sink.count(setting);
        let length = number("mime_segment_length").unwrap_or(SEGMENT).clamp(1, MAX_SEGMENT) as usize;
        let shared = number("mime_segment_overlap_length").unwrap_or(0).min(length as u64 - 1) as usize;
        while !bytes.is_empty() {
            let room = length.saturating_sub(self.told.segment.len()).clamp(1, bytes.len());
            let Some((now, later)) = bytes.split_at_checked(room) else { return };
            self.told.segment.extend_from_slice(now);
            bytes = later;
            if self.told.segment.len() >= length {
                self.end_segment(shared);
            }
        }
    }
}

/// Adds bytes as far as there is room; false where some were left out.
fn keep(kept: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let room = MAX_KEPT.saturating_sub(kept.len());
    kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    bytes.len() <= room
}

impl Listener for Raising<'_> {
    fn begin(&mut self) {
        self.told.fields.clear();
        self.told.field_bytes = 0;
        self.raise(Place::Begin, &[]);
    }

    fn field(&mut self, _depth: usize, name: &[u8], value: &[u8]) {
        let upper = name.to_ascii_uppercase();
        let parts = [name, &upper, value].map(EventValue::String);
        self.raise(Place::OneHeader, &[EventValue::Record(&parts)]);
        let bytes = self.told.field_bytes + name.len() + value.len();
        if !self.wants(Place::AllHeaders) {
            return;
        }
        if self.told.fields.len() < MAX_FIELDS && bytes <= MAX_FIELD_BYTES {
            self.told.field_bytes = bytes;
            self.told.fields.push((name.to_vec(), value.to_vec()));
        } else {
            self.sink.left_out();
        }
    }

    fn header_end(&mut self) {
        let fields = std::mem::take(&mut self.told.fields);
        let upper: Vec<Vec<u8>> = fields.iter().map(|(name, _)| name.to_ascii_uppercase()).collect();
        let parts: Vec<[EventValue<'_>; 3]> = fields
            .iter()
            .zip(&upper)
            .map(|((name, value), upper)| [name.as_slice(), upper, value].map(EventValue::String))
            .collect();
        let pair = |(index, parts)| [EventValue::from(index + 1), EventValue::Record(parts)];
        let table: Vec<EventValue<'_>> =
            parts.iter().map(|parts| &parts[..]).enumerate().flat_map(pair).collect();
        self.raise(Place::AllHeaders, &[EventValue::Table(&table)]);
    }

    fn data(&mut self, bytes: &[u8]) {
        if self.wants(Place::Md5) {
            self.told.md5.update(bytes);
        }
        if self.wants(Place::Sha256) {
            self.told.sha256.update(bytes);
        }
        self.told.hashed += bytes.len() as u64;
        if self.wants(Place::Segment) {
            self.segments(bytes);
        }
        let mut is_whole = true;
        if self.wants(Place::EntityData) {
            is_whole &= keep(&mut self.told.entity, bytes);
        }
        if self.wants(Place::AllData) {
            is_whole &= keep(&mut self.told.all, bytes);
        }
        if !is_whole {
            self.sink.left_out();
        }
    }

    fn odd(&mut self, kind: &'static str, detail: &'static str) {
        self.raise(Place::Odd, &[EventValue::text(kind), EventValue::text(detail)]);
    }

    fn end(&mut self) {
        self.end_segment(0);
        let entity = std::mem::take(&mut self.told.entity);
        self.raise(Place::EntityData, &[entity.len().into(), EventValue::String(&entity)]);
        self.raise(Place::End, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lines;
    use super::*;
    use crate::testing::Events;

    /// The events of a mail.
    fn told(mail: &[u8]) -> Vec<String> {
        let mut sink = Events::new(NAMES);
        sink.numbers.push(("mime_segment_length", 4));
        let (mut raiser, mut lines) = (MailRaiser::new(0), Lines::default());
        let mut rest = mail;
        while !rest.is_empty() {
            let (taken, line) = lines.next(rest);
            if let Some(line) = line {
                raiser.line(&line, true, &mut sink);
            }
            rest = &rest[taken..];
        }
        raiser.finish(&mut sink);
        sink.raised
    }

    #[test]
    fn what_is_odd_about_a_mail() {
        let cases: [(&str, &[&str]); 5] = [
            ("Content-Type: text\r\n\r\na\r\n", &["illegal format media subtype not found"]),
            (
                "Content-Type: multipart/mixed\r\n\r\na\r\n",
                &["illegal format multipart boundary delimiter missing"],
            ),
            (
                "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\na\r\n",
                &["illegal format multipart closing boundary delimiter missing"],
            ),
            (
                "Content-Transfer-Encoding: base64\r\n\r\n????\r\n",
                &["illegal encoding character ignored by Base64 decoding"],
            ),
            (
                "Content-Transfer-Encoding: quoted-printable\r\n\r\n=zz\r\n",
                &["illegal encoding = is not followed by two hexadecimal digits"],
            ),
        ];
        for (mail, expected) in cases {
            let told = told(mail.as_bytes());
            let odd: Vec<&str> = told.iter().filter_map(|line| line.strip_prefix("mime_event c ")).collect();
            assert_eq!(odd, expected, "{mail}");
        }
    }

    #[test]
    fn entities_of_a_mail() {
        let mail = b"Subject: a\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\
            Content-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--x\r\n\r\nbye\r\n--x--\r\n";
        let raised = told(mail);
        let without_digests: Vec<&str> =
            raised.iter().map(|line| line.as_str()).filter(|line| !line.contains("hash")).collect();
        assert_eq!(
            without_digests,
            [
                "mime_begin_entity c",
                "mime_one_header c [Subject, SUBJECT, a]",
                "mime_one_header c [Content-Type, CONTENT-TYPE, multipart/mixed; boundary=x]",
                "mime_all_headers c {1, [Subject, SUBJECT, a], 2, [Content-Type, CONTENT-TYPE, multipart/mixed; boundary=x]}",
                "mime_begin_entity c",
                "mime_one_header c [Content-Transfer-Encoding, CONTENT-TRANSFER-ENCODING, base64]",
                "mime_all_headers c {1, [Content-Transfer-Encoding, CONTENT-TRANSFER-ENCODING, base64]}",
                "mime_segment_data c 4 hell",
                "mime_segment_data c 1 o",
                "mime_entity_data c 5 hello",
                "mime_end_entity c",
                "mime_begin_entity c",
                "mime_all_headers c {}",
                "mime_segment_data c 3 bye",
                "mime_entity_data c 3 bye",
                "mime_end_entity c",
                "mime_entity_data c 0 ",
                "mime_end_entity c",
                "mime_all_data c 8 hellobye",
            ]
        );
        assert_eq!(raised.len() - without_digests.len(), 2);
    }
}
