//! Files that scripts have extracted, each up to a limit; what is missing is a hole.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};

use super::analyzers::{Change, Going};
use crate::values::Value;
use crate::vm::{Engine, Outcome};

/// Where a piece is written at most, whatever the limit: what is before it would be a file as long.
const FARTHEST: u64 = 1 << 40;

/// A file that is written.
pub(super) struct Extraction {
    file: File,
    /// Zero for none.
    limit: u64,
    /// What is missing counts.
    counts_missing: bool,
    /// Where the next byte is written.
    at: u64,
    /// Bytes that count for the limit.
    written: u64,
    arguments: Value,
}

impl Extraction {
    /// Creates the file; none where it has no name or cannot be created.
    pub(super) fn new(
        engine: &mut Engine,
        name: &Value,
        (limit, counts_missing): (u64, bool),
        arguments: Value,
    ) -> Option<Self> {
        let name = name.text();
        if name.is_empty() {
            return None;
        }
        match File::create(&name) {
            Ok(file) => Some(Self { file, limit, counts_missing, at: 0, written: 0, arguments }),
            Err(error) => {
                engine.report("error", "", &format!("cannot open {name} for writing: {error}"));
                None
            }
        }
    }

    pub(super) const fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Writes bytes that are next.
    pub(super) fn stream(
        &mut self,
        engine: &mut Engine,
        file: &Value,
        key: &[u8],
        bytes: &[u8],
    ) -> Outcome<Going> {
        let room = self.room(engine, file, key, bytes.len() as u64)?;
        let shown = usize::try_from(room).ok().and_then(|room| bytes.get(..room)).unwrap_or(bytes);
        let is_cut = shown.len() < bytes.len();
        let is_far = self.at.saturating_add(shown.len() as u64) > FARTHEST;
        if is_far || self.file.write_all(shown).is_err() {
            return Ok(Going::Ends);
        }
        self.at = self.at.saturating_add(shown.len() as u64);
        self.written = self.written.saturating_add(shown.len() as u64);
        Ok(if is_cut { Going::Ends } else { Going::On })
    }

    /// Leaves a hole.
    pub(super) fn gap(
        &mut self,
        engine: &mut Engine,
        file: &Value,
        key: &[u8],
        (offset, length): (u64, u64),
    ) -> Outcome<Going> {
        if self.counts_missing {
            if self.room(engine, file, key, length)? < length {
                return Ok(Going::Ends);
            }
            self.written = self.written.saturating_add(length);
        }
        self.at = offset.saturating_add(length);
        let is_far = self.at > FARTHEST;
        Ok(if is_far || self.file.seek(SeekFrom::Start(self.at)).is_err() { Going::Ends } else { Going::On })
    }

    /// Returns how many bytes there is room for; scripts may move the limit where there is too little.
    fn room(&mut self, engine: &mut Engine, file: &Value, key: &[u8], length: u64) -> Outcome<u64> {
        if self.free() >= length {
            return Ok(length);
        }
        let rest = [self.arguments.clone(), Value::Count(self.limit), Value::Count(length)];
        let arguments: Vec<Value> = [file.clone()].into_iter().chain(rest).collect();
        let Value::Record(record) = file else { return Ok(self.free()) };
        let id = engine.field(record, "id");
        if !engine.frameworks.files.is_ignored(id.bytes())
            && engine.raise_named("file_extraction_limit", arguments)
        {
            engine.drain()?;
            self.take_limit(engine, id.bytes(), key);
        }
        Ok(self.free().min(length))
    }

    /// Takes the limit that scripts have just set.
    fn take_limit(&mut self, engine: &mut Engine, id: &[u8], key: &[u8]) {
        let Some(file) = engine.frameworks.files.files.get_mut(id) else { return };
        file.changes.retain(|change| match change {
            Change::Limit(arguments, limit) if arguments == key => {
                self.limit = *limit;
                false
            }
            _ => true,
        });
    }

    const fn free(&self) -> u64 {
        if self.limit == 0 { u64::MAX } else { self.limit.saturating_sub(self.written) }
    }

    /// Makes the file as long as what was seen of it.
    pub(super) fn end(self) {
        // A hole at the end is none unless something is behind it.
        drop(self.file);
    }
}
