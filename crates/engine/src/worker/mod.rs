//! A worker: takes packets one after the other through decoding, flows, streams, parsers, rules and
//! records. It is a deterministic function of its packets.

mod after_drop;
mod ahead;
mod app;
pub(crate) mod asked;
mod context;
mod data;
pub(crate) mod exception;
mod fate;
mod feed;
mod files;
mod findings;
mod firewall;
mod flow_end;
mod fragments;
mod frames;
mod handing;
mod inspect;
pub(crate) mod measuring;
pub(crate) mod packet_log;
pub(crate) mod part;
pub(crate) mod recorder;
mod records;
pub(crate) mod renewal;
mod shared;
pub(crate) mod shunting;
pub(crate) mod slow;
mod tcp;
pub(crate) mod tenancy;
pub(crate) mod transactions;
mod verdict;
pub(crate) mod zeek_only;

use std::sync::Arc;

use weir_applayer::FrameWants;
use weir_applayer::registry::Registry;
use weir_base::profile::{Stage, enter};
use weir_base::{Position, Timestamp};
use weir_capture::{Checksums, Fates};
use weir_detect::Inspector;
use weir_flow::table::{FlowIndex, NoFlow};
use weir_flow::{Flow, FlowFlags, FlowState, FlowTable};
use weir_magic::Magic;
use weir_output::{CertificateStore, FileStore, RecordKind};
use weir_packet::decode::dispatch::Reading;
use weir_packet::decode::{Decoder, PacketList};
use weir_packet::defrag::Defragmenter;
use weir_packet::{LinkType, Packet};
use weir_stream::{StreamShared, TcpSession};
use weir_zeek::Traffic;

pub use self::ahead::{Coming, FEW_FLOWS};
use self::ahead::{Decoded, Inside};
use self::context::{Connection, InFrame, Processed};
pub(crate) use self::context::{FlowStep, LastPacket, Moment, PacketContext};
use self::exception::{ExceptionCounters, Target};
use self::feed::{AppReports, AppShared};
use self::findings::Findings;
use self::firewall::BeforeFlow;
use self::measuring::Measuring;
use self::packet_log::PacketLog;
use self::part::Parts;
use self::recorder::Recorder;
use self::renewal::frame_wants;
pub use self::shared::WorkerParts;
use self::shunting::Shunting;
use self::slow::SlowPackets;
use self::tenancy::Tenancy;
use self::verdict::{CarriedVerdict, Verdicts};
use crate::handing::Outbox;
use crate::log::EngineLog;
use crate::session::Session;
use crate::settings::EngineSettings;
use crate::stats::BypassCounters;
use crate::tally::Tally;

/// One worker.
///
/// Its fields are the stages that a packet goes through before its flow is known, beside the one that has the rest.
pub struct Worker {
    decoder: Decoder,
    defrag: Defragmenter,
    /// Room for the packets of one frame.
    room: Option<PacketList<'static>>,
    flows: FlowTable<Session>,
    parts: Parts,
    /// The way to other workers, where packets are handed over.
    handing: Option<Box<Outbox>>,
    /// The times that the table's emergency mode had begun, and ended, when last logged.
    emergencies: (u64, u64),
    /// Room for packets that are decoded before it is their turn.
    ahead: Vec<Decoded<'static>>,
    /// Link type of the last frame.
    link: LinkType,
    /// Flows from which on those of coming packets are fetched.
    few_flows: usize,
    log: Arc<EngineLog>,
    rest: Rest,
    /// Audience of its packets.
    reading: Reading,
    /// Reads packets for Zeek's logs alone, where they are written.
    tunnels: Option<Box<Worker>>,
}

/// The part of a worker that works on one flow at a time.
///
/// Each field is a stage with the scratch that it owns, or settings that all stages share: a packet passes through
/// nearly all of them.
pub(crate) struct Rest {
    pub(crate) settings: Arc<EngineSettings>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) stream: StreamShared,
    /// Streams of connections for Zeek's logs alone.
    pub(crate) unread_stream: StreamShared,
    /// The rules that look at the packet at hand.
    pub(crate) inspector: Box<Inspector>,
    /// The rules of tenants, where there may be some.
    pub(crate) tenancy: Option<Box<Tenancy>>,
    pub(crate) app: AppShared,
    pub(crate) recorder: Recorder,
    pub(crate) verdicts: Verdicts,
    pub(crate) exceptions: ExceptionCounters,
    pub(crate) tally: Tally,
    pub(crate) bypassed: BypassCounters,
    pub(crate) file_store: Option<FileStore>,
    pub(crate) certificates: Option<CertificateStore>,
    /// Describes files, where somebody asks for that.
    pub(crate) magic: Option<Magic>,
    pub(crate) packet_log: Option<Box<PacketLog>>,
    pub(crate) order: weir_base::Turn,
    /// Ports of the protocols of which Zeek's logs tell even where the beginning was not seen.
    pub(crate) read_midway: Vec<u16>,
    /// A firewall decides what may pass.
    pub(crate) firewalled: bool,
    /// Whether the checksums of the packet at hand are there.
    pub(crate) checksums: Checksums,
    /// What becomes of the packets of a batch, where the source asks.
    pub(crate) fates: Option<Box<Fates>>,
    /// Bypassed flows that the kernel drops, where it can.
    pub(crate) shunting: Option<Box<Shunting>>,
    /// Findings of a packet, kept for their memory.
    pub(crate) found: Option<Box<Findings>>,
    /// Reports of sessions for Zeek's logs alone, kept for the same reason.
    pub(crate) spare_reports: Option<Box<AppReports>>,
    /// A session that nothing began, kept for the next packet that may begin one.
    pub(crate) spare_tcp: Option<Box<TcpSession>>,
    pub(crate) measuring: Measuring,
    /// Watches for packets that take long, where somebody asks.
    pub(crate) slow: Option<Box<SlowPackets>>,
}

impl Worker {
    /// A worker that writes its records through `recorder`, and takes its turn in `order` where it
    /// touches what workers share.
    pub fn new(
        parts: &WorkerParts,
        recorder: Recorder,
        file_store: Option<FileStore>,
        magic: Option<Magic>,
        order: weir_base::Turn,
    ) -> Self {
        let settings = Arc::clone(&parts.settings);
        let frames = match recorder.wants(RecordKind::Frame) {
            true => FrameWants::all(),
            false => frame_wants(parts.rulesets()),
        };
        let mut app = AppShared::new(&parts.registry, parts.files, frames, &settings, order.clone());
        app.matched = recorder.matched_payload().map(data::MatchedPieces::new);
        app.said = recorder.wants(RecordKind::StreamData).then(Vec::new);
        Self {
            reading: Reading::All,
            tunnels: Self::new_for_tunnels(parts, &order),
            decoder: Decoder::new(settings.decoder.clone()),
            defrag: Defragmenter::new(settings.defrag.clone()),
            room: Some(PacketList::new()),
            flows: FlowTable::new(settings.flow.clone()),
            parts: Parts::new(settings.decoder.clone()),
            handing: None,
            emergencies: (0, 0),
            ahead: Vec::new(),
            link: LinkType::RAW,
            few_flows: settings.few_flows,
            log: Arc::clone(&parts.log),
            rest: Rest {
                registry: Arc::clone(&parts.registry),
                stream: StreamShared::new(),
                unread_stream: StreamShared::new(),
                inspector: Box::new(Inspector::new(
                    Arc::clone(&parts.ruleset),
                    settings.inspector(),
                    order.clone(),
                )),
                tenancy: parts
                    .tenants
                    .as_deref()
                    .map(|tenants| Tenancy::new(tenants, settings.inspector(), &order)),
                app,
                recorder,
                verdicts: Verdicts::default(),
                exceptions: ExceptionCounters::new(
                    &settings.policies,
                    settings.inline,
                    settings.stats.exception_policy_global && settings.stats.exception_policy_per_protocol,
                ),
                tally: Tally::default(),
                bypassed: BypassCounters::default(),
                file_store,
                certificates: None,
                magic,
                packet_log: None,
                order,
                read_midway: zeek_only::unread::read_midway(&parts.registry),
                firewalled: parts.ruleset.firewall.is_some(),
                checksums: Checksums::Filled,
                fates: None,
                shunting: None,
                found: None,
                spare_reports: None,
                spare_tcp: None,
                measuring: Measuring::default(),
                slow: None,
                settings,
            },
        }
    }

    /// The inspection of the worker's packets.
    pub fn inspector(&mut self) -> &mut Inspector {
        &mut self.rest.inspector
    }

    /// Takes one packet of the capture that was decoded, with what it carries `inside`, if anything.
    fn packet<'a>(&mut self, packet: &mut Decoded<'a>, inside: Option<&mut Inside<'a>>) {
        if self.handing.is_some() && self.hand_over_frame(packet, inside.as_deref()) {
            return;
        }
        let Decoded { outer, key, clock, checksums, .. } = packet;
        let position = Position::new(*clock, outer.number);
        self.link = outer.link;
        self.rest.stream.now = *clock;
        self.rest.checksums = *checksums;
        self.rest.order.reach(position);
        self.rest.begin_fate();
        self.rest.tally.packet(outer.time, outer.wire_length);
        if let Some(log) = self.rest.packet_log.as_deref_mut() {
            log.begin();
        }
        let mut carried = CarriedVerdict::default();
        // What an ICMP error quotes is a flow of its own to Zeek.
        let alone = !(outer.is_fragment() || quotes(outer) || self.rest.firewalled);
        let processed = match inside {
            Some(inside) => self.carrier(outer, inside, position, &mut carried),
            None if alone => {
                let connection = Connection::ToBeFound;
                let in_frame = InFrame { root: None, connection, key: *key, refused: false };
                let moment = self.moment(outer, position);
                Processed { dropped: self.process(outer, &in_frame, &moment, &mut carried), position }
            }
            None => self.process_all(std::slice::from_mut(outer), &mut [], position, &mut carried),
        };
        self.rest.log_packet(&outer.captured(), processed.position);
        self.rest.decide_fate(processed.dropped);
        self.account_for(processed.dropped, outer.invalid);
    }

    /// Processes a packet that carries others, or may do so for Zeek's logs.
    fn carrier<'a>(
        &mut self,
        outer: &mut Packet<'a>,
        Inside { list, may_be_more }: &mut Inside<'a>,
        position: Position,
        carried: &mut CarriedVerdict,
    ) -> Processed {
        let mut wider = match may_be_more {
            false => PacketList::default(),
            true => {
                let raw = outer.captured();
                self.read_wider(list.as_slice(), Some(outer), |decoder, list| decoder.decode(&raw, list))
            }
        };
        list.push(outer.clone());
        let processed = self.process_all(list.as_mut_slice(), wider.as_mut_slice(), position, carried);
        // What fragments tell is added to them.
        outer.invalid = list.outer().is_some_and(|outer| outer.invalid);
        self.keep_room(wider);
        processed
    }

    /// The capture's clock enters another second, with the packet `number`: ends the flows whose time
    /// is over.
    pub fn tick(&mut self, clock: Timestamp, number: u64) {
        self.defrag.expire(clock);
        self.count_unseen(clock);
        let (tally, stream) = (&self.rest.tally, &self.rest.stream.counters);
        self.rest.recorder.tick(clock, number, || traffic(tally, stream.reassembly_memuse));
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.defrag.expire(clock);
        }
        self.rest.app.expire(clock);
        self.press();
        self.end_flows(
            (number, clock),
            |flows, ended| flows.expire(clock, ended),
            |flow| Position::at(clock, flow.core.first_place()),
        );
        self.tell_of_emergencies();
    }

    /// Has flows end sooner while what their protocols take is near its bound.
    #[inline]
    fn press(&mut self) {
        self.flows.press(self.rest.app.is_short(self.flows.is_pressed()));
    }

    /// Logs that memory for flows became short since the last time, or suffices again.
    fn tell_of_emergencies(&mut self) {
        let counters = self.flows.counters();
        let (entered, over) = (counters.emergency_entered, counters.emergency_over);
        let before = std::mem::replace(&mut self.emergencies, (entered, over));
        if entered > before.0 {
            self.log.warning(
                "flow-manager",
                "Flow emergency mode entered: flow.memcap or app-layer.memcap is reached, and flows end sooner.",
            );
        }
        if over > before.1 {
            self.log.notice("flow-manager", "Flow emergency mode over, back to normal.");
        }
    }

    /// All packets before `position` were handed out: the worker has nothing more to say of what lies
    /// before.
    pub fn reached(&mut self, position: Position) {
        self.rest.recorder.expire(position.clock);
        self.rest.order.reach(position);
    }

    /// The capture ended with the packet `last`: ends all flows and writes what is left.
    pub fn finish(&mut self, LastPacket { position: last, time }: LastPacket) {
        self.rest.recorder.expire(last.clock);
        self.rest.recorder.capture_ends(last.clock, last.place.packet());
        let traffic = traffic(&self.rest.tally, self.rest.stream.counters.reassembly_memuse);
        let number = last.place.packet();
        let position = |flow: &Flow<Session>| Position::at_end(flow.core.first_place());
        self.end_flows((number, time), |flows, ended| flows.drain(ended), position);
        self.tell_of_emergencies();
        self.rest.recorder.close(last.clock, &traffic);
        self.rest.order.reach(Position::END);
        self.keep_measured();
        let accounts = &mut self.rest.tally.accounts;
        accounts.taken = self.decoder.counters().packets.pkts;
        accounts.flows_made = self.flows.counters().total;
        accounts.streams = self.rest.stream.account;
    }

    /// Its part in the order of workers.
    pub fn order(&self) -> weir_base::Turn {
        self.rest.order.clone()
    }

    /// Counts what became of a frame that was processed.
    fn account_for(&mut self, dropped: bool, invalid: bool) {
        let accounts = &mut self.rest.tally.accounts;
        if dropped {
            accounts.dropped += 1;
        } else if invalid {
            accounts.invalid += 1;
        } else {
            accounts.decoded += 1;
        }
    }

    /// Stores certificates that rules ask for from now on.
    pub fn store_certificates(&mut self, store: CertificateStore) {
        self.rest.certificates = Some(store);
    }

    /// The records so far.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.rest.recorder
    }

    /// Returns what was counted for the summary.
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.rest.tally
    }

    /// Processes the packets of one frame, which stands at `position`: `list` has inner ones first, and `wider`
    /// those that Zeek's logs read, where these are others. The verdict of packets that were inside is `carried` on.
    fn process_all(
        &mut self,
        list: &mut [Packet<'_>],
        wider: &mut [Packet<'_>],
        position: Position,
        carried: &mut CarriedVerdict,
    ) -> Processed {
        // What fragments make up goes by once it is whole.
        let whole = !list.iter().chain(&*wider).any(Packet::is_fragment);
        if !whole && self.rest.order.workers() > 1 {
            // It may carry what concerns others.
            return self.process_own(list, wider, position, false, carried);
        }
        let mut dropped = false;
        let outer = if list.len() > 1 { list.last().cloned() } else { None };
        if self.rest.shunting.is_some() {
            self.count_before_all(list);
        }
        if whole {
            self.rest.recorder.frame(if wider.is_empty() { list } else { wider }, position);
        }
        if !wider.is_empty() {
            self.process_tunnels(list, wider, None, whole, position);
        }
        for (index, packet) in list.iter_mut().enumerate() {
            let known = whole && !quotes(packet);
            let connection = known.then(|| self.rest.recorder.connection_of(index, packet, wider)).flatten();
            let refused = packet.is_fragment() && !self.take_fragment(packet, position, carried);
            let root = outer.as_ref().filter(|_| packet.recursion > 0);
            let connection = Connection::Found(connection);
            let in_frame = InFrame { root, connection, key: None, refused };
            let moment = self.moment(packet, position);
            dropped = self.process(packet, &in_frame, &moment, carried);
        }
        Processed { dropped, position }
    }

    /// When a packet is processed that stands at `position`.
    #[inline]
    pub(super) fn moment(&self, packet: &Packet<'_>, position: Position) -> Moment {
        Moment { position, number: packet.number, time: packet.time, link: self.link }
    }

    /// Processes one decoded packet, and ends the flows that ended with it. The answer is whether the packet is dropped.
    fn process(
        &mut self,
        packet: &Packet<'_>,
        in_frame: &InFrame<'_>,
        moment: &Moment,
        carried: &mut CarriedVerdict,
    ) -> bool {
        let mut found = self.rest.found.take().unwrap_or_default();
        found.begin(carried);
        if in_frame.refused {
            self.rest.exception(Target::DefragMemcap, None, &mut found.verdict);
        }
        let goes = match self.rest.firewalled {
            true => self.rest.before_flow(packet, &mut found),
            false => BeforeFlow::Goes,
        };
        match goes {
            BeforeFlow::Goes => self.through_table(packet, in_frame, moment, &mut found),
            BeforeFlow::Untracked => {
                self.rest.packet_without_flow(packet, in_frame.root, moment, &mut found);
            }
            BeforeFlow::Dropped => self.rest.record_packet(packet, in_frame.root, moment, &found),
        }
        self.rest.verdicts.count(&found.verdict, carried);
        self.rest.refuse(packet, &found.verdict);
        let dropped = found.verdict.dropped().is_some();
        self.rest.found = Some(found);
        let (flows, rest) = (&mut self.flows, &mut self.rest);
        flows.hand_out_ended(&mut |flow| rest.flow_ended(flow, moment));
        dropped
    }

    /// Finds the flow of a packet, and takes the packet through it.
    fn through_table(
        &mut self,
        packet: &Packet<'_>,
        in_frame: &InFrame<'_>,
        moment: &Moment,
        found: &mut Findings,
    ) {
        let &InFrame { root, connection, key, .. } = in_frame;
        let corrupt = self.rest.is_corrupt(packet);
        let key = key.or_else(|| self.flows.key(packet));
        let looked_up = {
            let _layer = enter(Stage::Flow);
            self.flows.lookup_by(key, packet, |_| Session::default())
        };
        let place = match looked_up {
            Ok(place) => place,
            Err(reason) => {
                if matches!(connection, Connection::ToBeFound) {
                    self.rest.recorder.packet(packet, None, corrupt, moment.position);
                }
                if reason == NoFlow::Memcap {
                    self.rest.exception(Target::FlowMemcap, None, &mut found.verdict);
                }
                return self.rest.packet_without_flow(packet, root, moment, found);
            }
        };
        let index = place.index;
        self.rest.tally.accounts.in_flows += 1;
        if place.created {
            self.press();
            self.choose_tenant(index, packet, root);
        }
        let connection = match connection {
            Connection::Found(connection) => connection,
            Connection::ToBeFound => {
                if self.rest.shunting.is_some() {
                    self.count_before(index, packet);
                }
                let known = self.flows.flow(index).and_then(|flow| flow.session.connection);
                self.rest.recorder.packet(packet, known, corrupt, moment.position)
            }
        };
        let mut context = PacketContext {
            packet,
            root,
            direction: place.direction,
            established: place.established,
            connection,
            corrupt,
            moment: *moment,
        };
        match self.flows.flow_mut(index).map(|flow| self.rest.flow_packet(flow, &mut context, found)) {
            Some(FlowStep::Done(Some(state))) => {
                self.flows.set_state(index, state);
                if state == FlowState::Bypassed {
                    self.hand_over(index, &context);
                }
            }
            Some(FlowStep::Reused) => self.process_reused(index, &context, found),
            Some(FlowStep::Done(None)) | None => {}
        }
    }

    /// A packet that begins another connection between the same ends.
    fn process_reused(&mut self, index: FlowIndex, context: &PacketContext<'_>, found: &mut Findings) {
        let was_dropped = self.rest.settings.inline
            && self.flows.flow(index).is_some_and(|flow| flow.core.flags.contains(FlowFlags::ACTION_DROP));
        let Ok(place) = self.flows.replace(index, context.packet, |_| Session::default()) else {
            self.rest.tally.accounts.in_flows -= 1;
            return;
        };
        found.clear();
        self.choose_tenant(place.index, context.packet, context.root);
        let mut context =
            PacketContext { direction: place.direction, established: place.established, ..*context };
        let step = self.flows.flow_mut(place.index).map(|flow| {
            flow.core.flags.set(FlowFlags::AFTER_DROP, was_dropped);
            self.rest.flow_packet(flow, &mut context, found)
        });
        if let Some(FlowStep::Done(Some(state))) = step {
            self.flows.set_state(place.index, state);
        }
    }
}

/// Returns the counts of the run for Zeek's logs.
const fn traffic(tally: &Tally, streams: u64) -> Traffic {
    Traffic { packets: tally.packets, bytes: tally.bytes, streams, fragments: 0 }
}

/// Whether an ICMP error quotes a packet, to whose flow it belongs.
const fn quotes(packet: &Packet<'_>) -> bool {
    packet.undelivered().is_some()
}
