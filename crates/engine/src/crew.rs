//! The workers of a run: one on the thread that reads, or several behind it.
//!
//! Several workers get their packets in rounds. A round is a piece of the capture, dealt out by the
//! addresses of its packets ([`Dispatcher`]): a frame goes to all workers that it concerns. Each worker gets its share even where that is empty, so
//! that all know how far the capture is. The bytes are copied into the share, which goes back to the
//! reader when it is done with. What happens at a moment of the capture's clock rather than to a
//! packet is part of every share, at its place.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvError, Sender, TrySendError, bounded};
use weir_base::profile::locks::{self, PACKETS, ROUNDS};
use weir_base::{Place, Position, Timestamp, Turn};
use weir_capture::{Batch, Checksums};
use weir_flow::FlowId;
use weir_packet::decode::dispatch::{Dispatch, Dispatcher, FragmentFacts, Reading, Whole, share};
use weir_packet::{LinkType, RawPacket};

use crate::affinity::{Affinity, Task};
use crate::clock::Clock;
use crate::handing::Handed;
use crate::settings::EngineSettings;
use crate::statistics::{ANSWERED_WITHIN, Counted, Report};
use crate::stats::Totals;
use crate::worker::asked::FlowCounts;
use crate::worker::part::Role;
use crate::worker::{Coming, LastPacket, Worker};

/// Packets of a round, by worker.
const ROUND: usize = 512;

/// Bytes of a round, by worker.
const ROUND_BYTES: usize = 512 << 10;

/// Rounds that wait for a worker before the reader does.
const ROUNDS_AHEAD: usize = 4;

/// Longest time that lines stay with workers.
const HAND_ON_EVERY: Duration = Duration::from_millis(50);

/// The workers of a run.
pub(crate) struct Crew {
    clock: Clock,
    hands: Hands,
    /// Packets taken over from other crews, by which numbers of those of the source move on.
    taken_over: u64,
    /// When the workers last handed on all lines.
    handed_on: Instant,
    /// Whether there may be lines that were made after that.
    has_more: bool,
}

enum Hands {
    One(Box<Worker>),
    Many(Box<Dealer>),
}

/// A worker's thread ended before its work did.
#[derive(Debug)]
pub(crate) struct WorkerFailed;

impl Crew {
    /// Sets the workers, of which there is at least one, to work; `settings` are those of all together.
    pub(crate) fn new(
        mut workers: Vec<Worker>,
        settings: &EngineSettings,
        affinity: &Option<Affinity>,
    ) -> std::io::Result<Self> {
        let hands = match workers.pop() {
            Some(only) if workers.is_empty() => Hands::One(Box::new(only)),
            last => {
                workers.extend(last);
                let dispatcher = Dispatcher::new(settings.decoder.clone(), settings.defrag.clone());
                Hands::Many(Box::new(Dealer::new(workers, dispatcher, affinity)?))
            }
        };
        Ok(Self { clock: Clock::default(), hands, taken_over: 0, handed_on: Instant::now(), has_more: false })
    }

    /// The next packets are from this capture.
    pub(crate) fn capture_file(&mut self, name: &str) {
        let name: Arc<str> = name.into();
        match &mut self.hands {
            Hands::One(worker) => worker.recorder().set_capture_file(name),
            Hands::Many(dealer) => dealer.everyone(|| Entry::CaptureFile(Arc::clone(&name))),
        }
    }

    /// Takes packets of the capture.
    pub(crate) fn packets(&mut self, batch: &Batch<'_>) {
        self.has_more |= !batch.is_empty();
        let mut start = 0;
        for comment in batch.comments() {
            self.packets_in(batch, start..comment.index);
            start = comment.index;
            if let Some(raw) = batch.get(start) {
                self.comment(raw.number, &comment.text);
            }
        }
        self.packets_in(batch, start..batch.len());
    }

    /// Takes these packets of a batch.
    fn packets_in(&mut self, batch: &Batch<'_>, range: std::ops::Range<usize>) {
        let (clock, before) = (&mut self.clock, self.taken_over);
        let coming = range.filter_map(|index| {
            let raw = batch.get(index)?;
            let raw = RawPacket { number: raw.number + before, ..raw };
            let ticks = clock.advance(&raw);
            Some(Coming { raw, clock: clock.now, ticks, checksums: batch.checksums(index) })
        });
        match &mut self.hands {
            Hands::One(worker) => worker.packets(coming),
            Hands::Many(dealer) => coming.for_each(|coming| dealer.packet(&coming)),
        }
    }

    /// The next packet has a comment.
    #[cold]
    fn comment(&mut self, number: u64, text: &[u8]) {
        match &mut self.hands {
            Hands::One(worker) => worker.recorder().set_comment(number, text),
            Hands::Many(dealer) => {
                let text: Arc<[u8]> = text.into();
                dealer.everyone(|| Entry::Comment(number, Arc::clone(&text)));
            }
        }
    }

    /// Takes a packet over from another crew of one.
    pub(crate) fn take_over(&mut self, packet: &Handed<'_>) {
        let number = self.clock.number + 1;
        let ticks = self.clock.advance(&RawPacket { number, ..packet.raw });
        (self.taken_over, self.has_more) = (self.taken_over + 1, true);
        let clock = self.clock.now;
        if let Some(worker) = self.only() {
            if ticks {
                worker.tick(clock, number);
            }
            worker.take_over(packet, number, clock);
        }
    }

    /// No packet came for a while, and it is `now`: what is due by then happens.
    pub(crate) fn idle(&mut self, now: Timestamp) {
        if self.clock.idle(now) {
            self.has_more = true;
            let (clock, next) = (self.clock.now, self.clock.number + 1);
            match &mut self.hands {
                Hands::One(worker) => worker.tick(clock, next),
                Hands::Many(dealer) => dealer.tick(clock, next),
            }
        }
    }

    /// A batch of packets was taken, or none came for a while: a good moment to hand things on.
    pub(crate) fn batch_taken(&mut self) {
        let reached = self.clock.after();
        if self.has_more && self.handed_on.elapsed() >= HAND_ON_EVERY {
            self.hand_on(reached);
            return;
        }
        match &mut self.hands {
            Hands::One(worker) => {
                worker.reached(reached);
                worker.recorder().progress(reached);
            }
            Hands::Many(dealer) => dealer.deal(reached, false),
        }
    }

    /// Has all workers hand on what they made of the packets before `reached`, however little.
    fn hand_on(&mut self, reached: Position) {
        (self.handed_on, self.has_more) = (Instant::now(), false);
        match &mut self.hands {
            Hands::One(worker) => {
                worker.reached(reached);
                worker.recorder().hand_on(reached);
            }
            Hands::Many(dealer) => dealer.deal(reached, true),
        }
    }

    /// Returns the counts of a flow, if it is open.
    pub(crate) fn counts_of(&mut self, id: FlowId) -> Option<FlowCounts> {
        let reached = self.clock.after();
        let answers = match &mut self.hands {
            Hands::One(worker) => return worker.counts_of(id),
            Hands::Many(dealer) => {
                let answers = dealer.ask(move |worker| worker.counts_of(id));
                dealer.deal(reached, true);
                answers
            }
        };
        let deadline = Instant::now() + ANSWERED_WITHIN;
        std::iter::from_fn(|| answers.recv_deadline(deadline).ok()).find_map(|(_, counts)| counts)
    }

    /// The worker, where there is only one.
    pub(crate) fn only(&mut self) -> Option<&mut Worker> {
        match &mut self.hands {
            Hands::One(worker) => Some(worker),
            Hands::Many(_) => None,
        }
    }

    /// The capture ended: the workers end all flows and are given back, in order, with the last packet.
    pub(crate) fn finish(self) -> Result<(Vec<Worker>, LastPacket), WorkerFailed> {
        let last = self.clock.last();
        let workers = match self.hands {
            Hands::One(mut worker) => {
                worker.finish(last);
                vec![*worker]
            }
            Hands::Many(mut dealer) => {
                dealer.deal(self.clock.after(), true);
                dealer.finish(last)?
            }
        };
        Ok((workers, last))
    }
}

impl Counted for Crew {
    fn alone(&self) -> Option<&Worker> {
        match &self.hands {
            Hands::One(worker) => Some(worker),
            Hands::Many(_) => None,
        }
    }

    /// Each answers once it has come so far: the counters are those after all packets that were handed out.
    fn ask_for_totals(&mut self) -> Option<Receiver<(usize, Totals)>> {
        let reached = self.clock.after();
        match &mut self.hands {
            Hands::One(_) => None,
            Hands::Many(dealer) => {
                let answers = dealer.ask(Worker::totals);
                dealer.deal(reached, true);
                Some(answers)
            }
        }
    }

    fn write_statistics(&mut self, report: Report) {
        let reached = self.clock.after();
        // Before that, for what stands there is written once the next packet has come.
        let position = Position::at(reached.clock, Place::before(reached.place.packet()));
        self.has_more = true;
        match &mut self.hands {
            Hands::One(worker) => worker.recorder().stats(position, position.clock, &report.record()),
            Hands::Many(dealer) => {
                if let Some(first) = dealer.hands.first_mut() {
                    first.share.entries.push(Entry::Statistics { position, report: Box::new(report) });
                }
                dealer.deal(reached, true);
            }
        }
    }
}

/// One worker's part of a round.
#[derive(Default)]
struct Share {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// Packets up to this position are handed out.
    reached: Position,
}

enum Entry {
    Packet(Slot),
    /// A datagram that another worker puts together, too.
    Whole(Box<WholeSlot>),
    Tick {
        clock: Timestamp,
        number: u64,
    },
    CaptureFile(Arc<str>),
    /// Comment of the capture on the packet of this number.
    Comment(u64, Arc<[u8]>),
    /// Something is asked of the worker.
    Asked(Box<dyn Fn(&Worker) + Send>),
    /// A record of all counters is to be written.
    Statistics {
        position: Position,
        report: Box<Report>,
    },
}

/// A packet of a share.
struct Slot {
    start: usize,
    length: usize,
    number: u64,
    time: Timestamp,
    clock: Timestamp,
    link: LinkType,
    wire_length: u32,
    interface: u32,
    role: Role,
}

/// A datagram of a share.
struct WholeSlot {
    start: usize,
    length: usize,
    reading: Reading,
    fragment: FragmentFacts,
    link: LinkType,
    clock: Timestamp,
}

impl Share {
    fn add(&mut self, raw: &RawPacket<'_>, clock: Timestamp, role: Role) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(raw.bytes);
        self.entries.push(Entry::Packet(Slot {
            start,
            length: raw.bytes.len(),
            number: raw.number,
            time: raw.time,
            clock,
            link: raw.link,
            wire_length: raw.wire_length,
            interface: raw.interface,
            role,
        }));
    }

    fn add_whole(&mut self, whole: &Whole, link: LinkType, clock: Timestamp) {
        let (start, length) = (self.bytes.len(), whole.bytes.len());
        self.bytes.extend_from_slice(&whole.bytes);
        let slot = WholeSlot { start, length, reading: whole.reading, fragment: whole.fragment, link, clock };
        self.entries.push(Entry::Whole(Box::new(slot)));
    }

    /// Has `worker` do all of it, and empties it.
    fn work(&mut self, worker: &mut Worker) {
        let mut entries = self.entries.iter().peekable();
        loop {
            worker.packets(std::iter::from_fn(|| {
                let is_whole =
                    |entry: &&Entry| matches!(entry, Entry::Packet(slot) if slot.role == Role::Whole);
                let Some(Entry::Packet(slot)) = entries.next_if(is_whole) else { return None };
                let (raw, clock) = (slot.raw(&self.bytes), slot.clock);
                Some(Coming { raw, clock, ticks: false, checksums: Checksums::Filled })
            }));
            let Some(entry) = entries.next() else { break };
            match entry {
                Entry::Packet(slot) => {
                    let counts = matches!(slot.role, Role::Whole | Role::Part { counts: true });
                    worker.measure_part(|worker| worker.part(&slot.raw(&self.bytes), slot.clock, counts));
                }
                Entry::Whole(slot) => {
                    let bytes = self.bytes.get(slot.start..slot.start + slot.length).unwrap_or_default();
                    worker.measure_part(|worker| {
                        worker.whole(bytes, slot.reading, &slot.fragment, slot.link, slot.clock);
                    });
                }
                Entry::Tick { clock, number } => worker.tick(*clock, *number),
                Entry::CaptureFile(name) => worker.recorder().set_capture_file(Arc::clone(name)),
                Entry::Comment(number, text) => worker.recorder().set_comment(*number, text),
                Entry::Asked(ask) => ask(worker),
                Entry::Statistics { position, report } => {
                    worker.recorder().stats(*position, position.clock, &report.record());
                }
            }
        }
        self.entries.clear();
        self.bytes.clear();
        worker.reached(self.reached);
        worker.recorder().hand_on(self.reached);
    }
}

impl Slot {
    /// The packet, among the bytes of its share.
    fn raw<'a>(&self, bytes: &'a [u8]) -> RawPacket<'a> {
        RawPacket {
            number: self.number,
            time: self.time,
            link: self.link,
            wire_length: self.wire_length,
            interface: self.interface,
            bytes: bytes.get(self.start..self.start + self.length).unwrap_or_default(),
        }
    }
}

/// A worker on its thread, as the reader sees it.
struct Hand {
    share: Share,
    queue: Sender<Share>,
    thread: JoinHandle<Worker>,
}

/// Deals packets out to workers.
struct Dealer {
    dispatcher: Dispatcher,
    hands: Vec<Hand>,
    /// Room for whom a frame concerns.
    concerned: Vec<usize>,
    /// Shares that were worked off, to be filled again.
    spares: Receiver<Share>,
    /// Packets and bytes of the round so far.
    packets: usize,
    bytes: usize,
    last: Sender<LastPacket>,
}

impl Dealer {
    fn new(
        workers: Vec<Worker>,
        dispatcher: Dispatcher,
        affinity: &Option<Affinity>,
    ) -> std::io::Result<Self> {
        let count = workers.len();
        let (back, spares) = bounded(count * (ROUNDS_AHEAD + 2));
        let (last, last_position) = bounded(count);
        let mut hands = Vec::with_capacity(count);
        for (number, worker) in workers.into_iter().enumerate() {
            let (queue, shares) = bounded(ROUNDS_AHEAD);
            let (back, last_position, affinity) = (back.clone(), last_position.clone(), affinity.clone());
            let thread =
                std::thread::Builder::new().name(format!("W#{:02}", number + 1)).spawn(move || {
                    affinity.iter().for_each(|affinity| affinity.bind(Task::Worker(number)));
                    locks::set_worker(number + 1);
                    work(worker, &shares, &back, &last_position)
                })?;
            hands.push(Hand { share: Share::default(), queue, thread });
        }
        Ok(Self { dispatcher, hands, concerned: Vec::new(), spares, packets: 0, bytes: 0, last })
    }

    fn everyone(&mut self, entry: impl Fn() -> Entry) {
        for hand in &mut self.hands {
            hand.share.entries.push(entry());
        }
    }

    /// Asks all workers something. Each answers with its number; who asked may have ended with the capture by then.
    fn ask<T: Send + 'static>(
        &mut self,
        ask: impl Fn(&Worker) -> T + Copy + Send + 'static,
    ) -> Receiver<(usize, T)> {
        let (answer, answers) = bounded(self.hands.len());
        for (number, hand) in self.hands.iter_mut().enumerate() {
            let answer = answer.clone();
            let asked = move |worker: &Worker| drop(answer.try_send((number, ask(worker))));
            hand.share.entries.push(Entry::Asked(Box::new(asked)));
        }
        answers
    }

    fn tick(&mut self, clock: Timestamp, number: u64) {
        self.dispatcher.tick(clock);
        self.everyone(|| Entry::Tick { clock, number });
    }

    fn packet(&mut self, coming: &Coming<'_>) {
        let &Coming { ref raw, clock, ticks, .. } = coming;
        if ticks {
            self.tick(clock, raw.number);
        }
        self.packets += 1;
        self.bytes += raw.bytes.len();
        let workers = self.hands.len();
        let Some(dispatch) = self.dispatcher.dispatch(raw) else { return self.parts(raw, clock) };
        let connection = share(dispatch.ends, workers);
        let flow = share(dispatch.flow(), workers);
        if flow == connection {
            self.add(flow, raw, clock, Role::Whole);
        } else {
            self.add(connection, raw, clock, Role::Part { counts: false });
            self.add(flow, raw, clock, Role::Part { counts: true });
        }
    }

    /// Deals out a frame that carries packets or is a fragment, after what it makes whole.
    #[cold]
    fn parts(&mut self, raw: &RawPacket<'_>, clock: Timestamp) {
        let workers = self.hands.len();
        let mut concerned = std::mem::take(&mut self.concerned);
        let mut is_shared = false;
        for whole in self.dispatcher.wholes() {
            note_concerned(&whole.packets, workers, &mut concerned);
            let by = share(whole.of_fragment, workers);
            for worker in concerned.iter().filter(|worker| **worker != by) {
                if let Some(hand) = self.hands.get_mut(*worker) {
                    hand.share.add_whole(&whole, raw.link, clock);
                    is_shared = true;
                }
            }
        }
        let packets = self.dispatcher.packets();
        note_concerned(packets, workers, &mut concerned);
        let outer = packets.last().copied().unwrap_or_default();
        is_shared |= concerned.len() > 1;
        for worker in &concerned {
            let counts = *worker == share(outer.flow(), workers);
            self.add(*worker, raw, clock, if is_shared { Role::Part { counts } } else { Role::Whole });
        }
        self.concerned = concerned;
    }

    fn add(&mut self, worker: usize, raw: &RawPacket<'_>, clock: Timestamp, role: Role) {
        if let Some(hand) = self.hands.get_mut(worker) {
            hand.share.add(raw, clock, role);
        }
    }

    /// Hands the round out if it is full, or `now`.
    fn deal(&mut self, reached: Position, now: bool) {
        let workers = self.hands.len();
        if !now && self.packets < ROUND * workers && self.bytes < ROUND_BYTES * workers {
            return;
        }
        (self.packets, self.bytes) = (0, 0);
        for hand in &mut self.hands {
            let empty = self.spares.try_recv().unwrap_or_default();
            let mut share = std::mem::replace(&mut hand.share, empty);
            share.reached = reached;
            // A worker that is gone is reported when it is waited for.
            match hand.queue.try_send(share) {
                Ok(()) => ROUNDS.pass(),
                Err(TrySendError::Full(share)) => {
                    let _ = ROUNDS.wait(|| hand.queue.send(share));
                }
                Err(TrySendError::Disconnected(_)) => {}
            }
        }
    }

    fn finish(self, last: LastPacket) -> Result<Vec<Worker>, WorkerFailed> {
        for _ in &self.hands {
            let _ = self.last.send(last);
        }
        let threads: Vec<JoinHandle<Worker>> = self.hands.into_iter().map(|hand| hand.thread).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| WorkerFailed)).collect()
    }
}

/// Fills in the workers that packets concern.
fn note_concerned(packets: &[Dispatch], workers: usize, concerned: &mut Vec<usize>) {
    concerned.clear();
    for hash in packets.iter().flat_map(|dispatch| [dispatch.ends, dispatch.flow()]) {
        let worker = share(hash, workers);
        if !concerned.contains(&worker) {
            concerned.push(worker);
        }
    }
}

/// Lets the others go on whose turn comes after that of a worker whose thread ends, however it ends.
pub(crate) struct Leaves(pub(crate) Turn);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.reach(Position::END);
    }
}

/// Returns the next share, once there is one.
fn next(shares: &Receiver<Share>) -> Result<Share, RecvError> {
    match shares.try_recv() {
        Ok(share) => {
            PACKETS.pass();
            Ok(share)
        }
        Err(_) => PACKETS.wait(|| shares.recv()),
    }
}

/// A worker's thread.
fn work(
    mut worker: Worker,
    shares: &Receiver<Share>,
    back: &Sender<Share>,
    last: &Receiver<LastPacket>,
) -> Worker {
    let _leaves = Leaves(worker.order());
    while let Ok(mut share) = next(shares) {
        share.work(&mut worker);
        // Where the reader is gone nobody fills it again.
        let _ = back.try_send(share);
    }
    if let Ok(last) = last.recv() {
        worker.finish(last);
    }
    worker.recorder().hand_on(Position::SUMS);
    worker
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time after which who follows a log sees what a packet caused, also where no other packet comes.
    const PROMPT: Duration = Duration::from_millis(200);

    #[test]
    fn lines_are_in_their_files_in_time() {
        // The worst packet comes just before the lines of those before it have waited long enough: its own go on when
        // the pipe has been waited for, and are gathered once more.
        let handed_on = HAND_ON_EVERY.max(weir_capture::PIPE_WAIT);
        assert!(handed_on + weir_output::FLUSH_EVERY <= PROMPT);
    }
}
