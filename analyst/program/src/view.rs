//! `weir view`: pages over records, in a browser on this machine or in a terminal.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use weir_query::Settings as QuerySettings;
use weir_view::{Limits, Server, Settings};

/// What `--help` says behind the options.
pub const HELP: &str = "The address that is printed has a secret; who has it may read the records, on this machine alone. \
Nothing is changed, and nothing is asked of the network. With --terminal the same is shown here, without an address: ? shows \
the keys, q quits.\n\nExamples:\n  \
  weir view out/                              records in a folder\n  \
  weir view capture.pcap -S rules/*.rules     reads the capture first, with all logs\n  \
  weir view /logs --captures /pcap            packets of connections, too\n  \
  weir view --terminal /logs                  in this terminal, as over ssh";

/// What the engine writes beside its usual logs, when a capture is shown.
const WRITTEN: [&str; 5] = [
    "outputs.1.eve-log.types.0.alert.payload=yes",
    "outputs.1.eve-log.types.0.alert.payload-printable=yes",
    "outputs.1.eve-log.types.0.alert.packet=yes",
    "outputs.1.eve-log.types.0.alert.http-body=yes",
    "outputs.1.eve-log.types.0.alert.metadata.rule.raw=yes",
];

/// Options and words of the command.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files and folders of records, or captures
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Show the same in this terminal, not in a browser
    #[arg(long)]
    terminal: bool,

    /// Files of rules: to read captures with, and to show
    #[arg(short = 'S', long = "rules", value_name = "FILE", num_args = 1..)]
    rules: Vec<PathBuf>,

    /// Captures, and folders of them, that packets of connections are taken from
    #[arg(long, value_name = "PATH", num_args = 1..)]
    captures: Vec<PathBuf>,

    /// Port of 127.0.0.1; without it, any that is free
    #[arg(short, long, value_name = "N", default_value = "0")]
    port: u16,

    /// Seconds that a question may take
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: u32,

    /// Threads; without it, one for each core
    #[arg(short = 't', long, value_name = "N")]
    threads: Option<usize>,

    /// Memory for computing in MB; more goes to the disk
    #[arg(long, value_name = "MB", default_value = "2048")]
    memory: usize,

    /// The program that reads captures
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,

    /// Set a value of the engine's configuration, where a capture is read
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// What the program ends with where it is to show something in a terminal, but there is none.
const NO_TERMINAL: u8 = 2;

/// Shows pages until it is told to stop.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if arguments.terminal && !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        eprintln!(
            "weir: Input and output are not a terminal, which --terminal needs. Without it, an address for a browser is printed."
        );
        return Ok(ExitCode::from(NO_TERMINAL));
    }
    let mut query = QuerySettings::default();
    query.threads = arguments.threads.unwrap_or(query.threads).max(1);
    query.memory = arguments.memory.saturating_mul(1 << 20);
    // Files that are named may be captures; in folders of records those of --captures are.
    let (files, mut records): (Vec<PathBuf>, Vec<PathBuf>) =
        arguments.paths.iter().cloned().partition(|path| path.is_file());
    let (named, _) = weir_hunt::find(&files);
    let is_capture = |path: &PathBuf| {
        std::path::absolute(path).is_ok_and(|path| named.iter().any(|capture| capture.path == path))
    };
    let (named, others_named): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_capture);
    records.extend(others_named);
    let (others, sentences) = weir_hunt::find(&arguments.captures);
    sentences.iter().for_each(|sentence| eprintln!("weir: {sentence}"));
    // It is removed when the program ends.
    let mut written = None;
    if !named.is_empty() {
        let folder = tempfile::Builder::new().prefix("weir-view-").tempdir();
        let folder = folder.map_err(|error| format!("No folder for the records can be made: {error}."))?;
        read(arguments, &named, folder.path())?;
        records.push(folder.path().to_owned());
        written = Some(folder);
    }
    let settings = Settings {
        records,
        captures: named.into_iter().chain(others.into_iter().map(|capture| capture.path)).collect(),
        rules: arguments.rules.clone(),
        port: arguments.port,
        limits: Limits { time: Duration::from_secs(arguments.timeout.into()), ..Limits::default() },
        query,
    };
    if arguments.terminal {
        weir_view::show(settings)?;
    } else {
        serve(settings)?;
    }
    drop(written);
    Ok(ExitCode::SUCCESS)
}

/// Serves pages until a signal says that it is enough.
fn serve(settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("Threads cannot be started: {error}."))?;
    runtime.block_on(async {
        let server = Server::open(settings).await?;
        server.remarks().iter().for_each(|sentence| eprintln!("weir: {sentence}"));
        println!("{}", server.address());
        let _ = std::io::stdout().flush();
        eprintln!("weir: Open this address in a browser on this machine; Ctrl-C ends.");
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let mut signals =
            signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM])
                .map_err(|error| error.to_string())?;
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                let _ = stop.send(());
            }
            // Whoever cannot wait for an answer says so again.
            if signals.forever().next().is_some() {
                std::process::exit(1);
            }
        });
        server.run(async move { drop(stopped.await) }).await
    })
}

/// Has the engine read captures, with all that it can tell of them.
fn read(arguments: &Arguments, captures: &[PathBuf], folder: &Path) -> Result<(), String> {
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("weir")));
    let engine = arguments.engine.clone().or_else(|| beside.filter(|path| path.exists()));
    let reading = weir_hunt::Reading {
        engine: engine.unwrap_or_else(|| PathBuf::from("weir")),
        captures: captures.to_vec(),
        rules: arguments.rules.clone(),
        settings: WRITTEN.into_iter().map(str::to_owned).chain(arguments.set.iter().cloned()).collect(),
        folder: folder.to_owned(),
        eve: true,
        zeek: true,
    };
    // Some of the input could not be read, of which the engine told; the rest can be shown.
    let said = weir_hunt::read(&reading, &AtomicBool::new(false))?.unwrap_or_default();
    said.iter().for_each(|sentence| eprintln!("weir: {sentence}"));
    Ok(())
}
