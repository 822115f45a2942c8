//! The lines of both sides, read by themselves: commands (RFC 5321 section 4.1, RFC 3030, RFC 3207) and
//! replies (section 4.2).

/// Commands of a client, as far as they matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb<'a> {
    /// HELO or EHLO: its name.
    Hello(&'a [u8]),
    /// MAIL FROM: the sender.
    Mail(&'a [u8]),
    /// RCPT TO: a recipient.
    Recipient(&'a [u8]),
    /// DATA.
    Data,
    /// BDAT: the length and whether it is the last chunk; none where it makes no sense.
    Chunk(Option<Chunk>),
    /// RSET.
    Reset,
    /// QUIT.
    Quit,
    /// STARTTLS.
    StartTls,
    /// Anything else.
    Other,
}

/// A chunk of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    /// Bytes of it that are to come.
    pub left: u64,
    /// It is the last one.
    pub last: bool,
}

impl<'a> Verb<'a> {
    /// Reads a line without its end.
    pub(super) fn read(line: &'a [u8]) -> Self {
        let end = line.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(line.len());
        let Some((word, rest)) = line.split_at_checked(end) else { return Self::Other };
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        if is(b"HELO") || is(b"EHLO") {
            Self::Hello(argument(rest))
        } else if is(b"MAIL") {
            path(rest, b"FROM").map_or(Self::Other, Self::Mail)
        } else if is(b"RCPT") {
            path(rest, b"TO").map_or(Self::Other, Self::Recipient)
        } else if is(b"DATA") {
            Self::Data
        } else if is(b"BDAT") {
            Self::Chunk(chunk(rest))
        } else if is(b"RSET") {
            Self::Reset
        } else if is(b"QUIT") {
            Self::Quit
        } else if is(b"STARTTLS") {
            Self::StartTls
        } else {
            Self::Other
        }
    }
}

/// The first word behind blanks.
fn argument(rest: &[u8]) -> &[u8] {
    let rest = skip_blanks(rest);
    rest.split(|&byte| byte == b' ').next().unwrap_or(rest)
}

fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| byte != b' ').unwrap_or(bytes.len());
    bytes.get(start..).unwrap_or_default()
}

/// The address behind a word and a colon; what follows a blank are parameters of the command.
fn path<'a>(rest: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (found, rest) = skip_blanks(rest).split_at_checked(word.len())?;
    if !found.eq_ignore_ascii_case(word) {
        return None;
    }
    let rest = skip_blanks(rest);
    Some(argument(rest.strip_prefix(b":").unwrap_or(rest)))
}

/// The length, and perhaps `LAST`.
fn chunk(rest: &[u8]) -> Option<Chunk> {
    let mut words = rest.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let digits = words.next().filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    // No server takes more than this.
    let left = std::str::from_utf8(digits).ok()?.parse::<i64>().ok()?.unsigned_abs();
    let last = match words.next() {
        None => false,
        Some(word) if word.eq_ignore_ascii_case(b"LAST") => true,
        Some(_) => return None,
    };
    words.next().is_none().then_some(Chunk { left, last })
}

/// A line of a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reply<'a> {
    /// The code.
    pub code: u16,
    /// More lines of it follow.
    pub goes_on: bool,
    /// Text behind the code.
    pub text: &'a [u8],
}

impl<'a> Reply<'a> {
    /// Reads a line without its end; none where it has no code.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let &[high @ b'2'..=b'5', middle @ b'0'..=b'5', low @ b'0'..=b'9', ref rest @ ..] = line else {
            return None;
        };
        let code = [high, middle, low].iter().fold(0, |code, digit| code * 10 + u16::from(digit - b'0'));
        let text = rest.get(1..).unwrap_or_default();
        Some(Self { code, goes_on: rest.first() == Some(&b'-'), text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let chunk = |left, last| Verb::Chunk(Some(Chunk { left, last }));
        let cases: [(&str, Verb<'_>); 20] = [
            ("EHLO a.example", Verb::Hello(b"a.example")),
            ("helo  a b", Verb::Hello(b"a")),
            ("HELO", Verb::Hello(b"")),
            ("MAIL FROM:<a@b> SIZE=5", Verb::Mail(b"<a@b>")),
            ("mail from: <a@b>", Verb::Mail(b"<a@b>")),
            ("MAIL", Verb::Other),
            ("RCPT TO:a@b", Verb::Recipient(b"a@b")),
            ("RCPT  To : <a@b>", Verb::Recipient(b"<a@b>")),
            ("DATA", Verb::Data),
            ("database", Verb::Other),
            ("BDAT 10", chunk(10, false)),
            ("bdat 0  last", chunk(0, true)),
            ("BDAT 5 X", Verb::Chunk(None)),
            ("BDAT", Verb::Chunk(None)),
            ("BDAT 99999999999999999999", Verb::Chunk(None)),
            ("BDAT 1 LAST x", Verb::Chunk(None)),
            ("RSET", Verb::Reset),
            ("quit ", Verb::Quit),
            ("STARTTLS", Verb::StartTls),
            ("", Verb::Other),
        ];
        for (line, expected) in cases {
            assert_eq!(Verb::read(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn replies() {
        let reply = |code, goes_on, text: &'static str| Some(Reply { code, goes_on, text: text.as_bytes() });
        let cases: [(&str, Option<Reply<'_>>); 7] = [
            ("250 ok", reply(250, false, "ok")),
            ("250-PIPELINING", reply(250, true, "PIPELINING")),
            ("354", reply(354, false, "")),
            ("521 no", reply(521, false, "no")),
            ("99 no", None),
            ("160 no", None),
            ("hello", None),
        ];
        for (line, expected) in cases {
            assert_eq!(Reply::read(line.as_bytes()), expected, "{line}");
        }
    }
}
