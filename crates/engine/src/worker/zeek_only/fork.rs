//! Zeek's reading of a flow from where it forked off that of rules and records.

use weir_applayer::session::AppSession;
use weir_base::Position;
use weir_flow::Flow;

use crate::session::Session;
use crate::worker::Rest;
use crate::worker::feed::AppReports;

impl Rest {
    /// Tells Zeek's logs what the fork read of the last packet.
    #[inline]
    pub(in crate::worker) fn tell_fork(
        &mut self,
        flow: &mut Flow<Session>,
        reports: &mut AppReports,
        position: Position,
    ) {
        if flow.session.is_forked() {
            self.tell_forked(flow, reports, position);
        }
    }

    #[cold]
    fn tell_forked(&mut self, flow: &mut Flow<Session>, reports: &mut AppReports, position: Position) {
        let session = &mut flow.session;
        let (Some(zeek), Some(app)) = (session.zeek.as_deref_mut(), session.app.as_deref_mut()) else {
            return;
        };
        let (is_new, reversed) = (app.take_forked_anew(), app.is_fork_reversed());
        let Some(fork) = app.fork_mut() else { return };
        if is_new && let Some(parser) = fork.parser_mut() {
            // Their ends were logged while there was one reading.
            session.logged.zeek_ends().for_each(|id| parser.free(id));
        }
        self.recorder.tell_zeek_only(zeek, Some(fork), &mut reports.fork, position);
        for request in reports.fork.requests.drain(..) {
            self.expect_zeek_only(flow, reversed, request);
        }
    }

    /// The flow is over, and so is what Zeek's logs read of it.
    pub(in crate::worker) fn end_fork(&mut self, flow: &mut Flow<Session>, position: Position) {
        let fork = flow.session.app.as_deref_mut().and_then(AppSession::fork_mut);
        if fork.is_some() {
            self.recorder.end_zeek_only(flow.session.zeek.as_deref_mut(), fork, position);
        }
    }
}
