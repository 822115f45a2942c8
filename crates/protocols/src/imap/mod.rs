//! IMAP (RFC 9051): it is recognised, and nothing of it is parsed but for Zeek (`reader.rs`).

mod reader;

use weir_applayer::{
    Factory, Hint, Options, Outcome, ParseContext, Parser, Probe, Protocol, Request, Transport, factory,
};
use weir_base::Direction;

/// Makes the hint of a server's untagged line.
const fn untagged(literal: &'static [u8]) -> Hint {
    Hint { nocase: true, ..Hint::starts(Direction::ToClient, literal) }
}

/// Commands that a client may begin with.
const COMMANDS: &[&[u8]] =
    &[b"CAPABILITY", b"NOOP", b"LOGOUT", b"STARTTLS", b"AUTHENTICATE", b"LOGIN", b"ID", b"ENABLE"];

/// Longest tag that is taken for one.
const MAX_TAG: usize = 32;

/// The protocol.
pub static IMAP: Protocol = Protocol {
    // Zeek names it where it goes on over TLS.
    zeek_service: "",
    ports: &[143],
    hints: &[
        untagged(b"* OK "),
        untagged(b"* NO "),
        untagged(b"* BAD "),
        untagged(b"* BYE "),
        untagged(b"* PREAUTH "),
        untagged(b"* LIST "),
        untagged(b"* STATUS "),
        untagged(b"* FLAGS "),
        untagged(b"* ESEARCH "),
    ],
    probe: Some(probe),
    accepts_gaps: true,
    zeek: Some(&reader::ZEEK),
    ..Protocol::named("imap", configure)
};

/// At IMAP's port, a client begins with a tag and a command.
fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    if direction == Direction::ToClient {
        return Probe::No;
    }
    let mut words = bytes.splitn(3, |byte| matches!(byte, b' ' | b'\r'));
    let (tag, command) = (words.next().unwrap_or_default(), words.next());
    let is_tag = tag.len() <= MAX_TAG && tag.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'.');
    match command {
        _ if !is_tag => Probe::No,
        None => Probe::More,
        Some(_) if tag.is_empty() => Probe::No,
        Some(word) if words.next().is_some() => {
            let is_known = COMMANDS.iter().any(|known| known.eq_ignore_ascii_case(word));
            if is_known { Probe::Yes } else { Probe::No }
        }
        Some(word) => {
            let may_be = COMMANDS.iter().any(|known| {
                known.get(..word.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(word))
            });
            if may_be { Probe::More } else { Probe::No }
        }
    }
}

/// There is nothing to configure.
fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(Unread))
}

/// Reads nothing.
#[derive(Debug)]
struct Unread;

impl Parser for Unread {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, _: &[u8]) -> Outcome {
        if cx.may_fork() {
            cx.fork(0, Box::<reader::ImapReader>::default());
        }
        cx.request(Request::StopParsing(direction));
        Outcome::Ok
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, _: Direction, _: u64) -> Outcome {
        Outcome::Ok
    }

    weir_applayer::no_transactions!(&IMAP);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Conversation, DOWN, UP};
    use weir_applayer::NoOptions;

    #[test]
    fn detection() {
        let cases: &[(Direction, &[u8], Probe)] = &[
            (UP, b"a1 CAPABILITY\r\n", Probe::Yes),
            (UP, b"A.001 login me x\r\n", Probe::Yes),
            (UP, b"a1 LOG", Probe::More),
            (UP, b"a1", Probe::More),
            (UP, b"", Probe::More),
            (UP, b" LOGIN ", Probe::No),
            (UP, b"GET / HTTP/1.0\r\n", Probe::No),
            (UP, b"a1 CAPABLE\r\n", Probe::No),
            (UP, b"a-1 LOGIN\r\n", Probe::No),
            (DOWN, b"a1 OK done\r\n", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, *direction, bytes), *expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn nothing_is_read() {
        let said = [(DOWN, "* OK ready\r\n"), (UP, "a1 LOGIN me x\r\n")];
        let conversation = Conversation::of(&IMAP, &NoOptions, &said);
        assert_eq!(conversation.ids(), [0_u64; 0]);
        assert_eq!(conversation.wishes().len(), 2);
    }
}
