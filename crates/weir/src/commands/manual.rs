//! `weir man` and `weir completions`: the command line as manual pages and for shells, from its definition.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::cli;
use crate::information::print_text;

/// Write the manual pages: weir.1, and one for each command
#[derive(Args, Debug)]
pub struct ManArguments {
    /// Where to write them
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Print what a shell needs to complete options and commands
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "bash|zsh|fish")]
    shell: Shell,
}

/// The whole command line: options of a run, and commands.
fn whole() -> Command {
    let commands = super::CommandLine::command();
    let names: Vec<Command> =
        commands.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    cli::Arguments::command()
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommands(names)
        .args_conflicts_with_subcommands(true)
}

/// Writes the manual pages.
pub fn man(arguments: &ManArguments) -> Result<ExitCode, String> {
    let folder = &arguments.folder;
    let told =
        |error: std::io::Error| format!("Manual pages cannot be written to {}: {error}.", folder.display());
    fs::create_dir_all(folder).map_err(told)?;
    // Lines are wrapped by whoever shows the page.
    clap_mangen::generate_to(whole(), folder).map_err(told)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints completions.
pub fn completions(arguments: &CompletionsArguments) -> Result<ExitCode, String> {
    let mut out = Vec::new();
    clap_complete::generate(arguments.shell, &mut whole(), "weir", &mut out);
    print_text(&String::from_utf8_lossy(&out));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that are put together fit: no option twice, no conflict that is none.
    #[test]
    fn the_whole_is_sound() {
        whole().debug_assert();
    }
}
