//! The server's side, read as a browser reads it: status lines that are none, bodies that end with
//! the connection, broken chunks, interim responses, switches to other protocols.

use weir_applayer::{FileState, ParseContext, Request};
use weir_base::Direction::ToClient;

use super::anomaly::Oddity;
use super::length::{ChunkSize, content_length, may_be_chunk_size};
use super::octets::{chomp, contains_word, head, run, tail, take_while};
use super::parser::{HttpParser, Place, Turn};
use super::request::{RequestState, awaits_continue};
use super::request_line::{Method, Version};
use super::status_line::{StatusLine, looks_like_status_line};
use super::transaction::{BODY, COMPLETE, HEADERS, HttpTransaction, LINE, TRAILER, range_of};

/// Where the server's side is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ResponseState {
    /// Between responses.
    Idle,
    Line,
    Headers,
    /// Behind the header.
    HeadersEnd,
    /// In a body of known length.
    Identity,
    /// In a body that ends with the connection.
    UntilClose,
    ChunkLength,
    ChunkData,
    ChunkEnd,
    /// Behind the response: is what follows another one?
    Finalize,
    /// Nothing more is looked at.
    Ignore,
}

use ResponseState as State;

impl HttpParser {
    pub(super) fn response_turn(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        match self.response_state {
            State::Idle => self.response_idle(cx, rest, place),
            State::Line => self.status_line(cx, rest, place),
            State::Headers => self.response_headers(cx, rest, place),
            State::HeadersEnd => self.response_headers_end(cx, place),
            State::Identity | State::ChunkData => self.response_body(cx, rest, place),
            State::UntilClose => self.response_until_close(cx, rest, place),
            State::ChunkLength => self.response_chunk_length(cx, rest),
            State::ChunkEnd => self.end_chunk(cx, ToClient, rest),
            State::Finalize => self.response_finalize(cx, rest, place),
            State::Ignore => Turn::Wait(rest.len()),
        }
    }

    /// `length` bytes of the server were not seen.
    pub(super) fn response_gap(&mut self, cx: &mut ParseContext<'_>, place: Place, length: u64) {
        let id = self.response.current;
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.response.missing_bytes = true;
        }
        match self.response_state {
            State::ChunkData if !self.as_zeek => self.invalid_gap(),
            State::Identity | State::ChunkData => {
                let lost = length.min(self.response.left);
                self.response.left -= lost;
                self.response.position += lost;
                self.intake(cx, ToClient, place, |intake| intake.gap(lost));
                if self.response.left == 0 {
                    self.end_of_response_data();
                    if self.response_state == State::Finalize {
                        self.end_at_response_gap(cx, place);
                    }
                }
            }
            State::UntilClose => self.intake(cx, ToClient, place, |intake| intake.gap(length)),
            State::Finalize => self.end_at_response_gap(cx, place),
            State::Ignore => {}
            _ => self.invalid_gap(),
        }
    }

    fn end_at_response_gap(&mut self, cx: &mut ParseContext<'_>, place: Place) {
        self.response_complete(cx, place);
        if self.response_state == State::Idle {
            self.invalid_gap();
        }
    }

    fn response_idle(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        if rest.is_empty() {
            return Turn::Wait(0);
        }
        let unasked = self.response.current >= self.request.current
            && matches!(self.request_state, RequestState::Idle | RequestState::Ignore);
        let in_line =
            self.request_state == RequestState::Line && self.response.current == self.request.current;
        if in_line && cx.may_fork() {
            return Turn::Fork;
        }
        let Some(transaction) = self.transaction(ToClient) else { return Turn::Fail };
        transaction.meta.seen(ToClient, place.time);
        let version_0_9 = transaction.is_version_0_9;
        if unasked {
            transaction.stand_in();
        } else if in_line {
            transaction.odd(Oddity::RequestLineIncomplete);
        }
        if version_0_9 {
            transaction.meta.advance(ToClient, BODY);
        }
        if unasked {
            self.request.current += 1;
        }
        self.begin_frame(cx, ToClient);
        self.response_state = if version_0_9 { State::UntilClose } else { State::Line };
        Turn::Next(0)
    }

    fn status_line(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        let start = std::mem::take(&mut self.response.scanned).min(rest.len());
        let found = memchr::memchr2(b'\n', b'\r', tail(rest, start)).map(|position| start + position);
        let closed = self.response.closed;
        let length = match found.map(|position| (position, tail(rest, position))) {
            Some((position, [b'\r', b'\n', ..])) => position + 2,
            Some((_, [b'\r'])) if !closed => return self.check_length(ToClient, rest.len()),
            Some((position, _)) => position + 1,
            None if closed && !rest.is_empty() => rest.len(),
            None => {
                self.response.scanned = rest.len();
                return self.check_length(ToClient, rest.len());
            }
        };
        if self.check_length(ToClient, length) == Turn::Fail {
            return Turn::Fail;
        }
        let (line, after) = (head(rest, length), tail(rest, length));
        if matches!(line, b"\r" | b"\n" | b"\r\n") {
            return Turn::Next(length);
        }
        if self.as_zeek && !looks_like_status_line(line) {
            self.refuse(ToClient, place.time);
            return Turn::Next(length);
        }
        if !looks_like_status_line(line) {
            if cx.may_fork() {
                return Turn::Fork;
            }
            return self.line_as_body(cx, line, after, place);
        }
        let Some(transaction) = self.transaction(ToClient) else { return Turn::Fail };
        transaction.meta.seen(ToClient, place.time);
        transaction.take_status_line(line);
        if transaction.status != Some(100) {
            transaction.meta.advance(ToClient, LINE);
        }
        self.response.in_trailer = false;
        self.response_state = State::Headers;
        Turn::Next(length)
    }

    /// A line that is no status line: browsers show it.
    fn line_as_body(&mut self, cx: &mut ParseContext<'_>, line: &[u8], after: &[u8], place: Place) -> Turn {
        let skipped = after.len() > 1 && (after.first() == Some(&b'H') || chomp(line).len() <= 2);
        if !skipped {
            self.intake(cx, ToClient, place, |intake| intake.push(line));
            if after.is_empty() {
                self.response_state = State::Finalize;
            }
        }
        Turn::Next(line.len())
    }

    fn response_headers(&mut self, cx: &ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        let (length, done) = match self.fields(cx, ToClient, rest, place.time) {
            Ok(found) => found,
            Err(turn) => return turn,
        };
        if !done && !self.response.closed {
            return Turn::Wait(length);
        }
        if let Some(transaction) = self.transaction(ToClient) {
            transaction.meta.seen(ToClient, place.time);
        }
        if !done {
            // The connection ended in the header.
            if let Some(transaction) = self.transaction(ToClient) {
                transaction.meta.advance(ToClient, HEADERS);
            }
            self.response_state = State::Finalize;
            return Turn::Next(rest.len());
        }
        self.response_state = if self.response.in_trailer { State::Finalize } else { State::HeadersEnd };
        Turn::Next(length)
    }

    /// Reads the header fields, and decides on what follows them.
    fn response_headers_end(&mut self, cx: &mut ParseContext<'_>, place: Place) -> Turn {
        let rejected = awaits_continue(self);
        let as_zeek = self.as_zeek;
        if cx.may_fork() && self.transaction(ToClient).is_some_and(HttpTransaction::forks_in_response) {
            return Turn::Fork;
        }
        if cx.files.magic {
            self.look_at_connection(ToClient);
        }
        let Some(transaction) = self.transaction(ToClient) else { return Turn::Fail };
        if transaction.is_interim(as_zeek) {
            transaction.take_interim();
            self.response.disown_line_end();
            self.response_state = State::Line;
            return Turn::Next(0);
        }
        if rejected && matches!(transaction.status, Some(400..=499)) {
            self.request_state = RequestState::Finalize;
        }
        let closes = self.persistence.close;
        let Some(transaction) = self.transaction(ToClient) else { return Turn::Fail };
        transaction.meta.advance(ToClient, LINE);
        let framing =
            if as_zeek { transaction.response_framing_as_zeek() } else { transaction.response_framing() };
        transaction.meta.advance(ToClient, HEADERS);
        transaction.response.by_line = framing == Framing::UntilClose && !closes && !transaction.is_packed();
        let state = match framing {
            Framing::None => State::Finalize,
            Framing::Length(0) => State::Finalize,
            Framing::Length(length) => {
                self.response.left = length;
                State::Identity
            }
            Framing::Chunked => State::ChunkLength,
            Framing::UntilClose => State::UntilClose,
            Framing::Invalid => return Turn::Fail,
        };
        if state != State::Finalize
            && let Some(transaction) = self.transaction(ToClient)
        {
            transaction.meta.advance(ToClient, BODY);
        }
        self.intake(cx, ToClient, place, |intake| intake.prepare());
        self.response_state = state;
        Turn::Next(0)
    }

    fn response_body(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        if rest.is_empty() {
            if self.response.closed {
                self.response_state = State::Finalize;
                return Turn::Next(0);
            }
            return Turn::Wait(0);
        }
        let length = usize::try_from(self.response.left).unwrap_or(usize::MAX).min(rest.len());
        self.response.left -= length as u64;
        self.intake(cx, ToClient, place, |intake| intake.push(head(rest, length)));
        if self.response.left == 0 {
            self.end_of_response_data();
        }
        Turn::Next(length)
    }

    fn end_of_response_data(&mut self) {
        self.response_state =
            if self.response_state == State::ChunkData { State::ChunkEnd } else { State::Finalize };
    }

    fn response_until_close(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        self.intake(cx, ToClient, place, |intake| intake.push(rest));
        if self.response.closed {
            self.response_state = State::Finalize;
            return Turn::Next(rest.len());
        }
        Turn::Wait(rest.len())
    }

    fn response_chunk_length(&mut self, cx: &ParseContext<'_>, rest: &[u8]) -> Turn {
        let Some(position) = self.line_end(cx, ToClient, rest) else {
            if !self.as_zeek && !may_be_chunk_size(rest) {
                if cx.may_fork() {
                    return Turn::Fork;
                }
                return self.broken_chunk();
            }
            if self.response.closed {
                self.response_state = State::Finalize;
                return Turn::Next(rest.len());
            }
            return self.check_length(ToClient, rest.len());
        };
        let length = position + 1;
        let Some(size) = self.size_of_chunk(cx, ToClient, head(rest, length)) else { return Turn::Fork };
        if size == ChunkSize::Invalid {
            return self.broken_chunk();
        }
        let Some(transaction) = self.transaction(ToClient) else { return Turn::Fail };
        transaction.response.message_length += length as u64;
        if let ChunkSize::Bytes { length, extended } = size {
            if extended {
                transaction.odd(Oddity::ResponseChunkExtension);
            }
            if length == 0 {
                transaction.meta.advance(ToClient, TRAILER);
                self.response.in_trailer = true;
                self.response_state = State::Headers;
            } else {
                self.response.left = length;
                self.response_state = State::ChunkData;
            }
        }
        Turn::Next(length)
    }

    /// Not chunked after all: the rest is the body as it is.
    fn broken_chunk(&mut self) -> Turn {
        self.odd(ToClient, Oddity::InvalidResponseChunkLength);
        self.response_state = State::UntilClose;
        Turn::Next(0)
    }

    /// Behind a response: a line that is no status line is more of its body.
    fn response_finalize(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        let as_zeek = self.as_zeek;
        let current = self.transactions.by_id(self.response.current);
        let leaves = current.is_some_and(|tx| tx.switch(as_zeek).is_some());
        if rest.is_empty() || leaves || self.as_zeek {
            return self.response_complete(cx, place);
        }
        let length = if self.response.closed || rest.first() == Some(&b'\n') {
            rest.len()
        } else {
            match self.line_end(cx, ToClient, rest) {
                Some(position) => position + 1,
                // To Zeek the response was over before.
                None if cx.may_fork() => return Turn::Fork,
                None => return self.check_length(ToClient, rest.len()),
            }
        };
        let line = head(rest, length);
        if looks_like_status_line(line) {
            return self.response_complete(cx, place);
        }
        if cx.may_fork() {
            return Turn::Fork;
        }
        self.odd(ToClient, Oddity::ResponseBodyUnexpected);
        self.intake(cx, ToClient, place, |intake| intake.push(line));
        Turn::Next(length)
    }

    /// The response is over.
    pub(super) fn response_complete(&mut self, cx: &mut ParseContext<'_>, place: Place) -> Turn {
        self.intake(cx, ToClient, place, |intake| {
            intake.finish(FileState::Closed);
            intake.inspect_stream();
        });
        let as_zeek = self.as_zeek;
        let switch = match self.transaction(ToClient) {
            Some(transaction) => {
                transaction.meta.advance(ToClient, COMPLETE);
                transaction.switch(as_zeek)
            }
            None => None,
        };
        self.end_frame(cx, ToClient);
        self.count(ToClient);
        if let Some(switch) = switch {
            self.finish_before_switch(cx, place);
            match switch {
                Switch::To(protocol) => cx.request(Request::Upgrade(Some(protocol))),
                Switch::Any => cx.request(Request::Upgrade(None)),
                Switch::Opaque => {}
            }
            return Turn::Leave;
        }
        self.response.current += 1;
        self.response_state = State::Idle;
        Turn::Next(0)
    }

    /// The request whose answer switches to another protocol is over as well.
    fn finish_before_switch(&mut self, cx: &mut ParseContext<'_>, place: Place) {
        if self.request.current == self.response.current
            && !matches!(self.request_state, RequestState::Idle | RequestState::Ignore)
        {
            self.request_complete(cx, place, FileState::Closed);
        }
    }
}

/// Protocol behind a response that ends HTTP/1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Switch {
    /// A protocol by name.
    To(&'static str),
    /// Any protocol: a tunnel.
    Any,
    /// Something that is not looked at.
    Opaque,
}

/// Framing of a response's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Framing {
    None,
    Length(u64),
    Chunked,
    UntilClose,
    Invalid,
}

impl HttpTransaction {
    fn take_status_line(&mut self, line: &[u8]) {
        let parsed = StatusLine::parse(line);
        self.has_status_line = true;
        self.status = parsed.number;
        self.status_range = range_of(line, parsed.status);
        self.reason_range = range_of(line, parsed.reason);
        self.response.protocol = range_of(line, parsed.protocol);
        self.response.version = parsed.version;
        self.response.line = chomp(line).to_vec();
        if parsed.extra {
            self.odd(Oddity::ProtocolContainsExtraData);
        }
        if parsed.version == Version::Invalid {
            self.odd(Oddity::ResponseInvalidProtocol);
        }
        if parsed.number.is_none() {
            self.odd(Oddity::ResponseInvalidStatus);
        }
    }

    fn response_length(&self) -> Option<u64> {
        self.response.headers.value(b"content-length").and_then(content_length).map(|length| length.value)
    }

    /// Whether another response follows this one.
    pub(super) fn is_interim(&self, as_zeek: bool) -> bool {
        if as_zeek {
            return matches!(self.status, Some(100 | 102..=199));
        }
        self.status == Some(100)
            && self.response.headers.value(b"transfer-encoding").is_none()
            && !matches!(self.response_length(), Some(1..))
    }

    /// Remembers an interim response and makes room for the final one.
    fn take_interim(&mut self) {
        if self.interim.is_some() {
            self.odd(Oddity::ContinueAlreadySeen);
        }
        self.interim = Some((self.status.unwrap_or(100), self.reason().unwrap_or_default().to_vec()));
        self.response.headers.clear();
        self.response.line.clear();
        self.has_status_line = false;
        self.status = None;
        self.status_range = 0..0;
        self.reason_range = 0..0;
        self.response.protocol = 0..0;
    }

    /// Returns the protocol after a response that switches to another one.
    fn switch(&self, as_zeek: bool) -> Option<Switch> {
        if self.method == Method::Connect || as_zeek && self.is_connect_to_zeek() {
            return matches!(self.status, Some(200..=299)).then_some(Switch::Any);
        }
        let headers = &self.response.headers;
        let framed =
            headers.value(b"transfer-encoding").is_some() || headers.value(b"content-length").is_some();
        if self.status != Some(101) || framed {
            return None;
        }
        let upgrade = headers.value(b"upgrade").unwrap_or_default();
        Some(if contains_word(upgrade, b"h2c") {
            Switch::To("http2")
        } else if contains_word(upgrade, b"websocket") {
            Switch::To("websocket")
        } else {
            Switch::Opaque
        })
    }

    /// Whether the server took up another protocol that the client offered.
    pub(super) fn is_upgraded(&self) -> bool {
        matches!(self.switch(false), Some(Switch::To(_)))
    }

    pub(super) fn response_framing(&mut self) -> Framing {
        let headers = &self.response.headers;
        let chunked = headers
            .value(b"transfer-encoding")
            .filter(|value| contains_word(value, b"chunked"))
            .map(|value| value.eq_ignore_ascii_case(b"chunked"));
        let coded = headers.value(b"transfer-encoding").is_some();
        let length = headers.value(b"content-length").map(content_length);
        let framed = coded || length.is_some();
        if self.method == Method::Connect && matches!(self.status, Some(200..=299))
            || self.method == Method::Head
        {
            return Framing::None;
        }
        if matches!(self.status, Some(100..=199 | 204 | 304)) {
            if !framed {
                return Framing::None;
            }
            // Browsers show what comes all the same.
            self.odd(match self.status {
                Some(101) => Oddity::SwitchingProtocolWithContentLength,
                _ => Oddity::ResponseBodyUnexpected,
            });
        }
        if let Some(only) = chunked {
            if !only {
                self.odd(Oddity::ResponseAbnormalTransferEncoding);
            }
            if self.response.version < Version::V1_1 {
                self.odd(Oddity::ResponseChunkedOldProtocol);
            }
            return Framing::Chunked;
        }
        match length {
            Some(Some(length)) => {
                self.odd_length(length);
                Framing::Length(length.value)
            }
            Some(None) => {
                self.odd(Oddity::InvalidContentLengthInResponse);
                Framing::Invalid
            }
            None if self.is_multipart_ranges() => {
                self.odd(Oddity::ResponseMultipartByteranges);
                Framing::Invalid
            }
            None => Framing::UntilClose,
        }
    }

    fn is_multipart_ranges(&self) -> bool {
        self.response.headers.value(b"content-type").is_some_and(|value| {
            let (kind, _) = take_while(tail(value, run(value, |byte| byte == b' ')), |byte| byte != b';');
            contains_word(kind, b"multipart/byteranges")
        })
    }
}
