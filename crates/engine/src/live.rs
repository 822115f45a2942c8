//! Listens on interfaces: threads that have a source and a worker each.
//!
//! Threads of one interface hand packets over to each other that the kernel could not deal out right (`handing.rs`); none
//! waits for another. Its worker is a function of the packets of its source, of those that were handed over,
//! of the moments at which none came, and of the orders that it got. All that can be recorded and repeated: then a
//! recording gives packets, moments and orders. The first thread of the program looks after them:
//! it has records of the counters written, tells what happens, and how they get on.

mod hearing;
mod renewal;
mod reports;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::thread::JoinHandle;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use weir_base::profile::locks;
use weir_base::{Duration, Position};
#[cfg(test)]
use weir_capture::CAPTURE_FILES;
use weir_capture::{Recorder, Source, SourceKind, SourceStats, Stance, groups};
use weir_flow::FlowId;
use weir_packet::decode::dispatch::PlainReader;

use self::hearing::{Hearing, Others, RulesHeld};
use self::renewal::Renewal;
use self::reports::Reports;
use crate::affinity::{Affinity, Task};
use crate::control::Control;
use crate::control::commands::{self, Context, Live, Run};
use crate::crew::{Crew, Leaves, WorkerFailed};
use crate::handing::{Inbox, Outbox, exchange};
use crate::memories::Bound;
use crate::metrics::{Answers, Line, Service};
use crate::profile::ProfilePlan;
use crate::progress::{Progress, WorkerPosition};
use crate::reading::{self, Surroundings};
use crate::reload::Reloads;
use crate::requests::Requests;
use crate::run::Engine;
use crate::settings::EngineSettings;
use crate::statistics::{ANSWERED_WITHIN, Counted, Report, Statistics, totals_now};
use crate::stats::Totals;
use crate::summary::InterfaceHeard;
use crate::worker::Worker;
use crate::worker::asked::FlowCounts;
use crate::worker::measuring::Measured;
use crate::worker::renewal::RuleParts;

/// Orders that wait for a thread, at most.
const ORDERS: usize = 16;

/// Sentences that wait to be told, at most; more are left out.
const SENTENCES: usize = 64;

/// Longest wait of the thread that looks after the others.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// An order to a thread, heeded between two batches of packets.
enum Order {
    /// Tell all counters.
    Totals(Sender<(usize, Totals)>),
    /// Tell all counters, and what stages took.
    Counts(Answers),
    /// Write a record of the counters of all.
    Statistics(Box<Report>),
    /// Exchange the parts that depend on rules, and give back those before.
    Rules(Box<RuleParts>, Sender<Box<RuleParts>>),
    /// Tell the counts of a flow.
    Flow(FlowId, Sender<Option<FlowCounts>>),
    /// Hold to another bound of memory.
    Bound(Bound),
    /// Tell how you get on.
    Position(Sender<(usize, WorkerPosition)>),
    /// Measure by another plan.
    Measure(ProfilePlan),
    /// Tell what was measured.
    Measured(Sender<(usize, Measured)>),
}

/// A thread and the way to it.
struct Listener {
    interface: Arc<str>,
    /// The kernel drops what follows of bypassed flows there.
    shunts: bool,
    orders: Sender<Order>,
    thread: JoinHandle<Result<Heard, WorkerFailed>>,
}

/// Outcome of a thread.
struct Heard {
    worker: Worker,
    last: Position,
    stats: SourceStats,
    /// Counters of the capture.
    capture: Totals,
    /// Where listening failed: a sentence.
    problem: Option<String>,
}

/// All that was heard.
pub(crate) struct AllHeard {
    /// The workers, whose flows have ended.
    pub(crate) workers: Vec<Worker>,
    /// The latest of their positions.
    pub(crate) last: Position,
    /// Counters of each worker's capture.
    pub(crate) capture: Vec<Totals>,
    /// By interface.
    pub(crate) interfaces: Vec<InterfaceHeard>,
    /// Packets taken.
    pub(crate) packets: u64,
    /// Packets that filters of the program's own kept back.
    pub(crate) filtered: u64,
    /// Failures, as sentences.
    pub(crate) problems: Vec<String>,
}

/// The threads.
pub(crate) struct Listeners {
    kind: &'static SourceKind,
    listeners: Vec<Listener>,
    news: Receiver<String>,
    wanted: WantedRules,
}

/// Number of the rules that threads wait for which repeat a recording.
type WantedRules = Arc<AtomicU32>;

/// A worker, its source, and what records it, if anything.
pub(crate) struct Post {
    pub(crate) worker: Worker,
    pub(crate) source: Box<dyn Source>,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) recorded_rules: RecordedRules,
}

/// Treatment of rules that were exchanged when a recording was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RecordedRules {
    /// They are exchanged again.
    Taken,
    /// The run has rules of its own.
    PassedOver,
}

impl Listeners {
    /// Starts a thread for each worker and its source.
    pub(crate) fn start(
        kind: &'static SourceKind,
        posts: Vec<Post>,
        settings: &EngineSettings,
        affinity: &Option<Affinity>,
        requests: &Requests,
    ) -> std::io::Result<Self> {
        let (tell, news) = bounded(SENTENCES);
        let wanted = WantedRules::default();
        let mut listeners = Vec::with_capacity(posts.len());
        let mut exchanges = exchanges(&posts);
        for (number, post) in posts.into_iter().enumerate() {
            let Post { mut worker, source, recorder, recorded_rules } = post;
            let interface: Arc<str> = source.name().into();
            worker.recorder().set_interfaces(source.interfaces().into_iter().map(Arc::from).collect());
            if source.stance() == Stance::Between {
                worker.decide_fates();
            }
            // A recording is to have all packets.
            let shunt = source.shunt().filter(|_| recorder.is_none());
            let shunts = shunt.is_some();
            shunt.into_iter().for_each(|shunt| worker.shunt_by(shunt));
            let others = exchanges.get_mut(number).and_then(Option::take).map(|(outbox, inbox)| {
                worker.hand_over_by(outbox);
                Others::new(inbox, PlainReader::new(&settings.decoder))
            });
            if let Some(group) = source.group() {
                worker.hand_over_by(Outbox::repeated(group));
            }
            let leaves = Leaves(worker.order());
            let crew = Crew::new(vec![worker], settings, &None)?;
            let (orders, ordered) = bounded(ORDERS);
            let (affinity, requests) = (affinity.clone(), requests.clone());
            let (tell, wanted) = (tell.clone(), Arc::clone(&wanted));
            let thread = std::thread::Builder::new().name(format!("W#{:02}-{interface}", number + 1)).spawn(
                move || {
                    affinity.iter().for_each(|affinity| affinity.bind(Task::Worker(number)));
                    locks::set_worker(number + 1);
                    let _leaves = leaves;
                    let rules = RulesHeld::new(recorded_rules, wanted);
                    Hearing { number, crew, source, ordered, tell, recorder, rules, others }
                        .until_the_end(&requests)
                },
            )?;
            listeners.push(Listener { interface, shunts, orders, thread });
        }
        Ok(Self { kind, listeners, news, wanted })
    }

    /// One thread that has ended, whose orders somebody else has.
    #[cfg(test)]
    pub(crate) fn stand_in() -> (Self, StandIn) {
        let (orders, ordered) = bounded(ORDERS);
        let thread = std::thread::spawn(|| Err(WorkerFailed));
        let listeners = vec![Listener { interface: "test".into(), shunts: false, orders, thread }];
        let (news, wanted) = (bounded(1).1, WantedRules::default());
        (Self { kind: &CAPTURE_FILES, listeners, news, wanted }, StandIn(ordered))
    }

    /// The kind of their sources.
    pub(crate) fn kind(&self) -> &'static SourceKind {
        self.kind
    }

    /// Names of the threads' interfaces.
    pub(crate) fn interfaces(&self) -> impl Iterator<Item = &str> {
        self.listeners.iter().map(|listener| &*listener.interface)
    }

    /// Names of interfaces where the kernel drops what follows of bypassed flows, each once.
    pub(crate) fn shunted_interfaces(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for listener in self.listeners.iter().filter(|listener| listener.shunts) {
            if !names.iter().any(|known| **known == *listener.interface) {
                names.push(listener.interface.to_string());
            }
        }
        names
    }

    /// Looks after the threads until they are asked to stop, or have ended by themselves.
    pub(crate) fn look_after(
        &mut self,
        engine: &mut Engine,
        statistics: &mut Statistics<'_>,
        (mut control, mut metrics): (Option<Control>, Option<Service>),
        around: Surroundings<'_>,
        mut reloads: Reloads,
    ) {
        let (requests, log) = (engine.requests.clone(), Arc::clone(&engine.log));
        let (mut reports, started) = (Reports::default(), Instant::now());
        let mut renewal = Renewal::new(engine);
        loop {
            let wait = match &mut control {
                Some(control) => {
                    control.serve(LOOK_EVERY, &mut |request| {
                        let (listeners, statistics) = (&mut *self, &mut *statistics);
                        let report = &mut |listeners: &Self| reports.make(listeners, &mut *around.progress);
                        let run = Run::Live(Live { listeners, statistics, reopen: around.reopen, report });
                        let (engine, reloads) = (&mut *engine, &mut reloads);
                        commands::answer(request, &mut Context { engine, reloads, started, run })
                    });
                    Duration::ZERO
                }
                None => LOOK_EVERY,
            };
            match self.news.recv_timeout(wait) {
                Ok(sentence) => log.warning(self.kind.name, &sentence),
                // All have ended.
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if requests.stops() {
                log.notice("suricata", "Signal Received.  Stopping engine.");
                (around.progress)(&Progress::Stopping);
                return;
            }
            reading::heed(&requests, &log, around.reopen);
            renewal.go_on((self, statistics), engine, &mut reloads, around.progress);
            statistics.progress(self);
            metrics.iter_mut().for_each(|metrics| metrics.tell(|| statistics.facts()));
            reports.make(self, around.progress);
        }
    }

    /// Returns a way to ask each thread for its counters.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let line = |(number, listener): (usize, &Listener)| {
            let orders = listener.orders.clone();
            Line {
                thread: format!("W#{:02}-{}", number + 1, listener.interface),
                interface: listener.interface.to_string(),
                ask: Box::new(move |answers| orders.try_send(Order::Counts(answers.clone())).is_ok()),
            }
        };
        self.listeners.iter().enumerate().map(line).collect()
    }

    /// Returns the interfaces, each once.
    pub(crate) fn interface_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.interfaces() {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Asks all threads for their counters, and waits for them; none where one does not answer in time.
    pub(crate) fn totals_now(&mut self) -> Option<Vec<Totals>> {
        let threads = self.listeners.len();
        totals_now(self, threads)
    }

    /// Has each thread exchange the parts that depend on rules. They give back those before; the answer is how many will.
    pub(crate) fn exchange_rules(&self, parts: Vec<RuleParts>, give_back: &Sender<Box<RuleParts>>) -> usize {
        let pairs = self.listeners.iter().zip(parts);
        // A thread that has ended needs no rules.
        pairs
            .filter_map(|(listener, parts)| {
                listener.orders.send(Order::Rules(Box::new(parts), give_back.clone())).ok()
            })
            .count()
    }

    /// Asks all threads for the counts of a flow, and waits for them; none where none of them has it.
    pub(crate) fn counts_of(&self, id: FlowId) -> Option<FlowCounts> {
        let (answer, answers) = bounded(self.listeners.len().max(1));
        self.order(|| Order::Flow(id, answer.clone()));
        drop(answer);
        let deadline = Instant::now() + ANSWERED_WITHIN;
        std::iter::from_fn(|| answers.recv_deadline(deadline).ok()).flatten().next()
    }

    /// Has all threads hold to another bound of memory, of which each gets its share, and waits until they do.
    pub(crate) fn set_bound(&mut self, bound: Bound) {
        let share = bound.share_of(self.listeners.len().max(1));
        for listener in &self.listeners {
            // A thread that has ended needs no memory.
            let _ = listener.orders.send(Order::Bound(share));
        }
        // Orders are heeded in turn.
        let _ = self.totals_now();
    }

    /// Has all threads measure by another plan.
    pub(crate) fn measure(&self, plan: ProfilePlan) {
        for listener in &self.listeners {
            // A thread that has ended measures nothing.
            let _ = listener.orders.send(Order::Measure(plan));
        }
    }

    /// Asks all threads for what they measured, and waits for it; what a thread does not tell in time is left out.
    pub(crate) fn measured(&self) -> Vec<Measured> {
        let (answer, answers) = bounded(self.listeners.len().max(1));
        self.order(|| Order::Measured(answer.clone()));
        drop(answer);
        let deadline = Instant::now() + ANSWERED_WITHIN;
        let mut each: Vec<(usize, Measured)> =
            std::iter::from_fn(|| answers.recv_deadline(deadline).ok()).collect();
        each.sort_by_key(|(number, _)| *number);
        each.into_iter().map(|(_, measured)| measured).collect()
    }

    /// Asks all threads for how they get on.
    fn ask_for_positions(&self) -> Receiver<(usize, WorkerPosition)> {
        let (answer, answers) = bounded(self.listeners.len().max(1));
        self.order(|| Order::Position(answer.clone()));
        answers
    }

    /// Gives all threads an order, but for those that have not heeded many earlier ones.
    fn order(&self, order: impl Fn() -> Order) {
        for listener in &self.listeners {
            let _ = listener.orders.try_send(order());
        }
    }

    /// Waits for the ends of all threads.
    pub(crate) fn finish(self) -> Result<AllHeard, WorkerFailed> {
        let mut all = AllHeard {
            workers: Vec::new(),
            last: Position::default(),
            capture: Vec::new(),
            interfaces: Vec::new(),
            packets: 0,
            filtered: 0,
            problems: Vec::new(),
        };
        for listener in self.listeners {
            let heard = listener.thread.join().map_err(|_| WorkerFailed)??;
            all.last = all.last.max(heard.last);
            all.packets += heard.stats.packets;
            all.filtered += heard.stats.filtered;
            all.problems.extend(heard.problem);
            let name = listener.interface.to_string();
            let place = all.interfaces.iter().position(|known| known.name == name);
            let of_interface = match place.and_then(|place| all.interfaces.get_mut(place)) {
                Some(known) => known,
                None => {
                    let against_loss = self.kind.against_loss;
                    all.interfaces.push(InterfaceHeard { name, against_loss, ..InterfaceHeard::default() });
                    let Some(new) = all.interfaces.last_mut() else { continue };
                    new
                }
            };
            of_interface.threads += 1;
            of_interface.kernel_packets += heard.capture.value("capture.kernel_packets");
            of_interface.kernel_drops += heard.capture.value("capture.kernel_drops");
            of_interface.handed_lost += heard.worker.handing_counters().map_or(0, |counters| counters.lost);
            of_interface.unsent += heard.capture.value("capture.afpacket.send_errors");
            all.capture.push(heard.capture);
            all.workers.push(heard.worker);
        }
        Ok(all)
    }
}

/// Makes the queues between the threads of each interface that share its packets out by hosts; none for others.
fn exchanges(posts: &[Post]) -> Vec<Option<(Outbox, Inbox)>> {
    let sources: Vec<&dyn Source> = posts.iter().map(|post| &*post.source).collect();
    let mut ends = Vec::with_capacity(posts.len());
    for group in groups(&sources) {
        match group {
            Some(group) if group.seat == 0 => {
                ends.extend(exchange(group.threads.into()).into_iter().map(Some));
            }
            // They were made with those of the first one.
            Some(_) => {}
            None => ends.push(None),
        }
    }
    ends
}

/// Heeds orders in place of a thread.
#[cfg(test)]
pub(crate) struct StandIn(Receiver<Order>);

#[cfg(test)]
impl StandIn {
    /// Exchanges rules, if that was ordered; whether it was.
    pub(crate) fn exchange(&self) -> bool {
        let mut orders = self.0.try_iter();
        orders.any(|order| match order {
            Order::Rules(parts, give_back) => give_back.try_send(parts).is_ok(),
            _ => false,
        })
    }

    /// Tells how it gets on, if that was asked.
    fn tell_position(&self) -> bool {
        let mut orders = self.0.try_iter();
        orders.any(|order| match order {
            Order::Position(answer) => answer.try_send((0, WorkerPosition::default())).is_ok(),
            _ => false,
        })
    }
}

impl Counted for Listeners {
    fn alone(&self) -> Option<&Worker> {
        None
    }

    fn ask_for_totals(&mut self) -> Option<Receiver<(usize, Totals)>> {
        let (answer, answers) = bounded(self.listeners.len().max(1));
        self.order(|| Order::Totals(answer.clone()));
        Some(answers)
    }

    fn write_statistics(&mut self, report: Report) {
        if let Some(first) = self.listeners.first() {
            // One that has not heeded many orders gets no more of them.
            let _ = first.orders.try_send(Order::Statistics(Box::new(report)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker that hangs is one of which nobody hears.
    #[test]
    fn reports_are_made_of_what_all_workers_answer() {
        let (listeners, worker) = Listeners::stand_in();
        let (mut reports, mut told) = (Reports::default(), 0);
        for _ in 0..3 {
            reports.make(&listeners, &mut |_| told += 1);
        }
        assert_eq!(told, 0);
        assert!(worker.tell_position());
        reports.make(&listeners, &mut |_| told += 1);
        assert_eq!(told, 1);
    }
}
