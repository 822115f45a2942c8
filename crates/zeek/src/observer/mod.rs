//! The observer of a worker's traffic: its entry points are the events that rows of Zeek's logs are made of.
//!
//! Of the capture there are [`tick`](Observer::tick) and [`finish`](Observer::finish); of packets
//! [`packet`](Observer::packet), [`frame`](Observer::frame) and [`fragment`](Observer::fragment); of flows
//! [`flow_begin`](Observer::flow_begin), [`protocol_begin`](Observer::protocol_begin),
//! [`transaction`](Observer::transaction), [`protocol_violation`](Observer::protocol_violation),
//! [`protocol_end`](Observer::protocol_end), [`flow_end`](Observer::flow_end) and [`alert`](Observer::alert).
//! All that is found goes through [`Rows`].

mod datagrams;
mod flows;
mod frames;
mod given_up;
mod packets;

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use weir_applayer::Memory;
use weir_applayer::zeek::Script;
use weir_base::{Place, Position, Timestamp};
use weir_output::outlet::{Outlets, OutletsAt};

use crate::across::Across;
use crate::connection::Connection;
use crate::connection::expected::Expected;
use crate::connection::table::{ConnectionId, Table};
use crate::events;
use crate::flow::ObservedFlow;
use crate::plan::Plan;
use crate::policy::measure::{Kind, Schedule, Traffic};
use crate::policy::traceroute::ShortLives;
use crate::rows::{Level, Rows};
use crate::tunnel::parents::Parents;
use crate::tunnel::{self, IpTunnels};

pub use given_up::GivenUp;

/// The part of the memory that is for rows that wait; the rest is for connections.
const WAITING_SHARE: u64 = 4;

/// The connections of a worker, and what they leave for each other.
#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) table: Table,
    /// Those that others announced.
    pub(crate) expected: Expected,
    pub(crate) across: Across,
    /// The capture's clock when connections were last looked at for their end, which is the last thing that happens
    /// before its own.
    pub(crate) reached: Timestamp,
    /// Messages that have no events, as too many came at once.
    pub(crate) messages_left_out: u64,
}

/// Follows the connections of a worker's packets.
#[derive(Debug)]
pub struct Observer {
    plan: Arc<Plan>,
    connections: Connections,
    tunnels: IpTunnels,
    parents: Parents,
    /// Memory of rows that wait.
    memory: Arc<Memory>,
    /// Connections of protocols over datagrams that nothing else follows.
    followed: HashMap<ConnectionId, ObservedFlow, RandomState>,
    /// The connections of the packets of the frame given last, by their place in it.
    frame: Vec<Option<ConnectionId>>,
    schedule: Schedule,
    /// Packets that live short, where hosts that trace routes are looked for.
    short_lives: Option<ShortLives>,
}

impl Observer {
    /// No connections yet.
    pub fn new(plan: Arc<Plan>, across: Across) -> Self {
        let share = plan.memcap.0.div_ceil(across.workers() as u64);
        let table = Table::new(plan.timeouts, share - share / WAITING_SHARE);
        Self {
            short_lives: plan.scripts.has(Script::Traceroute).then(ShortLives::default),
            connections: Connections {
                table,
                expected: Expected::default(),
                across,
                reached: Timestamp::default(),
                messages_left_out: 0,
            },
            memory: Arc::new(Memory::shared(share / WAITING_SHARE)),
            plan,
            tunnels: IpTunnels::default(),
            parents: Parents::default(),
            followed: HashMap::with_hasher(weir_base::keyed_hash()),
            frame: Vec::new(),
            schedule: Schedule::default(),
        }
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns a connection by its id.
    pub(crate) fn known(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.table.get(id)
    }

    fn rows<'a>(plan: &'a Plan, out: &'a mut Outlets, position: Position) -> Rows<'a> {
        Rows { plan, out, position, captured: None }
    }

    fn rows_at<'a>(plan: &'a Plan, out: &'a mut OutletsAt<'_>) -> Rows<'a> {
        Self::rows(plan, out.outlets, out.position)
    }

    /// The capture's clock enters another second, with the packet `number`: all workers come here.
    pub fn tick(
        &mut self,
        clock: Timestamp,
        number: u64,
        traffic: impl FnOnce() -> Traffic,
        out: &mut Outlets,
    ) {
        self.expire(clock, out);
        if self.plan.events.is_some() && self.connections.across.is_first() {
            // Before flows that end now, which stand at the places of their first packets.
            Self::rows(&self.plan, out, Position::at(clock, Place::new(0))).tell_clock();
        }
        // Whoever comes last tells what all of them counted: it is to stand apart from what the packet makes of it.
        let position = Position::at(clock, Place::before(number));
        if self.connections.across.begins(clock) && self.connections.across.is_first() {
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
        traffic: &Traffic,
        position: Position,
        out: &mut Outlets,
    ) {
        let mut part = self.connections.table.measure();
        (part.counts.packets, part.counts.bytes) = (traffic.packets, traffic.bytes);
        (part.levels.streams, part.levels.fragments) = (traffic.streams, traffic.fragments);
        let mut rows = Self::rows(&self.plan, out, position);
        for kind in kinds.into_iter().flatten() {
            let Some(whole) = self.connections.across.measure(kind, &part, clock) else { continue };
            match kind {
                Kind::Loss => rows.loss(clock, self.connections.across.start(clock), &whole),
                Kind::Stats => rows.stats(clock, &whole),
            }
        }
    }

    /// Ends connections that are over at the capture's clock.
    pub fn expire(&mut self, clock: Timestamp, out: &mut Outlets) {
        self.connections.reached = clock;
        while self.connections.table.is_due(clock)
            && let Some((id, position)) = self.connections.table.due(clock)
        {
            self.close(id, position.clock, position, out);
        }
    }

    /// The capture ended behind the packet `number`, when its clock showed `clock`: scripts are to know.
    pub fn capture_ends(&self, clock: Timestamp, number: u64, out: &mut Outlets) {
        if self.plan.events.is_some() && self.connections.across.is_first() {
            Self::rows(&self.plan, out, Position::new(clock, number + 1)).tell_clock();
        }
    }

    /// A connection is over: what is open of it is ended, and it has its rows.
    pub(super) fn close(&mut self, id: ConnectionId, now: Timestamp, position: Position, out: &mut Outlets) {
        if let Some(connection) = self.connections.table.get_mut(id) {
            connection.settle_ends();
        }
        self.end_followed(id, position, out);
        if let Some(ended) = self.connections.table.get(id) {
            close(ended, now, &mut Self::rows(&self.plan, out, position));
        }
        // Scripts are to have a row beside the events of the end, before the connection is forgotten.
        if self.connections.table.end(id, position) || self.plan.events.is_some() {
            self.write_ended(out);
        }
    }

    /// Writes the rows of connections that are over and have none yet.
    pub fn write_ended(&mut self, out: &mut Outlets) {
        let plan = &self.plan;
        self.connections.table.ended(|ended, position| Self::rows(plan, out, position).connection(ended));
    }

    /// The capture ended, when its clock showed `clock`: rows for all connections. All flows are to be
    /// ended before.
    pub fn finish(&mut self, clock: Timestamp, traffic: &Traffic, out: &mut Outlets) {
        // As all was when the capture ended.
        let last = Schedule::last(self.plan.scripts);
        self.measure(last, clock, traffic, Position::SUMS, out);
        // Those that are over already are not closed again.
        self.write_ended(out);
        for (id, first) in self.connections.table.by_age() {
            self.close(id, clock, Position::at_close(first), out);
        }
        self.write_ended(out);
    }

    /// Counts connections that had their rows before they were over, and rows written that waited, as
    /// there was no memory for more, and messages that scripts do not hear of.
    pub fn given_up(&self) -> GivenUp {
        GivenUp {
            connections: self.connections.table.ended_early(),
            rows: self.memory.refused(),
            messages: self.connections.messages_left_out,
        }
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
        self.connections.across.finish(&mut rows);
        for problem in problems {
            rows.report(clock, Level::Error, problem);
        }
        if let Some(doubt) = doubt {
            rows.report(clock, Level::Warning, doubt);
        }
        let [nameless, habits, traces] = self.connections.across.untold();
        for (count, what) in [
            (
                self.connections.across.left_out(),
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

/// The rows that a connection's end gives beside its own.
fn close(ended: &Connection, now: Timestamp, rows: &mut Rows<'_>) {
    if let Some(name) = ended.tunnel() {
        tunnel::row(rows, &ended.identity().view(), now, name, "Tunnel::CLOSE");
    }
    if rows.plan.scripts.has(Script::KnownServices) {
        rows.known_service(ended, now);
    }
    events::end(ended, rows);
}
