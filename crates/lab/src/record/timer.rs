//! A CPU profile of this process by a signal for each so many microseconds of its CPU time, where perf events are
//! forbidden (containers, `kernel.perf_event_paranoid` above 2). What threads wait for is not seen, nor what the kernel
//! does for them. The kernel looks at the timer at its own ticks, some hundred times a second. The handler copies [`STACK_COPY`] bytes of the stack and unwinds them; it allocates nothing, and
//! drops a sample where another thread's is being taken.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MAX_MOMENTS, STACK_COPY, measures, since_1970};
use crate::heap::stacks::Stacks;
use crate::image::mappings;
use crate::own::registers::copy;
use crate::own::signal::{self, cpu_time, now, thread_id};
use crate::own::unwind::{Code, End, MAX_DEPTH, Memory, Registers, word};
use crate::profile::{Builder, Moment, Profile, State, Thread, index};

/// Most different stacks.
const MAX_STACKS: usize = 32 << 10;
/// Most samples.
const MAX_SAMPLES: usize = if MAX_MOMENTS < 1 << 20 { MAX_MOMENTS } else { 1 << 20 };

/// What the handler writes to. It waits for nobody: who finds it locked drops the sample.
static SAMPLES: Mutex<Option<Samples>> = Mutex::new(None);
static DROPPED: AtomicU64 = AtomicU64::new(0);

struct Samples {
    code: Code,
    memory: Memory,
    copied: Vec<u8>,
    stacks: Stacks,
    taken: Vec<Taken>,
    cut: u64,
}

#[derive(Clone, Copy)]
struct Taken {
    time: u64,
    thread: u32,
    stack: u32,
}

/// Recorder of this process.
#[derive(Debug)]
pub struct Recorder {
    began: u64,
    used: u64,
}

impl Recorder {
    /// Begins: `frequency` samples for each second of CPU time.
    pub fn start(frequency: u32) -> io::Result<Self> {
        let mut code = Code::new();
        for mapping in mappings("self") {
            code.add(&mapping);
        }
        let samples = Samples {
            code,
            memory: Memory::new(),
            copied: vec![0; STACK_COPY as usize],
            stacks: Stacks::new(MAX_STACKS),
            taken: Vec::with_capacity(MAX_SAMPLES),
            cut: 0,
        };
        if let Ok(mut place) = SAMPLES.lock() {
            *place = Some(samples);
        }
        let microseconds = 1_000_000 / frequency.clamp(1, 10_000);
        signal::start(microseconds, on_tick)?;
        Ok(Self { began: now(), used: cpu_time() })
    }

    /// Ends and returns the profile, without names of functions.
    pub fn finish(self, title: &str) -> Profile {
        signal::stop();
        let (end, used) = (now(), cpu_time().saturating_sub(self.used));
        let samples = SAMPLES.lock().ok().and_then(|mut place| place.take());
        let mut builder = Builder::new(title, measures(), mappings("self"));
        let mut remarks = vec![
            "Waiting and the kernel's part are missing: a signal took the samples, for perf events are forbidden here."
                .to_owned(),
        ];
        let mut period = 0;
        if let Some(samples) = samples {
            let dropped = DROPPED.swap(0, Ordering::Relaxed);
            if dropped > 0 {
                remarks
                    .push(format!("{dropped} samples were dropped, for two threads were at work at once."));
            }
            if samples.cut > 0 {
                let (cut, kept) = (samples.cut, STACK_COPY >> 10);
                remarks
                    .push(format!("Of {cut} stacks the outermost calls are missing: {kept} KiB are copied."));
            }
            // The kernel looks at the timer at its own ticks, which are fewer than were asked for.
            period = used / (samples.taken.len() as u64 + dropped).max(1);
            self.fill(&mut builder, &samples, period);
        }
        let profile = builder.profile();
        profile.period = period;
        profile.duration = end.saturating_sub(self.began);
        profile.began = since_1970().saturating_sub(profile.duration);
        profile.remarks = remarks;
        builder.finish()
    }

    fn fill(&self, builder: &mut Builder, samples: &Samples, period: u64) {
        let process = std::process::id();
        let cpu = i64::try_from(period).unwrap_or_default();
        for taken in &samples.taken {
            let stack = builder.stack(samples.stacks.addresses(taken.stack));
            let threads = &mut builder.profile().threads;
            let known = threads.iter().position(|thread| thread.id == taken.thread);
            let thread = index(known.unwrap_or(threads.len()));
            if known.is_none() {
                let name = std::fs::read_to_string(format!("/proc/self/task/{}/comm", taken.thread));
                let name = name
                    .map_or_else(|_| format!("thread {}", taken.thread), |name| name.trim_end().to_owned());
                threads.push(Thread { process, id: taken.thread, name });
            }
            builder.add(Some(thread), stack, &[1, cpu, 0, 0]);
            let time = taken.time.saturating_sub(self.began);
            let moment = Moment { time, duration: period, thread, stack, state: State::Running };
            builder.profile().timeline.push(moment);
        }
    }
}

/// Takes a sample, in the handler of the signal.
fn on_tick(registers: Registers) {
    let Ok(mut place) = SAMPLES.try_lock() else {
        DROPPED.fetch_add(1, Ordering::Relaxed);
        return;
    };
    let Some(samples) = place.as_mut().filter(|samples| samples.taken.len() < samples.taken.capacity())
    else {
        return;
    };
    let copied = copy(registers.stack, &mut samples.copied);
    let bytes = samples.copied.get(..copied).unwrap_or_default();
    let mut read = |address| word(bytes, registers.stack, address);
    let (mut addresses, mut depth) = ([0; MAX_DEPTH], 0);
    let end = samples.code.unwind(registers, &mut samples.memory, &mut read, |address| {
        if let Some(place) = addresses.get_mut(depth) {
            *place = address;
            depth += 1;
        }
    });
    samples.cut += u64::from(end == End::Cut && (copied + 8 > STACK_COPY as usize || depth == MAX_DEPTH));
    if let Some(stack) = samples.stacks.keep(addresses.get(..depth).unwrap_or_default()) {
        samples.taken.push(Taken { time: now(), thread: thread_id(), stack });
    }
}
