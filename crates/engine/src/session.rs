//! State of a flow that a worker keeps beside the flow itself.

use smallvec::SmallVec;
use weir_applayer::session::AppSession;
use weir_applayer::{Body, Parser};
use weir_base::{Direction, IdMap, IdSet, PerDirection, prefetch};
use weir_detect::FlowDetect;
use weir_detect::post::StoreScope;
use weir_output::FlowMacs;
use weir_stream::TcpSession;
use weir_zeek::{ConnectionId, ObservedFlow};

use crate::tenants::Slot;
use crate::worker::exception::Targets;
use crate::worker::packet_log::HeldPackets;
use crate::worker::shunting::Shunted;
use crate::worker::transactions::each_live;
use crate::worker::zeek_only::carried::Conversation;
use crate::worker::zeek_only::unread::UnreadConnection;

/// Cache lines of a TCP session that are fetched before its packet comes.
const FETCHED_LINES: usize = 6;

/// The session of a flow; its parts are made when they are first needed.
#[derive(Default)]
pub struct Session {
    /// TCP.
    pub tcp: Option<Box<TcpSession>>,
    /// The application protocol.
    pub app: Option<Box<AppSession>>,
    /// A parser that another replaced, while its last transactions are inspected and logged: seldom, so
    /// that it takes one word only.
    pub retiring: Option<Box<Box<dyn Parser>>>,
    /// Rules' state.
    pub detect: FlowDetect,
    /// The tenant whose rules look at it.
    pub(crate) tenant: Slot,
    /// Zeek's connection of the flow's packets.
    pub connection: Option<ConnectionId>,
    /// Observation for Zeek's logs.
    pub zeek: Option<Box<ObservedFlow>>,
    /// Link-layer addresses.
    pub macs: Option<Box<FlowMacs>>,
    /// Transactions and files that were logged.
    pub logged: Logged,
    /// A drop record was written, to the server and to the client.
    pub(crate) drop_logged: DropLogged,
    /// The parser was shown bytes of these directions that rules on states have not been told of.
    pub parsed: PerDirection<bool>,
    /// It was settled what these directions speak, by packets of the other one; rules on that alone
    /// have not looked yet.
    pub recognised: PerDirection<bool>,
    /// Exception policies that were applied.
    pub(crate) exceptions: Targets,
    rare: Option<Box<Rare>>,
}

/// Directions in which a drop record was written, in one byte, for there are many flows.
#[derive(Clone, Copy, Default)]
pub(crate) struct DropLogged(u8);

impl DropLogged {
    /// Takes note of a record; whether there was one before.
    pub(crate) fn note(&mut self, direction: Direction) -> bool {
        let bit = if direction == Direction::ToServer { 1 } else { 2 };
        let before = self.0 & bit != 0;
        self.0 |= bit;
        before
    }

    const fn swap(&mut self) {
        self.0 = self.0 >> 1 | (self.0 & 1) << 1;
    }
}

/// State that few flows have.
#[derive(Default)]
struct Rare {
    store_files: PerDirection<Option<u64>>,
    asked: Vec<StoreAsked>,
    held: HeldPackets,
    bodies: BodiesWritten,
    inner: Option<Box<Conversation>>,
    unread: Option<Box<UnreadConnection>>,
    shunted: Option<Box<Shunted>>,
}

/// Rules on packets have asked for the files of all transactions to be stored.
struct StoreAsked {
    direction: Direction,
    scope: StoreScope,
    /// Those that have changed since.
    changed: IdSet,
}

impl Session {
    /// Returns the parser, to change its transactions.
    pub fn parser_mut(&mut self) -> Option<&mut dyn Parser> {
        match &mut self.retiring {
            Some(parser) => Some(&mut ***parser),
            None => self.app.as_deref_mut().and_then(|app| app.parser_mut()).map(|p| p as &mut dyn Parser),
        }
    }

    /// Its tenant is gone: nothing that its rules left is seen by others.
    pub(crate) fn leave_tenant(&mut self) {
        self.tenant = Slot::NONE;
        self.detect = FlowDetect::default();
    }

    /// All files of a direction are to be stored, from this transaction on; the first word counts.
    pub fn store_files_from(&mut self, direction: Direction, transaction: u64) {
        self.rare.get_or_insert_default().store_files[direction].get_or_insert(transaction);
    }

    /// The transactions whose files are to be stored for a rule on the packet: all of them when that is asked first,
    /// those that have changed since when it is asked again.
    pub fn take_unasked(&mut self, direction: Direction, scope: StoreScope) -> IdSet {
        let asked = &mut self.rare.get_or_insert_default().asked;
        if let Some(known) = asked.iter_mut().find(|a| a.direction == direction && a.scope == scope) {
            return std::mem::take(&mut known.changed);
        }
        asked.push(StoreAsked { direction, scope, changed: IdSet::default() });
        let mut all = IdSet::default();
        if let Some(parser) = self.parser() {
            each_live(parser, |id| all.insert(id));
        }
        all
    }

    /// The parser may have changed transactions.
    pub fn note_changed(&mut self, ids: &[u64]) {
        self.logged.note_changed(ids);
        let Some(rare) = self.rare.as_deref_mut().filter(|rare| !rare.asked.is_empty()) else { return };
        let parser = parser_of(&self.retiring, &self.app);
        let is_live = |id| parser.is_some_and(|parser| parser.transaction(id).is_some());
        for asked in &mut rare.asked {
            ids.iter().for_each(|&id| asked.changed.insert_among(id, is_live));
        }
    }

    /// The flow's parser is replaced: forgets what was known of its transactions.
    pub fn forget_transactions(&mut self) {
        self.detect.free_all();
        self.logged.forget_transactions();
        if let Some(rare) = &mut self.rare {
            rare.asked.clear();
        }
    }

    /// From which transaction on all files of a direction are to be stored.
    pub fn store_files(&self) -> PerDirection<Option<u64>> {
        self.rare.as_ref().map(|rare| rare.store_files).unwrap_or_default()
    }

    /// Where data from before the first alert is held, for the log of packets.
    pub fn held_mut(&mut self) -> &mut HeldPackets {
        &mut self.rare.get_or_insert_default().held
    }

    /// Takes the held packets; none are held any more.
    pub fn take_held(&mut self) -> HeldPackets {
        self.rare.as_mut().map(|rare| std::mem::take(&mut rare.held)).unwrap_or_default()
    }

    /// Takes the progress of writing its bodies, to be given back.
    pub fn take_bodies(&mut self) -> BodiesWritten {
        self.rare.as_mut().map(|rare| std::mem::take(&mut rare.bodies)).unwrap_or_default()
    }

    /// Takes note of how much of its bodies was written out.
    pub fn note_bodies(&mut self, bodies: BodiesWritten) {
        if !bodies.0.is_empty() {
            self.rare.get_or_insert_default().bodies = bodies;
        }
    }

    /// The conversation that the flow's protocol carries, to be given back.
    pub fn take_inner(&mut self) -> Option<Box<Conversation>> {
        self.rare.as_mut()?.inner.take()
    }

    /// Asks the processor for what the flow's next packet will need.
    #[inline]
    pub fn fetch(&self) {
        if let Some(tcp) = self.tcp.as_deref() {
            prefetch(tcp, FETCHED_LINES);
        }
        if let Some(app) = self.app.as_deref() {
            prefetch(app, 1);
        }
    }

    /// The connection that rules and records do not read, to be given back.
    pub fn take_unread(&mut self) -> Option<Box<UnreadConnection>> {
        self.rare.as_mut()?.unread.take()
    }

    /// Whether there is one.
    #[inline]
    pub fn is_unread(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.unread.is_some())
    }

    /// Whether the reading of the flow forked.
    #[inline]
    pub fn is_forked(&self) -> bool {
        self.app.as_deref().is_some_and(AppSession::is_forked)
    }

    /// Whether Zeek's logs have another reading of the flow than rules and records.
    #[inline]
    pub fn has_own_zeek_reading(&self) -> bool {
        self.is_unread() || self.is_forked()
    }

    /// Whether outputs have transactions to look at with a packet of `direction`.
    #[inline]
    pub fn has_due(&self, direction: Direction) -> bool {
        self.logged.has_due(direction) || self.detect.has_looked_at()
    }

    /// Takes note of the connection that rules and records do not read.
    pub fn note_unread(&mut self, unread: Box<UnreadConnection>) {
        self.rare.get_or_insert_default().unread = Some(unread);
    }

    /// The part of the flow that the kernel drops and counts, if it does.
    pub(crate) fn shunted_mut(&mut self) -> &mut Option<Box<Shunted>> {
        &mut self.rare.get_or_insert_default().shunted
    }

    /// As [`Session::shunted_mut`].
    pub(crate) fn shunted(&self) -> Option<&Shunted> {
        self.rare.as_ref()?.shunted.as_deref()
    }

    /// Takes note of the conversation that the flow's protocol carries.
    pub fn note_inner(&mut self, inner: Box<Conversation>) {
        self.rare.get_or_insert_default().inner = Some(inner);
    }

    /// Client and server of the flow were exchanged.
    pub fn swap_ends(&mut self) {
        if let Some(macs) = &mut self.macs {
            macs.swap();
        }
        self.drop_logged.swap();
        for sides in [&mut self.parsed, &mut self.recognised] {
            std::mem::swap(&mut sides.to_server, &mut sides.to_client);
        }
    }

    /// Whether a parser needs no more of a direction, though nothing is wrong.
    pub fn has_parsed_enough(&self, direction: Direction) -> bool {
        let parser = |app: &AppSession| app.parser().is_some() && app.failure().is_none();
        self.app.as_deref().is_some_and(|app| app.is_done_in(direction) && parser(app))
    }

    /// The directions of which no more is read, because the stream is longer than its depth, or is not seen:
    /// what transactions lack of them they will not get.
    pub fn cut(&self) -> PerDirection<bool> {
        let Some(tcp) = self.tcp.as_deref() else { return PerDirection::default() };
        PerDirection::from_fn(|direction| tcp.is_cut(direction) || tcp.is_unseen(direction))
    }

    /// Drops the bytes beyond a stream's depth if nobody reads them.
    pub fn leave_beyond(&mut self) {
        let is_read = self.is_forked();
        let Some(tcp) = self.tcp.as_deref_mut().filter(|_| !is_read) else { return };
        for direction in Direction::BOTH {
            if tcp.is_told_beyond(direction) {
                tcp.leave_beyond(direction);
            }
        }
    }

    /// Those of them of which there are no packets.
    pub fn unseen(&self) -> PerDirection<bool> {
        let Some(tcp) = self.tcp.as_deref() else { return PerDirection::default() };
        PerDirection::from_fn(|direction| tcp.is_unseen(direction))
    }

    /// The parser whose transactions are inspected and logged.
    pub fn parser(&self) -> Option<&dyn Parser> {
        parser_of(&self.retiring, &self.app)
    }
}

/// The parser whose transactions are inspected and logged, by these parts of a session.
pub fn parser_of<'a>(
    retiring: &'a Option<Box<Box<dyn Parser>>>,
    app: &'a Option<Box<AppSession>>,
) -> Option<&'a dyn Parser> {
    match retiring {
        Some(parser) => Some(&***parser),
        None => app.as_deref().and_then(AppSession::parser),
    }
}

/// Progress of writing the bodies of a flow's transactions.
#[derive(Debug, Default)]
pub struct BodiesWritten(IdMap<PerDirection<BodyWritten>>);

/// Progress of one body: how far it is written, and whether its end is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BodyWritten {
    end: u64,
    ended: bool,
}

impl BodiesWritten {
    /// Notes that a body is now written as far as it is there; answers how far it was before, unless nothing is new.
    pub fn advance(&mut self, transaction: u64, direction: Direction, body: &Body) -> Option<u64> {
        let written = &mut self.0.entry(transaction, PerDirection::default)[direction];
        let now = BodyWritten { end: body.end().max(written.end), ended: body.is_complete() };
        let before = std::mem::replace(written, now);
        (before != now).then_some(before.end)
    }

    /// Forgets transactions before `first`, which are gone.
    pub fn forget_before(&mut self, first: u64) {
        while let Some(gone) = self.0.next_from(0).map(|(id, _)| id).filter(|id| *id < first) {
            self.0.remove(gone);
        }
    }
}

/// Logging state of a flow's live transactions, and those to look at; made with the first.
#[derive(Debug, Default)]
pub struct Logged(Option<Box<LoggedParts>>);

#[derive(Debug, Default)]
struct LoggedParts {
    transactions: IdMap<LoggedTransaction>,
    /// Transactions that outputs are to look at: the parser may have changed them, or rules looked at them.
    due: IdSet,
    /// The latest of the parser's changes ([`TxMeta::changed_at`]) that Zeek's logs have.
    ///
    /// [`TxMeta::changed_at`]: weir_applayer::TxMeta::changed_at
    changes_told: u64,
    /// Transactions that have a file of which rules decide with the next packet of its direction.
    undecided: PerDirection<IdSet>,
    /// The directions of which it was known, when all transactions were looked at, that no more is read.
    cut: PerDirection<bool>,
    /// Records of transactions and their anomalies that there was room for.
    told: u64,
    /// For some there was none.
    left_out: bool,
}

/// Records of a flow that need no bytes.
const FREE_RECORDS: u64 = 32;

/// Whether there is room for one more record of a flow's transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// There is.
    Enough,
    /// There is none, for the first time.
    FirstLeftOut,
    /// There is none, and that was said before.
    LeftOut,
}

/// Logging state of a transaction.
#[derive(Debug, Default)]
pub struct LoggedTransaction {
    /// Its record is written.
    pub recorded: bool,
    /// Zeek's logs have its end.
    pub zeek_end: bool,
    /// Number of its anomalies that were written.
    anomalies: usize,
    /// Files whose record is written, by ascending id.
    files: SmallVec<[u64; 1]>,
}

impl LoggedTransaction {
    /// Whether nothing of it was logged.
    fn is_blank(&self) -> bool {
        !self.recorded && !self.zeek_end && self.anomalies == 0 && self.files.is_empty()
    }

    /// Notes a file's record; false where it has one.
    pub fn file(&mut self, file: u64) -> bool {
        match self.files.binary_search(&file) {
            Ok(_) => false,
            Err(place) => {
                self.files.insert(place, file);
                true
            }
        }
    }

    /// Whether a file has its record.
    pub fn has_file(&self, file: u64) -> bool {
        self.files.binary_search(&file).is_ok()
    }

    /// Returns the number of new anomalies, given that there are `count`.
    pub fn fresh_anomalies(&mut self, count: usize) -> usize {
        count.saturating_sub(std::mem::replace(&mut self.anomalies, count))
    }
}

impl Logged {
    fn parts(&mut self) -> &mut LoggedParts {
        self.0.get_or_insert_default()
    }

    fn transaction_mut(&mut self, id: u64) -> &mut LoggedTransaction {
        self.parts().transactions.entry(id, LoggedTransaction::default)
    }

    fn known(&self, id: u64) -> Option<&LoggedTransaction> {
        self.0.as_ref()?.transactions.get(id)
    }

    /// Outputs are to look at transactions that the parser may have changed.
    pub fn note_changed(&mut self, ids: &[u64]) {
        if !ids.is_empty() {
            let due = &mut self.parts().due;
            ids.iter().for_each(|&id| due.insert(id));
        }
    }

    /// Outputs are to look at a transaction of which a rule asked something.
    pub fn note_reviewed(&mut self, id: u64) {
        self.parts().due.insert(id);
    }

    /// A rule decides of a file of the transaction with the next packet of its direction.
    pub fn note_undecided(&mut self, id: u64, direction: Direction) {
        self.parts().undecided[direction].insert(id);
    }

    /// Whether there are transactions to look at with a packet of `direction`.
    #[inline]
    fn has_due(&self, direction: Direction) -> bool {
        self.0
            .as_deref()
            .is_some_and(|parts| !(parts.due.is_empty() && parts.undecided[direction].is_empty()))
    }

    /// The transactions to look at with a packet of `direction`, to be given back with [`Logged::reuse`].
    pub fn take_due(&mut self, direction: Direction) -> IdSet {
        let Some(parts) = &mut self.0 else { return IdSet::default() };
        let mut due = std::mem::take(&mut parts.due);
        due.append(&mut parts.undecided[direction]);
        due
    }

    /// Gives the memory of what was looked at back.
    pub fn reuse(&mut self, mut due: IdSet) {
        due.clear();
        if let Some(parts) = self.0.as_deref_mut().filter(|parts| parts.due.is_empty()) {
            parts.due = due;
        }
    }

    /// The latest of the parser's changes that Zeek's logs have.
    pub fn changes_told(&self) -> u64 {
        self.0.as_deref().map_or(0, |parts| parts.changes_told)
    }

    /// Zeek's logs have the parser's changes until then.
    pub fn note_changes_told(&mut self, latest: u64) {
        if let Some(parts) = &mut self.0 {
            parts.changes_told = latest;
        }
    }

    /// Takes note of the directions of which no more is read; answers whether there is a new one.
    #[inline]
    pub fn note_cut(&mut self, cut: PerDirection<bool>) -> bool {
        let known = self.0.as_deref().map(|parts| parts.cut).unwrap_or_default();
        if cut == known {
            return false;
        }
        self.parts().cut = cut;
        Direction::BOTH.into_iter().any(|direction| cut[direction] && !known[direction])
    }

    /// Takes room for one more record of a transaction or of an anomaly of one, of a flow whose packets have `bytes`
    /// so far and which gets one for each `per_record` of them; all it wants where that is zero.
    pub fn take_room(&mut self, bytes: PerDirection<u64>, per_record: u64) -> Room {
        let parts = self.parts();
        let bytes = bytes.to_server + bytes.to_client;
        let most = bytes.checked_div(per_record).map_or(u64::MAX, |most| most + FREE_RECORDS);
        if parts.told < most {
            parts.told += 1;
            return Room::Enough;
        }
        match std::mem::replace(&mut parts.left_out, true) {
            false => Room::FirstLeftOut,
            true => Room::LeftOut,
        }
    }

    /// Notes a transaction's record; false where it has one.
    pub fn transaction(&mut self, id: u64) -> bool {
        !std::mem::replace(&mut self.transaction_mut(id).recorded, true)
    }

    /// Takes out the logging state of a transaction, to be given back with [`Self::put`] or forgotten with
    /// [`Self::free`].
    pub fn take(&mut self, id: u64) -> LoggedTransaction {
        let known = self.0.as_deref_mut().and_then(|parts| parts.transactions.get_mut(id));
        known.map(std::mem::take).unwrap_or_default()
    }

    /// Keeps the logging state of a transaction.
    pub fn put(&mut self, id: u64, told: LoggedTransaction) {
        if !told.is_blank() {
            self.parts().transactions.insert(id, told);
        }
    }

    /// Notes that Zeek's logs have a transaction's end.
    pub fn zeek_end(&mut self, id: u64) {
        self.transaction_mut(id).zeek_end = true;
    }

    /// The transactions whose end Zeek's logs have.
    pub fn zeek_ends(&self) -> impl Iterator<Item = u64> {
        let transactions = self.0.iter().flat_map(|parts| parts.transactions.iter());
        transactions.filter(|(_, known)| known.zeek_end).map(|(id, _)| id)
    }

    /// Whether Zeek's logs have a transaction's end.
    pub fn has_zeek_end(&self, id: u64) -> bool {
        self.known(id).is_some_and(|known| known.zeek_end)
    }

    /// Forgets all transactions, but not how many records the flow has.
    fn forget_transactions(&mut self) {
        if let Some(parts) = &mut self.0 {
            let LoggedParts { told, left_out, .. } = **parts;
            **parts = LoggedParts { told, left_out, ..LoggedParts::default() };
        }
    }

    /// Forgets a transaction that is gone.
    pub fn free(&mut self, id: u64) {
        if let Some(parts) = &mut self.0 {
            parts.transactions.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_detect::FlowDetect;
    use weir_flow::FlowCore;
    use weir_stream::TcpSession;

    use super::{Logged, LoggedParts, LoggedTransaction, Session};

    /// Parts of a flow, in bytes; `cargo test an_idle_flow_is_small -- --nocapture` shows them.
    #[test]
    fn an_idle_flow_is_small() {
        let parts = [
            ("flow", size_of::<FlowCore>(), 152),
            ("session", size_of::<Session>(), 88),
            ("of it detection", size_of::<FlowDetect>(), 16),
            ("TCP", size_of::<TcpSession>(), 232),
        ];
        for (name, size, most) in parts {
            println!("{name:>16} {size:>4}");
            assert!(size <= most, "{name}: {size}");
        }
    }

    /// State of a protocol takes as much as `app-layer.memcap` is charged for.
    #[test]
    fn rules_and_outputs_take_what_is_counted() {
        let (detect, detect_each) = FlowDetect::boxed();
        let (logged, logged_each) = (size_of::<LoggedParts>(), size_of::<(u64, Option<LoggedTransaction>)>());
        for (name, takes, counted) in [
            ("flow", detect + logged, weir_applayer::session::BESIDE_SESSION),
            ("transaction", detect_each + logged_each, weir_applayer::transaction::BESIDE_TRANSACTION),
        ] {
            println!("{name:>16} {takes:>4}");
            assert!(takes <= counted && counted <= takes + 64, "{name}: {takes}");
        }
    }

    #[test]
    fn each_record_once() {
        let mut logged = Logged::default();
        assert!(logged.transaction(3) && logged.transaction(1) && !logged.transaction(3));
        logged.zeek_end(1);
        assert!(logged.has_zeek_end(1) && !logged.has_zeek_end(3));
        let mut told = logged.take(1);
        assert!(told.recorded && told.zeek_end && told.file(0) && !told.file(0));
        assert_eq!([2, 2, 3].map(|count| told.fresh_anomalies(count)), [2, 0, 1]);
        logged.put(1, told);
        assert!(logged.take(1).has_file(0));
        logged.free(1);
        assert!(logged.transaction(1) && !logged.has_zeek_end(1) && !logged.take(1).has_file(0));
    }
}
