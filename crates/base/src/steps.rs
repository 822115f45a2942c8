//! Steps of work, counted in debug builds only: what a test of growth compares in place of time.
//!
//! Collections by id count what is looked up and walked over, readers what is read. Each thread counts its own.

#[cfg(debug_assertions)]
thread_local! {
    static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps; nothing where it is built for release.
#[inline]
pub fn count(steps: usize) {
    #[cfg(debug_assertions)]
    TAKEN.with(|taken| taken.set(taken.get().wrapping_add(steps as u64)));
    #[cfg(not(debug_assertions))]
    let _ = steps;
}

/// Steps of this thread until now; always zero where it is built for release.
pub fn taken() -> u64 {
    #[cfg(debug_assertions)]
    return TAKEN.with(std::cell::Cell::get);
    #[cfg(not(debug_assertions))]
    0
}

#[cfg(test)]
mod tests {
    use super::{count, taken};

    #[test]
    fn steps_add_up() {
        let before = taken();
        count(2);
        count(3);
        assert_eq!(taken() - before, if cfg!(debug_assertions) { 5 } else { 0 });
    }
}
