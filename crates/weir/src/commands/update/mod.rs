//! `weir update`: rules of archives, folders and servers become the set in use.

mod check;
mod report;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Map;
use weir_update::Complaint;
use weir_update::changes::Changes;
use weir_update::edits::Files;
use weir_update::fetch::Fetcher;
use weir_update::job::{Gathered, Job, read_files, read_list};
use weir_update::set::RuleSet;
use weir_update::settings::{DEFAULT_IGNORE, DEFAULT_SOURCE, Settings, Wanted};
use weir_update::store::{RULES, Store};

use self::report::{Outcome, Report};
use super::ctl;
use super::settings::ConfigurationArguments;
use crate::information::print_text;

/// Where settings and edits are looked for.
const SETTINGS_FOLDER: &str = "/etc/weir";
/// Where rules, and what is loaded, are kept.
const DATA_FOLDER: &str = "/var/lib/weir";

/// Bring rules up to date: load, edit and check them, and have them take the place of those in use
///
/// Sources are archives (tar.gz, zip), folders and files of rules, addresses, and names of the index, such as
/// et/open; without any, those of update.yaml, or et/open. The set before is kept.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
#[command(after_help = "Examples:\n  \
    weir update                                    as /etc/weir/update.yaml says\n  \
    weir update emerging.rules.tar.gz -o rules/    an archive that is here\n  \
    weir update et/open --local 'mine/*.rules'     a source of the index, and rules of one's own\n  \
    weir update --reload                           have the running program load them, too\n  \
    weir update --dry-run --all                    only show what would change\n  \
    weir update --rollback                         the set before again\n\n\
    Exit codes: 0 the rules are up to date; 1 nothing was done: a source that cannot be read, rules that\n\
    cannot be loaded; 2 done, but something was left out; 3 done, but the running program did not load them.")]
pub struct Arguments {
    /// Sources, in place of those of update.yaml
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,

    /// File, folder or quoted pattern of rules of one's own; several times
    #[arg(long, value_name = "PATH")]
    local: Vec<String>,

    /// Settings of updates; by default /etc/weir/update.yaml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Folder of the rules in use; by default `rules` in the folder of data
    #[arg(short = 'o', long, value_name = "FOLDER")]
    output: Option<PathBuf>,

    /// Folder of data, where what was loaded is kept; by default /var/lib/weir
    #[arg(short = 'D', long, value_name = "FOLDER")]
    data_dir: Option<PathBuf>,

    /// File that says which rules to disable; by default /etc/weir/disable.conf
    #[arg(long, value_name = "FILE", help_heading = "Edits")]
    disable_conf: Vec<PathBuf>,

    /// File that says which rules to enable
    #[arg(long, value_name = "FILE", help_heading = "Edits")]
    enable_conf: Vec<PathBuf>,

    /// File that says which alerts drop, too
    #[arg(long, value_name = "FILE", help_heading = "Edits")]
    drop_conf: Vec<PathBuf>,

    /// File that says how to modify rules
    #[arg(long, value_name = "FILE", help_heading = "Edits")]
    modify_conf: Vec<PathBuf>,

    /// Rule files to leave out, by a pattern; by default *deleted.rules; several times
    #[arg(long, value_name = "PATTERN", help_heading = "Edits")]
    ignore: Vec<String>,

    /// Leave no rule file out
    #[arg(long, conflicts_with = "ignore", help_heading = "Edits")]
    no_ignore: bool,

    /// Index of sources, a file or an address, in place of OISF's
    #[arg(long, value_name = "INDEX", help_heading = "Sources")]
    index: Option<String>,

    /// List the sources of the index, and stop
    #[arg(long, help_heading = "Sources")]
    list_sources: bool,

    /// Load nothing: use what was loaded before
    #[arg(long, help_heading = "Sources")]
    offline: bool,

    /// Load again, whatever checksums say
    #[arg(long, conflicts_with = "offline", help_heading = "Sources")]
    force: bool,

    /// Do not check the rules
    #[arg(long, help_heading = "Checks")]
    no_test: bool,

    /// Disable rules that cannot be loaded, in place of refusing the set
    #[arg(long, conflicts_with = "no_test", help_heading = "Checks")]
    leave_out: bool,

    /// Show what would change, and change nothing
    #[arg(long, conflicts_with = "reload")]
    dry_run: bool,

    /// Put the set before in the place of the one in use, and that one in its place
    #[arg(long, conflicts_with_all = ["sources", "dry_run", "list_sources"])]
    rollback: bool,

    /// Have the running program load the rules, where they changed
    #[arg(long)]
    reload: bool,

    /// The control socket of the running program, where it is another than that of the
    /// default configuration
    #[arg(long, value_name = "PATH", requires = "reload")]
    socket: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Cut no list short
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    configuration: ConfigurationArguments,
}

/// Updates.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let mut complaints = Vec::new();
    let settings = settings(arguments, &mut complaints)?;
    let data =
        arguments.data_dir.clone().or_else(|| settings.data_folder.clone()).unwrap_or(DATA_FOLDER.into());
    let output =
        arguments.output.clone().or_else(|| settings.output.clone()).unwrap_or_else(|| data.join("rules"));
    let fetcher = Fetcher {
        cache: data.join("update/cache"),
        offline: arguments.offline,
        force: arguments.force,
        user_agent: settings
            .user_agent
            .clone()
            .unwrap_or(concat!("weir/", env!("CARGO_PKG_VERSION")).to_owned()),
    };
    let ignore = match (&settings.ignore, arguments.no_ignore, arguments.ignore.is_empty()) {
        (_, true, _) => Vec::new(),
        (_, _, false) => arguments.ignore.clone(),
        (ignore, ..) => ignore.clone().unwrap_or_else(|| vec![DEFAULT_IGNORE.to_owned()]),
    };
    let local = if arguments.local.is_empty() { &settings.local } else { &arguments.local };
    let mut sources: Vec<Wanted> = arguments.sources.iter().map(|name| Wanted::named(name)).collect();
    if sources.is_empty() {
        sources.clone_from(&settings.sources);
    }
    if sources.is_empty() && local.is_empty() {
        sources.push(Wanted::named(DEFAULT_SOURCE));
    }
    let edits = edits(arguments, &settings, &mut complaints);
    let index = arguments.index.as_deref().or(settings.index.as_deref());
    let job = Job { fetcher: &fetcher, sources: &sources, local, ignore: &ignore, index, edits: &edits };
    if arguments.list_sources {
        let index = job.index(&mut complaints).map_err(|complaint| complaint.to_string())?;
        say(&complaints);
        print_text(&report::sources(&index, arguments.json));
        return Ok(ExitCode::SUCCESS);
    }
    let store = Store::open(&output)?;
    let before = in_use(&store);
    if arguments.rollback {
        store.roll_back()?;
        let now = in_use(&store);
        let changes = Changes::between(&before, &now);
        let report = Report::of_previous(now, changes);
        return finish(arguments, &store, Outcome::RolledBack, report);
    }
    let mut gathered = job.gather();
    complaints.append(&mut gathered.complaints);
    gathered.complaints = complaints;
    update(arguments, &store, gathered, &before)
}

/// Checks a set and puts it in the place of the one in use.
fn update(
    arguments: &Arguments,
    store: &Store,
    gathered: Gathered,
    before: &RuleSet,
) -> Result<ExitCode, String> {
    let mut report = Report::of(gathered);
    report.refusals = report.missing.iter().map(ToString::to_string).collect();
    if report.refusals.is_empty() && report.set.rules().is_empty() {
        report.refusals.push("No rule is left. Check the sources and --ignore.".to_owned());
    }
    if !arguments.no_test && report.refusals.is_empty() {
        let faults = check::faults(&arguments.configuration, store, &report.files(), &report.set)?;
        if arguments.leave_out {
            for fault in faults {
                fault.id.into_iter().for_each(|id| report.set.disable(id));
                report.complaints.push(fault.complaint);
            }
        } else {
            report.refusals = faults.iter().map(|fault| fault.complaint.to_string()).collect();
        }
    }
    report.changes = Changes::between(before, &report.set);
    let files = report.files();
    let outcome = if !report.refusals.is_empty() {
        Outcome::Refused
    } else if store.is_in_use(&files) {
        Outcome::Same
    } else if arguments.dry_run {
        Outcome::Shown
    } else {
        store.replace(&files)?;
        Outcome::Replaced
    };
    finish(arguments, store, outcome, report)
}

/// Has the running program load what changed, and tells what was done.
fn finish(
    arguments: &Arguments,
    store: &Store,
    outcome: Outcome,
    mut report: Report,
) -> Result<ExitCode, String> {
    if arguments.reload && matches!(outcome, Outcome::Replaced | Outcome::RolledBack) {
        report.reload = Some(reload(arguments.socket.as_deref()));
    }
    if arguments.json {
        print_text(&report.json(outcome, &store.path(RULES)));
    } else {
        say(&report.complaints);
        print_text(&report.text(outcome, &store.path(RULES), arguments.all, std::io::stdout().is_terminal()));
    }
    Ok(ExitCode::from(report.code(outcome)))
}

/// Asks the running program to load its rules again, and waits for it; the error is a sentence.
fn reload(socket: Option<&Path>) -> Result<(), String> {
    let path = ctl::socket_path(socket);
    let answer = ctl::connect(&path)?
        .ask("ruleset-reload-rules", Map::new())
        .map_err(|error| format!("The program at {} does not answer: {error}.", path.display()))?;
    answer.map(drop).map_err(|message| format!("The program at {} refuses: {message}.", path.display()))
}

/// The settings: of the file that is named, else of the one of the system, where there is one.
fn settings(arguments: &Arguments, complaints: &mut Vec<Complaint>) -> Result<Settings, String> {
    let default = Path::new(SETTINGS_FOLDER).join("update.yaml");
    let path = match &arguments.config {
        Some(path) => path,
        None if default.exists() => &default,
        None => return Ok(Settings::default()),
    };
    let bytes = read_list(path).map_err(|why| format!("{}: {why}", path.display()))?;
    Settings::read(&bytes, path, complaints).map_err(|complaint| complaint.to_string())
}

/// The edits: of files that the command line names, else of those of the settings, else of those of the system.
fn edits(arguments: &Arguments, settings: &Settings, complaints: &mut Vec<Complaint>) -> Files {
    let mut read = |named: &[PathBuf], set: &[PathBuf], default: &str| {
        let default = Path::new(SETTINGS_FOLDER).join(default);
        match (named.is_empty(), set.is_empty()) {
            (false, _) => read_files(named, complaints),
            // Files that an example of settings names need not be there.
            (_, false) => read_files(&existing(set), complaints),
            _ => read_files(&existing(&[default]), complaints),
        }
    };
    Files {
        disable: read(&arguments.disable_conf, &settings.disable, "disable.conf"),
        enable: read(&arguments.enable_conf, &settings.enable, "enable.conf"),
        drop: read(&arguments.drop_conf, &settings.drop, "drop.conf"),
        modify: read(&arguments.modify_conf, &settings.modify, "modify.conf"),
    }
}

fn existing(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter(|path| path.exists()).cloned().collect()
}

/// The rules in use; none where there are none yet.
fn in_use(store: &Store) -> RuleSet {
    let mut set = RuleSet::default();
    if let Ok(bytes) = std::fs::read(store.path(RULES)) {
        set.add(RULES, &bytes, &mut Vec::new());
    }
    set
}

fn say(complaints: &[Complaint]) {
    complaints.iter().for_each(|complaint| eprintln!("weir: {}", ctl::safe(&complaint.to_string())));
}
