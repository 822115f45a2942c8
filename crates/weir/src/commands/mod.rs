//! Commands: what stands behind a first word that is one, in place of a run.

mod analyst;
mod bench;
mod check;
mod ctl;
mod explain;
pub mod list;
mod manual;
mod settings;
mod top;
mod update;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{COMPATIBLE_NAME, misread, profile, refuse};

/// The commands.
#[derive(Parser, Debug)]
#[command(name = "weir", max_term_width = 80, infer_long_args = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Bench(bench::Arguments),
    Check(check::Arguments),
    #[command(hide = true)]
    Completions(manual::CompletionsArguments),
    Ctl(ctl::Arguments),
    Explain(explain::Arguments),
    List(list::Arguments),
    #[command(hide = true)]
    Man(manual::ManArguments),
    Profile(profile::Arguments),
    Top(top::Arguments),
    Update(update::Arguments),
}

/// Words that are commands where they come first. None of them can begin a capture filter.
pub const WORDS: &[&str] = &[
    "archive",
    "bench",
    "check",
    "completions",
    "ctl",
    "explain",
    "help",
    "hunt",
    "list",
    "man",
    "profile",
    "query",
    "top",
    "update",
    "view",
];

/// Does what a command asks; none where the first word is not one.
pub fn answer(words: &[OsString], name: &str) -> Option<ExitCode> {
    let first = words.get(1).and_then(|word| word.to_str())?;
    if name == COMPATIBLE_NAME {
        return None;
    }
    if let Some(done) = analyst::answer(words) {
        return Some(done.unwrap_or_else(|sentence| refuse(name, &sentence)));
    }
    if !WORDS.contains(&first) {
        return None;
    }
    let command = match CommandLine::try_parse_from(words) {
        Ok(line) => line.command,
        Err(error) => {
            let program = if first == "help" { name.to_owned() } else { format!("{name} {first}") };
            return Some(misread(&error, name, &program, words));
        }
    };
    let done = match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Ctl(arguments) => ctl::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Man(arguments) => manual::man(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::Update(arguments) => update::run(&arguments),
    };
    Some(done.unwrap_or_else(|sentence| refuse(name, &sentence)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_first_word_is_a_command() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(OsString::from).collect() };
        for line in ["weir", "weir -r a tcp port 80", "weir tcp", "weir -r explain"] {
            assert!(answer(&words(line), "weir").is_none(), "{line}");
        }
        assert!(answer(&words("suricata explain"), "suricata").is_none());
        for line in
            ["weir explain sid:1 a.pcap -S x.rules --packet 3", "weir explain a.rules:7 a.pcap b.pcap"]
        {
            assert!(CommandLine::try_parse_from(words(line)).is_ok(), "{line}");
        }
    }
}
