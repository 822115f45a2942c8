//! Reads captures, one after the other, for a crew of workers, or has interfaces listened on.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use crossbeam_channel::Receiver;
use weir_base::Duration;
use weir_base::Sequence;
use weir_capture::{
    LiveRequest, MAX_COMMENT_LENGTH, Open, OpenSources, Recorder, Recording, Request, Source, SourceError,
    SourceKind, Stance,
};
use weir_output::RecordCounts;

use crate::affinity::{Affinity, Task};
use crate::control::Control;
use crate::crew::{Crew, WorkerFailed};
use crate::jobs::follow::{Folder, Follow};
use crate::jobs::questions::{Question, Questions};
use crate::live::{Listeners, Post, RecordedRules};
use crate::log::EngineLog;
use crate::metrics::Door;
use crate::progress::{Position, Progress};
use crate::recording;
use crate::reload::Reloads;
use crate::requests::{Interruption, Requests};
use crate::run::{Engine, EngineError, Holding, Inputs, ReadFiles};
use crate::statistics::Statistics;
use crate::stats::Totals;
use crate::summary::{CaptureRead, InterfaceHeard};
use crate::tally::Tally;
use crate::worker::Worker;

/// Packets asked of a source at a time.
const BATCH: usize = 256;

/// Longest wait for what is asked for while no file is read.
const WAIT: Duration = Duration::from_millis(50);

/// Captures and problems of a folder that are kept while it is read on.
const KEPT: usize = 1000;

/// Packets between two reports of progress.
const PROGRESS_INTERVAL: u64 = 20_000;

/// Where reading a source ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// At its end.
    Whole,
    /// Where it is damaged.
    Damaged,
    /// Where it was asked to stop.
    Stopped,
}

/// All that was read of the captures of a run.
#[derive(Default)]
pub(crate) struct Intake {
    /// Something could be read at all.
    pub(crate) read_any: bool,
    /// Packets read.
    pub(crate) packets: u64,
    /// Packets that the filter kept back.
    pub(crate) filtered: u64,
    /// The captures that could be opened.
    pub(crate) captures: Vec<CaptureRead>,
    /// Read failures, as sentences.
    pub(crate) problems: Vec<String>,
    /// Where reading stopped because it was asked to.
    pub(crate) interruption: Option<Interruption>,
    /// The interfaces that were listened on.
    pub(crate) interfaces: Vec<InterfaceHeard>,
    /// Counters of the capture of each worker that listened.
    pub(crate) capture: Vec<Totals>,
}

impl Intake {
    /// Forgets the earliest captures and problems where there are many.
    fn forget_early(&mut self) {
        self.captures.drain(..self.captures.len().saturating_sub(KEPT));
        self.problems.drain(..self.problems.len().saturating_sub(KEPT));
    }
}

/// Interfaces that were opened.
pub(crate) struct Opened {
    /// Their kind.
    pub(crate) kind: &'static SourceKind,
    /// A source for each worker.
    pub(crate) sources: Vec<Box<dyn Source>>,
    /// The socket for commands, if there is one.
    pub(crate) control: Option<Control>,
    /// Where metrics are asked for, if they are served.
    pub(crate) metrics: Option<Door>,
    /// The order in which workers come to what they share, where it is noted or given.
    pub(crate) sequence: Option<Arc<Sequence>>,
    /// The recording that is made, and each worker's part in it.
    pub(crate) recording: Option<(Recording, Vec<Recorder>)>,
}

impl Opened {
    /// Returns what is open, as far as rights are concerned.
    fn holding(&self) -> Holding<'_> {
        let control = self.control.as_ref().map(Control::path);
        let sockets = control.into_iter().chain(self.metrics.as_ref().and_then(Door::path)).collect();
        let beside =
            self.sources.iter().filter(|source| source.stance() == Stance::Beside && !source.is_recorded());
        Holding { sockets, interfaces: beside.flat_map(|source| source.interfaces()).collect() }
    }
}

/// Those around a run.
pub(crate) struct Surroundings<'a> {
    /// Is told how it gets on.
    pub(crate) progress: &'a mut dyn FnMut(&Progress<'_>),
    /// Opens logs anew.
    pub(crate) reopen: &'a dyn Fn(),
}

/// Result of reading, or of listening: workers whose flows have ended.
pub(crate) struct Taken {
    /// The workers.
    pub(crate) workers: Vec<Worker>,
    /// The latest position.
    pub(crate) last: weir_base::Position,
    /// What was read.
    pub(crate) intake: Intake,
}

impl Engine {
    /// Opens interfaces, gives rights away, and begins a recording, as far as that is asked for.
    pub(crate) fn open(&mut self, inputs: &Inputs) -> Result<Option<Opened>, EngineError> {
        let mut opened = self.open_interfaces(inputs)?;
        self.give_rights_away(&opened.as_ref().map(Opened::holding).unwrap_or_default())?;
        opened.iter_mut().try_for_each(|opened| self.begin_recording(opened))?;
        Ok(opened)
    }

    /// Opens the interfaces that are to be listened on, and sets the number of workers; none where files are read.
    fn open_interfaces(&mut self, inputs: &Inputs) -> Result<Option<Opened>, EngineError> {
        let Open::AtOnce(source) = inputs.source.open else { return Ok(None) };
        let request = LiveRequest {
            names: &inputs.request.names,
            settings: &self.settings,
            filter: inputs.request.filter.as_ref(),
            threads: inputs.threads,
        };
        let sources = (source.open)(&request).map_err(|error| EngineError::Input(error.to_string()))?;
        for warning in self.settings.take_warnings() {
            self.log.warning(&warning.subsystem, &warning.to_string());
        }
        Arc::make_mut(&mut self.parts.settings).workers = sources.len();
        let is_recorded = sources.first().is_some_and(|source| source.is_recorded());
        if is_recorded {
            return self.open_recording(inputs, sources).map(Some);
        }
        let control = Control::open(&self.settings, &self.log);
        let metrics = Door::open(&self.settings, &self.log)?;
        Ok(Some(Opened { kind: inputs.source, sources, control, metrics, sequence: None, recording: None }))
    }

    /// Reads captures, one after the other.
    pub(crate) fn read(
        &self,
        (workers, affinity): (Vec<Worker>, &Option<Affinity>),
        (inputs, request): (&Inputs, &Request),
        statistics: &mut Statistics<'_>,
        around: Surroundings<'_>,
    ) -> Result<Taken, EngineError> {
        let reads = if workers.len() > 1 { Task::Receive } else { Task::Worker(0) };
        let mut crew = Crew::new(workers, &self.parts.settings, affinity).map_err(EngineError::Thread)?;
        affinity.iter().for_each(|affinity| affinity.bind(reads));
        let asked = (&self.requests, around.reopen);
        let mut reading = Reading::new(&mut crew, Some(statistics), around.progress, &self.log, asked);
        reading.questions = self.questions.as_ref();
        match inputs.follow {
            Some(times) => reading.follow(inputs, request, times),
            None => reading.all(inputs.source.open_in_turn(request), inputs.files),
        }
        let intake = reading.intake;
        let (workers, last) = crew.finish().map_err(|WorkerFailed| EngineError::Worker)?;
        Ok(Taken { workers, last: last.position, intake })
    }

    /// Listens with a thread for each worker and its source.
    pub(crate) fn listen(
        &mut self,
        workers: Vec<Worker>,
        (opened, records): (Opened, RecordCounts),
        affinity: &Option<Affinity>,
        statistics: &mut Statistics<'_>,
        around: Surroundings<'_>,
    ) -> Result<Taken, EngineError> {
        let (settings, requests) = (&self.parts.settings, &self.requests);
        let reloads = Reloads::new(workers.iter().map(Worker::order).collect());
        let (recording, recorders) = opened.recording.unzip();
        let mut recorders = recorders.into_iter().flatten();
        let posts = workers.into_iter().zip(opened.sources);
        let recorded_rules = match self.rule_files.recorded {
            Some(_) => RecordedRules::Taken,
            None => RecordedRules::PassedOver,
        };
        let posts = posts.map(|(worker, source)| {
            let recorder = recorders.next();
            Post { worker, source, recorder, recorded_rules }
        });
        let (kind, posts) = (opened.kind, posts.collect());
        let mut listeners =
            Listeners::start(kind, posts, settings, affinity, requests).map_err(EngineError::Thread)?;
        statistics.name_interfaces(listeners.interfaces());
        let serve = |door: Door| door.serve(listeners.lines(), statistics.facts(), records);
        let metrics = opened.metrics.map(serve).transpose().map_err(EngineError::Thread)?;
        listeners.look_after(self, statistics, (opened.control, metrics), around, reloads);
        let heard = listeners.finish().map_err(|WorkerFailed| EngineError::Worker)?;
        heard.problems.iter().for_each(|problem| self.log.problem(kind.name, problem));
        recording.into_iter().for_each(Recording::finish);
        if self.repeats.is_some() && opened.sequence.is_some_and(|sequence| sequence.strayed()) {
            self.log.warning(recording::MODULE, recording::STRAYED);
        }
        let intake = Intake {
            read_any: true,
            packets: heard.packets,
            filtered: heard.filtered,
            problems: heard.problems,
            interfaces: heard.interfaces,
            capture: heard.capture,
            ..Intake::default()
        };
        Ok(Taken { workers: heard.workers, last: heard.last, intake })
    }

    /// Logs what was read.
    pub(crate) fn tell_of_input(
        &self,
        captures: &[CaptureRead],
        interfaces: &[InterfaceHeard],
        tally: &Tally,
    ) {
        for heard in interfaces {
            let InterfaceHeard { name, kernel_packets, kernel_drops, .. } = heard;
            let share = heard.dropped_percent();
            let said = format!("{name}: packets: {kernel_packets}, drops: {kernel_drops} ({share:.2}%)");
            self.log.notice("device", &said);
        }
        if interfaces.is_empty() {
            let (files, many) = (captures.len(), if captures.len() == 1 { "" } else { "s" });
            let counted =
                format!("read {files} file{many}, {} packets, {} bytes", tally.packets, tally.bytes);
            self.log.notice("pcap", &counted);
        }
    }
}

/// Opens logs anew where that was asked for.
pub(crate) fn heed(requests: &Requests, log: &EngineLog, reopen: &dyn Fn()) {
    if requests.take_reopen() {
        log.reopen();
        reopen();
        log.notice("suricata", "logs are opened anew");
    }
}

/// The reading of all captures of a run.
pub(crate) struct Reading<'a, 's> {
    crew: &'a mut Crew,
    statistics: Option<&'a mut Statistics<'s>>,
    progress: &'a mut dyn FnMut(&Progress<'_>),
    log: &'a EngineLog,
    requests: &'a Requests,
    reopen: &'a dyn Fn(),
    /// Questions of others.
    pub(crate) questions: Option<&'a Questions>,
    /// Totals read so far.
    pub(crate) intake: Intake,
}

impl<'a, 's> Reading<'a, 's> {
    /// Nothing was read yet. `reopen` opens logs anew.
    pub(crate) fn new(
        crew: &'a mut Crew,
        statistics: Option<&'a mut Statistics<'s>>,
        progress: &'a mut dyn FnMut(&Progress<'_>),
        log: &'a EngineLog,
        (requests, reopen): (&'a Requests, &'a dyn Fn()),
    ) -> Self {
        let (questions, intake) = (None, Intake::default());
        Self { crew, statistics, progress, log, requests, reopen, questions, intake }
    }

    /// Reads all sources; `files` says what becomes of those that were read to their end.
    pub(crate) fn all(&mut self, sources: OpenSources, files: ReadFiles) {
        for opened in sources {
            match opened {
                Ok(mut source) => {
                    let name = source.name();
                    source.number_after(self.intake.packets);
                    self.crew.capture_file(&name);
                    self.intake
                        .captures
                        .push(CaptureRead { name: name.clone(), before: self.intake.packets });
                    let end = self.one(&name, &mut *source);
                    let stats = source.stats();
                    if stats.comments_cut > 0 {
                        let count = stats.comments_cut;
                        let what = format!("are longer than {MAX_COMMENT_LENGTH} bytes: they are cut");
                        self.log.warning("pcap", &format!("{name}: comments on {count} packets {what}"));
                    }
                    self.intake.read_any |= end != End::Damaged || stats.packets > 0;
                    self.intake.packets += stats.packets;
                    self.intake.filtered += stats.filtered;
                    if end == End::Stopped {
                        let (bytes, size) = (stats.position, stats.size);
                        self.intake.interruption =
                            Some(Interruption { capture: name, packets: self.intake.packets, bytes, size });
                        return;
                    }
                    if let Some(file) = source.file() {
                        (self.progress)(&Progress::Done(file));
                        if files == ReadFiles::Delete && end == End::Whole {
                            self.delete(file);
                        }
                    }
                }
                Err(error) => self.note(&error),
            }
        }
    }

    /// Reads one source to its end or to where it is damaged.
    fn one(&mut self, name: &str, source: &mut dyn Source) -> End {
        let mut next_report = 0;
        let mut end = End::Whole;
        loop {
            let at_end = match source.next_batch(BATCH, Duration::from_millis(100)) {
                Ok(batch) => {
                    self.crew.packets(&batch);
                    batch.at_end()
                }
                Err(error) => {
                    self.note(&error);
                    end = End::Damaged;
                    false
                }
            };
            self.crew.batch_taken();
            self.heed();
            if let Some(statistics) = &mut self.statistics {
                statistics.progress(self.crew);
            }
            let stats = source.stats();
            if stats.packets >= next_report {
                next_report = stats.packets + PROGRESS_INTERVAL;
                let at = Position { name, bytes: stats.position, size: stats.size };
                (self.progress)(&Progress::Read(at));
            }
            if at_end {
                return end;
            }
            if self.requests.stops() {
                self.log.notice("suricata", "Signal Received.  Stopping engine.");
                (self.progress)(&Progress::Stopping);
                return End::Stopped;
            }
        }
    }

    /// Reads the files of a folder, and those that come into it later, until it is to stop or the folder is gone.
    pub(crate) fn follow(&mut self, inputs: &Inputs, request: &Request, times: Follow) {
        let Some(path) = request.names.first() else { return };
        let mut folder = Folder::new(path, times.delay);
        // A folder may be empty.
        self.intake.read_any = true;
        while !self.requests.stops() {
            match folder.fresh(SystemTime::now()) {
                Err(error) => {
                    let what = format!("{} cannot be read any more: {error}.", path.display());
                    self.log.notice("pcap", &what);
                    return;
                }
                Ok(fresh) if fresh.is_empty() => self.wait(times.every),
                Ok(fresh) => {
                    let request = Request { names: fresh, ..request.clone() };
                    self.all(inputs.source.open_in_turn(&request), inputs.files);
                    self.intake.forget_early();
                }
            }
        }
    }

    /// Waits, and does what is asked for meanwhile.
    fn wait(&mut self, time: Duration) {
        // Without a deadline where none that late can be said.
        let deadline = Instant::now().checked_add(time);
        loop {
            std::thread::sleep(WAIT);
            self.crew.batch_taken();
            self.heed();
            if let Some(statistics) = &mut self.statistics {
                statistics.progress(self.crew);
            }
            if self.requests.stops() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return;
            }
        }
    }

    /// Answers what others ask.
    fn answer(&mut self) {
        for question in self.questions.into_iter().flat_map(Receiver::try_iter) {
            match question {
                Question::Counters(answer) => {
                    let statistics = self.statistics.as_deref();
                    let report = statistics.and_then(|statistics| statistics.report_now(self.crew));
                    // Who asked may be gone.
                    let _ = report.map(|report| answer.try_send(report));
                }
                Question::Flow(id, answer) => {
                    let _ = answer.try_send(self.crew.counts_of(id));
                }
            }
        }
    }

    /// Does what was asked for meanwhile.
    fn heed(&mut self) {
        heed(self.requests, self.log, self.reopen);
        self.answer();
        if self.requests.take_reload() {
            let what =
                "Rules cannot be loaded again while a capture is read: those of the start stay in use.";
            self.log.warning("detect", &format!("{what} Start anew to use others."));
        }
    }

    fn note(&mut self, error: &SourceError) {
        self.log.problem("pcap", &error.to_string());
        self.intake.problems.push(error.to_string());
    }

    fn delete(&mut self, file: &Path) {
        if let Err(error) = std::fs::remove_file(file) {
            self.intake.problems.push(format!("The capture {} cannot be deleted: {error}.", file.display()));
        }
    }
}
