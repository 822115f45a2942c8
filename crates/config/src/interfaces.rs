//! Sections that are lists of interfaces: `af-packet`, `pcap`, `af-xdp`.
//!
//! The entry of an interface counts alone; one without an entry has that of `default`.

use crate::error::ConfigError;
use crate::settings::{Section, Settings};

/// The entry of interfaces without one of their own.
const DEFAULT: &str = "default";

/// Most threads that listen on one interface.
pub const MAX_THREADS: u64 = 256;

/// The interfaces that a section names, in order.
pub fn names(settings: &Settings, section: &str) -> Vec<String> {
    let section = settings.section(section);
    let entries = section.children();
    let named = entries.iter().filter_map(|entry| entry.text("interface"));
    let mut names: Vec<String> = Vec::new();
    for name in named.filter(|name| *name != DEFAULT) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The entry of an interface in a section.
pub fn entry<'s>(settings: &'s Settings, section: &str, interface: &str) -> Option<Section<'s>> {
    let entries = settings.section(section).children();
    let place = |name: &str| entries.iter().position(|entry| entry.text("interface") == Some(name));
    let place = place(interface).or_else(|| place(DEFAULT))?;
    entries.into_iter().nth(place)
}

/// The entry of an interface in a section, or one where nothing is set.
pub fn entry_or_nothing<'s>(settings: &'s Settings, section: &str, interface: &str) -> Section<'s> {
    entry(settings, section, interface).unwrap_or_else(|| settings.section(&format!("{section}.none")))
}

impl Section<'_> {
    /// A whole number from 1 to `most`; none where it is not written, or `auto`.
    pub fn count(&self, key: &str, most: u64) -> Result<Option<u64>, ConfigError> {
        match self.text(key) {
            None | Some("auto") => Ok(None),
            Some(_) => self.integer(key, 0, 1..=most).map(Some),
        }
    }

    /// The filter of an interface, in the language of tcpdump.
    pub fn packet_filter(&self) -> Option<String> {
        self.text("bpf-filter").filter(|text| !text.trim().is_empty()).map(str::to_owned)
    }
}

/// Which checksums are looked at on an interface of which the kernel does not tell the ones that are not filled in yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CardChecksums {
    /// Those that a card received.
    #[default]
    Auto,
    /// Those of all packets.
    Yes,
    /// None.
    No,
}

/// `checksum-checks` there, by its words.
pub const CARD_CHECKS: &[(&str, CardChecksums)] = &[
    ("auto", CardChecksums::Auto),
    ("yes", CardChecksums::Yes),
    ("true", CardChecksums::Yes),
    ("no", CardChecksums::No),
    ("false", CardChecksums::No),
];
