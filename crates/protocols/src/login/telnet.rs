//! Telnet (RFC 854): lines, and among them commands and options, as far as they tell of logins.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

use super::{Dialogue, EVENTS, MAX_LINE};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "TELNET",
    events: EVENTS,
    tells_weirds: true,
    lasts: None,
    open: || Box::<Telnet>::default(),
};

/// Commands (RFC 854).
mod command {
    pub const INTERPRET: u8 = 255;
    pub const WILL: u8 = 251;
    pub const WONT: u8 = 252;
    pub const DO: u8 = 253;
    pub const DONT: u8 = 254;
    pub const SUBNEGOTIATION: u8 = 250;
    pub const END: u8 = 240;
}

/// Options that are followed: transmission of binary data (RFC 856), the terminal's type (RFC 1091), authentication
/// (RFC 2941), encryption (RFC 2946), environment (RFC 1408).
mod option {
    pub const BINARY: u8 = 0;
    pub const TERMINAL: u8 = 24;
    pub const AUTHENTICATION: u8 = 37;
    pub const ENCRYPTION: u8 = 38;
    pub const ENVIRONMENT: u8 = 39;
    pub const ALL: [u8; 5] = [BINARY, TERMINAL, AUTHENTICATION, ENCRYPTION, ENVIRONMENT];
}

/// What comes next of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Next {
    #[default]
    Text,
    Command,
    /// The number of an option, behind this command.
    Option(u8),
    /// Part of a subnegotiation.
    Subnegotiation,
    /// As that, behind a byte that begins commands.
    EndOfSubnegotiation,
}

/// State of an option: what the other side said of it, by commands.
#[derive(Clone, Copy, Debug, Default)]
struct Agreement {
    said: [bool; 4],
    is_active: bool,
    /// What it is for was asked for.
    was_asked: bool,
}

#[derive(Debug, Default)]
struct Side {
    next: Next,
    line: Vec<u8>,
    last: u8,
    sub: Vec<u8>,
    options: [Agreement; option::ALL.len()],
    /// Name by which the side authenticates.
    name: Vec<u8>,
    is_accepted: bool,
    is_encrypted: bool,
    told_zero: bool,
}

/// One connection.
#[derive(Debug, Default)]
struct Telnet {
    sides: [Side; 2],
    dialogue: Dialogue,
}

/// Returns the place of what a command says.
const fn said(command: u8) -> usize {
    match command {
        command::WILL => 0,
        command::WONT => 1,
        command::DO => 2,
        _ => 3,
    }
}

impl ReadStreams for Telnet {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        for byte in bytes {
            if self.side(is_orig).is_none_or(|side| side.is_encrypted) {
                return;
            }
            self.byte(is_orig, *byte, findings);
        }
    }

    fn end(&mut self, findings: &mut dyn StreamFindings) {
        self.dialogue.end(findings);
    }
}

impl Telnet {
    fn side(&mut self, is_orig: bool) -> Option<&mut Side> {
        self.sides.get_mut(usize::from(!is_orig))
    }

    fn byte(&mut self, is_orig: bool, byte: u8, findings: &mut dyn StreamFindings) {
        let Some(side) = self.side(is_orig) else { return };
        match (side.next, byte) {
            (Next::Text, command::INTERPRET) => side.next = Next::Command,
            (Next::Text, byte) => {
                if let Some(line) = side.text(byte, findings) {
                    self.dialogue.line(is_orig, &line, findings);
                }
            }
            (Next::Command, command::INTERPRET) => {
                side.next = Next::Text;
                side.push(byte);
            }
            (Next::Command, command::SUBNEGOTIATION) => {
                side.sub.clear();
                side.next = Next::Subnegotiation;
            }
            (Next::Command, command::WILL..=command::DONT) => side.next = Next::Option(byte),
            (Next::Command, _) => side.next = Next::Text,
            (Next::Option(command), number) => {
                side.next = Next::Text;
                self.agree(is_orig, command, number, findings);
            }
            (Next::Subnegotiation, command::INTERPRET) => side.next = Next::EndOfSubnegotiation,
            (Next::Subnegotiation, byte) => side.push_sub(byte),
            (Next::EndOfSubnegotiation, command::INTERPRET) => {
                side.push_sub(byte);
                side.next = Next::Subnegotiation;
            }
            (Next::EndOfSubnegotiation, byte) => {
                side.next = Next::Text;
                let sub = std::mem::take(&mut side.sub);
                if byte != command::END {
                    findings.raise("bad_option_termination", &[EventValue::Connection]);
                }
                if let Some((number, rest)) = sub.split_first() {
                    self.subnegotiate(is_orig, *number, rest, findings);
                }
                if byte != command::END {
                    // The next command begins in place of the end.
                    if let Some(side) = self.side(is_orig) {
                        side.next = Next::Command;
                    }
                    self.byte(is_orig, byte, findings);
                }
            }
        }
    }

    /// Takes what a side says of an option.
    fn agree(&mut self, is_orig: bool, command: u8, number: u8, findings: &mut dyn StreamFindings) {
        let Some(place) = option::ALL.iter().position(|known| *known == number) else { return };
        let sides = if is_orig { [0, 1] } else { [1, 0] };
        let [Some(mut own), Some(mut peer)] =
            sides.map(|side| self.sides.get(side).and_then(|side| side.options.get(place)).copied())
        else {
            return;
        };
        let [was_will, was_wont, was_do, was_dont] = own.said;
        let [peer_will, peer_wont, peer_do, peer_dont] = peer.said;
        let is_inconsistent = match command {
            command::WILL => was_dont || peer_wont || peer.is_active,
            command::WONT => peer_will && !was_dont,
            command::DO => was_wont || peer_dont || own.is_active,
            _ => peer_do && !was_wont,
        };
        // Nobody minds binary data that was agreed on before.
        if is_inconsistent && number != option::BINARY {
            findings.raise("inconsistent_option", &[EventValue::Connection]);
        }
        if let Some(said) = peer.said.get_mut(said(command)) {
            *said = true;
        }
        match command {
            command::WILL => peer.is_active |= was_do,
            command::WONT => peer.is_active &= !was_dont,
            command::DO => own.is_active |= was_will,
            _ => own.is_active &= !was_wont,
        }
        for (side, agreement) in sides.into_iter().zip([own, peer]) {
            if let Some(known) = self.sides.get_mut(side).and_then(|side| side.options.get_mut(place)) {
                *known = agreement;
            }
        }
    }

    /// Takes a subnegotiation of an option.
    fn subnegotiate(&mut self, is_orig: bool, number: u8, body: &[u8], findings: &mut dyn StreamFindings) {
        let Some(place) = option::ALL.iter().position(|known| *known == number) else { return };
        let c = EventValue::Connection;
        let is_active = self
            .side(is_orig)
            .is_some_and(|side| side.options.get(place).is_some_and(|known| known.is_active));
        if number == option::ENCRYPTION && !is_active {
            findings.raise("inconsistent_option", &[c]);
            return;
        }
        let Some((kind, rest)) = body.split_first() else {
            if number != option::BINARY {
                findings.raise("bad_option", &[c]);
            }
            return;
        };
        match (number, *kind) {
            (option::TERMINAL | option::ENVIRONMENT, 1) => {}
            (option::TERMINAL, 0) => findings.raise("login_terminal", &[c, rest.into()]),
            (option::ENVIRONMENT, 0 | 2) => self.environment(is_orig, rest, findings),
            (option::ENCRYPTION, kind) => self.encryption(is_orig, place, kind, findings),
            (option::AUTHENTICATION, kind) => self.authentication(is_orig, place, (kind, rest), findings),
            (option::TERMINAL | option::ENVIRONMENT, _) => findings.raise("bad_option", &[c]),
            _ => {}
        }
    }

    /// RFC 2946, section 2.
    fn encryption(&mut self, is_orig: bool, place: usize, kind: u8, findings: &mut dyn StreamFindings) {
        const START: u8 = 3;
        const REQUEST_START: u8 = 5;
        let peer = self.side(!is_orig).map(|peer| {
            let was_asked = peer.options.get(place).is_some_and(|known| known.was_asked);
            was_asked || peer.is_encrypted || peer.is_accepted
        });
        let Some(side) = self.side(is_orig) else { return };
        match (kind, peer) {
            (REQUEST_START, _) => {
                if let Some(known) = side.options.get_mut(place) {
                    known.was_asked = true;
                }
            }
            (START, Some(true)) => {
                side.is_encrypted = true;
                findings.raise("activating_encryption", &[EventValue::Connection]);
            }
            (START, _) => findings.raise("inconsistent_option", &[EventValue::Connection]),
            _ => {}
        }
    }

    /// RFC 2941, section 2.
    fn authentication(
        &mut self,
        is_orig: bool,
        place: usize,
        (kind, rest): (u8, &[u8]),
        findings: &mut dyn StreamFindings,
    ) {
        const IS: u8 = 0;
        const SEND: u8 = 1;
        const REPLY: u8 = 2;
        const NAME: u8 = 3;
        let peer = self
            .side(!is_orig)
            .map(|peer| (peer.options.get(place).is_some_and(|known| known.was_asked), peer.name.clone()));
        let (was_asked, name) = peer.unwrap_or_default();
        let Some(side) = self.side(is_orig) else { return };
        match (kind, rest.first()) {
            (IS, _) if !was_asked => findings.raise("inconsistent_option", &[EventValue::Connection]),
            (IS, _) => {}
            (SEND, _) => {
                if let Some(known) = side.options.get_mut(place) {
                    known.was_asked = true;
                }
            }
            (REPLY, Some(1 | 2)) => {
                side.is_accepted = rest.first() == Some(&2);
                let event =
                    if side.is_accepted { "authentication_accepted" } else { "authentication_rejected" };
                findings.raise(event, &[EventValue::String(&name), EventValue::Connection]);
            }
            (REPLY, Some(_)) => {}
            (NAME, _) => side.name = rest.to_vec(),
            _ => findings.raise("bad_option", &[EventValue::Connection]),
        }
    }

    /// Reads variables: names and values, with codes in front (RFC 1408, section 2).
    fn environment(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let name = variable(&mut rest).filter(|(code, _)| matches!(code, 0 | 3));
            let value = variable(&mut rest).filter(|(code, _)| *code == 1);
            let (Some((_, name)), Some((_, value))) = (name, value) else {
                findings.raise("bad_option", &[EventValue::Connection]);
                return;
            };
            self.dialogue.variable(is_orig, &name, &value, findings);
        }
    }
}

/// Reads a name or a value: its code, and what is behind it up to the next one.
fn variable(rest: &mut &[u8]) -> Option<(u8, Vec<u8>)> {
    const ESCAPE: u8 = 2;
    let (code, mut behind) = rest.split_first()?;
    let mut text = Vec::new();
    while let Some((byte, more)) = behind.split_first() {
        match *byte {
            0 | 1 | 3 => break,
            ESCAPE => {
                let (escaped, more) = more.split_first()?;
                text.push(*escaped);
                behind = more;
            }
            byte => {
                text.push(byte);
                behind = more;
            }
        }
    }
    *rest = behind;
    Some((*code, text))
}

impl Side {
    fn push(&mut self, byte: u8) {
        self.last = byte;
        if self.line.len() < MAX_LINE {
            self.line.push(byte);
        }
    }

    fn push_sub(&mut self, byte: u8) {
        if self.sub.len() < MAX_LINE {
            self.sub.push(byte);
        }
    }

    /// Takes a byte of a line; returns the line that it ends.
    fn text(&mut self, byte: u8, findings: &mut dyn StreamFindings) -> Option<Vec<u8>> {
        let is_binary = self.options.first().is_some_and(|binary| binary.is_active);
        let byte = if is_binary { byte & 0x7f } else { byte };
        let last = std::mem::replace(&mut self.last, byte);
        match (byte, last) {
            (b'\n' | 0, b'\r') => None,
            (b'\r' | b'\n', _) => Some(std::mem::take(&mut self.line)),
            (0, _) if !std::mem::replace(&mut self.told_zero, true) => {
                findings.weird("NUL_in_line", "");
                None
            }
            _ => {
                self.push(byte);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    #[test]
    fn lines_and_options() {
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                &[(false, b"a\r\nb\r\0c\n\xff\xf1d\r")],
                &[
                    "login_output_line c a",
                    "login_output_line c b",
                    "login_output_line c c",
                    "login_output_line c d",
                ],
            ),
            (&[(false, b"x\xff\xff\r\n")], &[r"login_output_line c x\xff"]),
            (&[(true, b"\xff\xfa\x18\0xterm\xff\xf0")], &["login_terminal c xterm"]),
            (&[(true, b"\xff\xfa\x18\xff\xf0")], &["bad_option c"]),
            (
                &[(true, b"\xff\xfa\x18\0vt\xff\xfb\x18")],
                &["bad_option_termination c", "login_terminal c vt"],
            ),
            (
                &[(true, b"\xff\xfa\x27\0\0DISPLAY\x01h:0\0TTYPROMPT\x01p\x02\x01x\xff\xf0")],
                &["login_display c h:0", r"login_prompt c p\x01x"],
            ),
            (&[(true, b"\xff\xfa\x27\0\x01DISPLAY\xff\xf0")], &["bad_option c"]),
            (
                &[(true, b"\xff\xfb\x18"), (false, b"\xff\xfe\x18"), (true, b"\xff\xfb\x18")],
                &["inconsistent_option c"],
            ),
            (
                &[
                    (false, b"\xff\xfa\x25\x01\xff\xf0"),
                    (true, b"\xff\xfa\x25\x03me\xff\xf0\xff\xfa\x25\0x\xff\xf0"),
                    (false, b"\xff\xfa\x25\x02\x02\xff\xf0\xff\xfa\x25\x02\x01\xff\xf0"),
                ],
                &["authentication_accepted me c", "authentication_rejected me c"],
            ),
            (
                &[
                    (false, b"\xff\xfd\x26"),
                    (true, b"\xff\xfb\x26"),
                    (true, b"\xff\xfa\x26\x05\xff\xf0"),
                    (false, b"\xff\xfb\x26"),
                    (true, b"\xff\xfd\x26\xff\xfa\x26\x05\xff\xf0"),
                    (false, b"\xff\xfa\x26\x03\xff\xf0secret\r\n"),
                ],
                &["inconsistent_option c", "activating_encryption c"],
            ),
        ];
        for (pieces, expected) in cases {
            let found = told(&READER, pieces);
            assert_eq!(found, *expected, "{pieces:?}");
        }
    }
}
