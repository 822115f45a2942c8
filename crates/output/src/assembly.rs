//! From settings to outlets and formats.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use weir_applayer::zeek::ScriptColumn;
use weir_applayer::{Protocol, ZeekStream};
use weir_base::{Counters, Duration, Turn};
use weir_config::eve::EveFiletype;
use weir_config::{ConfigError, EveSettings, Output, OutputsSettings, PipelineSettings, Settings, Target};

use crate::certificate_store::{CertificateStore, certificate_folder};
use crate::file_store::{FileStore, FileStoreSettings};
use crate::filename::FileName;
use crate::format::{Format, RecordKinds};
use crate::formats::eve::{Eve, EveEnvironment, EvePlan, FileDescriber};
use crate::formats::fast::Fast;
use crate::formats::stats_log::{StatsLog, StatsLogOptions};
use crate::formats::stream_data::{StreamData, StreamDataKind, StreamDataPlan};
use crate::formats::zeek::{ZeekFiles, ZeekLogSet, ZeekPlaces};
use crate::outlet::{Destination, Existing, MessageTaker, OutletId, OutletSettings};
use crate::pcap_log::PcapLogSettings;
use crate::sinks::file_store::{StoreErrors, StoreRoom};
use crate::sinks::network::{self, HAS_KAFKA, Pipeline};
use crate::sinks::parquet::{HAS_PARQUET, ParquetTables};
use crate::sinks::priority;

/// Something in the settings that cannot be used; a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning(pub String);

/// Facts about the run that outputs need.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Packets can be held back.
    pub inline: bool,
    /// There is a firewall.
    pub firewall: bool,
    /// A capture is read.
    pub offline: bool,
    /// The engine's version.
    pub version: String,
    /// Folder for logs in place of `default-log-dir`.
    pub log_folder: Option<PathBuf>,
    /// Treatment of logs of earlier runs; outputs with `append: no` begin anew in any case.
    pub existing: Existing,
}

/// All outputs of a run.
pub struct Outputs {
    outlets: Vec<OutletSettings>,
    plans: Vec<Plan>,
    /// The folder for logs.
    folder: PathBuf,
    existing: Existing,
    file_store: Option<Store>,
    /// The store of certificates, and what goes wrong there.
    certificate_store: Option<(OutletId, StoreErrors)>,
    /// Counts what goes wrong where files are extracted.
    extraction_errors: Option<StoreErrors>,
    pcap_log: Option<(PcapLogSettings, OutletId)>,
    /// Targets over the network.
    pipelines: Vec<Pipeline>,
    /// Settings that cannot be used.
    pub warnings: Vec<Warning>,
}

/// One output.
enum Plan {
    Eve(Arc<EvePlan>, OutletId),
    Fast { outlet: OutletId, inline: bool, offline: bool },
    StatsLog(OutletId, StatsLogOptions),
    StreamData { kind: StreamDataKind, dump: Option<OutletId>, files: Option<OutletId> },
}

/// The store of files.
struct Store {
    settings: FileStoreSettings,
    outlet: OutletId,
    errors: StoreErrors,
    /// Describes kept files, where that is wanted.
    description: Option<Arc<EvePlan>>,
}

/// `eve.json` as `eve.1.json`: the file of the one thread that writes it, for who collects the files of all threads.
fn of_thread(name: &str) -> String {
    let path = Path::new(name);
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
    path.with_extension(format!("1{}", extension.unwrap_or_default())).to_string_lossy().into_owned()
}

/// Makes a destination of the file of an output, by its name in the settings.
type MakeFile<'a> = &'a dyn Fn(&Output, &str) -> Destination;

/// Outputs that other parts of the engine write.
const ELSEWHERE: [&str; 5] = ["pcap-log", "file-store", "tls-store", "lua", "zeek"];

/// Treatment of files that earlier runs left of an output, which may ask to begin anew itself.
fn existing_of(entry: &Output, existing: Existing) -> Existing {
    match existing {
        Existing::Append if !entry.append() => Existing::Overwrite,
        existing => existing,
    }
}

/// Tables have a file for each hour.
pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// Says of an output that this program cannot write it.
pub fn without_parquet(output: &str) -> String {
    format!(
        "This program was built without Parquet: the {output} for it is left out. Build it with `make parquet`, or \
             `--features parquet` of cargo; `weir archive` keeps records of EVE and Zeek's logs so, too"
    )
}

/// Says of an output that this program cannot send it.
pub fn without_kafka(output: &str) -> String {
    format!(
        "This program was built without Kafka: the {output} for it is left out. Build it with librdkafka \
         (librdkafka-dev) and `make kafka`, or `--features kafka` of cargo"
    )
}

fn eve_environment(environment: &Environment) -> EveEnvironment {
    EveEnvironment {
        inline: environment.inline,
        firewall: environment.firewall,
        offline: environment.offline,
        version: environment.version.clone(),
    }
}

impl Outputs {
    /// Reads `outputs`.
    pub fn from_settings(
        settings: &Settings,
        protocols: &[&'static Protocol],
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let warnings = Mutex::new(Vec::new());
        let complain = |text: String| {
            if let Ok(mut warnings) = warnings.lock() {
                warnings.push(Warning(text));
            }
        };
        let entries = OutputsSettings::from_settings(settings);
        let folder = environment.log_folder.clone().unwrap_or_else(|| entries.log_folder.clone());
        let mut outputs = Self {
            outlets: Vec::new(),
            plans: Vec::new(),
            folder: folder.clone(),
            existing: environment.existing,
            file_store: None,
            certificate_store: None,
            extraction_errors: None,
            pcap_log: None,
            pipelines: Vec::new(),
            warnings: Vec::new(),
        };
        // Before other outlets: their records of kept files are to be true.
        if let Some(store) = FileStoreSettings::from_settings(settings, &folder)? {
            outputs.add_file_store(store, settings, protocols, environment, &complain)?;
        }
        if let Some(folder) = certificate_folder(settings, &folder) {
            let errors = StoreErrors::counted_as("tls_store.fs_errors");
            let destination = Destination::FileStore { folder, errors: errors.clone(), room: StoreRoom::Any };
            outputs.certificate_store = Some((outputs.add(OutletSettings::new(destination)), errors));
        }
        if let Some(mut log) = PcapLogSettings::from_settings(settings, &folder)? {
            log.warning.take().into_iter().for_each(complain);
            let outlet = outputs.add(OutletSettings::new(Destination::PcapLog(log.clone())));
            outputs.pcap_log = Some((log, outlet));
        }
        let file = |entry: &Output, name: &str| {
            let existing = existing_of(entry, environment.existing);
            Destination::File { name: FileName::of(entry, name, &folder, &complain), existing, lazy: false }
        };
        let mut eve = EveSettings::from_settings(settings)?.into_iter();
        for entry in entries.outputs.iter().filter(|entry| entry.enabled) {
            match entry.kind.as_str() {
                "eve-log" => {
                    if let Some(log) = eve.next() {
                        let plan =
                            EvePlan::new(settings, &log, protocols, eve_environment(environment), &complain)?;
                        outputs.add_eve(&log, plan, (&folder, &file), &complain);
                    }
                }
                "fast" => {
                    let outlet = outputs.add(OutletSettings::new(file(entry, entry.filename("fast.log"))));
                    let (inline, offline) = (environment.inline, environment.offline);
                    outputs.plans.push(Plan::Fast { outlet, inline, offline });
                }
                "stats" => {
                    let section = entry.section(settings);
                    let options = StatsLogOptions {
                        totals: section.flag("totals", true),
                        threads: section.flag("threads", false),
                        null_values: section.flag("null-values", false),
                    };
                    let outlet = outputs.add(OutletSettings::new(file(entry, entry.filename("stats.log"))));
                    outputs.plans.push(Plan::StatsLog(outlet, options));
                }
                "tcp-data" | "http-body-data" => outputs.add_stream_data(entry, settings, &folder, &file),
                kind if ELSEWHERE.contains(&kind) => {}
                kind => complain(format!("There is no output {kind}: it is left out")),
            }
        }
        outputs.warnings = warnings.into_inner().unwrap_or_default();
        Ok(outputs)
    }

    fn add_eve(
        &mut self,
        log: &EveSettings,
        plan: EvePlan,
        (folder, file): (&Path, MakeFile<'_>),
        complain: &dyn Fn(String),
    ) {
        let path = folder.join(&log.filename);
        let text = |key: &str, default: &str| log.output.node.text(key).unwrap_or(default).to_owned();
        let priority = || priority(&text("facility", "local5"), &text("level", "info"));
        let destination = match (&log.pipeline, log.filetype) {
            (Some(pipeline), _) if matches!(pipeline.target, Target::Kafka(_)) && !HAS_KAFKA => {
                return complain(without_kafka("eve-log"));
            }
            (Some(pipeline), _) => Destination::Network(Box::new(self.pipeline(pipeline))),
            (None, EveFiletype::Parquet) => {
                let settings = log.parquet.clone().unwrap_or_default();
                let existing = existing_of(&log.output, self.existing);
                return self.add_parquet(plan, ParquetTables { settings, log: None, existing }, complain);
            }
            (None, EveFiletype::Regular) if log.threaded => file(&log.output, &of_thread(&log.filename)),
            (None, EveFiletype::UnixDatagram) => Destination::UnixDatagram(path),
            (None, EveFiletype::UnixStream) => Destination::UnixStream(path),
            (None, EveFiletype::Syslog) => {
                Destination::Syslog { identity: text("identity", "suricata"), priority: priority() }
            }
            (None, _) => file(&log.output, &log.filename),
        };
        let outlet = self.add(OutletSettings::new(destination));
        self.plans.push(Plan::Eve(Arc::new(plan), outlet));
    }

    /// Adds EVE as tables, where this program can write them.
    fn add_parquet(&mut self, plan: EvePlan, mut tables: ParquetTables, complain: &dyn Fn(String)) {
        if !HAS_PARQUET {
            return complain(without_parquet("eve-log"));
        }
        tables.settings.folder = self.folder.join(&tables.settings.folder);
        let mut outlet = OutletSettings::new(Destination::Parquet(Box::new(tables)));
        outlet.rotation = Some(HOUR);
        let outlet = self.add(outlet);
        self.plans.push(Plan::Eve(Arc::new(plan), outlet));
    }

    /// A target, with a name and a spool that no other one of this run has.
    fn pipeline(&mut self, settings: &PipelineSettings) -> Pipeline {
        let plain = network::name_of(&settings.target);
        let numbered = |number: u32| {
            let behind = if number == 1 { String::new() } else { format!("-{number}") };
            let mut spool = network::spool_folder(&settings.spool, &plain).into_os_string();
            spool.push(&behind);
            (format!("{plain}{behind}"), self.folder.join(spool))
        };
        let is_free = |(name, spool): &(String, PathBuf)| {
            self.pipelines.iter().all(|taken| taken.counts.name() != name && taken.folder != *spool)
        };
        let (name, spool) = (1..).map(numbered).find(is_free).unwrap_or_default();
        let pipeline = Pipeline::new(settings.clone(), spool, &name);
        self.pipelines.push(pipeline.clone());
        pipeline
    }

    fn add_file_store(
        &mut self,
        store: FileStoreSettings,
        settings: &Settings,
        protocols: &[&'static Protocol],
        environment: &Environment,
        complain: &dyn Fn(String),
    ) -> Result<(), ConfigError> {
        let entries = OutputsSettings::from_settings(settings);
        let entry = entries.enabled("file-store").next().filter(|_| store.write_fileinfo);
        let description = entry.map(|entry| EveSettings::of_files(settings, entry)).transpose()?;
        let plan = |log| EvePlan::new(settings, &log, protocols, eve_environment(environment), complain);
        let description = description.map(plan).transpose()?.map(Arc::new);
        let errors = StoreErrors::counted_as("file_store.fs_errors");
        let (folder, errors_too) = (store.folder.clone(), errors.clone());
        let destination = Destination::FileStore { folder, errors: errors_too, room: StoreRoom::Any };
        let outlet = self.add(OutletSettings::new(destination));
        self.file_store = Some(Store { settings: store, outlet, errors, description });
        Ok(())
    }

    /// Adds Zeek's logs of these streams, and of the columns that these have more, at each of the places.
    pub fn add_logs(
        &mut self,
        places: &[ZeekFiles],
        streams: (&[&'static ZeekStream], &[&ScriptColumn]),
    ) -> ZeekLogSet {
        let mut logs = ZeekLogSet::new(streams);
        for files in places {
            let pipeline = files.pipeline.as_ref().map(|settings| self.pipeline(settings));
            let taken = |file: &Path| {
                let is_same = |outlet: &OutletSettings| matches!(&outlet.destination, Destination::File { name: FileName::Fixed(path), .. } if path == file);
                self.outlets.iter().any(is_same)
            };
            let first = OutletId(self.outlets.len() as u16);
            let places =
                ZeekPlaces { files, pipeline, folder: &self.folder, existing: self.existing, taken: &taken };
            let outlets = logs.add(&places, first);
            self.outlets.extend(outlets);
        }
        logs
    }

    /// Adds somebody who takes messages.
    pub fn add_messages(&mut self, taker: MessageTaker) -> OutletId {
        self.add(OutletSettings::new(Destination::Messages(taker)))
    }

    /// Adds a folder, below that of the logs, where files are extracted to as far as there is `room` (zero for no limit).
    pub fn add_extraction(&mut self, folder: &Path, room: u64) -> OutletId {
        let folder = self.folder.join(folder);
        let errors = StoreErrors::counted_where_any("zeek.extraction_errors");
        let destination =
            Destination::FileStore { folder, errors: errors.clone(), room: StoreRoom::of(room) };
        self.extraction_errors = Some(errors);
        self.add(OutletSettings::new(destination))
    }

    fn add_stream_data(&mut self, entry: &Output, settings: &Settings, folder: &Path, file: MakeFile<'_>) {
        let Some(kind) = StreamDataKind::by_name(&entry.kind) else { return };
        let plan = StreamDataPlan::from_entry(kind, entry, settings, folder);
        let file = file(entry, entry.filename(kind.filename()));
        let existing = existing_of(entry, self.existing);
        let dump = plan.file.then(|| self.add(OutletSettings::new(file)));
        let files = plan
            .folder
            .map(|folder| self.add(OutletSettings::new(Destination::Streams { folder, existing })));
        self.plans.push(Plan::StreamData { kind, dump, files });
    }

    fn add(&mut self, outlet: OutletSettings) -> OutletId {
        let id = OutletId(self.outlets.len() as u16);
        self.outlets.push(outlet);
        id
    }

    /// The outlets, for [`crate::LogWriter::start`]; once.
    pub fn take_outlets(&mut self) -> Vec<OutletSettings> {
        std::mem::take(&mut self.outlets)
    }

    /// The formats of one worker.
    pub fn formats(&self) -> Vec<Box<dyn Format>> {
        self.plans
            .iter()
            .map(|plan| -> Box<dyn Format> {
                match plan {
                    Plan::Eve(plan, outlet) => Box::new(Eve::new(plan.clone(), *outlet)),
                    Plan::Fast { outlet, inline, offline } => Box::new(Fast::new(*outlet, *inline, *offline)),
                    Plan::StatsLog(outlet, options) => Box::new(StatsLog::new(*outlet, *options)),
                    Plan::StreamData { kind, dump, files } => Box::new(StreamData::new(*kind, *dump, *files)),
                }
            })
            .collect()
    }

    /// The kinds of records that any of the formats wants.
    pub fn wants(&self) -> RecordKinds {
        self.formats().iter().fold(RecordKinds::default(), |all, format| all.union(format.wants()))
    }

    /// The store of files, where one is in use.
    pub fn file_store(&self) -> Option<&FileStoreSettings> {
        self.file_store.as_ref().map(|store| &store.settings)
    }

    /// A worker's part of the store of files. Workers share the count of files `begun`, in turns.
    pub fn open_file_store(&self, begun: Arc<AtomicU64>, turn: Turn) -> Option<FileStore> {
        let store = self.file_store.as_ref()?;
        let describer = store.description.clone().map(FileDescriber::new);
        Some(FileStore::new(store.settings.clone(), store.outlet, describer, begun, turn))
    }

    /// Counters of the log thread, and of the threads that send.
    pub fn counters(&self) -> Vec<Box<dyn Counters>> {
        let files = self.file_store.iter().map(|store| &store.errors);
        let certificates = self.certificate_store.iter().map(|(_, errors)| errors);
        let stores = files.chain(certificates).chain(&self.extraction_errors).cloned();
        let stores = stores.map(|errors| -> Box<dyn Counters> { Box::new(errors) });
        let pipelines = self.pipelines.iter().map(|pipeline| pipeline.counts.clone());
        stores.chain(pipelines.map(|counts| -> Box<dyn Counters> { Box::new(counts) })).collect()
    }

    /// A worker's part of the store of certificates. Workers share the count of what is `stored`, in turns.
    pub fn open_certificate_store(&self, stored: Arc<AtomicU64>, turn: Turn) -> Option<CertificateStore> {
        let (outlet, _) = self.certificate_store.as_ref()?;
        Some(CertificateStore::new(*outlet, stored, turn))
    }

    /// The log of packets and its outlet, where one is written.
    pub const fn pcap_log(&self) -> Option<&(PcapLogSettings, OutletId)> {
        self.pcap_log.as_ref()
    }

    fn eve_plans(&self) -> impl Iterator<Item = &Arc<EvePlan>> {
        self.plans.iter().filter_map(|plan| match plan {
            Plan::Eve(plan, _) => Some(plan),
            _ => None,
        })
    }

    /// Whether an output asks for a hash (`md5`, `sha1`, `sha256`) of every file.
    pub fn forces_hash(&self, name: &str) -> bool {
        let stored = self.file_store().map_or(&[][..], |store| &store.force_hash);
        let mut forced = self.eve_plans().flat_map(|plan| plan.forced_hashes()).chain(stored);
        forced.any(|hash| hash == name)
    }

    /// Whether an output asks what every file is, in words.
    pub fn forces_magic(&self) -> bool {
        self.file_store().is_some_and(|store| store.force_magic)
            || self.eve_plans().any(|plan| plan.forces_magic())
    }

    /// Whether comments on packets are to be read.
    pub fn wants_comments(&self) -> bool {
        self.eve_plans().any(|plan| plan.wants_comments())
    }

    /// Whether link-layer addresses of flows are to be gathered.
    pub fn wants_macs(&self) -> bool {
        self.eve_plans().any(|plan| plan.wants_macs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::RecordKind;

    #[test]
    fn the_shipped_configuration() {
        let settings = Settings::built_in::<&str>(&[]).unwrap();
        let environment =
            Environment { offline: true, log_folder: Some("/tmp/logs".into()), ..Environment::default() };
        let mut outputs = Outputs::from_settings(&settings, &[], &environment).unwrap();
        let names: Vec<String> = outputs
            .take_outlets()
            .into_iter()
            .filter_map(|outlet| match outlet.destination {
                Destination::File { name, .. } => {
                    Some(name.describe().file_name()?.to_string_lossy().into_owned())
                }
                _ => None,
            })
            .collect();
        assert_eq!(names, ["fast.log", "eve.json", "stats.log"]);
        let wants = outputs.wants();
        for kind in [RecordKind::Alert, RecordKind::FlowEnd, RecordKind::Stats, RecordKind::File] {
            assert!(wants.has(kind), "{kind:?}");
        }
        assert!(!wants.has(RecordKind::Drop));
        assert!(!outputs.forces_hash("md5"));
    }

    #[test]
    fn files_of_threads() {
        for (name, expected) in [
            ("eve.json", "eve.1.json"),
            ("/var/log/a.b/eve", "/var/log/a.b/eve.1"),
            ("eve-%Y.%m.json", "eve-%Y.%m.1.json"),
        ] {
            assert_eq!(of_thread(name), expected);
        }
    }
}
