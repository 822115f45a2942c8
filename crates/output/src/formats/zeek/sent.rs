//! Files that went over connections of their own, until the connection that agreed on them asks. Both are between
//! the same hosts: they are on the same worker.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use ahash::RandomState;
use weir_applayer::zeek::SentFile;

/// Most files that are remembered; the oldest are forgotten first.
const MAX_SENT: usize = 4096;

/// A responder.
type Server = (IpAddr, u16);

/// The files of a worker.
#[derive(Debug)]
pub(super) struct SentFiles {
    known: HashMap<Server, SentFile, RandomState>,
    /// In the order in which they came; some may have been asked for.
    order: VecDeque<Server>,
}

impl Default for SentFiles {
    fn default() -> Self {
        Self { known: HashMap::with_hasher(RandomState::with_seeds(13, 14, 15, 16)), order: VecDeque::new() }
    }
}

impl SentFiles {
    /// Remembers a file, in place of one before.
    pub(super) fn insert(&mut self, server: Server, file: SentFile) {
        if self.known.insert(server, file).is_none() {
            self.order.push_back(server);
        }
        while self.order.len() > MAX_SENT {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }

    /// The file, which is forgotten then.
    pub(super) fn take(&mut self, server: Server) -> Option<SentFile> {
        self.known.remove(&server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(fuid: &str) -> SentFile {
        SentFile { fuid: fuid.to_owned(), mime_type: None }
    }

    #[test]
    fn the_newest_is_taken_once() {
        let mut files = SentFiles::default();
        let server = (IpAddr::from([10, 0, 0, 1]), 20);
        files.insert(server, file("F1"));
        files.insert(server, file("F2"));
        assert_eq!(files.take(server), Some(file("F2")));
        assert_eq!(files.take(server), None);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut files = SentFiles::default();
        let server = |number: usize| (IpAddr::from([10, 0, 0, 1]), number as u16);
        for number in 0..=MAX_SENT {
            files.insert(server(number), file("F"));
        }
        assert_eq!((files.known.len(), files.order.len()), (MAX_SENT, MAX_SENT));
        assert!(files.take(server(0)).is_none() && files.take(server(1)).is_some());
    }
}
