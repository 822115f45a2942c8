//! `pcap-log`: packets, as they were captured, in files of their own.
//!
//! Files are named after the time of their first packet, those of one time with a number behind it. A file that
//! reached its limit is followed by another; beyond so many the oldest is removed.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use weir_base::{Reader, Timestamp};
use weir_packet::LinkType;

use super::drain::push;
use super::{Sink, Unwritten};
use crate::pcap_log::{LoggedPacket, PacketLine, PcapLogSettings};

/// Longest packet that the header of a file announces.
const SNAPSHOT_LENGTH: u32 = 262_144;

/// Most names of latest files that are known, so that another file of the same time gets one of its own.
const MAX_NAMES: usize = 4096;

/// Bytes of the header of a packet.
const PACKET_HEADER: u64 = 16;

/// A file being written, which ends with a whole packet.
struct Open {
    file: File,
    link: LinkType,
    /// Its bytes, and those of packets that are gathered for it.
    size: u64,
}

/// The files.
pub(super) struct PcapSink {
    settings: PcapLogSettings,
    open: Option<Open>,
    /// Packets for the open file.
    gathered: Vec<u8>,
    /// The latest files, the oldest first.
    files: VecDeque<PathBuf>,
    /// The latest name by time, and how many files have it beside the first.
    latest: (PathBuf, u32),
    /// Reason that a file that is one too many could not be removed.
    unremoved: Option<io::Error>,
}

impl PcapSink {
    /// No file is made before the first packet.
    pub(super) fn new(settings: PcapLogSettings) -> Self {
        Self {
            settings,
            open: None,
            gathered: Vec::new(),
            files: VecDeque::new(),
            latest: Default::default(),
            unremoved: None,
        }
    }

    fn run(&mut self, line: &PacketLine<'_>) -> Result<(), Unwritten> {
        match line {
            PacketLine::Packet(link, packet) => self.gather(*link, packet),
            PacketLine::KeptBack(link, time) if self.open.is_none() => {
                self.begin(*link, *time).map_err(|cause| Unwritten { lost: Some(0), cause })
            }
            PacketLine::KeptBack(..) => Ok(()),
        }
    }

    /// Gathers a packet for the open file, or for the next one where that one has no room.
    fn gather(&mut self, link: LinkType, packet: &LoggedPacket<'_>) -> Result<(), Unwritten> {
        let needed = PACKET_HEADER + packet.bytes.len() as u64;
        let fits = |open: &Open| open.link == link && open.size + needed <= self.settings.limit;
        if !self.open.as_ref().is_some_and(fits) {
            let ended = self.put();
            self.open = None;
            ended.map_err(|unwritten| unwritten.and(1))?;
            self.begin(link, packet.time).map_err(|cause| Unwritten { lost: Some(1), cause })?;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        open.size += needed;
        let length = u32::try_from(packet.bytes.len()).unwrap_or(u32::MAX);
        for field in [packet.time.seconds() as u32, packet.time.micros(), length, packet.wire_length] {
            self.gathered.extend_from_slice(&field.to_le_bytes());
        }
        self.gathered.extend_from_slice(packet.bytes);
        Ok(())
    }

    /// Writes what is gathered. Of a packet that the disk has no room for nothing is left; the next ones follow the last
    /// whole one where that can be, or begin another file.
    fn put(&mut self) -> Result<(), Unwritten> {
        let gathered = std::mem::take(&mut self.gathered);
        let mut result = Ok(());
        if let Some(open) = self.open.as_mut().filter(|_| !gathered.is_empty()) {
            let (taken, written) = push(&mut open.file, &gathered, &mut || false);
            if let Err(cause) = written {
                let (whole, lost) = whole_packets(&gathered, taken);
                open.size -= (gathered.len() - whole) as u64;
                let is_whole =
                    open.file.set_len(open.size).and_then(|()| open.file.seek(SeekFrom::Start(open.size)));
                if is_whole.is_err() {
                    self.open = None;
                }
                result = Err(Unwritten { lost: Some(lost), cause });
            }
        }
        self.gathered = gathered;
        self.gathered.clear();
        result
    }

    /// Begins a file. One that is one too many is removed then, or before, where there is no room for both.
    fn begin(&mut self, link: LinkType, time: Timestamp) -> io::Result<()> {
        let limit = self.settings.max_files;
        let surplus = self.files.len() >= if limit > 0 { limit } else { MAX_NAMES };
        let mut made = self.make(link, time);
        match &made {
            Ok(_) if surplus => self.remove_oldest(),
            Err(error) if surplus && limit > 0 && lacks_room(error) => {
                self.remove_oldest();
                made = self.make(link, time);
            }
            _ => {}
        }
        let (path, open) = made?;
        self.open = Some(open);
        self.files.push_back(path);
        Ok(())
    }

    /// Makes a file with a header. Where that fails nothing is left of it, and its name is free again.
    fn make(&mut self, link: LinkType, time: Timestamp) -> io::Result<(PathBuf, Open)> {
        let latest = self.latest.clone();
        let path = self.free(self.settings.name(time));
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        let made = folder.and_then(|()| File::create(&path)).and_then(|mut file| {
            // An error of the removal would hide the cause.
            file.write_all(&header(link)).inspect_err(|_| drop(fs::remove_file(&path)))?;
            Ok(Open { file, link, size: 24 })
        });
        match made {
            Ok(open) => Ok((path, open)),
            Err(error) => {
                self.latest = latest;
                Err(error)
            }
        }
    }

    /// Forgets the oldest file, and removes it where their number is limited.
    fn remove_oldest(&mut self) {
        if let Some(oldest) = self.files.pop_front()
            && self.settings.max_files > 0
            && let Err(error) = fs::remove_file(oldest)
            && error.kind() != io::ErrorKind::NotFound
        {
            self.unremoved = Some(error);
        }
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
}

/// Whether a file could not be made for lack of room, which another one's removal gives.
fn lacks_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// The header of a file: magic number, version 2.4, no time zone, snapshot length, link type.
fn header(link: LinkType) -> [u8; 24] {
    let mut header = [0; 24];
    let link = u32::from(link.0).to_le_bytes();
    let fields =
        [&0xa1b2_c3d4_u32.to_le_bytes()[..], &[2, 0, 4, 0], &[0; 8], &SNAPSHOT_LENGTH.to_le_bytes(), &link];
    for (byte, value) in header.iter_mut().zip(fields.into_iter().flatten()) {
        *byte = *value;
    }
    header
}

/// Of packets of which so many bytes are `taken`: the bytes of those that are whole, and how many others there are.
fn whole_packets(packets: &[u8], taken: usize) -> (usize, u64) {
    let mut reader = Reader::new(packets);
    let (mut whole, mut lost) = (0, 0);
    while let Some(()) = skip_packet(&mut reader) {
        let end = packets.len() - reader.len();
        if end <= taken {
            whole = end;
        } else {
            lost += 1;
        }
    }
    (whole, lost)
}

/// Skips a packet with its header.
fn skip_packet(reader: &mut Reader<'_>) -> Option<()> {
    reader.skip(8)?;
    let length = reader.u32_le()?;
    reader.skip(4 + length as usize)
}

impl Sink for PcapSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let mut reader = Reader::new(lines);
        let mut result = Ok(());
        while let Some(line) = PacketLine::read(&mut reader) {
            result = match (result, &line) {
                (Ok(()), _) => self.run(&line),
                // What follows in these lines is not tried: a full disk is asked once for them all.
                (Err(unwritten), PacketLine::Packet(..)) => Err(unwritten.and(1)),
                (Err(unwritten), PacketLine::KeptBack(..)) => Err(unwritten),
            };
        }
        let put = self.put();
        match (result, put) {
            (Ok(()), Ok(())) => match self.unremoved.take() {
                Some(cause) => Err(Unwritten { lost: Some(0), cause }),
                None => Ok(()),
            },
            (Err(unwritten), Err(more)) => Err(unwritten.and(more.lost.unwrap_or(0))),
            (Err(unwritten), Ok(())) | (Ok(()), Err(unwritten)) => Err(unwritten),
        }
    }

    /// Files have the time in their names, and are not moved away.
    fn reopen(&mut self) -> Result<(), Unwritten> {
        Ok(())
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

    /// Writes a packet of this second.
    fn write(sink: &mut PcapSink, second: u64) -> Result<(), Unwritten> {
        let mut lines = Vec::new();
        let packet = LoggedPacket { time: Timestamp::new(second, 0), wire_length: 9, bytes: b"abcd" };
        PacketLine::Packet(LinkType::ETHERNET, packet).write(&mut lines);
        lines.push(b'\n');
        sink.write(&lines)
    }

    #[test]
    fn a_disk_that_was_full_is_written_again() {
        let folder = std::env::temp_dir().join(format!("weir-pcap-log-full-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink("/dev/full", folder.join("log.pcap.1")).unwrap();
        let mut sink = PcapSink::new(settings("", &folder));
        let lost = |result: Result<(), Unwritten>| result.map_err(|unwritten| unwritten.lost);
        assert_eq!(lost(write(&mut sink, 1)), Err(Some(1)), "no room for the header");
        assert_eq!(lost(write(&mut sink, 2)), Ok(()));
        // It is full while a file is being written, of which nothing is known from there on.
        sink.open.as_mut().unwrap().file = File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(lost(write(&mut sink, 3)), Err(Some(1)));
        assert_eq!(lost(write(&mut sink, 1)), Ok(()));
        sink.finish().unwrap();
        let read = |name: &str| fs::read(folder.join(name)).unwrap();
        assert_eq!([read("log.pcap.2").len(), read("log.pcap.1").len()], [44, 44]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    /// A file that is one too many makes room for the next one where the disk is full but for it, and stays where there is
    /// no next one for another cause.
    #[test]
    fn the_oldest_file_is_removed_for_another() {
        for limit in [1, 2] {
            let folder = std::env::temp_dir().join(format!("weir-pcap-log-room-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            let mut sink = PcapSink::new(settings(&format!(", limit: 50, max-files: {limit}"), &folder));
            for second in 1..=limit {
                write(&mut sink, second).unwrap();
            }
            let oldest = folder.join("log.pcap.1");
            let next = folder.join(format!("log.pcap.{}", limit + 1));
            fs::create_dir(&next).unwrap();
            assert!(write(&mut sink, limit + 1).is_err() && oldest.exists());
            fs::remove_dir(&next).unwrap();
            // There is room as soon as what was there is gone.
            std::os::unix::fs::symlink("/dev/full", &next).unwrap();
            write(&mut sink, limit + 1).unwrap();
            assert!(!oldest.exists() && next.is_file());
            assert_eq!(fs::read_dir(&folder).unwrap().count() as u64, limit);
            fs::remove_dir_all(folder).unwrap();
        }
    }

    /// Where a second has more files than names are known of.
    #[test]
    fn numbers_go_on_behind_a_file_that_could_not_be_made() {
        let folder = std::env::temp_dir().join(format!("weir-pcap-log-numbers-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let mut sink = PcapSink::new(settings(", limit: 50", &folder));
        write(&mut sink, 1).unwrap();
        write(&mut sink, 1).unwrap();
        sink.files.clear();
        std::os::unix::fs::symlink("/dev/full", folder.join("log.pcap.1.2")).unwrap();
        let error = write(&mut sink, 1).unwrap_err();
        assert_eq!(error.cause.kind(), io::ErrorKind::StorageFull);
        write(&mut sink, 1).unwrap();
        sink.finish().unwrap();
        for name in ["log.pcap.1", "log.pcap.1.1", "log.pcap.1.2"] {
            assert_eq!(fs::metadata(folder.join(name)).unwrap().len(), 44, "{name}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn packets_are_whole_or_lost() {
        let mut packets = Vec::new();
        for length in [2_u32, 0, 5] {
            packets.extend_from_slice(&[0; 8]);
            packets.extend_from_slice(&length.to_le_bytes());
            packets.extend_from_slice(&vec![0; 4 + length as usize]);
        }
        for (taken, expected) in [
            (0, (0, 3)),
            (17, (0, 3)),
            (18, (18, 2)),
            (33, (18, 2)),
            (34, (34, 1)),
            (54, (34, 1)),
            (55, (55, 0)),
        ] {
            assert_eq!(whole_packets(&packets, taken), expected, "{taken}");
        }
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
