//! Captured packets that go to `pcap-log`.
//!
//! Where only packets of flows with alerts or tags are logged, data that came before the first of
//! them is held, so that the log shows what led to it.

use std::sync::Arc;

use weir_applayer::{Memory, TakenMemory};
use weir_base::profile::{Stage, enter_part};
use weir_base::{Position, Timestamp};
use weir_capture::PacketFilter;
use weir_detect::Matches;
use weir_flow::{Flow, FlowFlags};
use weir_output::pcap_log::{Condition, LoggedPacket, PacketLine, PcapLogCounters, PcapLogSettings};
use weir_output::{OutletId, Outlets};
use weir_packet::{Origin, Packet, RawPacket};

use super::{Moment, PacketContext, Rest, Worker};
use crate::session::Session;

/// Most bytes held of a flow before its first alert.
const MAX_HELD_BYTES: u64 = 64 << 10;

/// Most bytes held of all flows, those of a packet and some more for each, of which each worker has a share.
const MAX_HELD_OF_ALL: u64 = 64 << 20;

/// Bytes that a held packet takes beside its own.
const HELD_PACKET_COST: u64 = 64;

/// The data packets of a flow without alerts so far.
#[derive(Debug, Default)]
pub struct HeldPackets {
    packets: Vec<(Timestamp, u32, Vec<u8>)>,
    bytes: u64,
    taken: TakenMemory,
}

impl HeldPackets {
    /// Holds a packet, if there is room for it in the flow and in `memory`; false where there is none.
    fn push(&mut self, packet: &Packet<'_>, memory: &Arc<Memory>) -> bool {
        let bytes = self.bytes + packet.bytes.len() as u64;
        self.taken.begin(memory);
        let cost = bytes + (self.packets.len() as u64 + 1) * HELD_PACKET_COST;
        if bytes > MAX_HELD_BYTES || !self.taken.grow_to(cost) {
            return false;
        }
        self.bytes = bytes;
        self.packets.push((packet.time, packet.wire_length, packet.bytes.to_vec()));
        true
    }
}

/// A worker's part in the log of packets.
pub(crate) struct PacketLog {
    settings: PcapLogSettings,
    outlet: OutletId,
    filter: Option<PacketFilter>,
    counters: PcapLogCounters,
    /// Memory of packets that flows hold.
    held: Arc<Memory>,
    /// Reason that packets are left out that were wanted; a sentence.
    pub(super) failure: Option<String>,
    /// Decision on the frame being processed.
    pub(super) frame: Wish,
}

/// Whether a frame is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Wish {
    /// It belongs to what is logged …
    wanted: bool,
    /// … but settings leave it out.
    left_out: bool,
}

impl Wish {
    /// Adds what other packets of the frame mean.
    pub(super) const fn add(&mut self, other: Self) {
        self.wanted |= other.wanted;
        self.left_out |= other.left_out;
    }
}

impl PacketLog {
    /// A log that nothing was written to, of one of so many workers.
    pub(crate) fn new(settings: PcapLogSettings, outlet: OutletId, workers: usize) -> Self {
        let filter = settings.filter.as_deref().map(PacketFilter::new);
        let counters = PcapLogCounters::default();
        let held = Arc::new(Memory::shared(MAX_HELD_OF_ALL / workers.max(1) as u64));
        Self { settings, outlet, filter, counters, held, failure: None, frame: Wish::default() }
    }

    /// Returns the counters of the packets' log.
    pub(crate) const fn counters(&self) -> &PcapLogCounters {
        &self.counters
    }

    /// A new frame: nothing is known of it.
    pub(super) fn begin(&mut self) {
        self.frame = Wish::default();
    }

    /// Whether it depends on packets whether their frame is logged.
    pub(super) fn asks_packets(&self) -> bool {
        let settings = &self.settings;
        settings.condition != Condition::All || settings.honor_pass_rules || settings.use_stream_depth
    }

    fn write(&mut self, raw: &RawPacket<'_>, position: Position, out: &mut Outlets) {
        let RawPacket { time, wire_length, bytes, .. } = *raw;
        let line = match self.filter.as_mut().map(|filter| filter.matches(raw)) {
            Some(Err(error)) => {
                self.failure = Some(error.to_string());
                return;
            }
            Some(Ok(false)) => {
                self.counters.filtered += 1;
                PacketLine::KeptBack(raw.link, time)
            }
            None | Some(Ok(true)) => {
                self.counters.written += 1;
                PacketLine::Packet(raw.link, LoggedPacket { time, wire_length, bytes })
            }
        };
        out.line(self.outlet, position, |bytes| {
            line.write(bytes);
            true
        });
    }

    /// Writes what a flow held.
    fn write_held(&mut self, held: &HeldPackets, moment: &Moment, out: &mut Outlets) {
        let &Moment { position, link, .. } = moment;
        for (time, wire_length, bytes) in &held.packets {
            let raw =
                RawPacket { number: 0, time: *time, link, wire_length: *wire_length, interface: 0, bytes };
            self.write(&raw, position, out);
        }
    }
}

impl Worker {
    /// Logs packets from now on, as one of so many workers.
    pub fn log_packets(&mut self, settings: PcapLogSettings, outlet: OutletId, workers: usize) {
        self.rest.packet_log = Some(Box::new(PacketLog::new(settings, outlet, workers)));
    }

    /// Returns the reason that not all packets went to their log, if so.
    pub fn finish_packet_log(&mut self) -> Option<String> {
        self.rest.packet_log.as_deref_mut().and_then(|log| log.failure.take())
    }
}

impl Rest {
    /// The frame was processed.
    pub(super) fn log_packet(&mut self, raw: &RawPacket<'_>, position: Position) {
        let Some(log) = self.packet_log.as_deref_mut() else { return };
        let _layer = enter_part(Stage::Output, "pcap-log");
        if (log.frame.wanted || log.settings.condition == Condition::All) && !log.frame.left_out {
            log.write(raw, position, self.recorder.outlets());
        }
    }

    /// Whether the frame of this packet of a flow is logged.
    pub(super) fn consider_for_log(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        matches: &Matches,
    ) {
        let Some(log) = self.packet_log.as_deref_mut() else { return };
        let settings = &log.settings;
        let tcp = flow.session.tcp.as_deref();
        log.frame.left_out |= settings.honor_pass_rules && flow.core.flags.contains(FlowFlags::ACTION_PASS)
            || settings.use_stream_depth && tcp.is_some_and(|tcp| tcp.depth_reached(context.direction));
        let begun = match settings.condition {
            Condition::All => return,
            Condition::Alerts => flow.core.flags.contains(FlowFlags::ALERTED),
            Condition::Tag => {
                let tags = !flow.session.detect.tags().is_empty();
                tags || matches.tagged
            }
        };
        let frame = context.root.unwrap_or(context.packet);
        if begun {
            log.frame.wanted = true;
            let held = flow.session.take_held();
            log.write_held(&held, &context.moment, self.recorder.outlets());
        } else if tcp.is_some() && !context.packet.payload.is_empty() && frame.origin != Origin::Defrag {
            let is_held = flow.session.held_mut().push(frame, &log.held);
            log.counters.not_held += u64::from(!is_held);
        }
    }

    /// Whether the frame of a packet without a flow is logged: where it has an alert.
    pub(super) fn consider_flowless_for_log(&mut self, matches: &Matches) {
        if let Some(log) = self.packet_log.as_deref_mut() {
            log.frame.wanted |=
                !matches.alerts.as_slice().is_empty() && log.settings.condition == Condition::Alerts;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use weir_config::Settings;
    use weir_packet::LinkType;

    use super::*;

    /// Holds as many packets as there is room for in so many flows of each worker: how many there are, and their bytes.
    fn fill(memories: &[Arc<Memory>], flows: usize) -> (usize, u64) {
        let bytes = [0; 1400];
        let raw = RawPacket {
            number: 1,
            time: Timestamp::new(1, 0),
            link: LinkType::RAW,
            wire_length: 1400,
            interface: 0,
            bytes: &bytes,
        };
        let packet = Packet::empty(&raw);
        let (mut count, mut used) = (0, 0);
        for memory in memories {
            let mut flows: Vec<HeldPackets> = (0..flows).map(|_| HeldPackets::default()).collect();
            let held = flows.iter_mut().flat_map(|flow| (0..100).map(|_| flow.push(&packet, memory)));
            count += held.filter(|is_held| *is_held).count();
            used += memory.used();
            assert!(flows.iter().all(|flow| flow.bytes <= MAX_HELD_BYTES));
            drop(flows);
            assert_eq!(memory.used(), 0);
        }
        (count, used)
    }

    #[test]
    fn what_all_flows_hold_is_bounded() {
        let (held, used) = fill(&[Arc::new(Memory::shared(1 << 20))], 100);
        assert!((400..1000).contains(&held) && used <= 1 << 20, "{held} {used}");
    }

    #[test]
    fn workers_have_shares_of_one_bound() {
        let text = b"%YAML 1.1\n---\noutputs:\n  - pcap-log: {enabled: yes, conditional: alerts}\n";
        let settings = Settings::from_text::<&str>(text, "a.yaml", &[]).unwrap();
        let settings = PcapLogSettings::from_settings(&settings, Path::new("/logs")).unwrap().unwrap();
        for workers in [1, 4] {
            let log = |_| PacketLog::new(settings.clone(), OutletId(0), workers);
            let memories: Vec<_> = (0..workers).map(|worker| log(worker).held).collect();
            let (_, used) = fill(&memories, 2000);
            assert!((48 << 20..=MAX_HELD_OF_ALL).contains(&used), "{workers}: {used}");
        }
    }
}
