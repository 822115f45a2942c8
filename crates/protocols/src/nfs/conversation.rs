//! Calls and replies made into transactions, files, and the names of handles.

mod files;

use std::collections::HashMap;

use weir_applayer::{ParseContext, TransactionList, TxMeta};
use weir_base::{Direction, PerDirection, Timestamp};

use super::anomaly::NfsAnomaly;
use super::ask::{Ask, Naming, Piece};
use super::calls::{Call, Calls, Names};
use super::compound::Begun;
use super::rpc::{self, Credentials};
use super::transaction::{COMPLETE, NfsTransaction, end_file, give_up_one};
use super::waiting::Waiting;
use super::{version2, version3, version4};

use files::open_file;

/// Most that is read or written of a file at once; servers take a megabyte.
pub const MAX_CHUNK: u32 = 16 << 20;

/// A part of a file whose bytes are yet to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Streaming {
    transaction: u64,
    offset: u64,
    /// Bytes to come.
    pub left: u32,
    /// The file ends with it.
    closes: bool,
}

/// The two ends of a connection, or of an exchange of datagrams.
#[derive(Debug)]
pub struct Conversation {
    max_transactions: usize,
    /// The transactions.
    pub transactions: TransactionList<NfsTransaction>,
    pub(super) calls: Calls,
    pub(super) names: Names,
    /// The transactions of files that more may come of, by handle.
    open: PerDirection<HashMap<Vec<u8>, u64>>,
    waiting: Waiting,
    had_gap: PerDirection<bool>,
    next_file: u64,
    given_up: u64,
    /// Replies to calls before this one may be missing.
    lost: u64,
}

/// File that a part belongs to.
struct Whose<'a> {
    direction: Direction,
    handle: &'a [u8],
    name: &'a [u8],
    version: u32,
    procedure: u32,
    xid: u32,
}

impl Conversation {
    /// Bytes of what is known of calls, names and files beside the transactions.
    pub(super) fn memory(&self) -> usize {
        self.calls.memory() + self.names.memory()
    }

    /// Nothing was said yet.
    pub fn new(max_transactions: usize) -> Self {
        Self {
            max_transactions,
            transactions: TransactionList::default(),
            calls: Calls::default(),
            names: Names::default(),
            open: PerDirection::default(),
            waiting: Waiting::default(),
            had_gap: PerDirection::default(),
            next_file: 0,
            given_up: 0,
            lost: 0,
        }
    }

    /// Whether a call has this number.
    pub fn waits_for(&self, xid: u32) -> bool {
        self.calls.get(xid).is_some()
    }

    /// The version of the call with this number.
    pub fn version_of(&self, xid: u32) -> Option<u32> {
        self.calls.get(xid).map(|call| call.version)
    }

    /// Something is wrong with the newest transaction, or with no one.
    pub fn anomaly(&mut self, cx: &mut ParseContext<'_>, anomaly: NfsAnomaly) {
        match self.transactions.last_mut() {
            Some(transaction) => transaction.meta.anomaly(anomaly.into()),
            None => cx.anomalies.push(anomaly.into()),
        }
    }

    /// Whether a call of which only the beginning is there has come to the data of a file.
    pub fn call_is_in_data(&self, call: &rpc::Call<'_>) -> bool {
        let Some((arguments, _)) = unwrapped(call.is_wrapped, call.arguments) else { return false };
        match (call.target.version, call.target.procedure) {
            (3, version3::WRITE) => version3::ask(version3::WRITE, arguments).is_some(),
            (4, version4::COMPOUND) => Self::compound_is_in_data(arguments),
            _ => false,
        }
    }

    /// Returns whether a reply ends inside data.
    pub fn reply_is_in_data(&self, xid: u32, reply: &rpc::Reply<'_>) -> bool {
        let Some(call) = self.calls.get(xid) else { return false };
        let results = reply.results.and_then(|results| unwrapped(call.is_wrapped, results));
        let Some((results, _)) = results else { return false };
        let has_piece =
            |answer: Option<super::ask::Answer<'_>>| answer.is_some_and(|found| found.piece.is_some());
        match (call.version, call.procedure) {
            (2, version2::READ) => has_piece(version2::answer(call.procedure, results)),
            (3, version3::READ) => has_piece(version3::answer(call.procedure, results)),
            (4, version4::COMPOUND) => Self::answers_are_in_data(results),
            _ => false,
        }
    }

    /// Takes a call.
    pub fn call(
        &mut self,
        cx: &mut ParseContext<'_>,
        xid: u32,
        call: &rpc::Call<'_>,
        time: Timestamp,
    ) -> Begun {
        let (version, procedure) = (call.target.version, call.target.procedure);
        if !(2..=4).contains(&version) {
            self.anomaly(cx, NfsAnomaly::NonExistingVersion);
            return Begun::default();
        }
        let mut kept = Call { version, procedure, is_wrapped: call.is_wrapped, ..Call::default() };
        if version == 4 {
            if procedure == version4::COMPOUND {
                return self.compound(cx, (xid, kept), call, time);
            }
            self.calls.add(xid, kept);
            return Begun::default();
        }
        let (arguments, missing) = unwrapped(call.is_wrapped, call.arguments).unzip();
        let ask = arguments.and_then(|arguments| match version {
            2 => version2::ask(procedure, arguments),
            _ => version3::ask(procedure, arguments),
        });
        let nothing = Ask::Call { handle: &[], name: Naming::Nothing, renamed: None };
        let part = self.ask(cx, xid, ask.unwrap_or(nothing), &call.credentials, &mut kept, time);
        if ask.is_none() {
            self.anomaly(cx, NfsAnomaly::MalformedData);
        }
        self.calls.add(xid, kept);
        Begun { missing: missing.flatten(), ..Begun::of(part) }
    }

    /// Takes what a call of version 2 or 3 asks for.
    fn ask(
        &mut self,
        cx: &ParseContext<'_>,
        xid: u32,
        ask: Ask<'_>,
        credentials: &Credentials,
        call: &mut Call,
        time: Timestamp,
    ) -> Option<Streaming> {
        match ask {
            Ask::Call { handle, name, renamed } => {
                call.handle = handle.to_vec();
                call.name = match name {
                    Naming::Given(name) => name.to_vec(),
                    Naming::ByHandle => self.names.of(handle).to_vec(),
                    Naming::Nothing => Vec::new(),
                };
                call.transaction = Some(self.plain(
                    xid,
                    call.procedure,
                    call,
                    credentials,
                    renamed.map(<[u8]>::to_vec),
                    time,
                ));
                None
            }
            Ask::Read { handle, offset } => {
                call.handle = handle.to_vec();
                call.name = self.names.of(handle).to_vec();
                call.offset = offset;
                let whose = Whose {
                    direction: Direction::ToClient,
                    handle,
                    name: &call.name,
                    version: call.version,
                    procedure: call.procedure,
                    xid,
                };
                let (id, is_new) = self.file(&whose, time);
                if is_new && let Some(transaction) = self.transactions.by_id_mut(id) {
                    transaction.credentials = credentials.clone();
                }
                call.transaction = Some(id);
                None
            }
            Ask::Write { handle, chunk } => self.write(cx, xid, handle, chunk, call, time),
            Ask::Commit { handle } => {
                call.transaction = self.close_written(xid, handle, time);
                if let Some(transaction) = call.transaction.and_then(|id| self.transactions.by_id_mut(id))
                    && let Some(transfer) = &mut transaction.transfer
                {
                    transfer.chunks = transfer.chunks.saturating_add(1);
                    transfer.is_committed = true;
                }
                None
            }
        }
    }

    /// Makes the transaction of a call that is about no file's content.
    pub(super) fn plain(
        &mut self,
        xid: u32,
        procedure: u32,
        call: &Call,
        credentials: &Credentials,
        renamed: Option<Vec<u8>>,
        time: Timestamp,
    ) -> u64 {
        let mut meta = TxMeta::default();
        meta.seen(Direction::ToServer, time);
        meta.advance(Direction::ToServer, COMPLETE);
        self.add(NfsTransaction {
            meta,
            version: call.version,
            procedure,
            xid,
            credentials: credentials.clone(),
            handle: call.handle.clone(),
            name: call.name.clone(),
            renamed,
            ..NfsTransaction::default()
        })
    }

    fn add(&mut self, transaction: NfsTransaction) -> u64 {
        let id = self.transactions.push(transaction).meta.id;
        give_up_one(&mut self.transactions, &mut self.given_up, self.max_transactions);
        id
    }

    /// Takes a reply.
    pub fn reply(
        &mut self,
        cx: &mut ParseContext<'_>,
        xid: u32,
        reply: &rpc::Reply<'_>,
        time: Timestamp,
    ) -> Begun {
        let Some(call) = self.calls.take(xid) else { return Begun::default() };
        let Some(results) = reply.results.map(|results| unwrapped(call.is_wrapped, results)) else {
            self.finish(&call, xid, reply.status, 0, None, time);
            return Begun::default();
        };
        let (results, missing) = results.unzip();
        let missing = missing.flatten();
        let part = match (call.version, call.procedure, results) {
            (4, version4::COMPOUND, Some(results)) => {
                let begun = self.compound_reply(cx, (xid, call), results, reply.status, time);
                return Begun { missing, ..begun };
            }
            (4, _, Some(_)) => Some(None),
            (_, _, Some(results)) => self.answer(cx, xid, results, &call, reply.status, time),
            (.., None) => None,
        };
        if part.is_none() {
            self.finish(&call, xid, reply.status, 0, None, time);
            self.anomaly(cx, NfsAnomaly::MalformedData);
        }
        Begun { missing, ..Begun::of(part.flatten()) }
    }

    /// Takes the results of a call of version 2 or 3; none where they are malformed.
    fn answer(
        &mut self,
        cx: &ParseContext<'_>,
        xid: u32,
        results: &[u8],
        call: &Call,
        rpc_status: u32,
        time: Timestamp,
    ) -> Option<Option<Streaming>> {
        let answer = match call.version {
            2 => version2::answer(call.procedure, results)?,
            _ => version3::answer(call.procedure, results)?,
        };
        if let Some(handle) = answer.handle {
            self.names.learn(handle, &call.name);
        }
        for (handle, name) in &answer.entries {
            self.names.learn(handle, name);
        }
        if let Some(piece) = answer.piece {
            return Some(self.piece(cx, xid, piece, call, rpc_status, time));
        }
        self.finish(call, xid, rpc_status, answer.status, answer.handle, time);
        Some(None)
    }

    /// Ends the transaction of a call that has its reply; a file, where the call ended that.
    pub(super) fn finish(
        &mut self,
        call: &Call,
        xid: u32,
        rpc_status: u32,
        status: u32,
        handle: Option<&[u8]>,
        time: Timestamp,
    ) {
        let Some(transaction) = call.transaction.and_then(|id| self.transactions.by_id_mut(id)) else {
            return;
        };
        transaction.meta.seen(Direction::ToClient, time);
        let failed = status != 0 || rpc_status != 0;
        let is_over = match &transaction.transfer {
            None => true,
            Some(transfer) if transfer.direction == Direction::ToServer => {
                transfer.is_last && transfer.last_xid == xid
            }
            // What could not be read from the beginning.
            Some(_) => failed && transaction.meta.files.is_empty(),
        };
        if !is_over {
            return;
        }
        transaction.rpc_status = rpc_status;
        transaction.status = status;
        if transaction.handle.is_empty() {
            transaction.handle.extend_from_slice(handle.unwrap_or_default());
        }
        if transaction.is_read() {
            self.open.to_client.remove(&transaction.handle);
        }
        transaction.complete();
    }

    /// Takes a part of a file that was read.
    pub(super) fn piece(
        &mut self,
        cx: &ParseContext<'_>,
        xid: u32,
        piece: Piece<'_>,
        call: &Call,
        rpc_status: u32,
        time: Timestamp,
    ) -> Option<Streaming> {
        let end = call.offset.saturating_add(piece.data.length.into());
        let is_last = piece.is_end || piece.size == Some(end);
        if call.handle.is_empty() || piece.data.length > MAX_CHUNK || piece.data.length == 0 && !is_last {
            return None;
        }
        let procedure = if call.version == 4 { version4::READ } else { version3::READ };
        let (version, direction) = (call.version, Direction::ToClient);
        let whose = Whose { direction, handle: &call.handle, name: &call.name, version, procedure, xid };
        let (id, is_new) = self.file(&whose, time);
        let transaction = self.transactions.by_id_mut(id)?;
        let transfer = transaction.transfer.as_mut()?;
        transfer.chunks = transfer.chunks.saturating_add(u32::from(!is_new));
        if is_last {
            transfer.ends_at(end);
            transfer.is_last = true;
            transfer.last_xid = xid;
            transaction.rpc_status = rpc_status;
            transaction.meta.advance(Direction::ToServer, COMPLETE);
        }
        if piece.data.length > 0 {
            open_file(&mut transaction.meta, &mut self.next_file, &call.name, direction, cx, time);
        }
        let part =
            Streaming { transaction: id, offset: call.offset, left: piece.data.length, closes: is_last };
        Some(self.stream(part, direction, piece.data.bytes, time)).filter(|part| part.left > 0)
    }

    /// Something is missing: what waits for a reply may wait for good.
    pub fn gap(&mut self, direction: Direction) {
        self.had_gap[direction] = true;
        if direction == Direction::ToClient {
            self.transactions.newer_mut(&mut self.lost, |found| {
                if found.transfer.is_none() {
                    found.complete();
                }
            });
        }
    }

    /// Nothing more comes of a direction, nor of its files.
    pub fn close(&mut self, direction: Direction) {
        self.open[direction].clear();
        for transaction in self.transactions.iter_mut() {
            if transaction.transfer.as_ref().is_some_and(|transfer| transfer.direction == direction) {
                end_file(transaction);
                transaction.meta.advance(direction, COMPLETE);
            }
        }
    }
}

/// Arguments or results without what is around them, and how many bytes of them are to come, where that is known.
pub(super) fn unwrapped(is_wrapped: bool, bytes: &[u8]) -> Option<(&[u8], Option<usize>)> {
    if is_wrapped {
        rpc::unwrap(bytes).map(|(inside, left)| (inside, Some(left)))
    } else {
        Some((bytes, None))
    }
}
