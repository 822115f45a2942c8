//! Ident (RFC 1413): which user a connection belongs to. Only scripts ask for it, at ports that they register.
//!
//! Limit: the length of a line ([`MAX_LINE`]), as in Zeek; of a longer one the beginning counts.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader, transport};

use crate::lines::LineCutter;

/// Most bytes of a line (RFC 1413, section 6).
const MAX_LINE: usize = 1000;

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "IDENT",
    events: &["ident_request", "ident_reply", "ident_error"],
    tells_weirds: true,
    lasts: None,
    open: || Box::new(Ident { sides: [const { LineCutter::new(MAX_LINE) }; 2], has_bad_reply: false }),
};

/// One connection.
struct Ident {
    sides: [LineCutter; 2],
    /// A bad reply was told.
    has_bad_reply: bool,
}

impl ReadStreams for Ident {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let [orig, resp] = &mut self.sides;
        if is_orig {
            orig.take(bytes, |line| request(line, findings));
        } else {
            let has_bad_reply = &mut self.has_bad_reply;
            resp.take(bytes, |line| {
                if !line.is_empty() && reply(line, findings).is_none() && !*has_bad_reply {
                    *has_bad_reply = true;
                    findings.weird("bad_ident_reply", &String::from_utf8_lossy(line));
                }
            });
        }
    }
}

fn request(line: &[u8], findings: &mut dyn StreamFindings) {
    if line.is_empty() {
        return;
    }
    let text = String::from_utf8_lossy(line);
    let Some((remote, local, rest)) = pair(line, findings) else {
        findings.weird("bad_ident_request", &text);
        return;
    };
    if !rest.is_empty() {
        findings.weird("ident_request_addendum", &text);
    }
    findings.raise("ident_request", &[EventValue::Connection, port(local), port(remote)]);
}

fn reply(line: &[u8], findings: &mut dyn StreamFindings) -> Option<()> {
    let (remote, local, rest) = pair(line, findings)?;
    let ports = [port(local), port(remote)];
    let [local, remote] = ports;
    let rest = rest.strip_prefix(b":")?.trim_ascii_start();
    let (rest, is_error) = match rest.strip_prefix(b"ERROR") {
        Some(rest) => (rest, true),
        None => (rest.strip_prefix(b"USERID")?, false),
    };
    let rest = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    if is_error {
        findings.raise("ident_error", &[EventValue::Connection, local, remote, rest.into()]);
        return Some(());
    }
    let colon = rest.iter().position(|byte| *byte == b':')?;
    let (system, user) = (rest.get(..colon)?, rest.get(colon + 1..)?.trim_ascii_start());
    // The system may be followed by a set of characters.
    let system = system.split(|byte| *byte == b',').next().unwrap_or_default().trim_ascii_end();
    findings.raise("ident_reply", &[EventValue::Connection, local, remote, user.into(), system.into()]);
    Some(())
}

const fn port(number: u16) -> EventValue<'static> {
    EventValue::Port(number, transport::TCP)
}

/// Reads two ports with a comma between them; returns what follows.
fn pair<'a>(line: &'a [u8], findings: &mut dyn StreamFindings) -> Option<(u16, u16, &'a [u8])> {
    let (first, rest) = number(line, findings)?;
    let (second, rest) = number(rest.strip_prefix(b",")?, findings)?;
    Some((first, second, rest))
}

/// Reads a port with space around it; one that is too large is none.
fn number<'a>(text: &'a [u8], findings: &mut dyn StreamFindings) -> Option<(u16, &'a [u8])> {
    let text = text.trim_ascii_start();
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length).filter(|(digits, _)| !digits.is_empty())?;
    let number = std::str::from_utf8(digits).ok()?.parse::<u16>();
    if number.is_err() {
        findings.weird("bad_ident_port", &String::from_utf8_lossy(text));
    }
    Some((number.unwrap_or(0), rest.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    #[test]
    fn requests_and_replies() {
        type Case<'a> = (bool, &'a str, &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (true, "6193, 23\r\n", &["ident_request c 23 6193"]),
            (
                true,
                " 6193 ,23 x\r\n",
                &["weird ident_request_addendum  6193 ,23 x", "ident_request c 23 6193"],
            ),
            (true, "6193\r\n", &["weird bad_ident_request 6193"]),
            (true, "99999, 23\r\n", &["weird bad_ident_port 99999, 23", "ident_request c 23 0"]),
            (false, "6193, 23 : USERID : UNIX : me\r\n", &["ident_reply c 23 6193 me UNIX"]),
            (false, "6193,23:USERID:UNIX, US-ASCII :me: too\r\n", &["ident_reply c 23 6193 me: too UNIX"]),
            (false, "6193, 23 : ERROR : NO-USER\r\n", &["ident_error c 23 6193 NO-USER"]),
            (false, "6193, 23 : ERR\r\nx\r\n", &["weird bad_ident_reply 6193, 23 : ERR"]),
            (false, "\r\n", &[]),
        ];
        for (is_orig, text, expected) in cases {
            assert_eq!(told(&READER, &[(*is_orig, text.as_bytes())]), *expected, "{text}");
        }
    }
}
