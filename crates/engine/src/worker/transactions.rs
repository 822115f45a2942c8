//! Records of transactions: each when it is far enough, once, with its files and anomalies.
//!
//! A flow may have many transactions under way. With each packet only those are looked at that the parser
//! changed or rules looked at; all of them when no more is read of a direction, and at the end of the flow.

use std::cell::LazyCell;
use std::sync::Arc;

use weir_applayer::session::AppSession;
use weir_applayer::{File, FileState, Parser, Progress, Protocol, Review, Transaction};
use weir_base::profile::{Stage, enter_part};
use weir_base::{Direction, IdSet, PerDirection};
use weir_flow::{Flow, FlowFlags};
use weir_output::{AnomalyRecord, FileRecord, OutletsAt, Record, RecordContext, TransactionRecord};
use weir_zeek::{ObservedFlow, Observer};

use super::records::view;
use super::zeek_only;
use super::{PacketContext, Rest};
use crate::session::{Logged, LoggedTransaction, Room, Session, parser_of};

/// End that comes with a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Nothing.
    Nothing,
    /// Both sides are done: transactions that have no record get it, whatever they wait for.
    Sides,
    /// The flow: all that has no record gets it, but transactions of UDP, where nothing says that it ends.
    Flow,
}

impl Rest {
    /// Records of transactions that are far enough, of their files and anomalies; frees those that
    /// are done.
    #[inline]
    pub(crate) fn record_transactions(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        ended: Ended,
    ) {
        if flow.session.app.is_none() {
            return;
        }
        let cut = flow.session.cut();
        let all = flow.session.logged.note_cut(cut) || ended != Ended::Nothing;
        self.recorder.open_zeek(flow);
        if flow.session.zeek.as_deref().is_some_and(ObservedFlow::raises) {
            self.tell_heard(&mut flow.session, context);
        }
        if all || flow.session.has_due(context.direction) {
            self.record_due(flow, context, ended, (cut, all));
        }
    }

    /// Records of the transactions that are to be looked at: of all, or of those that are due.
    #[inline(never)]
    fn record_due(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        ended: Ended,
        (cut, all): (PerDirection<bool>, bool),
    ) {
        let _layer = enter_part(Stage::Output, "transactions");
        let last = ended == Ended::Flow;
        // Taken out so that the flow can be lent to the records.
        let mut logged = std::mem::take(&mut flow.session.logged);
        let mut due = logged.take_due(context.direction);
        flow.session.detect.take_looked_at(&mut due);
        if let Some(parser) = flow.session.parser().filter(|_| all) {
            each_live(parser, |id| due.insert(id));
        }
        let records = ended != Ended::Nothing && (!last || flow.core.is_tcp());
        let over = Over { cut, last, records };
        let (names, capture) = (Arc::clone(&self.recorder.names), self.recorder.capture.clone());
        let cx = RecordContext { names: Some(&names), capture: capture.as_deref(), ..context.record() };
        let told_before = logged.changes_told();
        let mut latest = told_before;
        let parser = flow.session.parser();
        for &id in due.sorted_by_key(|id| completion(parser, id)) {
            self.store_files(flow, id, context.moment.position);
            self.store_certificates(flow, context, id);
            let Some(parser) = flow.session.parser() else { break };
            let Some(transaction) = parser.transaction(id) else { continue };
            let mut told = logged.take(id);
            self.record_transaction(flow, &cx, transaction, over, &mut logged, &mut told);
            let changed_at = transaction.meta().changed_at;
            latest = latest.max(changed_at);
            let complete = over.complete(transaction, parser.protocol());
            let done = last || complete && self.is_done(flow, parser, transaction, &told);
            // Of one that rules have looked at and that is as it was Zeek's logs know.
            if last || changed_at > told_before {
                self.tell_zeek(&mut flow.session, context, id, complete, &mut told);
            }
            match done {
                true => self.free(&mut flow.session, id, &mut logged),
                false => logged.put(id, told),
            }
        }
        logged.note_changes_told(latest);
        logged.reuse(due);
        flow.session.logged = logged;
    }

    /// Takes note of the transactions that the parser changed, with bytes of the directions that it `parsed`, for rules
    /// and outputs to look at: those in `changed` then.
    pub(super) fn note_changed(
        &mut self,
        flow: &mut Flow<Session>,
        changed: &mut IdSet,
        parsed: PerDirection<bool>,
    ) {
        if !changed.is_empty() {
            changed.clear();
        }
        let session = &mut flow.session;
        let Some(parser) = session.parser_mut() else { return };
        parser.take_changed(changed);
        if changed.is_empty() {
            return;
        }
        let ids = changed.sorted();
        session.note_changed(ids);
        if self.is_judged(&flow.core) {
            let session = &mut flow.session;
            let parser = parser_of(&session.retiring, &session.app);
            // What the end of a direction changes concerns both.
            let is_of_both = parser.is_none_or(|parser| parser.protocol().review == Review::Both)
                || Direction::BOTH.into_iter().all(|direction| !parsed[direction]);
            let directions = PerDirection::from_fn(|direction| is_of_both || parsed[direction]);
            let is_live = |id| parser.is_some_and(|parser| parser.transaction(id).is_some());
            session.detect.note_changed(ids, directions, is_live);
        }
    }

    /// Records of a transaction, of its files and anomalies, as far as they are due and not written yet.
    fn record_transaction(
        &mut self,
        flow: &Flow<Session>,
        cx: &RecordContext<'_>,
        transaction: &dyn Transaction,
        over: Over,
        logged: &mut Logged,
        told: &mut LoggedTransaction,
    ) {
        let Some(protocol) = flow.session.parser().map(Parser::protocol) else { return };
        let due = Ripe { protocol, direction: cx.direction, over };
        // What was under way when the flow was dropped has reached nobody.
        let dropped = over.last && self.settings.inline && flow.core.flags.contains(FlowFlags::ACTION_DROP);
        let scene = LazyCell::new(|| RecordContext { flow: Some(view(flow)), ..*cx });
        let meta = transaction.meta();
        let fresh = told.fresh_anomalies(meta.anomalies.len());
        for anomaly in meta.anomalies.iter().skip(meta.anomalies.len() - fresh) {
            let event = protocol.anomalies.get(usize::from(anomaly.0)).copied().unwrap_or_default();
            let record =
                AnomalyRecord::Application { layer: "proto_parser", event, transaction: Some(meta.id) };
            self.record_in_room(flow, &scene, logged, &Record::Anomaly(record));
        }
        if !told.recorded && due.record(transaction) {
            told.recorded = true;
            if !dropped && !meta.silent {
                let record = TransactionRecord { protocol, transaction };
                self.record_in_room(flow, &scene, logged, &Record::Transaction(record));
            }
        }
        for file in &meta.files {
            if due.is_undecided(file) {
                logged.note_undecided(meta.id, file.direction);
            }
            if due.file(file) && told.file(file.id) && !dropped {
                let record = FileRecord { file, protocol, transaction };
                if let Some(store) = self.file_store.as_mut().filter(|_| file.stored) {
                    store.describe(&scene, &record, &mut self.recorder.outlets);
                }
                self.recorder.record(&scene, &Record::File(record));
            }
        }
    }

    /// Writes a record of a transaction, or of an anomaly of one, if the flow has room for it: messages of a few bytes
    /// would else make logs hundreds of times as large as the traffic.
    fn record_in_room<'a>(
        &mut self,
        flow: &Flow<Session>,
        scene: &LazyCell<RecordContext<'a>, impl FnOnce() -> RecordContext<'a>>,
        logged: &mut Logged,
        record: &Record<'_>,
    ) {
        if !self.recorder.wants_record(record) {
            return;
        }
        let room = logged.take_room(flow.core.bytes, self.settings.bytes_per_record);
        if room == Room::Enough {
            return self.recorder.record(scene, record);
        }
        self.app.counters.records_left_out += 1;
        if room == Room::FirstLeftOut {
            let record = AnomalyRecord::Application {
                layer: "proto_parser",
                event: "APPLAYER_TOO_MANY_RECORDS",
                transaction: None,
            };
            self.recorder.record(scene, &Record::Anomaly(record));
        }
    }

    /// Gives scripts what was said that is of no transaction.
    fn tell_heard(&mut self, session: &mut Session, context: &PacketContext<'_>) {
        if context.corrupt || session.has_own_zeek_reading() {
            return;
        }
        let (Some(zeek), Some(state)) = (&mut self.recorder.zeek, session.zeek.as_deref_mut()) else {
            return;
        };
        if let Some(heard) = parser_of(&session.retiring, &session.app).and_then(Parser::heard) {
            zeek.heard(state, heard, &mut self.recorder.outlets.at(context.moment.position));
        }
    }

    /// Gives a transaction to Zeek's logs. A complete one may wait for its inspection: its end is logged once.
    fn tell_zeek(
        &mut self,
        session: &mut Session,
        context: &PacketContext<'_>,
        id: u64,
        complete: bool,
        told: &mut LoggedTransaction,
    ) {
        let Some(zeek) = &mut self.recorder.zeek else { return };
        if told.zeek_end || session.has_own_zeek_reading() {
            return;
        }
        let Some(state) = session.zeek.as_deref_mut() else { return };
        // Zeek does not look at what such a datagram says; of TCP nobody does.
        if context.corrupt {
            told.zeek_end = true;
            return;
        }
        let Some(parser) = parser_of(&session.retiring, &session.app) else { return };
        let Some(transaction) = parser.transaction(id) else { return };
        told.zeek_end = complete;
        let out = &mut self.recorder.outlets.at(context.moment.position);
        let _layer = enter_part(Stage::Zeek, "transactions");
        zeek.transaction(state, transaction, complete, out);
    }

    /// Whether a complete transaction was inspected and logged to its end.
    fn is_done(
        &self,
        flow: &Flow<Session>,
        parser: &dyn Parser,
        transaction: &dyn Transaction,
        told: &LoggedTransaction,
    ) -> bool {
        let meta = transaction.meta();
        let session = &flow.session;
        told.recorded
            && meta.files.iter().all(|file| told.has_file(file.id))
            && (!self.is_judged(&flow.core)
                || weir_detect::inspect::inspected(parser, &session.detect, meta.id, session.unseen()))
    }

    /// Frees a transaction.
    fn free(&self, session: &mut Session, id: u64, logged: &mut Logged) {
        if let Some(parser) = session.parser_mut() {
            parser.free(id);
        }
        session.detect.free(id);
        logged.free(id);
    }
}

/// Decides what of a transaction is due for a record now.
struct Ripe {
    protocol: &'static Protocol,
    /// The packet's direction.
    direction: Direction,
    over: Over,
}

/// Of what no more comes.
#[derive(Clone, Copy)]
struct Over {
    /// These directions.
    cut: PerDirection<bool>,
    /// The flow.
    last: bool,
    /// Transactions get their records as far as they are.
    records: bool,
}

impl Over {
    /// Whether a transaction will not change any more.
    fn complete(self, transaction: &dyn Transaction, protocol: &'static Protocol) -> bool {
        self.last || complete(transaction, protocol, self.cut)
    }
}

impl Ripe {
    /// Whether the transaction is far enough.
    fn record(&self, transaction: &dyn Transaction) -> bool {
        self.over.records || ready(transaction, self.protocol, self.over.cut)
    }

    /// Whether a file is.
    fn file(&self, file: &File) -> bool {
        self.over.last || file.state != FileState::Open && !self.is_undecided(file)
    }

    /// Whether the file waits for the next packet of its direction: with that rules decide whether it is stored, and
    /// records of files are written.
    fn is_undecided(&self, file: &File) -> bool {
        file.direction != self.direction
    }
}

/// The flow goes on as another connection of Zeek's: what is under way belonged to the one before.
pub(super) fn end(zeek: &mut Observer, flow: &mut Flow<Session>, out: &mut OutletsAt<'_>) {
    if let Some(mut inner) = flow.session.take_inner() {
        inner.end(zeek, out);
    }
    if let Some(mut unread) = flow.session.take_unread() {
        if let Some(log) = flow.session.zeek.as_deref_mut() {
            zeek_only::end(log, unread.app.as_deref_mut(), zeek, out);
        }
        unread.app = None;
        flow.session.note_unread(unread);
    }
    if let Some(fork) = flow.session.app.as_deref_mut().and_then(AppSession::fork_mut) {
        if let Some(log) = flow.session.zeek.as_deref_mut() {
            zeek_only::end(log, Some(fork), zeek, out);
        }
        return;
    }
    let Some(mut state) = flow.session.zeek.take_if(|state| state.is_open()) else { return };
    let mut logged = std::mem::take(&mut flow.session.logged);
    if let Some(parser) = flow.session.parser() {
        each_live(parser, |id| {
            if let Some(transaction) = parser.transaction(id).filter(|_| !logged.has_zeek_end(id)) {
                logged.zeek_end(id);
                zeek.transaction(&mut state, transaction, true, out);
            }
        });
    }
    flow.session.logged = logged;
    flow.session.zeek = Some(state);
}

/// Of a live transaction where it stands in the order of completion, in which records and logs have them.
pub(super) fn completion(parser: Option<&dyn Parser>, id: u64) -> u64 {
    let transaction = parser.and_then(|parser| parser.transaction(id));
    transaction.map_or(0, |transaction| transaction.meta().advanced_at)
}

/// Calls `then` with the id of each live transaction, in ascending order.
pub(crate) fn each_live(parser: &dyn Parser, mut then: impl FnMut(u64)) {
    let mut next = 0;
    while let Some(transaction) = parser.next_from(next) {
        let id = transaction.meta().id;
        then(id);
        next = id + 1;
    }
}

/// Whether a transaction is far enough to be logged.
fn ready(transaction: &dyn Transaction, protocol: &'static Protocol, cut: PerDirection<bool>) -> bool {
    let Some((to_server, to_client)) = protocol.eve.and_then(|log| log.log_at) else {
        return complete(transaction, protocol, cut);
    };
    let meta = transaction.meta();
    let reached = |direction: Direction, wanted: Progress| {
        cut[direction]
            || meta.only.is_some_and(|only| only != direction)
            || meta.progress[direction] >= wanted
    };
    reached(Direction::ToServer, to_server)
        && reached(Direction::ToClient, to_client)
        && transaction.record_is_ready()
}

/// Whether a transaction will not change any more, given the directions that are cut.
pub(super) fn complete(
    transaction: &dyn Transaction,
    protocol: &'static Protocol,
    cut: PerDirection<bool>,
) -> bool {
    let meta = transaction.meta();
    let ended = Direction::BOTH.into_iter().all(|direction| {
        cut[direction]
            || meta.only.is_some_and(|only| only != direction)
            || meta.progress[direction] >= protocol.complete(direction)
    });
    ended && !transaction.may_change()
}
