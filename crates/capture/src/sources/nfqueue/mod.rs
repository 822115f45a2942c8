//! Queues of the firewall of Linux (NFQUEUE): packets that a rule of it hands to a program, and waits for its verdict.
//!
//! Each queue has a thread. Packets are taken in, and verdicts given, many at a time.

mod message;
mod netlink;

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use weir_base::{CounterVisitor, Counters, Timestamp};
use weir_config::nfqueue::{NfqSettings, QueueMode};
use weir_packet::LinkType;

use crate::SourceError;
use crate::batch::Batch;
use crate::fate::{Fate, Fates};
use crate::source::{Checksums, PacketSlot, Source, SourceStats};
use crate::sources::{Capability, LiveRequest, LiveSources, Open, OpenLive, SourceKind, Stance, Standing};
use crate::wait::wait_for_bytes;

use message::{Decided, Outgoing, Queued};
use netlink::{Inbox, Netlink, Sender};

/// Queues of the firewall.
pub static KIND: SourceKind = SourceKind {
    name: "nfqueue",
    option: Some('q'),
    value: "QUEUE[:QUEUE]",
    help: "Queues of the firewall (NFQUEUE) to decide of",
    capabilities: &[Capability::Live],
    section: None,
    run_mode: "NFQ",
    against_loss: "More queues, and a rule of the firewall with --queue-balance, help where processors are free.",
    open: Open::AtOnce(OpenLive {
        open,
        stance: |_| Ok(Stance::Between),
        goes_on_needing: Some(Standing::Decisions),
    }),
};

/// Most queues of a run.
const MOST_QUEUES: usize = 256;

/// Packets that may wait in a queue.
const LONGEST_QUEUE: u32 = 8192;

/// Bytes of a packet that are asked for.
const WHOLE: u32 = 0xffff;

/// Bytes of verdicts after which they are sent.
const SENT_AT_ONCE: usize = 64 << 10;

/// Where the kernel tells of its queues.
const STATE: &str = "/proc/self/net/netfilter/nfnetlink_queue";

weir_base::counters! {
    /// Counters of one queue.
    pub struct QueueCounters {
        /// Packets of the queue, those that were lost included.
        packets => "capture.kernel_packets",
        /// Packets that found no room, in the queue or on the way.
        drops => "capture.kernel_drops",
        /// Errors of the socket.
        errors => "capture.errors",
    }
}

/// Most packets that are decided of after a queue is to stop: as many as it holds.
const AT_THE_END: usize = LONGEST_QUEUE as usize;

/// One queue.
pub struct NfQueue {
    number: u16,
    settings: NfqSettings,
    netlink: Netlink,
    sender: Sender,
    inbox: Inbox,
    queued: Vec<Queued>,
    slots: Vec<PacketSlot>,
    outgoing: Outgoing,
    counters: QueueCounters,
    earlier: u64,
    stats: SourceStats,
    news: Vec<String>,
    /// Packets that are taken before the queue is given back, once it is to stop.
    left: Option<usize>,
    given_back: bool,
}

/// Opens all queues.
fn open(request: &LiveRequest<'_>) -> LiveSources {
    let settings = NfqSettings::from_settings(request.settings)?;
    let mut numbers = Vec::new();
    for name in request.names {
        let text = name.to_string_lossy();
        let wrong = || SourceError::Queue { text: text.clone().into_owned() };
        let range = range(&text).filter(|range| range.len() + numbers.len() <= MOST_QUEUES);
        numbers
            .extend(range.ok_or_else(wrong)?.filter(|number| !numbers.contains(number)).collect::<Vec<_>>());
    }
    let mut queues: Vec<Box<dyn Source>> = Vec::new();
    for number in numbers {
        queues.push(Box::new(NfQueue::open(number, &settings)?));
    }
    Ok(queues)
}

/// The queues that a word names: one, or from one to another.
fn range(text: &str) -> Option<std::ops::RangeInclusive<u16>> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some(first..=last)
}

/// Remedy for an error of the system, as a sentence behind a space.
fn remedy(reason: &io::Error) -> &'static str {
    match reason.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            " Start it as root, or with the capabilities: `setcap cap_net_raw,cap_net_admin+ep` on the program."
        }
        Some(libc::EBUSY) => " Another program decides of it.",
        Some(libc::EPROTONOSUPPORT | libc::EINVAL) => " The kernel may be without NFQUEUE.",
        _ => "",
    }
}

impl NfQueue {
    fn open(number: u16, settings: &NfqSettings) -> Result<Self, SourceError> {
        let failed = |attempt| {
            move |reason: io::Error| {
                let (name, remedy) = (format!("queue {number}"), remedy(&reason).into());
                SourceError::Interface { name, attempt, reason, remedy }
            }
        };
        let netlink = Netlink::open().map_err(failed("open a socket for it"))?;
        let mark = settings.repeat.value | settings.bypass.value;
        let sender = Sender::open(mark).map_err(failed("open a socket to send refusals"))?;
        let mut queue = Self {
            number,
            settings: settings.clone(),
            netlink,
            sender,
            inbox: Inbox::new(),
            queued: Vec::with_capacity(netlink::BATCH),
            slots: Vec::with_capacity(netlink::BATCH),
            outgoing: Outgoing::default(),
            counters: QueueCounters::default(),
            earlier: 0,
            stats: SourceStats::default(),
            news: Vec::new(),
            left: None,
            given_back: false,
        };
        queue
            .ask(|out| out.command(number, libc::NFQNL_CFG_CMD_BIND))
            .map_err(failed("have it handed over"))?;
        queue.ask(|out| out.longest(number, LONGEST_QUEUE)).map_err(failed("set its length"))?;
        let fail_open = if settings.fail_open { libc::NFQA_CFG_F_FAIL_OPEN } else { 0 };
        let flags = libc::NFQA_CFG_F_GSO | fail_open;
        queue.ask(|out| out.flags(number, flags)).map_err(failed("have long packets whole"))?;
        // With this packets come: the answer is among them, and passed over.
        queue.outgoing.clear();
        queue.outgoing.copy(number, WHOLE);
        queue.netlink.send(queue.outgoing.bytes()).map_err(failed("have its packets copied"))?;
        Ok(queue)
    }

    /// Gives the queue back, once.
    fn give_back(&mut self) {
        self.left = Some(0);
        if std::mem::replace(&mut self.given_back, true) {
            return;
        }
        self.outgoing.clear();
        self.outgoing.command(self.number, libc::NFQNL_CFG_CMD_UNBIND);
        if let Err(error) = self.netlink.send(self.outgoing.bytes()) {
            self.news.push(format!("The queue {} cannot be given back: {error}.", self.number));
        }
    }

    fn ask(&mut self, write: impl FnOnce(&mut Outgoing)) -> io::Result<()> {
        self.outgoing.clear();
        write(&mut self.outgoing);
        self.netlink.ask(self.outgoing.bytes())
    }

    /// Takes in the packets that are there.
    fn take(&mut self, max: usize) {
        match self.inbox.take(&self.netlink, max) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                return;
            }
            Err(_) => {
                self.counters.errors += 1;
                return;
            }
        }
        // Packets that were made here have no time of their own.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = Timestamp::new(since.as_secs(), since.subsec_nanos());
        for place in self.inbox.places() {
            let message = self.inbox.bytes().get(place.clone()).unwrap_or_default();
            let Some(queued) = message::read(message) else {
                self.counters.errors += u64::from(message::answer(message).is_some_and(|code| code != 0));
                continue;
            };
            self.slots.push(PacketSlot {
                start: place.start + queued.start,
                length: queued.length as u32,
                wire_length: queued.whole as u32,
                time: queued.time.unwrap_or(now),
                interface: 0,
                link: LinkType::RAW,
                checksums: if queued.unfilled { Checksums::Unfilled } else { Checksums::Filled },
            });
            self.queued.push(queued);
            self.stats.bytes += queued.length as u64;
        }
    }

    /// What the kernel is told of a packet.
    fn decided<'f>(&self, queued: &Queued, fates: &'f Fates, index: usize) -> Decided<'f> {
        let NfqSettings { mode, repeat, bypass, route_queue, .. } = &self.settings;
        let fate = fates.get(index);
        // Of one that was cut the rest would be lost, and as it is it is not to go on.
        let is_cut = matches!(fate, Fate::Changed(_)) && queued.whole != queued.length;
        if *fate == Fate::Drop || is_cut {
            return Decided { id: queued.id, verdict: message::DROP, ..Decided::default() };
        }
        let mut mark = queued.mark;
        if *mode == QueueMode::Repeat {
            mark = repeat.on(mark);
        }
        if *fate == Fate::Bypass {
            mark = bypass.on(mark);
        }
        Decided {
            id: queued.id,
            verdict: match mode {
                QueueMode::Accept => message::ACCEPT,
                QueueMode::Repeat => message::REPEAT,
                QueueMode::Route => message::QUEUE | u32::from(*route_queue) << 16,
            },
            mark: (mark != queued.mark).then_some(mark),
            bytes: match fate {
                Fate::Changed(place) => Some(fates.bytes(place)),
                _ => None,
            },
            all_before: false,
        }
    }
}

impl Source for NfQueue {
    fn name(&self) -> String {
        format!("queue{}", self.number)
    }

    fn interfaces(&self) -> Vec<String> {
        Vec::new()
    }

    fn stance(&self) -> Stance {
        Stance::Between
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        self.queued.clear();
        let max = max.min(self.left.unwrap_or(usize::MAX));
        if max > 0 {
            self.take(max);
            if self.slots.is_empty() && wait_for_bytes(&self.netlink, wait).unwrap_or(false) {
                self.take(max);
            }
        }
        if let Some(left) = &mut self.left {
            *left -= self.slots.len().min(*left);
            if self.slots.is_empty() {
                self.give_back();
            }
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        Ok(Batch::new(self.inbox.bytes(), &self.slots, first_number))
    }

    fn conclude(&mut self, fates: &Fates) {
        let mut outgoing = std::mem::take(&mut self.outgoing);
        outgoing.clear();
        // One message decides of a run of packets, where that is the same.
        let mut run: Option<(Decided<'_>, u8)> = None;
        for (index, queued) in self.queued.iter().enumerate() {
            let decided = self.decided(queued, fates, index);
            run = match run {
                Some((before, count))
                    if count < self.settings.batch
                        && Decided { id: 0, all_before: false, ..before } == Decided { id: 0, ..decided }
                        && decided.bytes.is_none() =>
                {
                    Some((Decided { all_before: true, ..decided }, count + 1))
                }
                Some((before, _)) => {
                    outgoing.verdict(self.number, &before);
                    if outgoing.bytes().len() > SENT_AT_ONCE {
                        self.counters.errors += u64::from(self.netlink.send(outgoing.bytes()).is_err());
                        outgoing.clear();
                    }
                    Some((decided, 1))
                }
                None => Some((decided, 1)),
            };
        }
        if let Some((last, _)) = run {
            outgoing.verdict(self.number, &last);
            self.counters.errors += u64::from(self.netlink.send(outgoing.bytes()).is_err());
        }
        self.outgoing = outgoing;
        for (_, packet) in fates.messages() {
            self.counters.errors += u64::from(self.sender.send(packet).is_err());
        }
        self.counters.errors += fates.lost();
        // What is decided of is not decided of again.
        self.queued.clear();
    }

    fn stats(&self) -> SourceStats {
        SourceStats { dropped: self.counters.drops, ..self.stats }
    }

    fn count(&mut self, visitor: &mut dyn CounterVisitor) {
        let state = std::fs::read_to_string(STATE).unwrap_or_default();
        if let Some(drops) = drops(&state, self.number) {
            self.counters.drops = drops;
        }
        self.counters.packets = self.stats.packets + self.counters.drops;
        self.counters.visit(visitor);
    }

    fn stop(&mut self) {
        // The kernel drops what is not decided of when the queue is given back.
        self.left = Some(AT_THE_END);
    }

    fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }
}

/// The packets that a queue lost, by what the kernel tells of its queues.
fn drops(state: &str, queue: u16) -> Option<u64> {
    let rows = state.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let own =
        rows.into_iter().find(|row| row.first().and_then(|number| number.parse().ok()) == Some(queue))?;
    let lost = |column: usize| own.get(column)?.parse::<u64>().ok();
    Some(lost(5)? + lost(6)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_named_one_by_one_or_from_one_to_another() {
        assert_eq!(range("3"), Some(3..=3));
        assert_eq!(range("0:3"), Some(0..=3));
        for wrong in ["", "a", "3:1", "1:", "70000", "-1"] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_a_queue_lost() {
        let state = "    0  31621     0 2 65531     0     0        3  1\n    7 -41 0 2 65531 4 5 9 1\n";
        assert_eq!((drops(state, 7), drops(state, 0), drops(state, 1)), (Some(9), Some(0), None));
    }
}
