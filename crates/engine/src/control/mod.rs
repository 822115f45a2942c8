//! The control socket (`unix-command`): commands while interfaces are listened on, in the protocol of Suricata's.
//!
//! A client connects, sends `{"version":"0.1"}` or `"0.2"`, is answered `{"return":"OK"}`, and sends commands with
//! arguments as objects of JSON, one after the other. From version 0.2 on each answer ends its line. The thread that
//! looks after the others serves clients while it waits.
//!
//! Limits: [`MAX_CLIENTS`] at a time, requests of [`MAX_REQUEST`] bytes, answers that are taken within [`PATIENCE`].

pub(crate) mod commands;
mod counters;
mod wire;

use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use weir_base::Duration;
use weir_config::Settings;

use crate::log::EngineLog;
use wire::{Message, Version};

/// Most clients at a time; those after them wait.
const MAX_CLIENTS: usize = 16;

/// Most bytes of a request.
const MAX_REQUEST: usize = 4095;

/// Longest wait for a client to take an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Folder of the socket where its name has none.
const RUN_FOLDER: &str = "/run/suricata";

/// Name of the socket where none is configured.
const SOCKET: &str = "suricata-command.socket";

/// Who may connect: the user and the group.
const MODE: u32 = 0o660;

/// An answer: a message that all went well with, or that it did not.
pub(crate) type Answer = Result<Value, Value>;

/// A request that is to be answered.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) command: String,
    /// None where there is no object of them.
    pub(crate) arguments: Option<serde_json::Map<String, Value>>,
}

/// Fate of a client after its request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// It is answered.
    Answer(Answer),
    /// It is let go without an answer.
    HangUp,
}

/// The socket and its clients. The file goes with it.
pub(crate) struct Control {
    listener: UnixListener,
    path: PathBuf,
    clients: Vec<Client>,
}

impl Control {
    /// Opens the socket that the configuration asks for; what keeps it from that is logged, for `auto` among what is
    /// good to know only.
    pub(crate) fn open(settings: &Settings, log: &EngineLog) -> Option<Self> {
        let section = settings.section("unix-command");
        let is_asked_for = match section.text("enabled") {
            None | Some("auto") => false,
            Some(_) if section.flag("enabled", false) => true,
            Some(_) => return None,
        };
        let path = Path::new(RUN_FOLDER).join(section.text("filename").unwrap_or(SOCKET));
        match Self::listen(&path) {
            Ok(control) => {
                log.info("unix-manager", &format!("unix socket '{}'", path.display()));
                Some(control)
            }
            Err(error) => {
                let what = format!("The control socket {} cannot be opened: {error}.", path.display());
                match is_asked_for {
                    true => log.warning("unix-manager", &what),
                    false => log.info("unix-manager", &what),
                }
                None
            }
        }
    }

    fn listen(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // A file that nobody listens at is left over.
        if UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another program listens there"));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(MODE))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path: path.to_owned(), clients: Vec::new() })
    }

    /// Waits for requests, and answers those that come within a while.
    pub(crate) fn serve(&mut self, wait: Duration, answer: &mut dyn FnMut(&Request) -> Reply) {
        let more = self.clients.len() < MAX_CLIENTS;
        let listener = more.then(|| PollFd::new(&self.listener, PollFlags::IN));
        let clients = self.clients.iter().map(|client| PollFd::new(&client.stream, PollFlags::IN));
        let mut watched: Vec<PollFd<'_>> = clients.chain(listener).collect();
        let patience = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
        // An error is a signal, which others look after.
        if !poll(&mut watched, Some(&patience)).is_ok_and(|ready| ready > 0) {
            return;
        }
        let mut ready = watched.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>().into_iter();
        drop(watched);
        self.clients.retain_mut(|client| match ready.next() {
            Some(true) => client.take(answer),
            _ => true,
        });
        if ready.next() == Some(true)
            && let Ok((stream, _)) = self.listener.accept()
            && let Ok(client) = Client::new(stream)
        {
            self.clients.push(client);
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A client.
struct Client {
    stream: UnixStream,
    /// Bytes that are no whole request yet.
    unread: Vec<u8>,
    /// Its version, once it has said so.
    version: Option<Version>,
}

impl Client {
    fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, unread: Vec::new(), version: None })
    }

    /// Reads what is there and answers it; whether the client stays.
    fn take(&mut self, answer: &mut dyn FnMut(&Request) -> Reply) -> bool {
        let mut bytes = [0; MAX_REQUEST];
        match self.stream.read(&mut bytes) {
            Ok(0) | Err(_) => return false,
            Ok(count) => self.unread.extend_from_slice(bytes.get(..count).unwrap_or_default()),
        }
        loop {
            match wire::next(&mut self.unread) {
                Message::Incomplete => return self.unread.len() < MAX_REQUEST,
                Message::Wrong => return false,
                Message::Whole(value) => {
                    if !self.heed(&value, answer) {
                        return false;
                    }
                }
            }
        }
    }

    /// Answers a message; whether the client stays.
    fn heed(&mut self, message: &Value, answer: &mut dyn FnMut(&Request) -> Reply) -> bool {
        let Some(version) = self.version else {
            self.version = message["version"].as_str().and_then(Version::named);
            return self.version.is_some_and(|version| self.send(&wire::greeting(version)));
        };
        let Some(command) = message["command"].as_str() else { return false };
        let arguments = message["arguments"].as_object().cloned();
        match answer(&Request { command: command.to_owned(), arguments }) {
            Reply::Answer(answer) => self.send(&wire::answer(&answer, version)),
            Reply::HangUp => false,
        }
    }

    fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("weir-control-{}-{name}", std::process::id()))
    }

    /// Answers to what a client sends, piece by piece, and whether it is let go.
    fn talk(name: &str, pieces: &[&str]) -> (String, bool) {
        let path = socket(name);
        let mut control = Control::listen(&path).expect("a socket");
        let mut client = UnixStream::connect(&path).expect("a client");
        let mut answer = |request: &Request| match request.command.as_str() {
            "echo" => Reply::Answer(Ok(request.arguments.clone().map_or(Value::Null, Value::Object))),
            "fail" => Reply::Answer(Err("no".into())),
            _ => Reply::HangUp,
        };
        control.serve(Duration::from_millis(900), &mut answer);
        for piece in pieces {
            // A client that was let go cannot send any more.
            let _ = client.write_all(piece.as_bytes());
            control.serve(Duration::from_millis(900), &mut answer);
        }
        let gone = control.clients.is_empty();
        drop(control);
        assert!(!path.exists());
        let mut said = String::new();
        let _ = client.read_to_string(&mut said);
        (said, gone)
    }

    #[test]
    fn clients_are_greeted_and_answered() {
        for (name, pieces, said, gone) in [
            ("greeting", &[r#"{"version":"0.1"}"#][..], r#"{"return":"OK"}"#, false),
            ("lines", &["{\"version\":\"0.2\"}\n"], "{\"return\":\"OK\"}\n", false),
            ("unknown", &[r#"{"version":"9"}"#], "", true),
            ("no-json", &["GET / HTTP/1.1\r\n"], "", true),
            (
                "answer",
                &[r#"{"version": "0.1"}"#, r#"{"command": "echo", "argum"#, r#"ents": {"a": "/ä"}}"#],
                r#"{"return":"OK"}{"message":{"a":"\/\u00e4"},"return":"OK"}"#,
                false,
            ),
            (
                "failure",
                &["{\"version\":\"0.2\"}\n{\"command\":\"fail\"}\n"],
                "{\"return\":\"OK\"}\n{\"message\":\"no\",\"return\":\"NOK\"}\n",
                false,
            ),
            ("hang-up", &[r#"{"version":"0.1"}"#, r#"{"command":"x"}"#], r#"{"return":"OK"}"#, true),
            ("no-command", &[r#"{"version":"0.1"}"#, "{}"], r#"{"return":"OK"}"#, true),
        ] {
            assert_eq!(talk(name, pieces), (said.to_owned(), gone), "{name}");
        }
        let long = format!(r#"{{"command":"{}"#, "a".repeat(MAX_REQUEST));
        assert!(talk("long", &[r#"{"version":"0.1"}"#, &long, "a"]).1);
    }

    #[test]
    fn a_socket_that_is_in_use_stays() {
        let path = socket("in-use");
        let first = Control::listen(&path).expect("a socket");
        assert!(Control::listen(&path).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse));
        let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        drop(first);
        // A file that nobody listens at is replaced.
        std::fs::write(&path, "").expect("a file");
        assert!(Control::listen(&path).is_ok());
    }
}
