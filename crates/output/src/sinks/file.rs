//! A file, made with its folder when it is opened or when its first line comes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;

use weir_base::Timestamp;

use super::drain::Drain;
use super::earlier::{self, Earlier, End};
use super::{Sink, Unwritten};
use crate::outlet::{Existing, FrameText};
use crate::rotation;
use crate::writer::EarlierFiles;

/// A file that lines are added to.
pub(super) struct FileSink {
    path: PathBuf,
    existing: Existing,
    header: Option<FrameText>,
    footer: Option<FrameText>,
    gzip: Option<u32>,
    file: Option<Open>,
    /// A file was made: any further one is added to where it is there.
    made: bool,
    drain: Drain,
    earlier: EarlierFiles,
}

/// An open file.
enum Open {
    Plain(File),
    Gzip(Box<GzEncoder<File>>),
}

/// The file at a path, for who has one open.
enum AtPath {
    /// The same one.
    Same,
    /// The same one, and somebody took all out of it.
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
        path: PathBuf,
        existing: Existing,
        lazy: bool,
        (header, footer): (Option<FrameText>, Option<FrameText>),
        gzip: Option<u32>,
    ) -> io::Result<Self> {
        let mut sink = Self {
            path,
            existing,
            header,
            footer,
            gzip,
            file: None,
            made: false,
            drain: Drain::default(),
            earlier: EarlierFiles::default(),
        };
        if !lazy {
            sink.create()?;
        } else if existing == Existing::Clear && sink.path.is_file() {
            fs::remove_file(&sink.path)?;
        }
        Ok(sink)
    }

    fn create(&mut self) -> io::Result<&mut Open> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let header = self.header.as_ref().map(|header| header(clock())).unwrap_or_default();
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

    /// Looks at the file that is there: how it ends, if lines can be added. Else it is set aside.
    fn join(&mut self, header: &[u8]) -> io::Result<End> {
        let found = match Earlier::look(&self.path, header) {
            // What compresses begins at the beginning, and may have ended anywhere.
            Earlier::Fits(_) if self.gzip.is_some() => Earlier::Differs,
            found => found,
        };
        match found {
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

    /// What is at the path by now.
    fn at_path(&self, open: &Open) -> AtPath {
        let (Ok(there), Ok(own)) = (fs::metadata(&self.path), open.file().metadata()) else {
            return AtPath::Other;
        };
        match (there.dev(), there.ino()) == (own.dev(), own.ino()) {
            true if own.is_file() && own.len() == 0 => AtPath::Emptied,
            true => AtPath::Same,
            false => AtPath::Other,
        }
    }
}

/// The wall clock in seconds: files say when they were opened, not when packets were captured.
fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |span| span.as_secs())
}

impl Sink for FileSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        if self.file.is_none() {
            self.create()?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        self.drain.write(file, lines, &mut || false).map_err(|stop| stop.lost(0))
    }

    /// Goes on in the same file where nobody moved it away.
    fn reopen(&mut self) -> Result<(), Unwritten> {
        let Some(open) = &self.file else { return Ok(()) };
        let result = match self.at_path(open) {
            AtPath::Same => return Ok(()),
            AtPath::Emptied => match self.drain.give_up() {
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
            return Err(stop.lost(self.drain.give_up()));
        }
        if let Some(footer) = &self.footer {
            file.write_all(&footer(clock()))?;
        }
        if let Open::Gzip(encoder) = file {
            encoder.try_finish()?;
        }
        Ok(())
    }

    fn earlier(&mut self) -> EarlierFiles {
        std::mem::take(&mut self.earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(path: &std::path::Path, existing: Existing) -> FileSink {
        let frame: (Option<FrameText>, Option<FrameText>) =
            (Some(Box::new(|_| b"#fields\n".to_vec())), Some(Box::new(|_| b"#close\n".to_vec())));
        FileSink::open(path.to_owned(), existing, true, frame, None).unwrap()
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
}
