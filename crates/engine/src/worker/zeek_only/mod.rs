//! Readings for Zeek's logs alone, beside the one for rules and records. Nothing else hears of
//! them, so that rules and records are the same with Zeek's logs and without.
//!
//! - [`fork`]: Zeek reads a flow in another way from somewhere on.
//! - [`unread`]: rules and records do not read a connection whose beginning, or one side, was not seen.
//! - [`carried`]: a flow's protocol carries another one.
//! - [`tunnels`]: packets in tunnels that rules and records do not look into, read by a worker of their own.

pub(crate) mod carried;
mod fork;
pub(super) mod tunnels;
pub(crate) mod unread;

use weir_applayer::expectations::Expected;
use weir_applayer::session::{AppSession, ParserFailure, SessionReport};
use weir_applayer::{Parser, Request};
use weir_base::{IdSet, PerDirection, Position};
use weir_flow::Flow;
use weir_output::OutletsAt;
use weir_zeek::{ObservedFlow, Observer};

use super::Rest;
use super::feed::endpoints;
use super::recorder::Recorder;
use super::transactions::{complete, completion, each_live};
use crate::session::Session;

impl Recorder {
    /// Tells Zeek's logs what a session read for them alone: parsers first that another protocol replaced.
    fn tell_zeek_only(
        &mut self,
        log: &mut ObservedFlow,
        app: Option<&mut AppSession>,
        report: &mut SessionReport,
        position: Position,
    ) {
        let Some(worker) = &mut self.zeek else { return };
        let out = &mut self.outlets.at(position);
        for mut parser in report.retired.drain(..) {
            tell(log, &mut *parser, Extent::All, worker, out);
            worker.protocol_end(log, out);
        }
        let Some(app) = app else { return };
        if let Some(parser) = app.parser_mut() {
            tell(log, parser, Extent::Changed, worker, out);
        }
        if report.failed == Some(ParserFailure::Parser)
            && let Some(protocol) = app.protocol()
        {
            worker.protocol_violation(log, protocol, out);
        }
    }

    /// The connection is over, or what follows is another one: tells Zeek's logs what of a session is still under way.
    fn end_zeek_only(
        &mut self,
        log: Option<&mut ObservedFlow>,
        app: Option<&mut AppSession>,
        position: Position,
    ) {
        if let (Some(worker), Some(log)) = (&mut self.zeek, log) {
            end(log, app, worker, &mut self.outlets.at(position));
        }
    }
}

impl Rest {
    /// Remembers which flow a parser announces to Zeek's logs alone; `reversed`: its client is the flow's server.
    fn expect_zeek_only(&mut self, flow: &Flow<Session>, reversed: bool, request: Request) {
        let Request::Expect { protocol, opened_by, port, tag, patience } = request else { return };
        let mut ends = endpoints(&flow.core);
        if reversed {
            ends.turn();
        }
        let expected = Expected { protocol, tag, patience };
        self.app.zeek_only_expectations.announce(&ends, opened_by, port, expected, flow.core.last);
    }
}

/// Transactions that are logged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Those that changed.
    Changed,
    /// All: they will not change any more.
    All,
}

/// Tells what of a session is still under way.
pub(super) fn end(
    log: &mut ObservedFlow,
    app: Option<&mut AppSession>,
    worker: &mut Observer,
    out: &mut OutletsAt<'_>,
) {
    if let Some(parser) = app.and_then(AppSession::parser_mut) {
        tell(log, parser, Extent::All, worker, out);
    }
}

/// Gives transactions to Zeek's logs, and forgets those that are complete.
fn tell(
    log: &mut ObservedFlow,
    parser: &mut dyn Parser,
    extent: Extent,
    worker: &mut Observer,
    out: &mut OutletsAt<'_>,
) {
    let protocol = parser.protocol();
    worker.protocol_begin(log, protocol);
    if let Some(heard) = parser.heard() {
        worker.heard(log, heard, out);
    }
    let mut changed = IdSet::default();
    parser.take_changed(&mut changed);
    let is_all = extent == Extent::All;
    if is_all {
        each_live(parser, |id| changed.insert(id));
    }
    // Those that are cut short come last: what ends them ended the others before.
    let is_cut = |id| {
        let transaction = parser.transaction(id).filter(|_| is_all);
        transaction.is_some_and(|open| !complete(open, protocol, PerDirection::default()))
    };
    for &id in changed.sorted_by_key(|id| (is_cut(id), completion(Some(parser), id))) {
        let Some(transaction) = parser.transaction(id) else { continue };
        let complete = is_all || complete(transaction, protocol, PerDirection::default());
        worker.transaction(log, transaction, complete, out);
        if complete {
            parser.free(id);
        }
    }
}
