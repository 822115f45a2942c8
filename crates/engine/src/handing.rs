//! Packets that threads which listen hand over to each other.
//!
//! The kernel deals packets out by what its program sees of them (`weir_capture`'s `fanout.rs`). A thread that finds
//! that a frame belongs to another one, by its innermost packet, copies it into a queue to that one: there is one for each
//! pair of threads, of bytes, with one end on each. Nobody waits and nothing is locked: where a queue is full the packet is
//! lost, and counted.
//!
//! What one thread hands to another stays in order. A thread hands what the kernel does not see to itself, too, for it may
//! belong to what others hand to it. Packets of several threads are taken in the order of their times: one
//! is due once all threads have come as far in their rings, those that take it included. A thread that hangs is not
//! waited for: packets that waited for long, and those of a queue that fills, are due as they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use rtrb::{Consumer, Producer, RingBuffer};
use weir_base::{Duration, Reader, Timestamp};
use weir_capture::{Checksums, Group as Seats, Origin};
use weir_packet::VlanTags;
use weir_packet::decode::dispatch::{FragmentFacts, share};
use weir_packet::{LinkType, RawPacket};

#[cfg(test)]
mod tests;

/// Memory of all queues of a group of threads: the kernel gives it where it is written to.
const MEMORY: usize = 128 << 20;

/// Longest queue, in bytes.
const LONGEST: usize = 4 << 20;

/// Shortest queue, in bytes: it has room for packets of the greatest length.
const SHORTEST: usize = 256 << 10;

/// Longest time that a packet waits for others that were captured before it.
const PATIENCE: Duration = Duration::from_millis(250);

/// Time that packets take at most from the network to their ring, where that is empty.
pub(crate) const ON_THE_WAY: Duration = Duration::from_millis(50);

/// Step by which a packet that was dealt out otherwise counts, where others take it back by one; and what is too much.
const STEP_ASTRAY: u32 = 4;
const MOST_ASTRAY: u32 = 64;

/// Bytes of a packet's facts in a queue.
const FACTS: usize = 48;

weir_base::counters! {
    /// Counters of packets that a thread handed over to others.
    pub struct HandingCounters {
        /// Packets that were handed over.
        handed => "capture.handed",
        /// Packets for which a queue had no room, of what the thread keeps in order for itself, too.
        lost => "capture.handed_lost",
    }
}

/// A packet that is handed over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handed<'a> {
    /// A frame, or a datagram that was put together, from its IP header on. Its number is of no meaning.
    pub(crate) raw: RawPacket<'a>,
    /// State of its checksums.
    pub(crate) checksums: Checksums,
    /// The fragment that completed it, if it is a datagram.
    pub(crate) fragment: Option<FragmentFacts>,
}

impl<'a> Handed<'a> {
    /// A packet that came so from another thread.
    pub(crate) const fn new(raw: RawPacket<'a>, checksums: Checksums, origin: Origin) -> Self {
        let fragment = match origin {
            Origin::Datagram(facts) => Some(facts),
            Origin::Source | Origin::Frame => None,
        };
        Self { raw, checksums, fragment }
    }

    /// Returns how it came.
    pub(crate) fn origin(&self) -> Origin {
        self.fragment.map_or(Origin::Frame, Origin::Datagram)
    }
}

/// Time up to which a thread has dealt with its ring, alone on its cache lines.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Mark(AtomicU64);

/// State that the threads of a group share.
#[derive(Debug)]
struct Group {
    marks: Box<[Mark]>,
    /// Threads, by the place at which the kernel has them in the group.
    seats: Box<[AtomicUsize]>,
    began: Instant,
}

impl Group {
    fn of(threads: usize) -> Self {
        Self {
            marks: (0..threads).map(|_| Mark::default()).collect(),
            seats: (0..threads).map(AtomicUsize::new).collect(),
            began: Instant::now(),
        }
    }

    fn milliseconds(&self) -> u32 {
        self.began.elapsed().as_millis() as u32
    }
}

/// The end of a thread's queues that packets go into.
#[derive(Debug)]
pub(crate) struct Outbox {
    group: Arc<Group>,
    thread: usize,
    /// Its place in the group.
    seat: usize,
    /// By thread, to itself, too; none where what was recorded is repeated.
    queues: Vec<Producer<u8>>,
    /// Number of threads.
    threads: usize,
    facts: Vec<u8>,
    /// How much the kernel deals packets out otherwise than was learned.
    astray: u32,
    /// Its thread repeats what was recorded.
    is_repeated: bool,
    pub(crate) counters: HandingCounters,
}

/// The end of a thread's queues that packets come out of.
#[derive(Debug)]
pub(crate) struct Inbox {
    group: Arc<Group>,
    thread: usize,
    queues: Vec<Queue>,
    /// Room for a packet that lies around the end of a queue.
    whole: Vec<u8>,
}

/// A queue that packets come out of.
#[derive(Debug)]
struct Queue {
    from: usize,
    bytes: Consumer<u8>,
    /// Facts of its first packet, which were taken out.
    first: Option<Facts>,
}

/// Facts about a packet in a queue.
#[derive(Clone, Copy, Debug)]
struct Facts {
    length: usize,
    /// When it was handed over, in milliseconds since the group began.
    since: u32,
    packet: Handed<'static>,
}

/// Makes the queues of so many threads: both ends of each thread's.
pub(crate) fn exchange(threads: usize) -> Vec<(Outbox, Inbox)> {
    with_queues_of(threads, (MEMORY / (threads * threads).max(1)).clamp(SHORTEST, LONGEST))
}

fn with_queues_of(threads: usize, bytes: usize) -> Vec<(Outbox, Inbox)> {
    let group = Arc::new(Group::of(threads));
    let mut inboxes: Vec<Inbox> = (0..threads)
        .map(|thread| Inbox { group: Arc::clone(&group), thread, queues: Vec::new(), whole: Vec::new() })
        .collect();
    let mut outboxes = Vec::with_capacity(threads);
    for thread in 0..threads {
        let mut queues = Vec::with_capacity(threads);
        for inbox in &mut inboxes {
            let (into, out) = RingBuffer::new(bytes);
            inbox.queues.push(Queue { from: thread, bytes: out, first: None });
            queues.push(into);
        }
        let (group, facts) = (Arc::clone(&group), Vec::with_capacity(FACTS));
        let counters = HandingCounters::default();
        let (seat, is_repeated) = (thread, false);
        outboxes.push(Outbox {
            group,
            thread,
            seat,
            queues,
            threads,
            facts,
            astray: 0,
            is_repeated,
            counters,
        });
    }
    outboxes.into_iter().zip(inboxes).collect()
}

/// Thread that a frame belongs to, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// The one at hand.
    This(usize),
    /// Another one.
    Other(usize),
}

/// Where a recording has that a thread's place in its group explains nothing.
const NO_SEAT: u16 = u16::MAX;

impl Outbox {
    /// One of a thread whose work is repeated, which hands nothing to others: they have it from their own recordings.
    pub(crate) fn repeated(seats: Seats) -> Self {
        let (threads, seat) = (usize::from(seats.threads), usize::from(seats.seat));
        let group = Arc::new(Group::of(threads));
        let (queues, counters) = (Vec::new(), HandingCounters::default());
        Self {
            group,
            thread: seat,
            seat,
            queues,
            threads,
            facts: Vec::new(),
            astray: 0,
            is_repeated: true,
            counters,
        }
    }

    /// Returns the thread that a frame with this hash belongs to, if that can be told.
    #[inline]
    pub(crate) fn owner(&self, hash: u64) -> Option<Owner> {
        if self.is_astray() {
            return None;
        }
        let seat = share(hash, self.threads);
        if seat == self.seat {
            return Some(Owner::This(self.thread));
        }
        // Until others have learned their places it may be this one.
        self.group.seats.get(seat).map(|thread| Owner::Other(thread.load(Ordering::Relaxed)))
    }

    /// The kernel dealt out a packet with this hash to this thread, of which it sees all that counts: learns the thread's
    /// place in the group, which changes when an interface was down. Returns what is to be recorded of that.
    #[inline]
    pub(crate) fn learn_seat(&mut self, hash: u64) -> Option<u16> {
        let seat = share(hash, self.threads);
        if seat == self.seat {
            if !self.is_astray() {
                self.astray = self.astray.saturating_sub(1);
            }
            return None;
        }
        (self.seat, self.astray) = (seat, self.astray.saturating_add(STEP_ASTRAY));
        if let Some(own) = self.group.seats.get(seat) {
            own.store(self.thread, Ordering::Relaxed);
        }
        Some(if self.is_astray() { NO_SEAT } else { seat as u16 })
    }

    /// Takes the place in the group that was recorded.
    pub(crate) fn repeat_seat(&mut self, seat: u16) {
        match seat {
            NO_SEAT => self.astray = MOST_ASTRAY,
            seat => self.seat = seat.into(),
        }
    }

    /// Whether no place in the group explains what the kernel deals out, as where another program shares the group.
    /// Nothing is handed over then.
    pub(crate) const fn is_astray(&self) -> bool {
        self.astray >= MOST_ASTRAY
    }

    /// Hands a packet over to a thread; whether there was room for it.
    #[cold]
    pub(crate) fn hand(&mut self, thread: usize, packet: &Handed<'_>) -> bool {
        let taken = self.is_repeated || self.push(thread, packet).is_some();
        self.counters.handed += u64::from(taken && thread != self.thread);
        self.counters.lost += u64::from(!taken);
        taken
    }

    fn push(&mut self, thread: usize, packet: &Handed<'_>) -> Option<()> {
        let queue = self.queues.get_mut(thread)?;
        if queue.slots() < FACTS + packet.raw.bytes.len() {
            return None;
        }
        write_facts(packet, self.group.milliseconds(), &mut self.facts);
        queue.push_entire_slice(&self.facts).ok()?;
        queue.push_entire_slice(packet.raw.bytes).ok()
    }

    /// All packets of the ring that were captured before `time` were dealt with.
    pub(crate) fn passed(&self, time: Timestamp) {
        if let Some(mark) = self.group.marks.get(self.thread) {
            mark.0.fetch_max(time.0, Ordering::Release);
        }
    }

    /// No packet will be handed over any more.
    pub(crate) fn close(&self) {
        self.passed(Timestamp(u64::MAX));
    }
}

/// A thread that ends, however it does, is not waited for.
impl Drop for Outbox {
    fn drop(&mut self) {
        self.close();
    }
}

impl Inbox {
    /// Whether nothing waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.queues.iter().all(|queue| queue.first.is_none() && queue.bytes.is_empty())
    }

    /// Whether all other threads have said that nothing more comes.
    pub(crate) fn is_closed(&self) -> bool {
        let mut others = self.group.marks.iter().enumerate().filter(|(thread, _)| *thread != self.thread);
        others.all(|(_, mark)| mark.0.load(Ordering::Acquire) == u64::MAX)
    }

    /// Takes packets that are due, in the order of their times, `limit` at most; returns how many.
    pub(crate) fn take(&mut self, limit: usize, mut act: impl FnMut(&Handed<'_>)) -> usize {
        let mut taken = 0;
        while taken < limit && self.take_one(&mut act).is_some() {
            taken += 1;
        }
        taken
    }

    fn take_one(&mut self, act: &mut impl FnMut(&Handed<'_>)) -> Option<()> {
        // What was handed over before a mark was set is in its queue by now.
        let reached = self.reached_by_empty();
        let now = self.group.milliseconds();
        let queue = self.queues.iter_mut().filter(|queue| queue.first.is_some());
        let queue = queue.min_by_key(|queue| queue.first.map(|first| first.packet.raw.time))?;
        let first = queue.first?;
        let is_filling = queue.bytes.slots() > queue.bytes.buffer().capacity() / 2;
        let is_old = u128::from(now.saturating_sub(first.since)) >= PATIENCE.as_millis();
        if first.packet.raw.time > reached && !is_filling && !is_old {
            return None;
        }
        let chunk = queue.bytes.read_chunk(first.length).ok()?;
        let bytes = match chunk.as_slices() {
            (bytes, []) => bytes,
            (start, rest) => {
                self.whole.clear();
                self.whole.extend_from_slice(start);
                self.whole.extend_from_slice(rest);
                &self.whole
            }
        };
        act(&Handed { raw: RawPacket { bytes, ..first.packet.raw }, ..first.packet });
        chunk.commit_all();
        queue.first = None;
        Some(())
    }

    /// Takes the facts of first packets out of the queues. Returns the time that all threads have passed of which there is
    /// none.
    fn reached_by_empty(&mut self) -> Timestamp {
        let mark = |thread: usize| {
            self.group.marks.get(thread).map_or(u64::MAX, |mark| mark.0.load(Ordering::Acquire))
        };
        let mut reached = mark(self.thread);
        for queue in &mut self.queues {
            // Before the look into the queue.
            let passed = mark(queue.from);
            if queue.first.is_none() {
                let mut facts = [0; FACTS];
                if queue.bytes.pop_entire_slice(&mut facts).is_ok() {
                    queue.first = read_facts(&facts);
                } else {
                    reached = reached.min(passed);
                }
            }
        }
        Timestamp(reached)
    }
}

fn write_facts(packet: &Handed<'_>, since: u32, out: &mut Vec<u8>) {
    let raw = &packet.raw;
    out.clear();
    out.extend_from_slice(&(raw.bytes.len() as u32).to_be_bytes());
    out.extend_from_slice(&since.to_be_bytes());
    out.extend_from_slice(&raw.time.0.to_be_bytes());
    out.extend_from_slice(&raw.wire_length.to_be_bytes());
    out.extend_from_slice(&raw.interface.to_be_bytes());
    out.extend_from_slice(&raw.link.0.to_be_bytes());
    out.push(u8::from(packet.checksums == Checksums::Unfilled));
    out.push(u8::from(packet.fragment.is_some()));
    let fragment = packet.fragment;
    let (tags, recursion, layers, below) = fragment.map_or((VlanTags::default(), 0, 0, 0), |facts| {
        (facts.vlan, facts.recursion, facts.decoded_layers, facts.below)
    });
    out.extend_from_slice(&[recursion, layers]);
    out.extend_from_slice(&below.to_be_bytes());
    out.push(tags.as_slice().len() as u8);
    out.extend(tags.as_slice().iter().flat_map(|tag| tag.to_be_bytes()));
    out.resize(FACTS, 0);
}

fn read_facts(facts: &[u8; FACTS]) -> Option<Facts> {
    let mut reader = Reader::new(facts);
    let (length, since) = (reader.u32()?, reader.u32()?);
    let time = Timestamp(reader.u64()?);
    let (wire_length, interface) = (reader.u32()?, reader.u32()?);
    let link = LinkType(reader.u16()?);
    let checksums = if reader.u8()? == 1 { Checksums::Unfilled } else { Checksums::Filled };
    let is_datagram = reader.u8()? == 1;
    let (recursion, decoded_layers, below) = (reader.u8()?, reader.u8()?, reader.u32()?);
    let mut vlan = VlanTags::default();
    for _ in 0..reader.u8()? {
        vlan.push(reader.u16()?);
    }
    let raw = RawPacket { number: 0, time, link, wire_length, interface, bytes: &[] };
    let fragment = FragmentFacts { number: 0, time, interface, vlan, recursion, decoded_layers, below };
    let packet = Handed { raw, checksums, fragment: is_datagram.then_some(fragment) };
    Some(Facts { length: length as usize, since, packet })
}
