//! The conversation that a flow's protocol carries (WebSocket), of which Zeek's logs tell where nobody asks
//! for anything else: its transactions make no other records.

use weir_applayer::audience::ZeekOnly;
use weir_applayer::session::AppSession;
use weir_base::{Direction, PerDirection, Position, Timestamp};
use weir_flow::Flow;
use weir_output::OutletsAt;
use weir_zeek::{ObservedFlow, Observer};

use crate::session::Session;
use crate::worker::Rest;
use crate::worker::feed::AppFeed;

/// A conversation inside of another one.
pub struct Conversation {
    app: Option<Box<AppSession>>,
    zeek: ObservedFlow,
    /// Bytes that each side sent.
    said: PerDirection<u64>,
    closed: PerDirection<bool>,
}

impl Conversation {
    fn new(zeek: ObservedFlow) -> Self {
        Self {
            app: Some(Box::new(AppSession::inside())),
            zeek,
            said: PerDirection::default(),
            closed: PerDirection::default(),
        }
    }

    /// Tells of what is still under way: it is over.
    pub(in crate::worker) fn end(&mut self, worker: &mut Observer, out: &mut OutletsAt<'_>) {
        super::end(&mut self.zeek, self.app.as_deref_mut(), worker, out);
        worker.flow_end(&mut self.zeek, out);
    }
}

impl Rest {
    /// Reads what the bytes of the last packet carry.
    pub(in crate::worker) fn follow_carried(&mut self, flow: &mut Flow<Session>, position: Position) {
        let app = match flow.session.app.as_deref_mut() {
            Some(app) if app.is_forked() => app.fork_mut(),
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
            self.feed_carried(flow, &mut inner, (piece.time, position), |feed| {
                feed.carried(piece.direction, offset, &piece.bytes);
            });
        }
        for direction in Direction::BOTH.into_iter().filter(|&direction| over[direction]) {
            self.close_carried(flow, &mut inner, direction, position);
        }
        flow.session.note_inner(inner);
    }

    /// The flow is over, and what it carries, too.
    pub(in crate::worker) fn end_carried(&mut self, flow: &mut Flow<Session>, position: Position) {
        let Some(mut inner) = flow.session.take_inner() else { return };
        for direction in Direction::BOTH {
            self.close_carried(flow, &mut inner, direction, position);
        }
        if let Some(worker) = &mut self.recorder.zeek {
            inner.end(worker, &mut self.recorder.outlets.at(position));
        }
    }

    fn close_carried(
        &mut self,
        flow: &Flow<Session>,
        inner: &mut Conversation,
        direction: Direction,
        position: Position,
    ) {
        if std::mem::replace(&mut inner.closed[direction], true) {
            return;
        }
        self.feed_carried(flow, inner, (flow.core.last, position), |feed| feed.finish(direction));
    }

    /// Has the conversation take something, and tells Zeek's logs of it.
    fn feed_carried(
        &mut self,
        flow: &Flow<Session>,
        inner: &mut Conversation,
        (time, position): (Timestamp, Position),
        take: impl FnOnce(&mut AppFeed<'_>),
    ) {
        let mut reports = self.spare_reports.take().unwrap_or_default();
        let session = &mut inner.app;
        let feed = AppFeed::new(&self.registry, &mut self.app, session, &mut reports, &flow.core, time);
        take(&mut AppFeed { zeek_only: Some(ZeekOnly::Carried), ..feed });
        let (log, app) = (&mut inner.zeek, inner.app.as_deref_mut());
        self.recorder.tell_zeek_only(log, app, &mut reports.main, position);
        self.spare_reports = Some(reports);
    }
}
