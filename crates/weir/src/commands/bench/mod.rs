//! `weir bench`: what this program takes for a capture, and another one beside it.
//!
//! Every figure comes from runs of whole programs as children, so that what is measured is what a user
//! starts. Machines differ and are seldom alone: the time of a unit, `gzip -6` of the same capture, is
//! taken in the same minutes, the runs of all rows and programs take turns, and medians are shown. What
//! start-up and the loading of rules take is measured on a capture without packets, and taken off.

mod counters;
mod export;
mod figures;
mod history;
mod page;
mod process;
mod report;
mod rounds;
mod rows;
mod scaling;
mod shell;
mod spread;
mod table;

use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use weir_lab::report::{Part, Report};

use self::export::{Timed, hyperfine};
use self::figures::Figures;
use self::process::Unit;
use self::rounds::{Bench, Program};
use self::rows::{LOADING, ROWS, Row};
use self::scaling::{ByWorkers, parse_workers};
use self::shell::Shell;
use self::table::Look;
use crate::information::print_text;

/// Some row took more than its limit.
const EXIT_OVER_LIMIT: u8 = 2;

/// Measure what this program takes for captures: CPU time, rates, memory; and compare it with another
/// build.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    weir bench day.pcap                                  without rules\n  \
    weir bench day.pcap -S 'rules/*.rules'               and with rules, and what loading them takes\n  \
    weir bench day.pcap --vs ./weir-before --runs 15     this build beside another\n  \
    weir bench day.pcap --row flows -- -t 4              one row, with four workers\n  \
    weir bench day.pcap --workers 1..8 --html a.html     what each number of workers does, and why\n  \
    weir bench --shell 'gzip -k a' --shell 'zstd a'      any commands beside each other\n\n\
    Rows: flows (flow records only), eve (all EVE records), zeek (Zeek's logs only), eve+zeek;\n\
    with rules: rules (and all EVE records), rules+zeek (and Zeek's logs too), loading.\n\n\
    CPU seconds are user and system time of all threads; rates are for one second of them. Ratios are\n\
    to this program, with the interval of 95 %: below 1 the other takes less. Start-up and loading are taken off all rows.\n\n\
    Exit codes: 0 measured; 1 not measured; 2 measured, and some row is over its --limit.")]
pub struct Arguments {
    /// Capture files
    #[arg(required_unless_present = "shell", value_name = "CAPTURE")]
    captures: Vec<PathBuf>,

    /// Rule file for the rows with rules; a file or a quoted pattern; several times
    #[arg(short = 'S', value_name = "RULES")]
    rules: Vec<String>,

    /// Another build to measure beside this one; several times
    #[arg(long, value_name = "BINARY")]
    vs: Vec<PathBuf>,

    /// Runs of each row and program that count, after one that does not
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: u16,

    /// Measure this row only; several times
    #[arg(long, value_name = "ROW")]
    row: Vec<String>,

    /// Program whose CPU time for the captures is the unit, with its options; `none` for seconds only
    #[arg(long, value_name = "COMMAND", default_value = "gzip -6 -c")]
    unit: String,

    /// Most units that a row may take; several times
    #[arg(long, value_name = "ROW=UNITS", value_parser = parse_limit)]
    limit: Vec<(String, f64)>,

    /// As text, or as a table of Markdown
    #[arg(long, value_name = "text|markdown", default_value = "text")]
    format: Format,

    /// Add the figures as one line of JSON to a file, a history to keep
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Command to measure in place of this program, as a shell runs it; several, beside each other
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["captures", "workers", "vs"])]
    shell: Vec<String>,

    /// Measure one row with each number of workers: what they do, what they wait for, what more would do
    #[arg(long, value_name = "1..N", value_parser = parse_workers, conflicts_with = "vs")]
    workers: Option<RangeInclusive<u16>>,

    /// Write all runs to a file in hyperfine's JSON
    #[arg(long, value_name = "FILE", conflicts_with = "workers")]
    export_json: Option<PathBuf>,

    /// Write a page for browsers to a file, with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Options that every run is started with too
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For pages.
    Markdown,
}

/// `ROW=UNITS`.
fn parse_limit(text: &str) -> Result<(String, f64), String> {
    let (row, units) = text.split_once('=').ok_or("write a row and its limit, as in flows=0.05")?;
    let units: f64 = units.parse().map_err(|_| format!("{units} is no number"))?;
    Ok((row.to_owned(), units))
}

/// Measures.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if !arguments.shell.is_empty() {
        return commands(arguments);
    }
    for (name, _) in &arguments.limit {
        check_row_name(name)?;
    }
    if let Some(path) = arguments.captures.iter().find(|path| !path.is_file()) {
        return Err(format!("{} is no file. Name capture files.", path.display()));
    }
    let unit = Unit::parse(&arguments.unit)?;
    if let (None, Some((row, _))) = (&unit, arguments.limit.first()) {
        return Err(format!(
            "The limit of {row} is one in units, and there is no unit. Name one with --unit."
        ));
    }
    let bench = Bench {
        programs: programs(&arguments.vs)?,
        rows: rows(arguments)?,
        captures: &arguments.captures,
        rules: &arguments.rules,
        options: &arguments.options,
        unit: unit.as_ref(),
        runs: arguments.runs,
    };
    if let Some(workers) = &arguments.workers {
        let found = ByWorkers::measure(&bench, workers.clone())?;
        print_text(&found.text(look(arguments.format)));
        page(arguments, "Scaling", found.sentences(), found.parts())?;
        return Ok(ExitCode::SUCCESS);
    }
    let measured = bench.measure()?;
    export(arguments, &bench.timed(&measured))?;
    let figures = Figures::new(&bench, &measured, &arguments.limit);
    print_text(&report::text(&figures, look(arguments.format)));
    if let Some(path) = &arguments.json {
        history::add(path, &figures)
            .map_err(|error| format!("The figures cannot be added to {}: {error}.", path.display()))?;
    }
    page(arguments, "Benchmark", Vec::new(), page::parts(&figures))?;
    let over = figures.over_limit();
    for figure in &over {
        eprintln!("weir: {} takes more than its limit.", figure.title);
    }
    Ok(if over.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_OVER_LIMIT) })
}

/// Measures commands of a shell.
fn commands(arguments: &Arguments) -> Result<ExitCode, String> {
    let found = Shell::measure(&arguments.shell, arguments.runs)?;
    print_text(&found.text(look(arguments.format)));
    export(arguments, &found.timed())?;
    page(arguments, "Commands", Vec::new(), found.parts())?;
    Ok(ExitCode::SUCCESS)
}

/// Writes runs in hyperfine's JSON, where that is asked for.
fn export(arguments: &Arguments, commands: &[Timed<'_>]) -> Result<(), String> {
    let Some(path) = &arguments.export_json else { return Ok(()) };
    let text = serde_json::to_string_pretty(&hyperfine(commands)).unwrap_or_default();
    std::fs::write(path, text + "\n")
        .map_err(|error| format!("{} cannot be written: {error}.", path.display()))
}

/// Writes a page, where one is asked for.
fn page(arguments: &Arguments, title: &str, findings: Vec<String>, parts: Vec<Part>) -> Result<(), String> {
    let Some(path) = &arguments.html else { return Ok(()) };
    let names: Vec<String> = arguments.captures.iter().map(|path| path.display().to_string()).collect();
    let subtitle =
        format!("Weir {}; {} runs. {}", env!("CARGO_PKG_VERSION"), arguments.runs, names.join(", "));
    let report = Report { title: title.to_owned(), subtitle, findings, parts };
    std::fs::write(path, report.html())
        .map_err(|error| format!("{} cannot be written: {error}.", path.display()))
}

fn look(format: Format) -> Look {
    let terminal = std::io::stdout().is_terminal();
    match format {
        Format::Markdown => Look::Markdown,
        Format::Text if terminal && std::env::var_os("NO_COLOR").is_none() => Look::Terminal,
        Format::Text => Look::Plain,
    }
}

fn check_row_name(name: &str) -> Result<(), String> {
    let mut names = ROWS.iter().map(|row| row.name).chain([LOADING]);
    if names.any(|known| known == name) {
        return Ok(());
    }
    let names: Vec<&str> = ROWS.iter().map(|row| row.name).chain([LOADING]).collect();
    Err(format!("There is no row {name}. Choose {}.", names.join(", ")))
}

/// The rows asked for; without rules, those that need none.
fn rows(arguments: &Arguments) -> Result<Vec<&'static Row>, String> {
    for name in &arguments.row {
        check_row_name(name)?;
    }
    let is_one = arguments.workers.is_some() && arguments.row.is_empty();
    let usual = if arguments.rules.is_empty() { "eve" } else { "rules" };
    let asked = |row: &Row| {
        if is_one {
            return row.name == usual;
        }
        let loading = row.loads() && arguments.row.iter().any(|name| name == LOADING);
        arguments.row.is_empty() || loading || arguments.row.iter().any(|name| name == row.name)
    };
    let rows: Vec<&Row> =
        ROWS.iter().filter(|row| asked(row) && (!row.rules || !arguments.rules.is_empty())).collect();
    if rows.is_empty() {
        return Err(format!("The row {} needs rules. Name them with -S.", arguments.row.join(", ")));
    }
    Ok(rows)
}

/// This program first, then the others; each under its file's name, or its path where names are shared.
fn programs(others: &[PathBuf]) -> Result<Vec<Program>, String> {
    let own =
        std::env::current_exe().map_err(|error| format!("This program cannot find itself: {error}."))?;
    let paths: Vec<&Path> =
        std::iter::once(own.as_path()).chain(others.iter().map(PathBuf::as_path)).collect();
    if let Some(missing) = paths.iter().find(|path| !path.is_file()) {
        return Err(format!("There is no program {}.", missing.display()));
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(paths
        .iter()
        .map(|path| {
            let shared = paths.iter().filter(|other| name(other) == name(path)).count() > 1;
            let shown = if shared { path.display().to_string() } else { name(path) };
            // A word without a slash would be looked for in PATH.
            Program { path: std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()), name: shown }
        })
        .collect())
}
