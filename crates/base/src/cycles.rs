//! The processor's cycle counter: what the cost of work is measured by.
//!
//! The packet path reads it behind a [`Sampler`](crate::profile::Sampler) alone, and no record depends on it. On x86-64 it
//! is the time stamp counter, on aarch64 the virtual counter, elsewhere nanoseconds of the system's clock. All three go
//! on at one rate, whatever the frequency of the processor.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

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

/// Ticks from which on it is asked whether the thread was at work all the time: some 0.2 ms.
const LONG: u64 = 1 << 19;

thread_local! {
    /// Nanoseconds for which the thread was not at work, when last asked; none before.
    static AWAY: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Returns the nanoseconds for which the thread was not at work until now, from some beginning.
fn away() -> u64 {
    let nanos = |clock| {
        let time = clock_gettime(clock);
        (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
    };
    nanos(ClockId::Monotonic).saturating_sub(nanos(ClockId::ThreadCPUTime))
}

/// Work begins that is measured: what the thread waited before is none of it.
pub fn begin_work() {
    AWAY.set(Some(away()));
}

/// Returns the ticks since `began`, without those of reading the counter, and of a long span without those for which the
/// system had the thread wait.
#[inline]
pub fn since(began: u64) -> u64 {
    between(began, now())
}

/// As [`since`], until `ended`.
#[inline]
pub fn between(began: u64, ended: u64) -> u64 {
    let ticks = ended.saturating_sub(began).saturating_sub(of_reading());
    if ticks < LONG { ticks } else { at_work(ticks) }
}

#[cold]
fn at_work(ticks: u64) -> u64 {
    let away_now = away();
    let waited = match AWAY.replace(Some(away_now)) {
        Some(before) => (away_now.saturating_sub(before) as f64 * per_second() / 1e9) as u64,
        None => ticks,
    };
    ticks.saturating_sub(waited).max(LONG / 2)
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
    fn the_time_of_others_does_not_count() {
        begin();
        begin_work();
        let began = now();
        // Another thread has work, and this one waits for it.
        let busy = || while now().saturating_sub(began) < (per_second() / 100.0) as u64 {};
        std::thread::scope(|scope| drop(scope.spawn(busy).join()));
        let (waited, worked) = (since(began), since(began));
        assert!(waited < (per_second() / 200.0) as u64, "{waited} of {}", per_second() / 100.0);
        assert!(worked >= LONG / 2, "{worked}");
    }

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
