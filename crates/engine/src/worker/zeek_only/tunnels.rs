//! Frames read for Zeek's logs alone, which have more tunnels than rules and records look into.
//!
//! A frame in which there may be more is decoded a second time ([`DecoderSettings::widened`]). What only that reading
//! finds goes to a worker beside this one, with flows, streams, fragments, parsers and memory of its own and neither
//! rules nor other outputs, so that these are the same with Zeek's logs and without.
//!
//! [`DecoderSettings::widened`]: weir_packet::DecoderSettings::widened

use std::sync::Arc;

use weir_applayer::file::FileSettings;
use weir_base::{Place, Position, Timestamp};
use weir_detect::Ruleset;
use weir_flow::{Flow, FlowTable};
use weir_packet::decode::dispatch::{Dispatch, FragmentFacts, Reading, share};
use weir_packet::decode::{Decoder, PacketList};
use weir_packet::{LinkType, Packet};
use weir_zeek::ConnectionId;

use crate::session::Session;
use crate::worker::recorder::Recorder;
use crate::worker::verdict::CarriedVerdict;
use crate::worker::{Connection, InFrame, Moment, Rest, Worker, WorkerParts, quotes};

/// Facts that the packets of a frame share.
pub(in crate::worker) struct Frame {
    pub(in crate::worker) number: u64,
    pub(in crate::worker) link: LinkType,
    /// Capture's clock.
    pub(in crate::worker) clock: Timestamp,
}

impl Worker {
    /// The worker beside one with these parts.
    pub(in crate::worker) fn new_for_tunnels(
        parts: &WorkerParts,
        order: &weir_base::Turn,
    ) -> Option<Box<Self>> {
        if !parts.settings.decoder.notes_more {
            return None;
        }
        let files =
            FileSettings { content: false, store: false, gather: false, describe: false, ..parts.files };
        let parts = WorkerParts {
            settings: Arc::new(parts.settings.for_tunnels()),
            registry: Arc::clone(&parts.tunnels_registry),
            ruleset: Arc::new(Ruleset::empty()),
            tenants: None,
            files,
            ..parts.clone()
        };
        let mut tunnels = Self::new(&parts, Recorder::lent(), None, None, order.clone());
        tunnels.reading = Reading::ZeekAlone;
        Some(Box::new(tunnels))
    }

    /// Reads for Zeek's logs what was just decoded and may hold more to them, by `decode`. Empty where they read the
    /// same packets as everyone else.
    #[cold]
    pub(in crate::worker) fn read_wider<'a>(
        &mut self,
        list: &[Packet<'_>],
        outer: Option<&Packet<'_>>,
        decode: impl FnOnce(&mut Decoder, &mut PacketList<'a>),
    ) -> PacketList<'a> {
        let Some(tunnels) = &mut self.tunnels else { return PacketList::default() };
        let mut wider: PacketList<'a> = tunnels.room.take().unwrap_or_default();
        decode(&mut tunnels.decoder, &mut wider);
        let known = || list.iter().chain(outer);
        let layers = |packet: &Packet<'_>| packet.layers.as_slice().len();
        let is_known = |packet: &Packet<'_>| {
            known().any(|other| other.is_same(packet) && layers(other) == layers(packet))
        };
        if wider.iter().all(is_known) {
            wider.clear();
        }
        wider
    }

    /// Gives room for packets back, to be used again.
    pub(in crate::worker) fn keep_room(&mut self, room: PacketList<'_>) {
        if let Some(tunnels) = self.tunnels.as_mut().filter(|_| room.has_room()) {
            tunnels.room = Some(room.recycle());
        }
    }

    /// Has the worker beside this one do something, which is lent Zeek's logs for it.
    fn beside(&mut self, act: impl FnOnce(&mut Self)) {
        if let Some(tunnels) = self.tunnels.as_deref_mut() {
            self.rest.recorder.lend(&mut tunnels.rest.recorder);
            act(tunnels);
            self.rest.recorder.lend(&mut tunnels.rest.recorder);
        }
    }

    /// Processes the packets of `wider` that are not in `list`, of a frame that stands at `position`, and are this
    /// worker's by `dispatches`, if given. `is_whole`: there is no fragment among them.
    pub(in crate::worker) fn process_tunnels(
        &mut self,
        list: &[Packet<'_>],
        wider: &mut [Packet<'_>],
        dispatches: Option<&[Dispatch]>,
        is_whole: bool,
        position: Position,
    ) {
        let frame = Frame { number: position.place.packet(), link: self.link, clock: position.clock };
        for (index, packet) in wider.iter_mut().enumerate() {
            let flow = dispatches.map(|all| all.get(index).map_or(0, Dispatch::flow));
            let is_own =
                flow.is_none_or(|flow| share(flow, self.rest.order.workers()) == self.rest.order.worker());
            if !is_own || list.iter().any(|other| other.is_same(packet)) {
                continue;
            }
            let known = is_whole && !quotes(packet);
            let connection = known.then(|| self.rest.recorder.connection(index)).flatten();
            self.beside(|tunnels| {
                tunnels.begin_frame_of(&frame);
                let place = dispatches.map(|_| tunnels.place(packet));
                tunnels.process_for_zeek(packet, connection, position, place);
            });
        }
    }

    /// Begins with what is this worker's of a frame.
    fn begin_frame_of(&mut self, frame: &Frame) {
        self.link = frame.link;
        self.rest.stream.now = frame.clock;
    }

    /// Processes a packet of a frame that stands at `position`; at a `place` of its own where others have a part in it.
    fn process_for_zeek(
        &mut self,
        packet: &mut Packet<'_>,
        connection: Option<ConnectionId>,
        position: Position,
        place: Option<Place>,
    ) {
        let mut carried = CarriedVerdict::default();
        let refused = packet.is_fragment() && !self.take_fragment(packet, position, &mut carried);
        let position = place.map_or(position, |place| Position::at(position.clock, place));
        self.rest.order.reach(position);
        let connection = Connection::Found(connection);
        let in_frame = InFrame { root: None, connection, key: None, refused };
        let moment = self.moment(packet, position);
        self.process(packet, &in_frame, &moment, &mut carried);
    }

    /// Takes what is this worker's of a datagram that another worker puts together from fragments, too, if Zeek's logs
    /// alone read it.
    pub(in crate::worker) fn whole_of_tunnels(
        &mut self,
        bytes: &[u8],
        fragment: &FragmentFacts,
        frame: &Frame,
    ) {
        self.beside(|tunnels| {
            tunnels.begin_frame_of(frame);
            let mut list = PacketList::new();
            tunnels.decoder.decode_ip(bytes, &fragment.template(bytes), &mut list);
            let position = Position::new(frame.clock, frame.number);
            let mut carried = CarriedVerdict::default();
            tunnels.process_own(list.as_mut_slice(), &mut [], position, true, &mut carried);
        });
    }

    /// Where a packet of a frame is processed in which several workers have a part.
    pub(in crate::worker) fn place(&self, packet: &Packet<'_>) -> Place {
        let place = match self.reading {
            Reading::All => Place::processed(packet.number, packet.recursion),
            Reading::ZeekAlone => Place::zeek_only(packet.number, packet.recursion),
        };
        if packet.is_fragment() { place.of_fragment() } else { place }
    }

    /// Ends the flows that `over` takes out of a table, those that Zeek's logs alone read among the others, in the
    /// order in which they began; each end stands where `position` says, and the packet `number` brings it about.
    pub(in crate::worker) fn end_flows(
        &mut self,
        (number, time): (u64, Timestamp),
        mut over: impl FnMut(&mut FlowTable<Session>, &mut dyn FnMut(Flow<Session>)),
        position: impl Fn(&Flow<Session>) -> Position,
    ) {
        let mut theirs = Vec::new();
        if let Some(tunnels) = &mut self.tunnels {
            over(&mut tunnels.flows, &mut |flow| theirs.push(flow));
        }
        let mut theirs = theirs.into_iter().peekable();
        let (flows, rest, tunnels) = (&mut self.flows, &mut self.rest, &mut self.tunnels);
        let link = self.link;
        let moment = |flow: &Flow<Session>| Moment { position: position(flow), number, time, link };
        let mut end_theirs = |rest: &mut Rest, flow: Flow<Session>| {
            let moment = moment(&flow);
            if let Some(tunnels) = tunnels.as_deref_mut() {
                rest.recorder.lend(&mut tunnels.rest.recorder);
                tunnels.rest.flow_ended(flow, &moment);
                rest.recorder.lend(&mut tunnels.rest.recorder);
            }
        };
        over(flows, &mut |flow| {
            while let Some(before) =
                theirs.next_if(|other| other.core.first_place() < flow.core.first_place())
            {
                end_theirs(rest, before);
            }
            let moment = moment(&flow);
            rest.flow_ended(flow, &moment);
        });
        theirs.for_each(|flow| end_theirs(rest, flow));
    }
}
