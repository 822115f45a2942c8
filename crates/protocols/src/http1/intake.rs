//! Bodies on their way from the framing into inspection and files: decompressed, cut at the
//! configured limit, forms taken apart.

use std::sync::Arc;

use weir_applayer::body::BodyLimits;
use weir_applayer::file::{Bodies, FileSettings};
use weir_applayer::{File, FileState, ParseContext, Request, TakenMemory};
use weir_base::{Direction, Timestamp};

use super::anomaly::Oddity;
use super::as_zeek::is_packing;
use super::content_encoding;
use super::decompress::Decompressor;
use super::disposition::{ContentRange, RangeOfFile, file_name};
use super::entities::{Description, Entities, Lines};
use super::headers::Headers;
use super::length::content_length;
use super::multipart::{Multipart, PartEvent};
use super::octets::head;
use super::ranges::{Range, Ranges};
use super::request_line::Method;
use super::settings::Settings;
use super::transaction::{BODY, FileSlot, HttpTransaction};
use super::zeek::text;

/// Longest file name kept.
const MAX_FILE_NAME: usize = 65_535;

/// Most files of one transaction.
const MAX_FILES: usize = 256;

/// Output of a decompressor over its input above which it is a bomb.
const BOMB_RATIO: u64 = 2048;

/// State that outlives a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowState {
    /// Id of the flow's next file.
    pub next_file: u64,
    /// Id of the next file of Zeek's logs.
    pub next_entity: u64,
    /// Decompression bombs seen.
    pub bombs: u64,
}

/// One side of a transaction that takes in its body.
pub(super) struct Intake<'a, 'c> {
    pub transaction: &'a mut HttpTransaction,
    pub direction: Direction,
    pub settings: &'a Settings,
    pub ranges: &'a Arc<Ranges>,
    pub flow: &'a mut FlowState,
    pub cx: &'a mut ParseContext<'c>,
    pub time: Timestamp,
    /// When the last byte of what is taken in was captured.
    pub until: Timestamp,
    /// Where that begins in the push.
    pub index: usize,
    /// Zeek's logs get another parser's reading.
    pub forked: bool,
}

impl Intake<'_, '_> {
    /// Sets up what the header fields say of the body's compression.
    pub(super) fn prepare(&mut self) {
        if self.cx.files.bodies == Bodies::Skipped {
            return;
        }
        let message = self.transaction.message_mut(self.direction);
        let Some(value) = message.headers.value(b"content-encoding") else { return };
        let (encodings, oddities) = content_encoding::parse(value, self.settings);
        if !encodings.is_empty() && self.flow.bombs < self.settings.bomb_count {
            let memory = self.settings.lzma_memory;
            let decompressor = Decompressor::new(&encodings, memory);
            let decompressor = match self.cx.may_fork() {
                true => decompressor.with_journal(TakenMemory::of(self.cx.memory)),
                false => decompressor,
            };
            message.decompressor = Some(Box::new(decompressor));
        }
        for mut oddity in oddities {
            if oddity == Oddity::ResponseTooManyLzmaLayers && self.direction == Direction::ToServer {
                oddity = Oddity::RequestTooManyLzmaLayers;
            }
            self.transaction.odd(oddity);
        }
    }

    /// Bytes of the body, free of framing.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.transaction.meta.advance(self.direction, BODY);
        self.until = self.cx.arrival(self.index.saturating_add(bytes.len() - 1));
        let message = self.transaction.message_mut(self.direction);
        message.message_length += bytes.len() as u64;
        if self.cx.files.bodies == Bodies::Skipped {
            return;
        }
        if let Some(mut decompressor) = message.zeek_decompressor.take() {
            decompressor.push(bytes, &mut |piece, kept| {
                self.push_entities(head(piece, kept), false);
                true
            });
            self.note_failure(&decompressor);
            self.transaction.message_mut(self.direction).zeek_decompressor = Some(decompressor);
            self.push_body(bytes);
            return;
        }
        match message.decompressor.take() {
            None => self.entity(bytes, bytes.len(), true),
            Some(mut decompressor) => {
                decompressor.push(bytes, &mut |piece, kept| self.decompressed(piece, kept));
                self.note_failure(&decompressor);
                self.transaction.message_mut(self.direction).decompressor = Some(decompressor);
            }
        }
    }

    fn note_failure(&mut self, decompressor: &Decompressor) {
        if decompressor.has_failed() {
            self.transaction.message_mut(self.direction).inflate_failed.get_or_insert(self.until);
        }
    }

    /// `length` bytes of the body were not seen.
    pub(super) fn gap(&mut self, length: u64) {
        let message = self.transaction.message_mut(self.direction);
        message.message_length += length;
        message.missing_length += length;
        if self.cx.files.bodies == Bodies::Skipped {
            return;
        }
        if let Some(decompressor) = message.decompressor.as_mut().filter(|_| self.cx.reads_as_zeek()) {
            decompressor.gap();
            // Zeek takes what follows as if nothing were missing, as long as it can be decompressed.
            self.start_body();
            return self.entity_gap(length);
        }
        if let Some(mut decompressor) = message.decompressor.take() {
            // What follows cannot be decompressed.
            decompressor.finish(&mut |piece, kept| self.decompressed(piece, kept));
            self.transaction.message_mut(self.direction).file = self.close_file(FileState::Truncated);
            if self.has_entities() {
                self.start_body();
                decompressor.gap();
                self.transaction.message_mut(self.direction).zeek_decompressor = Some(decompressor);
            }
            self.entity_gap(length);
            return;
        }
        self.start_body();
        self.entity_gap(length);
        let message = self.transaction.message_mut(self.direction);
        if let Some(range) = &mut message.range {
            range.gap(length);
        }
        if let FileSlot::Open(index) = message.file
            && let Some(file) = self.transaction.meta.files.get_mut(index)
        {
            file.gap(length);
        }
    }

    /// Nothing more of the body can be read, as `length` bytes were not seen.
    pub(super) fn interrupted(&mut self, length: u64) {
        let message = self.transaction.message_mut(self.direction);
        message.missing_bytes = true;
        if message.body_started
            && let Some(entities) = &mut message.entities
        {
            entities.lose(length, self.time, &mut self.flow.next_entity);
        }
    }

    /// The body ends.
    pub(super) fn finish(&mut self, state: FileState) {
        let message = self.transaction.message_mut(self.direction);
        if let Some(mut decompressor) = message.decompressor.take() {
            decompressor.finish(&mut |piece, kept| self.decompressed(piece, kept));
        }
        let message = self.transaction.message_mut(self.direction);
        if let Some(mut multipart) = message.multipart.take() {
            multipart.finish(&mut |event| self.part(event));
        }
        let slot = self.close_file(state);
        let message = self.transaction.message_mut(self.direction);
        if let Some(entities) = &mut message.entities {
            entities.finish(state, self.until, &mut self.flow.next_entity);
        }
        message.file = slot;
        message.body.finish();
    }

    /// Takes decompressed bytes, of which the first `kept` count for Zeek; false where they come from a bomb.
    fn decompressed(&mut self, bytes: &[u8], kept: usize) -> bool {
        self.entity(bytes, kept, false);
        let message = self.transaction.message(self.direction);
        let bomb = message.entity_length > self.settings.bomb_limit
            && message.entity_length > message.message_length.saturating_mul(BOMB_RATIO);
        if bomb {
            self.transaction.odd(Oddity::CompressionBomb);
            self.flow.bombs = self.flow.bombs.saturating_add(1);
            if self.flow.bombs == self.settings.bomb_count {
                self.transaction.odd(Oddity::CompressionBombLimitReached);
            }
        }
        !bomb
    }

    /// Bytes of the body as its reader sees it, of which the first `kept` count for Zeek; `as_sent`: they are those
    /// of the push.
    fn entity(&mut self, bytes: &[u8], kept: usize, as_sent: bool) {
        self.start_body();
        self.push_entities(head(bytes, kept), as_sent);
        self.push_body(bytes);
    }

    /// Adds bytes of the entity, for Zeek's logs.
    fn push_entities(&mut self, bytes: &[u8], as_sent: bool) {
        let message = self.transaction.message_mut(self.direction);
        let Some(entities) = &mut message.entities else { return };
        let (cx, start, time, until) = (&*self.cx, self.index, self.time, self.until);
        let when = |index: usize| match index {
            _ if as_sent => cx.arrival(start.saturating_add(index)),
            0 => time,
            _ => until,
        };
        if !as_sent || !cx.files.told {
            return entities.push(bytes, &when, &mut self.flow.next_entity);
        }
        // Scripts are told what each packet brought.
        let cuts = cx.arrivals.iter().map(|(at, _)| at.saturating_sub(start));
        let mut from = 0;
        for to in cuts.filter(|at| *at > 0 && *at < bytes.len()).chain([bytes.len()]) {
            let part = bytes.get(from..to).unwrap_or_default();
            entities.push(part, &|index| when(from + index), &mut self.flow.next_entity);
            from = to;
        }
    }

    /// Adds bytes of the body, for rules and records.
    fn push_body(&mut self, bytes: &[u8]) {
        self.start_body();
        let message = self.transaction.message_mut(self.direction);
        message.entity_length += bytes.len() as u64;
        if self.cx.reads_as_zeek() {
            if self.cx.files.messages && self.cx.files.bodies == Bodies::Kept {
                message.body.push(bytes);
            }
            return;
        }
        let room = self.room(bytes.len() as u64);
        let message = self.transaction.message_mut(self.direction);
        match self.cx.files.bodies {
            Bodies::Kept => message.body.push(bytes),
            Bodies::Read | Bodies::Skipped => message.body.pass(bytes.len() as u64),
        }
        let kept = head(bytes, usize::try_from(room).unwrap_or(usize::MAX));
        if let Some(mut multipart) = message.multipart.take() {
            multipart.push(kept, &mut |event| self.part(event));
            self.transaction.message_mut(self.direction).multipart = Some(multipart);
        } else {
            self.append(kept);
        }
        if kept.len() < bytes.len() {
            // A file that the limit cuts in its last piece counts as whole.
            if kept.is_empty() {
                self.cut_file();
            }
            self.pass_file((bytes.len() - kept.len()) as u64);
        }
    }

    /// Returns how many of the next `length` bytes of the body are looked at.
    fn room(&self, length: u64) -> u64 {
        let body = &self.transaction.message(self.direction).body;
        let limit = body.limits().limit;
        let room = |limit: u64| if limit == 0 { u64::MAX } else { limit.saturating_sub(body.total()) };
        if room(limit) >= length {
            return length;
        }
        let mut files = self.transaction.meta.files.iter();
        let is_stored = files.any(|file| file.direction == self.direction && file.store_requested);
        room(if is_stored { self.cx.files.limit(limit) } else { limit }).min(length)
    }

    /// Ends what is inspected of the file; what follows is only counted.
    fn cut_file(&mut self) {
        let FileSlot::Open(index) = self.transaction.message(self.direction).file else { return };
        self.close_file(FileState::Truncated);
        self.transaction.message_mut(self.direction).file = FileSlot::Cut(index);
    }

    /// Counts bytes of the file that are not inspected.
    fn pass_file(&mut self, length: u64) {
        if let FileSlot::Open(index) | FileSlot::Cut(index) = self.transaction.message(self.direction).file
            && let Some(file) = self.transaction.meta.files.get_mut(index)
        {
            file.pass(length, self.until);
        }
    }

    /// At the first byte of the body: which file it is, or files.
    fn start_body(&mut self) {
        let (method, has_entities) = (self.transaction.method, self.has_entities());
        let is_nameless = self.direction == Direction::ToClient && self.transaction.has_lost_name();
        let message = self.transaction.message_mut(self.direction);
        if std::mem::replace(&mut message.body_started, true) {
            return;
        }
        if has_entities {
            let mut description = describe(&message.headers);
            if is_nameless {
                description.name.clear();
            }
            let packed = message.headers.value(b"content-encoding").is_some_and(is_packing);
            message.entities = Some(Box::new(Entities::new(
                self.direction,
                message.headers.value(b"content-type").unwrap_or_default(),
                description,
                Lines::of(message.by_line, packed),
                self.cx.files,
            )));
        }
        if self.cx.reads_as_zeek() {
            return;
        }
        match (self.direction, method) {
            (Direction::ToServer, Method::Post) => {
                let multipart = message.headers.value(b"content-type").and_then(Multipart::new);
                if multipart.is_some() {
                    self.transaction.request.multipart = multipart.map(Box::new);
                } else {
                    self.open_body_file();
                }
            }
            (Direction::ToServer, Method::Put) | (Direction::ToClient, _) => self.open_body_file(),
            (Direction::ToServer, _) => {}
        }
    }

    /// Whether Zeek's logs get files here.
    fn has_entities(&self) -> bool {
        self.cx.files.magic && !self.forked
    }

    /// Opens the file that the whole body is.
    fn open_body_file(&mut self) {
        let transaction = &*self.transaction;
        let headers = &transaction.message(self.direction).headers;
        let disposition = match self.direction {
            Direction::ToServer => None,
            Direction::ToClient => headers.value(b"content-disposition"),
        };
        let named = disposition.and_then(file_name);
        let name_is_path = named.is_none();
        let Some(name) = named.or_else(|| transaction.path.clone()) else { return };
        let range = match self.direction {
            Direction::ToServer => None,
            Direction::ToClient => headers.value(b"content-range").map(ContentRange::parse),
        };
        let announced = announced_size(headers, range.flatten());
        self.open(name);
        let FileSlot::Open(index) = self.transaction.message(self.direction).file else { return };
        let Some(file) = self.transaction.meta.files.get_mut(index) else { return };
        file.name_is_path = name_is_path;
        file.announced = announced;
        match range.map(|range| range.map_or(RangeOfFile::Invalid, |range| range.of_file())) {
            Some(RangeOfFile::Invalid) => self.transaction.odd(Oddity::RangeInvalid),
            Some(RangeOfFile::Part(range)) => {
                (file.start, file.end) = (Some(range.start), Some(range.end));
                self.open_range(index, range);
            }
            Some(RangeOfFile::Untold | RangeOfFile::All) | None => {}
        }
    }

    /// The file at `index` is a range of a larger one, which may come in several responses.
    fn open_range(&mut self, index: usize, range: Range) {
        let Some(host) = &self.transaction.host else { return };
        let Some(part) = self.transaction.meta.files.get(index) else { return };
        let key = [host, &part.name[..]].concat();
        let settings = self.file_settings();
        let opened = self.ranges.open(self.cx.order, &key, range, self.time, || {
            let mut whole = File::open(0, part.name.clone(), part.direction, self.time, &settings);
            whole.name_is_path = part.name_is_path;
            whole.announced = Some(range.size);
            whole.assembled = true;
            whole
        });
        self.transaction.message_mut(self.direction).range = opened.map(Box::new);
    }

    /// Returns the settings of a file that a body is or brings: rules look as far as into the body. Types are
    /// found for entities.
    fn file_settings(&self) -> FileSettings {
        let limits = self.transaction.message(self.direction).body.limits();
        FileSettings { magic: false, inspect: BodyLimits { minimal_inspect: 0, ..limits }, ..*self.cx.files }
    }

    fn open(&mut self, mut name: Vec<u8>) {
        if !self.cx.files.enabled || self.transaction.meta.files.len() >= MAX_FILES {
            return;
        }
        if name.len() > MAX_FILE_NAME {
            name.truncate(MAX_FILE_NAME);
            self.transaction.odd(Oddity::FileNameTooLong);
        }
        let settings = self.file_settings();
        let file = File::open(self.flow.next_file, name, self.direction, self.time, &settings);
        self.flow.next_file += 1;
        let index = self.transaction.meta.files.len();
        self.transaction.meta.files.push(file);
        self.transaction.message_mut(self.direction).file = FileSlot::Open(index);
    }

    fn entity_gap(&mut self, length: u64) {
        if let Some(entities) = &mut self.transaction.message_mut(self.direction).entities {
            entities.gap(length, self.time, &mut self.flow.next_entity);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        if let FileSlot::Open(index) = self.transaction.message(self.direction).file
            && let Some(file) = self.transaction.meta.files.get_mut(index)
        {
            file.append(bytes, self.time);
            file.last_seen = file.last_seen.max(self.until);
        }
        if let Some(range) = &mut self.transaction.message_mut(self.direction).range {
            range.append(bytes, self.time);
        }
    }

    /// Closes the open file, if there is one; answers what to put into the slot.
    fn close_file(&mut self, state: FileState) -> FileSlot {
        if let FileSlot::Open(index) = self.transaction.message(self.direction).file
            && let Some(file) = self.transaction.meta.files.get_mut(index)
        {
            let state = if file.has_gap { FileState::Truncated } else { state };
            file.close(state);
        }
        self.close_range(state);
        FileSlot::Closed
    }

    /// The body was a range of a larger file; if that is whole now, it belongs to this transaction.
    fn close_range(&mut self, state: FileState) {
        let Some(range) = self.transaction.message_mut(self.direction).range.take() else { return };
        if let Some(mut whole) = range.close(state)
            && self.transaction.meta.files.len() < MAX_FILES
        {
            whole.id = self.flow.next_file;
            self.flow.next_file += 1;
            self.transaction.meta.files.push(*whole);
        }
    }

    /// Handles a part of a form.
    fn part(&mut self, event: PartEvent<'_>) {
        match event {
            PartEvent::Open(name) => self.open(name),
            PartEvent::Data(bytes) => self.append(bytes),
            PartEvent::Close(whole) => {
                self.close_file(if whole { FileState::Closed } else { FileState::Truncated });
                self.transaction.message_mut(self.direction).file = FileSlot::Unopened;
            }
            PartEvent::Odd(oddity) => self.transaction.odd(oddity),
        }
    }

    /// Rules on the stream should look at what is there.
    pub(super) fn inspect_stream(&mut self) {
        self.cx.request(Request::InspectStream(self.direction));
    }
}

/// Describes the file that the body is, by the header fields.
fn describe(headers: &Headers) -> Description {
    let part = headers.value(b"content-range").and_then(ContentRange::part);
    Description {
        name: headers
            .value(b"content-disposition")
            .and_then(text::disposition_name)
            .or_else(|| headers.value(b"content-type").and_then(text::type_name))
            .unwrap_or_default(),
        length: announced_size(headers, None),
        place: part.map(|(start, _, size)| (start, size)),
        ..Description::default()
    }
}

/// The size that the header fields announce of a file that is sent as it is: all of it, where only a
/// part of it comes.
fn announced_size(headers: &Headers, range: Option<ContentRange>) -> Option<u64> {
    if headers.value(b"content-encoding").is_some() || headers.value(b"transfer-encoding").is_some() {
        return None;
    }
    let length = || headers.value(b"content-length").and_then(content_length).map(|length| length.value);
    range.map_or_else(length, |range| range.size).filter(|&size| size > 0)
}
