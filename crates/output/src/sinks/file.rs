//! A file, made with its folder when it is opened or when its first line comes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Zoned;

use weir_base::Timestamp;

use super::drain::{Drain, lines_in};
use super::earlier::{self, Earlier, End};
use super::{Sink, Unwritten};
use crate::filename::FileName;
use crate::outlet::{Existing, FrameText};
use crate::rotation;
use crate::writer::EarlierFiles;

/// A file that lines are added to.
pub(super) struct FileSink {
    name: FileName,
    /// The file at hand, or the last one.
    path: PathBuf,
    /// When another one is to follow.
    due: Option<jiff::Timestamp>,
    clock: WallClock,
    existing: Existing,
    header: Option<FrameText>,
    footer: Option<FrameText>,
    gzip: Option<u32>,
    file: Option<Open>,
    /// A file was made: any further one is added to where it is there.
    made: bool,
    drain: Drain,
    /// Lines that are compressed and not all in the file yet: they are, or are lost, when the file ends.
    compressed: u64,
    earlier: EarlierFiles,
}

/// Tells the time: names and headers say when files were opened, not when packets were captured.
pub(super) type WallClock = Box<dyn Fn() -> Zoned + Send>;

/// An open file.
enum Open {
    Plain(File),
    Gzip(Box<GzEncoder<File>>),
}

/// The file at a path, for who has one open.
enum AtPath {
    /// The open file.
    Same,
    /// The open file, truncated by someone else.
    Emptied,
    /// Another one, or none.
    Other,
}

impl Open {
    fn file(&self) -> &File {
        match self {
            Open::Plain(file) => file,
            Open::Gzip(encoder) => encoder.get_ref(),
        }
    }

    /// Writes what is compressed, so that it can be read; what there is no room for waits.
    fn put_compressed(&mut self) -> io::Result<()> {
        match self {
            Open::Plain(_) => Ok(()),
            Open::Gzip(encoder) => encoder.flush(),
        }
    }
}

impl Write for Open {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Open::Plain(file) => file.write(bytes),
            Open::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Open::Plain(file) => file.flush(),
            Open::Gzip(encoder) => encoder.flush(),
        }
    }
}

impl FileSink {
    pub(super) fn open(
        name: FileName,
        existing: Existing,
        lazy: bool,
        (header, footer): (Option<FrameText>, Option<FrameText>),
        gzip: Option<u32>,
        clock: WallClock,
    ) -> io::Result<Self> {
        let mut sink = Self {
            path: name.at(&clock()),
            name,
            due: None,
            clock,
            existing,
            header,
            footer,
            gzip,
            file: None,
            made: false,
            drain: Drain::default(),
            compressed: 0,
            earlier: EarlierFiles::default(),
        };
        if !lazy {
            sink.create()?;
        } else if existing == Existing::Clear && sink.path.is_file() {
            fs::remove_file(&sink.path)?;
        } else if fs::metadata(&sink.path).is_ok_and(|there| there.is_file() || there.is_dir())
            && !sink.sets_aside()
        {
            // One that cannot be written is reported before the run, not when its first line is lost.
            OpenOptions::new().append(true).open(&sink.path)?;
        }
        Ok(sink)
    }

    /// Whether the file that is there is given another name before the first line, which needs no right to write to it.
    fn sets_aside(&self) -> bool {
        let header = self.header_at(&(self.clock)());
        self.existing == Existing::Append && self.look(&header) == Earlier::Differs
    }

    fn header_at(&self, time: &Zoned) -> Vec<u8> {
        self.header.as_ref().map(|header| header(seconds(time))).unwrap_or_default()
    }

    /// Looks at the file that is there.
    fn look(&self, header: &[u8]) -> Earlier {
        match Earlier::look(&self.path, header) {
            // What compresses begins at the beginning, and may have ended anywhere.
            Earlier::Fits(_) if self.gzip.is_some() => Earlier::Differs,
            found => found,
        }
    }

    fn create(&mut self) -> io::Result<&mut Open> {
        let now = (self.clock)();
        self.path = self.name.at(&now);
        self.due = self.name.end(&now);
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let header = self.header_at(&now);
        let adds = self.made || self.existing == Existing::Append;
        let end = if adds { self.join(&header)? } else { End::Whole };
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        let is_file = file.metadata()?.is_file();
        if adds {
            end.prepare(&mut file)?;
        } else if is_file {
            file.set_len(0)?;
        }
        let is_new = file.metadata()?.len() == 0;
        let open = match self.gzip {
            Some(level) => Open::Gzip(Box::new(GzEncoder::new(file, Compression::new(level.min(9))))),
            None => Open::Plain(file),
        };
        self.made = true;
        let file = self.file.insert(open);
        if is_new {
            file.write_all(&header)?;
        }
        Ok(file)
    }

    /// Looks at the file that is there: how it ends, if lines can be added. Else it is renamed.
    fn join(&mut self, header: &[u8]) -> io::Result<End> {
        match self.look(header) {
            Earlier::Nothing => return Ok(End::Whole),
            Earlier::Fits(end) => {
                self.earlier.appended.get_or_insert_with(|| self.path.clone());
                return Ok(end);
            }
            Earlier::Differs => {
                let aside = earlier::set_aside(&self.path)?;
                self.earlier.set_aside.get_or_insert(aside);
            }
        }
        Ok(End::Whole)
    }

    /// The file is gone: how many lines were lost with it, of those that wait.
    fn give_up(&mut self) -> u64 {
        // A line that was begun is among those that are compressed.
        self.drain.give_up().max(std::mem::take(&mut self.compressed))
    }

    /// Compares the file at a path with the open one.
    fn at_path(path: &Path, open: &Open) -> AtPath {
        let (Ok(there), Ok(own)) = (fs::metadata(path), open.file().metadata()) else {
            return AtPath::Other;
        };
        match (there.dev(), there.ino()) == (own.dev(), own.ino()) {
            true if own.is_file() && own.len() == 0 => AtPath::Emptied,
            true => AtPath::Same,
            false => AtPath::Other,
        }
    }
}

/// Seconds since 1970.
fn seconds(time: &Zoned) -> u64 {
    time.timestamp().as_second().try_into().unwrap_or(0)
}

impl Sink for FileSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let is_due = self.due.is_some_and(|due| (self.clock)().timestamp() >= due);
        let ended = if is_due { self.reopen() } else { Ok(()) };
        if self.file.is_none() {
            self.create()?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        // Where the file before could not be ended, a line that was begun there is lost.
        let lost = ended.as_ref().err().and_then(|unwritten| unwritten.lost).unwrap_or(0);
        let written = self.drain.write(file, lines, &mut || false);
        let left = written.as_ref().err().map_or(0, |stop| lines_in(stop.rest));
        let flushed = file.put_compressed();
        self.compressed = match file {
            Open::Plain(_) => 0,
            // All is in the file but for a line that was begun.
            Open::Gzip(_) if flushed.is_ok() => self.drain.begun(),
            Open::Gzip(_) => self.compressed + lines_in(lines) - left,
        };
        match (written, flushed) {
            (Err(stop), _) => Err(stop.lost(lost)),
            (Ok(()), Err(cause)) => Err(Unwritten { lost: Some(lost), cause }),
            (Ok(()), Ok(())) if lost > 0 => ended,
            (Ok(()), Ok(())) => Ok(()),
        }
    }

    /// Goes on in the same file where nobody moved it away and the time gives it no other name.
    fn reopen(&mut self) -> Result<(), Unwritten> {
        let Some(open) = &self.file else { return Ok(()) };
        let now = (self.clock)();
        let result = match Self::at_path(&self.name.at(&now), open) {
            AtPath::Same => {
                self.due = self.name.end(&now);
                return Ok(());
            }
            AtPath::Emptied => match self.give_up() {
                0 => Ok(()),
                lost => Err(Unwritten { lost: Some(lost), cause: io::ErrorKind::UnexpectedEof.into() }),
            },
            AtPath::Other => self.finish(),
        };
        self.file = None;
        self.create()?;
        result
    }

    fn set_aside(&mut self, opened: Timestamp) -> Result<(), Unwritten> {
        let result = self.finish();
        if self.file.take().is_some() {
            let aside = rotation::set_aside(&self.path, opened);
            let is_taken = self.existing == Existing::Append && fs::symlink_metadata(&aside).is_ok();
            fs::rename(&self.path, if is_taken { earlier::numbered(&aside) } else { aside })?;
        }
        result
    }

    fn finish(&mut self) -> Result<(), Unwritten> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if let Err(stop) = self.drain.write(file, &[], &mut || false) {
            return Err(stop.lost(self.give_up()));
        }
        let footer = self.footer.as_ref().map(|footer| footer(seconds(&(self.clock)())));
        let ended = file.write_all(&footer.unwrap_or_default()).and_then(|()| match file {
            Open::Gzip(encoder) => encoder.try_finish(),
            Open::Plain(_) => Ok(()),
        });
        let compressed = std::mem::take(&mut self.compressed);
        ended.map_err(|cause| Unwritten { lost: Some(compressed), cause })?;
        Ok(())
    }

    fn earlier(&mut self) -> EarlierFiles {
        std::mem::take(&mut self.earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filename::{Interval, wall_clock};
    use jiff::{Timestamp, tz::TimeZone};
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    fn framed(path: &Path, existing: Existing) -> FileSink {
        let frame: (Option<FrameText>, Option<FrameText>) =
            (Some(Box::new(|_| b"#fields\n".to_vec())), Some(Box::new(|_| b"#close\n".to_vec())));
        FileSink::open(path.to_owned().into(), existing, true, frame, None, Box::new(wall_clock)).unwrap()
    }

    #[test]
    fn files_that_are_opened_anew_stay_well_formed() {
        let folder = std::env::temp_dir().join(format!("weir-reopen-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let (path, moved) = (folder.join("a.log"), folder.join("a.log.1"));
        let mut sink = framed(&path, Existing::Overwrite);
        let read = |path| fs::read_to_string(path).unwrap();
        sink.reopen().unwrap();
        assert!(!path.exists(), "it has no line yet");
        sink.write(b"1\n").unwrap();
        sink.reopen().unwrap();
        sink.write(b"2\n").unwrap();
        assert_eq!(read(&path), "#fields\n1\n2\n", "nobody moved it");
        fs::rename(&path, &moved).unwrap();
        sink.reopen().unwrap();
        sink.write(b"3\n").unwrap();
        assert_eq!(
            (read(&moved).as_str(), read(&path).as_str()),
            ("#fields\n1\n2\n#close\n", "#fields\n3\n")
        );
        // `copytruncate` of logrotate.
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        sink.reopen().unwrap();
        sink.write(b"4\n").unwrap();
        assert_eq!(read(&path), "#fields\n4\n");
        // Somebody put another file there, which is not this run's to overwrite.
        fs::remove_file(&path).unwrap();
        fs::write(&path, "#fields\n0\n#close\n").unwrap();
        sink.reopen().unwrap();
        sink.write(b"5\n").unwrap();
        sink.finish().unwrap();
        assert_eq!(read(&path), "#fields\n0\n5\n#close\n");
        assert_eq!(sink.earlier().appended, Some(path));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_told_of_before_the_first_line() {
        let folder = std::env::temp_dir().join(format!("weir-in-the-way-{}", std::process::id()));
        let path = folder.join("conn.log");
        fs::create_dir_all(&path).unwrap();
        for lazy in [false, true] {
            let open = FileSink::open(
                path.clone().into(),
                Existing::Append,
                lazy,
                (None, None),
                None,
                Box::new(wall_clock),
            );
            assert_eq!(open.err().map(|error| error.kind()), Some(io::ErrorKind::IsADirectory), "{lazy}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_is_set_aside_need_not_be_opened() {
        let folder = std::env::temp_dir().join(format!("weir-read-only-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("conn.log");
        let (fits, differs) = ("#fields\n1\n", "#fields\tts\n1\n");
        let cases = [
            (Existing::Append, None, fits, false),
            (Existing::Append, None, differs, true),
            (Existing::Append, None, "", false),
            (Existing::Append, Some(6), fits, true),
            (Existing::Append, Some(6), "", false),
            (Existing::Overwrite, None, differs, false),
            (Existing::Overwrite, Some(6), fits, false),
        ];
        for (existing, gzip, text, expected) in cases {
            fs::write(&path, text).unwrap();
            let header: FrameText = Box::new(|_| b"#fields\n".to_vec());
            let name = path.clone().into();
            let sink = FileSink::open(name, existing, true, (Some(header), None), gzip, Box::new(wall_clock))
                .unwrap();
            assert_eq!(sink.sets_aside(), expected, "{existing:?} {gzip:?} {text}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn compressed_lines_are_written_when_they_are_in_the_file() {
        let folder = std::env::temp_dir().join(format!("weir-gzip-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let open = |path: PathBuf| {
            let existing = Existing::Overwrite;
            FileSink::open(path.into(), existing, true, (None, None), Some(6), Box::new(wall_clock)).unwrap()
        };
        let path = folder.join("a.log.gz");
        let mut sink = open(path.clone());
        sink.write(b"1\n2\n").unwrap();
        // One who follows the file can read them before it ends.
        let mut text = [0; 4];
        io::Read::read_exact(&mut flate2::read::GzDecoder::new(File::open(&path).unwrap()), &mut text)
            .unwrap();
        assert_eq!(&text, b"1\n2\n");
        sink.finish().unwrap();
        // Who reads them goes away: what was written is written, what is compressed since then is lost at the end.
        let pipe = folder.join("pipe.gz");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader =
            OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(&pipe).unwrap();
        let mut sink = open(pipe);
        sink.write(b"1\n").unwrap();
        drop(reader);
        let lost = |result: Result<(), Unwritten>| result.unwrap_err().lost;
        assert_eq!(lost(sink.write(b"2\n3\n")), Some(0), "they wait");
        assert_eq!(lost(sink.finish()), Some(2));
        // Lines that do not compress: a part of them is taken, the last of these in part, and lost with the file.
        let pipe = folder.join("other.gz");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader =
            OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(&pipe).unwrap();
        let mut sink = open(pipe);
        sink.write(b"1\n").unwrap();
        drop(reader);
        let mut number = 1_u64;
        let lines: String = (0..20_000)
            .map(|_| {
                number =
                    number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                format!("{number:x}\n")
            })
            .collect();
        let at_once = lost(sink.write(lines.as_bytes())).unwrap();
        assert!((1..20_000).contains(&at_once), "{at_once}");
        assert_eq!(sink.drain.begun(), 1);
        assert_eq!(lost(sink.finish()), Some(20_000 - at_once));
        assert_eq!((sink.compressed, sink.drain.begun()), (0, 0), "the next file has no part in them");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_follow_each_other_by_the_clock() {
        let folder = std::env::temp_dir().join(format!("weir-dated-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let time = Arc::new(AtomicI64::new(0));
        let clock = {
            let time = Arc::clone(&time);
            move || Timestamp::from_second(time.load(Ordering::Relaxed)).unwrap().to_zoned(TimeZone::UTC)
        };
        let open = |pattern: &str, rotation, existing| {
            let name = FileName::Dated { folder: folder.clone(), pattern: pattern.to_owned(), rotation };
            FileSink::open(name, existing, false, (None, None), None, Box::new(clock.clone())).unwrap()
        };
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let mut sink = open("%Y/eve-%d-%H.json", Some(Interval::Hour), Existing::Append);
        for (second, line) in
            [(0, "a\n"), (3599, "b\n"), (3600, "c\nd\n"), (3 * 3600 + 5, "e\n"), (30 * 3600, "f\n")]
        {
            time.store(second, Ordering::Relaxed);
            sink.write(line.as_bytes()).unwrap();
        }
        let names =
            ["1970/eve-01-00.json", "1970/eve-01-01.json", "1970/eve-01-03.json", "1970/eve-02-06.json"];
        assert_eq!(names.map(read), ["a\nb\n", "c\nd\n", "e\n", "f\n"]);
        assert_eq!(
            fs::read_dir(folder.join("1970")).unwrap().count(),
            4,
            "no file of an hour without records"
        );

        // Without an interval a name is looked for where logs are opened anew; what goes round comes upon its own.
        let mut sink = open("fast-%M.log", None, Existing::Overwrite);
        for (second, opened_anew, line) in
            [(0, false, "1\n"), (60, false, "2\n"), (61, true, "3\n"), (3600, true, "4\n")]
        {
            time.store(second + 60 * 3600, Ordering::Relaxed);
            if opened_anew {
                sink.reopen().unwrap();
            }
            sink.write(line.as_bytes()).unwrap();
        }
        assert_eq!([read("fast-00.log"), read("fast-01.log")], ["1\n2\n4\n", "3\n"]);

        // A folder that cannot be made loses the lines that came for it, and no others.
        time.store(60 * 3600, Ordering::Relaxed);
        let mut sink = open("%H/stats.log", Some(Interval::Hour), Existing::Append);
        fs::write(folder.join("13"), "in the way").unwrap();
        time.store(61 * 3600, Ordering::Relaxed);
        assert_eq!(sink.write(b"lost\n").unwrap_err().lost, None, "all of them");
        fs::remove_file(folder.join("13")).unwrap();
        sink.write(b"kept\n").unwrap();
        assert_eq!((read("12/stats.log").as_str(), read("13/stats.log").as_str()), ("", "kept\n"));
        fs::remove_dir_all(folder).unwrap();
    }
}
