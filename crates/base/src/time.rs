//! Packet time. Nothing on the packet path reads a clock: time is what the capture says.

/// A span of time in nanoseconds, the standard library's type.
pub use std::time::Duration;

/// Nanoseconds since 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The latest time of a packet (in the year 2262): any timeout after it can be told, and what the end of a capture
    /// causes comes later.
    pub const LATEST: Self = Self(i64::MAX as u64);

    /// From whole seconds and the nanoseconds within the second.
    pub const fn new(seconds: u64, nanos: u32) -> Self {
        Self(seconds.saturating_mul(1_000_000_000).saturating_add(nanos as u64))
    }

    /// Whole seconds.
    pub const fn seconds(self) -> u64 {
        self.0 / 1_000_000_000
    }

    /// Microseconds within the second.
    pub const fn micros(self) -> u32 {
        ((self.0 % 1_000_000_000) / 1000) as u32
    }

    /// The time since `earlier`, zero where that lies ahead.
    pub const fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// This time plus `span`.
    #[must_use]
    pub const fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.as_nanos() as u64))
    }

    /// The calendar date and time of day in UTC.
    pub fn civil(self) -> Civil {
        Civil::from_seconds(self.seconds() as i64)
    }
}

/// A moment broken down by the proleptic Gregorian calendar, in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Civil {
    /// Year, astronomical.
    pub year: i64,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day of the month, 1 to 31.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59.
    pub second: u8,
}

impl Civil {
    /// Days-to-civil after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    pub fn from_seconds(seconds: i64) -> Self {
        let days = seconds.div_euclid(86_400);
        let time = seconds.rem_euclid(86_400);
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let day_of_era = z.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month: month as u8,
            day: (day_of_year - (153 * shifted + 2) / 5 + 1) as u8,
            hour: (time / 3600) as u8,
            minute: (time / 60 % 60) as u8,
            second: (time % 60) as u8,
        }
    }

    /// The reverse of [`Civil::from_seconds`]; days past a month's end run over into the next.
    pub fn to_seconds(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month = i64::from(self.month);
        let shifted = if month > 2 { month - 3 } else { month + 9 };
        let day_of_year = (153 * shifted + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = era * 146_097 + day_of_era - 719_468;
        days * 86_400 + i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_of_known_moments() {
        let cases = [
            (0, (1970, 1, 1, 0, 0, 0)),
            (951_782_400, (2000, 2, 29, 0, 0, 0)),
            (1_700_000_000, (2023, 11, 14, 22, 13, 20)),
            (-1, (1969, 12, 31, 23, 59, 59)),
            (4_102_444_800, (2100, 1, 1, 0, 0, 0)),
        ];
        for (seconds, (year, month, day, hour, minute, second)) in cases {
            let civil = Civil { year, month, day, hour, minute, second };
            assert_eq!(Civil::from_seconds(seconds), civil);
            assert_eq!(civil.to_seconds(), seconds);
        }
    }
}
