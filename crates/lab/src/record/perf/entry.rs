//! A record of the kernel, read: what happened, when and to which thread.

use perf_event::data::Record;

use super::ring::REGISTERS;
use crate::own::unwind::Registers;
use crate::profile::{KERNEL, Mapping};

/// Numbers from here on stand for a context in the kernel's lists of calls (`PERF_CONTEXT_MAX`).
const CONTEXTS: u64 = -4095_i64 as u64;
/// A thread begins or stops to run (`PERF_RECORD_SWITCH`).
pub const SWITCH: u32 = 14;
/// The thread stops running (`PERF_RECORD_MISC_SWITCH_OUT`).
const SWITCH_OUT: u16 = 1 << 13;
/// It stops though it could run on (`PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`).
const SWITCH_OUT_PREEMPT: u16 = 1 << 14;
/// The name is that of a program that begins (`PERF_RECORD_MISC_COMM_EXEC`).
const COMM_EXEC: u16 = 1 << 13;
/// Calls of the kernel that are kept.
const MAX_KERNEL: usize = 64;

/// What a sample is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Time that a thread uses.
    Tick,
    /// The moment at which it stops running.
    Out,
}

/// Sample before its stack is unwound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// What it is of.
    pub kind: Kind,
    /// Registers of the program.
    pub registers: Registers,
    /// Bytes of its stack.
    pub stack: Vec<u8>,
    /// Addresses of the kernel, the innermost first.
    pub kernel: Vec<u64>,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A sample was taken.
    Sample(Sample),
    /// The thread runs again.
    In,
    /// The thread, of which the last sample tells that it stops, could run on.
    Preempted,
    /// The thread has ended.
    End,
    /// A file was mapped as code.
    Map(Mapping),
    /// A program began, under this name.
    Program(String),
    /// The thread was named.
    Name(String),
    /// The thread was begun by another process, or by its own.
    Fork {
        /// Id of that process.
        parent: u32,
    },
    /// So many records were lost.
    Lost(u64),
}

/// What happened, when and to whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Nanoseconds of the monotonic clock.
    pub time: u64,
    /// Id of the process.
    pub process: u32,
    /// Id of the thread.
    pub thread: u32,
    /// What it was.
    pub what: What,
}

/// Reads a record; none of those that say nothing. `bytes` is its body, which ends in process, thread and time.
pub fn read(record: &Record<'_>, flags: u16, bytes: &[u8], kind: Kind) -> Option<Entry> {
    if let Record::Sample(sample) = record {
        let (process, thread) = (sample.pid()?, sample.tid()?);
        let what = What::Sample(Sample {
            kind,
            registers: registers(&sample.regs_user()?.regs)?,
            stack: sample.stack_user().unwrap_or_default().to_vec(),
            kernel: kernel(sample.callchain().unwrap_or_default()),
        });
        return Some(Entry { time: sample.time()?, process, thread, what });
    }
    let (mut process, mut thread, time) = trailer(bytes)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
    let what = match record {
        Record::Comm(comm) => {
            (process, thread) = (comm.pid, comm.tid);
            let name = text(&comm.comm);
            if flags & COMM_EXEC != 0 { What::Program(name) } else { What::Name(name) }
        }
        Record::Mmap2(map) => {
            process = map.pid;
            let end = map.addr.saturating_add(map.len);
            let file = text(&map.filename);
            What::Map(Mapping { start: map.addr, end, offset: map.pgoff, file, build_id: String::new() })
        }
        Record::Fork(fork) => {
            (process, thread) = (fork.pid, fork.tid);
            What::Fork { parent: fork.ppid }
        }
        Record::Exit(exit) => {
            (process, thread) = (exit.pid, exit.tid);
            What::End
        }
        Record::Lost(lost) => What::Lost(lost.lost),
        Record::LostSamples(lost) => What::Lost(lost.lost),
        _ => return None,
    };
    Some(Entry { time, process, thread, what })
}

/// Reads a record of a switch; none of those at which a thread stops to wait, for which there are samples.
pub fn switch(flags: u16, bytes: &[u8]) -> Option<Entry> {
    let (process, thread, time) = trailer(bytes)?;
    let what = match (flags & SWITCH_OUT != 0, flags & SWITCH_OUT_PREEMPT != 0) {
        (false, _) => What::In,
        (true, true) => What::Preempted,
        (true, false) => return None,
    };
    Some(Entry { time, process, thread, what })
}

/// Process, thread and time at the end of a record that is no sample.
fn trailer(bytes: &[u8]) -> Option<(u32, u32, u64)> {
    let end = bytes.last_chunk::<16>()?;
    let number = |at: usize| Some(u32::from_ne_bytes(*end.get(at..)?.first_chunk()?));
    Some((number(0)?, number(4)?, u64::from_ne_bytes(*end.last_chunk()?)))
}

/// The registers of the mask, in the order of their numbers.
fn registers(values: &[u64]) -> Option<Registers> {
    debug_assert!(REGISTERS.count_ones() >= 3);
    #[cfg(target_arch = "x86_64")]
    let (frame, stack, instruction, link) = (values.first()?, values.get(1)?, values.get(2)?, &0);
    #[cfg(target_arch = "aarch64")]
    let (frame, link, stack, instruction) = (values.first()?, values.get(1)?, values.get(2)?, values.get(3)?);
    Some(Registers { instruction: *instruction, stack: *stack, frame: *frame, link: *link })
}

/// The kernel's calls of a list with words between them; of callers the last byte of their call.
fn kernel(calls: &[u64]) -> Vec<u64> {
    let of_kernel = calls.iter().filter(|address| (KERNEL..CONTEXTS).contains(address)).take(MAX_KERNEL);
    of_kernel.enumerate().map(|(at, address)| address - u64::from(at > 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_records() {
        let calls = [-128_i64 as u64, KERNEL + 9, KERNEL + 7, -512_i64 as u64, 0x5555];
        assert_eq!(kernel(&calls), [KERNEL + 9, KERNEL + 6]);
        let mut bytes = vec![9; 3];
        bytes.extend(7_u32.to_ne_bytes());
        bytes.extend(8_u32.to_ne_bytes());
        bytes.extend(99_u64.to_ne_bytes());
        assert_eq!(trailer(&bytes), Some((7, 8, 99)));
        assert_eq!(trailer(&[0; 15]), None);
        assert_eq!(switch(0, &bytes).map(|entry| (entry.thread, entry.what)), Some((8, What::In)));
        assert_eq!(switch(SWITCH_OUT, &bytes), None);
        let preempted = switch(SWITCH_OUT | SWITCH_OUT_PREEMPT, &bytes);
        assert_eq!(preempted.map(|entry| entry.what), Some(What::Preempted));
        assert_eq!(registers(&[1, 2]), None);
    }
}
