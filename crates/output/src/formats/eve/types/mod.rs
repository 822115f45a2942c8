//! The types of records that are written here: a file and a row of [`TYPES`] each. All others are their protocols'.

mod alert;
mod anomaly;
mod arp;
mod drop;
mod files;
mod flow;
mod frame;
mod netflow;
mod stats;
mod stream;

use weir_config::eve::XffSettings;
use weir_config::{ConfigError, Section};

use super::Log;
use crate::format::RecordKind;
use crate::record::{Record, RecordContext};

#[cfg(test)]
pub(super) use alert::action_name;
pub(super) use files::Files;

/// Every type, in the order in which they write of a record that several of them show.
pub(super) static TYPES: &[&RecordType] = &[
    &alert::TYPE,
    &anomaly::TYPE,
    &arp::TYPE,
    &drop::TYPE,
    &files::TYPE,
    &flow::TYPE,
    &frame::TYPE,
    &netflow::TYPE,
    &stats::TYPE,
    &stream::TYPE,
];

/// A type of records.
pub(super) struct RecordType {
    /// Its entry in `types`.
    pub(super) name: &'static str,
    /// The kinds of records that it shows, and the `event_type` that each has then.
    pub(super) records: &'static [(RecordKind, &'static str)],
    /// Reads its options.
    pub(super) open: fn(&Entry<'_>) -> Result<Box<dyn TypeWriter>, ConfigError>,
}

/// The options of a type as the configuration has them.
pub(super) struct Entry<'a> {
    pub(super) section: Section<'a>,
    /// The proxy's client address, of the type or of the whole log.
    pub(super) xff: Option<XffSettings>,
}

/// Writes the records of a type as its options say.
pub(super) trait TypeWriter: Send + Sync {
    /// Whether the options ask for this kind of the type's records.
    fn wants(&self, kind: RecordKind) -> bool {
        let _ = kind;
        true
    }

    /// Whether its records show bytes of streams.
    fn shows_streams(&self) -> bool {
        false
    }

    /// Returns what is to be known of files for its records, where these are of files.
    fn files(&self) -> Option<&Files> {
        None
    }

    /// Appends what a record of a kind that it wants becomes, if anything.
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>);
}

/// The `event_type` of a record; none where EVE shows no such records.
pub fn event_type(record: &Record<'_>) -> Option<&'static str> {
    if let Record::Transaction(transaction) = record {
        return Some(transaction.protocol.eve.map_or(transaction.protocol.name, |log| log.event_type));
    }
    let kind = record.kind();
    TYPES.iter().flat_map(|row| row.records).find(|(known, _)| *known == kind).map(|(_, name)| *name)
}

/// Bytes of payload that a record shows.
fn payload_buffer_size(section: &Section<'_>) -> u32 {
    section.lenient("eve", "payload-buffer-size", 4096, |text| {
        weir_config::value::size(text).and_then(|bytes| u32::try_from(bytes).ok())
    })
}

#[cfg(test)]
mod tests {
    use weir_config::{DEFAULT_CONFIGURATION, Settings};

    use super::*;
    use crate::format::RecordKinds;

    const PAGE: &str = include_str!("../../../../../../docs/outputs.md");

    #[test]
    fn a_type_is_a_file_a_row_and_its_documentation() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/formats/eve/types");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|file| Some(file.unwrap().path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| name != "mod")
            .collect();
        files.sort();
        assert_eq!(files, TYPES.iter().map(|row| row.name).collect::<Vec<_>>());
        for row in TYPES {
            assert!(!row.records.is_empty(), "{} shows no records", row.name);
            let is_entry = |line: &str| {
                let line = line.trim_start().trim_start_matches('#').trim_start();
                line.strip_prefix("- ").is_some_and(|entry| entry.trim_end_matches(':') == row.name)
            };
            let is_listed = DEFAULT_CONFIGURATION.lines().any(is_entry);
            assert!(is_listed, "etc/suricata.yaml has no entry {}", row.name);
            for (_, event_type) in row.records {
                let described = PAGE.lines().any(|line| line.starts_with(&format!("| `{event_type}`")));
                assert!(described, "docs/outputs.md does not describe {event_type}");
            }
        }
    }

    #[test]
    fn options_choose_among_the_kinds_of_a_type() {
        let cases: [(&str, &str, &[RecordKind]); 6] = [
            ("alert", "{}", &[RecordKind::Alert]),
            ("alert", "{tagged-packets: yes}", &[RecordKind::Alert, RecordKind::TaggedPacket]),
            ("anomaly", "{}", &[RecordKind::ApplicationAnomaly]),
            (
                "anomaly",
                "{types: {decode: yes, stream: yes, applayer: no}}",
                &[RecordKind::DecodeAnomaly, RecordKind::StreamAnomaly],
            ),
            ("drop", "{flows: all}", &[RecordKind::Drop]),
            ("files", "{force-md5: yes}", &[RecordKind::File]),
        ];
        for (name, options, expected) in cases {
            let text = format!("%YAML 1.1\n---\n{name}: {options}\n");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "test", &[]).unwrap();
            let row = TYPES.iter().find(|row| row.name == name).unwrap();
            let writer = (row.open)(&Entry { section: settings.section(name), xff: None }).unwrap();
            let kinds = row.records.iter().map(|(kind, _)| *kind).filter(|kind| writer.wants(*kind));
            let kinds = RecordKinds::of(&kinds.collect::<Vec<_>>());
            assert_eq!(kinds, RecordKinds::of(expected), "{name} {options}");
            let hashes = writer.files().map_or(0, |files| files.force_hash.len());
            assert_eq!(hashes, usize::from(name == "files"), "{name} {options}");
        }
        let settings =
            Settings::from_text::<&str>(b"%YAML 1.1\n---\ndrop: {flows: some}\n", "t", &[]).unwrap();
        let refused = (drop::TYPE.open)(&Entry { section: settings.section("drop"), xff: None }).err();
        assert!(refused.is_some_and(|error| error.to_string().contains("start, all")));
    }
}
