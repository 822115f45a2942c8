//! The client's side: from line to line, header to body, request to request.
//!
//! The framing follows RFC 9112 sections 6 and 7 the way libhtp does it: `Transfer-Encoding` goes
//! before `Content-Length`, lines that are no request after a body are more body.

use weir_applayer::{FileState, ParseContext};
use weir_base::Direction::ToServer;

use super::anomaly::Oddity;
use super::as_zeek::{hidden_version, is_request_line};
use super::authority;
use super::authorization::Authorization;
use super::length::{ChunkSize, content_length, may_be_chunk_size};
use super::octets::{chomp, contains_word, head, is_blank, is_space, run, tail, take_while};
use super::parser::{HttpParser, Place, Turn};
use super::request_line::{Method, RequestLine, Version};
use super::transaction::{BODY, COMPLETE, HEADERS, HttpTransaction, LINE, TRAILER, range_of};
use super::uri::{Target, normalize};

/// Longest white space after a line without protocol that still makes it a request of HTTP/0.9.
const MAX_JUNK_AFTER_0_9: usize = 16;

/// Most bytes kept of what a client sends before the answer to its CONNECT.
const MAX_BEFORE_ANSWER: usize = 65_536;

/// Where more requests than this wait for answers, those to come take no more memory than they need.
const FEW_REQUESTS: usize = 8;

/// Where the client's side is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RequestState {
    /// Between requests.
    Idle,
    Line,
    /// Behind the line: is it one of HTTP/0.9?
    Protocol,
    Headers,
    /// Behind the header, of which all was seen or not.
    HeadersEnd(bool),
    /// Behind a CONNECT, waiting for its answer.
    ConnectWait,
    /// In a body of known length.
    Identity,
    ChunkLength,
    ChunkData,
    ChunkEnd,
    /// Behind the request: is what follows another one?
    Finalize,
    /// Nothing more is expected after a request of HTTP/0.9.
    Ignore,
}

use RequestState as State;

impl HttpParser {
    pub(super) fn request_turn(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        match self.request_state {
            State::Idle => self.request_idle(cx, rest, place),
            State::Line => self.request_line(cx, rest, place),
            State::Protocol => self.request_protocol(rest),
            State::Headers => self.request_headers(cx, rest, place),
            State::HeadersEnd(done) => self.request_headers_end(cx, place, done),
            State::ConnectWait => self.connect_wait(rest),
            State::Identity | State::ChunkData => self.request_body(cx, rest, place),
            State::ChunkLength => self.request_chunk_length(cx, rest),
            State::ChunkEnd => self.end_chunk(cx, ToServer, rest),
            State::Finalize => self.request_finalize(cx, rest, place),
            State::Ignore => Turn::Wait(rest.len()),
        }
    }

    /// `length` bytes of the client were not seen. Rules and records are told of a gap that reaches beyond a body, or is anywhere
    /// else: within chunks, too, whose lengths then count what follows.
    pub(super) fn request_gap(&mut self, cx: &mut ParseContext<'_>, place: Place, length: u64) {
        match self.request_state {
            State::ChunkData if !self.as_zeek => self.invalid_gap(),
            State::Identity | State::ChunkData => {
                let lost = length.min(self.request.left);
                self.request.left -= lost;
                self.request.position += lost;
                self.intake(cx, ToServer, place, |intake| intake.gap(lost));
                if self.request.left == 0 {
                    self.end_of_request_data(cx, place);
                    if self.request_state == State::Finalize {
                        self.end_at_request_gap(cx, place);
                    }
                }
            }
            State::Finalize => self.end_at_request_gap(cx, place),
            State::Ignore => {}
            State::Idle if self.request.current == 0 => {}
            _ => self.invalid_gap(),
        }
        let id = self.request.current;
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.request.missing_bytes = true;
        }
    }

    fn end_at_request_gap(&mut self, cx: &mut ParseContext<'_>, place: Place) {
        self.request_complete(cx, place, FileState::Closed);
        if self.request_state != State::Ignore {
            self.invalid_gap();
        }
    }

    fn request_idle(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        if rest.is_empty() {
            return Turn::Wait(0);
        }
        if self.as_zeek
            && let Some(turn) = self.between_requests(cx, rest, place.time)
        {
            return turn;
        }
        let Some(transaction) = self.transaction(ToServer) else { return Turn::Fail };
        transaction.meta.seen(ToServer, place.time);
        self.begin_frame(cx, ToServer);
        self.request_state = State::Line;
        Turn::Next(0)
    }

    fn request_line(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        let length = match self.line_end(cx, ToServer, rest) {
            Some(position) => position + 1,
            None if self.request.closed && !rest.is_empty() => rest.len(),
            None => return self.check_length(ToServer, rest.len()),
        };
        if self.check_length(ToServer, length) == Turn::Fail {
            return Turn::Fail;
        }
        let line = head(rest, length);
        if cx.may_fork() && (!Self::is_request_to_both(line) || self.cuts_answers_short(line)) {
            return Turn::Fork;
        }
        if matches!(line, b"\r" | b"\n" | b"\r\n") {
            self.pass_over(place.time);
            return Turn::Next(length);
        }
        let settings = self.settings.clone();
        let as_zeek = self.as_zeek;
        let Some(transaction) = self.transaction(ToServer) else { return Turn::Fail };
        transaction.meta.seen(ToServer, place.time);
        transaction.asked = place.time;
        let mut line = chomp(line);
        transaction.request.line = line.to_vec();
        if settings.nul_ends_request_line {
            (line, _) = take_while(line, |byte| byte != 0);
        }
        let mut parsed = RequestLine::parse(line, settings.uri.allow_space);
        if as_zeek && let Some(place) = hidden_version(line) {
            parsed.end_target_at(line, place);
        }
        transaction.take_request_line(line, &parsed, &settings.uri);
        self.request_state = State::Protocol;
        if self.as_zeek && !is_request_line(line) {
            self.refuse(ToServer, place.time);
        } else if self.as_zeek && self.cuts_answers_short(line) {
            self.begin_0_9(cx, place);
        }
        Turn::Next(length)
    }

    fn request_protocol(&mut self, rest: &[u8]) -> Turn {
        let Some(transaction) = self.transaction(ToServer) else { return Turn::Fail };
        transaction.meta.advance(ToServer, LINE);
        if transaction.is_version_0_9 && !transaction.replied_before {
            let white = run(rest, is_space);
            if white == rest.len() && white <= MAX_JUNK_AFTER_0_9 {
                self.request_state = State::Finalize;
                return Turn::Next(0);
            }
            transaction.is_version_0_9 = false;
            transaction.odd(Oddity::RequestLineMissingProtocol);
        }
        self.request.in_trailer = false;
        self.request_state = State::Headers;
        Turn::Next(0)
    }

    fn request_headers(&mut self, cx: &ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        let (length, done) = match self.fields(cx, ToServer, rest, place.time) {
            Ok(found) => found,
            Err(turn) => return turn,
        };
        if !done && !self.request.closed {
            return Turn::Wait(length);
        }
        let Some(transaction) = self.transaction(ToServer) else { return Turn::Fail };
        transaction.meta.seen(ToServer, place.time);
        if self.request.in_trailer {
            self.request_state = State::Finalize;
            return Turn::Next(length);
        }
        self.request_state = State::HeadersEnd(done);
        Turn::Next(if done { length } else { rest.len() })
    }

    /// Reads the header fields, and decides on what follows them.
    fn request_headers_end(&mut self, cx: &mut ParseContext<'_>, place: Place, done: bool) -> Turn {
        let as_zeek = self.as_zeek;
        if cx.may_fork() && self.transaction(ToServer).is_some_and(HttpTransaction::forks_in_request) {
            return Turn::Fork;
        }
        if cx.files.magic {
            self.look_at_connection(ToServer);
        }
        let Some(transaction) = self.transaction(ToServer) else { return Turn::Fail };
        let framing = transaction.take_request_headers(as_zeek);
        transaction.meta.advance(ToServer, HEADERS);
        let method = transaction.method;
        let has_body = matches!(framing, Framing::Chunked) || matches!(framing, Framing::Length(1..));
        if has_body && done && method != Method::Connect {
            transaction.meta.advance(ToServer, BODY);
        }
        self.intake(cx, ToServer, place, |intake| intake.prepare());
        self.request_state = match framing {
            _ if !done => State::Finalize,
            _ if method == Method::Connect => State::ConnectWait,
            Framing::Chunked => State::ChunkLength,
            Framing::Length(0) | Framing::None => State::Finalize,
            Framing::Length(length) => {
                self.request.left = length;
                State::Identity
            }
            Framing::Invalid => return Turn::Fail,
        };
        Turn::Next(0)
    }

    fn connect_wait(&mut self, rest: &[u8]) -> Turn {
        let closed = self.request.closed;
        let Some(transaction) = self.transaction(ToServer) else { return Turn::Fail };
        if transaction.has_status_line || closed {
            self.request_state = State::Finalize;
            return Turn::Next(0);
        }
        // A client may speak before it is let to; only so much is kept for what comes then.
        Turn::Wait(if rest.len() > MAX_BEFORE_ANSWER { rest.len() } else { 0 })
    }

    fn request_body(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        if rest.is_empty() {
            if self.request.closed {
                self.request_complete(cx, place, FileState::Truncated);
            }
            return Turn::Wait(0);
        }
        let length = usize::try_from(self.request.left).unwrap_or(usize::MAX).min(rest.len());
        self.request.left -= length as u64;
        self.intake(cx, ToServer, place, |intake| intake.push(head(rest, length)));
        if self.request.left == 0 {
            self.end_of_request_data(cx, place);
        }
        Turn::Next(length)
    }

    fn end_of_request_data(&mut self, cx: &mut ParseContext<'_>, place: Place) {
        if self.request_state == State::ChunkData {
            self.request_state = State::ChunkEnd;
            return;
        }
        self.intake(cx, ToServer, place, |intake| intake.finish(FileState::Closed));
        self.request_state = State::Finalize;
    }

    fn request_chunk_length(&mut self, cx: &ParseContext<'_>, rest: &[u8]) -> Turn {
        let Some(position) = self.line_end(cx, ToServer, rest) else {
            if !self.as_zeek && !may_be_chunk_size(rest) {
                if cx.may_fork() {
                    return Turn::Fork;
                }
                self.odd(ToServer, Oddity::InvalidRequestChunkLength);
                return Turn::Fail;
            }
            if self.request.closed {
                self.request_state = State::Finalize;
                return Turn::Next(rest.len());
            }
            return self.check_length(ToServer, rest.len());
        };
        let length = position + 1;
        let Some(size) = self.size_of_chunk(cx, ToServer, head(rest, length)) else { return Turn::Fork };
        let Some(transaction) = self.transaction(ToServer) else { return Turn::Fail };
        transaction.request.message_length += length as u64;
        match size {
            ChunkSize::Empty => {}
            ChunkSize::Bytes { length, extended } => {
                if extended {
                    transaction.odd(Oddity::RequestChunkExtension);
                }
                if length == 0 {
                    transaction.meta.advance(ToServer, TRAILER);
                    self.request.in_trailer = true;
                    self.request_state = State::Headers;
                } else {
                    self.request.left = length;
                    self.request_state = State::ChunkData;
                }
            }
            ChunkSize::TooLarge | ChunkSize::Invalid => {
                transaction.odd(Oddity::InvalidRequestChunkLength);
                return Turn::Fail;
            }
        }
        Turn::Next(length)
    }

    /// Behind a request: a line that is none is more of its body.
    fn request_finalize(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], place: Place) -> Turn {
        if rest.is_empty() || self.as_zeek {
            self.request_complete(cx, place, FileState::Closed);
            return Turn::Next(0);
        }
        let feed = self.line_end(cx, ToServer, rest);
        if feed.is_none() && !self.request.closed {
            // To Zeek the request was over before.
            if cx.may_fork() {
                return Turn::Fork;
            }
            return self.check_length(ToServer, rest.len());
        }
        let line = head(rest, feed.unwrap_or(rest.len()));
        let length = feed.map_or(rest.len(), |position| position + 1);
        let (method, _) = take_while(tail(line, run(line, is_space)), |byte| !is_space(byte));
        if !method.is_empty() && Method::named(method) != Method::Unknown {
            self.request_complete(cx, place, FileState::Closed);
            return Turn::Next(0);
        }
        if cx.may_fork() {
            return Turn::Fork;
        }
        if !method.is_empty() {
            self.odd(ToServer, Oddity::RequestBodyUnexpected);
        }
        self.intake(cx, ToServer, place, |intake| intake.push(head(rest, length)));
        Turn::Next(length)
    }

    /// The request is over.
    pub(super) fn request_complete(&mut self, cx: &mut ParseContext<'_>, place: Place, state: FileState) {
        self.intake(cx, ToServer, place, |intake| {
            intake.finish(state);
            intake.inspect_stream();
        });
        let mut next = State::Idle;
        let waits_long = self.transactions.len() > FEW_REQUESTS;
        if let Some(transaction) = self.transaction(ToServer) {
            if waits_long {
                transaction.request.headers.shrink();
            }
            transaction.meta.advance(ToServer, COMPLETE);
            transaction.request.ended = cx.time;
            if transaction.is_version_0_9 {
                next = State::Ignore;
            }
        }
        self.end_frame(cx, ToServer);
        self.count(ToServer);
        self.request.current += 1;
        self.request_state = next;
    }
}

/// Framing of a request's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Framing {
    None,
    Length(u64),
    Chunked,
    Invalid,
}

impl HttpTransaction {
    fn take_request_line(
        &mut self,
        line: &[u8],
        parsed: &RequestLine<'_>,
        settings: &super::uri::UriSettings,
    ) {
        self.has_request = true;
        self.method = Method::named(parsed.method);
        self.method_range = range_of(line, Some(parsed.method));
        self.target_range = range_of(line, parsed.target);
        self.request.protocol = range_of(line, parsed.protocol);
        self.request.version = parsed.version;
        self.is_version_0_9 = parsed.protocol.is_none();
        for &oddity in &parsed.oddities {
            self.odd(oddity);
        }
        if self.is_version_0_9 && self.method == Method::Unknown {
            self.odd(Oddity::RequestLineInvalid);
        }
        let text = parsed.target.unwrap_or_default();
        let target =
            if self.method == Method::Connect { Target::parse_authority(text) } else { Target::parse(text) };
        let normalized = normalize(&target, settings);
        if normalized.double_encoded {
            self.odd(Oddity::DoubleEncodedUri);
        }
        let valid = normalized.host.as_deref().is_none_or(authority::is_valid_host);
        let port = target.port.map(authority::port_number);
        if !valid || port == Some(None) {
            self.odd(Oddity::UriHostInvalid);
        }
        self.port = port.flatten();
        self.target_host = target.host.map(|host| range_of(line, Some(host)));
        self.host = normalized.host;
        self.path = normalized.path;
        self.uri = normalized.text;
    }

    /// Reads what the header fields say of host, user and body.
    fn take_request_headers(&mut self, as_zeek: bool) -> Framing {
        let framing = if as_zeek { self.request_framing_as_zeek() } else { self.request_framing() };
        self.take_host();
        if let Some(value) = self.request.headers.value(b"authorization") {
            let authorization = Authorization::parse(value);
            if authorization == Authorization::Unrecognized {
                self.odd(Oddity::AuthorizationUnrecognized);
            }
            self.authorization = Some(authorization);
        }
        framing
    }

    pub(super) fn request_framing(&mut self) -> Framing {
        let headers = &self.request.headers;
        if let Some(value) = headers.value(b"transfer-encoding") {
            if !contains_word(value, b"chunked") {
                self.odd(Oddity::InvalidTransferEncodingInRequest);
                return Framing::Invalid;
            }
            if self.request.version < Version::V1_1 {
                self.odd(Oddity::InvalidTransferEncodingInRequest);
            }
            return Framing::Chunked;
        }
        let Some(value) = headers.value(b"content-length") else { return Framing::None };
        match content_length(value) {
            Some(length) => {
                self.odd_length(length);
                Framing::Length(length.value)
            }
            None => {
                self.odd(Oddity::InvalidContentLengthInRequest);
                Framing::Invalid
            }
        }
    }

    /// Notes what stands around the number of a `Content-Length`.
    pub(super) fn odd_length(&mut self, length: super::length::ContentLength) {
        if length.junk_before {
            self.odd(Oddity::ContentLengthExtraDataStart);
        }
        if length.junk_after {
            self.odd(Oddity::ContentLengthExtraDataEnd);
        }
    }

    /// The host: that of the target goes before the `Host` field.
    fn take_host(&mut self) {
        let Some(value) = self.request.headers.value(b"host") else {
            if self.request.version >= Version::V1_1 {
                self.odd(Oddity::MissingHostHeader);
            }
            return;
        };
        let value = tail(value, run(value, is_blank));
        let Some(found) = authority::split(value) else {
            if self.host.is_some() {
                self.odd(Oddity::HostHeaderAmbiguous);
            }
            return;
        };
        let (host, port, valid) = (found.host.to_ascii_lowercase(), found.port, found.is_valid());
        let number = found.port_number();
        let has_port = port.is_some();
        if !valid {
            self.odd(Oddity::HeaderHostInvalid);
        }
        match &self.host {
            None => {
                self.host = Some(host);
                if has_port {
                    self.port = number;
                }
            }
            Some(known) => {
                let same_port = !has_port || self.port.is_none() || self.port == number;
                if !known.eq_ignore_ascii_case(&host) || !same_port {
                    self.odd(Oddity::HostHeaderAmbiguous);
                }
            }
        }
    }
}

/// Whether the client waits for a leave to send its body, and has not begun.
pub(super) fn awaits_continue(parser: &HttpParser) -> bool {
    let id = parser.response.current;
    parser.request.current == id
        && parser.request_state == State::Identity
        && parser.transactions.by_id(id).is_some_and(|transaction| {
            transaction.request.message_length == 0
                && transaction.request.headers.value(b"expect").is_some_and(|value| value == b"100-continue")
        })
}
