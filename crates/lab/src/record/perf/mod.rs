//! A CPU profile of other processes by perf events: each so many nanoseconds of a processor's time that a thread uses,
//! and each time that a thread stops running, the kernel writes down registers, the kernel's own calls and the bytes of
//! the stack (`PERF_SAMPLE_STACK_USER`, see `perf_event_open(2)`). The events are software's, so that machines without
//! counters of cycles have them too.
//!
//! Limits: [`STACK_COPY`] bytes of a stack are copied, and calls further out are missing. Code made at run time has no
//! unwind information: its callers may be missing. Waiting, and what the kernel does, is only seen by those who may see
//! the kernel (root, `CAP_PERFMON`, or `kernel.perf_event_paranoid` at most 1).

mod entry;
mod process;
mod ring;

use std::collections::HashMap;
use std::io;

use perf_event::events::Software;

use self::entry::{Entry, Kind, What};
use self::process::{Process, of_process};
use self::ring::{Ring, View, processors};
use super::{MAX_MOMENTS, STACK_COPY, measures, since_1970};
use crate::own::signal::now;
use crate::own::unwind::{End, MAX_DEPTH, Memory};
use crate::profile::{Builder, Moment, Profile, State, Thread, index};

/// Nanoseconds by which records of different processors may come out of order.
const DISORDER: u64 = 20_000_000;

/// Most threads that are told apart.
const MAX_THREADS: usize = 10_000;

/// Whose events are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whom {
    /// Programs that the calling thread starts from now on, and theirs.
    Children,
    /// A process that runs, with the threads and processes that it starts.
    Process(u32),
}

/// Recorder of a CPU profile.
pub struct Recorder {
    rings: Vec<Ring>,
    pending: Vec<Entry>,
    processes: HashMap<u32, Process>,
    memory: Memory,
    builder: Builder,
    threads: HashMap<u32, u32>,
    waiting: HashMap<u32, Out>,
    view: View,
    period: u64,
    began: u64,
    last: u64,
    counts: Counts,
}

/// A thread that does not run.
struct Out {
    time: u64,
    stack: u32,
    thread: u32,
    /// Whether it could run on.
    is_ready: bool,
}

/// Numbers for the remarks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    samples: u64,
    lost: u64,
    cut: u64,
    beyond: u64,
}

impl Recorder {
    /// Opens the events: `frequency` samples for each second of CPU time. The error is the kernel's, where it allows
    /// not even samples of the program's own code.
    pub fn open(whom: Whom, frequency: u32) -> io::Result<Self> {
        let period = 1_000_000_000 / u64::from(frequency.clamp(1, 10_000));
        let (rings, view) = match open(whom, period, View::Everything) {
            Ok(rings) => (rings, View::Everything),
            Err(_) => (open(whom, period, View::ProgramsAlone)?, View::ProgramsAlone),
        };
        let mut recorder = Self {
            rings,
            pending: Vec::new(),
            processes: HashMap::new(),
            memory: Memory::new(),
            builder: Builder::new("", measures(), Vec::new()),
            threads: HashMap::new(),
            waiting: HashMap::new(),
            view,
            period,
            began: now(),
            last: 0,
            counts: Counts::default(),
        };
        if let Whom::Process(id) = whom {
            let (process, threads) = of_process(id);
            for mapping in process.mappings() {
                recorder.builder.map(mapping);
            }
            recorder.processes.insert(id, process);
            for (thread, name) in threads {
                recorder.name(id, thread, name);
            }
        }
        Ok(recorder)
    }

    /// Reads what the kernel has written since the last call. Every 50 ms is often enough.
    pub fn read(&mut self) {
        let until = now().saturating_sub(DISORDER);
        for ring in &mut self.rings {
            ring.drain(&mut self.pending);
        }
        self.process(until);
    }

    /// Ends the recording and returns the profile, without names of functions.
    pub fn finish(mut self, title: &str) -> Profile {
        let end = now();
        for ring in &mut self.rings {
            ring.stop();
            ring.drain(&mut self.pending);
        }
        self.process(u64::MAX);
        let waiting: Vec<Out> = std::mem::take(&mut self.waiting).into_values().collect();
        for out in waiting {
            self.waited(&out, end);
        }
        let remarks = self.remarks();
        let profile = self.builder.profile();
        title.clone_into(&mut profile.title);
        profile.duration = self.last.saturating_sub(self.began);
        profile.began = since_1970().saturating_sub(end.saturating_sub(self.began));
        profile.period = self.period;
        profile.remarks = remarks;
        profile.timeline.sort_by_key(|moment| (moment.time, moment.thread));
        self.builder.finish()
    }

    fn process(&mut self, until: u64) {
        self.pending.sort_by_key(|entry| entry.time);
        let ready = self.pending.partition_point(|entry| entry.time <= until);
        let ready: Vec<Entry> = self.pending.drain(..ready).collect();
        for entry in ready {
            self.last = self.last.max(entry.time);
            self.take(entry);
        }
    }

    fn take(&mut self, Entry { time, process, thread, what }: Entry) {
        match what {
            What::Sample(sample) => {
                let stack = self.stack(process, &sample);
                let index = self.thread(process, thread);
                match sample.kind {
                    Kind::Tick => self.sample(time, index, stack),
                    Kind::Out => {
                        self.waiting.insert(thread, Out { time, stack, thread: index, is_ready: false });
                    }
                }
            }
            What::In => {
                if let Some(out) = self.waiting.remove(&thread) {
                    self.waited(&out, time);
                }
            }
            What::Preempted => {
                if let Some(out) = self.waiting.get_mut(&thread) {
                    out.is_ready = true;
                }
            }
            What::End => {
                self.waiting.remove(&thread);
            }
            What::Map(mapping) => {
                self.builder.map(&mapping);
                self.processes.entry(process).or_default().map(mapping);
            }
            What::Program(name) => {
                self.processes.insert(process, Process::default());
                self.name(process, thread, name);
            }
            What::Name(name) => self.name(process, thread, name),
            What::Fork { parent } if parent != process => {
                if let Some(known) = self.processes.get(&parent).cloned() {
                    self.processes.insert(process, known);
                }
            }
            What::Fork { .. } => {}
            What::Lost(count) => self.counts.lost += count,
        }
    }

    fn sample(&mut self, time: u64, thread: u32, stack: u32) {
        self.counts.samples += 1;
        let cpu = i64::try_from(self.period).unwrap_or_default();
        self.builder.add(Some(thread), stack, &[1, cpu, 0, 0]);
        self.moment(Moment { time, duration: self.period, thread, stack, state: State::Running });
    }

    fn waited(&mut self, out: &Out, until: u64) {
        let duration = until.saturating_sub(out.time);
        let nanoseconds = i64::try_from(duration).unwrap_or_default();
        let values = if out.is_ready { [0, 0, 0, nanoseconds] } else { [0, 0, nanoseconds, 0] };
        self.builder.add(Some(out.thread), out.stack, &values);
        let (thread, stack) = (out.thread, out.stack);
        self.moment(Moment { time: out.time, duration, thread, stack, state: State::Waiting });
    }

    fn moment(&mut self, mut moment: Moment) {
        moment.time = moment.time.saturating_sub(self.began);
        let timeline = &mut self.builder.profile().timeline;
        if timeline.len() < MAX_MOMENTS {
            timeline.push(moment);
        } else {
            self.counts.beyond += 1;
        }
    }

    /// The stack of a sample: the kernel's calls, then those of the program.
    fn stack(&mut self, process: u32, sample: &entry::Sample) -> u32 {
        let mut addresses = Vec::with_capacity(MAX_DEPTH);
        addresses.extend(&sample.kernel);
        if let Some(code) = self.processes.get(&process).map(Process::code) {
            let top = sample.registers.stack;
            let mut read = |address| crate::own::unwind::word(&sample.stack, top, address);
            let end =
                code.unwind(sample.registers, &mut self.memory, &mut read, |address| addresses.push(address));
            let is_full = sample.stack.len() + 8 > STACK_COPY as usize;
            self.counts.cut += u64::from(end == End::Cut && (is_full || addresses.len() >= MAX_DEPTH));
        }
        self.builder.stack(&addresses)
    }

    fn thread(&mut self, process: u32, id: u32) -> u32 {
        if let Some(known) = self.threads.get(&id) {
            return *known;
        }
        let threads = &mut self.builder.profile().threads;
        let at = index(threads.len().min(MAX_THREADS));
        if threads.len() <= MAX_THREADS {
            threads.push(Thread { process, id, name: String::new() });
        }
        self.threads.insert(id, at);
        at
    }

    fn name(&mut self, process: u32, thread: u32, name: String) {
        let at = self.thread(process, thread);
        if let Some(thread) = self.builder.profile().threads.get_mut(at as usize) {
            thread.name = name;
        }
    }

    fn remarks(&self) -> Vec<String> {
        let Counts { samples, lost, cut, beyond } = self.counts;
        let mut remarks = Vec::new();
        if self.view == View::ProgramsAlone {
            remarks.push(
                "The kernel's part and waiting are missing: this user may not see them \
                 (kernel.perf_event_paranoid is above 1)."
                    .to_owned(),
            );
        }
        if lost > 0 {
            remarks.push(format!("{lost} records were lost, for they came faster than they were read."));
        }
        if cut > 0 {
            remarks.push(format!(
                "Of {cut} stacks ({samples} samples in all) the outermost calls are missing: {} KiB of a stack are copied.",
                STACK_COPY >> 10
            ));
        }
        if beyond > 0 {
            remarks
                .push(format!("{beyond} samples are in the sums, but not on the timeline, which was full."));
        }
        remarks
    }
}

/// Opens the rings of all processors.
fn open(whom: Whom, period: u64, view: View) -> io::Result<Vec<Ring>> {
    let ids: Vec<Option<u32>> = match whom {
        Whom::Children => vec![None],
        Whom::Process(id) => of_process(id).1.into_iter().map(|(thread, _)| Some(thread)).collect(),
    };
    if ids.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such process"));
    }
    let mut rings = Vec::new();
    for id in ids {
        for processor in processors() {
            rings.push(Ring::open(Software::CPU_CLOCK, period, view, id, processor)?);
            if view == View::Everything {
                rings.push(Ring::open(Software::CONTEXT_SWITCHES, 1, view, id, processor)?);
            }
        }
    }
    Ok(rings)
}
