//! Hosts that trace routes: they send packets that live too short, and hear from several routers that
//! these died on the way.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use ahash::RandomState;
use weir_base::{Duration, Timestamp};
use weir_packet::{Packet, Transport};

use crate::across::Across;
use crate::connection::Connection;
use crate::notice::Notice;
use crate::rows::Rows;
use crate::streams::{self, TracerouteRow};

/// Packets that live shorter were perhaps sent to trace a route.
const SHORT_LIFE: u8 = 10;

/// So many routers are enough.
const ROUTERS: usize = 3;

/// Interval after which counts begin anew.
const EPOCH: Duration = Duration::from_secs(3 * 60);

/// Most paths of an epoch; those beyond are not looked at.
const MAX_PATHS: usize = 1 << 16;

/// Most paths that are remembered to have packets that live short; beyond, all are forgotten.
const MAX_SHORT_LIVED: usize = 1 << 16;

/// Source, destination and transport of a traced route.
pub(crate) type Path = (IpAddr, IpAddr, &'static str);

/// Packets seen of a path.
#[derive(Debug, Default)]
struct Trace {
    short: bool,
    routers: Vec<IpAddr>,
}

/// The paths of an epoch.
#[derive(Debug)]
pub(crate) struct Traces {
    epoch: u64,
    paths: HashMap<Path, Trace, RandomState>,
    /// Packets of paths that there was no room for.
    pub(crate) left_out: u64,
}

impl Default for Traces {
    fn default() -> Self {
        Self { epoch: 0, paths: HashMap::with_hasher(weir_base::keyed_hash()), left_out: 0 }
    }
}

/// The epoch of a moment of a capture that began at `start`.
fn epoch(start: Timestamp, now: Timestamp) -> u64 {
    (now.since(start).as_nanos() / EPOCH.as_nanos()) as u64
}

impl Traces {
    /// Notes a packet that lives short, or the router at which one died; whether that was what was
    /// missing.
    pub(crate) fn note(&mut self, epoch: u64, path: Path, router: Option<IpAddr>) -> bool {
        if self.epoch != epoch {
            self.paths.clear();
            self.epoch = epoch;
        }
        if self.paths.len() >= MAX_PATHS && !self.paths.contains_key(&path) {
            self.left_out += 1;
            return false;
        }
        let trace = self.paths.entry(path).or_default();
        let before = trace.is_complete();
        match router {
            None => trace.short = true,
            Some(router) => {
                if trace.routers.len() < ROUTERS && !trace.routers.contains(&router) {
                    trace.routers.push(router);
                }
            }
        }
        trace.is_complete() && !before
    }
}

impl Trace {
    fn is_complete(&self) -> bool {
        self.short && self.routers.len() >= ROUTERS
    }
}

/// The paths of an epoch whose packets a worker has seen to live short: each is noted once.
#[derive(Debug)]
pub(crate) struct ShortLives {
    epoch: u64,
    known: HashSet<Path, RandomState>,
}

impl Default for ShortLives {
    fn default() -> Self {
        Self { epoch: 0, known: HashSet::with_hasher(weir_base::keyed_hash()) }
    }
}

impl ShortLives {
    /// Looks at a packet, perhaps of a connection, when the capture's clock shows `now`; the path that is shown to be
    /// traced by it.
    pub(crate) fn look(
        &mut self,
        connection: Option<&Connection>,
        packet: &Packet<'_>,
        now: Timestamp,
        across: &Across,
    ) -> Option<Path> {
        let epoch = epoch(across.start(now), now);
        let died = match &packet.transport {
            Transport::Icmpv4(icmp) if icmp.kind == 11 => icmp.embedded,
            Transport::Icmpv6(icmp) if icmp.kind == 3 => icmp.embedded,
            _ => None,
        };
        let found = died.and_then(|quoted| {
            let path = (quoted.source, quoted.destination, transport_name(quoted.protocol));
            across.trace(epoch, path, Some(packet.source()?)).then_some(path)
        });
        let is_short = packet.ip.as_ref().is_some_and(|ip| ip.ttl() < SHORT_LIFE);
        let path = connection.filter(|_| is_short).map(|connection| {
            (connection.originator().0, connection.responder().0, transport_name(connection.protocol()))
        });
        found.or(path.filter(|path| self.is_new(epoch, *path) && across.trace(epoch, *path, None)))
    }

    fn is_new(&mut self, epoch: u64, path: Path) -> bool {
        if self.epoch != epoch || self.known.len() >= MAX_SHORT_LIVED {
            self.epoch = epoch;
            self.known.clear();
        }
        self.known.insert(path)
    }
}

/// The name of the protocol with this number that carries a connection.
const fn transport_name(protocol: u8) -> &'static str {
    match protocol {
        6 => "tcp",
        17 => "udp",
        1 | 58 => "icmp",
        _ => "unknown",
    }
}

impl Rows<'_> {
    /// A row of `traceroute`, and a notice.
    pub(crate) fn traceroute(&mut self, ts: Timestamp, (source, destination, protocol): Path) {
        let row = TracerouteRow { src: source.into(), dst: destination.into(), proto: protocol.into() };
        self.row(&streams::TRACEROUTE, None, ts, &row.values());
        let message = format!("{source} seems to be running traceroute using {protocol}");
        let notice = Notice::new("Traceroute::Detected", &message);
        let interval = notice.suppress_for;
        let notice = Notice { source: Some(source), ..notice.once((source, protocol), interval) };
        self.notice(None, ts, notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_routers_and_a_short_life() {
        let address = |text: &str| -> IpAddr { text.parse().unwrap() };
        let path = (address("10.0.0.1"), address("192.0.2.9"), "udp");
        let other = (address("10.0.0.1"), address("192.0.2.9"), "icmp");
        let router = |last: u8| Some(IpAddr::from([192, 0, 2, last]));
        let mut traces = Traces::default();
        for (epoch, path, router, expected) in [
            (0, path, router(1), false),
            (0, path, router(2), false),
            (0, path, router(2), false),
            (0, path, router(3), false),
            (0, other, None, false),
            (0, path, None, true),
            (0, path, router(4), false),
            (1, path, router(1), false),
            (1, path, router(2), false),
            (1, path, router(3), false),
            (2, path, None, false),
        ] {
            assert_eq!(traces.note(epoch, path, router), expected, "{epoch} {path:?} {router:?}");
        }
        assert_eq!(traces.left_out, 0);
        for number in 0..=MAX_PATHS as u32 {
            traces.note(3, (address("10.0.0.1"), IpAddr::from(number.to_be_bytes()), "udp"), None);
        }
        assert_eq!((traces.left_out, traces.paths.len()), (1, MAX_PATHS));
        assert_eq!(epoch(Timestamp::new(100, 0), Timestamp::new(279, 0)), 0);
        assert_eq!(epoch(Timestamp::new(100, 0), Timestamp::new(280, 0)), 1);
    }
}
