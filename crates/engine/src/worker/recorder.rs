//! A worker's outputs: hands records to the formats that want them, and what Zeek observes to its observer.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use weir_applayer::Parser;
use weir_applayer::protocol::NO_EVE_NAME;
use weir_base::event::PayloadExtent;
use weir_base::profile::{Stage, enter_part};
use weir_base::{Position, Timestamp};
use weir_config::ExceptionPolicies;
use weir_detect::names::NameList;
use weir_flow::Flow;
use weir_output::formats::eve;
use weir_output::formats::stream_data::StreamDataKind;
use weir_output::{
    AlertRecord, CaptureFacts, FlowEndRecord, Format, Outlets, Record, RecordContext, RecordKind,
    RecordKinds, StatsRecord,
};
use weir_packet::decode::dispatch::Dispatch;
use weir_packet::defrag::Misfit;
use weir_packet::{Packet, ip_protocol};
use weir_zeek::{ConnectionId, ObservedFlow, Observer, StreamPiece, Traffic, Unseen};

use super::records::view;
use super::shunting::Shunted;
use super::{PacketContext, transactions};
use crate::session::{Session, parser_of};
use crate::stats::MacCounters;
use crate::tally::Tally;

/// A worker's outputs.
pub struct Recorder {
    formats: Vec<Box<dyn Format>>,
    wants: RecordKinds,
    pub(super) outlets: Outlets,
    pub(super) names: Arc<NameList>,
    pub(super) zeek: Option<Observer>,
    pub(super) capture: Option<Arc<CaptureFacts>>,
    /// The interfaces that are listened on, by their numbers.
    pub(super) interfaces: Vec<Arc<str>>,
    /// The tenant whose rules look at what is recorded; zero where none is.
    pub(super) tenant: u32,
    /// Flow records show link-layer addresses: how many there were.
    macs: Option<MacCounters>,
    /// Records by type.
    counts: BTreeMap<&'static str, u64>,
}

/// Returns the interface that a record is about: that of its packet, or of its flow's first one.
fn interface_of<'n>(cx: &RecordContext<'_>, names: &'n [Arc<str>]) -> Option<&'n str> {
    let of_flow = || cx.flow.as_ref().map(|flow| flow.core.interface);
    let number = cx.packet.map(|packet| packet.interface).or_else(of_flow).unwrap_or(0);
    names.get(number as usize).map(|name| &**name)
}

impl Recorder {
    /// A recorder that gives records to `formats`.
    pub fn new(
        formats: Vec<Box<dyn Format>>,
        outlets: Outlets,
        names: Arc<NameList>,
        zeek: Option<Observer>,
        macs: bool,
    ) -> Self {
        let wants = formats.iter().fold(RecordKinds::default(), |all, format| all.union(format.wants()));
        let macs = macs.then(MacCounters::default);
        let (capture, interfaces, counts) = (None, Vec::new(), BTreeMap::new());
        Self { formats, wants, outlets, names, zeek, capture, interfaces, tenant: 0, macs, counts }
    }

    /// One that is lent Zeek's logs at times ([`Self::lend`]) and writes nothing else.
    pub(super) fn lent() -> Self {
        Self::new(Vec::new(), Outlets::nowhere(), Arc::default(), None, false)
    }

    /// Lends `other` Zeek's logs, or takes them back.
    pub(super) fn lend(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.zeek, &mut other.zeek);
        std::mem::swap(&mut self.outlets, &mut other.outlets);
    }

    /// Returns the numbers of link-layer addresses of flows.
    pub(crate) fn mac_counters(&self) -> MacCounters {
        self.macs.clone().unwrap_or_default()
    }

    /// Exchanges the names that rules gave.
    pub(super) fn exchange_names(&mut self, names: &mut Arc<NameList>) {
        std::mem::swap(&mut self.names, names);
    }

    /// Whether some output wants records of this kind.
    pub(crate) fn wants(&self, kind: RecordKind) -> bool {
        self.wants.has(kind)
    }

    /// Names the capture file that the next packets are from.
    pub fn set_capture_file(&mut self, name: Arc<str>) {
        self.capture = Some(Arc::new(CaptureFacts::of(name)));
    }

    /// Names the interfaces that all packets are from.
    pub fn set_interfaces(&mut self, names: Vec<Arc<str>>) {
        self.interfaces = names;
    }

    /// The next packet is of this number, and has this comment.
    pub fn set_comment(&mut self, packet: u64, text: &[u8]) {
        if let Some(capture) = &mut self.capture {
            Arc::make_mut(capture).comment = Some((packet, text.into()));
        }
    }

    /// Returns the number of records of each type.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.counts.iter().map(|(name, count)| (*name, *count))
    }

    /// The buffers of what is written.
    pub(crate) const fn outlets(&mut self) -> &mut Outlets {
        &mut self.outlets
    }

    /// Whether what was gathered is much.
    #[inline]
    pub(crate) const fn is_full(&self) -> bool {
        self.outlets.is_full()
    }

    /// Hands on what was gathered, if it is much; all before `reached` is recorded.
    pub fn progress(&mut self, reached: Position) {
        if self.is_full() {
            self.write_ended();
        }
        self.outlets.progress(reached);
    }

    /// Writes what Zeek's logs hold back.
    fn write_ended(&mut self) {
        if let Some(zeek) = &mut self.zeek {
            zeek.write_ended(&mut self.outlets);
        }
    }

    /// Hands on what was gathered, however little: other workers' records wait for it.
    pub fn hand_on(&mut self, reached: Position) {
        self.write_ended();
        self.outlets.hand_on(reached);
    }

    /// The capture's clock enters another second, with the packet `number`.
    pub(crate) fn tick(&mut self, clock: Timestamp, number: u64, traffic: impl FnOnce() -> Traffic) {
        if let Some(zeek) = &mut self.zeek {
            zeek.tick(clock, number, traffic, &mut self.outlets);
        }
    }

    /// Ends Zeek's connections that are over at the capture's clock.
    pub(crate) fn expire(&mut self, clock: Timestamp) {
        if let Some(zeek) = &mut self.zeek {
            zeek.expire(clock, &mut self.outlets);
        }
    }

    /// The capture ended behind the packet `number`.
    pub(crate) fn capture_ends(&mut self, clock: Timestamp, number: u64) {
        if let Some(zeek) = &self.zeek {
            zeek.capture_ends(clock, number, &mut self.outlets);
        }
    }

    /// The capture ended, when its clock showed `clock`, and so do Zeek's connections.
    pub(crate) fn close(&mut self, clock: Timestamp, traffic: &Traffic) {
        if let Some(zeek) = &mut self.zeek {
            zeek.finish(clock, traffic, &mut self.outlets);
        }
    }

    /// Writes what the connections of all workers share, and what went wrong by `clock` or is in `doubt`; for one
    /// of them, when all are done.
    pub fn finish_shared(&mut self, clock: Timestamp, problems: &[String], doubt: Option<&str>) {
        if let Some(zeek) = &mut self.zeek {
            zeek.finish_shared(clock, problems, doubt, &mut self.outlets);
        }
    }

    /// Hands on everything: the worker is done. Answers how many records were lost on the way.
    pub fn finish(&mut self) -> u64 {
        self.outlets.finish();
        self.outlets.lost()
    }

    /// Writes counters.
    pub fn stats(&mut self, position: Position, now: Timestamp, stats: &StatsRecord<'_>) {
        self.record(&RecordContext::at(position, now), &Record::Stats(*stats));
    }

    /// Whether some output wants this record.
    pub(super) fn wants_record(&self, record: &Record<'_>) -> bool {
        self.wants.has(record.kind())
            && match record {
                // A protocol may have logs of Zeek's only.
                Record::Transaction(record) => {
                    self.formats.iter().any(|format| format.wants_protocol(record.protocol))
                }
                _ => true,
            }
    }

    /// A rule matched in a packet of the connection that `zeek` keeps, if it has one.
    pub(super) fn alert(
        &mut self,
        cx: &RecordContext<'_>,
        zeek: Option<&ObservedFlow>,
        alert: AlertRecord<'_>,
    ) {
        if let Some(worker) = &mut self.zeek {
            let _layer = enter_part(Stage::Zeek, "alerts");
            worker.alert(zeek, cx, &alert, &mut self.outlets.at(cx.position));
        }
        self.record(cx, &Record::Alert(alert));
    }

    pub(super) fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>) {
        if !self.wants_record(record) {
            return;
        }
        let kind = record.kind();
        let interface = interface_of(cx, &self.interfaces);
        let cx = &RecordContext { interface, tenant: self.tenant, ..*cx };
        let before = self.outlets.records();
        let name = type_name(record);
        for format in &mut self.formats {
            if format.wants().has(kind) {
                let _layer = enter_part(Stage::Output, format.part(name));
                format.record(cx, record, &mut self.outlets);
            }
        }
        // What no log shows does not count.
        if self.outlets.records() > before {
            *self.counts.entry(name).or_default() += 1;
        }
    }

    /// A packet of a flow goes by, before anything is made of it.
    #[inline]
    pub(crate) fn packet_seen(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>) {
        if let Some(counters) = &mut self.macs {
            let macs = flow.session.macs.get_or_insert_default();
            macs.add(context.packet, context.direction);
            counters.note(macs);
        }
        if let (Some(zeek), Some(id)) = (&mut self.zeek, context.connection)
            && flow.session.connection != Some(id)
        {
            flow.session.connection = Some(id);
            let out = &mut self.outlets.at(context.moment.position);
            transactions::end(zeek, flow, out);
            zeek.flow_begin(&mut flow.session.zeek, id, out);
        }
    }

    /// Returns the part of streams that signatures of scripts are matched against, where there are any.
    pub(super) fn matched_payload(&self) -> Option<PayloadExtent> {
        self.zeek.as_ref()?.matched_payload()
    }

    /// Gives scripts a piece of a stream that their signatures are matched against.
    pub(super) fn match_piece(&mut self, session: &mut Session, piece: StreamPiece<'_>, position: Position) {
        if let (Some(zeek), Some(flow)) = (&self.zeek, session.zeek.as_deref_mut()) {
            zeek.stream(flow, piece, &mut self.outlets.at(position));
        }
    }

    /// Returns whether the checksum of a packet is wrong for scripts; none where there are none.
    #[inline]
    pub(crate) fn is_corrupt(&self, packet: &Packet<'_>) -> Option<bool> {
        self.zeek.as_ref().and_then(|zeek| zeek.is_corrupt(packet))
    }

    /// Asks the processor for what the next packet of a connection will need.
    #[inline]
    pub(crate) fn fetch(&self, connection: Option<ConnectionId>) {
        if let (Some(zeek), Some(id)) = (&self.zeek, connection) {
            zeek.fetch(id);
        }
    }

    /// A packet that was captured alone goes by, whose flow has had packets of the connection `known`; its
    /// connection. The checksum of a `corrupt` one is wrong.
    #[inline]
    pub(crate) fn packet(
        &mut self,
        packet: &Packet<'_>,
        known: Option<ConnectionId>,
        corrupt: bool,
        position: Position,
    ) -> Option<ConnectionId> {
        let zeek = self.zeek.as_mut()?;
        let _layer = enter_part(Stage::Zeek, "packets");
        zeek.packet(packet, known, corrupt, &mut self.outlets.at(position))
    }

    /// Packets that an end of a connection sent until `time` were counted, and nobody saw them.
    pub(super) fn unseen(
        &mut self,
        id: ConnectionId,
        source: (IpAddr, u16),
        unseen: &Unseen,
        time: Timestamp,
    ) {
        if let Some(zeek) = &mut self.zeek {
            zeek.unseen(id, source, unseen, time);
        }
    }

    /// All that was decoded of a frame goes by, inner packets first.
    pub(crate) fn frame(&mut self, packets: &[Packet<'_>], position: Position) {
        if let Some(zeek) = &mut self.zeek {
            let _layer = enter_part(Stage::Zeek, "packets");
            zeek.frame(packets, &mut self.outlets.at(position));
        }
    }

    /// A fragment goes by, which went so with those before it.
    pub(crate) fn fragment(&mut self, packet: &Packet<'_>, misfit: Misfit, position: Position) {
        if let Some(zeek) = &mut self.zeek {
            zeek.fragment(packet, misfit, &mut self.outlets.at(position));
        }
    }

    /// A frame goes by, standing at `position`, of which other workers have a part.
    pub(crate) fn frame_in_part(
        &mut self,
        packets: &[Packet<'_>],
        dispatches: &[Dispatch],
        position: Position,
    ) {
        if let Some(zeek) = &mut self.zeek {
            zeek.frame_in_part(packets, dispatches, &mut self.outlets.at(position));
        }
    }

    /// Zeek's connection of the packet at `index` of those that went by last.
    pub(crate) fn connection(&self, index: usize) -> Option<ConnectionId> {
        self.zeek.as_ref()?.connection(index)
    }

    /// As [`Self::connection`], of the packet at `index` of those that rules read; `wider` replaces them where given.
    pub(crate) fn connection_of(
        &self,
        index: usize,
        packet: &Packet<'_>,
        wider: &[Packet<'_>],
    ) -> Option<ConnectionId> {
        match wider {
            [] => self.connection(index),
            _ => self.connection(wider.iter().position(|other| other.is_same(packet))?),
        }
    }

    /// Opens the Zeek logs of a flow's protocol once it is known.
    pub(super) fn open_zeek(&mut self, flow: &mut Flow<Session>) {
        let session = &mut flow.session;
        if session.zeek.as_deref().is_none_or(ObservedFlow::is_open) || session.has_own_zeek_reading() {
            return;
        }
        let (Some(worker), Some(log)) = (&mut self.zeek, session.zeek.as_deref_mut()) else { return };
        if let Some(parser) = parser_of(&session.retiring, &session.app) {
            worker.protocol_begin(log, parser.protocol());
        }
    }

    /// The parser of a flow's protocol failed: Zeek's `conn` does not name it.
    pub(crate) fn zeek_violation(&mut self, flow: &mut Flow<Session>, position: Position) {
        if flow.session.is_forked() {
            return;
        }
        self.open_zeek(flow);
        if let (Some(zeek), Some(state)) = (&mut self.zeek, flow.session.zeek.as_deref())
            && let Some(protocol) = flow.session.app.as_deref().and_then(|app| app.protocol())
        {
            zeek.protocol_violation(state, protocol, &mut self.outlets.at(position));
        }
    }

    /// Ends the Zeek logs of a flow's protocol: it speaks another one.
    pub(crate) fn change_zeek(&mut self, flow: &mut Flow<Session>, position: Position) {
        if flow.session.is_forked() {
            return;
        }
        if let (Some(zeek), Some(state)) = (&mut self.zeek, flow.session.zeek.as_deref_mut()) {
            zeek.protocol_end(state, &mut self.outlets.at(position));
        }
    }

    /// Ends the Zeek logs of a flow: it is over.
    pub(crate) fn end_zeek(&mut self, flow: &mut Flow<Session>, position: Position) {
        if let (Some(zeek), Some(state)) = (&mut self.zeek, flow.session.zeek.as_deref_mut()) {
            zeek.flow_end(state, &mut self.outlets.at(position));
        }
    }

    /// A flow ended.
    pub(crate) fn flow_ended(
        &mut self,
        flow: &Flow<Session>,
        policies: &ExceptionPolicies,
        position: Position,
        tally: &mut Tally,
    ) {
        let core = &flow.core;
        let name = match flow.session.app.as_deref().and_then(|app| app.protocol()) {
            Some(protocol) if protocol.eve_name == NO_EVE_NAME => Cow::Borrowed(protocol.name),
            Some(protocol) => Cow::Borrowed(protocol.eve_name),
            None => transport_name(core.key.protocol),
        };
        let ends = [core.key.source, core.key.destination];
        tally.flow(&name, ends, core.total_packets(), core.total_bytes());
        let names = Arc::clone(&self.names);
        let cx = RecordContext {
            flow: Some(view(flow)),
            names: Some(&names),
            ..RecordContext::at(position, core.last)
        };
        let parser = flow.session.parser();
        let record = FlowEndRecord {
            exception_policies: &flow.session.exceptions.names(policies),
            transactions: parser
                .filter(|parser| parser.protocol().eve_name != NO_EVE_NAME)
                .map(Parser::created),
            bypassed: flow.session.shunted().map(Shunted::totals),
        };
        self.record(&cx, &Record::FlowEnd(record));
    }
}

/// The type of a record, as EVE names it, or its output.
fn type_name(record: &Record<'_>) -> &'static str {
    eve::event_type(record)
        .or_else(|| StreamDataKind::of(record.kind()).map(StreamDataKind::name))
        .unwrap_or_default()
}

/// The name of an IP protocol in the summary.
fn transport_name(protocol: u8) -> Cow<'static, str> {
    Cow::Borrowed(match protocol {
        ip_protocol::ICMPV4 => "icmp",
        ip_protocol::TCP => "tcp, protocol unknown",
        ip_protocol::UDP => "udp, protocol unknown",
        ip_protocol::ICMPV6 => "icmpv6",
        ip_protocol::SCTP => "sctp",
        other => return Cow::Owned(format!("ip protocol {other}")),
    })
}
