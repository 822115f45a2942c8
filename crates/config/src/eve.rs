//! `outputs.*.eve-log`: what goes into the JSON log and how each record type is written.

use crate::error::ConfigError;
use crate::node::Node;
use crate::outputs::{Output, OutputsSettings};
use crate::parquet::ParquetSettings;
use crate::pipelines::{PipelineSettings, Records, TargetKind};
use crate::settings::{Section, Settings};
use crate::value;

/// Where records go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EveFiletype {
    /// A file.
    #[default]
    Regular,
    /// The system's log.
    Syslog,
    /// A Unix socket, datagrams.
    UnixDatagram,
    /// A Unix socket, stream.
    UnixStream,
    /// A Redis server.
    Redis,
    /// Kafka.
    Kafka,
    /// OpenSearch or Elasticsearch.
    Http,
    /// Tables of Apache Parquet.
    Parquet,
}

/// The client's address behind a proxy, from an HTTP field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XffSettings {
    /// In place of the flow's address, rather than beside it.
    pub overwrite: bool,
    /// The first address of the field, rather than the last.
    pub forward: bool,
    /// The field.
    pub header: String,
}

impl XffSettings {
    /// Reads the section `xff` below `section`; `None` where it is not enabled.
    pub fn read(section: &Section<'_>) -> Option<Self> {
        let xff = section.section("xff");
        if !xff.flag("enabled", false) {
            return None;
        }
        let word = |key: &str, on: &str, off: &str| match xff.text(key) {
            Some(text) if text == on => true,
            Some(text) if text == off => false,
            found => {
                if let Some(text) = found {
                    let message = format!("The XFF {key} {text} is invalid, falling back to {off}");
                    xff.settings().warn(
                        "xff",
                        message,
                        xff.node().and_then(|node| node.child(key)).map(Node::location),
                    );
                }
                false
            }
        };
        Some(Self {
            overwrite: word("mode", "overwrite", "extra-data"),
            forward: word("deployment", "forward", "reverse"),
            header: xff.text("header").unwrap_or("X-Forwarded-For").to_owned(),
        })
    }
}

/// One entry of `types`, whose options are read by what writes records of the type.
#[derive(Clone, Debug)]
pub struct EveType {
    /// `alert`, `http`, ...
    pub name: String,
    /// Place of the options in the settings.
    pub path: String,
    /// Options as written.
    pub node: Node,
    /// Proxy's client address, of this type or of the whole log.
    pub xff: Option<XffSettings>,
}

impl EveType {
    /// The options, for typed reading.
    pub fn section<'a>(&'a self, settings: &'a Settings) -> Section<'a> {
        settings.section_of(&self.path, &self.node)
    }
}

/// One JSON log.
#[derive(Clone, Debug)]
pub struct EveSettings {
    /// The output it is read from.
    pub output: Output,
    /// Where records go.
    pub filetype: EveFiletype,
    /// Where they are sent, if it is over the network.
    pub pipeline: Option<PipelineSettings>,
    /// How records are kept, if it is as Apache Parquet.
    pub parquet: Option<ParquetSettings>,
    /// File or socket.
    pub filename: String,
    /// A file for each thread.
    pub threaded: bool,
    /// Text before each record.
    pub prefix: String,
    /// Seed of the community id; `None` where it is off.
    pub community_id: Option<u16>,
    /// The uid that Zeek's logs have, where they are written.
    pub zeek_uid: bool,
    /// Flow variables and bits in each record.
    pub metadata: bool,
    /// Name of the capture file in each record.
    pub pcap_file: bool,
    /// Comments on packets (pcapng) in their records.
    pub pcap_comment: bool,
    /// Link-layer addresses in each record.
    pub ethernet: bool,
    /// `suricata_version` in each record.
    pub suricata_version: bool,
    /// `host` of each record: `sensor-name`.
    pub sensor_name: Option<String>,
    /// Proxy's client address.
    pub xff: Option<XffSettings>,
    /// Record types that are on, in order.
    pub types: Vec<EveType>,
}

impl EveSettings {
    /// Every JSON log that is in use.
    pub fn from_settings(settings: &Settings) -> Result<Vec<Self>, ConfigError> {
        let outputs = OutputsSettings::from_settings(settings);
        outputs.enabled("eve-log").map(|output| Self::read(settings, output)).collect()
    }

    /// The type of this name, if it is on.
    pub fn record_type(&self, name: &str) -> Option<&EveType> {
        self.types.iter().find(|record| record.name == name)
    }

    /// Reads the options of `output` for the records of files.
    pub fn of_files(settings: &Settings, output: &Output) -> Result<Self, ConfigError> {
        let mut read = Self::read(settings, output)?;
        read.types = vec![EveType {
            name: "files".to_owned(),
            path: output.section(settings).path().to_owned(),
            node: output.node.clone(),
            xff: read.xff.clone(),
        }];
        Ok(read)
    }

    fn read(settings: &Settings, output: &Output) -> Result<Self, ConfigError> {
        let section = output.section(settings);
        let kinds = [
            ("regular", EveFiletype::Regular),
            ("file", EveFiletype::Regular),
            ("syslog", EveFiletype::Syslog),
            ("unix_dgram", EveFiletype::UnixDatagram),
            ("unix_stream", EveFiletype::UnixStream),
            ("redis", EveFiletype::Redis),
            ("kafka", EveFiletype::Kafka),
            ("http", EveFiletype::Http),
            ("parquet", EveFiletype::Parquet),
        ];
        // Early releases, and configurations made since, call it `type`.
        let filetype = if section.text("filetype").is_some() { "filetype" } else { "type" };
        let xff = XffSettings::read(&section);
        let mut types = Vec::new();
        for item in section.section("types").children() {
            types.extend(record_type(&item, xff.as_ref())?);
        }
        let seed = section.integer("community-id-seed", 0, 0..=65_535)? as u16;
        let filetype = section.choice(filetype, EveFiletype::Regular, &kinds)?;
        let target = match filetype {
            EveFiletype::Redis => Some(TargetKind::Redis),
            EveFiletype::Kafka => Some(TargetKind::Kafka),
            EveFiletype::Http => Some(TargetKind::Http),
            EveFiletype::Syslog => Some(TargetKind::Syslog),
            _ => None,
        };
        let pipeline = target.map(|kind| PipelineSettings::read(kind, Records::Eve, &section));
        let pipeline = pipeline.transpose()?.flatten();
        Ok(Self {
            output: output.clone(),
            filetype,
            pipeline,
            parquet: match filetype {
                EveFiletype::Parquet => Some(ParquetSettings::read(&section)?),
                _ => None,
            },
            filename: output.filename("eve.json").to_owned(),
            threaded: section.flag("threaded", false),
            prefix: section.text("prefix").unwrap_or_default().to_owned(),
            community_id: section.flag("community-id", false).then_some(seed),
            zeek_uid: section.flag("zeek-uid", true),
            metadata: section.flag("metadata", true),
            pcap_file: section.flag("pcap-file", false),
            pcap_comment: section.flag("pcap-comment", false),
            ethernet: section.flag("ethernet", false),
            suricata_version: section.flag("suricata-version", false),
            sensor_name: settings.text("sensor-name").map(str::to_owned),
            xff,
            types,
        })
    }
}

fn record_type(item: &Section<'_>, log_xff: Option<&XffSettings>) -> Result<Option<EveType>, ConfigError> {
    let Some(node) = item.node() else { return Ok(None) };
    let Some(name) = node.value().or(node.children().first().map(Node::name)) else { return Ok(None) };
    let section = item.section(name);
    if section.text("enabled").is_some_and(value::is_false) {
        return Ok(None);
    }
    let path = "string-log-limit";
    if section.text(path).is_some_and(|text| value::size(text).is_none()) {
        return Err(section.wrong(path, "a size such as 1 KiB (invalid size argument)"));
    }
    if matches!(name, "dns" | "mdns") {
        section.integer("version", 3, 1..=3)?;
    }
    let own = XffSettings::read(&section);
    Ok(Some(EveType {
        name: name.to_owned(),
        path: section.path().to_owned(),
        node: section.node().cloned().unwrap_or_else(|| Node::new(name, node.location().clone())),
        xff: own.or_else(|| log_xff.cloned()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_no_size_is_refused() {
        for (limit, is_size) in [("10", true), ("1 MiB", true), ("XXX", false), ("", false)] {
            let text = format!(
                "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - mqtt:\n            string-log-limit: {limit:?}\n"
            );
            let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
            let read = EveSettings::from_settings(&settings);
            assert_eq!(read.is_ok(), is_size, "{limit}");
            let said = read.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(said.contains("invalid size argument"), !is_size, "{said}");
        }
    }

    #[test]
    fn a_version_that_never_was_is_refused() {
        let cases = [("dns", "1", true), ("dns", "2", true), ("dns", "3", true), ("dns", "7", false)];
        for (name, version, is_known) in
            cases.into_iter().chain([("dns", "abc", false), ("mdns", "9", false)])
        {
            let text = format!(
                "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - {name}:\n            version: {version}\n"
            );
            let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
            let said = EveSettings::from_settings(&settings).err().map(|error| error.to_string());
            let expected = format!(
                "Failed to parse outputs.0.eve-log.types.0.{name}.version from t, line 8, column 22: '{version}' is not a whole number from 1 to 3."
            );
            assert_eq!(said, (!is_known).then_some(expected));
        }
    }

    #[test]
    fn shipped_types() {
        let settings = Settings::built_in::<&str>(&[]).unwrap();
        let logs = EveSettings::from_settings(&settings).unwrap();
        let names: Vec<_> = logs[0].types.iter().map(|record| record.name.as_str()).collect();
        for name in [
            "alert", "anomaly", "http", "dns", "mdns", "tls", "files", "dhcp", "stats", "flow", "pop3", "ssh",
        ] {
            assert!(names.contains(&name), "{name}");
        }
        for name in ["frame", "arp", "pgsql", "drop", "netflow"] {
            assert!(!names.contains(&name), "{name}");
        }
        assert_eq!(
            (logs[0].filename.as_str(), logs[0].community_id, logs[0].filetype),
            ("eve.json", None, EveFiletype::Regular)
        );
    }

    #[test]
    fn options_as_written() {
        let text = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - alert:\n            payload: on\n            xff:\n              enabled: yes\n              mode: overwrite\n              deployment: forward\n        - drop:\n            enabled: no\n        - flow\n";
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
        let log = EveSettings::from_settings(&settings).unwrap().remove(0);
        let names: Vec<_> = log.types.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["alert", "flow"]);
        let options = log.types.iter().map(|entry| entry.section(&settings).flag("payload", false));
        assert_eq!(options.collect::<Vec<_>>(), [true, false]);
        let xff = XffSettings { overwrite: true, forward: true, header: "X-Forwarded-For".to_owned() };
        assert_eq!((&log.types[0].xff, &log.types[1].xff), (&Some(xff), &None));
        assert_eq!(log.types[0].section(&settings).path(), "outputs.0.eve-log.types.0.alert");
    }
}
