//! The command line of Weir, and nothing else: options in, an engine run, a summary out.

mod abbreviations;
mod allocator;
mod build_information;
mod cli;
mod commands;
mod configuration;
mod elsewhere;
mod identity;
mod information;
mod input;
mod mistakes;
mod pid_file;
mod progress;
mod script_lane;
mod service;
mod signals;
mod time_format;
mod workers;
mod zeek_command;
mod zeek_cut;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use weir_base::zone;
use weir_capture::{Capability, Folders, LiveRequest, Open, PacketFilter, Request, Stance};
use weir_config::logging::LoggingSettings;
use weir_config::{OutputsSettings, Settings, unknown_keys};
use weir_engine::load::{RuleFiles, RuleReport, StrictKeywords};
use weir_engine::log::EngineLog;
use weir_engine::settings::{Existing, LogFolder, RunOptions};
use weir_engine::summary::{Extent, Style, Summary};
use weir_engine::{
    Engine, EngineError, Inputs, Progress, ReadFiles, ReadSettings, Requests, ZeekChoice, recorded_rules,
};
use weir_script::command::Argument;

use crate::cli::{Arguments, Checksums, SummaryFormat, ZeekFormat};
use crate::pid_file::PidFile;
use crate::script_lane::ScriptLane;
use crate::service::Service;
use crate::service::daemon::Part;
use crate::workers::Workers;
use crate::zeek_command::ZeekCommand;
use crate::zeek_command::scripts::Answer;
use crate::zeek_cut::Cut;

/// The name under which the command line and output of that engine are kept.
pub(crate) const COMPATIBLE_NAME: &str = "suricata";

/// The names under which Zeek's command line and its cutter of columns are kept.
const ZEEK_NAME: &str = "zeek";
const ZEEK_CUT_NAME: &str = "zeek-cut";

/// Nothing was done: a bad option, configuration or rules.
pub(crate) const EXIT_REFUSED: u8 = 1;
/// Some input could not be read to its end.
pub(crate) const EXIT_DAMAGED_INPUT: u8 = 2;
/// Some records could not be written.
const EXIT_LOST_RECORDS: u8 = 3;

fn main() -> ExitCode {
    let name = program_name();
    let compatible = name == COMPATIBLE_NAME;
    let words: Vec<_> = std::env::args_os().collect();
    if let Some(code) = service::answer(&words) {
        return code;
    }
    let words = if compatible { words } else { mistakes::rewrite(words.into_iter()) };
    if let Some(code) = commands::answer(&words, &name) {
        return code;
    }
    if matches!(name.as_str(), ZEEK_NAME | ZEEK_CUT_NAME) {
        let done = if name == ZEEK_NAME { run_as_zeek() } else { run_as_zeek_cut() };
        return done.unwrap_or_else(|sentence| refuse(&name, &sentence));
    }
    let words = match abbreviations::expand(words) {
        Ok(words) => words,
        Err(sentence) => return refuse(&name, &sentence),
    };
    if let Some(sentence) = elsewhere::answer(plain(&words)) {
        return refuse(&name, &sentence);
    }
    let mut arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        Err(error) => return misread(&error, &name, &name, &words),
    };
    if let Some(code) = information::answer(&arguments, compatible) {
        return code;
    }
    let placed = match compatible {
        true => mistakes::absent(&arguments.input.names),
        false => mistakes::place(&mut arguments),
    };
    placed.and_then(|()| run(&arguments, compatible)).unwrap_or_else(|sentence| refuse(&name, &sentence))
}

/// Says why nothing is done.
fn refuse(name: &str, sentence: &str) -> ExitCode {
    information::complain(name, sentence);
    ExitCode::from(EXIT_REFUSED)
}

/// Prints what the parser of options has to say: help, or what is wrong. `program` is what was started,
/// with its command.
fn misread(error: &clap::Error, name: &str, program: &str, words: &[OsString]) -> ExitCode {
    match mistakes::sentence(error, program, words) {
        Some(sentence) => return refuse(name, &sentence),
        None => {
            let _ = error.print();
        }
    }
    if error.use_stderr() { ExitCode::from(EXIT_REFUSED) } else { ExitCode::SUCCESS }
}

/// The arguments behind the program's name, as text.
fn plain_arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

/// Words behind the program's name, as text.
fn plain(words: &[OsString]) -> impl Iterator<Item = String> {
    words.iter().skip(1).map(|word| word.to_string_lossy().into_owned())
}

/// Reads a capture and writes Zeek's logs only, as the command line of Zeek asks for.
fn run_as_zeek() -> Result<ExitCode, String> {
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
    if command.help {
        information::print_text(zeek_command::USAGE);
        return Ok(ExitCode::SUCCESS);
    }
    if command.version {
        information::print_text(&format!("zeek version 8.2.0 (weir {})\n", env!("CARGO_PKG_VERSION")));
        return Ok(ExitCode::SUCCESS);
    }
    if command.plugins {
        information::print_text(&zeek_command::plugins());
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
fn run_as_zeek_cut() -> Result<ExitCode, String> {
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

/// The name the program was started under.
fn program_name() -> String {
    let first = std::env::args_os().next().map(PathBuf::from);
    first.as_deref().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or("weir").to_owned()
}

fn run(arguments: &Arguments, compatible: bool) -> Result<ExitCode, String> {
    let settings = configuration::settings(arguments, compatible)?;
    if arguments.dump_config {
        information::print_text(&settings.dump());
        return Ok(ExitCode::SUCCESS);
    }
    let of_live = [
        (arguments.record.is_some(), "--record"),
        (arguments.watch, "--watch"),
        (arguments.metrics.is_some(), "--metrics"),
    ];
    let asked = of_live.into_iter().filter(|(is_asked, _)| *is_asked);
    arguments.input.source.check(asked.map(|(_, option)| (Capability::Live, option)))?;
    let background = match arguments.daemon && !arguments.test {
        true => match service::daemon::enter()? {
            Part::Works(background) => Some(background),
            Part::Ends(code) => return Ok(code),
        },
        false => None,
    };
    let requests = signals::take()?;
    if let Some(background) = &background {
        background.change_to(settings.text("daemon-directory"))?;
    }
    let folder = log_folder(arguments, &settings)?;
    let pid_file = pid_file(arguments, &settings);
    let pid_file = pid_file.as_deref().map(PidFile::write).transpose()?;
    let log = Arc::new(open_log(arguments, &settings, &folder, compatible)?);
    log.notice("suricata", &information::banner(compatible));
    for remark in pid_file.iter().filter_map(PidFile::remark) {
        log.warning("suricata", &remark);
    }
    let service = Service::new(background);
    run_engine(arguments, compatible, settings, &folder, &log, (requests, service))
        .inspect_err(|sentence| log.fatal("suricata", sentence))
}

/// Makes the engine ready and has it check or read what the command line names.
fn run_engine(
    arguments: &Arguments,
    compatible: bool,
    settings: Settings,
    folder: &Path,
    log: &Arc<EngineLog>,
    (requests, mut service): (Requests, Service),
) -> Result<ExitCode, String> {
    match identity::check(&settings) {
        Err(sentence) if compatible => return Err(sentence),
        // Captures are read by whoever starts the program, and nobody misses this user.
        Err(sentence) => log.warning("conf", &sentence),
        Ok(()) => {}
    }
    if !compatible && arguments.input.source.capabilities.contains(&Capability::Files) {
        mistakes::captures(&arguments.input.names)?;
    }
    for key in unknown_keys(&settings) {
        log.warning("conf", &key.sentence());
    }
    let workers = Workers::new(arguments, &settings)?;
    let mut options = run_options(arguments, workers, stance(arguments, &settings, workers)?);
    let scripts = match script_lane(arguments, &requests) {
        Ok(scripts) => scripts,
        Err(code) => return Ok(ExitCode::from(u8::try_from(code).unwrap_or(EXIT_REFUSED))),
    };
    if let Some(scripts) = &scripts {
        options.events = Some(scripts.events());
        // Nobody asked for logs: scripts write their own.
        options.logged_scripts = arguments.zeek_logs.is_none().then(Default::default);
    }
    let engine = Engine::new(settings, options, &rule_files(arguments), folder, Arc::clone(log));
    let engine = match engine {
        Ok(engine) => engine,
        Err(EngineError::Rules(report)) => {
            information::print_failures(&report, compatible, extent(arguments));
            return Err(format!(
                "{} of the rules cannot be loaded, and --init-errors-fatal asks to stop then.",
                report.failed_count() + report.unreadable.len() as u64
            ));
        }
        Err(error) => return Err(error.to_string()),
    };
    if arguments.engine_analysis {
        engine.analyse().map_err(|error| format!("The reports on rules cannot be written: {error}."))?;
        // Rules that cannot be loaded are reported; the reports on the others are what was asked for.
        let _ = tested(&engine, arguments, compatible, log);
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.test {
        engine.check_outputs().map_err(|error| error.to_string())?;
        return Ok(tested(&engine, arguments, compatible, log));
    }
    if !compatible && let Some(sentence) = without_rules(arguments, &engine.rules()) {
        return Err(sentence);
    }
    let engine = confined(engine, arguments, folder, log)?;
    if arguments.unix_socket.is_some() {
        return serve(engine, arguments, compatible, (requests, service));
    }
    if arguments.input.names.is_empty() && !arguments.input.by_section {
        return Err(mistakes::nothing_to_read(&arguments.filter));
    }
    let inputs = inputs(arguments, workers)?;
    let quiet = arguments.quiet || compatible || arguments.summary == SummaryFormat::Json;
    let mut progress = progress::Progress::new(!quiet && std::io::stderr().is_terminal());
    signals::take_ends(&requests)?;
    let engine = engine.heeding(requests).reading_settings_by(settings_again(arguments, compatible));
    let summary = engine.run(&inputs, &mut |step| {
        progress.show(step);
        service.tell(step);
    });
    progress.clear();
    let summary = match summary {
        Ok(summary) => summary,
        // The engine that this name stands for ends well where there is nothing it can read.
        Err(EngineError::Input(_)) if compatible => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(error.to_string()),
    };
    let code = scripts.map_or(0, ScriptLane::finish);
    print_summary(&summary, arguments, compatible);
    if code != 0 {
        return Ok(ExitCode::from(u8::try_from(code).unwrap_or(EXIT_REFUSED)));
    }
    Ok(exit_code(&summary, compatible))
}

/// Reads the scripts of `--zeek-script`, where there are any and packets for them.
fn script_lane(arguments: &Arguments, requests: &Requests) -> Result<Option<ScriptLane>, i32> {
    if arguments.zeek_script.is_empty() {
        return Ok(None);
    }
    let options = weir_script::command::Options {
        scripts: arguments.zeek_script.iter().map(|script| Argument::Script(script.clone())).collect(),
        parse_only: arguments.test,
        ..Default::default()
    };
    ScriptLane::start(options, requests).map(Some)
}

/// Returns the rule files that the command line names, or those of the recording that it repeats.
fn rule_files(arguments: &Arguments) -> RuleFiles {
    let strict = arguments.strict_rule_keywords.as_deref().map(StrictKeywords::parse).unwrap_or_default();
    let names_rules = !arguments.only_rules.is_empty() || !arguments.rules.is_empty();
    let recorded = arguments.input.recording().filter(|_| !names_rules);
    RuleFiles {
        recorded: recorded.map(|folder| recorded_rules(folder, 0)),
        only: arguments.only_rules.clone(),
        also: arguments.rules.clone(),
        strict,
        ..RuleFiles::default()
    }
}

/// Has an engine give rights away once all is open that needs them.
fn confined(
    engine: Engine,
    arguments: &Arguments,
    log_folder: &Path,
    log: &Arc<EngineLog>,
) -> Result<Engine, String> {
    let rights = service::Run {
        source: arguments.input.source.open,
        asked: arguments.user.is_some() || arguments.group.is_some(),
        log_folder,
        pid_file: pid_file(arguments, engine.settings()),
        files: arguments.files_to_read(),
    };
    let confine = service::confinement(rights, &engine, log)?;
    Ok(engine.confined_by(confine))
}

/// Returns the way to read the configuration once more.
fn settings_again(arguments: &Arguments, compatible: bool) -> ReadSettings {
    let again = arguments.clone();
    Arc::new(move || configuration::settings(&again, compatible))
}

/// Does what clients of the control socket ask for, until one of them or a signal ends it.
fn serve(
    engine: Engine,
    arguments: &Arguments,
    compatible: bool,
    (requests, mut service): (Requests, Service),
) -> Result<ExitCode, String> {
    if !arguments.input.names.is_empty() || arguments.input.by_section {
        return Err(
            "With --unix-socket clients hand captures in: leave -r, -i and other interfaces out.".to_owned()
        );
    }
    if !arguments.filter.is_empty() || arguments.filter_file.is_some() {
        return Err("With --unix-socket captures are read as a whole: leave the filter out.".to_owned());
    }
    signals::take_ends(&requests)?;
    let engine = engine.heeding(requests).reading_settings_by(settings_again(arguments, compatible));
    engine.serve(&mut |step| service.tell(step)).map_err(|error| error.to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the options of a run that the command line asks for.
fn run_options(arguments: &Arguments, workers: Workers, stance: Stance) -> RunOptions {
    RunOptions {
        checksums: arguments.checksums.map(|c| c == Checksums::All),
        inline: arguments.simulate_ips || stance == Stance::Between,
        disable_detection: arguments.disable_detection,
        disable_hashing: arguments.disable_hashing,
        fatal_errors: arguments.init_errors_fatal,
        test: arguments.test,
        workers: workers.of_files(),
        firewall_rules: arguments.firewall_rules_exclusive.clone(),
        zeek: arguments.zeek_logs.map(|format| match format {
            ZeekFormat::Tsv => ZeekChoice::Tsv,
            ZeekFormat::Json => ZeekChoice::Json,
        }),
        log_folder: if arguments.shared_log_folder { LogFolder::Shared } else { LogFolder::Own },
        existing: if arguments.overwrite { Existing::Clear } else { Existing::Append },
        watch: arguments.watch,
        record: arguments.record.clone(),
        seed: None,
        events: None,
        logged_scripts: None,
    }
}

/// Returns where what the command line names is in the network.
fn stance(arguments: &Arguments, settings: &Settings, workers: Workers) -> Result<Stance, String> {
    let chosen = &arguments.input;
    match chosen.source.open {
        Open::AtOnce(source) if chosen.by_section || !chosen.names.is_empty() => {
            let threads = workers.of_interface();
            let request = LiveRequest { names: &chosen.names, settings, filter: None, threads };
            (source.stance)(&request).map_err(|error| error.to_string())
        }
        _ => Ok(Stance::Beside),
    }
}

/// The file of the process id: of the command line, or for one in the background of the configuration.
fn pid_file(arguments: &Arguments, settings: &Settings) -> Option<PathBuf> {
    let of_settings = || settings.text("pid-file").filter(|_| arguments.daemon).map(PathBuf::from);
    arguments.pidfile.clone().or_else(of_settings)
}

/// Returns the reason that the run would be one without the rules that the command line names.
fn without_rules(arguments: &Arguments, report: &RuleReport) -> Option<String> {
    let named = !arguments.only_rules.is_empty() || !arguments.rules.is_empty();
    let failed = report.failed_count();
    let wrong = failed > 0 || !report.unreadable.is_empty();
    if !named || !wrong || report.loaded > 0 || arguments.disable_detection {
        return None;
    }
    let unreadable = report.unreadable.join(" ");
    if failed == 0 {
        return Some(format!("{unreadable} No rule was loaded, so nothing was read."));
    }
    information::print_failures(report, false, extent(arguments));
    let remedy = "`weir check` says what is wrong with each";
    Some(format!("None of the rules could be loaded ({failed} failed), so nothing was read. {remedy}."))
}

/// The folder for logs: of the command line, or of a configuration file that was named, or the
/// folder that the program was started in.
fn log_folder(arguments: &Arguments, settings: &Settings) -> Result<PathBuf, String> {
    let folder = match &arguments.log_folder {
        Some(folder) => folder.clone(),
        None if arguments.configuration.is_some() => OutputsSettings::from_settings(settings).log_folder,
        None => PathBuf::from("."),
    };
    if !folder.exists() {
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("The log folder {} cannot be made: {error}.", folder.display()))?;
    }
    if !folder.is_dir() {
        return Err(format!("The log folder {} is not a folder. Choose another with -l.", folder.display()));
    }
    Ok(folder)
}

fn open_log(
    arguments: &Arguments,
    settings: &Settings,
    folder: &Path,
    compatible: bool,
) -> Result<EngineLog, String> {
    let logging = LoggingSettings::from_settings(settings).map_err(|error| error.to_string())?;
    let zone = zone::choose(&logging.time_zone);
    let (log, problems) = EngineLog::open(&logging, folder, arguments.verbose, compatible);
    let log = if arguments.unix_socket.is_some() { log.without_summary() } else { log };
    for problem in problems {
        eprintln!("warning: {problem}");
    }
    if let Err(sentence) = zone {
        log.warning("conf", &sentence);
    }
    Ok(log)
}

/// Returns the inputs that the command line names.
fn inputs(arguments: &Arguments, workers: Workers) -> Result<Inputs, String> {
    let filter = filter(arguments)?;
    let is_recursive = arguments.pcap_file_recursive;
    let asked = [
        (filter.is_some(), Capability::Filters, "A capture filter"),
        (is_recursive, Capability::Files, "--pcap-file-recursive"),
        (arguments.pcap_file_delete, Capability::Files, "--pcap-file-delete"),
    ];
    let chosen = &arguments.input;
    chosen.source.check(asked.into_iter().filter(|asked| asked.0).map(|(_, what, option)| (what, option)))?;
    let folders = if is_recursive { Folders::Below } else { Folders::Themselves };
    let request = Request { folders, filter, ..Request::of(chosen.names.clone()) };
    let files = if arguments.pcap_file_delete { ReadFiles::Delete } else { ReadFiles::Keep };
    let threads = workers.of_interface();
    Ok(Inputs { source: chosen.source, request, files, threads, follow: None })
}

fn filter(arguments: &Arguments) -> Result<Option<PacketFilter>, String> {
    let filter = match (&arguments.filter_file, arguments.filter_text()) {
        (Some(_), Some(_)) => {
            return Err(
                "A capture filter is given twice: with -F and after the options. Choose one.".to_owned()
            );
        }
        (Some(path), None) => Some(PacketFilter::from_file(path)),
        (None, Some(text)) => Some(Ok(PacketFilter::new(&text))),
        (None, None) => None,
    };
    filter.transpose().map_err(|error| error.to_string())
}

/// The end of `-T`.
fn tested(engine: &Engine, arguments: &Arguments, compatible: bool, log: &EngineLog) -> ExitCode {
    let report = &engine.rules();
    if arguments.summary == SummaryFormat::Json && !compatible {
        information::print_text(&format!("{}\n", report.json()));
    } else if !compatible && !arguments.quiet {
        information::print_failures(report, compatible, extent(arguments));
        information::print_text(&report.text(style(), extent(arguments)));
    }
    let failed =
        report.failed_count() > 0 || !report.unreadable.is_empty() || !report.broken_lists.is_empty();
    if failed {
        log.error("suricata", "Loading signatures failed.");
        return ExitCode::from(EXIT_REFUSED);
    }
    log.notice("suricata", "Configuration provided was successfully loaded. Exiting.");
    ExitCode::SUCCESS
}

fn style() -> Style {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        Style::Coloured
    } else {
        Style::Plain
    }
}

fn extent(arguments: &Arguments) -> Extent {
    if arguments.all { Extent::All } else { Extent::Short }
}

fn print_summary(summary: &Summary, arguments: &Arguments, compatible: bool) {
    if compatible {
        return;
    }
    if arguments.quiet || arguments.summary == SummaryFormat::Json {
        if let Some(interruption) = &summary.interruption {
            eprintln!("weir: {interruption}");
        }
        for problem in &summary.problems {
            information::complain("weir", problem);
        }
    }
    if arguments.quiet {
        return;
    }
    match arguments.summary {
        SummaryFormat::Json => information::print_text(&format!("{}\n", summary.json())),
        SummaryFormat::Text => information::print_text(&summary.text(style(), extent(arguments))),
    }
}

fn exit_code(summary: &Summary, compatible: bool) -> ExitCode {
    if summary.lost_records > 0 {
        return ExitCode::from(EXIT_LOST_RECORDS);
    }
    // The engine that this name stands for ends well after a damaged capture.
    if summary.damaged_input && !compatible {
        return ExitCode::from(EXIT_DAMAGED_INPUT);
    }
    ExitCode::SUCCESS
}
