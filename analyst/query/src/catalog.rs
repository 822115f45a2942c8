//! Tables that files hold: found by a first look, their columns by a second one when a query names them.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde::de::DeserializeSeed;

use crate::blocks::{Blocks, Part, each_part};
use crate::eve;
use crate::files::{self, Kind as FileKind, TableName};
use crate::kinds::{Kind, Look};
use crate::remarks::Remarks;
use crate::schema::{TableColumn, flatten};
use crate::table::{Form, LinesTable, Piece};
use crate::zeek::Header;

/// Types of records at most; lines of others are left out and told of.
const MOST_TYPES: usize = 1000;

/// All tables of some files.
pub struct Catalog {
    lines: BTreeMap<TableName, LinesSource>,
    parquet: BTreeMap<TableName, Vec<PathBuf>>,
    threads: usize,
    /// What could not be read.
    pub remarks: Arc<Remarks>,
    /// Sentences about files that were named and hold nothing.
    pub unreadable: Vec<String>,
    /// Columns that were looked for.
    known: Mutex<HashMap<TableName, Vec<TableColumn>>>,
}

/// Where the lines of a table are.
#[derive(Default)]
struct LinesSource {
    pieces: Vec<Piece>,
    rows: u64,
}

/// A table in a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: TableName,
    /// Its rows.
    pub rows: u64,
}

/// What a first look at a part of a file sees.
#[derive(Default)]
struct Seen {
    /// Records by type, or rows under no name.
    rows: HashMap<String, u64>,
    heads: Vec<(u64, Header)>,
}

impl Catalog {
    /// Looks at files and folders, by as many threads.
    pub fn open(paths: &[PathBuf], threads: usize) -> Self {
        let found = files::find(paths);
        let mut catalog = Self {
            lines: BTreeMap::new(),
            parquet: BTreeMap::new(),
            threads: threads.max(1),
            remarks: Arc::default(),
            unreadable: found.unreadable,
            known: Mutex::default(),
        };
        let mut lines = Vec::new();
        for log in found.logs {
            match &log.kind {
                FileKind::Parquet(name) => catalog.parquet.entry(name.clone()).or_default().push(log.path),
                _ => lines.push(Arc::new(log)),
            }
        }
        let parts = Part::of_files(&lines);
        let seen = each_part(&parts, catalog.threads, |part| catalog.look(part));
        let mut heads: HashMap<PathBuf, Vec<(u64, Header)>> = HashMap::new();
        for (part, seen) in parts.iter().zip(&seen) {
            heads.entry(part.file.path.clone()).or_default().extend(seen.heads.iter().cloned());
        }
        let heads: HashMap<PathBuf, Arc<Vec<(u64, Header)>>> =
            heads.into_iter().map(|(path, heads)| (path, Arc::new(heads))).collect();
        for (part, seen) in parts.into_iter().zip(seen) {
            let mut rows: Vec<_> = seen.rows.into_iter().collect();
            rows.sort();
            for (name, rows) in rows {
                let (name, form) = match &part.file.kind {
                    FileKind::Eve => (TableName::new("eve", &*name), Form::Eve(name)),
                    FileKind::ZeekTsv(name) => {
                        let heads = heads.get(&part.file.path).cloned().unwrap_or_default();
                        (TableName::new("zeek", name), Form::Tsv(heads))
                    }
                    FileKind::ZeekJson(name) => (TableName::new("zeek", name), Form::Json),
                    FileKind::Parquet(_) => continue,
                };
                let source = catalog.lines.entry(name).or_default();
                source.pieces.push(Piece { part: part.clone(), form });
                source.rows += rows;
            }
        }
        catalog
    }

    /// Counts the rows of a part by table, and reads the heads in it.
    fn look(&self, part: &Part) -> Seen {
        let mut seen = Seen::default();
        self.each_block(part, &mut |offset, lines| match part.file.kind {
            FileKind::Eve => self.look_at_records(part, offset, lines, &mut seen),
            FileKind::ZeekTsv(_) => look_at_rows(part, offset, lines, &mut seen),
            _ => *seen.rows.entry(String::new()).or_default() += rows_in(lines),
        });
        seen
    }

    fn look_at_records(&self, part: &Part, mut offset: u64, lines: &[u8], seen: &mut Seen) {
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let start = offset;
            offset += line.len() as u64;
            match eve::event_type(line) {
                Some(kind) => {
                    if let Some(rows) = seen.rows.get_mut(kind) {
                        *rows += 1;
                    } else if seen.rows.len() < MOST_TYPES {
                        seen.rows.insert(kind.to_owned(), 1);
                    } else {
                        self.remarks.no_record(&part.file.path, start);
                    }
                }
                None if line.trim_ascii().is_empty() => {}
                None => self.remarks.no_record(&part.file.path, start),
            }
        }
    }

    /// Gives all lines of a part, and tells where it cannot be read to its end.
    fn each_block(&self, part: &Part, take: &mut dyn FnMut(u64, &[u8])) {
        let mut read = || -> io::Result<()> {
            let mut blocks = Blocks::open(part)?;
            while let Some((offset, lines)) = blocks.next()? {
                take(offset, lines);
            }
            self.remarks.too_long(blocks.too_long);
            Ok(())
        };
        if let Err(error) = read() {
            self.remarks.unreadable(&part.file.path, &error);
        }
    }

    /// Lists the tables.
    pub fn tables(&self) -> Vec<Listed> {
        let lines = self.lines.iter().map(|(name, source)| (name, source.rows));
        let parquet = self.parquet.iter().map(|(name, files)| (name, crate::parquet_files::rows_of(files)));
        let mut all: BTreeMap<TableName, u64> = BTreeMap::new();
        for (name, rows) in lines.chain(parquet) {
            *all.entry(name.clone()).or_default() += rows;
        }
        all.into_iter().map(|(name, rows)| Listed { name, rows }).collect()
    }

    /// Returns the tables that a word of a query means: `dns`, `zeek.dns`. Of tables of the same name that of EVE comes
    /// first, then Zeek's.
    pub fn named(&self, schema: Option<&str>, table: &str) -> Option<TableName> {
        let schemas: &[&str] = if let Some(schema) = &schema { &[schema] } else { &["eve", "zeek", "files"] };
        let names = schemas.iter().map(|schema| TableName::new(schema, table));
        names.into_iter().find(|name| self.lines.contains_key(name) || self.parquet.contains_key(name))
    }

    /// The Parquet files of a table.
    pub fn parquet_files(&self, name: &TableName) -> &[PathBuf] {
        self.parquet.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns a table over the lines of a name, where there are any.
    pub fn lines_table(&self, name: &TableName) -> Option<LinesTable> {
        let source = self.lines.get(name)?;
        let columns = self.columns(name, source);
        Some(LinesTable::new(columns, source.pieces.clone(), self.threads, self.remarks.clone()))
    }

    /// Returns the columns of a table, found by looking at all of its rows.
    fn columns(&self, name: &TableName, source: &LinesSource) -> Vec<TableColumn> {
        if let Some(columns) = self.known.lock().ok().and_then(|known| known.get(name).cloned()) {
            return columns;
        }
        let parts: Vec<Part> = source.pieces.iter().map(|piece| piece.part.clone()).collect();
        let forms: HashMap<(PathBuf, u64), &Form> =
            source.pieces.iter().map(|p| ((p.part.file.path.clone(), p.part.start), &p.form)).collect();
        let kinds = each_part(&parts, self.threads, |part| {
            let form = forms.get(&(part.file.path.clone(), part.start));
            form.map_or(Kind::None, |form| self.kind_of(part, form))
        });
        let mut kind = kinds.into_iter().fold(Kind::None, Kind::or);
        if let (Kind::Object(members), "zeek") = (&mut kind, name.schema.as_str()) {
            // Zeek's times are seconds.
            members.entry("ts".to_owned()).and_modify(|kind| {
                if matches!(kind, Kind::Int { .. } | Kind::Float) {
                    *kind = Kind::Time;
                }
            });
        }
        let columns = flatten(&kind);
        if let Ok(mut known) = self.known.lock() {
            known.insert(name.clone(), columns.clone());
        }
        columns
    }

    /// Returns the type of the rows of a part.
    fn kind_of(&self, part: &Part, form: &Form) -> Kind {
        let mut kind = Kind::None;
        if let Form::Tsv(headers) = form {
            // One head may hold for many parts.
            let members = headers.iter().flat_map(|(_, header)| &header.columns);
            for (name, column) in members {
                kind.widen(Kind::Object([(name.clone(), column.clone())].into_iter().collect()));
            }
            return kind;
        }
        self.each_block(part, &mut |mut offset, lines| {
            for line in lines.split_inclusive(|byte| *byte == b'\n') {
                let start = offset;
                offset += line.len() as u64;
                let is_row = match form {
                    Form::Eve(name) => eve::event_type(line) == Some(name),
                    _ => !line.trim_ascii().is_empty(),
                };
                if is_row {
                    let mut from = serde_json::Deserializer::from_slice(line);
                    let looked = Look(&mut kind).deserialize(&mut from).and_then(|()| from.end());
                    if looked.is_err() {
                        self.remarks.cut(&part.file.path, start);
                    }
                }
            }
        });
        kind
    }
}

fn rows_in(lines: &[u8]) -> u64 {
    lines.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count() as u64
}

/// Counts rows of separated values, and reads heads.
fn look_at_rows(part: &Part, offset: u64, lines: &[u8], seen: &mut Seen) {
    let mut rows = 0;
    let mut at = 0;
    let mut in_head = false;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let is_head = line.starts_with(b"#");
        if is_head && !in_head && line.starts_with(b"#separator") {
            let place = offset + start as u64;
            // The block may end within the head.
            let again = if part.file.compressed { None } else { files::bytes_at(&part.file.path, place) };
            let head = again.as_deref().or(lines.get(start..)).and_then(Header::at_start);
            seen.heads.extend(head.map(|head| (place, head)));
        }
        in_head = is_head;
        rows += u64::from(!is_head && !line.trim_ascii().is_empty());
    }
    *seen.rows.entry(String::new()).or_default() += rows;
}
