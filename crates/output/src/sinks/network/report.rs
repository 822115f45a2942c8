//! What a target's counters and lines say.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use weir_base::{CounterVisitor, Counters};

/// Something of a target that is worth a line.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// It takes no records.
    #[error("cannot send to {target}: {cause}. {remedy}; {waiting}")]
    Away {
        /// The target.
        target: String,
        /// What it or the system said.
        cause: String,
        /// Remedy to try.
        remedy: String,
        /// What becomes of records.
        waiting: String,
    },
    /// It takes records again.
    #[error("{target} takes records again; {waiting} wait for it, records lost meanwhile: {lost}")]
    Back {
        /// The target.
        target: String,
        /// Records that wait.
        waiting: u64,
        /// Records that were lost.
        lost: u64,
    },
    /// It refused a record for good.
    #[error(
        "{target} refused a record, which is lost: {cause}. {remedy}; others that it refuses are counted and not told of"
    )]
    Refused {
        /// The target.
        target: String,
        /// What it said.
        cause: String,
        /// Remedy to try.
        remedy: &'static str,
    },
    /// There is no room for records.
    #[error(
        "records for {target} are lost: {cause}. Bring the target back, or have more wait with spool.memory and spool.size"
    )]
    Full {
        /// The target.
        target: String,
        /// What is full.
        cause: String,
    },
    /// Another process has the spool.
    #[error(
        "records for {target} wait in memory alone: another process uses {}. Give each its own folder, with -l or spool.dir",
        .folder.display()
    )]
    Taken {
        /// The target.
        target: String,
        /// The spool.
        folder: PathBuf,
    },
    /// A file of the spool cannot be read.
    #[error("the file {} of records for {target} is damaged: what could not be read of it is left out", .file.display())]
    Damaged {
        /// The target.
        target: String,
        /// The file, by the name that it has now.
        file: PathBuf,
    },
    /// Records were not taken before the end.
    #[error("{records} records for {target} were not taken before the end; they wait in {} for the next run", .folder.display())]
    Left {
        /// The target.
        target: String,
        /// Records that wait.
        records: u64,
        /// The spool.
        folder: PathBuf,
    },
    /// The thread that sends could not be started.
    #[error("cannot start the thread that sends to {target}: {cause}. Allow the process more threads")]
    Thread {
        /// The target.
        target: String,
        /// Error of the system.
        cause: std::io::Error,
    },
}

/// Counts of a target while a run lasts.
#[derive(Clone, Debug)]
pub struct PipelineCounts {
    name: Arc<str>,
    values: Arc<Values>,
}

#[derive(Debug, Default)]
struct Values {
    sent: AtomicU64,
    resent: AtomicU64,
    spooled: AtomicU64,
    lost: AtomicU64,
    refused: AtomicU64,
    reconnects: AtomicU64,
    damaged: AtomicU64,
}

/// A counter of a target.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Sent,
    Resent,
    Spooled,
    Lost,
    Refused,
    Reconnects,
    Damaged,
}

impl PipelineCounts {
    /// None so far, for the target of this name.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), values: Arc::default() }
    }

    /// The target's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, count: Count) -> &AtomicU64 {
        match count {
            Count::Sent => &self.values.sent,
            Count::Resent => &self.values.resent,
            Count::Spooled => &self.values.spooled,
            Count::Lost => &self.values.lost,
            Count::Refused => &self.values.refused,
            Count::Reconnects => &self.values.reconnects,
            Count::Damaged => &self.values.damaged,
        }
    }

    pub(super) fn add(&self, count: Count, more: u64) {
        self.value(count).fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn read(&self, count: Count) -> u64 {
        self.value(count).load(Ordering::Relaxed)
    }
}

impl PartialEq for PipelineCounts {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }
}

impl Eq for PipelineCounts {}

impl Counters for PipelineCounts {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        for (word, count) in [
            ("sent", Count::Sent),
            ("resent", Count::Resent),
            ("spooled", Count::Spooled),
            ("lost", Count::Lost),
            ("refused", Count::Refused),
            ("reconnects", Count::Reconnects),
            ("damaged_files", Count::Damaged),
        ] {
            visitor.counter(&format!("output.pipelines.{}.{word}", self.name), self.read(count));
        }
    }
}

/// Result of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineReport {
    /// Records that it took.
    pub sent: u64,
    /// Records that were sent once more.
    pub resent: u64,
    /// Records that waited on disk.
    pub spooled: u64,
    /// Records lost, those that it refused included.
    pub lost: u64,
    /// Times that it was connected again.
    pub reconnects: u64,
    /// Records that wait on disk for the next run.
    pub left: u64,
}
