//! Rules on a packet, and what their matches mean for the packet and its flow.

use weir_applayer::{AppSession, Parser};
use weir_base::Direction;
use weir_base::profile::{Stage, enter};
use weir_detect::inspect::{FirewallOutcome, Standing};
use weir_detect::post::PostRequest;
use weir_detect::{FrameInspection, Inspection, Matches, PacketFacts, Reach, StreamWindow};
use weir_flow::{Flow, FlowCore, FlowFlags, FlowState};
use weir_packet::Packet;
use weir_rules::Action;
use weir_stream::RawWindow;

use super::findings::Findings;
use super::flow_end::is_unfinished;
use super::frames::Source;
use super::verdict::{DropReason, concerns_flow};
use super::{Moment, PacketContext, Rest};
use crate::session::Session;

impl Rest {
    /// Rules on a packet without a flow.
    pub(crate) fn packet_without_flow(
        &mut self,
        packet: &Packet<'_>,
        root: Option<&Packet<'_>>,
        moment: &Moment,
        found: &mut Findings,
    ) {
        self.enter_alone(packet, root);
        if self.settings.detection && found.verdict.inspected() {
            let _layer = enter(Stage::Detect);
            let inspection = Inspection::bare(packet, Direction::ToServer, &mut found.matches);
            let standing = self.firewalled.then(|| found.verdict.standing(FlowFlags::default()));
            if let Some(outcome) = self.first_look(inspection, standing) {
                self.obey_firewall(&outcome, None, found);
            }
            self.apply_actions(None, found);
            self.replace(packet, found);
        }
        self.record_packet(packet, root, moment, found);
        self.consider_flowless_for_log(&found.matches);
    }

    /// Whether rules look at a flow: where there are any, until they decided of all of it.
    pub(super) fn is_judged(&self, flow: &FlowCore) -> bool {
        self.settings.detection && !is_decided(flow, self.firewalled)
    }

    /// Rules on a packet of a flow.
    pub(crate) fn inspect_flow(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        found: &mut Findings,
    ) {
        // What no capture held is not judged, and the firewall's rules see it only where a connection has not
        // ended of which nothing more is parsed.
        let judged = !context.packet.is_pseudo();
        let is_parsed = |app: &AppSession| !app.is_stopped(context.direction);
        let firewalled = self.firewalled
            && (judged
                || is_unfinished(&flow.session) && !flow.session.app.as_deref().is_some_and(is_parsed));
        if !(firewalled && judged) {
            found.matches.alerts.clear();
        }
        found.matches.tagged = false;
        if !self.settings.detection || is_decided(&flow.core, firewalled) {
            return;
        }
        let standing = Standing { closing: found.closing, ..found.verdict.standing(flow.core.flags) };
        let outcome = self.inspect_session(flow, context, found, firewalled.then_some(standing));
        if let Some(outcome) = outcome.filter(|_| judged) {
            self.obey_firewall(&outcome, Some(flow), found);
        }
        self.apply_actions(Some(flow), found);
        self.replace(context.packet, found);
        self.obey_requests(flow, &found.matches);
    }

    /// Has rules look at a packet, and at what its flow's session has for them. With a `standing`, a firewall's rules
    /// are asked, whose outcome is the answer.
    fn inspect_session(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        found: &mut Findings,
        standing: Option<Standing>,
    ) -> Option<FirewallOutcome> {
        let _layer = enter(Stage::Detect);
        let direction = context.direction;
        let session = &mut flow.session;
        let parsed = std::mem::take(&mut session.parsed[direction]);
        let protocol = super::app::flow_protocol(session);
        // What the other direction's packets settled is looked at with the next one that is captured.
        let settled_before =
            !context.packet.is_pseudo() && std::mem::take(&mut session.recognised[direction]);
        let ended = has_ended(session, context);
        let parser = match &mut session.retiring {
            Some(parser) => Some(&mut ***parser),
            None => session.app.as_deref_mut().and_then(|app| app.parser_mut()),
        };
        let tcp = session.tcp.as_deref();
        let size = |direction| tcp.map_or(0, |tcp| u64::from(tcp.stream_size(direction)));
        let sizes = (size(Direction::ToServer), size(Direction::ToClient));
        let ready = session.tcp.as_deref_mut().filter(|tcp| tcp.raw_ready(direction, &self.settings.stream));
        let window = ready.and_then(|tcp| tcp.raw(direction, &self.settings.stream, &mut self.stream));
        let state = &mut session.detect;
        let no_payload =
            context.packet.skip_payload || flow.core.flags.contains(FlowFlags::NO_PAYLOAD_INSPECTION);
        let facts = PacketFacts {
            packet: context.packet,
            direction,
            flow: Some(&flow.core),
            established: context.established,
            protocol,
            stream_events: &found.stream_events,
            app_events: &found.app_events,
            stream_sizes: sizes,
        };
        let reach = Reach {
            recognised: found.recognised || settled_before,
            in_stream: found.in_stream,
            no_payload,
            parsed,
            ended,
        };
        let parser = parser.map(|p| p as &mut dyn Parser);
        let matches = &mut found.matches;
        let stream = window.map(|window| stream_window(window, ended));
        let inspection =
            Inspection { facts, reach, state: Some(&mut *state), parser, stream, matches: &mut *matches };
        let outcome = self.first_look(inspection, standing);
        let detected = outcome.is_none_or(|outcome| outcome.detected);
        let mut stream_end = window.map(|window| window.end()).filter(|_| detected);
        // A hole divides what is ready into windows.
        while let (Some(end), Some(tcp)) = (stream_end, session.tcp.as_deref_mut()) {
            let keep = self.inspector.stream_lookback(direction, Some(&*state));
            tcp.raw_inspected(direction, end, keep);
            let window = tcp.raw(direction, &self.settings.stream, &mut self.stream);
            stream_end = window.map(|w| w.end()).filter(|next| *next > end);
            if stream_end.is_some() {
                let stream = window.map(|window| stream_window(window, ended));
                let state = Some(&mut *state);
                let matches = &mut *matches;
                let next = Inspection { facts, reach, state, parser: None, stream, matches };
                self.inspector.inspect_window(next);
            }
        }
        if detected && let Some(frames) = session.app.as_deref_mut().and_then(|app| app.frames_mut()) {
            let source = Source::of(context, session.tcp.as_deref());
            let (inline, progress) = (self.settings.inline, source.progress());
            let frames = FrameInspection { frames: &mut frames[direction], bytes: &source, progress, inline };
            let state = Some(&mut *state);
            let inspection = Inspection { facts, reach, state, parser: None, stream: None, matches };
            self.inspector.inspect_frames(inspection, frames);
        }
        outcome
    }

    /// Has rules look at a packet with what belongs to it; with a `standing`, a firewall's among them.
    fn first_look(
        &mut self,
        inspection: Inspection<'_>,
        standing: Option<Standing>,
    ) -> Option<FirewallOutcome> {
        let Some(standing) = standing else {
            self.inspector.inspect(inspection);
            return None;
        };
        Some(self.inspector.inspect_firewalled(inspection, standing))
    }

    /// Does what the rules that matched ask for.
    fn obey_requests(&self, flow: &mut Flow<Session>, matches: &Matches) {
        for &request in &matches.requests {
            match request {
                PostRequest::Bypass => flow.core.flags.insert(FlowFlags::LOCAL_BYPASS),
                PostRequest::LeaveUntracked => {}
                PostRequest::SilenceTransaction(id) => {
                    flow.session.logged.transaction(id);
                    if let Some(parser) = flow.session.app.as_deref_mut().and_then(|app| app.parser_mut()) {
                        parser.silenced(id);
                    }
                }
                PostRequest::StoreCertificates(id, direction) => {
                    self.request_certificates(flow, id, direction);
                }
                PostRequest::StoreFiles(direction, scope) => {
                    self.request_store(flow, direction, scope, &matches.alerts)
                }
            }
        }
    }

    /// Applies the actions of the rules that matched, in their order.
    pub(super) fn apply_actions(&self, mut flow: Option<&mut Flow<Session>>, found: &mut Findings) {
        let ruleset = self.inspector.ruleset();
        let verdict = &mut found.verdict;
        for alert in found.matches.alerts.as_slice() {
            let Some(signature) = ruleset.signature(alert.signature) else { continue };
            if let Some(flow) = flow.as_deref_mut()
                && !alert.silent
            {
                flow.core.flags.insert(FlowFlags::ALERTED);
            }
            // What the firewall decided is obeyed already.
            if alert.firewall.is_some() {
                continue;
            }
            let whole_flow = concerns_flow(signature, alert);
            match alert.action {
                Action::Pass => {
                    verdict.pass();
                    if let (true, Some(flow)) = (whole_flow, flow.as_deref_mut()) {
                        decide(flow, FlowFlags::ACTION_PASS);
                    }
                }
                action @ (Action::Drop
                | Action::Reject
                | Action::RejectSrc
                | Action::RejectDst
                | Action::RejectBoth) => {
                    verdict.reject(action);
                    if self.settings.inline {
                        let reason =
                            if alert.rate_filtered { DropReason::Threshold } else { DropReason::Rules };
                        verdict.drop(reason);
                    }
                    if let (true, Some(flow)) = (whole_flow, flow.as_deref_mut()) {
                        decide(flow, FlowFlags::ACTION_DROP);
                    }
                }
                Action::Alert | Action::Config | Action::Accept => {}
            }
        }
    }
}

/// Whether nothing more comes in a packet's direction; packets are made where that is so.
fn has_ended(session: &Session, context: &PacketContext<'_>) -> bool {
    let direction = context.direction;
    context.packet.is_pseudo()
        || session.tcp.as_deref().is_some_and(|tcp| tcp.is_cut(direction))
        || session.app.as_deref().is_some_and(|app| app.is_done_in(direction) || app.failure().is_some())
}

/// A window as rules on the stream see it.
fn stream_window(window: RawWindow<'_>, ends: bool) -> StreamWindow<'_> {
    StreamWindow { bytes: window.bytes, offset: window.offset, ends, before: window.before }
}

/// Takes an action for all of a flow; the first one stays.
fn decide(flow: &mut Flow<Session>, action: FlowFlags) {
    if !flow.core.flags.intersects(FlowFlags::ACTION_DROP | FlowFlags::ACTION_PASS) {
        flow.core.flags.insert(action);
    }
}

/// Whether a flow's rules are looked at no more. A firewall looks at what detection lets pass.
fn is_decided(flow: &FlowCore, firewalled: bool) -> bool {
    flow.flags.contains(FlowFlags::ACTION_DROP) || !firewalled && flow.flags.contains(FlowFlags::ACTION_PASS)
}

/// The state that the flow's flags ask for.
pub(super) fn bypass_state(flow: &Flow<Session>) -> Option<FlowState> {
    flow.core.flags.contains(FlowFlags::LOCAL_BYPASS).then_some(FlowState::Bypassed)
}
