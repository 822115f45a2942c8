//! `pcap-log`: packets, as they were captured, in files of their own.
//!
//! Files are named after the time of their first packet, those of one time with a number behind it. A file that
//! reached its limit is followed by another; beyond so many the oldest is removed.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use weir_base::{Reader, Timestamp};
use weir_packet::LinkType;

use super::{Sink, Unwritten};
use crate::pcap_log::{LoggedPacket, PacketLine, PcapLogSettings};

/// Longest packet that the header of a file announces.
const SNAPSHOT_LENGTH: u32 = 262_144;

/// Most names of latest files that are known, so that another file of the same time gets one of its own.
const MAX_NAMES: usize = 4096;

/// Bytes of the header of a packet.
const PACKET_HEADER: u64 = 16;

/// A file being written.
struct Open {
    writer: BufWriter<File>,
    link: LinkType,
    size: u64,
}

/// The files.
pub(super) struct PcapSink {
    settings: PcapLogSettings,
    open: Option<Open>,
    /// The latest files, the oldest first.
    files: VecDeque<PathBuf>,
    /// The latest name by time, and how many files have it beside the first.
    latest: (PathBuf, u32),
    /// A write failed: nothing more is written.
    failed: bool,
}

impl PcapSink {
    /// No file is made before the first packet.
    pub(super) fn new(settings: PcapLogSettings) -> Self {
        Self { settings, open: None, files: VecDeque::new(), latest: Default::default(), failed: false }
    }

    fn run(&mut self, line: &PacketLine<'_>) -> io::Result<()> {
        match line {
            PacketLine::Packet(link, packet) => self.try_write(*link, packet),
            PacketLine::KeptBack(link, time) if self.open.is_none() => self.begin(*link, *time),
            PacketLine::KeptBack(..) => Ok(()),
        }
    }

    fn try_write(&mut self, link: LinkType, packet: &LoggedPacket<'_>) -> io::Result<()> {
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
    fn begin(&mut self, link: LinkType, time: Timestamp) -> io::Result<()> {
        self.end()?;
        let path = self.free(self.settings.name(time));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut writer = BufWriter::new(File::create(&path)?);
        writer.write_all(&0xa1b2_c3d4_u32.to_le_bytes())?;
        writer.write_all(&[2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        writer.write_all(&SNAPSHOT_LENGTH.to_le_bytes())?;
        writer.write_all(&u32::from(link.0).to_le_bytes())?;
        self.open = Some(Open { writer, link, size: 24 });
        self.files.push_back(path);
        let most = self.settings.max_files;
        if self.files.len() > if most > 0 { most } else { MAX_NAMES }
            && let Some(oldest) = self.files.pop_front()
            && most > 0
            && let Err(error) = fs::remove_file(oldest)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        Ok(())
    }

    /// The name, or one with a number behind it where a file of this run has that.
    fn free(&mut self, name: PathBuf) -> PathBuf {
        if name != self.latest.0 {
            self.latest = (name.clone(), 0);
            if !self.files.contains(&name) {
                return name;
            }
        }
        loop {
            self.latest.1 += 1;
            let numbered = PathBuf::from(format!("{}.{}", name.display(), self.latest.1));
            if !self.files.contains(&numbered) {
                return numbered;
            }
        }
    }

    /// Ends the file being written.
    fn end(&mut self) -> io::Result<()> {
        match self.open.take() {
            Some(mut open) => open.writer.flush(),
            None => Ok(()),
        }
    }
}

impl Sink for PcapSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        if self.failed {
            return Err(io::Error::other("an earlier packet could not be written").into());
        }
        let mut reader = Reader::new(lines);
        while let Some(line) = PacketLine::read(&mut reader) {
            self.run(&line).inspect_err(|_| self.failed = true)?;
        }
        Ok(())
    }

    /// Files have the time in their names, and are not moved away.
    fn reopen(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Unwritten> {
        Ok(self.end()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcap_log::tests::settings;

    #[test]
    fn files_have_a_limit_and_so_has_their_number() {
        let folder = std::env::temp_dir().join(format!("weir-pcap-log-{}", std::process::id()));
        let mut sink = PcapSink::new(settings(", limit: 80, max-files: 2", &folder));
        let mut lines = Vec::new();
        PacketLine::KeptBack(LinkType::ETHERNET, Timestamp::new(0, 0)).write(&mut lines);
        lines.push(b'\n');
        for second in 1..=5 {
            let packet = LoggedPacket { time: Timestamp::new(second, 7_000), wire_length: 9, bytes: b"abcd" };
            PacketLine::Packet(LinkType::ETHERNET, packet).write(&mut lines);
            lines.push(b'\n');
        }
        sink.write(&lines).unwrap();
        sink.finish().unwrap();
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

    #[test]
    fn files_of_one_time_have_names_of_their_own() {
        let folder = std::env::temp_dir().join(format!("weir-pcap-log-alike-{}", std::process::id()));
        let mut sink = PcapSink::new(settings(", limit: 80", &folder));
        let mut lines = Vec::new();
        for (second, link) in [(7, 1), (7, 101), (7, 1), (6, 101), (7, 1)] {
            let packet = LoggedPacket { time: Timestamp::new(second, 0), wire_length: 9, bytes: b"abcd" };
            PacketLine::Packet(LinkType(link), packet).write(&mut lines);
            lines.push(b'\n');
        }
        sink.write(&lines).unwrap();
        sink.finish().unwrap();
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["log.pcap.6", "log.pcap.7", "log.pcap.7.1", "log.pcap.7.2", "log.pcap.7.3"]);
        fs::remove_dir_all(folder).unwrap();
    }

    /// One who takes away old files stops nothing.
    #[test]
    fn a_file_that_is_gone_needs_no_removal() {
        let folder = std::env::temp_dir().join(format!("weir-pcap-log-gone-{}", std::process::id()));
        let mut sink = PcapSink::new(settings(", limit: 50, max-files: 1", &folder));
        for second in 1..=3 {
            let mut lines = Vec::new();
            let packet = LoggedPacket { time: Timestamp::new(second, 0), wire_length: 9, bytes: b"abcd" };
            PacketLine::Packet(LinkType::ETHERNET, packet).write(&mut lines);
            lines.push(b'\n');
            sink.write(&lines).unwrap();
            let _ = fs::remove_file(folder.join(format!("log.pcap.{second}")));
        }
        sink.finish().unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
