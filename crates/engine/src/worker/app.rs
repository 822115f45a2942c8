//! Reports of a protocol's session on a packet, and requests of its parser, which are carried out here.

use weir_applayer::Request;
use weir_applayer::expectations::Expected;
use weir_applayer::protocol::NO_EVE_NAME;
use weir_applayer::session::ParserFailure;
use weir_base::{Direction, PerDirection, Position};
use weir_detect::FlowProtocol;
use weir_flow::{Flow, FlowFlags};
use weir_output::AppProtocols;
use weir_packet::Origin;

use super::exception::Target;
use super::feed::endpoints;
use super::findings::Findings;
use super::transactions::Ended;
use super::verdict::PacketVerdict;
use super::{PacketContext, Rest};
use crate::session::Session;

/// Returns the facts on a flow's protocol that rules match: while what a replaced parser left is inspected, those of its
/// protocol.
pub(crate) fn flow_protocol(session: &Session) -> FlowProtocol {
    if let Some(parser) = &session.retiring {
        let protocol = Some(parser.protocol());
        return FlowProtocol {
            protocol,
            to_server: protocol,
            to_client: protocol,
            ..FlowProtocol::default()
        };
    }
    let Some(app) = session.app.as_deref() else { return FlowProtocol::default() };
    FlowProtocol {
        protocol: app.protocol(),
        to_server: app.protocol_of(Direction::ToServer),
        to_client: app.protocol_of(Direction::ToClient),
        original: app.original(),
        failed: (app.failed_in(Direction::ToServer), app.failed_in(Direction::ToClient)),
    }
}

/// Returns the names of a flow's protocol for records.
pub(crate) fn names(session: &Session) -> AppProtocols {
    if let Some(parser) = &session.retiring {
        let protocol = Some(parser.protocol().eve_name);
        return AppProtocols {
            protocol,
            to_server: protocol,
            to_client: protocol,
            ..AppProtocols::default()
        };
    }
    let Some(app) = session.app.as_deref() else { return AppProtocols::default() };
    // A side is nothing known once the other one is known, or nothing either.
    let is_settled = app.protocol().is_some() || app.failed();
    let of = |direction| match app.protocol_of(direction) {
        Some(protocol) => Some(protocol.eve_name),
        None => (is_settled && app.failed_in(direction)).then_some(NO_EVE_NAME),
    };
    let failed = app.failed().then_some(NO_EVE_NAME);
    AppProtocols {
        protocol: app.protocol().map(|p| p.eve_name).or(failed),
        to_server: of(Direction::ToServer),
        to_client: of(Direction::ToClient),
        original: app.original().map(|p| p.eve_name),
        expected: app.expected().map(|p| p.eve_name),
    }
}

impl Rest {
    /// Does what the session reported of the last packet: turns the flow around, ends replaced
    /// parsers, passes events on, and grants the parser's requests.
    #[inline]
    pub(crate) fn obey_parser(
        &mut self,
        flow: &mut Flow<Session>,
        context: &mut PacketContext<'_>,
        found: &mut Findings,
    ) {
        // A session that is given nothing reports nothing.
        if found.reports.fed {
            self.obey_fed(flow, context, found);
        }
    }

    /// Does what the session reported of what it was given.
    #[inline(never)]
    fn obey_fed(&mut self, flow: &mut Flow<Session>, context: &mut PacketContext<'_>, found: &mut Findings) {
        self.record_data(flow, context);
        self.match_pieces(flow, context.moment.position);
        self.tell_fork(flow, &mut found.reports, context.moment.position);
        if !found.reports.main.is_quiet() {
            self.obey(flow, context, found);
        }
        let report = &found.reports.main;
        for direction in Direction::BOTH {
            flow.session.parsed[direction] |= report.parsed[direction];
            let is_own = direction == context.direction;
            let settled =
                if is_own { &mut found.recognised } else { &mut flow.session.recognised[direction] };
            *settled |= report.recognised[direction];
        }
        self.note_changed(flow, &mut found.changed, found.reports.main.parsed);
        self.record_bodies(flow, context, &mut found.changed);
        self.describe_files(flow, &mut found.changed);
        if self.settings.zeek {
            self.follow_carried(flow, context.moment.position);
            flow.session.leave_beyond();
        }
        if std::mem::take(&mut found.flush) {
            self.flush(flow, context, &mut found.verdict);
        }
    }

    #[inline(never)]
    fn obey(&mut self, flow: &mut Flow<Session>, context: &mut PacketContext<'_>, found: &mut Findings) {
        let report = &mut found.reports.main;
        if report.reversed {
            flow.core.swap();
            context.direction = context.direction.opposite();
            flow.session.swap_ends();
            if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                tcp.swap();
            }
        }
        if report.renamed {
            flow.session.detect.look_again();
        }
        for parser in report.retired.drain(..) {
            flow.session.retiring = Some(Box::new(parser));
            self.note_changed(flow, &mut found.changed, PerDirection::default());
            self.record_bodies(flow, context, &mut found.changed);
            self.end_retired(flow, context, &mut found.verdict);
            flow.session.retiring = None;
        }
        found.app_events.extend_from_slice(&report.events);
        found.app_anomalies.extend(report.anomalies.iter().map(|anomaly| anomaly.name()));
        for request in report.requests.drain(..) {
            found.flush |= matches!(request, Request::Flush);
            self.grant(flow, context, request);
        }
        if let Some(failure) = report.failed {
            self.parser_failed(flow, failure, context.moment.position, &mut found.verdict);
        }
    }

    /// Inspects and logs what a replaced parser left.
    fn end_retired(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        verdict: &mut PacketVerdict,
    ) {
        self.flush(flow, context, verdict);
        self.record_transactions(flow, context, Ended::Flow);
        self.recorder.change_zeek(flow, context.moment.position);
        flow.session.forget_transactions();
    }

    /// Inspects and logs what was gathered of both directions, on packets that are made for that: the first is of
    /// the direction of the packet at hand, whose verdict rules may change.
    fn flush(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>, verdict: &mut PacketVerdict) {
        for direction in [context.direction, context.direction.opposite()] {
            let packet = crate::pseudo::packet(&flow.core, direction, &context.moment, Origin::StreamFlush);
            let pseudo = PacketContext::pseudo(&packet, direction, &context.moment);
            let context = PacketContext { corrupt: context.corrupt, ..pseudo };
            let mut found = Findings { verdict: *verdict, ..Findings::default() };
            self.inspect_flow(flow, &context, &mut found);
            self.record_flow_packet(flow, &context, &found);
            *verdict = found.verdict;
        }
    }

    fn grant(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>, request: Request) {
        match request {
            // The session sees to the one, and the other is seen to once all is granted.
            Request::Upgrade(_) | Request::Flush => {}
            Request::StopParsing(direction) => {
                self.stop_feeding(flow, &[direction]);
            }
            Request::StopStreamInspection => {
                flow.core.flags.insert(FlowFlags::NO_PAYLOAD_INSPECTION);
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    Direction::BOTH.into_iter().for_each(|direction| tcp.disable_raw(direction));
                }
            }
            Request::StopInspection => {
                flow.core.flags.insert(FlowFlags::NO_PAYLOAD_INSPECTION);
                self.stop_feeding(flow, &Direction::BOTH);
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    Direction::BOTH.into_iter().for_each(|direction| tcp.disable_raw(direction));
                }
            }
            Request::Encrypted => flow.core.flags.insert(FlowFlags::LOCAL_BYPASS),
            Request::StreamDepth(depth) => {
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    Direction::BOTH.into_iter().for_each(|direction| tcp.set_depth(direction, depth));
                }
            }
            Request::InspectStream(direction) => {
                if let Some(tcp) = flow.session.tcp.as_deref_mut() {
                    tcp.trigger_raw(direction);
                }
            }
            Request::Expect { protocol, opened_by, port, tag, patience } => {
                let ends = endpoints(&flow.core);
                let expected = Expected { protocol, tag, patience };
                self.app.expectations.announce(&ends, opened_by, port, expected, context.packet.time);
            }
        }
    }

    /// The parser wants no more of these directions; an output of streams, or Zeek's reading, still does.
    pub(super) fn stop_feeding(&self, flow: &mut Flow<Session>, directions: &[Direction]) {
        let forked = flow.session.is_forked();
        let Some(tcp) = flow.session.tcp.as_deref_mut().filter(|_| self.app.said.is_none()) else { return };
        for &direction in directions {
            match forked {
                true => tcp.leave_app_aside(direction),
                false => tcp.disable_app(direction),
            }
        }
    }

    fn parser_failed(
        &mut self,
        flow: &mut Flow<Session>,
        failure: ParserFailure,
        position: Position,
        verdict: &mut PacketVerdict,
    ) {
        if failure != ParserFailure::Datagram {
            self.stop_feeding(flow, &Direction::BOTH);
        }
        if failure == ParserFailure::Parser {
            self.recorder.zeek_violation(flow, position);
        }
        if failure != ParserFailure::Gap {
            self.exception(Target::AppLayerError, Some(flow), verdict);
        }
    }
}
