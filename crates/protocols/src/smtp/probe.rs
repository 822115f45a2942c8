//! Recognition of SMTP: by the client's first command, or by a banner that nothing else contradicts.

use weir_applayer::{Hint, Probe, Transport};
use weir_base::Direction;

use super::command::Reply;

/// Longest name of a host.
const MAX_HOST: usize = 255;

/// Longest part of it.
const MAX_LABEL: usize = 63;

const fn command(literal: &'static [u8]) -> Hint {
    Hint { nocase: true, ..Hint::starts(Direction::ToServer, literal) }
}

/// First commands of clients.
pub(super) const HINTS: &[Hint] = &[command(b"EHLO"), command(b"HELO"), command(b"QUIT")];

/// Other protocols greet in the same way: the client may still say what it is.
pub(super) fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    if direction == Direction::ToServer {
        return Probe::No;
    }
    match bytes {
        [b'2', b'2', b'0', b' ' | b'-', rest @ ..] => banner(rest),
        _ if b"220".starts_with(bytes.get(..3).unwrap_or(bytes)) && bytes.len() < 4 => Probe::More,
        _ => Probe::No,
    }
}

/// Looks at what follows the code: the name of a host, then anything.
fn banner(rest: &[u8]) -> Probe {
    let end = rest.iter().position(|&byte| matches!(byte, b' ' | b'\r' | b'\n'));
    let host = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    let is_label = |label: &[u8]| {
        label.len() <= MAX_LABEL
            && label.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte))
    };
    if host.len() > MAX_HOST || end == Some(0) || !host.split(|&byte| byte == b'.').all(is_label) {
        return Probe::No;
    }
    let mut lines = rest.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
    match lines.next() {
        None => Probe::More,
        Some(_) if lines.all(|line| Reply::read(line).is_some()) => Probe::Likely,
        Some(_) => Probe::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners() {
        let cases: [(&str, Probe); 10] = [
            ("220 mail.example ESMTP\r\n", Probe::Likely),
            ("220-mail.example ESMTP\r\n220 go\r\n", Probe::Likely),
            ("220 mail.example\r\n250 ok\r\n", Probe::Likely),
            ("220 mail.example\r\nhello\r\n", Probe::No),
            ("220 mail.example ESM", Probe::More),
            ("22", Probe::More),
            ("220 *** ready\r\n", Probe::No),
            ("220 \r\n", Probe::No),
            ("250 a\r\n", Probe::No),
            ("SSH", Probe::No),
        ];
        for (bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, Direction::ToClient, bytes.as_bytes()), expected, "{bytes:?}");
        }
        assert_eq!(probe(Transport::Tcp, Direction::ToServer, b"220 a\r\n"), Probe::No);
    }
}
