//! The sources, one folder each, and the registry by which the command line chooses among them.

pub mod pcap_file;

use std::path::PathBuf;

use crate::filter::PacketFilter;
use crate::{CommentReading, Source, SourceError};

/// All sources; the first one is meant where the command line names none.
pub static SOURCES: &[&SourceKind] = &[&pcap_file::KIND];

/// One kind of source.
#[derive(Debug)]
pub struct SourceKind {
    /// Name in settings and messages.
    pub name: &'static str,
    /// Letter of the option of the command line that chooses it, whose values are [`Request::names`].
    pub option: char,
    /// Placeholder of such a value.
    pub value: &'static str,
    /// Help on the option.
    pub help: &'static str,
    /// Abilities; a request for another one is refused before anything is opened.
    pub capabilities: &'static [Capability],
    /// Opens what is asked for: one source after the other, each when the one before has ended.
    pub open: fn(&Request) -> OpenSources,
}

/// Sources of one kind, opened as they are asked for.
pub type OpenSources = Box<dyn Iterator<Item = Result<Box<dyn Source>, SourceError>>>;

/// An ability that not every source has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capability {
    /// It reads files: in folders, too, and they can be deleted once they are read.
    Files,
    /// It keeps back packets that a filter does not take.
    Filters,
}

/// Packets that a source is to read, and the form.
#[derive(Clone, Debug)]
pub struct Request {
    /// Files, folders or `-`; of other sources what they read, as the command line has it.
    pub names: Vec<PathBuf>,
    /// Files of folders that are read.
    pub folders: Folders,
    /// Packets to leave out.
    pub filter: Option<PacketFilter>,
    /// Whether comments on packets are wanted.
    pub comments: CommentReading,
}

impl Request {
    /// Asks for all packets of `names`.
    pub const fn of(names: Vec<PathBuf>) -> Self {
        Self { names, folders: Folders::Themselves, filter: None, comments: CommentReading::Skip }
    }
}

/// Files of folders that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folders {
    /// Those in the folder.
    Themselves,
    /// Those in folders below it, too.
    Below,
}

impl SourceKind {
    /// Refuses abilities that the source has not, each asked for by an option; the error is a sentence.
    pub fn check<'a>(&self, asked: impl IntoIterator<Item = (Capability, &'a str)>) -> Result<(), String> {
        match asked.into_iter().find(|(capability, _)| !self.capabilities.contains(capability)) {
            None => Ok(()),
            Some((_, option)) => Err(format!(
                "{option} is not for {} (-{}): leave it out, or choose another source.",
                self.name, self.option
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_asked_for_what_it_can_do() {
        let kind = SourceKind { capabilities: &[Capability::Filters], ..pcap_file::KIND };
        let asked = [(Capability::Filters, "-F"), (Capability::Files, "--pcap-file-delete")];
        assert_eq!(kind.check(asked.into_iter().take(1)), Ok(()));
        let refused = "--pcap-file-delete is not for pcap-file (-r): leave it out, or choose another source.";
        assert_eq!(kind.check(asked), Err(refused.to_owned()));
        assert_eq!(SOURCES.iter().find_map(|kind| kind.check(asked).err()), None);
    }

    #[test]
    fn sources_are_told_apart() {
        for (index, kind) in SOURCES.iter().enumerate() {
            let others = SOURCES.iter().skip(index + 1);
            assert!(others.clone().all(|other| other.option != kind.option && other.name != kind.name));
        }
    }
}
