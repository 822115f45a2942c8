//! The options that choose a source of packets, one for each source that there is.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, value_parser};
use weir_capture::{CAPTURE_FILES, SOURCES, SourceKind};

/// The source that the command line names, captures in files where it names none.
#[derive(Debug)]
pub struct Chosen {
    /// The source.
    pub source: &'static SourceKind,
    /// The values of its option.
    pub names: Vec<PathBuf>,
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let names_of = |source: &&'static SourceKind| matches.get_many(source.name);
        let chosen = SOURCES.iter().find_map(|source| Some((*source, names_of(source)?.cloned().collect())));
        let (source, names) = chosen.unwrap_or((&CAPTURE_FILES, Vec::new()));
        Ok(Self { source, names })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Chosen {
    fn augment_args(command: Command) -> Command {
        SOURCES.iter().fold(command, |command, source| {
            let others = SOURCES.iter().map(|other| other.name).filter(|name| *name != source.name);
            let option =
                Arg::new(source.name).short(source.option).value_name(source.value).help(source.help);
            let option = option.action(ArgAction::Append).value_parser(value_parser!(PathBuf));
            command.arg(option.help_heading("Input").conflicts_with_all(others))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
