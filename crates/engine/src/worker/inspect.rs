//! Rules on a packet, and what their matches mean for the packet and its flow.

use weir_applayer::Parser;
use weir_base::Direction;
use weir_detect::post::PostRequest;
use weir_detect::{FlowProtocol, Inspection, StreamWindow};
use weir_flow::{Flow, FlowFlags, FlowState};
use weir_packet::Packet;
use weir_rules::Action;

use super::tcp::is_passed;
use super::verdict::{DropReason, concerns_flow};
use super::{Rest, Turn};
use crate::session::Session;

/// What earlier rooms saw of a packet.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The payload became part of the stream.
    pub(crate) in_stream: bool,
    /// Names of stream events.
    pub(crate) stream_events: Vec<&'static str>,
    /// Names of application-layer events that belong to no transaction.
    pub(crate) app_events: Vec<&'static str>,
    /// Names of anomalies of a parser that belong to no transaction.
    pub(crate) app_anomalies: Vec<&'static str>,
    /// Files of this direction are to be kept.
    pub(crate) store_files: Option<Direction>,
}

impl Rest {
    /// Rules on a packet without a flow.
    pub(crate) fn packet_without_flow(&mut self, packet: &Packet<'_>, root: Option<&Packet<'_>>) {
        if self.settings.detection {
            self.inspector.inspect(Inspection {
                packet,
                direction: Direction::ToServer,
                flow: None,
                established: false,
                state: None,
                protocol: FlowProtocol::default(),
                parser: None,
                in_stream: false,
                no_payload: packet.skip_payload,
                stream: None,
                ended: false,
                stream_events: &[],
                app_events: &[],
                stream_sizes: (0, 0),
            });
            self.apply_actions(None);
        }
        self.record_packet(packet, root);
    }

    /// Rules on a packet of a flow. `ended`: nothing more will come in the packet's direction.
    pub(crate) fn inspect_flow(
        &mut self,
        flow: &mut Flow<Session>,
        turn: &Turn<'_>,
        seen: &mut Seen,
        ended: bool,
    ) {
        self.inspector.alerts.clear();
        if !self.settings.detection || is_passed(&flow.core) {
            return;
        }
        let direction = turn.direction;
        let session = &mut flow.session;
        let protocol = session.app.as_deref().map(super::app::flow_protocol).unwrap_or_default();
        let ended = ended
            || session.app.as_deref().is_some_and(|app| app.is_done_in(direction) || app.failure().is_some());
        let parser = match &mut session.retiring {
            Some(parser) => Some(&mut **parser),
            None => session.app.as_deref_mut().and_then(|app| app.parser_mut()),
        };
        let mut sizes = (0, 0);
        let mut window = None;
        if let Some(tcp) = session.tcp.as_deref_mut() {
            sizes = (
                u64::from(tcp.stream_size(Direction::ToServer)),
                u64::from(tcp.stream_size(Direction::ToClient)),
            );
            if tcp.raw_ready(direction, &self.settings.stream) {
                window = tcp.raw(direction, &self.settings.stream, &mut self.stream);
            }
        }
        let stream_end = window.map(|w| w.end());
        let state = session.detect.get_or_insert_default();
        self.inspector.inspect(Inspection {
            packet: turn.packet,
            direction,
            flow: Some(&flow.core),
            established: turn.established,
            state: Some(state),
            protocol,
            parser: parser.map(|p| p as &mut dyn Parser),
            in_stream: seen.in_stream,
            no_payload: turn.packet.skip_payload || flow.core.flags.has(FlowFlags::NO_PAYLOAD_INSPECTION),
            stream: window.map(|w| StreamWindow { bytes: w.bytes, offset: w.offset, ends: ended }),
            ended,
            stream_events: &seen.stream_events,
            app_events: &seen.app_events,
            stream_sizes: sizes,
        });
        if let (Some(end), Some(tcp)) = (stream_end, flow.session.tcp.as_deref_mut()) {
            tcp.raw_inspected(direction, end);
        }
        self.apply_actions(Some(flow));
        for request in std::mem::take(&mut self.inspector.requests) {
            match request {
                PostRequest::Bypass => flow.core.flags.set(FlowFlags::LOCAL_BYPASS),
                PostRequest::StoreFiles(direction, _) => seen.store_files = Some(direction),
            }
        }
    }

    /// Applies the actions of the rules that matched, in their order.
    fn apply_actions(&mut self, mut flow: Option<&mut Flow<Session>>) {
        let ruleset = self.inspector.ruleset();
        for alert in self.inspector.alerts.as_slice() {
            let Some(signature) = ruleset.signature(alert.signature) else { continue };
            if let Some(flow) = flow.as_deref_mut()
                && !alert.silent
            {
                flow.core.flags.set(FlowFlags::ALERTED);
            }
            let whole_flow = concerns_flow(signature, alert);
            match alert.action {
                Action::Pass => {
                    self.verdicts.pass();
                    if let (true, Some(flow)) = (whole_flow, flow.as_deref_mut()) {
                        flow.core.flags.set(FlowFlags::ACTION_PASS);
                    }
                }
                action @ (Action::Drop
                | Action::Reject
                | Action::RejectSrc
                | Action::RejectDst
                | Action::RejectBoth) => {
                    self.verdicts.reject(action);
                    if self.settings.inline {
                        self.verdicts.drop(DropReason::Rules);
                        if let (true, Some(flow)) = (whole_flow, flow.as_deref_mut()) {
                            flow.core.flags.set(FlowFlags::ACTION_DROP);
                        }
                    }
                }
                Action::Alert | Action::Config | Action::Accept => {}
            }
        }
    }
}

/// The state that the flow's flags ask for.
pub(super) fn bypass_state(flow: &Flow<Session>) -> Option<FlowState> {
    flow.core.flags.has(FlowFlags::LOCAL_BYPASS).then_some(FlowState::Bypassed)
}
