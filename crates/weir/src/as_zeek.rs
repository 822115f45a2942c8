//! The program under the names of Zeek's own: `zeek`, and `zeek-cut`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use weir_base::zone;
use weir_capture::{PacketFilter, Request};
use weir_config::logging::LoggingSettings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::settings::{Existing, RunOptions};
use weir_engine::{Engine, Inputs, Progress, ReadFiles};

use crate::script_lane::ScriptLane;
use crate::service::Service;
use crate::zeek_command::scripts::Answer;
use crate::zeek_command::{self, ZeekCommand};
use crate::zeek_cut::{self, Cut};
use crate::{
    EXIT_REFUSED, ZEEK_CUT_NAME, ZEEK_NAME, exit_code, information, plain_arguments, service, signals,
};

/// Reads a capture and writes Zeek's logs only, as the command line of Zeek asks for.
pub(crate) fn run() -> Result<ExitCode, String> {
    let words: Vec<String> = plain_arguments().collect();
    let parsed = ZeekCommand::parse(words.iter().cloned());
    let (command, scripts, requests) = match zeek_command::scripts::answer(&words, &parsed) {
        Answer::Settings => (parsed?, None, None),
        Answer::Alone(options) => return Ok(ExitCode::from(zeek_command::scripts::run_alone(options))),
        Answer::Traffic(options) => {
            let requests = signals::take()?;
            let scripts = match ScriptLane::start(options.clone(), &requests) {
                Ok(scripts) => scripts,
                Err(code) => return Ok(ExitCode::from(u8::try_from(code).unwrap_or(EXIT_REFUSED))),
            };
            (ZeekCommand::of_scripts(&options, &scripts)?, Some(scripts), Some(requests))
        }
    };
    if let Some(text) = answered(&command) {
        information::print_text(&text);
        return Ok(ExitCode::SUCCESS);
    }
    for remark in &command.remarks {
        eprintln!("{ZEEK_NAME}: {remark}");
    }
    let requests = requests.map_or_else(signals::take, Ok)?;
    let mut inputs = zeek_inputs(&command)?;
    let mut settings = command.configuration().map_err(|error| error.to_string())?;
    // Who controls Zeek does so in other ways.
    settings.set("unix-command.enabled", "no");
    let folder = command.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("The log folder {} cannot be made: {error}.", folder.display()))?;
    let logging = LoggingSettings::from_settings(&settings).map_err(|error| error.to_string())?;
    if let Err(sentence) = zone::choose(&logging.time_zone) {
        eprintln!("{ZEEK_NAME}: {sentence}");
    }
    let (log, _) = EngineLog::open(&logging, &folder, 0, false);
    let options = RunOptions {
        checksums: Some(!command.ignore_checksums),
        disable_detection: true,
        // As Zeek does, log by log.
        existing: Existing::Overwrite,
        seed: zeek_command::seed(&command)?,
        events: scripts.as_ref().map(ScriptLane::events),
        logged_scripts: scripts.as_ref().and_then(ScriptLane::logged),
        ..RunOptions::default()
    };
    let log = Arc::new(log);
    let engine = Engine::new(settings, options, &RuleFiles::default(), &folder, Arc::clone(&log))
        .map_err(|error| error.to_string())?
        .heeding(requests.clone());
    let source = inputs.source.open;
    let rights =
        service::Run { source, asked: false, log_folder: &folder, pid_file: None, files: Vec::new() };
    let confine = service::confinement(rights, &engine, &log)?;
    let engine = engine.confined_by(confine);
    inputs.request.filter = command.filter.as_deref().map(PacketFilter::new);
    signals::take_ends(&requests)?;
    let (mut begins, mut service) = (true, Service::new(None));
    let mut say = |step: &Progress<'_>| {
        service.tell(step);
        if matches!(step, Progress::Live(_)) && std::mem::take(&mut begins) {
            eprintln!("listening on {}", command.interfaces.join(", "));
        }
    };
    let summary = engine.run(&inputs, &mut say).map_err(|error| error.to_string())?;
    let is_asked = scripts.as_ref().is_some_and(ScriptLane::has_stopped);
    if let Some(interruption) = summary.interruption.as_ref().filter(|_| !is_asked) {
        eprintln!("{ZEEK_NAME}: {interruption}");
    }
    for problem in &summary.problems {
        eprintln!("{ZEEK_NAME}: {problem}");
    }
    match scripts.map_or(0, ScriptLane::finish) {
        0 => Ok(exit_code(&summary, false)),
        code => Ok(ExitCode::from(u8::try_from(code).unwrap_or(EXIT_REFUSED))),
    }
}

/// Returns the answer to a question about the program, where the command line is one.
fn answered(command: &ZeekCommand) -> Option<String> {
    if command.help {
        Some(zeek_command::USAGE.to_owned())
    } else if command.version {
        Some(format!("zeek version 8.2.0 (weir {})\n", env!("CARGO_PKG_VERSION")))
    } else {
        command.plugins.then(zeek_command::plugins)
    }
}

/// Returns the inputs that the command line of Zeek names. One thread listens, as Zeek's does.
fn zeek_inputs(command: &ZeekCommand) -> Result<Inputs, String> {
    match (command.reads.as_slice(), command.interfaces.as_slice()) {
        ([_, ..], [_, ..]) => Err("Name a capture with -r, or an interface with -i, not both.".to_owned()),
        (reads @ [_, ..], []) => Ok(Inputs::files(reads.to_vec())),
        ([], []) => Err("Name a capture with -r, or an interface with -i.".to_owned()),
        ([], interfaces) => {
            let source = command.source()?;
            let request = Request::of(interfaces.iter().map(PathBuf::from).collect());
            Ok(Inputs { source, request, files: ReadFiles::Keep, threads: Some(1), follow: None })
        }
    }
}

/// Cuts columns out of the logs on standard input.
pub(crate) fn cut_columns() -> Result<ExitCode, String> {
    let format = std::env::var("ZEEK_CUT_TIMEFMT").or_else(|_| std::env::var("BRO_CUT_TIMEFMT")).ok();
    let cut = Cut::parse(plain_arguments(), format)?;
    if cut.help {
        information::print_text(zeek_cut::USAGE);
        return Ok(ExitCode::SUCCESS);
    }
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let mut complain = |sentence: &str| eprintln!("{ZEEK_CUT_NAME}: {sentence}");
    match cut.run(&mut std::io::stdin().lock(), &mut output, &mut complain) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("{error}.")),
        _ => Ok(ExitCode::SUCCESS),
    }
}
