//! Zeek's logs: one file for each stream, as tab-separated values or JSON.
//!
//! Protocols bring their own streams ([`weir_applayer::ZeekLogs`]); `conn`, `files`, `weird` and
//! `tunnel` are made here. Connections are Zeek's, not the flow table's: their own table decides
//! who is the originator and when a connection is over (`connection/`).

mod across;
mod certificates;
mod connection;
mod count;
mod encode;
mod executable;
mod expected;
mod extract;
mod file_log;
mod flow;
mod habits;
mod identifier;
mod inventory;
mod joined;
mod measure;
mod notice;
mod odd_packet;
mod parents;
mod partial;
mod recent;
mod rows;
mod settings;
mod site;
mod software;
mod streams;
mod traceroute;
mod tunnel;
mod watch;
mod worker;

use std::path::Path;

use weir_applayer::zeek::{DatagramLogs, MoreColumns, Recognised, Script, Watch};
use weir_applayer::{Protocol, ZeekStream, ZeekType};

use connection::Known;
use connection::timeouts::Timeouts;
use extract::{ExtractSettings, Extracting};
use settings::{Memcap, Scripts};
use site::Site;

use crate::outlet::{Destination, Existing, OutletId, OutletSettings};
use crate::writer::LogReport;

pub use across::ZeekAcross;
pub use connection::table::ConnectionId;
pub use encode::{ZeekEncoding, ZeekForm, ZeekTimes};
pub use flow::{ZeekFlow, ZeekIdentity};
pub use measure::ZeekTraffic;
pub use settings::{NETWORK_FORM, ZeekSettings, interval, is_network, is_script, is_timeout, loadable};
pub use worker::{ZeekGivenUp, ZeekWorker};

/// A log that is written.
#[derive(Debug)]
struct Log {
    stream: &'static ZeekStream,
    /// Columns that scripts add.
    more: Vec<(&'static str, ZeekType)>,
    outlet: OutletId,
}

/// Which logs are written, and how; shared by all workers.
#[derive(Debug)]
pub struct ZeekPlan {
    form: ZeekForm,
    scripts: Scripts,
    /// What is local.
    site: Site,
    timeouts: Timeouts,
    memcap: Memcap,
    logs: Vec<Log>,
    recognised: Known,
    watches: &'static [&'static Watch],
    datagrams: &'static [DatagramLogs],
    /// The capture filter.
    filter: Option<String>,
    /// How files are extracted, where they are.
    extracting: Option<Extracting>,
}

impl ZeekPlan {
    /// How many rows of each log were written, by name; logs without a row are left out.
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

    /// A log in `folder` for each stream of protocols, and of those over datagrams that the logs follow by
    /// themselves, with outlets numbered from `first` on. Files are made when their first row comes; a name that
    /// is `taken` gets a number.
    pub fn new(
        settings: &ZeekSettings,
        protocols: &[&'static Protocol],
        datagrams: &'static [DatagramLogs],
        folder: &Path,
        first: OutletId,
        taken: &dyn Fn(&Path) -> bool,
    ) -> (Self, Vec<OutletSettings>) {
        let protocols = || protocols.iter().filter_map(|protocol| protocol.zeek);
        let streams = protocols().flat_map(|logs| logs.streams.iter().copied());
        let streams = streams.chain(datagrams.iter().flat_map(|logs| logs.streams.iter().copied()));
        let all: Vec<&'static ZeekStream> = streams::own(settings.scripts).chain(streams).collect();
        let mut more: Vec<&MoreColumns> = Vec::new();
        for columns in streams::MORE.iter().chain(protocols().flat_map(|logs| logs.more)) {
            // Several protocols may share their logs.
            let is_new = !more.iter().any(|known| std::ptr::eq(*known, columns));
            if is_new && settings.scripts.has(columns.script) {
                more.push(columns);
            }
        }
        let (plan, outlets) = Self::of_streams(settings, (&all, &more), folder, first, taken);
        (Self { datagrams, ..plan }, outlets)
    }

    fn of_streams(
        settings: &ZeekSettings,
        (streams, more): (&[&'static ZeekStream], &[&MoreColumns]),
        folder: &Path,
        first: OutletId,
        taken: &dyn Fn(&Path) -> bool,
    ) -> (Self, Vec<OutletSettings>) {
        let (form, scripts) = (settings.form, settings.scripts);
        let mut plan = Self {
            form,
            scripts,
            site: settings.site.clone(),
            timeouts: settings.timeouts,
            memcap: settings.memcap,
            logs: Vec::new(),
            recognised: Known::default(),
            watches: &[],
            datagrams: &[],
            filter: None,
            extracting: None,
        };
        let mut outlets = Vec::new();
        let extension = settings.gzip.as_ref().map(|(_, extension)| format!(".{extension}"));
        for stream in streams.iter().copied() {
            if plan.log(stream).is_some() {
                continue;
            }
            let more = more.iter().filter(|more| std::ptr::eq(more.stream, stream));
            let more: Vec<(&str, ZeekType)> = more.flat_map(|more| more.columns).copied().collect();
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
            outlet.gzip = settings.gzip.as_ref().map(|(level, _)| *level);
            outlet.rotation = settings.rotation;
            if form.encoding == ZeekEncoding::Tsv {
                let more = more.clone();
                outlet.header = Some(Box::new(move |seconds| encode::header(stream, &more, seconds)));
                outlet.footer = Some(Box::new(encode::footer));
            }
            let outlet_id = OutletId(first.0.saturating_add(outlets.len() as u16));
            plan.logs.push(Log { stream, more, outlet: outlet_id });
            outlets.push(outlet);
        }
        (plan, outlets)
    }

    /// Adds protocols that `conn` names and nothing else is written of.
    #[must_use]
    pub fn recognising(mut self, recognised: &'static [Recognised]) -> Self {
        self.recognised = Known::new(recognised);
        self
    }

    /// Adds what is odd about payloads at ports.
    #[must_use]
    pub const fn watching(mut self, watches: &'static [&'static Watch]) -> Self {
        self.watches = watches;
        self
    }

    /// Tells of the capture filter.
    #[must_use]
    pub fn filtered(mut self, filter: Option<String>) -> Self {
        self.filter = filter;
        self
    }

    /// Extracts files by the outlet that stores them, if there is one.
    #[must_use]
    pub(crate) fn extracting(mut self, settings: &ZeekSettings, outlet: Option<OutletId>) -> Self {
        let ExtractSettings { limit, missing, .. } = settings.extract;
        self.extracting = outlet.map(|outlet| Extracting { outlet, limit, missing });
        self
    }

    fn log(&self, stream: &ZeekStream) -> Option<&Log> {
        // A protocol may bring its own stream of a name that another one brings, too.
        let same = |log: &&Log| std::ptr::eq(log.stream, stream);
        let named = |log: &&Log| log.stream.name == stream.name;
        self.logs.iter().find(same).or_else(|| self.logs.iter().find(named))
    }

    /// Whether every file is extracted.
    pub const fn extracts_files(&self) -> bool {
        self.extracting.is_some()
    }

    /// Whether every file is to have hashes.
    pub fn hashes_files(&self) -> bool {
        self.scripts.has(Script::Hashes)
    }
}

#[cfg(test)]
mod tests;
