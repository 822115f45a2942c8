//! Interfaces as libpcap knows them: what `-i` means where there are no packet sockets, and on Linux what these cannot do
//! (all interfaces as one, the log of the firewall, USB).
//!
//! Packets are copied, all of a batch into one buffer: libpcap takes its own back before the next ones. An interface has
//! one thread, for each handle of libpcap gets all packets.
//!
//! Times have microseconds. The kernel does not tell through libpcap which checksums are not filled in yet: see
//! [`Filled`]. An interface that goes down is waited for; one that is deleted is, too, with a new handle when it is back.

mod handle;
#[cfg(target_os = "linux")]
pub mod nflog;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use weir_base::{CounterVisitor, Counters, Timestamp};
use weir_config::libpcap::PcapSettings;
use weir_packet::LinkType;

use crate::SourceError;
use crate::batch::Batch;
use crate::filter::PacketFilter;
use crate::source::{PacketSlot, Source, SourceStats};
use crate::sources::card::{self, Filled};
use crate::sources::link::Link;
use crate::sources::{
    Capability, LiveRequest, LiveSources, Open, OpenLive, SectionOption, SourceKind, Stance, Standing,
};

use handle::{Handle, Totals};

/// The section of the configuration.
const SECTION: &str = "pcap";

/// Interfaces of libpcap.
pub static KIND: SourceKind = SourceKind {
    name: "pcap",
    option: if cfg!(target_os = "linux") { None } else { Some('i') },
    value: "INTERFACE",
    help: "Interfaces to listen on",
    capabilities: &[Capability::Live, Capability::Filters],
    section: Some(SectionOption {
        name: SECTION,
        argument: "pcap-section",
        help: "Listen by libpcap on an interface, or on those of the section pcap",
    }),
    run_mode: "PCAP_DEV",
    against_loss: "A larger buffer-size (section pcap) helps against bursts.",
    open: Open::AtOnce(OpenLive {
        open,
        stance: |_| Ok(Stance::Beside),
        goes_on_needing: Some(Standing::Nothing),
    }),
};

weir_base::counters! {
    /// Counters of the capture of an interface.
    pub struct PcapCounters {
        /// Packets for this thread, those that were dropped included.
        packets => "capture.kernel_packets",
        /// Packets for which the buffer had no room.
        drops => "capture.kernel_drops",
        /// Packets that the interface lost before.
        interface_drops => "capture.kernel_ifdrops",
        /// Errors of libpcap.
        errors => "capture.errors",
    }
}

/// One interface.
pub struct LivePcap {
    settings: PcapSettings,
    filter: Option<PacketFilter>,
    handle: Option<Handle>,
    filled: Filled,
    /// The system tells whether it is up.
    is_told_of: bool,
    link: Link,
    /// The bytes of the packets of a batch: as many as are asked for, each of at most the snapshot length.
    bytes: Vec<u8>,
    slots: Vec<PacketSlot>,
    /// Since when no packet is taken in any more.
    stopped: Option<Timestamp>,
    counters: PcapCounters,
    earlier: u64,
    stats: SourceStats,
}

/// Opens all interfaces.
fn open(request: &LiveRequest<'_>) -> LiveSources {
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for name in request.interfaces(SECTION, if KIND.option.is_some() { "-i" } else { "--pcap=INTERFACE" })? {
        let settings = PcapSettings::of(request.settings, &name)?;
        let filter = request.filter_of(settings.filter.as_deref());
        let threads = request.threads.map(u64::from).or(settings.threads).unwrap_or(1);
        if threads > 1 {
            let sentence = format!(
                "{name} is listened on by one thread, not by {threads}: libpcap gives each of several all packets."
            );
            request.settings.warn(SECTION, sentence, None);
        }
        sources.push(LivePcap::listening(settings, filter)?);
    }
    Ok(sources)
}

impl LivePcap {
    /// Opens an interface.
    fn listening(
        settings: PcapSettings,
        filter: Option<PacketFilter>,
    ) -> Result<Box<dyn Source>, SourceError> {
        let mut source = Self::new(settings, filter);
        source.handle = Some(source.open_handle()?);
        Ok(Box::new(source))
    }

    fn new(settings: PcapSettings, filter: Option<PacketFilter>) -> Self {
        Self {
            filled: Filled::of(&settings.interface, settings.checksums),
            is_told_of: card::is_up(&settings.interface).is_some(),
            link: Link::of(&settings.interface),
            settings,
            filter,
            handle: None,
            bytes: Vec::new(),
            slots: Vec::new(),
            stopped: None,
            counters: PcapCounters::default(),
            earlier: 0,
            stats: SourceStats::default(),
        }
    }

    fn open_handle(&mut self) -> Result<Handle, SourceError> {
        let (handle, remark) = Handle::open(&self.settings, self.filter.as_ref())?;
        remark.into_iter().for_each(|sentence| self.link.tell(sentence));
        self.filled = Filled::of(&self.settings.interface, self.settings.checksums);
        Ok(handle)
    }

    /// Copies packets that are there; how many.
    fn take(&mut self, max: usize) -> usize {
        let Some(handle) = &mut self.handle else { return 0 };
        let (bytes, slots, filled) = (&mut self.bytes, &mut self.slots, self.filled);
        let (link, stopped) = (handle.link_type(), self.stopped);
        let taken = handle.take(max, |time, wire_length, packet| {
            if stopped.is_some_and(|stopped| time > stopped) {
                return;
            }
            slots.push(PacketSlot {
                start: bytes.len(),
                length: packet.len() as u32,
                wire_length,
                time,
                interface: 0,
                link,
                checksums: filled.in_packet(link, packet),
            });
            bytes.extend_from_slice(packet);
        });
        if taken.is_err() {
            self.counters.errors += 1;
            self.take_counts();
            // What is left in the buffer goes with the handle.
            let known = self.counters.drops + self.stats.packets + self.slots.len() as u64;
            self.counters.drops += self.counters.packets.saturating_sub(known);
            self.link.goes_away();
            self.handle = None;
        }
        self.slots.len()
    }

    /// Waits for packets; whether there may be some.
    fn wait(&mut self, wait: Duration) -> bool {
        let Some(handle) = &self.handle else { return false };
        let ready = handle.wait(wait);
        if !ready {
            self.look_at_link();
        }
        ready
    }

    /// No packet came: looks whether the interface is up.
    fn look_at_link(&mut self) {
        match card::is_up(&self.settings.interface) {
            Some(true) => self.link.is_up(),
            Some(false) => self.link.goes_down(),
            None => {}
        }
    }

    /// The interface is gone: listens on it anew where it is back, or waits a while.
    fn reopen(&mut self, wait: Duration) {
        std::thread::sleep(wait);
        // The error of each attempt would have all interfaces listed.
        if self.is_told_of && card::is_up(&self.settings.interface) != Some(true) {
            return;
        }
        match self.open_handle() {
            Ok(handle) => {
                self.handle = Some(handle);
                self.link.returns();
            }
            Err(error) => self.link.stays_away(&error),
        }
    }

    /// Adds what libpcap counted.
    fn take_counts(&mut self) {
        if let Some(handle) = self.handle.as_mut().filter(|_| self.stopped.is_none()) {
            let Totals { packets, drops, interface_drops } = handle.take_counts();
            self.counters.packets += packets;
            self.counters.drops += drops;
            self.counters.interface_drops += interface_drops;
        }
    }
}

impl Source for LivePcap {
    fn name(&self) -> String {
        self.settings.interface.clone()
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        self.bytes.clear();
        if self.handle.is_none() {
            if self.stopped.is_none() {
                self.reopen(wait);
            }
            return Ok(Batch::empty());
        }
        if self.take(max) == 0 && self.wait(wait) && self.take(max) == 0 {
            // What was there was an error perhaps.
            self.look_at_link();
        }
        if !self.slots.is_empty() {
            self.link.is_up();
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        self.stats.bytes += self.bytes.len() as u64;
        Ok(Batch::new(&self.bytes, &self.slots, first_number))
    }

    fn stats(&self) -> SourceStats {
        SourceStats { dropped: self.counters.drops + self.counters.interface_drops, ..self.stats }
    }

    fn count(&mut self, visitor: &mut dyn CounterVisitor) {
        self.take_counts();
        self.counters.visit(visitor);
    }

    fn stop(&mut self) {
        // A filter that takes nothing would lose what is in the buffer.
        self.take_counts();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.stopped = Some(Timestamp::new(since.as_secs(), since.subsec_nanos()));
    }

    fn news(&mut self) -> Vec<String> {
        self.link.take_news()
    }
}

/// Returns the link type of packets, by libpcap's number for it, if such packets are read.
fn link_type(number: i32) -> Option<LinkType> {
    const READ: [LinkType; 16] = [
        LinkType::NULL,
        LinkType::ETHERNET,
        LinkType::PPP,
        LinkType::RAW_BSD,
        LinkType::RAW_OPENBSD,
        LinkType::PPP_HDLC,
        LinkType::RAW,
        LinkType::CISCO_HDLC,
        LinkType::IEEE802_11,
        LinkType::LOOP,
        LinkType::LINUX_SLL,
        LinkType::IEEE802_11_RADIOTAP,
        LinkType::IPV4,
        LinkType::IPV6,
        LinkType::NFLOG,
        LinkType::LINUX_SLL2,
    ];
    let found = LinkType(u16::try_from(number).ok()?);
    READ.contains(&found).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_types() {
        for (number, expected) in [
            (1, Some(LinkType::ETHERNET)),
            (113, Some(LinkType::LINUX_SLL)),
            (276, Some(LinkType::LINUX_SLL2)),
            (239, Some(LinkType::NFLOG)),
            (220, None),
            (-1, None),
        ] {
            assert_eq!(link_type(number), expected, "{number}");
        }
    }

    #[test]
    fn errors_say_what_helps() {
        let settings = weir_config::Settings::from_text(b"", "t", &[] as &[&str]).expect("settings");
        let open = |names: &[&str]| {
            let names: Vec<std::path::PathBuf> = names.iter().map(Into::into).collect();
            let request = LiveRequest { names: &names, settings: &settings, filter: None, threads: None };
            open(&request).err().expect("an error").to_string()
        };
        assert!(open(&[]).contains("in the section pcap"));
        // Without the right to open sockets that is what is told.
        let said = open(&["no-such-if"]);
        assert!(said.contains("There are ") || said.contains("setcap"), "{said}");
    }
}
