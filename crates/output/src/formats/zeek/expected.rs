//! Connections that others announced and that have not come yet.

use std::collections::HashMap;
use std::net::IpAddr;

use ahash::RandomState;
use weir_applayer::zeek::Announced;
use weir_base::{Duration, Timestamp};

/// Most announcements that are remembered; further ones are not.
const MAX_ANNOUNCED: usize = 4096;

/// How long a connection is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// The announcements of a worker.
#[derive(Debug)]
pub(super) struct Expected {
    known: HashMap<(IpAddr, u16), (&'static str, Timestamp), RandomState>,
}

impl Default for Expected {
    fn default() -> Self {
        Self { known: HashMap::with_hasher(RandomState::with_seeds(9, 10, 11, 12)) }
    }
}

impl Expected {
    /// Takes note of an announcement.
    pub(super) fn announce(&mut self, announced: Announced, now: Timestamp) {
        if self.known.len() >= MAX_ANNOUNCED {
            self.known.retain(|_, (_, until)| now <= *until);
        }
        if self.known.len() < MAX_ANNOUNCED {
            self.known.insert(announced.server, (announced.service, now.plus(PATIENCE)));
        }
    }

    /// The service that a new connection was announced as.
    pub(super) fn take(&mut self, server: (IpAddr, u16), now: Timestamp) -> Option<&'static str> {
        if self.known.is_empty() {
            return None;
        }
        let (service, until) = self.known.remove(&server)?;
        (now <= until).then_some(service)
    }
}
