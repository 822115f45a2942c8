//! The rows of an answer, some at a time.

use std::collections::VecDeque;

use arrow::array::RecordBatch;
use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;

use crate::session::QueryError;

/// Batches of one stream that wait to be taken.
const WAITING: usize = 8;

/// The batches of an answer in the order of its rows, while all of its streams are read. Reading ends when this goes.
pub struct Batches {
    streams: VecDeque<Stream>,
}

/// A stream, and the task that reads it.
struct Stream {
    batches: Receiver<Result<RecordBatch, DataFusionError>>,
    task: JoinHandle<()>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Batches {
    /// Begins to read streams, each by its own task of the runtime that is entered here.
    pub(crate) fn new(streams: Vec<SendableRecordBatchStream>) -> Self {
        let read = |mut stream: SendableRecordBatchStream| {
            let (sender, batches) = channel(WAITING);
            let task = tokio::spawn(async move {
                while let Some(batch) = stream.next().await {
                    // Nobody takes more once something went wrong.
                    if sender.send(batch).await.is_err() {
                        break;
                    }
                }
            });
            Stream { batches, task }
        };
        Self { streams: streams.into_iter().map(read).collect() }
    }

    /// Returns the next batch; none behind the last one. Nothing is lost where this is waited for in vain.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, QueryError>> {
        while let Some(stream) = self.streams.front_mut() {
            if let Some(batch) = stream.batches.recv().await {
                return Some(batch.map_err(QueryError::from));
            }
            let ended = (&mut stream.task).await;
            self.streams.pop_front();
            if let Err(error) = ended {
                return Some(Err(QueryError(format!("The answer cannot be computed: {error}."))));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::Int64Array;
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;

    use super::*;

    fn batch(number: i64) -> RecordBatch {
        RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from(vec![number])) as _)]).unwrap()
    }

    /// A stream of these numbers, which fails behind them.
    fn stream(numbers: Vec<i64>, fails: bool) -> SendableRecordBatchStream {
        let end = futures::stream::once(async move {
            assert!(!fails, "a fault");
            Ok(batch(0))
        });
        let numbers = futures::stream::iter(numbers).map(|number| Ok(batch(number)));
        Box::pin(RecordBatchStreamAdapter::new(batch(0).schema(), numbers.chain(end)))
    }

    #[tokio::test]
    async fn batches_come_in_order_and_a_fault_is_no_end() {
        let mut batches =
            Batches::new(vec![stream(vec![1, 2], false), stream(vec![3], true), stream(vec![], false)]);
        for expected in [1, 2, 0, 3] {
            assert_eq!(batches.next().await.unwrap().unwrap(), batch(expected));
        }
        let error = batches.next().await.unwrap().unwrap_err().to_string();
        assert!(error.starts_with("The answer cannot be computed: task"), "{error}");
    }
}
