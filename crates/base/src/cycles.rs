//! The processor's cycle counter: what the cost of work is measured by.
//!
//! The packet path reads it behind a [`Sampler`](crate::profile::Sampler) alone, and no record depends on it. On x86-64 it
//! is the time stamp counter, on aarch64 the virtual counter, elsewhere nanoseconds of the system's clock. All three go
//! on at one rate, whatever the frequency of the processor.

#![allow(unsafe_code)]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Shortest span by which the rate is measured.
const MEASURED_FOR: Duration = Duration::from_millis(2);

/// Readings in a row of which the quickest is what a reading takes.
const READINGS: usize = 64;

/// Returns the counter.
#[inline]
pub fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a register that every processor of this architecture has and that has no effect on memory.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    {
        let count: u64;
        // SAFETY: reads the virtual counter, which user programs may read, and touches no memory.
        unsafe {
            std::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags));
        }
        count
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let (began, _) = first();
        began.elapsed().as_nanos() as u64
    }
}

/// Whether there is a counter that is no clock of the system.
const HAS_COUNTER: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// A reading of both clocks, which the rate is measured from.
fn first() -> (Instant, u64) {
    static FIRST: OnceLock<(Instant, u64)> = OnceLock::new();
    *FIRST.get_or_init(|| (Instant::now(), if HAS_COUNTER { now() } else { 0 }))
}

/// Begins to measure the rate: the longer ago that was, the more exact is [`per_second`].
pub fn begin() {
    first();
}

/// Returns the ticks of a second. To be asked outside the packet path: where the first reading was just now, it takes two
/// milliseconds.
pub fn per_second() -> f64 {
    let (began, count) = first();
    loop {
        let elapsed = began.elapsed();
        if elapsed >= MEASURED_FOR {
            return now().saturating_sub(count) as f64 / elapsed.as_secs_f64();
        }
        std::hint::spin_loop();
    }
}

/// Returns the ticks that one reading takes.
pub fn of_reading() -> u64 {
    static TAKES: OnceLock<u64> = OnceLock::new();
    *TAKES.get_or_init(|| {
        let one = |_| {
            let before = now();
            now().saturating_sub(before)
        };
        (0..READINGS).map(one).min().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_at_one_rate() {
        begin();
        let before = now();
        let rate = per_second();
        assert!(now() > before && (1e6..1e11).contains(&rate), "{rate}");
        // A reading takes less than a microsecond.
        assert!((of_reading() as f64) < rate / 1e6, "{}", of_reading());
    }
}
