//! A worker's part of Zeek's logs: its connections, and the rows of its flows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ahash::RandomState;
use weir_applayer::zeek::{DatagramLogs, Script};
use weir_applayer::{Endpoints, Memory, Transaction, ZeekConnection};
use weir_base::{CounterVisitor, Counters, Direction, Place, Position, Timestamp};
use weir_output::outlet::Outlets;
use weir_output::protocol_number;
use weir_output::{AlertRecord, RecordContext};
use weir_packet::decode::dispatch::Dispatch;
use weir_packet::defrag::Misfit;
use weir_packet::{Packet, checksum};

use crate::across::ZeekAcross;
use crate::connection::count::{count, count_corrupt};
use crate::connection::expected::Expected;
use crate::connection::table::{ConnectionId, Table};
use crate::connection::watch;
use crate::connection::{Acknowledged, Connection, PacketView};
use crate::flow::Shared;
use crate::flow::ZeekFlow;
use crate::identifier::Id;
use crate::plan::ZeekPlan;
use crate::policy::measure::{Kind, Schedule, ZeekTraffic};
use crate::policy::odd_packet::{self, Oddity};
use crate::policy::traceroute;
use crate::rows::{self, Level, Rows};
use crate::streams::{self, SignatureRow};
use crate::tunnel::parents::{Carrier, Parents};
use crate::tunnel::{self, IpTunnels};

/// Follows the connections of a worker's packets.
#[derive(Debug)]
pub struct ZeekWorker {
    plan: Arc<ZeekPlan>,
    table: Table,
    tunnels: IpTunnels,
    expected: Expected,
    across: ZeekAcross,
    parents: Parents,
    /// Memory of rows that wait.
    memory: Arc<Memory>,
    /// Connections of protocols over datagrams that nothing else follows.
    followed: HashMap<ConnectionId, ZeekFlow, RandomState>,
    /// The connections of the packets given last, by their place in the list.
    connections: Vec<Option<ConnectionId>>,
    position: Position,
    schedule: Schedule,
    /// Packets with a wrong checksum do not count.
    checksums: bool,
    /// Hosts that trace routes are looked for.
    traces: bool,
    /// Paths whose packets live short, of an epoch.
    short_lived: (u64, HashSet<traceroute::Path, RandomState>),
}

impl ZeekWorker {
    /// No connections yet. With `checksums`, packets with a wrong one do not count.
    pub fn new(plan: Arc<ZeekPlan>, across: ZeekAcross, checksums: bool) -> Self {
        let share = plan.memcap.0.div_ceil(across.workers() as u64);
        Self {
            traces: plan.scripts.has(Script::Traceroute),
            table: Table::new(plan.timeouts, share - share / WAITING_SHARE),
            memory: Arc::new(Memory::shared(share / WAITING_SHARE)),
            plan,
            tunnels: IpTunnels::default(),
            expected: Expected::default(),
            across,
            parents: Parents::default(),
            followed: HashMap::with_hasher(weir_base::keyed_hash()),
            connections: Vec::new(),
            position: Position::default(),
            schedule: Schedule::default(),
            checksums,
            short_lived: (0, HashSet::with_hasher(weir_base::keyed_hash())),
        }
    }

    fn rows<'a>(plan: &'a ZeekPlan, out: &'a mut Outlets, position: Position) -> Rows<'a> {
        Rows { plan, out, position }
    }

    /// What comes now stands at `position`.
    pub fn stand(&mut self, position: Position) {
        self.position = position;
    }

    /// The capture's clock enters another second, with the packet `number`: all workers come here.
    pub fn tick(
        &mut self,
        clock: Timestamp,
        number: u64,
        traffic: impl FnOnce() -> ZeekTraffic,
        out: &mut Outlets,
    ) {
        self.expire(clock, out);
        // Whoever comes last tells what all of them counted: it is to stand apart from what the packet makes of it.
        let position = Position::at(clock, Place::before(number));
        if self.across.begins(clock) && self.across.is_first() {
            Self::rows(&self.plan, out, position).packet_filter(clock);
        }
        let due = self.schedule.due(self.plan.scripts, clock);
        if due != [None; 2] {
            self.measure(due, clock, &traffic(), position, out);
        }
    }

    /// Adds this worker's part of what is to be measured; the last worker writes.
    fn measure(
        &self,
        kinds: [Option<Kind>; 2],
        clock: Timestamp,
        traffic: &ZeekTraffic,
        position: Position,
        out: &mut Outlets,
    ) {
        let mut part = self.table.measure();
        (part.counts.packets, part.counts.bytes) = (traffic.packets, traffic.bytes);
        (part.levels.streams, part.levels.fragments) = (traffic.streams, traffic.fragments);
        let mut rows = Self::rows(&self.plan, out, position);
        for kind in kinds.into_iter().flatten() {
            let Some(whole) = self.across.measure(kind, &part, clock) else { continue };
            match kind {
                Kind::Loss => rows.loss(clock, self.across.start(clock), &whole),
                Kind::Stats => rows.stats(clock, &whole),
            }
        }
    }

    /// Ends connections that are over at the capture's clock.
    pub fn expire(&mut self, clock: Timestamp, out: &mut Outlets) {
        while self.table.is_due(clock)
            && let Some((id, position)) = self.table.due(clock)
        {
            self.close(id, position.clock, position, out);
        }
    }

    /// A connection is over: what is open of it is ended, and it has its rows.
    fn close(&mut self, id: ConnectionId, now: Timestamp, position: Position, out: &mut Outlets) {
        self.end_followed(id, position, out);
        if let Some(ended) = self.table.get(id) {
            close(ended, now, &mut Self::rows(&self.plan, out, position));
        }
        if self.table.end(id, position) {
            self.write_ended(out);
        }
    }

    /// Writes the rows of connections that are over and have none yet.
    pub fn write_ended(&mut self, out: &mut Outlets) {
        let plan = &self.plan;
        self.table.ended(|ended, position| Self::rows(plan, out, position).connection(ended));
    }

    /// Counts in a captured packet: all that was decoded of it, inner packets before the one
    /// around them, as the decoder gives them. Fragments are left out; the packet that was put
    /// together from them is to be given instead.
    pub fn captured(&mut self, packets: &[Packet<'_>], out: &mut Outlets) {
        self.begin(packets, out);
        let mut parent = None;
        for index in (0..packets.len()).rev() {
            self.count_in(packets, index, &mut parent, out);
        }
    }

    /// The same for a packet in which other workers have a part: counts in what is this worker's of it.
    /// `dispatches` tells whom the packets concern, `position` where the frame stands.
    pub fn captured_in_part(
        &mut self,
        packets: &[Packet<'_>],
        dispatches: &[Dispatch],
        position: Position,
        out: &mut Outlets,
    ) {
        self.position = position;
        self.begin(packets, out);
        let mut parent = None;
        for (index, (packet, dispatch)) in packets.iter().zip(dispatches).enumerate().rev() {
            let below = dispatches.get(..index).unwrap_or_default();
            let own = self.across.is_own(dispatch.ends);
            let depth = packet.recursion + u8::from(!own);
            let shared = below.iter().any(|inner| self.across.is_own(inner.ends) != own);
            if own || shared {
                let place = Place::counted(position.place.packet(), depth);
                self.position = Position::at(position.clock, place);
                self.across.reach(self.position);
            }
            if own {
                self.count_in(packets, index, &mut parent, out);
            }
            if !shared {
                continue;
            }
            let Some(carrier) = tunnel_around(packets, index).and_then(|kind| Carrier::of(packet, kind))
            else {
                continue;
            };
            let across = &self.across;
            if !own {
                let worker = across.worker_of(dispatch.ends);
                parent = self.parents.ask(carrier, packet.time, position.clock, worker, across).or(parent);
            } else if let Some(uid) = parent {
                self.parents.publish(carrier, uid, position.clock, across);
            }
        }
    }

    fn begin(&mut self, packets: &[Packet<'_>], out: &mut Outlets) {
        self.expire(self.position.clock, out);
        self.connections.clear();
        self.connections.resize(packets.len(), None);
    }

    /// Asks the processor for the memory of a connection of which a packet comes soon.
    #[inline]
    pub fn fetch(&self, id: ConnectionId) {
        self.table.fetch(id);
    }

    /// Counts in a packet that was captured alone, not a fragment, and tells its connection; `known` is the
    /// connection of the packet before of its flow. The checksum of a `corrupt` one is wrong.
    #[inline]
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        known: Option<ConnectionId>,
        corrupt: bool,
        out: &mut Outlets,
    ) -> Option<ConnectionId> {
        if self.table.is_due(self.position.clock) {
            self.expire(self.position.clock, out);
        }
        if self.is_misaddressed(packet, out) {
            return None;
        }
        self.look_at_packet(packet, None, out);
        match known {
            Some(id) if !corrupt && self.goes_on(id, packet, out) => known,
            _ => self.connect(packet, known, None, corrupt, out),
        }
    }

    /// Whether nobody would take a packet, as the checksum of its IP header is wrong.
    #[inline]
    fn is_misaddressed(&self, packet: &Packet<'_>, out: &mut Outlets) -> bool {
        let wrong = self.checksums && checksum::ipv4_valid(packet) == Some(false);
        if wrong {
            let mut rows = Self::rows(&self.plan, out, self.position);
            odd(&odd_packet::wrong_ip_checksum(packet), packet.time, &mut rows);
        }
        wrong
    }

    #[inline]
    fn look_at_packet(&self, packet: &Packet<'_>, outer: Option<&Packet<'_>>, out: &mut Outlets) {
        if odd_packet::is_plain(packet) {
            return;
        }
        let mut rows = Self::rows(&self.plan, out, self.position);
        odd_packet::look(packet, outer, &mut |oddity| odd(&oddity, packet.time, &mut rows));
    }

    /// Counts any packet into its connection.
    fn connect(
        &mut self,
        packet: &Packet<'_>,
        known: Option<ConnectionId>,
        parent: Option<Id>,
        corrupt: bool,
        out: &mut Outlets,
    ) -> Option<ConnectionId> {
        let mut rows = Self::rows(&self.plan, out, self.position);
        if corrupt {
            return count_corrupt(&mut self.table, &mut self.expected, packet, known, parent, &mut rows);
        }
        let id = count(&mut self.table, &mut self.expected, packet, known, parent, &mut rows);
        if id.is_none() {
            odd_packet::look_at_unconnected(packet, &mut |oddity| odd(&oddity, packet.time, &mut rows));
        }
        if self.traces {
            self.look_for_traces(id, packet, out);
        }
        if let (Some(id), weir_packet::Transport::Udp(_)) = (id, &packet.transport) {
            self.look_into_datagram(id, packet, out);
        }
        id
    }

    /// Counts in a packet of the kind that nearly all are, if it is one: the next segment, or a further datagram.
    #[inline]
    fn goes_on(&mut self, id: ConnectionId, packet: &Packet<'_>, out: &mut Outlets) -> bool {
        if self.traces {
            return false;
        }
        let Some(segment) = PacketView::next_segment(packet) else {
            return self.datagram_goes_on(id, packet, out);
        };
        let Some(connection) = self.table.get_mut(id) else { return false };
        let Some(originator) = connection.goes_on(&segment, packet) else { return false };
        let seen = connection.acknowledged() == Acknowledged::Seen;
        connection.recognise(&self.plan.recognised, originator, packet.payload);
        let mut rows = Self::rows(&self.plan, out, self.position);
        watch::look(self.plan.watches, connection, originator, packet, &mut rows);
        self.table.tally.counts.acks += u64::from(seen);
        true
    }

    fn datagram_goes_on(&mut self, id: ConnectionId, packet: &Packet<'_>, out: &mut Outlets) -> bool {
        let Some(datagram) = PacketView::next_datagram(packet) else { return false };
        let Some(connection) = self.table.get_mut(id) else { return false };
        let Some(originator) = connection.datagram(&datagram) else { return false };
        connection.recognise(&self.plan.recognised, originator, packet.payload);
        let mut rows = Self::rows(&self.plan, out, self.position);
        watch::look(self.plan.watches, connection, originator, packet, &mut rows);
        self.look_into_datagram(id, packet, out);
        true
    }

    /// A datagram was counted in: its logger looks at it, and what it carries is noted.
    fn look_into_datagram(&mut self, id: ConnectionId, packet: &Packet<'_>, out: &mut Outlets) {
        if !packet.payload.is_empty() {
            self.datagram(id, packet, out);
        }
        if let Some((stated, carried)) = odd_packet::mismatch(packet)
            && let Some(connection) = self.table.get(id)
        {
            let ends = rows::endpoints(connection);
            let (start, uid) = (connection.start, connection.uid);
            let about = ZeekConnection { endpoints: &ends, start, uid: uid.as_bytes() };
            let what = format!("{stated} != {carried}");
            let mut rows = Self::rows(&self.plan, out, self.position);
            rows.weird(Some(&about), packet.time, LENGTH_MISMATCH, Some(&what), Some("UDP"));
        }
        if let Some(service) = tunnel::service(packet)
            && let Some(connection) = self.table.get_mut(id)
        {
            let mut rows = Self::rows(&self.plan, out, self.position);
            odd_packet::look_at_datagram(packet, &mut |oddity| odd(&oddity, packet.time, &mut rows));
            let originator = PacketView::of(packet).is_some_and(|view| connection.is_originator(&view));
            connection.carries(service, originator);
        }
    }

    /// Counts in the packet at `index` of those that were captured as one; `parent` is the uid of what
    /// carries it, and becomes that of what carries the next one.
    fn count_in(&mut self, packets: &[Packet<'_>], index: usize, parent: &mut Option<Id>, out: &mut Outlets) {
        let Some(packet) = packets.get(index) else { return };
        let tunnel = tunnel_around(packets, index);
        if self.is_misaddressed(packet, out) {
            return;
        }
        self.look_at_packet(packet, packets.get(index + 1), out);
        let mut rows = Self::rows(&self.plan, out, self.position);
        if let Some(kind) = tunnel
            && kind.service.is_none()
        {
            let uid = self.tunnels.uid(packet, kind, &mut rows);
            if uid.is_none() {
                self.across.note_nameless();
            }
            *parent = uid.or(*parent);
            return;
        }
        let corrupt = self.checksums && odd_packet::is_corrupt(packet);
        let id = self.connect(packet, None, *parent, corrupt, out);
        if let Some(slot) = self.connections.get_mut(index) {
            *slot = id;
        }
        let mut rows = Self::rows(&self.plan, out, self.position);
        let Some(connection) = id.and_then(|id| self.table.get_mut(id)) else { return };
        let inner = index.checked_sub(1).and_then(|below| packets.get(below));
        let is_odd = inner.is_some_and(|inner| tunnel::is_bubble_with_payload(inner, packet))
            && connection.is_new_weird(BUBBLE);
        let carried = tunnel.map(|kind| (kind.name, connection.opens_tunnel(kind.name)));
        if !is_odd && carried.is_none() {
            return;
        }
        let ends = rows::endpoints(connection);
        let about =
            ZeekConnection { endpoints: &ends, start: connection.start, uid: connection.uid.as_bytes() };
        if is_odd {
            rows.weird(Some(&about), packet.time, BUBBLE, None, Some("TEREDO"));
        }
        if let Some((name, is_new)) = carried {
            if is_new {
                tunnel::row(&mut rows, &about, packet.time, name, "Tunnel::DISCOVER");
            }
            *parent = Some(connection.uid);
        }
    }

    /// A fragment goes by, which went so with those before it.
    pub fn fragment(&mut self, packet: &Packet<'_>, misfit: Misfit, out: &mut Outlets) {
        let mut rows = Self::rows(&self.plan, out, self.position);
        odd_packet::look_at_fragment(packet, misfit, &mut |oddity| odd(&oddity, packet.time, &mut rows));
    }

    /// Looks for hosts that trace routes.
    fn look_for_traces(&mut self, id: Option<ConnectionId>, packet: &Packet<'_>, out: &mut Outlets) {
        let now = self.position.clock;
        let epoch = traceroute::epoch(self.across.start(now), now);
        let died = match &packet.transport {
            weir_packet::Transport::Icmpv4(icmp) if icmp.kind == 11 => icmp.embedded,
            weir_packet::Transport::Icmpv6(icmp) if icmp.kind == 3 => icmp.embedded,
            _ => None,
        };
        let found = died.and_then(|quoted| {
            let path = (quoted.source, quoted.destination, transport_name(quoted.protocol));
            self.across.trace(epoch, path, Some(packet.source()?)).then_some(path)
        });
        let short = packet.ip.as_ref().is_some_and(|ip| ip.ttl() < traceroute::SHORT_LIFE);
        let path = id.filter(|_| short).and_then(|id| self.table.get(id)).map(|connection| {
            (connection.originator().0, connection.responder().0, transport_name(connection.protocol()))
        });
        let found = found.or(path.filter(|path| {
            let (current, known) = &mut self.short_lived;
            if *current != epoch || known.len() >= MAX_SHORT_LIVED {
                *current = epoch;
                known.clear();
            }
            known.insert(*path) && self.across.trace(epoch, *path, None)
        }));
        if let Some(path) = found {
            Self::rows(&self.plan, out, self.position).traceroute(now, path);
        }
    }

    /// Gives a datagram to the logger of its connection, a new one where it begins a protocol.
    fn datagram(&mut self, id: ConnectionId, packet: &Packet<'_>, out: &mut Outlets) {
        let Some(connection) = self.table.get_mut(id) else { return };
        if !connection.followed {
            let port = connection.responder().1;
            let begins = |logs: &&DatagramLogs| logs.is_for(port) && (logs.fits)(packet.payload);
            let Some(logs) = self.plan.datagrams.iter().find(begins) else { return };
            if self.followed.len() >= MAX_FOLLOWED {
                return;
            }
            connection.followed = true;
            let mut flow = ZeekFlow::new(id, connection, &self.memory);
            flow.follow(logs);
            self.followed.insert(id, flow);
        }
        let Some(view) = PacketView::of(packet) else { return };
        let direction =
            if connection.is_originator(&view) { Direction::ToServer } else { Direction::ToClient };
        let Some(flow) = self.followed.get_mut(&id) else { return };
        let rows = Self::rows(&self.plan, out, self.position);
        let shared = Shared { table: &mut self.table, expected: &mut self.expected, across: &self.across };
        flow.datagram(direction, packet.payload, packet.time, shared, rows);
    }

    fn end_followed(&mut self, id: ConnectionId, position: Position, out: &mut Outlets) {
        if let Some(mut flow) = self.followed.remove(&id) {
            let rows = Self::rows(&self.plan, out, position);
            flow.end(
                Shared { table: &mut self.table, expected: &mut self.expected, across: &self.across },
                rows,
                true,
            );
        }
    }

    /// The connection of the packet at `index` of the list that was counted in last.
    pub fn connection(&self, index: usize) -> Option<ConnectionId> {
        self.connections.get(index).copied().flatten()
    }

    /// What a flow keeps of the connection that its packet belongs to.
    pub fn flow(&self, id: ConnectionId) -> Option<ZeekFlow> {
        Some(ZeekFlow::new(id, self.table.get(id)?, &self.memory))
    }

    /// What Zeek's logs say of a conversation inside of a flow.
    pub fn inside(&self, flow: &mut ZeekFlow) -> Option<ZeekFlow> {
        Some(flow.inside(self.flow(flow.connection())?))
    }

    /// Keeps a flow at the connection that its packet belongs to: where that is another one than
    /// before, what is open is ended and a new part begins. The answer is whether it is new.
    pub fn attach(&mut self, flow: &mut Option<Box<ZeekFlow>>, id: ConnectionId, out: &mut Outlets) -> bool {
        if flow.as_ref().is_some_and(|flow| flow.connection() == id) {
            return false;
        }
        if let Some(old) = flow.as_mut() {
            self.end_flow(old, out);
        }
        *flow = self.flow(id).map(Box::new);
        true
    }

    /// A transaction of the flow made progress.
    pub fn transaction(
        &mut self,
        flow: &mut ZeekFlow,
        transaction: &dyn Transaction,
        direction: Direction,
        complete: bool,
        out: &mut Outlets,
    ) {
        if !flow.has_news(transaction, complete) {
            return;
        }
        let rows = Self::rows(&self.plan, out, self.position);
        flow.transaction(
            transaction,
            direction,
            complete,
            Shared { table: &mut self.table, expected: &mut self.expected, across: &self.across },
            rows,
        );
    }

    /// The flow's protocol was recognised and confirmed.
    pub fn service(&mut self, flow: &ZeekFlow, service: &'static str) {
        if let Some(connection) = self.table.get_mut(flow.connection()) {
            connection.service(service);
        }
    }

    /// The flow does not speak its protocol after all.
    pub fn violation(&mut self, flow: &ZeekFlow, service: &str, out: &mut Outlets) {
        let mut rows = Self::rows(&self.plan, out, self.position);
        flow.failed(&mut self.table, self.position.clock, service, &mut rows);
    }

    /// A rule matched in a packet of the flow, if it has one.
    pub fn alert(
        &mut self,
        flow: Option<&ZeekFlow>,
        cx: &RecordContext<'_>,
        record: &AlertRecord<'_>,
        out: &mut Outlets,
    ) {
        let connection = flow.map(ZeekFlow::about);
        let rule = record.rule;
        let protocol = cx.flow.map(|flow| flow.core.key.protocol);
        let protocol = protocol.and_then(protocol_number::name).map(str::to_ascii_lowercase);
        let action = if record.dropped { "blocked" } else { "allowed" };
        let row = SignatureRow {
            proto: protocol.as_deref().into(),
            action: action.into(),
            gid: rule.gid.into(),
            sid: rule.sid.into(),
            rev: rule.rev.into(),
            msg: (&*rule.msg).into(),
            classification: rule.classtype.as_ref().map(|class| &*class.description).into(),
            severity: rule.priority.into(),
        };
        let time = cx.packet.map_or(cx.now, |packet| packet.time);
        let mut rows = Self::rows(&self.plan, out, self.position);
        rows.row(&streams::SIGNATURES_ALERT, connection.as_ref(), time, &row.values());
    }

    /// The flow ended: what is open is written.
    pub fn end_flow(&mut self, flow: &mut ZeekFlow, out: &mut Outlets) {
        let rows = Self::rows(&self.plan, out, self.position);
        let shared = Shared { table: &mut self.table, expected: &mut self.expected, across: &self.across };
        flow.end(shared, rows, true);
    }

    /// The flow speaks another protocol from now on: what is open is written, but what the same protocol may
    /// go on with inside of the other one.
    pub fn change_protocol(&mut self, flow: &mut ZeekFlow, out: &mut Outlets) {
        let rows = Self::rows(&self.plan, out, self.position);
        let shared = Shared { table: &mut self.table, expected: &mut self.expected, across: &self.across };
        flow.end(shared, rows, false);
    }

    /// The capture ended, when its clock showed `clock`: rows for all connections. All flows are to be
    /// ended before.
    pub fn finish(&mut self, clock: Timestamp, traffic: &ZeekTraffic, out: &mut Outlets) {
        // As all was when the capture ended.
        let last = Schedule::last(self.plan.scripts);
        self.measure(last, clock, traffic, Position::SUMS, out);
        // Those that are over already are not closed again.
        self.write_ended(out);
        for (id, first) in self.table.by_age() {
            self.close(id, clock, Position::at_close(first), out);
        }
        self.write_ended(out);
    }

    /// How many connections had their rows before they were over, and how often rows were written that waited, as
    /// there was no memory for more.
    pub fn given_up(&self) -> ZeekGivenUp {
        ZeekGivenUp { connections: self.table.ended_early(), rows: self.memory.refused() }
    }

    /// Rows for what the connections of all workers share, for what went wrong by `clock`, and for what is in
    /// `doubt`. To be called for one worker, when all have finished.
    pub fn finish_shared(
        &mut self,
        clock: Timestamp,
        problems: &[String],
        doubt: Option<&str>,
        out: &mut Outlets,
    ) {
        let mut rows = Self::rows(&self.plan, out, Position::SUMS);
        self.across.finish(&mut rows);
        for problem in problems {
            rows.report(clock, Level::Error, problem);
        }
        if let Some(doubt) = doubt {
            rows.report(clock, Level::Warning, doubt);
        }
        let [nameless, habits, traces] = self.across.untold();
        for (count, what) in [
            (
                self.across.left_out(),
                "tunnels have no tunnel_parents in the rows of what they carry: too many",
            ),
            (nameless, "packets are of tunnels that have no uid: too many"),
            (habits, "attempts of hosts were not counted: too many hosts at a time"),
            (traces, "packets were not looked at for traced routes: too many routes at a time"),
        ] {
            if count > 0 {
                rows.report(clock, Level::Error, &format!("{count} {what}."));
            }
        }
    }
}

/// What the packet at `index` is a tunnel to. It is told of when a connection is found inside.
fn tunnel_around(packets: &[Packet<'_>], index: usize) -> Option<tunnel::Kind> {
    let below = packets.get(..index)?;
    let inner = below.last()?;
    below
        .iter()
        .any(|inner| PacketView::of(inner).is_some())
        .then(|| tunnel::kind(inner, packets.get(index)?))?
}

/// Tells of something odd about a packet.
fn odd(oddity: &Oddity, time: Timestamp, rows: &mut Rows<'_>) {
    let ends = oddity.hosts.map(|(client, server)| Endpoints {
        client,
        client_port: 0,
        server,
        server_port: 0,
        transport: weir_applayer::Transport::Udp,
    });
    let about = ends.as_ref().map(|endpoints| ZeekConnection { endpoints, start: time, uid: b"" });
    rows.weird(about.as_ref(), time, oddity.name, oddity.addl, oddity.source);
}

/// Which part of the memory is for rows that wait; the rest is for connections.
const WAITING_SHARE: u64 = 4;

/// A datagram states another length than IP has for it.
const LENGTH_MISMATCH: &str = "UDP_datagram_length_mismatch";

/// Most paths that are remembered to have packets that live short; beyond, all are forgotten.
const MAX_SHORT_LIVED: usize = 1 << 16;

/// Most connections of such protocols at once; further ones have no rows but in `conn`.
const MAX_FOLLOWED: usize = 65_536;

/// A Teredo packet that carries nothing, with bytes after it.
const BUBBLE: &str = "Teredo_bubble_with_payload";

/// What was written early, as `memcap` was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ZeekGivenUp {
    /// Connections that were ended.
    pub connections: u64,
    /// How often what waited of a flow was written.
    pub rows: u64,
}

impl ZeekGivenUp {
    /// Together with that of another worker.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self { connections: self.connections + other.connections, rows: self.rows + other.rows }
    }

    /// What to know of it; none where nothing was.
    pub fn sentence(self) -> Option<String> {
        (self != Self::default()).then(|| {
            format!(
                "The memcap of Zeek's logs was reached: {} connections have their rows from before their ends, and {} \
                 times rows were written that waited for more.",
                self.connections, self.rows
            )
        })
    }
}

impl Counters for ZeekGivenUp {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        // Only where there are any: records of counters are the same with Zeek's logs and without.
        if *self != Self::default() {
            visitor.counter("zeek.connections_ended_early", self.connections);
            visitor.counter("zeek.rows_written_early", self.rows);
        }
    }
}

/// The rows that a connection's end gives beside its own.
fn close(ended: &Connection, now: Timestamp, rows: &mut Rows<'_>) {
    if let Some(name) = ended.tunnel() {
        let ends = rows::endpoints(ended);
        let about = ZeekConnection { endpoints: &ends, start: ended.start, uid: ended.uid.as_bytes() };
        tunnel::row(rows, &about, now, name, "Tunnel::CLOSE");
    }
    if rows.plan.scripts.has(Script::KnownServices) {
        rows.known_service(ended, now);
    }
}

/// What carries a connection, by its name.
const fn transport_name(protocol: u8) -> &'static str {
    match protocol {
        6 => "tcp",
        17 => "udp",
        1 | 58 => "icmp",
        _ => "unknown",
    }
}
