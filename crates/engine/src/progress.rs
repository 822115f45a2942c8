//! Progress of runs, for who watches them.

use weir_base::Duration;

/// Progress of reading a capture.
#[derive(Debug)]
pub struct Position<'a> {
    /// The capture being read.
    pub name: &'a str,
    /// Bytes of it read.
    pub bytes: u64,
    /// Its size, where that is known.
    pub size: Option<u64>,
}

/// Progress of one that listens on an interface, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerPosition {
    /// Packets taken.
    pub packets: u64,
    /// Their lengths on the wire.
    pub bytes: u64,
    /// Flows that are open.
    pub flows: u64,
    /// Alerts raised.
    pub alerts: u64,
    /// Packets that the kernel dropped for want of room.
    pub dropped: u64,
}

/// Progress of those that listen on interfaces.
#[derive(Debug)]
pub struct LivePosition<'a> {
    /// All of them.
    pub workers: &'a [WorkerPosition],
    /// Counts of the last report; nothing the first time.
    pub before: &'a [WorkerPosition],
    /// Time since then.
    pub since: Duration,
}

/// Progress of a run.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A capture is read.
    Read(Position<'a>),
    /// A file was read to its end, or as far as that can be done.
    Done(&'a std::path::Path),
    /// Interfaces are listened on.
    Live(LivePosition<'a>),
    /// Clients of the control socket are served.
    Serving,
    /// Rules are loaded again, as a signal asked for.
    Reloading,
    /// That is over, well or not.
    Reloaded,
    /// The run ends in order.
    Stopping,
}
