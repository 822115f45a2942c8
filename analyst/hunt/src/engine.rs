//! The program that reads captures: how it is started, what it says, and how it is stopped.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Time between two looks whether the program has to be stopped.
const LOOK: Duration = Duration::from_millis(50);

/// The end of a run of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It did its work, but for what it said.
    Done(Output),
    /// It was stopped.
    Stopped,
}

/// The output of a run of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// All of the input was read.
    pub(crate) whole: bool,
    /// What it wrote to standard output.
    pub(crate) result: String,
    /// What it wrote to standard error.
    pub(crate) said: String,
}

/// Runs the program to its end, or until `stop` is set, which ends it. That it did nothing is an error.
pub(crate) fn run(command: &mut Command, stop: &AtomicBool) -> Result<Ending, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| cannot_start(&name, &error))?;
    let (result, said) = (drain(child.stdout.take()), drain(child.stderr.take()));
    // What is written ends when the program does: to wait for one is to wait for both.
    let (Some(result), Some(said)) = (wait(&result, stop), wait(&said, stop)) else {
        end(&mut child);
        return Ok(Ending::Stopped);
    };
    let status = child.wait().map_err(|error| format!("{name} cannot be waited for: {error}."))?;
    if stop.load(Ordering::Relaxed) {
        return Ok(Ending::Stopped);
    }
    if status.code() == Some(1) {
        return Err(format!("{name} refuses: {}", last_line(&said).unwrap_or("it said nothing")));
    }
    let whole = status.success();
    let said = if said.is_empty() && !whole { format!("It ended with {status}.") } else { said };
    Ok(Ending::Done(Output { whole, result, said }))
}

/// Reads to the end of a pipe, on a thread of its own.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut text));
        let _ = sender.send(String::from_utf8_lossy(&text).trim().to_owned());
    });
    receiver
}

/// Waits for a text; none where `stop` was set.
fn wait(text: &Receiver<String>, stop: &AtomicBool) -> Option<String> {
    loop {
        match text.recv_timeout(LOOK) {
            Ok(text) => return Some(text),
            Err(RecvTimeoutError::Disconnected) => return Some(String::new()),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Ends the program, if it has not come to its end meanwhile.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// The last line with anything in it.
pub(crate) fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// Returns what the program says of its version.
pub fn version_of(engine: &Path) -> Result<String, String> {
    let output = Command::new(engine).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| cannot_start(&engine.to_string_lossy(), &error))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn cannot_start(name: &str, error: &io::Error) -> String {
    format!("{name} cannot be started: {error}. Name the program with `engine`.")
}
