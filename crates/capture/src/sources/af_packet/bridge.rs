//! Two interfaces with the program between them: what one takes in the other one sends, if it is accepted.
//!
//! A thread has a socket on each of both, so that it sees both directions of a flow. Packets come without a ring: a block
//! of a ring would be handed out a while after its first packet came, and that time would be added to each round trip.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use weir_base::{CounterVisitor, Counters};
use weir_config::af_packet::CopyMode;

use super::device::{Device, Presence};
use super::fanout::TunnelPorts;
use super::messages::{self, Inbox, Offload};
use super::plan::{Pair, PairFault, Plan};
use super::socket::{Fault, PacketSocket, fault};
use super::{BYTES_PER_PACKET, LONGEST_RING};
use crate::SourceError;
use crate::batch::Batch;
use crate::fate::{Fate, Fates, Side};
use crate::source::{PacketSlot, Source, SourceStats};
use crate::sources::Stance;

/// Bytes of packets that may wait for a thread, where no `ring-size` says otherwise.
const WAITING: u64 = 64 << 20;

/// Bytes of packets that may wait to be sent.
const SENDING: libc::c_int = 16 << 20;

/// Microseconds until what an interface does not send is given up.
const SENT_WITHIN: libc::suseconds_t = 20_000;

/// Order in which the threads listen on an interface anew: the kernel shares packets out by it, and a flow stays with one
/// thread if it is that of the other interface.
struct Turn {
    /// The thread whose turn it is.
    next: Arc<AtomicUsize>,
    own: usize,
}

impl Turn {
    fn has_come(&self) -> bool {
        self.next.load(Ordering::Acquire) == self.own
    }

    fn pass_on(&self) {
        self.next.store(self.own + 1, Ordering::Release);
    }

    /// The interface is gone: the turn goes back to those that lost it.
    fn lost(&self) {
        self.next.fetch_min(self.own, Ordering::AcqRel);
    }
}

/// One of both interfaces.
struct Port {
    device: Device,
    socket: Option<PacketSocket>,
    inbox: Inbox,
    turn: Turn,
}

impl Port {
    fn open_socket(&mut self) -> Result<PacketSocket, SourceError> {
        let settings = &self.device.settings;
        let waiting = match settings.ring_size {
            Some(packets) => u64::from(packets) * BYTES_PER_PACKET,
            None => WAITING,
        };
        let waiting = libc::c_int::try_from(waiting.min(LONGEST_RING)).unwrap_or(libc::c_int::MAX);
        let opened = open_socket(&settings.interface, waiting, settings.promiscuous);
        let socket = opened.map_err(|fault| self.device.fault(fault))?;
        self.device.learn(&socket)?;
        Ok(socket)
    }

    /// Takes in the packets that are there; the answer is their number.
    fn take(&mut self, max: usize) -> usize {
        let Some(socket) = &self.socket else { return 0 };
        match self.inbox.take(socket, max) {
            Ok(0) => 0,
            Ok(count) => {
                self.device.link.is_up();
                count
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                self.device.counters.poll_signal += 1;
                0
            }
            Err(error) => {
                self.look_after_link(Some(error));
                0
            }
        }
    }

    /// The socket has an error, or had one: looks whether the interface is still there.
    #[cold]
    fn look_after_link(&mut self, error: Option<io::Error>) {
        let Some(socket) = &self.socket else { return };
        if self.device.look_after(socket, error) == Presence::Gone {
            self.socket = None;
            self.turn.lost();
        }
    }

    /// The interface is gone: listens on it anew where it is back, and the threads before this one do.
    #[cold]
    fn reopen(&mut self) {
        if !self.device.may_return() || !self.turn.has_come() {
            return;
        }
        let opened = self.open_socket().and_then(|socket| {
            self.device.enter(&socket)?;
            Ok(socket)
        });
        match opened {
            Ok(socket) => {
                self.socket = Some(socket);
                self.turn.pass_on();
                self.device.link.returns();
            }
            Err(error) => self.device.link.stays_away(&error),
        }
    }

    fn send<'a>(&mut self, frames: impl Iterator<Item = (&'a Offload, &'a [u8])>) {
        let failed = match &self.socket {
            Some(socket) => messages::send(socket, frames),
            None => frames.count() as u64,
        };
        self.device.counters.send_errors += failed;
    }
}

/// Opens a socket that tells times, tags and offloads of packets, and sends such.
fn open_socket(interface: &str, waiting: libc::c_int, promiscuous: bool) -> Result<PacketSocket, Fault> {
    let mut socket = PacketSocket::open()?;
    let yes: libc::c_int = 1;
    socket
        .set(libc::PACKET_VNET_HDR, &yes)
        .map_err(fault("have packets told whose checksums are missing"))?;
    socket.set(libc::PACKET_AUXDATA, &yes).map_err(fault("have tags of packets told"))?;
    socket.set_common(libc::SO_TIMESTAMPNS, &yes).map_err(fault("have times of packets told"))?;
    for (forced, common, bytes) in
        [(libc::SO_RCVBUFFORCE, libc::SO_RCVBUF, waiting), (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF, SENDING)]
    {
        // Without the right to that it is as much as the system allows.
        socket
            .set_common(forced, &bytes)
            .or_else(|_| socket.set_common(common, &bytes))
            .map_err(fault("make room for packets"))?;
    }
    let within = libc::timeval { tv_sec: 0, tv_usec: SENT_WITHIN };
    socket.set_common(libc::SO_SNDTIMEO, &within).map_err(fault("limit the time to send"))?;
    // What is sent by it would be forwarded back.
    socket.ignore_outgoing()?;
    socket.bind(interface)?;
    if promiscuous {
        socket.be_promiscuous()?;
    }
    Ok(socket)
}

/// Two interfaces with the program between them.
pub struct Bridge {
    ports: [Port; 2],
    mode: CopyMode,
    /// The port whose packets are lent.
    lent: usize,
    slots: Vec<PacketSlot>,
    /// Places of the lent packets among those that were taken in.
    places: Vec<usize>,
    earlier: u64,
    /// Batches so far.
    batches: u32,
    stats: SourceStats,
    news: Vec<String>,
}

/// Batches after which interfaces that are down are looked after, while the other one has packets all the time.
const LOOKED_AFTER: u32 = 256;

/// Opens the sockets of a pair, which take in nothing yet: a source for each thread.
pub(super) fn open(pair: &Pair, tunnels: &TunnelPorts) -> Result<Vec<Bridge>, SourceError> {
    let threads = pair.plans.first().map_or(1, |plan| plan.threads);
    let turn = || Arc::new(AtomicUsize::new(threads.into()));
    let turns = [turn(), turn()];
    let mut ids = pair.plans.each_ref().map(|plan| plan.settings.cluster_id);
    let mut bridges = Vec::new();
    for own in 0..usize::from(threads) {
        let [one, other] = &pair.plans;
        let [turn, other_turn] = &turns;
        let port = |plan: &Plan, next| Port {
            device: plan.device(),
            socket: None,
            inbox: Inbox::new(),
            turn: Turn { next: Arc::clone(next), own },
        };
        let mut bridge = Bridge {
            ports: [port(one, turn), port(other, other_turn)],
            mode: pair.mode,
            lent: 0,
            slots: Vec::with_capacity(messages::BATCH),
            places: Vec::with_capacity(messages::BATCH),
            earlier: 0,
            batches: 0,
            stats: SourceStats::default(),
            news: Vec::new(),
        };
        for (port, id) in bridge.ports.iter_mut().zip(&mut ids) {
            let socket = port.open_socket()?;
            if threads > 1 {
                *id = port.device.join(&socket, *id, tunnels)?;
            }
            port.socket = Some(socket);
        }
        bridge.compare_links()?;
        bridges.push(bridge);
    }
    if let Some(first) = bridges.first_mut() {
        first.compare_lengths();
    }
    Ok(bridges)
}

impl Bridge {
    /// Lets packets in.
    pub(super) fn let_in(&self) -> Result<(), SourceError> {
        for port in &self.ports {
            if let Some(socket) = &port.socket {
                port.device.let_in(socket)?;
            }
        }
        Ok(())
    }

    fn name_of(&self, side: usize) -> &str {
        self.ports.get(side).map_or("", |port| port.device.settings.interface.as_str())
    }

    /// Frames of the one make sense to the other only where both are the same kind of link.
    fn compare_links(&self) -> Result<(), SourceError> {
        let [one, other] = self.ports.each_ref().map(|port| port.device.link_type);
        let fault = PairFault::LinkTypes(self.name_of(1).to_owned());
        (one == other).then_some(()).ok_or(SourceError::Pair { name: self.name_of(0).to_owned(), fault })
    }

    /// Tells where packets of one interface may be too long for the other one.
    fn compare_lengths(&mut self) {
        let [one, other] = [0, 1].map(|side| {
            let path = format!("/sys/class/net/{}/mtu", self.name_of(side));
            std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
        });
        if one != other {
            self.news.push(format!(
                "The interfaces {} and {} have different MTUs ({one} and {other}): packets that are too long for one are \
                 lost. `ip link set dev INTERFACE mtu {one}` makes them agree.",
                self.name_of(0),
                self.name_of(1)
            ));
        }
    }

    /// Takes in packets of one interface, in turn; the answer is their number.
    fn take(&mut self, max: usize) -> usize {
        for _ in 0..2 {
            self.lent ^= 1;
            let count = self.ports.get_mut(self.lent).map_or(0, |port| port.take(max));
            if count > 0 {
                return count;
            }
        }
        0
    }

    /// Waits until packets come by one of both.
    fn wait(&mut self, patience: Duration) {
        self.ports.iter_mut().filter(|port| port.socket.is_none()).for_each(Port::reopen);
        let mut sockets = [None, None];
        for (slot, port) in sockets.iter_mut().zip(&self.ports) {
            *slot = port.socket.as_ref().map(|socket| PollFd::new(socket, PollFlags::IN));
        }
        let patience = Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        };
        let outcome = match &mut sockets {
            [Some(one), Some(other)] => poll(&mut [one.clone(), other.clone()], Some(&patience)),
            [Some(only), None] | [None, Some(only)] => poll(&mut [only.clone()], Some(&patience)),
            [None, None] => poll(&mut [], Some(&patience)),
        };
        let Some(first) = self.ports.first_mut() else { return };
        let counters = &mut first.device.counters;
        counters.polls += 1;
        match outcome {
            Ok(0) => {
                counters.poll_timeout += 1;
                self.look_after_links();
            }
            Ok(_) => counters.poll_data += 1,
            Err(rustix::io::Errno::INTR) => counters.poll_signal += 1,
            Err(_) => counters.poll_errors += 1,
        }
    }

    /// Looks whether interfaces that went down are gone: nothing tells of that.
    fn look_after_links(&mut self) {
        let down = self.ports.iter_mut().filter(|port| port.device.link.is_down());
        down.for_each(|port| port.look_after_link(None));
    }

    /// Has the packets that were taken in lent, but for those that the filter does not take.
    fn lend(&mut self, count: usize) {
        let Some(port) = self.ports.get_mut(self.lent) else { return };
        for place in 0..count {
            let (link, checks) = (port.device.link_type, port.device.settings.checksums);
            let Some(slot) = port.inbox.slot(place, link, checks) else { continue };
            let frame = port.inbox.frame_mut(&slot);
            if !port.device.takes(frame) {
                self.stats.filtered += 1;
                continue;
            }
            self.stats.bytes += u64::from(slot.length);
            self.slots.push(PacketSlot { interface: self.lent as u32, ..slot });
            self.places.push(place);
        }
    }
}

/// Puts other bytes in the place of a frame, but for a checksum that is to be filled in.
fn change(inbox: &mut Inbox, place: usize, slot: &PacketSlot, bytes: &[u8]) {
    let missing = inbox.offload(place).and_then(Offload::missing_checksum);
    let frame = inbox.frame_mut(slot);
    if frame.len() != bytes.len() {
        return;
    }
    let checksum = missing.and_then(|at| frame.get(at..)?.first_chunk::<2>().map(|sum| (at, *sum)));
    frame.copy_from_slice(bytes);
    if let Some((at, sum)) = checksum
        && let Some(field) = frame.get_mut(at..at + 2)
    {
        field.copy_from_slice(&sum);
    }
}

impl Source for Bridge {
    fn name(&self) -> String {
        format!("{}-{}", self.name_of(0), self.name_of(1))
    }

    fn interfaces(&self) -> Vec<String> {
        [0, 1].map(|side| self.name_of(side).to_owned()).into()
    }

    fn stance(&self) -> Stance {
        Stance::Between
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        self.places.clear();
        let mut count = self.take(max);
        self.batches = self.batches.wrapping_add(1);
        if self.batches.is_multiple_of(LOOKED_AFTER) {
            self.look_after_links();
            self.ports.iter_mut().filter(|port| port.socket.is_none()).for_each(Port::reopen);
        }
        if count == 0 {
            self.wait(wait);
            count = self.take(max);
        }
        self.lend(count);
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        let Some(port) = self.ports.get(self.lent) else { return Ok(Batch::empty()) };
        Ok(Batch::new(port.inbox.bytes(), &self.slots, first_number))
    }

    fn conclude(&mut self, fates: &Fates) {
        let [one, other] = &mut self.ports;
        let (from, to) = if self.lent == 0 { (one, other) } else { (other, one) };
        let lent = || self.slots.iter().zip(&self.places).enumerate();
        for (index, (slot, &place)) in lent() {
            if let Fate::Changed(bytes) = fates.get(index) {
                change(&mut from.inbox, place, slot, fates.bytes(bytes));
            }
        }
        let inbox = &from.inbox;
        let goes = |index| self.mode == CopyMode::Tap || *fates.get(index) != Fate::Drop;
        to.send(lent().filter(|(index, _)| goes(*index)).filter_map(|(_, (slot, &place))| {
            let frame = inbox.bytes().get(slot.start..slot.start + slot.length as usize)?;
            Some((inbox.offload(place)?, frame))
        }));
        let cut = lent().filter(|(_, (_, place))| inbox.offload(**place).is_none()).count();
        to.device.counters.send_errors += cut as u64 + fates.lost();
        // A tap only looks on.
        let told =
            [(from, Side::Sender), (to, Side::Receiver)].into_iter().filter(|_| self.mode == CopyMode::Ips);
        for (port, side) in told {
            let messages = fates.messages().filter(|(message, _)| message.side == side);
            port.send(messages.map(|(_, frame)| (&Offload::NOTHING, frame)));
        }
        // What is done with is not done again.
        self.slots.clear();
        self.places.clear();
    }

    fn stats(&self) -> SourceStats {
        let dropped = self.ports.iter().map(|port| port.device.counters.drops).sum();
        SourceStats { dropped, ..self.stats }
    }

    fn count(&mut self, visitor: &mut dyn CounterVisitor) {
        for port in &mut self.ports {
            if let Some(socket) = &port.socket {
                port.device.take_counts(socket);
            }
            port.device.counters.visit(visitor);
        }
    }

    fn stop(&mut self) {
        for port in &mut self.ports {
            if let Some(socket) = &port.socket {
                port.device.shut(socket);
            }
        }
    }

    fn news(&mut self) -> Vec<String> {
        let mut news = std::mem::take(&mut self.news);
        self.ports.iter_mut().for_each(|port| news.append(&mut port.device.link.take_news()));
        news
    }
}
