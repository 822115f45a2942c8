//! The queues of a thread: the memory that their sockets share, and their packets in the order of their times.
//!
//! The card knows no order between queues, and a thread that emptied one after the other would hear answers before their
//! questions. The program puts the time before each packet, and of all queues the packet with the earliest time is next.
//! Where a queue has none yet, one with an earlier time may be on its way: packets wait a moment for it.
#![allow(unsafe_code, reason = "sockets of AF_XDP have no safe interface")]

use std::ptr::NonNull;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use weir_base::Timestamp;
use weir_config::af_xdp::AfXdpSettings;

use super::ring::Mapping;
use super::socket::{KernelCounts, MEMORY, XdpSocket};
use crate::batch::Batch;
use crate::source::PacketSlot;
use crate::sources::af_packet::socket::{Fault, fault};

/// Longest time between the program and the ring of a socket, in nanoseconds: the kernel fills rings once for a round of
/// packets, 64 of a queue.
const ON_THE_WAY: u64 = 200_000;

/// Farthest that the time of a packet may be from the time when it is read, in nanoseconds.
const FARTHEST: u64 = 10_000_000_000;

/// A moment by two clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Time of the day.
    system: Timestamp,
    /// Nanoseconds since the system was started.
    running: u64,
}

impl Moment {
    /// Returns what the clocks show.
    pub fn now() -> Self {
        let [system, running] = [ClockId::Realtime, ClockId::Monotonic].map(|clock| {
            let time = clock_gettime(clock);
            Timestamp::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
        });
        Self { system, running: running.0 }
    }

    /// Returns the time of the day of a packet: that of now where the program's is not believed.
    fn time_of(&self, stamp: Option<u64>) -> Timestamp {
        let near = stamp.filter(|stamp| stamp.abs_diff(self.running) <= FARTHEST);
        near.map_or(self.system, |stamp| {
            Timestamp(self.system.0.saturating_add(stamp).saturating_sub(self.running))
        })
    }

    /// Returns how long a packet of that time waits for those of other queues.
    fn until_due(&self, stamp: u64) -> Option<Duration> {
        let left = stamp.saturating_add(ON_THE_WAY).saturating_sub(self.running);
        // It may have come since the clocks were read.
        (1..=2 * ON_THE_WAY).contains(&left).then(|| Duration::from_nanos(left))
    }
}

/// A socket, and what was counted of it.
pub struct Counted {
    pub socket: XdpSocket,
    pub before: KernelCounts,
}

/// The packet that is next.
#[derive(Debug)]
pub enum Next<'q> {
    /// Where it begins in the memory, its bytes, and its time.
    Packet(usize, &'q [u8], Timestamp),
    /// One came, and waits for others so long.
    Early(Duration),
    /// There is none.
    Nothing,
}

/// The queues of a thread.
pub struct Queues {
    // They are closed before their memory goes.
    sockets: Vec<Counted>,
    memory: Option<Mapping>,
}

impl Queues {
    /// None at all, of an interface that is not there.
    pub const fn none() -> Self {
        Self { sockets: Vec::new(), memory: None }
    }

    /// Opens the socket of each queue.
    pub fn open(settings: &AfXdpSettings, index: i32, queues: &[u32]) -> Result<Self, Fault> {
        let memory = Mapping::of_zeros(MEMORY * queues.len(), settings.unaligned).map_err(fault(
            if settings.unaligned {
                "have memory in huge pages (mem-unaligned: `sysctl vm.nr_hugepages=…` makes some)"
            } else {
                "have memory for packets"
            },
        ))?;
        let mut opened = Self { sockets: Vec::with_capacity(queues.len()), memory: None };
        for (queue, place) in queues.iter().zip(0..) {
            // SAFETY: the mapping has a part for each queue, which no other socket is given, and is dropped after the sockets.
            let socket = unsafe {
                let start = memory.memory().cast::<u8>().add(place * MEMORY);
                let part = NonNull::slice_from_raw_parts(start, MEMORY);
                XdpSocket::open(settings, index, *queue, part)
            };
            // Where this fails, the sockets before it are closed first.
            opened.sockets.push(Counted { socket: socket?, before: KernelCounts::default() });
        }
        opened.memory = Some(memory);
        Ok(opened)
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.sockets.is_empty()
    }

    /// The sockets.
    pub fn sockets(&self) -> impl ExactSizeIterator<Item = &XdpSocket> {
        self.sockets.iter().map(|own| &own.socket)
    }

    /// The sockets with their counts.
    pub fn counted(&mut self) -> &mut [Counted] {
        &mut self.sockets
    }

    /// Gives all packets back.
    pub fn give_back(&mut self) {
        self.sockets.iter_mut().for_each(|own| own.socket.give_back());
    }

    /// Takes the packet that came first, once it is due. It stays until all are given back.
    pub fn next(&mut self, now: &Moment) -> Next<'_> {
        let mut first: Option<(usize, usize, Option<u64>)> = None;
        let (mut earliest, mut empty) = (u64::MAX, 0);
        for (place, own) in self.sockets.iter_mut().enumerate() {
            let Some(found) = own.socket.first() else {
                empty += 1;
                continue;
            };
            let time = found.stamp.unwrap_or(now.running);
            if time < earliest || first.is_none() {
                (earliest, first) = (time, Some((place, found.start, found.stamp)));
            }
        }
        let Some((place, start, stamp)) = first else { return Next::Nothing };
        if empty > 0
            && let Some(wait) = stamp.and_then(|stamp| now.until_due(stamp))
        {
            return Next::Early(wait);
        }
        let Some(own) = self.sockets.get_mut(place) else { return Next::Nothing };
        Next::Packet(place * MEMORY + start, own.socket.take(), now.time_of(stamp))
    }

    /// Lends packets that were taken, and not given back.
    pub fn batch<'b>(&'b self, slots: &'b [PacketSlot], first_number: u64) -> Batch<'b> {
        let Some(memory) = &self.memory else { return Batch::empty() };
        // SAFETY: the memory stays as long as `self`, which is borrowed; chunks are given back by what borrows it alone,
        // and until then the kernel does not write to them. All of the memory was zeros once.
        unsafe { Batch::of_memory(memory.memory(), slots, first_number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_packets() {
        let now = Moment { system: Timestamp::new(1_700_000_000, 0), running: 50_000_000_000 };
        let second = 1_000_000_000;
        for (stamp, expected, waits) in [
            (None, Timestamp::new(1_700_000_000, 0), None),
            (Some(now.running), Timestamp::new(1_700_000_000, 0), Some(ON_THE_WAY)),
            (Some(now.running - 1), Timestamp::new(1_699_999_999, 999_999_999), Some(ON_THE_WAY - 1)),
            (Some(now.running - ON_THE_WAY), Timestamp::new(1_699_999_999, 999_800_000), None),
            (Some(now.running + 5), Timestamp::new(1_700_000_000, 5), Some(ON_THE_WAY + 5)),
            // These cannot be.
            (Some(now.running - 11 * second), Timestamp::new(1_700_000_000, 0), None),
            (Some(u64::MAX), Timestamp::new(1_700_000_000, 0), None),
            (Some(0), Timestamp::new(1_700_000_000, 0), None),
        ] {
            assert_eq!(now.time_of(stamp), expected, "{stamp:?}");
            assert_eq!(
                stamp.and_then(|stamp| now.until_due(stamp)),
                waits.map(Duration::from_nanos),
                "{stamp:?}"
            );
        }
    }
}
