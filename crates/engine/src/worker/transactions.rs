//! Records of transactions: each when it is far enough, once, with its files and anomalies.
//!
//! A flow may have many transactions under way. With each packet only those are looked at that the parser
//! changed or rules looked at; all of them when no more is read of a direction, and at the end of the flow.

use std::sync::Arc;

use weir_applayer::session::AppSession;
use weir_applayer::{File, FileState, Parser, Progress, Protocol, Transaction};
use weir_base::{Direction, PerDirection};
use weir_flow::{Flow, FlowFlags};
use weir_output::{AnomalyRecord, FileRecord, Outlets, Record, RecordContext, TransactionRecord, ZeekWorker};

use super::records::view;
use super::zeek_only;
use super::{Rest, Turn};
use crate::session::{Due, Logged, Room, Session, parser_of};

impl Rest {
    /// Records of transactions that are far enough, of their files and anomalies; frees those that
    /// are done. `last`: the flow is over, and all that has no record gets it.
    pub(crate) fn record_transactions(&mut self, flow: &mut Flow<Session>, turn: &Turn<'_>, last: bool) {
        let cut = flow.session.cut();
        let all = flow.session.app.is_some() && flow.session.logged.note_cut(cut);
        self.recorder.open_zeek(flow);
        if !(all || last || flow.session.has_due(turn.direction)) {
            return;
        }
        let mut due = flow.session.logged.take_due(turn.direction);
        flow.session.detect.take_looked_at(&mut due.reviewed);
        if let Some(parser) = flow.session.parser().filter(|_| all || last) {
            each_live(parser, |id| due.reviewed.insert(id));
        }
        // Those that changed are told to Zeek's logs, too.
        let mut changed = std::mem::take(&mut due.changed);
        changed.sorted().iter().for_each(|&id| due.reviewed.insert(id));
        let over = Over { cut, last };
        let (names, capture) = (Arc::clone(&self.recorder.names), self.recorder.capture.clone());
        let cx = RecordContext {
            packet: Some(turn.packet),
            root: turn.root,
            direction: turn.direction,
            names: Some(&names),
            capture: capture.as_deref(),
            ..RecordContext::at(self.position, turn.packet.time)
        };
        let parser = flow.session.parser();
        for &id in due.reviewed.sorted_by_key(|id| completion(parser, id)) {
            self.store_files(flow, id);
            self.store_certificates(flow, turn, id);
            self.record_transaction(flow, &cx, id, over);
            if last || changed.sorted().binary_search(&id).is_ok() {
                self.tell_zeek(&mut flow.session, turn.direction, id, over);
            }
            self.free_if_done(flow, id, over);
        }
        flow.session.logged.reuse(Due { changed, ..due });
    }

    /// Takes note of the transactions that the parser changed, for rules and outputs to look at. They are in
    /// `self.changed` until the next call.
    pub(super) fn note_changed(&mut self, flow: &mut Flow<Session>) {
        self.changed.clear();
        let is_judged = self.is_judged(&flow.core);
        let session = &mut flow.session;
        let Some(parser) = session.parser_mut() else { return };
        parser.take_changed(&mut self.changed);
        let ids = self.changed.sorted();
        session.note_changed(ids);
        if is_judged {
            let parser = parser_of(&session.retiring, &session.app);
            let is_live = |id| parser.is_some_and(|parser| parser.transaction(id).is_some());
            session.detect.note_changed(ids, is_live);
        }
    }

    /// Records of a transaction, of its files and anomalies, as far as they are due.
    fn record_transaction(&mut self, flow: &mut Flow<Session>, cx: &RecordContext<'_>, id: u64, over: Over) {
        let Some(parser) = flow.session.parser() else { return };
        let Some(transaction) = parser.transaction(id) else { return };
        let due = Ripe { protocol: parser.protocol(), direction: cx.direction, over };
        if !due.any(transaction, &flow.session.logged) {
            return;
        }
        // What was under way when the flow was dropped has reached nobody.
        let dropped = over.last && self.settings.inline && flow.core.flags.has(FlowFlags::ACTION_DROP);
        // Taken out so that the flow can be lent to the records.
        let mut logged = std::mem::take(&mut flow.session.logged);
        let view = view(flow);
        let cx = RecordContext { flow: Some(view), ..*cx };
        if let (Some(protocol), Some(transaction)) = (view.protocol(), cx.transaction(id)) {
            let meta = transaction.meta();
            let fresh = logged.fresh_anomalies(id, meta.anomalies.len());
            for anomaly in meta.anomalies.iter().skip(meta.anomalies.len() - fresh) {
                let event = protocol.anomalies.get(usize::from(anomaly.0)).copied().unwrap_or_default();
                let record =
                    AnomalyRecord::Application { layer: "proto_parser", event, transaction: Some(id) };
                self.record_in_room(&cx, &mut logged, &Record::Anomaly(record));
            }
            if due.record(transaction) && logged.transaction(id) && !dropped && !meta.silent {
                let record = TransactionRecord { protocol, transaction };
                self.record_in_room(&cx, &mut logged, &Record::Transaction(record));
            }
            for file in &meta.files {
                if due.is_undecided(file) {
                    logged.note_undecided(id, file.direction);
                }
                if due.file(file) && logged.file(id, file.id) && !dropped {
                    let record = FileRecord { file, protocol, transaction };
                    if let Some(store) = self.file_store.as_mut().filter(|_| file.stored) {
                        store.describe(&cx, &record, &mut self.recorder.outlets);
                    }
                    self.recorder.record(&cx, &Record::File(record));
                }
            }
        }
        flow.session.logged = logged;
    }

    /// Writes a record of a transaction, or of an anomaly of one, if the flow has room for it: messages of a few bytes
    /// would else make logs hundreds of times as large as the traffic.
    fn record_in_room(&mut self, cx: &RecordContext<'_>, logged: &mut Logged, record: &Record<'_>) {
        if !self.recorder.wants_record(record) {
            return;
        }
        let bytes = cx.flow.map(|flow| flow.core.bytes).unwrap_or_default();
        let room = logged.take_room(bytes, self.settings.bytes_per_record);
        if room == Room::Enough {
            return self.recorder.record(cx, record);
        }
        self.app.counters.records_left_out += 1;
        if room == Room::FirstLeftOut {
            let record = AnomalyRecord::Application {
                layer: "proto_parser",
                event: "APPLAYER_TOO_MANY_RECORDS",
                transaction: None,
            };
            self.recorder.record(cx, &Record::Anomaly(record));
        }
    }

    /// Gives a transaction to Zeek's logs. A complete one may wait for its inspection: its end is told once.
    fn tell_zeek(&mut self, session: &mut Session, direction: Direction, id: u64, over: Over) {
        if session.has_own_zeek_reading() {
            return;
        }
        let (Some(zeek), Some(state)) = (&mut self.recorder.zeek, session.zeek.as_deref_mut()) else {
            return;
        };
        if session.logged.has_zeek_end(id) {
            return;
        }
        // Zeek does not look at what such a datagram says; of TCP nobody does.
        if self.corrupt {
            return session.logged.zeek_end(id);
        }
        let Some(parser) = parser_of(&session.retiring, &session.app) else { return };
        let Some(transaction) = parser.transaction(id) else { return };
        let complete = over.complete(transaction, parser.protocol());
        if complete {
            session.logged.zeek_end(id);
        }
        zeek.transaction(state, transaction, direction, complete, &mut self.recorder.outlets);
    }

    /// Frees a transaction that was inspected and logged to its end.
    fn free_if_done(&mut self, flow: &mut Flow<Session>, id: u64, over: Over) {
        let is_judged = self.is_judged(&flow.core);
        let session = &mut flow.session;
        let unseen = session.unseen();
        let parser = match &mut session.retiring {
            Some(parser) => Some(&mut ***parser),
            None => session.app.as_deref_mut().and_then(|app| app.parser_mut()),
        };
        let Some(parser) = parser else { return };
        let Some(transaction) = parser.transaction(id) else { return };
        let protocol = parser.protocol();
        let files_done = transaction.meta().files.iter().all(|f| session.logged.has_file(id, f.id));
        let logged = session.logged.has_transaction(id) && files_done;
        let no_rules = !is_judged;
        let inspected = no_rules || weir_detect::inspector::inspected(parser, &session.detect, id, unseen);
        if over.last || (over.complete(transaction, protocol) && logged && inspected) {
            parser.free(id);
            session.detect.free(id);
            session.logged.free(id);
        }
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
}

impl Over {
    /// Whether a transaction will not change any more.
    fn complete(self, transaction: &dyn Transaction, protocol: &'static Protocol) -> bool {
        self.last || complete(transaction, protocol, self.cut)
    }
}

impl Ripe {
    /// Whether there is anything that was not logged.
    fn any(&self, transaction: &dyn Transaction, logged: &Logged) -> bool {
        let meta = transaction.meta();
        let id = meta.id;
        logged.has_fresh_anomalies(id, meta.anomalies.len())
            || self.record(transaction) && !logged.has_transaction(id)
            || meta
                .files
                .iter()
                .any(|file| self.is_undecided(file) || self.file(file) && !logged.has_file(id, file.id))
    }

    /// Whether the transaction is far enough.
    fn record(&self, transaction: &dyn Transaction) -> bool {
        self.over.last || ready(transaction, self.protocol, self.over.cut)
    }

    /// Whether a file is.
    fn file(&self, file: &File) -> bool {
        self.over.last || file.state != FileState::Open && !self.is_undecided(file)
    }

    /// Whether rules come to a decision of the file with the next packet of its direction.
    fn is_undecided(&self, file: &File) -> bool {
        file.may_be_stored() && file.direction != self.direction
    }
}

/// The flow goes on as another connection of Zeek's: what is under way belonged to the one before.
pub(super) fn end(zeek: &mut ZeekWorker, flow: &mut Flow<Session>, out: &mut Outlets) {
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
                zeek.transaction(&mut state, transaction, Direction::ToServer, true, out);
            }
        });
    }
    flow.session.logged = logged;
    flow.session.zeek = Some(state);
}

/// Of a live transaction where it stands in the order of completion, in which records and logs tell of them.
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
