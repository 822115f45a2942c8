//! Zeek's sip log: requests over UDP with what they were answered, a row for each answer.
//!
//! Datagrams of an end are read as one stream of lines, whatever datagrams they come in: requests are the
//! originator's, answers the responder's. Limits: [`MAX_HELD`] bytes that are no whole line yet, [`MAX_PATH`]
//! stations of a path.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use memchr::memchr;
use weir_applayer::zeek::column::Vector;
use weir_applayer::zeek::{Datagram, DatagramLogger, DatagramLogs, Silent};
use weir_applayer::{ZeekLogs, ZeekSink, ZeekValue, zeek_stream};
use weir_base::{Direction, PerDirection, Timestamp};

use super::events;

/// Most bytes that wait for the end of their line.
const MAX_HELD: usize = 64 * 1024;

/// Most stations of a path.
const MAX_PATH: usize = 100;

/// Longest first line by which SIP is recognised among datagrams.
const MAX_FIRST_LINE: usize = 1024;

/// The port at which Zeek expects SIP.
const PORT: u16 = 5060;

zeek_stream! {
    static STREAM: "sip" of a connection;
    struct Row {
        trans_depth: Count,
        method: Text,
        uri: Text,
        date: Text,
        request_from: Text,
        request_to: Text,
        response_from: Text,
        response_to: Text,
        reply_to: Text,
        call_id: Text,
        seq: Text,
        subject: Text,
        request_path: Vector<Text>,
        response_path: Vector<Text>,
        user_agent: Text,
        status_code: Count,
        status_msg: Text,
        warning: Text,
        request_body_len: Count,
        response_body_len: Count,
        content_type: Text,
    }
}

/// The log's stream; its rows come from [`AT_PORT`] and [`ELSEWHERE`].
pub static LOGS: ZeekLogs = ZeekLogs::new(&[&STREAM], Silent::open);

/// SIP in Zeek's logs, where it is expected.
pub const AT_PORT: DatagramLogs = DatagramLogs {
    name: "sip",
    streams: &[],
    ports: &[PORT],
    fits: |_| true,
    open: || Box::<SipLogger>::default(),
};

/// SIP in Zeek's logs, at any port.
pub const ELSEWHERE: DatagramLogs = DatagramLogs { ports: &[], fits: begins_message, ..AT_PORT };

/// Methods that Zeek knows.
const METHODS: &[&[u8]] =
    &[b"ACK", b"BYE", b"CANCEL", b"INVITE", b"NOTIFY", b"OPTIONS", b"REGISTER", b"SUBSCRIBE"];

/// Whether a datagram begins with the first line of a message.
fn begins_message(payload: &[u8]) -> bool {
    if !payload.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let start = payload.get(..MAX_FIRST_LINE).unwrap_or(payload);
    let Some(line) = memchr(b'\n', start).and_then(|end| start.get(..end)?.strip_suffix(b"\r")) else {
        return false;
    };
    answer(line).is_some() || request(line).is_some()
}

/// A request's method and URI.
fn request(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (method, rest) = word(line)?;
    let (uri, version) = word(rest)?;
    let is_one = method.iter().all(u8::is_ascii_alphabetic) && version.starts_with(b"SIP/");
    is_one.then_some((method, uri))
}

/// An answer's code and reason.
fn answer(line: &[u8]) -> Option<(u64, &[u8])> {
    let (version, rest) = word(line)?;
    let (code, reason) = word(rest).unwrap_or((rest, b""));
    let is_one = version.starts_with(b"SIP/") && code.len() == 3;
    is_one.then(|| Some((number(code)?, reason)))?
}

/// A line's first word, and what follows it.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (word, rest) = line.split_at_checked(memchr(b' ', line)?)?;
    (!word.is_empty()).then_some((word, rest.trim_ascii_start()))
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// Returns the text before the first parameter of this name, which a blank may stand before.
fn before<'a>(value: &'a [u8], parameter: &[u8]) -> &'a [u8] {
    let is_here = |at: &usize| {
        let rest = value.get(at + 1..).unwrap_or_default();
        rest.strip_prefix(b" ").unwrap_or(rest).starts_with(parameter)
    };
    let end = memchr::memchr_iter(b';', value).find(is_here);
    end.and_then(|end| value.get(..end)).unwrap_or(value)
}

/// Next part of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    /// Its first line.
    #[default]
    FirstLine,
    /// Header fields; the length of the body by those so far.
    Headers(u64),
    /// So many bytes of its body.
    Body(u64),
}

/// State of one end.
#[derive(Debug, Default)]
struct Side {
    stage: Stage,
    /// Bytes that are no whole line yet.
    held: Vec<u8>,
    /// Header fields of the message at hand, where scripts are told of all of them together.
    fields: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Columns of a row.
///
/// It has a field for each column that messages fill one after another.
#[derive(Debug, Default)]
struct Info {
    time: Timestamp,
    method: Option<Vec<u8>>,
    uri: Option<Vec<u8>>,
    date: Option<Vec<u8>>,
    from: PerDirection<Option<Vec<u8>>>,
    to: PerDirection<Option<Vec<u8>>>,
    reply_to: Option<Vec<u8>>,
    call_id: Option<Vec<u8>>,
    seq: Option<Vec<u8>>,
    subject: Option<Vec<u8>>,
    path: PerDirection<Vec<Vec<u8>>>,
    user_agent: Option<Vec<u8>>,
    status: Option<(u64, Vec<u8>)>,
    warning: Option<Vec<u8>>,
    body_length: PerDirection<Option<u64>>,
    content_type: Option<Vec<u8>>,
}

/// Follows one connection.
#[derive(Debug, Default)]
struct SipLogger {
    sides: PerDirection<Side>,
    /// The request that has no last answer yet.
    pending: Option<Box<Info>>,
    /// Bytes are no SIP: Zeek looks at no more of the connection.
    over: bool,
}

impl DatagramLogger for SipLogger {
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()> {
        let Datagram { direction, payload, time } = datagram;
        let mut bytes = std::mem::take(&mut self.sides[direction].held);
        bytes.extend_from_slice(payload);
        let mut rest = bytes.as_slice();
        while let Some(after) = self.step(direction, rest, time, sink) {
            rest = after;
        }
        if self.over || rest.len() > MAX_HELD {
            return ControlFlow::Break(());
        }
        let taken = bytes.len() - rest.len();
        bytes.drain(..taken);
        self.sides[direction].held = bytes;
        ControlFlow::Continue(())
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        if let Some(info) = self.pending.take() {
            info.write(sink);
        }
    }
}

impl SipLogger {
    /// Takes what `bytes` begin with; answers what follows it, or nothing where more is to come first.
    fn step<'a>(
        &mut self,
        direction: Direction,
        bytes: &'a [u8],
        time: Timestamp,
        sink: &mut dyn ZeekSink,
    ) -> Option<&'a [u8]> {
        if self.over {
            return None;
        }
        if let Stage::Body(left) = self.sides[direction].stage {
            let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            let left = left - taken as u64;
            if left > 0 {
                self.sides[direction].stage = Stage::Body(left);
                return (taken > 0).then_some(&[]);
            }
            self.sides[direction].stage = Stage::FirstLine;
            events::end(direction, sink);
            self.finished(direction, sink);
            return bytes.get(taken..);
        }
        let end = memchr(b'\n', bytes)?;
        let line = bytes.get(..end)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.sides[direction].stage = match self.sides[direction].stage {
            Stage::FirstLine if line.is_empty() => Stage::FirstLine,
            Stage::Headers(length) if line.is_empty() => {
                events::fields(direction, &std::mem::take(&mut self.sides[direction].fields), sink);
                Stage::Body(length)
            }
            Stage::Headers(length) => {
                events::field(direction, line, &mut self.sides[direction].fields, sink);
                Stage::Headers(self.header(direction, line).unwrap_or(length))
            }
            _ => {
                if self.first_line(direction, line, time, sink).is_none() {
                    sink.violation(time, "no message of SIP", Some(line));
                    self.over = true;
                } else {
                    events::first_line(direction, line, sink);
                }
                Stage::Headers(0)
            }
        };
        bytes.get(end + 1..)
    }

    /// Returns the row of the messages at hand.
    fn info(&mut self, time: Timestamp) -> &mut Info {
        self.pending.get_or_insert_with(|| Box::new(Info { time, ..Info::default() }))
    }

    fn first_line(
        &mut self,
        direction: Direction,
        line: &[u8],
        time: Timestamp,
        sink: &mut dyn ZeekSink,
    ) -> Option<()> {
        if direction == Direction::ToClient {
            let (code, reason) = answer(line)?;
            sink.service("sip");
            self.info(time).status = Some((code, reason.to_vec()));
            return Some(());
        }
        let start = line.iter().position(u8::is_ascii_alphabetic)?;
        let (junk, line) = line.split_at_checked(start)?;
        let (method, uri) = request(line)?;
        if !junk.is_empty() {
            sink.weird(time, "sip_junk_before_request", Some(&escaped(junk)));
        }
        if !METHODS.contains(&method) {
            let about = String::from_utf8_lossy(method);
            sink.weird_of(time, "unknown_SIP_method", Some(&about), None);
        }
        let info = self.info(time);
        info.method = Some(method.to_vec());
        info.uri = Some(uri.to_vec());
        Some(())
    }

    /// A header field; answers the body's length where that is what it tells.
    fn header(&mut self, direction: Direction, line: &[u8]) -> Option<u64> {
        let (name, value) = line.split_at_checked(memchr(b':', line)?)?;
        let value = value.get(1..)?.trim_ascii_start();
        let info = self.pending.as_deref_mut()?;
        let owned = || Some(value.to_vec());
        let is_request = direction == Direction::ToServer;
        match name.trim_ascii().to_ascii_uppercase().as_slice() {
            b"CONTENT-LENGTH" | b"L" => {
                info.body_length[direction] = number(value);
                return number(value);
            }
            b"FROM" | b"F" => info.from[direction] = Some(before(value, b"tag=").to_vec()),
            b"TO" | b"T" => info.to[direction] = owned(),
            b"VIA" | b"V" => {
                let path = &mut info.path[direction];
                if path.len() < MAX_PATH {
                    path.push(before(value, b"branch").to_vec());
                }
            }
            b"CALL-ID" if is_request => info.call_id = owned(),
            b"CSEQ" if is_request => info.seq = owned(),
            b"DATE" if is_request => info.date = owned(),
            b"REPLY-TO" if is_request => info.reply_to = owned(),
            b"SUBJECT" | b"S" if is_request => info.subject = owned(),
            b"USER-AGENT" if is_request => info.user_agent = owned(),
            b"CONTENT-TYPE" | b"C" if !is_request => info.content_type = owned(),
            b"WARNING" if !is_request => info.warning = owned(),
            _ => {}
        }
        None
    }

    /// A message is over. Each answer is logged, and the last one ends its request.
    fn finished(&mut self, direction: Direction, sink: &mut dyn ZeekSink) {
        let Some(info) = self.pending.as_deref().filter(|_| direction == Direction::ToClient) else { return };
        info.write(sink);
        let is_last = !info.status.as_ref().is_some_and(|(code, _)| (100..200).contains(code));
        if is_last || info.method.is_none() {
            self.pending = None;
        }
    }
}

impl Info {
    fn write(&self, sink: &mut dyn ZeekSink) {
        let paths = Direction::BOTH.map(|direction| ZeekValue::texts(&self.path[direction]));
        let [request_path, response_path] = &paths;
        let row = Row {
            // Zeek counts requests that wait for their answers, but looks at one at a time.
            trans_depth: 0_u64.into(),
            method: self.method.as_deref().into(),
            uri: self.uri.as_deref().into(),
            date: self.date.as_deref().into(),
            request_from: self.from.to_server.as_deref().into(),
            request_to: self.to.to_server.as_deref().into(),
            response_from: self.from.to_client.as_deref().into(),
            response_to: self.to.to_client.as_deref().into(),
            reply_to: self.reply_to.as_deref().into(),
            call_id: self.call_id.as_deref().into(),
            seq: self.seq.as_deref().into(),
            subject: self.subject.as_deref().into(),
            request_path: Vector::even_if_empty(request_path),
            response_path: Vector::even_if_empty(response_path),
            user_agent: self.user_agent.as_deref().into(),
            status_code: self.status.as_ref().map(|&(code, _)| code).into(),
            status_msg: self.status.as_ref().map(|(_, reason)| reason).into(),
            warning: self.warning.as_deref().into(),
            request_body_len: self.body_length.to_server.into(),
            response_body_len: self.body_length.to_client.into(),
            content_type: self.content_type.as_deref().into(),
        };
        sink.row(&STREAM, self.time, &row.values());
    }
}

/// Bytes as Zeek shows them.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        if byte.is_ascii_graphic() || byte == b' ' {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}
