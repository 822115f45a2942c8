//! `weir hunt`: the captures of an archive with the rules of today.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use weir_hunt::{Hunt, Progress, find, hunt};

/// What `--help` says behind the options.
pub const HELP: &str = "Hits are in hits.json of the folder of -l: alerts as EVE has them, each with its `capture` and, \
where records of the archive are of the same connection (by community id and time), with their `archive.flow_id`, \
`archive.uid` and `archive.community_id`. A hunt that is interrupted goes on where it was when it is started again; \
captures that came since are read, too.\n\nExamples:\n  \
  weir hunt new.rules /archive                     captures and records of one folder\n  \
  weir hunt new.rules /pcap --records /logs -l h   records that are elsewhere, hits in h/\n  \
  weir query \"select alert.signature, count(*) from alert group by 1\" h/hits.json";

/// Options and words of the command.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File of rules
    rules: PathBuf,

    /// Captures, and folders of them
    #[arg(required = true, value_name = "ARCHIVE")]
    archive: Vec<PathBuf>,

    /// More files of rules
    #[arg(short = 'S', value_name = "FILE")]
    more_rules: Vec<PathBuf>,

    /// Records of the same traffic (EVE, Zeek's logs, Parquet), where they are not in the archive's folders
    #[arg(long, value_name = "PATH")]
    records: Vec<PathBuf>,

    /// Folder of what is found
    #[arg(short, long, value_name = "FOLDER", default_value = "hunt")]
    log_folder: PathBuf,

    /// Captures that are read at a time; without it, one for each core
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,

    /// Begin anew, where the folder holds a hunt with other rules
    #[arg(long)]
    again: bool,

    /// Print no progress
    #[arg(short, long)]
    quiet: bool,

    /// The program that reads captures
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,

    /// Set a value of the engine's configuration
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Hunts.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("weir")));
    let engine = arguments.engine.clone().or_else(|| beside.filter(|path| path.exists()));
    let mut rules = vec![arguments.rules.clone()];
    rules.extend(arguments.more_rules.iter().cloned());
    let what = Hunt {
        rules,
        folder: arguments.log_folder.clone(),
        engine: engine.unwrap_or_else(|| PathBuf::from("weir")),
        jobs: arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        words: arguments.set.iter().flat_map(|value| ["--set".to_owned(), value.clone()]).collect(),
        again: arguments.again,
    };
    let (captures, sentences) = find(&arguments.archive);
    if captures.is_empty() {
        return Err("There are no captures in the archive: pcap and pcapng are read.".to_owned());
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, stop.clone()).map_err(|error| error.to_string())?;
    }
    let bytes: u64 = captures.iter().map(|capture| capture.length).sum();
    let shows = !arguments.quiet && std::io::stderr().is_terminal();
    let begun = Instant::now();
    let told = |progress: Progress| {
        if shows {
            let left = left(begun.elapsed(), progress.bytes, bytes);
            let line = format!(
                "{} of {} captures, {} of {} MB, {} hits{left}",
                progress.captures,
                captures.len(),
                progress.bytes / 1_000_000,
                bytes / 1_000_000,
                progress.hits
            );
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
    };
    let records = if arguments.records.is_empty() { &arguments.archive } else { &arguments.records };
    let report = hunt(&what, &captures, records, &told, &stop);
    if shows {
        eprintln!();
    }
    let report = report?;
    for sentence in sentences.iter().chain(&report.remarks) {
        eprintln!("weir: {sentence}");
    }
    if report.stopped {
        eprintln!("weir: The hunt was stopped; the same command goes on with it.");
        return Ok(ExitCode::FAILURE);
    }
    println!(
        "{} hits in {} captures ({} read now, {} before), {} joined to records: {}",
        report.hits,
        captures.len(),
        report.read,
        report.known,
        report.joined,
        what.folder.join("hits.json").display()
    );
    let whole = sentences.is_empty() && report.remarks.is_empty();
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// `, 3 min left`
fn left(passed: Duration, done: u64, all: u64) -> String {
    if done == 0 || passed < Duration::from_secs(2) {
        return String::new();
    }
    let seconds = passed.as_secs_f64() * (all.saturating_sub(done)) as f64 / done as f64;
    match seconds as u64 {
        seconds @ 0..120 => format!(", {seconds} s left"),
        seconds @ 120..7200 => format!(", {} min left", seconds / 60),
        seconds => format!(", {} h left", seconds / 3600),
    }
}
