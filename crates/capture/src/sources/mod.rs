//! The sources, one folder each, and the registry by which the command line chooses among them.

#[cfg(target_os = "linux")]
pub mod af_packet;
#[cfg(target_os = "linux")]
pub mod af_xdp;
#[cfg(target_os = "linux")]
pub(crate) mod bpf;
mod card;
#[cfg(feature = "dpdk")]
mod dpdk;
#[cfg(target_os = "linux")]
mod ioctl;
pub mod libpcap;
mod link;
#[cfg(target_os = "linux")]
pub mod nfqueue;
#[cfg(target_os = "linux")]
pub mod offloads;
pub mod pcap_file;
pub mod recording;

use std::path::PathBuf;

use weir_config::Settings;

use crate::filter::PacketFilter;
use crate::{CommentReading, Source, SourceError};

/// All sources; the first one is meant where the command line names none.
pub static SOURCES: &[&SourceKind] = &[
    &pcap_file::KIND,
    #[cfg(target_os = "linux")]
    &af_packet::KIND,
    #[cfg(target_os = "linux")]
    &nfqueue::KIND,
    &libpcap::KIND,
    #[cfg(target_os = "linux")]
    &libpcap::nflog::KIND,
    #[cfg(target_os = "linux")]
    &af_xdp::KIND,
    #[cfg(feature = "dpdk")]
    &dpdk::KIND,
    &recording::KIND,
];

/// One kind of source.
#[derive(Debug)]
pub struct SourceKind {
    /// Name in settings and messages.
    pub name: &'static str,
    /// Letter of the option of the command line that chooses it, whose values are [`Request::names`], if it has one.
    pub option: Option<char>,
    /// Placeholder of such a value.
    pub value: &'static str,
    /// Help on the option.
    pub help: &'static str,
    /// Abilities; a request for another one is refused before anything is opened.
    pub capabilities: &'static [Capability],
    /// Option that chooses it with the interfaces of its section of the configuration, if it has one.
    pub section: Option<SectionOption>,
    /// Name of its run mode; of live sources, as clients of the control socket know it.
    pub run_mode: &'static str,
    /// Remedy for loss, as a sentence; empty where there is none.
    pub against_loss: &'static str,
    /// Opens what is asked for.
    pub open: Open,
}

/// A long option with a value that may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionOption {
    /// Its name, which is that of the section, too.
    pub name: &'static str,
    /// Name of its argument, unlike that of the source.
    pub argument: &'static str,
    /// Help on it.
    pub help: &'static str,
}

/// Ways of opening sources.
#[derive(Clone, Copy, Debug)]
pub enum Open {
    /// One source after the other, each when the one before has ended.
    InTurn(fn(&Request) -> OpenSources),
    /// All at once, each to be read by a thread of its own.
    AtOnce(OpenLive),
}

/// Functions of a source whose sources are all read at once.
#[derive(Clone, Copy, Debug)]
pub struct OpenLive {
    /// Opens what is asked for.
    pub open: fn(&LiveRequest<'_>) -> LiveSources,
    /// Returns where it would be in the network.
    pub stance: fn(&LiveRequest<'_>) -> Result<Stance, SourceError>,
    /// Rights that it goes on needing once it is open; none where it listens to nothing.
    pub goes_on_needing: Option<Standing>,
}

/// Rights that a source goes on needing once it is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// To open sockets for packets when an interface comes back, which another process can do in its place.
    PacketSockets,
    /// To decide of the firewall's packets (`CAP_NET_ADMIN`).
    Decisions,
    /// None: an interface that comes back is listened on by a new start.
    Nothing,
}

/// Where a source is in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stance {
    /// Beside the traffic: it cannot be held back.
    Beside,
    /// Between senders and receivers: packets go on if they are accepted.
    Between,
}

/// Sources that listen, each to be read by a thread of its own.
pub type LiveSources = Result<Vec<Box<dyn Source>>, SourceError>;

/// Interfaces that a source is to listen on, and how.
#[derive(Clone, Copy, Debug)]
pub struct LiveRequest<'a> {
    /// Interfaces; those of the section where none is named.
    pub names: &'a [PathBuf],
    /// The configuration.
    pub settings: &'a Settings,
    /// Packets to leave out, before what the configuration says.
    pub filter: Option<&'a PacketFilter>,
    /// Threads for each interface, before what the configuration says.
    pub threads: Option<u16>,
}

impl LiveRequest<'_> {
    /// Returns the interfaces: those that are named, or those of a section; `option` names one.
    fn interfaces(&self, section: &'static str, option: &'static str) -> Result<Vec<String>, SourceError> {
        let named = self.names.iter().map(|name| name.to_string_lossy().into_owned());
        let mut interfaces: Vec<String> = named.collect();
        if interfaces.is_empty() {
            interfaces = weir_config::interfaces::names(self.settings, section);
        }
        if interfaces.is_empty() { Err(SourceError::NoInterface { option, section }) } else { Ok(interfaces) }
    }

    /// Returns the filter of an interface, whose entry has this one.
    fn filter_of(&self, entry: Option<&str>) -> Option<PacketFilter> {
        let common = self.settings.text("bpf-filter").filter(|text| !text.trim().is_empty());
        self.filter.cloned().or_else(|| common.or(entry).map(PacketFilter::new))
    }
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
    /// It listens on interfaces until it is told to stop.
    Live,
    /// It repeats what others lent, with all that befell their threads.
    Repeats,
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
    /// Opens sources that are read one after the other; there is none where all are read at once.
    pub fn open_in_turn(&self, request: &Request) -> OpenSources {
        match self.open {
            Open::InTurn(open) => open(request),
            Open::AtOnce(_) => Box::new(std::iter::empty()),
        }
    }

    /// Returns the option that chooses it.
    pub fn choice(&self) -> String {
        match (self.option, self.section) {
            (Some(letter), _) => format!("-{letter}"),
            (None, Some(section)) => format!("--{}", section.name),
            (None, None) => String::new(),
        }
    }

    /// Refuses abilities that the source has not, each asked for by an option; the error is a sentence.
    pub fn check<'a>(&self, asked: impl IntoIterator<Item = (Capability, &'a str)>) -> Result<(), String> {
        match asked.into_iter().find(|(capability, _)| !self.capabilities.contains(capability)) {
            None => Ok(()),
            Some((_, option)) => Err(format!(
                "{option} is not for {} ({}): leave it out, or choose another source.",
                self.name,
                self.choice()
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
        assert_eq!(pcap_file::KIND.check(asked), Ok(()));
    }

    #[test]
    fn sources_are_told_apart() {
        for (index, kind) in SOURCES.iter().enumerate() {
            let others = SOURCES.iter().skip(index + 1);
            assert!(others.clone().all(|other| other.choice() != kind.choice() && other.name != kind.name));
        }
    }
}
