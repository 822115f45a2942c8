//! The log thread: takes chunks of records from the workers, puts them in order and writes them.
//!
//! Reading a capture, workers wait where the queue is full, and records are written in the order
//! of the packets that caused them, whatever the number of workers. Live, they are written as
//! they come; where the queue stays full, packets wait in the rings of the interfaces, and those that are lost then
//! are counted there.

mod merge;
mod outlet;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use weir_base::{CounterVisitor, Counters, Position, Timestamp};

use crate::outlet::{Chunk, OutletSettings, Outlets};
use crate::sinks::network::{PipelineError, PipelineReport};
use merge::Merge;
use outlet::Outlet;

/// Chunks that wait for the log thread, at most.
const QUEUE_LENGTH: usize = 64;

/// Buffers of each kind that were written and wait to be filled again, at most; more are given up.
const SPENT_BATCHES: usize = 4;

/// Longest time lines are buffered before those who follow a file can read them.
pub const FLUSH_EVERY: Duration = Duration::from_millis(100);

/// In which order records are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As they come.
    Arrival,
    /// By the packets that caused them; records of one packet as its worker made them.
    Packet,
}

/// Messages of workers and the engine to the log thread.
#[derive(Debug)]
pub(crate) enum Message {
    Batch(Batch),
    /// Files were moved away: open them anew.
    Reopen,
    Finish,
}

/// One worker's records, and how far it is.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) worker: usize,
    /// No record before this one will follow from this worker.
    pub(crate) watermark: Position,
    /// The capture's clock as it knows it.
    pub(crate) clock: Timestamp,
    pub(crate) chunks: Vec<Chunk>,
}

/// An outlet that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It could not be opened.
    #[error("cannot open {outlet}: {cause}. {remedy}")]
    Open {
        /// The file or socket.
        outlet: String,
        /// Error of the system.
        cause: io::Error,
        /// Remedy to try.
        remedy: &'static str,
    },
    /// A write failed; what follows for this outlet is counted as lost.
    #[error("cannot write {outlet}: {cause}. {remedy}")]
    Write {
        /// The file or socket.
        outlet: String,
        /// Error of the system.
        cause: io::Error,
        /// Remedy to try.
        remedy: &'static str,
    },
    /// A destination that failed is written again.
    #[error("{outlet} is written again; records lost meanwhile: {lost}")]
    Again {
        /// The file or socket.
        outlet: String,
        /// Records that were lost.
        lost: u64,
    },
    /// Something of a target over the network.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The log thread could not be started.
    #[error("cannot start the log thread: {0}")]
    Thread(io::Error),
    /// The log thread ended by itself.
    #[error("the log thread failed; records after that are lost")]
    Failed,
}

/// Says what helps against an error of the system, in a sentence; `lost` records are, where that is known.
pub(crate) fn remedy(cause: &io::Error, lost: Option<u64>) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "The disk is full: free some space, or log to another folder with -l"
        }
        io::ErrorKind::PermissionDenied => {
            "Give the user that runs the engine the right to write there, or log to another folder with -l"
        }
        io::ErrorKind::IsADirectory => "Move the folder of this name away, or log to another one with -l",
        io::ErrorKind::NotFound => "Make the folder, or log to another one with -l",
        io::ErrorKind::ReadOnlyFilesystem => "The file system is read-only: log to another folder with -l",
        io::ErrorKind::ConnectionRefused | io::ErrorKind::BrokenPipe | io::ErrorKind::NotConnected => {
            "Start the program that listens on the socket"
        }
        io::ErrorKind::TimedOut => {
            "Nothing was taken for two seconds: have the program that reads it read on; until then records are lost"
        }
        // Lines that are compressed can be written later.
        _ if lost == Some(0) => "Its records wait; those that follow are lost until it can be written again",
        _ => "Its records are lost until it can be written again",
    }
}

/// Files of earlier runs that an outlet came upon, the first one of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierFiles {
    /// Records were added to it.
    pub appended: Option<PathBuf>,
    /// It has another form, or other columns, and has this name now.
    pub set_aside: Option<PathBuf>,
}

/// Result of an outlet's records.
#[derive(Debug, Default)]
pub struct OutletReport {
    /// The file or socket.
    pub outlet: String,
    /// Records written, or handed over where they are sent over the network.
    pub written: u64,
    /// Records lost to errors; those of a target that outlets share are with the last of these.
    pub lost: u64,
    /// Subjects of records that were forgotten to make room for others, so that they were recorded again.
    pub forgotten: u64,
    /// Files of earlier runs.
    pub earlier: EarlierFiles,
    /// Where records are sent over the network, what became of them.
    pub pipeline: Option<PipelineReport>,
}

/// Result of all records.
#[derive(Debug, Default)]
pub struct LogReport {
    /// By outlet, in the order of their ids.
    pub outlets: Vec<OutletReport>,
    /// Failures and recoveries.
    pub errors: Vec<LogError>,
}

/// Counts records that were written, and those that could not be, while a run lasts.
#[derive(Clone, Debug, Default)]
pub struct RecordCounts(Arc<[AtomicU64; 2]>);

impl RecordCounts {
    fn add(&self, written: u64, lost: u64) {
        let [all_written, all_lost] = &*self.0;
        all_written.fetch_add(written, Ordering::Relaxed);
        all_lost.fetch_add(lost, Ordering::Relaxed);
    }

    /// Records are lost that counted as written.
    pub(crate) fn lost_later(&self, lost: u64) {
        self.add(0, lost);
    }

    /// Records that were written.
    pub fn written(&self) -> u64 {
        let [written, _] = &*self.0;
        written.load(Ordering::Relaxed)
    }

    /// Records that could not be written.
    pub fn lost(&self) -> u64 {
        let [_, lost] = &*self.0;
        lost.load(Ordering::Relaxed)
    }
}

impl Counters for RecordCounts {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        let lost = self.lost();
        // Suricata has no such counter: records show it where there is something to show.
        if lost > 0 {
            visitor.counter("output.lost_records", lost);
        }
    }
}

/// Tells of errors at once, on the thread that finds them, and keeps them for the end of the run.
#[derive(Clone)]
pub(crate) struct Teller {
    report: Arc<dyn Fn(&LogError) + Send + Sync>,
    errors: Arc<Mutex<Vec<LogError>>>,
}

impl Teller {
    fn new(report: impl Fn(&LogError) + Send + Sync + 'static) -> Self {
        Self { report: Arc::new(report), errors: Arc::default() }
    }

    /// Tells of an error.
    pub(crate) fn tell(&self, error: LogError) {
        (self.report)(&error);
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(error);
    }

    fn take(&self) -> Vec<LogError> {
        std::mem::take(&mut *self.errors.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The engine's handle of the log thread.
#[derive(Debug)]
pub struct LogWriter {
    sender: Sender<Message>,
    /// By worker, its buffers that were written.
    spent: Vec<Receiver<Vec<Chunk>>>,
    thread: Option<JoinHandle<LogReport>>,
    outlets: usize,
    counts: RecordCounts,
}

impl LogWriter {
    /// Opens the outlets and starts the thread. `report` is called at once with each outlet's first
    /// write error, on the thread that writes it. An outlet that cannot be opened stops the start.
    pub fn start(
        settings: Vec<OutletSettings>,
        workers: usize,
        order: Order,
        report: impl Fn(&LogError) + Send + Sync + 'static,
    ) -> Result<Self, LogError> {
        let outlets = settings.len();
        let counts = RecordCounts::default();
        let teller = Teller::new(report);
        let open = |settings| Outlet::open(settings, counts.clone(), &teller);
        let opened = settings.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let (sender, receiver) = bounded(QUEUE_LENGTH);
        let order = if workers > 1 { order } else { Order::Arrival };
        let merge = Merge::new(workers, outlets, order);
        let (give_back, spent) = (0..workers).map(|_| bounded(SPENT_BATCHES)).unzip();
        let mut log =
            Log { outlets: opened, merge, give_back, clock: Timestamp::default(), teller: teller.clone() };
        let thread = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || log.run(&receiver))
            .map_err(LogError::Thread)?;
        Ok(Self { sender, spent, thread: Some(thread), outlets, counts })
    }

    /// Returns the counts of records.
    pub fn record_counts(&self) -> RecordCounts {
        self.counts.clone()
    }

    /// A worker's buffers.
    pub fn outlets(&self, worker: usize) -> Outlets {
        let spent = self.spent.get(worker).cloned().unwrap_or_else(crossbeam_channel::never);
        Outlets::new(worker, self.outlets, self.sender.clone(), spent)
    }

    /// Opens files anew that were moved away.
    pub fn reopen(&self) {
        // A thread that is gone has nothing to reopen.
        let _ = self.sender.send(Message::Reopen);
    }

    /// Writes what is left and ends the thread. All workers must have finished their outlets.
    pub fn finish(mut self) -> LogReport {
        let _ = self.sender.send(Message::Finish);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(report)) => report,
            _ => LogReport { outlets: Vec::new(), errors: vec![LogError::Failed] },
        }
    }
}

struct Log {
    outlets: Vec<Outlet>,
    merge: Merge,
    /// By worker, where its buffers go when they are written.
    give_back: Vec<Sender<Vec<Chunk>>>,
    /// The capture's clock.
    clock: Timestamp,
    teller: Teller,
}

impl Log {
    fn run(&mut self, receiver: &Receiver<Message>) -> LogReport {
        // When what was gathered is to be written, where there is something.
        let mut due: Option<Instant> = None;
        loop {
            let received = match due {
                Some(due) => receiver.recv_deadline(due),
                None => receiver.recv().map_err(RecvTimeoutError::from),
            };
            if due.is_some_and(|due| due <= Instant::now()) {
                self.each(Outlet::flush);
                due = None;
            }
            let message = match received {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            due.get_or_insert_with(|| Instant::now() + FLUSH_EVERY);
            match message {
                Message::Batch(batch) => self.take(batch),
                Message::Reopen => self.each(Outlet::reopen),
                Message::Finish => break,
            }
        }
        for message in receiver.try_iter() {
            if let Message::Batch(batch) = message {
                self.take(batch);
            }
        }
        self.write_ready(Position::END);
        self.each(Outlet::finish);
        let reports = self.outlets.iter_mut().map(|outlet| {
            outlet.report.forgotten = outlet.known.forgotten;
            std::mem::take(&mut outlet.report)
        });
        LogReport { outlets: reports.collect(), errors: self.teller.take() }
    }

    fn take(&mut self, mut batch: Batch) {
        self.clock = self.clock.max(batch.clock);
        let reached = batch.watermark;
        if self.merge.order == Order::Arrival {
            for (outlet, chunk) in self.outlets.iter_mut().zip(&mut batch.chunks) {
                if !chunk.ends.is_empty() {
                    let error = outlet.chunk(chunk, self.clock);
                    error.into_iter().for_each(|error| self.teller.tell(error));
                    *chunk = std::mem::take(chunk).cleared();
                }
            }
            self.reached(reached);
        } else if let Some(watermark) = self.merge.add(&mut batch) {
            self.write_ready(watermark);
            self.reached(watermark);
        }
        if let Some(worker) = self.give_back.get(batch.worker) {
            // One that has enough of them makes no use of more.
            let _ = worker.try_send(batch.chunks);
        }
    }

    fn write_ready(&mut self, watermark: Position) {
        for (index, outlet) in self.outlets.iter_mut().enumerate() {
            self.merge.ready(index, watermark, &mut |line, record, claims| {
                let error = outlet.record(line, record, claims, self.clock);
                error.into_iter().for_each(|error| self.teller.tell(error));
            });
        }
    }

    /// All records before a place are written.
    fn reached(&mut self, place: Position) {
        if !place.is_at_end() {
            self.each(|outlet| outlet.reached(place.clock));
        }
    }

    fn each(&mut self, act: impl Fn(&mut Outlet) -> Option<LogError>) {
        for outlet in &mut self.outlets {
            act(outlet).into_iter().for_each(|error| self.teller.tell(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::Claim;
    use crate::outlet::{Destination, Existing, OutletId};
    use weir_base::Place;
    use weir_testkit::TestFolder;

    fn plain(path: &std::path::Path) -> OutletSettings {
        OutletSettings::new(Destination::File {
            name: path.to_owned().into(),
            existing: Existing::Append,
            lazy: false,
        })
    }

    fn at(packet: u64) -> Position {
        Position::new(weir_base::Timestamp(packet), packet)
    }

    fn line(outlets: &mut Outlets, packet: u64, text: &str) {
        outlets.line(OutletId(0), at(packet), |out| {
            out.extend_from_slice(text.as_bytes());
            !text.is_empty()
        });
    }

    #[test]
    fn records_of_several_workers_come_in_packet_order() {
        let folder = TestFolder::new("order");
        let path = folder.join("sub").join("log");
        let writer = LogWriter::start(vec![plain(&path)], 2, Order::Packet, |_| {}).unwrap();
        let (mut first, mut second) = (writer.outlets(0), writer.outlets(1));
        line(&mut first, 1, "1a");
        line(&mut first, 1, "1b");
        line(&mut second, 2, "2");
        second.hand_on(at(3));
        line(&mut first, 3, "3");
        line(&mut first, 3, "");
        first.hand_on(at(5));
        line(&mut second, 4, "4");
        first.finish();
        second.finish();
        let report = writer.finish();
        assert_eq!((report.outlets[0].written, report.outlets[0].lost), (5, 0));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1a\n1b\n2\n3\n4\n");
    }

    #[test]
    fn records_that_wait_are_not_said_to_be_lost() {
        let (wait, lost) = ("Its records wait; those that follow are lost", "Its records are lost");
        for (count, expected) in [(Some(0), wait), (Some(1), lost), (None, lost)] {
            let said = remedy(&io::ErrorKind::FileTooLarge.into(), count);
            assert!(said.starts_with(expected), "{said}");
        }
    }

    #[test]
    fn buffers_come_back_empty() {
        for (workers, order) in [(1, Order::Arrival), (2, Order::Packet)] {
            let folder = TestFolder::new("spent");
            let path = folder.join("sub").join("log");
            let writer = LogWriter::start(vec![plain(&path)], workers, order, |_| {}).unwrap();
            let mut all: Vec<Outlets> = (0..workers).map(|worker| writer.outlets(worker)).collect();
            let mut expected = String::new();
            for packet in 1..20 {
                line(&mut all[0], packet, &packet.to_string());
                expected += &format!("{packet}\n");
                all.iter_mut().for_each(|outlets| outlets.hand_on(at(packet + 1)));
                let spent = writer.spent[0].recv().unwrap();
                let [chunk] = spent.as_slice() else { panic!("{spent:?}") };
                assert!(chunk.bytes.is_empty() && chunk.ends.is_empty() && chunk.claims.is_empty());
                assert_ne!(chunk.bytes.capacity(), 0, "{workers} workers, {packet}");
            }
            all.iter_mut().for_each(Outlets::finish);
            assert!(writer.finish().errors.is_empty());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        }
    }

    #[test]
    fn files_are_added_to_and_framed() {
        let folder = TestFolder::new("append");
        let path = folder.join("sub").join("log");
        for _ in 0..2 {
            let mut settings = plain(&path);
            settings.footer = Some(Box::new(|_| b"#close\n".to_vec()));
            settings.header = Some(Box::new(|_| b"#start\n".to_vec()));
            let writer = LogWriter::start(vec![settings], 1, Order::Arrival, |_| {}).unwrap();
            let mut outlets = writer.outlets(0);
            line(&mut outlets, 1, "x");
            outlets.finish();
            assert!(writer.finish().errors.is_empty());
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "#start\nx\nx\n#close\n");
    }

    #[test]
    fn files_are_set_aside() {
        let folder = TestFolder::new("rotation");
        let path = folder.join("sub").join("rows.log");
        for workers in [1, 2] {
            let _ = std::fs::remove_dir_all(path.parent().unwrap());
            let mut settings = plain(&path);
            settings.rotation = Some(weir_base::Duration::from_secs(10));
            settings.footer = Some(Box::new(|_| b"end\n".to_vec()));
            let writer = LogWriter::start(vec![settings], workers, Order::Packet, |_| {}).unwrap();
            let mut outlets: Vec<Outlets> = (0..workers).map(|worker| writer.outlets(worker)).collect();
            let at = |second| Position::new(weir_base::Timestamp::new(second, 0), second);
            for (number, second) in [1, 9, 10, 31].into_iter().enumerate() {
                outlets[number % workers].line(OutletId(0), at(second), |out| {
                    out.extend_from_slice(second.to_string().as_bytes());
                    true
                });
            }
            outlets.iter_mut().for_each(|outlets| outlets.hand_on(at(45)));
            outlets[0].line(OutletId(0), Position::at_end(Place::new(1)), |out| {
                out.extend_from_slice(b"last");
                true
            });
            outlets.iter_mut().for_each(Outlets::finish);
            assert_eq!(writer.finish().outlets[0].written, 5);
            let read = |moment: &str| {
                std::fs::read_to_string(path.with_file_name(format!("rows.1970-01-01-00-00-{moment}.log")))
            };
            for (moment, expected) in
                [("01", "1\n9\nend\n"), ("10", "10\nend\n"), ("31", "31\nend\n"), ("45", "last\nend\n")]
            {
                assert_eq!(read(moment).unwrap(), expected, "{workers} workers, {moment}");
            }
            assert!(!path.exists());
        }
    }

    #[test]
    fn what_is_known_is_not_written_again() {
        let folder = TestFolder::new("news");
        let path = folder.join("sub").join("log");
        for workers in [1, 2] {
            let _ = std::fs::remove_dir_all(path.parent().unwrap());
            let writer = LogWriter::start(vec![plain(&path)], workers, Order::Packet, |_| {}).unwrap();
            let mut outlets: Vec<Outlets> = (0..workers).map(|worker| writer.outlets(worker)).collect();
            for (number, host) in ["a", "b", "a", "b", "c"].into_iter().enumerate() {
                let claim = Claim::new(host, weir_base::Duration::from_secs(60));
                // The later worker may well be the quicker one.
                let own = &mut outlets[(number + 1) % workers];
                own.news(OutletId(0), at(number as u64), claim, |out| {
                    out.extend_from_slice(format!("{host}{number}").as_bytes());
                });
            }
            line(&mut outlets[0], 9, "plain");
            outlets.iter_mut().rev().for_each(Outlets::finish);
            assert_eq!(writer.finish().outlets[0].written, 4);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "a0\nb1\nc4\nplain\n", "{workers}");
        }
    }

    #[test]
    fn what_a_packet_repeats_is_not_made_again() {
        let folder = TestFolder::new("repeated");
        let path = folder.join("sub").join("log");
        let writer = LogWriter::start(vec![plain(&path)], 1, Order::Packet, |_| {}).unwrap();
        let mut own = writer.outlets(0);
        let mut news = |packet: u64, claim: Claim| {
            let before = own.records();
            own.news(OutletId(0), at(packet), claim, |out| out.push(b'x'));
            own.records() - before
        };
        let claim = |name: &str| Claim::new(name, weir_base::Duration::from_secs(60));
        let made: Vec<u64> = ["a", "b", "a", "b", "a"].map(|name| news(0, claim(name))).to_vec();
        assert_eq!(made, [1, 1, 0, 0, 0]);
        assert_eq!(news(1, claim("a")), 1, "the log thread knows");
        assert_eq!([1, 2].map(|value| news(2, claim("c").fact("is", value))), [1, 1]);
        own.finish();
        assert_eq!(writer.finish().outlets[0].written, 4);
    }

    #[test]
    fn a_full_disk_is_told_once_and_counted() {
        let (sender, told) = crossbeam_channel::unbounded();
        let full = OutletSettings::new(Destination::File {
            name: PathBuf::from("/dev/full").into(),
            existing: Existing::Append,
            lazy: false,
        });
        let folder = TestFolder::new("full");
        let path = folder.join("sub").join("log");
        let writer = LogWriter::start(vec![full, plain(&path)], 1, Order::Arrival, move |e| {
            sender.send(e.to_string()).unwrap()
        })
        .unwrap();
        let mut outlets = writer.outlets(0);
        for packet in 0..2 {
            outlets.line(OutletId(0), at(packet), |out| {
                out.resize(out.len() + 200_000, b'x');
                true
            });
            outlets.line(OutletId(1), at(packet), |out| {
                out.push(b'y');
                true
            });
            outlets.hand_on(at(packet));
        }
        let report = writer.finish();
        assert_eq!((report.outlets[0].written, report.outlets[0].lost), (0, 2));
        assert_eq!(report.outlets[1].written, 2);
        let told: Vec<String> = told.try_iter().collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("cannot write /dev/full: "), "{}", told[0]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "y\ny\n");
    }
}
