//! Zeek's logs as files: one for each stream, as tab-separated values or JSON.
//!
//! Streams and their rows are declared by the crate that observes the traffic.

mod encode;

use std::path::Path;

use weir_applayer::zeek::ScriptColumn;
use weir_applayer::{ZeekConnection, ZeekStream, ZeekType, ZeekValue};
use weir_base::{Duration, Position, Timestamp};
use weir_config::ParquetSettings;

use crate::assembly::HOUR;
use crate::known::Claim;
use crate::outlet::{Destination, Existing, OutletId, OutletSettings, Outlets};
use crate::sinks::parquet::{ParquetLog, ParquetTables};
use crate::writer::LogReport;

pub use encode::{ZeekEncoding, ZeekForm, ZeekTimes};

/// The table of a stream.
fn table(
    stream: &ZeekStream,
    more: &[(&'static str, ZeekType)],
    settings: &ParquetSettings,
) -> OutletSettings {
    let columns = encode::columns(stream, more).map(|(name, kind)| ((*name).to_owned(), *kind));
    let log = ParquetLog { name: stream.name.to_owned(), columns: columns.collect() };
    let tables = ParquetTables { settings: settings.clone(), log: Some(log), existing: Existing::Append };
    let mut outlet = OutletSettings::new(Destination::Parquet(Box::new(tables)));
    outlet.rotation = Some(HOUR);
    outlet
}

/// The way in which the files of logs are made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ZeekFiles {
    /// The form of rows.
    pub form: ZeekForm,
    /// The level at which files are compressed, and the extension they get for it.
    pub gzip: Option<(u32, String)>,
    /// The interval at which files are rotated.
    pub rotation: Option<Duration>,
    /// How tables of Parquet are kept.
    pub parquet: ParquetSettings,
}

/// A log that is written.
#[derive(Debug)]
struct Log {
    stream: &'static ZeekStream,
    /// Columns that scripts add.
    more: Vec<(&'static str, ZeekType)>,
    outlet: OutletId,
}

/// The logs that are written, each with its outlet; shared by all workers.
#[derive(Debug)]
pub struct ZeekLogSet {
    form: ZeekForm,
    logs: Vec<Log>,
}

impl ZeekLogSet {
    /// A log in `folder` for each stream and the columns that it has `more`, with outlets numbered from `first` on.
    /// Files are made when their first row comes; a name that is `taken` gets a number.
    pub fn new(
        files: &ZeekFiles,
        (streams, more): (&[&'static ZeekStream], &[&ScriptColumn]),
        folder: &Path,
        first: OutletId,
        taken: &dyn Fn(&Path) -> bool,
    ) -> (Self, Vec<OutletSettings>) {
        let form = files.form;
        let mut set = Self { form, logs: Vec::new() };
        let mut outlets = Vec::new();
        let extension = files.gzip.as_ref().map(|(_, extension)| format!(".{extension}"));
        for stream in streams.iter().copied() {
            if set.log(stream).is_some() {
                continue;
            }
            let more = more.iter().filter(|more| std::ptr::eq(more.stream, stream));
            let more: Vec<(&str, ZeekType)> = more.map(|more| more.column).collect();
            let outlet_id = OutletId(first.0.saturating_add(outlets.len() as u16));
            if form.encoding == ZeekEncoding::Parquet {
                outlets.push(table(stream, &more, &files.parquet));
                set.logs.push(Log { stream, more, outlet: outlet_id });
                continue;
            }
            let file = |name: &str| folder.join(format!("{name}.log{}", extension.as_deref().unwrap_or("")));
            let mut path = file(stream.name);
            if taken(&path) {
                path = file(&format!("{}-2", stream.name));
            }
            let mut outlet = OutletSettings::new(Destination::File {
                name: path.into(),
                existing: Existing::Append,
                lazy: true,
            });
            outlet.gzip = files.gzip.as_ref().map(|(level, _)| *level);
            outlet.rotation = files.rotation;
            if form.encoding == ZeekEncoding::Tsv {
                let more = more.clone();
                outlet.header = Some(Box::new(move |seconds| encode::header(stream, &more, seconds)));
                outlet.footer = Some(Box::new(encode::footer));
            }
            set.logs.push(Log { stream, more, outlet: outlet_id });
            outlets.push(outlet);
        }
        (set, outlets)
    }

    /// Writes a row.
    pub fn row(
        &self,
        (out, position): (&mut Outlets, Position),
        stream: &ZeekStream,
        connection: Option<&ZeekConnection<'_>>,
        ts: Timestamp,
        values: &[ZeekValue<'_>],
    ) {
        let Some(log) = self.log(stream) else { return };
        out.line(log.outlet, position, |out| {
            encode::row(self.form, (stream, &log.more), connection, ts, values, out);
            true
        });
    }

    /// Writes a row if what it claims is new.
    pub fn news(
        &self,
        (out, position): (&mut Outlets, Position),
        stream: &ZeekStream,
        connection: Option<&ZeekConnection<'_>>,
        ts: Timestamp,
        claim: Claim,
        values: &[ZeekValue<'_>],
    ) {
        let Some(log) = self.log(stream) else { return };
        out.news(log.outlet, position, claim, |out| {
            encode::row(self.form, (stream, &log.more), connection, ts, values, out);
        });
    }

    /// Gives the columns of a row by their names to `take`, where the log is written.
    pub fn cells<'a>(
        &self,
        stream: &ZeekStream,
        connection: Option<&ZeekConnection<'a>>,
        ts: Timestamp,
        values: &[ZeekValue<'a>],
        take: &mut dyn FnMut(&'static str, ZeekValue<'a>),
    ) {
        if let Some(log) = self.log(stream) {
            encode::cells((stream, &log.more), connection, ts, values, take);
        }
    }

    /// Returns the number of rows written of each log, by name; logs without a row are left out.
    pub fn written(&self, report: &LogReport) -> Vec<(String, u64)> {
        let rows =
            |log: &Log| report.outlets.get(usize::from(log.outlet.0)).map_or(0, |outlet| outlet.written);
        let mut counts: Vec<(String, u64)> = self
            .logs
            .iter()
            .map(|log| (log.stream.name.to_owned(), rows(log)))
            .filter(|(_, rows)| *rows > 0)
            .collect();
        counts.sort();
        counts
    }

    fn log(&self, stream: &ZeekStream) -> Option<&Log> {
        // A protocol may bring its own stream of a name that another one brings, too.
        let same = |log: &&Log| std::ptr::eq(log.stream, stream);
        let named = |log: &&Log| log.stream.name == stream.name;
        self.logs.iter().find(same).or_else(|| self.logs.iter().find(named))
    }
}
