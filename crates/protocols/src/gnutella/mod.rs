//! Gnutella 0.6: a handshake of lines, then binary messages. Only scripts ask for it, at ports that they register.
//!
//! Limits: the length of a line and of all lines of a message (`Gnutella::max_line_length`, `Gnutella::max_header_length`
//! of scripts; behind a longer one nothing is read), and [`MAX_PAYLOAD`], the bytes of a message that are told.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "GNUTELLA",
    events: &[
        "gnutella_text_msg",
        "gnutella_binary_msg",
        "gnutella_partial_binary_msg",
        "gnutella_establish",
        "gnutella_not_establish",
        "gnutella_http_notify",
    ],
    tells_weirds: true,
    lasts: None,
    open: || Box::<Gnutella>::default(),
};

/// Most bytes of a message's payload that are told, as in Zeek.
const MAX_PAYLOAD: usize = 1024;
/// Bytes of a message's header: an id, type, time to live, hops, and the length of what follows.
const HEADER: usize = 23;
/// Lengths of a line and of the lines of a message, where scripts say nothing else.
const MAX_LINE: u64 = 8192;
const MAX_LINES: u64 = 32_768;

/// The stream of one side.
#[derive(Debug, Default)]
struct Side {
    line: Vec<u8>,
    ends_line: bool,
    headers: Vec<u8>,
    /// It agrees, in the message at hand and in one that is over.
    agrees: bool,
    is_ready: bool,
    /// Header of the message at hand, as far as it came.
    header: Vec<u8>,
    /// Bytes of the payload that are yet to come, and those that came.
    left: usize,
    payload: Vec<u8>,
}

/// One connection.
#[derive(Debug, Default)]
struct Gnutella {
    sides: [Side; 2],
    was_told: bool,
    /// Nothing more is read.
    is_over: bool,
}

/// Fate of a connection behind a line.
enum Next {
    Line,
    /// Another protocol is spoken, or a line is too long.
    Over,
}

impl ReadStreams for Gnutella {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let mut rest = bytes;
        let most = findings.count("Gnutella::max_line_length").unwrap_or(MAX_LINE);
        while let Some((first, behind)) = rest.split_first().filter(|_| !self.is_over) {
            if self.is_established() {
                let Some(side) = self.sides.get_mut(usize::from(!is_orig)) else { return };
                rest = side.message(rest, is_orig, findings);
                continue;
            }
            rest = behind;
            let Some(side) = self.sides.get_mut(usize::from(!is_orig)) else { return };
            match *first {
                b'\r' => side.ends_line = true,
                b'\n' if side.ends_line => {
                    side.ends_line = false;
                    self.is_over = matches!(self.line(is_orig, findings), Next::Over);
                }
                byte => {
                    if side.line.len() as u64 >= most {
                        findings.weird("exceeded_gnutella_max_line_length", &most.to_string());
                        self.is_over = true;
                    } else {
                        side.line.push(byte);
                    }
                }
            }
        }
    }

    fn end(&mut self, findings: &mut dyn StreamFindings) {
        let c = EventValue::Connection;
        if !std::mem::replace(&mut self.was_told, true) {
            findings.raise("gnutella_not_establish", &[c]);
        }
        for (side, is_orig) in self.sides.iter().zip([true, false]) {
            if !side.header.is_empty() && side.left == 0 {
                let length = EventValue::Count(side.header.len() as u64);
                let arguments = [c, is_orig.into(), EventValue::String(&side.header), length];
                findings.raise("gnutella_partial_binary_msg", &arguments);
            } else if side.left > 0 {
                side.tell(is_orig, findings);
            }
        }
    }
}

impl Gnutella {
    fn is_established(&self) -> bool {
        self.sides.iter().all(|side| side.is_ready)
    }

    /// Takes the line that a side ended.
    fn line(&mut self, is_orig: bool, findings: &mut dyn StreamFindings) -> Next {
        let c = EventValue::Connection;
        let Some(side) = self.sides.get_mut(usize::from(!is_orig)) else { return Next::Over };
        let line = std::mem::take(&mut side.line);
        if !line.is_empty() {
            if side.headers.is_empty() && memchr::memmem::find(&line, b" HTTP/1.").is_some() {
                findings.raise("gnutella_http_notify", &[c]);
                self.was_told = true;
                return Next::Over;
            }
            let most = findings.count("Gnutella::max_header_length").unwrap_or(MAX_LINES);
            if (side.headers.len() + line.len()) as u64 > most {
                findings.weird("exceeded_gnutella_max_header_length", &most.to_string());
                return Next::Over;
            }
            side.agrees |= side.headers.is_empty() && agrees(&line);
            side.headers.extend_from_slice(b"\r\n");
            side.headers.extend_from_slice(&line);
            return Next::Line;
        }
        side.is_ready |= side.agrees;
        let headers = std::mem::take(&mut side.headers);
        findings.raise("gnutella_text_msg", &[c, is_orig.into(), EventValue::String(&headers)]);
        if self.is_established() && !std::mem::replace(&mut self.was_told, true) {
            findings.raise("gnutella_establish", &[c]);
        }
        Next::Line
    }
}

/// Returns whether a line is a status that agrees.
fn agrees(line: &[u8]) -> bool {
    let behind = line.iter().position(|byte| *byte == b' ').map_or(0, |space| space + 1);
    line.starts_with(b"GNUTELLA") && line.get(behind..).is_some_and(|rest| rest.starts_with(b"200"))
}

impl Side {
    /// Takes bytes of a binary message; returns what is behind.
    fn message<'a>(&mut self, bytes: &'a [u8], is_orig: bool, findings: &mut dyn StreamFindings) -> &'a [u8] {
        if self.left > 0 {
            let (payload, rest) = bytes.split_at_checked(self.left).unwrap_or((bytes, &[]));
            self.left -= payload.len();
            let room = MAX_PAYLOAD.saturating_sub(self.payload.len());
            self.payload.extend(payload.iter().take(room));
            if self.left == 0 {
                self.tell(is_orig, findings);
                self.header.clear();
            }
            return rest;
        }
        let (header, rest) =
            bytes.split_at_checked(HEADER - self.header.len().min(HEADER)).unwrap_or((bytes, &[]));
        self.header.extend_from_slice(header);
        if self.header.len() == HEADER {
            self.payload.clear();
            self.left = self.length();
            if self.left == 0 {
                self.tell(is_orig, findings);
                self.header.clear();
            }
        }
        rest
    }

    /// Returns the length of the payload, by the header.
    fn length(&self) -> usize {
        match self.header.as_slice() {
            [.., a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]) as usize,
            _ => 0,
        }
    }

    fn tell(&self, is_orig: bool, findings: &mut dyn StreamFindings) {
        let byte = |at: usize| EventValue::from(self.header.get(at).copied().unwrap_or(0));
        let length = self.length();
        let arguments = [
            EventValue::Connection,
            is_orig.into(),
            byte(16),
            byte(17),
            byte(18),
            length.into(),
            EventValue::String(&self.payload),
            self.payload.len().into(),
            EventValue::Bool(self.payload.len() < length.min(MAX_PAYLOAD)),
            EventValue::Bool(self.left == 0),
        ];
        findings.raise("gnutella_binary_msg", &arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{told, told_by_settings};

    const HELLO: &[u8] = b"GNUTELLA CONNECT/0.6\r\nUser-Agent: a\r\n\r\n";
    const YES: &[u8] = b"GNUTELLA/0.6 200 OK\r\n\r\n";

    fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
        let length = (payload.len() as u32).to_le_bytes();
        [&[7; 16][..], &[kind, 3, 1], &length, payload].concat()
    }

    #[test]
    fn conversations() {
        let greeting: [(bool, &[u8]); 3] = [(true, HELLO), (false, YES), (true, YES)];
        let greeted = [
            r"gnutella_text_msg c T \r\nGNUTELLA CONNECT/0.6\r\nUser-Agent: a",
            r"gnutella_text_msg c F \r\nGNUTELLA/0.6 200 OK",
            r"gnutella_text_msg c T \r\nGNUTELLA/0.6 200 OK",
            "gnutella_establish c",
        ];
        let (ping, query) = (message(0, b""), message(128, b"what"));
        let part = &query[..25];
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (&[(true, &ping)], &["gnutella_binary_msg c T 0 3 1 0  0 F T"]),
            (&[(false, &query)], &["gnutella_binary_msg c F 128 3 1 4 what 4 F T"]),
            (&[(false, part)], &["gnutella_binary_msg c F 128 3 1 4 wh 2 T F"]),
            (&[(true, &ping[..2])], &[r"gnutella_partial_binary_msg c T \x07\x07 2"]),
        ];
        for (pieces, expected) in cases {
            let pieces = [&greeting[..], pieces].concat();
            assert_eq!(told(&READER, &pieces), [&greeted[..], expected].concat());
        }
    }

    #[test]
    fn what_is_not_gnutella() {
        type Case<'a> = (&'a [u8], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", &["gnutella_http_notify c"]),
            (b"GNUTELLA CONNECT/0.6\r\n", &["gnutella_not_establish c"]),
            (
                b"0123456789\r\n\r\n",
                &["weird exceeded_gnutella_max_line_length 8", "gnutella_not_establish c"],
            ),
            (
                b"012345\r\n012345\r\n",
                &["weird exceeded_gnutella_max_header_length 10", "gnutella_not_establish c"],
            ),
        ];
        for (bytes, expected) in cases {
            let line = if bytes.starts_with(b"0123456789") { 8 } else { 100 };
            let limits = [
                ("Gnutella::max_line_length", line),
                ("Gnutella::max_header_length", 10 + 90 * u64::from(line == 8)),
            ];
            let limits = if bytes.starts_with(b"0") { &limits[..] } else { &[] };
            assert_eq!(told_by_settings(&READER, limits, &[], &[(true, bytes)]), *expected);
        }
    }
}
