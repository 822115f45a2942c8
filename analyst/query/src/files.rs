//! Finds logs: files are known by what is in them, not by their names.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::zeek::Header;

/// Folders within folders that are looked into at most.
const DEEPEST: usize = 16;
/// Files that are looked at most, so that a folder of everything ends.
pub const MOST_FILES: usize = 100_000;
/// Bytes at the beginning of a file that say what it is.
const LOOKED_AT: usize = 64 * 1024;

/// Content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// EVE: a JSON object a line, each with its `event_type`.
    Eve,
    /// A log of Zeek as JSON, a row a line, of this table.
    ZeekJson(String),
    /// A log of Zeek as separated values, of this table.
    ZeekTsv(String),
    /// Columns in Apache Parquet, of this table.
    Parquet(TableName),
}

/// Name of a table: those of Suricata's language and those of Zeek are kept apart, as many bear the same name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableName {
    /// The schema: `eve`, `zeek` or `files`.
    pub schema: String,
    /// The name in it.
    pub table: String,
}

impl TableName {
    /// Puts a name together.
    pub fn new(schema: &str, table: impl Into<String>) -> Self {
        Self { schema: schema.to_owned(), table: table.into() }
    }
}

/// A file with records.
#[derive(Clone, Debug)]
pub struct LogFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub kind: Kind,
    /// It is compressed by gzip, so that it can be read from its beginning alone.
    pub compressed: bool,
    /// Bytes of it that are read: those that were there when it was found.
    pub length: u64,
}

/// Files that were found, and those that were left out.
#[derive(Debug, Default)]
pub struct Found {
    /// Those with records, in the order of their names.
    pub logs: Vec<LogFile>,
    /// Those that hold no records that are known.
    pub others: usize,
    /// Those that cannot be read, each with a sentence.
    pub unreadable: Vec<String>,
}

/// Finds the logs that are named, and those in folders that are named.
pub fn find(paths: &[PathBuf]) -> Found {
    let mut found = Found::default();
    for path in paths {
        walk(path, 0, true, &mut found);
    }
    found.logs.sort_by(|a, b| a.path.cmp(&b.path));
    found.logs.dedup_by(|a, b| a.path == b.path);
    found
}

fn walk(path: &Path, depth: usize, named: bool, found: &mut Found) {
    if found.logs.len() + found.others >= MOST_FILES {
        return;
    }
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return found.unreadable.push(format!("{} cannot be read: {error}.", path.display())),
    };
    if metadata.is_dir() {
        // Links to folders may lead in circles.
        let is_link = std::fs::symlink_metadata(path).is_ok_and(|link| link.file_type().is_symlink());
        if depth > DEEPEST || (is_link && !named) {
            return;
        }
        match std::fs::read_dir(path) {
            Ok(entries) => {
                let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
                paths.sort();
                paths.iter().for_each(|path| walk(path, depth + 1, false, found));
            }
            Err(error) => found.unreadable.push(format!("{} cannot be read: {error}.", path.display())),
        }
    } else if metadata.is_file() {
        match recognise(path) {
            Ok(Some((kind, compressed))) => {
                found.logs.push(LogFile { path: path.to_owned(), kind, compressed, length: metadata.len() });
            }
            Ok(None) if named && metadata.len() > 0 => found.unreadable.push(format!(
                "{} holds no records that are known: EVE, Zeek's logs or Parquet.",
                path.display()
            )),
            Ok(None) => found.others += 1,
            Err(error) => found.unreadable.push(format!("{} cannot be read: {error}.", path.display())),
        }
    }
}

/// Objects of JSON at the start of a file that tell what it holds: what was cut off begins or ends within a record.
const FIRST_LINES: usize = 4;

/// Returns the content of a file and whether it is compressed; none where it holds no records.
fn recognise(path: &Path) -> io::Result<Option<(Kind, bool)>> {
    let mut start = first_bytes(File::open(path)?)?;
    let compressed = start.starts_with(&[0x1f, 0x8b]);
    if compressed {
        start = first_bytes(MultiGzDecoder::new(File::open(path)?)).unwrap_or_default();
    }
    if start.starts_with(b"PAR1") {
        return Ok(crate::parquet_files::table_of(path).map(|table| (Kind::Parquet(table), false)));
    }
    if let Some(header) = Header::at_start(&start) {
        return Ok(Some((Kind::ZeekTsv(header.path), compressed)));
    }
    let lines = start.split(|byte| *byte == b'\n').filter(|line| line.trim_ascii_start().starts_with(b"{"));
    Ok(lines.take(FIRST_LINES).find_map(|line| kind_of(line, path)).map(|kind| (kind, compressed)))
}

/// Returns the content of a file of which this is a line.
fn kind_of(line: &[u8], path: &Path) -> Option<Kind> {
    if crate::eve::event_type(line).is_some() {
        return Some(Kind::Eve);
    }
    // Zeek's rows have a time; anything else in JSON is somebody else's.
    let is_row = memchr::memmem::find(line, b"\"ts\":").is_some()
        || memchr::memmem::find(line, b"\"_path\":").is_some();
    is_row.then(|| Kind::ZeekJson(stem(path)))
}

/// Returns bytes of a file from an offset, as many as a head may have.
pub fn bytes_at(path: &Path, offset: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    first_bytes(file).ok()
}

fn first_bytes(from: impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    from.take(LOOKED_AT as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// `conn` of `conn.2024-01-31-00-00-00.log.gz`
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    let word: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if word.is_empty() { "records".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let cases: [(&str, &str, Option<Kind>); 7] = [
            (
                "cut",
                "estamp\":\"x\",\"event_type\":\"dns\"}\n{\"timest\n{\"event_type\":\"dns\"}\n",
                Some(Kind::Eve),
            ),
            ("a", "{\"timestamp\":\"x\",\"event_type\":\"dns\"}\n", Some(Kind::Eve)),
            ("conn.2024-01-31.log", "{\"ts\":1.5,\"uid\":\"C\"}\n", Some(Kind::ZeekJson("conn".into()))),
            (
                "b.txt",
                "#separator \\x09\n#path\thttp\n#fields\tts\n#types\ttime\n1.0\n",
                Some(Kind::ZeekTsv("http".into())),
            ),
            ("c.json", "{\"a\":1}\n", None),
            ("d", "PAR1 and no more", None),
            ("e.log", "", None),
        ];
        for (name, text, expected) in cases {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            assert_eq!(recognise(&path).unwrap().map(|(kind, _)| kind), expected, "{name}");
        }
        let found =
            find(&[folder.path().to_owned(), folder.path().join("none"), folder.path().join("c.json")]);
        assert_eq!((found.logs.len(), found.others), (4, 3));
        assert_eq!(found.unreadable.len(), 2, "{:?}", found.unreadable);
    }
}
