//! Loads rules: files and globs to a ruleset, with a report of what could not be used.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_applayer::Protocol;
use weir_base::{JsonWriter, Pipes, Unreadable, named_file, unreadable};
use weir_config::{
    DEFAULT_CLASSIFICATION, DEFAULT_REFERENCE, DetectSettings, RuleSettings, Settings, Variables,
};
pub use weir_detect::StrictKeywords;
use weir_detect::compilation::{ActionOrder, Compilation};
use weir_detect::compile::{Environment, WhenAsked};
use weir_detect::countries::Countries;
use weir_detect::dataset::{DataKind, Datasets, Description};
use weir_detect::reputation::Reputations;
use weir_detect::ruleset::Ruleset;
use weir_detect::script::ScriptLanguage;
use weir_detect::{Failure, FieldCatalogue, Reason};
use weir_lua::{LuaLanguage, LuaSettings, Say};
use weir_magic::Magic;
use weir_mpm::{Cache, RegexLimits};
use weir_rules::side::{Classifications, References, ThresholdFile};
use weir_rules::{Action, Colour, Diagnostic, Resolver, Rule, RuleReader};

use crate::log::EngineLog;
use crate::settings::EngineSettings;

/// The folder of data kept between runs where the configuration does not say.
const DEFAULT_DATA_FOLDER: &str = "/var/lib/suricata/data";

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
}

/// Longest rule file, in bytes.
pub const MAX_RULE_FILE: u64 = 1 << 30;
/// Longest list beside rules, in bytes.
const MAX_LIST: u64 = 1 << 30;

/// The first bytes of a rule file, which tell whether it is one.
const TEXT_SAMPLE: usize = 1024;

/// Name in place of a file's for rules that are from none.
pub const COMMAND_LINE: &str = "command line";

/// Result of loading rules.
#[derive(Debug, Default)]
pub struct RuleReport {
    /// Files read.
    pub files: usize,
    /// Rules in use.
    pub loaded: usize,
    /// Rules that cannot be used, by reason.
    pub failed: BTreeMap<String, u64>,
    /// Each of them, for people.
    pub failures: Vec<Diagnostic>,
    /// Lists beside the rules (of references) with lines that could not be read.
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
) -> (Ruleset, RuleReport) {
    let detect = &typed.detect;
    let rule_settings = RuleSettings::from_settings(settings);
    let mut report = RuleReport::default();
    let mut environment = environment(settings, &rule_settings, detect, protocols, log, &mut report);
    environment.strict = files.strict.clone();
    environment.scripts = scripts(&rule_settings, detect, protocols, log_folder, say_in(log));
    let variables = VariableLookup(Variables::from_settings(settings));
    let mut resolver = Resolver::new(&variables);
    let mut compilation = Compilation::new(&environment, &mut resolver);
    if let Some(plan) = &typed.firewall {
        read_rules(plan.files.clone(), log, &mut report, |rule| compilation.add_firewall(rule));
    }
    report.firewall_failed = !report.unreadable.is_empty() || report.failed_count() > 0;
    let paths = rule_paths(settings, &rule_settings, files, log, &mut report);
    read_rules(paths, log, &mut report, |rule| compilation.add(rule));
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
            for failure in loaded.failures {
                report.firewall_failed |= failure.firewall;
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
    load_thresholds(settings, &rule_settings, &mut ruleset, &mut resolver, log);
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

/// Gives the rules of files to `add`, in order.
fn read_rules(
    paths: Vec<(PathBuf, Pipes)>,
    log: &EngineLog,
    report: &mut RuleReport,
    mut add: impl FnMut(&Rule),
) {
    for (path, pipes) in paths {
        log.config("detect", &format!("Loading rule file: {}", path.display()));
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

/// Why what is in a rule file cannot be rules, if so.
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
    let mut environment =
        environment(settings, &rule_settings, detect, weir_protocols::ALL, log, &mut report);
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
    complain(&diagnostic, "detect-parse", log);
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
    let subsystem = match &failure.reason {
        Reason::Value(keyword) if keyword.ends_with("event") => "detect",
        _ => "detect-parse",
    };
    *report.failed.entry(failure.reason.to_string()).or_default() += 1;
    complain(&failure.diagnostic, subsystem, log);
    report.failures.push(*failure.diagnostic);
}

fn complain(diagnostic: &Diagnostic, subsystem: &str, log: &EngineLog) {
    log.rule_error(subsystem, &diagnostic.message);
    let place = format!(
        "error parsing signature \"{}\" from file {} at line {}",
        diagnostic.text, diagnostic.file, diagnostic.line
    );
    log.rule_error("detect", &place);
    log.config("detect", &diagnostic.render(Colour::Off));
}

/// The files to read, in order, globs spelt out.
fn rule_paths(
    all: &Settings,
    settings: &RuleSettings,
    files: &RuleFiles,
    log: &EngineLog,
    report: &mut RuleReport,
) -> Vec<(PathBuf, Pipes)> {
    let settings_given = all.is_given("rule-files.0") || all.is_given("default-rule-path");
    let mut paths = Vec::new();
    let mut add = |pattern: PathBuf, pipes| {
        // What fits a pattern was not named.
        let pipes = if pattern.exists() { pipes } else { Pipes::Refuse };
        let found = expand(&pattern);
        if found.is_empty() {
            let remedy = unreadable::check(&pattern);
            log.warning(
                "detect",
                &format!("No rule files match the pattern {}. {remedy}.", pattern.display()),
            );
            report.unreadable.push(format!("There is no rule file {}. {remedy}.", pattern.display()));
        }
        paths.extend(found.into_iter().map(|path| (path, pipes)));
    };
    if files.only.is_empty() {
        for name in &settings.files {
            let path = settings.path(name);
            // The configured default file is often not there: that is no mistake of this run.
            if path.exists() || name.contains(['*', '?', '[']) {
                add(path, Pipes::Refuse);
            } else if settings_given {
                let remedy = "Check rule-files and default-rule-path of the configuration.";
                log.warning(
                    "detect",
                    &format!("No rule files match the pattern {}. {remedy}", path.display()),
                );
            }
        }
    }
    for name in files.only.iter().chain(&files.also) {
        add(PathBuf::from(name), Pipes::Read);
    }
    paths
}

/// The files that a pattern means: itself, or, with `*`, `?` and `[…]` in its last part, the files of
/// its folder that fit, by name.
fn expand(pattern: &Path) -> Vec<PathBuf> {
    if pattern.exists() {
        return vec![pattern.to_owned()];
    }
    let Some(name) = pattern.file_name().and_then(|n| n.to_str()).filter(|n| n.contains(['*', '?', '[']))
    else {
        return Vec::new();
    };
    let folder = pattern.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name().and_then(|n| n.to_str()).is_some_and(|n| fits(name.as_bytes(), n.as_bytes()))
        })
        .collect();
    found.sort();
    found
}

/// Whether `name` fits a shell pattern.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            fits(rest, name) || name.split_first().is_some_and(|(_, after)| fits(pattern, after))
        }
        (Some((b'?', rest)), Some((_, after))) => fits(rest, after),
        (Some((b'[', rest)), Some((letter, after))) => match rest.iter().position(|&b| b == b']') {
            Some(end) => {
                in_class(rest.get(..end).unwrap_or_default(), *letter)
                    && fits(rest.get(end + 1..).unwrap_or_default(), after)
            }
            None => false,
        },
        (Some((p, rest)), Some((n, after))) => p == n && fits(rest, after),
        _ => false,
    }
}

fn in_class(class: &[u8], letter: u8) -> bool {
    let (negated, class) = match class.split_first() {
        Some((b'!' | b'^', rest)) => (true, rest),
        _ => (false, class),
    };
    let mut rest = class;
    let mut found = false;
    while let Some((&first, after)) = rest.split_first() {
        match after {
            [b'-', last, tail @ ..] => {
                found |= (first..=*last).contains(&letter);
                rest = tail;
            }
            _ => {
                found |= first == letter;
                rest = after;
            }
        }
    }
    found != negated
}

fn environment(
    all: &Settings,
    settings: &RuleSettings,
    detect: &DetectSettings,
    protocols: &[&'static Protocol],
    log: &EngineLog,
    report: &mut RuleReport,
) -> Environment {
    let (classifications, problems) =
        match read_side(all, "classification-file", settings.classification_file.as_deref(), log) {
            Some((text, name)) => {
                let parsed = Classifications::parse(text, &name);
                if !parsed.1.is_empty() {
                    log.error(
                        "classification-config",
                        &format!("Error loading classification configuration from {name}"),
                    );
                }
                parsed
            }
            None => Classifications::parse(DEFAULT_CLASSIFICATION, "built-in classification.config"),
        };
    warn_all(problems, log);
    let (references, problems) =
        match read_side(all, "reference-config-file", settings.reference_file.as_deref(), log) {
            Some((text, name)) => {
                let parsed = References::parse(text, &name);
                if !parsed.1.is_empty() {
                    log.error("reference-config", &format!("Invalid Reference Config in {name}"));
                    report.broken_lists.push(name.clone());
                }
                parsed
            }
            None => References::parse(DEFAULT_REFERENCE, "built-in reference.config"),
        };
    warn_all(problems, log);
    Environment {
        fields: FieldCatalogue::new(protocols),
        names: weir_detect::names::NameTable::default(),
        classifications,
        references,
        regex_limits: RegexLimits {
            matches: detect.pcre_match_limit,
            depth: detect.pcre_recursion_limit,
            ..RegexLimits::default()
        },
        regexes: Default::default(),
        datasets: Arc::new(datasets(all, log)),
        reputations: Arc::new(reputations(settings, log)),
        host_tags: Arc::default(),
        countries: countries(all),
        asn1_max_frames: detect.asn1_max_frames,
        no_descriptions: no_descriptions(all),
        matcher_cache: matcher_cache(detect, log),
        scripts: Err(NO_SCRIPTS.to_owned()),
        strict: StrictKeywords::None,
        switched_off: FINGERPRINTS.into_iter().filter(|name| are_switched_off(all, name)).collect(),
    }
}

/// Features that the configuration of TLS can switch off, for QUIC too.
const FINGERPRINTS: [&str; 2] = ["ja3", "ja4"];

/// Whether the configuration says that no fingerprints of a kind are made.
fn are_switched_off(all: &Settings, name: &str) -> bool {
    let written = all.lookup(&format!("app-layer.protocols.tls.{name}-fingerprints"));
    matches!(written.and_then(|node| node.value()), Some("no" | "false" | "off" | "0"))
}

/// Why rules have no scripts.
const NO_SCRIPTS: &str = "Lua rules disabled by security configuration: security.lua.allow-rules";

/// Returns the language of rules' scripts, or the reason why none run.
fn scripts(
    rules: &RuleSettings,
    detect: &DetectSettings,
    protocols: &'static [&'static Protocol],
    log_folder: &Path,
    say: Say,
) -> Result<Arc<dyn ScriptLanguage>, String> {
    let lua = &detect.lua;
    if !lua.allow_rules {
        return Err(NO_SCRIPTS.to_owned());
    }
    let settings = LuaSettings {
        folder: rules.folder.clone(),
        max_bytes: usize::try_from(lua.max_bytes).unwrap_or(usize::MAX),
        max_instructions: lua.max_instructions,
        all_functions: lua.allow_restricted_functions,
        log_folder: log_folder.to_string_lossy().into_owned(),
        say,
    };
    Ok(Arc::new(LuaLanguage::new(settings, protocols)))
}

/// Returns the function that writes scripts' messages to the engine's log.
pub(crate) fn say_in(log: &Arc<EngineLog>) -> Say {
    let log = Arc::clone(log);
    Say(Arc::new(move |level: &str, text: &str| match level {
        "error" => log.error("lua", text),
        "warning" => log.warning("lua", text),
        "notice" => log.notice("lua", text),
        "info" => log.info("lua", text),
        _ => log.config("lua", text),
    }))
}

/// Where compiled matchers are kept, cleared of what is too old.
fn matcher_cache(detect: &DetectSettings, log: &EngineLog) -> Option<Cache> {
    let settings = detect.mpm_cache.as_ref()?;
    let opened = Cache::open(&settings.folder)
        .and_then(|cache| settings.max_age.map_or(Ok(()), |age| cache.remove_older(age)).map(|()| cache));
    match opened {
        Ok(cache) => Some(cache),
        Err(error) => {
            let folder = settings.folder.display();
            log.config("detect", &format!("Matchers are not kept in {folder}: {error}"));
            None
        }
    }
}

/// The countries of addresses, read when a rule asks for them.
fn countries(settings: &Settings) -> WhenAsked<Result<Arc<Countries>, String>> {
    let path = settings.section("").text("geoip-database").map(PathBuf::from);
    WhenAsked::new(Box::new(move || {
        let path = path.ok_or("the setting geoip-database names none")?;
        Countries::open(&path).map(Arc::new)
    }))
}

/// Why files cannot be described in words, tried when a rule asks for it.
fn no_descriptions(settings: &Settings) -> WhenAsked<Option<String>> {
    let file = magic_file(settings);
    WhenAsked::new(Box::new(move || Magic::open(file.as_deref()).err().map(|error| error.to_string())))
}

/// The database of libmagic that the configuration names.
pub(crate) fn magic_file(settings: &Settings) -> Option<PathBuf> {
    settings.section("").text("magic-file").map(PathBuf::from)
}

/// The datasets of the configuration; rules may add others.
fn datasets(settings: &Settings, log: &EngineLog) -> Datasets {
    let root = settings.section("");
    let data_folder = PathBuf::from(root.text("default-data-dir").unwrap_or(DEFAULT_DATA_FOLDER));
    let limits = weir_config::detect::DatasetSettings::from_settings(settings);
    let mut sets = weir_detect::dataset::DatasetSettings { data_folder, ..Default::default() };
    match limits {
        Ok(limits) => {
            sets.memcap = limits.memcap;
            sets.hash_size = limits.hash_size;
            sets.single_hash_size_limit = limits.single_hash_size_limit;
            sets.rules_may_write = limits.rules_may_write;
            sets.rules_may_use_absolute_paths = limits.rules_may_use_absolute_paths;
        }
        Err(error) => log.error("datasets", &error.to_string()),
    }
    let sets = Datasets::new(sets);
    for section in settings.section("datasets").children() {
        let Some(kind) = section.text("type").and_then(DataKind::named) else { continue };
        let name = section.path().rsplit('.').next().unwrap_or_default().to_owned();
        let folder = &sets.settings().data_folder;
        let state = section.text("state").map(|file| folder.join(file));
        let wanted = Description {
            kind: Some(kind),
            load: section
                .text("load")
                .map(|name| sets.readable(name))
                .or(state.clone().filter(|path| path.exists())),
            save: section.text("save").map(|file| folder.join(file)).or(state),
            memcap: section.size("memcap", sets.settings().memcap).ok(),
            hash_size: section.integer32("hashsize", sets.settings().hash_size).ok(),
            json: None,
        };
        if let Err(message) = sets.open(&name, &wanted) {
            log.error("datasets", &message);
        }
    }
    sets
}

/// The reputations of addresses that the configuration names.
fn reputations(settings: &RuleSettings, log: &EngineLog) -> Reputations {
    let mut table = Reputations::default();
    let Some(categories) = &settings.reputation_categories else { return table };
    let mut read = |path: &Path, what: fn(&mut Reputations, &str) -> Vec<String>| match named_file::read(
        path,
        Pipes::Refuse,
        MAX_LIST,
    ) {
        Ok(text) => {
            for problem in what(&mut table, &String::from_utf8_lossy(&text)) {
                log.warning("reputation", &format!("{}: {problem}", path.display()));
            }
        }
        Err(error) => {
            let reason = Unreadable::new(path, &error);
            log.error("reputation", &format!("opening ip rep file {}: {reason}.", path.display()));
        }
    };
    read(categories, Reputations::read_categories);
    for list in &settings.reputation_files {
        log.info("reputation", &format!("Loading reputation file: {}", list.display()));
        read(list, Reputations::read_list);
    }
    table
}

fn warn_all(problems: Vec<Diagnostic>, log: &EngineLog) {
    for problem in problems {
        log.warning("detect", &problem.to_string());
    }
}

/// The text of a side file, or none (said in the log where it was asked for) for the built-in one.
fn read_side(
    settings: &Settings,
    key: &str,
    path: Option<&Path>,
    log: &EngineLog,
) -> Option<(Vec<u8>, String)> {
    let path = path?;
    if !path.exists() && !settings.is_given(key) {
        return None;
    }
    match named_file::read(path, Pipes::Refuse, MAX_LIST) {
        Ok(text) => Some((text, path.to_string_lossy().into_owned())),
        Err(error) => {
            log.warning(
                "detect",
                &format!(
                    "{} ({key}) cannot be read: {}. The built-in list is used.",
                    path.display(),
                    Unreadable::new(path, &error)
                ),
            );
            None
        }
    }
}

fn load_thresholds(
    all: &Settings,
    settings: &RuleSettings,
    ruleset: &mut Ruleset,
    resolver: &mut Resolver<'_>,
    log: &EngineLog,
) {
    let Some((text, name)) = read_side(all, "threshold-file", settings.threshold_file.as_deref(), log) else {
        return;
    };
    let file = ThresholdFile::parse(text, &name);
    for problem in &file.diagnostics {
        log.error("threshold-config", &problem.to_string());
    }
    let problems = ruleset.set_rates(&file, resolver);
    log.info(
        "threshold-config",
        &format!("Threshold config parsed: {} rule(s) found", file.entries.len() - problems.len()),
    );
    warn_all(problems, log);
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn shell_patterns() {
        let cases = [
            ("*.rules", "a.rules", true),
            ("*.rules", "a.rule", false),
            ("e?.rules", "et.rules", true),
            ("[a-c]*.rules", "b1.rules", true),
            ("[!a-c]*.rules", "b1.rules", false),
            ("a**b", "ab", true),
            ("[a", "a", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }
}
