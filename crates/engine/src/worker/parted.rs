//! What Zeek's logs are told of a flow that they read in another way than rules and records do, from where the two
//! readings parted.

use weir_applayer::session::{AppSession, ParserFailure, SessionReport};
use weir_base::Direction;
use weir_flow::Flow;
use weir_output::ZeekFlow;

use super::Rest;
use super::carried::tell;
use super::records::Recorder;
use crate::session::Session;

impl Rest {
    /// Tells Zeek's logs what they read of the last packet.
    #[inline]
    pub(super) fn tell_parted(&mut self, flow: &mut Flow<Session>) {
        if flow.session.is_parted() && self.app.touched {
            self.tell_reading(flow);
        }
    }

    #[cold]
    fn tell_reading(&mut self, flow: &mut Flow<Session>) {
        let mut report = std::mem::take(&mut self.app.report_parted);
        self.tell_report(flow, &mut report);
        self.app.report_parted = report;
    }

    fn tell_report(&mut self, flow: &mut Flow<Session>, report: &mut SessionReport) {
        let session = &mut flow.session;
        let (Some(zeek), Some(app)) = (session.zeek.as_deref_mut(), session.app.as_deref_mut()) else {
            return;
        };
        let (anew, turned) = (app.take_parted_anew(), app.is_parted_turned());
        let Some(app) = app.parted_mut() else { return };
        if anew && let Some(parser) = app.parser_mut() {
            // Their ends were told while there was one reading.
            session.logged.zeek_ends().for_each(|id| parser.free(id));
        }
        self.recorder.tell_zeek_alone(zeek, app, report);
        for request in report.requests.drain(..) {
            self.expect_aside(flow, turned, request);
        }
    }

    /// The flow is over, and so is what Zeek's logs read of it.
    pub(super) fn end_parted(&mut self, flow: &mut Flow<Session>) {
        self.tell_parted(flow);
        if let Some(parted) = flow.session.app.as_deref_mut().and_then(AppSession::parted_mut) {
            self.recorder.end_zeek_alone(flow.session.zeek.as_deref_mut(), parted);
        }
    }
}

impl Recorder {
    /// Tells Zeek's logs alone what a session led to.
    pub(super) fn tell_zeek_alone(
        &mut self,
        zeek: &mut ZeekFlow,
        app: &mut AppSession,
        report: &mut SessionReport,
    ) {
        let Some(worker) = &mut self.zeek else { return };
        let out = &mut self.outlets;
        for mut parser in report.retired.drain(..) {
            tell(zeek, &mut *parser, Direction::ToServer, true, worker, out);
            worker.change_protocol(zeek, out);
        }
        if let Some(parser) = app.parser_mut() {
            Direction::BOTH
                .into_iter()
                .for_each(|direction| tell(zeek, parser, direction, false, worker, out));
        }
        if report.failed == Some(ParserFailure::Parser)
            && let Some(protocol) = app.protocol()
            && protocol.zeek.is_none()
        {
            worker.violation(zeek, protocol.zeek_service, out);
        }
    }

    /// The connection is over, or what follows is another one: tells what of a session is still under way.
    pub(super) fn end_zeek_alone(&mut self, zeek: Option<&mut ZeekFlow>, app: &mut AppSession) {
        if let (Some(worker), Some(zeek), Some(parser)) = (&mut self.zeek, zeek, app.parser_mut()) {
            tell(zeek, parser, Direction::ToServer, true, worker, &mut self.outlets);
        }
    }
}
