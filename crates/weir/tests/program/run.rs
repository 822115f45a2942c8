//! Runs the program on files in a folder of the test's own.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use weir_testkit::{Conversation, TimedFrame};

/// A folder that is removed when the test is done.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder named after the test.
    pub fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and returns its path as a command-line word.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file for the test");
        path.to_string_lossy().into_owned()
    }

    /// Runs `weir` with its logs in this folder.
    pub fn weir(&self, arguments: &[&str]) -> Run {
        self.weir_reading(arguments, &[])
    }

    /// Runs `weir` with bytes on standard input.
    pub fn weir_reading(&self, arguments: &[&str], input: &[u8]) -> Run {
        let folder = self.0.to_string_lossy();
        self.start(&[&["-l", &folder], arguments].concat(), input)
    }

    /// Runs a command of `weir` in this folder.
    pub fn command(&self, words: &[&str]) -> Run {
        self.start(words, &[])
    }

    /// Runs the program under the name `suricata`, with its logs in this folder.
    pub fn suricata(&self, arguments: &[&str]) -> Run {
        let folder = self.0.to_string_lossy();
        self.start_as("suricata", &[&["-l", &folder], arguments].concat(), &[])
    }

    /// Runs the program under another name, in this folder.
    pub fn command_as(&self, name: &str, words: &[&str]) -> Run {
        self.start_as(name, words, &[])
    }

    fn start(&self, words: &[&str], input: &[u8]) -> Run {
        self.start_as("weir", words, input)
    }

    fn start_as(&self, name: &str, words: &[&str], input: &[u8]) -> Run {
        self.in_zone("UTC", name, words, input)
    }

    /// Runs the program under a name in this folder, on a machine of a time zone, with bytes on standard input.
    pub fn in_zone(&self, zone: &str, name: &str, words: &[&str], input: &[u8]) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_weir"))
            .env("TZ", zone)
            .arg0(name)
            .args(words)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("weir starts");
        // A program that does not read its input is free to leave: what it says is what counts.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        Run::new(child.wait_with_output().expect("weir ends"))
    }

    /// The records of `eve.json`, of one type, or all of them for the empty name.
    pub fn records(&self, event_type: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path("eve.json")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a record is JSON"))
            .filter(|record: &Value| event_type.is_empty() || record["event_type"] == event_type)
            .collect()
    }

    /// All records but statistics, which tell how long the engine ran: no two runs share that.
    pub fn records_but_statistics(&self) -> Vec<Value> {
        let mut records = self.records("");
        records.retain(|record| record["event_type"] != "stats");
        records
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a run of the program left.
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code().expect("no signal ended weir"),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The object that `--summary=json` prints.
    pub fn summary(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }

    /// Everything it said.
    pub fn said(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// Ethernet, in a capture file.
pub const ETHERNET: u16 = 1;

/// A request and its answer.
pub fn web_request() -> Vec<TimedFrame> {
    Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(b"GET /index.html HTTP/1.1\r\nHost: example.com\r\n\r\n")
        .server_sends(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        .close()
        .frames()
}

/// A rule that fires on [`web_request`].
pub const WEB_RULE: &str =
    "alert http any any -> any any (msg:\"index\"; http.uri; content:\"/index.html\"; sid:1;)\n";
