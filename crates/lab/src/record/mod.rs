//! Recorders of CPU profiles: [`perf`] for processes, by the kernel's events; [`timer`] for this process, by a signal,
//! where the kernel forbids these.

pub mod perf;
pub mod timer;

use crate::profile::Measure;

/// Samples for each second of CPU time, unless another number is asked for. It is prime, so that it does not keep step
/// with what a program does at round intervals.
pub const FREQUENCY: u32 = 997;

/// Bytes of a stack that are copied for each sample. Calls further out than that are missing from it.
pub const STACK_COPY: u32 = 56 << 10;

/// Most samples that are kept with their time; those after them are in the sums only.
const MAX_MOMENTS: usize = 2_000_000;

/// Quantities of a CPU profile, in the order of a sample's values.
fn measures() -> Vec<Measure> {
    vec![
        Measure::new("samples", "count"),
        Measure::new("cpu", "nanoseconds"),
        Measure::new("wait", "nanoseconds"),
        // Ready to run, but others had the processors.
        Measure::new("ready", "nanoseconds"),
    ]
}

/// Nanoseconds since 1970.
pub(crate) fn since_1970() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_nanos()).unwrap_or_default())
}
