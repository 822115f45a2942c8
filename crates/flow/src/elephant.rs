//! Elephant flows: those that carry many bytes in a short time (`flow.rate-tracking`).

use std::collections::VecDeque;

use weir_base::Timestamp;

/// Longest interval that is tracked, in seconds.
pub const MAX_INTERVAL_SECONDS: u64 = 3600;

/// When a direction of a flow counts as an elephant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElephantSettings {
    /// This many bytes …
    pub bytes: u64,
    /// … within this many seconds.
    pub interval_seconds: u64,
    /// The flow is bypassed from then on.
    pub bypass: bool,
}

/// Bytes of the last interval, by second.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateWindow {
    seconds: VecDeque<(u64, u64)>,
    sum: u64,
}

impl RateWindow {
    /// Adds `bytes` at `time`; whether the interval now holds as many as make an elephant.
    pub(crate) fn add(&mut self, time: Timestamp, bytes: u64, settings: &ElephantSettings) -> bool {
        let now = time.seconds();
        let interval = settings.interval_seconds.clamp(1, MAX_INTERVAL_SECONDS);
        self.sum = self.sum.saturating_add(bytes);
        match self.seconds.back_mut() {
            Some((second, count)) if *second >= now => *count = count.saturating_add(bytes),
            _ => self.seconds.push_back((now, bytes)),
        }
        while let Some(&(second, count)) = self.seconds.front() {
            if second.saturating_add(interval) > now {
                break;
            }
            self.sum = self.sum.saturating_sub(count);
            self.seconds.pop_front();
        }
        self.sum >= settings.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_last_interval_only() {
        let settings = ElephantSettings { bytes: 100, interval_seconds: 2, bypass: false };
        let cases =
            [(0, 60, false), (1, 30, false), (2, 60, false), (3, 40, true), (10, 99, false), (10, 1, true)];
        let mut window = RateWindow::default();
        for (second, bytes, expected) in cases {
            assert_eq!(window.add(Timestamp::new(second, 0), bytes, &settings), expected, "second {second}");
        }
    }
}
