//! Loads rules: files and globs to a ruleset, with a report of what could not be used.

mod environment;
mod paths;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_applayer::Protocol;
use weir_base::{JsonWriter, Pipes, Timestamp, Unreadable, named_file};
use weir_config::{DetectSettings, RuleSettings, Settings, Variables};
pub use weir_detect::StrictKeywords;
use weir_detect::compilation::{ActionOrder, Compilation};
use weir_detect::compile::Environment;
use weir_detect::dataset::KeptSets;
use weir_detect::pool::RulePool;
use weir_detect::ruleset::Ruleset;
use weir_detect::signature::Conditions;
use weir_detect::{Failure, Reason};
use weir_lua::Say;
use weir_output::record::DetectEngine;
use weir_rules::side::ThresholdFile;
use weir_rules::{Action, Colour, Diagnostic, Resolver, Rule, RuleReader};

use self::environment::{environment, read_side, scripts};
pub(crate) use self::environment::{magic_file, say_in};
use self::paths::rule_paths;
use crate::log::EngineLog;
use crate::recording;
use crate::settings::EngineSettings;
use crate::watch::FileStates;

/// Rule files named on the command line.
#[derive(Clone, Debug, Default)]
pub struct RuleFiles {
    /// `-S`: these and no others.
    pub only: Vec<String>,
    /// `-s`: these beside the configured ones.
    pub also: Vec<String>,
    /// Rules that are no file's, beside them.
    pub texts: Vec<String>,
    /// `--strict-rule-keywords`
    pub strict: StrictKeywords,
    /// The rules of a recording, in place of all others.
    pub recorded: Option<PathBuf>,
    /// Treatment of files that the configuration names.
    pub configured: Configured,
}

/// Treatment of rule files that the configuration names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Configured {
    /// They are read.
    #[default]
    Read,
    /// They are left out: rules are those of tenants (`multi-detect.default`).
    LeftOut,
}

/// Parts that the rules of all tenants share.
#[derive(Clone, Default)]
pub struct Common {
    /// Compiled rules.
    pub pool: Arc<RulePool>,
    /// Datasets that are kept in files.
    pub kept: Arc<KeptSets>,
}

/// Rulesets beside the one that is loaded.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The rules whose place it takes.
    pub previous: Option<&'a Arc<Ruleset>>,
    /// The rules of packets without a tenant, where it is a tenant's.
    pub main: Option<&'a Arc<Ruleset>>,
    /// Parts that tenants share, where there may be tenants.
    pub common: Option<&'a Common>,
}

/// Longest rule file, in bytes.
pub const MAX_RULE_FILE: u64 = 1 << 30;

/// The first bytes of a rule file, which show whether it is one.
const TEXT_SAMPLE: usize = 1024;

/// Name in place of a file's for rules that are from none.
pub const COMMAND_LINE: &str = "command line";

/// Result of loading rules.
#[derive(Clone, Debug, Default)]
pub struct RuleReport {
    /// Files read.
    pub files: usize,
    /// Files that they depend on, and folders whose files fit a pattern.
    pub sources: FileStates,
    /// Rules in use.
    pub loaded: usize,
    /// Rules that cannot be used, by reason.
    pub failed: BTreeMap<String, u64>,
    /// Each of them, for people.
    pub failures: Vec<Diagnostic>,
    /// Lists beside the rules (of classes, references and thresholds) with lines that could not be read.
    pub broken_lists: Vec<String>,
    /// Rule files that could not be read, as sentences.
    pub unreadable: Vec<String>,
    /// A rule or rule file of the firewall is among what cannot be used.
    pub firewall_failed: bool,
    /// Rules that ask for what this release has not (`requires`), left out without complaint.
    pub skipped: u64,
}

impl RuleReport {
    /// Returns the number of rules that cannot be used.
    pub fn failed_count(&self) -> u64 {
        self.failed.values().sum()
    }

    /// The rules of a detection engine, loaded at this time, for records of the counters.
    pub(crate) fn detect_engine(&self, id: u32, loaded_at: Timestamp) -> DetectEngine {
        let (rules_loaded, rules_failed) = (self.loaded as u64, self.failed_count());
        DetectEngine { id, loaded_at, rules_loaded, rules_failed, rules_skipped: self.skipped }
    }

    /// Adds the result of loading other rules.
    pub(crate) fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.sources.add_all(&other.sources);
        self.loaded += other.loaded;
        other
            .failed
            .iter()
            .for_each(|(reason, count)| *self.failed.entry(reason.clone()).or_default() += count);
        self.failures.extend(other.failures.iter().cloned());
        self.broken_lists.extend(other.broken_lists.iter().cloned());
        self.unreadable.extend(other.unreadable.iter().cloned());
        self.skipped += other.skipped;
    }

    /// A list was not read in whose place the built-in one is: takes note of it, where it was asked for.
    fn note_missing(&mut self, settings: &Settings, key: &str, path: Option<&Path>) {
        let asked = path.filter(|_| settings.is_given(key));
        self.broken_lists.extend(asked.map(|path| path.to_string_lossy().into_owned()));
    }
}

impl RuleReport {
    /// One JSON object.
    pub fn json(&self) -> String {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        json.object("rules");
        self.write_json(&mut json);
        json.close_object();
        json.close_object();
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The fields of the object `rules`.
    pub(crate) fn write_json(&self, json: &mut JsonWriter<'_>) {
        json.unsigned("files", self.files as u64);
        json.unsigned("loaded", self.loaded as u64);
        json.unsigned("skipped", self.skipped);
        json.object("failed");
        for (reason, count) in &self.failed {
            json.unsigned(reason, *count);
        }
        json.close_object();
        json.array("unreadable");
        for sentence in &self.unreadable {
            json.push_string(sentence);
        }
        json.close_array();
    }
}

/// Loads the rules that configuration and command line name. Everything wrong is logged; `fatal`:
/// nothing is run where a rule cannot be loaded.
pub fn load(
    settings: &Settings,
    typed: &EngineSettings,
    files: &RuleFiles,
    protocols: &'static [&'static Protocol],
    (log_folder, log): (&Path, &Arc<EngineLog>),
    fatal: bool,
    beside: Beside<'_>,
) -> (Ruleset, RuleReport) {
    let detect = &typed.detect;
    let rule_settings = RuleSettings::from_settings(settings);
    let mut report = RuleReport { sources: sources(settings, &rule_settings), ..RuleReport::default() };
    let mut environment = environment(settings, &rule_settings, detect, protocols, log, &mut report, beside);
    environment.strict = files.strict.clone();
    environment.inline = typed.inline;
    let Conditions { variables, rest } = environment.conditions;
    let mut conditions = DefaultHasher::new();
    (rest, typed.inline, format!("{:?}", files.strict)).hash(&mut conditions);
    environment.conditions = Conditions { variables, rest: conditions.finish() };
    environment.scripts = scripts(&rule_settings, detect, protocols, log_folder, say_in(log, "detect-lua"));
    let variables = VariableLookup(Variables::from_settings(settings));
    let mut resolver = Resolver::new(&variables);
    let mut compilation = Compilation::new(&environment, &mut resolver);
    if let Some(plan) = &typed.firewall {
        read_rules(plan.files.clone(), log, &mut report, |rule| compilation.add_firewall(rule));
    }
    report.firewall_failed = !report.unreadable.is_empty() || report.failed_count() > 0;
    match &files.recorded {
        Some(path) => read_recorded(path, log, &mut report, |rule| compilation.add(rule)),
        None => {
            let paths = rule_paths(settings, &rule_settings, files, log, &mut report);
            read_rules(paths, log, &mut report, |rule| compilation.add(rule));
        }
    }
    for text in &files.texts {
        add_rules(text.as_bytes(), COMMAND_LINE, log, &mut report, &mut |rule| compilation.add(rule));
    }
    let policies = typed.firewall.as_ref().map(|plan| &plan.policies);
    let built = compilation.finish(policies, &action_order(detect));
    for notice in environment.datasets.take_notices() {
        log.warning("detect-dataset", &notice);
    }
    let mut ruleset = match built {
        Ok(loaded) => {
            report.firewall_failed |= !loaded.firewall_failures.is_empty();
            for failure in loaded.firewall_failures.into_iter().chain(loaded.failures) {
                refuse(failure, &mut report, log);
            }
            for warning in loaded.warnings {
                log.rule_warning(&warning.to_string());
            }
            loaded.ruleset
        }
        Err(error) => {
            report.unreadable.push(format!("The rules cannot be grouped: {error}."));
            report.firewall_failed = policies.is_some();
            log.error("detect", &error.to_string());
            Ruleset::empty()
        }
    };
    report.loaded = ruleset.signatures().len();
    if let Some(list) = load_thresholds(settings, &rule_settings, &mut ruleset, &mut resolver, log) {
        report.broken_lists.push(list);
    }
    log.info(
        "detect",
        &format!(
            "{} rule files processed. {} rules successfully loaded, {} rules failed, {} rules skipped",
            report.files,
            report.loaded,
            report.failed_count(),
            report.skipped
        ),
    );
    let refused = fatal && (report.failed_count() > 0 || !report.unreadable.is_empty());
    if !refused {
        log.info("detect", &format!("{} signatures processed.", report.loaded));
    }
    (ruleset, report)
}

/// Files beside those of rules: of the configuration, and the lists that it names.
fn sources(all: &Settings, settings: &RuleSettings) -> FileStates {
    let lists = [&settings.classification_file, &settings.reference_file, &settings.threshold_file];
    let reputations = settings.reputation_categories.iter().chain(&settings.reputation_files);
    let mut states = FileStates::default();
    all.files()
        .iter()
        .chain(lists.into_iter().flatten())
        .chain(reputations)
        .for_each(|file| states.add(file));
    states
}

/// Gives the rules of files to `add`, in order.
fn read_rules(
    paths: Vec<(PathBuf, Pipes)>,
    log: &EngineLog,
    report: &mut RuleReport,
    mut add: impl FnMut(&Rule),
) {
    for (path, pipes) in paths {
        log.config("detect", &format!("Loading rule file: {}", path.display()));
        report.sources.add(&path);
        let text = match named_file::read(&path, pipes, MAX_RULE_FILE) {
            Ok(text) => text,
            Err(error) => {
                let reason = Unreadable::new(&path, &error);
                log.error("detect", &format!("opening rule file {}: {reason}.", path.display()));
                let sentence = format!("The rule file {} cannot be read: {reason}.", path.display());
                report.unreadable.push(sentence);
                continue;
            }
        };
        if let Err(sentence) = check_text(&path, &text) {
            log.error("detect", &sentence);
            report.unreadable.push(sentence);
            continue;
        }
        report.files += 1;
        if !add_rules(&text, &path.to_string_lossy(), log, report, &mut add) {
            log.rule_warning(&format!("no rules loaded from {}.", path.display()));
        }
    }
}

/// Gives the rules of a recording to `add`, in order, as those of the files that they were from.
fn read_recorded(path: &Path, log: &EngineLog, report: &mut RuleReport, mut add: impl FnMut(&Rule)) {
    match named_file::read(path, Pipes::Refuse, MAX_RULE_FILE) {
        Ok(text) => {
            report.files += 1;
            for (name, rules) in recording::parts(&String::from_utf8_lossy(&text)) {
                add_rules(rules.as_bytes(), name, log, report, &mut add);
            }
        }
        Err(error) => {
            let reason = Unreadable::new(path, &error);
            let sentence = format!("The recorded rules {} cannot be read: {reason}.", path.display());
            log.error("detect", &sentence);
            report.unreadable.push(sentence);
        }
    }
}

/// Returns the reason that what is in a rule file cannot be rules, if so.
pub fn check_text(path: &Path, text: &[u8]) -> Result<(), String> {
    if !text.iter().take(TEXT_SAMPLE).any(|byte| *byte == 0) {
        return Ok(());
    }
    let what = "is no text. A capture is named with -r; rules are unpacked before they are read";
    Err(format!("The rule file {} {what}.", path.display()))
}

/// Gives the rules of a text to `add`, one by one, for thousands of them take much room. Gives whether
/// there is anything in the text but comments.
fn add_rules(
    text: &[u8],
    name: &str,
    log: &EngineLog,
    report: &mut RuleReport,
    add: &mut impl FnMut(&Rule),
) -> bool {
    let mut reader = RuleReader::new(text, name);
    let mut any = false;
    for rule in reader.by_ref() {
        add(&rule);
        any = true;
    }
    for diagnostic in reader.into_diagnostics() {
        note(diagnostic, report, log);
        any = true;
    }
    any
}

fn action_order(detect: &DetectSettings) -> ActionOrder {
    detect.action_order.map(|action| match action {
        weir_config::detect::Action::Pass => Action::Pass,
        weir_config::detect::Action::Drop => Action::Drop,
        weir_config::detect::Action::Reject => Action::Reject,
        weir_config::detect::Action::Alert => Action::Alert,
    })
}

/// Returns the environment that rules are compiled in, with the address and port variables.
pub fn rule_environment(
    settings: &Settings,
    detect: &DetectSettings,
    log: &EngineLog,
) -> (Environment, impl weir_rules::Variables + use<>) {
    let rule_settings = RuleSettings::from_settings(settings);
    let mut report = RuleReport::default();
    let mut environment = environment(
        settings,
        &rule_settings,
        detect,
        weir_protocols::ALL,
        log,
        &mut report,
        Beside::default(),
    );
    let silent = Say(Arc::new(|_, _| ()));
    environment.scripts = scripts(&rule_settings, detect, weir_protocols::ALL, Path::new("."), silent);
    (environment, VariableLookup(Variables::from_settings(settings)))
}

/// The rule files that configuration and command line name, in order, and sentences about those that
/// are not there.
pub fn rule_files(
    settings: &Settings,
    files: &RuleFiles,
    log: &EngineLog,
) -> (Vec<(PathBuf, Pipes)>, Vec<String>) {
    let mut report = RuleReport::default();
    let paths = rule_paths(settings, &RuleSettings::from_settings(settings), files, log, &mut report);
    (paths, report.unreadable)
}

struct VariableLookup(Variables);

impl weir_rules::Variables for VariableLookup {
    fn addresses(&self, name: &str) -> Option<&str> {
        self.0.addresses(name)
    }
    fn ports(&self, name: &str) -> Option<&str> {
        self.0.ports(name)
    }
}

/// A rule text that is not a rule, or a warning about one.
fn note(diagnostic: Diagnostic, report: &mut RuleReport, log: &EngineLog) {
    if diagnostic.severity == weir_rules::Severity::Warning {
        log.rule_warning(&diagnostic.to_string());
        return;
    }
    *report.failed.entry("not a rule".to_owned()).or_default() += 1;
    complain(&diagnostic, ("detect-parse", &diagnostic.message), log);
    report.failures.push(diagnostic);
}

fn refuse(failure: Failure, report: &mut RuleReport, log: &EngineLog) {
    match failure.reason {
        Reason::Requirement => {
            report.skipped += 1;
            log.info("detect", &failure.diagnostic.to_string());
            return;
        }
        Reason::Retired => {
            report.skipped += 1;
            log.rule_warning(&failure.diagnostic.message);
            return;
        }
        _ => {}
    }
    let (module, message) = logged(&failure);
    *report.failed.entry(failure.reason.to_string()).or_default() += 1;
    complain(&failure.diagnostic, (&module, &message), log);
    report.failures.push(*failure.diagnostic);
}

/// Names of modules in Suricata's log that are not `detect-` and the keyword.
const MODULES: &[(&str, &str)] = &[
    ("absent", "detect-isdataat"),
    ("byte_jump", "detect-bytejump"),
    ("byte_math", "detect-bytemath"),
    ("byte_test", "detect-bytetest"),
    ("endswith", "detect-isdataat"),
    ("luajit", "detect-lua"),
    ("luaxform", "detect-transform-luaxform"),
    ("pcrexform", "detect-transform-pcrexform"),
    ("startswith", "detect-depth"),
];

/// Beginnings of messages about options whatever their keyword, which no keyword's module tells.
const OF_ANY_KEYWORD: &[&str] = &[
    "invalid formatting",
    "unexpected option to ",
    "quotes on ",
    "bad option value formatting",
    "bad input for keyword ",
    "can't set rule app proto ",
];

/// The module and the words by which Suricata's log tells of a rule that is refused.
fn logged(failure: &Failure) -> (String, String) {
    let diagnostic = &failure.diagnostic;
    let message = diagnostic.message.clone();
    match &failure.reason {
        Reason::Value(keyword) if keyword.ends_with("event") => ("detect".to_owned(), message),
        Reason::Value(keyword) if !OF_ANY_KEYWORD.iter().any(|start| message.starts_with(start)) => {
            let known =
                MODULES.iter().find(|(name, _)| name == keyword).map(|(_, module)| (*module).to_owned());
            (known.unwrap_or_else(|| format!("detect-{}", keyword.replace(['_', '.'], "-"))), message)
        }
        _ => ("detect-parse".to_owned(), message),
    }
}

fn complain(diagnostic: &Diagnostic, (module, message): (&str, &str), log: &EngineLog) {
    log.rule_error(module, message);
    let place = format!(
        "error parsing signature \"{}\" from file {} at line {}",
        diagnostic.text, diagnostic.file, diagnostic.line
    );
    log.rule_error("detect", &place);
    log.config("detect", &diagnostic.render(Colour::Off));
}

/// Gives the file's name where one of its lines could not be used.
fn load_thresholds(
    all: &Settings,
    settings: &RuleSettings,
    ruleset: &mut Ruleset,
    resolver: &mut Resolver<'_>,
    log: &EngineLog,
) -> Option<String> {
    let (text, name) = read_side(all, "threshold-file", settings.threshold_file.as_deref(), log)?;
    let file = ThresholdFile::parse(text, &name);
    for problem in &file.diagnostics {
        log.error("threshold-config", &problem.to_string());
    }
    let problems = ruleset.set_rates(&file, resolver);
    log.info(
        "threshold-config",
        &format!("Threshold config parsed: {} rule(s) found", file.entries.len() - problems.len()),
    );
    for problem in &problems {
        log.error("threshold-config", &problem.to_string());
    }
    let is_whole = file.diagnostics.is_empty() && problems.is_empty();
    (!is_whole).then_some(name)
}
