//! What connections of all workers share: certificates that were told of, files that come in parts over
//! several connections, routes that are traced, and measurements.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_applayer::zeek::FilePart;
use weir_applayer::{File, ZeekConnection};
use weir_base::{Timestamp, Turn};

use super::certificates::KnownCertificates;
use super::measure::{Finished, Kind, Measure, Series};
use super::partial::PartialFiles;
use super::rows::Rows;
use super::traceroute::{self, Traces};

#[derive(Debug, Default)]
struct State {
    certificates: KnownCertificates,
    partial: PartialFiles,
    traces: Traces,
}

/// One worker's hold of it. It is touched in turns, so that what comes of it does not depend on which
/// worker is quicker; it is touched seldom.
#[derive(Debug)]
pub struct ZeekAcross {
    state: Arc<Mutex<State>>,
    /// What workers add up at moments to which all of them come: that has an order of its own.
    series: Arc<Mutex<[Series; 2]>>,
    turn: Turn,
    worker: usize,
    workers: usize,
}

impl ZeekAcross {
    /// One hold for each turn.
    pub fn of(turns: &[Turn]) -> Vec<Self> {
        let (state, series) = (Arc::<Mutex<State>>::default(), Arc::default());
        let hold = |(worker, turn): (usize, &Turn)| Self {
            state: Arc::clone(&state),
            series: Arc::clone(&series),
            turn: turn.clone(),
            worker,
            workers: turns.len(),
        };
        turns.iter().enumerate().map(hold).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.turn.wait();
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a certificate is to be logged; it counts as logged then.
    pub(super) fn is_new_certificate(&self, fingerprint: &str, now: Timestamp) -> bool {
        self.state().certificates.is_new(fingerprint, now)
    }

    /// Takes in a part of a file.
    pub(super) fn part(
        &self,
        connection: &ZeekConnection<'_>,
        source: &str,
        url: &[u8],
        file: &File,
        rows: &mut Rows<'_>,
    ) -> FilePart {
        let partial = &mut self.state().partial;
        partial.expire(rows.position.clock, rows);
        partial.part(connection, source, url, file, rows)
    }

    /// Whether this is the first worker's.
    pub(super) const fn is_first(&self) -> bool {
        self.worker == 0
    }

    /// Adds a worker's part of a measurement; all of it, if the others added theirs before.
    pub(super) fn measure(&self, kind: Kind, part: &Measure, clock: Timestamp) -> Option<Finished> {
        let mut series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        let [loss, stats] = &mut *series;
        let series = match kind {
            Kind::Loss => loss,
            Kind::Stats => stats,
        };
        series.add(self.worker, self.workers, part, clock)
    }

    /// Notes a packet that lives short, or the router at which one died; whether that shows that a
    /// route is traced.
    pub(super) fn trace(&self, epoch: u64, path: traceroute::Path, router: Option<IpAddr>) -> bool {
        self.state().traces.note(epoch, path, router)
    }

    /// The capture ended: writes what is still under way. To be called by one worker only.
    pub(super) fn finish(&self, rows: &mut Rows<'_>) {
        self.state().partial.finish(rows);
    }
}
