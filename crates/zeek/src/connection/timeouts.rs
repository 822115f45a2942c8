//! Timeouts of connections, under Zeek's names of them.

use weir_base::{Duration, Timestamp};

use super::NEVER;

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
