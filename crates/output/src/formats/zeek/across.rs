//! What connections of all workers share: certificates that were told of, and files that come in parts
//! over several connections.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_applayer::zeek::FilePart;
use weir_applayer::{File, ZeekConnection};
use weir_base::{Timestamp, Turn};

use super::certificates::KnownCertificates;
use super::partial::PartialFiles;
use super::rows::Rows;

#[derive(Debug, Default)]
struct State {
    certificates: KnownCertificates,
    partial: PartialFiles,
}

/// One worker's hold of it. It is touched in turns, so that what comes of it does not depend on which
/// worker is quicker; it is touched seldom.
#[derive(Debug)]
pub struct ZeekAcross {
    state: Arc<Mutex<State>>,
    turn: Turn,
}

impl ZeekAcross {
    /// One hold for each turn.
    pub fn of(turns: &[Turn]) -> Vec<Self> {
        let state = Arc::<Mutex<State>>::default();
        turns.iter().map(|turn| Self { state: Arc::clone(&state), turn: turn.clone() }).collect()
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

    /// The capture ended: writes what is still under way. To be called by one worker only.
    pub(super) fn finish(&self, rows: &mut Rows<'_>) {
        self.state().partial.finish(rows);
    }
}
