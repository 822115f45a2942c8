//! Protocols by the first segments of each end.

fn starts_with_word(bytes: &[u8], words: &[&str]) -> bool {
    let end = bytes.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(bytes.len());
    let word = bytes.get(..end).unwrap_or_default();
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// A command of FTP, RFC 959 4.1.
pub(super) fn ftp_command(bytes: &[u8]) -> bool {
    const COMMANDS: &[&str] = &[
        "USER", "PASS", "ACCT", "AUTH", "FEAT", "SYST", "PORT", "PASV", "EPSV", "EPRT", "TYPE", "LIST",
        "RETR", "STOR", "CWD", "PWD", "OPTS", "HELP", "QUIT", "NOOP", "CLNT",
    ];
    starts_with_word(bytes, COMMANDS)
}

/// A reply: three digits, then a space or a dash.
pub(super) fn reply(bytes: &[u8]) -> bool {
    matches!(bytes, [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9', b' ' | b'-', ..])
}

/// A request of LDAP, RFC 4511 4.1.1, wherever it goes; at the ports of that it is read.
pub(super) fn ldap_request(bytes: &[u8]) -> bool {
    let body = match bytes {
        [0x30, 5..=0x7f, rest @ ..]
        | [0x30, 0x81, _, rest @ ..]
        | [0x30, 0x82, _, _, rest @ ..]
        | [0x30, 0x83, _, _, _, rest @ ..]
        | [0x30, 0x84, _, _, _, _, rest @ ..] => rest,
        _ => return false,
    };
    let [0x02, length @ 1..=4, rest @ ..] = body else { return false };
    let operation = rest.get(usize::from(*length));
    matches!(operation, Some(0x4a | 0x60 | 0x63 | 0x66 | 0x68 | 0x6c | 0x6e | 0x77))
}

/// An answer of LDAP.
pub(super) fn ldap_answer(bytes: &[u8]) -> bool {
    bytes.first() == Some(&0x30)
}

/// A message of DNS behind its length, RFC 1035 4.2.2, whose connection was not seen to begin.
pub(super) fn dns(bytes: &[u8]) -> bool {
    match bytes {
        [high, low, message @ ..] => {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            (12..=length).contains(&message.len()) && message.get(2).is_some_and(|flags| flags & 0x78 <= 0x28)
        }
        _ => false,
    }
}

/// A bind of DCE/RPC, C706 12.6.
pub(super) fn dcerpc_bind(bytes: &[u8]) -> bool {
    matches!(bytes, [5, 0 | 1, 11, ..])
}

/// Its acknowledgement.
pub(super) fn dcerpc_bind_ack(bytes: &[u8]) -> bool {
    matches!(bytes, [5, 0 | 1, 12, ..])
}

/// A command of IMAP, RFC 9051 2.2.1: a tag, then a word.
pub(super) fn imap_command(bytes: &[u8]) -> bool {
    let mut words = bytes.split(|&byte| byte == b' ');
    let tag = words.next().unwrap_or_default();
    let is_tag = !tag.is_empty()
        && tag.len() <= 16
        && tag.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'.');
    const COMMANDS: &[&str] = &["CAPABILITY", "STARTTLS", "LOGIN", "AUTHENTICATE", "NOOP", "LOGOUT", "ID"];
    is_tag && words.next().is_some_and(|word| starts_with_word(word, COMMANDS))
}

/// An answer that belongs to no command.
pub(super) fn imap_answer(bytes: &[u8]) -> bool {
    bytes.starts_with(b"* ")
}

/// The opening of a stream of XMPP, RFC 6120 4.2.
pub(super) fn xmpp(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes.get(..bytes.len().min(200)).unwrap_or_default(), OPENING).is_some()
}

const OPENING: &[u8] = b"<stream:stream";

/// Returns whether XMPP begins at the very start, with its namespace.
pub(super) fn xmpp_anywhere(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..bytes.len().min(512)).unwrap_or_default();
    let body = match bytes.strip_prefix(b"<?xml") {
        Some(rest) => memchr::memmem::find(rest, b"?>").and_then(|end| rest.get(end + 2..)),
        None => Some(bytes),
    };
    body.and_then(|body| body.trim_ascii_start().strip_prefix(OPENING))
        .and_then(|attributes| attributes.split(|byte| *byte == b'>').next())
        .is_some_and(|attributes| memchr::memmem::find(attributes, b" xmlns='jabber:").is_some())
}
