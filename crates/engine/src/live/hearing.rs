//! One thread that listens: its source, its worker, and the orders that it gets.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use weir_base::profile::Rate;
use weir_base::{Duration, Timestamp};
use weir_capture::{Batch, Event, Origin, Recorder, Source};
use weir_packet::decode::dispatch::PlainReader;

use super::{Heard, Order, RecordedRules, WantedRules};
use crate::crew::{Crew, WorkerFailed};
use crate::handing::{Handed, Inbox, ON_THE_WAY};
use crate::memories::{Bound, Memory};
use crate::metrics::Answer;
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

/// Longest wait for packets of a thread to which others handed some over lately.
const SHORT_WAIT: Duration = Duration::from_millis(2);

/// Waits without a packet from others after which that is no longer so.
const QUIET: u32 = 500;

/// Packets of others that are taken over between two batches.
const PORTION: usize = 256;

/// Longest wait at the end for what others hand over, and for how long it sleeps at a time.
const LAST_WAIT: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(1);

/// One thread at work.
pub(super) struct Hearing {
    pub(super) number: usize,
    pub(super) crew: Crew,
    pub(super) source: Box<dyn Source>,
    pub(super) ordered: Receiver<Order>,
    pub(super) tell: Sender<String>,
    pub(super) recorder: Option<Recorder>,
    pub(super) rules: RulesHeld,
    pub(super) others: Option<Others>,
}

/// What a thread has of others that share an interface with it.
pub(super) struct Others {
    inbox: Inbox,
    plain: PlainReader,
    /// Waits until others count as quiet.
    lively: u32,
    /// It was told that packets are lost on the way.
    is_told: bool,
}

impl Others {
    pub(super) const fn new(inbox: Inbox, plain: PlainReader) -> Self {
        Self { inbox, plain, lively: 0, is_told: false }
    }
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
            match self.take(self.wait(), requests) {
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
        self.take_the_rest();
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
        if taken == Came::Packets && batch.origin() != Origin::Source {
            // A recording: the packet was handed over.
            if let Some(raw) = batch.get(0) {
                self.crew.take_over(&Handed::new(raw, batch.checksums(0), batch.origin()));
            }
        } else if taken == Came::Packets {
            if let (Some(others), Some(worker)) = (&self.others, self.crew.only())
                && let Some(seat) = learn_seat(&batch, &others.plain, worker)
            {
                self.recorder.iter_mut().for_each(|recorder| recorder.event(Event::Seat(seat)));
            }
            self.recorder.iter_mut().for_each(|recorder| recorder.packets(&batch));
            let latest = batch.len().checked_sub(1).and_then(|last| batch.get(last)).map(|last| last.time);
            self.crew.packets(&batch);
            self.passed(latest.unwrap_or_default());
        } else if !self.source.is_recorded() {
            self.pass_time();
        } else if let Some(event) = self.source.event() {
            self.repeat(event, requests);
        }
        if let Some(worker) = self.crew.only() {
            self.source.conclude(worker.fates());
            worker.forget_fates();
        }
        self.take_over(PORTION);
        self.crew.batch_taken();
        for sentence in self.source.news() {
            let _ = self.tell.try_send(sentence);
        }
        self.tell_of_lost();
        Ok(taken)
    }

    /// Longest wait for packets of the source.
    fn wait(&self) -> Duration {
        match &self.others {
            Some(others) if others.lively > 0 => SHORT_WAIT,
            _ => WAIT,
        }
    }

    /// All that came to this thread before `time` was dealt with.
    fn passed(&mut self, time: Timestamp) {
        if self.others.is_some()
            && let Some(outbox) = self.crew.only().and_then(Worker::outbox)
        {
            outbox.passed(time);
        }
    }

    /// Takes over what others handed over and is due, `limit` packets at most; returns how many.
    fn take_over(&mut self, limit: usize) -> usize {
        let Some(others) = &mut self.others else { return 0 };
        if others.inbox.is_empty() {
            others.lively = others.lively.saturating_sub(1);
            return 0;
        }
        others.lively = QUIET;
        let (crew, recorder) = (&mut self.crew, &mut self.recorder);
        others.inbox.take(limit, |packet| {
            if let Some(recorder) = recorder {
                recorder.packet(&packet.raw, packet.checksums, packet.origin());
            }
            crew.take_over(packet);
        })
    }

    /// The thread's own packets are all dealt with: takes over what others hand over until they end, too.
    fn take_the_rest(&mut self) {
        self.passed(Timestamp(u64::MAX));
        let began = Instant::now();
        while let Some(others) = &self.others
            && began.elapsed() < LAST_WAIT
        {
            // In this order: who has ended hands nothing over any more.
            let is_over = others.inbox.is_closed();
            if self.take_over(PORTION) > 0 {
                self.crew.batch_taken();
            } else if is_over && self.others.as_ref().is_some_and(|others| others.inbox.is_empty()) {
                return;
            } else {
                std::thread::sleep(NAP);
            }
        }
    }

    /// Tells once that packets are lost on the way to other threads.
    fn tell_of_lost(&mut self) {
        let lost = self.lost();
        if let Some(others) = self.others.as_mut().filter(|others| lost > 0 && !others.is_told) {
            others.is_told = true;
            let name = self.source.name();
            let _ = self.tell.try_send(format!(
                "{name}: packets in tunnels are lost between threads, since the thread they belong to has no time for \
                 them: one tunnel has much of the traffic. capture.handed_lost counts them."
            ));
        }
    }

    /// Packets that were lost on the way to other threads.
    fn lost(&mut self) -> u64 {
        self.crew.only().and_then(|worker| worker.handing_counters()).map_or(0, |counters| counters.lost)
    }

    /// No packet came for a while: what is due by now happens.
    fn pass_time(&mut self) {
        self.passed(Timestamp(crate::run::wall_clock().0.saturating_sub(ON_THE_WAY.as_nanos() as u64)));
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
            Event::Seat(seat) => {
                if let Some(outbox) = self.crew.only().and_then(Worker::outbox) {
                    outbox.repeat_seat(seat);
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
        let lost = self.lost();
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
            Order::Counts(answers) => {
                let mut totals = crew.alone().map(Worker::totals).unwrap_or_default();
                source.count(&mut totals);
                let layers = crew.alone().map(Worker::layer_times).unwrap_or_default();
                let _ = answers.try_send((self.number, Answer { totals, layers }));
            }
            Order::Statistics(report) => crew.write_statistics(*report),
            Order::Position(answer) => {
                source.count(&mut |_: &str, _: u64| {});
                let dropped = source.stats().dropped;
                if let Some(worker) = crew.only() {
                    let flows = worker.open_flows();
                    let tally = worker.tally();
                    let alerts = tally.alert_count();
                    let dropped = dropped + lost;
                    let own =
                        WorkerPosition { packets: tally.packets, bytes: tally.bytes, flows, alerts, dropped };
                    let _ = answer.try_send((self.number, own));
                }
            }
        }
    }
}

/// Learns from the first packet of a batch where the kernel has a thread among others.
/// Returns what is to be recorded of that.
fn learn_seat(batch: &Batch<'_>, plain: &PlainReader, worker: &mut Worker) -> Option<u16> {
    let hash = plain.ends(&batch.get(0)?)?;
    worker.outbox()?.learn_seat(hash)
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
