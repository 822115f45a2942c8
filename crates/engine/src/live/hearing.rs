//! One thread that listens: its source, its worker, and the orders that it gets.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use weir_base::profile::Rate;
use weir_base::{Duration, Timestamp};
use weir_capture::{Event, Recorder, Source};

use super::{Heard, Order, RecordedRules, WantedRules};
use crate::crew::{Crew, WorkerFailed};
use crate::memories::{Bound, Memory};
use crate::progress::WorkerPosition;
use crate::requests::Requests;
use crate::statistics::Counted;
use crate::stats::Totals;
use crate::worker::Worker;
use crate::worker::renewal::RuleParts;

/// Packets asked of a source at a time.
const BATCH: usize = 256;

/// Longest wait for packets: then what is due happens, and orders are heeded.
const WAIT: Duration = Duration::from_millis(50);

/// Time by which the clock of a thread without packets lags behind: packets may be on their way for so long.
const LAG: Duration = Duration::from_secs(1);

/// One thread at work.
pub(super) struct Hearing {
    pub(super) number: usize,
    pub(super) crew: Crew,
    pub(super) source: Box<dyn Source>,
    pub(super) ordered: Receiver<Order>,
    pub(super) tell: Sender<String>,
    pub(super) recorder: Option<Recorder>,
    pub(super) rules: RulesHeld,
}

/// Exchanges of a thread's rules.
pub(super) struct RulesHeld {
    recorded: RecordedRules,
    /// Rules that a recording asks for.
    wanted: WantedRules,
    /// Rules that came before their time in the recording.
    held: VecDeque<(Box<RuleParts>, Sender<Box<RuleParts>>)>,
    /// Exchanges so far.
    count: u32,
}

impl RulesHeld {
    /// None so far.
    pub(super) const fn new(recorded: RecordedRules, wanted: WantedRules) -> Self {
        Self { recorded, wanted, held: VecDeque::new(), count: 0 }
    }
}

impl Hearing {
    /// Listens until it is to stop, and ends all flows.
    pub(super) fn until_the_end(mut self, requests: &Requests) -> Result<Heard, WorkerFailed> {
        if !self.source.is_recorded() {
            self.pass_time();
        }
        let mut problem = None;
        while problem.is_none() && !requests.stops() {
            match self.take(WAIT, requests) {
                Ok(Came::Packets | Came::Nothing) => {}
                Ok(Came::End) => break,
                Err(error) => problem = Some(error),
            }
            while let Ok(order) = self.ordered.try_recv() {
                self.heed(order);
            }
        }
        // What came before it was to stop is in the ring.
        self.source.stop();
        while problem.is_none() && self.take(WAIT, requests) == Ok(Came::Packets) {}
        let mut capture = Totals::default();
        self.source.count(&mut capture);
        let stats = self.source.stats();
        let (workers, last) = self.crew.finish()?;
        let worker = workers.into_iter().next().ok_or(WorkerFailed)?;
        Ok(Heard { worker, last: last.position, stats, capture, problem })
    }

    /// Takes the packets that are there, or waits for some.
    fn take(&mut self, wait: Duration, requests: &Requests) -> Result<Came, String> {
        let batch = self.source.next_batch(BATCH, wait).map_err(|error| error.to_string())?;
        let taken = match (batch.is_empty(), batch.at_end()) {
            (false, _) => Came::Packets,
            (true, false) => Came::Nothing,
            (true, true) => Came::End,
        };
        if taken == Came::Packets {
            self.recorder.iter_mut().for_each(|recorder| recorder.packets(&batch));
            self.crew.packets(&batch);
        } else if !self.source.is_recorded() {
            self.pass_time();
        } else if let Some(event) = self.source.event() {
            self.repeat(event, requests);
        }
        if let Some(worker) = self.crew.only() {
            self.source.conclude(worker.fates());
            worker.forget_fates();
        }
        self.crew.batch_taken();
        for sentence in self.source.news() {
            let _ = self.tell.try_send(sentence);
        }
        Ok(taken)
    }

    /// No packet came for a while: what is due by now happens.
    fn pass_time(&mut self) {
        let now = lagging_wall_clock();
        self.record(Event::Idle(now));
        self.crew.idle(now);
    }

    fn record(&mut self, event: Event) {
        self.recorder.iter_mut().for_each(|recorder| recorder.event(event));
    }

    /// Has happen what did when it was recorded.
    fn repeat(&mut self, event: Event, requests: &Requests) {
        match event {
            Event::Idle(time) => self.crew.idle(time),
            Event::Rules(_) if self.rules.recorded == RecordedRules::PassedOver => {}
            Event::Rules(number) => self.wait_for_rules(number, requests),
            Event::Bound(memory, bytes) => {
                if let Some(memory) = Memory::ALL.get(usize::from(memory)).copied() {
                    self.hold_to(Bound { memory, bytes });
                }
            }
        }
    }

    /// Waits for rules that are loaded because the recording says so, and takes them.
    #[cold]
    fn wait_for_rules(&mut self, number: u32, requests: &Requests) {
        self.rules.wanted.fetch_max(number, Ordering::Relaxed);
        while !requests.stops() {
            if let Some((parts, give_back)) = self.rules.held.pop_front() {
                return self.exchange_rules(parts, &give_back);
            }
            match self.ordered.recv_timeout(WAIT) {
                Ok(order) => self.heed(order),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn exchange_rules(&mut self, mut parts: Box<RuleParts>, give_back: &Sender<Box<RuleParts>>) {
        self.rules.count += 1;
        self.record(Event::Rules(self.rules.count));
        let began = Instant::now();
        if let Some(worker) = self.crew.only() {
            worker.exchange_rules(&mut parts);
        }
        parts.pause = began.elapsed();
        let _ = give_back.try_send(parts);
    }

    fn hold_to(&mut self, bound: Bound) {
        let number = Memory::ALL.iter().position(|memory| *memory == bound.memory);
        self.record(Event::Bound(number.unwrap_or_default() as u8, bound.bytes));
        self.crew.only().into_iter().for_each(|worker| worker.set_bound(bound));
    }

    /// Does what was ordered. Who asked may be gone.
    #[cold]
    fn heed(&mut self, order: Order) {
        let (crew, source) = (&mut self.crew, &mut self.source);
        match order {
            Order::Totals(answer) => {
                let mut totals = crew.alone().map(Worker::totals).unwrap_or_default();
                source.count(&mut totals);
                let _ = answer.try_send((self.number, totals));
            }
            Order::Rules(parts, give_back) if source.is_recorded() => {
                self.rules.held.push_back((parts, give_back));
            }
            Order::Rules(parts, give_back) => self.exchange_rules(parts, &give_back),
            Order::Flow(id, answer) => {
                let _ = answer.try_send(crew.alone().and_then(|worker| worker.counts_of(id)));
            }
            Order::Bound(bound) => self.hold_to(bound),
            Order::Measure(plan) => {
                if let Some(worker) = crew.only() {
                    match plan.rate {
                        Rate::Off => worker.stop_measuring(),
                        rate => worker.begin_measuring(rate, plan.aspects),
                    }
                }
            }
            Order::Measured(answer) => {
                if let Some(worker) = crew.alone() {
                    let _ = answer.try_send((self.number, worker.measured()));
                }
            }
            Order::Statistics(report) => crew.write_statistics(*report),
            Order::Position(answer) => {
                source.count(&mut |_: &str, _: u64| {});
                let dropped = source.stats().dropped;
                if let Some(worker) = crew.only() {
                    let flows = worker.open_flows();
                    let tally = worker.tally();
                    let alerts = tally.alert_count();
                    let own =
                        WorkerPosition { packets: tally.packets, bytes: tally.bytes, flows, alerts, dropped };
                    let _ = answer.try_send((self.number, own));
                }
            }
        }
    }
}

/// Outcome of asking a source for packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Came {
    Packets,
    Nothing,
    /// There will be none any more.
    End,
}

/// The time of day, less what packets may be on their way.
fn lagging_wall_clock() -> Timestamp {
    Timestamp(crate::run::wall_clock().0.saturating_sub(LAG.as_nanos() as u64))
}
