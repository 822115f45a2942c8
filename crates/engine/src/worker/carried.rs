//! The conversation that a flow's protocol carries (WebSocket), of which Zeek's logs tell where nobody asks
//! for anything else: its transactions make no other records.

use weir_applayer::session::AppSession;
use weir_applayer::{NoOptions, Parser};
use weir_base::{Direction, IdSet, PerDirection, Timestamp};
use weir_flow::Flow;
use weir_output::{Outlets, ZeekFlow, ZeekWorker};

use super::Rest;
use super::app::AppFeed;
use super::transactions::{complete, completion, each_live};
use crate::session::Session;

/// A conversation inside of another one.
pub struct Conversation {
    app: Option<Box<AppSession>>,
    zeek: ZeekFlow,
    /// How many bytes each side said.
    said: PerDirection<u64>,
    closed: PerDirection<bool>,
}

impl Conversation {
    fn new(zeek: ZeekFlow) -> Self {
        Self {
            app: Some(Box::new(AppSession::inside())),
            zeek,
            said: PerDirection::default(),
            closed: PerDirection::default(),
        }
    }

    /// Tells of what is still under way: it is over.
    pub(super) fn end(&mut self, worker: &mut ZeekWorker, out: &mut Outlets) {
        if let Some(parser) = self.app.as_deref_mut().and_then(|app| app.parser_mut()) {
            tell(&mut self.zeek, parser, Direction::ToServer, true, worker, out);
        }
        worker.end_flow(&mut self.zeek, out);
    }
}

impl Rest {
    /// Reads what the bytes of the last packet carry.
    pub(super) fn follow_carried(&mut self, flow: &mut Flow<Session>) {
        let app = match flow.session.app.as_deref_mut() {
            Some(app) if app.is_parted() => app.parted_mut(),
            app => app,
        };
        let Some(app) = app.filter(|app| app.upgrades() > 0) else { return };
        let pieces = app.parser_mut().map(|parser| parser.take_carried()).unwrap_or_default();
        let over = PerDirection::from_fn(|direction| app.is_done_in(direction));
        let known = flow.session.take_inner();
        if known.is_none() && pieces.is_empty() {
            return;
        }
        let Some(mut inner) = known.or_else(|| {
            let state = self.recorder.zeek.as_ref()?.inside(flow.session.zeek.as_deref_mut()?)?;
            Some(Box::new(Conversation::new(state)))
        }) else {
            return;
        };
        for piece in pieces {
            let offset = inner.said[piece.direction];
            inner.said[piece.direction] += piece.bytes.len() as u64;
            self.feed(flow, &mut inner, piece.time).carried(piece.direction, offset, &piece.bytes);
            self.tell_carried(&mut inner, piece.direction);
        }
        for direction in Direction::BOTH.into_iter().filter(|&direction| over[direction]) {
            self.close_carried(flow, &mut inner, direction);
        }
        flow.session.note_inner(inner);
    }

    /// The flow is over, and what it carries, too.
    pub(super) fn end_carried(&mut self, flow: &mut Flow<Session>) {
        let Some(mut inner) = flow.session.take_inner() else { return };
        for direction in Direction::BOTH {
            self.close_carried(flow, &mut inner, direction);
        }
        if let Some(worker) = &mut self.recorder.zeek {
            inner.end(worker, &mut self.recorder.outlets);
        }
    }

    fn close_carried(&mut self, flow: &Flow<Session>, inner: &mut Conversation, direction: Direction) {
        if std::mem::replace(&mut inner.closed[direction], true) {
            return;
        }
        self.feed(flow, inner, flow.core.last).finish(direction);
        self.tell_carried(inner, direction);
    }

    fn feed<'a>(
        &'a mut self,
        flow: &Flow<Session>,
        inner: &'a mut Conversation,
        time: Timestamp,
    ) -> AppFeed<'a> {
        AppFeed::new(&self.registry, &mut self.app, &mut inner.app, &flow.core, time).inside()
    }

    /// Tells of what was read, parsers first that another protocol replaced.
    fn tell_carried(&mut self, inner: &mut Conversation, direction: Direction) {
        let retired = std::mem::take(&mut self.app.report.retired);
        let Some(worker) = &mut self.recorder.zeek else { return };
        let out = &mut self.recorder.outlets;
        for mut parser in retired {
            tell(&mut inner.zeek, &mut *parser, direction, true, worker, out);
            worker.change_protocol(&mut inner.zeek, out);
        }
        if let Some(parser) = inner.app.as_deref_mut().and_then(|app| app.parser_mut()) {
            // What it carries in turn is not looked at.
            drop(parser.take_carried());
            tell(&mut inner.zeek, parser, direction, false, worker, out);
        }
    }
}

/// Gives the transactions that changed to Zeek's logs, and forgets those that are complete; `last`: all of them.
pub(super) fn tell(
    zeek: &mut ZeekFlow,
    parser: &mut dyn Parser,
    direction: Direction,
    last: bool,
    worker: &mut ZeekWorker,
    out: &mut Outlets,
) {
    let protocol = parser.protocol();
    if !zeek.is_open() {
        zeek.open(protocol, &NoOptions);
        if zeek.speaks(protocol) && !protocol.zeek.is_some_and(|logs| logs.confirms) {
            worker.service(zeek, protocol.zeek_service);
        }
    }
    let mut changed = IdSet::default();
    parser.take_changed(&mut changed);
    if last {
        each_live(parser, |id| changed.insert(id));
    }
    for &id in changed.sorted_by_key(|id| completion(Some(parser), id)) {
        let Some(transaction) = parser.transaction(id) else { continue };
        let complete = last || complete(transaction, protocol, PerDirection::default());
        worker.transaction(zeek, transaction, direction, complete, out);
        if complete {
            parser.free(id);
        }
    }
}
