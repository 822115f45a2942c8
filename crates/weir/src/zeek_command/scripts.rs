//! Scripts in Zeek's language: what the engine for them runs.

use std::process::ExitCode;

use weir_script::command::{Argument, Options, run_apart};

use super::ZeekCommand;

/// Runs scripts, where the arguments ask for what the reader of settings does not take: scripts without packets, and scripts
/// that are more than settings. Nothing where the arguments are not about scripts.
pub fn answer(words: &[String], settings: &Result<ZeekCommand, String>) -> Option<ExitCode> {
    let options = Options::parse(words).ok()?;
    let only_settings = options.scripts.iter().all(|argument| matches!(argument, Argument::Setting(..)));
    let is_asked = match settings {
        Ok(command) => {
            let has_input = command.read.is_some() || !command.interfaces.is_empty();
            let tells = command.help || command.version || command.plugins;
            !has_input && !tells && !only_settings
        }
        Err(_) => options.bare || options.parse_only || options.dump || !only_settings,
    };
    let is_live = words.iter().any(|word| word.starts_with("-i") || word.starts_with("--iface"));
    if !is_asked || is_live {
        return None;
    }
    let code = run_apart(options);
    Some(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}
