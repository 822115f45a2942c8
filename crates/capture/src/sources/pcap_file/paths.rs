//! The capture files that paths on the command line stand for.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::compression::Compression;
use super::record::{Format, MAGIC_LENGTH};
use super::zip::{self, ArchivedCaptures};
use super::{PcapFile, STANDARD_INPUT, open_file};
use crate::filter::PacketFilter;
use crate::{CommentReading, Folders, Request, Source, SourceError};

/// Deepest nesting of directories that is followed.
const MAX_DEPTH: usize = 64;

/// The files that `paths` stand for: a file stands for itself, a directory for the capture files
/// in it and perhaps below it, in the order of their last change, then by name, as a rotating capture writes them.
/// Other files in a directory are left out. A path that cannot be looked at is an error in its place, and the others
/// are listed all the same.
pub(super) fn list_paths(paths: &[PathBuf], folders: Folders) -> Vec<Result<PathBuf, SourceError>> {
    let mut listed = Vec::new();
    for path in paths {
        if path == Path::new(STANDARD_INPUT) || !path.is_dir() {
            listed.push(Ok(path.clone()));
            continue;
        }
        let before = listed.len();
        let depth = match folders {
            Folders::Themselves => 0,
            Folders::Below => MAX_DEPTH,
        };
        list_directory(path, depth, &mut listed);
        if listed.len() == before {
            listed.push(Err(SourceError::NoCaptures { path: path.clone() }));
        }
    }
    listed
}

/// Opens the files that are asked for, one after another, each with a filter of its own. A ZIP archive stands for the
/// captures in it.
#[derive(Debug)]
pub(super) struct OpenPaths {
    listed: std::vec::IntoIter<Result<PathBuf, SourceError>>,
    /// The archive that is read.
    archive: Option<ArchivedCaptures>,
    filter: Option<PacketFilter>,
    comments: CommentReading,
}

impl OpenPaths {
    pub(super) fn new(request: &Request) -> Self {
        let listed = list_paths(&request.names, request.folders).into_iter();
        Self { listed, archive: None, filter: request.filter.clone(), comments: request.comments }
    }

    fn next_capture(&mut self) -> Option<Result<PcapFile, SourceError>> {
        loop {
            if let Some(archive) = &mut self.archive {
                match archive.next() {
                    Some(capture) => return Some(capture),
                    None => self.archive = None,
                }
            }
            match self.listed.next()?.and_then(|path| open(&path, self.filter.clone())) {
                Ok(Opened::Capture(capture)) => return Some(Ok(*capture)),
                Ok(Opened::Archive(archive)) => self.archive = Some(archive),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Iterator for OpenPaths {
    type Item = Result<Box<dyn Source>, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let opened = self.next_capture()?;
        Some(opened.map(|capture| Box::new(capture.with_comments(self.comments)) as Box<dyn Source>))
    }
}

/// Captures at a path.
enum Opened {
    Capture(Box<PcapFile>),
    Archive(ArchivedCaptures),
}

/// A ZIP archive is recognised by its first bytes where they can be read twice: in a file, on standard input as well.
fn open(path: &Path, filter: Option<PacketFilter>) -> Result<Opened, SourceError> {
    let (path, mut file) = open_file(path)?;
    if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        let mut magic = Vec::with_capacity(MAGIC_LENGTH);
        let begun = file.stream_position();
        let read = begun.and_then(|begun| {
            file.by_ref().take(MAGIC_LENGTH as u64).read_to_end(&mut magic)?;
            file.seek(io::SeekFrom::Start(begun))
        });
        if let Err(reason) = read {
            return Err(SourceError::Read { path, offset: 0, reason });
        }
        if magic == zip::LOCAL_HEADER {
            return Ok(Opened::Archive(ArchivedCaptures::new(path, Box::new(file), filter)));
        }
    }
    PcapFile::from_file(path, file, filter).map(|capture| Opened::Capture(Box::new(capture)))
}

fn list_directory(directory: &Path, depth: usize, listed: &mut Vec<Result<PathBuf, SourceError>>) {
    let mut files = Vec::new();
    let mut directories = Vec::new();
    let entries = match fs::read_dir(directory).and_then(|entries| entries.collect::<io::Result<Vec<_>>>()) {
        Ok(entries) => entries,
        Err(reason) => {
            listed.push(Err(SourceError::Open { path: directory.to_path_buf(), reason }));
            return;
        }
    };
    for entry in entries {
        let path = entry.path();
        // Links to directories are not followed: they could lead round in a circle.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            directories.push(path);
        } else if let Ok(metadata) = fs::metadata(&path)
            && metadata.is_file()
            && may_be_capture(&path)
        {
            files.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
    files.sort();
    listed.extend(files.into_iter().map(|(_, path)| Ok(path)));
    if let Some(depth) = depth.checked_sub(1) {
        directories.sort();
        for below in directories {
            list_directory(&below, depth, listed);
        }
    }
}

/// Whether a file begins like a capture. One that cannot be read may be one: opening it will say
/// why not.
fn may_be_capture(path: &Path) -> bool {
    let Ok(mut file) = File::open(path) else { return true };
    let mut magic = Vec::with_capacity(MAGIC_LENGTH);
    if file.by_ref().take(MAGIC_LENGTH as u64).read_to_end(&mut magic).is_err() {
        return true;
    }
    let is_archive = magic == zip::LOCAL_HEADER;
    let compression = Compression::detect(&magic);
    if compression.is_none() && !is_archive {
        return is_capture(&magic);
    }
    let whole = Box::new(io::Cursor::new(magic).chain(file));
    let Some(compression) = compression else { return zip::may_have_captures(path, whole) };
    let mut inside = Vec::with_capacity(MAGIC_LENGTH);
    match compression.decoder(whole) {
        Ok(decoder) => {
            let read = decoder.take(MAGIC_LENGTH as u64).read_to_end(&mut inside);
            read.is_ok() && is_capture(&inside)
        }
        Err(_) => false,
    }
}

fn is_capture(beginning: &[u8]) -> bool {
    beginning.first_chunk().is_some_and(|magic| Format::detect(*magic).is_some())
}
