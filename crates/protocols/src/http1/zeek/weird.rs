//! Weirds of an exchange, by Zeek's names.

mod header;

use memchr::memmem;
use weir_applayer::zeek::{Begun, Oddity, Watch, Watching};
use weir_applayer::{Transport, ZeekSink};
use weir_base::{Direction, Timestamp};

use super::super::as_zeek::{first_token, is_request_line};
use super::super::octets::{
    chomp, head, hex_digit, is_blank, is_token, strip_prefix, tail, take_while, trim,
};
use super::super::request_line::Version;
use super::super::transaction::HttpTransaction;
use super::{NO_VERSION, VERSION_0_9, is_answered_0_9, version_of};

/// A side speaks another version than before.
const VERSION_MISMATCH: &str = "HTTP_version_mismatch";

/// A request of HTTP/0.9 comes behind an answer.
const REPLY_BEFORE_0_9: &str = "http_09_reply_before_request";

/// A body's compression broke.
const INFLATE_FAILED: &str = "inflate_failed";

/// Entities are too deep within each other: nothing more is read of them.
const TOO_DEEP: &str = "exceeded_mime_max_depth";

/// Length of a protocol's shortest name with a version.
const SHORTEST_PROTOCOL: usize = 8;

/// Most requests that may wait for answers.
const MAX_PENDING: usize = 100;

/// Tells of each oddity once for a connection.
#[derive(Default)]
pub struct Oddities {
    told: Vec<&'static str>,
    /// The version that each side spoke first.
    versions: [Option<Vec<u8>>; 2],
    /// There was a request.
    asked: bool,
    /// Somebody said, or spoke a version by which it goes without saying, that there may be several.
    keep_alive: bool,
    /// There was an answer that nobody asked for, and no request since.
    answered_early: bool,
    /// Number of requests since the last one that was answered.
    unanswered: usize,
}

impl Oddities {
    /// Tells of a line in place of a request, empty or nonsense, that was passed over.
    pub fn passed_over(&mut self, time: Timestamp, sink: &mut dyn ZeekSink) {
        let mut names = vec!["bad_HTTP_request"];
        if !self.asked || self.keep_alive {
            names.push("empty_http_request");
        }
        for name in names {
            if is_new(&mut self.told, name) {
                sink.weird(time, name, None);
            }
        }
    }

    /// Tells of a line that is no request.
    pub fn refused(&mut self, tx: &HttpTransaction, sink: &mut dyn ZeekSink) {
        let line = &tx.request.line;
        // Words without a version are those of HTTP/0.9.
        let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
        let [known, _] = &self.versions;
        let is_0_9 = words.next().is_some_and(|method| method.iter().all(u8::is_ascii_alphabetic))
            && words.next().is_some();
        let differs = known.as_deref().is_some_and(|known| known != VERSION_0_9);
        if is_0_9 && differs && is_new(&mut self.told, VERSION_MISMATCH) {
            sink.weird(tx.request_time(), VERSION_MISMATCH, None);
        }
        sink.weird(tx.request_time(), bad_request(Begun::Nothing, line), None);
    }

    /// Looks at a request.
    fn request(&mut self, tx: &HttpTransaction, sink: &mut dyn ZeekSink) {
        let start = tx.request_time();
        let line = &tx.request.line;
        let (method, rest) = take_while(line, is_token);
        if strip_prefix(trim(rest), b"http/")
            .is_some_and(|version| !version.iter().any(|&byte| is_blank(byte)))
            && is_new(&mut self.told, "missing_HTTP_uri")
        {
            sink.weird(start, "missing_HTTP_uri", None);
        }
        self.keep_alive |= tx.request.version == Version::V1_1;
        let unexpected = std::mem::replace(&mut self.asked, true) && !self.keep_alive;
        if unexpected && is_new(&mut self.told, "unexpected_multiple_HTTP_requests") {
            sink.weird(start, "unexpected_multiple_HTTP_requests", None);
        }
        if !METHODS.contains(&method) && is_new(&mut self.told, "unknown_HTTP_method") {
            let method = String::from_utf8_lossy(method);
            sink.weird_of(start, "unknown_HTTP_method", Some(&method), None);
        }
        let token = tx.request.headers.value(b"connection").map(first_token).unwrap_or_default();
        self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
        if tx.is_version_0_9 && method != b"GET" && is_new(&mut self.told, "invalid_http_09_request_method") {
            sink.weird(start, "invalid_http_09_request_method", Some(&String::from_utf8_lossy(method)));
        }
        if tx.replied_before && is_new(&mut self.told, REPLY_BEFORE_0_9) {
            sink.weird(start, REPLY_BEFORE_0_9, None);
        }
        let mut out_of_step = |name| {
            if is_new(&mut self.told, name) {
                sink.weird_of(start, name, None, None);
            }
        };
        if std::mem::take(&mut self.answered_early) {
            out_of_step("HTTP_response_before_request");
        }
        if self.unanswered > MAX_PENDING {
            out_of_step("HTTP_excessive_pipelining");
        }
        self.unanswered = if tx.has_status_line { 0 } else { self.unanswered + 1 };
    }

    /// Returns whether entities are too deep within each other, and that was not told.
    pub fn has_depth(&self, tx: &HttpTransaction) -> bool {
        let entities =
            [&tx.request, &tx.response].into_iter().filter_map(|message| message.entities.as_ref());
        entities.into_iter().any(|entities| entities.too_deep) && !self.told.contains(&TOO_DEEP)
    }

    /// Looks at how deep entities are within each other, as soon as they are.
    pub fn depth(&mut self, tx: &HttpTransaction, sink: &mut dyn ZeekSink) {
        for message in [&tx.request, &tx.response] {
            if let Some(entities) = message.entities.as_ref().filter(|entities| entities.too_deep)
                && is_new(&mut self.told, TOO_DEEP)
            {
                let start = tx.request_time();
                let ts = entities.files.last().map_or(start, |file| file.last_seen);
                // The history tells of it to scripts alone, as versions of Zeek differ.
                if sink.settings().is_some() {
                    sink.limit_reached(ts, TOO_DEEP, Some("100"));
                } else {
                    sink.weird(ts, TOO_DEEP, Some("100"));
                }
            }
        }
    }

    /// Looks at an exchange whose row is written.
    pub fn look(&mut self, tx: &HttpTransaction, sink: &mut dyn ZeekSink) {
        if tx.has_request {
            self.request(tx, sink);
        } else {
            self.answered_early |= tx.has_status_line;
        }
        self.keep_alive |= tx.response.version == Version::V1_1;
        let mut tell = |ts: Timestamp, name: &'static str, addl: Option<&[u8]>| {
            if is_new(&mut self.told, name) {
                let addl = addl.map(String::from_utf8_lossy);
                sink.weird(ts, name, addl.as_deref());
            }
        };
        for (direction, known) in
            [Direction::ToServer, Direction::ToClient].into_iter().zip(&mut self.versions)
        {
            let ts = match direction {
                Direction::ToServer => tx.request_time(),
                Direction::ToClient => tx.meta.first_seen.to_client,
            };
            if let Some(line) = &tx.message(direction).bad_chunk {
                tell(ts, "HTTP_bad_chunk_size", Some(line));
            }
            header::look(tx, direction, ts, &mut tell);
            match (known, spoken(tx, direction)) {
                (known @ None, spoken) => {
                    *known = spoken.filter(|&version| version != NO_VERSION).map(<[u8]>::to_vec);
                }
                (Some(known), Some(spoken)) if *known != spoken => tell(ts, VERSION_MISMATCH, None),
                _ => {}
            }
        }
        if let Some(came) = tx.lost_entity() {
            tell(came, "missing_HTTP_entity", None);
        }
        let start = tx.request_time();
        if let Some(target) = tx.target().filter(|_| tx.has_request) {
            percent(target, &mut |name| tell(start, name, None));
        }
        match tx.target() {
            Some([.., b'%']) if tx.has_request => tell(start, "illegal_%_at_end_of_URI", None),
            Some([.., b'%', digit]) if tx.has_request && hex_digit(*digit).is_some() => {
                tell(start, "partial_escape_at_end_of_URI", None);
            }
            _ => {}
        }
        if tx.has_request && has_odd_keyword(&tx.request.line) {
            tell(start, "lowercase_HTTP_keyword", None);
        }
        if tx.response.line.starts_with(b"http/") {
            tell(tx.meta.first_seen.to_client, "lowercase_HTTP_keyword", None);
        }
        for message in [&tx.request, &tx.response] {
            if let Some(ts) = message.entities.as_ref().and_then(|entities| entities.nested_coding) {
                tell(ts, "HTTP_nested_transfer_encoding_header", None);
            }
            if let Some(ts) = message.entities.as_ref().and_then(|entities| entities.bare_line) {
                tell(ts, "http_no_crlf_in_header_list", None);
            }
        }
        let failed = [&tx.request, &tx.response].into_iter().find_map(|message| message.inflate_failed);
        if let Some(ts) = failed.filter(|_| is_new(&mut self.told, INFLATE_FAILED)) {
            sink.weird_of(ts, INFLATE_FAILED, None, Some("ZIP"));
        }
    }
}

/// The version that one side of an exchange speaks.
fn spoken(tx: &HttpTransaction, direction: Direction) -> Option<&[u8]> {
    match direction {
        Direction::ToServer if tx.is_version_0_9 => return Some(VERSION_0_9),
        Direction::ToClient if !tx.has_status_line => return is_answered_0_9(tx).then_some(VERSION_0_9),
        _ => {}
    }
    tx.message(direction).protocol().filter(|text| text.len() >= SHORTEST_PROTOCOL).map(version_of)
}

/// Weirds at the beginning of connections to ports of HTTP, which Zeek takes for a request.
pub static WATCH: Watch = Watch {
    transport: Transport::Tcp,
    ports: &[80, 81, 631, 1080, 3128, 8000, 8080, 8888],
    most: Some(4),
    midway: false,
    look: |originator, payload, _, begun, tell| {
        if !originator {
            // A line that answers before it was asked, and not as HTTP does, is none.
            let is_alien = payload.contains(&b'\n') && !payload.starts_with(b"HTTP/");
            return if is_alien { Watching::Over } else { Watching::On };
        }
        let mut tell = |name, source| tell(Oddity { name, addl: None, source });
        let feed = memchr::memchr(b'\n', payload);
        let line = feed.map(|feed| chomp(head(payload, feed)));
        let lines = match line {
            // Behind the header there are no lines.
            Some(line) if is_request_line(line) => header(payload),
            _ => payload,
        };
        if has_bare_return(lines) {
            tell("line_terminated_with_single_CR", "CONTENTLINE");
        }
        let Some(line) = line else {
            return match (begun, payload.first()) {
                (Begun::Nothing, None) => Watching::On,
                (Begun::Nothing, Some(&byte)) => Watching::Amid(begun_with(byte)),
                _ => Watching::Amid(begun),
            };
        };
        // A line that began before the payload is no request with whatever it goes on.
        let is_alien = matches!(begun, Begun::Sign | Begun::Unseen);
        if !is_alien && line.is_empty() {
            return Watching::On;
        }
        // The end of a line that a word began says nothing: it may be a request's.
        if is_alien || begun == Begun::Nothing && !is_request_line(line) {
            tell(bad_request(begun, line), "HTTP");
        }
        Watching::Over
    },
};

fn begun_with(byte: u8) -> Begun {
    match byte {
        byte if is_token(byte) => Begun::Word,
        byte if byte.is_ascii_graphic() => Begun::Sign,
        _ => Begun::Unseen,
    }
}

/// Returns the weird of a line in a request's place that is none, and that began like this or with its first byte.
fn bad_request(begun: Begun, line: &[u8]) -> &'static str {
    let end = tail(line, line.len().saturating_sub(9));
    let is_shown = match begun {
        Begun::Nothing => line.first().is_some_and(u8::is_ascii_graphic),
        Begun::Word | Begun::Sign => true,
        Begun::Unseen => false,
    };
    let versioned = strip_prefix(end, b" http/").is_some() && !is_shown;
    if versioned { "bad_HTTP_request_with_version" } else { "bad_HTTP_request" }
}

/// The lines up to the empty one.
fn header(payload: &[u8]) -> &[u8] {
    let end = memmem::find(payload, b"\r\n\r\n").or_else(|| memmem::find(payload, b"\n\n"));
    end.map_or(payload, |end| head(payload, end))
}

/// Whether a carriage return stands before anything but the end of a line.
fn has_bare_return(bytes: &[u8]) -> bool {
    let behind = |at| bytes.get(at + 1).is_some_and(|&byte| byte != b'\n');
    memchr::memchr_iter(b'\r', bytes).any(behind)
}

/// Methods that Zeek knows.
const METHODS: [&[u8]; 20] = [
    b"GET",
    b"POST",
    b"HEAD",
    b"OPTIONS",
    b"PUT",
    b"DELETE",
    b"TRACE",
    b"CONNECT",
    b"PROPFIND",
    b"PROPPATCH",
    b"MKCOL",
    b"COPY",
    b"MOVE",
    b"LOCK",
    b"UNLOCK",
    b"POLL",
    b"REPORT",
    b"SUBSCRIBE",
    b"BMOVE",
    b"SEARCH",
];

/// Whether a weird was not logged.
fn is_new(told: &mut Vec<&'static str>, name: &'static str) -> bool {
    let new = !told.contains(&name);
    if new {
        told.push(name);
    }
    new
}

/// Reports the weirds of percent signs within a target.
fn percent(target: &[u8], tell: &mut dyn FnMut(&'static str)) {
    for at in memchr::memchr_iter(b'%', target) {
        match tail(target, at + 1) {
            [b'%', _, ..] => tell("double_%_in_URI"),
            &[high, low, ..] if hex_digit(high).is_some() && hex_digit(low).is_some() => {}
            [b'u', digits @ ..]
                if digits.iter().take(4).filter(|&&byte| hex_digit(byte).is_some()).count() == 4 => {}
            [_, _, ..] => tell("unescaped_%_in_URI"),
            _ => {}
        }
    }
}

/// Whether a request's line names HTTP in other letters than capitals.
fn has_odd_keyword(line: &[u8]) -> bool {
    let (_, rest) = take_while(line, is_token);
    let mut words = rest.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty());
    let keyword = words.find(|word| strip_prefix(word, b"http/").is_some());
    keyword.is_some_and(|word| !word.starts_with(b"HTTP/"))
}
