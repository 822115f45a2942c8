//! A client of the control socket, in version 0.2 of its protocol: messages are lines of JSON.
//!
//! Limit: an answer of [`MAX_ANSWER`] bytes.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::{Map, Value, json};

/// Most bytes of an answer.
const MAX_ANSWER: u64 = 64 << 20;

/// An answer.
struct Answer {
    /// The request was followed.
    is_right: bool,
    message: Value,
}

/// A client that was greeted.
pub struct Client(BufReader<UnixStream>);

impl Client {
    /// Connects and is greeted.
    pub fn connect(path: &Path) -> io::Result<Self> {
        let mut client = Self(BufReader::new(UnixStream::connect(path)?));
        match client.say(&json!({"version": "0.2"}))? {
            Answer { is_right: true, .. } => Ok(client),
            _ => Err(io::Error::new(ErrorKind::InvalidData, "it does not speak version 0.2 of the protocol")),
        }
    }

    /// Gives a command; its message, or that of its refusal.
    pub fn ask(&mut self, command: &str, arguments: Map<String, Value>) -> io::Result<Result<Value, Value>> {
        let request = match arguments.is_empty() {
            true => json!({"command": command}),
            false => json!({"command": command, "arguments": arguments}),
        };
        let Answer { is_right, message } = self.say(&request)?;
        Ok(if is_right { Ok(message) } else { Err(message) })
    }

    fn say(&mut self, message: &Value) -> io::Result<Answer> {
        self.0.get_mut().write_all(format!("{message}\n").as_bytes())?;
        let mut line = Vec::new();
        self.0.by_ref().take(MAX_ANSWER).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "it ended the connection"));
        }
        let answer: Map<String, Value> =
            serde_json::from_slice(&line).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        let is_right = answer.get("return").is_some_and(|word| word == "OK");
        Ok(Answer { is_right, message: answer.get("message").cloned().unwrap_or_default() })
    }
}
