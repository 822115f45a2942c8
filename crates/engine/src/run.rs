//! An engine: settings, rules and protocols made ready once, then captures run through a worker.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use weir_applayer::file::FileSettings;
use weir_base::{Counters, Duration, Timestamp, Turn};
use weir_capture::{CAPTURE_FILES, CommentReading, Request, SourceKind};
use weir_config::{ConfigError, MetricsAddress, Settings};
use weir_detect::Ruleset;
use weir_output::{LogReport, LogWriter, Outputs, ZeekEncoding};
use weir_zeek::{Across, GivenUp, Observer, Plan};

use crate::affinity::{Affinity, Task};
use crate::folder_lock::{FolderLock, FolderTaken};
use crate::jobs::follow::Follow;
use crate::jobs::questions::Questions;
use crate::load::{RuleFiles, RuleReport};
use crate::log::EngineLog;
use crate::profile::ProfileSwitch;
use crate::progress::Progress;
use crate::protocols::{self, SharedByParsers};
use crate::reading::{Intake, Surroundings, Taken};
use crate::recording::{order, turns};
use crate::reload::ReadSettings;
use crate::requests::Requests;
use crate::rules::{Rules, rulesets};
use crate::script_output::ScriptOutputs;
use crate::settings::{EngineSettings, LogFolder, RunOptions, ZeekChoice};
use crate::statistics::Statistics;
use crate::stats::{Totals, damage, doubtful_checksums, peak_memory, tcp_checksums};
use crate::summary::Summary;
use crate::tally::{RuleAlerts, Tally};
use crate::worker::part::FrameNotes;
use crate::worker::recorder::Recorder;
use crate::worker::{Worker, WorkerParts};

/// Packets to read.
#[derive(Debug)]
pub struct Inputs {
    /// The source of them.
    pub source: &'static SourceKind,
    /// Request to it.
    pub request: Request,
    /// The fate of files that were read to their end.
    pub files: ReadFiles,
    /// Threads that listen on each interface, where the configuration is not to say.
    pub threads: Option<u16>,
    /// A folder is read from on: files that come later, too.
    pub follow: Option<Follow>,
}

/// The fate of files that were read to their end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadFiles {
    /// They stay.
    Keep,
    /// They are deleted.
    Delete,
}

impl Inputs {
    /// All packets of captures in files.
    pub const fn files(paths: Vec<PathBuf>) -> Self {
        Self {
            source: &CAPTURE_FILES,
            request: Request::of(paths),
            files: ReadFiles::Keep,
            threads: None,
            follow: None,
        }
    }
}

/// Reasons that an engine cannot be started, or a run not begun.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The configuration.
    #[error("{0}")]
    Configuration(#[from] ConfigError),
    /// Rules that could not be loaded, where that is fatal.
    #[error("{} rules could not be loaded", .0.failed_count())]
    Rules(Box<RuleReport>),
    /// An output.
    #[error("{0}")]
    Output(#[from] weir_output::LogError),
    /// The system gives no thread.
    #[error("A worker's thread cannot be started: {0}.")]
    Thread(std::io::Error),
    /// A defect.
    #[error("A worker failed, and the logs are not complete. This is a defect: please report it.")]
    Worker,
    /// A matcher of the protocols' hints.
    #[error("The protocols' patterns cannot be compiled: {0}.")]
    Protocols(#[from] weir_mpm::BuildError),
    /// Another run writes into the folder for logs.
    #[error("{0}")]
    Folder(#[from] FolderTaken),
    /// No input could be opened.
    #[error("{0}")]
    Input(String),
    /// Rights could not be given away.
    #[error("{0}")]
    Rights(String),
    /// Tenants that cannot be as they are asked for.
    #[error("{0}")]
    Tenants(String),
}

/// An engine that is ready to run.
pub struct Engine {
    pub(crate) settings: Arc<Settings>,
    /// Settings of workers as they are where there are rules.
    pub(crate) as_asked: Arc<EngineSettings>,
    pub(crate) options: RunOptions,
    pub(crate) parts: WorkerParts,
    /// Values that parsers share.
    pub(crate) shared: Arc<SharedByParsers>,
    /// Rule files that the command line names.
    pub(crate) rule_files: RuleFiles,
    pub(crate) rules: RuleReport,
    /// When the rules were loaded.
    pub(crate) loaded_at: Timestamp,
    /// The recording that is repeated, if one is.
    pub(crate) repeats: Option<PathBuf>,
    /// How often rules were exchanged.
    pub(crate) rules_number: u32,
    /// Reads the configuration again, where rules may be loaded again.
    pub(crate) read_settings: Option<ReadSettings>,
    pub(crate) log_folder: PathBuf,
    pub(crate) requests: Requests,
    /// Questions to the reader of captures while it reads.
    pub(crate) questions: Option<Questions>,
    pub(crate) log: Arc<EngineLog>,
    /// Gives rights away.
    pub(crate) confine: Option<Confine>,
    /// What clients of the control socket have measured.
    pub(crate) profiling: Arc<ProfileSwitch>,
}

/// Gives rights of the process away once everything is open that needs them. The error is a sentence.
pub type Confine = Box<dyn FnOnce(&Holding<'_>) -> Result<(), String> + Send>;

/// What a run has open when it gives rights away.
#[derive(Clone, Debug, Default)]
pub struct Holding<'a> {
    /// Files of its sockets.
    pub sockets: Vec<&'a Path>,
    /// Interfaces whose packets it only sees.
    pub interfaces: BTreeSet<String>,
}

impl Engine {
    /// Makes settings, protocols and rules ready.
    pub fn new(
        settings: Settings,
        options: RunOptions,
        files: &RuleFiles,
        log_folder: &Path,
        log: Arc<EngineLog>,
    ) -> Result<Self, EngineError> {
        let mut typed = EngineSettings::from_settings(&settings, &options)?;
        MetricsAddress::from_settings(&settings)?;
        if settings.is_given("exception-policy") {
            let word = typed.policies.master.name();
            log.info("exception-policy", &format!("master exception-policy set to: {word}"));
        }
        let Rules { main: ruleset, report: rules, tenants } =
            Rules::load(&settings, &typed, &options, files, (log_folder, &log))?;
        let off_by_default = protocols::off_by_default(&settings, &options);
        let complain = |sentence: String| settings.warn("app-layer", sentence, None);
        let shared = Arc::new(SharedByParsers::default());
        let rulesets: Vec<&Ruleset> =
            rulesets(&ruleset, tenants.as_ref()).map(|ruleset| &**ruleset).collect();
        let registries = protocols::registries(&settings, &rulesets, off_by_default, &shared, &complain)?;
        let is_empty = rulesets.iter().all(|ruleset| ruleset.is_empty());
        for warning in settings.take_warnings() {
            log.warning(&warning.subsystem, &warning.to_string());
        }
        // A firewall with holes in its rules is none.
        let fatal = options.fatal_errors || rules.firewall_failed;
        if fatal && (rules.failed_count() > 0 || !rules.unreadable.is_empty()) {
            return Err(EngineError::Rules(Box::new(rules)));
        }
        let as_asked = Arc::new(typed.clone());
        if is_empty && typed.firewall.is_none() {
            typed.leave_detection();
        }
        let parts = WorkerParts {
            settings: Arc::new(typed),
            registry: registries.main,
            tunnels_registry: registries.tunnels,
            ruleset,
            tenants,
            files: FileSettings::default(),
            log: Arc::clone(&log),
        };
        let loaded_at = wall_clock();
        Ok(Self {
            settings: Arc::new(settings),
            as_asked,
            options,
            parts,
            shared,
            rule_files: files.clone(),
            rules,
            loaded_at,
            read_settings: None,
            repeats: None,
            rules_number: 0,
            log_folder: log_folder.to_owned(),
            requests: Requests::default(),
            questions: None,
            log,
            confine: None,
            profiling: Arc::default(),
        })
    }

    /// Gives rights away, in this way, when all is open that needs them: before logs are opened and threads begin.
    #[must_use]
    pub fn confined_by(self, confine: Option<Confine>) -> Self {
        Self { confine, ..self }
    }

    /// Gives rights away.
    pub(crate) fn give_rights_away(&mut self, holding: &Holding<'_>) -> Result<(), EngineError> {
        let confine = self.confine.take();
        confine.map_or(Ok(()), |confine| confine(holding)).map_err(EngineError::Rights)
    }

    /// Heeds these requests while it runs.
    #[must_use]
    pub fn heeding(self, requests: Requests) -> Self {
        Self { requests, ..self }
    }

    /// Reads its configuration in this way when rules are loaded again while it listens.
    #[must_use]
    pub fn reading_settings_by(self, read: ReadSettings) -> Self {
        Self { read_settings: Some(read), ..self }
    }

    /// Writes the reports on rules of `--engine-analysis` into the folder for logs.
    pub fn analyse(&self) -> std::io::Result<()> {
        let detect = &self.parts.settings.detect;
        crate::analysis::write(&self.parts.ruleset, &self.settings, detect, &self.log_folder, self.loaded_at)
    }

    /// The configuration.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Makes an engine of the same settings and rules ready for a run of its own, with logs in another folder.
    pub(crate) fn beside(&self, log_folder: &Path) -> Result<Self, EngineError> {
        let mut typed = (*self.as_asked).clone();
        if self.parts.rulesets().all(|ruleset| ruleset.is_empty()) && typed.firewall.is_none() {
            typed.leave_detection();
        }
        let off_by_default = protocols::off_by_default(&self.settings, &self.options);
        let shared = Arc::new(SharedByParsers::default());
        let rulesets: Vec<&Ruleset> = self.parts.rulesets().map(|ruleset| &**ruleset).collect();
        let registries = protocols::registries(&self.settings, &rulesets, off_by_default, &shared, &|_| ())?;
        let parts = WorkerParts {
            settings: Arc::new(typed),
            registry: registries.main,
            tunnels_registry: registries.tunnels,
            ..self.parts.clone()
        };
        Ok(Self {
            settings: Arc::clone(&self.settings),
            as_asked: Arc::clone(&self.as_asked),
            options: self.options.clone(),
            parts,
            shared,
            rule_files: self.rule_files.clone(),
            rules: self.rules.clone(),
            loaded_at: self.loaded_at,
            read_settings: None,
            repeats: None,
            rules_number: 0,
            log_folder: log_folder.to_owned(),
            requests: Requests::default(),
            questions: None,
            log: Arc::clone(&self.log),
            confine: None,
            profiling: Arc::clone(&self.profiling),
        })
    }

    /// Reads the inputs to their end, or listens until it is asked to stop. `progress` is called now and then.
    pub fn run(
        mut self,
        inputs: &Inputs,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Summary, EngineError> {
        let summary = self.run_once(inputs, progress);
        // The system takes the memory back at once; to free it rule by rule takes a while.
        self.parts.rulesets().for_each(|ruleset| std::mem::forget(Arc::clone(ruleset)));
        summary
    }

    /// Does one run.
    pub(crate) fn run_once(
        &mut self,
        inputs: &Inputs,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Summary, EngineError> {
        let started = Instant::now();
        let _lock = match self.options.log_folder {
            LogFolder::Own => Some(FolderLock::take(&self.log_folder)?),
            LogFolder::Shared => None,
        };
        let opened = self.open(inputs)?;
        let filter = inputs.request.filter.as_ref().map(|filter| filter.expression().to_owned());
        let (mut outputs, zeek) = self.outputs(filter.clone(), opened.is_some())?;
        if zeek.is_some() {
            Arc::make_mut(&mut self.parts.settings).suit_zeek_logs();
        }
        self.keep_windows(&outputs);
        let log = Arc::clone(&self.log);
        let report = move |error: &weir_output::LogError| log.problem("output", &error.to_string());
        let count = self.parts.settings.workers;
        let affinity = Affinity::new(self.parts.settings.threading.affinity.as_ref(), &self.log);
        affinity.iter().for_each(|affinity| affinity.bind(Task::Management));
        let order = order(opened.as_ref());
        let writer = LogWriter::start(outputs.take_outlets(), count, order, report)?;
        let say = crate::load::say_in(&self.log, "output-lua");
        let scripts = ScriptOutputs::open(&self.settings, weir_protocols::ALL, &self.log_folder, &say);
        self.parts.files = self.file_settings(&outputs, zeek.as_deref(), !scripts.is_empty());
        let turns = turns(count, opened.as_ref());
        let mut workers = self.workers((&outputs, zeek.as_ref()), &scripts, &writer, turns);
        let plan = self.begin_measuring(&mut workers, opened.is_some());
        if let Some((settings, outlet)) = outputs.pcap_log() {
            workers.iter_mut().for_each(|worker| worker.log_packets(settings.clone(), *outlet, count));
        }
        self.log.notice("threads", &format!("Threads created -> W: {count}   Engine started."));
        let (settings, registry) = (Arc::clone(&self.parts.settings), Arc::clone(&self.parts.registry));
        let of_outputs = outputs.counters();
        let mut shared: Vec<&dyn Counters> = vec![&*registry];
        let counts = writer.record_counts();
        shared.push(&counts);
        shared.extend(of_outputs.iter().map(|counters| &**counters));
        let mut statistics = Statistics::new(&settings, &shared, self.detect_engines(), started);
        let reopen = || writer.reopen();
        let around = Surroundings { progress, reopen: &reopen };
        let taken = match opened {
            Some(opened) => {
                self.listen(workers, (opened, counts.clone()), &affinity, &mut statistics, around)
            }
            None => {
                let comments =
                    if outputs.wants_comments() { CommentReading::Keep } else { CommentReading::Skip };
                let request = Request { comments, ..inputs.request.clone() };
                self.read((workers, &affinity), (inputs, &request), &mut statistics, around)
            }
        };
        let Taken { mut workers, last, intake: mut read } = taken?;
        read.problems.extend(workers.iter_mut().filter_map(Worker::finish_packet_log));
        for sentence in self.parts.rulesets().flat_map(|ruleset| ruleset.datasets.save()) {
            self.log.error("datasets", &sentence);
        }
        let totals = self.totals(&mut workers, last, &read, statistics);
        let profile = self.write_profile(plan, &workers);
        let lost_in_queue: u64 = workers.iter_mut().map(|worker| worker.recorder().finish()).sum();
        scripts.close();
        let logs = writer.finish();
        let earlier = self.earlier_files(&logs);
        if !read.read_any
            && let Some(first) = read.problems.first()
        {
            return Err(EngineError::Input(first.clone()));
        }
        let summary = self.summary(read, &mut workers, &totals, (&logs, earlier));
        Ok(Summary {
            filter,
            zeek_rows: zeek.map(|plan| plan.written(&logs)).unwrap_or_default(),
            lost_records: lost_in_queue + summary.lost_records,
            profile,
            elapsed: Duration::from_secs_f64(started.elapsed().as_secs_f64()),
            ..summary
        })
    }

    /// Sums up the counters of all workers, and has the last records of them written.
    fn totals(
        &self,
        workers: &mut [Worker],
        last: weir_base::Position,
        read: &Intake,
        statistics: Statistics<'_>,
    ) -> Totals {
        let mut each: Vec<Totals> = workers.iter().map(|worker| worker.totals()).collect();
        each.iter_mut().zip(&read.capture).for_each(|(own, capture)| own.merge(capture));
        let mut totals = Totals::default();
        each.iter().for_each(|own| totals.merge(own));
        let doubt = self.warn_of(&totals, workers);
        if let Some(first) = workers.first_mut() {
            first.recorder().finish_shared(last.clock, &read.problems, doubt.as_deref());
        }
        statistics.finish(each, workers.first_mut(), last.clock);
        totals
    }

    /// Sums up what was read, found and written.
    fn summary(
        &mut self,
        read: Intake,
        workers: &mut [Worker],
        totals: &Totals,
        (logs, (appended, set_aside)): (&LogReport, (Vec<PathBuf>, Vec<PathBuf>)),
    ) -> Summary {
        let mut problems = read.problems;
        let damaged_input = !problems.is_empty();
        problems.extend(logs.errors.iter().map(ToString::to_string));
        let mut tally = Tally::default();
        let mut records = BTreeMap::new();
        for worker in workers {
            tally.add(std::mem::take(worker.tally()));
            for (name, count) in worker.recorder().counts() {
                *records.entry(name.to_owned()).or_default() += count;
            }
        }
        tally.accounts.read = read.packets;
        problems.extend(tally.accounts.unbalanced());
        self.tell_of_input(&read.captures, &read.interfaces, &tally);
        Summary {
            alerts: alerts_by_rule(&tally),
            captures: read.captures,
            interfaces: read.interfaces,
            filter: None,
            filtered: read.filtered,
            tcp_packets: tcp_checksums(totals),
            records: records.into_iter().collect(),
            zeek_rows: Vec::new(),
            lost_records: logs.outlets.iter().map(|outlet| outlet.lost).sum(),
            pipelines: crate::summary::pipelines(logs),
            damage: damage(totals),
            tunnels: totals.largest("decoder.tunnel."),
            invalid: totals.value("decoder.invalid"),
            problems,
            damaged_input,
            interruption: read.interruption,
            appended,
            set_aside,
            log_folder: std::mem::take(&mut self.log_folder),
            elapsed: Duration::default(),
            peak_memory: peak_memory(),
            rules: self.rules(),
            tally,
            profile: None,
        }
    }

    /// Warns of what the totals say of the run. The answer is why there is doubt about the checksums, if so.
    fn warn_of(&self, totals: &Totals, workers: &[Worker]) -> Option<String> {
        let doubt = doubtful_checksums(totals);
        doubt.iter().for_each(|sentence| self.log.warning("checksum", sentence));
        let early = workers.iter().map(Worker::zeek_given_up).fold(GivenUp::default(), GivenUp::with);
        if let Some(sentence) = early.sentence() {
            self.log.warning("zeek-logs", &sentence);
        }
        doubt
    }

    /// Tells of logs that could not keep apart what they had told, and of those of earlier runs: the answer is which of
    /// these were added to, and which were set aside.
    fn earlier_files(&self, logs: &LogReport) -> (Vec<PathBuf>, Vec<PathBuf>) {
        for outlet in logs.outlets.iter().filter(|outlet| outlet.forgotten > 0) {
            let what =
                format!("{}: {} subjects were forgotten to make room", outlet.outlet, outlet.forgotten);
            self.log.warning("output", &format!("{what}: rows about them may be repeated."));
        }
        let earlier = || logs.outlets.iter().map(|outlet| &outlet.earlier);
        let mut appended: Vec<PathBuf> = earlier().filter_map(|files| files.appended.clone()).collect();
        appended.sort();
        appended.dedup();
        let mut set_aside: Vec<PathBuf> = earlier().filter_map(|files| files.set_aside.clone()).collect();
        set_aside.sort();
        for file in &set_aside {
            let why = "its columns or its form are others than those written now.";
            self.log.notice("output", &format!("A log of an earlier run is {} now: {why}", file.display()));
        }
        (appended, set_aside)
    }

    /// The workers, each with its outputs and its share of the memory.
    fn workers(
        &self,
        (outputs, zeek): (&Outputs, Option<&Arc<Plan>>),
        scripts: &ScriptOutputs,
        writer: &LogWriter,
        turns: Vec<Turn>,
    ) -> Vec<Worker> {
        let count = turns.len();
        let parts =
            WorkerParts { settings: Arc::new(self.parts.settings.share_of(count)), ..self.parts.clone() };
        let names = Arc::new(parts.ruleset.name_table.list());
        let (stored, certificates) = (Arc::default(), Arc::default());
        let describes = self.wants_magic(outputs);
        let (across, notes) = (Across::of(&turns), FrameNotes::default());
        turns
            .into_iter()
            .zip(across)
            .enumerate()
            .map(|(number, (turn, across))| {
                let zeek = zeek.map(|plan| Observer::new(Arc::clone(plan), across));
                let outlets = writer.outlets(number);
                let names = Arc::clone(&names);
                let mut formats = outputs.formats();
                formats.extend(scripts.formats(&turn));
                let recorder = Recorder::new(formats, outlets, names, zeek, outputs.wants_macs());
                let store = (!self.options.disable_hashing)
                    .then(|| outputs.open_file_store(Arc::clone(&stored), turn.clone()))
                    .flatten();
                let certificates = outputs.open_certificate_store(Arc::clone(&certificates), turn.clone());
                let mut worker = Worker::new(&parts, recorder, store, self.magic(describes), turn);
                worker.share_notes(notes.clone());
                certificates.into_iter().for_each(|store| worker.store_certificates(store));
                worker
            })
            .collect()
    }

    /// Reads the outputs, as a run does before it begins, and warns of what it would leave out.
    pub fn check_outputs(&self) -> Result<(), EngineError> {
        self.outputs(None, false).map(|_| ())
    }

    /// The outputs that configuration and command line ask for, behind a capture filter.
    fn outputs(
        &self,
        filter: Option<String>,
        is_live: bool,
    ) -> Result<(Outputs, Option<Arc<Plan>>), EngineError> {
        let environment = weir_output::Environment {
            inline: self.parts.settings.inline,
            firewall: self.parts.settings.firewall.is_some(),
            offline: !is_live,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            log_folder: Some(self.log_folder.clone()),
            existing: self.options.existing,
        };
        let mut outputs = Outputs::from_settings(&self.settings, weir_protocols::ALL, &environment)?;
        let environment = weir_zeek::Environment {
            encoding: self.options.zeek.map(|choice| match choice {
                ZeekChoice::Tsv => ZeekEncoding::Tsv,
                ZeekChoice::Json => ZeekEncoding::Json,
                ZeekChoice::Parquet => ZeekEncoding::Parquet,
            }),
            recognised: weir_protocols::recognised::ALL,
            datagrams: weir_protocols::recognised::DATAGRAMS,
            watches: weir_protocols::recognised::WATCHES,
            filter,
            checksums: self.parts.settings.checksums,
            seed: self.options.seed.filter(|_| self.parts.settings.workers == 1),
            events: self.options.events.clone(),
            logged_scripts: self.options.logged_scripts.clone(),
        };
        let zeek = Plan::from_settings(&self.settings, weir_protocols::ALL, &environment, &mut outputs)?;
        for warning in &outputs.warnings {
            self.log.warning("output", &warning.0);
        }
        Ok((outputs, zeek.map(Arc::new)))
    }
}

/// The rules that raised alerts, the most urgent first, and then those with the most alerts.
fn alerts_by_rule(tally: &Tally) -> Vec<RuleAlerts> {
    let mut alerts: Vec<RuleAlerts> = tally.alerts.values().cloned().collect();
    alerts.sort_by_key(|alert| (alert.rule.priority, std::cmp::Reverse(alert.count), alert.rule.sid));
    alerts
}

/// The time of day; zero where the clock is before 1970.
pub(crate) fn wall_clock() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(since.as_secs(), since.subsec_nanos())
}
