//! A transaction: a call and its reply, or what was read or written of a file.

use weir_applayer::{File, Progress, TransactionList, TxMeta};
use weir_base::Direction;

use super::anomaly::NfsAnomaly;
use super::rpc::Credentials;
use super::transfer::Transfer;
use super::{version2, version3, version4};

/// The state of a direction that is complete.
pub const COMPLETE: Progress = Progress(1);

/// A call and its reply, or a file.
#[derive(Debug, Default)]
pub struct NfsTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The version of NFS.
    pub version: u32,
    /// The procedure; in version 4, the operation.
    pub procedure: u32,
    /// The number of the call; of a file, of the first one.
    pub xid: u32,
    /// Credentials of the caller. Nothing is kept of those who write files.
    pub credentials: Credentials,
    /// The handle of what it is about.
    pub handle: Vec<u8>,
    /// Name of the object.
    pub name: Vec<u8>,
    /// New name of the object.
    pub renamed: Option<Vec<u8>>,
    /// Whether the call was accepted, 0, or denied, 1.
    pub rpc_status: u32,
    /// Status of the reply.
    pub status: u32,
    /// The file.
    pub transfer: Option<Box<Transfer>>,
}

weir_applayer::transaction!(NfsTransaction, |tx| Some(tx.held_bytes()));

impl NfsTransaction {
    fn held_bytes(&self) -> usize {
        let names =
            self.handle.capacity() + self.name.capacity() + self.renamed.as_ref().map_or(0, Vec::capacity);
        let files: usize = self.meta.files.iter().map(File::memory).sum();
        names
            + files
            + self.transfer.as_ref().map_or(0, |transfer| size_of::<Transfer>() + transfer.waiting())
    }

    /// Whether it has a procedure, or ended by it.
    pub fn has_procedure(&self, fits: impl Fn(u32) -> bool) -> bool {
        let is_committed = self.transfer.as_ref().is_some_and(|transfer| transfer.is_committed);
        fits(self.procedure) || is_committed && fits(version3::COMMIT)
    }

    /// Whether it renames something.
    pub const fn is_rename(&self) -> bool {
        matches!((self.version, self.procedure), (2, version2::RENAME) | (3, version3::RENAME))
    }

    /// Whether it reads a file.
    pub const fn is_read(&self) -> bool {
        matches!((self.version, self.procedure), (2 | 3, version3::READ) | (4, version4::READ))
    }

    /// Whether both sides have said all.
    pub fn is_complete(&self) -> bool {
        Direction::BOTH.iter().all(|&direction| self.meta.progress[direction] >= COMPLETE)
    }

    /// Nothing more comes.
    pub fn complete(&mut self) {
        Direction::BOTH.iter().for_each(|&direction| self.meta.advance(direction, COMPLETE));
    }
}

/// Gives up the oldest transaction that is open, where there are more than `most`. Those before `given_up` are not.
pub fn give_up_one(transactions: &mut TransactionList<NfsTransaction>, given_up: &mut u64, most: usize) {
    if transactions.len() <= most {
        return;
    }
    while let Some(found) = transactions.next_from(*given_up) {
        let (id, is_open) = (found.meta.id, !found.is_complete());
        *given_up = id + 1;
        if !is_open {
            continue;
        }
        if let Some(transaction) = transactions.by_id_mut(id) {
            transaction.meta.anomaly(NfsAnomaly::TooManyTransactions.into());
            end_file(transaction);
            transaction.complete();
        }
        return;
    }
}

/// Ends the file of a transaction where it is.
pub fn end_file(transaction: &mut NfsTransaction) {
    if let (Some(transfer), Some(file)) = (&mut transaction.transfer, transaction.meta.files.first_mut()) {
        transfer.close(file, weir_applayer::FileState::Truncated);
    }
}
