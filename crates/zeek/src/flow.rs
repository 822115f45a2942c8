//! A flow's part of Zeek's logs: the protocol's logger and the files under way.

mod files;
mod raised;

use std::net::IpAddr;
use std::sync::Arc;

use smallvec::SmallVec;
use weir_applayer::zeek::{
    Announced, Datagram, DatagramLogs, EventRaiser, EventTable, FileFate, FilePart, FollowedDatagrams,
    HandlePart, Handshake, JoinedRow, News, Script, SentFile, Software, WholeFile, ZeekHabit, ZeekNotice,
};
use weir_applayer::{
    Endpoints, File, Heard, Memory, Options, Protocol, TakenMemory, ZeekConnection, ZeekLogger, ZeekSink,
    ZeekStream, ZeekValue,
};
use weir_base::event::{PayloadExtent, ScriptSettings};
use weir_base::{EventValue, Timestamp};

use crate::connection::Connection;
use crate::connection::identity::Identity;
use crate::connection::table::{ConnectionId, Table};
use crate::events::{self, Events};
use crate::files::FileBook;
use crate::files::extract::Extracted;
use crate::notice::Notice;
use crate::observer::Connections;
use crate::recent::Pair;
use crate::rows::{AnalyzerKind, Rows};
use crate::tunnel;

use raised::FlowEvents;

/// The extent to which a flow is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Its protocol: another one follows.
    Protocol,
    /// All of it.
    Flow,
}

/// The state that a flow keeps for Zeek's logs.
pub struct ObservedFlow {
    connection: ConnectionId,
    identity: Identity,
    /// The protocol, as `conn` names it.
    service: &'static str,
    logger: Option<Box<dyn ZeekLogger>>,
    /// Raises the protocol's events, where scripts handle any.
    raiser: Option<Raiser>,
    datagrams: Option<FollowedDatagrams>,
    /// The protocol is known.
    opened: bool,
    /// The protocol became a service of the connection, of which scripts do not know yet.
    untold: bool,
    /// The beginning of the connection was not seen.
    partial: bool,
    /// Another flow is read for the connection's rows.
    beside: bool,
    /// Bytes of the originator and of the responder that signatures are matched against so far.
    matched: [u64; 2],
    files: FileBook,
    successor: Option<Box<Successor>>,
    /// Memory of what waits.
    taken: TakenMemory,
}

/// Who raises a protocol's events.
struct Raiser {
    table: &'static EventTable,
    raiser: Box<dyn EventRaiser>,
    /// A row of `weird` says that messages have no events, as too many came at once.
    told_left_out: bool,
}

/// The oddity of a connection of which more messages came at once than wait for scripts.
const TOO_MANY_MESSAGES: &str = "too_many_messages_for_scripts";

/// The logger that goes on with a protocol inside of the one that it led to.
struct Successor {
    service: &'static str,
    logger: Box<dyn ZeekLogger>,
}

impl ObservedFlow {
    pub(crate) fn new(id: ConnectionId, connection: &Connection, memory: &Arc<Memory>) -> Self {
        Self {
            connection: id,
            identity: connection.identity(),
            service: "",
            logger: None,
            raiser: None,
            datagrams: None,
            opened: false,
            untold: false,
            partial: connection.is_partial(),
            beside: false,
            matched: [0; 2],
            files: FileBook::default(),
            successor: None,
            taken: TakenMemory::of(Some(memory)),
        }
    }

    /// Returns what begins inside of this one as `new`: its files are others, and it goes on with what was before.
    pub(crate) fn inside(&mut self, new: Self) -> Self {
        Self { files: FileBook::inside(), successor: self.successor.take(), beside: self.beside, ..new }
    }

    /// Another flow is read for the connection's rows.
    pub(crate) const fn pass_by(&mut self) {
        self.beside = true;
    }

    /// Returns the part of a piece of a stream that signatures are to be matched against, and its place, where there is one.
    pub(crate) fn take_unmatched<'a>(
        &mut self,
        extent: PayloadExtent,
        originator: bool,
        offset: u64,
        bytes: &'a [u8],
    ) -> Option<(u64, &'a [u8])> {
        if self.beside || !extent.has(self.matched.iter().sum()) {
            return None;
        }
        let [sent, received] = &mut self.matched;
        let known = if originator { sent } else { received };
        let skipped = usize::try_from(known.saturating_sub(offset)).ok()?;
        let rest = bytes.get(skipped..).filter(|rest| !rest.is_empty())?;
        let start = offset.max(*known);
        *known = offset.saturating_add(bytes.len() as u64);
        Some((start, rest))
    }

    /// Whether another flow is read for the connection's rows.
    pub(crate) const fn is_beside(&self) -> bool {
        self.beside
    }

    /// The connection that the flow is at.
    pub const fn connection(&self) -> ConnectionId {
        self.connection
    }

    /// The protocol's parser failed.
    pub(crate) fn failed(&self, table: &mut Table, now: Timestamp, service: &str, rows: &mut Rows<'_>) {
        let Some(found) = table.get_mut(self.connection) else { return };
        found.no_service(service);
        if found.is_new_violation(self.service) {
            rows.violation(
                AnalyzerKind::Protocol,
                &self.identity.view(),
                now,
                source_name(self.service).as_str(),
                "the parser failed",
                None,
            );
        }
    }

    /// The uid of the connection, which joins other records of the flow with Zeek's logs.
    #[inline]
    pub fn uid(&self) -> &[u8] {
        self.identity.uid.as_bytes()
    }

    /// The connection, for its rows.
    pub(crate) const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The protocol is known: its rows are written from now on. What is open of another one is
    /// to be ended before ([`crate::Observer::protocol_end`]).
    pub(crate) fn open(&mut self, protocol: &Protocol, options: &dyn Options, events: Option<&Events>) {
        self.service = protocol.zeek_service;
        self.opened = true;
        if self.speaks(protocol) && !self.beside {
            self.logger = match self.successor.take_if(|next| next.service == protocol.zeek_service) {
                Some(next) => Some(next.logger),
                None => protocol.zeek.map(|logs| (logs.open)(options)),
            };
            self.raiser = events.and_then(|events| {
                let table = protocol.zeek?.events?;
                events.of(table)?;
                Some(Raiser { table, raiser: (table.open)(), told_left_out: false })
            });
        }
    }

    /// The protocol became a service of the connection where no row or event could be written.
    pub(crate) const fn is_confirmed_silently(&mut self) {
        self.untold = true;
    }

    /// Returns the protocol that scripts are to be told of, once.
    pub(crate) const fn take_confirmed(&mut self) -> Option<&'static str> {
        if std::mem::replace(&mut self.untold, false) { Some(self.service) } else { None }
    }

    /// Whether the beginning of the connection was not seen.
    pub const fn is_partial(&self) -> bool {
        self.partial
    }

    /// The two ends; the client is the one that Zeek takes for it.
    pub const fn endpoints(&self) -> &Endpoints {
        &self.identity.endpoints
    }

    /// Whether the connection counts as one of the protocol.
    pub fn speaks(&self, protocol: &Protocol) -> bool {
        !self.partial || !protocol.zeek.is_some_and(|logs| logs.from_start)
    }

    #[cfg(test)]
    pub(crate) fn open_logs(
        &mut self,
        service: &'static str,
        logs: &weir_applayer::ZeekLogs,
        options: &dyn Options,
    ) {
        self.service = service;
        self.logger = Some((logs.open)(options));
    }

    /// Whether a protocol's rows are written.
    pub const fn is_open(&self) -> bool {
        self.opened
    }

    /// Whether a transaction may have anything to tell.
    pub(crate) fn has_news(&self, news: News<'_>) -> bool {
        self.raiser.is_some() || self.logger.as_deref().is_some_and(|logger| logger.has_news(news))
    }

    pub(crate) fn transaction(&mut self, news: News<'_>, connections: &mut Connections, mut rows: Rows<'_>) {
        rows.captured = captured(news, rows.now());
        self.raise(news, connections, &mut rows);
        let Some(mut logger) = self.logger.take() else { return };
        if !logger.has_news(news) {
            self.logger = Some(logger);
            return;
        }
        let mut taken = std::mem::take(&mut self.taken);
        let mut sink = self.sink(connections, &mut rows);
        logger.transaction(news, &mut sink);
        let mut goes_on = taken.change_to(logger.held() as u64);
        if !goes_on {
            // What waits is written; that is why it may go on.
            logger.end(&mut sink);
            goes_on = logger.held() == 0;
            taken.shrink_to(0);
        }
        self.taken = taken;
        self.logger = Some(logger).filter(|_| goes_on);
    }

    /// Raises the events of a transaction.
    fn raise(&mut self, news: News<'_>, connections: &mut Connections, rows: &mut Rows<'_>) {
        if let Some(mut raiser) = self.raiser.take() {
            self.note_left_out(&mut raiser, &news.transaction.meta().heard, connections, rows);
            let mut sink = self.event_sink(raiser.table, connections, rows);
            raiser.raiser.transaction(news, &mut sink);
            self.raiser = Some(raiser);
        }
    }

    /// Counts messages that have no events, and says once that there are such.
    fn note_left_out(
        &self,
        raiser: &mut Raiser,
        heard: &Heard,
        connections: &mut Connections,
        rows: &mut Rows<'_>,
    ) {
        let left_out = heard.take_left_out();
        connections.messages_left_out += left_out;
        if left_out > 0 && !std::mem::replace(&mut raiser.told_left_out, true) {
            let now = rows.position.clock;
            rows.weird(Some(&self.identity.view()), now, TOO_MANY_MESSAGES, None, None);
        }
    }

    /// Raises the events of messages that are of no transaction.
    pub(crate) fn heard(&mut self, messages: &Heard, connections: &mut Connections, rows: &mut Rows<'_>) {
        let Some(mut raiser) = self.raiser.take() else { return };
        self.note_left_out(&mut raiser, messages, connections, rows);
        let mut sink = self.event_sink(raiser.table, connections, rows);
        raiser.raiser.heard(messages.take(), &mut sink);
        self.raiser = Some(raiser);
    }

    /// Whether scripts handle events of the protocol.
    pub const fn raises(&self) -> bool {
        self.raiser.is_some()
    }

    fn event_sink<'a, 'b>(
        &'a self,
        table: &'static EventTable,
        connections: &'a mut Connections,
        rows: &'a mut Rows<'b>,
    ) -> FlowEvents<'a, 'b> {
        let plan = rows.plan;
        let numbers = plan.events.as_ref().and_then(|events| events.of(table)).unwrap_or_default();
        let (connection, about) = (self.connection, self.identity.view());
        FlowEvents { captured: rows.captured, rows, connections, connection, about, numbers }
    }

    /// The sink that takes the connection's rows.
    fn sink<'a, 'b>(
        &'a mut self,
        connections: &'a mut Connections,
        rows: &'a mut Rows<'b>,
    ) -> FlowSink<'a, 'b> {
        FlowSink {
            rows,
            files: &mut self.files,
            connections,
            connection: self.connection,
            about: self.identity.view(),
            service: self.service,
        }
    }

    /// The connection speaks a protocol of datagrams.
    pub(crate) fn follow(&mut self, logs: &DatagramLogs) {
        self.service = logs.name;
        self.datagrams = Some(logs.follow());
    }

    pub(crate) fn datagram(
        &mut self,
        datagram: Datagram<'_>,
        connections: &mut Connections,
        mut rows: Rows<'_>,
    ) {
        let Some(mut logger) = self.datagrams.take() else { return };
        let mut sink = self.sink(connections, &mut rows);
        logger.datagram(datagram, &mut sink);
        self.datagrams = Some(logger);
    }

    /// Writes what is open.
    pub(crate) fn end(&mut self, connections: &mut Connections, mut rows: Rows<'_>, end: End) {
        let last = end == End::Flow;
        self.opened = false;
        if let Some(mut raiser) = self.raiser.take() {
            let mut sink = self.event_sink(raiser.table, connections, &mut rows);
            raiser.raiser.end(&mut sink);
        }
        let idle = self.logger.is_none() && self.datagrams.is_none() && self.files.open() == 0;
        if idle && !(last && self.successor.is_some()) {
            return;
        }
        let (mut logger, datagrams) = (self.logger.take(), self.datagrams.take());
        self.taken.shrink_to(0);
        if let Some(next) = logger.as_mut().filter(|_| !last).and_then(|logger| logger.hand_over()) {
            self.successor = Some(Box::new(Successor { service: self.service, logger: next }));
        }
        let successor = self.successor.take_if(|_| last);
        let mut sink = self.sink(connections, &mut rows);
        if let Some(mut logger) = logger {
            logger.end(&mut sink);
        }
        if let Some(mut logger) = datagrams {
            logger.end(&mut sink);
        }
        if let Some(mut next) = successor {
            next.logger.end(&mut sink);
        }
        let files = &mut sink.connections.table.tally.levels.files;
        *files = files.saturating_sub(sink.files.open());
        sink.files.end(&sink.about, sink.rows);
    }
}

impl std::fmt::Debug for ObservedFlow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObservedFlow")
            .field("uid", &self.identity.uid)
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

/// Returns when the last bytes of a transaction were captured, where that was before now.
fn captured(news: News<'_>, now: Timestamp) -> Option<Timestamp> {
    let seen = news.transaction.meta().last_seen;
    Some(seen.to_server.max(seen.to_client)).filter(|time| *time < now && *time != Timestamp::default())
}

/// The analyzer's name of a service.
fn source_name(service: &str) -> SourceName {
    let letter = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_uppercase() };
    SourceName(service.bytes().map(letter).collect())
}

/// A name that is seldom longer than this.
struct SourceName(SmallVec<[u8; 16]>);

impl SourceName {
    /// Of the letters of a text.
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Takes the rows of a flow's logger.
struct FlowSink<'a, 'b> {
    rows: &'a mut Rows<'b>,
    files: &'a mut FileBook,
    connections: &'a mut Connections,
    connection: ConnectionId,
    about: ZeekConnection<'a>,
    service: &'static str,
}

impl FlowSink<'_, '_> {
    /// The addresses of the two ends.
    const fn hosts(&self) -> [IpAddr; 2] {
        [self.about.endpoints.client, self.about.endpoints.server]
    }
}

impl ZeekSink for FlowSink<'_, '_> {
    fn connection(&self) -> ZeekConnection<'_> {
        self.about
    }

    fn row(&mut self, stream: &'static ZeekStream, ts: Timestamp, values: &[ZeekValue<'_>]) {
        self.rows.row(stream, Some(&self.about), ts, values);
    }

    fn settings(&self) -> Option<&ScriptSettings> {
        Some(&self.rows.plan.events.as_ref()?.settings)
    }

    fn handles(&self, event: &str) -> bool {
        self.rows.plan.events.as_ref().is_some_and(|events| events.of_logger(event).is_some())
    }

    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]) {
        let Some(events) = &self.rows.plan.events else { return };
        let Some(number) = events.of_logger(event) else { return };
        let known = self.connections.table.get(self.connection).map(Connection::observed);
        let state = known.unwrap_or_else(|| events::known(&self.about));
        events.send(self.rows.out, self.rows.position, number, arguments, Some(&state));
    }

    fn weird(&mut self, ts: Timestamp, name: &str, addl: Option<&str>) {
        self.rows.weird(Some(&self.about), ts, name, addl, Some(source_name(self.service).as_str()));
    }

    fn weird_of(&mut self, ts: Timestamp, name: &str, addl: Option<&str>, source: Option<&str>) {
        self.rows.weird(Some(&self.about), ts, name, addl, source);
    }

    fn limit_reached(&mut self, ts: Timestamp, name: &str, addl: Option<&str>) {
        if let Some(connection) = self.connections.table.get_mut(self.connection) {
            connection.reached_limit();
        }
        self.weird(ts, name, addl);
    }

    fn weird_of_none(&mut self, ts: Timestamp, name: &str, addl: Option<&str>) {
        self.rows.weird(None, ts, name, addl, None);
    }

    fn file(&mut self, file: &File, fate: FileFate) -> String {
        self.file_of(file, fate, &[])
    }

    fn file_of(&mut self, file: &File, fate: FileFate, handle: &[HandlePart]) -> String {
        self.entity(file, fate, handle)
    }

    fn file_part(&mut self, url: &[u8], file: &File, fate: FileFate) -> FilePart {
        self.part(url, file, fate)
    }

    fn whole_file(&mut self, file: &WholeFile<'_>) -> String {
        self.entire(file)
    }

    fn join(&mut self, stream: &'static ZeekStream, number: u64, part: Box<dyn JoinedRow>) {
        self.connections.across.join((stream.name, number), part, self.rows);
    }

    fn unlogged_file(&mut self, file: &WholeFile<'_>) -> String {
        let fuid = self.whole_id(file);
        Extracted::whole(file.bytes, file.time, &source_name(self.service).0, &fuid, self.rows);
        self.tell_whole(file, &fuid);
        fuid
    }

    fn tells_files(&self) -> bool {
        self.rows.plan.tells_files()
    }

    fn tunnel(&mut self, ts: Timestamp, kind: &str) {
        if !self.connections.table.proxies.is_new(self.about.endpoints, ts) {
            return;
        }
        // What is inside has no connection of its own: the tunnel begins at no port.
        let ends = Endpoints { client_port: 0, ..*self.about.endpoints };
        tunnel::row(
            self.rows,
            // Nor does the tunnel have an id.
            &ZeekConnection { endpoints: &ends, uid: &[], ..self.about },
            ts,
            kind,
            "Tunnel::DISCOVER",
        );
    }

    fn now(&self) -> Option<Timestamp> {
        let position = self.rows.position;
        Some(if position.is_at_end() { self.connections.reached } else { position.clock })
    }

    fn originator_end(&self) -> Option<Timestamp> {
        self.connections.table.get(self.connection)?.originator_end()
    }

    fn is_new_certificate(&mut self, fingerprint: &str, now: Timestamp) -> bool {
        self.connections.across.is_new_certificate(fingerprint, now)
    }

    fn announce(&mut self, announced: Announced, now: Timestamp) {
        self.connections.expected.announce(announced, self.hosts(), now);
    }

    fn sent(&mut self, file: SentFile) {
        let ends = self.about.endpoints;
        let pair = Pair::new((ends.server, ends.server_port), self.hosts());
        self.connections.table.sent.insert(pair, file);
    }

    fn take_sent(&mut self, server: (IpAddr, u16)) -> Option<SentFile> {
        self.connections.table.sent.take(Pair::new(server, self.hosts()))
    }

    fn is_local(&self, address: IpAddr) -> bool {
        self.rows.plan.site.is_local(address)
    }

    fn has(&self, script: Script) -> bool {
        self.rows.plan.scripts.has(script)
    }

    fn software(&mut self, found: &Software<'_>) {
        self.rows.software(&self.about, self.rows.position.clock, found);
    }

    fn is_foreign_name(&self, name: &[u8]) -> bool {
        self.rows.plan.site.is_foreign_name(name)
    }

    fn notice(&mut self, notice: &ZeekNotice<'_>) {
        let told = Notice::new(notice.note, notice.message);
        let suppress_for = told.suppress_for;
        let once = told.once(notice.identifier, suppress_for);
        self.rows.notice(Some(&self.about), self.rows.position.clock, once);
    }

    fn habit(&mut self, habit: &'static ZeekHabit) {
        self.connections.across.habit(habit, self.about.endpoints, self.rows);
    }

    fn handshake(&mut self, handshake: &Handshake<'_>) {
        self.rows.handshake(&self.about, self.rows.position.clock, handshake);
    }

    fn service(&mut self, service: &'static str) {
        if self.rows.plan.names_service(service)
            && let Some(connection) = self.connections.table.get_mut(self.connection)
            && connection.service(service)
        {
            self.rows.raise_confirmation(connection, service);
        }
    }

    fn violation(&mut self, ts: Timestamp, reason: &str, data: Option<&[u8]>) {
        if let Some(found) = self.connections.table.get_mut(self.connection) {
            let source = source_name(self.service);
            found.no_service(&source.as_str().to_ascii_lowercase());
            if found.is_new_violation(self.service) {
                self.rows.violation(AnalyzerKind::Protocol, &self.about, ts, source.as_str(), reason, data);
            }
        }
    }
}
