//! Events of one kind on one processor, and the ring of memory that the kernel writes their records to.

use std::fs;
use std::io;

use perf_event::data::Record;
use perf_event::data::parse::ParseResult;
use perf_event::events::Software;
use perf_event::{Builder, Clock, SampleFlag, Sampler};

use super::entry::{Entry, Kind, SWITCH, read, switch};
use crate::record::STACK_COPY;

/// Bytes of a ring; halved where the kernel allows no more.
const RING: usize = 8 << 20;
/// Smaller rings are of no use.
const MIN_RING: usize = 256 << 10;

/// Registers that go with samples, by the kernel's numbers for them, in the order of [`super::entry`].
#[cfg(target_arch = "x86_64")]
pub const REGISTERS: u64 = 1 << 6 | 1 << 7 | 1 << 8;
/// Registers that go with samples, by the kernel's numbers for them, in the order of [`super::entry`].
#[cfg(target_arch = "aarch64")]
pub const REGISTERS: u64 = 1 << 29 | 1 << 30 | 1 << 31 | 1 << 32;

/// What may be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Programs and what the kernel does for them.
    Everything,
    /// The programs' own code.
    ProgramsAlone,
}

/// Events and their ring.
pub struct Ring {
    sampler: Sampler,
    kind: Kind,
}

impl Ring {
    /// Opens events of a thread, or of the calling thread's children, on a processor.
    pub fn open(
        event: Software,
        period: u64,
        view: View,
        thread: Option<u32>,
        processor: usize,
    ) -> io::Result<Self> {
        let kind = if event == Software::CPU_CLOCK { Kind::Tick } else { Kind::Out };
        let mut size = RING;
        loop {
            let mut builder = Builder::new(event);
            builder
                .one_cpu(processor)
                .sample_period(period)
                .sample(SampleFlag::IP | SampleFlag::TID | SampleFlag::TIME)
                .sample(SampleFlag::CALLCHAIN | SampleFlag::REGS_USER | SampleFlag::STACK_USER)
                .sample_regs_user(REGISTERS)
                .sample_stack_user(STACK_COPY)
                .exclude_callchain_user(true)
                .exclude_kernel(view == View::ProgramsAlone)
                .sample_id_all(true)
                .clockid(Clock::MONOTONIC)
                .inherit(true)
                .wakeup_watermark(size / 2);
            match kind {
                Kind::Tick => builder.mmap(true).mmap2(true).comm(true).comm_exec(true).task(true),
                Kind::Out => builder.context_switch(true),
            };
            match thread {
                Some(thread) => builder.observe_pid(i32::try_from(thread).unwrap_or_default()).enabled(true),
                None => builder.observe_self().enable_on_exec(true),
            };
            match builder.build()?.sampled(size) {
                Ok(sampler) => return Ok(Self { sampler, kind }),
                Err(error) if size <= MIN_RING => return Err(error),
                Err(_) => size /= 2,
            }
        }
    }

    /// Ends the events.
    pub fn stop(&mut self) {
        let _ = self.sampler.as_counter_mut().disable();
    }

    /// Moves all records that are there to a list.
    pub fn drain(&mut self, entries: &mut Vec<Entry>) {
        while let Some(record) = self.sampler.next_record() {
            let bytes = record.to_contiguous();
            // The library that reads records does not know this one.
            if record.ty() == SWITCH {
                entries.extend(switch(record.misc(), &bytes));
                continue;
            }
            let parsed: ParseResult<Record<'_>> = record.parse_record();
            if let Ok(parsed) = parsed {
                entries.extend(read(&parsed, record.misc(), &bytes, self.kind));
            }
        }
    }
}

/// Returns the processors that are there, by number.
pub fn processors() -> Vec<usize> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let found = parse_processors(&text);
    if !found.is_empty() {
        return found;
    }
    (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
}

/// A list such as `0-3,6`.
fn parse_processors(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?.min(8191))
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors() {
        for (text, expected) in
            [("0-3,6\n", vec![0, 1, 2, 3, 6]), ("0", vec![0]), ("", vec![]), ("x-y", vec![])]
        {
            assert_eq!(parse_processors(text), expected, "{text}");
        }
        assert!(!processors().is_empty());
    }
}
