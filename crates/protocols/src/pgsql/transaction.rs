//! Transactions: a request of the client, and the server's response.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::anomaly::PgsqlAnomaly;
use super::answer::Answer;
use super::request::Request;

/// All of it was read.
pub const COMPLETE: Progress = Progress(1);

/// Place of a transaction among others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Place {
    /// It has the request and what answers it.
    #[default]
    Whole,
    /// It has a request that the next one has the answer of.
    LeftOpen,
    /// It has the answer of the request before it.
    AnswersEarlier,
}

/// One transaction.
#[derive(Debug, Default)]
pub struct PgsqlTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Request of the client.
    pub request: Request,
    /// Response of the server.
    pub answer: Answer,
    /// Its place among others.
    pub place: Place,
    /// When something came in its place that is no message.
    pub failed_at: Option<Timestamp>,
}

weir_applayer::transaction!(PgsqlTransaction, |tx| Some(tx.request.memory() + tx.answer.memory()));

impl PgsqlTransaction {
    /// Records an anomaly.
    pub fn note(&mut self, anomaly: PgsqlAnomaly) {
        self.meta.anomaly_once(anomaly.into());
    }

    /// Whether no more of it is to come: its records are written.
    pub fn is_complete(&self) -> bool {
        Direction::BOTH.into_iter().all(|direction| {
            self.meta.only.is_some_and(|only| only != direction) || self.meta.progress[direction] >= COMPLETE
        })
    }
}
