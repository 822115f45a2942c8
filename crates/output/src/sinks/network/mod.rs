//! Targets over the network: the log thread hands lines over and never waits for them; a thread for each target sends.
//!
//! What the target does not take at once waits in memory, then on disk (`backlog.rs`, `spool.rs`). The sender (`sender.rs`)
//! repeats what was not acknowledged: each record arrives at least once, and in order.

mod backlog;
mod connection;
mod ecs;
pub mod frame;
mod http;
#[cfg(feature = "kafka")]
mod kafka;
mod lines;
mod naming;
mod redis;
mod report;
mod sender;
mod spool;
mod syslog;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use weir_config::{PipelineSettings, SpoolSettings, Target};

use super::drain::lines_in;
use super::{Sink, Unwritten};
use crate::writer::{RecordCounts, Teller};
use backlog::Backlog;
use report::Count;
pub use report::{PipelineCounts, PipelineError, PipelineReport};
use sender::{Sender, Shared, Transport};
use spool::Spool;

/// The folder of all spools, in that of the logs.
const SPOOLS: &str = "spool";

/// A target and how records wait for it. Its clones are the same one: outlets that share a target have its queue, spool and
/// connection in common.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pub(crate) settings: PipelineSettings,
    /// The spool, by its full path.
    pub(crate) folder: PathBuf,
    pub(crate) counts: PipelineCounts,
    joint: Arc<Mutex<Joint>>,
}

/// The outlets of a target that are open.
#[derive(Default)]
struct Joint {
    outlets: usize,
    shared: Option<Arc<Shared>>,
}

impl std::fmt::Debug for Joint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Joint").field("outlets", &self.outlets).finish_non_exhaustive()
    }
}

impl Pipeline {
    /// A target of this name, whose records wait in `folder`.
    pub(crate) fn new(settings: PipelineSettings, folder: PathBuf, name: &str) -> Self {
        Self { settings, folder, counts: PipelineCounts::new(name), joint: Arc::default() }
    }
}

impl PartialEq for Pipeline {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.joint, &other.joint)
    }
}

impl Eq for Pipeline {}

/// Whether this program sends to Kafka.
pub const HAS_KAFKA: bool = cfg!(feature = "kafka");

/// A word for a target that is good for a file and a counter, of its kind and of what it is named by.
pub(crate) fn name_of(target: &Target) -> String {
    let (kind, rest) = match target {
        Target::Redis(settings) => ("redis", settings.key.clone()),
        Target::Kafka(settings) => ("kafka", settings.topic.clone()),
        Target::Http(settings) => ("http", settings.index.clone()),
        Target::Syslog(settings) => ("syslog", settings.server.to_string()),
    };
    let mut name = kind.to_owned();
    for word in rest.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        name.push('-');
        name.extend(word.chars().take(64));
    }
    name
}

/// The folder of the spool of this name, in that of the logs.
pub(crate) fn spool_folder(settings: &SpoolSettings, name: &str) -> PathBuf {
    settings.folder.clone().unwrap_or_else(|| PathBuf::from(SPOOLS).join(name))
}

/// The target in words.
pub(crate) fn describe(target: &Target) -> String {
    match target {
        Target::Redis(settings) => redis::Redis::describe(settings),
        Target::Kafka(settings) => format!("Kafka at {} (topic {})", settings.brokers, settings.topic),
        Target::Http(settings) => http::Http::describe(settings),
        Target::Syslog(settings) => syslog::Syslog::describe(settings),
    }
}

/// An outlet of a target on the log thread.
struct NetworkSink {
    joint: Arc<Mutex<Joint>>,
    shared: Arc<Shared>,
    wait_at_end: Duration,
    /// Records that stay on disk, where this was the last outlet of its target to end.
    left: Option<u64>,
}

/// Opens an outlet. The first one of a target opens the spool and starts the thread that sends.
pub(super) fn open(pipeline: Pipeline, counts: RecordCounts, teller: Teller) -> Box<dyn Sink> {
    let wait_at_end = Duration::from_secs(pipeline.settings.spool.wait_at_end);
    let joint = Arc::clone(&pipeline.joint);
    let mut state = joint.lock().unwrap_or_else(PoisonError::into_inner);
    state.outlets += 1;
    let shared = Arc::clone(state.shared.get_or_insert_with(|| begin(pipeline, counts, teller)));
    drop(state);
    Box::new(NetworkSink { joint, shared, wait_at_end, left: None })
}

fn begin(pipeline: Pipeline, counts: RecordCounts, teller: Teller) -> Arc<Shared> {
    let Pipeline { settings: PipelineSettings { records, target, spool: settings }, folder, .. } = pipeline;
    let spool = Spool::open(folder, settings.size, settings.full);
    let backlog = Backlog::new(spool, settings.memory, settings.full);
    let shared = Arc::new(Shared::new(describe(&target), backlog, pipeline.counts, (counts, teller)));
    shared.look_at_spool();
    match target {
        Target::Redis(settings) => start(&shared, redis::Redis::new(settings, records)),
        Target::Http(settings) => start(&shared, http::Http::new(settings, records)),
        Target::Syslog(settings) => start(&shared, syslog::Syslog::new(settings, records)),
        #[cfg(feature = "kafka")]
        Target::Kafka(settings) => start(&shared, kafka::Kafka::new(settings, records)),
        #[cfg(not(feature = "kafka"))]
        Target::Kafka(_) => {}
    }
    shared
}

fn start(shared: &Arc<Shared>, transport: impl Transport + 'static) {
    let mut sender = Sender::new(Arc::clone(shared), transport);
    // Kept by nobody: the end of a run waits for the backlog, never for a thread that a server holds up.
    let thread = std::thread::Builder::new().name("send".to_owned()).spawn(move || sender.run());
    if let Err(cause) = thread {
        shared.cannot_start(cause);
    }
}

impl Sink for NetworkSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        self.shared.push(lines, u32::try_from(lines_in(lines)).unwrap_or(u32::MAX));
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }

    /// The last one waits for the target.
    fn finish(&mut self) -> Result<(), Unwritten> {
        let mut state = self.joint.lock().unwrap_or_else(PoisonError::into_inner);
        state.outlets = state.outlets.saturating_sub(1);
        if state.outlets == 0 {
            self.left = Some(self.shared.finish(self.wait_at_end));
        }
        Ok(())
    }

    fn pipeline(&self) -> Option<PipelineReport> {
        let read = |count| self.shared.counts.read(count);
        let left = self.left?;
        Some(PipelineReport {
            sent: read(Count::Sent),
            resent: read(Count::Resent),
            spooled: read(Count::Spooled),
            lost: read(Count::Lost),
            reconnects: read(Count::Reconnects),
            left,
        })
    }
}
