//! Reads captures, one after the other, for a crew of workers.

use weir_base::Duration;
use weir_capture::{FileOrder, Source, SourceError, open_paths};

use crate::crew::Crew;
use crate::log::EngineLog;
use crate::run::{Inputs, Position};
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
}

/// The reading of all captures of a run.
pub(crate) struct Reading<'a, 's> {
    crew: &'a mut Crew,
    statistics: Option<&'a mut Statistics<'s>>,
    progress: &'a mut dyn FnMut(&Position<'_>),
    log: &'a EngineLog,
    /// Something could be read at all.
    pub(crate) read_any: bool,
    /// How many packets there were.
    pub(crate) packets: u64,
    /// How many the filter kept back.
    pub(crate) filtered: u64,
    /// The captures that could be opened.
    pub(crate) captures: Vec<CaptureRead>,
    /// What could not be read; sentences.
    pub(crate) problems: Vec<String>,
}

impl<'a, 's> Reading<'a, 's> {
    /// Nothing was read yet.
    pub(crate) fn new(
        crew: &'a mut Crew,
        statistics: Option<&'a mut Statistics<'s>>,
        progress: &'a mut dyn FnMut(&Position<'_>),
        log: &'a EngineLog,
    ) -> Self {
        let (captures, problems) = (Vec::new(), Vec::new());
        Self { crew, statistics, progress, log, read_any: false, packets: 0, filtered: 0, captures, problems }
    }

    /// Reads all inputs.
    pub(crate) fn all(&mut self, inputs: &Inputs) {
        let filter = inputs.filter.as_ref();
        for opened in open_paths(&inputs.paths, inputs.recursive, FileOrder::Modified, filter) {
            match opened {
                Ok(source) => {
                    let name = source.path().to_string_lossy().into_owned();
                    let mut source = source.numbered_after(self.packets);
                    self.crew.capture_file(&name);
                    self.captures.push(CaptureRead { name: name.clone(), before: self.packets });
                    let end = self.one(&name, &mut source);
                    self.read_any |= end == End::Whole || source.stats().packets > 0;
                    self.packets += source.stats().packets;
                    self.filtered += source.stats().filtered;
                    if inputs.delete && end == End::Whole {
                        self.delete(&name);
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
        }
    }

    fn note(&mut self, error: &SourceError) {
        self.log.problem("pcap", &error.to_string());
        self.problems.push(error.to_string());
    }

    fn delete(&mut self, name: &str) {
        if let Err(error) = std::fs::remove_file(name) {
            self.problems.push(format!("The capture {name} cannot be deleted: {error}."));
        }
    }
}
