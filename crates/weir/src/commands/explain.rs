//! `weir explain`: why a rule fires in a capture, or does not.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use weir_base::zone;
use weir_config::logging::LoggingSettings;
use weir_detect::Ruleset;
use weir_detect::explain::{Selection, write_json, write_text};
use weir_engine::explain::Wanted;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::settings::RunOptions;
use weir_engine::{Engine, Inputs};
use weir_rules::{Colour, Diagnostic};

use super::settings::ConfigurationArguments;
use crate::EXIT_DAMAGED_INPUT;
use crate::cli::Checksums;
use crate::information::print_text;

/// Say why a rule fires in a capture, or does not: each step of its inspection, for the packets where
/// it fired and for those where it came closest.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    weir explain 'alert tcp any any -> any 80 (content:\"admin\"; sid:1;)' capture.pcap\n  \
    weir explain my.rules:12 capture.pcap\n  \
    weir explain sid:2019401 capture.pcap -S 'rules/*.rules' --misses 3\n\n\
    Exit codes: 0 the rule was explained, whether it fired or not; 1 it cannot be loaded, or nothing\n\
    could be read; 2 it was explained, but some input could not be read to its end.")]
pub struct Arguments {
    /// The rule: its text, FILE:LINE, or sid:NUMBER with -S
    rule: String,

    /// Capture files, folders of them, or - for standard input
    #[arg(required = true, value_name = "CAPTURE")]
    capture: Vec<PathBuf>,

    /// Rule file that has the rule, or others that set what it reads (flowbits); several times
    #[arg(short = 'S', value_name = "FILE")]
    rules: Vec<String>,

    /// Run a firewall with the rules of a file, of which one may be the rule
    #[arg(long, value_name = "FILE")]
    firewall_rules_exclusive: Option<PathBuf>,

    /// Only what happens with this packet, by its number in the capture
    #[arg(long, value_name = "NUMBER")]
    packet: Option<u64>,

    /// Only what happens in this flow, by `flow_id` of EVE
    #[arg(long, value_name = "ID")]
    flow: Option<u64>,

    /// Number of matches to show
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    matches: usize,

    /// Number of closest misses to show
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    misses: usize,

    /// As a tree, or as one JSON object
    #[arg(long, value_name = "text|json", default_value = "text")]
    format: Format,

    /// Check packets' checksums: none, or all; by default as the configuration says
    #[arg(short = 'k', value_name = "none|all")]
    checksums: Option<Checksums>,

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
}

/// Explains; the error is a sentence.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let (wanted, files) = wanted(arguments)?;
    let settings = arguments.configuration.settings()?;
    let logging = LoggingSettings::from_settings(&settings).map_err(|error| error.to_string())?;
    if let Err(sentence) = zone::choose(&logging.time_zone) {
        eprintln!("warning: {sentence}");
    }
    let firewall_rules = arguments.firewall_rules_exclusive.clone();
    let options = RunOptions {
        checksums: arguments.checksums.map(|c| c == Checksums::All),
        inline: firewall_rules.is_some(),
        firewall_rules,
        ..RunOptions::default()
    };
    let log = Arc::new(EngineLog::silent());
    let engine =
        Engine::new(settings, options, &files, Path::new("."), log).map_err(|error| error.to_string())?;
    let failures = engine.rules().failures;
    let loaded = engine.ruleset();
    if let Some(sentence) = engine.rules().unreadable.first() {
        return Err(sentence.clone());
    }
    let inputs = Inputs::files(arguments.capture.clone());
    let selection = Selection { packet: arguments.packet, flow: arguments.flow };
    let (recording, problems) =
        engine.explain(&inputs, &wanted, selection).map_err(|error| error.to_string())?;
    let Some(recording) = recording else {
        let broken = failures.iter().filter(|failure| match &wanted {
            Wanted::Text => true,
            Wanted::Place(file, line) => *file == *failure.file && *line == failure.line,
            Wanted::Sid(sid) => has_sid(failure, *sid),
        });
        broken.for_each(|failure| eprintln!("{}\n", failure.render(Colour::Off)));
        return Err(not_loaded(arguments, &wanted, &failures, &loaded));
    };
    let output = match arguments.format {
        Format::Text => {
            let mut text = String::new();
            write_text(&recording, arguments.matches, arguments.misses, &mut text);
            text
        }
        Format::Json => {
            let mut out = Vec::new();
            write_json(&recording, arguments.matches, arguments.misses, &mut out);
            out.push(b'\n');
            String::from_utf8_lossy(&out).into_owned()
        }
    };
    print_text(&output);
    for problem in &problems {
        eprintln!("weir: {problem}");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_DAMAGED_INPUT) })
}

/// Returns the reason that there is nothing to explain, and what to type in its place.
fn not_loaded(arguments: &Arguments, wanted: &Wanted, failures: &[Diagnostic], loaded: &Ruleset) -> String {
    let rules = loaded.signatures().iter();
    let (what, known) = match wanted {
        Wanted::Sid(sid) if !failures.iter().any(|failure| has_sid(failure, *sid)) => {
            let sids = rules.map(|rule| rule.info.sid).collect();
            (format!("with sid {sid} in {}", arguments.rules.join(", ")), some_numbers("sids", sids))
        }
        Wanted::Place(file, line) if !failures.iter().any(|failure| failure.line == *line) => {
            let lines = rules.filter(|rule| *rule.info.file == **file).map(|rule| rule.line).collect();
            (format!("at line {line} of {file}"), some_numbers("lines", lines))
        }
        _ => return format!("The rule {} was not loaded: see above.", arguments.rule),
    };
    format!("There is no rule {what}. {known}")
}

fn has_sid(failure: &Diagnostic, sid: u32) -> bool {
    failure.text.replace(' ', "").contains(&format!("sid:{sid};"))
}

/// Lists some numbers of the rules.
fn some_numbers(what: &str, mut numbers: Vec<u32>) -> String {
    const SHOWN: usize = 5;
    numbers.sort_unstable();
    numbers.dedup();
    let shown: Vec<String> = numbers.iter().take(SHOWN).map(u32::to_string).collect();
    match (numbers.len(), numbers.last()) {
        (_, None) => "No rule was loaded.".to_owned(),
        (count, Some(last)) if count > SHOWN => format!("It has the {what} {}, … {last}.", shown.join(", ")),
        _ => format!("It has the {what} {}.", shown.join(", ")),
    }
}

/// Finds the rule that is meant, and the rules that are loaded.
fn wanted(arguments: &Arguments) -> Result<(Wanted, RuleFiles), String> {
    let mut files = RuleFiles { only: arguments.rules.clone(), ..RuleFiles::default() };
    let rule = arguments.rule.trim();
    if let Some(sid) = rule.strip_prefix("sid:").and_then(|digits| digits.trim_end_matches(';').parse().ok())
    {
        if files.only.is_empty() && arguments.firewall_rules_exclusive.is_none() {
            return Err(format!(
                "Name the file that has the rule: `weir explain sid:{sid} capture.pcap -S my.rules`, \
                 or --firewall-rules-exclusive in place of -S."
            ));
        }
        return Ok((Wanted::Sid(sid), files));
    }
    if rule.contains('(') {
        files.texts.push(rule.to_owned());
        return Ok((Wanted::Text, files));
    }
    let place = rule.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let Some((file, line)) = place else {
        return Err(format!("{rule} is no rule. Write its text, FILE:LINE, or sid:NUMBER with -S."));
    };
    if !files.only.iter().any(|other| other == file) {
        files.only.push(file.to_owned());
    }
    Ok((Wanted::Place(file.to_owned(), line), files))
}
