//! `-D`: the program starts itself once more, in a session of its own, and ends well once that has begun its work.
//!
//! Until then what the other says goes to the terminal; afterwards it has none.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use rustix::process::setsid;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::EXIT_REFUSED;

/// The variable that tells the program that it is the one in the background.
const MARK: &str = "WEIR_IN_BACKGROUND";

/// What says that the work has begun.
const BEGUN: u8 = b'+';

/// The one in the background, whose starter waits.
pub struct Background {
    starter: UnixStream,
    /// What takes the place of the terminal; it may not be opened any more by then.
    nothing: File,
}

/// Parts that the program has in what `-D` asks for.
pub enum Part {
    /// It is the one in the background.
    Works(Background),
    /// It has started the other, and ends.
    Ends(ExitCode),
}

/// Starts the program once more in the background, and waits until it has begun, or has ended before that; in the
/// background it becomes the first of a session.
pub fn enter() -> Result<Part, String> {
    if std::env::var_os(MARK).is_some() {
        return Background::take().map(Part::Works);
    }
    start()
        .map(Part::Ends)
        .map_err(|error| format!("The program cannot be started in the background: {error}."))
}

fn start() -> std::io::Result<ExitCode> {
    let (mut own, other) = UnixStream::pair()?;
    let mut words = std::env::args_os();
    let mut command = Command::new(std::env::current_exe()?);
    if let Some(name) = words.next() {
        command.arg0(name);
    }
    let mut child = command.args(words).env(MARK, "1").stdin(Stdio::from(OwnedFd::from(other))).spawn()?;
    // The other end is the child's alone.
    drop(command);
    let mut answer = [0];
    match own.read_exact(&mut answer) {
        Ok(()) if answer == [BEGUN] => Ok(ExitCode::SUCCESS),
        _ => {
            let code = child.wait()?.code().and_then(|code| u8::try_from(code).ok());
            Ok(ExitCode::from(code.unwrap_or(EXIT_REFUSED)))
        }
    }
}

impl Background {
    fn take() -> Result<Self, String> {
        let wrong = |error| format!("The program cannot work in the background: {error}.");
        setsid().map_err(|error| wrong(error.into()))?;
        let starter = std::io::stdin().as_fd().try_clone_to_owned().map_err(wrong)?;
        let nothing = OpenOptions::new().read(true).write(true).open("/dev/null").map_err(wrong)?;
        Ok(Self { starter: UnixStream::from(starter), nothing })
    }

    /// Works in a folder, where the configuration names one.
    pub fn change_to(&self, folder: Option<&str>) -> Result<(), String> {
        let Some(folder) = folder.map(Path::new) else { return Ok(()) };
        std::env::set_current_dir(folder).map_err(|error| {
            format!("The folder {} (daemon-directory) cannot be entered: {error}.", folder.display())
        })
    }

    /// Tells the starter, and leaves its terminal.
    pub fn started(self) {
        let Self { mut starter, nothing } = self;
        let left = [dup2_stdin(&nothing), dup2_stdout(&nothing), dup2_stderr(&nothing)];
        debug_assert!(left.iter().all(Result::is_ok), "{left:?}");
        // Who has started this may have been ended.
        let _ = starter.write_all(&[BEGUN]);
    }
}
