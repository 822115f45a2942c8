//! Messages: the content of a line.

use std::net::Ipv4Addr;

/// Most bytes of a line that is read (RFC 2812 2.3).
pub const MAX_READ: usize = 512;

/// Least bytes of a line, and of what follows its prefix.
const MIN_LINE: usize = 3;

/// Most letters of a command.
const MAX_COMMAND: usize = 20;

/// Reply of a server that accepts STARTTLS (`RPL_STARTTLS`).
const TLS_FOLLOWS: &[u8] = b"670";

/// Commands that are looked for.
const KNOWN: &[&str] = &[
    "ADMIN",
    "AUTHENTICATE",
    "AWAY",
    "CAP",
    "DIE",
    "ERROR",
    "INFO",
    "INVITE",
    "ISON",
    "JOIN",
    "KICK",
    "KILL",
    "LINKS",
    "LIST",
    "LUSERS",
    "MODE",
    "MOTD",
    "NAMES",
    "NICK",
    "NJOIN",
    "NOTICE",
    "OPER",
    "PART",
    "PASS",
    "PING",
    "PONG",
    "PRIVMSG",
    "QUIT",
    "REHASH",
    "RESTART",
    "SERVER",
    "SERVICE",
    "SERVLIST",
    "SQUERY",
    "SQUIT",
    "STARTTLS",
    "STATS",
    "SUMMON",
    "TIME",
    "TOPIC",
    "TRACE",
    "USER",
    "USERHOST",
    "USERS",
    "VERSION",
    "WALLOPS",
    "WHO",
    "WHOIS",
    "WHOWAS",
];

/// A line, as far as Zeek's logs have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// A line as it was sent, for the events of scripts alone.
    Heard,
    /// A command of IRC.
    Known,
    /// The sender is called this from now on.
    Nick(Vec<u8>),
    /// User: the name, and its host, server and real name.
    User(Vec<u8>, Vec<u8>),
    /// The sender joins channels, each perhaps with a key.
    Join(Vec<(Vec<u8>, Vec<u8>)>),
    /// The sender offers a file.
    File(Offer),
    /// TLS follows.
    Tls,
    /// It is odd.
    Odd(&'static str, Option<String>),
    /// It is no line of IRC.
    Failure(&'static str, &'static str),
}

/// A file that is to be fetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// Its name.
    pub name: Vec<u8>,
    /// Length of the file in bytes, by its sender; 0 where that says nothing.
    pub size: u64,
    /// Where it is to be had.
    pub host: Ipv4Addr,
    /// At which port.
    pub port: u16,
}

/// Whether a word is a command of IRC.
pub fn is_known(word: &[u8]) -> bool {
    KNOWN.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Reads a line; none where nothing is logged of it.
pub fn read(line: &[u8]) -> Option<Message> {
    // What clients and servers of today say of a line before it counts for itself.
    let line = if line.starts_with(b"@") { split(line).map_or(line, |(_, line)| line) } else { line };
    if line.len() > MAX_READ {
        return Some(Message::Odd("irc_line_size_exceeded", None));
    }
    let mut text = without_spaces(line);
    if text.len() < MIN_LINE {
        return Some(Message::Odd("irc_line_too_short", None));
    }
    if text.starts_with(b":") {
        let Some((_, rest)) = split(text) else { return Some(Message::Odd("irc_invalid_line", None)) };
        text = rest;
    }
    if text.len() < MIN_LINE {
        return Some(Message::Failure("irc_invalid_line", "line too short"));
    }
    if text.first().is_some_and(u8::is_ascii_digit) {
        return match text {
            [a, b, c, b' ', ..] if [a, b, c].iter().all(|byte| byte.is_ascii_digit()) => {
                ([*a, *b, *c] == *TLS_FOLLOWS).then_some(Message::Tls)
            }
            _ => Some(Message::Failure("irc_invalid_reply_number", "invalid reply number")),
        };
    }
    let (command, parameters) = split(text).unwrap_or((text, b""));
    if command.len() > MAX_COMMAND {
        return Some(Message::Odd(INVALID_COMMAND, None));
    }
    match &command.to_ascii_uppercase()[..] {
        b"NICK" => Some(Message::Nick(parameters.strip_prefix(b":").unwrap_or(parameters).to_vec())),
        b"USER" => Some(user(parameters)),
        b"JOIN" => Some(join(parameters)),
        b"NJOIN" if words(parameters).count() != 2 => Some(Message::Odd("irc_invalid_njoin_line", None)),
        b"PRIVMSG" => Some(private(parameters)),
        _ => is_known(command).then_some(Message::Known),
    }
}

/// Name of the weird for an invalid command.
pub const INVALID_COMMAND: &str = "irc_invalid_command";

/// A name, a host, a server and a real name, whose words are put together as Zeek does: with a space behind each but
/// the first.
fn user(parameters: &[u8]) -> Message {
    let mut words = words(parameters);
    let name = words.next().unwrap_or_default().to_vec();
    let mut more = [words.next().unwrap_or_default(), words.next().unwrap_or_default(), b""].join(&b' ');
    for (index, word) in words.enumerate() {
        more.extend_from_slice(if index == 0 { word.strip_prefix(b":").unwrap_or(word) } else { word });
        if index > 0 {
            more.push(b' ');
        }
    }
    Message::User(name, more)
}

fn join(parameters: &[u8]) -> Message {
    let mut words = words(parameters.strip_prefix(b":").unwrap_or(parameters));
    let Some(channels) = words.next() else { return Message::Odd("irc_invalid_join_line", None) };
    let mut keys = members(words.next().unwrap_or_default());
    let channels = members(channels);
    Message::Join(channels.map(|name| (name.to_vec(), keys.next().unwrap_or_default().to_vec())).collect())
}

/// A message to somebody; a file may be announced in it (CTCP's `DCC SEND`).
fn private(parameters: &[u8]) -> Message {
    let Some((_, text)) = split(parameters) else {
        return Message::Odd("irc_invalid_privmsg_message_format", None);
    };
    let text = text.strip_prefix(b":").unwrap_or(text);
    let text = text.strip_prefix(b"\x01").unwrap_or(text);
    if text.len() <= 3 || !text.starts_with(b"DCC") {
        return Message::Known;
    }
    let words: Vec<&[u8]> = words(text.strip_suffix(b"\x01").unwrap_or(text)).collect();
    let (kind, name, address, port, size) = match words[..] {
        [_, kind, name, address, port] => (kind, name, address, port, &b""[..]),
        [_, kind, name, address, port, size] | [_, kind, name, address, port, size, b"T"] => {
            (kind, name, address, port, size)
        }
        _ => return Message::Odd("irc_invalid_dcc_message_format", None),
    };
    let number = leading_number(port);
    match u16::try_from(number) {
        Err(_) | Ok(0) => Message::Odd("irc_invalid_dcc_port", Some(number.to_string())),
        Ok(port) if kind == b"SEND" => {
            // Zeek takes what is no digit as zero.
            let add = |sum: u32, byte: &u8| {
                sum.wrapping_mul(10).wrapping_add(char::from(*byte).to_digit(10).unwrap_or_default())
            };
            let host = Ipv4Addr::from(address.iter().fold(0, add));
            Message::File(Offer { name: name.to_vec(), size: leading_number(size), host, port })
        }
        Ok(_) => Message::Known,
    }
}

/// The number that a text begins with; 0 where there is none.
fn leading_number(text: &[u8]) -> u64 {
    let digits = text.iter().map_while(|byte| char::from(*byte).to_digit(10));
    digits.fold(0, |number: u64, digit| number.saturating_mul(10).saturating_add(u64::from(digit)))
}

fn without_spaces(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| *byte != b' ').unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

/// Splits a text at the first space, and skips further ones.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, rest) = text.split_at_checked(text.iter().position(|byte| *byte == b' ')?)?;
    Some((first, without_spaces(rest)))
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b' ').filter(|word| !word.is_empty())
}

fn members(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b',').filter(|member| !member.is_empty())
}
