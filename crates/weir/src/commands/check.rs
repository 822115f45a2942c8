//! `weir check`: a linter for rules, and for scripts of Zeek's language.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use weir_base::{Pipes, Unreadable, named_file};
use weir_config::DetectSettings;
use weir_engine::load::{MAX_RULE_FILE, RuleFiles, check_text, rule_environment, rule_files};
use weir_engine::log::EngineLog;
use weir_lint::{
    Checked, Finding, Policy, RuleText, ScriptFinding, Severity, check, diff, fix, output, script_finding,
};
use weir_rules::{Colour, Resolver};
use weir_script::review::{RemarkKind, review};

use super::settings::ConfigurationArguments;
use crate::information::print_text;

/// Some finding is an error.
const EXIT_FOUND: u8 = 1;
/// Nothing was checked.
const EXIT_UNCHECKED: u8 = 2;

/// Say what is wrong with rules and with scripts of Zeek's language, what they may not mean, and what
/// they cost, with the place, the reason and what to write instead.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    weir check my.rules                            errors and warnings\n  \
    weir check my.rules --level hint               hints too\n  \
    weir check my.rules --fix --dry-run            the rules as they could be, as a diff\n  \
    weir check 'rules/*.rules' --format sarif --deny warnings --allow flowbit-never-set\n  \
    weir check site.zeek my.sig                    scripts and signatures of Zeek's language\n\n\
    `weir list findings` lists all of them.\n\n\
    Exit codes: 0 no finding is an error; 1 some are, by themselves or because they were denied;\n\
    2 nothing was checked: a file that cannot be read, a bad option or configuration.")]
pub struct Arguments {
    /// Rule files, or quoted patterns, and files that end in .zeek, .bro or .sig; they are checked together, as
    /// they would be loaded
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// As text, as one JSON object, or as SARIF 2.1.0
    #[arg(long, value_name = "text|json|sarif", default_value = "text")]
    format: Format,

    /// The least severity that is shown
    #[arg(long, value_name = "error|warning|hint", default_value = "warning")]
    level: Level,

    /// Make a finding an error, by its name; `warnings` and `hints` mean all of them; several times
    #[arg(long, value_name = "NAME")]
    deny: Vec<String>,

    /// Leave a finding out, by its name; several times
    #[arg(long, value_name = "NAME")]
    allow: Vec<String>,

    /// Rewrite the rules where that is safe: what loads means the same afterwards
    #[arg(long)]
    fix: bool,

    /// With --fix: write nothing, and show what would be as a diff
    #[arg(long, requires = "fix")]
    dry_run: bool,

    #[command(flatten)]
    configuration: ConfigurationArguments,
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For code hosts and editors.
    Sarif,
}

/// `--level`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Level {
    /// Faults that keep rules from loading.
    Error,
    /// Rules that are unlikely to mean what they say, or cost much.
    Warning,
    /// Possible improvements.
    Hint,
}

impl Level {
    const fn severity(self) -> Severity {
        match self {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Hint => Severity::Hint,
        }
    }
}

/// Checks. Failures to check are reported as a sentence, and have an exit code of their own.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    work(arguments).or_else(|sentence| {
        eprintln!("weir: {sentence}");
        Ok(ExitCode::from(EXIT_UNCHECKED))
    })
}

fn work(arguments: &Arguments) -> Result<ExitCode, String> {
    let policy = Policy::new(&arguments.allow, &arguments.deny).map_err(|name| name.to_string())?;
    let settings = arguments.configuration.settings()?;
    let detect = DetectSettings::from_settings(&settings).map_err(|error| error.to_string())?;
    let log = EngineLog::silent();
    let (scripts, only): (Vec<String>, Vec<String>) =
        arguments.files.iter().cloned().partition(|file: &String| is_script(file));
    // Without rules, those of the settings are not meant.
    let (paths, missing) = match only.is_empty() {
        true => (Vec::new(), Vec::new()),
        false => rule_files(&settings, &RuleFiles { only, ..RuleFiles::default() }, &log),
    };
    if let Some(sentence) = missing.first() {
        return Err(sentence.clone());
    }
    let files = paths.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let (environment, variables) = rule_environment(&settings, &detect, &log);
    let mut resolver = Resolver::new(&variables);
    if arguments.fix {
        let mut count = 0;
        for file in &files {
            let Some(fixed) = fix::rewrite(file, &environment, &mut resolver, &policy) else { continue };
            count += fixed.count;
            if arguments.dry_run {
                print_text(&diff::unified(&file.file, &file.text, &fixed.text));
            } else {
                std::fs::write(&file.file, &fixed.text)
                    .map_err(|error| format!("The rule file {} cannot be written: {error}.", file.file))?;
            }
        }
        let would = if arguments.dry_run { "could be" } else { "were" };
        eprintln!("{count} things {would} rewritten.");
        if arguments.dry_run {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let files = if arguments.fix { paths.iter().map(read).collect::<Result<Vec<_>, _>>()? } else { files };
    let mut checked = check(&files, &environment, &mut resolver);
    checked.findings.extend(script_findings(&scripts)?);
    policy.apply(&mut checked.findings);
    let failed = checked.findings.iter().any(|finding| finding.severity == Severity::Error);
    print(arguments, &mut checked, files.len(), scripts.len());
    Ok(if failed { ExitCode::from(EXIT_FOUND) } else { ExitCode::SUCCESS })
}

/// Endings of files of scripts and of their signatures.
const SCRIPTS: [&str; 3] = [".zeek", ".bro", ".sig"];

fn is_script(file: &str) -> bool {
    SCRIPTS.iter().any(|ending| file.ends_with(ending))
}

/// Findings in scripts, with the text of their lines.
fn script_findings(files: &[String]) -> Result<Vec<Finding>, String> {
    let mut texts = HashMap::new();
    for file in files {
        texts.insert(file.clone(), script_text(file)?);
    }
    let remarks = if files.is_empty() { Vec::new() } else { review(files) };
    let findings = remarks.into_iter().map(|remark| {
        let kind = match remark.kind {
            RemarkKind::Fault => ScriptFinding::Fault,
            RemarkKind::Doubt => ScriptFinding::Doubt,
            RemarkKind::Cost => ScriptFinding::Cost,
        };
        // What is about no line is about the first file.
        let place = remark.place.or_else(|| files.first().map(|file| (file.clone(), 1)));
        let (file, line) = place.unwrap_or_default();
        let text = texts.entry(file.clone()).or_insert_with(|| script_text(&file).unwrap_or_default());
        let line_text = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
        script_finding(kind, &file, line, line_text, remark.text)
    });
    Ok(findings.collect())
}

fn script_text(file: &str) -> Result<String, String> {
    let path = Path::new(file);
    let bytes = named_file::read(path, Pipes::Refuse, MAX_RULE_FILE)
        .map_err(|error| format!("The script {file} cannot be read: {}.", Unreadable::new(path, &error)))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read((path, pipes): &(PathBuf, Pipes)) -> Result<RuleText, String> {
    let file = path.to_string_lossy().into_owned();
    let text = named_file::read(path, *pipes, MAX_RULE_FILE).map_err(|error| {
        format!("The rule file {file} cannot be read: {}.", Unreadable::new(path, &error))
    })?;
    check_text(path, &text)?;
    Ok(RuleText { file, text })
}

fn print(arguments: &Arguments, checked: &mut Checked, files: usize, scripts: usize) {
    let least = arguments.level.severity();
    let counts = Severity::ALL.map(|severity| output::count(&checked.findings, severity));
    checked.findings.retain(|finding| finding.severity >= least);
    let bytes = match arguments.format {
        Format::Json => output::json(checked, files + scripts),
        Format::Sarif => output::sarif(checked, env!("CARGO_PKG_VERSION")),
        Format::Text => {
            let stdout = std::io::stdout();
            let coloured = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let colour = if coloured { Colour::On } else { Colour::Off };
            for finding in &checked.findings {
                print_text(&format!("{}\n\n", output::text(finding, colour)));
            }
            print_text(&summary(checked.rules, files, scripts, counts, least));
            return;
        }
    };
    print_text(&String::from_utf8_lossy(&bytes));
}

fn summary(rules: usize, files: usize, scripts: usize, counts: [usize; 3], least: Severity) -> String {
    let [hints, warnings, errors] = counts;
    let hidden = hints > 0 && least > Severity::Hint;
    let some = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let of_rules = format!("{} in {}", some(rules, "rule"), some(files, "file"));
    let of_scripts = some(scripts, "script");
    let checked = match (files, scripts) {
        (_, 0) => of_rules,
        (0, _) => of_scripts,
        _ => format!("{of_rules}, {of_scripts}"),
    };
    let (errors, warnings, hints) = (some(errors, "error"), some(warnings, "warning"), some(hints, "hint"));
    let mut text = format!("{checked}: {errors}, {warnings}, {hints}");
    if hidden {
        text.push_str(" (--level hint shows them)");
    }
    text.push('\n');
    text
}
