//! Chunks that messages read of files and write to them, or to pipes.

use std::sync::Arc;

use weir_applayer::{File, FileState};
use weir_base::Direction;

use super::anomaly::SmbAnomaly;
use super::file::Transfer;
use super::pipe::Carrier;
use super::state::{Moment, State};
use super::transaction::{Command, Content, FileId, Ids, Status};

/// Most bytes that wait for their turn, of all files of a connection.
pub(super) const MAX_WAITING: u64 = 256 << 20;

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
    /// Name of the file if its own is not known.
    pub(super) nameless: &'static [u8],
    /// Status of the message.
    pub(super) status: Option<Status>,
}

/// Rest of a message: bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coming {
    /// The file's transaction.
    pub(super) transaction: u64,
    /// Bytes to come.
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
        // Records of writes of version 2 name no share.
        let is_named = !(matches!(command, Command::Two(_)) && moment.direction == Direction::ToServer);
        let tree = self.trees.get(&(ids.session, ids.tree)).filter(|_| is_named);
        let share = tree.map(|tree| Arc::clone(&tree.name));
        let opened = self.opened.get(&chunk.file).cloned();
        let name = opened.as_ref().map_or_else(|| chunk.nameless.into(), |opened| Arc::clone(&opened.name));
        let direction = moment.direction;
        let transfer = Transfer::new(direction, chunk.file, Arc::clone(&name), share.unwrap_or_default());
        let ids = Ids { message: 0, ..ids };
        let id = self.open(moment, command, ids, Content::File(Box::new(transfer)));
        self.transfers.insert((chunk.file, direction == Direction::ToClient), id);
        self.patience.calm(id);
        if let Some(transaction) = self.transactions.by_id_mut(id).filter(|_| moment.files.enabled) {
            let mut file =
                File::open_for_all(self.files, name.to_vec(), direction, moment.last, moment.files);
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
        let before = transfer.waiting_bytes();
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
        let after = transfer.waiting_bytes();
        self.count_waiting(before, after);
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

    /// Returns the anomaly that speaks against taking a chunk of a file.
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
        let is_early = transfer.is_early(chunk.offset);
        if most_bytes != 0 && bytes.saturating_add(chunk.length) > most_bytes
            || is_early && self.waiting_bytes.saturating_add(chunk.length) > MAX_WAITING
        {
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
            self.patience.came(id);
            let before = transfer.waiting_bytes();
            transfer.append(file, bytes, moment.last);
            let after = transfer.waiting_bytes();
            self.count_waiting(before, after);
        }
    }

    /// Of one file, so many bytes wait for their turn in place of as many as before.
    pub(super) fn count_waiting(&mut self, before: u64, after: u64) {
        self.waiting_bytes = self.waiting_bytes.saturating_add(after).saturating_sub(before);
    }

    /// The next bytes of such a chunk never come.
    pub(super) fn missing(&mut self, moment: &Moment<'_>, id: u64, length: u64) {
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        transaction.meta.updated[moment.direction] = true;
        if let (Content::File(transfer), Some(file)) =
            (&mut transaction.content, transaction.meta.files.first_mut())
        {
            let before = transfer.waiting_bytes();
            transfer.gap(file, length, moment.last);
            let after = transfer.waiting_bytes();
            self.count_waiting(before, after);
        }
    }

    /// A file is closed. Answers whether it was being read or written.
    pub(super) fn close_file(&mut self, file: FileId, direction: Direction, status: Option<Status>) -> bool {
        let Some(id) = self.transfers.remove(&(file, direction == Direction::ToClient)) else { return false };
        self.patience.forget(id);
        let dialect = self.dialect.clone();
        let Some(transaction) = self.transactions.by_id_mut(id) else { return false };
        transaction.dialect = dialect;
        transaction.status = status.or(transaction.status);
        transaction.meta.files.iter_mut().for_each(|file| file.close(FileState::Closed));
        let waiting = if let Content::File(transfer) = &mut transaction.content { transfer.end() } else { 0 };
        transaction.end();
        self.count_waiting(waiting, 0);
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

#[cfg(test)]
mod tests {
    use weir_applayer::NoOptions;
    use weir_applayer::file::FileSettings;
    use weir_base::Timestamp;

    use super::*;
    use crate::smb::settings::Settings;

    #[test]
    fn what_waits_of_all_files_is_bounded() {
        let mut state = State::new(Settings::read(&NoOptions));
        let files = FileSettings::default();
        let time = Timestamp(1);
        let moment = Moment { direction: Direction::ToServer, first: time, last: time, files: &files };
        let file = FileId::Two([7; 16]);
        let write = |state: &mut State, offset| {
            let chunk = Chunk { file, offset, length: 3, data: b"abc", nameless: b"", status: None };
            assert_eq!(state.chunk(&moment, Command::Two(9), Ids::default(), chunk), None);
            let transaction = state.transactions.by_id(0).unwrap();
            (transaction.meta.files[0].size, transaction.meta.anomalies.len(), state.waiting_bytes)
        };
        assert_eq!(write(&mut state, 0), (3, 0, 0));
        state.count_waiting(0, MAX_WAITING);
        assert_eq!(write(&mut state, 3), (6, 0, MAX_WAITING), "what need not wait");
        assert_eq!(write(&mut state, 9), (6, 1, MAX_WAITING));
        state.count_waiting(MAX_WAITING, 0);
        assert_eq!(write(&mut state, 9), (6, 1, 3));
        assert_eq!(write(&mut state, 6), (12, 1, 0));
        assert_eq!(write(&mut state, 20), (12, 1, 3));
        assert!(state.close_file(file, Direction::ToServer, None));
        assert_eq!(state.waiting_bytes, 0);
    }
}
