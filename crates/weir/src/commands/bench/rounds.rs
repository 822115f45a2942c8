//! The runs: once each to warm up, then in turns.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::export::Timed;
use super::process::{Scratch, Taken, Unit, take};
use super::rows::{CONFIGURATIONS, NO_PACKETS, Row};
use crate::EXIT_DAMAGED_INPUT;
use crate::progress::Steps;

/// A program to measure.
#[derive(Debug)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in tables.
    pub name: String,
}

/// Benchmark to run.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The programs; the others are compared with the first.
    pub programs: Vec<Program>,
    /// The rows.
    pub rows: Vec<&'static Row>,
    /// Captures to read.
    pub captures: &'a [PathBuf],
    /// The rules of rows with rules.
    pub rules: &'a [String],
    /// Options of all runs.
    pub options: &'a [String],
    /// Unit of times.
    pub unit: Option<&'a Unit>,
    /// Number of runs that count.
    pub runs: u16,
}

/// Runs of one program for one row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Runs {
    /// With a capture that has no packets.
    pub start: Vec<Taken>,
    /// With the captures.
    pub whole: Vec<Taken>,
}

/// Runs measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measured {
    /// The unit's runs.
    pub unit: Vec<Taken>,
    /// By row, then by program.
    pub rows: Vec<Vec<Runs>>,
    /// Packets in the captures.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Bench<'_> {
    /// Runs it all.
    pub fn measure(&self) -> Result<Measured, String> {
        let scratch = Scratch::new()?;
        let nothing = [self.prepare(&scratch)?];
        let sizes: Vec<_> =
            self.programs.iter().map(|program| self.size(program, &scratch)).collect::<Result<_, _>>()?;
        let (packets, bytes) = sizes.first().copied().unwrap_or_default();
        let empty = vec![vec![Runs::default(); self.programs.len()]; self.rows.len()];
        let mut measured = Measured { packets, bytes, rows: empty, unit: Vec::new() };
        let in_round = 2 * self.rows.len() * self.programs.len() + usize::from(self.unit.is_some());
        let steps = Steps::new(in_round * (usize::from(self.runs) + 1));
        for round in 0..=self.runs {
            // What is read again is in the system's cache, and compiled matchers are on the disk.
            let counts = round > 0;
            if let Some(unit) = self.unit {
                steps.next(&unit.name);
                let taken = take(&mut unit.command(self.captures), scratch.path(), &[0])?;
                measured.unit.extend(counts.then_some(taken));
            }
            for (row, found) in self.rows.iter().zip(&mut measured.rows) {
                let mut turn: Vec<_> = self.programs.iter().zip(found).collect();
                // Whoever comes after the other may profit or suffer, so they take turns at that too.
                if round % 2 == 1 {
                    turn.reverse();
                }
                for (program, runs) in turn {
                    steps.next(row.title);
                    let start = self.run(program, row, &nothing, &scratch)?;
                    runs.start.extend(counts.then_some(start));
                    steps.next(row.title);
                    let whole = self.run(program, row, self.captures, &scratch)?;
                    runs.whole.extend(counts.then_some(whole));
                }
            }
        }
        Ok(measured)
    }

    /// Writes what rows need into a folder, and returns the capture without packets.
    pub fn prepare(&self, scratch: &Scratch) -> Result<PathBuf, String> {
        for (name, content) in CONFIGURATIONS {
            scratch.write(name, content.as_bytes())?;
        }
        scratch.write("nothing.pcap", NO_PACKETS)
    }

    /// Packets and bytes in the captures, as a program counts them.
    pub fn size(&self, program: &Program, scratch: &Scratch) -> Result<(u64, u64), String> {
        let path = scratch.write("summary", b"")?;
        let stdout =
            File::create(&path).map_err(|error| format!("{} cannot be written: {error}.", path.display()))?;
        let mut command = Command::new(&program.path);
        command.args(["--summary=json", "--disable-detection", "-l"]).arg(fresh_logs(scratch.path())?);
        command.args(self.captures.iter().flat_map(|capture| [Path::new("-r"), capture])).stdout(stdout);
        take(&mut command, scratch.path(), &ENDS)?;
        let summary = fs::read(&path).unwrap_or_default();
        let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap_or_default();
        let count = |name| summary.get(name).and_then(serde_json::Value::as_u64);
        count("packets").zip(count("bytes")).ok_or_else(|| {
            format!("{} printed no summary of its run. Is it a build of Weir?", program.path.display())
        })
    }

    fn run(
        &self,
        program: &Program,
        row: &Row,
        captures: &[PathBuf],
        scratch: &Scratch,
    ) -> Result<Taken, String> {
        take(&mut self.command(program, row, captures, scratch)?, scratch.path(), &ENDS)
    }

    /// Returns the command line of a run, whose folder for logs is empty.
    pub fn command(
        &self,
        program: &Program,
        row: &Row,
        captures: &[PathBuf],
        scratch: &Scratch,
    ) -> Result<Command, String> {
        let mut command = Command::new(&program.path);
        command.args(self.options).args(row.options(scratch.path(), self.rules));
        command.arg("--quiet").arg("-l").arg(fresh_logs(scratch.path())?);
        command.args(captures.iter().flat_map(|capture| [Path::new("-r"), capture])).stdout(Stdio::null());
        Ok(command)
    }

    /// Returns the measured runs of all rows and programs, for those who read hyperfine's JSON.
    pub fn timed<'m>(&self, measured: &'m Measured) -> Vec<Timed<'m>> {
        let by_row = self.rows.iter().zip(&measured.rows);
        by_row
            .flat_map(|(row, programs)| {
                let named = self.programs.iter().zip(programs);
                named.map(|(program, runs)| Timed {
                    command: format!("{}: {}", program.name, row.title),
                    runs: &runs.whole,
                })
            })
            .collect()
    }
}

/// Exit codes of a run: success, or a capture that was cut short.
pub const ENDS: [i32; 2] = [0, EXIT_DAMAGED_INPUT as i32];

/// An empty folder for logs: a run does not add to those of the last one.
fn fresh_logs(folder: &Path) -> Result<PathBuf, String> {
    let logs = folder.join("logs");
    let _ = fs::remove_dir_all(&logs);
    fs::create_dir(&logs)
        .map_err(|error| format!("The folder {} cannot be made: {error}.", logs.display()))?;
    Ok(logs)
}
