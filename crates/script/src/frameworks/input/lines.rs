//! Lines of files and of what commands write.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};

/// Most bytes of a source that are read at a time; what is beyond is left out.
const MOST_BYTES: u64 = 1 << 30;
/// Most bytes of a line.
const MOST_LINE: usize = 1 << 26;
/// Pieces of a command's output that wait.
const PIECES: usize = 64;

/// What a file is like, compared with when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It is not there.
    Missing,
    /// It is another one, or has another time.
    Changed,
    /// Nothing has changed.
    Same,
}

/// How far a command is.
#[derive(Debug)]
pub enum End {
    /// It runs, or its end was told.
    NotYet,
    /// It could not be started.
    Failed(String),
    /// It ended.
    Exited {
        /// Its exit code.
        code: u64,
        /// A signal ended it.
        is_signal: bool,
    },
}

/// A piece of a command's output, and whether it is from standard error; an empty one is the end.
type Piece = (Vec<u8>, bool);

struct Running {
    child: Child,
    pieces: Receiver<Piece>,
    /// Outputs that have not ended.
    open: usize,
    rests: [Vec<u8>; 2],
}

/// Follows a file or a command.
pub struct Follower {
    path: String,
    command: Option<String>,
    reads_errors: bool,
    input: Vec<u8>,
    offset: i64,
    running: Option<Running>,
    is_started: bool,
    is_ended: bool,
    seen: Option<(u64, i64, i64)>,
    file: Option<(File, u64)>,
    rest: Vec<u8>,
    is_other: bool,
    was_there: bool,
}

/// Returns the path of a source in a folder.
pub(super) fn placed(source: &str, prefix: &str) -> String {
    let is_plain = prefix.is_empty() || source.starts_with('/');
    if is_plain { source.to_owned() } else { format!("{}/{source}", prefix.trim_end_matches('/')) }
}

impl Follower {
    /// Returns a follower of a source: a path, or a command with `|` behind it where commands are taken.
    pub fn new(source: &str, prefix: &str, takes_commands: bool, config: &[(String, String)]) -> Self {
        let own =
            |name: &str| config.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let command =
            source.strip_suffix('|').filter(|_| takes_commands).map(|command| command.trim().to_owned());
        let path = if takes_commands { source.to_owned() } else { placed(source, prefix) };
        Self {
            path,
            command,
            reads_errors: own("read_stderr").is_some(),
            input: own("stdin").unwrap_or_default().as_bytes().to_vec(),
            offset: own("offset").and_then(|value| value.parse().ok()).unwrap_or(0),
            running: None,
            is_started: false,
            is_ended: false,
            seen: None,
            file: None,
            rest: Vec::new(),
            is_other: false,
            was_there: false,
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether the source is a command.
    pub fn is_command(&self) -> bool {
        self.command.is_some()
    }

    /// Returns whether a command has not ended.
    pub fn is_waited_for(&self) -> bool {
        self.is_command() && self.is_started && !self.is_ended
    }

    /// Returns whether the file was there when it was last looked at.
    pub fn was_there(&self) -> bool {
        self.was_there
    }

    /// Returns whether a file is open whose end is followed.
    pub fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Forgets a file that is gone.
    pub fn forget(&mut self) {
        self.was_there = false;
        self.seen = None;
    }

    /// Looks whether the file has changed.
    pub fn look(&mut self) -> Look {
        let Ok(known) = std::fs::metadata(&self.path) else { return Look::Missing };
        self.was_there = true;
        if self.seen == Some(mark(&known)) { Look::Same } else { Look::Changed }
    }

    /// Returns all lines of the file.
    pub fn whole(&mut self, separator: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut file = File::open(&self.path).ok()?;
        self.seen = file.metadata().ok().map(|known| mark(&known));
        if self.offset != 0 {
            let place = match u64::try_from(self.offset) {
                Ok(place) => SeekFrom::Start(place),
                Err(_) => SeekFrom::End(self.offset + 1),
            };
            file.seek(place).ok()?;
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        let mut lines = Vec::new();
        split(&mut bytes, separator, &mut lines);
        if !bytes.is_empty() {
            lines.push(bytes);
        }
        Some(lines)
    }

    /// Returns whether the next lines are those of another file under the same path.
    pub fn is_other(&mut self) -> bool {
        let Ok(known) = std::fs::metadata(&self.path) else { return false };
        self.file.as_ref().is_some_and(|(_, inode)| *inode != known.ino())
    }

    /// Returns the lines that were appended, the last one too where it has not ended.
    pub fn appended(&mut self, separator: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut lines = self.appended_whole(separator)?;
        if !self.rest.is_empty() {
            lines.push(std::mem::take(&mut self.rest));
        }
        Some(lines)
    }

    /// Returns the lines that were appended and have ended. Where the path is that of another file, that one is read from its
    /// begin, after the rest of the old one.
    pub fn appended_whole(&mut self, separator: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut lines = Vec::new();
        let other = self.is_other();
        if let Some((file, _)) = &mut self.file {
            let _ = file.take(MOST_BYTES).read_to_end(&mut self.rest);
            split(&mut self.rest, separator, &mut lines);
        }
        self.is_other = other;
        if other || self.file.is_none() {
            self.rest.clear();
            let mut file = File::open(&self.path).ok()?;
            let inode = file.metadata().ok()?.ino();
            if self.offset < 0 {
                file.seek(SeekFrom::End(self.offset + 1)).ok()?;
            }
            let _ = (&mut file).take(MOST_BYTES).read_to_end(&mut self.rest);
            split(&mut self.rest, separator, &mut lines);
            self.file = Some((file, inode));
        }
        self.seen = std::fs::metadata(&self.path).ok().map(|known| mark(&known));
        Some(lines)
    }

    /// Returns lines of the command's output, with whether they are from standard error, and how far it is. Starts it first.
    pub fn command_lines(&mut self, separator: &[u8]) -> (Vec<(Vec<u8>, bool)>, End) {
        let mut lines = Vec::new();
        if !self.is_started {
            self.is_started = true;
            match start(self.command.as_deref().unwrap_or_default(), self.reads_errors, &self.input) {
                Ok(running) => self.running = Some(running),
                Err(error) => {
                    self.is_ended = true;
                    return (lines, End::Failed(error.to_string()));
                }
            }
        }
        let Some(running) = &mut self.running else { return (lines, End::NotYet) };
        running.drain(separator, &mut lines);
        if running.open > 0 {
            return (lines, End::NotYet);
        }
        let Ok(Some(status)) = running.child.try_wait() else { return (lines, End::NotYet) };
        self.running = None;
        self.is_ended = true;
        let code = u64::try_from(status.code().unwrap_or(0)).unwrap_or(0);
        (lines, End::Exited { code, is_signal: status.signal().is_some() })
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // Nobody reads any more what the command writes.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Running {
    fn drain(&mut self, separator: &[u8], lines: &mut Vec<(Vec<u8>, bool)>) {
        while self.open > 0 {
            match self.pieces.try_recv() {
                Ok((bytes, is_error)) => {
                    let [first, second] = &mut self.rests;
                    let rest = if is_error { second } else { first };
                    let mut found = Vec::new();
                    if bytes.is_empty() {
                        self.open -= 1;
                        if !rest.is_empty() {
                            found.push(std::mem::take(rest));
                        }
                    } else {
                        rest.extend_from_slice(&bytes);
                        split(rest, separator, &mut found);
                    }
                    lines.extend(found.into_iter().map(|line| (line, is_error)));
                }
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.open = 0,
            }
        }
    }
}

fn mark(known: &Metadata) -> (u64, i64, i64) {
    (
        known.ino(),
        known.mtime().wrapping_mul(1_000_000_000).wrapping_add(known.mtime_nsec()),
        known.len() as i64,
    )
}

/// Takes whole lines out of bytes.
fn split(bytes: &mut Vec<u8>, separator: &[u8], lines: &mut Vec<Vec<u8>>) {
    let mut from = 0;
    while let Some(rest) = bytes.get(from..)
        && let Some(at) = memchr::memmem::find(rest, separator)
    {
        lines.push(rest.get(..at).unwrap_or_default().to_vec());
        from += at + separator.len();
    }
    bytes.drain(..from);
    if bytes.len() > MOST_LINE {
        lines.push(std::mem::take(bytes));
    }
}

fn start(command: &str, reads_errors: bool, input: &[u8]) -> std::io::Result<Running> {
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(command)
        .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(if reads_errors { Stdio::piped() } else { Stdio::inherit() })
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // A command that does not read its input ends all the same.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let (sender, pieces) = sync_channel(PIECES);
    let mut open = 0;
    if let Some(out) = child.stdout.take() {
        open += 1;
        forward(out, false, sender.clone());
    }
    if let Some(errors) = child.stderr.take() {
        open += 1;
        forward(errors, true, sender);
    }
    Ok(Running { child, pieces, open, rests: [Vec::new(), Vec::new()] })
}

fn forward(mut from: impl Read + Send + 'static, is_error: bool, to: SyncSender<Piece>) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let length = from.read(&mut buffer).unwrap_or(0);
            let piece = buffer.get(..length).unwrap_or_default().to_vec();
            if to.send((piece, is_error)).is_err() || length == 0 {
                return;
            }
        }
    });
}
