//! Zeek's http log.

use smallvec::SmallVec;
use weir_applayer::zeek::column::Set;
use weir_applayer::zeek::{FileFate, HandlePart, News, ZeekLogger, ZeekLogs, ZeekSink, ZeekValue};
use weir_applayer::{File, extraction, zeek_stream};
use weir_base::{Direction, Timestamp};

use super::HTTP1;
use super::octets::{head, tail};
use super::request_line::Method;
use super::transaction::{COMPLETE, HttpTransaction};
use crate::ocsp;
use crate::websocket::handshake;

mod held;
mod names;
mod software;
pub(super) mod text;
mod upgrade;
mod weird;

pub use weird::WATCH;

/// Most files of one direction named in a row, where scripts say nothing else.
const MAX_FILES: usize = 15;

/// Most header fields of proxies that a row names.
const MAX_PROXIES: usize = 64;

/// Version of a message that names none.
const VERSION_0_9: &[u8] = b"0.9";

/// Version of a message that names it in other words.
const NO_VERSION: &[u8] = b"0.0";

/// Header fields of proxies.
const PROXY_FIELDS: &[&[u8]] = &[
    b"FORWARDED",
    b"X-FORWARDED-FOR",
    b"X-FORWARDED-FROM",
    b"CLIENT-IP",
    b"VIA",
    b"XROXY-CONNECTION",
    b"PROXY-CONNECTION",
];

zeek_stream! {
    static STREAM: "http" of a connection;
    struct Row {
        trans_depth: Count,
        method: Text,
        host: Text,
        uri: Text,
        referrer: Text,
        version: Text,
        user_agent: Text,
        origin: Text,
        request_body_len: Count,
        response_body_len: Count,
        status_code: Count,
        status_msg: Text,
        info_code: Count,
        info_msg: Text,
        tags: Set<Enum>,
        username: Text,
        password: Text,
        proxied: Set<Text>,
        orig_fuids: Vector<Text>,
        orig_filenames: Vector<Text>,
        orig_mime_types: Vector<Text>,
        resp_fuids: Vector<Text>,
        resp_filenames: Vector<Text>,
        resp_mime_types: Vector<Text>,
    }
    with static MORE {
        client_header_names: Vector<Text> of HeaderNames,
        server_header_names: Vector<Text> of HeaderNames,
        uri_vars: Vector<Text> of UriVariables,
        cookie_vars: Vector<Text> of CookieVariables,
    }
}

/// The logs of HTTP.
pub(super) static ZEEK: ZeekLogs = ZeekLogs {
    more: &MORE,
    from_start: true,
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM, &ocsp::STREAM, &handshake::STREAM], |_| Box::new(HttpLogger::default()))
};

#[derive(Default)]
struct HttpLogger {
    /// Depth behind an answered request of HTTP/0.9, whose connection ends with it.
    behind_0_9: Option<u64>,
    /// A request was seen.
    confirmed: bool,
    /// The connection became a tunnel.
    tunnel: bool,
    oddities: weird::Oddities,
    software: software::Told,
    /// Live transactions whose row was written, and whether their request was still going on.
    written: Vec<(u64, bool)>,
    /// A request that was over after its answer: depth of its own row, when, how long.
    late: Option<(u64, Timestamp, u64)>,
    /// Requests inside of WebSocket that wait for an answer.
    held: held::Held,
    /// Number of requests before those inside of WebSocket.
    before: u64,
    /// Number of answers that nobody asked for and that are none.
    unasked: u64,
}

/// Reason that a connection is not one of HTTP.
const NO_STATUS_LINE: &str = "not a http reply line";

impl ZeekLogger for HttpLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<HttpTransaction>() else { return };
        if tx.has_request && tx.refused.is_none() && !std::mem::replace(&mut self.confirmed, true) {
            sink.service(HTTP1.zeek_service);
        }
        if let Some(time) = tx.passed_over {
            self.oddities.passed_over(time, sink);
        }
        if tx.refused == Some(Direction::ToServer) {
            if news.complete {
                sink.violation(tx.meta.last_seen.to_server, "not a http request line", None);
                self.oddities.refused(tx, sink);
            }
            return;
        }
        if tx.refused == Some(Direction::ToClient) && !tx.has_request {
            if news.complete {
                sink.violation(tx.meta.last_seen.to_client, NO_STATUS_LINE, None);
                self.unasked += 1;
            }
            return;
        }
        if !news.complete {
            extract(tx, self.depth(tx), sink);
        }
        self.late.take_if(|(depth, ..)| *depth <= tx.meta.id + 1);
        self.oddities.depth(tx, sink);
        self.software.look(tx, news.complete, sink);
        let position = self.written.iter().position(|&(id, _)| id == tx.meta.id);
        if position.is_none() && (news.complete || tx.meta.progress[Direction::ToClient] >= COMPLETE) {
            if tx.method == Method::Connect
                && tx.status == Some(200)
                && !std::mem::replace(&mut self.tunnel, true)
            {
                sink.tunnel(tx.meta.first_seen.to_client, "Tunnel::HTTP");
            }
            let is_open = is_answered_0_9(tx) && !tx.replied_before;
            self.behind_0_9 = is_open.then_some(tx.meta.id + 2);
            if tx.has_status_line || tx.has_request {
                self.write(tx, news.complete, sink);
                self.oddities.look(tx, sink);
            }
            if !news.complete {
                self.written.push((tx.meta.id, !is_over(tx, Direction::ToServer)));
            }
        } else if let Some(position) = position
            && news.complete
        {
            let (_, late) = self.written.swap_remove(position);
            if late {
                Files::of(tx, (Direction::ToServer, true), self.depth(tx), sink);
                self.late = Some((tx.meta.id + 2, tx.request.ended, tx.request.length()));
            }
        }
    }

    fn has_news(&self, news: News<'_>) -> bool {
        let answered = news.transaction.meta().progress[Direction::ToClient] >= COMPLETE;
        let has_news =
            news.complete || answered || !self.confirmed || self.late.is_some() || self.software.wanted;
        let has_more = |tx: &HttpTransaction| has_extract(tx) || self.oddities.has_depth(tx);
        has_news || news.of::<HttpTransaction>().is_some_and(has_more)
    }

    fn hand_over(&mut self) -> Option<Box<dyn ZeekLogger>> {
        if self.held.is_empty() {
            return None;
        }
        Some(Box::new(Self { held: std::mem::take(&mut self.held), before: self.before, ..Self::default() }))
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.held.end(sink);
        self.written.clear();
        // The client's end counts as a request there, of which nothing is known.
        if let Some(depth) = self.behind_0_9.take()
            && let Some(end) = sink.originator_end()
        {
            write_end(depth, end, 0, sink);
        }
        if let Some((depth, end, length)) = self.late.take() {
            write_end(depth, end, length, sink);
        }
    }
}

impl HttpLogger {
    /// The number of a request among those of the connection, from 1.
    const fn depth(&self, tx: &HttpTransaction) -> u64 {
        (self.before + tx.meta.id + 1).saturating_sub(self.unasked)
    }

    fn write(&mut self, tx: &HttpTransaction, over: bool, sink: &mut dyn ZeekSink) {
        let depth = self.depth(tx);
        let side = |direction| (direction, over || is_over(tx, direction));
        let originator = Files::of(tx, side(Direction::ToServer), depth, sink);
        let answered = tx.has_status_line || is_answered_0_9(tx);
        let alien = is_alien(tx, answered);
        let responder = if alien {
            let seen =
                if tx.refused == Some(Direction::ToClient) { tx.meta.last_seen } else { tx.meta.first_seen };
            sink.violation(seen.to_client, NO_STATUS_LINE, None);
            Files::default()
        } else {
            Files::of(tx, side(Direction::ToClient), depth, sink)
        };
        let columns = [&originator, &responder].map(|files| {
            [ZeekValue::texts(&files.ids), ZeekValue::texts(&files.names), ZeekValue::texts(&files.types)]
        });
        let [[orig_ids, orig_names, orig_types], [resp_ids, resp_names, resp_types]] = &columns;
        let proxies = proxies(tx);
        let proxied = ZeekValue::texts(&proxies);
        let request = &tx.request.headers;
        let [host, referer, user_agent, origin] =
            [&b"host"[..], b"referer", b"user-agent", b"origin"].map(|name| request.last(name));
        let uri = tx.has_request.then(|| tx.target().map(text::unescape)).flatten();
        let status = tx.status.map(u64::from).filter(|_| tx.has_status_line).or(answered.then_some(0));
        // White space behind the status makes an empty reason; without it there is none.
        let is_reason_empty = tx.has_status_line && tx.response.line.len() > tx.status_range.end;
        let reason = tx.reason().unwrap_or(if is_reason_empty { b"" } else { b"<empty>" });
        let interim = tx.interim.as_ref().map(|(code, text)| (u64::from(*code), &text[..]));
        let interim = status.filter(|code| (100..200).contains(code)).map(|code| (code, reason)).or(interim);
        let (user, password) = text::user(request).unzip();
        let shows = sink.settings().is_some_and(|settings| settings.is_set("HTTP::default_capture_password"));
        let password = password.flatten().filter(|_| shows);
        let request_length = if over || is_over(tx, Direction::ToServer) { tx.request.length() } else { 0 };
        let response_length = if alien { 0 } else { tx.response.length() };
        let names = names::Names::of(tx, sink);
        let [client_names, server_names, uri_names, cookie_names] =
            [&names.client_headers, &names.server_headers, &names.uri, &names.cookies]
                .map(|names| names.as_deref().map(ZeekValue::texts));
        let row = Row {
            trans_depth: depth.into(),
            method: tx.method_text().into(),
            host: host.as_deref().into(),
            uri: uri.as_deref().into(),
            referrer: referer.as_deref().into(),
            version: answered.then(|| response_version(tx)).flatten().into(),
            user_agent: user_agent.as_deref().into(),
            origin: origin.as_deref().into(),
            request_body_len: request_length.into(),
            response_body_len: response_length.into(),
            status_code: status.into(),
            status_msg: answered.then_some(reason).into(),
            info_code: interim.map(|(code, _)| code).into(),
            info_msg: interim.map(|(_, text)| text).into(),
            tags: Set::even_if_empty(&[]),
            username: user.as_deref().into(),
            password: password.as_deref().into(),
            proxied: proxied.as_slice().into(),
            orig_fuids: orig_ids.as_slice().into(),
            orig_filenames: orig_names.as_slice().into(),
            orig_mime_types: orig_types.as_slice().into(),
            resp_fuids: resp_ids.as_slice().into(),
            resp_filenames: resp_names.as_slice().into(),
            resp_mime_types: resp_types.as_slice().into(),
            client_header_names: client_names.as_deref().into(),
            server_header_names: server_names.as_deref().into(),
            uri_vars: uri_names.as_deref().into(),
            cookie_vars: cookie_names.as_deref().into(),
        };
        let values = row.values(|script| sink.has(script));
        if self.before > 0 {
            self.held.take(time(tx), &values, answered && !alien, sink);
        } else if upgrade::look(tx, sink) {
            self.before = tx.meta.id + 1;
            self.held.keep(time(tx), &values);
        } else {
            sink.row(&STREAM, time(tx), &values);
        }
    }
}

/// Whether an answer is no HTTP: it has no status line where there is to be one.
fn is_alien(tx: &HttpTransaction, answered: bool) -> bool {
    let bodiless = tx.has_request && !answered && tx.response.body_started && !tx.response.missing_bytes;
    tx.refused == Some(Direction::ToClient) || bodiless
}

/// The row of a request of which only the end counts.
fn write_end(depth: u64, end: Timestamp, length: u64, sink: &mut dyn ZeekSink) {
    let row = Row {
        trans_depth: depth.into(),
        request_body_len: length.into(),
        response_body_len: 0_u64.into(),
        tags: Set::even_if_empty(&[]),
        ..Row::default()
    };
    let values = row.values(|script| sink.has(script));
    sink.row(&STREAM, end, &values);
}

/// Whether the request is one of HTTP/0.9 and was answered.
fn is_answered_0_9(tx: &HttpTransaction) -> bool {
    tx.is_version_0_9 && tx.response.body_started
}

/// Whether one direction will not change any more.
fn is_over(tx: &HttpTransaction, direction: Direction) -> bool {
    tx.meta.progress[direction] >= COMPLETE
}

/// The files of one direction of which something is to be extracted while more comes.
fn to_extract(tx: &HttpTransaction, direction: Direction) -> &[File] {
    let entities = tx.message(direction).entities.as_deref();
    entities.map_or(&[], |entities| extraction::to_extract(&entities.files))
}

fn has_extract(tx: &HttpTransaction) -> bool {
    Direction::BOTH.into_iter().any(|direction| !to_extract(tx, direction).is_empty())
}

/// Tells of files of which something is to be extracted.
fn extract(tx: &HttpTransaction, depth: u64, sink: &mut dyn ZeekSink) {
    for direction in Direction::BOTH {
        for file in to_extract(tx, direction) {
            let ends = file.is_end_due() && tx.status != Some(206);
            let fate = if ends { FileFate::Over } else { FileFate::Open };
            match file.start {
                Some(_) => drop(sink.file_part(&url(tx), file, FileFate::Open)),
                None => drop(sink.file_of(file, fate, &handle(depth, interim(tx, direction), file))),
            }
        }
    }
}

/// Returns the number of responses that informed only, before the one that answers.
fn interim(tx: &HttpTransaction, direction: Direction) -> u64 {
    u64::from(direction == Direction::ToClient && tx.interim.is_some())
}

/// Returns the handle of an entity; so many responses that inform only were before, each of which is an entity.
const fn handle(depth: u64, interim: u64, file: &File) -> [HandlePart; 5] {
    [
        HandlePart::Start,
        HandlePart::IsOriginators,
        HandlePart::Number(depth),
        HandlePart::Number(file.entity + interim),
        HandlePart::Ends,
    ]
}

/// Returns the URL, which the parts of a file share.
fn url(tx: &HttpTransaction) -> Vec<u8> {
    let host = tx.request.headers.last(b"host").unwrap_or_default();
    [&host, tx.target().unwrap_or_default()].concat()
}

/// The files of one direction as columns hold them.
#[derive(Default)]
struct Files {
    ids: SmallVec<[String; 1]>,
    names: Vec<Vec<u8>>,
    types: SmallVec<[&'static str; 1]>,
}

impl Files {
    /// Those of one direction; `over`: no more of them will come. `depth` is the request's number.
    fn of(
        tx: &HttpTransaction,
        (direction, over): (Direction, bool),
        depth: u64,
        sink: &mut dyn ZeekSink,
    ) -> Self {
        let mut found = Self::default();
        let message = tx.message(direction);
        let interim = interim(tx, direction);
        let setting =
            if direction == Direction::ToServer { "HTTP::max_files_orig" } else { "HTTP::max_files_resp" };
        let most = sink.settings().and_then(|settings| settings.count(setting));
        let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(MAX_FILES);
        if let Some(file) = &message.lost_file {
            sink.file_of(file, FileFate::Abandoned, &handle(depth, interim, file));
        }
        let Some(entities) = &message.entities else { return found };
        let is_partial = direction == Direction::ToClient
            && tx.status == Some(206)
            && message.headers.value(b"content-range").is_some();
        for file in &entities.files {
            let (fuid, mime_type) = if file.start.is_some() {
                let part = sink.file_part(&url(tx), file, FileFate::Over);
                (part.fuid, part.mime_type)
            } else {
                // The end of a part does not end the file.
                let waits = is_partial && file.announced != Some(file.size);
                let mime_type = file.mime_type().filter(|_| !waits);
                let fate = match (waits, over) {
                    (_, false) => FileFate::Open,
                    (true, true) => FileFate::Abandoned,
                    (false, true) => FileFate::Over,
                };
                let fuid = sink.file_of(file, fate, &handle(depth, interim, file));
                // All of it is among the first bytes.
                if mime_type == Some(ocsp::MIME_TYPE) && over && file.size == file.head().len() as u64 {
                    ocsp::write(file.head(), &fuid, file.first_seen, sink);
                }
                (Some(fuid), mime_type)
            };
            if found.ids.len() >= most {
                continue;
            }
            if fuid.is_some() && !file.name.is_empty() {
                found.names.push(file.name.clone());
            }
            found.ids.extend(fuid);
            found.types.extend(mime_type);
        }
        found
    }
}

/// When the request began; the response where there is no request.
fn time(tx: &HttpTransaction) -> Timestamp {
    let asked = tx.request_time();
    if asked == Timestamp::default() { tx.meta.first_seen.to_client } else { asked }
}

/// The version of the response.
pub(super) fn response_version(tx: &HttpTransaction) -> Option<&[u8]> {
    if !tx.has_status_line {
        return Some(VERSION_0_9);
    }
    tx.response.protocol().map(version_of)
}

/// The version in a protocol's name: two digits with a point between them.
pub(super) fn version_of(protocol: &[u8]) -> &[u8] {
    let behind = memchr::memchr(b'/', protocol).map_or(&[][..], |slash| tail(protocol, slash + 1));
    match behind {
        [major, b'.', minor, ..] if major.is_ascii_digit() && minor.is_ascii_digit() => head(behind, 3),
        _ => NO_VERSION,
    }
}

fn proxies(tx: &HttpTransaction) -> Vec<Vec<u8>> {
    let headers = &tx.request.headers;
    let is_of_proxy = |name: &[u8]| PROXY_FIELDS.iter().any(|field| name.eq_ignore_ascii_case(field));
    let mut found = Vec::new();
    if headers.iter().any(|(name, _)| is_of_proxy(name)) {
        for field in headers.sent().filter(|field| is_of_proxy(field.name)).take(MAX_PROXIES) {
            let text = [&field.name.to_ascii_uppercase(), &b" -> "[..], &field.value].concat();
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}
