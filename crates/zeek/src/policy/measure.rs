//! Measurements at moments of the capture's clock: `capture_loss` and `stats`.
//!
//! All workers come to the same moments. Each adds what it counted until then; the last one to come
//! writes the row, at the place where all of them stand.

use std::collections::VecDeque;

use weir_applayer::zeek::Script;
use weir_applayer::zeek::column::{Count, Interval};
use weir_base::{Duration, Timestamp};

use crate::notice::Notice;
use crate::rows::{PEER, Rows};
use crate::settings::Scripts;
use crate::streams::{self, CaptureLossRow, StatsRow};

/// When loss is measured first, from the first packet on, and how often then.
const LOSS_FIRST: Duration = Duration::from_secs(60);
const LOSS_INTERVAL: Duration = Duration::from_secs(15 * 60);

/// Interval of the other measurements, from the first packet on.
const STATS_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// The loss that is too much, in percent.
const TOO_MUCH_LOSS: f64 = 10.0;

/// The fewest acknowledgements that are enough.
const FEWEST_ACKS: u64 = 1;

/// Counts from the beginning of the capture on, by one worker or all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    /// Acknowledgements of something new, and those of what was not captured.
    pub(crate) acks: u64,
    pub(crate) gaps: u64,
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    /// Connections of TCP, UDP, ICMP.
    pub(crate) connections: [u64; 3],
    pub(crate) timers: u64,
    pub(crate) files: u64,
}

/// Gauges at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Levels {
    pub(crate) connections: [u64; 3],
    pub(crate) timers: u64,
    pub(crate) files: u64,
    /// Bytes that wait to be put together, of streams and of packets.
    pub(crate) streams: u64,
    pub(crate) fragments: u64,
}

/// A measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Measure {
    pub(crate) counts: Counts,
    pub(crate) levels: Levels,
}

impl Measure {
    fn add(&mut self, other: &Self) {
        let (counts, more) = (&mut self.counts, &other.counts);
        let (levels, also) = (&mut self.levels, &other.levels);
        for (sum, part) in [
            (&mut counts.acks, more.acks),
            (&mut counts.gaps, more.gaps),
            (&mut counts.packets, more.packets),
            (&mut counts.bytes, more.bytes),
            (&mut counts.timers, more.timers),
            (&mut counts.files, more.files),
            (&mut levels.timers, also.timers),
            (&mut levels.files, also.files),
            (&mut levels.streams, also.streams),
            (&mut levels.fragments, also.fragments),
        ] {
            *sum += part;
        }
        let made = counts.connections.iter_mut().zip(more.connections);
        let live = levels.connections.iter_mut().zip(also.connections);
        made.chain(live).for_each(|(sum, part)| *sum += part);
    }
}

/// Counters of the rest of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Packets of the capture.
    pub packets: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Bytes of streams that wait to be put together.
    pub streams: u64,
    /// Bytes of fragments that wait.
    pub fragments: u64,
}

/// Row of a measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Loss,
    Stats,
}

/// When a worker measures next.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    loss: Option<Timestamp>,
    stats: Option<Timestamp>,
}

impl Schedule {
    /// Returns the measurements due at `clock`, in the order in which they are to be made.
    pub(crate) fn due(&mut self, scripts: Scripts, clock: Timestamp) -> [Option<Kind>; 2] {
        let loss = scripts.has(Script::CaptureLoss) && {
            let next = *self.loss.get_or_insert(clock.plus(LOSS_FIRST));
            clock >= next
        };
        let stats = scripts.has(Script::Stats) && self.stats.is_none_or(|next| clock >= next);
        if loss {
            self.loss = Some(clock.plus(LOSS_INTERVAL));
        }
        if stats {
            self.stats = Some(clock.plus(STATS_INTERVAL));
        }
        [loss.then_some(Kind::Loss), stats.then_some(Kind::Stats)]
    }

    /// Returns the measurements at the end of the capture.
    pub(crate) fn last(scripts: Scripts) -> [Option<Kind>; 2] {
        [
            scripts.has(Script::CaptureLoss).then_some(Kind::Loss),
            scripts.has(Script::Stats).then_some(Kind::Stats),
        ]
    }
}

/// The measurements of all workers of one kind. Workers that are ahead of others have begun further
/// ones: no more than there are moments in what is dealt out to them.
#[derive(Debug, Default)]
pub(crate) struct Series {
    /// Measurements that each worker made.
    made: Vec<usize>,
    /// Those that not all workers made, how many did.
    open: VecDeque<(Measure, usize)>,
    finished: usize,
    before: Measure,
    last: Option<Timestamp>,
}

/// A measurement that all workers made, and the one before.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) now: Measure,
    pub(crate) before: Measure,
    /// When the one before was made.
    pub(crate) since: Option<Timestamp>,
}

impl Series {
    /// Adds a worker's next part; the whole, if that was the last one missing.
    pub(crate) fn add(
        &mut self,
        worker: usize,
        workers: usize,
        part: &Measure,
        clock: Timestamp,
    ) -> Option<Finished> {
        self.made.resize(workers, 0);
        let made = self.made.get_mut(worker)?;
        let index = made.checked_sub(self.finished)?;
        *made += 1;
        while self.open.len() <= index {
            self.open.push_back(Default::default());
        }
        let (sum, parts) = self.open.get_mut(index)?;
        sum.add(part);
        *parts += 1;
        if *parts < workers {
            return None;
        }
        // No worker makes one before it made those before.
        let (now, _) = self.open.pop_front()?;
        self.finished += 1;
        let before = std::mem::replace(&mut self.before, now);
        Some(Finished { now, before, since: self.last.replace(clock) })
    }
}

impl Rows<'_> {
    /// A row of `capture_loss`, and a notice where too much is lost or too little is seen.
    pub(crate) fn loss(&mut self, ts: Timestamp, start: Timestamp, measure: &Finished) {
        let acks = measure.now.counts.acks - measure.before.counts.acks;
        let gaps = measure.now.counts.gaps - measure.before.counts.gaps;
        let percent = if acks == 0 { 0.0 } else { 100.0 * gaps as f64 / acks as f64 };
        if percent >= TOO_MUCH_LOSS {
            let message =
                format!("The capture loss script detected an estimated loss rate above {percent:.3}%");
            self.notice(None, ts, Notice::new("CaptureLoss::Too_Much_Loss", &message));
        }
        if acks < FEWEST_ACKS {
            let message = format!("Only observed {acks} TCP ACKs and was expecting at least {FEWEST_ACKS}.");
            self.notice(None, ts, Notice::new("CaptureLoss::Too_Little_Traffic", &message));
        }
        let row = CaptureLossRow {
            ts_delta: ts.since(measure.since.unwrap_or(start)).into(),
            peer: PEER.into(),
            gaps: gaps.into(),
            acks: acks.into(),
            percent_lost: percent.into(),
        };
        self.row(&streams::CAPTURE_LOSS, None, ts, &row.values());
    }

    /// A row of `stats`.
    pub(crate) fn stats(&mut self, ts: Timestamp, measure: &Finished) {
        let (counts, before, levels) = (&measure.now.counts, &measure.before.counts, &measure.now.levels);
        let [tcp, udp, icmp] = levels.connections;
        let [new_tcp, new_udp, new_icmp] = counts.connections;
        let [old_tcp, old_udp, old_icmp] = before.connections;
        let row = StatsRow {
            peer: PEER.into(),
            mem: (memory() >> 20).into(),
            pkts_proc: (counts.packets - before.packets).into(),
            bytes_recv: (counts.bytes - before.bytes).into(),
            pkts_dropped: Count::UNSET,
            pkts_link: Count::UNSET,
            pkt_lag: Interval::UNSET,
            pkts_filtered: Count::UNSET,
            // Events of a script language, of which there are none.
            events_proc: 0_u64.into(),
            events_queued: 0_u64.into(),
            active_tcp_conns: tcp.into(),
            active_udp_conns: udp.into(),
            active_icmp_conns: icmp.into(),
            tcp_conns: (new_tcp - old_tcp).into(),
            udp_conns: (new_udp - old_udp).into(),
            icmp_conns: (new_icmp - old_icmp).into(),
            timers: (counts.timers - before.timers).into(),
            active_timers: levels.timers.into(),
            files: (counts.files - before.files).into(),
            active_files: levels.files.into(),
            // Zeek's own requests, of which there are none here.
            dns_requests: 0_u64.into(),
            active_dns_requests: 0_u64.into(),
            reassem_tcp_size: levels.streams.into(),
            reassem_file_size: 0_u64.into(),
            reassem_frag_size: levels.fragments.into(),
            reassem_unknown_size: 0_u64.into(),
        };
        self.row(&streams::STATS, None, ts, &row.values());
    }
}

/// The memory in use, in bytes; zero where the system does not tell.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_workers_add_up() {
        let part = |acks| Measure { counts: Counts { acks, ..Counts::default() }, ..Measure::default() };
        let mut series = Series::default();
        let mut add = |worker, acks, second| {
            let finished = series.add(worker, 2, &part(acks), Timestamp::new(second, 0))?;
            Some((finished.now.counts.acks, finished.before.counts.acks, finished.since.map(|t| t.seconds())))
        };
        assert_eq!(add(0, 1, 60), None);
        assert_eq!(add(0, 5, 120), None);
        assert_eq!(add(1, 2, 60), Some((3, 0, None)));
        assert_eq!(add(1, 2, 120), Some((7, 3, Some(60))));
        assert_eq!(add(1, 9, 180), None);
        assert_eq!(add(0, 5, 180), Some((14, 7, Some(120))));
    }

    #[test]
    fn moments() {
        let mut scripts = Scripts::default();
        let mut schedule = Schedule::default();
        assert_eq!(schedule.due(scripts, Timestamp::new(0, 0)), [None, None]);
        scripts.add(Script::CaptureLoss);
        scripts.add(Script::Stats);
        let (loss, stats) = (Some(Kind::Loss), Some(Kind::Stats));
        for (second, expected) in [
            (0, [None, stats]),
            (59, [None, None]),
            (61, [loss, None]),
            (300, [None, stats]),
            (960, [None, stats]),
            (961, [loss, None]),
        ] {
            assert_eq!(schedule.due(scripts, Timestamp::new(second, 0)), expected, "{second}");
        }
        assert_eq!(Schedule::last(scripts), [loss, stats]);
    }
}
