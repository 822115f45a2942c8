//! A file, made with its folder when it is opened or when its first line comes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;

use weir_base::Timestamp;

use super::drain::Drain;
use super::{Sink, Unwritten};
use crate::outlet::FrameText;
use crate::rotation;

/// A file that lines are added to.
pub(super) struct FileSink {
    path: PathBuf,
    append: bool,
    header: Option<FrameText>,
    footer: Option<FrameText>,
    gzip: Option<u32>,
    file: Option<Open>,
    drain: Drain,
}

/// An open file.
enum Open {
    Plain(File),
    Gzip(Box<GzEncoder<File>>),
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
        append: bool,
        lazy: bool,
        header: Option<FrameText>,
        footer: Option<FrameText>,
        gzip: Option<u32>,
    ) -> io::Result<Self> {
        let mut sink = Self { path, append, header, footer, gzip, file: None, drain: Drain::default() };
        if !lazy {
            sink.create(append)?;
        }
        Ok(sink)
    }

    fn create(&mut self, append: bool) -> io::Result<&mut Open> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(append).write(true).truncate(!append);
        let file = options.open(&self.path)?;
        let empty = file.metadata()?.len() == 0;
        let open = match self.gzip {
            Some(level) => Open::Gzip(Box::new(GzEncoder::new(file, Compression::new(level.min(9))))),
            None => Open::Plain(file),
        };
        let file = self.file.insert(open);
        if let Some(header) = &self.header
            && empty
        {
            file.write_all(&header(clock()))?;
        }
        Ok(file)
    }
}

/// The wall clock in seconds: files say when they were opened, not when packets were captured.
fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |span| span.as_secs())
}

impl Sink for FileSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        if self.file.is_none() {
            self.create(self.append)?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        self.drain.write(file, lines, &mut || false).map_err(|stop| stop.lost(0))
    }

    fn reopen(&mut self) -> Result<(), Unwritten> {
        if self.file.is_none() {
            return Ok(());
        }
        let result = self.finish();
        self.create(true)?;
        result
    }

    fn set_aside(&mut self, opened: Timestamp) -> Result<(), Unwritten> {
        let result = self.finish();
        if self.file.take().is_some() {
            fs::rename(&self.path, rotation::set_aside(&self.path, opened))?;
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
}
