//! Files extracted as `frameworks/files/extract-all-files` of Zeek has it: each in a file of its own, which bytes are
//! written to as they come. What is missing is a hole.

use std::path::PathBuf;

use weir_applayer::File;
use weir_applayer::extraction::Extract;
use weir_base::Timestamp;

use super::rows::{self, Rows};
use super::streams;
use crate::outlet::OutletId;
use crate::sinks::file_store::Command;

/// How a limit counts bytes that are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    /// As if they were there.
    Counted,
    /// Not at all: a file may be longer than its limit.
    LeftOut,
}

/// Where files are extracted to, and how far; zero is no limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ExtractSettings {
    pub(super) folder: PathBuf,
    /// Most bytes of a file.
    pub(super) limit: u64,
    pub(super) missing: Missing,
    /// Most bytes of all files of a run.
    pub(super) total_limit: u64,
}

impl Default for ExtractSettings {
    fn default() -> Self {
        Self {
            folder: "extract_files".into(),
            limit: 100 << 20,
            missing: Missing::Counted,
            total_limit: 64 << 30,
        }
    }
}

/// How files are extracted in a run.
#[derive(Debug)]
pub(super) struct Extracting {
    pub(super) outlet: OutletId,
    pub(super) limit: u64,
    pub(super) missing: Missing,
}

/// How far a file is extracted.
#[derive(Clone, Debug, Default)]
pub(super) struct Extracted {
    /// Its name in the folder; empty where it is not extracted.
    name: String,
    /// Its first bytes are written.
    begun: bool,
    written: u64,
    /// How much was written when the limit ended it.
    cut: Option<u64>,
}

/// Whether more of a file comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coming {
    More,
    Nothing,
}

impl Extracted {
    /// What is known of a file in full.
    pub(super) fn whole(bytes: &[u8], ts: Timestamp, source: &[u8], fuid: &str, rows: &mut Rows<'_>) -> Self {
        let mut extracted = Self::default();
        if rows.plan.extracting.is_some() {
            extracted.name = name(ts, source, fuid);
            extracted.write(0, bytes, rows);
            extracted.begin(rows);
        }
        extracted
    }

    /// Takes what a file gathered, which belongs at `base`.
    pub(super) fn take(
        &mut self,
        (file, base): (&File, u64),
        coming: Coming,
        (source, fuid): (&[u8], &str),
        rows: &mut Rows<'_>,
    ) {
        let Some(extract) = file.take_extract() else { return };
        if self.name.is_empty() {
            self.name = name(file.first_seen, source, fuid);
        }
        self.stretches(&extract, base, rows);
        if coming == Coming::Nothing {
            self.reach(base.saturating_add(file.length()), rows);
            self.begin(rows);
        }
        if self.cut.is_some() {
            file.stop_extracting();
        }
    }

    fn stretches(&mut self, extract: &Extract, base: u64, rows: &mut Rows<'_>) {
        for (offset, bytes) in extract.stretches() {
            self.write(base.saturating_add(offset), bytes, rows);
        }
        if extract.cut {
            self.cut.get_or_insert(self.written);
        }
    }

    /// All before `offset` is there, or missing.
    fn reach(&mut self, offset: u64, rows: &Rows<'_>) {
        let Some(Extracting { limit, missing, .. }) = rows.plan.extracting else { return };
        if limit > 0 && missing == Missing::Counted && offset > limit {
            self.cut.get_or_insert(limit);
        }
    }

    /// Writes bytes to where they belong, as far as the limit allows.
    fn write(&mut self, offset: u64, bytes: &[u8], rows: &mut Rows<'_>) {
        self.reach(offset, rows);
        let Some(Extracting { outlet, limit, missing }) = rows.plan.extracting else { return };
        if self.cut.is_some() {
            return;
        }
        let before = if missing == Missing::Counted { offset } else { self.written };
        let room = if limit == 0 { u64::MAX } else { limit.saturating_sub(before) };
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let shown = bytes.get(..room).unwrap_or(bytes);
        if shown.len() < bytes.len() {
            self.cut = Some(limit);
        }
        if shown.is_empty() {
            return;
        }
        self.written += shown.len() as u64;
        if offset == 0 && !self.begun {
            self.begun = true;
            return rows.store(outlet, &Command::Write(&self.name, shown));
        }
        self.begin(rows);
        rows.store(outlet, &Command::WriteAt(&self.name, offset, shown));
    }

    /// The file is there from now on, if it is extracted.
    fn begin(&mut self, rows: &mut Rows<'_>) {
        let Some(Extracting { outlet, .. }) = rows.plan.extracting else { return };
        if !self.name.is_empty() && !std::mem::replace(&mut self.begun, true) {
            rows.store(outlet, &Command::Write(&self.name, b""));
        }
    }

    /// The name, where the file is extracted.
    pub(super) fn name(&self) -> Option<&str> {
        (!self.name.is_empty()).then_some(&*self.name)
    }

    /// How many bytes the limit allowed, where it ended the file.
    pub(super) const fn cut(&self) -> Option<u64> {
        self.cut
    }
}

/// The name of a file of which the first byte was seen at `ts`: nothing in it comes from the network but numbers.
fn name(ts: Timestamp, source: &[u8], fuid: &str) -> String {
    let ts = rows::shown(&streams::FILES, ts);
    let source = String::from_utf8_lossy(source);
    format!("extract-{}.{:06}-{source}-{fuid}", ts.seconds(), ts.micros())
}
