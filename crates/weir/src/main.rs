//! The command line of Weir, and nothing else: options in, an engine run, a summary out.

mod abbreviations;
mod allocator;
mod as_zeek;
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
mod profile;
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
use weir_base::{memory, zone};
use weir_capture::{Capability, Folders, LiveRequest, Open, PacketFilter, Request, Stance};
use weir_config::logging::LoggingSettings;
use weir_config::{OutputsSettings, Settings, unknown_keys};
use weir_engine::load::RuleReport;
use weir_engine::log::EngineLog;
use weir_engine::settings::{Existing, LogFolder, RunOptions};
use weir_engine::summary::{Extent, Style, Summary};
use weir_engine::{Engine, EngineError, Inputs, ReadFiles, ReadSettings, Requests, ZeekChoice};
use weir_script::command::Argument;

use crate::cli::{Arguments, Checksums, SummaryFormat, ZeekFormat};
use crate::pid_file::PidFile;
use crate::script_lane::ScriptLane;
use crate::service::Service;
use crate::service::daemon::Part;
use crate::workers::Workers;

/// The name under which the command line and output of that engine are kept.
pub(crate) const COMPATIBLE_NAME: &str = "suricata";

/// The names under which Zeek's command line and its cutter of columns are kept.
pub(crate) const ZEEK_NAME: &str = "zeek";
pub(crate) const ZEEK_CUT_NAME: &str = "zeek-cut";

/// Nothing was done: a bad option, configuration or rules.
pub(crate) const EXIT_REFUSED: u8 = 1;
/// Some input could not be read to its end.
pub(crate) const EXIT_DAMAGED_INPUT: u8 = 2;
/// Some records could not be written.
pub(crate) const EXIT_LOST_RECORDS: u8 = 3;

fn main() -> ExitCode {
    memory::set_give_back(allocator::give_back_free);
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
        let done = if name == ZEEK_NAME { as_zeek::run() } else { as_zeek::cut_columns() };
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
pub(crate) fn plain_arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

/// Words behind the program's name, as text.
fn plain(words: &[OsString]) -> impl Iterator<Item = String> {
    words.iter().skip(1).map(|word| word.to_string_lossy().into_owned())
}

/// The name the program was started under.
fn program_name() -> String {
    let first = std::env::args_os().next().map(PathBuf::from);
    first.as_deref().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or("weir").to_owned()
}

/// Does the run that the command line asks for; the error is a sentence.
pub(crate) fn run(arguments: &Arguments, compatible: bool) -> Result<ExitCode, String> {
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

/// Says why there is no engine; rules that cannot be loaded are listed.
fn why_not(error: &EngineError, arguments: &Arguments, compatible: bool) -> String {
    let EngineError::Rules(report) = error else { return error.to_string() };
    information::print_failures(report, compatible, extent(arguments));
    format!(
        "{} of the rules cannot be loaded, and --init-errors-fatal asks to stop then.",
        report.failed_count() + report.unreadable.len() as u64
    )
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
    let scripts = match script_lane(arguments, folder, &requests) {
        Ok(scripts) => scripts,
        Err(code) => return Ok(ExitCode::from(u8::try_from(code).unwrap_or(EXIT_REFUSED))),
    };
    if let Some(scripts) = &scripts {
        options.events = Some(scripts.events());
        // Nobody asked for logs: scripts write their own.
        options.logged_scripts = arguments.zeek_logs.is_none().then(Default::default);
    }
    let rules = configuration::rule_files(arguments);
    let engine = Engine::new(settings, options, &rules, folder, Arc::clone(log))
        .map_err(|error| why_not(&error, arguments, compatible))?;
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
    let is_json = arguments.summary == SummaryFormat::Json
        || arguments.profile.as_ref().is_some_and(|asked| asked.json);
    let quiet = arguments.quiet || compatible || is_json;
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
    print_summary(&summary, arguments, compatible)?;
    if code != 0 {
        return Ok(ExitCode::from(u8::try_from(code).unwrap_or(EXIT_REFUSED)));
    }
    Ok(exit_code(&summary, compatible))
}

/// Reads the scripts of `--zeek-script`, where there are any and packets for them. Their logs and the files that they
/// extract lie in the folder of all logs, unless they say where.
fn script_lane(arguments: &Arguments, folder: &Path, requests: &Requests) -> Result<Option<ScriptLane>, i32> {
    if arguments.zeek_script.is_empty() {
        return Ok(None);
    }
    let quoted = folder.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    let places = format!(
        "redef Log::default_logdir = \"{quoted}\"; redef FileExtract::prefix = \"{quoted}/extract_files/\";"
    );
    let given = arguments.zeek_script.iter().map(|script| Argument::Script(script.clone()));
    let options = weir_script::command::Options {
        scripts: std::iter::once(Argument::Statements(places)).chain(given).collect(),
        parse_only: arguments.test,
        ..Default::default()
    };
    ScriptLane::start(options, requests).map(Some)
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
            ZeekFormat::Parquet => ZeekChoice::Parquet,
            _ if arguments.parquet => ZeekChoice::Parquet,
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
        profile: arguments.profile.as_ref().map(|asked| asked.choice),
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

fn print_summary(summary: &Summary, arguments: &Arguments, compatible: bool) -> Result<(), String> {
    if compatible {
        return Ok(());
    }
    if let (Some(asked), Some(profile)) = (&arguments.profile, &summary.profile) {
        summary.problems.iter().for_each(|problem| information::complain("weir", problem));
        return profile::print(profile, asked);
    }
    if arguments.quiet || arguments.summary == SummaryFormat::Json {
        if let Some(interruption) = &summary.interruption {
            eprintln!("weir: {interruption}");
        }
        for problem in &summary.problems {
            information::complain("weir", problem);
        }
    }
    if !arguments.quiet {
        information::print_text(&match arguments.summary {
            SummaryFormat::Json => format!("{}\n", summary.json()),
            SummaryFormat::Text => summary.text(style(), extent(arguments)),
        });
    }
    Ok(())
}

pub(crate) fn exit_code(summary: &Summary, compatible: bool) -> ExitCode {
    if summary.lost_records > 0 {
        return ExitCode::from(EXIT_LOST_RECORDS);
    }
    // The engine that this name stands for ends well after a damaged capture.
    if summary.damaged_input && !compatible {
        return ExitCode::from(EXIT_DAMAGED_INPUT);
    }
    ExitCode::SUCCESS
}
