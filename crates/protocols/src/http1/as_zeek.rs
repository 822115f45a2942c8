//! Zeek's reading of what peers read in more than one way: a length that is none counts as zero, a line that is no
//! request or status line ends HTTP, and so does a gap that does not lie within a body. Rules and records expect
//! libhtp's reading; where the two differ the parser forks, and Zeek's logs get the other one's reading.

use weir_applayer::{File, FileState, ParseContext};
use weir_base::Direction::{self, ToClient, ToServer};
use weir_base::Timestamp;

use super::disposition::ContentRange;
use super::entities::holds_entities;
use super::octets::{chomp, head, hex_digit, is_blank, is_token, run, strip_prefix, tail, take_while, trim};
use super::parser::{HttpParser, Place, Turn};
use super::request::{Framing as RequestFraming, RequestState};
use super::request_line::{Method, Version};
use super::response::{Framing as ResponseFraming, ResponseState};
use super::sent::Sent;
use super::transaction::{COMPLETE, HttpTransaction, Message};

/// Shortest method of a request without version.
const MIN_METHOD_0_9: usize = 3;

/// The field that says how a body is sent.
const CODING: &[u8] = b"transfer-encoding";

/// Persistence as one side announces it, which the other one's reading depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Persistence {
    /// The client may send further requests.
    keep_alive: bool,
    /// The server said that it will close the connection.
    pub close: bool,
}

impl Persistence {
    /// Takes in what a message says of the connection.
    pub(super) fn look(&mut self, message: &Message, direction: Direction) {
        let connection = message.headers.value(b"connection").map(first_token).unwrap_or_default();
        match direction {
            ToServer => self.keep_alive |= connection.eq_ignore_ascii_case(b"keep-alive"),
            ToClient => self.close |= connection.eq_ignore_ascii_case(b"close"),
        }
        self.keep_alive |= message.version == Version::V1_1;
    }
}

impl HttpParser {
    /// The header of the message at hand was read: what it says of the connection.
    pub(super) fn look_at_connection(&mut self, direction: Direction) {
        let id = self.side(direction).current;
        if let Some(transaction) = self.transactions.by_id(id) {
            self.persistence.look(transaction.message(direction), direction);
        }
    }

    /// Whether what follows a gap of `length` bytes can still be read.
    pub(super) fn is_within_body(&self, direction: Direction, length: u64) -> bool {
        let (side, in_body) = match direction {
            ToServer => (
                &self.request,
                matches!(self.request_state, RequestState::Identity | RequestState::ChunkData),
            ),
            ToClient => (
                &self.response,
                matches!(self.response_state, ResponseState::Identity | ResponseState::ChunkData),
            ),
        };
        let message = self.transactions.by_id(side.current).map(|tx| tx.message(direction));
        in_body
            && side.left >= length
            && message.is_some_and(|message| {
                message.entity_length + message.missing_length > 0
                    && !message.headers.value(b"content-type").is_some_and(holds_entities)
            })
    }

    /// Messages of which all was seen are over.
    pub(super) fn settle(&mut self, cx: &mut ParseContext<'_>, place: Place) {
        if self.request_state == RequestState::Finalize {
            self.request_complete(cx, place, FileState::Closed);
        }
        if self.response_state == ResponseState::Finalize {
            self.response_complete(cx, place);
        }
    }

    /// Ends the messages under way at a gap: the bytes behind it are not looked at.
    pub(super) fn interrupt(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        place: Place,
        length: u64,
    ) {
        self.intake(cx, direction, place, |intake| intake.interrupted(length));
        self.lose_file(cx, direction, place, length);
        let answering =
            !matches!(self.response_state, ResponseState::Idle | ResponseState::Line | ResponseState::Ignore);
        if direction == ToServer {
            if !matches!(self.request_state, RequestState::Idle | RequestState::Line | RequestState::Ignore) {
                self.request_complete(cx, place, FileState::Truncated);
            }
            self.request_state = RequestState::Ignore;
        }
        if answering {
            self.response_complete(cx, place);
        }
        if answering || direction == ToClient {
            self.response_state = ResponseState::Ignore;
        }
    }

    /// Behind a message with a body, a gap counts as a file of which nothing is there.
    fn lose_file(&mut self, cx: &ParseContext<'_>, direction: Direction, place: Place, length: u64) {
        let idle = match direction {
            ToServer => {
                matches!(self.request_state, RequestState::Idle | RequestState::Line | RequestState::Ignore)
            }
            ToClient => matches!(
                self.response_state,
                ResponseState::Idle | ResponseState::Line | ResponseState::Ignore
            ),
        };
        let id = self.flow.next_entity;
        let side = self.side(direction);
        if !idle || !side.had_body {
            return;
        }
        let new = side.lost.is_none();
        let file = side.lost.get_or_insert_with(|| {
            Box::new(File::open_entity(id, Vec::new(), direction, place.time, cx.files))
        });
        file.gap(length);
        file.last_seen = place.time;
        self.flow.next_entity += u64::from(new);
    }

    /// The connection is over: a transaction that is not, takes what was lost to the logs.
    pub(super) fn hand_on_lost(&mut self, direction: Direction) {
        let newest = self.transactions.created().checked_sub(1);
        if let Some(transaction) = newest.and_then(|id| self.transactions.by_id_mut(id))
            && transaction.meta.progress[direction] < COMPLETE
        {
            let side = match direction {
                ToServer => &mut self.request,
                ToClient => &mut self.response,
            };
            transaction.message_mut(direction).lost_file = side.lost.take();
        }
    }

    /// Passes over what stands between requests; none where a request begins.
    pub(super) fn between_requests(
        &mut self,
        cx: &ParseContext<'_>,
        rest: &[u8],
        time: Timestamp,
    ) -> Option<Turn> {
        let Some(end) = self.line_end(cx, ToServer, rest) else {
            return (!self.request.closed).then(|| self.check_length(ToServer, rest.len()));
        };
        let line = head(rest, end);
        let passed = trim(line).is_empty()
            || self.request.current > 0 && !self.persistence.keep_alive && !is_request_line(line);
        if passed {
            self.pass_over(time);
        }
        passed.then_some(Turn::Next(end + 1))
    }

    /// Notes that a line in place of a request was passed over.
    pub(super) fn pass_over(&mut self, time: Timestamp) {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.passed_over.get_or_insert(time);
        }
    }

    /// Whether a line is a request of HTTP/0.9 behind an answer: what follows of the server is its answer, whatever came
    /// before it.
    pub(super) fn cuts_answers_short(&self, line: &[u8]) -> bool {
        let is_answered = self.response.current > 0
            || !matches!(
                self.response_state,
                ResponseState::Idle | ResponseState::Line | ResponseState::Ignore
            );
        is_answered && is_request_line(chomp(line)) && !names_version(chomp(line))
    }

    /// A request of HTTP/0.9 comes behind an answer, which is over.
    pub(super) fn begin_0_9(&mut self, cx: &mut ParseContext<'_>, place: Place) {
        if !matches!(self.response_state, ResponseState::Idle | ResponseState::Line | ResponseState::Ignore) {
            self.response_complete(cx, place);
        }
        self.response.current = self.request.current;
        self.response_state = ResponseState::Idle;
        if let Some(transaction) = self.transaction(ToServer) {
            transaction.is_version_0_9 = true;
            transaction.replied_before = true;
        }
    }

    /// Whether a line in place of a request is to Zeek what it is to libhtp.
    pub(super) fn is_request_to_both(line: &[u8]) -> bool {
        if line.ends_with(b"\r") {
            return false;
        }
        let line = chomp(line);
        line.is_empty() || is_request_line(line) && hidden_version(line).is_none()
    }

    /// A first line is none: nothing more of the connection is HTTP.
    pub(super) fn refuse(&mut self, direction: Direction, time: Timestamp) {
        if let Some(transaction) = self.transaction(direction) {
            transaction.meta.seen(direction, time);
            transaction.refused = Some(direction);
            transaction.meta.advance(direction, COMPLETE);
        }
        self.request_state = RequestState::Ignore;
        self.response_state = ResponseState::Ignore;
    }
}

impl HttpTransaction {
    /// When the first of the answer's fields came that stands behind the end of the request, which ended since the answer
    /// began: with it Zeek forgets whose fields these are, and their file has no name.
    pub(super) fn lost_entity(&self) -> Option<Timestamp> {
        let (began, ended) = (self.meta.first_seen.to_client, self.request.ended);
        // Behind an interim answer another one begins.
        if began == Timestamp::default() || ended <= began || self.interim.is_some() {
            return None;
        }
        let mut arrivals =
            self.response.headers.sent().filter_map(|field| self.response.arrival(field.start));
        arrivals.find(|&came| ended <= came)
    }

    /// Whether the field that names the answer's file stands behind the end of the request.
    pub(super) fn has_lost_name(&self) -> bool {
        let is_name = |field: &Sent<'_>| field.name.eq_ignore_ascii_case(b"content-disposition");
        let came = || self.response.arrival(self.response.headers.sent().find(is_name)?.start);
        self.lost_entity().is_some_and(|since| came().is_some_and(|came| since <= came))
    }

    /// Returns the framing of the request's body.
    pub(super) fn request_framing_as_zeek(&self) -> RequestFraming {
        let headers = &self.request.headers;
        let length = headers.last(b"content-length").as_deref().map(content_length);
        let nested = headers.value(b"content-type").is_some_and(holds_entities);
        match length {
            _ if !nested && self.is_chunked_as_zeek(ToServer) => RequestFraming::Chunked,
            Some(length) => RequestFraming::Length(length),
            None if nested => RequestFraming::Length(u64::MAX),
            None => RequestFraming::None,
        }
    }

    /// Returns the framing of the response's body.
    pub(super) fn response_framing_as_zeek(&self) -> ResponseFraming {
        let headers = &self.response.headers;
        let bodiless = self.method == Method::Head
            || self.is_connect_to_zeek() && matches!(self.status, Some(200..=299))
            || matches!(self.status, Some(100..=199 | 204 | 304));
        if bodiless {
            return ResponseFraming::None;
        }
        if !headers.value(b"content-type").is_some_and(holds_entities) && self.is_chunked_as_zeek(ToClient) {
            return ResponseFraming::Chunked;
        }
        let range = headers.value(b"content-range").filter(|_| self.status == Some(206));
        let of_range = range.and_then(ContentRange::part).map(|(_, length, _)| length);
        let length = headers.last(b"content-length").as_deref().map(content_length);
        length.max(of_range).map_or(ResponseFraming::UntilClose, ResponseFraming::Length)
    }

    /// Whether the request's body is framed in another way to Zeek than to libhtp.
    pub(super) fn forks_in_request(&mut self) -> bool {
        let length = |framing| match framing {
            RequestFraming::Length(0) => RequestFraming::None,
            framing => framing,
        };
        length(self.request_framing()) != length(self.request_framing_as_zeek())
    }

    /// Whether the response is interim, or its body is framed, in another way to Zeek than to libhtp.
    pub(super) fn forks_in_response(&mut self) -> bool {
        let length = |framing| match framing {
            ResponseFraming::Length(0) => ResponseFraming::None,
            framing => framing,
        };
        match (self.is_interim(false), self.is_interim(true)) {
            (true, true) => false,
            (false, false) => length(self.response_framing()) != length(self.response_framing_as_zeek()),
            _ => true,
        }
    }

    /// Whether the response's body is compressed so that Zeek undoes it.
    pub(super) fn is_packed(&self) -> bool {
        self.response.headers.value(b"content-encoding").is_some_and(is_packing)
    }

    /// Whether Zeek takes the request for one of a tunnel: to it the beginning of CONNECT is enough, in any letters.
    pub(super) fn is_connect_to_zeek(&self) -> bool {
        let method = self.method_text().unwrap_or_default();
        !method.is_empty() && head(b"CONNECT", method.len()).eq_ignore_ascii_case(method)
    }

    fn is_chunked_as_zeek(&self, direction: Direction) -> bool {
        let message = self.message(direction);
        let headers = &message.headers;
        let is_chunked = |value: &[u8]| first_token(value).eq_ignore_ascii_case(b"chunked");
        let is_coding = |name: &[u8]| name.eq_ignore_ascii_case(CODING);
        message.version == Version::V1_1
            && match headers.only(CODING) {
                None => false,
                Some(Some(value)) => is_chunked(value),
                Some(None) => headers.sent().any(|field| is_coding(field.name) && is_chunked(&field.value)),
            }
    }
}

/// Whether a `Content-Encoding` is one that Zeek undoes.
pub(super) fn is_packing(value: &[u8]) -> bool {
    let coding = first_token(value);
    [&b"gzip"[..], b"x-gzip", b"deflate"].iter().any(|name| coding.eq_ignore_ascii_case(name))
}

/// The word at the beginning of a value.
pub(super) fn first_token(value: &[u8]) -> &[u8] {
    take_while(tail(value, run(value, is_blank)), is_token).0
}

/// A `Content-Length`; zero where it is none.
fn content_length(value: &[u8]) -> u64 {
    let (digits, _) = take_while(first_token(value), |byte| byte.is_ascii_digit());
    super::octets::decimal(digits).filter(|&length| i64::try_from(length).is_ok()).unwrap_or_default()
}

/// The size in a chunk's first line; zero, as of the last chunk, where it is none.
pub(super) fn chunk_size(line: &[u8]) -> (u64, bool) {
    let (digits, rest) = take_while(line, |byte| byte.is_ascii_hexdigit());
    let size = digits.iter().try_fold(0u64, |size, &digit| {
        size.checked_mul(16)?.checked_add(hex_digit(digit)?.into()).filter(|&size| size <= i64::MAX as u64)
    });
    let bad = digits.is_empty() && !trim(rest).is_empty() || size.is_none();
    (size.unwrap_or_default(), bad)
}

/// Whether a line begins a request: a method, white space, a target, and perhaps a version.
pub(super) fn is_request_line(line: &[u8]) -> bool {
    let (method, rest) = take_while(line, is_token);
    let (white, rest) = take_while(rest, is_blank);
    if method.is_empty() || white.is_empty() {
        return false;
    }
    let rest = trim(rest);
    if method.len() >= MIN_METHOD_0_9 {
        return !rest.is_empty();
    }
    names_version(line)
}

/// Where the first line ends, searched for from `start` on: at its line feed, or at a carriage return that something else
/// follows.
pub(super) fn line_end(bytes: &[u8], start: usize) -> Option<usize> {
    let end = start + memchr::memchr2(b'\n', b'\r', tail(bytes, start))?;
    match tail(bytes, end) {
        [b'\r'] => None,
        [b'\r', b'\n', ..] => Some(end + 1),
        _ => Some(end),
    }
}

/// Where the version of a request's line stands that no white space parts from the target: anywhere behind the first
/// character that no target may hold.
pub(super) fn hidden_version(line: &[u8]) -> Option<usize> {
    let (_, rest) = take_while(line, is_token);
    let last = memchr::memrchr2(b' ', b'\t', rest)?;
    if strip_prefix(tail(rest, last + 1), b"http/").is_some() {
        return None;
    }
    let odd = run(rest, is_blank);
    let odd = tail(rest, odd + run(tail(rest, odd), is_of_target));
    let before = odd.windows(6).position(|part| strip_prefix(tail(part, 1), b"http/").is_some())?;
    let is_apart = odd.get(before).is_some_and(|&byte| is_blank(byte));
    (!is_apart).then_some(line.len() - odd.len() + before + 1)
}

/// Whether a target may hold a byte.
fn is_of_target(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b":/?#[]@!$&'()*+,;=-_.~%\0".contains(&byte)
}

/// Whether a request's line has a version behind its method.
fn names_version(line: &[u8]) -> bool {
    let (_, rest) = take_while(line, is_token);
    let rest = trim(rest);
    strip_prefix(rest, b"http/").is_some()
        || hidden_version(line).is_some()
        || rest
            .windows(6)
            .any(|part| matches!(part, [b' ' | b'\t', word @ ..] if word.eq_ignore_ascii_case(b"http/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let cases: [(&[u8], u64); 7] = [
            (b"12", 12),
            (b" 12abc", 12),
            (b"-1", 0),
            (b"+1", 0),
            (b"x", 0),
            (b"9223372036854775807", i64::MAX as u64),
            (b"9223372036854775808", 0),
        ];
        for (text, expected) in cases {
            assert_eq!(content_length(text), expected, "{text:?}");
        }
        let cases: [(&[u8], (u64, bool)); 6] = [
            (b"1a", (26, false)),
            (b"5;name=value", (5, false)),
            (b"0", (0, false)),
            (b"", (0, false)),
            (b"x", (0, true)),
            (b"10000000000000000", (0, true)),
        ];
        for (text, expected) in cases {
            assert_eq!(chunk_size(text), expected, "{text:?}");
        }
    }

    #[test]
    fn ends_of_lines() {
        let cases: [(&[u8], usize, Option<usize>); 8] = [
            (b"a\nb", 0, Some(1)),
            (b"a\r\nb", 0, Some(2)),
            (b"a\rb\n", 0, Some(1)),
            (b"a\r\r\n", 0, Some(1)),
            (b"a\rb\n", 2, Some(3)),
            (b"a\r", 0, None),
            (b"a\r", 1, None),
            (b"a", 1, None),
        ];
        for (bytes, start, expected) in cases {
            assert_eq!(line_end(bytes, start), expected, "{bytes:?}");
        }
    }

    #[test]
    fn versions_that_no_white_space_parts_from_targets() {
        let cases: [(&[u8], Option<usize>); 9] = [
            (b"GET /a<HTTP/1.1", Some(7)),
            (b"GET \xffhttp/1.1 ", Some(5)),
            (b"GET /a b-HTTP/1.1", Some(9)),
            (b"GET /a HTTP/1.1", None),
            (b"GET /a<b HTTP/1.1 ", None),
            (b"GET /aHTTP/1.1", None),
            (b"GET /a<HTTP", None),
            (b"GET HTTP/1.1", None),
            (b"GET", None),
        ];
        for (line, expected) in cases {
            assert_eq!(hidden_version(line), expected, "{line:?}");
        }
    }

    #[test]
    fn versions_of_requests() {
        let cases: [(&[u8], bool); 6] = [
            (b"GET / HTTP/1.1", true),
            (b"GET /\"HTTP/1.1", true),
            (b"GET http/1.0", true),
            (b"GET /", false),
            (b"GET /HTTP/1.1", false),
            (b"GET", false),
        ];
        for (line, expected) in cases {
            assert_eq!(names_version(line), expected, "{line:?}");
        }
    }

    #[test]
    fn request_lines() {
        let cases: [(&[u8], bool); 8] = [
            (b"GET / HTTP/1.1", true),
            (b"X /a b HTTP/1.0 ", true),
            (b"GET /", true),
            (b"GE /", false),
            (b"GET", false),
            (b"GET ", false),
            (b"{\"a\": 1}", false),
            (b"\x16\x03\x01 /", false),
        ];
        for (line, expected) in cases {
            assert_eq!(is_request_line(line), expected, "{line:?}");
        }
    }
}
