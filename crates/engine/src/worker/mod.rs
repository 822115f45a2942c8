//! A worker: takes packets one after the other through decoding, flows, streams, parsers, rules and
//! records. It is a deterministic function of its packets.

mod app;
mod exception;
mod files;
mod flow_end;
mod frames;
mod inspect;
pub(crate) mod records;
mod tcp;
mod verdict;

use std::sync::Arc;

use weir_applayer::FrameWants;
use weir_applayer::file::FileSettings;
use weir_applayer::registry::Registry;
use weir_base::{Direction, Timestamp};
use weir_detect::{Inspector, Ruleset};
use weir_flow::table::{FlowIndex, NoFlow};
use weir_flow::{FlowState, FlowTable};
use weir_magic::Magic;
use weir_output::formats::zeek::ConnectionId;
use weir_output::{FileStore, RecordKind};
use weir_packet::decode::{Decoder, PacketList};
use weir_packet::defrag::Defragmenter;
use weir_packet::{LinkType, Packet, RawPacket};
use weir_stream::StreamShared;

use self::exception::{ExceptionCounters, Target};
use self::records::Recorder;
use self::verdict::Verdicts;
use crate::session::Session;
use crate::settings::EngineSettings;
use crate::stats::{BypassCounters, Totals};
use crate::tally::Tally;

/// Most tunnels around fragments that are put together.
const MAX_REASSEMBLY_DEPTH: u8 = 8;

/// Everything a worker shares with others, none of which changes.
#[derive(Clone)]
pub struct WorkerParts {
    /// Settings.
    pub settings: Arc<EngineSettings>,
    /// Protocols.
    pub registry: Arc<Registry>,
    /// Rules.
    pub ruleset: Arc<Ruleset>,
    /// What to do with files.
    pub files: FileSettings,
}

/// One worker.
pub struct Worker {
    decoder: Decoder,
    defrag: Defragmenter,
    /// Room for the packets of one frame.
    room: Option<PacketList<'static>>,
    flows: FlowTable<Session>,
    /// The second of packet time at which flows were last ended.
    expired_at: u64,
    rest: Rest,
}

/// What of a worker works on one flow at a time.
pub(crate) struct Rest {
    pub(crate) settings: Arc<EngineSettings>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) stream: StreamShared,
    pub(crate) inspector: Inspector,
    pub(crate) app: app::AppShared,
    pub(crate) recorder: Recorder,
    pub(crate) verdicts: Verdicts,
    pub(crate) exceptions: ExceptionCounters,
    pub(crate) tally: Tally,
    pub(crate) bypassed: BypassCounters,
    /// Link type of the capture.
    pub(crate) link: LinkType,
    pub(crate) file_store: Option<FileStore>,
    /// Describes files, where somebody asks for that.
    pub(crate) magic: Option<Magic>,
    /// Position of the packet being processed.
    pub(crate) number: u64,
}

impl Worker {
    /// A worker that writes its records through `recorder`.
    pub fn new(
        parts: &WorkerParts,
        recorder: Recorder,
        file_store: Option<FileStore>,
        magic: Option<Magic>,
    ) -> Self {
        let settings = Arc::clone(&parts.settings);
        let inspector_settings = weir_detect::InspectorSettings {
            steps: settings.detect.recursion_limit,
            max_alerts: usize::from(settings.detect.packet_alert_max),
        };
        let frames = match recorder.wants(RecordKind::Frame) {
            true => FrameWants::all(),
            false => parts.ruleset.frames().wants().clone(),
        };
        Self {
            decoder: Decoder::new(settings.decoder.clone()),
            defrag: Defragmenter::new(settings.defrag.clone()),
            room: Some(PacketList::new()),
            flows: FlowTable::new(settings.flow.clone()),
            expired_at: 0,
            rest: Rest {
                registry: Arc::clone(&parts.registry),
                stream: StreamShared::new(),
                inspector: Inspector::new(Arc::clone(&parts.ruleset), inspector_settings),
                app: app::AppShared::new(&parts.registry, parts.files, frames, settings.starttls),
                recorder,
                verdicts: Verdicts::default(),
                exceptions: ExceptionCounters::new(&settings.policies, settings.inline),
                tally: Tally::default(),
                bypassed: BypassCounters::default(),
                link: LinkType::RAW,
                file_store,
                magic,
                number: 0,
                settings,
            },
        }
    }

    /// The inspection of the worker's packets.
    pub fn inspector(&mut self) -> &mut Inspector {
        &mut self.rest.inspector
    }

    /// Takes one packet of the capture.
    pub fn packet(&mut self, raw: &RawPacket<'_>) {
        self.rest.number = raw.number;
        self.rest.link = raw.link;
        self.rest.stream.now = self.rest.stream.now.max(raw.time);
        self.rest.tally.packet(raw.time, raw.wire_length);
        self.end_flows(raw.time);
        let mut list: PacketList<'_> = self.room.take().unwrap_or_default().recycle();
        self.decoder.decode(raw, &mut list);
        self.process_all(&mut list);
        self.room = Some(list.recycle());
    }

    /// The capture ended: ends all flows and writes what is left.
    pub fn finish(&mut self) {
        let (flows, rest) = (&mut self.flows, &mut self.rest);
        flows.drain(&mut |flow| rest.flow_ended(flow));
    }

    /// The records so far.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.rest.recorder
    }

    /// All counters.
    pub fn totals(&self) -> Totals {
        let rest = &self.rest;
        let mut totals = Totals::default();
        totals.add(self.decoder.counters());
        totals.add(&self.defrag);
        totals.add(self.flows.counters());
        totals.add(&rest.stream.counters);
        if rest.settings.stats.stream_events {
            totals.add(&rest.stream.events);
        }
        totals.add(&rest.bypassed);
        if let Some(store) = &rest.file_store {
            totals.add(&store.counters);
        }
        totals.add(&rest.inspector.counters);
        totals.add(&rest.app.counters);
        if rest.settings.stats.exception_policy_global {
            totals.add(&rest.exceptions);
        }
        if rest.settings.inline {
            totals.add(&rest.verdicts.counters);
        }
        totals
    }

    /// What was counted for the summary.
    pub fn tally(&self) -> &Tally {
        &self.rest.tally
    }

    /// Ends flows that the packets before pushed out, and, once for each second of packet time, those
    /// whose time is over.
    fn end_flows(&mut self, now: Timestamp) {
        let second = now.seconds();
        let (flows, rest) = (&mut self.flows, &mut self.rest);
        if second > self.expired_at {
            self.expired_at = second;
            flows.expire(now, &mut |flow| rest.flow_ended(flow));
        } else {
            flows.hand_out_ended(&mut |flow| rest.flow_ended(flow));
        }
    }

    /// Processes the packets of one frame, inner ones first.
    fn process_all(&mut self, list: &mut PacketList<'_>) {
        let tunnelled = list.len() > 1;
        let outer = list.outer().cloned().filter(|_| tunnelled);
        // What fragments make up goes by once it is whole.
        let whole = !list.iter().any(Packet::is_fragment);
        if whole {
            self.rest.recorder.captured(list.as_slice());
        }
        for (index, packet) in list.iter_mut().enumerate() {
            let connection = whole.then(|| self.rest.recorder.connection(index)).flatten();
            let mut refused = false;
            if packet.is_fragment() {
                if let Some(whole) = self.defrag.push(packet, self.decoder.event_counters()) {
                    self.process_reassembled(&whole.bytes, packet);
                    self.defrag.recycle(whole.bytes);
                } else {
                    refused = self.defrag.out_of_memory();
                }
            }
            let root = outer.as_ref().filter(|_| packet.recursion > 0);
            self.process(packet, root, connection, refused);
        }
    }

    /// Processes a packet that was put together from fragments, and what it carries; that may be
    /// fragments again.
    fn process_reassembled(&mut self, bytes: &[u8], template: &Packet<'_>) {
        let mut list = PacketList::new();
        self.decoder.decode_ip(bytes, template, &mut list);
        if template.recursion < MAX_REASSEMBLY_DEPTH {
            self.process_all(&mut list);
        }
    }

    /// Processes one decoded packet; `refused` is a fragment for which there is no memory.
    fn process(
        &mut self,
        packet: &Packet<'_>,
        root: Option<&Packet<'_>>,
        connection: Option<ConnectionId>,
        refused: bool,
    ) {
        self.rest.verdicts.begin();
        if refused {
            self.rest.exception(Target::DefragMemcap, None);
        }
        // A packet that the stream drops is not inspected: it has no alerts, and not those before it.
        self.rest.inspector.alerts.clear();
        let found = self.flows.lookup(packet, |_| Session::default());
        match found {
            Ok(found) => {
                let index = found.index;
                let mut turn = Turn {
                    packet,
                    root,
                    direction: found.direction,
                    established: found.established,
                    connection,
                };
                let reused = match self.flows.flow_mut(index) {
                    Some(flow) => self.rest.flow_packet(flow, &mut turn),
                    None => return,
                };
                match reused {
                    FlowStep::Done(state) => self.file_state(index, state),
                    FlowStep::Reused => self.process_reused(index, packet, root, connection),
                }
            }
            Err(reason) => {
                if reason == NoFlow::Memcap {
                    self.rest.exception(Target::FlowMemcap, None);
                }
                self.rest.packet_without_flow(packet, root);
            }
        }
        self.rest.verdicts.end(&mut self.rest.tally);
    }

    /// A packet that begins another connection between the same ends.
    fn process_reused(
        &mut self,
        index: FlowIndex,
        packet: &Packet<'_>,
        root: Option<&Packet<'_>>,
        connection: Option<ConnectionId>,
    ) {
        let Ok(found) = self.flows.replace(index, packet, |_| Session::default()) else {
            return;
        };
        let mut turn =
            Turn { packet, root, direction: found.direction, established: found.established, connection };
        let index = found.index;
        let step = match self.flows.flow_mut(index) {
            Some(flow) => self.rest.flow_packet(flow, &mut turn),
            None => return,
        };
        if let FlowStep::Done(state) = step {
            self.file_state(index, state);
        }
    }

    fn file_state(&mut self, index: FlowIndex, state: Option<FlowState>) {
        if let Some(state) = state {
            self.flows.set_state(index, state);
        }
    }
}

/// A packet on its way through its flow.
pub(crate) struct Turn<'a> {
    pub(crate) packet: &'a Packet<'a>,
    pub(crate) root: Option<&'a Packet<'a>>,
    pub(crate) direction: Direction,
    pub(crate) established: bool,
    /// Zeek's connection of the packet.
    pub(crate) connection: Option<ConnectionId>,
}

impl<'a> Turn<'a> {
    /// A packet that no capture held.
    pub(crate) fn pseudo(packet: &'a Packet<'a>, direction: Direction) -> Self {
        Self { packet, root: None, direction, established: true, connection: None }
    }
}

/// What came of a packet in its flow.
pub(crate) enum FlowStep {
    /// It was processed; the flow's state changes to this.
    Done(Option<FlowState>),
    /// It belongs to a new connection between the same ends; nothing was done.
    Reused,
}
