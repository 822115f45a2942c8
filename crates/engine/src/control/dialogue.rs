//! The dialogue with a client of the control socket: bytes in, answers out.
//!
//! Limit: [`MAX_REQUEST`] bytes wait to be a whole request.

use serde_json::{Map, Value};

use super::wire::{self, Message, Version};

/// Most bytes of a request.
pub const MAX_REQUEST: usize = 4095;

/// An answer: a message that all went well with, or that it did not.
pub type Answer = Result<Value, Value>;

/// A request that is to be answered.
#[derive(Debug)]
pub struct Request {
    /// Name of the command.
    pub command: String,
    /// Its arguments; none where there is no object of them.
    pub arguments: Option<Map<String, Value>>,
}

/// Fate of a client after its request.
#[derive(Debug)]
pub enum Reply {
    /// It is answered.
    Answer(Answer),
    /// It is let go without an answer.
    HangUp,
}

/// The next step of a dialogue.
#[derive(PartialEq, Eq, Debug)]
pub enum Step {
    /// More of a request is waited for.
    Wait,
    /// This is said to the client, who may have asked more already.
    Say(Vec<u8>),
    /// The client is let go.
    End,
}

/// A dialogue.
#[derive(Default)]
pub struct Dialogue {
    /// Bytes that no answer was given to.
    unread: Vec<u8>,
    /// The client's version, once it has said so.
    version: Option<Version>,
}

impl Dialogue {
    /// Returns the number of bytes that it can take.
    pub fn room(&self) -> usize {
        MAX_REQUEST.saturating_sub(self.unread.len())
    }

    /// Takes bytes of the client, as many as there is [`Dialogue::room`] for.
    pub fn take(&mut self, bytes: &[u8]) {
        self.unread.extend(bytes.iter().take(self.room()));
    }

    /// Answers the first request, if it is there as a whole.
    pub fn step(&mut self, answer: &mut dyn FnMut(&Request) -> Reply) -> Step {
        match wire::next(&mut self.unread) {
            Message::Incomplete if self.room() > 0 => Step::Wait,
            Message::Incomplete | Message::Wrong => Step::End,
            Message::Whole(message) => self.heed(&message, answer).map_or(Step::End, Step::Say),
        }
    }

    /// Returns the answer to a message, if it has one.
    fn heed(&mut self, message: &Value, answer: &mut dyn FnMut(&Request) -> Reply) -> Option<Vec<u8>> {
        let Some(version) = self.version else {
            let version = Version::named(message["version"].as_str()?)?;
            self.version = Some(version);
            return Some(wire::greeting(version));
        };
        let command = message["command"].as_str()?.to_owned();
        let arguments = message["arguments"].as_object().cloned();
        match answer(&Request { command, arguments }) {
            Reply::Answer(answer) => Some(wire::answer(&answer, version)),
            Reply::HangUp => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(request: &Request) -> Reply {
        match request.command.as_str() {
            "echo" => Reply::Answer(Ok(request.arguments.clone().map_or(Value::Null, Value::Object))),
            "fail" => Reply::Answer(Err("no".into())),
            _ => Reply::HangUp,
        }
    }

    /// The answer to a client that sends so many bytes at a time, and whether it is let go.
    fn said(bytes: &[u8], piece: usize) -> (String, bool) {
        let (mut dialogue, mut said, mut rest) = (Dialogue::default(), Vec::new(), bytes);
        loop {
            match dialogue.step(&mut echo) {
                Step::Say(answer) => said.extend(answer),
                Step::End => return (String::from_utf8(said).expect("ASCII"), true),
                Step::Wait if rest.is_empty() => return (String::from_utf8(said).expect("ASCII"), false),
                Step::Wait => {
                    let (now, later) = rest.split_at(piece.min(dialogue.room()).min(rest.len()));
                    dialogue.take(now);
                    rest = later;
                }
            }
        }
    }

    #[test]
    fn clients_are_greeted_and_answered() {
        let long = |length| format!(r#"  {{"version":"0.1"}}   {{"command":"{}"}}"#, "a".repeat(length - 14));
        let (most, too_long) = (long(MAX_REQUEST), long(MAX_REQUEST + 1));
        let deep = format!(r#"{{"version":"0.1","a":{}"#, "[".repeat(4000));
        for (sent, answers, gone) in [
            (r#"{"version":"0.1"}"#, r#"{"return":"OK"}"#, false),
            ("{\"version\":\"0.2\"}\n", "{\"return\":\"OK\"}\n", false),
            (r#"{"version":"9"}"#, "", true),
            ("GET / HTTP/1.1\r\n", "", true),
            (
                r#"{"version": "0.1"}{"command": "echo", "arguments": {"a": "/ä"}}"#,
                r#"{"return":"OK"}{"message":{"a":"\/\u00e4"},"return":"OK"}"#,
                false,
            ),
            (
                "{\"version\":\"0.2\"}\n{\"command\":\"fail\"}\n",
                "{\"return\":\"OK\"}\n{\"message\":\"no\",\"return\":\"NOK\"}\n",
                false,
            ),
            (r#"{"version":"0.1"}{"command":"x"}"#, r#"{"return":"OK"}"#, true),
            (r#"{"version":"0.1"}{}"#, r#"{"return":"OK"}"#, true),
            (r#"{"version":"0.1"} 7"#, r#"{"return":"OK"}"#, true),
            (&most, r#"{"return":"OK"}"#, true),
            (&too_long, r#"{"return":"OK"}"#, true),
            (&deep, "", true),
            (&" \r\n\t".repeat(MAX_REQUEST), "", false),
        ] {
            for piece in [1, 7, MAX_REQUEST] {
                assert_eq!(said(sent.as_bytes(), piece), (answers.to_owned(), gone), "{sent:.40} by {piece}");
            }
        }
    }

    #[test]
    fn a_request_is_as_long_as_may_be() {
        for (length, is_asked) in [(MAX_REQUEST, true), (MAX_REQUEST + 1, false)] {
            let (mut dialogue, mut asked) = (Dialogue::default(), false);
            let mut ask = |_: &Request| {
                asked = true;
                Reply::HangUp
            };
            dialogue.take(br#"{"version":"0.1"}"#);
            assert!(matches!(dialogue.step(&mut ask), Step::Say(_)));
            dialogue.take(format!(r#"{{"command":"{}"}}"#, "a".repeat(length - 14)).as_bytes());
            assert_eq!((dialogue.step(&mut ask), asked), (Step::End, is_asked), "{length}");
        }
    }

    #[test]
    fn no_more_is_kept_than_a_request() {
        let mut dialogue = Dialogue::default();
        (0..10).for_each(|_| dialogue.take(&[b'['; 1000]));
        assert_eq!((dialogue.unread.len(), dialogue.room()), (MAX_REQUEST, 0));
    }
}
