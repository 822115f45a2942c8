//! The thread that sends to a target: connects, sends, takes answers, connects again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::backlog::{Backlog, Outcome, Piece, Window};
use super::report::{Count, PipelineCounts, PipelineError};
use crate::writer::{RecordCounts, Teller};

/// First and longest wait before the target is connected again.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(15));

/// Longest wait between attempts while the run ends.
const BACKOFF_AT_END: Duration = Duration::from_millis(250);

/// Longest wait for answers before more is sent.
const ANSWER_WAIT: Duration = Duration::from_millis(20);

/// Longest time without an answer to what was sent.
const STALL: Duration = Duration::from_secs(10);

/// Time between two looks at a connection that has nothing to do.
const IDLE: Duration = Duration::from_millis(500);

/// Lines about a target, at most; all is counted.
const TOLD: u32 = 20;

/// Why a target takes no records.
#[derive(Debug)]
pub(super) struct Refusal {
    /// What it or the system said, without a full stop.
    pub(super) cause: String,
    /// Remedy to try, without a full stop.
    pub(super) remedy: &'static str,
}

impl Refusal {
    pub(super) fn new(cause: impl ToString, remedy: &'static str) -> Self {
        Self { cause: cause.to_string().trim_end_matches('.').to_owned(), remedy }
    }
}

/// Answers to what was sent, in order.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Records that were taken.
    pub(super) taken: u64,
    /// Records that were refused for good.
    pub(super) refused: u64,
    /// Why the first of these was.
    pub(super) cause: Option<Refusal>,
    /// From the next record on nothing is taken for now.
    pub(super) stop: Option<Refusal>,
}

/// A protocol by which records get to a target.
pub(super) trait Transport: Send {
    /// How much is sent before answers are waited for.
    fn window(&self) -> Window;

    /// Connects anew; what was sent and not answered is forgotten.
    fn connect(&mut self) -> Result<(), Refusal>;

    /// Sends lines.
    fn send(&mut self, piece: &Piece) -> Result<(), Refusal>;

    /// Takes answers; waits for the first of them for so long.
    fn answers(&mut self, wait: Duration) -> Result<Answers, Refusal>;
}

/// The target and all who share its records.
pub(super) struct Shared {
    /// The target in words.
    pub(super) target: String,
    pub(super) counts: PipelineCounts,
    records: RecordCounts,
    teller: Teller,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    backlog: Backlog,
    is_ending: bool,
    /// Lines so far.
    told: u32,
    told_refused: bool,
    told_full: bool,
}

impl Shared {
    pub(super) fn new(
        target: String,
        backlog: Backlog,
        counts: PipelineCounts,
        (records, teller): (RecordCounts, Teller),
    ) -> Self {
        let state = State { backlog, is_ending: false, told: 0, told_refused: false, told_full: false };
        Self { target, counts, records, teller, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands lines over.
    pub(super) fn push(&self, lines: &[u8], records: u32) {
        let mut state = self.state();
        let outcome = state.backlog.push(lines, records);
        self.account(&mut state, outcome);
        drop(state);
        self.changed.notify_all();
    }

    fn account(&self, state: &mut State, outcome: Outcome) {
        self.counts.add(Count::Spooled, outcome.spooled);
        if outcome.lost == 0 && outcome.error.is_none() {
            return;
        }
        self.lose(outcome.lost);
        if !std::mem::replace(&mut state.told_full, true) {
            let cause = match outcome.error {
                Some(error) => format!("{}: {error}", state.backlog.spool_folder().display()),
                None => "there is no room for more to wait".to_owned(),
            };
            self.tell(state, PipelineError::Full { target: self.target.clone(), cause });
        }
    }

    fn lose(&self, records: u64) {
        self.counts.add(Count::Lost, records);
        self.records.lost_later(records);
    }

    fn tell(&self, state: &mut State, error: PipelineError) {
        state.told += 1;
        if state.told <= TOLD {
            self.teller.tell(error.into());
        }
    }

    /// Tells where another process has the spool.
    pub(super) fn look_at_spool(&self) {
        let mut state = self.state();
        if let Some(folder) = state.backlog.taken_folder() {
            self.tell(&mut state, PipelineError::Taken { target: self.target.clone(), folder });
        }
    }

    /// Nothing can be sent in this run: all goes to the disk.
    pub(super) fn cannot_start(&self, cause: std::io::Error) {
        let mut state = self.state();
        let outcome = state.backlog.away();
        self.account(&mut state, outcome);
        self.tell(&mut state, PipelineError::Thread { target: self.target.clone(), cause });
    }

    /// Waits for the target to take what waits, for so long at most; returns the records that stay on disk.
    pub(super) fn finish(&self, wait: Duration) -> u64 {
        let deadline = Instant::now() + wait;
        let mut state = self.state();
        state.is_ending = true;
        self.changed.notify_all();
        while !state.backlog.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let waiting = state.backlog.waiting();
        let outcome = state.backlog.close();
        let left = waiting.saturating_sub(outcome.lost);
        self.account(&mut state, outcome);
        if left > 0 {
            let (target, folder) = (self.target.clone(), state.backlog.spool_folder());
            self.tell(&mut state, PipelineError::Left { target, records: left, folder });
        }
        drop(state);
        self.changed.notify_all();
        left
    }
}

/// Sends to a target.
pub(super) struct Sender<T> {
    pub(super) shared: Arc<Shared>,
    pub(super) transport: T,
    /// Attempts since the target took something.
    attempts: u32,
    /// Records lost before the target went away, where that was told.
    away: Option<u64>,
    /// It was connected before.
    was_connected: bool,
}

impl<T: Transport> Sender<T> {
    pub(super) const fn new(shared: Arc<Shared>, transport: T) -> Self {
        Self { shared, transport, attempts: 0, away: None, was_connected: false }
    }

    /// Sends until the run is over.
    pub(super) fn run(&mut self) {
        while let Err(refusal) = self.session() {
            self.fail(refusal);
            if !self.back_off() {
                return;
            }
        }
    }

    /// Uses one connection; returns without a refusal when the run is over.
    fn session(&mut self) -> Result<(), Refusal> {
        self.transport.connect()?;
        if std::mem::replace(&mut self.was_connected, true) {
            self.shared.counts.add(Count::Reconnects, 1);
        }
        if self.shared.state().backlog.is_empty() {
            self.recovered();
        }
        let mut latest = Instant::now();
        loop {
            let window = self.transport.window();
            while let Some(piece) = self.next(window) {
                if piece.is_repeated {
                    self.shared.counts.add(Count::Resent, piece.records.into());
                }
                self.transport.send(&piece)?;
            }
            let mut state = self.shared.state();
            if state.backlog.is_closed() || (state.is_ending && state.backlog.is_empty()) {
                return Ok(());
            }
            if state.backlog.outstanding() == 0 {
                if state.backlog.is_empty() {
                    state = self
                        .shared
                        .changed
                        .wait_timeout(state, IDLE)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
                latest = Instant::now();
                if !state.backlog.is_empty() {
                    continue;
                }
            }
            drop(state);
            let answers = self.transport.answers(ANSWER_WAIT)?;
            if answers.taken + answers.refused > 0 {
                latest = Instant::now();
            }
            self.take(answers)?;
            if latest.elapsed() > STALL {
                let cause = format!("no answer for {} seconds", STALL.as_secs());
                return Err(Refusal::new(cause, "See whether the server is overloaded or hangs"));
            }
        }
    }

    fn next(&self, window: Window) -> Option<Piece> {
        let mut state = self.shared.state();
        let piece = state.backlog.next(window);
        for file in state.backlog.take_damaged() {
            self.shared.counts.add(Count::Damaged, 1);
            let target = self.shared.target.clone();
            self.shared.tell(&mut state, PipelineError::Damaged { target, file });
        }
        piece
    }

    /// Counts answers.
    fn take(&mut self, answers: Answers) -> Result<(), Refusal> {
        let Answers { taken, refused, cause, stop } = answers;
        if taken + refused > 0 {
            self.recovered();
            self.shared.counts.add(Count::Sent, taken);
            self.shared.counts.add(Count::Refused, refused);
            self.shared.lose(refused);
            let mut state = self.shared.state();
            state.backlog.acknowledge(taken + refused);
            if let Some(Refusal { cause, remedy }) = cause.filter(|_| !state.told_refused) {
                state.told_refused = true;
                let target = self.shared.target.clone();
                self.shared.tell(&mut state, PipelineError::Refused { target, cause, remedy });
            }
            let is_done = state.backlog.is_empty();
            drop(state);
            if is_done {
                self.shared.changed.notify_all();
            }
        }
        stop.map_or(Ok(()), Err)
    }

    /// The target takes records.
    fn recovered(&mut self) {
        self.attempts = 0;
        let Some(before) = self.away.take() else { return };
        let mut state = self.shared.state();
        state.backlog.back();
        let lost = self.shared.counts.read(Count::Lost).saturating_sub(before);
        let (target, waiting) = (self.shared.target.clone(), state.backlog.waiting());
        self.shared.tell(&mut state, PipelineError::Back { target, waiting, lost });
        state.told_full = false;
    }

    /// The connection is lost, or there is none. Of one that is lost is told when another one is not had at once.
    fn fail(&mut self, refusal: Refusal) {
        let mut state = self.shared.state();
        state.backlog.rewind();
        self.attempts += 1;
        if self.away.is_some() || (self.was_connected && self.attempts < 2) {
            return;
        }
        self.away = Some(self.shared.counts.read(Count::Lost));
        let outcome = state.backlog.away();
        self.shared.account(&mut state, outcome);
        let waiting = match state.backlog.has_spool() {
            true => format!("its records wait in {}", state.backlog.spool_folder().display()),
            false => "its records wait in memory".to_owned(),
        };
        let Refusal { cause, remedy } = refusal;
        let (target, remedy) = (self.shared.target.clone(), remedy.to_owned());
        self.shared.tell(&mut state, PipelineError::Away { target, cause, remedy, waiting });
    }

    /// Waits before the next attempt; whether there is to be one.
    fn back_off(&self) -> bool {
        let begun = Instant::now();
        let mut state = self.shared.state();
        loop {
            if state.backlog.is_closed() || (state.is_ending && state.backlog.is_empty()) {
                return false;
            }
            let wait = pause(&self.shared.target, self.attempts);
            let wait = if state.is_ending { wait.min(BACKOFF_AT_END) } else { wait };
            let left = wait.saturating_sub(begun.elapsed());
            // New records wake, too.
            if left.is_zero() {
                return true;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The wait before an attempt: twice as long each time, less up to a quarter by which sensors differ.
fn pause(target: &str, attempts: u32) -> Duration {
    let (first, longest) = BACKOFF;
    let Some(doublings) = attempts.checked_sub(1) else { return Duration::ZERO };
    let whole = first.saturating_mul(1 << doublings.min(16)).min(longest);
    let mut hasher = DefaultHasher::new();
    (target, attempts, std::process::id()).hash(&mut hasher);
    whole - whole.mul_f64((hasher.finish() % 256) as f64 / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_have_an_end() {
        let waits: Vec<u128> = (0..40).map(|attempts| pause("redis", attempts).as_millis()).collect();
        assert_eq!(waits[0], 0);
        for (attempts, wait) in waits.iter().enumerate().skip(1) {
            let whole = (100_u128 << (attempts - 1).min(16)).min(15_000);
            assert!(*wait <= whole && *wait >= whole * 3 / 4, "{attempts}: {wait}");
        }
    }
}
