//! State of one connection: its transactions, and what later messages refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_applayer::file::FileSettings;
use weir_applayer::{Anomaly, Heard, TransactionList};
use weir_base::{Direction, PerDirection, Timestamp};

use super::anomaly::SmbAnomaly;
use super::cache::Cache;
use super::patience::Patience;
use super::pipe::Pipe;
use super::settings::Settings;
use super::transaction::{
    COMPLETE, Command, Content, Dialect, FileId, Ids, SmbTransaction, Status, Times, status,
};

/// Name of a file whose own is not known.
pub(super) const UNKNOWN: &[u8] = b"<unknown>";

/// A message, as far as it is not what it says.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Side that sends it.
    pub(super) direction: Direction,
    /// When its first byte was captured.
    pub(super) first: Timestamp,
    /// When its last byte was captured, as far as it has come.
    pub(super) last: Timestamp,
    /// Settings of files.
    pub(super) files: &'a FileSettings,
}

/// A share that is connected.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Its name.
    pub(super) name: Arc<[u8]>,
    /// It is none of files, but of pipes.
    pub(super) is_pipe: bool,
}

/// A file that is read at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    /// The file.
    pub(super) file: FileId,
    /// The place.
    pub(super) offset: u64,
}

/// A file that is open.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    /// Its name.
    pub(super) name: Arc<[u8]>,
    /// Its length then.
    pub(super) size: u64,
}

/// Key of a request that waits: command, session and message.
pub(super) type Key = (Command, u64, u64);

/// One connection.
///
/// Its fields are what either version has to remember between messages, each with a cap of its own.
#[derive(Debug)]
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) transactions: TransactionList<SmbTransaction>,
    /// Transactions before it are not open.
    oldest: u64,
    /// Too many are open.
    pub(super) is_full: bool,
    /// Transactions that wait for an answer.
    waiting: BTreeMap<Key, u64>,
    /// Offers of dialects of version 1, and of version 2, that wait for an answer.
    pub(super) offers: [Option<u64>; 2],
    /// Files that are read or written.
    pub(super) transfers: BTreeMap<(FileId, bool), u64>,
    /// Files that are open.
    pub(super) opened: Cache<FileId, Opened>,
    /// Reads that are not answered, by session and message.
    pub(super) reads: Cache<(u64, u64), Read>,
    /// Shares, by session and number.
    pub(super) trees: Cache<(u64, u32), Tree>,
    /// Pipes with calls.
    pub(super) pipes: Cache<FileId, Pipe>,
    /// Transactions of version 1 with pipes that are not answered, by session and message.
    pub(super) asked_pipes: Cache<(u64, u64), FileId>,
    /// Dialect of both ends.
    pub(super) dialect: Dialect,
    /// Most bytes that are read at once, and written, as the server offers; zero where that is not known.
    pub(super) max_read: u32,
    pub(super) max_write: u32,
    /// Something is missing.
    pub(super) has_gap: bool,
    /// Files that wait after a gap.
    pub(super) patience: Patience,
    /// Number of the transaction before which gaps have ended all, by direction.
    settled: PerDirection<u64>,
    /// Number of files.
    pub(super) files: u64,
    /// Bytes of all files that wait for their turn.
    pub(super) waiting_bytes: u64,
    /// Anomalies where there is no transaction.
    pub(super) loose: Vec<Anomaly>,
    /// Messages for scripts.
    pub(super) heard: Heard,
}

impl State {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            transactions: TransactionList::default(),
            oldest: 0,
            is_full: false,
            waiting: BTreeMap::new(),
            offers: [None; 2],
            transfers: BTreeMap::new(),
            opened: Cache::new(settings.max_opened),
            reads: Cache::new(settings.max_reads),
            trees: Cache::new(settings.max_trees),
            pipes: Cache::new(settings.max_pipes),
            asked_pipes: Cache::new(settings.max_sessions),
            dialect: Dialect::default(),
            max_read: 0,
            max_write: 0,
            has_gap: false,
            patience: Patience::default(),
            settled: PerDirection::default(),
            files: 0,
            waiting_bytes: 0,
            loose: Vec::new(),
            heard: Heard::default(),
        }
    }

    /// Something is wrong with what the newest transaction is about.
    pub(super) fn note(&mut self, anomaly: SmbAnomaly) {
        match self.transactions.last_mut() {
            Some(transaction) => transaction.note(anomaly),
            None => self.loose.push(anomaly.into()),
        }
    }

    /// A new transaction. Where too many are open, nothing more is read.
    pub(super) fn open(&mut self, moment: &Moment<'_>, command: Command, ids: Ids, content: Content) -> u64 {
        let most = self.settings.max_transactions;
        let one = self.transactions.one_too_many(&mut self.oldest, most, SmbTransaction::is_open);
        if let Some(old) = one.filter(|_| !self.is_full) {
            old.note(SmbAnomaly::TooManyTransactions);
            self.is_full = true;
        }
        let mut transaction = SmbTransaction::new(command, ids, self.dialect.clone(), content);
        transaction.meta.seen(moment.direction, moment.first);
        transaction.meta.seen(moment.direction, moment.last);
        self.transactions.push(transaction).meta.id
    }

    /// A new transaction that waits for an answer.
    pub(super) fn ask(&mut self, moment: &Moment<'_>, command: Command, ids: Ids, content: Content) -> u64 {
        // Which kind of share it is, only the answer tells.
        let waits = matches!(content, Content::Connect(_));
        let id = self.open(moment, command, ids, content);
        if let Some(transaction) = self.transactions.by_id_mut(id).filter(|_| !waits) {
            transaction.meta.advance(Direction::ToServer, COMPLETE);
        }
        self.wait((command, ids.session, ids.message), id);
        id
    }

    /// A transaction waits for an answer.
    pub(super) fn wait(&mut self, key: Key, id: u64) {
        self.waiting.insert(key, id);
    }

    /// The transaction that a message answers.
    pub(super) fn asked(&mut self, command: Command, ids: Ids) -> Option<&mut SmbTransaction> {
        let id = *self.waiting.get(&(command, ids.session, ids.message))?;
        self.transactions.by_id_mut(id)
    }

    /// Notes the answer to a transaction. One that says that the answer comes later does not end it.
    pub(super) fn answer(&mut self, moment: &Moment<'_>, id: u64, status: Status) {
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        transaction.meta.seen(moment.direction, moment.first);
        transaction.meta.seen(moment.direction, moment.last);
        transaction.status = Some(status);
        transaction.dialect = self.dialect.clone();
        if status != status::PENDING {
            transaction.end();
            let key = (transaction.command, transaction.ids.session, transaction.ids.message);
            self.forget(key, id);
        }
    }

    /// Handles a response; returns its transaction, if there is one.
    pub(super) fn answer_to(
        &mut self,
        moment: &Moment<'_>,
        command: Command,
        ids: Ids,
        status: Status,
    ) -> Option<u64> {
        let id = self.asked(command, ids)?.meta.id;
        self.answer(moment, id, status);
        Some(id)
    }

    /// It does not any more.
    pub(super) fn forget(&mut self, key: Key, id: u64) {
        if self.waiting.get(&key) == Some(&id) {
            self.waiting.remove(&key);
        }
    }

    /// Nothing of a transaction comes any more.
    pub(super) fn give_up(&mut self, id: u64) {
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        let key = (transaction.command, transaction.ids.session, transaction.ids.message);
        let mut waiting = 0;
        transaction.end();
        match &mut transaction.content {
            Content::File(transfer) => {
                waiting = transfer.end();
                let key = (transfer.file, transfer.direction == Direction::ToClient);
                let truncated = weir_applayer::FileState::Truncated;
                transaction.meta.files.iter_mut().for_each(|file| file.close(truncated));
                self.transfers.remove(&key);
                self.patience.forget(id);
            }
            Content::Call(call) => {
                for direction in Direction::BOTH {
                    let side = &mut call.exchange.sides[direction];
                    side.lost |= side.kind.is_none();
                }
            }
            Content::Negotiation(_) => {
                self.offers.iter_mut().for_each(|offer| *offer = offer.filter(|offer| *offer != id));
            }
            _ => {}
        }
        self.count_waiting(waiting, 0);
        self.forget(key, id);
    }

    /// The name of a file that is open.
    pub(super) fn name(&mut self, file: FileId) -> Option<Arc<[u8]>> {
        self.opened.get(&file).map(|opened| Arc::clone(&opened.name))
    }

    /// Returns the name of a file, or [`UNKNOWN`].
    pub(super) fn name_or_unknown(&mut self, file: FileId) -> Arc<[u8]> {
        self.name(file).unwrap_or_else(|| UNKNOWN.into())
    }

    /// The name under which a file that a message wants to open is asked for.
    pub(super) fn asked_name(&mut self, command: Command, ids: Ids) -> Option<Arc<[u8]>> {
        match &self.asked(command, ids)?.content {
            Content::Create(create) => Some(Arc::clone(&create.name)),
            _ => None,
        }
    }

    /// After something was missing, what was said before it is not answered any more; files may go on.
    pub(super) fn settle(&mut self, direction: Direction, now: Timestamp) {
        // The newest one may have come behind what was missing.
        let newest = self.transactions.created().saturating_sub(1);
        self.patience.missed(newest, now);
        let mut next = std::mem::replace(&mut self.settled[direction], newest);
        while let Some(transaction) = self.transactions.next_from(next) {
            let id = transaction.meta.id;
            if id >= newest {
                break;
            }
            next = id + 1;
            if matches!(transaction.content, Content::File(_)) {
                continue;
            }
            if direction == Direction::ToClient {
                self.give_up(id);
            } else if let Some(transaction) = self.transactions.by_id_mut(id) {
                transaction.meta.advance(Direction::ToServer, COMPLETE);
            }
        }
    }

    /// Files that waited long enough end.
    pub(super) fn lose_patience(&mut self, now: Timestamp) {
        while let Some(id) = self.patience.lost(now) {
            self.patience.forget(id);
            self.give_up(id);
        }
    }

    /// A side says no more.
    pub(super) fn close(&mut self, direction: Direction) {
        let of_side: Vec<u64> = self
            .transfers
            .iter()
            .filter(|((_, to_client), _)| *to_client == (direction == Direction::ToClient))
            .map(|(_, id)| *id)
            .collect();
        of_side.into_iter().for_each(|id| self.give_up(id));
    }

    /// A file was opened under the name that was asked for.
    pub(super) fn note_opened(
        &mut self,
        moment: &Moment<'_>,
        (command, ids): (Command, Ids),
        (file, times, size, shown_size): (FileId, Times, u64, u64),
    ) {
        let Some(transaction) = self.asked(command, ids) else { return };
        let id = transaction.meta.id;
        if let Content::Create(create) = &mut transaction.content {
            (create.file, create.times) = (Some(file), times);
            (create.size, create.shown_size) = (size, shown_size);
            let name = Arc::clone(&create.name);
            self.opened.insert(file, Opened { name, size });
        }
        self.answer(moment, id, status::SUCCESS);
    }

    /// A share was connected.
    pub(super) fn connected(&mut self, ids: Ids, name: Arc<[u8]>, is_pipe: bool) {
        self.trees.insert((ids.session, ids.tree), Tree { name, is_pipe });
    }

    /// Whether a share is one of pipes; none where that is not known.
    pub(super) fn is_pipe(&mut self, ids: Ids) -> Option<bool> {
        self.trees.get(&(ids.session, ids.tree)).map(|tree| tree.is_pipe)
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::NoOptions;

    use super::*;

    #[test]
    fn what_is_answered_waits_no_more() {
        let mut state = State::new(Settings::read(&NoOptions));
        let files = FileSettings::default();
        let (first, last) = (Timestamp(1), Timestamp(1));
        let command = Command::Two(1);
        // The session gets its number by an answer that says that the answer comes later.
        let ids = |session| Ids { session, tree: 0, message: 4 };
        let moment = Moment { direction: Direction::ToServer, first, last, files: &files };
        state.ask(&moment, command, ids(0), Content::Setup(Box::default()));
        let moment = Moment { direction: Direction::ToClient, ..moment };
        for (answer, waiting) in [(status::PENDING, 1), (status::SUCCESS, 0)] {
            state.setup_answer(&moment, command, ids(5), answer, |_| {});
            assert_eq!(state.waiting.len(), waiting);
        }
        assert!(!state.transactions.by_id(0).unwrap().is_open());
    }
}
