//! Environment that rules are compiled in: lists beside them, datasets, reputations, countries, scripts.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_applayer::Protocol;
use weir_base::{Pipes, Unreadable, named_file};
use weir_config::{
    DEFAULT_CLASSIFICATION, DEFAULT_REFERENCE, DetectSettings, RuleSettings, Settings, Variables,
};
use weir_detect::compile::{Environment, WhenAsked};
use weir_detect::countries::Countries;
use weir_detect::dataset::{DataKind, Datasets, Description};
use weir_detect::names::NameTable;
use weir_detect::reputation::Reputations;
use weir_detect::script::ScriptLanguage;
use weir_detect::signature::Conditions;
use weir_detect::{FieldCatalogue, Ruleset, StrictKeywords};
use weir_lua::{LuaLanguage, LuaSettings, Say};
use weir_magic::Magic;
use weir_mpm::{Cache, RegexLimits};
use weir_rules::Diagnostic;
use weir_rules::side::{Classifications, References};

use super::{Beside, RuleReport};
use crate::log::EngineLog;

/// The folder of data kept between runs where the configuration does not say.
const DEFAULT_DATA_FOLDER: &str = "/var/lib/suricata/data";

/// Longest list beside rules, in bytes.
const MAX_LIST: u64 = 1 << 30;

/// Environment that rules are compiled in, but for scripts.
pub(super) fn environment(
    all: &Settings,
    settings: &RuleSettings,
    detect: &DetectSettings,
    protocols: &[&'static Protocol],
    log: &EngineLog,
    report: &mut RuleReport,
    beside: Beside<'_>,
) -> Environment {
    let previous = beside.previous;
    let mut conditions = DefaultHasher::new();
    settings_of_rules(all).hash(&mut conditions);
    let (classifications, problems) =
        match read_side(all, "classification-file", settings.classification_file.as_deref(), log) {
            Some((text, name)) => {
                text.hash(&mut conditions);
                let parsed = Classifications::parse(text, &name);
                if !parsed.1.is_empty() {
                    log.error(
                        "classification-config",
                        &format!("Error loading classification configuration from {name}"),
                    );
                    report.broken_lists.push(name.clone());
                }
                parsed
            }
            None => {
                report.note_missing(all, "classification-file", settings.classification_file.as_deref());
                Classifications::parse(DEFAULT_CLASSIFICATION, "built-in classification.config")
            }
        };
    warn_all(problems, log);
    let (references, problems) =
        match read_side(all, "reference-config-file", settings.reference_file.as_deref(), log) {
            Some((text, name)) => {
                text.hash(&mut conditions);
                let parsed = References::parse(text, &name);
                if !parsed.1.is_empty() {
                    log.error("reference-config", &format!("Invalid Reference Config in {name}"));
                    report.broken_lists.push(name.clone());
                }
                parsed
            }
            None => {
                report.note_missing(all, "reference-config-file", settings.reference_file.as_deref());
                References::parse(DEFAULT_REFERENCE, "built-in reference.config")
            }
        };
    warn_all(problems, log);
    Environment {
        fields: FieldCatalogue::new(protocols),
        names: names(beside),
        classifications,
        references,
        regex_limits: RegexLimits {
            matches: detect.pcre_match_limit,
            depth: detect.pcre_recursion_limit,
            ..RegexLimits::default()
        },
        regexes: Default::default(),
        datasets: Arc::new(datasets(all, log, beside)),
        reputations: reputations(settings, log, beside.main),
        host_tags: previous.map_or_else(Arc::default, |rules| Arc::clone(&rules.host_tags)),
        thresholds: previous.map_or_else(Arc::default, |rules| Arc::clone(&rules.thresholds)),
        predecessor: previous.map(|rules| rules.predecessor()),
        known: previous.map(|rules| rules.known_rules()),
        pool: beside.common.map(|common| Arc::clone(&common.pool)),
        conditions: Conditions { variables: variables(all), rest: conditions.finish() },
        countries: countries(all),
        asn1_max_frames: detect.asn1_max_frames,
        no_descriptions: no_descriptions(all),
        inline: false,
        matcher_cache: matcher_cache(detect, log),
        scripts: Err(NO_SCRIPTS.to_owned()),
        stream_events: weir_stream::StreamEvent::ALL.iter().map(|event| event.name()).collect(),
        strict: StrictKeywords::None,
        switched_off: FINGERPRINTS.into_iter().filter(|name| are_switched_off(all, name)).collect(),
    }
}

/// The settings that the compiled form of a rule may depend on beside variables: all but those that say which rules there
/// are.
fn settings_of_rules(settings: &Settings) -> String {
    let others = ["vars", "rule-files", "default-rule-path", "multi-detect"];
    let is_other = |line: &&str| others.iter().any(|name| line.starts_with(name));
    settings.dump().lines().filter(|line| !is_other(line)).flat_map(|line| [line, "\n"]).collect()
}

/// Stands for the meanings of names in rules' heads.
fn variables(settings: &Settings) -> u64 {
    let mut hasher = DefaultHasher::new();
    Variables::from_settings(settings).hash(&mut hasher);
    hasher.finish()
}

/// The names of rules: those of the rules before, and of those of other tenants.
fn names(beside: Beside<'_>) -> Arc<NameTable> {
    match (beside.previous, beside.main) {
        (Some(previous), _) => Arc::clone(&previous.name_table),
        (None, Some(main)) => Arc::new(main.name_table.of_another_tenant()),
        (None, None) => Arc::default(),
    }
}

/// Features that the configuration of TLS can switch off, for QUIC too.
const FINGERPRINTS: [&str; 2] = ["ja3", "ja4"];

/// Whether the configuration says that no fingerprints of a kind are made.
fn are_switched_off(all: &Settings, name: &str) -> bool {
    let written = all.lookup(&format!("app-layer.protocols.tls.{name}-fingerprints"));
    matches!(written.and_then(|node| node.value()), Some("no" | "false" | "off" | "0"))
}

/// Reason that rules have no scripts.
const NO_SCRIPTS: &str = "Lua rules disabled by security configuration: security.lua.allow-rules";

/// Returns the language of rules' scripts, or the reason why none run.
pub(super) fn scripts(
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
pub(crate) fn say_in(log: &Arc<EngineLog>, module: &'static str) -> Say {
    let log = Arc::clone(log);
    Say(Arc::new(move |level: &str, text: &str| match level {
        "error" => log.error(module, text),
        "warning" => log.warning(module, text),
        "notice" => log.notice(module, text),
        "info" => log.info(module, text),
        _ => log.config(module, text),
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

/// Returns the reason that files cannot be described in words, tried when a rule asks for it.
fn no_descriptions(settings: &Settings) -> WhenAsked<Option<String>> {
    let file = magic_file(settings);
    WhenAsked::new(Box::new(move || Magic::open(file.as_deref()).err().map(|error| error.to_string())))
}

/// The database of libmagic that the configuration names.
pub(crate) fn magic_file(settings: &Settings) -> Option<PathBuf> {
    settings.section("").text("magic-file").map(PathBuf::from)
}

/// The datasets of the configuration, where there are some of earlier rules beside those that last; rules may add
/// others. All tenants have those of the configuration in common.
fn datasets(settings: &Settings, log: &EngineLog, beside: Beside<'_>) -> Datasets {
    let root = settings.section("");
    let data_folder = PathBuf::from(root.text("default-data-dir").unwrap_or(DEFAULT_DATA_FOLDER));
    let limits = weir_config::detect::DatasetSettings::from_settings(settings);
    let mut sets = weir_detect::dataset::DatasetSettings { data_folder, ..Default::default() };
    match limits {
        Ok(limits) => {
            sets.memcap = limits.memcap;
            sets.hash_size = limits.hash_size;
            sets.single_hash_size_limit = limits.single_hash_size_limit;
            sets.total_hash_size_limit = limits.total_hash_size_limit;
            sets.rules_may_write = limits.rules_may_write;
            sets.rules_may_use_absolute_paths = limits.rules_may_use_absolute_paths;
        }
        Err(error) => log.error("datasets", &error.to_string()),
    }
    let sets = match beside.previous {
        None => Datasets::new(sets),
        Some(previous) => Datasets::after(sets, &previous.datasets),
    };
    let sets = sets.among(beside.common.map(|common| Arc::clone(&common.kept)));
    for section in settings.section("datasets").children() {
        let Some(kind) = section.text("type").and_then(DataKind::named) else { continue };
        let name = section.path().rsplit('.').next().unwrap_or_default().to_owned();
        if let Some(main) = beside.main {
            sets.adopt(&name, &main.datasets);
            continue;
        }
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
        match sets.open(&name, &wanted) {
            // Rules of tenants may come to change it.
            Ok(set) if beside.common.is_some() => set.expect_changes(),
            Ok(_) => {}
            Err(message) => log.error("datasets", &message),
        }
    }
    sets
}

/// The reputations of addresses that the configuration names: for tenants, those that the `main` rules have.
fn reputations(settings: &RuleSettings, log: &EngineLog, main: Option<&Arc<Ruleset>>) -> Arc<Reputations> {
    main.map_or_else(|| Arc::new(read_reputations(settings, log)), |main| Arc::clone(&main.reputations))
}

fn read_reputations(settings: &RuleSettings, log: &EngineLog) -> Reputations {
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

pub(super) fn warn_all(problems: Vec<Diagnostic>, log: &EngineLog) {
    for problem in problems {
        log.warning("detect", &problem.to_string());
    }
}

/// The text of a side file, or none (said in the log where it was asked for) for the built-in one.
pub(super) fn read_side(
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
