//! An outlet on the log thread: gathers lines for its sink, leaves out what is known, and rotates files.

use weir_base::Timestamp;

use super::{LogError, OutletReport, RecordCounts, Teller, remedy};
use crate::known::{Claim, Known};
use crate::outlet::{Chunk, Destination, OutletSettings, RecordEnd};
use crate::rotation::Rotation;
use crate::sinks::{self, Sink, Unwritten};

/// Bytes gathered of an outlet before the system is called.
const WRITE_BYTES: usize = 64 * 1024;

/// Messages about an outlet that is not written, or is written again, at most; all losses are counted.
const TOLD: u32 = 20;

/// An outlet on the log thread.
pub(super) struct Outlet {
    sink: Box<dyn Sink>,
    pub(super) report: OutletReport,
    /// Records that were lost before the outlet could no longer be written, where it cannot.
    failing: Option<u64>,
    /// Messages so far.
    told: u32,
    /// Where records are counted while the run lasts.
    counts: RecordCounts,
    /// Lines do not wait for others.
    prompt: bool,
    /// Whole lines that are not yet given to the sink, and how many records they are.
    pending: Vec<u8>,
    pending_records: u64,
    rotation: Option<Rotation>,
    pub(super) known: Known,
}

impl Outlet {
    pub(super) fn open(
        settings: OutletSettings,
        counts: RecordCounts,
        teller: &Teller,
    ) -> Result<Self, LogError> {
        let outlet = sinks::describe(&settings.destination);
        let rotation = settings.rotation.and_then(Rotation::every);
        let prompt = matches!(settings.destination, Destination::FileStore { .. });
        match sinks::open(settings, &counts, teller) {
            Ok(sink) => Ok(Self {
                sink,
                report: OutletReport { outlet, ..OutletReport::default() },
                failing: None,
                told: 0,
                counts,
                prompt,
                pending: Vec::new(),
                pending_records: 0,
                rotation,
                known: Known::default(),
            }),
            Err(cause) => Err(LogError::Open { outlet, remedy: remedy(&cause, None), cause }),
        }
    }

    /// Takes the records of a chunk.
    pub(super) fn chunk(&mut self, chunk: &Chunk, clock: Timestamp) -> Option<LogError> {
        if self.rotation.is_none() && chunk.claims.is_empty() {
            return self.write(&chunk.bytes, chunk.ends.len() as u64);
        }
        let (mut start, mut error) = (0, None);
        for record in &chunk.ends {
            let line = chunk.bytes.get(start..record.end as usize).unwrap_or_default();
            start = record.end as usize;
            let wrong = self.record(line, record, &chunk.claims, clock);
            error = error.or(wrong);
        }
        error
    }

    /// Takes a record, unless what it claims to be new is known; `clock` is that of the capture.
    pub(super) fn record(
        &mut self,
        line: &[u8],
        record: &RecordEnd,
        claims: &[Claim],
        clock: Timestamp,
    ) -> Option<LogError> {
        let clock = if record.position.is_at_end() { clock } else { record.position.clock };
        if record.claim(claims).is_some_and(|claim| !self.known.is_news(claim, clock)) {
            return None;
        }
        let past = self.rotation.as_mut().and_then(|rotation| rotation.record(clock));
        let error = past.and_then(|opened| self.set_aside(opened));
        if self.pending.is_empty() && self.rotation.is_some() {
            self.sink.at(clock);
        }
        error.or(self.write(line, 1))
    }

    /// Rotates the file, all that was gathered in it.
    fn set_aside(&mut self, opened: Timestamp) -> Option<LogError> {
        let error = self.flush();
        let result = self.sink.set_aside(opened);
        error.or(self.done(0, result))
    }

    /// The capture's clock shows `clock`, and all before is written.
    pub(super) fn reached(&mut self, clock: Timestamp) -> Option<LogError> {
        let past = self.rotation.as_mut()?.reached(clock)?;
        self.set_aside(past)
    }

    /// No more records.
    pub(super) fn finish(&mut self) -> Option<LogError> {
        let error = self.flush();
        let result = match self.rotation.as_mut().map(Rotation::last) {
            Some(Some(opened)) => self.sink.set_aside(opened),
            _ => self.sink.finish(),
        };
        if let Some(pipeline) = self.sink.pipeline() {
            self.report.lost += pipeline.lost;
            self.report.pipeline = Some(pipeline);
        }
        self.report.earlier = self.sink.earlier();
        if self.report.written == 0 {
            self.report.earlier.appended = None;
        }
        error.or(self.done(0, result))
    }

    /// Gathers lines, and writes them where they are many.
    fn write(&mut self, lines: &[u8], records: u64) -> Option<LogError> {
        if self.pending.is_empty() && lines.len() >= WRITE_BYTES {
            let result = self.sink.write(lines);
            return self.done(records, result);
        }
        self.pending.extend_from_slice(lines);
        self.pending_records += records;
        if self.pending.len() < WRITE_BYTES && !self.prompt { None } else { self.flush() }
    }

    /// Writes what is gathered; its records are then written or lost.
    pub(super) fn flush(&mut self) -> Option<LogError> {
        if self.pending.is_empty() {
            return None;
        }
        let result = self.sink.write(&self.pending);
        let records = std::mem::take(&mut self.pending_records);
        self.pending.clear();
        self.done(records, result)
    }

    /// Opens the destination anew.
    pub(super) fn reopen(&mut self) -> Option<LogError> {
        let error = self.flush();
        let result = self.sink.reopen();
        error.or(self.done(0, result))
    }

    /// Counts `records` as written or lost, and tells where that begins and ends.
    fn done(&mut self, records: u64, result: Result<(), Unwritten>) -> Option<LogError> {
        let outlet = || self.report.outlet.clone();
        let news = match result {
            Ok(()) if records == 0 => return None,
            Ok(()) => {
                self.report.written += records;
                self.counts.add(records, 0);
                let before = self.failing.take()?;
                LogError::Again { outlet: outlet(), lost: self.report.lost - before }
            }
            Err(Unwritten { lost, cause }) => {
                let lost = lost.unwrap_or(records);
                let before = self.report.lost;
                self.report.lost += lost;
                // A line that was lost now may have been begun, and counted, before.
                self.report.written = (self.report.written + records).saturating_sub(lost);
                self.counts.add(records.saturating_sub(lost), lost);
                if self.failing.is_some() {
                    return None;
                }
                self.failing = Some(before);
                LogError::Write { outlet: outlet(), remedy: remedy(&cause, Some(lost)), cause }
            }
        };
        self.told += 1;
        (self.told <= TOLD).then_some(news)
    }
}
