//! Rlogin (RFC 1282): names and the terminal in front, then lines, with changes of the window's size among what the client sends.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

use super::{Dialogue, EVENTS, MAX_LINE};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "RLOGIN",
    events: EVENTS,
    tells_weirds: true,
    lasts: None,
    open: || Box::<Rlogin>::default(),
};

/// Bytes in front of a change of the window, and those behind them.
const WINDOW: [u8; 4] = [0xff, 0xff, b's', b's'];
const WINDOW_LENGTH: usize = 8;

/// What comes next of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Next {
    /// A zero: the client's first byte, or the server's answer.
    #[default]
    Zero,
    ClientName,
    ServerName,
    Terminal,
    Line,
    /// The server said something else than zero.
    Rejected,
    /// What comes is read as lines, though the beginning made no sense.
    Unknown,
}

#[derive(Debug, Default)]
struct Side {
    next: Next,
    text: Vec<u8>,
    is_behind_return: bool,
    /// Bytes of a change of the window that were seen, and those to come.
    window: usize,
    left: usize,
}

/// One connection.
#[derive(Debug, Default)]
struct Rlogin {
    sides: [Side; 2],
    dialogue: Dialogue,
}

impl ReadStreams for Rlogin {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        for byte in bytes {
            self.byte(is_orig, *byte, findings);
        }
    }

    fn end(&mut self, findings: &mut dyn StreamFindings) {
        self.dialogue.end(findings);
    }
}

impl Rlogin {
    fn byte(&mut self, is_orig: bool, byte: u8, findings: &mut dyn StreamFindings) {
        let is_rejected = self.sides.last().is_some_and(|side| side.next == Next::Rejected);
        let Some(side) = self.sides.get_mut(usize::from(!is_orig)) else { return };
        match side.next {
            Next::Zero => {
                side.next = match (byte, is_orig) {
                    (0, true) => Next::ClientName,
                    (0, false) => Next::Line,
                    (_, true) => {
                        findings.weird("bad_rlogin_prolog", "");
                        Next::Unknown
                    }
                    (_, false) => Next::Rejected,
                };
            }
            Next::ClientName | Next::ServerName | Next::Terminal if byte == 0 => {
                let text = std::mem::take(&mut side.text);
                side.next = match side.next {
                    Next::ClientName => Next::ServerName,
                    Next::ServerName => Next::Terminal,
                    _ => Next::Line,
                };
                match side.next {
                    Next::ServerName => self.dialogue.client = Some(text),
                    Next::Terminal => self.dialogue.named(&text, findings),
                    _ => {
                        findings.raise("login_terminal", &[EventValue::Connection, EventValue::String(&text)])
                    }
                }
            }
            Next::ClientName | Next::ServerName | Next::Terminal => side.push(byte),
            Next::Line if is_orig && (side.left > 0 || side.window > 0 || byte == 0xff) => side.window(byte),
            Next::Line | Next::Rejected | Next::Unknown => {
                if side.next == Next::Line && is_orig && is_rejected {
                    findings.weird("rlogin_text_after_rejected", "");
                    side.next = Next::Unknown;
                }
                if let Some(line) = side.line(byte) {
                    self.dialogue.line(is_orig, &line, findings);
                }
            }
        }
    }
}

impl Side {
    fn push(&mut self, byte: u8) {
        if self.text.len() < MAX_LINE {
            self.text.push(byte);
        }
    }

    /// Takes a byte of a line; returns the line that it ends.
    fn line(&mut self, byte: u8) -> Option<Vec<u8>> {
        let is_rest = byte == b'\n' && self.is_behind_return;
        self.is_behind_return = byte == b'\r';
        match byte {
            _ if is_rest => None,
            b'\r' | b'\n' => Some(std::mem::take(&mut self.text)),
            byte => {
                self.push(byte);
                None
            }
        }
    }

    /// Takes a byte of a change of the window, or of what only looked like one.
    fn window(&mut self, byte: u8) {
        if self.left > 0 {
            self.left -= 1;
        } else if WINDOW.get(self.window) == Some(&byte) {
            self.window += 1;
            if self.window == WINDOW.len() {
                (self.window, self.left) = (0, WINDOW_LENGTH);
            }
        } else {
            let seen = std::mem::take(&mut self.window);
            WINDOW.iter().take(seen).for_each(|byte| self.push(*byte));
            self.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    #[test]
    fn names_and_lines() {
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let begun = "login_terminal c xterm/9600";
        let end = "login_success c bob me <none> <EOF>";
        let cases: &[Case<'_>] = &[
            (
                &[(true, b"\0me\0bob\0xterm/9600\0\xff\xffss12345678ls\r\n"), (false, b"\0a\nb\r\n")],
                &[
                    begun,
                    "login_input_line c ls",
                    "login_output_line c a",
                    "login_output_line c b",
                    "login_success c bob me ls <EOF>",
                ],
            ),
            (
                &[(true, b"\0me\0bob\0xterm/9600\0\xff\xffx\r")],
                &[begun, r"login_input_line c \xff\xffx", r"login_success c bob me \xff\xffx <EOF>"],
            ),
            (
                &[(true, b"\0me\0bob\0xterm/9600\0"), (false, b"no\r"), (true, b"x")],
                &[begun, "login_output_line c o", "weird rlogin_text_after_rejected ", end],
            ),
            (&[(true, b"x\r")], &["weird bad_rlogin_prolog ", "login_input_line c "]),
        ];
        for (pieces, expected) in cases {
            let found = told(&READER, pieces);
            assert_eq!(
                found.get(..expected.len()),
                Some(&expected.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()[..]),
                "{found:?}"
            );
        }
    }
}
