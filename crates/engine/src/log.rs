//! The engine's own log: to the terminal, and to the files that `logging.outputs` names.
//!
//! Levels and line forms are those that users of `suricata.log` grep for. Never used on the packet
//! path.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use weir_base::{JsonWriter, Timestamp};
use weir_config::logging::{LogDestination, LogLevel, LoggingSettings};

/// Where lines go.
enum Target {
    Terminal,
    File { path: PathBuf, file: Mutex<File> },
}

/// One destination.
struct Sink {
    target: Target,
    level: LogLevel,
    json: bool,
}

/// The engine's own log; shared by everything that runs.
pub struct EngineLog {
    sinks: Vec<Sink>,
    /// Lines that the summary repeats (broken rules, damaged input, lost records) appear on the terminal when they
    /// happen.
    repeats_summary: bool,
    /// Standard output is for the summary: every line goes to standard error.
    keep_output_clean: bool,
}

impl EngineLog {
    /// A log that goes nowhere.
    pub fn silent() -> Self {
        Self { sinks: Vec::new(), repeats_summary: false, keep_output_clean: true }
    }

    /// The log that the configuration asks for. `verbose` raises the level by as many steps. On the
    /// terminal nothing below a warning is written unless it is at least one, or `compatible` asks
    /// for the lines that users of the engine of that name expect. A file that cannot be opened is
    /// left out and given back as a sentence.
    pub fn open(
        settings: &LoggingSettings,
        folder: &Path,
        verbose: u8,
        compatible: bool,
    ) -> (Self, Vec<String>) {
        let raised = raise(settings.level, verbose);
        let terminal = if verbose == 0 && !compatible { LogLevel::Warning } else { raised };
        let mut log = Self {
            sinks: Vec::new(),
            repeats_summary: compatible || verbose > 0,
            keep_output_clean: !compatible,
        };
        let mut problems = Vec::new();
        for output in settings.outputs.iter().filter(|output| output.enabled) {
            let level = output.level.map_or(raised, |own| own.max(raised));
            match &output.destination {
                LogDestination::Console => {
                    let level = output.level.map_or(terminal, |own| own.min(terminal).max(LogLevel::Error));
                    log.sinks.push(Sink { target: Target::Terminal, level, json: output.json });
                }
                LogDestination::File { filename } => {
                    let path = folder.join(filename);
                    match open(&path) {
                        Ok(file) => {
                            let target = Target::File { path, file: Mutex::new(file) };
                            log.sinks.push(Sink { target, level, json: output.json });
                        }
                        Err(error) => problems.push(format!(
                            "The log {} cannot be opened: {error}. Choose another folder with -l.",
                            path.display()
                        )),
                    }
                }
                LogDestination::Syslog { .. } => {}
            }
        }
        (log, problems)
    }

    /// Tells on the terminal what no summary will repeat.
    #[must_use]
    pub fn without_summary(self) -> Self {
        Self { repeats_summary: true, ..self }
    }

    /// The files that lines go to.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.sinks.iter().filter_map(|sink| match &sink.target {
            Target::File { path, .. } => Some(path.as_path()),
            Target::Terminal => None,
        })
    }

    /// Opens files anew that were moved away. One that cannot be opened stays the one it was.
    pub fn reopen(&self) {
        for sink in &self.sinks {
            if let Target::File { path, file } = &sink.target
                && let (Ok(new), Ok(mut file)) = (open(path), file.lock())
            {
                *file = new;
            }
        }
    }

    /// Something that keeps a part of the engine from working.
    pub fn error(&self, module: &str, message: &str) {
        self.write(LogLevel::Error, module, message);
    }

    /// Something that is probably not meant so.
    pub fn warning(&self, module: &str, message: &str) {
        self.write(LogLevel::Warning, module, message);
    }

    /// Something everyone wants to know.
    pub fn notice(&self, module: &str, message: &str) {
        self.write(LogLevel::Notice, module, message);
    }

    /// Something good to know.
    pub fn info(&self, module: &str, message: &str) {
        self.write(LogLevel::Info, module, message);
    }

    /// Logs how the engine was set up.
    pub fn config(&self, module: &str, message: &str) {
        self.write(LogLevel::Config, module, message);
    }

    /// Logs why the engine does not start; whoever started it says so on the terminal.
    pub fn fatal(&self, module: &str, message: &str) {
        self.write_to(LogLevel::Error, module, message, false);
    }

    /// Logs an error in a rule; `module` is the part that found it.
    pub fn rule_error(&self, module: &str, message: &str) {
        self.write_to(LogLevel::Error, module, message, self.repeats_summary);
    }

    /// Something that the summary, or whoever prints in its stead, tells at the end too.
    pub fn problem(&self, module: &str, message: &str) {
        self.write_to(LogLevel::Error, module, message, self.repeats_summary);
    }

    /// Logs a warning about a rule.
    pub fn rule_warning(&self, message: &str) {
        self.write_to(LogLevel::Warning, "detect", message, self.repeats_summary);
    }

    fn write(&self, level: LogLevel, module: &str, message: &str) {
        self.write_to(level, module, message, true);
    }

    fn write_to(&self, level: LogLevel, module: &str, message: &str, terminal: bool) {
        let meant =
            |sink: &&Sink| level <= sink.level && (terminal || !matches!(sink.target, Target::Terminal));
        for sink in self.sinks.iter().filter(meant) {
            let line = if sink.json {
                json_line(level, module, message)
            } else {
                text_line(sink, level, module, message)
            };
            // A log that cannot be written has nowhere to say so.
            let _ = match &sink.target {
                Target::Terminal if level == LogLevel::Error || self.keep_output_clean => {
                    std::io::stderr().write_all(&line)
                }
                Target::Terminal => std::io::stdout().write_all(&line),
                Target::File { file, .. } => match file.lock() {
                    Ok(mut file) => file.write_all(&line),
                    Err(_) => Ok(()),
                },
            };
        }
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn raise(level: LogLevel, steps: u8) -> LogLevel {
    const ORDER: [LogLevel; 7] = [
        LogLevel::Error,
        LogLevel::Warning,
        LogLevel::Notice,
        LogLevel::Info,
        LogLevel::Perf,
        LogLevel::Config,
        LogLevel::Debug,
    ];
    let start = ORDER.iter().position(|l| *l == level).unwrap_or(2);
    // -v starts from notice, and -vvvv ends at config.
    let end = (start + usize::from(steps)).min(5.max(start));
    ORDER.get(end).copied().unwrap_or(level)
}

const fn name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Error => "Error",
        LogLevel::Warning => "Warning",
        LogLevel::Notice => "Notice",
        LogLevel::Info => "Info",
        LogLevel::Perf => "Perf",
        LogLevel::Config => "Config",
        LogLevel::Debug => "Debug",
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(since.as_nanos() as u64)
}

fn text_line(sink: &Sink, level: LogLevel, module: &str, message: &str) -> Vec<u8> {
    let mut line = String::new();
    if matches!(sink.target, Target::File { .. }) {
        let time = now().local().civil;
        line.push_str(&format!(
            "[{}] {:04}-{:02}-{:02} {:02}:{:02}:{:02} ",
            std::process::id(),
            time.year,
            time.month,
            time.day,
            time.hour,
            time.minute,
            time.second
        ));
    }
    line.push_str(&format!("{}: {module}: {message}\n", name(level)));
    line.into_bytes()
}

/// The name of the thread, as Suricata's log has it.
fn thread_name() -> String {
    let thread = std::thread::current();
    match thread.name() {
        None | Some("main") => "Suricata-Main".to_owned(),
        Some(name) => name.to_owned(),
    }
}

fn json_line(level: LogLevel, module: &str, message: &str) -> Vec<u8> {
    let moment = now();
    let mut line = Vec::new();
    let mut json = JsonWriter::new(&mut line);
    json.open_object();
    json.string("timestamp", moment.iso8601());
    json.string("log_level", name(level));
    json.string("event_type", "engine");
    json.object("engine");
    json.string("message", message);
    json.string("thread_name", thread_name());
    json.string("module", module);
    json.close_object();
    json.close_object();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_with_v() {
        assert_eq!(raise(LogLevel::Notice, 0), LogLevel::Notice);
        assert_eq!(raise(LogLevel::Notice, 1), LogLevel::Info);
        assert_eq!(raise(LogLevel::Notice, 9), LogLevel::Config);
    }

    #[test]
    fn a_json_line_is_one_object() {
        let line = String::from_utf8(json_line(LogLevel::Error, "detect", "a \"b\"")).unwrap();
        let thread = thread_name();
        let expected = format!(
            "\"engine\":{{\"message\":\"a \\\"b\\\"\",\"thread_name\":\"{thread}\",\"module\":\"detect\"}}}}\n"
        );
        assert!(line.ends_with(&expected), "{line}");
    }
}
