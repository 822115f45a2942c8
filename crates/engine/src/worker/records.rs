//! From what happened to records: alerts, drops, anomalies, transactions, files, flows.

use std::sync::Arc;

use weir_base::Direction;
use weir_detect::Alert;
use weir_detect::signature::Signature;
use weir_flow::Flow;
use weir_output::{
    AlertRecord, AnomalyRecord, DropRecord, FlowView, PayloadPiece, Record, RecordContext, RecordKind,
    StreamPayload, StreamRecord, TcpSummary, Verdict, VerdictAction,
};
use weir_packet::{Packet, Tcp, ip_protocol};
use weir_stream::{Kept, StreamSettings, TcpSession};
use weir_zeek::ObservedFlow;

use super::findings::Findings;
use super::transactions::Ended;
use super::verdict::PacketVerdict;
use super::{Moment, PacketContext, Rest};
use crate::session::Session;
use crate::tally::AlertExample;

/// The bytes that are kept of a TCP session, as alerts show them.
struct KeptStream<'a>(&'a TcpSession, &'a StreamSettings);

impl StreamPayload for KeptStream<'_> {
    fn pieces(&self, direction: Direction, visit: &mut dyn FnMut(PayloadPiece<'_>) -> bool) {
        self.0.kept(direction, self.1, &mut |part| {
            visit(match part {
                Kept::Bytes(bytes) => PayloadPiece::Data(bytes),
                Kept::Hole(length) => PayloadPiece::Gap(length),
            })
        });
    }
}

/// A flow as records see it.
pub(super) fn view(flow: &Flow<Session>) -> FlowView<'_> {
    let session = &flow.session;
    FlowView {
        core: &flow.core,
        detect: Some(&session.detect),
        app: super::app::names(session),
        parser: session.parser(),
        tcp: session.tcp.as_deref().map(|tcp| TcpSummary {
            state: (tcp.state() != weir_stream::TcpState::None).then(|| tcp.state().name()),
            flags: weir_base::PerDirection::from_fn(|d| tcp.tcp_flags(d)),
            gap: weir_base::PerDirection::from_fn(|d| tcp.gaps(d) > 0),
            max_regions: weir_base::PerDirection::from_fn(|d| tcp.max_regions(d)),
        }),
        macs: session.macs.as_deref(),
        zeek_uid: session.zeek.as_deref().map(ObservedFlow::uid),
    }
}

/// Whether the parser was told with this packet that both sides are done: after a RST only its sender is, and a parser
/// that failed is told nothing.
fn both_have_ended(flow: &Flow<Session>, context: &PacketContext<'_>, found: &Findings) -> bool {
    let is_read = |direction| {
        let app = flow.session.app.as_deref();
        app.is_some_and(|app| {
            app.failure().is_none() && !app.failed_in(direction) && !app.is_stopped(direction)
        })
    };
    found.closing
        && !context.packet.tcp().is_some_and(|tcp| tcp.has(Tcp::RST))
        && Direction::BOTH.into_iter().all(is_read)
}

impl Rest {
    /// Records of a packet without a flow.
    pub(crate) fn record_packet(
        &mut self,
        packet: &Packet<'_>,
        root: Option<&Packet<'_>>,
        moment: &Moment,
        found: &Findings,
    ) {
        let names = Arc::clone(&self.recorder.names);
        let file = self.recorder.capture.clone();
        let cx = RecordContext {
            packet: Some(packet),
            root,
            names: Some(&names),
            packet_variables: &found.matches.packet_variables,
            capture: file.as_deref(),
            ..RecordContext::at(moment.position, packet.time)
        };
        self.record_alerts(&cx, (packet, moment.number), found, None, None);
        self.record_decode_anomalies(&cx, packet);
        if packet.source().is_some() {
            self.recorder.record(&cx, &Record::Packet);
        }
        if packet.arp.is_some() {
            self.recorder.record(&cx, &Record::Arp);
        }
        if let Some(reason) = found.verdict.dropped() {
            self.record_drop_in(&cx, reason.name(), false, found);
        }
    }

    /// Records of a packet of a flow: alerts first, then what the protocol has to say.
    pub(crate) fn record_flow_packet(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        found: &Findings,
    ) {
        let nothing = found.matches.alerts.as_slice().is_empty()
            && !found.matches.tagged
            && found.verdict.dropped().is_none()
            && context.packet.events.is_empty()
            && found.is_unremarkable()
            && !self.recorder.wants(RecordKind::Stream)
            && !self.recorder.wants(RecordKind::Packet);
        if !nothing {
            self.record_remarkable(flow, context, found);
        }
        self.record_frames(flow, context);
        let ended = if both_have_ended(flow, context, found) { Ended::Sides } else { Ended::Nothing };
        self.record_transactions(flow, context, ended);
    }

    /// Records of a packet of a flow of which there is something to say.
    fn record_remarkable(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>, found: &Findings) {
        let names = Arc::clone(&self.recorder.names);
        let file = self.recorder.capture.clone();
        let repeated = note_drop(flow, context, &found.verdict);
        let cx = RecordContext {
            flow: Some(view(flow)),
            names: Some(&names),
            packet_variables: &found.matches.packet_variables,
            capture: file.as_deref(),
            ..context.record()
        };
        let shown = super::frames::Shown::of(&flow.session, context);
        let packet = (context.packet, context.moment.number);
        self.record_alerts(&cx, packet, found, Some(&flow.session), shown.as_ref());
        self.recorder.record(&cx, &Record::Packet);
        if found.matches.tagged {
            self.recorder.record(&cx, &Record::TaggedPacket);
        }
        if let Some(reason) = found.verdict.dropped() {
            self.record_drop_in(&cx, reason.name(), repeated, found);
        }
        if let (Some(outcome), Some(session)) = (&found.outcome, flow.session.tcp.as_deref()) {
            let reason = found.verdict.dropped().map(|reason| reason.name());
            self.recorder.record(&cx, &Record::Stream(StreamRecord { session, outcome, reason }));
        }
        self.record_decode_anomalies(&cx, context.packet);
        for event in &found.stream_events {
            self.recorder.record(&cx, &Record::Anomaly(AnomalyRecord::Stream { event }));
        }
        for event in &found.app_events {
            let event = event.eve_name();
            let record = AnomalyRecord::Application { layer: "proto_detect", event, transaction: None };
            self.recorder.record(&cx, &Record::Anomaly(record));
        }
        for event in &found.app_anomalies {
            let record = AnomalyRecord::Application { layer: "proto_parser", event, transaction: None };
            self.recorder.record(&cx, &Record::Anomaly(record));
        }
    }

    /// The last records of a flow's transactions.
    pub(crate) fn log_unfinished(&mut self, flow: &mut Flow<Session>, moment: &Moment) {
        let direction = Direction::ToServer;
        let packet = crate::pseudo::packet(&flow.core, direction, moment, weir_packet::Origin::FlowTimeout);
        let context = PacketContext::pseudo(&packet, direction, moment);
        self.end_carried(flow, moment.position);
        self.end_fork(flow, moment.position);
        self.record_transactions(flow, &context, Ended::Flow);
        self.recorder.end_zeek(flow, moment.position);
    }

    /// A drop record where nothing else of the packet is recorded.
    pub(crate) fn record_drop(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        verdict: &PacketVerdict,
    ) {
        let Some(reason) = verdict.dropped() else { return };
        let repeated = note_drop(flow, context, verdict);
        let cx = RecordContext { flow: Some(view(flow)), ..context.record() };
        self.recorder.record(
            &cx,
            &Record::Drop(DropRecord {
                reason: reason.name(),
                alert: None,
                verdict: self.shown(verdict),
                repeated,
            }),
        );
    }

    /// The verdict on a packet, as records tell it.
    fn shown(&self, verdict: &PacketVerdict) -> Verdict {
        verdict.shown(if self.firewalled { VerdictAction::Accept } else { VerdictAction::Alert })
    }

    fn record_drop_in(&mut self, cx: &RecordContext<'_>, reason: &str, repeated: bool, found: &Findings) {
        let ruleset = self.inspector.ruleset();
        let dropping = found.matches.alerts.as_slice().iter().find(|a| is_drop(a));
        let alert =
            dropping.and_then(|a| ruleset.signature(a.signature).map(|signature| (a, &*signature.info)));
        let record = DropRecord { reason, alert, verdict: self.shown(&found.verdict), repeated };
        self.recorder.record(cx, &Record::Drop(record));
    }

    fn record_alerts(
        &mut self,
        cx: &RecordContext<'_>,
        (packet, number): (&Packet<'_>, u64),
        found: &Findings,
        session: Option<&Session>,
        frames: Option<&super::frames::Shown<'_>>,
    ) {
        let dropped = found.verdict.dropped().is_some();
        let verdict = self.shown(&found.verdict);
        let alerts = &found.matches.alerts;
        let ruleset = self.inspector.ruleset();
        let tcp = session.and_then(|session| session.tcp.as_deref());
        let stream = tcp.map(|tcp| KeptStream(tcp, &self.settings.stream));
        for alert in alerts.as_slice().iter().filter(|a| !a.silent) {
            let Some(signature) = ruleset.signature(alert.signature) else { continue };
            self.tally.alert(&signature.info, self.recorder.tenant, || AlertExample {
                packet: number,
                time: packet.time,
                source: packet.source().map(|a| (a, packet.source_port().unwrap_or(0))),
                destination: packet.destination().map(|a| (a, packet.destination_port().unwrap_or(0))),
            });
            let guessed =
                alert.transaction.is_none().then(|| self.transaction_of(cx, alert, signature)).flatten();
            let known = Alert { transaction: alert.transaction.or(guessed), ..*alert };
            let record = AlertRecord {
                alert: &known,
                rule: &signature.info,
                dropped,
                tx_guessed: guessed.is_some()
                    && cx.flow.is_some_and(|flow| flow.core.key.protocol != ip_protocol::UDP),
                verdict,
                stream: stream.as_ref().map(|stream| stream as &dyn StreamPayload),
                frame: alert.frame.and_then(|id| frames?.record(id)),
                contexts: alerts.contexts(alert),
            };
            self.recorder.alert(cx, session.and_then(|session| session.zeek.as_deref()), record);
        }
    }

    /// The transaction to show with the alert of a rule on payload: a datagram is one. Elsewhere
    /// it is a guess, made if that is wanted: of a stream the first one in the direction that is
    /// still open, of a packet the only one.
    fn transaction_of(&self, cx: &RecordContext<'_>, alert: &Alert, signature: &Signature) -> Option<u64> {
        let flow = cx.flow.as_ref()?;
        let parser = flow.parser?;
        let datagram = flow.core.key.protocol == ip_protocol::UDP && !signature.head.app_protocols.is_empty();
        if !datagram && !self.settings.detect.guess_applayer_tx {
            return None;
        }
        let mut next = 0;
        let id = loop {
            let meta = parser.next_from(next)?.meta();
            if meta.only.is_none_or(|only| only == cx.direction) {
                break meta.id;
            }
            next = meta.id + 1;
        };
        let alone = || parser.next_from(0).is_some_and(|t| t.meta().id + 1 == parser.created());
        let found = datagram || alert.stream_match || alone();
        // Further alerts are written without it.
        let limit = self.settings.detect.stream_tx_log_limit;
        (found && flow.detect.is_none_or(|detect| detect.may_guess(id, limit))).then_some(id)
    }

    fn record_decode_anomalies(&mut self, cx: &RecordContext<'_>, packet: &Packet<'_>) {
        for event in packet.events.iter() {
            let record = AnomalyRecord::Decode { event: event.name() };
            self.recorder.record(cx, &Record::Anomaly(record));
        }
    }
}

/// Whether the flow had a drop record in this direction before; notes this one.
fn note_drop(flow: &mut Flow<Session>, context: &PacketContext<'_>, verdict: &PacketVerdict) -> bool {
    if verdict.dropped().is_none() {
        return false;
    }
    let slot = match context.direction {
        Direction::ToServer => flow.session.drop_logged.first_mut(),
        Direction::ToClient => flow.session.drop_logged.last_mut(),
    };
    slot.is_some_and(|slot| std::mem::replace(slot, true))
}

fn is_drop(alert: &Alert) -> bool {
    alert.action == weir_rules::Action::Drop || alert.action.is_reject()
}
