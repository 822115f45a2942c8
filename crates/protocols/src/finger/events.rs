//! Events of Finger for scripts.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

use super::parser::MAX_LINE;
use crate::lines::LineCutter;

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "FINGER",
    events: &["finger_request", "finger_reply"],
    tells_weirds: false,
    open: || Box::new(Finger { sides: [const { LineCutter::new(MAX_LINE) }; 2], is_asked: false }),
};

/// One connection.
struct Finger {
    sides: [LineCutter; 2],
    /// The request was read.
    is_asked: bool,
}

impl ReadStreams for Finger {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let [orig, resp] = &mut self.sides;
        if !is_orig {
            resp.take(bytes, |line| reply(line, findings));
        } else if !self.is_asked {
            let is_asked = &mut self.is_asked;
            orig.take(bytes, |line| {
                if !std::mem::replace(is_asked, true) {
                    request(line, findings);
                }
            });
        }
    }

    fn end(&mut self, findings: &mut dyn StreamFindings) {
        let [_, resp] = &mut self.sides;
        resp.end(|line| reply(line, findings));
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
    }
}
