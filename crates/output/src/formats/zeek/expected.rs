//! Connections that others announced and that have not come yet. Only one between the same two hosts
//! is waited for: it is on the same worker.

use std::collections::HashMap;
use std::net::IpAddr;

use ahash::RandomState;
use weir_applayer::zeek::Announced;
use weir_base::{Duration, Timestamp};

/// Most announcements that are remembered; further ones are not.
const MAX_ANNOUNCED: usize = 4096;

/// How long a connection is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Debug)]
struct Announcement {
    service: &'static str,
    hosts: [IpAddr; 2],
    until: Timestamp,
}

/// The announcements of a worker.
#[derive(Debug)]
pub(super) struct Expected {
    known: HashMap<(IpAddr, u16), Announcement, RandomState>,
}

impl Default for Expected {
    fn default() -> Self {
        Self { known: HashMap::with_hasher(RandomState::with_seeds(9, 10, 11, 12)) }
    }
}

impl Expected {
    /// Takes note of an announcement between `hosts`, the lower one first.
    pub(super) fn announce(&mut self, announced: Announced, hosts: [IpAddr; 2], now: Timestamp) {
        if self.known.len() >= MAX_ANNOUNCED {
            self.known.retain(|_, known| now <= known.until);
        }
        if self.known.len() < MAX_ANNOUNCED {
            let announcement = Announcement { service: announced.service, hosts, until: now.plus(PATIENCE) };
            self.known.insert(announced.server, announcement);
        }
    }

    /// The service that a new connection between `hosts` was announced as.
    pub(super) fn take(
        &mut self,
        server: (IpAddr, u16),
        hosts: [IpAddr; 2],
        now: Timestamp,
    ) -> Option<&'static str> {
        if self.known.is_empty() {
            return None;
        }
        self.known.get(&server).filter(|announced| announced.hosts == hosts)?;
        let announced = self.known.remove(&server)?;
        (now <= announced.until).then_some(announced.service)
    }
}
