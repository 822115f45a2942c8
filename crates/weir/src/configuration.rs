//! The configuration that the command line names, with what its other options say over it.

use std::path::{Path, PathBuf};

use weir_config::Settings;
use weir_engine::load::{RuleFiles, StrictKeywords};
use weir_engine::recorded_rules;

use crate::cli::{Arguments, ZeekFormat};

/// Reads the configuration; the error is a sentence.
pub fn settings(arguments: &Arguments, compatible: bool) -> Result<Settings, String> {
    let mut overrides = Vec::new();
    if !compatible && arguments.configuration.is_none() {
        overrides.push("logging.outputs.file.filename=weir.log".to_owned());
    }
    if !compatible && asks_for_zeek_alone(arguments) {
        overrides.extend(["fast", "eve-log", "stats"].map(|output| format!("outputs.{output}.enabled=no")));
        // Those who read Zeek's logs take each *.log for one of them.
        overrides.push("logging.outputs.file.enabled=no".to_owned());
    }
    overrides.extend(arguments.set.iter().cloned());
    if arguments.utc {
        overrides.push("logging.time-zone=UTC".to_owned());
    }
    if let Some(mode) = &arguments.runmode {
        if !matches!(mode.as_str(), "single" | "autofp" | "workers") {
            return Err(format!("There is no run mode {mode}. Choose single, autofp or workers."));
        }
        overrides.push(format!("runmode={mode}"));
    }
    if let Some(size) = &arguments.pcap_buffer_size {
        overrides.push(format!("pcap.buffer-size={size}"));
    }
    if arguments.disable_hashing {
        overrides.push("app-layer.protocols.tls.ja3-fingerprints=no".to_owned());
    }
    if arguments.zeek_logs.is_some() {
        overrides.push("outputs.zeek.enabled=yes".to_owned());
    }
    let as_tables = arguments.parquet || arguments.zeek_logs == Some(ZeekFormat::Parquet);
    if as_tables && !weir_output::HAS_PARQUET {
        return Err("This program was built without Parquet. Build it with `make parquet`, or keep records as Parquet \
                    when they are written, by `weir archive`."
            .to_owned());
    }
    if arguments.parquet {
        overrides.push("outputs.eve-log.filetype=parquet".to_owned());
    }
    overrides.extend(file_overrides(arguments)?);
    if let Some(Some(path)) = &arguments.unix_socket {
        overrides.push(format!("unix-command.filename={}", socket_path(path)?.display()));
    }
    if let Some(address) = &arguments.metrics {
        overrides.push("metrics.enabled=yes".to_owned());
        overrides.extend(address.iter().map(|address| format!("metrics.listen={address}")));
    }
    if let Some(folder) = &arguments.data_dir {
        overrides.push(format!("default-data-dir={}", folder.display()));
    }
    for (key, name) in [("user", &arguments.user), ("group", &arguments.group)] {
        overrides.extend(name.iter().map(|name| format!("run-as.{key}={name}")));
    }
    let mut settings = match &arguments.configuration {
        Some(path) => Settings::load(path, &overrides),
        None => Settings::built_in(&overrides),
    }
    .map_err(|error| error.to_string())?;
    for path in &arguments.include {
        settings.include(path).map_err(|error| error.to_string())?;
    }
    Ok(settings)
}

/// Returns the rule files that the command line names, or those of the recording that it repeats.
pub fn rule_files(arguments: &Arguments) -> RuleFiles {
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

/// The path of a control socket: a name alone is one in the folder of sockets.
fn socket_path(path: &Path) -> Result<PathBuf, String> {
    if path.parent() == Some(Path::new("")) {
        return Ok(path.to_owned());
    }
    std::path::absolute(path)
        .map_err(|error| format!("The socket {} cannot be used: {error}.", path.display()))
}

/// Whether Zeek's logs are all that is asked for: neither rules, whose alerts are EVE's, nor a configuration
/// or settings of other outputs.
fn asks_for_zeek_alone(arguments: &Arguments) -> bool {
    arguments.zeek_logs.is_some()
        && arguments.configuration.is_none()
        && arguments.include.is_empty()
        && arguments.only_rules.is_empty()
        && !arguments.input.recording().is_some_and(has_rules)
        && arguments.rules.is_empty()
        && arguments.firewall_rules_exclusive.is_none()
        && !arguments.set.iter().any(|set| {
            set.starts_with("rule-files") || set.starts_with("outputs.") && !set.contains(".zeek.")
        })
}

/// Whether a recording has rules.
fn has_rules(recording: &Path) -> bool {
    recorded_rules(recording, 0).metadata().is_ok_and(|metadata| metadata.len() > 0)
}

/// The settings that `--extract-files` and `--hash-files` stand for.
fn file_overrides(arguments: &Arguments) -> Result<Vec<String>, String> {
    let mut overrides = Vec::new();
    if let Some(folder) = &arguments.extract_files {
        overrides.extend(
            ["enabled=yes", "version=2", "force-filestore=yes"].map(|s| format!("outputs.file-store.{s}")),
        );
        if let Some(folder) = folder {
            let folder = std::path::absolute(folder)
                .map_err(|error| format!("The folder {} cannot be used: {error}.", folder.display()))?;
            overrides.push(format!("outputs.file-store.dir={}", folder.display()));
        }
    }
    if arguments.hash_files {
        overrides.push("outputs.eve-log.types.files.force-hash=[md5, sha1, sha256]".to_owned());
        if arguments.zeek_logs.is_some() {
            overrides.push("outputs.zeek.scripts.hashes=frameworks/files/hash-all-files".to_owned());
        }
    }
    Ok(overrides)
}
