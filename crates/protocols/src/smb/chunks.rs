//! What messages read of files and write to them, or to pipes.

use std::sync::Arc;

use weir_applayer::{File, FileState};
use weir_base::Direction;

use super::anomaly::SmbAnomaly;
use super::file::Transfer;
use super::pipe::Carrier;
use super::state::{Moment, State};
use super::transaction::{Command, Content, FileId, Ids, Status};

/// A piece of a file, as a message carries it.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a> {
    /// The file.
    pub(super) file: FileId,
    /// Where the piece belongs.
    pub(super) offset: u64,
    /// Its length.
    pub(super) length: u64,
    /// As much of it as has come.
    pub(super) data: &'a [u8],
    /// What the file is called if its name is not known.
    pub(super) nameless: &'static [u8],
    /// What became of the message.
    pub(super) status: Option<Status>,
}

/// What of a message is yet to come: bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coming {
    /// The file's transaction.
    pub(super) transaction: u64,
    /// How many bytes.
    pub(super) left: u64,
}

impl State {
    /// Takes a piece of a file, or what goes through a pipe.
    pub(super) fn chunk(
        &mut self,
        moment: &Moment<'_>,
        command: Command,
        ids: Ids,
        chunk: Chunk<'_>,
    ) -> Option<Coming> {
        let key = (chunk.file, moment.direction == Direction::ToClient);
        let id = match self.transfers.get(&key).copied() {
            Some(id) => id,
            None if self.goes_through_pipe(ids, &chunk) => {
                let Chunk { file, data, status, .. } = chunk;
                if self.carries_calls(file, data) {
                    let is_answered_at_once = false;
                    let carrier = Carrier { command, ids, pipe: file, status, data, is_answered_at_once };
                    self.pipe(moment, carrier);
                }
                return None;
            }
            None => self.begin_transfer(moment, command, ids, &chunk),
        };
        self.continue_transfer(moment, id, chunk)
    }

    fn goes_through_pipe(&mut self, ids: Ids, chunk: &Chunk<'_>) -> bool {
        if let Some(is_pipe) = self.is_pipe(ids) {
            return is_pipe;
        }
        // The share was connected before anything was seen.
        let is_one = self.pipes.get(&chunk.file).is_some() || super::pipe::looks_like_rpc(chunk.data);
        if is_one {
            self.connected(ids, Arc::default(), true);
        }
        is_one
    }

    fn begin_transfer(&mut self, moment: &Moment<'_>, command: Command, ids: Ids, chunk: &Chunk<'_>) -> u64 {
        let share = self.trees.get(&(ids.session, ids.tree)).map(|tree| Arc::clone(&tree.name));
        let opened = self.opened.get(&chunk.file).cloned();
        let name = opened.as_ref().map_or_else(|| chunk.nameless.into(), |opened| Arc::clone(&opened.name));
        let direction = moment.direction;
        let transfer = Transfer::new(direction, chunk.file, Arc::clone(&name), share.unwrap_or_default());
        let ids = Ids { message: 0, ..ids };
        let id = self.open(moment, command, ids, Content::File(Box::new(transfer)));
        self.transfers.insert((chunk.file, direction == Direction::ToClient), id);
        if let Some(transaction) = self.transactions.by_id_mut(id).filter(|_| moment.files.enabled) {
            let mut file = File::open(self.files, name.to_vec(), direction, moment.last, moment.files);
            file.announced = opened.map(|opened| opened.size).filter(|size| *size > 0);
            transaction.meta.files.push(file);
            self.files += 1;
        }
        id
    }

    fn continue_transfer(&mut self, moment: &Moment<'_>, id: u64, chunk: Chunk<'_>) -> Option<Coming> {
        let refused = self.refuses(moment.direction, id, &chunk);
        let has_gap = self.has_gap;
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.meta.seen(moment.direction, moment.last);
        let Content::File(transfer) = &mut transaction.content else { return None };
        let overlaps = transfer.has_passed(chunk.offset);
        let file = transaction.meta.files.first_mut();
        if refused.is_none() {
            let incomplete = transfer.begin(chunk.offset, chunk.length);
            if let Some(file) = file {
                if incomplete || has_gap && transfer.waits_in_vain() {
                    file.close(FileState::Truncated);
                }
                transfer.append(file, chunk.data, moment.last);
            }
        }
        if overlaps {
            self.note(SmbAnomaly::FileOverlap);
        }
        if let Some(anomaly) = refused {
            self.note(anomaly);
            return None;
        }
        let left = chunk.length.saturating_sub(chunk.data.len() as u64);
        (left > 0).then_some(Coming { transaction: id, left })
    }

    /// What speaks against taking a chunk of a file.
    fn refuses(&self, direction: Direction, id: u64, chunk: &Chunk<'_>) -> Option<SmbAnomaly> {
        let Content::File(transfer) = &self.transactions.by_id(id)?.content else { return None };
        let (count, bytes) = transfer.load();
        let settings = &self.settings;
        let (most_bytes, most_count, too_large, too_many) = match direction {
            Direction::ToClient => (
                settings.max_read_queue_size,
                settings.max_read_queue_count,
                SmbAnomaly::ReadQueueSizeExceeded,
                SmbAnomaly::ReadQueueCntExceeded,
            ),
            Direction::ToServer => (
                settings.max_write_queue_size,
                settings.max_write_queue_count,
                SmbAnomaly::WriteQueueSizeExceeded,
                SmbAnomaly::WriteQueueCntExceeded,
            ),
        };
        if most_bytes != 0 && bytes.saturating_add(chunk.length) > most_bytes {
            Some(too_large)
        } else {
            (most_count != 0 && count >= most_count).then_some(too_many)
        }
    }

    /// The next bytes of a chunk that was not whole.
    pub(super) fn more(&mut self, moment: &Moment<'_>, id: u64, bytes: &[u8]) {
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        transaction.meta.seen(moment.direction, moment.last);
        if let (Content::File(transfer), Some(file)) =
            (&mut transaction.content, transaction.meta.files.first_mut())
        {
            transfer.patience = None;
            transfer.append(file, bytes, moment.last);
        }
    }

    /// The next bytes of such a chunk never come.
    pub(super) fn missing(&mut self, moment: &Moment<'_>, id: u64, length: u64) {
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        transaction.meta.updated[moment.direction] = true;
        if let (Content::File(transfer), Some(file)) =
            (&mut transaction.content, transaction.meta.files.first_mut())
        {
            transfer.gap(file, length, moment.last);
        }
    }

    /// A file is closed. Answers whether it was being read or written.
    pub(super) fn close_file(&mut self, file: FileId, direction: Direction, status: Option<Status>) -> bool {
        let Some(id) = self.transfers.remove(&(file, direction == Direction::ToClient)) else { return false };
        let dialect = self.dialect.clone();
        let Some(transaction) = self.transactions.by_id_mut(id) else { return false };
        transaction.dialect = dialect;
        transaction.status = status.or(transaction.status);
        transaction.meta.files.iter_mut().for_each(|file| file.close(FileState::Closed));
        if let Content::File(transfer) = &mut transaction.content {
            transfer.end();
        }
        transaction.end();
        true
    }

    /// A file was read to its end: nothing is added to it, but it is yet to be closed.
    pub(super) fn end_file(&mut self, file: FileId, status: Status) {
        let Some(id) = self.transfers.get(&(file, true)) else { return };
        if let Some(transaction) = self.transactions.by_id_mut(*id) {
            transaction.status = Some(status);
            transaction.meta.files.iter_mut().for_each(|file| file.close(FileState::Closed));
            transaction.meta.updated[Direction::ToClient] = true;
        }
    }
}
