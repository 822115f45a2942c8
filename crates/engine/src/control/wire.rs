//! Messages of the control socket: JSON in ASCII, without spaces, as Suricata writes it.

use serde_json::{Deserializer, Value, json};

use super::dialogue::Answer;

/// Version of the protocol that a client speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// 0.1: messages stand one behind the other.
    Bare,
    /// 0.2: messages end their line.
    Lines,
}

impl Version {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "0.1" => Some(Self::Bare),
            "0.2" => Some(Self::Lines),
            _ => None,
        }
    }
}

/// The beginning of what a client sent.
#[derive(PartialEq, Debug)]
pub(super) enum Message {
    /// Bytes are missing.
    Incomplete,
    /// It is no JSON.
    Wrong,
    /// A whole one.
    Whole(Value),
}

/// Takes the first message from bytes, and white space ahead of it.
pub(super) fn next(bytes: &mut Vec<u8>) -> Message {
    let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let spaces = bytes.iter().take_while(is_space).count();
    bytes.drain(..spaces);
    let mut values = Deserializer::from_slice(bytes).into_iter::<Value>();
    let (message, read) = match values.next() {
        None => (Message::Incomplete, bytes.len()),
        Some(Err(error)) if error.is_eof() => (Message::Incomplete, 0),
        Some(Err(_)) => (Message::Wrong, 0),
        Some(Ok(value)) => (Message::Whole(value), values.byte_offset()),
    };
    bytes.drain(..read);
    message
}

/// The answer to a version.
pub(super) fn greeting(version: Version) -> Vec<u8> {
    written(&json!({"return": "OK"}), version)
}

/// The answer to a command.
pub(super) fn answer(answer: &Answer, version: Version) -> Vec<u8> {
    let (message, word) = match answer {
        Ok(message) => (message, "OK"),
        Err(message) => (message, "NOK"),
    };
    written(&json!({"message": message, "return": word}), version)
}

fn written(value: &Value, version: Version) -> Vec<u8> {
    let mut out = String::new();
    for character in value.to_string().chars() {
        match character {
            '/' => out.push_str("\\/"),
            '\0'..='\x7f' => out.push(character),
            _ => {
                let mut units = [0; 2];
                let units = character.encode_utf16(&mut units).iter();
                units.for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            }
        }
    }
    if version == Version::Lines {
        out.push('\n');
    }
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_one_by_one() {
        let mut bytes = b" {\"a\":1}{\"b\":2}\n{\"c\"".to_vec();
        assert_eq!(next(&mut bytes), Message::Whole(json!({"a": 1})));
        assert_eq!(next(&mut bytes), Message::Whole(json!({"b": 2})));
        assert_eq!(next(&mut bytes), Message::Incomplete);
        bytes.extend(b":3}\n");
        assert_eq!(next(&mut bytes), Message::Whole(json!({"c": 3})));
        assert_eq!((next(&mut bytes), bytes.len()), (Message::Incomplete, 0));
        assert_eq!(next(&mut b"nonsense".to_vec()), Message::Wrong);
    }

    #[test]
    fn answers_are_ascii() {
        let said = answer(&Err("é/𝄞\n".into()), Version::Bare);
        assert_eq!(said, br#"{"message":"\u00e9\/\ud834\udd1e\n","return":"NOK"}"#);
    }
}
