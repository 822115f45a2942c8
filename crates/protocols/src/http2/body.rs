//! Bodies: out of their compression, into files.

use std::sync::Arc;

use weir_applayer::body::BodyLimits;
use weir_applayer::file::{Bodies, FileSettings};
use weir_applayer::{File, FileState, ParseContext};
use weir_base::{Direction, Timestamp};

use super::anomaly::Http2Anomaly;
use super::dns::Carried;
use super::transaction::Http2Transaction;
use crate::http1::content_encoding::Encoding;
use crate::http1::decompress::Decompressor;
use crate::http1::disposition::{ContentRange, RangeOfFile, file_name};
use crate::http1::ranges::{RangeIntake, Ranges};

/// Inspection of bodies by rules: from this size on, each time so far back.
const INSPECTION: BodyLimits = BodyLimits { limit: 0, minimal_inspect: 32 << 10, window: 4 << 10 };

/// Longest file name kept.
const MAX_FILE_NAME: usize = 65_535;

/// Output over input above which it is a bomb.
const BOMB_RATIO: u64 = 2048;

/// Bytes that a decompressor takes beside the output that it looks back at.
const DECOMPRESSOR_SIZE: usize = 32 << 10;

/// Where the body of one side is.
#[derive(Debug, Default)]
pub(super) enum BodyState {
    /// Nothing of it came.
    #[default]
    Awaited,
    /// It is under way.
    Open(Box<OpenBody>),
    /// Nothing more of it is taken.
    Over,
}

/// A body that is under way.
#[derive(Debug, Default)]
pub(super) struct OpenBody {
    decompressor: Option<Decompressor>,
    /// Bytes of output that it looks back at.
    window: usize,
    /// By index into the transaction's files.
    file: Option<usize>,
    range: Option<RangeIntake>,
    /// Bytes as sent.
    sent: u64,
    /// Bytes without compression.
    read: u64,
}

impl BodyState {
    /// Bytes that it holds.
    pub(super) fn size(&self) -> usize {
        let Self::Open(body) = self else { return 0 };
        let output = usize::try_from(body.read).unwrap_or(usize::MAX).min(body.window);
        size_of::<OpenBody>() + body.decompressor.as_ref().map_or(0, |_| DECOMPRESSOR_SIZE + output)
    }
}

/// One side of a stream that takes in its body.
pub(super) struct Intake<'a, 'c> {
    pub transaction: &'a mut Http2Transaction,
    pub direction: Direction,
    pub ranges: &'a Arc<Ranges>,
    pub next_file: &'a mut u64,
    /// Output of a decompressor that is suspicious where its input was small.
    pub bomb_limit: u64,
    pub cx: &'a mut ParseContext<'c>,
    pub time: Timestamp,
}

impl Intake<'_, '_> {
    /// The body that is under way.
    fn body(&mut self) -> Option<&mut OpenBody> {
        match &mut self.transaction.messages[self.direction].body {
            BodyState::Open(body) => Some(body),
            BodyState::Awaited | BodyState::Over => None,
        }
    }

    fn is_dns(&self) -> bool {
        matches!(self.transaction.messages[self.direction].carried, Carried::Body(_))
    }

    /// The next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let is_wanted = self.cx.files.bodies > Bodies::Skipped || self.is_dns();
        if bytes.is_empty() || !is_wanted {
            return;
        }
        self.start();
        let Some(body) = self.body() else { return };
        body.sent += bytes.len() as u64;
        let Some(mut decompressor) = body.decompressor.take() else { return self.append(bytes) };
        decompressor.push(bytes, &mut |piece, _| self.decompressed(piece));
        self.judge(&decompressor);
        if let Some(body) = self.body() {
            body.decompressor = Some(decompressor);
        }
    }

    /// `length` bytes were not seen.
    pub(super) fn gap(&mut self, length: u64) {
        if self.is_dns() {
            self.transaction.messages[self.direction].carried = Carried::Nothing;
        }
        if self.cx.files.bodies == Bodies::Skipped {
            return;
        }
        self.start();
        let Some(body) = self.body() else { return };
        let was_compressed = body.decompressor.take().is_some();
        if let Some(range) = &mut body.range {
            range.gap(length);
        }
        if let Some(file) = self.file() {
            file.gap(length);
        }
        if was_compressed {
            // What follows cannot be decompressed.
            self.close(FileState::Truncated);
        }
    }

    /// The body ends.
    pub(super) fn finish(&mut self, state: FileState) {
        if let Some(mut decompressor) = self.body().and_then(|body| body.decompressor.take()) {
            decompressor.finish(&mut |piece, _| self.decompressed(piece));
            self.judge(&decompressor);
        }
        self.close(state);
        let message = &mut self.transaction.messages[self.direction];
        message.carried.finish(self.direction);
        if matches!(message.body, BodyState::Open(_)) {
            message.body = BodyState::Over;
        }
    }

    fn judge(&mut self, decompressor: &Decompressor) {
        if decompressor.gave_up() {
            self.transaction.note(Http2Anomaly::FailedDecompression);
        }
    }

    /// Takes decompressed bytes; false where they come from a bomb.
    fn decompressed(&mut self, bytes: &[u8]) -> bool {
        self.append(bytes);
        let limit = self.bomb_limit;
        let Some(body) = self.body() else { return false };
        body.read += bytes.len() as u64;
        let is_bomb = body.read > limit && body.read > body.sent.saturating_mul(BOMB_RATIO);
        if is_bomb {
            self.transaction.note(Http2Anomaly::CompressionBomb);
        }
        !is_bomb
    }

    fn append(&mut self, bytes: &[u8]) {
        self.transaction.push_dns(self.direction, bytes);
        let time = self.time;
        if let Some(file) = self.file() {
            file.append(bytes, time);
        }
        if let Some(range) = self.body().and_then(|body| body.range.as_mut()) {
            range.append(bytes, time);
        }
    }

    fn file(&mut self) -> Option<&mut File> {
        let index = self.body()?.file?;
        self.transaction.meta.files.get_mut(index)
    }

    /// At the first byte: how it is compressed, and which file it is.
    fn start(&mut self) {
        let message = &mut self.transaction.messages[self.direction];
        if !matches!(message.body, BodyState::Awaited) {
            return;
        }
        let encoding = message.value(b"content-encoding").and_then(encoding);
        message.body = BodyState::Open(Box::new(OpenBody {
            window: encoding.map_or(0, window),
            decompressor: encoding.map(|encoding| Decompressor::new(&[encoding], None)),
            ..OpenBody::default()
        }));
        if self.cx.files.enabled && self.cx.files.bodies > Bodies::Skipped {
            self.open();
        }
    }

    fn open(&mut self) {
        let message = &self.transaction.messages[self.direction];
        let named = message.value(b"content-disposition").and_then(file_name);
        let name_is_path = named.is_none();
        let mut name = named.unwrap_or_else(|| self.transaction.path().unwrap_or_default().to_vec());
        name.truncate(MAX_FILE_NAME);
        let range = message.value(b"content-range").map(ContentRange::parse);
        let settings = FileSettings { magic: false, inspect: INSPECTION, ..*self.cx.files };
        let mut file = File::open(*self.next_file, name, self.direction, self.time, &settings);
        *self.next_file += 1;
        file.name_is_path = name_is_path;
        match range.map(|range| range.map_or(RangeOfFile::Invalid, |range| range.of_file())) {
            Some(RangeOfFile::Invalid) => self.transaction.note(Http2Anomaly::InvalidRange),
            Some(RangeOfFile::Part(range)) => {
                (file.start, file.end, file.announced) =
                    (Some(range.start), Some(range.end), Some(range.size));
                let host = self.transaction.host().unwrap_or_default().to_ascii_lowercase();
                let key = [&host[..], &file.name].concat();
                let opened = self.ranges.open(self.cx.order, &key, range, self.time, || {
                    let mut whole = File::open(0, file.name.clone(), self.direction, self.time, &settings);
                    whole.name_is_path = name_is_path;
                    whole.announced = Some(range.size);
                    whole.assembled = true;
                    whole
                });
                if let Some(body) = self.body() {
                    body.range = opened;
                }
            }
            Some(RangeOfFile::Untold | RangeOfFile::All) | None => {}
        }
        let index = self.transaction.meta.files.len();
        self.transaction.meta.files.push(file);
        if let Some(body) = self.body() {
            body.file = Some(index);
        }
    }

    fn close(&mut self, state: FileState) {
        if let Some(file) = self.file() {
            file.close(state);
        }
        let Some(body) = self.body() else { return };
        body.file = None;
        if let Some(range) = body.range.take()
            && let Some(mut whole) = range.close(state)
        {
            whole.id = *self.next_file;
            *self.next_file += 1;
            self.transaction.meta.files.push(*whole);
        }
    }
}

/// Returns the largest window of its decompressor, in bytes (RFC 1951 2, RFC 7932 9.1).
const fn window(encoding: Encoding) -> usize {
    match encoding {
        Encoding::Brotli => 1 << 24,
        Encoding::Gzip | Encoding::Deflate | Encoding::Zlib | Encoding::Lzma => 1 << 15,
    }
}

/// The compression that a field names.
fn encoding(value: &[u8]) -> Option<Encoding> {
    match value.trim_ascii() {
        b"gzip" | b"x-gzip" => Some(Encoding::Gzip),
        b"deflate" => Some(Encoding::Deflate),
        b"br" => Some(Encoding::Brotli),
        _ => None,
    }
}
