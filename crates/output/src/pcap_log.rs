//! `pcap-log`: its settings, and packets on their way to the log thread, which writes them in the
//! order of the capture, whatever the number of workers.

use std::path::{Path, PathBuf};

use weir_base::{Reader, Timestamp};
use weir_config::{ConfigError, OutputsSettings, Settings};
use weir_packet::LinkType;

/// Bytes of a file where nothing else is set.
const DEFAULT_LIMIT: u64 = 100 << 20;

weir_base::counters! {
    /// Counters of the log of packets.
    pub struct PcapLogCounters {
        /// Packets handed to the log thread.
        written => "pcap_log.written",
        /// Packets that the filter of the log kept back.
        filtered => "pcap_log.filtered_bpf",
        /// Data packets from before a flow's first alert that there was no room for.
        not_held => "pcap_log.not_held",
    }
}

/// Packets that are logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Condition {
    /// All.
    #[default]
    All,
    /// Those of flows with alerts, from the first one on.
    Alerts,
    /// Those that a rule's `tag` asks for.
    Tag,
}

const CONDITIONS: &[(&str, Condition)] =
    &[("all", Condition::All), ("alerts", Condition::Alerts), ("tag", Condition::Tag)];

/// Settings of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PcapLogSettings {
    /// Folder and beginning of the files' names.
    pub path: PathBuf,
    /// Most bytes of a file.
    pub limit: u64,
    /// Most files kept; zero for no limit.
    pub max_files: usize,
    /// Names of files have microseconds.
    pub micros: bool,
    /// Packets that are logged.
    pub condition: Condition,
    /// Packets past the depth of their stream are left out.
    pub use_stream_depth: bool,
    /// Packets of flows that a rule lets pass are left out.
    pub honor_pass_rules: bool,
    /// Only packets that this capture filter lets pass.
    pub filter: Option<String>,
    /// A setting that is asked for and not done; a sentence.
    pub warning: Option<String>,
}

impl PcapLogSettings {
    /// Reads the output; none where it is not in use. A relative `dir` is below `log_folder`.
    pub fn from_settings(settings: &Settings, log_folder: &Path) -> Result<Option<Self>, ConfigError> {
        let outputs = OutputsSettings::from_settings(settings);
        let Some(output) = outputs.enabled("pcap-log").next() else { return Ok(None) };
        let section = output.section(settings);
        let folder = log_folder.join(section.text("dir").unwrap_or_default());
        // One thread writes them all.
        let name = section.text("filename").unwrap_or("log.pcap").replace("%n", "1").replace("%i", "1");
        let compressed = section.text("compression").is_some_and(|word| word != "none");
        Ok(Some(Self {
            path: folder.join(name),
            limit: section.size("limit", DEFAULT_LIMIT)?,
            max_files: section.integer32("max-files", 0)? as usize,
            micros: section.text("ts-format") == Some("usec"),
            condition: section.choice("conditional", Condition::All, CONDITIONS)?,
            use_stream_depth: section.flag("use-stream-depth", false),
            honor_pass_rules: section.flag("honor-pass-rules", false),
            filter: section.text("bpf-filter").map(str::to_owned),
            warning: compressed
                .then(|| "pcap-log cannot compress its files: they are written plain".to_owned()),
        }))
    }

    /// The name of a file whose first packet is of this time.
    pub(crate) fn name(&self, time: Timestamp) -> PathBuf {
        let stamp = match self.micros {
            true => format!("{}.{:06}", time.seconds(), time.micros()),
            false => time.seconds().to_string(),
        };
        let name = self.path.to_string_lossy();
        PathBuf::from(if name.contains("%t") {
            name.replace("%t", &stamp)
        } else {
            format!("{name}.{stamp}")
        })
    }
}

/// A packet to be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedPacket<'a> {
    /// When it was captured.
    pub time: Timestamp,
    /// Its length on the wire, in bytes.
    pub wire_length: u32,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A worker's word on a packet, as a line of the log's outlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketLine<'a> {
    /// It is to be written.
    Packet(LinkType, LoggedPacket<'a>),
    /// The filter of the log keeps it back. Files are named after the first packet that came, be it
    /// written or not.
    KeptBack(LinkType, Timestamp),
}

impl<'a> PacketLine<'a> {
    /// Appends the line, without its end, to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (tag, link, time) = match self {
            PacketLine::Packet(link, packet) => (0, link, packet.time),
            PacketLine::KeptBack(link, time) => (1, link, *time),
        };
        out.push(tag);
        out.extend_from_slice(&link.0.to_be_bytes());
        out.extend_from_slice(&time.0.to_be_bytes());
        if let PacketLine::Packet(_, packet) = self {
            let length = u32::try_from(packet.bytes.len()).unwrap_or(u32::MAX);
            out.extend_from_slice(&packet.wire_length.to_be_bytes());
            out.extend_from_slice(&length.to_be_bytes());
            out.extend_from_slice(packet.bytes);
        }
    }

    /// The next line, with its end.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let tag = reader.u8()?;
        let (link, time) = (LinkType(reader.u16()?), Timestamp(reader.u64()?));
        let line = match tag {
            0 => {
                let (wire_length, length) = (reader.u32()?, reader.u32()?);
                let bytes = reader.take(length as usize)?;
                PacketLine::Packet(link, LoggedPacket { time, wire_length, bytes })
            }
            _ => PacketLine::KeptBack(link, time),
        };
        reader.u8()?;
        Some(line)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn settings(options: &str, folder: &Path) -> PcapLogSettings {
        let text = format!("%YAML 1.1\n---\noutputs:\n  - pcap-log: {{enabled: yes{options}}}\n");
        let settings = Settings::from_text::<&str>(text.as_bytes(), "a.yaml", &[]).unwrap();
        PcapLogSettings::from_settings(&settings, folder).unwrap().unwrap()
    }

    #[test]
    fn names() {
        let time = Timestamp::new(1_700_000_000, 5_000);
        for (options, expected) in [
            ("", "/logs/log.pcap.1700000000"),
            (", ts-format: usec", "/logs/log.pcap.1700000000.000005"),
            (", dir: kept, filename: a.pcap", "/logs/kept/a.pcap.1700000000"),
            (", filename: \"a-%n-%t.pcap\"", "/logs/a-1-1700000000.pcap"),
        ] {
            assert_eq!(settings(options, Path::new("/logs")).name(time), Path::new(expected), "{options}");
        }
        assert_eq!(settings(", conditional: tag", Path::new("/")).condition, Condition::Tag);
        assert!(settings(", compression: lz4", Path::new("/")).warning.is_some());
    }
}
