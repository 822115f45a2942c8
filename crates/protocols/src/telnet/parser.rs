//! Tells commands (RFC 854) from text, and lines of text from prompts, as the bytes come.
//!
//! Text ends with its line. What a server says before somebody is logged in ends with a prompt.

use memchr::memchr;
use weir_applayer::{Factory, FrameId, FrameKind, Options, Outcome, ParseContext, Parser, factory};
use weir_base::{Direction, PerDirection};

use super::TELNET;

/// Kinds of frames.
pub const FRAMES: &[&str] = &["pdu", "ctl", "data"];

const PDU: FrameKind = FrameKind(0);
const CTL: FrameKind = FrameKind(1);
const DATA: FrameKind = FrameKind(2);

/// Bytes of a text that are kept: enough to see that a login failed.
pub const MAX_TEXT: usize = 16;

/// Text of a server where a login failed.
const LOGIN_FAILED: &[u8] = b"Login incorrect";

/// IAC, which begins a command, and the commands with an operand: the number of an option, or a subnegotiation, up to
/// the command that ends it (RFC 854).
const COMMAND: u8 = 0xff;
const OPTIONS: std::ops::RangeInclusive<u8> = 0xfb..=0xfe;
const SUBNEGOTIATION: u8 = 0xfa;
const SUBNEGOTIATION_END: u8 = 0xf0;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(TelnetParser::default()))
}

/// State of a login.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Login {
    /// Nothing was asked for.
    #[default]
    None,
    /// The server asked for a name.
    NameAsked,
    /// It was said.
    NameSaid,
    /// The server asked for a password.
    PasswordAsked,
    /// It was said.
    PasswordSaid,
    /// The server took it.
    Done,
    /// The server did not.
    Failed,
}

/// Meaning of a side's next byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Next {
    /// The first one of a message.
    #[default]
    First,
    /// Part of a text; before it was a colon.
    Text { colon: bool },
    /// The code of a command.
    Code,
    /// The number of an option.
    Number,
    /// The number of the option that a subnegotiation is about.
    Subject,
    /// Part of a subnegotiation; before it was a byte that begins commands.
    Subnegotiation { command: bool },
}

/// State of one side.
#[derive(Debug, Default)]
struct Side {
    next: Next,
    /// The frames of the message that is not at its end.
    frames: [Option<FrameId>; 2],
    /// Beginning of the text.
    text: Vec<u8>,
}

/// One connection.
#[derive(Debug, Default)]
pub struct TelnetParser {
    sides: PerDirection<Side>,
    login: Login,
}

impl Parser for TelnetParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            position += self.step(cx, direction, rest, cx.offset.saturating_add(position as u64));
        }
        Outcome::Ok
    }

    /// A message begins behind what is missing.
    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        self.end(cx, direction, cx.offset);
        Outcome::Ok
    }

    weir_applayer::no_transactions!(&TELNET);
}

impl TelnetParser {
    /// Takes what `rest` begins with, which stands at `offset` of the stream; answers its length.
    fn step(&mut self, cx: &mut ParseContext<'_>, direction: Direction, rest: &[u8], offset: u64) -> usize {
        let Some(&first) = rest.first() else { return 0 };
        let prompts = self.prompts(direction);
        let side = &mut self.sides[direction];
        match side.next {
            Next::First => {
                let is_command = first == COMMAND;
                side.begin(cx, direction, offset, if is_command { CTL } else { DATA });
                side.next = if is_command { Next::Code } else { Next::Text { colon: false } };
                return usize::from(is_command);
            }
            Next::Text { colon } => {
                let end = if prompts { prompt(rest, colon) } else { memchr(b'\n', rest).map(|end| end + 1) };
                let taken = end.unwrap_or(rest.len());
                let room = MAX_TEXT.saturating_sub(side.text.len());
                side.text.extend(rest.iter().take(taken.min(room)));
                side.next = Next::Text { colon: rest.last() == Some(&b':') };
                if end.is_some() {
                    self.said(direction);
                    self.end(cx, direction, offset.saturating_add(taken as u64));
                }
                return taken;
            }
            Next::Code if OPTIONS.contains(&first) => side.next = Next::Number,
            Next::Code if first == SUBNEGOTIATION => side.next = Next::Subject,
            Next::Code | Next::Number => self.end(cx, direction, offset.saturating_add(1)),
            Next::Subject => side.next = Next::Subnegotiation { command: false },
            // Its end is a command of its own.
            Next::Subnegotiation { command: true } if first == SUBNEGOTIATION_END => {
                let begun = offset.saturating_sub(1);
                self.end(cx, direction, begun);
                self.sides[direction].begin(cx, direction, begun, CTL);
                self.end(cx, direction, offset.saturating_add(1));
            }
            Next::Subnegotiation { .. } => {
                let plain = memchr(COMMAND, rest).unwrap_or(rest.len());
                side.next = Next::Subnegotiation { command: plain < rest.len() };
                return rest.len().min(plain + 1);
            }
        }
        1
    }

    /// Whether what a side says ends with a prompt.
    fn prompts(&self, direction: Direction) -> bool {
        direction == Direction::ToClient
            && matches!(self.login, Login::None | Login::Failed | Login::NameSaid)
    }

    /// A message ends before `offset`.
    fn end(&mut self, cx: &mut ParseContext<'_>, direction: Direction, offset: u64) {
        let side = &mut self.sides[direction];
        for frame in std::mem::take(&mut side.frames) {
            cx.close_frame(direction, frame, offset);
        }
        side.next = Next::First;
        side.text.clear();
    }

    /// A text is at its end.
    fn said(&mut self, direction: Direction) {
        let text = self.sides[direction].text.strip_suffix(b"\n");
        self.login = match (direction, self.login) {
            (Direction::ToServer, Login::NameAsked) => Login::NameSaid,
            (Direction::ToServer, Login::PasswordAsked) => Login::PasswordSaid,
            (Direction::ToClient, Login::None | Login::Failed) => Login::NameAsked,
            (Direction::ToClient, Login::NameSaid) => Login::PasswordAsked,
            (Direction::ToClient, Login::PasswordSaid) => match text {
                Some(b"") => Login::PasswordSaid,
                Some(LOGIN_FAILED) => Login::Failed,
                _ => Login::Done,
            },
            (_, other) => other,
        };
    }
}

impl Side {
    /// A message begins at `offset`.
    fn begin(&mut self, cx: &mut ParseContext<'_>, direction: Direction, offset: u64, kind: FrameKind) {
        self.frames = [PDU, kind].map(|kind| cx.open_frame(direction, kind, offset));
    }
}

/// Returns the end of a prompt; before the bytes may be a `colon`.
fn prompt(bytes: &[u8], colon: bool) -> Option<usize> {
    if colon && bytes.first() == Some(&b' ') {
        return Some(1);
    }
    memchr::memmem::find(bytes, b": ").map(|found| found + 2)
}
