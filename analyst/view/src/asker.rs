//! Asks the records, within bounds: a few questions at a time, each for some seconds, rows and bytes.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use datafusion::dataframe::DataFrame;
use futures::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::answer::Problem;

/// Bounds of every answer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long a question may take, and how long it may wait for others.
    pub time: Duration,
    /// Questions that are answered at a time.
    pub at_once: usize,
    /// Questions that wait at most.
    pub waiting: usize,
    /// Rows on a page.
    pub rows: usize,
    /// Rows that pages may be behind the first one.
    pub offset: usize,
    /// Bytes of an answer.
    pub bytes: usize,
    /// Bytes of a file that is downloaded.
    pub download: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(20),
            at_once: 4,
            waiting: 32,
            rows: 500,
            offset: 10_000,
            bytes: 8 << 20,
            download: 1 << 30,
        }
    }
}

/// Runs questions on threads of their own, so that the server answers while they compute.
pub struct Asker {
    runtime: Handle,
    slots: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// The bounds.
    pub limits: Limits,
}

impl Asker {
    /// Runs questions on this runtime.
    pub fn new(runtime: Handle, limits: Limits) -> Self {
        Self {
            runtime,
            slots: Arc::new(Semaphore::new(limits.at_once)),
            queue: Arc::new(Semaphore::new(limits.at_once + limits.waiting)),
            limits,
        }
    }

    /// Answers a question, unless it takes too long. Nobody asks any more where the future is dropped: the work ends, too.
    pub async fn ask<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        let time = self.limits.time;
        let too_long = || {
            let seconds = time.as_secs_f64();
            Problem::busy(format!(
                "The question was given up after {seconds} s. Ask for less: a shorter time or one type of records. \
                 Records as Parquet are answered much faster; `weir view --timeout` allows more time."
            ))
        };
        let queued = self.queue.clone().try_acquire_owned().map_err(|_| {
            Problem::busy("Too many questions are waiting for an answer. Please ask again in a moment.")
        })?;
        let slot =
            tokio::time::timeout(time, self.slots.clone().acquire_owned()).await.map_err(|_| too_long())?;
        let mut tasks = JoinSet::new();
        tasks.spawn_on(
            async move {
                // Both are held until the work has ended, also where nobody waits for it any more.
                let _held = (queued, slot);
                work.await
            },
            &self.runtime,
        );
        match tokio::time::timeout(time, tasks.join_next()).await {
            Err(_) | Ok(None) => Err(too_long()),
            Ok(Some(Ok(done))) => done,
            Ok(Some(Err(error))) => {
                Err(Problem::failed(format!("The question could not be answered: {error}.")))
            }
        }
    }
}

/// What was found within bounds.
pub struct Found {
    /// The rows.
    pub batches: Vec<RecordBatch>,
    /// There are more.
    pub cut: bool,
}

/// Takes rows until there are enough of them or of their bytes.
pub async fn collect(frame: DataFrame, rows: usize, bytes: usize) -> Result<Found, Problem> {
    let mut stream = frame.limit(0, Some(rows.saturating_add(1)))?.execute_stream().await?;
    let mut found = Found { batches: Vec::new(), cut: false };
    let (mut left, mut room) = (rows, bytes);
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        let size = batch.get_array_memory_size();
        found.cut |= batch.num_rows() > left || (size > room && !found.batches.is_empty());
        if found.cut && (left == 0 || size > room) {
            break;
        }
        let taken = batch.slice(0, batch.num_rows().min(left));
        left -= taken.num_rows();
        room = room.saturating_sub(size);
        found.batches.push(taken);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(at_once: usize, waiting: usize, millis: u64) -> Limits {
        Limits { time: Duration::from_millis(millis), at_once, waiting, ..Limits::default() }
    }

    #[tokio::test]
    async fn questions_end_in_time() {
        let asker = Asker::new(Handle::current(), limits(1, 4, 20));
        let problem = asker.ask(std::future::pending::<Result<(), Problem>>()).await.unwrap_err();
        assert!(problem.sentence.contains("given up after 0.02 s"), "{problem:?}");
        // Its place is free again, for the work was ended.
        assert_eq!(asker.ask(async { Ok(7) }).await, Ok(7));
    }

    #[tokio::test]
    async fn few_at_a_time_and_few_that_wait() {
        let asker = Arc::new(Asker::new(Handle::current(), limits(1, 1, 60_000)));
        let (release, released) = tokio::sync::oneshot::channel::<()>();
        let (begin, begun) = tokio::sync::oneshot::channel::<()>();
        let first = tokio::spawn({
            let asker = asker.clone();
            async move {
                let work = async move {
                    let _ = begin.send(());
                    let _ = released.await;
                    Ok(1)
                };
                asker.ask(work).await
            }
        });
        begun.await.unwrap();
        let mut second = Box::pin(asker.ask(async { Ok(2) }));
        assert!(futures::poll!(&mut second).is_pending());
        let problem = asker.ask(async { Ok(3) }).await.unwrap_err();
        assert!(problem.sentence.starts_with("Too many questions"), "{problem:?}");
        release.send(()).unwrap();
        assert_eq!((first.await.unwrap(), second.await), (Ok(1), Ok(2)));
    }
}
