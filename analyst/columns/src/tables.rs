//! The tables of a run.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::PathBuf;

use memchr::memmem;

use crate::column::Kind;
use crate::file::{FileSettings, folder_name, hour_name};
use crate::table::{Failure, Table, and};

/// Tables; records of further types come into the table `other`.
const MOST_TABLES: usize = 256;
/// Bytes of all files together that wait in memory until a group of rows is whole.
const MOST_MEMORY: usize = 64 * 1024 * 1024;
/// The member of a record of EVE that says its table.
const EVENT_TYPE: &[u8] = b"\"event_type\":\"";

/// A table with its columns, which all records belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub table: String,
    /// Names and types.
    pub columns: Vec<(String, Kind)>,
}

/// Where records go.
#[derive(Clone, Debug)]
pub struct TablesSettings {
    /// The folder of all tables of all schemas.
    pub folder: PathBuf,
    /// `eve` or `zeek`.
    pub schema: &'static str,
    /// The only table; where there is none, records say theirs by their `event_type`.
    pub declared: Option<Declared>,
    /// Size and compression of files.
    pub files: FileSettings,
}

/// The tables that lines are written to.
pub struct Tables {
    settings: TablesSettings,
    tables: Vec<Table>,
    /// Their names, as records say them; so few that looking through them is quicker than a hash.
    names: Vec<String>,
    event_type: memmem::Finder<'static>,
    /// Name of the files of this hour.
    hour: String,
}

impl Tables {
    /// No table has a file before its first row.
    pub fn new(settings: TablesSettings) -> Self {
        let mut tables = Self {
            settings,
            tables: Vec::new(),
            names: Vec::new(),
            event_type: memmem::Finder::new(EVENT_TYPE),
            hour: hour_name(0),
        };
        if let Some(declared) = tables.settings.declared.take() {
            tables.add(&declared.table, &declared.columns);
        }
        tables
    }

    fn add(&mut self, name: &str, columns: &[(String, Kind)]) -> usize {
        let place = self.tables.len();
        let schema = self.settings.schema;
        let folder = self.settings.folder.join(schema).join(folder_name(name));
        self.tables.push(Table::new(format!("{schema}.{name}"), folder, columns));
        self.names.push(name.to_owned());
        place
    }

    /// The lines that follow are of the hour of this time, in seconds since 1970.
    pub fn at(&mut self, seconds: u64) {
        self.hour = hour_name((seconds / 3600) as i64);
    }

    /// Takes whole lines.
    pub fn lines(&mut self, lines: &[u8]) -> Result<(), Failure> {
        let mut result = Ok(());
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', lines).chain([lines.len()]) {
            let line = lines.get(begin..end).unwrap_or_default();
            begin = end + 1;
            if !line.is_empty() {
                result = and(result, self.line(line));
            }
        }
        and(result, self.bound_memory())
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Failure> {
        // There may be a word before the record.
        let start = memchr::memchr(b'{', line).unwrap_or(0);
        let line = line.get(start..).unwrap_or_default();
        let text = match std::str::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(line),
        };
        let text = &*text;
        let place = if self.settings.schema == "eve" { self.place_of(text) } else { 0 };
        match self.tables.get_mut(place) {
            Some(table) => table.record(text, &self.hour, &self.settings.files),
            None => Ok(()),
        }
    }

    /// The table of a record. Quotes within texts stand behind a backslash, so that none looks like the member.
    fn place_of(&mut self, line: &str) -> usize {
        let after = self.event_type.find(line.as_bytes()).and_then(|at| line.get(at + EVENT_TYPE.len()..));
        let name = after.and_then(|after| after.split('"').next()).unwrap_or("other");
        let place = |name: &str| self.names.iter().position(|known| known == name);
        if let Some(place) = place(name) {
            return place;
        }
        let name = if self.tables.len() < MOST_TABLES { name } else { "other" };
        match place(name) {
            Some(place) => place,
            None => self.add(name, &[]),
        }
    }

    /// Writes groups of rows before they are whole, the largest first, where all together are too many.
    fn bound_memory(&mut self) -> Result<(), Failure> {
        while self.tables.iter().map(Table::in_memory).sum::<usize>() > MOST_MEMORY {
            let Some(largest) = self.tables.iter_mut().max_by_key(|table| table.in_memory()) else { break };
            largest.shrink()?;
        }
        Ok(())
    }

    /// Ends all files.
    pub fn close(&mut self) -> Result<(), Failure> {
        let close = |table: &mut Table| table.close(&self.hour, &self.settings.files);
        self.tables.iter_mut().map(close).fold(Ok(()), and)
    }

    /// Removes files that earlier runs left in the tables.
    pub fn clear(&self) -> io::Result<()> {
        let schema = self.settings.folder.join(self.settings.schema);
        let Ok(folders) = fs::read_dir(schema) else { return Ok(()) };
        for folder in folders {
            let folder = folder?;
            let is_own = self.settings.schema == "eve"
                || self.names.iter().any(|name| *folder_name(name) == *folder.file_name());
            let files = if is_own { fs::read_dir(folder.path()).ok() } else { None };
            for file in files.into_iter().flatten() {
                let path = file?.path();
                if path.extension().is_some_and(|extension| extension == "parquet" || extension == "part") {
                    fs::remove_file(path)?;
                }
            }
        }
        Ok(())
    }
}
