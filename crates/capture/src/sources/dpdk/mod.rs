//! Cards that are taken from the system and read by DPDK, where its headers were there when Weir was built (feature `dpdk`).
//!
//! A thread reads a queue of a card by asking for packets over and over. While none come it asks ever less often, so that a
//! quiet link costs little. Packets are lent from DPDK's memory and given back when the next ones are asked for.
//!
//! Times are those at which packets were taken out of the queue.

mod port;

use std::ptr::NonNull;
use std::sync::Arc;
use std::thread::{ThreadId, available_parallelism, sleep};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use weir_base::{CounterVisitor, Counters, Timestamp};
use weir_config::dpdk::{self, DpdkSettings};
use weir_packet::LinkType;

use crate::SourceError;
use crate::batch::Batch;
use crate::filter::PacketFilter;
use crate::source::{PacketSlot, Source, SourceStats};
use crate::sources::card::Filled;
use crate::sources::link::Link;
use crate::sources::{
    Capability, LiveRequest, LiveSources, Open, OpenLive, SectionOption, SourceKind, Stance, Standing,
};

use port::{Fault, Lent, Port};

/// The section of the configuration.
const SECTION: &str = "dpdk";

/// Cards by DPDK.
pub static KIND: SourceKind = SourceKind {
    name: SECTION,
    option: None,
    value: "CARD",
    help: "Cards to read by DPDK",
    capabilities: &[Capability::Live, Capability::Filters],
    section: Some(SectionOption {
        name: SECTION,
        argument: "dpdk-section",
        help: "Read a card by DPDK, or those of the section dpdk",
    }),
    run_mode: "DPDK",
    against_loss: "More threads, which have a queue each, or more rx-descriptors (section dpdk) help.",
    open: Open::AtOnce(OpenLive {
        open,
        stance: |_| Ok(Stance::Beside),
        goes_on_needing: Some(Standing::Nothing),
    }),
};

/// Most packets that are taken after a thread is to stop.
const AT_THE_END: usize = 32_768;

/// Time without a packet in which a queue is asked again at once.
const EAGER: Duration = Duration::from_micros(200);

/// Time between two looks at a queue after that: at 15 million packets a second 1,500 come in it.
const PAUSE: Duration = Duration::from_micros(100);

weir_base::counters! {
    /// Counters of a thread; what a card counts as a whole is with the thread of its first queue.
    pub struct DpdkCounters {
        /// Packets that were taken out of queues.
        packets => "capture.packets",
        /// Packets with errors and those that were lost.
        rx_errors => "capture.rx_errors",
        /// Packets that could not be sent: none is sent.
        tx_errors => "capture.tx_errors",
        /// Packets for which queues had no place.
        missed => "capture.dpdk.imissed",
        /// Times that there was no memory for a packet.
        no_buffers => "capture.dpdk.no_mbufs",
        /// Packets that the card found damaged.
        damaged => "capture.dpdk.ierrors",
    }
}

/// A queue of a card.
pub struct Dpdk {
    name: String,
    port: Arc<Port>,
    queue: u16,
    filter: Option<PacketFilter>,
    filled: Filled,
    link: Link,
    /// The thread that reads, once it is known to DPDK.
    reader: Option<ThreadId>,
    lent: Vec<Lent>,
    slots: Vec<PacketSlot>,
    /// Packets that are taken before the end, once it is to stop.
    left: Option<usize>,
    counters: DpdkCounters,
    earlier: u64,
    stats: SourceStats,
}

// The buffers on loan are given back by any thread.
#[allow(unsafe_code, reason = "pointers into DPDK's memory, which is the same for all threads")]
// SAFETY: what is lent belongs to this source alone.
unsafe impl Send for Dpdk {}

/// Starts DPDK's environment, then all cards.
fn open(request: &LiveRequest<'_>) -> LiveSources {
    let named = request.names.iter().map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = named.collect();
    if names.is_empty() {
        names = dpdk::names(request.settings);
    }
    let Some(first) = names.first() else {
        return Err(SourceError::NoInterface { option: "--dpdk=CARD", section: "dpdk.interfaces" });
    };
    port::start(&arguments(request)).map_err(|fault| error_of(first, fault))?;
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for name in &names {
        for queue in open_card(name, request)? {
            sources.push(Box::new(queue));
        }
    }
    Ok(sources)
}

/// The settings' arguments, and what Weir asks for where they are silent: no thread beside its own, and no other process.
fn arguments(request: &LiveRequest<'_>) -> Vec<String> {
    let mut arguments = dpdk::environment(request.settings);
    let says = |arguments: &[String], options: &[&str]| {
        arguments.iter().any(|word| options.iter().any(|option| word.split('=').next() == Some(option)))
    };
    if !says(&arguments, &["-c", "-l", "--lcores", "-s", "-S"]) {
        arguments.extend(["--lcores".to_owned(), format!("0@({})", processors())]);
    }
    if !says(&arguments, &["--telemetry", "--no-telemetry"]) {
        arguments.push("--no-telemetry".to_owned());
    }
    if !says(
        &arguments,
        &["--in-memory", "--no-huge", "--proc-type", "--file-prefix", "--legacy-mem", "--huge-unlink"],
    ) {
        arguments.push("--in-memory".to_owned());
    }
    if says(&arguments, &["--no-huge"]) && !says(&arguments, &["--proc-type", "--file-prefix", "--no-shconf"])
    {
        arguments.push("--no-shconf".to_owned());
    }
    arguments
}

/// The processors that this process may run on, as a list, so that it keeps them all.
fn processors() -> String {
    let allowed = rustix::thread::sched_getaffinity(None).unwrap_or_else(|_| {
        let mut first = rustix::thread::CpuSet::new();
        first.set(0);
        first
    });
    let numbers = (0..rustix::thread::CpuSet::MAX_CPU).filter(|number| allowed.is_set(*number));
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

fn error_of(name: &str, fault: Fault) -> SourceError {
    let is_unknown = fault.reason.raw_os_error() == Some(libc::ENODEV);
    let remedy = if is_unknown {
        " `dpdk-devbind.py --status` lists cards; one is taken from the system by `dpdk-devbind.py -b vfio-pci 0000:3b:00.0`."
    } else {
        " DPDK's own lines above say more; it needs huge pages (`dpdk-hugepages.py --setup 2G`) or `no-huge` in eal-params, and root."
    };
    SourceError::Dpdk { name: name.to_owned(), attempt: fault.attempt, reason: fault.reason, remedy }
}

/// Starts a card with a queue for each thread.
fn open_card(name: &str, request: &LiveRequest<'_>) -> Result<Vec<Dpdk>, SourceError> {
    let settings = DpdkSettings::of(request.settings, name)?;
    let mut filter = request.filter_of(None);
    if let Some(filter) = &mut filter {
        let wrong = |reason| SourceError::Filter { path: name.into(), reason };
        filter.check(LinkType::ETHERNET).map_err(wrong)?;
    }
    let (number, most) = port::find(name).map_err(|fault| error_of(name, fault))?;
    let cores = available_parallelism().map_or(1, usize::from) as u16;
    let asked = request.threads.or(settings.threads);
    if let Some(asked) = asked.filter(|asked| *asked > most) {
        let sentence = format!(
            "{name} has {most} queues at most, and each thread has one: the {asked} threads that are asked for are not had."
        );
        request.settings.warn(SECTION, sentence, None);
    }
    let threads = asked.unwrap_or(cores).clamp(1, most.max(1));
    let port = Port::open(number, threads, &settings).map_err(|fault| error_of(name, fault))?;
    let port = Arc::new(port);
    wait_for_link(&port, settings.link_timeout);
    let queue = |queue| Dpdk {
        name: name.to_owned(),
        port: Arc::clone(&port),
        queue,
        filter: filter.clone(),
        filled: Filled::of(name, settings.checksums),
        link: Link::of(name),
        reader: None,
        lent: Vec::with_capacity(port::BURST),
        slots: Vec::with_capacity(port::BURST),
        left: None,
        counters: DpdkCounters::default(),
        earlier: 0,
        stats: SourceStats::default(),
    };
    Ok((0..threads).map(queue).collect())
}

/// Waits until the link of a card is up, for so many seconds at most.
fn wait_for_link(port: &Port, seconds: u16) {
    let since = Instant::now();
    while !port.is_up() && since.elapsed() < Duration::from_secs(seconds.into()) {
        sleep(Duration::from_millis(10));
    }
}

impl Dpdk {
    /// Takes packets; whether there were some.
    fn take(&mut self, most: usize) -> bool {
        self.port.receive(self.queue, most, &mut self.lent);
        !self.lent.is_empty()
    }

    /// Takes packets, and waits for them so long at most.
    fn take_within(&mut self, most: usize, wait: Duration) -> bool {
        if self.take(most) {
            return true;
        }
        let since = Instant::now();
        loop {
            let elapsed = since.elapsed();
            if elapsed >= wait {
                return self.take(most);
            }
            if elapsed < EAGER {
                std::hint::spin_loop();
            } else {
                sleep(PAUSE.min(wait.saturating_sub(elapsed)));
            }
            if self.take(most) {
                return true;
            }
        }
    }

    /// Takes note of the link's state where no packets come.
    fn look_at_link(&mut self) {
        if self.queue == 0 {
            if self.port.is_up() {
                self.link.is_up();
            } else {
                self.link.goes_down();
            }
        }
    }

    /// Puts down where the packets lie that the filter takes, from the first byte of all on; the bytes between.
    fn place(&mut self) -> NonNull<[u8]> {
        let start = self.lent.iter().map(|packet| packet.data.addr()).min().unwrap_or(0);
        let end =
            self.lent.iter().map(|packet| packet.data.addr().saturating_add(packet.length as usize)).max();
        let first = self.lent.iter().map(|packet| packet.data).min().unwrap_or(std::ptr::null());
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = Timestamp::new(since.as_secs(), since.subsec_nanos());
        let link = LinkType::ETHERNET;
        for packet in &self.lent {
            #[allow(unsafe_code, reason = "the packet is on loan")]
            // SAFETY: DPDK lent so many bytes there, which stay as they are until the packet is given back.
            let bytes = unsafe { std::slice::from_raw_parts(packet.data, packet.length as usize) };
            // The filter was compiled when the card was opened.
            let filter = self.filter.as_mut();
            if filter.is_some_and(|filter| !filter.matches_bytes(link, bytes).unwrap_or(true)) {
                continue;
            }
            self.slots.push(PacketSlot {
                start: packet.data.addr().saturating_sub(start),
                length: packet.length,
                wire_length: packet.wire_length,
                time,
                interface: 0,
                link,
                checksums: self.filled.in_packet(link, bytes),
            });
        }
        let length = end.unwrap_or(0).saturating_sub(start);
        let first = NonNull::new(first.cast_mut()).unwrap_or(NonNull::dangling());
        NonNull::slice_from_raw_parts(first, length)
    }
}

impl Source for Dpdk {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        self.port.release(&mut self.lent);
        let current = std::thread::current().id();
        if self.reader != Some(current) {
            port::join();
            self.reader = Some(current);
        }
        let (max, wait) = match self.left {
            Some(left) => (max.min(left), Duration::ZERO),
            None => (max, wait),
        };
        if max == 0 || !self.take_within(max, wait) {
            self.look_at_link();
            return Ok(Batch::empty());
        }
        self.link.is_up();
        let memory = self.place();
        let taken = self.lent.len();
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(taken);
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.counters.packets += taken as u64;
        self.stats.filtered += (taken - self.slots.len()) as u64;
        self.stats.packets += self.slots.len() as u64;
        self.stats.bytes += self.slots.iter().map(|slot| u64::from(slot.length)).sum::<u64>();
        #[allow(unsafe_code, reason = "the packets lie in DPDK's memory")]
        // SAFETY: the packets at the slots are on loan until the next call, and only they are looked at.
        Ok(unsafe { Batch::of_memory(memory, &self.slots, first_number) })
    }

    fn stats(&self) -> SourceStats {
        SourceStats { dropped: self.counters.missed + self.counters.no_buffers, ..self.stats }
    }

    fn count(&mut self, visitor: &mut dyn CounterVisitor) {
        if self.queue == 0 {
            let counts = self.port.counts();
            self.counters.missed = counts.missed;
            self.counters.no_buffers = counts.no_buffers;
            self.counters.damaged = counts.errors;
            self.counters.rx_errors = counts.missed + counts.no_buffers + counts.errors;
        }
        self.counters.visit(visitor);
    }

    fn stop(&mut self) {
        self.left = Some(AT_THE_END);
    }

    fn news(&mut self) -> Vec<String> {
        self.link.take_news()
    }
}

impl Drop for Dpdk {
    fn drop(&mut self) {
        self.port.release(&mut self.lent);
        if self.reader == Some(std::thread::current().id()) {
            port::leave();
        }
    }
}
