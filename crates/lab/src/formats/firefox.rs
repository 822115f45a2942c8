//! The Firefox Profiler's processed format (JSON), for profiler.firefox.com, which reads files without sending them
//! anywhere. Each thread has its samples in the order of time; those of waiting have no CPU time. Functions have names
//! already, so the profile is marked as symbolicated.

use std::collections::HashMap;
use std::time::Duration;

use fxprof_processed_profile::{
    CategoryColor, CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile as Processed,
    ReferenceTimestamp, SamplingInterval, StackHandle, ThreadHandle, Timestamp, WeightType,
};

use crate::profile::{KERNEL_NAME, Profile, State};

/// Longest time for which one sample stands in samples of waiting, in sampling intervals.
const MAX_WEIGHT: u64 = i32::MAX as u64;

/// Returns a profile in the format: with a timeline as it was, without one each stack once with its sum of a measure.
pub fn write(profile: &Profile, measure: usize) -> String {
    let began = Duration::from_nanos(profile.began);
    let interval = if profile.timeline.is_empty() { 1_000_000 } else { profile.period.max(1) };
    let mut processed = Processed::new(
        &profile.title,
        ReferenceTimestamp::from_duration_since_unix_epoch(began),
        SamplingInterval::from_nanos(interval),
    );
    processed.set_symbolicated(true);
    processed.set_os_name("Linux");
    let categories = Categories {
        running: processed.add_category("Program", CategoryColor::Yellow),
        kernel: processed.add_category("Kernel", CategoryColor::Orange),
        waiting: processed.add_category("Waiting", CategoryColor::Gray),
    };
    let mut writer = Writer { profile, processed, categories, stacks: HashMap::new() };
    if profile.timeline.is_empty() {
        writer.sums(measure);
    } else {
        writer.timeline(interval);
    }
    serde_json::to_string(&writer.processed).unwrap_or_default()
}

struct Categories {
    running: CategoryHandle,
    kernel: CategoryHandle,
    waiting: CategoryHandle,
}

struct Writer<'a> {
    profile: &'a Profile,
    processed: Processed,
    categories: Categories,
    stacks: HashMap<(ThreadHandle, u32, bool), Option<StackHandle>>,
}

impl Writer<'_> {
    fn timeline(&mut self, interval: u64) {
        let mut processes = HashMap::new();
        let mut threads = Vec::new();
        for thread in &self.profile.threads {
            let beginning = Timestamp::from_nanos_since_reference(0);
            let title = &self.profile.title;
            let is_first = !processes.contains_key(&thread.process);
            let process = *processes
                .entry(thread.process)
                .or_insert_with(|| self.processed.add_process(title, thread.process, beginning));
            let handle = self.processed.add_thread(process, thread.id, beginning, is_first);
            self.processed.set_thread_name(handle, &thread.name);
            threads.push(handle);
        }
        for moment in &self.profile.timeline {
            let Some(thread) = threads.get(moment.thread as usize).copied() else { continue };
            let time = Timestamp::from_nanos_since_reference(moment.time);
            let is_waiting = moment.state == State::Waiting;
            let stack = self.stack(thread, moment.stack, is_waiting);
            let (cpu, weight) = match moment.state {
                State::Running => (CpuDelta::from_nanos(moment.duration), 1),
                State::Waiting => (CpuDelta::ZERO, (moment.duration / interval).min(MAX_WEIGHT) as i32),
            };
            self.processed.add_sample(thread, time, stack, cpu, weight);
        }
    }

    fn sums(&mut self, measure: usize) {
        let beginning = Timestamp::from_nanos_since_reference(0);
        let process = self.processed.add_process(&self.profile.title, 1, beginning);
        let thread = self.processed.add_thread(process, 1, beginning, true);
        let is_bytes = self.profile.measures.get(measure).is_some_and(|measure| measure.unit == "bytes");
        self.processed.set_thread_samples_weight_type(
            thread,
            if is_bytes { WeightType::Bytes } else { WeightType::Samples },
        );
        for (at, sample) in (0_u64..).zip(&self.profile.samples) {
            let weight = sample.value(measure).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
            let stack = self.stack(thread, sample.stack, false);
            let time = Timestamp::from_nanos_since_reference(at * 1_000_000);
            self.processed.add_sample(thread, time, stack, CpuDelta::ZERO, weight);
        }
    }

    fn stack(&mut self, thread: ThreadHandle, stack: u32, is_waiting: bool) -> Option<StackHandle> {
        if let Some(known) = self.stacks.get(&(thread, stack, is_waiting)) {
            return *known;
        }
        let mut parent = None;
        for name in self.profile.names(stack).into_iter().rev() {
            let category = match () {
                () if is_waiting => self.categories.waiting,
                () if name.ends_with(KERNEL_NAME) => self.categories.kernel,
                () => self.categories.running,
            };
            let label = Frame::Label(self.processed.intern_string(name));
            let frame =
                FrameInfo { frame: label, category_pair: category.into(), flags: FrameFlags::empty() };
            let frame = self.processed.intern_frame(thread, frame);
            parent = Some(self.processed.intern_stack(thread, parent, frame));
        }
        self.stacks.insert((thread, stack, is_waiting), parent);
        parent
    }
}
