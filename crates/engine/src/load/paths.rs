//! Rule files that configuration and command line name; patterns of the shell among them are spelt out.

use std::path::{Path, PathBuf};

use weir_base::{Pipes, unreadable};
use weir_config::{RuleSettings, Settings};

use super::{Configured, RuleFiles, RuleReport};
use crate::log::EngineLog;

/// The files to read, in order, globs spelt out.
pub(super) fn rule_paths(
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
        if !pattern.exists() {
            pattern.parent().into_iter().for_each(|folder| report.sources.add(folder));
        }
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
    if files.only.is_empty() && files.configured == Configured::Read {
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
