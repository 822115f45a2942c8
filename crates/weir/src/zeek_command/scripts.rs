//! Scripts in Zeek's language: what the engine for them runs.

use std::io::IsTerminal as _;

use weir_script::command::{Argument, Options, run_apart};

use super::ZeekCommand;
use crate::script_lane::{KNOWLEDGE, ScriptLane};

/// Part of the prelude's paths in front of policy scripts.
const POLICY: &str = "policy/";

/// Beginning of the names of policy scripts that have all files analysed.
const OF_FILES: &str = "frameworks/files/";

/// What becomes of arguments.
pub enum Answer {
    /// They are nothing but settings.
    Settings,
    /// Scripts without packets.
    Alone(Options),
    /// Scripts and packets.
    Traffic(Options),
}

/// Returns what becomes of arguments: whether they ask for what the reader of settings does not take.
pub fn answer(words: &[String], settings: &Result<ZeekCommand, String>) -> Answer {
    let Ok(options) = Options::parse(words) else { return Answer::Settings };
    let only_settings = options.scripts.iter().all(|argument| matches!(argument, Argument::Setting(..)));
    let has_input = !options.reads.is_empty() || !options.interfaces.is_empty();
    // Whoever writes to the program without a word writes a script.
    let is_told = words.is_empty() && !std::io::stdin().is_terminal();
    let is_asked = is_told
        || match settings {
            Ok(command) => {
                let tells = command.help || command.version || command.plugins;
                // Values that the reader of settings does not know are for what runs scripts, unless files name scripts that
                // are not there: an existing site is taken as far as it can be.
                let has_values = !command.remarks.is_empty() && command.unknown_scripts == 0;
                (!has_input || has_values) && !tells && !only_settings
            }
            Err(_) => {
                let is_unknown = |argument: &Argument| match argument {
                    Argument::Setting(name, ..) => !ZeekCommand::knows(name),
                    _ => false,
                };
                options.bare
                    || options.scripts.iter().any(is_unknown)
                    || options.writes.is_some()
                    || options.parse_only
                    || options.dump
                    || options.shown.is_some()
                    || !only_settings
            }
        };
    match (is_asked, has_input && !options.parse_only && !options.dump) {
        (false, _) => Answer::Settings,
        (true, false) => Answer::Alone(options),
        (true, true) => Answer::Traffic(options),
    }
}

/// Returns the filter that lets pass what both let pass.
fn both(one: Option<&str>, other: Option<&str>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("({one}) and ({other})")),
        (one, other) => one.or(other).map(str::to_owned),
    }
}

/// Runs scripts without packets; the exit code.
pub fn run_alone(options: Options) -> u8 {
    u8::try_from(run_apart(options, Some(KNOWLEDGE))).unwrap_or(1)
}

impl ZeekCommand {
    /// Returns the command line that stands for what scripts ask for.
    ///
    /// # Errors
    ///
    /// A sentence about an interface that cannot be had.
    pub fn of_scripts(options: &Options, scripts: &ScriptLane) -> Result<Self, String> {
        let mut command = Self {
            reads: options.reads.iter().map(Into::into).collect(),
            filter: both(options.filter.as_deref(), scripts.demand().filter.as_deref()),
            seeds: options.seeds.as_ref().map(Into::into),
            ignore_checksums: options.ignore_checksums,
            ..Self::default()
        };
        for interface in &options.interfaces {
            command.listen(interface)?;
        }
        let demand = scripts.demand();
        for (name, value) in &demand.settings {
            if let Err(sentence) = command.set(name, value) {
                command.remarks.push(sentence);
            }
        }
        let mut policy: Vec<&str> =
            demand.loaded.iter().filter_map(|part| part.strip_prefix(POLICY)).collect();
        if demand.files {
            // Scripts that follow files do what these ask for.
            policy.retain(|name| !name.starts_with(OF_FILES));
        }
        policy.sort_unstable();
        let switches = demand.protocols.switches.iter().map(String::as_str);
        let wanted = policy.into_iter().chain(switches).filter(|name| weir_zeek::is_script(name));
        command.scripts = wanted.map(str::to_owned).collect();
        command.scripts.sort_unstable();
        Ok(command)
    }
}
