//! The end of a flow: what was gathered is parsed, inspected and logged, then the flow itself.

use weir_applayer::audience::Beginning;
use weir_base::Direction;
use weir_base::profile::{Stage, enter_part};
use weir_flow::{EndReason, Flow, FlowFlags};
use weir_packet::{Origin, Transport};
use weir_stream::{TcpSession, TcpState};

use super::feed::AppFeed;
use super::findings::Findings;
use super::verdict::CarriedVerdict;
use super::{Moment, PacketContext, Rest};
use crate::session::Session;

impl Rest {
    /// Ends a flow.
    pub(crate) fn flow_ended(&mut self, flow: Flow<Session>, moment: &Moment) {
        let measured = self.measuring.begin_flow_end();
        self.end_flow(flow, moment);
        self.measuring.end_flow_end(measured);
    }

    fn end_flow(&mut self, mut flow: Flow<Session>, moment: &Moment) {
        let _layer = enter_part(Stage::Flow, "end");
        self.order.reach(moment.position);
        self.enter(&mut flow.session);
        if flow.core.flags.contains(FlowFlags::CAPTURE_BYPASS) {
            self.end_shunted(&mut flow, moment.position.clock);
        }
        let mut found = self.found.take().unwrap_or_default();
        found.begin(&CarriedVerdict::default());
        if !(self.settings.inline && flow.core.flags.contains(FlowFlags::ACTION_DROP)) {
            for direction in Direction::BOTH {
                self.flush_direction(&mut flow, direction, moment, &mut found);
            }
        }
        self.found = Some(found);
        self.end_unread(&mut flow, moment.position);
        self.log_unfinished(&mut flow, moment);
        self.recorder.flow_ended(&flow, &self.settings.policies, moment.position, &mut self.tally);
        match flow.session.tcp.as_deref_mut() {
            Some(tcp) => tcp.release(&mut self.stream),
            None if flow.core.is_tcp() => self.stream.counters.count_end(TcpState::None),
            None => {}
        }
        // Many flows may end at once.
        self.recorder.progress(moment.position);
    }

    /// Hands out what one direction still holds, ends the parser's input, and lets rules look at
    /// the rest.
    fn flush_direction(
        &mut self,
        flow: &mut Flow<Session>,
        direction: Direction,
        moment: &Moment,
        found: &mut Findings,
    ) {
        if flow.session.app.is_none() && flow.session.tcp.is_none() {
            return;
        }
        let now = flow.core.last;
        let session = &mut flow.session;
        found.clear();
        let reports = &mut found.reports;
        let mut feed =
            AppFeed::new(&self.registry, &mut self.app, &mut session.app, reports, &flow.core, now);
        if session.tcp.as_deref().is_some_and(TcpSession::is_midstream) {
            feed.beginning = Beginning::Midstream;
        }
        match session.tcp.as_deref_mut() {
            Some(tcp) => tcp.flush(direction, now, &mut self.stream, &mut feed),
            None => feed.finish(direction),
        }
        let origin = match flow.core.end_reason {
            Some(EndReason::TcpReuse) => Origin::StreamFlush,
            _ => Origin::FlowTimeout,
        };
        let mut packet = crate::pseudo::packet(&flow.core, direction, moment, origin);
        if let (Transport::Tcp(tcp), Some(session)) = (&mut packet.transport, flow.session.tcp.as_deref()) {
            tcp.seq = session.next_seq(direction);
        }
        let mut context = PacketContext::pseudo(&packet, direction, moment);
        self.obey_parser(flow, &mut context, found);
        if self.has_work(flow, direction) {
            self.inspect_flow(flow, &context, found);
            self.record_flow_packet(flow, &context, found);
        }
    }

    /// Whether anything is left to inspect or log in `direction`. The firewall's rules see the end of a
    /// connection that goes on.
    fn has_work(&self, flow: &Flow<Session>, direction: Direction) -> bool {
        let tcp = flow.session.tcp.as_deref();
        let transactions = flow.session.parser().is_some_and(|p| p.next_from(0).is_some());
        let raw = tcp.is_some_and(|tcp| tcp.raw_ready(direction, &self.settings.stream));
        let frames = flow.session.app.as_deref().and_then(|app| app.frames());
        self.firewalled && is_unfinished(&flow.session)
            || transactions
            || raw
            || frames.is_some_and(|frames| !frames[direction].as_slice().is_empty())
    }
}

/// Whether it is a connection of which neither side said that it is done.
pub(super) fn is_unfinished(session: &Session) -> bool {
    session.tcp.as_deref().is_some_and(|tcp| tcp.state() == TcpState::Established)
}
