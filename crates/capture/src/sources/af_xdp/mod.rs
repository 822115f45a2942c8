//! Interfaces of Linux by AF_XDP: packets before the system has looked at them, in memory that is shared with the kernel.
//!
//! A program at the interface hands packets to a socket for each queue, and a thread reads one queue or several, in the
//! order of time. Packets are lent from memory that the sockets share with the kernel; their chunks go back to it when the
//! next ones are asked for. What a socket takes, the system of this machine does not see.
//!
//! Times are those at which the program had the packets, where the driver leaves room before them, else those at which
//! they were read. The kernel does not tell which checksums are not filled in yet: see [`Filled`]. Limits: Ethernet; packets
//! of 3840 bytes; tags that a card takes off are lost.

mod entrance;
mod program;
mod queues;
mod ring;
mod socket;

use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use weir_base::{CounterVisitor, Counters};
use weir_config::af_xdp::{AfXdpSettings, BindMode};
use weir_packet::LinkType;

use crate::SourceError;
use crate::batch::Batch;
use crate::filter::PacketFilter;
use crate::source::{PacketSlot, Source, SourceStats};
use crate::sources::af_packet::socket::fault;
use crate::sources::card::{self, Filled};
use crate::sources::link::Link;
use crate::sources::{
    Capability, LiveRequest, LiveSources, Open, OpenLive, SectionOption, SourceKind, Stance, Standing,
};
use crate::wait::wait_for_any;

use entrance::{Entrance, Shared};
use queues::{Counted, Moment, Next, Queues};

/// The section of the configuration.
const SECTION: &str = "af-xdp";

/// Interfaces of Linux by AF_XDP.
pub static KIND: SourceKind = SourceKind {
    name: "af-xdp",
    option: None,
    value: "INTERFACE",
    help: "Interfaces to listen on",
    capabilities: &[Capability::Live, Capability::Filters],
    section: Some(SectionOption {
        name: SECTION,
        argument: "af-xdp-section",
        help: "Listen by AF_XDP on an interface, or on those of the section af-xdp",
    }),
    run_mode: "AF_XDP_DEV",
    against_loss: "More queues (`ethtool -L`), with a thread each, help where processors are free.",
    open: Open::AtOnce(OpenLive {
        open,
        stance: |_| Ok(Stance::Beside),
        goes_on_needing: Some(Standing::Nothing),
    }),
};

/// Most packets that are taken after a thread is to stop: as many as a socket holds.
const AT_THE_END: usize = socket::CHUNKS as usize;

/// Longest time of polling without a packet.
const LONGEST_POLL: Duration = Duration::from_millis(10);

weir_base::counters! {
    /// Counters of the capture of a thread.
    pub struct XdpCounters {
        /// Packets for this thread, those that the kernel dropped included.
        packets => "capture.kernel_packets",
        /// Packets that the kernel dropped.
        drops => "capture.kernel_drops",
        /// Errors of sockets.
        errors => "capture.errors",
        /// Packets that were taken out of rings.
        taken => "capture.afxdp_packets",
        /// Waits for packets.
        polls => "capture.afxdp.poll",
        /// Those that ended without one.
        poll_timeout => "capture.afxdp.poll_timeout",
        /// Those that an error ended.
        poll_failed => "capture.afxdp.poll_failed",
        /// Looks at the rings that found none.
        empty_reads => "capture.afxdp.empty_reads",
        /// Calls that have the kernel look for packets, and failed.
        failed_reads => "capture.afxdp.failed_reads",
        /// Packets for which there was no chunk, or that were longer than one.
        dropped => "capture.afxdp.rx_dropped",
        /// Packets for which a ring had no room.
        ring_full => "capture.afxdp.rx_ring_full",
        /// Looks of the kernel for a chunk that found none.
        no_chunk => "capture.afxdp.rx_fill_ring_empty_descs",
    }
}

/// Outcomes of a look at the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// There are packets.
    Packets,
    /// There are some that wait so long for those of other queues.
    Early(Duration),
    /// There are none.
    Nothing,
}

/// One thread's queues of an interface.
pub struct AfXdp {
    shared: Arc<Shared>,
    filter: Option<PacketFilter>,
    /// Numbers of its queues.
    numbers: Vec<u32>,
    queues: Queues,
    // The sockets go before the program: it hands packets to them.
    entrance: Option<Arc<Entrance>>,
    /// Packets came since the thread waited last.
    was_busy: bool,
    /// Packets that are taken before the end, once it is to stop.
    left: Option<usize>,
    filled: Filled,
    link: Link,
    slots: Vec<PacketSlot>,
    counters: XdpCounters,
    earlier: u64,
    stats: SourceStats,
}

/// Opens all sockets, then lets packets into them.
fn open(request: &LiveRequest<'_>) -> LiveSources {
    let mut sources: Vec<AfXdp> = Vec::new();
    let cores = available_parallelism().map_or(1, usize::from);
    for name in request.interfaces(SECTION, "--af-xdp=INTERFACE")? {
        let settings = AfXdpSettings::of(request.settings, &name)?;
        let mut filter = request.filter_of(None);
        if let Some(filter) = &mut filter {
            let wrong = |reason| SourceError::Filter { path: name.clone().into(), reason };
            filter.check(LinkType::ETHERNET).map_err(wrong)?;
        }
        let queues = card::queues(&name).unwrap_or(1);
        let asked = request.threads.or(settings.threads).map(usize::from);
        if let Some(asked) = asked.filter(|asked| *asked > queues) {
            let sentence = format!(
                "{name} has fewer queues ({queues}) than threads that are asked for ({asked}), and each queue has one thread: \
                 `ethtool -L {name} combined {asked}` makes more queues where its card can."
            );
            request.settings.warn(SECTION, sentence, None);
        }
        let threads = asked.unwrap_or(cores).clamp(1, queues);
        let shared = Arc::new(Shared::new(settings, queues as u32));
        for thread in 0..threads {
            let own = (thread..queues).step_by(threads).map(|queue| queue as u32).collect();
            sources.push(AfXdp::new(&shared, filter.clone(), own));
        }
    }
    sources.iter_mut().try_for_each(AfXdp::open_sockets)?;
    sources.iter_mut().try_for_each(AfXdp::let_in)?;
    Ok(sources.into_iter().map(|source| Box::new(source) as Box<dyn Source>).collect())
}

impl AfXdp {
    fn new(shared: &Arc<Shared>, filter: Option<PacketFilter>, numbers: Vec<u32>) -> Self {
        let settings = shared.settings();
        Self {
            filled: Filled::of(&settings.interface, settings.checksums),
            link: Link::of(&settings.interface),
            shared: Arc::clone(shared),
            filter,
            numbers,
            queues: Queues::none(),
            entrance: None,
            was_busy: false,
            left: None,
            slots: Vec::new(),
            counters: XdpCounters::default(),
            earlier: 0,
            stats: SourceStats::default(),
        }
    }

    /// Opens a socket for each queue.
    fn open_sockets(&mut self) -> Result<(), SourceError> {
        let shared = Arc::clone(&self.shared);
        let settings = shared.settings();
        let (entrance, remarks) = shared.entrance()?;
        remarks.into_iter().for_each(|sentence| self.link.tell(sentence));
        let opened = Queues::open(settings, entrance.hook().index(), &self.numbers);
        self.queues = opened.map_err(|fault| shared.fault(fault))?;
        for socket in self.queues.sockets() {
            // The others are no different.
            if socket.queue() == 0 && settings.bind == BindMode::Either && !socket.is_without_copy() {
                self.link.tell(format!(
                    "The driver of {} cannot give packets without a copy, so that the kernel copies them. \
                     `force-bind-mode: copy` says that this is wanted.",
                    settings.interface
                ));
            }
            let polls = settings.busy_poll.as_ref().map_or(Ok(()), |poll| socket.poll_busily(poll));
            if let Err(error) = polls {
                self.link.tell(format!(
                    "The queue {} of {} is not polled busily: {error}. `enable-busy-poll: no` says that this is wanted.",
                    socket.queue(),
                    settings.interface
                ));
            }
        }
        self.filled = Filled::of(&settings.interface, settings.checksums);
        self.entrance = Some(entrance);
        Ok(())
    }

    /// Lets packets into the sockets.
    fn let_in(&mut self) -> Result<(), SourceError> {
        let Some(entrance) = &self.entrance else { return Ok(()) };
        for socket in self.queues.sockets() {
            let entered = entrance.hook().let_in(socket.queue(), socket.as_fd());
            entered.map_err(fault("let packets in")).map_err(|fault| self.shared.fault(fault))?;
        }
        Ok(())
    }

    /// Takes packets that are due, `max` at most; whether there are some, or how long the first one has to wait.
    fn take(&mut self, max: usize) -> Found {
        let now = Moment::now();
        let (mut taken, mut found) = (0, Found::Nothing);
        while taken < max {
            let (start, packet, time) = match self.queues.next(&now) {
                Next::Packet(start, packet, time) => (start, packet, time),
                Next::Early(wait) => {
                    found = Found::Early(wait);
                    break;
                }
                Next::Nothing => break,
            };
            taken += 1;
            let link = LinkType::ETHERNET;
            // The filter was compiled when the interface was opened.
            if let Some(filter) = &mut self.filter
                && !filter.matches_bytes(link, packet).unwrap_or(true)
            {
                continue;
            }
            self.slots.push(PacketSlot {
                start,
                length: packet.len() as u32,
                wire_length: packet.len() as u32,
                time,
                interface: 0,
                link,
                checksums: self.filled.in_packet(link, packet),
            });
        }
        if taken == 0 {
            self.counters.empty_reads += u64::from(found == Found::Nothing);
            return found;
        }
        self.counters.taken += taken as u64;
        self.stats.filtered += (taken - self.slots.len()) as u64;
        self.link.is_up();
        Found::Packets
    }

    /// Has the kernel poll the card, for as long as it leaves that to this thread, or until packets come.
    ///
    /// After a poll interrupts are held back for a while, in which a card that nobody polls soon has no room.
    fn poll_busily(&mut self, max: usize, before: Found) -> Found {
        let Some(poll) = &self.shared.settings().busy_poll else { return before };
        let held_back =
            Duration::from_nanos(poll.flush_timeout.into()) * (poll.deferred_interrupts.min(9) + 1);
        let (since, held_back) = (Instant::now(), held_back.min(LONGEST_POLL));
        loop {
            let failed = self.queues.sockets().filter(|socket| socket.wake().is_err()).count();
            self.counters.failed_reads += failed as u64;
            let found = self.take(max);
            if found == Found::Packets || failed > 0 || since.elapsed() >= held_back {
                return found;
            }
        }
    }

    /// Waits for packets.
    fn wait(&mut self, wait: Duration) {
        self.counters.polls += 1;
        match wait_for_any(self.queues.sockets(), wait) {
            Ok(true) => {
                if self.queues.sockets().any(|socket| socket.take_error().is_some()) {
                    self.counters.poll_failed += 1;
                    self.look_at_link();
                }
            }
            Ok(false) => {
                self.counters.poll_timeout += 1;
                self.look_at_link();
            }
            Err(error) => {
                let is_signal = error.kind() == std::io::ErrorKind::Interrupted;
                self.counters.poll_failed += u64::from(!is_signal);
            }
        }
    }

    /// No packet came: looks whether the interface is up, and whether it is there. Where it is not all sockets are closed.
    fn look_at_link(&mut self) {
        let index = self.entrance.as_ref().map(|entrance| entrance.hook().index());
        if !index.is_some_and(|index| self.shared.is_there(index)) {
            self.take_counts();
            self.counters.errors += self.queues.sockets().len() as u64;
            self.queues = Queues::none();
            self.entrance = None;
            self.link.goes_away();
            return;
        }
        match card::is_up(&self.shared.settings().interface) {
            Some(true) => self.link.is_up(),
            Some(false) => self.link.goes_down(),
            None => {}
        }
    }

    /// The interface is gone: listens on it anew where it is back, or waits a while.
    fn reopen(&mut self, wait: Duration) {
        std::thread::sleep(wait);
        match self.open_sockets().and_then(|()| self.let_in()) {
            Ok(()) => self.link.returns(),
            Err(error) => {
                self.queues = Queues::none();
                self.entrance = None;
                self.link.stays_away(&error);
            }
        }
    }

    /// Adds what the kernel counted.
    fn take_counts(&mut self) {
        for Counted { socket, before } in self.queues.counted() {
            let Ok(now) = socket.counts() else { continue };
            self.counters.dropped += now.dropped - before.dropped;
            self.counters.ring_full += now.ring_full - before.ring_full;
            self.counters.no_chunk += now.no_chunk - before.no_chunk;
            *before = now;
        }
        self.counters.drops = self.counters.dropped + self.counters.ring_full;
        self.counters.packets = self.counters.taken + self.counters.drops;
    }
}

impl Source for AfXdp {
    fn name(&self) -> String {
        self.shared.settings().interface.clone()
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        self.queues.give_back();
        let max = max.min(self.left.unwrap_or(usize::MAX));
        if max == 0 {
            return Ok(Batch::empty());
        }
        if self.queues.is_empty() {
            self.reopen(wait);
            return Ok(Batch::empty());
        }
        let mut found = self.take(max);
        if found != Found::Packets && std::mem::replace(&mut self.was_busy, false) {
            found = self.poll_busily(max, found);
        }
        if found == Found::Nothing {
            self.wait(wait);
            found = self.take(max);
        }
        if let Found::Early(early) = found {
            std::thread::sleep(early.min(wait));
            found = self.take(max);
        }
        self.was_busy |= found != Found::Nothing;
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(self.slots.len());
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        self.stats.bytes += self.slots.iter().map(|slot| u64::from(slot.length)).sum::<u64>();
        Ok(self.queues.batch(&self.slots, first_number))
    }

    fn stats(&self) -> SourceStats {
        SourceStats { dropped: self.counters.drops, ..self.stats }
    }

    fn count(&mut self, visitor: &mut dyn CounterVisitor) {
        self.take_counts();
        self.counters.visit(visitor);
    }

    fn stop(&mut self) {
        // What came before may still be with the card, which hands it to the system once the sockets are gone.
        self.left = Some(AT_THE_END);
    }

    fn news(&mut self) -> Vec<String> {
        self.link.take_news()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_helps() {
        let settings = weir_config::Settings::from_text(b"", "t", &[] as &[&str]).expect("settings");
        let open = |names: &[&str]| {
            let names: Vec<std::path::PathBuf> = names.iter().map(Into::into).collect();
            let request = LiveRequest { names: &names, settings: &settings, filter: None, threads: None };
            open(&request).err().expect("an error").to_string()
        };
        assert!(open(&[]).contains("in the section af-xdp"));
        let said = open(&["no-such-if"]);
        assert!(said.contains("cannot find it") && said.contains("`ip link`"), "{said}");
    }
}
