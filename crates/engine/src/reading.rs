//! Reads captures, one after the other, for a crew of workers.

use std::path::Path;

use weir_base::Duration;
use weir_capture::{MAX_COMMENT_LENGTH, OpenSources, Source, SourceError};

use crate::crew::Crew;
use crate::log::EngineLog;
use crate::requests::{Interruption, Requests};
use crate::run::{Position, ReadFiles};
use crate::statistics::Statistics;
use crate::summary::CaptureRead;

/// Packets asked of a source at a time.
const BATCH: usize = 256;

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
}

/// The reading of all captures of a run.
pub(crate) struct Reading<'a, 's> {
    crew: &'a mut Crew,
    statistics: Option<&'a mut Statistics<'s>>,
    progress: &'a mut dyn FnMut(&Position<'_>),
    log: &'a EngineLog,
    requests: &'a Requests,
    reopen: &'a dyn Fn(),
    /// Totals read so far.
    pub(crate) intake: Intake,
}

impl<'a, 's> Reading<'a, 's> {
    /// Nothing was read yet. `reopen` opens logs anew.
    pub(crate) fn new(
        crew: &'a mut Crew,
        statistics: Option<&'a mut Statistics<'s>>,
        progress: &'a mut dyn FnMut(&Position<'_>),
        log: &'a EngineLog,
        (requests, reopen): (&'a Requests, &'a dyn Fn()),
    ) -> Self {
        Self { crew, statistics, progress, log, requests, reopen, intake: Intake::default() }
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
                    if files == ReadFiles::Delete
                        && end == End::Whole
                        && let Some(file) = source.file()
                    {
                        self.delete(file);
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
                (self.progress)(&Position { name, bytes: stats.position, size: stats.size });
            }
            if at_end {
                return end;
            }
            if self.requests.stops() {
                self.log.notice("suricata", "Signal Received.  Stopping engine.");
                return End::Stopped;
            }
        }
    }

    /// Does what was asked for meanwhile.
    fn heed(&self) {
        if self.requests.take_reopen() {
            self.log.reopen();
            (self.reopen)();
            self.log.notice("suricata", "logs are opened anew");
        }
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
