//! Files extracted as `frameworks/files/extract-all-files` of Zeek has it: each in a file of its own, which bytes are
//! written to as they come. What is missing is a hole.

use std::path::PathBuf;

use weir_applayer::File;
use weir_applayer::extraction::Extract;
use weir_base::Timestamp;
use weir_output::outlet::OutletId;
use weir_output::sinks::file_store::Command;

use crate::rows::{self, Rows};
use crate::streams;

/// Where a piece of a file begins at most, whatever the limit: it would make a file as long,
/// though mostly of nothing, for whoever reads it.
const FARTHEST: u64 = 1 << 40;

/// Treatment of missing bytes by a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// As if they were there.
    Counted,
    /// Not at all: a file may be longer than its limit.
    LeftOut,
}

/// Where files are extracted to, and how far; zero is no limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ExtractSettings {
    pub(crate) folder: PathBuf,
    /// Most bytes of a file.
    pub(crate) limit: u64,
    pub(crate) missing: Missing,
    /// Most bytes of all files of a run.
    pub(crate) total_limit: u64,
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

/// Extraction of files in a run.
#[derive(Debug)]
pub(crate) struct Extracting {
    pub(crate) outlet: OutletId,
    pub(crate) limit: u64,
    pub(crate) missing: Missing,
}

/// Extraction of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extracted {
    /// Its name in the folder; empty where it is not extracted.
    name: String,
    /// Its first bytes are written.
    begun: bool,
    written: u64,
    /// Bytes written when a limit ended it.
    cut: Option<u64>,
}

/// Whether more of a file comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coming {
    More,
    Nothing,
}

impl Extracted {
    /// Extracts a file whose bytes are all there.
    pub(crate) fn whole(bytes: &[u8], ts: Timestamp, source: &[u8], fuid: &str, rows: &mut Rows<'_>) -> Self {
        let mut extracted = Self::default();
        if rows.plan.extracting.is_some() {
            extracted.name = name(ts, source, fuid);
            extracted.write(0, bytes, rows);
            extracted.begin(rows);
        }
        extracted
    }

    /// Takes what a file gathered, which belongs at `base`.
    pub(crate) fn take(
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
        if offset > FARTHEST {
            self.cut.get_or_insert(self.written);
        }
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
    pub(crate) fn name(&self) -> Option<&str> {
        (!self.name.is_empty()).then_some(&*self.name)
    }

    /// Bytes that a limit allowed, where it ended the file.
    pub(crate) const fn cut(&self) -> Option<u64> {
        self.cut
    }
}

/// The name of a file of which the first byte was seen at `ts`: nothing in it comes from the network but numbers.
fn name(ts: Timestamp, source: &[u8], fuid: &str) -> String {
    let ts = rows::shown(&streams::FILES, ts);
    let source = String::from_utf8_lossy(source);
    format!("extract-{}.{:06}-{source}-{fuid}", ts.seconds(), ts.micros())
}

#[cfg(test)]
mod tests {
    use weir_base::Position;

    use super::*;
    use crate::plan::{Plan, streams};
    use crate::settings::ZeekSettings;
    use weir_output::formats::zeek::ZeekLogSet;
    use weir_output::writer::{LogWriter, Order};

    /// A limit, how it counts what is missing, where a byte belongs, and how much was written where that ends the file.
    type Case = (u64, Missing, u64, Option<u64>);

    #[test]
    fn no_piece_is_written_beyond_all_reason() {
        let folder = weir_testkit::TestFolder::new("far");
        let cases: [Case; 6] = [
            (10, Missing::LeftOut, FARTHEST, None),
            (10, Missing::LeftOut, FARTHEST + 1, Some(3)),
            (10, Missing::Counted, FARTHEST + 1, Some(10)),
            (0, Missing::Counted, FARTHEST, None),
            (0, Missing::Counted, FARTHEST + 1, Some(3)),
            (0, Missing::LeftOut, u64::MAX, Some(3)),
        ];
        for (limit, missing, offset, cut) in cases {
            let settings = ZeekSettings::default();
            let (streams, _) = streams(&settings, &[], &[]);
            let (logs, outlets) = ZeekLogSet::alone(&settings.files, (&streams, &[]), &folder);
            let extracting = Some(Extracting { outlet: OutletId(0), limit, missing });
            let plan = Plan { extracting, ..Plan::new(&settings, logs) };
            let writer = LogWriter::start(outlets, 1, Order::Arrival, |e| panic!("{e}")).unwrap();
            let mut out = writer.outlets(0);
            let mut rows = Rows { plan: &plan, out: &mut out, position: Position::default(), captured: None };
            let mut extracted = Extracted { name: "a".to_owned(), ..Extracted::default() };
            extracted.write(0, b"abc", &mut rows);
            extracted.write(offset, b"d", &mut rows);
            assert_eq!(extracted.cut(), cut, "{limit} {missing:?} {offset}");
            out.finish();
            assert!(writer.finish().errors.is_empty());
        }
    }
}
