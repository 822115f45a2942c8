//! The clock of the wall, which runs without packets follow.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns seconds since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

/// Waits.
pub fn sleep(seconds: f64) {
    std::thread::sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default());
}
