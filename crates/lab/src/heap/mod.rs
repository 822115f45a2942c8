//! A heap profile of this process: which calls allocated the memory that is alive, now and when it was most.
//!
//! Of all bytes that are allocated one in so many is drawn, at distances that are distributed exponentially, and the
//! allocation that it falls into is a sample: its stack is unwound, and it is kept until it is freed. An allocation of
//! `s` bytes is drawn with the probability `p = 1 - exp(-s / mean)`, so each sample stands for `1 / p` allocations.
//! This is how the profilers of jemalloc and tcmalloc draw; the more a call site allocates, the truer its figure.
//!
//! Seen is what goes through the program's allocator ([`Sampled`]): not what libraries in C allocate for themselves.

mod allocator;
pub mod stacks;
mod table;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use self::allocator::Sampled;
use self::allocator::{Off, turn_on};
use self::table::Table;
use crate::image::mappings;
use crate::own::registers::{read_own_stack, stack_bounds};
use crate::own::signal::now;
use crate::own::unwind::{Code, MAX_DEPTH, Memory, Registers};
use crate::profile::{Builder, Measure, Profile};
use crate::record::since_1970;
use stacks::Stacks;

/// Bytes between samples, on average, unless another number is asked for.
pub const MEAN: u64 = 512 << 10;
/// Most different stacks.
const MAX_STACKS: usize = 32 << 10;
/// Most samples that are alive at once.
const MAX_LIVE: usize = 128 << 10;
/// Most dumps; with more, every second is left out and they are taken half as often.
const MAX_DUMPS: usize = 200;
/// Growth of the live bytes from which on the peak is noted again.
const PEAK_STEP: f64 = 1.01;

/// Distance of dumps while the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    /// So many bytes allocated.
    Bytes(u64),
    /// So much time.
    Time(Duration),
}

/// How to profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bytes between samples, on average.
    pub mean: u64,
    /// Distance of dumps.
    pub every: Every,
}

impl Default for Options {
    fn default() -> Self {
        Self { mean: MEAN, every: Every::Time(Duration::from_millis(100)) }
    }
}

/// Profiles of a run: its stacks, and what was alive of each at several moments.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    /// All stacks with what they allocated in all and nothing alive. Names that it is given are in the profiles of all
    /// moments.
    pub stacks: Profile,
    title: String,
    peak: Dump,
    end: Dump,
    dumps: Vec<Dump>,
}

impl Outcome {
    /// Returns the profile of when most was alive.
    pub fn peak(&self) -> Profile {
        self.at(&self.peak, &format!("{}: when most was alive", self.title))
    }

    /// Returns the profile of the end: what has not been freed.
    pub fn end(&self) -> Profile {
        self.at(&self.end, &format!("{}: at the end", self.title))
    }

    /// Returns the profiles while it ran, in order; the duration of each is that from the beginning to it.
    pub fn dumps(&self) -> impl ExactSizeIterator<Item = Profile> {
        self.dumps.iter().map(|dump| self.at(dump, &self.title))
    }

    fn at(&self, dump: &Dump, title: &str) -> Profile {
        let mut profile = self.stacks.clone();
        title.clone_into(&mut profile.title);
        profile.duration = dump.time;
        for live in &dump.live {
            let sample = profile.samples.get_mut(live.stack as usize);
            if let Some([_, _, objects, bytes]) = sample.map(|sample| sample.values.as_mut_slice()) {
                (*objects, *bytes) =
                    (f64::from(live.objects).round() as i64, f64::from(live.bytes).round() as i64);
            }
        }
        profile
    }
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Estimates of a stack.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Sums {
    live_bytes: f64,
    live_objects: f64,
    bytes: f64,
    objects: f64,
}

/// Estimates of one stack at a moment.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Live {
    stack: u32,
    bytes: f32,
    objects: f32,
}

#[derive(Clone, PartialEq, Debug, Default)]
struct Dump {
    time: u64,
    live: Vec<Live>,
}

struct State {
    options: Options,
    code: Code,
    memory: Memory,
    stacks: Stacks,
    sums: Vec<Sums>,
    live: Table,
    total: f64,
    allocated: f64,
    peak: Dump,
    peak_total: f64,
    dumps: Vec<Dump>,
    next: f64,
    step: f64,
    began: u64,
    missed: u64,
    samples: u64,
}

/// A heap profile that is being taken, of the whole process; one at a time.
#[derive(Debug)]
pub struct Session {
    on: Off,
}

impl Session {
    /// Begins. The error says that another one runs.
    pub fn start(options: Options) -> Result<Self, String> {
        let mut place = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_some() {
            // The sentence may itself be sampled, which takes the lock.
            drop(place);
            return Err("A heap profile is being taken already.".to_owned());
        }
        let mut code = Code::new();
        for mapping in mappings("self") {
            code.add(&mapping);
        }
        stack_bounds();
        let step = match options.every {
            Every::Bytes(bytes) => bytes.max(1) as f64,
            Every::Time(time) => time.as_nanos().max(1) as f64,
        };
        *place = Some(State {
            options,
            code,
            memory: Memory::new(),
            stacks: Stacks::new(MAX_STACKS),
            sums: vec![Sums::default(); MAX_STACKS],
            live: Table::new(MAX_LIVE),
            total: 0.0,
            allocated: 0.0,
            peak: Dump { time: 0, live: Vec::with_capacity(MAX_STACKS) },
            peak_total: 0.0,
            dumps: Vec::with_capacity(MAX_DUMPS + 1),
            next: step,
            step,
            began: now(),
            missed: 0,
            samples: 0,
        });
        drop(place);
        Ok(Self { on: turn_on(options.mean) })
    }

    /// Ends and returns the profiles, without names of functions.
    pub fn finish(self, title: &str) -> Outcome {
        drop(self.on);
        let state = STATE.lock().unwrap_or_else(PoisonError::into_inner).take();
        state.map(|state| state.outcome(title)).unwrap_or_default()
    }
}

/// Notes a sample and returns whether it is kept: `registers` are those of the allocation. The caller sees to it that
/// nothing in here is sampled.
fn sampled(address: usize, size: usize, registers: Registers) -> bool {
    let mut place = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    place.as_mut().is_some_and(|state| state.sampled(address, size, registers))
}

/// Notes that a sample may have been freed; returns whether one was.
fn freed(address: usize) -> bool {
    let mut place = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    place.as_mut().is_some_and(|state| state.freed(address))
}

impl State {
    fn sampled(&mut self, address: usize, size: usize, registers: Registers) -> bool {
        let bounds = registers.stack..stack_bounds().end;
        let mut read = |address| read_own_stack(address, &bounds);
        let (mut addresses, mut depth) = ([0; MAX_DEPTH], 0);
        self.code.unwind(registers, &mut self.memory, &mut read, |address| {
            if let Some(place) = addresses.get_mut(depth) {
                *place = address;
                depth += 1;
            }
        });
        let stack = self.stacks.keep(addresses.get(..depth).unwrap_or_default());
        let kept = stack.filter(|stack| self.live.insert(address, size, *stack));
        let Some(stack) = kept else {
            self.missed += 1;
            return false;
        };
        self.samples += 1;
        let (bytes, objects) = self.weight(size);
        if let Some(sums) = self.sums.get_mut(stack as usize) {
            sums.live_bytes += bytes;
            sums.live_objects += objects;
            sums.bytes += bytes;
            sums.objects += objects;
        }
        self.total += bytes;
        self.allocated += bytes;
        if self.total > self.peak_total * PEAK_STEP {
            self.peak_total = self.total;
            let mut live = std::mem::take(&mut self.peak.live);
            self.copy_live(&mut live);
            self.peak = Dump { time: now().saturating_sub(self.began), live };
        }
        self.dump_when_due();
        true
    }

    fn freed(&mut self, address: usize) -> bool {
        let Some((size, stack)) = self.live.remove(address) else { return false };
        let (bytes, objects) = self.weight(size);
        if let Some(sums) = self.sums.get_mut(stack as usize) {
            sums.live_bytes -= bytes;
            sums.live_objects -= objects;
        }
        self.total -= bytes;
        true
    }

    /// Bytes and allocations that a sample of this size stands for.
    fn weight(&self, size: usize) -> (f64, f64) {
        weight(size, self.options.mean)
    }

    fn dump_when_due(&mut self) {
        let time = now().saturating_sub(self.began);
        let position = match self.options.every {
            Every::Bytes(_) => self.allocated,
            Every::Time(_) => time as f64,
        };
        if position < self.next {
            return;
        }
        self.next = position + self.step;
        let mut live = Vec::new();
        self.copy_live(&mut live);
        self.dumps.push(Dump { time, live });
        if self.dumps.len() > MAX_DUMPS {
            let mut number = 0;
            self.dumps.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.step *= 2.0;
        }
    }

    fn copy_live(&self, into: &mut Vec<Live>) {
        into.clear();
        let known = (0..).zip(&self.sums).take(self.stacks.len()).filter(|(_, sums)| sums.live_bytes > 0.5);
        into.extend(known.map(|(stack, sums)| Live {
            stack,
            bytes: sums.live_bytes as f32,
            objects: sums.live_objects as f32,
        }));
    }

    fn outcome(mut self, title: &str) -> Outcome {
        let mut live = Vec::new();
        self.copy_live(&mut live);
        let end = Dump { time: now().saturating_sub(self.began), live };
        let measures = vec![
            Measure::new("alloc_objects", "count"),
            Measure::new("alloc_space", "bytes"),
            Measure::new("inuse_objects", "count"),
            Measure::new("inuse_space", "bytes"),
        ];
        let mut builder = Builder::new(title, measures, mappings("self"));
        for (at, sums) in (0..).zip(&self.sums).take(self.stacks.len()) {
            let stack = builder.stack(self.stacks.addresses(at));
            builder.add(None, stack, &[sums.objects.round() as i64, sums.bytes.round() as i64, 0, 0]);
        }
        let profile = builder.profile();
        profile.period = self.options.mean;
        profile.began = since_1970().saturating_sub(end.time);
        profile.remarks = self.remarks();
        Outcome {
            stacks: builder.finish(),
            title: title.to_owned(),
            peak: std::mem::take(&mut self.peak),
            end,
            dumps: std::mem::take(&mut self.dumps),
        }
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = vec![format!(
            "Estimated from {} samples, one for each {} KiB allocated on average. Memory of libraries in C is not in it.",
            self.samples,
            self.options.mean >> 10
        )];
        if self.missed > 0 {
            remarks.push(format!("{} samples are missing, for the tables were full.", self.missed));
        }
        remarks
    }
}

/// Bytes and allocations that a sample of `size` bytes stands for, with `mean` bytes between samples.
fn weight(size: usize, mean: u64) -> (f64, f64) {
    let size = size.max(1) as f64;
    let objects = 1.0 / -(-size / mean.max(1) as f64).exp_m1();
    (size * objects, objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stand_for_as_much_as_they_are_rare() {
        // Size, mean; bytes and allocations that a sample stands for.
        let cases = [
            (1 << 30, 1 << 10, 1_073_741_824.0, 1.0),
            (1, 1 << 20, 1_048_576.5, 1_048_576.5),
            (0, 1, 1.58, 1.58),
        ];
        for (size, mean, bytes, objects) in cases {
            let found = weight(size, mean);
            assert!(
                (found.0 - bytes).abs() <= bytes * 1e-2 && (found.1 - objects).abs() <= objects * 1e-2,
                "{found:?}"
            );
        }
    }
}
