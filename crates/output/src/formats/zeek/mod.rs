//! Zeek's logs: one for each stream, in files of tab-separated values or JSON, in tables, or sent over the network.
//!
//! Streams and their rows are declared by the crate that observes the traffic.

mod encode;

use std::path::Path;

use weir_applayer::zeek::ScriptColumn;
use weir_applayer::{ZeekConnection, ZeekStream, ZeekType, ZeekValue};
use weir_base::{Duration, Position, Timestamp};
use weir_config::{ParquetSettings, PipelineSettings};

use crate::assembly::HOUR;
use crate::known::Claim;
use crate::outlet::{Destination, Existing, OutletId, OutletSettings, Outlets};
use crate::sinks::network::Pipeline;
use crate::sinks::parquet::{ParquetLog, ParquetTables};
use crate::writer::LogReport;

pub use encode::{ZeekEncoding, ZeekForm, ZeekTimes};

/// The way in which logs are written to a place.
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
    /// The target that rows are sent to, in place of files.
    pub pipeline: Option<PipelineSettings>,
}

impl ZeekFiles {
    /// Whether logs of both are in one folder by the same names.
    pub fn has_names_of(&self, other: &Self) -> bool {
        let are_tables = |files: &Self| files.form.encoding == ZeekEncoding::Parquet;
        self.pipeline.is_none() && other.pipeline.is_none() && are_tables(self) == are_tables(other)
    }
}

/// A place of logs in a run.
pub struct ZeekPlaces<'a> {
    /// The way in which they are written.
    pub files: &'a ZeekFiles,
    /// The target that all of them go to, where they are sent.
    pub pipeline: Option<Pipeline>,
    /// The folder for logs.
    pub folder: &'a Path,
    /// Treatment of files that earlier runs left.
    pub existing: Existing,
    /// Whether another log has a file of this name.
    pub taken: &'a dyn Fn(&Path) -> bool,
}

impl ZeekPlaces<'_> {
    /// The outlet of a log.
    fn outlet(&self, stream: &'static ZeekStream, more: &[(&'static str, ZeekType)]) -> OutletSettings {
        match (&self.pipeline, self.files.form.encoding) {
            (Some(pipeline), _) => OutletSettings::new(Destination::Network(Box::new(pipeline.clone()))),
            (None, ZeekEncoding::Parquet) => self.table(stream, more),
            (None, _) => self.file(stream, more),
        }
    }

    /// A table.
    fn table(&self, stream: &ZeekStream, more: &[(&'static str, ZeekType)]) -> OutletSettings {
        let columns = encode::columns(stream, more).map(|(name, kind)| ((*name).to_owned(), *kind));
        let log = ParquetLog { name: stream.name.to_owned(), columns: columns.collect() };
        let mut settings = self.files.parquet.clone();
        settings.folder = self.folder.join(&settings.folder);
        let tables = ParquetTables { settings, log: Some(log), existing: self.existing };
        let mut outlet = OutletSettings::new(Destination::Parquet(Box::new(tables)));
        outlet.rotation = Some(HOUR);
        outlet
    }

    /// A file, made when its first row comes; a name that is taken gets a number.
    fn file(&self, stream: &'static ZeekStream, more: &[(&'static str, ZeekType)]) -> OutletSettings {
        let files = self.files;
        let extension = files.gzip.as_ref().map(|(_, extension)| format!(".{extension}")).unwrap_or_default();
        let numbered = |number: u32| {
            let behind = if number == 1 { String::new() } else { format!("-{number}") };
            self.folder.join(format!("{}{behind}.log{extension}", stream.name))
        };
        let path = (1..).map(numbered).find(|path| !(self.taken)(path)).unwrap_or_default();
        let mut outlet =
            OutletSettings::new(Destination::File { name: path.into(), existing: self.existing, lazy: true });
        outlet.gzip = files.gzip.as_ref().map(|(level, _)| *level);
        outlet.rotation = files.rotation;
        if files.form.encoding == ZeekEncoding::Tsv {
            let more = more.to_vec();
            outlet.header = Some(Box::new(move |seconds| encode::header(stream, &more, seconds)));
            outlet.footer = Some(Box::new(encode::footer));
        }
        outlet
    }
}

/// A log that is written.
#[derive(Debug)]
struct Log {
    stream: &'static ZeekStream,
    /// Columns that scripts add.
    more: Vec<(&'static str, ZeekType)>,
    /// The places it is written to, and the form of its rows there.
    places: Vec<(ZeekForm, OutletId)>,
}

/// The logs that are written, each with its outlets; shared by all workers.
#[derive(Debug)]
pub struct ZeekLogSet {
    logs: Vec<Log>,
}

impl ZeekLogSet {
    /// A log for each stream and the columns that it has `more`, with no place yet.
    pub fn new((streams, more): (&[&'static ZeekStream], &[&ScriptColumn])) -> Self {
        let mut set = Self { logs: Vec::new() };
        for stream in streams.iter().copied() {
            if set.log(stream).is_some() {
                continue;
            }
            let more = more.iter().filter(|more| std::ptr::eq(more.stream, stream));
            let more = more.map(|more| more.column).collect();
            set.logs.push(Log { stream, more, places: Vec::new() });
        }
        set
    }

    /// Logs in files of `folder` whose outlets are the only ones.
    pub fn alone(
        files: &ZeekFiles,
        streams: (&[&'static ZeekStream], &[&ScriptColumn]),
        folder: &Path,
    ) -> (Self, Vec<OutletSettings>) {
        let (pipeline, existing, taken) = (None, Existing::Append, &|_: &Path| false);
        let mut set = Self::new(streams);
        let outlets = set.add(&ZeekPlaces { files, pipeline, folder, existing, taken }, OutletId(0));
        (set, outlets)
    }

    /// Adds a place of all logs; returns its outlets, which are numbered from `first` on.
    pub fn add(&mut self, places: &ZeekPlaces<'_>, first: OutletId) -> Vec<OutletSettings> {
        let mut outlets = Vec::new();
        for log in &mut self.logs {
            log.places.push((places.files.form, OutletId(first.0.saturating_add(outlets.len() as u16))));
            outlets.push(places.outlet(log.stream, &log.more));
        }
        outlets
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
        for (form, outlet) in &log.places {
            out.line(*outlet, position, |out| {
                encode::row(*form, (stream, &log.more), connection, ts, values, out);
                true
            });
        }
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
        let Some(((form, outlet), others)) = log.places.split_last() else { return };
        for (form, outlet) in others {
            out.news(*outlet, position, claim.clone(), |out| {
                encode::row(*form, (stream, &log.more), connection, ts, values, out);
            });
        }
        out.news(*outlet, position, claim, |out| {
            encode::row(*form, (stream, &log.more), connection, ts, values, out);
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

    /// Returns the number of rows of each log, by name, as they were written to its first place; logs without a row are
    /// left out.
    pub fn written(&self, report: &LogReport) -> Vec<(String, u64)> {
        let rows = |log: &Log| {
            let outlet = log.places.first().and_then(|(_, outlet)| report.outlets.get(usize::from(outlet.0)));
            outlet.map_or(0, |outlet| outlet.written)
        };
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
