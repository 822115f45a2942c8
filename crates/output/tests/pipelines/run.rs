//! A run that has records for a target, and what arrived of them.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use weir_base::Position;
use weir_config::Settings;
use weir_output::sinks::network::PipelineReport;
use weir_output::{Environment, LogReport, LogWriter, Order, OutletId, Outlets, Outputs};

/// Longest wait for anything.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Records of a run with kills, and those of a measurement; more with `scripts/pipelines.sh`.
pub fn records(default: u64) -> u64 {
    std::env::var("WEIR_PIPELINE_RECORDS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Records that go to a target.
pub struct Run {
    writer: Option<LogWriter>,
    outlets: Outlets,
    told: Receiver<String>,
    pushed: u64,
}

impl Run {
    /// Starts one with these lines in its `eve-log`, and its logs in a folder.
    pub fn start(folder: &Path, lines: &str) -> Self {
        let lines = lines.trim_end().replace('\n', "\n      ");
        let text = format!("%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      {lines}\n");
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).expect("settings");
        let environment = Environment { log_folder: Some(folder.to_owned()), ..Environment::default() };
        let mut outputs = Outputs::from_settings(&settings, &[], &environment).expect("outputs");
        assert_eq!(outputs.warnings, []);
        let (sender, told) = crossbeam_channel::unbounded();
        let report = move |error: &weir_output::LogError| sender.send(error.to_string()).unwrap_or_default();
        let writer =
            LogWriter::start(outputs.take_outlets(), 1, Order::Arrival, report).expect("a log thread");
        let outlets = writer.outlets(0);
        Self { writer: Some(writer), outlets, told, pushed: 0 }
    }

    /// Writes so many more records.
    pub fn push(&mut self, count: u64) {
        for _ in 0..count {
            let number = self.pushed;
            self.push_line(&record(number));
        }
        self.outlets.hand_on(Position::default());
    }

    /// Writes a record.
    pub fn push_line(&mut self, line: &str) {
        self.pushed += 1;
        self.outlets.line(OutletId(0), Position::default(), |out| {
            out.extend_from_slice(line.as_bytes());
            true
        });
        self.outlets.progress(Position::default());
    }

    /// Writes records at this rate for so long.
    pub fn push_at(&mut self, rate: u64, seconds: u64) {
        let begun = Instant::now();
        let end = self.pushed + rate * seconds;
        let start = self.pushed;
        while self.pushed < end {
            let due = start + (begun.elapsed().as_secs_f64() * rate as f64) as u64;
            self.push(due.min(end).saturating_sub(self.pushed));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub const fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Waits for the next that is told.
    pub fn next_told(&self) -> String {
        self.told.recv_timeout(PATIENCE).expect("something is told")
    }

    /// Ends the run.
    pub fn finish(mut self) -> (LogReport, PipelineReport, Vec<String>) {
        self.outlets.finish();
        let report = self.writer.take().expect("a writer").finish();
        let pipeline = report.outlets[0].pipeline.clone().expect("a pipeline");
        (report, pipeline, self.told.try_iter().collect())
    }
}

/// A record of this number, of about 900 bytes.
pub fn record(number: u64) -> String {
    format!(
        r#"{{"timestamp":"2026-11-29T20:00:{:02}.{:06}+0000","flow_id":{},"event_type":"test","n":{number},"pad":"{}"}}"#,
        number / 1_000_000 % 60,
        number % 1_000_000,
        1000 + number % 64,
        "x".repeat(780)
    )
}

/// The number of a record.
pub fn number(line: &str) -> u64 {
    let (_, rest) = line.split_once("\"n\":").unwrap_or_else(|| panic!("no record: {line}"));
    rest.split([',', '}']).next().expect("digits").parse().expect("a number")
}

/// Holds that all of the first `count` numbers are there, the first of each in order; returns those that are there again.
pub fn check_all(arrived: &[u64], count: u64) -> u64 {
    let mut next = 0;
    for number in arrived {
        assert!(*number <= next, "{number} came where {next} is missing");
        next += u64::from(*number == next);
    }
    assert_eq!(next, count, "records are missing at the end");
    arrived.len() as u64 - count
}

/// Prints a row of the table that `scripts/pipelines.sh` shows.
pub fn print_row(what: &str, records: u64, twice: u64, report: &PipelineReport, after: Option<Duration>) {
    let PipelineReport { lost, resent, spooled, reconnects, .. } = report;
    let after = after.map_or(String::new(), |after| format!("{:.2} s", after.as_secs_f64()));
    println!("| {what} | {records} | {lost} | {twice} | {resent} | {spooled} | {reconnects} | {after} |");
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

/// Waits until it is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A program that is killed where the test ends.
pub struct Server(pub Child);

impl Server {
    /// Starts it; `None` where it is not installed.
    pub fn start(command: &mut Command) -> Option<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok().map(Self)
    }

    /// Kills it as it stands.
    pub fn kill(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
