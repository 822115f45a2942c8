//! One HTTP exchange: a request and its response.

use std::ops::Range;

use smallvec::SmallVec;
use weir_applayer::body::BodyLimits;
use weir_applayer::{Body, File, Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::anomaly::Oddity;
use super::authorization::Authorization;
use super::decompress::Decompressor;
use super::entities::Entities;
use super::headers::Headers;
use super::multipart::Multipart;
use super::ranges::RangeIntake;
use super::request_line::{Method, Version};
use super::settings::Settings;

/// The line was read.
pub(super) const LINE: Progress = Progress(1);
/// The header fields were read.
pub(super) const HEADERS: Progress = Progress(2);
/// The body has begun.
pub(super) const BODY: Progress = Progress(3);
/// The trailer fields have begun.
pub(super) const TRAILER: Progress = Progress(4);
/// All is there.
pub(super) const COMPLETE: Progress = Progress(5);

/// Most pieces of a header whose times are told apart.
const MAX_ARRIVALS: usize = 64;

/// The states of a request.
pub(super) const REQUEST_STATES: &[&str] = &[
    "request_started",
    "request_line",
    "request_headers",
    "request_body",
    "request_trailer",
    "request_complete",
];

/// The states of a response.
pub(super) const RESPONSE_STATES: &[&str] = &[
    "response_started",
    "response_line",
    "response_headers",
    "response_body",
    "response_trailer",
    "response_complete",
];

/// The file that a body is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum FileSlot {
    /// None yet.
    #[default]
    Unopened,
    /// By index into the transaction's files.
    Open(usize),
    /// By index: the file ended at the limit of what is inspected.
    Cut(usize),
    /// It ended, or there is to be none.
    Closed,
}

/// One side of an exchange.
///
/// It is flat, as its parts become known one after another and rules, EVE and Zeek's logs read them in passing.
#[derive(Debug)]
pub(super) struct Message {
    /// The first line without its end.
    pub line: Vec<u8>,
    /// The protocol within the line.
    pub protocol: Range<usize>,
    /// Its version.
    pub version: Version,
    /// Header and trailer fields.
    pub headers: Headers,
    /// From which place in their block on they came when, in order.
    arrivals: SmallVec<[(usize, Timestamp); 1]>,
    /// The body, chunks joined, decompressed.
    pub body: Body,
    /// Bytes of the body as sent, with the framing of chunks.
    pub message_length: u64,
    /// Bytes of the body, chunks joined, decompressed.
    pub entity_length: u64,
    /// Bytes of the body that were not seen.
    pub missing_length: u64,
    /// Undoes the body's compression.
    pub decompressor: Option<Box<Decompressor>>,
    /// Decompressor for Zeek's logs alone, which read on behind a gap.
    pub zeek_decompressor: Option<Box<Decompressor>>,
    /// Takes apart a form.
    pub multipart: Option<Box<Multipart>>,
    /// The body as a file.
    pub file: FileSlot,
    /// Takes the body as a range of a larger file.
    pub range: Option<Box<RangeIntake>>,
    /// The body as files of Zeek's logs.
    pub entities: Option<Box<Entities>>,
    /// Zeek reads the body line by line.
    pub by_line: bool,
    /// When the message was over.
    pub ended: Timestamp,
    /// Something of the body was seen.
    pub body_started: bool,
    /// A file of which nothing was seen, behind the message before.
    pub lost_file: Option<Box<File>>,
    /// Bytes were not seen.
    pub missing_bytes: bool,
    /// A chunk's first line that is none, as Zeek reads it.
    pub bad_chunk: Option<Vec<u8>>,
    /// When the body's compression broke after some of it could be read.
    pub inflate_failed: Option<Timestamp>,
}

impl Message {
    fn new(limits: BodyLimits) -> Self {
        Self {
            line: Vec::new(),
            protocol: 0..0,
            version: Version::Unknown,
            headers: Headers::default(),
            arrivals: SmallVec::new(),
            body: Body::new(limits),
            message_length: 0,
            entity_length: 0,
            missing_length: 0,
            decompressor: None,
            zeek_decompressor: None,
            multipart: None,
            file: FileSlot::Unopened,
            range: None,
            entities: None,
            by_line: false,
            ended: Timestamp::default(),
            body_started: false,
            lost_file: None,
            missing_bytes: false,
            bad_chunk: None,
            inflate_failed: None,
        }
    }

    /// Forks the message for Zeek's logs alone, which another parser feeds from here on.
    fn fork(&mut self) -> Self {
        let double =
            || self.decompressor.as_mut().and_then(|decompressor| decompressor.double()).map(Box::new);
        Self {
            line: self.line.clone(),
            protocol: self.protocol.clone(),
            version: self.version,
            headers: self.headers.clone(),
            arrivals: self.arrivals.clone(),
            message_length: self.message_length,
            entity_length: self.entity_length,
            missing_length: self.missing_length,
            decompressor: self.zeek_decompressor.take().or_else(double),
            file: FileSlot::Closed,
            entities: self.entities.take(),
            by_line: self.by_line,
            ended: self.ended,
            body_started: self.body_started,
            missing_bytes: self.missing_bytes,
            bad_chunk: self.bad_chunk.clone(),
            inflate_failed: self.inflate_failed,
            ..Self::new(self.body.limits())
        }
    }

    /// Notes when the next header field came.
    pub(super) fn field_arrives(&mut self, time: Timestamp) {
        let is_new = self.arrivals.last().is_none_or(|&(_, last)| last != time);
        if is_new && self.arrivals.len() < MAX_ARRIVALS {
            self.arrivals.push((self.headers.raw().len(), time));
        }
    }

    /// When the field came that begins at a place in the headers' block.
    pub(super) fn arrival(&self, place: usize) -> Option<Timestamp> {
        let before = self.arrivals.partition_point(|&(start, _)| start <= place);
        before.checked_sub(1).and_then(|last| self.arrivals.get(last)).map(|&(_, time)| time)
    }

    /// Bytes of memory that it takes beside itself.
    fn memory(&self) -> usize {
        let decompressors = [&self.decompressor, &self.zeek_decompressor].into_iter().flatten();
        self.line.capacity()
            + self.headers.memory()
            + self.body.memory()
            + decompressors.map(|decompressor| decompressor.memory()).sum::<usize>()
            + self.entities.as_ref().map_or(0, |entities| entities.memory())
    }

    /// Bytes of the line.
    pub(super) fn piece(&self, range: &Range<usize>) -> Option<&[u8]> {
        self.line.get(range.clone()).filter(|part| !part.is_empty())
    }

    /// Bytes of the body as Zeek counts them.
    pub(super) fn length(&self) -> u64 {
        self.entities.as_ref().map_or(self.entity_length + self.missing_length, |entities| entities.length)
    }

    /// The protocol as written.
    pub(super) fn protocol(&self) -> Option<&[u8]> {
        self.piece(&self.protocol)
    }
}

/// Where `part` lies in `whole`, of which it is a piece.
pub(super) fn range_of(whole: &[u8], part: Option<&[u8]>) -> Range<usize> {
    let Some(part) = part else { return 0..0 };
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len());
    start..(start + part.len()).min(whole.len())
}

/// One exchange.
///
/// It is flat, as its facts become known one after another, of either side; what each side has is a [`Message`].
#[derive(Debug)]
pub struct HttpTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    pub(super) request: Message,
    pub(super) response: Message,
    /// The request's line was seen; otherwise the request is a stand-in.
    pub(super) has_request: bool,
    pub(super) method: Method,
    /// The method within the request's line.
    pub(super) method_range: Range<usize>,
    /// The target within the request's line.
    pub(super) target_range: Range<usize>,
    /// The request is one of HTTP/0.9: no headers, no status line.
    pub(super) is_version_0_9: bool,
    /// It is one of HTTP/0.9 behind an answer, as Zeek reads it.
    pub(super) replied_before: bool,
    /// The target normalised.
    pub(super) uri: Vec<u8>,
    /// Its path alone.
    pub(super) path: Option<Vec<u8>>,
    /// The host, lower case.
    pub(super) host: Option<Vec<u8>>,
    /// The host as in an absolute target.
    pub(super) target_host: Option<Range<usize>>,
    /// The port of target or `Host`.
    pub(super) port: Option<u16>,
    pub(super) authorization: Option<Authorization>,
    /// The status as a number.
    pub(super) status: Option<u16>,
    /// The status within the response's line.
    pub(super) status_range: Range<usize>,
    /// The reason within the response's line.
    pub(super) reason_range: Range<usize>,
    /// The response has a status line (there are bodies without one).
    pub(super) has_status_line: bool,
    /// An interim response came before: its status and reason.
    pub(super) interim: Option<(u16, Vec<u8>)>,
    /// The first line of this side is none of HTTP.
    pub(super) refused: Option<Direction>,
    /// When all of the request's line was there.
    pub(super) asked: Timestamp,
    /// When a line was passed over, here or behind what came before, that is no request.
    pub(super) passed_over: Option<Timestamp>,
}

weir_applayer::transaction!(HttpTransaction);

/// Stands for the target of a request that was not seen.
pub(super) const UNSEEN_TARGET: &[u8] = b"/libhtp::request_uri_not_seen";

impl HttpTransaction {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            meta: TxMeta::default(),
            request: Message::new(settings.request),
            response: Message::new(settings.response),
            has_request: false,
            method: Method::Unknown,
            method_range: 0..0,
            target_range: 0..0,
            is_version_0_9: false,
            replied_before: false,
            uri: Vec::new(),
            path: None,
            host: None,
            target_host: None,
            port: None,
            authorization: None,
            status: None,
            status_range: 0..0,
            reason_range: 0..0,
            has_status_line: false,
            interim: None,
            refused: None,
            asked: Timestamp::default(),
            passed_over: None,
        }
    }

    /// Forks it for Zeek's logs alone, which another parser feeds from here on.
    pub(super) fn fork(&mut self) -> Self {
        Self {
            meta: self.meta.fork(),
            request: self.request.fork(),
            response: self.response.fork(),
            has_request: self.has_request,
            method: self.method,
            method_range: self.method_range.clone(),
            target_range: self.target_range.clone(),
            is_version_0_9: self.is_version_0_9,
            replied_before: self.replied_before,
            uri: self.uri.clone(),
            path: self.path.clone(),
            host: self.host.clone(),
            target_host: self.target_host.clone(),
            port: self.port,
            authorization: None,
            status: self.status,
            status_range: self.status_range.clone(),
            passed_over: self.passed_over.take(),
            reason_range: self.reason_range.clone(),
            has_status_line: self.has_status_line,
            interim: self.interim.clone(),
            refused: None,
            asked: self.asked,
        }
    }

    /// Bytes of memory that it takes beside itself.
    pub(super) fn memory(&self) -> usize {
        let texts = [&self.path, &self.host].into_iter().flatten().map(Vec::capacity).sum::<usize>();
        let files: usize = self.meta.files.iter().map(File::memory).sum();
        self.request.memory() + self.response.memory() + self.uri.capacity() + texts + files
    }

    /// When the client asked, as far as it did.
    pub(super) fn request_time(&self) -> Timestamp {
        if self.asked == Timestamp::default() { self.meta.first_seen.to_server } else { self.asked }
    }

    pub(super) fn message(&self, direction: Direction) -> &Message {
        match direction {
            Direction::ToServer => &self.request,
            Direction::ToClient => &self.response,
        }
    }

    pub(super) fn message_mut(&mut self, direction: Direction) -> &mut Message {
        match direction {
            Direction::ToServer => &mut self.request,
            Direction::ToClient => &mut self.response,
        }
    }

    pub(super) fn odd(&mut self, oddity: Oddity) {
        match oddity.recurs() {
            true => self.meta.anomaly(oddity.into()),
            false => self.meta.anomaly_once(oddity.into()),
        }
    }

    /// The method as written.
    pub(super) fn method_text(&self) -> Option<&[u8]> {
        self.request.piece(&self.method_range)
    }

    /// The target as written.
    pub(super) fn target(&self) -> Option<&[u8]> {
        if self.has_request {
            self.request.piece(&self.target_range)
        } else {
            (!self.uri.is_empty()).then_some(&self.uri)
        }
    }

    /// The host of an absolute target as written.
    pub(super) fn target_host(&self) -> Option<&[u8]> {
        self.target_host.as_ref().and_then(|range| self.request.piece(range))
    }

    /// The status as written.
    pub(super) fn status_text(&self) -> Option<&[u8]> {
        self.response.piece(&self.status_range)
    }

    /// The reason as written.
    pub(super) fn reason(&self) -> Option<&[u8]> {
        self.response.piece(&self.reason_range)
    }

    /// Makes the request a stand-in for one that was not seen.
    pub(super) fn stand_in(&mut self) {
        self.uri = UNSEEN_TARGET.to_vec();
        self.path = Some(UNSEEN_TARGET.to_vec());
        self.odd(Oddity::UnableToMatchResponse);
        self.request.body.finish();
        self.meta.advance(Direction::ToServer, COMPLETE);
    }
}
