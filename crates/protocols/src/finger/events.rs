//! Events of Finger for scripts. Behind a line that is too long nothing is told of its side, as in Zeek.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

use super::parser::MAX_LINE;
use crate::lines::LineCutter;

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "FINGER",
    events: &["finger_request", "finger_reply"],
    tells_weirds: false,
    lasts: None,
    open: || Box::new(Finger { sides: [const { LineCutter::new(MAX_LINE) }; 2], is_over: [false; 2] }),
};

/// One connection.
struct Finger {
    sides: [LineCutter; 2],
    /// Nothing more is told of a side: of a client, its request was read.
    is_over: [bool; 2],
}

impl ReadStreams for Finger {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let side = usize::from(!is_orig);
        let (Some(lines), Some(is_over)) = (self.sides.get_mut(side), self.is_over.get_mut(side)) else {
            return;
        };
        if *is_over {
            return;
        }
        lines.take(bytes, |line| {
            let is_long = line.len() >= MAX_LINE;
            match (*is_over || is_long, is_orig) {
                (true, _) => {}
                (false, true) => request(line, findings),
                (false, false) => reply(line, findings),
            }
            *is_over |= is_long || is_orig;
        });
    }

    fn end(&mut self, findings: &mut dyn StreamFindings) {
        let ([_, resp], [_, false]) = (&mut self.sides, self.is_over) else { return };
        resp.end(|line| {
            if line.len() < MAX_LINE {
                reply(line, findings);
            }
        });
    }
}

fn reply(line: &[u8], findings: &mut dyn StreamFindings) {
    findings.raise("finger_reply", &[EventValue::Connection, line.into()]);
}

/// Raises the event of a request: `/W` asks at length, what is behind an at sign is a host (RFC 1288, section 2.3).
fn request(line: &[u8], findings: &mut dyn StreamFindings) {
    let text = line.trim_ascii_start();
    let (text, is_full) = match text.strip_prefix(b"/W").or_else(|| text.strip_prefix(b"/w")) {
        Some(rest) if rest.first().is_none_or(u8::is_ascii_whitespace) => (rest.trim_ascii_start(), true),
        _ => (text, false),
    };
    let (user, host) = match text.iter().position(|byte| *byte == b'@') {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()),
        None => (text, &b""[..]),
    };
    let c = EventValue::Connection;
    findings.raise(
        "finger_request",
        &[c, is_full.into(), user.trim_ascii_end().into(), host.trim_ascii_end().into()],
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    #[test]
    fn requests_and_replies() {
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (&[(true, b"me\r\nyou\r\n")], &["finger_request c F me "]),
            (&[(true, b"/W me@there\r\n")], &["finger_request c T me there"]),
            (&[(true, b"@a@b\r\n")], &["finger_request c F  a@b"]),
            (&[(true, b"\r\n")], &["finger_request c F  "]),
            (&[(true, b"/Wme\r\n")], &["finger_request c F /Wme "]),
            (
                &[(false, b"Login: me\r\n\r\nlast")],
                &["finger_reply c Login: me", "finger_reply c ", "finger_reply c last"],
            ),
        ];
        for (pieces, expected) in cases {
            assert_eq!(told(&READER, pieces), *expected, "{pieces:?}");
        }
        let long = [&[b'a'; MAX_LINE][..], b"\nb\n"].concat();
        for is_orig in [true, false] {
            assert_eq!(told(&READER, &[(is_orig, &long)]), [""; 0]);
        }
    }
}
