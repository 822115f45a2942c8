//! `pcap-log`: packets, as they were captured, in files of their own.
//!
//! Files are named after the time of their first packet. A file that reached its limit is followed
//! by another; beyond so many the oldest is removed.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use weir_base::Timestamp;
use weir_config::{ConfigError, OutputsSettings, Settings};
use weir_packet::LinkType;

/// Longest packet that the header of a file announces.
const SNAPSHOT_LENGTH: u32 = 262_144;

/// Bytes of the header of a packet.
const PACKET_HEADER: u64 = 16;

/// Bytes of a file where nothing else is set.
const DEFAULT_LIMIT: u64 = 100 << 20;

weir_base::counters! {
    /// What the log of packets counts.
    pub struct PcapLogCounters {
        /// Packets written.
        written => "pcap_log.written",
        /// Packets that the filter of the log kept back.
        filtered => "pcap_log.filtered_bpf",
    }
}

/// Which packets are logged.
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
    /// Which packets are logged.
    pub condition: Condition,
    /// Packets past the depth of their stream are left out.
    pub use_stream_depth: bool,
    /// Packets of flows that a rule lets pass are left out.
    pub honor_pass_rules: bool,
    /// Only packets that this capture filter lets pass.
    pub filter: Option<String>,
    /// What is asked for and not done; a sentence.
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
    fn name(&self, time: Timestamp) -> PathBuf {
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
#[derive(Clone, Copy, Debug)]
pub struct LoggedPacket<'a> {
    /// When it was captured.
    pub time: Timestamp,
    /// How long it was on the wire.
    pub wire_length: u32,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A file being written.
struct Open {
    writer: BufWriter<File>,
    link: LinkType,
    size: u64,
}

/// The log.
pub struct PcapLog {
    settings: PcapLogSettings,
    open: Option<Open>,
    /// The files there are, the oldest first.
    files: VecDeque<PathBuf>,
    /// What was counted.
    pub counters: PcapLogCounters,
    /// Why nothing more is written; a sentence.
    pub failure: Option<String>,
}

impl PcapLog {
    /// A log without files.
    pub fn new(settings: PcapLogSettings) -> Self {
        let (files, counters) = (VecDeque::new(), PcapLogCounters::default());
        Self { settings, open: None, files, counters, failure: None }
    }

    /// The settings.
    pub const fn settings(&self) -> &PcapLogSettings {
        &self.settings
    }

    /// Writes a packet; after a failure nothing more.
    pub fn write(&mut self, link: LinkType, packet: &LoggedPacket<'_>) {
        if self.failure.is_some() {
            return;
        }
        match self.try_write(link, packet) {
            Ok(()) => self.counters.written += 1,
            Err(error) => self.fail(&error),
        }
    }

    /// Takes note of a packet that the filter of the log keeps back: files are named after the
    /// first packet that came, be it written or not.
    pub fn keep_back(&mut self, link: LinkType, time: Timestamp) {
        self.counters.filtered += 1;
        if self.open.is_none()
            && self.failure.is_none()
            && let Err(error) = self.begin(link, time)
        {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &std::io::Error) {
        let path = self.settings.path.display();
        self.failure = Some(format!("Packets cannot be logged to {path}: {error}."));
    }

    fn try_write(&mut self, link: LinkType, packet: &LoggedPacket<'_>) -> std::io::Result<()> {
        let needed = PACKET_HEADER + packet.bytes.len() as u64;
        let fits = |open: &Open| open.link == link && open.size + needed <= self.settings.limit;
        if !self.open.as_ref().is_some_and(fits) {
            self.begin(link, packet.time)?;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        open.size += needed;
        let length = u32::try_from(packet.bytes.len()).unwrap_or(u32::MAX);
        for field in [packet.time.seconds() as u32, packet.time.micros(), length, packet.wire_length] {
            open.writer.write_all(&field.to_le_bytes())?;
        }
        open.writer.write_all(packet.bytes)
    }

    /// Begins a file, and removes one that is one too many.
    fn begin(&mut self, link: LinkType, time: Timestamp) -> std::io::Result<()> {
        self.finish()?;
        let path = self.settings.name(time);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut writer = BufWriter::new(File::create(&path)?);
        writer.write_all(&0xa1b2_c3d4_u32.to_le_bytes())?;
        writer.write_all(&[2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        writer.write_all(&SNAPSHOT_LENGTH.to_le_bytes())?;
        writer.write_all(&u32::from(link.0).to_le_bytes())?;
        self.open = Some(Open { writer, link, size: 24 });
        if self.files.back() != Some(&path) {
            self.files.push_back(path);
        }
        if self.settings.max_files > 0
            && self.files.len() > self.settings.max_files
            && let Some(oldest) = self.files.pop_front()
        {
            fs::remove_file(oldest)?;
        }
        Ok(())
    }

    /// Ends the file being written.
    pub fn finish(&mut self) -> std::io::Result<()> {
        match self.open.take() {
            Some(mut open) => open.writer.flush(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(options: &str, folder: &Path) -> PcapLogSettings {
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

    #[test]
    fn files_have_a_limit_and_so_has_their_number() {
        let folder = std::env::temp_dir().join(format!("weir-pcap-log-{}", std::process::id()));
        let mut log = PcapLog::new(settings(", limit: 80, max-files: 2", &folder));
        for second in 1..=5 {
            let packet = LoggedPacket { time: Timestamp::new(second, 7_000), wire_length: 9, bytes: b"abcd" };
            log.write(LinkType::ETHERNET, &packet);
        }
        log.finish().unwrap();
        assert_eq!((log.counters.written, &log.failure), (5, &None));
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["log.pcap.3", "log.pcap.5"]);
        let bytes = fs::read(folder.join("log.pcap.5")).unwrap();
        let expected = [
            &b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0"[..],
            b"\x05\0\0\0\x07\0\0\0\x04\0\0\0\x09\0\0\0abcd",
        ];
        assert_eq!(bytes, expected.concat());
        fs::remove_dir_all(folder).unwrap();
    }
}
