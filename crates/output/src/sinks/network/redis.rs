//! Redis: a command for each record, many on their way at a time, in the form of RESP
//! (https://redis.io/docs/latest/develop/reference/protocol-spec/). Each reply is counted.

use std::time::{Duration, Instant};

use memchr::memmem;
use weir_config::Records;
use weir_config::pipelines::{RedisMode, RedisServer, RedisSettings};

use super::backlog::{Piece, Window};
use super::connection::{CONNECT, Connection};
use super::naming::{Naming, Times};
use super::sender::{Answers, Refusal, Transport};

/// Records on their way where nobody waits for each reply: as many may arrive twice where the connection is lost.
const ASYNCHRONOUS: u32 = 4096;

/// Bytes of commands that are written at once.
const PIECE_BYTES: usize = 256 * 1024;

/// Most bytes of replies that are not whole.
const REPLY_BYTES: usize = 64 * 1024;

/// Errors that pass, or that somebody can put right: by their first word, and what helps. Records wait for that.
const PASSING: [(&str, &str); 14] = [
    ("OOM", "Give the server more memory (maxmemory), or have somebody take records away"),
    ("READONLY", "Name the primary server: this one is a replica"),
    ("LOADING", "The server reads its data: wait"),
    ("BUSY", "A script keeps the server busy: wait, or use SCRIPT KILL"),
    ("MASTERDOWN", "Bring the primary server back"),
    ("CLUSTERDOWN", "Bring the cluster back"),
    ("TRYAGAIN", "The cluster is being changed: wait"),
    ("MOVED", "Name the server of the cluster that has this key"),
    ("MISCONF", "The server cannot save its data: its log says why"),
    ("NOREPLICAS", "Bring the replicas back"),
    ("NOAUTH", "Write the password as redis.password"),
    ("WRONGPASS", "Correct redis.username and redis.password"),
    ("NOPERM", "Allow the user the command and the key (ACL SETUSER)"),
    (
        "WRONGTYPE",
        "The key has something of another type: name another one as redis.key, or choose another redis.mode",
    ),
];

/// A Redis server.
pub(super) struct Redis {
    settings: RedisSettings,
    connection: Option<Connection>,
    /// The key for a record.
    key: Naming,
    /// A command up to its record, for the latest key.
    command: (String, Vec<u8>),
    /// What is written next.
    out: Vec<u8>,
    /// What came and is not read.
    replies: Vec<u8>,
}

/// A reply.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Done,
    Error(String),
}

impl Redis {
    pub(super) fn new(settings: RedisSettings, records: Records) -> Self {
        let key = Naming::new(&settings.key, records, Times::AsTheyStand);
        let command = (settings.key.clone(), command(&settings, &settings.key));
        Self { settings, connection: None, key, command, out: Vec::new(), replies: Vec::new() }
    }

    /// The target in words.
    pub(super) fn describe(settings: &RedisSettings) -> String {
        let what = match settings.mode {
            RedisMode::Lpush | RedisMode::Rpush => "list",
            RedisMode::Publish => "channel",
            RedisMode::Xadd => "stream",
        };
        match &settings.server {
            RedisServer::Network(server) => format!("redis://{server} ({what} {})", settings.key),
            RedisServer::Socket(path) => format!("Redis at {} ({what} {})", path.display(), settings.key),
        }
    }

    /// Sends a command and waits for its reply.
    fn ask(&mut self, arguments: &[&str]) -> Result<(), Refusal> {
        let arguments: Vec<&[u8]> = arguments.iter().map(|argument| argument.as_bytes()).collect();
        let mut out = Vec::new();
        encode(&mut out, &arguments);
        self.connection()?.write_whole(&out)?;
        let begun = Instant::now();
        while begun.elapsed() < CONNECT {
            self.read(CONNECT)?;
            match next_reply(&mut self.replies)? {
                Some(Reply::Done) => return Ok(()),
                Some(Reply::Error(cause)) => return Err(refusal(cause)),
                None => {}
            }
        }
        Err(Refusal::new("no reply", "See whether the server is overloaded or hangs"))
    }

    fn connection(&mut self) -> Result<&mut Connection, Refusal> {
        self.connection.as_mut().ok_or_else(|| Refusal::new("there is no connection", "Wait"))
    }

    fn read(&mut self, wait: Duration) -> Result<(), Refusal> {
        let connection = self.connection()?;
        connection.wait_for(wait).map_err(super::connection::lost)?;
        let mut buffer = [0; 16 * 1024];
        let count = connection.read_some(&mut buffer)?;
        self.replies.extend_from_slice(buffer.get(..count).unwrap_or_default());
        Ok(())
    }
}

impl Transport for Redis {
    fn window(&self) -> Window {
        let records = self.settings.batch.unwrap_or(ASYNCHRONOUS);
        Window { piece: records, records, bytes: PIECE_BYTES }
    }

    fn connect(&mut self) -> Result<(), Refusal> {
        self.replies.clear();
        self.connection = None;
        self.connection = Some(match &self.settings.server {
            RedisServer::Network(server) => Connection::tcp(server)?,
            RedisServer::Socket(path) => Connection::unix(path)?,
        });
        match (self.settings.username.clone(), self.settings.password.clone()) {
            (Some(user), Some(password)) => self.ask(&["AUTH", &user, &password])?,
            (_, Some(password)) => self.ask(&["AUTH", &password])?,
            _ => {}
        }
        self.ask(&["PING"])
    }

    fn send(&mut self, piece: &Piece) -> Result<(), Refusal> {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        for line in piece.lines() {
            let key = self.key.of(line);
            if *key != *self.command.0 {
                self.command = (key.to_owned(), command(&self.settings, key));
            }
            out.extend_from_slice(&self.command.1);
            bulk(&mut out, line);
        }
        let result = self.connection().and_then(|connection| connection.write_whole(&out));
        self.out = out;
        result
    }

    fn answers(&mut self, wait: Duration) -> Result<Answers, Refusal> {
        self.read(wait)?;
        let mut answers = Answers::default();
        while let Some(reply) = next_reply(&mut self.replies)? {
            match reply {
                Reply::Done => answers.taken += 1,
                Reply::Error(cause) if is_final(&cause) => {
                    answers.refused += 1;
                    answers.cause.get_or_insert_with(|| refusal(cause));
                }
                Reply::Error(cause) => {
                    // What follows on this connection may have been taken, and is sent again.
                    answers.stop = Some(refusal(cause));
                    break;
                }
            }
        }
        Ok(answers)
    }
}

/// The command up to the record, for this key.
fn command(settings: &RedisSettings, key: &str) -> Vec<u8> {
    let length = settings.stream_length.to_string();
    let mut words: Vec<&str> = match settings.mode {
        RedisMode::Lpush => vec!["LPUSH"],
        RedisMode::Rpush => vec!["RPUSH"],
        RedisMode::Publish => vec!["PUBLISH"],
        RedisMode::Xadd => vec!["XADD"],
    };
    words.push(key);
    if settings.mode == RedisMode::Xadd {
        if settings.stream_length > 0 {
            words.extend(["MAXLEN", if settings.stream_exact { "=" } else { "~" }, &length]);
        }
        words.extend(["*", &settings.stream_field]);
    }
    let mut out = format!("*{}\r\n", words.len() + 1).into_bytes();
    words.iter().for_each(|word| bulk(&mut out, word.as_bytes()));
    out
}

fn encode(out: &mut Vec<u8>, words: &[&[u8]]) {
    out.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
    words.iter().for_each(|word| bulk(out, word));
}

fn bulk(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'$');
    out.extend_from_slice(itoa::Buffer::new().format(text.len()).as_bytes());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// Takes the next whole reply off what came.
fn next_reply(replies: &mut Vec<u8>) -> Result<Option<Reply>, Refusal> {
    let strange = |what: &str| Refusal::new(what, "See whether it is a Redis server that listens there");
    let Some(end) = memmem::find(replies, b"\r\n") else {
        let is_long = replies.len() > REPLY_BYTES;
        return if is_long { Err(strange("a reply has no end")) } else { Ok(None) };
    };
    let line = String::from_utf8_lossy(replies.get(1..end).unwrap_or_default()).into_owned();
    let mut length = end + 2;
    let reply = match replies.first() {
        Some(b'+' | b':' | b'_' | b'#') => Reply::Done,
        Some(b'-') => Reply::Error(line),
        // A length, and a text of that length.
        Some(b'$') if line == "-1" => Reply::Done,
        Some(b'$') => {
            let text: usize = line.parse().map_err(|_| strange("a reply has no length"))?;
            length = length.saturating_add(text).saturating_add(2);
            if text > REPLY_BYTES {
                return Err(strange("a reply is too long"));
            }
            Reply::Done
        }
        _ => return Err(strange("a reply is of no known kind")),
    };
    if replies.len() < length {
        return Ok(None);
    }
    replies.drain(..length);
    Ok(Some(reply))
}

fn passing(cause: &str) -> Option<&'static str> {
    let word = cause.split(' ').next()?;
    PASSING.iter().find(|(known, _)| *known == word).map(|(_, remedy)| *remedy)
}

/// Whether it is said of this one record, so that it would be said again.
fn is_final(cause: &str) -> bool {
    let is_about_record = ["string exceeds maximum", "invalid bulk", "Protocol error"];
    passing(cause).is_none() && is_about_record.iter().any(|words| cause.contains(words))
}

fn refusal(cause: String) -> Refusal {
    let remedy = passing(&cause).unwrap_or("See what the server says of its commands");
    Refusal::new(cause, remedy)
}

#[cfg(test)]
mod tests {
    use weir_config::{EveSettings, Settings, Target};

    use super::*;

    fn settings(lines: &str) -> RedisSettings {
        let text = format!(
            "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filetype: redis\n      redis:\n        {lines}\n"
        );
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
        match EveSettings::from_settings(&settings).unwrap().remove(0).pipeline.unwrap().target {
            Target::Redis(settings) => settings,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_of_each_mode() {
        for (lines, expected) in [
            ("mode: list", "*3 $5 LPUSH $8 suricata "),
            ("mode: rpush\n        key: a", "*3 $5 RPUSH $1 a "),
            ("mode: channel", "*3 $7 PUBLISH $8 suricata "),
            ("mode: stream", "*8 $4 XADD $8 suricata $6 MAXLEN $1 ~ $6 100000 $1 * $3 eve "),
            (
                "mode: xadd\n        stream-maxlen: 0\n        stream-format: r",
                "*5 $4 XADD $8 suricata $1 * $1 r ",
            ),
            (
                "mode: xadd\n        stream-maxlen: 7\n        stream-trim-exact: yes",
                "*8 $4 XADD $8 suricata $6 MAXLEN $1 = $1 7 $1 * $3 eve ",
            ),
        ] {
            let settings = settings(lines);
            let found = String::from_utf8(command(&settings, &settings.key)).unwrap();
            assert_eq!(found.replace("\r\n", " "), expected, "{lines}");
        }
    }

    #[test]
    fn replies_come_in_any_pieces() {
        let text = "+PONG\r\n:12\r\n$16\r\n1526919030474-55\r\n-OOM no memory\r\n";
        let expected = [Reply::Done, Reply::Done, Reply::Done, Reply::Error("OOM no memory".into())];
        for size in 1..text.len() {
            let (mut buffer, mut found) = (Vec::new(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                buffer.extend_from_slice(piece);
                while let Some(reply) = next_reply(&mut buffer).unwrap() {
                    found.push(reply);
                }
            }
            assert_eq!(found, expected, "{size}");
        }
        for strange in
            [&b"HTTP/1.1 400\r\n"[..], b"$x\r\n", b"$99999999\r\n", b"\r\n", &[b'+'; REPLY_BYTES + 1]]
        {
            assert!(next_reply(&mut strange.to_vec()).is_err());
        }
    }

    #[test]
    fn errors_by_their_kind() {
        for (cause, is_lost, remedy) in [
            ("OOM command not allowed when used memory > 'maxmemory'.", false, "more memory"),
            ("READONLY You can't write against a read only replica.", false, "primary"),
            ("NOAUTH Authentication required.", false, "redis.password"),
            ("LOADING Redis is loading the dataset in memory", false, "wait"),
            ("WRONGTYPE Operation against a key", false, "redis.key"),
            ("ERR max number of clients reached", false, "See what"),
            ("ERR string exceeds maximum allowed size", true, "See what"),
        ] {
            assert_eq!(is_final(cause), is_lost, "{cause}");
            assert!(refusal(cause.to_owned()).remedy.contains(remedy), "{cause}");
        }
    }
}
