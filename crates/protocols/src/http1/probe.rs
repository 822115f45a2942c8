//! Recognising HTTP/1: a method and a space from the client, `HTTP/` from the server.

use weir_applayer::{Hint, Probe, Transport};
use weir_base::Direction;

use super::octets::{head, is_blank, run, tail, take_while};

/// White space that may stand before a method.
const MAX_LEADING: u16 = 4;

const fn method(literal: &'static [u8]) -> Hint {
    Hint {
        nocase: true,
        depth: literal.len() as u16 + MAX_LEADING,
        ..Hint::starts(Direction::ToServer, literal)
    }
}

/// Methods with the space or tab behind them, and the start of status lines.
pub(super) const HINTS: &[Hint] = &[
    method(b"GET "),
    method(b"GET\t"),
    method(b"PUT "),
    method(b"PUT\t"),
    method(b"POST "),
    method(b"POST\t"),
    method(b"HEAD "),
    method(b"HEAD\t"),
    method(b"TRACE "),
    method(b"TRACE\t"),
    method(b"OPTIONS "),
    method(b"OPTIONS\t"),
    method(b"CONNECT "),
    method(b"CONNECT\t"),
    method(b"DELETE "),
    method(b"DELETE\t"),
    method(b"PATCH "),
    method(b"PATCH\t"),
    method(b"PROPFIND "),
    method(b"PROPFIND\t"),
    method(b"PROPPATCH "),
    method(b"PROPPATCH\t"),
    method(b"MKCOL "),
    method(b"MKCOL\t"),
    method(b"COPY "),
    method(b"COPY\t"),
    method(b"MOVE "),
    method(b"MOVE\t"),
    method(b"LOCK "),
    method(b"LOCK\t"),
    method(b"UNLOCK "),
    method(b"UNLOCK\t"),
    method(b"CHECKOUT "),
    method(b"CHECKOUT\t"),
    method(b"UNCHECKOUT "),
    method(b"UNCHECKOUT\t"),
    method(b"CHECKIN "),
    method(b"CHECKIN\t"),
    method(b"UPDATE "),
    method(b"UPDATE\t"),
    method(b"LABEL "),
    method(b"LABEL\t"),
    method(b"REPORT "),
    method(b"REPORT\t"),
    method(b"MKWORKSPACE "),
    method(b"MKWORKSPACE\t"),
    method(b"MKACTIVITY "),
    method(b"MKACTIVITY\t"),
    method(b"MERGE "),
    method(b"MERGE\t"),
    method(b"INVALID "),
    method(b"INVALID\t"),
    method(b"VERSION-CONTROL "),
    method(b"VERSION-CONTROL\t"),
    method(b"BASELINE-CONTROL "),
    method(b"BASELINE-CONTROL\t"),
    Hint::starts(Direction::ToClient, b"HTTP/0.9"),
    Hint::starts(Direction::ToClient, b"HTTP/1.0"),
    Hint::starts(Direction::ToClient, b"HTTP/1.1"),
];

/// Longest request or status line that is waited for.
const MAX_LINE: usize = 8192;

/// Looks for `method target HTTP/1` or a status line.
pub(super) fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let bytes = tail(bytes, run(bytes, |byte| matches!(byte, b'\r' | b'\n' | b' ' | b'\t')));
    match direction {
        Direction::ToServer => match (request(bytes), status(bytes)) {
            (Probe::Yes, _) => Probe::Yes,
            (_, Probe::Yes) => Probe::Reversed,
            (Probe::More, _) | (_, Probe::More) => Probe::More,
            _ => Probe::No,
        },
        Direction::ToClient => match (status(bytes), request(bytes)) {
            (Probe::Yes, _) => Probe::Yes,
            (_, Probe::Yes) => Probe::Reversed,
            (Probe::More, _) | (_, Probe::More) => Probe::More,
            _ => Probe::No,
        },
    }
}

/// Whether a client's bytes begin with a request, version and all, as behind a proxy's greeting.
pub(super) fn begins_request(bytes: &[u8]) -> bool {
    const VERSION: &[u8] = b" HTTP/1.";
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    (bytes.starts_with(b"GET ") || bytes.starts_with(b"POST "))
        && line.windows(VERSION.len()).any(|window| window == VERSION)
}

fn status(bytes: &[u8]) -> Probe {
    const START: &[u8] = b"HTTP/";
    let start = head(bytes, START.len());
    if !start.eq_ignore_ascii_case(head(START, start.len())) {
        return Probe::No;
    }
    match bytes.get(START.len()) {
        None => Probe::More,
        Some(byte) if byte.is_ascii_digit() => Probe::Yes,
        Some(_) => Probe::No,
    }
}

fn request(bytes: &[u8]) -> Probe {
    let (method, rest) = take_while(bytes, |byte| byte.is_ascii_uppercase() || byte == b'-' || byte == b'_');
    if method.len() > 32 {
        return Probe::No;
    }
    let (blank, rest) = take_while(rest, is_blank);
    if blank.is_empty() {
        return if rest.is_empty() { Probe::More } else { Probe::No };
    }
    if method.is_empty() {
        return Probe::No;
    }
    let Some(end) = memchr::memchr(b'\n', rest) else {
        return if rest.len() < MAX_LINE { Probe::More } else { Probe::No };
    };
    let line = head(rest, end);
    let has_version =
        memchr::memmem::rfind(line, b"HTTP/").is_some_and(|position| tail(line, position).len() <= 12);
    if has_version { Probe::Yes } else { Probe::No }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probing() {
        use Direction::{ToClient, ToServer};
        let cases: [(Direction, &[u8], Probe); 10] = [
            (ToServer, b"GET / HTTP/1.1\r\n", Probe::Yes),
            (ToServer, b"FOO /bar HTTP/1.0\r\n", Probe::Yes),
            (ToServer, b"GET / HT", Probe::More),
            (ToServer, b"HTTP/1.1 200 OK\r\n", Probe::Reversed),
            (ToServer, b"EHLO me\r\n", Probe::No),
            (ToServer, b"\x16\x03\x01", Probe::No),
            (ToClient, b"HTTP/1.0 200 OK", Probe::Yes),
            (ToClient, b"HTT", Probe::More),
            (ToClient, b"POST / HTTP/1.1\n", Probe::Reversed),
            (ToClient, b"220 hello\r\n", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, direction, bytes), expected, "{bytes:?}");
        }
    }
}
