//! State shared by the connections of all workers: certificates logged already, files and rows that are put together
//! from several connections, traced routes, frequent behaviour of hosts, measurements, and the uids of tunnels between
//! workers.

use std::net::IpAddr;
use std::sync::{Arc, MutexGuard};

use weir_applayer::zeek::{FileFate, FilePart, JoinedRow, ZeekHabit};
use weir_applayer::{Endpoints, File, ZeekConnection};
use weir_base::profile::locks::Lock;
use weir_base::{Position, Timestamp, Turn};
use weir_packet::decode::dispatch::share;

use crate::files::partial::PartialFiles;
use crate::identifier::Id;
use crate::joined::{JoinedRows, Key};
use crate::policy::certificates::KnownCertificates;
use crate::policy::habits::Habits;
use crate::policy::measure::{Finished, Kind, Measure, Series};
use crate::policy::traceroute::{self, Traces};
use crate::rows::Rows;
use crate::tunnel::parents::{Carrier, Published};

#[derive(Debug, Default)]
struct State {
    certificates: KnownCertificates,
    partial: PartialFiles,
    joined: JoinedRows,
    traces: Traces,
    habits: Habits,
}

/// One worker's hold of it. It is touched in turns, so that what comes of it does not depend on which
/// worker is quicker; it is touched seldom.
#[derive(Debug)]
pub struct Across {
    state: Arc<Lock<State>>,
    /// Counts that workers add up at moments to which all of them come: that has an order of its own.
    series: Arc<Lock<[Series; 2]>>,
    /// Carriers of connections that other workers follow.
    published: Arc<Lock<Published>>,
    turn: Turn,
    /// When the capture began.
    start: Option<Timestamp>,
}

impl Across {
    /// One hold for each turn.
    pub fn of(turns: &[Turn]) -> Vec<Self> {
        let state = Arc::new(Lock::new("zeek: state of all connections", State::default()));
        let series = Arc::new(Lock::new("zeek: counts of intervals", Default::default()));
        let published = Arc::new(Lock::new("zeek: carriers", Published::default()));
        let hold = |turn: &Turn| Self {
            state: Arc::clone(&state),
            series: Arc::clone(&series),
            published: Arc::clone(&published),
            turn: turn.clone(),
            start: None,
        };
        turns.iter().map(hold).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.turn.wait();
        self.state.lock()
    }

    /// Returns the number of workers.
    pub(crate) fn workers(&self) -> usize {
        self.turn.workers()
    }

    /// The capture's clock shows `clock`; whether it began with that.
    pub(crate) fn begins(&mut self, clock: Timestamp) -> bool {
        let begins = self.start.is_none();
        self.start.get_or_insert(clock);
        begins
    }

    /// When the capture began: not after `now`.
    pub(crate) fn start(&self, now: Timestamp) -> Timestamp {
        self.start.unwrap_or(now)
    }

    /// A client did something that is worth a look where it is done often.
    pub(crate) fn habit(&self, habit: &'static ZeekHabit, ends: &Endpoints, rows: &mut Rows<'_>) {
        let now = rows.position.clock;
        let since = now.since(self.start(now));
        let crossed = self.state().habits.note(habit, (ends.client, ends.server), since);
        if let Some(crossed) = crossed {
            rows.habit(now, habit, ends.client, &crossed);
        }
    }

    /// Whether a certificate is to be logged; it counts as logged then.
    pub(crate) fn is_new_certificate(&self, fingerprint: &str, now: Timestamp) -> bool {
        self.state().certificates.is_new(fingerprint, now)
    }

    /// Takes in a part of a file.
    pub(crate) fn part(
        &self,
        connection: &ZeekConnection<'_>,
        source: &[u8],
        url: &[u8],
        (file, fate): (&File, FileFate),
        rows: &mut Rows<'_>,
    ) -> FilePart {
        let partial = &mut self.state().partial;
        partial.expire(rows.position.clock, rows);
        partial.part(connection, source, url, (file, fate), rows)
    }

    /// Takes in a contribution to a row.
    pub(crate) fn join(&self, key: Key, part: Box<dyn JoinedRow>, rows: &mut Rows<'_>) {
        let now = rows.position.clock;
        self.state()
            .joined
            .join(key, part, now, &mut |stream, ts, values| rows.row(stream, None, ts, values));
    }

    /// Whether this is the first worker's.
    pub(crate) fn is_first(&self) -> bool {
        self.turn.place().0 == 0
    }

    /// Sets the position of the rows that follow.
    pub(crate) fn reach(&self, position: Position) {
        self.turn.reach(position);
    }

    /// The worker that follows connections between two addresses with this hash.
    pub(crate) fn worker_of(&self, ends: u64) -> usize {
        share(ends, self.turn.workers())
    }

    /// Whether that is this one.
    pub(crate) fn is_own(&self, ends: u64) -> bool {
        self.worker_of(ends) == self.turn.worker()
    }

    fn published_by_all(&self) -> MutexGuard<'_, Published> {
        self.published.lock()
    }

    /// Lets the other workers know the uid of what carries connections of theirs.
    pub(crate) fn publish(&self, carrier: Carrier, uid: Id, now: Timestamp) {
        let added = self.published_by_all().add(carrier, uid, now);
        if !added {
            self.turn.wait();
            self.published_by_all().replace(carrier, uid, now);
        }
    }

    /// The uid of what carries connections of this worker's, which `worker` follows.
    pub(crate) fn published(&self, carrier: &Carrier, worker: usize) -> Option<Id> {
        self.turn.wait_for(worker);
        self.published_by_all().get(carrier)
    }

    /// Connections that carried others and were too many to be published.
    pub(crate) fn left_out(&self) -> u64 {
        self.published_by_all().left_out
    }

    /// A packet is of a tunnel that has no uid, as there are too many.
    pub(crate) fn note_nameless(&self) {
        self.published_by_all().nameless += 1;
    }

    /// Packets of such tunnels, what hosts did, and what was seen of routes, that there was no room for.
    pub(crate) fn untold(&self) -> [u64; 3] {
        let nameless = self.published_by_all().nameless;
        let state = self.state();
        [nameless, state.habits.left_out, state.traces.left_out]
    }

    /// Adds a worker's part of a measurement; all of it, if the others added theirs before.
    pub(crate) fn measure(&self, kind: Kind, part: &Measure, clock: Timestamp) -> Option<Finished> {
        let mut series = self.series.lock();
        let [loss, stats] = &mut *series;
        let series = match kind {
            Kind::Loss => loss,
            Kind::Stats => stats,
        };
        let (worker, workers) = self.turn.place();
        series.add(worker, workers, part, clock)
    }

    /// Notes a packet that lives short, or the router at which one died; whether that shows that a
    /// route is traced.
    pub(crate) fn trace(&self, epoch: u64, path: traceroute::Path, router: Option<IpAddr>) -> bool {
        self.state().traces.note(epoch, path, router)
    }

    /// The capture ended: writes what is still under way. To be called by one worker only.
    pub(crate) fn finish(&self, rows: &mut Rows<'_>) {
        let mut state = self.state();
        state.partial.finish(rows);
        state.joined.finish(&mut |stream, ts, values| rows.row(stream, None, ts, values));
    }
}
