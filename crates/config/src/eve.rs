//! `outputs.*.eve-log`: what goes into the JSON log and how each record type is written.

use crate::error::ConfigError;
use crate::node::Node;
use crate::outputs::{Output, OutputsSettings};
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

/// Which facts an alert carries beside the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertMetadata {
    /// The application's transaction.
    pub app_layer: bool,
    /// The flow's counters and time.
    pub flow: bool,
    /// The rule's `metadata`.
    pub rule_metadata: bool,
    /// The rule's text.
    pub rule_raw: bool,
    /// The rule's references.
    pub rule_reference: bool,
}

/// `alert`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertOptions {
    /// Payload in Base64.
    pub payload: bool,
    /// Payload as text.
    pub payload_printable: bool,
    /// Payload's length.
    pub payload_length: bool,
    /// Bytes of payload.
    pub payload_buffer_size: u32,
    /// The packet in Base64.
    pub packet: bool,
    /// HTTP body in Base64.
    pub http_body: bool,
    /// HTTP body as text.
    pub http_body_printable: bool,
    /// WebSocket payload in Base64.
    pub websocket_payload: bool,
    /// WebSocket payload as text.
    pub websocket_payload_printable: bool,
    /// Packets that follow an alert with `tag`.
    pub tagged_packets: bool,
    /// What became of the packet.
    pub verdict: bool,
    /// Facts beside the rule.
    pub metadata: AlertMetadata,
    /// Proxy's client address.
    pub xff: Option<XffSettings>,
}

/// `anomaly`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnomalyOptions {
    /// Packets that break their format.
    pub decode: bool,
    /// Streams that break TCP.
    pub stream: bool,
    /// Messages that break their protocol.
    pub applayer: bool,
    /// The packet's header in Base64.
    pub packethdr: bool,
}

/// `dns` and `mdns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsOptions {
    /// Form of the record, 2 or 3.
    pub version: u8,
    /// Requests.
    pub requests: bool,
    /// Responses.
    pub responses: bool,
    /// Record types, in lower case; all where empty.
    pub types: Vec<String>,
    /// Answers one by one.
    pub detailed: bool,
    /// Answers by type.
    pub grouped: bool,
}

/// `stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsOptions {
    /// All threads together.
    pub totals: bool,
    /// Each thread.
    pub threads: bool,
    /// Differences since the record before.
    pub deltas: bool,
    /// Counters that are zero.
    pub null_values: bool,
}

/// `drop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropOptions {
    /// The alert that dropped the packet.
    pub alerts: bool,
    /// Every packet of a flow, rather than the first of each direction.
    pub all_packets: bool,
    /// What became of the packet.
    pub verdict: bool,
}

/// `stream`: which packets of TCP connections have records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLogOptions {
    /// All of them.
    pub all: bool,
    /// Those with a stream event.
    pub event_set: bool,
    /// Those that change the connection's state.
    pub state_update: bool,
    /// Those that bring acknowledged data again.
    pub spurious_retransmission: bool,
}

/// `files`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOptions {
    /// Name the kind of every file.
    pub force_magic: bool,
    /// Hashes of every file: `md5`, `sha1`, `sha256`.
    pub force_hash: Vec<String>,
}

/// `http`, `smtp`, `tls` and others: the standard record, an extended one, or chosen fields.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FieldOptions {
    /// The longer record.
    pub extended: bool,
    /// Chosen fields, in order.
    pub custom: Vec<String>,
}

/// The options of a record type that are read here; all others are in [`EveType::node`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EveOptions {
    /// `alert`.
    Alert(AlertOptions),
    /// `anomaly`.
    Anomaly(AnomalyOptions),
    /// `dns`, `mdns`.
    Dns(DnsOptions),
    /// `stats`.
    Stats(StatsOptions),
    /// `drop`.
    Drop(DropOptions),
    /// `stream`.
    Stream(StreamLogOptions),
    /// `files`.
    Files(FileOptions),
    /// `frame`.
    Frame {
        /// Bytes of payload.
        payload_buffer_size: u32,
    },
    /// All others.
    Fields(FieldOptions),
}

/// One entry of `types`.
#[derive(Clone, Debug)]
pub struct EveType {
    /// `alert`, `http`, ...
    pub name: String,
    /// Options.
    pub options: EveOptions,
    /// Options as written.
    pub node: Node,
    /// Proxy's client address, of this type or of the whole log.
    pub xff: Option<XffSettings>,
}

/// One JSON log.
#[derive(Clone, Debug)]
pub struct EveSettings {
    /// The output it is read from.
    pub output: Output,
    /// Where records go.
    pub filetype: EveFiletype,
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

    /// What `output` says of how records are written that tell of files.
    pub fn of_files(settings: &Settings, output: &Output) -> Result<Self, ConfigError> {
        let mut read = Self::read(settings, output)?;
        read.types = vec![EveType {
            name: "files".to_owned(),
            options: EveOptions::Files(FileOptions { force_magic: false, force_hash: Vec::new() }),
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
        ];
        // Early releases, and configurations made since, call it `type`.
        let filetype = if section.text("filetype").is_some() { "filetype" } else { "type" };
        let xff = XffSettings::read(&section);
        let mut types = Vec::new();
        for item in section.section("types").children() {
            types.extend(record_type(&item, xff.as_ref())?);
        }
        let seed = section.integer("community-id-seed", 0, 0..=65_535)? as u16;
        Ok(Self {
            output: output.clone(),
            filetype: section.choice(filetype, EveFiletype::Regular, &kinds)?,
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
    let options = match name {
        "alert" => EveOptions::Alert(alert(&section, log_xff)?),
        "anomaly" => EveOptions::Anomaly(anomaly(&section)),
        "dns" | "mdns" => EveOptions::Dns(dns(&section)?),
        "stats" => EveOptions::Stats(StatsOptions {
            totals: section.flag("totals", true),
            threads: section.flag("threads", false),
            deltas: section.flag("deltas", false),
            null_values: section.flag("null-values", true),
        }),
        "drop" => EveOptions::Drop(drop_options(&section)?),
        "stream" => EveOptions::Stream(StreamLogOptions {
            all: section.flag("all", false),
            event_set: section.flag("event-set", false),
            state_update: section.flag("state-update", false),
            spurious_retransmission: section.flag("spurious-retransmission", false),
        }),
        "files" => EveOptions::Files(files(&section)),
        "frame" => EveOptions::Frame { payload_buffer_size: payload_buffer_size(&section) },
        _ => EveOptions::Fields(FieldOptions {
            extended: section.flag("extended", false),
            custom: section.list("custom").into_iter().map(str::to_owned).collect(),
        }),
    };
    let own = XffSettings::read(&section);
    Ok(Some(EveType {
        name: name.to_owned(),
        options,
        node: section.node().cloned().unwrap_or_else(|| Node::new(name, node.location().clone())),
        xff: own.or_else(|| log_xff.cloned()),
    }))
}

fn alert(section: &Section<'_>, log_xff: Option<&XffSettings>) -> Result<AlertOptions, ConfigError> {
    Ok(AlertOptions {
        payload: section.flag("payload", false),
        payload_printable: section.flag("payload-printable", false),
        payload_length: section.flag("payload-length", false),
        payload_buffer_size: payload_buffer_size(section),
        packet: section.flag("packet", false),
        http_body: section.flag("http-body", false),
        http_body_printable: section.flag("http-body-printable", false),
        websocket_payload: section.flag("websocket-payload", false),
        websocket_payload_printable: section.flag("websocket-payload-printable", false),
        tagged_packets: section.flag("tagged-packets", false),
        verdict: section.flag("verdict", false),
        metadata: alert_metadata(section),
        xff: XffSettings::read(section).or_else(|| log_xff.cloned()),
    })
}

/// Bytes of payload that a record shows.
fn payload_buffer_size(section: &Section<'_>) -> u32 {
    section.lenient("eve", "payload-buffer-size", 4096, |text| {
        value::size(text).and_then(|bytes| u32::try_from(bytes).ok())
    })
}

fn alert_metadata(section: &Section<'_>) -> AlertMetadata {
    let metadata = section.section("metadata");
    let off = section.text("metadata").is_some_and(value::is_false);
    AlertMetadata {
        app_layer: !off && metadata.flag("app-layer", true),
        flow: !off && metadata.flag("flow", true),
        rule_metadata: !off && metadata.flag("rule.metadata", true),
        rule_raw: !off && metadata.flag("rule.raw", false),
        rule_reference: !off && metadata.flag("rule.reference", false),
    }
}

fn anomaly(section: &Section<'_>) -> AnomalyOptions {
    let types = section.section("types");
    AnomalyOptions {
        decode: types.flag("decode", false),
        stream: types.flag("stream", false),
        applayer: types.flag("applayer", true),
        packethdr: section.flag("packethdr", types.flag("packethdr", false)),
    }
}

fn dns(section: &Section<'_>) -> Result<DnsOptions, ConfigError> {
    let old = |key: &str, older: &str| section.flag(key, section.flag(older, true));
    let formats: Vec<String> = section.list("formats").into_iter().map(str::to_ascii_lowercase).collect();
    let format = |name: &str| formats.is_empty() || formats.iter().any(|format| format == name);
    let types = match section.list("types") {
        types if types.is_empty() => section.list("custom"),
        types => types,
    };
    Ok(DnsOptions {
        version: section.integer("version", 3, 1..=3)?.max(2) as u8,
        requests: old("requests", "query"),
        responses: old("responses", "answer"),
        types: types.into_iter().map(str::to_ascii_lowercase).collect(),
        detailed: format("detailed"),
        grouped: format("grouped"),
    })
}

fn drop_options(section: &Section<'_>) -> Result<DropOptions, ConfigError> {
    Ok(DropOptions {
        alerts: section.flag("alerts", false),
        all_packets: section.choice("flows", false, &[("start", false), ("all", true)])?,
        verdict: section.flag("verdict", false),
    })
}

fn files(section: &Section<'_>) -> FileOptions {
    let mut hashes: Vec<String> =
        section.list("force-hash").into_iter().map(str::to_ascii_lowercase).collect();
    if section.flag("force-md5", false) && !hashes.iter().any(|hash| hash == "md5") {
        hashes.push("md5".to_owned());
    }
    FileOptions { force_magic: section.flag("force-magic", false), force_hash: hashes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eve(types: &str) -> EveSettings {
        let text =
            format!("%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n{types}");
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
        EveSettings::from_settings(&settings).unwrap().remove(0)
    }

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
        let Some(EveOptions::Alert(alert)) = logs[0].record_type("alert").map(|record| &record.options)
        else {
            panic!("no alert type")
        };
        assert!(alert.tagged_packets && !alert.payload && alert.metadata.flow && !alert.metadata.rule_raw);
        assert_eq!(
            (logs[0].filename.as_str(), logs[0].community_id, logs[0].filetype),
            ("eve.json", None, EveFiletype::Regular)
        );
    }

    #[test]
    fn options_as_written() {
        let log = eve(
            "        - alert:\n            payload: on\n            payload-buffer-size: 8kb\n            metadata: no\n            xff:\n              enabled: yes\n              mode: overwrite\n              deployment: forward\n        - anomaly:\n            types:\n              decode: yes\n              applayer: no\n        - dns:\n            version: 2\n            answer: no\n            types: [A, mx]\n            formats: [grouped]\n        - drop:\n            alerts: yes\n            flows: all\n        - files:\n            force-hash: [sha256]\n            force-md5: yes\n        - frame:\n            payload-buffer-size: 1kb\n        - tls:\n            custom: [sni, ja3]\n        - flow\n",
        );
        let options: Vec<_> = log.types.into_iter().map(|record| record.options).collect();
        let EveOptions::Alert(alert) = &options[0] else { panic!("not alert") };
        assert!(alert.payload && alert.payload_buffer_size == 8192 && !alert.metadata.flow);
        let xff = XffSettings { overwrite: true, forward: true, header: "X-Forwarded-For".to_owned() };
        assert_eq!(alert.xff, Some(xff));
        let expected = [
            EveOptions::Anomaly(AnomalyOptions {
                decode: true,
                stream: false,
                applayer: false,
                packethdr: false,
            }),
            EveOptions::Dns(DnsOptions {
                version: 2,
                requests: true,
                responses: false,
                types: vec!["a".to_owned(), "mx".to_owned()],
                detailed: false,
                grouped: true,
            }),
            EveOptions::Drop(DropOptions { alerts: true, all_packets: true, verdict: false }),
            EveOptions::Files(FileOptions {
                force_magic: false,
                force_hash: vec!["sha256".to_owned(), "md5".to_owned()],
            }),
            EveOptions::Frame { payload_buffer_size: 1024 },
            EveOptions::Fields(FieldOptions {
                extended: false,
                custom: vec!["sni".to_owned(), "ja3".to_owned()],
            }),
            EveOptions::Fields(FieldOptions::default()),
        ];
        assert_eq!(options[1..], expected);
    }
}
