//! `weir profile cpu`: which functions use the processors, and what threads wait for. The run is a child of this
//! program, so that the recorder's own work is not in its profile; where perf events are forbidden, the run takes place
//! here, and a signal takes the samples.

use std::io;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};
use weir_lab::annotate::{annotate, hottest};
use weir_lab::profile::Profile;
use weir_lab::record::{FREQUENCY, perf, timer};
use weir_lab::report::{Part, Report};
use weir_lab::symbols::Symboliser;

use super::output::Output;
use super::{pages, spare, table};
use crate::cli;
use crate::information::print_text;

/// Time between two readings of the kernel's records.
const READING: Duration = Duration::from_millis(40);
/// Functions whose instructions are shown where none is named.
const ANNOTATED: usize = 3;
/// Word that has the child do the run.
const MEASURED: &str = "--measured";

/// A run, and how its CPU time is measured.
#[derive(Args, Debug)]
#[command(override_usage = "weir profile cpu -r CAPTURE [OPTIONS] [FILTER]\n       \
    weir profile cpu -i INTERFACE [OPTIONS] [FILTER]\n       weir profile cpu --pid ID [--seconds N] [OPTIONS]")]
#[command(help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}{after-help}")]
#[command(after_help = "Examples:\n  \
    weir profile cpu -r capture.pcap -S 'rules/*.rules' -o cpu/\n  \
    weir profile cpu -r capture.pcap --html cpu.html\n  \
    weir profile cpu --pid $(pidof weir) --seconds 10 -o cpu/\n\n\
    Files in the folder: cpu.pb.gz (go tool pprof), cpu.firefox.json (profiler.firefox.com), cpu.folded,\n\
    cpu.svg (flame graph), cpu.wait.svg (of waiting), cpu.annotated.txt (hot instructions).\n\
    It does the run that the other options describe. Logs go where -l says, or nowhere.")]
pub struct Measurement {
    /// Samples for each second of CPU time
    #[arg(long, value_name = "N", help_heading = "Profile", default_value_t = FREQUENCY, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frequency: u32,

    /// Function whose instructions are shown, by a part of its name; several times. Without one, the hottest
    #[arg(long, value_name = "FUNCTION", help_heading = "Profile")]
    annotate: Vec<String>,

    /// Measure a process that runs
    #[arg(long, value_name = "ID", help_heading = "Profile")]
    pid: Option<u32>,

    /// End after so many seconds
    #[arg(long, value_name = "N", help_heading = "Profile", requires = "pid", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: Option<u64>,

    /// Take samples by a signal, as where perf events are forbidden
    #[arg(long, help_heading = "Profile", conflicts_with = "pid")]
    by_signal: bool,

    /// Most rows of a table
    #[arg(long, value_name = "N", help_heading = "Profile", default_value_t = 20)]
    limit: usize,

    #[command(flatten)]
    output: Output,

    /// Do the run that is measured
    #[arg(long = "measured", hide = true)]
    is_measured: bool,

    #[command(flatten)]
    run: cli::Arguments,
}

impl Measurement {
    /// Measures; the error is a sentence.
    pub fn run(&self) -> Result<ExitCode, String> {
        if self.is_measured {
            let (run, _folder) = spare::prepared(&self.run)?;
            return crate::run(&run, false);
        }
        self.output.prepare()?;
        let (mut profile, code) = match (self.pid, self.by_signal) {
            (Some(id), _) => (self.watch(id)?, ExitCode::SUCCESS),
            (None, true) => self.by_signal()?,
            (None, false) => match perf::Recorder::open(perf::Whom::Children, self.frequency) {
                Ok(recorder) => self.child(recorder)?,
                Err(_) => self.by_signal()?,
            },
        };
        if profile.samples.is_empty() {
            return if code == ExitCode::SUCCESS {
                Err("No sample was taken: the run was too short.".to_owned())
            } else {
                Ok(code)
            };
        }
        Symboliser::new().symbolise(&mut profile);
        self.write(&profile)?;
        Ok(code)
    }

    /// Measures this program as a child that does the run.
    fn child(&self, mut recorder: perf::Recorder) -> Result<(Profile, ExitCode), String> {
        let cannot = |error: io::Error| format!("The run that is measured cannot be started: {error}.");
        let program = std::env::current_exe().map_err(cannot)?;
        let mut words = std::env::args_os().skip(1);
        // `profile cpu`, then the word, then what was asked for.
        let command: Vec<_> = words.by_ref().take(2).collect();
        let ends = Ends::take()?;
        let mut child = Command::new(program)
            .args(command)
            .arg(MEASURED)
            .args(words)
            .stdin(Stdio::null())
            .spawn()
            .map_err(cannot)?;
        let status = loop {
            recorder.read();
            if let Some(status) = child.try_wait().map_err(cannot)? {
                break status;
            }
            ends.pass_on(&child);
            std::thread::park_timeout(READING);
        };
        let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(crate::EXIT_REFUSED);
        Ok((recorder.finish(&self.title()), ExitCode::from(code)))
    }

    /// Measures a process that runs, until it ends, the time is over or a signal comes.
    fn watch(&self, id: u32) -> Result<Profile, String> {
        let mut recorder =
            perf::Recorder::open(perf::Whom::Process(id), self.frequency).map_err(|error| {
                format!(
                    "Process {id} cannot be measured: {error}. It takes its user or root, and perf events."
                )
            })?;
        let ends = Ends::take()?;
        let begin = Instant::now();
        let is_over = || self.seconds.is_some_and(|seconds| begin.elapsed() >= Duration::from_secs(seconds));
        let runs = || std::path::Path::new(&format!("/proc/{id}")).exists();
        while runs() && !ends.have_come() && !is_over() {
            recorder.read();
            std::thread::park_timeout(READING);
        }
        Ok(recorder.finish(&format!("process {id}")))
    }

    /// Measures the run within this process.
    fn by_signal(&self) -> Result<(Profile, ExitCode), String> {
        let (run, _folder) = spare::prepared(&self.run)?;
        let recorder = timer::Recorder::start(self.frequency)
            .map_err(|error| format!("Neither perf events nor a timer can be had here: {error}."))?;
        let code = crate::run(&run, false);
        let profile = recorder.finish(&self.title());
        Ok((profile, code?))
    }

    fn title(&self) -> String {
        pages::title("CPU time", &self.run)
    }

    /// Prints the tables and writes the files.
    fn write(&self, profile: &Profile) -> Result<(), String> {
        let measure = profile.measure("cpu").unwrap_or_default();
        let text = table::cpu(profile, self.limit);
        print_text(&text);
        let names = if self.annotate.is_empty() {
            hottest(profile, measure, ANNOTATED)
        } else {
            self.annotate.clone()
        };
        let annotated: Vec<Result<String, String>> = names
            .iter()
            .map(|name| annotate(profile, measure, name).map(|function| function.text()))
            .collect();
        let mut instructions = String::new();
        for found in annotated {
            match found {
                Ok(text) => instructions += &format!("{text}\n"),
                // What nobody asked for is not missed.
                Err(_) if self.annotate.is_empty() => {}
                Err(sentence) => return Err(sentence),
            }
        }
        if !self.annotate.is_empty() {
            print_text(&format!("\n{instructions}"));
        }
        self.output.profile("cpu", profile)?;
        if let Some(wait) = profile.measure("wait").filter(|wait| profile.total(*wait) > 0) {
            self.output.write("cpu.wait.svg", weir_lab::formats::svg::write(profile, wait).as_bytes())?;
        }
        self.output.write("cpu.annotated.txt", instructions.as_bytes())?;
        self.output.write("cpu.txt", text.as_bytes())?;
        let mut report = Report {
            title: profile.title.clone(),
            subtitle: pages::subtitle(profile),
            findings: pages::cpu_findings(profile),
            parts: pages::cpu(profile),
        };
        report.parts.push(Part::Text { title: "Hot instructions".to_owned(), text: instructions });
        self.output.page(&report)
    }
}

/// Signals that end what is measured. Those of the terminal reach the child by themselves.
struct Ends {
    interrupted: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Ends {
    fn take() -> Result<Self, String> {
        let ends = Self { interrupted: Arc::default(), terminated: Arc::default() };
        for (signal, flag) in [(SIGINT, &ends.interrupted), (SIGTERM, &ends.terminated)] {
            signal_hook::flag::register(signal, Arc::clone(flag))
                .map_err(|error| format!("Signals cannot be taken: {error}."))?;
        }
        Ok(ends)
    }

    fn have_come(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.terminated.load(Ordering::Relaxed)
    }

    fn pass_on(&self, child: &Child) {
        if self.terminated.swap(false, Ordering::Relaxed)
            && let Some(id) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
    }
}
