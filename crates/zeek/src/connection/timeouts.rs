//! Timeouts of connections, under Zeek's names of them.

use weir_base::{Duration, Timestamp};

use super::{Carrier, Connection, NEVER};

/// The times, which are Zeek's own where nothing else is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Timeouts {
    /// Timeouts of idle connections, by transport; zero for none.
    pub(super) tcp: Duration,
    pub(super) udp: Duration,
    pub(super) icmp: Duration,
    pub(super) unknown: Duration,
    /// Timeout of an originator without an answer; zero for that of any other.
    pub(super) attempt: Duration,
    /// Time a connection that both ends closed is kept for late packets.
    pub(super) close: Duration,
    /// Time a connection that was reset is kept for late packets.
    pub(super) reset: Duration,
    /// Least time a DNS conversation over UDP is kept; after that it may be silent for a second less.
    dns: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let (short, minute) = (Duration::from_secs(5), Duration::from_secs(60));
        Self {
            tcp: Duration::from_secs(300),
            udp: minute,
            icmp: minute,
            unknown: minute,
            attempt: short,
            close: short,
            reset: short,
            dns: Duration::from_secs(10),
        }
    }
}

/// One of the times.
type Time = fn(&mut Timeouts) -> &mut Duration;

/// The names.
const NAMES: [(&str, Time); 8] = [
    ("tcp_inactivity_timeout", |times| &mut times.tcp),
    ("udp_inactivity_timeout", |times| &mut times.udp),
    ("icmp_inactivity_timeout", |times| &mut times.icmp),
    ("unknown_ip_inactivity_timeout", |times| &mut times.unknown),
    ("tcp_attempt_delay", |times| &mut times.attempt),
    ("tcp_close_delay", |times| &mut times.close),
    ("tcp_reset_delay", |times| &mut times.reset),
    ("dns_session_timeout", |times| &mut times.dns),
];

impl Timeouts {
    /// The names as Zeek has them.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().map(|(name, _)| name)
    }

    /// The time of a key of the configuration: the name with hyphens, as all keys have them.
    pub(crate) fn by_key(&mut self, key: &str) -> Option<&mut Duration> {
        let (_, time) = NAMES.into_iter().find(|(name, _)| name.replace('_', "-") == key)?;
        Some(time(self))
    }

    /// When a DNS conversation is over.
    pub(super) fn dns(&self, start: Timestamp, touched: Timestamp) -> Timestamp {
        let silence = Duration::from_nanos(self.dns.as_nanos().saturating_sub(1_000_000_000) as u64);
        start.plus(self.dns).max(touched.plus(silence))
    }
}

/// The moment so long after another one; a time of zero does not pass.
pub(super) fn after(moment: Timestamp, time: Duration) -> Timestamp {
    if time.is_zero() { NEVER } else { moment.plus(time) }
}

/// Conversations in datagrams that are over a while after they began, whatever is said: the ports of their servers, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sessions(Box<[(u16, Duration)]>);

impl Sessions {
    /// Of ports and seconds; the first time of a port counts.
    pub(crate) fn of(ports: &[(u16, f64)]) -> Self {
        let nanos = |seconds: f64| (seconds.max(0.0) * 1e9) as u64;
        let mut all: Vec<(u16, Duration)> =
            ports.iter().map(|(port, seconds)| (*port, Duration::from_nanos(nanos(*seconds)))).collect();
        all.sort_by_key(|(port, _)| *port);
        all.dedup_by_key(|(port, _)| *port);
        Self(all.into())
    }

    fn of_port(&self, port: u16) -> Option<Duration> {
        let place = self.0.binary_search_by_key(&port, |(port, _)| *port).ok()?;
        self.0.get(place).map(|(_, time)| *time)
    }
}

impl Connection {
    /// Ends it a while after it began, where it is one of those that last so long.
    pub(super) fn end_with_session(&mut self, sessions: &Sessions) {
        if matches!(self.carrier, Carrier::Udp)
            && let Some(time) = sessions.of_port(self.responder().1)
        {
            self.end_after(self.start.plus(time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_found_by_ports() {
        let sessions = Sessions::of(&[(2049, 0.5), (111, 24.0), (111, 1.0)]);
        assert_eq!(sessions.of_port(111), Some(Duration::from_secs(24)));
        assert_eq!(sessions.of_port(2049), Some(Duration::from_nanos(500_000_000)));
        assert_eq!(sessions.of_port(53), None);
        assert_eq!(Sessions::default().of_port(111), None);
    }
}
