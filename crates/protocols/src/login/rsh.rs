//! Rsh: the port for errors and two names in front, each with a zero behind it, then lines.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

use super::{Dialogue, MAX_LINE};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "RSH",
    events: &[
        "rsh_request",
        "rsh_reply",
        "login_input_line",
        "login_output_line",
        "login_success",
        "login_failure",
        "login_confused",
        "login_confused_text",
        "authentication_skipped",
    ],
    tells_weirds: true,
    lasts: None,
    open: || Box::<Rsh>::default(),
};

/// What comes next of the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Next {
    /// The port for errors.
    #[default]
    Port,
    ClientName,
    ServerName,
    /// The first command.
    Command,
    Line,
}

/// One connection.
#[derive(Debug, Default)]
struct Rsh {
    next: Next,
    /// Lines of the client and of the server that are not at their ends.
    text: [Vec<u8>; 2],
    is_behind_return: [bool; 2],
    dialogue: Dialogue,
}

impl ReadStreams for Rsh {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        for byte in bytes {
            match (self.next, *byte) {
                (Next::Port, b'0'..=b'9') if is_orig => {}
                (Next::Port, 0) if is_orig => self.next = Next::ClientName,
                (Next::Port, _) if is_orig => {
                    findings.weird("bad_rsh_prolog", "");
                    self.next = Next::Line;
                }
                (Next::ClientName, 0) if is_orig => {
                    self.dialogue.client = Some(self.take(is_orig));
                    self.next = Next::ServerName;
                }
                (Next::ServerName, 0) if is_orig => {
                    self.dialogue.user = Some(self.take(is_orig));
                    self.next = Next::Command;
                }
                (Next::ClientName | Next::ServerName, byte) if is_orig => self.push(is_orig, byte),
                (_, byte) => self.byte(is_orig, byte, findings),
            }
        }
    }

    fn end(&mut self, findings: &mut dyn StreamFindings) {
        self.dialogue.end(findings);
    }
}

impl Rsh {
    fn take(&mut self, is_orig: bool) -> Vec<u8> {
        self.text.get_mut(usize::from(!is_orig)).map(std::mem::take).unwrap_or_default()
    }

    fn push(&mut self, is_orig: bool, byte: u8) {
        if let Some(text) = self.text.get_mut(usize::from(!is_orig)).filter(|text| text.len() < MAX_LINE) {
            text.push(byte);
        }
    }

    fn byte(&mut self, is_orig: bool, byte: u8, findings: &mut dyn StreamFindings) {
        let Some(is_behind) = self.is_behind_return.get_mut(usize::from(!is_orig)) else { return };
        let is_rest = std::mem::replace(is_behind, byte == b'\r') && byte == b'\n';
        match byte {
            _ if is_rest => {}
            b'\r' | b'\n' | 0 => {
                let line = self.take(is_orig);
                self.line(is_orig, &line, findings);
            }
            byte => self.push(is_orig, byte),
        }
    }

    fn line(&mut self, is_orig: bool, line: &[u8], findings: &mut dyn StreamFindings) {
        self.dialogue.line(is_orig, line, findings);
        let name = |name: &Option<Vec<u8>>| name.clone().unwrap_or_else(|| b"<none>".to_vec());
        let (client, user) = (name(&self.dialogue.client), name(&self.dialogue.user));
        let text = EventValue::String(line.trim_ascii_start());
        let [client, user] = [&client, &user].map(EventValue::from);
        if is_orig {
            let is_first = std::mem::replace(&mut self.next, Next::Line) == Next::Command;
            findings.raise("rsh_request", &[EventValue::Connection, client, user, text, is_first.into()]);
        } else {
            findings.raise("rsh_reply", &[EventValue::Connection, client, user, text]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    #[test]
    fn commands_and_answers() {
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                &[(true, b"1022\0me\0bob\0ls\0more\n"), (false, b"file\r\n")],
                &["rsh_request c me bob ls T", "rsh_request c me bob more F", "rsh_reply c me bob file"],
            ),
            (
                &[(true, b"x\nls\n")],
                &[
                    "weird bad_rsh_prolog ",
                    "rsh_request c <none> <none>  F",
                    "rsh_request c <none> <none> ls F",
                ],
            ),
        ];
        for (pieces, expected) in cases {
            let mut found = told(&READER, pieces);
            found.retain(|line| !line.starts_with("login_"));
            assert_eq!(found, *expected, "{pieces:?}");
        }
    }
}
