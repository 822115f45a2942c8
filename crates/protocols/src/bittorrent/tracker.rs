//! Trackers of BitTorrent (BEP 3, BEP 23): requests and answers over HTTP, whose bodies are bencoded. Only scripts ask for them, at
//! ports that they register.
//!
//! Limit: [`MAX_WAITING`] bytes of a message; behind a longer one nothing is read.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader, transport};

use super::bencode::{self, Unread, Value};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "BITTORRENTTRACKER",
    events: &["bt_tracker_request", "bt_tracker_response", "bt_tracker_response_not_ok", "bt_tracker_weird"],
    tells_weirds: false,
    lasts: None,
    open: || Box::<Tracker>::default(),
};

/// Most bytes of a message, as in Zeek.
const MAX_WAITING: usize = 2048;

/// Bytes of a peer: an address of IP version 4, and a port.
const PEER: usize = 6;

/// One connection: bytes of each side that wait.
#[derive(Debug, Default)]
struct Tracker {
    waiting: [Vec<u8>; 2],
    is_over: [bool; 2],
}

/// Header lines of a message: names and values.
type Headers<'a> = Vec<(&'a [u8], &'a [u8])>;

/// A message's first line, its headers, and the bytes that they take.
type Head<'a> = (&'a [u8], Headers<'a>, usize);

impl ReadStreams for Tracker {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let side = usize::from(!is_orig);
        let (Some(waiting), Some(is_over)) = (self.waiting.get_mut(side), self.is_over.get_mut(side)) else {
            return;
        };
        if *is_over {
            return;
        }
        waiting.extend_from_slice(bytes);
        let mut taken = 0;
        loop {
            let rest = waiting.get(taken..).unwrap_or_default();
            let read = if is_orig { request(rest, findings) } else { answer(rest, findings) };
            match read {
                Ok(length) => taken += length,
                Err(Unread::Short) => break,
                Err(Unread::Malformed) => {
                    *is_over = true;
                    break;
                }
            }
        }
        waiting.drain(..taken.min(waiting.len()));
        *is_over |= waiting.len() > MAX_WAITING;
    }
}

/// Reads the head of a message, up to the empty line.
fn head(bytes: &[u8]) -> Result<Head<'_>, Unread> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut length = 0;
    let mut next = || {
        let line = lines.next().filter(|line| line.ends_with(b"\n")).ok_or(Unread::Short)?;
        length += line.len();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Ok::<_, Unread>((line.strip_suffix(b"\r").unwrap_or(line), length))
    };
    let (first, _) = next()?;
    let mut headers = Vec::new();
    loop {
        let (line, length) = next()?;
        if line.is_empty() {
            return Ok((first, headers, length));
        }
        let colon = line.iter().position(|byte| *byte == b':').ok_or(Unread::Malformed)?;
        let (name, value) = (line.get(..colon), line.get(colon + 1..));
        let name = name.filter(|name| !name.is_empty() && !name.contains(&b' ')).ok_or(Unread::Malformed)?;
        headers.push((name, value.unwrap_or_default().trim_ascii_start()));
    }
}

/// Returns the arguments of a table: names and values.
fn table<'a>(headers: &Headers<'a>) -> Vec<EventValue<'a>> {
    headers.iter().flat_map(|(name, value)| [EventValue::String(name), EventValue::String(value)]).collect()
}

/// Removes the beginning of a text, in letters of either case.
fn behind<'a>(text: &'a [u8], word: &str) -> Option<&'a [u8]> {
    let (beginning, rest) = text.split_at_checked(word.len())?;
    beginning.eq_ignore_ascii_case(word.as_bytes()).then_some(rest)
}

fn request(bytes: &[u8], findings: &mut dyn StreamFindings) -> Result<usize, Unread> {
    let (line, headers, length) = head(bytes)?;
    let rest = behind(line, "GET").filter(|rest| matches!(rest.first(), Some(b' ' | b'\t')));
    let rest = rest.ok_or(Unread::Malformed)?.trim_ascii_start();
    let version = rest.iter().rposition(|byte| matches!(byte, b' ' | b'\t'));
    let uri = match version {
        Some(space) if behind(rest.get(space + 1..).unwrap_or_default(), "HTTP/").is_some() => {
            rest.get(..space)
        }
        _ => Some(rest),
    };
    let uri = uri.unwrap_or_default().trim_ascii_end();
    let headers = table(&headers);
    findings.raise("bt_tracker_request", &[EventValue::Connection, uri.into(), EventValue::Table(&headers)]);
    Ok(length)
}

fn answer(bytes: &[u8], findings: &mut dyn StreamFindings) -> Result<usize, Unread> {
    let mut rest = bytes;
    // Empty lines may be behind the answer before.
    while let Some(next) = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")) {
        rest = next;
    }
    let (line, headers, length) = head(rest)?;
    let length = bytes.len() - rest.len() + length;
    let rest = behind(line, "HTTP/").ok_or(Unread::Malformed)?;
    let space = rest.iter().position(|byte| *byte == b' ').ok_or(Unread::Malformed)?;
    let digits = rest.get(space + 1..).unwrap_or_default();
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit()).take(9);
    let status = digits.fold(0_u64, |status, digit| status * 10 + u64::from(digit - b'0'));
    let (c, headers) = (EventValue::Connection, table(&headers));
    if status != 200 {
        findings.raise("bt_tracker_response_not_ok", &[c, status.into(), EventValue::Table(&headers)]);
        // Its body has no meaning here.
        return Err(Unread::Malformed);
    }
    let (entries, body) = bencode::directory(bytes.get(length..).unwrap_or_default())?;
    let mut peers = Vec::new();
    let mut found: Vec<(&[u8], [EventValue<'_>; 4])> = Vec::new();
    for (name, value) in entries {
        let mut fields = [EventValue::Unset; 4];
        let [number, text, directory, list] = &mut fields;
        match value {
            Value::String(all) if name == b"peers" => {
                peers.extend(all.chunks_exact(PEER).filter_map(peer));
                continue;
            }
            Value::Number(value) => *number = EventValue::Int(value),
            Value::String(bytes) => *text = bytes.into(),
            Value::Directory(bytes) => *directory = bytes.into(),
            Value::List(bytes) => *list = bytes.into(),
        }
        found.push((name, fields));
    }
    let peers: Vec<EventValue<'_>> = peers.iter().map(|peer| EventValue::Record(peer)).collect();
    let entries =
        found.iter().flat_map(|(name, fields)| [EventValue::String(name), EventValue::Record(fields)]);
    let entries: Vec<EventValue<'_>> = entries.collect();
    let arguments = [
        c,
        status.into(),
        EventValue::Table(&headers),
        EventValue::List(&peers),
        EventValue::Table(&entries),
    ];
    findings.raise("bt_tracker_response", &arguments);
    Ok(length + body)
}

/// Returns an address and a port. Zeek takes the bytes of the port the other way round, each with its sign.
fn peer(bytes: &[u8]) -> Option<[EventValue<'static>; 2]> {
    let [a, b, c, d, high, low] = *bytes else { return None };
    let port = i32::from(high as i8) << 8 | i32::from(low as i8);
    let port = (port as u16).swap_bytes();
    Some([EventValue::Addr([a, b, c, d].into()), EventValue::Port(port, transport::TCP)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    #[test]
    fn requests_and_answers() {
        type Case<'a> = (bool, &'a [u8], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                true,
                b"GET /announce?a=b HTTP/1.1\r\nHost: t:80\r\nA:b\r\n\r\nget /x\r\n\r\n",
                &["bt_tracker_request c /announce?a=b {Host, t:80, A, b}", "bt_tracker_request c /x {}"],
            ),
            (true, b"POST / HTTP/1.1\r\n\r\n", &[]),
            (true, b"GET / HTTP/1.1\r\nbad header\r\n\r\n", &[]),
            (
                false,
                b"HTTP/1.0 200 OK\r\nA: b\r\n\r\nd8:intervali60e1:ld1:xi1ee1:tl1:ye5:peers6:\x01\x02\x03\x04\x1a\x21e\r\n",
                &["bt_tracker_response c 200 {A, b} ([1.2.3.4, 8474]) {interval, [60, -, -, -], l, [-, -, d1:xi1ee, -], t, [-, -, -, l1:ye]}"],
            ),
            (false, b"HTTP/1.0 404 No\r\n\r\nd", &["bt_tracker_response_not_ok c 404 {}"]),
            (false, b"HTTP/1.0 200 OK\r\n\r\nle", &[]),
            (false, b"HTTP/1.0 200 OK\r\n\r\nd", &[]),
        ];
        for (is_orig, bytes, expected) in cases {
            assert_eq!(told(&READER, &[(*is_orig, bytes)]), *expected, "{}", bytes.escape_ascii());
        }
    }
}
