//! Connections that others announced and that have not come yet.

use std::net::IpAddr;

use weir_applayer::zeek::Announced;
use weir_base::{Duration, Timestamp};

use crate::recent::{Pair, Recent};

/// Time for which a connection is expected.
const PATIENCE: Duration = Duration::from_secs(300);

/// The announcements of a worker: the service, and until when it counts.
#[derive(Debug, Default)]
pub(crate) struct Expected(Recent<(&'static str, Timestamp)>);

impl Expected {
    /// Takes note of an announcement between `hosts`.
    pub(crate) fn announce(&mut self, announced: Announced, hosts: [IpAddr; 2], now: Timestamp) {
        self.0.insert(Pair::new(announced.server, hosts), (announced.service, now.plus(PATIENCE)));
    }

    /// The service that a new connection between `hosts` was announced as.
    pub(crate) fn take(
        &mut self,
        server: (IpAddr, u16),
        hosts: [IpAddr; 2],
        now: Timestamp,
    ) -> Option<&'static str> {
        let (service, until) = self.0.take(Pair::new(server, hosts))?;
        (now <= until).then_some(service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_taken_in_time_and_between_their_hosts() {
        let [one, server, other] = [1, 2, 3].map(|host| IpAddr::from([10, 0, 0, host]));
        let begin = Timestamp::new(1, 0);
        let late = begin.plus(PATIENCE).plus(Duration::from_secs(1));
        for (hosts, now, found) in [
            ([one, server], begin.plus(PATIENCE), Some("ftp-data")),
            ([server, one], begin, Some("ftp-data")),
            ([one, server], late, None),
            ([other, server], begin, None),
        ] {
            let mut expected = Expected::default();
            let announced = |service| Announced { server: (server, 2000), service };
            expected.announce(announced("ftp-data"), [one, server], begin);
            // What other hosts announce changes nothing.
            expected.announce(announced("other"), [one, other], begin);
            assert_eq!(expected.take((server, 2000), hosts, now), found, "{hosts:?} {now:?}");
        }
    }
}
