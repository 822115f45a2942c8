//! The options that choose a source of packets, one for each source that there is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, value_parser};
use weir_capture::{CAPTURE_FILES, Capability, SOURCES, SourceKind};

/// The source that the command line names, captures in files where it names none.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The source.
    pub source: &'static SourceKind,
    /// The values of its option.
    pub names: Vec<PathBuf>,
    /// The interfaces of its section of the configuration are asked for.
    pub by_section: bool,
}

impl Chosen {
    /// Returns the recording that is to be repeated, if one is.
    pub fn recording(&self) -> Option<&Path> {
        let repeats = self.source.capabilities.contains(&Capability::Repeats);
        self.names.first().filter(|_| repeats).map(PathBuf::as_path)
    }
}

/// The names of the arguments by which a source is chosen.
fn ids(source: &SourceKind) -> impl Iterator<Item = &'static str> + Clone + use<> {
    let option = source.option.map(|_| source.name);
    option.into_iter().chain(source.section.map(|section| section.argument))
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let chosen = SOURCES.iter().find_map(|source| {
            let own = source.option.and_then(|_| matches.get_many::<PathBuf>(source.name));
            let of_section =
                source.section.and_then(|section| matches.get_many::<OsString>(section.argument));
            if own.is_none() && of_section.is_none() {
                return None;
            }
            let own = own.into_iter().flatten().cloned();
            let of_section = of_section.into_iter().flatten().filter(|name| !name.is_empty());
            let names: Vec<PathBuf> = own.chain(of_section.map(PathBuf::from)).collect();
            Some(Self { source, by_section: names.is_empty(), names })
        });
        Ok(chosen.unwrap_or(Self { source: &CAPTURE_FILES, names: Vec::new(), by_section: false }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Chosen {
    fn augment_args(command: Command) -> Command {
        SOURCES.iter().fold(command, |command, source| {
            let others =
                SOURCES.iter().filter(|other| other.name != source.name).flat_map(|other| ids(other));
            let command = match source.option {
                Some(letter) => {
                    let option =
                        Arg::new(source.name).short(letter).value_name(source.value).help(source.help);
                    let option = option.action(ArgAction::Append).value_parser(value_parser!(PathBuf));
                    command.arg(option.help_heading("Input").conflicts_with_all(others.clone()))
                }
                None => command,
            };
            let Some(section) = source.section else { return command };
            let option =
                Arg::new(section.argument).long(section.name).value_name(source.value).help(section.help);
            let option = option.action(ArgAction::Append).num_args(0..=1).require_equals(true);
            let option = option.default_missing_value("").value_parser(value_parser!(OsString));
            command.arg(option.help_heading("Input").conflicts_with_all(others))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
