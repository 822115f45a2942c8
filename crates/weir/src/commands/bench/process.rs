//! One run of a program: what it took, and what it said where it failed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

use super::counters::{Counters, Counts};

/// Resources that a run took.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Taken {
    /// CPU seconds, of user and system, of all threads.
    pub cpu: f64,
    /// CPU seconds of the program's own code.
    pub user: f64,
    /// CPU seconds of the kernel for it.
    pub system: f64,
    /// Seconds by the clock.
    pub elapsed: f64,
    /// Most resident memory, in bytes. The kernel counts in what this program had when it made the
    /// child, which is little: it loads no rules and reads no capture itself.
    pub memory: f64,
    /// Counts of the processor.
    pub counts: Option<Counts>,
}

/// Runs a program to its end; its exit code must be one of `codes`. What it says on standard error is kept
/// in `folder`, for the sentence about a run that failed.
pub fn take(command: &mut Command, folder: &Path, codes: &[i32]) -> Result<Taken, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let cannot = |error: std::io::Error| format!("{name} cannot be run: {error}.");
    let said = folder.join("stderr");
    command.stdin(Stdio::null()).stderr(File::create(&said).map_err(cannot)?);
    let mut counters = Counters::new();
    let begin = Instant::now();
    let used = command.spawn().map_err(cannot)?.wait4().map_err(cannot)?;
    let elapsed = begin.elapsed().as_secs_f64();
    if !used.status.code().is_some_and(|code| codes.contains(&code)) {
        let said = fs::read(&said).unwrap_or_default();
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        return Err(format!(
            "A run failed ({}): {name} {}\n{}",
            used.status,
            words.join(" "),
            String::from_utf8_lossy(&said).trim_end()
        ));
    }
    Ok(Taken {
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        user: used.rusage.utime.as_secs_f64(),
        system: used.rusage.stime.as_secs_f64(),
        elapsed,
        memory: used.rusage.maxrss as f64,
        counts: counters.as_mut().and_then(Counters::read),
    })
}

/// Runs programs at the same time, each with a folder of its own, to their ends.
pub fn take_at_once(
    commands: Vec<Command>,
    folders: &[Scratch],
    codes: &[i32],
) -> Result<Vec<Taken>, String> {
    std::thread::scope(|scope| {
        let runs: Vec<_> = commands
            .into_iter()
            .zip(folders)
            .map(|(mut command, folder)| scope.spawn(move || take(&mut command, folder.path(), codes)))
            .collect();
        let lost = |_| Err("The thread of a run ended early.".to_owned());
        runs.into_iter().map(|run| run.join().unwrap_or_else(lost)).collect()
    })
}

/// The program whose time is the unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Its name.
    pub name: String,
    words: Vec<String>,
}

impl Unit {
    /// From a line of words: none for `none`, and where the default is not to be had.
    pub fn parse(line: &str) -> Result<Option<Self>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Some(name) = words.first().filter(|name| *name != "none").cloned() else { return Ok(None) };
        if is_there(&name) {
            return Ok(Some(Self { name, words }));
        }
        if name == "gzip" {
            eprintln!("weir: There is no gzip here, so the figures are in seconds only.");
            return Ok(None);
        }
        Err(format!("There is no program {name} to take for the unit."))
    }

    /// Its command line for these captures.
    pub fn command(&self, captures: &[PathBuf]) -> Command {
        let mut command = Command::new(&self.name);
        command.args(self.words.iter().skip(1)).args(captures).stdout(Stdio::null());
        command
    }
}

/// Whether a word names a program, by its path or in `PATH`.
fn is_there(name: &str) -> bool {
    if name.contains('/') {
        return Path::new(name).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// A folder of this process, removed with what is in it.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder where temporary files go.
    pub fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("weir-bench-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| {
            format!("The folder {} cannot be made: {error}. TMPDIR names another place.", path.display())
        })?;
        Ok(Self(path))
    }

    /// An empty folder in this one.
    pub fn room(&self, name: &str) -> Result<Self, String> {
        let path = self.0.join(name);
        fs::create_dir(&path)
            .map_err(|error| format!("The folder {} cannot be made: {error}.", path.display()))?;
        Ok(Self(path))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file in it and says where.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        fs::write(&path, content)
            .map_err(|error| format!("The file {} cannot be written: {error}.", path.display()))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(Unit::parse("none"), Ok(None));
        assert_eq!(Unit::parse(""), Ok(None));
        let unit = Unit::parse("/bin/sh -c").expect("a program").expect("a unit");
        let command = unit.command(&["a.pcap".into(), "b.pcap".into()]);
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["-c", "a.pcap", "b.pcap"]);
        for line in ["no-such-program -9", "/no/such/program"] {
            assert!(Unit::parse(line).is_err_and(|sentence| sentence.contains("no program")), "{line}");
        }
    }

    #[test]
    fn runs_and_how_they_end() {
        let folder = Scratch::new().expect("a folder");
        let shell = |line: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", line]);
            command
        };
        let taken = take(&mut shell("exit 2"), folder.path(), &[0, 2]).expect("a run");
        assert!(taken.elapsed > 0.0 && taken.memory > 1e5, "{taken:?}");
        for (line, part) in
            [("echo so >&2; exit 1", "exit status: 1"), ("echo so >&2; kill -9 $$", "signal: 9")]
        {
            let sentence = take(&mut shell(line), folder.path(), &[0, 2]).expect_err("a failure");
            assert!(sentence.contains(part) && sentence.ends_with("\nso"), "{sentence}");
        }
        let rooms: Vec<Scratch> =
            ["a", "b"].map(|name| folder.room(name)).into_iter().collect::<Result<_, _>>().expect("rooms");
        let both = |lines: [&str; 2]| take_at_once(lines.map(shell).into(), &rooms, &[0]);
        assert_eq!(both(["exit 0", "exit 0"]).map(|taken| taken.len()), Ok(2));
        let sentence = both(["exit 0", "echo so >&2; exit 1"]).expect_err("a failure");
        assert!(sentence.ends_with("\nso"), "{sentence}");
        let missing = take(&mut Command::new("/no/such/program"), folder.path(), &[0]);
        assert!(missing.is_err_and(|sentence| sentence.contains("cannot be run")));
    }
}
