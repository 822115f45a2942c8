//! Constants: numbers, intervals, ports, addresses, strings.

use super::lexer::Token;
use crate::values::{Addr, Port, Value, parse_double, protocol};

/// Units of intervals, with their seconds. Each may have an `s` behind it.
const UNITS: [(&[u8], f64); 6] = [
    (b"day", 86400.0),
    (b"hr", 3600.0),
    (b"min", 60.0),
    (b"msec", 0.001),
    (b"usec", 0.000_001),
    (b"sec", 1.0),
];

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn at(text: &[u8], place: usize) -> u8 {
    text.get(place).copied().unwrap_or(0)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reads a number, or what begins with one.
pub(super) fn number(rest: &[u8]) -> (Token, usize) {
    if let Some(length) = dotted(rest) {
        let text = String::from_utf8_lossy(rest.get(..length).unwrap_or(&[])).into_owned();
        return match Addr::parse(&text) {
            Some(address) => (Token::Constant(Value::Addr(address)), length),
            None => (Token::Wrong(format!("bad address: {text}")), length),
        };
    }
    if rest.starts_with(b"0x") || rest.starts_with(b"0X") {
        let length = rest.iter().skip(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let text = String::from_utf8_lossy(rest.get(2..2 + length).unwrap_or(&[])).into_owned();
        let value = u64::from_str_radix(&text, 16).unwrap_or(u64::MAX);
        return (Token::Constant(Value::Count(value)), 2 + length);
    }
    let whole = digits(rest);
    if at(rest, whole) == b'/' {
        for (number, word) in protocol::WORDS.iter().enumerate() {
            let behind = rest.get(whole + 1..).unwrap_or(&[]);
            if behind.starts_with(word.as_bytes()) && !is_letter(at(behind, word.len())) {
                let text = String::from_utf8_lossy(rest.get(..whole).unwrap_or(&[])).into_owned();
                let length = whole + 1 + word.len();
                let Ok(port) = text.parse() else {
                    return (Token::Wrong(format!("bad port number - {text}/{word}")), length);
                };
                let protocol = u8::try_from(number).unwrap_or(0);
                return (Token::Constant(Value::Port(Port { number: port, protocol })), length);
            }
        }
    }
    let (value, mut length) = parse_double(rest).unwrap_or((0.0, 1));
    let blanks = rest.iter().skip(length).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let behind = rest.get(length + blanks..).unwrap_or(&[]);
    for (unit, seconds) in UNITS {
        if behind.starts_with(unit) {
            let plural = usize::from(at(behind, unit.len()) == b's');
            if !is_letter(at(behind, unit.len() + plural)) {
                length += blanks + unit.len() + plural;
                return (Token::Constant(Value::Interval(value * seconds)), length);
            }
        }
    }
    if length == whole {
        let text = String::from_utf8_lossy(rest.get(..whole).unwrap_or(&[])).into_owned();
        return match text.parse::<u64>() {
            Ok(value) => (Token::Constant(Value::Count(value)), whole),
            Err(_) => (Token::Wrong(format!("number out of range: {text}")), whole),
        };
    }
    (Token::Constant(Value::Double(value)), length)
}

/// Returns the length of an address of version 4.
fn dotted(rest: &[u8]) -> Option<usize> {
    let mut length = 0;
    for part in 0..4 {
        if part > 0 {
            if at(rest, length) != b'.' {
                return None;
            }
            length += 1;
        }
        let count = digits(rest.get(length..)?);
        if count == 0 {
            return None;
        }
        length += count;
    }
    Some(length)
}

/// Reads an address of version 6 in brackets.
pub(super) fn address(rest: &[u8]) -> Option<(Token, usize)> {
    let inner = rest.get(1..)?;
    let length = inner
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.' | b'x'))
        .count();
    if at(inner, length) != b']' {
        return None;
    }
    let text = std::str::from_utf8(inner.get(..length)?).ok()?;
    let text = &text.replace("0x", "");
    if text.bytes().filter(|byte| *byte == b':').count() < 2 {
        return None;
    }
    // Numbers in the last part may have zeros before them.
    Some((Token::Constant(Value::Addr(Addr::parse(text)?)), length + 2))
}

/// Reads the name of a host: labels with points between them, the last one of letters.
pub(super) fn host(rest: &[u8]) -> Option<(Token, usize)> {
    let length =
        rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')).count();
    let text = std::str::from_utf8(rest.get(..length)?).ok()?.trim_end_matches(['.', '-']);
    let last = text.rsplit('.').next()?;
    let is_host = text.contains('.')
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.split('.').all(|label| !label.is_empty());
    is_host.then(|| (Token::Host(text.into()), text.len()))
}

/// Reads a string.
pub(super) fn string(rest: &[u8]) -> (Token, usize) {
    let mut out = Vec::new();
    let mut place = 1;
    loop {
        match rest.get(place).copied() {
            None | Some(b'\n') => return (Token::Wrong("unterminated string".to_owned()), place),
            Some(b'"') => return (Token::Constant(Value::string(out)), place + 1),
            Some(b'\0') => {
                let sentence = "strings cannot contain NUL bytes - use a \\x00 escape sequence instead";
                return (Token::Wrong(sentence.to_owned()), place);
            }
            Some(b'\\') => {
                let (byte, length) = escape(rest.get(place + 1..).unwrap_or(&[]));
                out.push(byte);
                place += 1 + length;
            }
            Some(byte) => {
                out.push(byte);
                place += 1;
            }
        }
    }
}

/// Returns the byte that an escape stands for, and its length behind the backslash.
pub fn escape(rest: &[u8]) -> (u8, usize) {
    match at(rest, 0) {
        b'n' => (b'\n', 1),
        b't' => (b'\t', 1),
        b'r' => (b'\r', 1),
        b'a' => (7, 1),
        b'b' => (8, 1),
        b'f' => (12, 1),
        b'v' => (11, 1),
        b'x' => {
            let count = rest.iter().skip(1).take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
            let text = String::from_utf8_lossy(rest.get(1..=count).unwrap_or(&[])).into_owned();
            (u8::from_str_radix(&text, 16).unwrap_or(0), 1 + count)
        }
        b'0'..=b'7' => {
            let count = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let value = rest.iter().take(count).fold(0u32, |sum, byte| sum * 8 + u32::from(byte - b'0'));
            (u8::try_from(value & 0xff).unwrap_or(0), count)
        }
        other => (other, 1),
    }
}
