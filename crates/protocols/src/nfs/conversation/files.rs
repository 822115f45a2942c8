//! Files of a conversation: parts that are written or read, put together as they come.

use weir_applayer::{File, FileState, ParseContext, TxMeta};
use weir_base::{Direction, Timestamp};

use super::super::anomaly::NfsAnomaly;
use super::super::ask::Chunk;
use super::super::calls::Call;
use super::super::transaction::{COMPLETE, NfsTransaction};
use super::super::transfer::Transfer;
use super::super::{version3, version4};
use super::{Conversation, MAX_CHUNK, Streaming, Whose};

impl Conversation {
    /// The transaction of a file that more may come of, and whether that is new.
    pub(super) fn file(&mut self, whose: &Whose<'_>, time: Timestamp) -> (u64, bool) {
        if let Some(&id) = self.open[whose.direction].get(whose.handle)
            && self.transactions.by_id(id).is_some_and(|transaction| !transaction.is_complete())
        {
            return (id, false);
        }
        let mut meta = TxMeta::default();
        meta.seen(Direction::ToServer, time);
        let id = self.add(NfsTransaction {
            meta,
            version: whose.version,
            procedure: whose.procedure,
            xid: whose.xid,
            handle: whose.handle.to_vec(),
            name: whose.name.to_vec(),
            transfer: Some(Box::new(Transfer::new(whose.direction))),
            ..NfsTransaction::default()
        });
        let open = &mut self.open[whose.direction];
        // Seldom, where all of them are open: each is looked at.
        if open.len() > self.max_transactions.saturating_mul(2) {
            let transactions = &self.transactions;
            open.retain(|_, id| transactions.by_id(*id).is_some_and(|found| !found.is_complete()));
        }
        open.insert(whose.handle.to_vec(), id);
        (id, true)
    }

    /// Takes a part of a file that is written.
    pub(in super::super) fn write(
        &mut self,
        cx: &ParseContext<'_>,
        xid: u32,
        handle: &[u8],
        chunk: Chunk<'_>,
        call: &mut Call,
        time: Timestamp,
    ) -> Option<Streaming> {
        if handle.is_empty() || !(1..=MAX_CHUNK).contains(&chunk.data.length) {
            return None;
        }
        let name = self.names.of(handle).to_vec();
        let procedure = if call.version == 4 { version4::WRITE } else { version3::WRITE };
        let (version, direction) = (call.version, Direction::ToServer);
        let (id, is_new) =
            self.file(&Whose { direction, handle, name: &name, version, procedure, xid }, time);
        call.transaction = Some(id);
        if chunk.is_stable {
            self.open[direction].remove(handle);
        }
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.meta.seen(direction, time);
        let transfer = transaction.transfer.as_mut()?;
        transfer.chunks = transfer.chunks.saturating_add(u32::from(!is_new));
        if chunk.is_stable {
            transfer.is_last = true;
            transfer.last_xid = xid;
        }
        open_file(&mut transaction.meta, &mut self.next_file, &transaction.name, direction, cx, time);
        let streaming = Streaming {
            transaction: id,
            offset: chunk.offset,
            left: chunk.data.length,
            closes: chunk.is_stable,
        };
        Some(self.stream(streaming, direction, chunk.data.bytes, time)).filter(|streaming| streaming.left > 0)
    }

    /// Ends a file that was written.
    pub(in super::super) fn close_written(
        &mut self,
        xid: u32,
        handle: &[u8],
        time: Timestamp,
    ) -> Option<u64> {
        let id = self.open.to_server.remove(handle)?;
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.meta.seen(Direction::ToServer, time);
        let transfer = transaction.transfer.as_mut()?;
        transfer.is_last = true;
        transfer.last_xid = xid;
        if let Some(file) = transaction.meta.files.first_mut() {
            transfer.close(file, FileState::Closed);
        }
        transaction.meta.advance(Direction::ToServer, COMPLETE);
        Some(id)
    }

    /// Takes bytes of a part of a file, and says what is yet to come of it.
    pub fn stream(
        &mut self,
        mut part: Streaming,
        direction: Direction,
        bytes: &[u8],
        time: Timestamp,
    ) -> Streaming {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX).min(part.left);
        part.left -= length;
        let offset = part.offset;
        part.offset = offset.saturating_add(u64::from(length));
        if let Some(transaction) = self.transactions.by_id_mut(part.transaction)
            && let Some(transfer) = &mut transaction.transfer
        {
            transaction.meta.seen(direction, time);
            if let Some(file) = transaction.meta.files.first_mut() {
                transfer.take(file, offset, bytes.get(..length as usize).unwrap_or_default(), time);
            }
        }
        self.limit_waiting(part.transaction);
        self.settle(part, direction);
        part
    }

    /// Bytes of a part of a file were never seen.
    pub fn miss(&mut self, mut part: Streaming, direction: Direction, length: u32) -> Streaming {
        let length = length.min(part.left);
        part.left -= length;
        if let Some(transaction) = self.transactions.by_id_mut(part.transaction)
            && let (Some(transfer), Some(file)) =
                (&mut transaction.transfer, transaction.meta.files.first_mut())
        {
            transfer.pass(file, part.offset, length.into());
            transaction.meta.updated[direction] = true;
        }
        part.offset = part.offset.saturating_add(length.into());
        self.settle(part, direction);
        part
    }

    /// Notes what waits of a file, and passes over what is in front of that in the oldest files where too much does.
    fn limit_waiting(&mut self, id: u64) {
        let list = &self.transactions;
        let transfer = list.by_id(id).and_then(|transaction| transaction.transfer.as_ref());
        let size = transfer.map_or(0, |transfer| transfer.waiting());
        self.waiting.set(id, size, list.len(), |id| list.by_id(id).is_some());
        while let Some(oldest) = self.waiting.one_too_many() {
            let Some(transaction) = self.transactions.by_id_mut(oldest) else { continue };
            let (Some(transfer), Some(file)) =
                (&mut transaction.transfer, transaction.meta.files.first_mut())
            else {
                continue;
            };
            transfer.pass_holes(file);
            transaction.meta.updated[transfer.direction] = true;
            transaction.meta.anomaly(NfsAnomaly::TooManyTransactions.into());
        }
    }

    /// Of a part of a file no more is to come than its record has.
    pub fn limit(&mut self, mut part: Streaming, direction: Direction, most: usize) -> Streaming {
        part.left = part.left.min(u32::try_from(most).unwrap_or(u32::MAX));
        self.settle(part, direction);
        part
    }

    /// Ends a file whose last part is there.
    pub(super) fn settle(&mut self, part: Streaming, direction: Direction) {
        let had_gap = self.had_gap[direction];
        let Some(transaction) = self.transactions.by_id_mut(part.transaction) else { return };
        let Some(transfer) = &mut transaction.transfer else { return };
        let is_over = match direction {
            Direction::ToServer => part.closes,
            // Parts that were lost do not come any more.
            Direction::ToClient => transfer.is_whole() || part.closes && had_gap,
        };
        let file = transaction.meta.files.first_mut();
        let is_unknown = part.closes && file.is_none();
        if part.left > 0 || !(is_over || is_unknown) {
            return;
        }
        if let Some(file) = file {
            transfer.close(file, FileState::Closed);
        }
        transaction.meta.advance(direction, COMPLETE);
        self.open[direction].remove(&transaction.handle);
    }
}

/// Opens the file of a transaction that has none yet.
pub(super) fn open_file(
    meta: &mut TxMeta,
    next_file: &mut u64,
    name: &[u8],
    direction: Direction,
    cx: &ParseContext<'_>,
    time: Timestamp,
) {
    if meta.files.is_empty() && cx.files.enabled {
        meta.files.push(File::open(*next_file, name.to_vec(), direction, time, cx.files));
        *next_file += 1;
    }
}
